"""``solve --certificate``: a proof of what a backend said, written into a folder."""

from __future__ import annotations

from pathlib import Path

from cpsat_tour.cli.messages import say
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.proofs.write.prove import prove


def certify(problem: HamiltonProblem, answer: Answer, folder: Path, limits: Limits, on_event: OnEvent | None = None) -> None:
    """Prove what the backend said, and write the certificate; a tour found on the way convicts the backend."""
    clock = limits.clock()
    evidence = answer.refutation.certificate if answer.refutation else None
    outcome = evidence or prove(problem, limits=limits, on_event=on_event)
    if isinstance(outcome, Answer):
        if outcome.tour is not None:
            raise BackendFault(f"backend {answer.backend} said that there is no tour, and there is one: {outcome.tour}")
        say(f"no certificate was found within the limit: {outcome.stopped_by}")
        return
    try:
        outcome.write(folder, clock, on_event)
    except StoppedEarly as stopped:
        say(f"no certificate was written within the limit: {stopped}")
    else:
        say(f"wrote a certificate to {folder}, and checked it; check it again with: cpsat-tour check {folder}")
