"""How the program tells: results line by line on stdout, and beside them sentences on stderr, none of these with
``--quiet``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

import click

_QUIET = "cpsat_tour.quiet"


def write_at_once(text: str) -> None:
    """Write lines on stdout, with their ends, so that Ctrl-C leaves no half of one."""
    sys.stdout.write(text)
    sys.stdout.flush()


def json_line(data: Mapping[str, Any]) -> None:
    """Print one JSON object as a line."""
    write_at_once(json.dumps(data) + "\n")


def say(message: str) -> None:
    """Tell people something beside the result, on stderr, unless they asked for quiet."""
    if not is_quiet():
        print(message, file=sys.stderr)


def complain(sentence: str) -> None:
    """Tell an error on stderr, asked for quiet or not."""
    print(f"cpsat-tour: {sentence}", file=sys.stderr)


def is_quiet() -> bool:
    """Whether the command that runs in this thread was given ``--quiet``."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


def _be_quiet(context: click.Context, _option: click.Parameter, quiet: bool) -> None:
    if quiet:
        context.meta[_QUIET] = True


def quiet_option() -> click.Option:
    """The option ``--quiet``, which every command has."""
    words = "No messages and no progress on stderr, errors alone."
    return click.Option(
        ["-q", "--quiet"], is_flag=True, expose_value=False, is_eager=True, callback=_be_quiet, help=words
    )


def plural(number: int, noun: str) -> str:
    """The number and the noun: ``1 step``, ``1,024 steps``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
