"""Triangulation of a graph by vertex elimination, the vertex of least degree first (Tinney & Walker 1967).

Eliminating a vertex joins its neighbours to each other and takes it away. All edges that there ever were form a chordal
graph, in which every cycle of more than three vertices has a chord: that is why a handful of triangles states
acyclicity (Bryant & Velev 2002). Where each edge has one direction (`relative`), no directed triangle means no directed
cycle. Where it may have neither or both (`elimination`), the rule for each triangle u, v, w, of which u is eliminated
first, is that v -> u -> w gives v -> w: it shortens a directed cycle at the vertex eliminated first, down to a pair.

The neighbours of a vertex are the bits of an int, and joining them is one disjunction for each. On 50x50 a vertex has
69 neighbours left on average when it is eliminated, and at most 238; that takes a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import edge_keys
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat
from cpsat_tour.core.space import Ints

ChordalEdges = NDArray[np.int64]
"""The edges of a triangulation by their numbers, ordered by the end eliminated first and then by the other."""

VERTICES_AT_A_TIME = 1 << 6


@dataclass(frozen=True, eq=False)
class Triangulation:
    """The chordal graph that an elimination order makes.

    ``later[k]`` are the neighbours that the vertex eliminated as number ``k`` had left, in the order of their own
    elimination; ``rank`` is the number of each vertex, -1 if it was left out.
    """

    later: list[Ints]
    rank: Ints

    @property
    def size(self) -> int:
        """The number of edges of the chordal graph."""
        return len(self._keys)

    @property
    def ends(self) -> tuple[Ints, Ints]:
        """The ends of the edges, that eliminated first and the other."""
        eliminated = np.argsort(self.rank, kind="stable")[(self.rank < 0).sum() :]
        return np.repeat(eliminated, [len(later) for later in self.later]), np.concatenate(self.later)

    def edge_numbers(self, u: Ints, v: Ints) -> ChordalEdges:
        """Return the numbers of the edges u-v.

        Either end may have been eliminated first.
        """
        return np.searchsorted(self._keys, edge_keys(len(self.rank), self.rank[u], self.rank[v]))

    def entries_along(self, u: Ints, v: Ints, forth: Ints, back: Ints) -> Ints:
        """Return an entry for each edge u-v, from ``forth`` if u was eliminated first, else from ``back``.

        Both are indexed by the numbers of the edges.
        """
        numbers = self.edge_numbers(u, v)
        return np.where(self.rank[u] < self.rank[v], forth[numbers], back[numbers])

    def triangles(self) -> Iterator[tuple[ChordalEdges, ChordalEdges, ChordalEdges]]:
        """Yield all triangles in batches, as the numbers of their edges uv, vw and uw; u, v, w are in the order of
        elimination."""
        first = np.cumsum([0, *map(len, self.later)]).tolist()
        for begin in range(0, len(self.later), VERTICES_AT_A_TIME):
            sides = []
            for vertex, later in enumerate(self.later[begin : begin + VERTICES_AT_A_TIME], begin):
                v, w = np.triu_indices(len(later), 1)
                sides.append((first[vertex] + v, self.edge_numbers(later[v], later[w]), first[vertex] + w))
            uv, vw, uw = (np.concatenate(side) for side in zip(*sides, strict=True))
            yield uv, vw, uw

    @cached_property
    def _keys(self) -> ChordalEdges:
        """The key of each edge, in ascending order: the `edge_keys` of the ranks of its ends."""
        first = np.repeat(np.arange(len(self.later), dtype=np.int32), [len(later) for later in self.later])
        return edge_keys(len(self.rank), first, self.rank[np.concatenate(self.later)])


def eliminate(cycle: CycleProblem, root: int, heartbeat: Heartbeat) -> Triangulation:
    """Return the triangulation that eliminating all vertices but the root makes; ``heartbeat`` is called at each
    vertex."""
    neighbours = [0] * cycle.order
    for tail, head in zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True):
        if root not in (tail, head):
            neighbours[tail] |= 1 << head
            neighbours[head] |= 1 << tail
    waiting = [(row.bit_count(), vertex) for vertex, row in enumerate(neighbours) if vertex != root]
    heapify(waiting)
    rank = np.full(cycle.order, -1, dtype=np.int32)
    left: list[Ints] = []
    while waiting:
        degree, vertex = heappop(waiting)
        row = neighbours[vertex]
        if rank[vertex] >= 0 or row.bit_count() != degree:
            continue
        heartbeat()
        rank[vertex] = len(left)
        row_bytes = np.frombuffer(row.to_bytes((cycle.order + 7) // 8, "little"), dtype=np.uint8)
        left.append(np.flatnonzero(np.unpackbits(row_bytes, bitorder="little")).astype(np.int32))
        for neighbour in left[-1].tolist():  # the neighbours of the vertex become a clique
            neighbours[neighbour] = (neighbours[neighbour] | row) & ~(1 << neighbour | 1 << vertex)
            heappush(waiting, (neighbours[neighbour].bit_count(), neighbour))
    return Triangulation([others[np.argsort(rank[others])] for others in left], rank)
