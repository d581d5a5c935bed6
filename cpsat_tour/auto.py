"""The backend that is asked when none is named: the cheap necessary conditions first, then ``sat``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.answer import Answer, Limits
from cpsat_tour.conditions import violated_condition
from cpsat_tour.events import OnEvent
from cpsat_tour.problem import HamiltonProblem
from cpsat_tour.registry import load


@dataclass(frozen=True)
class Auto:
    """Necessary conditions, then ``sat``; directed graphs, which ``sat`` does not take, go to ``cpsat``."""

    takes_directed: ClassVar[bool] = True

    def solve(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour, or why there is none, or unknown."""
        if refutation := violated_condition(problem):
            return Answer("none", refutation=refutation)
        return load("cpsat" if problem.graph.directed else "sat").solve(problem, limits, on_event)
