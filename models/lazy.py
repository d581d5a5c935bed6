"""Lazy cut sets: solve the degree constraints, cut off the cycles that come out, solve again.

    exactly two of the edges at v     for each vertex v, by the clauses of degree
    e                                 for each required edge e
    e <=> f                           for edges e and f that a symmetry ties together
    the stops in their order          where there are waypoints, by the clauses of sections
    one of the edges that leave S     for the vertices S of one cycle or several, once a solution has them;
                                      on a bipartite graph one at a black vertex of S, and one at a white one

It is the cutting-plane loop (`subtours`) with clauses, on any incremental SAT solver. A loop that blocks the cycles of
each model is that of Soh, Le Berre, Roussel, Banbara & Tamura (2014); cut sets, the inequalities of Dantzig, Fulkerson
& Johnson (1954), are its clauses since Ohashi et al. (2025). With one clause for each colour (`cutsets`) closed 4x8 is
refuted with a tenth of the conflicts. The refutation of a small graph takes some dozen rounds.

Cost, for m edges: m variables and those of `degree` and `sections`; the clauses of these, one for each required edge,
two for each tied pair, and one or two for each cut set.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Run
from cpsat_tour.models.degree import TwoFactorFormula, two_factor_clauses
from cpsat_tour.models.drivers.sat import IN_ROUNDS, SatFormulation, SatRelaxation, SatSolver
from cpsat_tour.models.loop.cutsets import cut_by_colour, two_colours
from cpsat_tour.models.loop.numbering import Numbering
from cpsat_tour.models.loop.subtours import CutSet, hamiltonian_cycles


class ColouredCuts(SatRelaxation):
    """A relaxation that cuts off the cycles of its 2-factors by two clauses each where the graph is bipartite; see
    `cutsets`."""

    def __init__(self, solver: SatSolver, edges: Ints, cycle: CycleProblem) -> None:
        super().__init__(solver, edges)
        self._cycle, self._colours = cycle, two_colours(cycle)

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a clause for each colour of each cut set: one of its edges."""
        if self._colours is None:
            super().cut(cut_sets)
            return
        parts = (cut_by_colour(self._cycle, self._colours, cut_set.shore, cut_set.edges) for cut_set in cut_sets)
        self._solver.add_each(self._variables[half].tolist() for both in parts for half in both)


@dataclass(frozen=True)
class Lazy(TwoFactorFormula, SatFormulation):
    """Degree constraints, and cut sets added between the runs of a SAT solver."""

    name: ClassVar[str] = "sat:lazy"

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, found in rounds of solving and cutting off; return the `Refutation` when there
        are no more."""
        numbering = Numbering(run.cycle, run.limits.seed)
        with SatSolver(self.solver, run, IN_ROUNDS.get(self.solver)) as solver:
            solver.state(two_factor_clauses(numbering))
            yield from hamiltonian_cycles(ColouredCuts(solver, numbering.edges, run.cycle), run.cycle, run)
        return self.claim(run)
