"""Edge numberings: the order of the variables, which is the seed of a SAT solver that has none.

A solver that meets no conflict decides its variables in the order of their numbers (CaDiCaL only if told to), so the
numbering lays down the path along which the tour grows. A sweep keeps the decisions on a moving front, where unit
propagation settles what lies behind it. Random numberings scatter them and leave gaps that close badly; they are there
for comparison.

| seed | on a board                    | on a graph without layout                   |
|------|-------------------------------|---------------------------------------------|
| 0    | rows from the top             | breadth-first from vertex 0                 |
| 1    | columns from the left         | breadth-first from vertex n/8               |
| 2    | diagonals from the top left   | … 2n/8                                      |
| 3–5  | 0–2 reflected, from the end   | … 3n/8 to 5n/8                              |
| 6–7  | the other diagonals, both ways| … 6n/8 and 7n/8                             |
| 8…   | a random order of the vertices, drawn with the seed | the same              |
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints

SWEEPS = 8
"""The number of seeds that are sweeps."""


def vertices_by_seed(graph: Graph, seed: int) -> Ints:
    """Return the vertices of a graph in the order that the seed stands for, by the module's table."""
    if seed >= SWEEPS:
        return np.random.default_rng(seed).permutation(graph.order).astype(np.int32)
    if graph.space.coordinates is None:
        return breadth_first(graph, graph.order * seed // SWEEPS)
    # What lies deeper than rows and columns follows in the order of the vertices.
    rows, cols = graph.space.coordinates.T[:2]
    keys = [(cols, rows), (rows, cols), (rows, rows + cols), (rows, rows - cols)]
    # The last key of lexsort is the first to sort by.
    which, backwards = [(0, 1), (1, 1), (2, 1), (0, -1), (1, -1), (2, -1), (3, 1), (3, -1)][seed]
    return np.lexsort([backwards * key for key in keys[which]]).astype(np.int32)


def breadth_first(graph: Graph, root: int) -> Ints:
    """Return all vertices in breadth-first order from the root, then from the least vertex of each component that is
    left."""
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    seen, order = bytearray(graph.order), list[int]()
    for source in (root, *range(graph.order)):
        component = [] if seen[source] else [source]
        seen[source] = 1
        for vertex in component:  # which grows
            for neighbour in indices[indptr[vertex] : indptr[vertex + 1]]:
                if not seen[neighbour]:
                    seen[neighbour] = 1
                    component.append(neighbour)
        order += component
    return np.array(order, dtype=np.int32)


class Numbering:
    """The variables of a cycle problem's edges, in the order that a seed stands for.

    Variable ``v``, from 1 to the number of edges, is that of edge ``edges[v - 1]``.

    The order is lexicographic in the places of an edge's ends in the sweep, the edges at the apex before all others;
    the first two of these go to the ends that are tried first, `first_ends`. ``variables`` is the inverse, the variable
    of each edge, and ``vertices`` the sweep, for formulations that number variables of their own.
    """

    def __init__(self, cycle: CycleProblem, seed: int = 0) -> None:
        self.cycle, self.vertices = cycle, vertices_by_seed(cycle.source.graph, seed)
        if cycle.apex is not None:
            self.vertices = np.append(self.vertices, np.int32(cycle.apex))
        rank = np.empty(cycle.order, dtype=np.int64)
        rank[self.vertices] = np.arange(cycle.order)
        low, high = np.sort([rank[cycle.tails], rank[cycle.heads]], axis=0)
        if cycle.apex is not None:
            at_apex = high == cycle.order - 1
            for preference, vertex in enumerate(first_ends(cycle, rank)):
                low[at_apex & (low == rank[vertex])] = preference - 2
            low[at_apex] -= cycle.order
        self.edges = np.lexsort([high, low]).astype(np.int32)
        self.variables = np.empty(cycle.size, dtype=np.int32)
        self.variables[self.edges] = np.arange(1, cycle.size + 1, dtype=np.int32)


def first_ends(problem: CycleProblem, rank: NDArray[np.integer]) -> list[int]:
    """Return the one or two vertices that are tried first as ends of an open tour.

    These are a fixed end or the first permitted one, and if possible a neighbour of it.

    Between neighbours an open tour is a closed one less an edge, which is the easier to find wherever there is one. At
    the first vertex of a sweep, the corner of a board, a closed tour has no choice of edges, so it uses the one that is
    left out. The propagator needs 121 conflicts for each open 4xn board, n = 64, 72, … 200; without this, 800 to over
    15,000.
    """
    at_apex = problem.heads == problem.apex
    ends = problem.tails[at_apex]
    fixed = ends[problem.required[at_apex]]
    first = int(fixed[0] if len(fixed) else ends[np.argmin(rank[ends])])
    beside = np.concatenate([problem.heads[problem.tails == first], problem.tails[problem.heads == first]])
    others = np.intersect1d(beside, ends)
    if not len(others):
        others = ends[ends != first]
    return [first, int(others[np.argmin(rank[others])])] if len(others) else [first]
