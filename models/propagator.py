"""Subtours cut off while solving: degree constraints as clauses, and an external propagator that keeps paths from closing.

Variables and clauses are those of `degree`; the rest is `paths`. CaDiCaL walks along the numbering of the edges, and since a path
that would close is steered away from at once, boards that have a tour need next to no conflicts in any sweep, up to the million
squares measured; a random numbering needs thousands. It runs on the solvers
that have the IPASIR-UP interface in PySAT.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.events import CutSetAdded, OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.models.drivers.edge_search import EdgeSearch
from cpsat_tour.models.drivers.paths import Paths
from cpsat_tour.models.drivers.sat import Oracle
from cpsat_tour.models.drivers.sat_backend import SatBackend
from cpsat_tour.models.two_factor import TwoFactorFormula

SOLVERS = ("cadical195", "cadical300")

OPTIONS = {"chrono": 0, "lucky": 0, "reverse": 1}
"""Without chronological backtracking the trail is a stack, a search for lucky phases costs more than the solution of a board, and in
reverse CaDiCaL decides the first variable first: the edges along the sweep, before the counts of `degree`."""


@dataclass(frozen=True)
class Propagator(TwoFactorFormula, SatBackend):
    """Degree constraints, and subtours cut off while the SAT solver runs."""

    solvers: ClassVar[tuple[str, ...]] = SOLVERS

    def search(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None) -> _PropagatorSearch:
        """The run with the propagator."""
        return _PropagatorSearch(problem, Oracle(self.solver, OPTIONS), limits, on_event)


class _PropagatorSearch(EdgeSearch):
    """One run of the solver for each tour; ``work`` also counts the closing edges kept out."""

    paths: Paths | None = None

    def next_cycle(self) -> Ints | None:
        if self.paths is None:
            self.paths = Paths(self.problem, self.numbering)
            self.oracle.solver.connect_propagator(self.paths)
            deque(map(self.oracle.solver.solver.observe, range(1, self.problem.size + 1)), maxlen=0)
        try:
            satisfiable = self.oracle.solve(self.clock, self.heartbeat, self.paths.stop)
        finally:
            self._count()
        return self.paths.cycle if satisfiable else None

    def heartbeat(self) -> None:
        self._count()
        super().heartbeat()

    def _count(self) -> None:
        """Bring the counters up to date, and tell of the cut sets since the last time."""
        if self.paths is None:
            return
        self.work["prevented"] = self.paths.prevented
        self.work["joined"] = len(self.paths.trail)
        new = self.paths.cut_sizes[self.work["cut_sets"] :]
        self.work["cut_sets"] += len(new)
        for size in new:
            self.tell(CutSetAdded(size))
