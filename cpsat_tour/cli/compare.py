"""``cpsat-tour compare``: do the backends agree, how long do they take, and what do the records say."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cpsat_tour.cli.options import Seconds
from cpsat_tour.cli.progress import say
from cpsat_tour.core.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from cpsat_tour.compare.record import Job, Results, Run
    from cpsat_tour.compare.schedule import Lost, Workers
    from cpsat_tour.compare.study import Study

DISAGREE, UNFINISHED = 1, 3

_CLUSTER = re.compile(r"local:([1-9][0-9]{0,3})")

kinds_option = click.option("--kind", "kinds", type=click.Choice(["open", "closed"]), multiple=True, help="The kind of tour.  [default: both]")
backends_option = click.option(
    "--backend", "backends", metavar="SPEC", multiple=True, help="A backend, with options if need be: 'cpsat linearization=0'.  [default: all]"
)
memory_option = click.option("--memory-limit", type=click.IntRange(1, 10**7), metavar="MB", help="Kill a run whose memory grows beyond this.")
starts_option = click.option("--starts", metavar="all|SQUARE,…", help="Start squares, each asked for by itself.  [default: the start is free]")


@click.group()
def compare() -> None:
    """Compare backends: agree, run, report."""


@compare.command()
@click.argument("boards", nargs=-1)
@backends_option
@kinds_option
@starts_option
@click.option("--time-limit", type=Seconds(), metavar="SECONDS", default=2.0, show_default=True, help="Seconds a run.")
@memory_option
@click.option("--jobs", type=click.IntRange(1, 1024), help="Runs at once.  [default: as many as there are processors]")
@click.option("-o", "--output", metavar="FILE", help="Draw the matrix to FILE: .svg or .png.")
@click.pass_context
def agree(
    ctx: click.Context,
    boards: tuple[str, ...],
    backends: tuple[str, ...],
    kinds: tuple[str, ...],
    starts: str | None,
    time_limit: float,
    memory_limit: int | None,
    jobs: int | None,
    output: str | None,
) -> None:
    """Ask every backend about every board and compare the answers with each other and with the theorems.

    BOARDS are patterns such as 8x8, 6..20:2, 4x5..30, graphs such as 'GP(5..20,2)' or 'cubic(50,1..3)', or graph files; by default all
    m x n up to 8x8. Exit status: 0, or 1 on any disagreement.
    """
    from cpsat_tour.compare.agree import agree as ask_all
    from cpsat_tour.compare.agreement import disagreements
    from cpsat_tour.compare.matrix import print_matrix, verdict_sentence
    from cpsat_tour.compare.study import study_of

    if output is not None:
        _check_picture(Path(output))
    keys = _keys(boards or ("1..8x1..8",), backends, kinds, starts, None, time_limit, memory_limit, None)
    (group,) = study_of("agree", keys).groups
    with _Progress(len(group.questions) * len(group.backends)) as progress:
        judged = ask_all(
            group.questions, group.backends, seconds=time_limit, memory=group.memory_limit, jobs=jobs or _processors(), on_run=progress
        )
    print_matrix(judged)
    if output is not None:
        from cpsat_tour.compare.matrix_plot import draw

        draw(judged, Path(output))
        say(f"wrote {output}")
    say(verdict_sentence(judged))
    ctx.exit(DISAGREE if disagreements(judged) else 0)


@compare.command()
@click.argument("study", required=False)
@click.option(
    "--board",
    "boards",
    metavar="PATTERN",
    multiple=True,
    help="8x8, 6..20:2, 4x5..30, 'GP(5..20,2)', 'cubic(50,1..3)', or graph files; may be repeated.",
)
@backends_option
@kinds_option
@starts_option
@click.option("--seeds", type=click.IntRange(1, 10**6), metavar="N", help="Runs of each question, with the seeds 0 to N - 1.")
@click.option("--time-limit", type=Seconds(), metavar="SECONDS", help="Seconds a run.")
@memory_option
@click.option("--threads", type=click.IntRange(1, 1024), help="Threads a run, for backends that use several.")
@click.option("--results", metavar="FILE", help="Where the runs are recorded, one JSON object a line.  [default: STUDY.jsonl]")
@click.option("--resume", is_flag=True, help="Go on with the runs that FILE does not have.")
@click.option("--jobs", type=click.IntRange(1, 1024), default=1, show_default=True, help="Runs at once; 1 for timings to be published.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on the Dask cluster of this scheduler, such as tcp://host:8786.")
@click.option("--cluster", metavar="local:N", help="Run on a Dask cluster of N processes, started for this.")
@click.option("--stop-after", type=Seconds(), metavar="SECONDS", help="Begin no new run after this time; go on later with --resume.")
@click.pass_context
def run(
    ctx: click.Context,
    study: str | None,
    boards: tuple[str, ...],
    backends: tuple[str, ...],
    kinds: tuple[str, ...],
    starts: str | None,
    seeds: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    threads: int | None,
    results: str | None,
    resume: bool,
    jobs: int,
    scheduler: str | None,
    cluster: str | None,
    stop_after: float | None,
) -> None:
    """Time backends on boards, each run in a process of its own, and record every run.

    STUDY is a TOML file or one of ours: smoke, paper, sixty, scale, graphs. Without it, --board says what is asked; with it, the options
    overrule it. Exit status: 0 all runs are recorded, 1 backends disagree, 3 some runs are still to be made.
    """
    from cpsat_tour.compare.record import Results
    from cpsat_tour.compare.study import read_study, study_of

    if study is None and not boards:
        raise BadInput("nothing is asked: name a study, such as smoke, or boards with --board 6..20:2")
    overrides = _keys(boards, backends, kinds, starts, seeds, time_limit, memory_limit, threads)
    chosen = study_of("runs", overrides) if study is None else read_study(study, overrides)
    workers = _workers(jobs, scheduler, cluster)
    with Results(Path(results or f"{chosen.name}.jsonl"), resume=resume) as file:
        if file.cut_off:
            say(f"cut off the last line of {file.path}, which was half written ({file.cut_off} bytes)")
        lost, left = _make_runs(chosen, file, workers, stop_after)
        for entry in lost:
            say(f"lost: {entry.job.key}: {entry.why}")
        _conclude(ctx, file, left)


def _make_runs(chosen: Study, file: Results, workers: AbstractContextManager[Workers], stop_after: float | None) -> tuple[list[Lost], int]:
    """Make the runs that the file does not have; those that were lost, and the number still to be made."""
    from cpsat_tour.compare.schedule import schedule

    def left_of(jobs: Sequence[Job]) -> list[Job]:
        return [job for job in jobs if job.key not in file.keys]

    todo = left_of(chosen.jobs(1, "local"))
    try:
        with workers as ready:
            todo = left_of(chosen.jobs(ready.number, ready.name))
            with _Progress(len(todo)) as progress:

                def record(run: Run) -> None:
                    file.append(run)
                    progress(run)

                lost = schedule(todo, ready, record, stop_after)
    except KeyboardInterrupt:
        say(f"recorded in {file.path}: {len(file.runs):,}; left: {len(left_of(todo)):,}, go on with --resume")
        raise
    return lost, len(left_of(todo))


def _conclude(ctx: click.Context, file: Results, left: int) -> None:
    """Tell faults, disagreements and what is left, and leave with the exit status."""
    from cpsat_tour.compare.agreement import disagreements, judge
    from cpsat_tour.compare.matrix import told

    judged = judge(file.runs)
    for line in told(judged):
        say(line.plain)
    answered = sum(run.solved for run in file.runs)
    say(f"recorded in {file.path}: {len(file.runs):,}, answered: {answered:,}" + (f"; left: {left:,}, go on with --resume" if left else ""))
    ctx.exit(DISAGREE if disagreements(judged) else UNFINISHED if left else 0)


@compare.command()
@click.argument("results")
@click.option("-o", "--output", metavar="DIR", help="Write report.md, medians.csv and pictures (SVG, PNG) into DIR.")
@click.option("--baseline", metavar="SPEC", help="The backend that ratios are to.  [default: the first of each group]")
@click.option("--measure", type=click.Choice(["seconds", "wall", "cpu"]), default="seconds", show_default=True, help="Which time is compared.")
@click.option("--scatter", nargs=2, metavar="SPEC SPEC", help="The two backends of the scatter.  [default: the baseline and the best other]")
@click.pass_context
def report(ctx: click.Context, results: str, output: str | None, baseline: str | None, measure: Any, scatter: tuple[str, str] | None) -> None:
    """Tables and pictures of the runs in the file RESULTS, which may still be growing.

    Without -o the tables are printed. Exit status: 0, or 1 if backends disagree.
    """
    from cpsat_tour.compare import record
    from cpsat_tour.compare.agreement import disagreements, judge
    from cpsat_tour.compare.report import report as in_words
    from cpsat_tour.compare.report import write_report
    from cpsat_tour.compare.summary import summaries

    runs = record.load(results)
    if half := record.unfinished(results):
        say(f"passed over the last line of {results}, which is half written ({half} bytes)")
    if not runs:
        raise BadInput(f"there are no runs in {results}: make some with cpsat-tour compare run")
    if baseline is not None and baseline not in (known := list(dict.fromkeys(run.backend for run in runs))):
        raise BadInput(f"no run is by {baseline!r}: there are {', '.join(known)}")
    found = summaries(runs, measure, baseline)
    if output is None:
        print(in_words(found), end="")
    else:
        files = write_report(found, Path(output), scatter)
        say(f"wrote {len(files)} files into {output}")
    ctx.exit(DISAGREE if disagreements(judge(runs)) else 0)


def _keys(
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
    from cpsat_tour.compare.boards import expand, sides

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


def _workers(jobs: int, scheduler: str | None, cluster: str | None) -> AbstractContextManager[Workers]:
    """Where the runs are made."""
    if scheduler is not None and cluster is not None:
        raise BadInput(f"--scheduler {scheduler} can't go with --cluster {cluster}: give one or the other")
    if scheduler is None and cluster is None:
        from cpsat_tour.compare.schedule import local

        return local(jobs)
    if jobs != 1:
        raise BadInput(f"--jobs {jobs} can't go with a cluster: its workers make one run each at a time")
    from cpsat_tour.compare.cluster import cluster as on_cluster

    if cluster is None:
        return on_cluster(scheduler, None)
    match = _CLUSTER.fullmatch(cluster)
    if match is None:
        raise BadInput(f"--cluster can't be {cluster!r}: write local:N with a number of processes, such as local:2")
    return on_cluster(None, int(match[1]))


def _check_picture(path: Path) -> None:
    """`BadInput` before any run is made where the picture could not be written after."""
    from cpsat_tour.compare.figures import SUFFIXES

    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"can't tell what to draw to {path}: give it one of the suffixes {', '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise BadInput(f"can't write {path}: there is no folder {path.parent}")


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Progress:
    """A bar on stderr with the last run beside it; nothing where stderr is no terminal."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._bar: Any = None

    def __enter__(self) -> _Progress:
        if sys.stderr.isatty():
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
