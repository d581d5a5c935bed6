"""The backend that `agree` asks to back a claim: it proves that there is no tour, and answers only once the checker has
accepted the proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.write.prove import prove


@dataclass(frozen=True)
class Certified:
    """``prove``, then ``check`` on the files that it wrote."""

    takes: ClassVar[frozenset[str]] = frozenset({"symmetry"})

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour; or ``none``, with a certificate that was checked; or unknown."""
        found = prove(problem, "auto", limits, on_event)
        if isinstance(found, Answer):
            return found
        found.check(limits.clock(), on_event)
        return Answer.without_tour(
            found.method, f"a certificate of {found.steps} steps, checked", {"steps": found.steps}
        )
