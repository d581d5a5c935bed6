"""The cycle problem that a proof speaks about: edges with numbers, which are required or forbidden, and what a symmetry
says of them.

A closed tour is a 2-factor of the graph; an open one becomes a closed one through the *apex*, an extra last vertex
joined to every vertex, whose two edges mark the ends. Every edge is a variable, forbidden ones too. This is simpler
than the reduction that solvers use, on purpose: whoever checks a proof has less to believe. `formula` has the rows. Of
a directed graph they are those of its halves (`core.split_vertices`).

A symmetry that is not the identity takes the cycle to itself as a reflection, which keeps two places, vertices or edges
that are turned round, or as a rotation, which keeps none. Where it is known which, a row says how many edges are turned
round; where that is impossible, or the colours are against it (`turned_by_its_parts`), the row ``0 = 1`` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.conditions import turned_by_its_parts
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints, edge_keys, places_of
from cpsat_tour.core.orbits import Symmetry, edge_images
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.split_vertices import SplitVertices, undirected
from cpsat_tour.spaces.turns import TWOFOLD, written_name

Vertices = tuple[int, ...]
Edges = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class CycleRows:
    """The cycle problem of a Hamilton problem, its edges numbered from 0 in the order of the variables ``x1``, ``x2``,
    ….

    ``source`` is what is asked, and ``problem`` that or, where that is directed, the undirected one on its halves.
    ``required`` and ``forbidden`` are numbers of edges, increasing. ``contradiction`` says what contradicts itself in
    the problem as asked, if anything does: then there is a row ``0 = 1``. The apex, if any, is the last vertex. Of a
    symmetry ``ties`` has the numbers of edges and of their images, ``turned`` those of the edges that it turns round,
    ``kept`` of which a cycle uses, if that is known.
    """

    source: Problem
    problem: Problem
    order: int
    tails: Ints
    heads: Ints
    required: NDArray[np.int64]
    forbidden: NDArray[np.int64]
    contradiction: str | None
    apex: int | None
    ties: NDArray[np.int64]
    turned: NDArray[np.int64]
    kept: int | None

    @classmethod
    def of(cls, source: Problem) -> CycleRows:
        """The rows of a problem; `BadInput` where numbers are given, or where no certificate can name the symmetry."""
        if source.symmetry is not None:
            source = replace(source, symmetry=_as_certificates_name_it(source.graph, source.symmetry))
        if source.givens:
            raise BadInput(
                "certificates are for tours without given numbers: leave them out, or solve, where a search "
                "tells why there is none"
            )
        problem = undirected(source)
        graph = problem.graph
        tails, heads = graph.edges()
        order, apex = graph.order, None
        required = list(problem.require)
        if not problem.closed:
            apex, order = graph.order, graph.order + 1
            tails = np.append(tails, np.arange(apex, dtype=np.int32))
            heads = np.append(heads, np.full(apex, apex, dtype=np.int32))
            required += [(vertex, apex) for vertex in (problem.start, problem.end) if vertex is not None]
        elif problem.start is not None and problem.end is not None and graph.has_arc(problem.end, problem.start):
            required.append((min(problem.start, problem.end), max(problem.start, problem.end)))
        keys = tails.astype(np.int64) * order + heads

        def numbers(moves: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
            return np.flatnonzero(np.isin(keys, [tail * order + head for tail, head in moves]))

        said = _said_by_the_symmetry(problem, order, tails, heads)
        return cls(
            source,
            problem,
            order,
            tails,
            heads,
            numbers(required),
            numbers(problem.forbid),
            contradiction_in(source),
            apex,
            *said,
        )

    @property
    def directed(self) -> bool:
        """Never: the edges are undirected, of halves too."""
        return False

    @property
    def size(self) -> int:
        """The number of edges, forbidden ones included."""
        return len(self.tails)

    @cached_property
    def undecided(self) -> NDArray[np.bool_]:
        """Which edges are neither required nor forbidden."""
        undecided = np.ones(self.size, dtype=bool)
        undecided[self.required] = undecided[self.forbidden] = False
        return undecided

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """Which of these may be used or left out whatever the others are."""
        free = self.undecided.copy()
        free[self.ties] = free[self.turned] = False
        return free

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Which edges are not forbidden."""
        allowed = np.ones(self.size, dtype=bool)
        allowed[self.forbidden] = False
        return allowed

    @cached_property
    def incidence(self) -> list[list[int]]:
        """For each vertex its edges, increasing."""
        edges: list[list[int]] = [[] for _ in range(self.order)]
        for edge, (tail, head) in enumerate(zip(self.tails.tolist(), self.heads.tolist(), strict=True)):
            edges[tail].append(edge)
            edges[head].append(edge)
        return edges

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

    @property
    def symmetry(self) -> str:
        """What people call the symmetry; nothing where none is asked."""
        return "" if self.problem.symmetry is None else self.problem.symmetry.name

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

    @cached_property
    def _apex_name(self) -> str:
        """``apex``, with a prime for each vertex that is called so already."""
        taken = set(map(self.problem.graph.name, range(self.problem.graph.order)))
        name = "apex"
        while name in taken:
            name += "'"
        return name

    def name(self, vertex: int) -> str:
        """What people call the vertex."""
        return self._apex_name if vertex == self.apex else self.problem.graph.name(vertex)

    def edge_name(self, edge: int) -> str:
        """What people call the edge."""
        return f"{self.name(int(self.tails[edge]))}-{self.name(int(self.heads[edge]))}"


def _as_certificates_name_it(graph: Graph, symmetry: Symmetry) -> Symmetry:
    if written_name(graph, symmetry) is not None:
        return symmetry
    if symmetry.turning != "either":
        raise BadInput(
            f"no certificate can say how {symmetry.name} is to turn a tour: choose one of "
            f"{', '.join(TWOFOLD)}, or leave it out"
        )
    return replace(symmetry, name="the permutation")


def _said_by_the_symmetry(
    problem: Problem, order: int, tails: Ints, heads: Ints
) -> tuple[NDArray[np.int64], NDArray[np.int64], int | None]:
    """The edges that go to another one, each with that one, no pair twice; those that are turned round; how many of
    these a cycle uses."""
    symmetry = problem.symmetry
    none = np.zeros(0, dtype=np.int64)
    if symmetry is None or symmetry.is_identity:
        return none.reshape(0, 2), none, None
    images = np.append(symmetry.images, np.arange(problem.graph.order, order, dtype=np.int32))
    following, edges = edge_images(order, tails, heads, images), np.arange(len(tails))
    again = (following[following] == edges) & (following <= edges)
    ties = np.stack([edges, following], axis=1)[~again]
    turned = np.flatnonzero((following == edges) & (images[tails] == heads))
    places, fixed = (
        symmetry.places(closed=problem.closed),
        int((symmetry.images == np.arange(problem.graph.order)).sum()),
    )
    kept = None if places is None or not len(turned) or not 0 <= places - fixed <= len(turned) else places - fixed
    return ties, turned, kept


def contradiction_in(problem: Problem) -> str | None:
    """What no tour can meet in the ends or the symmetry that were asked for, or in a graph without vertices; None where
    nothing is wrong."""
    return _contradicting_ends(problem) or turned_by_its_parts(problem, problem.graph)


def _contradicting_ends(problem: Problem) -> str | None:
    graph, start, end = problem.graph, problem.start, problem.end
    if not graph.order:
        return "a tour visits a vertex, and there is none"
    if start is None or end is None:
        return None
    if problem.closed and not graph.has_arc(end, start):
        return f"the closing move {graph.name(end)}-{graph.name(start)} is required, and it is not a move here"
    if not problem.closed and start == end and graph.order > 1:
        return f"a tour can't both start and end at {graph.name(start)} and visit another vertex"
    return None
