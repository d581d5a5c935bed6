"""``cpsat-tour compare agree``: every backend about every board, the answers compared with each other and with the theorems."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from cpsat_tour.cli.compare_options import study_keys, study_options, told_of_runs
from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import say
from cpsat_tour.cli.options import Seconds, force_option
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.compare.agree import agree as ask_all
from cpsat_tour.compare.agreement import ANSWERED, disagreements
from cpsat_tour.compare.matrix import print_matrix, verdict_sentence
from cpsat_tour.compare.study import study_of
from cpsat_tour.core.errors import BadInput
from cpsat_tour.formats.files import check_place


@click.command()
@click.argument("boards", nargs=-1)
@study_options
@click.option("--time-limit", type=Seconds(), metavar="SECONDS", default=2.0, show_default=True, help="Seconds a run.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Runs at once.  [default: as many as there are processors]")
@click.option("-o", "--output", metavar="FILE", help="Draw the matrix to FILE: .svg, .png or .pdf.")
@force_option
@click.pass_context
def agree(ctx: click.Context, /, jobs: int | None, output: str | None, force: bool, **asked: Any) -> None:
    """Ask every backend about every board and compare the answers with each other and with the theorems.

    BOARDS are patterns such as 8x8, 6..20:2, 4x5..30, graphs such as 'GP(5..20,2)' or 'cubic(50,1..3)', or graph files; by default all
    m x n up to 8x8. Exit status: 0, 1 on any disagreement, or 3 where no run came to an answer.
    """
    if output is not None:
        _check_picture(Path(output), force=force)
    keys = study_keys(**asked | {"boards": asked["boards"] or ("1..8x1..8",)})
    (group,) = study_of("agree", keys).groups
    with ProgressLine("comparing answers") as progress:
        on_run = told_of_runs(progress, len(group.questions) * len(group.backends))
        judged = ask_all(group.questions, group.backends, group.time_limit, group.memory_limit, jobs or _processors(), on_run)
    if all(entry.verdict == "refused" for entry in judged):
        raise BadInput(
            "nothing was compared: " + (f"no backend takes these questions: {judged[0].why}" if judged else "there are no questions")
        )
    print_matrix(judged)
    if output is not None:
        from cpsat_tour.compare.matrix_plot import draw  # Matplotlib is an extra

        draw(judged, Path(output))
        say(f"wrote {output}")
    if not any(entry.verdict in ("DISAGREE", *ANSWERED) for entry in judged):
        say(f"nothing was compared: none of {len(judged):,} runs came to an answer")
        ctx.exit(Exit.LIMIT)
    say(verdict_sentence(judged))
    ctx.exit(Exit.FAULT if disagreements(judged) else Exit.ANSWER)


def _check_picture(path: Path, *, force: bool) -> None:
    """`BadInput` before any run is made where the picture could not be written after."""
    from cpsat_tour.compare.figures import check_suffix  # Matplotlib is an extra

    check_suffix(path)
    check_place(path, force=force)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
