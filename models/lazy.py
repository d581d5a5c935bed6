"""Lazy cut sets: solve the degree constraints, cut off the cycles that come out, solve again.

    exactly two of the edges at v     for each vertex v, by the clauses of degree
    e                                 for each required edge e
    e <=> f                           for tied edges e and f
    the stops in their order          where there are waypoints
    one of the edges that leave S     for the vertices S of one cycle or several of a solution;
                                      on a bipartite graph one at a black vertex of S, and one at a white one

It is the cutting-plane loop (`subtours`) with clauses, on any incremental SAT solver. Soh, Le Berre, Roussel, Banbara &
Tamura (2014) block the cycles of each model, over arcs (`lazy_arcs`); Zhou (2020) and Ohashi et al. (2025) cut them off
by cut sets, the inequalities of Dantzig, Fulkerson & Johnson (1954). Over edges it is our variant.

On a bipartite graph a cut set is two clauses, each half as long. Where a shore has as many black vertices as white
ones, and a cycle does, the degrees at either colour add up to the same number, and each edge within the shore counts at
both: so as many edges leave it from black vertices as from white ones. With a clause for each colour closed 4x8 is
refuted with a tenth of the conflicts. Over arcs (`lazy_arcs`) these are the arcs that leave a shore and those that
enter it.

Cost, for m edges: m variables and those of `degree` and `arcs`; the clauses of these, one for each required edge,
two for each tied pair, and one or two for each cut set.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Ints
from cpsat_tour.models.arcs import cycle_colours
from cpsat_tour.models.degree import TwoFactorFormula, two_factor_clauses
from cpsat_tour.models.drivers.sat import IN_ROUNDS, SatFormulation, SatRelaxation, SatSolver
from cpsat_tour.models.loop.numbering import Numbering
from cpsat_tour.models.loop.subtours import CutSet, hamiltonian_cycles


class ColouredCuts(SatRelaxation):
    """A relaxation that cuts off each cycle of its 2-factors by two clauses, one for each colour, if the graph with its
    apex is bipartite; else by one."""

    def __init__(self, solver: SatSolver, numbering: Numbering) -> None:
        super().__init__(solver, numbering.edges)
        self._cycle = cycle = numbering.cycle
        colours = cycle_colours(cycle)
        joins_two = colours is not None and bool((colours[cycle.tails] != colours[cycle.heads]).all())
        self._colours = colours if joins_two else None

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a clause for each cut set and colour: one of its edges whose end in the shore has that colour is used."""
        if self._colours is None:
            super().cut(cut_sets)
            return
        for cut_set in cut_sets:
            tails, heads = self._cycle.tails[cut_set.edges], self._cycle.heads[cut_set.edges]
            black = self._colours[np.where(np.isin(tails, cut_set.shore), tails, heads)] == 1
            for half in (cut_set.edges[black], cut_set.edges[~black]):
                self._solver.add_each([self._variables[half].tolist()])


@dataclass(frozen=True)
class Lazy(TwoFactorFormula, SatFormulation):
    """The degree constraints in a SAT solver, with cut sets added between its runs."""

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, found in rounds of solving and cutting off; return the `Refutation` when there
        are no more."""
        numbering = Numbering(run.cycle, run.limits.seed)
        with SatSolver(self.solver, run, IN_ROUNDS.get(self.solver)) as solver:
            solver.state(two_factor_clauses(numbering))
            yield from hamiltonian_cycles(ColouredCuts(solver, numbering), run.cycle, run)
        return self.claim(run)
