"""``cpsat-tour prove`` and ``cpsat-tour check``: that there is no tour, with a certificate, and whether a certificate holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cpsat_tour.cli.options import limit_options, problem_options, read_problem
from cpsat_tour.cli.progress import INTERRUPTED, say

if TYPE_CHECKING:
    from cpsat_tour.core.answer import Answer
    from cpsat_tour.core.problem import HamiltonProblem
    from cpsat_tour.proofs.write.certificate import Certificate
    from cpsat_tour.proofs.write.prove import Method

PROVED, A_TOUR, UNKNOWN = 0, 10, 3
VALID, NOT_VALID = 0, 1


@click.command()
@problem_options
@click.option("--method", type=click.Choice(["auto", "lp", "sat"]), default="auto", show_default=True, help="Force one kind of proof.")
@limit_options
@click.option("-o", "--output", "folder", metavar="DIR", help="Write the certificate into this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def prove(
    ctx: click.Context,
    /,
    method: Method,
    seed: int,
    threads: int | None,
    time_limit: float | None,
    folder: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Prove that BOARD has no tour, open unless --closed.

    Exit status: 0 proved, 10 a tour exists (it is shown), 3 unknown (a limit was met).
    """
    from cpsat_tour.cli.progress import ProgressLine
    from cpsat_tour.core.answer import Answer, Limits
    from cpsat_tour.core.interrupts import Interrupted, interruptible
    from cpsat_tour.formats.describe import asked as sought
    from cpsat_tour.proofs.write.prove import prove as seek_proof

    problem = read_problem(**asked)
    if folder is not None:
        check_folder(folder)
    limits = Limits(time_limit, None, threads, seed)
    try:
        with ProgressLine(f"proving that there is no {sought(problem)}") as progress:
            outcome = interruptible(lambda listen: seek_proof(problem, method, limits, listen), progress, "prove")
    except Interrupted as interrupted:
        _show_answer(problem, interrupted.answer, as_json=as_json)
        ctx.exit(INTERRUPTED)
    if isinstance(outcome, Answer):
        _show_answer(problem, outcome, as_json=as_json)
        ctx.exit({"tour": A_TOUR, "none": PROVED, "unknown": UNKNOWN}[outcome.status])
    _show_certificate(problem, outcome, folder, as_json=as_json)
    ctx.exit(PROVED)


def check_folder(folder: str) -> None:
    """Raise `BadInput` if no certificate can be written there, as far as can be told before there is one."""
    from cpsat_tour.core.errors import BadInput

    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise BadInput(f"can't write a certificate to {folder}: it is a file, so name a folder")
    if not path.exists() and not path.parent.is_dir():
        raise BadInput(f"can't write a certificate to {folder}: there is no folder {path.parent}")


def _show_answer(problem: HamiltonProblem, answer: Answer, *, as_json: bool) -> None:
    from cpsat_tour.formats.describe import answer_data, asked, one, shown_tour, work_words

    if as_json:
        print(json.dumps(answer_data(problem, answer)))
    if answer.tour is not None:
        if not as_json:
            print(shown_tour(answer.tour))
        say(f"there is {one(problem)}, so there is nothing to prove")
    elif answer.refutation is not None:
        if not as_json:
            print(f"There is no {asked(problem)}.\n{answer.refutation}.")
        say("this goes without a certificate")
    else:
        known = work_words(answer) or "nothing is known yet"
        say(f"unknown whether there is {one(problem)}; stopped by: {answer.stopped_by} ({known})")


def _show_certificate(problem: HamiltonProblem, certificate: Certificate, folder: str | None, *, as_json: bool) -> None:
    from cpsat_tour.formats.describe import problem_data
    from cpsat_tour.proofs.write.certificate import write_certificate
    from cpsat_tour.proofs.write.why import in_words

    if as_json:
        proved = {"problem": problem_data(problem), "status": "none", "method": certificate.method, "reason": certificate.refutation.reason}
        print(json.dumps(proved | {"certificate": folder}))
    else:
        print(in_words(certificate).rstrip("\n"))
    if folder is not None:
        files = write_certificate(certificate, Path(folder))
        say(f"wrote {len(files)} files to {folder}; check them with: cpsat-tour check {folder}")


@click.command()
@click.argument("folder")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def check(ctx: click.Context, folder: str, as_json: bool) -> None:
    """Check the certificate in FOLDER, from the board up.

    Exit status: 0 it is valid, 1 it is not (the first wrong line is named).
    """
    from cpsat_tour.cli.progress import ProgressLine
    from cpsat_tour.proofs.check.folder import check as check_certificate

    with ProgressLine(f"checking {folder}") as progress:
        verdict = check_certificate(Path(folder), progress)
    if as_json:
        data = {"valid": verdict.valid, "claim": verdict.claim, "method": verdict.method, "steps": verdict.steps}
        print(json.dumps(data | {"fault": None if verdict.fault is None else str(verdict.fault)}))
    elif verdict.valid:
        print(f"valid: {verdict.claim} ({verdict.method}, {verdict.steps} step{'s' * (verdict.steps != 1)})")
    else:
        print(f"not valid: {verdict.fault}")
    ctx.exit(VALID if verdict.valid else NOT_VALID)
