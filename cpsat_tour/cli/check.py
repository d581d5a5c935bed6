"""``cpsat-tour check``: whether a certificate holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cpsat_tour.cli.messages import Exit, json_line, plural, say
from cpsat_tour.cli.options import Command, problem_options, read_problem, time_option
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.proofs.check.claim import Kind
from cpsat_tour.proofs.check.folder import KINDS
from cpsat_tour.proofs.check.folder import check as check_certificate


@click.command(cls=Command)
@click.argument("folder")
@problem_options
@click.option(
    "--claim",
    "kind",
    type=click.Choice(list(KINDS)),
    help="Accept only a proof of this: that there is no tour, how many there are, or which is best.",
)
@time_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def check(
    ctx: click.Context,
    /,
    folder: str,
    kind: Kind | None,
    time_limit: float | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Check the certificate in FOLDER, from the board up, and that it is about BOARD, if one is given.

    What is proved is printed: that there is no tour, how many there are, or which is best. Exit status: 0 it is valid,
    1 it is not (the first wrong line is named), 3 the time limit was met.
    """
    expected = read_problem(**asked) if any(asked.values()) else None
    try:
        with ProgressLine(f"checking {folder}") as progress:
            verdict = check_certificate(Path(folder), progress, expected, kind=kind, clock=Clock(time_limit))
    except StoppedEarly:
        say(f"Stopped at the time limit: whether {folder} is valid is still unknown.")
        ctx.exit(Exit.LIMIT)
    if as_json:
        data = {"valid": verdict.valid, "kind": verdict.kind, "claim": verdict.claim, "method": verdict.method}
        fault = None if verdict.fault is None else str(verdict.fault)
        json_line(data | {"steps": verdict.steps, "fault": fault})
    elif verdict.valid:
        print(f"valid: {verdict.claim} ({verdict.method}, {plural(verdict.steps, 'step')})")
    else:
        print(f"not valid: {verdict.fault}")
    ctx.exit(Exit.ANSWER if verdict.valid else Exit.FAULT)
