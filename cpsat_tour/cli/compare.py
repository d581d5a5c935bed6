"""``cpsat-tour compare``: do the backends agree, how long do they take, and what do the records say."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click

from cpsat_tour.cli.in_cubes import cluster_option, read_cluster
from cpsat_tour.cli.lazy import LazyGroup, Row
from cpsat_tour.cli.messages import Exit, plural, say
from cpsat_tour.cli.options import SECONDS, Command, backend_option, force_option, stacked
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.compare import agree as agreed
from cpsat_tour.compare import record
from cpsat_tour.compare import report as reports
from cpsat_tour.compare.agree import ANSWERED, Judged, broken, disagreements, judge
from cpsat_tour.compare.boards import TOUR_KINDS, expand
from cpsat_tour.compare.matrix import fault_lines, print_matrix
from cpsat_tour.compare.perform import processors
from cpsat_tour.compare.record import label
from cpsat_tour.compare.schedule import Workers, local, schedule
from cpsat_tour.compare.study import Study, read_study, study_of
from cpsat_tour.compare.summary import summaries
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import PartAtWork, Progress
from cpsat_tour.spaces.kinds import read
from cpsat_tour.spaces.lattice import Lattice

COMMANDS = {
    "agree": Row("cpsat_tour.cli.compare:agree", "Ask every backend about every board and compare the answers."),
    "run": Row("cpsat_tour.cli.compare:run", "Time backends on boards, and record every run."),
    "report": Row("cpsat_tour.cli.compare:report", "Tables and pictures of the runs that were recorded."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def compare() -> None:
    """Compare backends: agree, run, report."""


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
            "--symmetry", metavar="NAME", help="A symmetry that maps the tours of each kind to themselves: rot180."
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
"""What ``agree`` and ``run`` share: the options that say who is asked what."""


def study_keys(
    boards: Sequence[str], starts: str | None, kinds: Sequence[str] = (), symmetry: str | None = None, **others: object
) -> dict[str, object]:
    """The options that are given, as the keys of a study; paths are from where we are."""
    expanded = expand(boards)
    given: dict[str, object] = {"boards": expanded, "starts": starts, "kinds": kinds, **others}
    if starts is not None and starts != "all":
        # A square may be written row,col; a vertex of a graph file is split off at every comma.
        on_boards = not expanded or any(isinstance(read(board), Lattice) for board in expanded)
        given["starts"] = re.split(r",(?=[a-zA-Z])" if on_boards else ",", starts)
    if symmetry is not None:
        given["kinds"] = [f"{kind} {symmetry}" for kind in kinds or TOUR_KINDS]
    given = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}
    return {key: value for key, value in given.items() if value not in (None, [])}


def _telling(progress: ProgressLine, number: int) -> Callable[[record.RecordedRun], None]:
    """What tells the line of each run that is made, of so many: whose it is, the median of its backend's answers, and
    how many there are."""
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    made = 0

    def tell(run: record.RecordedRun) -> None:
        nonlocal made
        made += 1
        if run.solved and run.seconds is not None:
            seconds[run.backend].append(run.seconds)
        middle = f", median {median(seconds[run.backend]):.3g} s" if seconds[run.backend] else ""
        progress(PartAtWork(f"{run.backend} {run.question}: {run.status}{middle};"))
        progress(Progress({"runs": made, "answered": sum(map(len, seconds.values()))}, made / number))

    return tell


@click.command(cls=Command)
@click.argument("boards", nargs=-1)
@study_options
@click.option("--time-limit", type=SECONDS, metavar="SECONDS", default=2.0, show_default=True, help="Seconds a run.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Runs at once.  [default: as many as there are processors]")
@click.pass_context
def agree(ctx: click.Context, /, jobs: int | None, **asked: Any) -> None:
    """Ask every backend about every board and compare the answers with each other and with the theorems.

    BOARDS are patterns such as 8x8, 6..20:2, 4x5..30, graphs such as 'GP(5..20,2)' or 'cubic(50,1..3)', or graph files;
    by default all m x n up to 8x8. Exit status: 0, 1 on any disagreement or crash, or 3 where no run came to an answer.
    """
    keys = study_keys(**asked | {"boards": asked["boards"] or ("1..8x1..8",)})
    (group,) = study_of("agree", keys).groups
    with ProgressLine("comparing answers") as progress:
        tell = _telling(progress, len(group.questions) * len(group.backends))
        limits = (group.time_limit, group.memory_limit)
        judged = agreed.agree(group.questions, group.backends, *limits, jobs or processors(), tell)
    if all(entry.verdict == "refused" for entry in judged):
        why = f"no backend takes these questions: {judged[0].why}" if judged else "there are no questions"
        raise BadInput(f"nothing was compared: {why}")
    print_matrix(judged)
    wrong, crashed = len(disagreements(judged)), broken(judged)
    say(_outcome(judged, wrong) + _crashes(crashed))
    answered = any(entry.verdict in ("DISAGREE", *ANSWERED) for entry in judged)
    ctx.exit(Exit.FAULT if wrong or crashed else Exit.ANSWER if answered else Exit.LIMIT)


def _outcome(judged: Sequence[Judged], wrong: int) -> str:
    """The outcome in one sentence."""
    if not any(entry.verdict in ("DISAGREE", *ANSWERED) for entry in judged):
        return f"nothing was compared: none of {plural(len(judged), 'run')} came to an answer"
    claimed = sum(entry.verdict == "claimed" for entry in judged)
    backends = plural(len({entry.run.backend for entry in judged}), "backend")
    questions = plural(len({entry.run.question for entry in judged}), "question")
    found = plural(wrong, "disagreement") if wrong else "no disagreement"
    sentence = f"{plural(len(judged), 'run')} of {backends} on {questions}: {found}"
    return f"{sentence}, {plural(claimed, 'claim')} that nothing backs" if claimed else sentence


def _crashes(runs: Sequence[Judged]) -> str:
    """How many runs crashed, and the first of them; the matrix tells each."""
    if not runs:
        return ""
    count = f"{plural(len(runs), 'run')} crashed or gave no answer" if len(runs) > 1 else "one run crashed"
    return f", but {count}: {label(runs[0].run.backend)}, {runs[0].run.question}: {runs[0].why}"


@click.command(cls=Command)
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
@click.option("--time-limit", type=SECONDS, metavar="SECONDS", help="Seconds a run.")
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
@cluster_option
@click.option(
    "--stop-after",
    type=SECONDS,
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
    if cluster is not None and jobs != 1:
        raise BadInput(f"--jobs {jobs} can't go with a cluster: its workers make one run each at a time")
    workers = local(jobs) if cluster is None else read_cluster(cluster)
    with record.Results(Path(results or f"{chosen.name}.jsonl"), resume=resume) as file:
        if file.cut_off:
            say(f"cut off the last line of {file.path}, which was half written ({file.cut_off} bytes)")
        with workers as ready:
            left = _make_runs(chosen, file, ready, stop_after)
        judged = judge(file.runs)
        for line in fault_lines(judged):
            say(line.plain)
        if file.runs:
            print(reports.score_tables(summaries(file.runs)), end="")
        answered = sum(made.solved for made in file.runs)
        go_on = f"; left: {left:,}, go on with --resume" if left else ""
        say(f"recorded in {file.path}: {len(file.runs):,}, answered: {answered:,}{go_on}")
    ctx.exit(Exit.FAULT if disagreements(judged) else Exit.LIMIT if left else Exit.ANSWER)


def _make_runs(chosen: Study, file: record.Results, workers: Workers, stop_after: float | None) -> int:
    """Make the runs that the file does not have, and say which were lost; the number still to be made."""
    todo = [job for job in chosen.jobs(workers.number, workers.name) if job.key not in file.keys]
    with ProgressLine(f"making the runs of {chosen.name}") as progress:
        tell = _telling(progress, len(todo))

        def keep(made: record.RecordedRun) -> None:
            file.append(made)
            tell(made)

        try:
            lost = schedule(todo, workers, keep, stop_after)
        except KeyboardInterrupt:
            left = sum(job.key not in file.keys for job in todo)
            say(f"recorded in {file.path}: {len(file.runs):,}; left: {left:,}, go on with --resume")
            raise
    for job, why in lost:
        say(f"lost: {job.key}: {why}")
    return sum(job.key not in file.keys for job in todo)


@click.command(cls=Command)
@click.argument("results")
@click.option(
    "-o", "--output", metavar="DIR", help="Write report.md, medians.csv and pictures (SVG, PNG, PDF) into DIR."
)
@force_option
@click.option("--baseline", metavar="SPEC", help="The backend that ratios are to.  [default: the first of each group]")
@click.option(
    "--measure",
    type=click.Choice(["seconds", "wall", "cpu"]),
    default="seconds",
    show_default=True,
    help="Which time is compared.",
)
@click.option(
    "--scatter",
    nargs=2,
    metavar="SPEC SPEC",
    help="The two backends of the scatter.  [default: the baseline and the best other]",
)
@click.pass_context
def report(
    ctx: click.Context,
    results: str,
    output: str | None,
    force: bool,
    baseline: str | None,
    measure: Any,
    scatter: tuple[str, str] | None,
) -> None:
    """Tables and pictures of the runs in the file RESULTS, which may still be growing.

    Without -o the tables are printed. Exit status: 0, or 1 if backends disagree.
    """
    runs, _, half = record.read_runs(Path(results))
    if half:
        say(f"passed over the last line of {results}, which is half written ({half} bytes)")
    if not runs:
        raise BadInput(f"there are no runs in {results}: make some with cpsat-tour compare run")
    if baseline is not None and baseline not in (known := list(dict.fromkeys(made.backend for made in runs))):
        raise BadInput(f"no run is by {baseline!r}: there are {', '.join(known)}")
    found = summaries(runs, measure, baseline)
    if output is None:
        print(reports.report(found), end="")
    else:
        files = reports.write_report(found, Path(output), scatter, force=force)
        say(f"wrote {plural(len(files), 'file')} into {output}")
    ctx.exit(Exit.FAULT if disagreements(judge(runs)) else Exit.ANSWER)
