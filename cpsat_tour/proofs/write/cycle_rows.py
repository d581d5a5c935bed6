"""The cycle problem that a proof is about: its rows are those that the checker makes, its edges numbered from 0.

An open tour becomes a cycle through the *apex*, an extra last vertex joined to every vertex, whose two edges mark the
ends. Every edge is a variable, forbidden ones too. This is simpler than the reduction that solvers use, on purpose:
the reader of a proof has less to believe. `proofs.check.rows` says which rows there are, and why they are true.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints, edge_keys, indices_in
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.split_vertices import SplitVertices, undirected
from cpsat_tour.proofs.check.rows import TrueRows
from cpsat_tour.proofs.check.worth import BestClaim
from cpsat_tour.spaces.symmetry import TWOFOLD, written_name

Vertices = tuple[int, ...]
TourEdges = tuple[int, ...]  # the edges of a tour by their numbers, increasing


class CycleRows:
    """The cycle problem of a Hamilton problem, and the rows that are ``stated`` of it.

    ``source`` is what is asked; ``problem`` is the same, or if that is directed the undirected one on split vertices.
    The ``apex``, if any, is the last vertex. ``tails`` has the lesser end of each edge, ``order`` and ``size`` count
    vertices and edges. ``required`` and ``forbidden`` are edges, increasing; ``undecided`` marks all others.

    `BadInput` where numbers are given, or where no certificate can name the symmetry.
    """

    def __init__(self, source: Problem, best: BestClaim | None = None) -> None:
        if (symmetry := source.symmetry) is not None and written_name(source.graph, symmetry) is None:
            if symmetry.turning != "either":
                raise BadInput(
                    f"no certificate can say how {symmetry.name} is to turn a tour: choose one of "
                    f"{', '.join(TWOFOLD)}, or leave it out"
                )
            source = replace(source, symmetry=replace(symmetry, name="the permutation"))
        if source.timed:
            raise BadInput(f"certificates are for tours without {source.timed}: leave them out, or use solve")
        self.source, self.problem = source, undirected(source)
        self.stated = stated = TrueRows(source, lambda _: None, best, sys.maxsize - 1)
        self.tails, self.heads = np.array(stated.ends, dtype=np.int32).reshape(-1, 2).T.copy()
        self.order, self.size = len(stated.names), len(stated.ends)
        self.apex = None if self.problem.closed else self.order - 1
        self.required = np.array(stated.required, dtype=np.int64) - 1
        self.forbidden = np.array(stated.forbidden, dtype=np.int64) - 1
        self.allowed = np.ones(self.size, dtype=bool)
        self.allowed[self.forbidden] = False
        self.undecided = self.allowed.copy()
        self.undecided[self.required] = False

    @cached_property
    def for_cutting(self) -> CycleProblem:
        """The cycle problem with the same edges, as the cutting-plane loop takes it; merging leaves the ``required``
        edges as they are, so these are all that are decided or that a symmetry ties to others."""
        fixed = ~self.undecided
        for row in self.stated.symmetric:
            fixed[[variable - 1 for variable in (*row.literals, *([row.subtracted] if row.subtracted else []))]] = True
        return CycleProblem(self.problem, self.order, self.tails, self.heads, fixed, self.apex)

    @cached_property
    def incidence(self) -> list[list[int]]:
        """The edges at each vertex, increasing."""
        return [[variable - 1 for variable in variables] for variables in self.stated.incidence]

    def cut_set(self, vertices: Sequence[int]) -> Ints:
        """Return the cut set δ(S), increasing: the edges with exactly one end among the vertices."""
        inside = np.zeros(self.order, dtype=bool)
        inside[list(vertices)] = True
        return np.flatnonzero(inside[self.tails] != inside[self.heads]).astype(np.int32)

    def shore(self, vertices: Sequence[int]) -> Vertices:
        """Return the smaller of a vertex set and its complement, which have the same cut set; of equal ones that with
        the least vertex."""
        inside = {int(vertex) for vertex in vertices}
        other = tuple(vertex for vertex in range(self.order) if vertex not in inside)
        return min(tuple(sorted(inside)), other, key=lambda side: (len(side), side))

    def edges_of(self, tours: Ints) -> Ints:
        """Return the edges of each tour, increasing; a tour is a row of vertices, and an open one's ends are joined to
        the apex."""
        if self.apex is not None:
            tours = np.pad(tours, ((0, 0), (0, 1)), constant_values=self.apex)
        keys = edge_keys(self.order, self.tails, self.heads)
        edges = indices_in(edge_keys(self.order, tours, np.roll(tours, -1, axis=1)), keys)
        return np.sort(edges.astype(np.int32), axis=1)

    def tour(self, cycle: Ints) -> Ints:
        """Return the tour of a cycle, both as vertices in order; it begins and ends where the problem says."""
        if self.source.graph.directed:
            found: Ints = SplitVertices(self.source).tours(cycle[None, :])[0]
            return found
        return self.for_cutting.tour(cycle)

    def name(self, vertex: int) -> str:
        """Return the name of the vertex."""
        return self.stated.names[vertex]

    def edge_name(self, edge: int) -> str:
        """Return the name of the edge: ``a1-b3``."""
        return self.stated.edge_name(edge + 1)
