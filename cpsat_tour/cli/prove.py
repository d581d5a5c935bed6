"""``cpsat-tour prove``: that there is no tour, with a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from cpsat_tour.cli.messages import Exit, json_line, say, stop_exit
from cpsat_tour.cli.options import Command, force_option, limit_options, problem_options, read_in_time, version_option
from cpsat_tour.cli.progress import ProgressLine
from cpsat_tour.cli.results import say_certificate
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Interrupted, interruptible
from cpsat_tour.formats.describe import a_tour_sought, answer_data, shown_tour, tour_sought, tours_sought, work_words
from cpsat_tour.proofs.write.certificate import Certificate, check_certificate_folder
from cpsat_tour.proofs.write.dialects import Version
from cpsat_tour.proofs.write.prove import Method
from cpsat_tour.proofs.write.prove import prove as seek_proof
from cpsat_tour.spaces.problem_data import problem_data


@click.command(cls=Command)
@problem_options
@click.option("--count", "counted", is_flag=True, help="Prove how many tours there are.")
@click.option(
    "--method", type=click.Choice(get_args(Method)), default="auto", show_default=True, help="Force one kind of proof."
)
@limit_options
@click.option("-o", "--output", "folder", metavar="DIR", help="Write the certificate into this folder.")
@version_option
@force_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def prove(
    ctx: click.Context,
    /,
    counted: bool,
    method: Method,
    folder: str | None,
    version: Version,
    force: bool,
    as_json: bool,
    **sought: Any,
) -> None:
    """Prove that BOARD has no tour, open unless --closed; or, with --count, how many it has.

    Exit status: 0 proved, 10 a tour exists (it is shown), 3 unknown (a limit was met).
    """
    problem, limits = read_in_time(**sought)
    if counted and method != "auto":
        raise BadInput(f"--count can't go with --method {method}: a count has one method")
    if folder is not None:
        check_certificate_folder(folder, force=force)
    clock = limits.clock()

    def proved(listen: OnEvent) -> Certificate | Answer:
        """A certificate that the checker has accepted, and that is in the folder if there is one; or an answer."""
        if counted:
            from cpsat_tour.proofs.write.shown import prove_count  # Numba and PySAT take a while to load

            outcome = prove_count(problem, limits, listen)
        else:
            outcome = seek_proof(problem, method, limits, listen)
        if isinstance(outcome, Certificate):
            if folder is None:
                outcome.check(clock, listen)
            else:
                outcome.write(Path(folder), clock, listen, version, force=True)  # the place was looked at before
        return outcome

    claim_words = f"{'the count of each' if counted else 'that there is no'} {tour_sought(problem)}"
    try:
        with ProgressLine(f"proving {claim_words}") as progress:
            outcome = interruptible(proved, progress, "prove")
    except StoppedEarly as stopped:
        outcome = Answer.stopped(str(stopped))
    except Interrupted as interrupted:
        outcome = interrupted.known
    if isinstance(outcome, Answer):
        ctx.exit(_show_answer(problem, outcome, counted=counted, as_json=as_json))
    _show_certificate(outcome, folder, as_json=as_json)


def certify(problem: Problem, answer: Answer, folder: Path, limits: Limits) -> None:
    """Prove what the backend said, and write the certificate; a tour found on the way convicts the backend."""
    clock = limits.clock()
    evidence = answer.refutation.certificate if answer.refutation else None
    outcome = evidence or seek_proof(problem, limits=limits)
    if isinstance(outcome, Answer):
        if outcome.tour is not None:
            raise BackendFault(f"backend {answer.backend} said that there is no tour, and there is one: {outcome.tour}")
        say(f"no certificate was found within the limit: {outcome.stopped_by}")
        return
    try:
        outcome.write(folder, clock, force=True)
    except StoppedEarly as stopped:
        say(f"no certificate was written within the limit: {stopped}")
    else:
        say_certificate(folder)


def _show_answer(problem: Problem, answer: Answer, *, counted: bool, as_json: bool) -> Exit:
    """Show the tour that there is, or say what is unknown; the exit status."""
    if as_json:
        json_line(answer_data(problem, answer))
    if answer.tour is not None:
        if not as_json:
            print(shown_tour(answer.tour))
        say(f"there is {a_tour_sought(problem)}, so there is nothing to prove")
        return Exit.A_TOUR
    known = work_words(answer) or "nothing is known yet"
    unknown = (
        f"how many {tours_sought(problem, 2)} there are" if counted else f"whether there is {a_tour_sought(problem)}"
    )
    say(f"unknown {unknown}; stopped by: {answer.stopped_by} ({known})")
    return stop_exit(answer.stopped_by)


def _show_certificate(certificate: Certificate, folder: str | None, *, as_json: bool) -> None:
    if as_json:
        tours, reason = certificate.tours, certificate.refutation.reason
        proved: dict[str, Any] = {"status": "none"} if tours is None else {"status": "count", "tours": tours}
        proved |= {"method": certificate.method, "reason": reason, "certificate": folder}
        json_line({"problem": problem_data(certificate.problem)} | proved)
    else:
        print(certificate.words().rstrip("\n"))
    if folder is not None:
        say_certificate(folder)
