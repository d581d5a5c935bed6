"""The backend that is asked when none is named: it answers with a reason that can be checked, never with a bare claim.

First the cheap necessary conditions, then a short run of ``sat``, which finds a tour wherever tours are plenty; then ``proof``, which asks the
linear program and the clausal search in turn.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import ask
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.conditions import violated_condition
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import HamiltonProblem

FIRST_CONFLICTS = 2000
"""The conflicts of the short run: every board with a tour up to 200x200 takes fewer."""


@dataclass(frozen=True)
class Auto:
    """Necessary conditions, ``sat``, then a proof; directed graphs, which neither takes, go to ``dfs``, which exhausts them."""

    takes: ClassVar[frozenset[str]] = frozenset({"directed"})

    def solve(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour, or why there is none, or unknown."""
        if refutation := violated_condition(problem):
            return Answer("none", refutation=refutation)
        if problem.graph.directed:
            return ask(problem, load("dfs"), limits, on_event)
        clock = limits.clock()
        work = FIRST_CONFLICTS if limits.work is None else min(limits.work, FIRST_CONFLICTS)
        quick = ask(problem, load("sat"), dataclasses.replace(limits, work=work), on_event)
        if quick.status == "tour" or (quick.status == "unknown" and (clock.expired or work == limits.work)):
            return quick
        return ask(problem, load("proof"), dataclasses.replace(limits, seconds=clock.left), on_event)
