"""``cpsat-tour compare``: times backends, compares their answers, and reports on recorded runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from click import Argument, IntRange

from cpsat_tour.cli.messages import Exit, print_out, say
from cpsat_tour.cli.options import CLUSTER, FORCE, SECONDS, Namespace, ProgressLine, backend_option, command, option
from cpsat_tour.compare import agree as agreed, record, report as reports
from cpsat_tour.compare.agree import ANSWERED, fault_lines, judge, print_matrix, with_verdict
from cpsat_tour.compare.perform import processors, reporting, schedule
from cpsat_tour.compare.record import TOUR_KINDS, Job, label
from cpsat_tour.compare.study import Group, expand_patterns, read_study, study_of
from cpsat_tour.compare.summary import MEASURES, summaries
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.runs import MAX_THREADS, PartAtWork
from cpsat_tour.engines.pool import Pool, cluster, local
from cpsat_tour.formats.describe import plural, rough_time

BOARDS = "8x8, 6..20:2, 4x5..30, 'GP(5..20,2)', 'cubic(50,1..3)', graph files, or a folder of them"
QUESTIONS = [
    option(
        "--kind KIND",
        "Ask for open tours, closed tours, or a kind such as 'closed rot90'.  [default: both]",
        to="kinds",
        multiple=True,
    ),
    option("--closed", "Ask for closed tours, like --kind closed."),
    option("--symmetry NAME", "Ask for tours that this symmetry maps to themselves: rot180."),
]
BACKENDS = backend_option(
    "Ask this backend, with options if need be: 'cpsat linearization=0'.  [default: all]", to="backends", multiple=True
)
MEMORY_LIMIT = option("--memory-limit MB", "Kill a run whose memory grows beyond this.", type=IntRange(1, 10**7))


def study_keys(args: Namespace, boards: Sequence[str]) -> dict[str, object]:
    """Return the options that were given, as the keys of a study file; paths are relative to the current folder."""
    keys = ("backends", "kinds", "seeds", "time_limit", "memory_limit", "threads")
    args.kinds = (*args.kinds, *["closed"] * args.closed)
    given = {key: getattr(args, key, None) for key in keys} | {"boards": expand_patterns(boards)}
    if args.symmetry is not None:
        given["kinds"] = [f"{kind} {args.symmetry}" for kind in args.kinds or TOUR_KINDS]
    return {key: list(value) if isinstance(value, tuple) else value for key, value in given.items() if value}


@command(
    groups={
        "Questions": [Argument(["boards"], nargs=-1), *QUESTIONS],
        "Backends": [BACKENDS],
        "Limits": [
            option("--time-limit SECONDS", "Stop each run after this many seconds.", type=SECONDS, default=2.0),
            MEMORY_LIMIT,
            option(
                "--jobs N",
                "Make N runs at a time.  [default: the number of processors]",
                type=IntRange(1, MAX_THREADS),
            ),
        ],
    },
    exits={
        Exit.ANSWER: "No two answers contradict each other.",
        Exit.FAULT: "Answers contradict each other or a theorem, or a run crashed.",
        Exit.LIMIT: "No run reached an answer.",
    },
)
def agree(args: Namespace) -> Exit:
    """Ask every backend about every board and compare the answers with each other and with the theorems.

    BOARDS are those of run --board; by default all m x n up to 8x8.
    """
    (group,) = study_of("agree", study_keys(args, args.boards or ("1..8x1..8",))).groups
    with ProgressLine("comparing answers") as progress:
        tell = reporting(progress, len(group.questions()) * len(group.backends), lambda _: None)
        judged = agreed.agree(group, args.jobs or processors(), tell)
    if all(entry.verdict == "refused" for entry in judged):
        why = f"no backend takes these questions: {judged[0].why}" if judged else "there are no questions"
        raise BadInput(f"nothing was compared: {why}")
    print_matrix(judged)
    wrong, crashed, claimed = (
        with_verdict(judged, "DISAGREE"),
        with_verdict(judged, "crash", "garbage"),
        with_verdict(judged, "claimed"),
    )
    answered = with_verdict(judged, "DISAGREE", *ANSWERED)
    runs = plural(len(judged), "run")
    if answered:
        backends = plural(len({entry.run.backend for entry in judged}), "backend")
        questions = plural(len({entry.run.question for entry in judged}), "question")
        found = plural(len(wrong), "disagreement") if wrong else "no disagreement"
        bare = f", {plural(len(claimed), 'claim')} without evidence" if claimed else ""
        words = f"{runs} of {backends} on {questions}: {found}{bare}"
    else:
        words = f"nothing was compared: none of {runs} reached an answer"
    if crashed:
        count = f"{plural(len(crashed), 'run')} crashed or gave no answer" if len(crashed) > 1 else "one run crashed"
        words += f", but {count}: {label(crashed[0].run.backend)}, {crashed[0].run.question}: {crashed[0].why}"
    say(words)
    return Exit.FAULT if wrong or crashed else Exit.ANSWER if answered else Exit.LIMIT


@command(
    groups={
        "Study": [
            Argument(["study"], required=False),
            option("--board PATTERN", f"Ask about {BOARDS}; may be repeated.", to="boards", multiple=True),
            *QUESTIONS,
            option("--seeds N", "Ask each question N times, with the seeds 0 to N - 1.", type=IntRange(1, 10**6)),
        ],
        "Backends": [BACKENDS],
        "Limits": [
            option("--time-limit SECONDS", "Stop each run after this many seconds.", type=SECONDS),
            MEMORY_LIMIT,
            option("--threads N", "Use N threads per run, if the backend can.", type=IntRange(1, MAX_THREADS)),
            option(
                "--jobs N",
                "Make N runs at a time; 1 for timings to be published.",
                type=IntRange(1, MAX_THREADS),
                default=1,
            ),
            option(
                "--stop-after SECONDS",
                "Start no new run after this many seconds; continue later with --resume.",
                type=SECONDS,
            ),
        ],
        "Output": [
            option("--results FILE", "Record the runs in FILE, one JSON object per line.  [default: STUDY.jsonl]"),
            option("--resume", "Make only the runs that FILE does not have."),
        ],
        "Cluster": [CLUSTER],
    },
    exits={
        Exit.ANSWER: "All runs are recorded.",
        Exit.FAULT: "Backends disagree.",
        Exit.LIMIT: "Some runs are left.",
    },
)
def run(args: Namespace) -> Exit:
    """Time backends on boards, each run in a process of its own, and record every run.

    STUDY is a TOML file or one of ours: smoke, paper, sixty, scale, frames, graphs, hcp, hidden, published, tourless,
    twins. Without it, --board says what is asked; with it, the options overrule it.
    """
    if args.study is None and not args.boards:
        raise BadInput("there is nothing to run: name a study, such as smoke, or boards with --board 6..20:2")
    overrides = study_keys(args, args.boards)
    chosen = study_of("runs", overrides) if args.study is None else read_study(args.study, overrides)
    if args.cluster is not None and args.jobs != 1:
        raise BadInput(f"--jobs {args.jobs} can't go with a cluster: its workers make one run each at a time")
    opened = local(args.jobs) if args.cluster is None else cluster(args.cluster)
    path = Path(args.results or f"{chosen.name}.jsonl")
    with opened as pool:  # no file is made where there is no cluster, or a graph can't be read
        jobs = chosen.jobs(pool.number, pool.name)
        with record.Results(path, resume=args.resume) as file:
            if file.cut_off:
                say(f"The last line of {file.path} was half written ({file.cut_off} bytes) and is cut off.")
            try:
                left = _make_runs(jobs, file, pool, args.stop_after)
            finally:
                if file.runs:
                    print_out(reports.score_tables(summaries(file.runs)), end="")
            judged = judge(file.runs)
            for line in fault_lines(judged):
                say(line.plain)
            answered = sum(entry.run.solved and entry.verdict != "DISAGREE" for entry in judged)
            go_on = f"{left:,} left: go on with --resume" if left else f"more: cpsat-tour compare report {file.path}"
            say(f"{file.path} has {plural(len(file.runs), 'run')}, {answered:,} with an answer; {go_on}")
    return Exit.FAULT if with_verdict(judged, "DISAGREE") else Exit.LIMIT if left else Exit.ANSWER


def _make_runs(jobs: Sequence[Job], file: record.Results, pool: Pool, stop_after: float | None) -> int:
    """Make the runs of these jobs that are missing in the file, report lost ones, and return how many still are."""
    todo = [job for job in jobs if job.key not in file.keys]
    if todo:
        most = rough_time(sum(job.time_limit for job in todo) / pool.number)
        say(f"{plural(len(todo), 'run')} to make, {pool.number} at a time: at most {most}, and the start of each.")
    with ProgressLine("comparing") as progress:
        try:
            lost = schedule(todo, pool, reporting(progress, len(todo), file.append), stop_after)
        except KeyboardInterrupt:
            left = sum(job.key not in file.keys for job in todo)
            say(f"{file.path} has {plural(len(file.runs), 'run')}; {left:,} left: go on with --resume.")
            raise
    for job, why in lost:
        say(f"The run {job.key} is lost: {why}")
    return sum(job.key not in file.keys for job in todo)


@command(
    groups={
        "Runs": [
            Argument(["results"]),
            option("--measure", "Compare this time.", type=click.Choice([*MEASURES]), default="seconds"),
            option("--baseline SPEC", "Give ratios to this backend.  [default: the best of each group]"),
        ],
        "Output": [
            option(
                "-o --output PATH",
                "Write the times to a .csv or .json, or into a folder report.md, both, pictures (SVG, PNG, PDF), and "
                "for LaTeX the tables and a paragraph on methods.",
            ),
            FORCE,
        ],
    },
    exits={Exit.ANSWER: "The report is made.", Exit.FAULT: "Backends disagree."},
)
def report(args: Namespace) -> Exit:
    """Print tables of the runs in the file RESULTS, which may still be growing, or with -o write a report."""
    runs, _, half = record.read_runs(Path(args.results))
    if half:
        say(f"The last line of {args.results} is half written ({half} bytes) and is ignored.")
    if not runs:
        raise BadInput(f"there are no runs in {args.results}: make some with cpsat-tour compare run")
    known = list(dict.fromkeys(made.backend for made in runs))
    if args.baseline not in (None, *known):
        raise BadInput(f"no run is by {args.baseline!r}: there are {', '.join(known)}")
    found = summaries(runs, args.measure, args.baseline)
    if args.measure == "solver" and not (found and any(made.spent for made in runs)):
        raise BadInput(f"{args.results} has no times of solvers alone: give --measure seconds, or make the runs anew")
    if args.output is None:
        print_out(reports.report(found), end="")
    else:
        files = reports.write_report(found, Path(args.output), force=args.force)
        say(
            f"wrote {args.output}"
            if files == [Path(args.output)]
            else f"wrote {plural(len(files), 'file')} into {args.output}"
        )
    return Exit.FAULT if with_verdict(judge(runs), "DISAGREE") else Exit.ANSWER


def _group_of(study: str, args: Namespace) -> Group:
    """Return the only group of a built-in study, with the boards and backends that were given in place of its own."""
    given = {"boards": args.boards and expand_patterns(args.boards), "backends": list(args.backends)}
    (group,) = read_study(study, {key: value for key, value in given.items() if value}).groups
    return group


@command(
    groups={
        "Questions": [
            Argument(["boards"], nargs=-1),
            option("--seeds N", "Draw costs N times, with the seeds 0 to N - 1.", type=IntRange(1, 1000), default=5),
        ],
        "Backends": [
            backend_option(
                "Take this linear program, with options if need be: 'milp:mtz lifted=true'.  [default: all]",
                to="backends",
                multiple=True,
            )
        ],
    },
    exits={Exit.ANSWER: "The table is printed."},
)
def bounds(args: Namespace) -> None:
    """Compare the linear relaxations of mixed-integer programs: closed tours of BOARDS, such as 6x6 or 'GP(5,2)'.

    The table has the mean ratio of the bound to the cost of the best tour under random costs, with its standard
    deviation; of a board without a tour, whether the relaxation is feasible.
    """
    from cpsat_tour.compare.strength import BASELINES, bounds_table  # loads PySAT

    group = _group_of("bounds", args)
    backends = group.backends if args.backends else (*BASELINES, *group.backends)
    with ProgressLine("comparing bounds") as progress:
        found = bounds_table(group.boards, backends, range(args.seeds), lambda words: progress(PartAtWork(words)))
    print_out(found, end="")


@command(
    groups={
        "Questions": [
            Argument(["boards"], nargs=-1),
            option(
                "--draws N",
                "Draw N partial assignments of a graph that has more than 20 N.",
                type=IntRange(1, 100_000),
                default=1000,
            ),
        ],
        "Backends": [
            backend_option(
                "Take these clauses, with options if need be: 'sat:adder colours=false'.  [default: all]",
                to="backends",
                multiple=True,
            )
        ],
    },
    exits={Exit.ANSWER: "The tables are printed."},
)
def strength(args: Namespace) -> None:
    """Compare what unit propagation derives from SAT formulations: closed tours of BOARDS, such as 6x6 or 'GP(5,2)'.

    The tables, of edges and of edges with directions, have the share of implied literals that are derived and, after a
    slash, of assignments without a tour that are refuted, in per cent; then the same after each literal was probed.
    """
    from cpsat_tour.compare.strength import CUT_SETS, shares, strength_table  # loads PySAT

    group = _group_of("strength", args)
    backends = group.backends if args.backends else (*group.backends, CUT_SETS)
    for directed in (False, True):
        found = []
        with ProgressLine("comparing strength") as progress:
            for share in shares(group.boards, backends, args.draws, directed=directed):
                found.append(share)
                progress(PartAtWork(f"{share.backend} {share.board}: {share.words}"))
        print_out("\n" * directed + strength_table(found), end="")
