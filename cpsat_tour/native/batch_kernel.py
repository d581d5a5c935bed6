"""A compiled kernel that answers lines of graph6 by the thousand: which graphs have a Hamiltonian cycle or path.

A line of graph6 (McKay 1998) has the number of vertices, then the upper triangle of the adjacency matrix, column by
column, six bits a character. It becomes a bit set of neighbours for each vertex, and that the state of an edge search
(`cpsat_tour.native.edge_kernel`) in arrays made once for all graphs. An open tour is a closed one through a universal
vertex, which comes before all others here.

Limits: 3 to 64 vertices, 63 for open tours. What is larger, is not a line of graph6, or takes more branchings than
`BUDGET` is `LEFT`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.space import Bytes, Longs, Naturals
from cpsat_tour.native.edge_kernel import FINISHED, PHASE, UNDECIDED, EdgeState, search

BitSets = NDArray[np.uint64]

LEFT, TOUR, NONE = range(3)  # the verdicts on a line: left to others, a tour that was checked, no tour

MAX_ORDER = 64

BUDGET = 3000  # branchings of a search, at most: some milliseconds

EMPTY, BIT = np.uint64(0), np.uint64(1)


@allocation_free
def answer_lines(
    text: Bytes,
    starts: Longs,
    closed: bool,
    room: EdgeState,
    neighbours: BitSets,
    cycle: Naturals,
    verdicts: Bytes,
    branchings: Longs,
    tours: Bytes,
) -> None:
    """Answer all lines: the verdict on line ``i``, which is ``text[starts[i]:starts[i + 1] - 1]``, its branchings and
    its tour go to row ``i`` of the last three arrays.

    The arrays of ``room``, ``neighbours`` and ``cycle``, which is one row, are overwritten.
    """
    apex = int(not closed)
    for line in range(len(verdicts)):
        order = _read_neighbours(text, starts[line], starts[line + 1] - 1, apex, neighbours)
        if order:
            state = _new_state(room, neighbours, order)
            found, branchings[line] = search(state, cycle[:, :order], BUDGET)
            if found and _is_cycle(neighbours, cycle[0, :order]):
                verdicts[line] = TOUR
                for place in range(apex, order):
                    tours[line, place - apex] = cycle[0, place] - apex
            elif state.counters[PHASE] == FINISHED:
                verdicts[line] = NONE


@allocation_free
def _read_neighbours(text: Bytes, start: int, stop: int, apex: int, neighbours: BitSets) -> int:
    """Write the neighbours of each vertex of a line of graph6, after those of a universal vertex if ``apex`` is 1;
    return the number of vertices with that one, 0 if the line is not graph6, or has too few or too many vertices."""
    order, place, bit = np.int64(text[start]) - 63, start + 1, 0
    if order == 63 and stop - start > 4:
        for digit in text[place : place + 3]:
            if digit < 63 or digit > 126:
                return 0
        order = 4096 * np.int64(text[place]) + 64 * np.int64(text[place + 1]) + np.int64(text[place + 2]) - 63 * 4161
        place += 3
    if order < 3 or order > MAX_ORDER - apex or stop - place != (order * (order - 1) // 2 + 5) // 6:
        return 0
    neighbours[:] = EMPTY
    for head in range(apex, order + apex):
        for tail in range(head):
            digit = np.int64(text[place + bit // 6]) - 63
            if digit < 0 or digit > 63:
                return 0
            if tail < apex or digit >> (5 - bit % 6) & 1:
                neighbours[tail] |= BIT << np.uint64(head)
                neighbours[head] |= BIT << np.uint64(tail)
            bit += tail >= apex
    return int(order) + apex


@allocation_free
def _new_state(room: EdgeState, neighbours: BitSets, order: int) -> EdgeState:
    """Return an unstarted search on the graph, in the arrays of ``room``."""
    s, place, size = room, 0, 0
    for v in range(order):
        s.first[v] = place
        for u in range(order):
            if u == v:
                s.forced[v] = place  # where vertices after this one find their edges with it
            elif neighbours[v] >> np.uint64(u) & BIT:
                s.heads[place], s.edges[place] = u, size
                if u < v:
                    s.edges[place] = s.edges[s.forced[u]]
                    s.forced[u] += np.uint32(1)
                else:
                    s.ends[size, 0], s.ends[size, 1], s.state[size] = v, u, UNDECIDED
                    size += 1
                place += 1
        s.left[v], s.used[v], s.mate[v], s.link[v] = np.uint32(place) - s.first[v], 0, v, 0
    s.first[order] = place
    s.counters[:] = 0
    return EdgeState(
        *(s.first, s.heads, s.edges, s.ends, s.state, s.used[:order], s.left, s.mate, s.link, s.trail),
        *(s.forced, s.given, s.decisions, s.marks, s.following, s.counters),
    )


@allocation_free
def _is_cycle(neighbours: BitSets, cycle: Naturals) -> bool:
    """Return True if all vertices of the cycle are different, and each is joined to the next and the last to the
    first."""
    seen = EMPTY
    for place in range(len(cycle)):
        v, u = np.uint64(cycle[place - 1]), np.uint64(cycle[place])
        if seen >> u & BIT or not neighbours[v] >> u & BIT:
            return False
        seen |= BIT << u
    return True
