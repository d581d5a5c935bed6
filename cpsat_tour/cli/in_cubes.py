"""Counts tours in cubes, parts of the edge search, on threads or a cluster; a record keeps the cubes that are done."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from cpsat_tour.cli.display import ProgressLine
from cpsat_tour.cli.messages import Exit, json_line, say, stop_exit, stop_words
from cpsat_tour.cli.options import Namespace, option
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import tour_sought, tours_sought
from cpsat_tour.spaces.problem_data import problem_data

if TYPE_CHECKING:
    from cpsat_tour.backends.cubes import CubeCount
    from cpsat_tour.compare.schedule import Workers

CLUSTER = option(
    "--cluster local:N|ADDRESS",
    "Run on a Dask cluster: N new local processes, or a scheduler's address such as tcp://host:8786.",
)
CUBES = [
    option("--resume FILE", "Record progress in FILE; if FILE exists, continue from it."),
    CLUSTER,
]


def read_cluster(text: str) -> AbstractContextManager[Workers]:
    """Return the cluster that ``--cluster`` names, as a context manager; `BadInput` if it names none."""
    from cpsat_tour.compare.schedule import cluster

    if "://" in text:
        return cluster(text)
    match = re.fullmatch(r"local:([1-9][0-9]{0,3})", text)
    if match is None:
        raise BadInput(
            f"--cluster can't be {text!r}: write local:N with a number of processes, such as local:2, or the address "
            "of a scheduler, such as tcp://host:8786"
        )
    return cluster(None, int(match[1]))


def count_in_cubes(
    args: Namespace,
    problem: Problem,
    limits: Limits,
    others: Mapping[str, object],
    *,
    distinct: bool = False,
    readings: int = 1,
) -> Exit:
    """Count as ``--resume`` and ``--cluster`` ask for, show the number, and return the exit status.

    Each tour is counted as often as it has ``readings``. `BadInput` if one of the other options is given beside them.
    """
    given = f"--resume {args.resume}" if args.cluster is None else f"--cluster {args.cluster}"
    for name, value in {**others, "-O": args.options, "--backend": args.backend not in (None, "edges")}.items():
        if value:
            raise BadInput(f"{name} can't go with {given}, which counts the tours by the edge search and keeps none")
    from cpsat_tour.backends import cubes  # the compiled search takes a while to load
    from cpsat_tour.formats.growing import CubeRecord

    clock = limits.clock()
    count: CubeCount | None = None
    before, stopped_by = 0, None
    try:
        count = cubes.CubeCount(problem, distinct, clock.check)
        with ExitStack() as stack:
            record = None
            if args.resume is not None:
                record = stack.enter_context(CubeRecord(Path(args.resume), count.header()))
                count.counts |= {cube: tours for cube, tours in record.counts.items() if cube < len(count.cubes)}
                before = len(count.counts)
            if args.cluster is None:
                cube_workers = stack.enter_context(cubes.thread_workers(limits.threads or 1))
            else:
                workers = stack.enter_context(read_cluster(args.cluster))
                cube_workers = cubes.CubeWorkers(workers.executor, workers.number)
            progress = stack.enter_context(ProgressLine(f"counting each {tour_sought(problem)}"))
            count.count_cubes(cube_workers, clock, record, progress)
    except StoppedEarly as stopped:
        stopped_by = str(stopped)
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    number = 0 if count is None else count.number * readings
    whole, left = (0, 0) if count is None else (len(count.cubes), len(count.unfinished))
    done = count is not None and not left
    if args.as_json:
        counted = {"count": number if done else None, "at_least": number, "distinct": distinct, "cubes": whole}
        ended = {"left": left, "stopped_by": stopped_by, "seconds": round(clock.seconds, 6)}
        json_line({"problem": problem_data(problem), "backend": "edges"} | counted | ended)
    elif done:
        print(number, flush=True)
    words = f"{number:,} {'distinct ' * distinct}{tours_sought(problem, 2)} in {whole - left:,} of {whole:,} cubes"
    words += f", {before:,} of them before" if before else ""
    words += f", {clock.seconds:.3g} s" + (f". {stop_words(stopped_by)}." if stopped_by else "")
    say(words + (" Go on with --resume." if left and args.resume else ""))
    return Exit.ANSWER if done else stop_exit(stopped_by)
