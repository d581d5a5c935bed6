"""``cpsat-tour compare agree``: every backend about every board, the answers compared with each other and with the
theorems."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from cpsat_tour.cli.compare_options import study_keys, study_options, told_of_runs
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import plural, say
from cpsat_tour.cli.options import Seconds
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.compare.agree import agree as ask_all
from cpsat_tour.compare.agreement import ANSWERED, Judged, broken, disagreements
from cpsat_tour.compare.matrix import print_matrix
from cpsat_tour.compare.study import study_of
from cpsat_tour.compare.style import label
from cpsat_tour.core.errors import BadInput


@click.command()
@click.argument("boards", nargs=-1)
@study_options
@click.option("--time-limit", type=Seconds(), metavar="SECONDS", default=2.0, show_default=True, help="Seconds a run.")
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
        on_run = told_of_runs(progress, len(group.questions) * len(group.backends))
        judged = ask_all(
            group.questions, group.backends, group.time_limit, group.memory_limit, jobs or _processors(), on_run
        )
    if all(entry.verdict == "refused" for entry in judged):
        raise BadInput(
            "nothing was compared: "
            + (f"no backend takes these questions: {judged[0].why}" if judged else "there are no questions")
        )
    print_matrix(judged)
    if not any(entry.verdict in ("DISAGREE", *ANSWERED) for entry in judged):
        say(f"nothing was compared: none of {plural(len(judged), 'run')} came to an answer{_crashes(judged)}")
        ctx.exit(Exit.FAULT if broken(judged) else Exit.LIMIT)
    say(_outcome(judged))
    ctx.exit(Exit.FAULT if disagreements(judged) or broken(judged) else Exit.ANSWER)


def _outcome(judged: Sequence[Judged]) -> str:
    """The outcome in one sentence."""
    wrong, claimed = len(disagreements(judged)), sum(entry.verdict == "claimed" for entry in judged)
    backends = plural(len({entry.run.backend for entry in judged}), "backend")
    questions = plural(len({entry.run.question for entry in judged}), "question")
    sentence = (
        f"{plural(len(judged), 'run')} of {backends} on {questions}: "
        f"{plural(wrong, 'disagreement') if wrong else 'no disagreement'}"
    )
    return sentence + (f", {plural(claimed, 'claim')} that nothing backs" if claimed else "") + _crashes(judged)


def _crashes(judged: Sequence[Judged]) -> str:
    """How many runs crashed, and the first of them; the matrix tells each."""
    if not (runs := broken(judged)):
        return ""
    first = runs[0]
    count = f"{plural(len(runs), 'run')} crashed or gave no answer" if len(runs) > 1 else "one run crashed"
    return f", but {count}: {label(first.run.backend)}, {first.run.question}: {first.why}"


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
