"""Lists in cubes on the command line: ``--resume`` and the options of a cluster, and the count that they ask for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from cpsat_tour.backends.cubes import CubeCount, Hands, threads
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import say
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.compare.cluster import cluster as on_cluster
from cpsat_tour.compare.schedule import Workers
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.formats.cube_record import CubeRecord
from cpsat_tour.formats.describe import asked
from cpsat_tour.spaces.problem_data import problem_data

Function = TypeVar("Function", bound=Callable[..., Any])

_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")


def cluster_options(function: Function) -> Function:
    """The options that name a cluster."""
    scheduler = click.option("--scheduler", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler, such as tcp://host:8786.")
    own = click.option("--cluster", metavar="local:N", help="Run on a Dask cluster of N processes, started for this.")
    return scheduler(own(function))


def read_cluster(scheduler: str | None, cluster: str | None) -> AbstractContextManager[Workers] | None:
    """The cluster that the options name, to be entered; None where they name none."""
    if scheduler is not None and cluster is not None:
        raise BadInput(f"--scheduler {scheduler} can't go with --cluster {cluster}: give one or the other")
    if cluster is None:
        return None if scheduler is None else on_cluster(scheduler, None)
    match = _LOCAL.fullmatch(cluster)
    if match is None:
        raise BadInput(f"--cluster can't be {cluster!r}: write local:N with a number of processes, such as local:2")
    return on_cluster(None, int(match[1]))


resume_option = click.option(
    "--resume", metavar="FILE", help="Count, recording in FILE what is done; with FILE there already, go on from where it ends."
)


@dataclass(frozen=True)
class InCubes:
    """A count in cubes as the options ask for it: with a record or without, on a cluster or on threads of this process."""

    record: str | None
    scheduler: str | None
    cluster: str | None

    @property
    def given(self) -> str | None:
        """The first of the options that is given."""
        options = {"--resume": self.record, "--scheduler": self.scheduler, "--cluster": self.cluster}
        return next((f"{option} {value}" for option, value in options.items() if value is not None), None)

    def refuse_with(self, **others: object) -> None:
        """Raise `BadInput` if one of the other options is given, by its name without the hyphens."""
        for name, value in others.items():
            if value:
                option = f"{'-' if len(name) == 1 else '--'}{name.replace('_', '-')}"
                raise BadInput(f"{option} can't go with {self.given}, which counts the tours by the edge search and keeps none")

    def carry_out(self, problem: HamiltonProblem, limits: Limits, *, distinct: bool = False, readings: int = 1, as_json: bool = False) -> Exit:
        """Count, show the number, and tell the exit status; each tour is counted as often as it has ``readings``."""
        clock = limits.clock()
        count: CubeCount | None = None
        known, stopped_by = 0, None
        try:
            count = CubeCount(problem, distinct, clock.check)
            with self._record(count) as record, self._hands(limits) as hands, ProgressLine(f"counting each {asked(problem)}") as progress:
                known = len(count.counts)
                count.carry_out(hands, clock, record, progress)
        except StoppedEarly as stopped:
            stopped_by = str(stopped)
        except KeyboardInterrupt:
            stopped_by = "interrupt"
        number = 0 if count is None else count.number * readings
        cubes, left = (0, 0) if count is None else (len(count.cubes), len(count.left))
        whole = count is not None and not left
        if as_json:
            told = {"problem": problem_data(problem), "backend": "edges", "count": number if whole else None, "at_least": number}
            told |= {"distinct": distinct, "cubes": cubes, "left": left, "stopped_by": stopped_by}
            print(json.dumps(told | {"seconds": round(clock.seconds, 6)}), flush=True)
        elif whole:
            print(number, flush=True)
        kinds = "distinct " * distinct + asked(problem).replace(" tour of ", " tours of ", 1)
        before = f", {known:,} of them before" if known else ""
        words = f"{number:,} {kinds} in {cubes - left:,} of {cubes:,} cubes{before}, {clock.seconds:.3g} s"
        say(words + (f"; stopped by: {stopped_by}" if stopped_by else "") + ("; go on with --resume" if left and self.record else ""))
        return Exit.ANSWER if whole else Exit.INTERRUPTED if stopped_by == "interrupt" else Exit.LIMIT

    def _record(self, count: CubeCount) -> AbstractContextManager[CubeRecord | None]:
        """The record, if there is to be one, whose cubes are done."""
        if self.record is None:
            return nullcontext()
        record = CubeRecord(Path(self.record), count.header())
        count.counts |= {number: tours for number, tours in record.counts.items() if number < len(count.cubes)}
        return record

    @contextmanager
    def _hands(self, limits: Limits) -> Iterator[Hands]:
        """The workers of the cluster, or threads."""
        workers = read_cluster(self.scheduler, self.cluster)
        if workers is None:
            with threads(limits.threads or 1) as hands:
                yield hands
        else:
            with workers as ready:
                yield Hands(ready.executor, ready.number)
