"""What ``compare agree`` and ``compare run`` share: the options that say who is asked what, and the bar of runs."""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from cpsat_tour.cli.messages import is_quiet
from cpsat_tour.cli.options import backend_option
from cpsat_tour.compare.boards import expand
from cpsat_tour.compare.record import RecordedRun
from cpsat_tour.spaces.kinds import read
from cpsat_tour.spaces.lattice import Lattice

kinds_option = click.option(
    "--kind", "kinds", metavar="KIND", multiple=True, help="open or closed, or with a symmetry, such as 'closed rot90'.  [default: both]"
)
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
    comma = r",(?=[a-zA-Z])" if not expanded or any(isinstance(read(board), Lattice) for board in expanded) else ","
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
    """A bar for each backend on stderr, with the median of its answers so far; nothing where stderr is no terminal."""

    def __init__(self, backends: Iterable[str]) -> None:
        """``backends`` names the backend of each run that is to come."""
        self._numbers = Counter(backends)
        self._seconds: dict[str, list[float]] = defaultdict(list)
        self._tasks: dict[str, TaskID] = {}
        self._bars: Progress | None = None

    def __enter__(self) -> RunBar:
        if sys.stderr.isatty() and not is_quiet():
            columns = (
                TextColumn("{task.description}"),
                MofNCompleteColumn(),
                BarColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[last]}"),
            )
            self._bars = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bars.start()
            self._tasks = {backend: self._bars.add_task(backend, total=number, last="") for backend, number in self._numbers.items()}
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()

    def __call__(self, run: RecordedRun) -> None:
        """A run is known."""
        if self._bars is None:
            return
        if run.backend not in self._tasks:
            self._tasks[run.backend] = self._bars.add_task(run.backend, total=None, last="")
        if run.solved and run.seconds is not None:
            self._seconds[run.backend].append(run.seconds)
        self._bars.update(self._tasks[run.backend], advance=1, last=f"{run.question}: {run.status}{self._median(run.backend)}")

    def _median(self, backend: str) -> str:
        seconds = self._seconds[backend]
        return f", median {median(seconds):.3g} s" if seconds else ""
