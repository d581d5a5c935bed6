"""Lists in cubes on the command line: on threads of this process or on a cluster, with a record or without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from cpsat_tour.backends.cubes import CubeCount, Hands, threads
from cpsat_tour.cli.cube_options import CubeOptions, read_cluster
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import json_line, say
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.cube_record import CubeRecord
from cpsat_tour.formats.describe import asked
from cpsat_tour.spaces.problem_data import problem_data


def count_in_cubes(
    options: CubeOptions,
    problem: Problem,
    limits: Limits,
    *,
    distinct: bool = False,
    readings: int = 1,
    as_json: bool = False,
) -> Exit:
    """Count, show the number, and tell the exit status; each tour is counted as often as it has ``readings``."""
    clock = limits.clock()
    count: CubeCount | None = None
    known, stopped_by = 0, None
    try:
        count = CubeCount(problem, distinct, clock.check)
        with (
            _record(options, count) as record,
            _hands(options, limits) as hands,
            ProgressLine(f"counting each {asked(problem)}") as progress,
        ):
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
        told = {
            "problem": problem_data(problem),
            "backend": "edges",
            "count": number if whole else None,
            "at_least": number,
        }
        told |= {"distinct": distinct, "cubes": cubes, "left": left, "stopped_by": stopped_by}
        json_line(told | {"seconds": round(clock.seconds, 6)})
    elif whole:
        print(number, flush=True)
    kinds = "distinct " * distinct + asked(problem).replace(" tour of ", " tours of ", 1)
    before = f", {known:,} of them before" if known else ""
    words = f"{number:,} {kinds} in {cubes - left:,} of {cubes:,} cubes{before}, {clock.seconds:.3g} s"
    say(
        words
        + (f"; stopped by: {stopped_by}" if stopped_by else "")
        + ("; go on with --resume" if left and options.record else "")
    )
    return Exit.ANSWER if whole else Exit.INTERRUPTED if stopped_by == "interrupt" else Exit.LIMIT


def _record(options: CubeOptions, count: CubeCount) -> AbstractContextManager[CubeRecord | None]:
    """The record, if there is to be one, whose cubes are done."""
    if options.record is None:
        return nullcontext()
    record = CubeRecord(Path(options.record), count.header())
    count.counts |= {number: tours for number, tours in record.counts.items() if number < len(count.cubes)}
    return record


@contextmanager
def _hands(options: CubeOptions, limits: Limits) -> Iterator[Hands]:
    """The workers of the cluster, or threads."""
    workers = read_cluster(options.scheduler, options.cluster)
    if workers is None:
        with threads(limits.threads or 1) as hands:
            yield hands
    else:
        with workers as ready:
            yield Hands(ready.executor, ready.number)
