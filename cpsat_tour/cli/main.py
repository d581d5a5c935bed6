"""``cpsat-tour COMMAND SPACE [options]``: the entry point of the command line, the table of commands, and how errors
and Ctrl-C end the program.

The exit status is the command's own; 1 if a backend broke its contract; 2 for bad input, with one sentence on stderr;
130 after Ctrl-C, and 143 after SIGTERM and 129 after SIGHUP, which do the same.
"""

from __future__ import annotations

import _thread
import gc
import io
import os
import re
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pkgutil import resolve_name
from traceback import extract_tb
from types import FrameType
from typing import Any

import click
from click.shell_completion import shell_complete

from cpsat_tour.cli.messages import Exit, complain, print_out, say, stop_words
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, __version__, not_installed, reason, suggest


class LazyGroup(click.Group):
    """A group of commands that imports each when it is used, so that ``--help`` is quick.

    Its table has for each command its function, as ``package.module:function``, and its line in the help.
    """

    def __init__(self, name: str, table: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(name, **options)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all commands, in the order in which the help lists them."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command of this name; a usage error suggests similar names."""
        if cmd_name not in self._table:
            likely = cmd_name[:1].isdigit() and "solve" in self._table
            hint = f"did you mean solve {cmd_name}?" if likely else suggest(cmd_name, self._table)
            ctx.fail(f"there is no command {cmd_name!r}: {hint}")
        command: click.Command = resolve_name(self._table[cmd_name][0])
        if not gc.isenabled():  # the process begins: no search for garbage looks at what is loaded, nor at the end
            gc.freeze()
            gc.enable()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table of commands into the help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in self._table.items()])


COMMANDS = {
    "solve": ("cpsat_tour.cli.solve:solve", "Find one tour of a board or a graph."),
    "best": ("cpsat_tour.cli.best:best", "Find the tour with the fewest turns, the most crossings etc."),
    "decompose": ("cpsat_tour.cli.draw:decompose", "Make all moves in disjoint closed tours."),
    "tours": ("cpsat_tour.cli.tours:tours", "List the first tours, or all of them."),
    "count": ("cpsat_tour.cli.count:count", "Count the tours, exactly or by an estimate."),
    "filter": ("cpsat_tour.cli.filter:filter_lines", "Print the graphs of a list that have a tour, or have none."),
    "puzzle": ("cpsat_tour.cli.puzzle:puzzle", "Make a puzzle: a few numbers that fit only one tour."),
    "trace": ("cpsat_tour.cli.trace:trace", "Show every step of the native search."),
    "prove": ("cpsat_tour.cli.prove:prove", "Prove that there is no tour, with a certificate."),
    "verify": ("cpsat_tour.cli.check:verify", "Verify the tours in a file."),
    "draw": ("cpsat_tour.cli.draw:draw", "Draw the tour in a file."),
    "check": ("cpsat_tour.cli.check:check", "Check a certificate of no tour, a count or a best tour."),
    "export": ("cpsat_tour.cli.draw:export", "Write the formula of a board or a graph for an outside solver."),
    "decode": ("cpsat_tour.cli.check:decode", "Turn an outside solver's answer into a verified tour."),
    "compare": ("cpsat_tour.cli.main:compare", "Compare backends: agree, run, report, bounds, strength."),
    "watch": ("cpsat_tour.cli.trace:watch", "Watch searches at work on a page in the browser."),
    "formats": ("cpsat_tour.cli.backends:formats", "List the forms of graph files, with an example each."),
    "backends": ("cpsat_tour.cli.backends:backends", "List the backends and what is installed."),
}

COMPARISONS = {
    "agree": ("cpsat_tour.cli.compare:agree", "Ask every backend about every board and compare the answers."),
    "run": ("cpsat_tour.cli.compare:run", "Time backends on boards, and record every run."),
    "report": ("cpsat_tour.cli.compare:report", "Print tables and draw pictures of the runs that were recorded."),
    "bounds": ("cpsat_tour.cli.compare:bounds", "Compare the strength of linear programs."),
    "strength": ("cpsat_tour.cli.compare:strength", "Compare what unit propagation sees in SAT formulations."),
}

cli = click.version_option(__version__, prog_name="cpsat-tour")(
    LazyGroup(
        "cpsat-tour",
        COMMANDS,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        help="""Knight's tours and other Hamiltonian paths and cycles: find, count, prove, compare.

    A BOARD is written 8x8 (rows x cols) or 8. A box 4x4x3, a wrapped board torus:5x5, a member of a family GP(17,2) or
    the path of a graph file can stand for it. Squares are a1 (files a to z, then aa; ranks from the bottom) or row,col
    from the top left, from 0.""",
    )
)

FIRST_SCREEN = f"""cpsat-tour {__version__}: knight's tours and other Hamiltonian paths and cycles

  cpsat-tour solve 8x8 --closed            find a closed tour of the chessboard
  cpsat-tour prove 4x6 --closed -o proof   prove that there is none,
  cpsat-tour check proof                   and check the proof
  cpsat-tour count 6x6 --closed            count all tours
  cpsat-tour watch --open                  walk a tour yourself, in the browser

cpsat-tour --help lists all commands, cpsat-tour COMMAND --help their options."""
"""What the program prints when nothing is typed after its name."""

compare = LazyGroup("compare", COMPARISONS, help="Compare backends: agree, run, report, bounds, strength.")


COMPLETE = "_CPSAT_TOUR_COMPLETE"
"""The environment variable by which a shell asks for completions."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit status.

    After Ctrl-C, and if a run was left behind on a daemon thread, the process ends at once: a solver may still be in
    native code, and would abort an interpreter that is torn down in order.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # where the output is not UTF-8
    interrupted = Exit.INTERRUPTED

    def terminate(number: int, _frame: FrameType | None) -> None:
        """End as after Ctrl-C, with another exit status."""
        nonlocal interrupted
        interrupted = Exit(128 + number)
        if number == signal.SIGHUP:
            signal.signal(number, signal.SIG_IGN)  # the shell sends another one
            for stream in (1, 2):
                try:
                    os.write(stream, b"")
                except OSError:  # the terminal is closed, and results are still to be written
                    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, terminate)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.unraisablehook = _interrupt_again
    code = status(arguments)
    if code == Exit.INTERRUPTED or any(thread.daemon for thread in threading.enumerate()):
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(interrupted if code == Exit.INTERRUPTED else code)
    sys.exit(code)


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Raise Ctrl-C again if it came in a destructor or a callback, where Python drops exceptions. A Ctrl-C that comes
    here is repeated too."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        try:
            threading.Timer(0.1, _thread.interrupt_main).start()
        except KeyboardInterrupt:
            _interrupt_again(unraisable)
    else:
        sys.__unraisablehook__(unraisable)


def status(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status; a user's error is one sentence on stderr, not a traceback."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if asked := os.environ.get(COMPLETE):
            return shell_complete(cli, {}, "cpsat-tour", COMPLETE, asked)
        with cli.make_context("cpsat-tour", [*arguments]) as context:
            cli.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except KeyboardInterrupt:
        return complain("interrupted", Exit.INTERRUPTED)
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # Rich leaves so
            return _report_fault(ended.__context__, arguments)
        raise
    except Exception as fault:
        return (
            complain("interrupted", Exit.INTERRUPTED)
            if _is_due_to_interrupt(fault)
            else _report_fault(fault, arguments)
        )
    return Exit.ANSWER


def _is_due_to_interrupt(fault: BaseException) -> bool:
    """Return True if the error is really a Ctrl-C: while a library is loaded or a class is made, Python turns it into
    an ImportError or a RuntimeError."""
    before = fault.__cause__ or fault.__context__
    return before is not None and (isinstance(before, KeyboardInterrupt) or _is_due_to_interrupt(before))


def _report_fault(fault: Exception, arguments: list[str]) -> int:
    """Print the error as a sentence and return the exit status; raise it again if it is not the user's."""
    match fault:
        case click.exceptions.NoArgsIsHelpError():  # nothing was typed, or `compare` alone
            print_out(fault.format_message() if arguments else FIRST_SCREEN)
            return Exit.ANSWER
        case click.ClickException():
            return complain(_usage_sentence(fault), Exit.BAD_INPUT)
        case BadInput():
            return complain(str(fault), Exit.BAD_INPUT)
        case BackendFault():
            return complain(str(fault), Exit.FAULT)
        case StoppedEarly():
            say(f"{stop_words(fault.limit)}{fault.more}.")
            return Exit.LIMIT
        case ModuleNotFoundError(name=str(name)) if name.partition(".")[0] != "cpsat_tour":
            return complain(str(not_installed("this command", name)), Exit.BAD_INPUT)
        case MemoryError():
            return complain("there is not enough memory for this board: choose a smaller one", Exit.BAD_INPUT)
        case OSError():
            try:
                sys.stdout.flush()
            except OSError:  # it takes no more: what is left goes nowhere, so that the interpreter does not fail
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if isinstance(fault, BrokenPipeError):
                return Exit.ANSWER
            return complain(f"can't write or read {fault.filename or 'the output'}: {reason(fault)}", Exit.BAD_INPUT)
    if plug_in := re.search(r"\b(py:([\w.]+)\S*)", " ".join(arguments)):
        home = getattr(sys.modules.get(plug_in[2]), "__file__", None)
        frames = [frame for frame in extract_tb(fault.__traceback__) if frame.filename == home]
        where = "".join(f" in {home}, line {frame.lineno}" for frame in frames[-1:])
        return complain(f"backend {plug_in[1]} failed{where}: {type(fault).__name__}: {fault}", Exit.FAULT)
    raise fault


def _usage_sentence(fault: click.ClickException) -> str:
    """Return Click's error message as a sentence, with a hint where to find help if the call was wrong."""
    sentence = re.sub(r"(valid \w+) range$", r"\1", " ".join(fault.format_message().split()).rstrip(".")).replace(
        "valid float", "number"
    )
    if isinstance(fault, click.NoSuchOption):
        from difflib import get_close_matches  # only here, and it takes long to load

        name, near = fault.option_name, fault.possibilities or ()
        alike = [*get_close_matches(name, near, 1, 0.8), *(other for other in near if other.startswith(name))]
        sentence = f"there is no option {name}{f': did you mean {alike[0]}?' if alike else ''}"
    if extra := re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", sentence):
        sentence = f"{extra[1]!r} is more than the command takes: leave it out"
    if not isinstance(fault, click.UsageError) or fault.ctx is None or sentence.endswith("?"):
        return sentence
    return f"{sentence}. Try '{fault.ctx.command_path} --help'."
