"""Semimagic tours by squares and diamonds, a restriction that finds them in seconds (Beverley 1848; Wenzelides;
Jelliss).

A board of 4a by 4b squares consists of blocks of 4x4, and each block of four rings of knight's moves, two squares and
two diamonds, each with a square in every row and every column of the block. The tour visits all four squares of a ring
before the next ring, so the number of a square is 1 + 4 times the number of its ring + its place there, 0 to 3. A line
has the right sum if the numbers of the rings that it crosses have, and the places of its squares have. A depth-first
search over the rings, with bounds on both sums, settles the 8x8 board in seconds. It finds tours of this kind alone,
and proves nothing about others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.graph import Graph, Ints

RINGS = (
    ((0, 0), (1, 2), (3, 3), (2, 1)),
    ((0, 1), (1, 3), (3, 2), (2, 0)),
    ((0, 2), (1, 0), (3, 1), (2, 3)),
    ((0, 3), (1, 1), (3, 0), (2, 2)),
)
"""The squares and the diamonds of a block, by row and column."""

DEPTH, NODES, FINISHED = range(3)

NUMBER, PLACE = range(2)


class RingState(NamedTuple):
    """A search under way. Lines are the rows of the board, then its columns."""

    ring: Ints  # the vertices of each ring in order
    ring_of: Ints  # for each vertex its ring
    place: Ints  # and its place there
    lines: Ints  # for each vertex its row and its column, as lines
    indptr: Ints
    indices: Ints
    roots: Ints  # the vertices to begin at, in the order in which they are tried
    lacking: NDArray[np.int64]
    """For each line what the numbers of its rings, and the places of its squares, still have to add up to."""
    left: Ints  # for each line how many of its rings are not visited
    used: NDArray[np.bool_]
    path: Ints
    choice: Ints
    counters: NDArray[np.int64]


def new_ring_state(graph: Graph, cells: Ints, random: np.random.Generator) -> RingState | None:
    """Return an unstarted search on the board with these cells; None if the board can't be divided into rings, or no
    tour of this kind can have equal sums in its rows and in its columns."""
    rows, cols = cells.shape
    if rows % 4 or cols % 4:
        return None
    corners = [(row, col) for row in range(0, rows, 4) for col in range(0, cols, 4)]
    ring = np.array([[cells[row + down, col + right] for down, right in one] for row, col in corners for one in RINGS])
    if not all(graph.has_arc(*move) for one in ring.tolist() for move in zip(one, [*one[1:], one[0]], strict=True)):
        return None
    rings = len(ring)
    total = 2 * rings * (rings - 1)  # of the numbers of the rings of all squares
    if total % rows or total % cols:
        return None
    ring_of, place = (np.empty(graph.order, dtype=np.int32) for _ in range(2))
    ring_of[ring], place[ring] = np.arange(rings)[:, None], np.arange(4)
    lines = np.empty((graph.order, 2), dtype=np.int32)
    lines[cells, 0], lines[cells, 1] = np.indices(cells.shape)
    lines[:, 1] += rows
    return RingState(
        *(ring.astype(np.int32), ring_of, place, lines, graph.indptr, graph.indices),
        roots=random.permutation(graph.order).astype(np.int32),
        lacking=np.repeat([[total // rows, 3 * cols // 2], [total // cols, 3 * rows // 2]], [rows, cols], axis=0),
        left=np.repeat(np.array([cols, rows], dtype=np.int32), [rows, cols]),
        used=np.zeros(rings, dtype=np.bool_),
        path=np.zeros((rings, 4), dtype=np.int32),
        choice=np.zeros(rings + 1, dtype=np.int32),
        counters=np.zeros(FINISHED + 1, dtype=np.int64),
    )


@allocation_free
def search_rings(s: RingState, budget: int) -> bool:
    """Search until ``budget`` rings were visited, nothing is left, or the path is an open tour whose lines add up
    alike; return True if it is."""
    c, rings = s.counters, len(s.ring)
    while budget > 0 and not c[FINISHED]:
        depth = c[DEPTH]
        if depth == rings:
            _leave_ring(s)
            return True
        last = s.path[depth - 1, 3] if depth else 0
        ways = 2 * (len(s.roots) if depth == 0 else s.indptr[last + 1] - s.indptr[last])
        way = s.choice[depth]
        if way == ways:
            if depth:
                _leave_ring(s)
            else:
                c[FINISHED] = 1
            continue
        s.choice[depth] += 1
        first = s.roots[way // 2] if depth == 0 else s.indices[s.indptr[last] + way // 2]
        if s.used[s.ring_of[first]]:
            continue
        budget -= 1
        c[NODES] += 1
        _visit_ring(s, first, 1 if way % 2 else 3)
        if not _can_add_up(s):
            _leave_ring(s)
    return False


@allocation_free
def _visit_ring(s: RingState, first: int, step: int) -> None:
    """Append the ring of a vertex to the path, in one of the two directions (``step`` 1 or 3)."""
    depth, ring = s.counters[DEPTH], s.ring_of[first]
    for place in range(4):
        s.path[depth, place] = s.ring[ring, (s.place[first] + step * place) % 4]
    _count_on_lines(s, depth, -1)
    s.used[ring] = True
    s.counters[DEPTH] += 1
    s.choice[depth + 1] = 0


@allocation_free
def _leave_ring(s: RingState) -> None:
    """Take the last ring off the path."""
    s.counters[DEPTH] -= 1
    depth = s.counters[DEPTH]
    s.used[s.ring_of[s.path[depth, 0]]] = False
    _count_on_lines(s, depth, 1)


@allocation_free
def _count_on_lines(s: RingState, depth: int, sign: int) -> None:
    """Count the ring at this depth of the path as visited (``sign`` -1) or left again (1) on the lines that it
    crosses."""
    for place in range(4):
        for line in s.lines[s.path[depth, place]]:
            s.lacking[line, NUMBER] += sign * depth
            s.lacking[line, PLACE] += sign * place
            s.left[line] += sign


@allocation_free
def _can_add_up(s: RingState) -> bool:
    """Return True if the rings left can bring each line to its sum."""
    depth, rings = s.counters[DEPTH], len(s.ring)
    for line in range(len(s.left)):
        left, number, place = s.left[line], s.lacking[line, NUMBER], s.lacking[line, PLACE]
        least, most = left * depth + left * (left - 1) // 2, left * (rings - 1) - left * (left - 1) // 2
        if number < least or number > most or place < 0 or place > 3 * left:
            return False
    return True
