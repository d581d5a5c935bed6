"""Lazy cut sets over arcs: one arc out of and one arc into each vertex, and cut sets added between solves.

The cutting-plane loop (`subtours`) with a variable for either direction of an edge. Soh, Le Berre, Roussel, Banbara &
Tamura (2014) cut cycles off by their cut sets between the runs of a SAT solver, over edges (as `lazy` does); over arcs
a cut set is two clauses, that some arc leaves the shore and that some arc enters it (Dantzig, Fulkerson & Johnson 1954
for the inequality), and no edge is gone along both ways, since a cycle of two arcs is none (Ohashi et al. 2025).

Where it pays: on sparse graphs of degree 3 and 4 with thousands of vertices, where the models over edges fall into
hundreds of cycles for a thousand rounds. The solver runs with its own settings: what helps on boards, deciding the
edges along a sweep and leaving them out first, hurts there. On boards, dense graphs and graphs with many vertices of
degree 2 the edges are the better variables.

Cost, for n vertices and m edges: 2m arcs and the commanders of `degree`; the clauses of `degree` for 2n rows of arcs, m
that forbid both ways, one for each required edge, and two for each cut set as it is met. A directed graph of m arcs has
m variables.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Run
from cpsat_tour.formats.formula import Clauses
from cpsat_tour.models.degree import auxiliary_at_each, exactly_one, instances
from cpsat_tour.models.drivers.sat import SatFormulation, SatSolver
from cpsat_tour.models.lazy import SOLVERS
from cpsat_tour.models.numbering import number_edges
from cpsat_tour.models.subtours import CutSet, EdgeNumbers, hamiltonian_cycles


@dataclass(frozen=True)
class LazyArcs(SatFormulation):
    """An arc out of and into each vertex, and cut sets added between the runs of a SAT solver."""

    solvers: ClassVar[tuple[str, ...]] = SOLVERS
    takes: ClassVar[Features] = frozenset({"directed", "every", "symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Rounds of solving and cutting off."""
        arcs = ArcVariables(run.cycle, run.limits.seed)
        with SatSolver(self.solver, run) as solver:
            solver.state(arcs.clauses())
            yield from hamiltonian_cycles(ArcRelaxation(solver, arcs), run.cycle, run)
        return self.claim(run, "one arc out of and into each vertex")


class ArcVariables:
    """The arcs of a cycle problem and their variables.

    Of a directed problem arc ``k`` is its arc ``k``; of an undirected one it goes along edge ``k`` of m, and arc ``m +
    k`` back. ``variable[k]`` stands for arc ``k``, and variable ``v`` for ``arc[v - 1]``.
    """

    def __init__(self, cycle: CycleProblem, seed: int) -> None:
        self.cycle = cycle
        self.tails, self.heads = cycle.tails, cycle.heads
        self.arc = number_edges(cycle, seed).edges
        if not cycle.directed:
            self.tails, self.heads = (
                np.concatenate([cycle.tails, cycle.heads]),
                np.concatenate([cycle.heads, cycle.tails]),
            )
            self.arc = np.concatenate([self.arc, self.arc + cycle.size])
        self.variable = np.empty_like(self.arc)
        self.variable[self.arc] = np.arange(1, len(self.arc) + 1, dtype=self.arc.dtype)

    def clauses(self) -> Iterator[Clauses]:
        """One arc out of and into each vertex, no edge both ways, and the required edges, in batches."""
        taken = len(self.arc)
        for ends in (self.tails, self.heads):
            degrees = np.bincount(ends, minlength=self.cycle.order)
            commanders = auxiliary_at_each(exactly_one, degrees)
            first = taken + 1 + np.cumsum(commanders) - commanders
            at_each = self.variable[np.argsort(ends, kind="stable")]
            yield from instances(exactly_one, np.concatenate([[0], np.cumsum(degrees)]), at_each, first)
            taken += int(commanders.sum())
        yield -self.variable[self._there_and_back()]
        yield self.variable[self.along(np.flatnonzero(self.cycle.required))]
        yield from self._tied()

    def _tied(self) -> Iterator[Clauses]:
        """Where an arc goes along one edge of an orbit, an arc goes along each other."""
        for one, other in (self.cycle.pairs.T, self.cycle.pairs[:, ::-1].T):
            along = self.variable[self.along(other)]
            for arc in self.variable[self.along(one)].T:
                yield np.concatenate([-arc[:, None], along], axis=1)

    def _there_and_back(self) -> Ints:
        """The pairs of arcs that lead there and back, a row each."""
        forth = self.tails.astype(np.int64) * self.cycle.order + self.heads
        back = self.heads.astype(np.int64) * self.cycle.order + self.tails
        _, one, other = np.intersect1d(forth, back, return_indices=True)
        pairs: Ints = np.stack([one, other], axis=1)[one < other]
        return pairs

    def chosen(self, variables: Ints) -> Ints:
        """The edges (arcs, if directed) of the problem of which these variables, counted from 0, are true."""
        return self.arc[variables] % self.cycle.size

    def along(self, edges: EdgeNumbers) -> EdgeNumbers:
        """The arcs along these edges, forth and back, a row for each edge; of a directed problem the arc itself."""
        return edges[:, None] if self.cycle.directed else np.stack([edges, edges + self.cycle.size], axis=1)


@dataclass(frozen=True)
class ArcRelaxation:
    """The clauses over arcs in a solver, as a relaxation whose 2-factors are those of the cycle problem."""

    solver: SatSolver
    arcs: ArcVariables

    def solve(self) -> list[EdgeNumbers]:
        """The 2-factor of a model."""
        return [self.arcs.chosen(self.solver.true_among(len(self.arcs.arc)))] if self.solver.solve() else []

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Two clauses for each: an arc leaves the shore, and an arc enters it."""
        inside = np.zeros(self.arcs.cycle.order, dtype=bool)
        for cut_set in cut_sets:
            inside[cut_set.shore] = True
            crossing = self.arcs.along(cut_set.edges).ravel()
            leaving = inside[self.arcs.tails[crossing]]
            self.solver.add_each(self.arcs.variable[some].tolist() for some in (crossing[leaving], crossing[~leaving]))
            inside[cut_set.shore] = False

    def block(self, edges: EdgeNumbers) -> None:
        """A clause for each direction of the cycle that these edges form: not all of its arcs."""
        cycle = self.arcs.cycle
        (vertices,) = cycle.cycles(edges)
        following = np.empty(cycle.order, dtype=np.int32)
        following[vertices] = np.roll(vertices, -1)
        candidates = self.arcs.along(edges).ravel()
        forth = following[self.arcs.tails[candidates]] == self.arcs.heads[candidates]
        self.solver.add(-self.arcs.variable[candidates[forth]][None, :])
        if not cycle.directed:
            self.solver.add(-self.arcs.variable[candidates[~forth]][None, :])
