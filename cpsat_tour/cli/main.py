"""``cpsat-tour COMMAND BOARD [options]``: the entry point, and how errors and Ctrl-C end.

Exit statuses: the command's own; 1 for a backend that broke its contract; 2 for bad input, with one sentence on stderr; 130 after Ctrl-C.
A command's module is imported when the command is used, so that ``--help`` is quick.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from typing import Any

import click

from cpsat_tour import __version__
from cpsat_tour.cli.progress import INTERRUPTED, say
from cpsat_tour.core.errors import BackendFault, BadInput

COMMANDS = {
    "solve": ("cpsat_tour.cli.solve:solve", "Find one tour of a board or a graph."),
    "tours": ("cpsat_tour.cli.tours:tours", "List the first tours, or all of them."),
    "count": ("cpsat_tour.cli.count:count", "Count the tours, exactly or by an estimate."),
    "trace": ("cpsat_tour.cli.trace:trace", "Show every step of the native search."),
    "prove": ("cpsat_tour.cli.prove:prove", "Prove that there is no tour, with a certificate."),
    "check": ("cpsat_tour.cli.prove:check", "Check a certificate that there is no tour."),
    "export": ("cpsat_tour.cli.export:export", "Write the formula of a board or a graph for an outside solver."),
    "decode": ("cpsat_tour.cli.decode:decode", "Turn an outside solver's answer into a verified tour."),
    "sizes": ("cpsat_tour.cli.sizes:sizes", "How large each formulation is on some boards."),
    "compare": ("cpsat_tour.cli.compare:compare", "Compare backends: agree, run, report."),
    "watch": ("cpsat_tour.cli.watch:watch", "Watch searches at work on a page in the browser."),
    "backends": ("cpsat_tour.cli.backends:backends", "List the backends and what is installed."),
}
"""The commands, each with the home of its function and its line in the help."""


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for, and knows the help lines beforehand."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="cpsat-tour")
def cli() -> None:
    """The knight's tour by CP-SAT, SAT and a native engine.

    A BOARD is written 8x8 (rows x cols) or 8. Squares are a1 (files a to z, then aa; ranks from the bottom) or row,col from the top left,
    from 0.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit status.

    After Ctrl-C the interpreter is not torn down in order: a solver's thread may still be in native code, and would abort the process.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # where the output is not UTF-8
    code = status(arguments)
    if code == INTERRUPTED:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def status(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status. No error of the user's reaches them as a traceback."""
    try:
        outcome: Any = cli.main(arguments, prog_name="cpsat-tour", standalone_mode=False)
        sys.stdout.flush()
        return int(outcome or 0)
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted", INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as help_shown:
        help_shown.show()
        return 2
    except click.ClickException as fault:
        return _complain(_sentence(fault), 2)
    except BadInput as fault:
        return _complain(str(fault), 2)
    except BackendFault as fault:
        return _complain(str(fault), 1)
    except MemoryError:
        return _complain("there is not enough memory for this board: choose a smaller one", 2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as fault:
        return _complain(f"can't write or read {fault.filename or 'the output'}: {fault.strerror}", 2)


def _sentence(fault: click.ClickException) -> str:
    """Click's message as one sentence; a negative board looks like an option to it."""
    if isinstance(fault, click.NoSuchOption) and fault.option_name.lstrip("-")[:1].isdigit():
        return f"{fault.option_name!r} is no option: a board is written rows x cols with sides of at least 1, such as 8x8"
    return " ".join(fault.format_message().split())


def _complain(sentence: str, code: int) -> int:
    say(f"cpsat-tour: {sentence}")
    return code
