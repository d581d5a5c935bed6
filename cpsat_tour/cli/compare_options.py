"""What ``compare agree`` and ``compare run`` share: the options that say who is asked what, and what is told of the
runs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import median

import click

from cpsat_tour.cli.options import backend_option, stacked
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.compare.boards import TOUR_KINDS, expand
from cpsat_tour.compare.record import RecordedRun
from cpsat_tour.core.events import PartAtWork, Progress
from cpsat_tour.spaces.kinds import read
from cpsat_tour.spaces.lattice import Lattice

study_options = stacked(
    [
        backend_option("A backend, with options if need be: 'cpsat linearization=0'.  [default: all]", several=True),
        click.option(
            "--kind",
            "kinds",
            metavar="KIND",
            multiple=True,
            help="open or closed, or such as 'closed rot90'.  [default: both]",
        ),
        click.option(
            "--symmetry", metavar="NAME", help="What takes the tours of each kind to themselves, such as rot180."
        ),
        click.option(
            "--starts",
            metavar="all|SQUARE,…",
            help="Start squares, each asked for by itself.  [default: the start is free]",
        ),
        click.option(
            "--memory-limit",
            type=click.IntRange(1, 10**7),
            metavar="MB",
            help="Kill a run whose memory grows beyond this.",
        ),
    ]
)


def study_keys(
    boards: Sequence[str], starts: str | None, kinds: Sequence[str] = (), symmetry: str | None = None, **others: object
) -> dict[str, object]:
    """The options that are given, as the keys of a study; paths are from where we are."""
    expanded = expand(boards)
    # A square may be written row,col; a vertex of a graph file is split off at every comma.
    comma = r",(?=[a-zA-Z])" if not expanded or any(isinstance(read(board), Lattice) for board in expanded) else ","
    kinds = kinds if symmetry is None else [f"{kind} {symmetry}" for kind in kinds or TOUR_KINDS]
    given = {
        "boards": expanded,
        "starts": starts if starts in (None, "all") else re.split(comma, starts),
        "kinds": kinds,
        **others,
    }
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in given.items()
        if value not in (None, [], ())
    }


def told_of_runs(progress: ProgressLine, number: int) -> Callable[[RecordedRun], None]:
    """What tells the line of each run that is made, of so many: whose it is, the median of its backend's answers, and
    how many there are."""
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    made = 0

    def tell(run: RecordedRun) -> None:
        nonlocal made
        made += 1
        if run.solved and run.seconds is not None:
            seconds[run.backend].append(run.seconds)
        middle = f", median {median(seconds[run.backend]):.3g} s" if seconds[run.backend] else ""
        progress(PartAtWork(f"{run.backend} {run.question}: {run.status}{middle};"))
        progress(Progress({"runs": made, "answered": sum(map(len, seconds.values()))}, made / number))

    return tell
