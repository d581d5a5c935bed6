"""Results on stdout, messages on stderr unless ``--quiet`` is given, and exit statuses.

Sentences may quote what others wrote: a solver, a plug-in, a certificate, whoever named a file. They are printed
`printable`, and all of them here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import click

from cpsat_tour.core.errors import StoppedEarly, printable


class Exit(IntEnum):
    """The exit statuses of the program."""

    ANSWER = 0  # what was asked for is there, a certificate is valid, or all backends agree
    FAULT = 1  # what was given is invalid, or backends disagree or crash; or a backend broke its contract
    BAD_INPUT = 2
    LIMIT = 3  # a limit was met first
    A_TOUR = 10  # ``prove``: there is a tour, so there is nothing to prove
    NONE = 20  # there is no tour
    INTERRUPTED = 130
    HUNG_UP = 129  # as after Ctrl-C, by the signal SIGHUP: the terminal was closed
    TERMINATED = 143  # as after Ctrl-C, by the signal SIGTERM


BACKEND_FAILED = "A backend failed or gave a wrong answer: one sentence on stderr says how."

EXITS = {"tour": Exit.ANSWER, "none": Exit.NONE, "unknown": Exit.LIMIT}
"""The exit status of an answer's status."""


def stop_exit(stopped_by: str | None) -> Exit:
    """Return the exit status for what stopped a run: `INTERRUPTED` for Ctrl-C, `LIMIT` for a limit, `ANSWER` for
    None."""
    return Exit.INTERRUPTED if stopped_by == "interrupt" else Exit.LIMIT if stopped_by else Exit.ANSWER


def stop_words(stopped_by: str | None) -> str:
    """Return what stopped a run as the beginning of a sentence: ``Stopped at the time limit``."""
    words = str(StoppedEarly(str(stopped_by)))
    return f"Stopped early: {words}" if words == str(stopped_by) else words[0].upper() + words[1:]


def write_at_once(text: str) -> None:
    """Write whole lines on stdout and flush, so that Ctrl-C leaves no half of one."""
    sys.stdout.write(text)
    sys.stdout.flush()


def json_line(data: Mapping[str, Any]) -> None:
    """Print a JSON object on one line."""
    write_at_once(json.dumps(data) + "\n")


def print_out(text: object, end: str = "\n") -> None:
    """Print a result as text on stdout."""
    print(printable(str(text), kept="\n\t"), end=end)


def say(message: str) -> None:
    """Print a message on stderr, unless ``--quiet`` is given."""
    if not is_quiet():
        print(printable(message, kept="\n\t"), file=sys.stderr)


def complain(sentence: str, code: Exit) -> Exit:
    """Print an error on stderr and return the exit status."""
    print(f"cpsat-tour: {printable(sentence)}", file=sys.stderr)
    return code


def is_quiet() -> bool:
    """Return True if the command that runs in this thread was given ``--quiet``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("quiet"))
