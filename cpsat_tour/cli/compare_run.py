"""``cpsat-tour compare run``: the runs of a study, each in a process of its own and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click

from cpsat_tour.cli.compare_options import study_keys, study_options, told_of_runs
from cpsat_tour.cli.cube_options import cluster_options, read_cluster
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import say
from cpsat_tour.cli.options import Seconds
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.compare.agreement import disagreements, judge
from cpsat_tour.compare.matrix import told
from cpsat_tour.compare.record import Job, RecordedRun, Results
from cpsat_tour.compare.report import score_tables
from cpsat_tour.compare.schedule import Workers, local, schedule
from cpsat_tour.compare.study import Study, read_study, study_of
from cpsat_tour.compare.summary import summaries
from cpsat_tour.core.errors import BadInput


@click.command()
@click.argument("study", required=False)
@click.option(
    "--board",
    "boards",
    metavar="PATTERN",
    multiple=True,
    help="8x8, 6..20:2, 4x5..30, 'GP(5..20,2)', 'cubic(50,1..3)', or graph files; may be repeated.",
)
@study_options
@click.option(
    "--seeds", type=click.IntRange(1, 10**6), metavar="N", help="Runs of each question, with the seeds 0 to N - 1."
)
@click.option("--time-limit", type=Seconds(), metavar="SECONDS", help="Seconds a run.")
@click.option("--threads", type=click.IntRange(1, 1024), help="Threads a run, for backends that use several.")
@click.option(
    "--results", metavar="FILE", help="Where the runs are recorded, one JSON object a line.  [default: STUDY.jsonl]"
)
@click.option("--resume", is_flag=True, help="Go on with the runs that FILE does not have.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    help="Runs at once; 1 for timings to be published.",
)
@cluster_options
@click.option(
    "--stop-after",
    type=Seconds(),
    metavar="SECONDS",
    help="Begin no new run after this time; go on later with --resume.",
)
@click.pass_context
def run(
    ctx: click.Context,
    /,
    study: str | None,
    results: str | None,
    resume: bool,
    jobs: int,
    scheduler: str | None,
    cluster: str | None,
    stop_after: float | None,
    **asked: Any,
) -> None:
    """Time backends on boards, each run in a process of its own, and record every run.

    STUDY is a TOML file or one of ours: smoke, paper, sixty, scale, graphs, hcp, hidden. Without it, --board says what
    is asked; with it, the options overrule it. Exit status: 0 all runs are recorded, 1 backends disagree, 3 some runs
    are still to be made.
    """
    if study is None and not asked["boards"]:
        raise BadInput("nothing is asked: name a study, such as smoke, or boards with --board 6..20:2")
    overrides = study_keys(**asked)
    chosen = study_of("runs", overrides) if study is None else read_study(study, overrides)
    workers = _workers(jobs, scheduler, cluster)
    with Results(Path(results or f"{chosen.name}.jsonl"), resume=resume) as file:
        if file.cut_off:
            say(f"cut off the last line of {file.path}, which was half written ({file.cut_off} bytes)")
        lost, left = _make_runs(chosen, file, workers, stop_after)
        for job, why in lost:
            say(f"lost: {job.key}: {why}")
        _conclude(ctx, file, left)


def _make_runs(
    chosen: Study, file: Results, workers: AbstractContextManager[Workers], stop_after: float | None
) -> tuple[list[tuple[Job, str]], int]:
    """Make the runs that the file does not have; those that were lost, and the number still to be made."""

    def left_of(jobs: Sequence[Job]) -> list[Job]:
        return [job for job in jobs if job.key not in file.keys]

    todo = left_of(chosen.jobs(1, "local"))
    try:
        with workers as ready:
            todo = left_of(chosen.jobs(ready.number, ready.name))
            with ProgressLine(f"making the runs of {chosen.name}") as progress:
                tell = told_of_runs(progress, len(todo))

                def record(run: RecordedRun) -> None:
                    file.append(run)
                    tell(run)

                lost = schedule(todo, ready, record, stop_after)
    except KeyboardInterrupt:
        say(f"recorded in {file.path}: {len(file.runs):,}; left: {len(left_of(todo)):,}, go on with --resume")
        raise
    return lost, len(left_of(todo))


def _conclude(ctx: click.Context, file: Results, left: int) -> None:
    """Tell faults and disagreements, show the table, tell what is left, and leave with the exit status."""
    judged = judge(file.runs)
    for line in told(judged):
        say(line.plain)
    if file.runs:
        print(score_tables(summaries(file.runs)), end="")
    answered = sum(run.solved for run in file.runs)
    say(
        f"recorded in {file.path}: {len(file.runs):,}, answered: {answered:,}"
        + (f"; left: {left:,}, go on with --resume" if left else "")
    )
    ctx.exit(Exit.FAULT if disagreements(judged) else Exit.LIMIT if left else Exit.ANSWER)


def _workers(jobs: int, scheduler: str | None, cluster: str | None) -> AbstractContextManager[Workers]:
    """Where the runs are made."""
    on_cluster = read_cluster(scheduler, cluster)
    if on_cluster is None:
        return local(jobs)
    if jobs != 1:
        raise BadInput(f"--jobs {jobs} can't go with a cluster: its workers make one run each at a time")
    return on_cluster
