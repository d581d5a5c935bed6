"""What ``compare agree`` and ``compare run`` share: the options that say who is asked what, and the bar of runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import click

from cpsat_tour.cli.messages import is_quiet
from cpsat_tour.cli.options import backend_option
from cpsat_tour.compare.boards import expand, sides
from cpsat_tour.compare.record import Run

kinds_option = click.option("--kind", "kinds", type=click.Choice(["open", "closed"]), multiple=True, help="The kind of tour.  [default: both]")
backends_option = backend_option("A backend, with options if need be: 'cpsat linearization=0'.  [default: all]", several=True)
memory_option = click.option("--memory-limit", type=click.IntRange(1, 10**7), metavar="MB", help="Kill a run whose memory grows beyond this.")
starts_option = click.option("--starts", metavar="all|SQUARE,…", help="Start squares, each asked for by itself.  [default: the start is free]")


def study_keys(
    boards: Sequence[str],
    backends: Sequence[str],
    kinds: Sequence[str],
    starts: str | None,
    seeds: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    threads: int | None,
) -> dict[str, Any]:
    """The options that are given, as the keys of a study; paths are from where we are."""
    expanded = expand(boards)
    # A square may be written row,col; a vertex of a graph file is split off at every comma.
    comma = r",(?=[a-zA-Z])" if not expanded or any(map(sides, expanded)) else ","
    given = {
        "boards": expanded,
        "backends": list(backends),
        "kinds": list(kinds),
        "starts": starts if starts in (None, "all") else re.split(comma, starts),
        "seeds": seeds,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "threads": threads,
    }
    return {key: value for key, value in given.items() if value not in (None, [])}


class RunBar:
    """A bar on stderr with the last run beside it; nothing where stderr is no terminal."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._bar: Any = None

    def __enter__(self) -> RunBar:
        if sys.stderr.isatty() and not is_quiet():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (MofNCompleteColumn(), BarColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("", total=self._number)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, run: Run) -> None:
        """A run is known."""
        if self._bar is not None:
            self._bar.update(self._task, advance=1, description=f"{run.backend}, {run.question}: {run.status}")
