"""``cpsat-tour check``: whether a certificate holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cpsat_tour.cli.exits import Exit
from cpsat_tour.cli.messages import json_line, plural
from cpsat_tour.cli.options import problem_options, read_problem
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.proofs.check.folder import check as check_certificate


@click.command()
@click.argument("folder")
@problem_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def check(ctx: click.Context, /, folder: str, as_json: bool, **asked: Any) -> None:
    """Check the certificate in FOLDER, from the board up, and that it is about BOARD, if one is given.

    Exit status: 0 it is valid, 1 it is not (the first wrong line is named).
    """
    expected = read_problem(**asked) if any(asked.values()) else None
    with ProgressLine(f"checking {folder}") as progress:
        verdict = check_certificate(Path(folder), progress, expected)
    if as_json:
        data = {"valid": verdict.valid, "claim": verdict.claim, "method": verdict.method, "steps": verdict.steps}
        json_line(data | {"fault": None if verdict.fault is None else str(verdict.fault)})
    elif verdict.valid:
        print(f"valid: {verdict.claim} ({verdict.method}, {plural(verdict.steps, 'step')})")
    else:
        print(f"not valid: {verdict.fault}")
    ctx.exit(Exit.ANSWER if verdict.valid else Exit.FAULT)
