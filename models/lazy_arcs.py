"""Lazy cut sets over arcs: one arc out of and one arc into each vertex, and cut sets added between solves.

    exactly one of arc[u, v] over v        for each vertex u
    exactly one of arc[u, v] over u        for each vertex v
    not arc[u, v] or not arc[v, u]
    arc[u, v] or arc[v, u]                 for each required edge
    an arc along e <=> an arc along f      for tied edges e and f
    the stops in their order               where there are waypoints
    one of the arcs that leave S           for the vertices S of one cycle or several of a solution
    one of the arcs that enter S

It is the cutting-plane loop (`subtours`) over the relaxation of Soh, Le Berre, Roussel, Banbara & Tamura (2014): the
first three lines. They block cycles; a clause that an arc leaves S is that of Zhou (2020) and Ohashi et al. (2025), and
one that an arc enters S follows from the degrees (Dantzig, Fulkerson & Johnson 1954 for the inequality).

Where it pays: on sparse graphs of degree 3 and 4 with thousands of vertices, where the models over edges fall into
hundreds of cycles for a thousand rounds. The solver runs with its own settings: what helps on boards, deciding the
edges along a sweep and leaving them out first, hurts there. On boards, dense graphs and graphs with many vertices of
degree 2 the edges are the better variables.

Cost, for n vertices and m edges: 2m arcs and the commanders of `degree`; the clauses of `degree` for 2n rows of arcs, m
that forbid both ways, one for each required edge, four for each tied pair, those of `arcs`, and two for each cut
set as it is met. A directed graph of m arcs has m variables.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.graph import edge_keys
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, Run, no_heartbeat, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features, Formulated
from cpsat_tour.formats.formula import Clauses, Cnf, Named
from cpsat_tour.models.arcs import Arcs, section_names, stops_in_order
from cpsat_tour.models.degree import BATCH, Rule, auxiliary_names, clauses_at_vertices, exactly_one
from cpsat_tour.models.drivers.sat import SatFormulation, SatRelaxation, SatSolver
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, hamiltonian_cycles


@dataclass(frozen=True)
class LazyArcs(SatFormulation, Formulated):
    """One arc out of each vertex and one into it, in a SAT solver, with cut sets added between its runs."""

    takes: ClassVar[Features] = frozenset({"directed", "every", "symmetry", "waypoints"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, found in rounds of solving and cutting off; return the `Refutation` when there
        are no more."""
        arcs = Arcs(run.cycle, run.limits.seed)
        with SatSolver(self.solver, run) as solver:
            solver.state(one_arc_out_of_and_into_each_vertex(arcs))
            solver.state(rules_of_arcs(arcs))
            yield from hamiltonian_cycles(DirectedRelaxation(solver, arcs), run.cycle, run)
        return self.claim(run, "one arc out of and into each vertex")

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Cnf:
        """Return the formula before any cut set, a relaxation; ``heartbeat`` is called meanwhile."""
        arcs = Arcs(cycle, seed)
        named = names_over_arcs(arcs)
        *auxiliary, sections = (len(subscripts[0]) for _, subscripts, _ in named)
        return Cnf(
            cycle,
            arcs.by_variable,
            len(arcs.tails) + sum(auxiliary) + sections,
            sum(auxiliary),
            [*with_heartbeats(one_arc_out_of_and_into_each_vertex(arcs), heartbeat, steps=BATCH)],
            [*rules_of_arcs(arcs)],
            named,
            self.name,
            relaxed=True,
            arcs=True,
            plain=self.plain,
        )


def names_over_arcs(arcs: Arcs, rule: Rule = exactly_one) -> list[Named]:
    """Return the names of the auxiliary variables of both rules below, in their order."""
    vertices = np.arange(arcs.order)
    at_ends = (
        auxiliary_names(letter, rule, np.bincount(ends, minlength=arcs.order), vertices)
        for letter, ends in (("out", arcs.tails), ("in", arcs.heads))
    )
    return [*at_ends, section_names(arcs.cycle)]


def one_arc_out_of_and_into_each_vertex(arcs: Arcs, rule: Rule = exactly_one) -> Iterator[Clauses]:
    """Yield, in batches, the clauses of a rule that exactly one arc leaves each vertex, and one enters it."""
    unused = len(arcs.tails) + 1
    for ends in (arcs.tails, arcs.heads):
        unused = yield from clauses_at_vertices(rule, ends, arcs.arc_variables, unused, np.arange(arcs.order))


def rules_of_arcs(arcs: Arcs, rule: Rule = exactly_one) -> Iterator[Clauses]:
    """Yield the other clauses before any cut set: no edge both ways, required and tied edges, and sections, whose
    variables come after those of the rule at the vertices."""
    arc, cycle = arcs.arc_variables, arcs.cycle
    forth = edge_keys(cycle.order, arcs.tails, arcs.heads, directed=True)
    back = edge_keys(cycle.order, arcs.heads, arcs.tails, directed=True)
    _, one, opposite = np.intersect1d(forth, back, return_indices=True)
    yield -arc[np.stack([one, opposite], axis=1)[one < opposite]]
    yield arc[arcs.along(np.flatnonzero(cycle.required))]
    # An arc along one edge of a tied pair: one along the other.
    for edges, others in (cycle.tied_pairs.T, cycle.tied_pairs[:, ::-1].T):
        for along_edge in arc[arcs.along(edges)].T:
            yield np.concatenate([-along_edge[:, None], arc[arcs.along(others)]], axis=1)
    if cycle.source.waypoints:
        first = 1 + len(arc) + sum(len(subscripts[0]) for _, subscripts, _ in names_over_arcs(arcs, rule)[:-1])
        yield from stops_in_order(cycle, arcs.tails, arcs.heads, arc, first)


class DirectedRelaxation(SatRelaxation):
    """The clauses over arcs in a solver, as a relaxation whose solutions are 2-factors: the variable of an arc stands
    for its edge."""

    def __init__(self, solver: SatSolver, arcs: Arcs) -> None:
        super().__init__(solver, arcs.by_variable % arcs.cycle.size)
        self.arcs = arcs

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add two clauses for each cut set: an arc leaves the shore, and an arc enters it."""
        for cut_set in cut_sets:
            crossing = self.arcs.along(cut_set.edges).ravel()
            leaving = np.isin(self.arcs.tails[crossing], cut_set.shore)
            self._add(crossing[leaving], 1)
            self._add(crossing[~leaving], 1)

    def block(self, edges: EdgeNumbers) -> None:
        """Add clauses that exclude the cycle that these edges form, one for each direction; if directed, one for its
        arcs."""
        cycle = self.arcs.cycle
        (vertices,) = cycle.cycles(edges)
        following = np.roll(vertices, -1)[np.argsort(vertices)]
        candidates = self.arcs.along(edges).ravel()
        forth = following[self.arcs.tails[candidates]] == self.arcs.heads[candidates]
        self._add(candidates[forth], -1)
        if not cycle.directed:
            self._add(candidates[~forth], -1)

    def _add(self, arcs: EdgeNumbers, sign: int) -> None:
        """Add one clause of the variables of these arcs, all positive or all negative by the sign."""
        self._solver.add_each([(sign * self.arcs.arc_variables[arcs]).tolist()])
