"""Tours counted in cubes of the edge search: on threads of this process or on a cluster, with a record or without."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cpsat_tour.cli.messages import Exit, json_line, say, stop_exit
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.describe import tour_sought, tours_sought
from cpsat_tour.spaces.problem_data import problem_data

if TYPE_CHECKING:
    from cpsat_tour.backends.cubes import CubeCount
    from cpsat_tour.compare.schedule import Workers

cluster_option = click.option(
    "--cluster",
    metavar="local:N|ADDRESS",
    help="Run on a Dask cluster: of N processes, started for this, or of the scheduler at tcp://host:8786.",
)

resume_option = click.option(
    "--resume",
    metavar="FILE",
    help="Count, recording in FILE what is done; with FILE there already, go on from where it ends.",
)


def read_cluster(text: str) -> AbstractContextManager[Workers]:
    """The cluster that ``--cluster`` names, to be entered."""
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


def check_goes_with_cubes(resume: str | None, cluster: str | None, others: Mapping[str, object]) -> None:
    """Raise `BadInput` if one of the other options is given beside ``--resume`` or ``--cluster``."""
    given = f"--resume {resume}" if cluster is None else f"--cluster {cluster}"
    for option, value in others.items():
        if value:
            raise BadInput(f"{option} can't go with {given}, which counts the tours by the edge search and keeps none")


def count_in_cubes(
    resume: str | None,
    cluster: str | None,
    problem: Problem,
    limits: Limits,
    *,
    distinct: bool = False,
    readings: int = 1,
    as_json: bool = False,
) -> Exit:
    """Count, show the number, and return the exit status; each tour is counted as often as it has ``readings``."""
    from cpsat_tour.backends import cubes  # the compiled search takes a while to load
    from cpsat_tour.formats.growing import CubeRecord

    clock = limits.clock()
    count: CubeCount | None = None
    before, stopped_by = 0, None
    try:
        count = cubes.CubeCount(problem, distinct, clock.check)
        with ExitStack() as stack:
            record = None
            if resume is not None:
                record = stack.enter_context(CubeRecord(Path(resume), count.header()))
                count.counts |= {cube: tours for cube, tours in record.counts.items() if cube < len(count.cubes)}
                before = len(count.counts)
            if cluster is None:
                hands = stack.enter_context(cubes.threads(limits.threads or 1))
            else:
                workers = stack.enter_context(read_cluster(cluster))
                hands = cubes.Hands(workers.executor, workers.number)
            progress = stack.enter_context(ProgressLine(f"counting each {tour_sought(problem)}"))
            count.carry_out(hands, clock, record, progress)
    except StoppedEarly as stopped:
        stopped_by = str(stopped)
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    number = 0 if count is None else count.number * readings
    whole, left = (0, 0) if count is None else (len(count.cubes), len(count.left))
    done = count is not None and not left
    if as_json:
        counted = {"count": number if done else None, "at_least": number, "distinct": distinct, "cubes": whole}
        ended = {"left": left, "stopped_by": stopped_by, "seconds": round(clock.seconds, 6)}
        json_line({"problem": problem_data(problem), "backend": "edges"} | counted | ended)
    elif done:
        print(number, flush=True)
    words = f"{number:,} {'distinct ' * distinct}{tours_sought(problem, 2)} in {whole - left:,} of {whole:,} cubes"
    words += f", {before:,} of them before" if before else ""
    words += f", {clock.seconds:.3g} s" + (f"; stopped by: {stopped_by}" if stopped_by else "")
    say(words + ("; go on with --resume" if left and resume else ""))
    return Exit.ANSWER if done else stop_exit(stopped_by)
