"""``solve --certificate``: a proof of what a backend said, written into a folder."""

from __future__ import annotations

from pathlib import Path

from cpsat_tour.cli.messages import say
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.proofs.write.certificate import write_certificate
from cpsat_tour.proofs.write.prove import prove


def certify(problem: HamiltonProblem, answer: Answer, folder: Path, limits: Limits) -> None:
    """Prove what the backend said, and write the certificate; a tour found on the way convicts the backend."""
    certificate = answer.refutation.certificate if answer.refutation else None
    outcome = certificate or prove(problem, limits=limits)
    if not isinstance(outcome, Answer):
        write_certificate(outcome, folder)
        say(f"wrote a certificate to {folder}; check it with: cpsat-tour check {folder}")
    elif outcome.status == "tour":
        raise BackendFault(f"backend {answer.backend} said that there is no tour, and there is one: {outcome.tour}")
    elif outcome.status == "none":
        say("no certificate is written: this problem is too small for a formula")
    else:
        say(f"no certificate was found within the limit: {outcome.stopped_by}")
