"""Lazy cut sets: solve the degree constraints, cut off the cycles that come out, solve again.

The formulation of Soh, Le Berre, Roussel, Banbara & Tamura (2014), which is the cutting-plane loop of Dantzig, Fulkerson & Johnson
(1954) with clauses. Variables: m edges and those of `degree`; clauses: those of `degree`, and one for each cut set as it is met. Where
there is a tour the number of rounds is small but has a heavy tail on boards from about 100x100 on: each round is solved without
regard to the cycles that it closes. The refutation of a small graph takes some dozen rounds. It runs on any incremental SAT solver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.events import CutSetAdded, OnEvent, Progress, TwoFactorFound
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.models.cutsets import cut_sets
from cpsat_tour.models.drivers.edge_search import EdgeSearch
from cpsat_tour.models.drivers.sat import Oracle
from cpsat_tour.models.drivers.sat_backend import SatBackend
from cpsat_tour.models.two_factor import TwoFactorFormula

SOLVERS = (
    *("cadical195", "cadical103", "cadical153", "cadical300", "ergo", "gluecard3", "gluecard4", "glucose3", "glucose4", "glucose42"),
    *("maplechrono", "maplecm", "maplesat", "mergesat3", "minicard", "minisat22"),
)
"""The solvers of PySAT that are incremental and keep a conflict budget; Lingeling and Kissat, which can't be stopped, are not among them."""

OPTIONS = {"cadical153": {"reverse": 1}, "cadical195": {"reverse": 1, "ilb": 0}, "cadical300": {"reverse": 1, "ilb": 0}}
"""CaDiCaL decides from the last variable down, the other solvers from the first up; and where it keeps the trail from one round to the
next (``ilb``), it clings to the cycles that a cut set is to break up: closed 100x100 by diagonals then took minutes, not seconds."""


@dataclass(frozen=True)
class Lazy(TwoFactorFormula, SatBackend):
    """Degree constraints, and cut sets added between the runs of a SAT solver."""

    solvers: ClassVar[tuple[str, ...]] = SOLVERS

    def search(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None) -> LazySearch:
        """The rounds of solving and cutting off."""
        return LazySearch(problem, Oracle(self.solver, OPTIONS.get(self.solver)), limits, on_event)


class LazySearch(EdgeSearch):
    """The loop of rounds; ``work`` also counts the rounds and the cycles of the last 2-factor."""

    def next_cycle(self) -> Ints | None:
        while self.oracle.solve(self.clock, self.heartbeat):
            chosen = self.numbering.edges[self.oracle.true_among(self.problem.size)]
            cycles = self.problem.cycles(chosen)
            self.work["rounds"] = self.work.get("rounds", 0) + 1
            self.work["cycles"] = len(cycles)
            self.tell(TwoFactorFound(len(cycles), tuple(map(self._told, cycles))))
            self.tell(Progress(dict(self.work)))
            if len(cycles) == 1:
                return cycles[0]
            self._cut_off(cycles)
        return None

    def _cut_off(self, cycles: list[Ints]) -> None:
        cuts = cut_sets(self.problem, cycles)
        self.oracle.add_each(self.numbering.variables[cut].tolist() for cut in cuts)
        self.work["cut_sets"] += len(cuts)
        for cycle, _ in zip(cycles, cuts, strict=False):
            self.tell(CutSetAdded(len(cycle), self._told(cycle)))

    def _told(self, cycle: Ints) -> tuple[int, ...]:
        """The vertices of a cycle as events have them."""
        return tuple(-1 if vertex == self.problem.apex else vertex for vertex in cycle.tolist())
