"""Disjoint Hamiltonian cycles: colours of the edges, and cut sets added between the runs of a SAT solver.

    exactly one of x[e, c] over c        for each edge e; where edges may be left over, one colour more is for them
    exactly two of x[e, c] at v          for each vertex v and each other colour c
    not x[e, c] or one of x[f, c - 1]    over the edges f before e at vertex 0: colours in order
    one of x[e, c] over e in δ(S)        for each colour c and each shore S that a solution showed

Over the arcs of a directed graph exactly one leaves each vertex, and one enters it; a shore is left and entered.

It is the cutting-plane loop (`subtours`) for all colours at once, with restarts and exchanges of edges between the
colours (`drivers.disjoint`): a shore that one colour shows holds for each. That there are no such cycles is the
solver's word.

Cost, for m edges and k colours: k m variables, or (k + 1) m where edges may be left over, those of `degree` for each
colour, and k clauses for each shore (2 k, if directed).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Ints
from cpsat_tour.formats.formula import Clauses
from cpsat_tour.models.degree import clauses_at_vertices, exactly_one, exactly_two
from cpsat_tour.models.drivers.disjoint import find_factors


@dataclass(frozen=True)
class DisjointCycles:
    """A search for ``number`` Hamiltonian cycles without a common edge."""

    number: int

    def find(self, run: Run) -> list[Ints] | Refutation:
        """Return the disjoint cycles, each as its vertices in order, or the `Refutation` that there are none;
        `StoppedEarly` at a limit."""
        return find_factors(self.number, clauses_of_colours, run)


def clauses_of_colours(cycle: CycleProblem, number: int, x: Ints) -> Iterator[Clauses]:
    """Yield the clauses before any cut set: each edge has one colour, each vertex two edges (or an arc in and an arc
    out) of each cycle's colour, and the colours come in order at vertex 0, since the cycles may be exchanged.

    ``x`` has a row of variables for each edge, and a column for each colour.
    """
    edges, vertices = np.arange(cycle.size), np.arange(cycle.order)
    of_each = np.repeat(edges, x.shape[1])
    unused = yield from clauses_at_vertices(exactly_one, of_each, x.ravel(), x.size + 1, edges)
    for of_colour in x.T[:number]:
        if cycle.directed:
            for ends in (cycle.tails, cycle.heads):
                unused = yield from clauses_at_vertices(exactly_one, ends, of_colour, unused, vertices)
        else:
            ends, of_both = np.concatenate([cycle.tails, cycle.heads]), np.tile(of_colour, 2)
            unused = yield from clauses_at_vertices(exactly_two, ends, of_both, unused, vertices)
    at_vertex = x[(cycle.tails == 0) | (np.array(not cycle.directed) & (cycle.heads == 0)), :number]
    for place, with_colours in enumerate(at_vertex):
        for colour in range(1, number):
            yield np.array([[-with_colours[colour], *at_vertex[:place, colour - 1]]], dtype=np.int32)
