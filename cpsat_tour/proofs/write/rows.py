"""The cycle problem that a proof speaks about: its rows are those that the checker makes, its edges numbered from 0.

A closed tour is a 2-factor of the graph; an open one becomes a closed one through the *apex*, an extra last vertex
joined to every vertex, whose two edges mark the ends. Every edge is a variable, forbidden ones too. This is simpler
than the reduction that solvers use, on purpose: whoever checks a proof has less to believe.
`cpsat_tour.proofs.check.rows` says which rows there are, and why they are true. Of a directed graph they are those of
its halves (`core.split_vertices`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints, edge_keys, places_of
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.split_vertices import SplitVertices, undirected
from cpsat_tour.proofs.check.rows import TrueRows
from cpsat_tour.proofs.check.worth import BestClaim
from cpsat_tour.spaces.symmetry import TWOFOLD, written_name

Vertices = tuple[int, ...]
Edges = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class CycleRows:
    """The cycle problem of a Hamilton problem, its edges numbered from 0 in the order of the variables ``x1``, ``x2``,
    …, with the rows as they are ``stated``.

    ``source`` is what is asked, and ``problem`` that or, where that is directed, the undirected one on its halves. The
    apex, if any, is the last vertex. Of each edge ``tails`` has the lesser end.
    """

    source: Problem
    problem: Problem
    stated: TrueRows
    tails: Ints
    heads: Ints

    @classmethod
    def of(cls, source: Problem, best: BestClaim | None = None) -> CycleRows:
        """The rows of a problem, and those of the best; `BadInput` where numbers are given, or where no certificate can
        name the symmetry."""
        if source.symmetry is not None:
            source = replace(source, symmetry=_as_certificates_name_it(source.graph, source.symmetry))
        if source.givens:
            raise BadInput(
                "certificates are for tours without given numbers: leave them out, or solve, where a search "
                "tells why there is none"
            )
        stated = TrueRows(source, lambda _: None, best, sys.maxsize - 1)
        tails, heads = np.array(stated.ends, dtype=np.int32).reshape(-1, 2).T.copy()
        return cls(source, undirected(source), stated, tails, heads)

    @property
    def directed(self) -> bool:
        """Never: the edges are undirected, of halves too."""
        return False

    @property
    def order(self) -> int:
        """The number of vertices, the apex included."""
        return len(self.stated.names)

    @property
    def size(self) -> int:
        """The number of edges, forbidden ones included."""
        return len(self.stated.ends)

    @property
    def apex(self) -> int | None:
        """The vertex that joins the ends of an open tour."""
        return None if self.problem.closed else self.problem.graph.order

    @cached_property
    def required(self) -> NDArray[np.int64]:
        """The required edges, increasing."""
        return np.array(self.stated.required, dtype=np.int64) - 1

    @cached_property
    def forbidden(self) -> NDArray[np.int64]:
        """The forbidden edges, increasing."""
        return np.array(self.stated.forbidden, dtype=np.int64) - 1

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Which edges are not forbidden."""
        allowed = np.ones(self.size, dtype=bool)
        allowed[self.forbidden] = False
        return allowed

    @cached_property
    def undecided(self) -> NDArray[np.bool_]:
        """Which edges are neither required nor forbidden."""
        undecided = self.allowed.copy()
        undecided[self.required] = False
        return undecided

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """Which of these may be used or left out whatever the others are: a symmetry does not tie them."""
        free = self.undecided.copy()
        for row in self.stated.symmetric:
            free[[variable - 1 for variable in (*row.literals, *([row.less] if row.less else []))]] = False
        return free

    @cached_property
    def incidence(self) -> list[list[int]]:
        """For each vertex its edges, increasing."""
        return [[variable - 1 for variable in variables] for variables in self.stated.incidence]

    def cut(self, vertices: Sequence[int]) -> Ints:
        """The cut set δ(S): the edges with exactly one end among the vertices, increasing."""
        inside = np.zeros(self.order, dtype=bool)
        inside[list(vertices)] = True
        return np.flatnonzero(inside[self.tails] != inside[self.heads]).astype(np.int32)

    def shore(self, vertices: Sequence[int]) -> Vertices:
        """The smaller of a vertex set and its complement, which have the same cut set; of equal ones that with the
        least vertex."""
        inside = {int(vertex) for vertex in vertices}
        other = tuple(vertex for vertex in range(self.order) if vertex not in inside)
        return min(tuple(sorted(inside)), other, key=lambda side: (len(side), side))

    def edges_of(self, tours: Ints) -> Ints:
        """The edges of each tour, a row of vertices, increasing; an open tour's ends are joined to the apex."""
        if self.apex is not None:
            tours = np.pad(tours, ((0, 0), (0, 1)), constant_values=self.apex)
        keys = edge_keys(self.order, self.tails, self.heads)
        edges = places_of(edge_keys(self.order, tours, np.roll(tours, -1, axis=1)), keys)
        return np.sort(edges.astype(np.int32), axis=1)

    def tour(self, cycle: Ints) -> Ints:
        """The tour that a cycle stands for, either by its vertices in order; it begins and ends where the problem
        says."""
        if self.source.graph.directed:
            found: Ints = SplitVertices(self.source).tours(cycle[None, :])[0]
            return found
        if self.apex is None:
            return cycle
        tour = np.roll(cycle, -int(np.flatnonzero(cycle == self.apex)[0]))[1:]
        start, end = self.problem.start, self.problem.end
        return tour[::-1] if (start is not None and tour[0] != start) or (end is not None and tour[-1] != end) else tour

    def name(self, vertex: int) -> str:
        """What people call the vertex."""
        return self.stated.names[vertex]

    def edge_name(self, edge: int) -> str:
        """What people call the edge."""
        return self.stated.edge_name(edge + 1)


def _as_certificates_name_it(graph: Graph, symmetry: Symmetry) -> Symmetry:
    if written_name(graph, symmetry) is not None:
        return symmetry
    if symmetry.turning != "either":
        raise BadInput(
            f"no certificate can say how {symmetry.name} is to turn a tour: choose one of "
            f"{', '.join(TWOFOLD)}, or leave it out"
        )
    return replace(symmetry, name="the permutation")
