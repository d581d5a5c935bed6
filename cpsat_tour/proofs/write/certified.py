"""The backend that `agree` asks to back a claim: it proves that there is no tour, writes the certificate and has the checker replay it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.certificate import write_certificate
from cpsat_tour.proofs.write.prove import prove


@dataclass(frozen=True)
class Certified:
    """``prove``, then ``check`` on the files that it wrote; a certificate that is refused is no answer."""

    takes: ClassVar[frozenset[str]] = frozenset()

    def solve(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour; or ``none``, with a certificate that was checked; or unknown."""
        found = prove(problem, "auto", limits, on_event)
        if isinstance(found, Answer):
            return found
        with tempfile.TemporaryDirectory() as folder:
            write_certificate(found, Path(folder))
            verdict = check(Path(folder))
        if not verdict.valid:
            return Answer.unknown(f"the certificate was refused: {verdict.fault}")
        return replace(Answer.none(found.method, f"a certificate of {verdict.steps} steps, checked"), work={"steps": verdict.steps})
