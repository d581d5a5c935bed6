"""Semimagic tours by squares and diamonds, a narrowing that finds them in seconds (Beverley 1848; Wenzelides; Jelliss).

A board of 4a by 4b squares falls into blocks of 4x4, and each block into four rings of knight's moves, two squares and
two diamonds, each with a square in every row and every column of the block. The tour goes through ring after ring, all
four squares of one before the next. Then a line adds up right if the rings that it crosses have numbers that do, the
same for all lines of a block, and so do the places along the rings, 0 to
3. A depth-first search over the rings, with bounds on both sums, settles the 8x8 board in seconds. It finds tours of
this kind alone, so that it says nothing where it finds none.
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

Longs = NDArray[np.int64]

DEPTH, NODES, FINISHED = range(3)


class RingState(NamedTuple):
    """A search under way; rings are numbered, lines are the rows and then the columns, strips of blocks likewise."""

    ring: Ints
    """The vertices of each ring in order."""
    ring_of: Ints
    place: Ints
    """For each vertex its ring and its place there."""
    line: Ints
    strip: Ints
    """For each vertex its row and its column as lines; for each ring its two strips."""
    strip_of_line: Ints
    indptr: Ints
    indices: Ints
    roots: Ints
    """The vertices to begin at, in the order in which they are tried."""
    target: Longs
    strip_target: Longs
    """What the places on each line, and the numbers of the rings in each strip, add up to."""
    left: Longs
    """For each strip how many of its rings are not visited."""
    sums: Longs
    strip_sums: Longs
    used: NDArray[np.bool_]
    path: Ints
    choice: Ints
    counters: Longs


def new_ring_state(graph: Graph, cells: Ints, random: np.random.Generator) -> RingState | None:
    """A search that has not begun, on the board of these cells; None where it has no rings, or sums that no tour of the
    kind can have."""
    rows, cols = cells.shape
    if rows % 4 or cols % 4:
        return None
    corners = [(row, col) for row in range(0, rows, 4) for col in range(0, cols, 4)]
    ring = np.array(
        [[cells[row + down, col + right] for down, right in one] for row, col in corners for one in RINGS],
        dtype=np.int32,
    )
    if not all(graph.has_arc(*move) for one in ring.tolist() for move in zip(one, [*one[1:], one[0]], strict=True)):
        return None
    rings = len(ring)
    strips = [rows // 4, cols // 4]
    total = rings * (rings - 1) // 2
    if any(total % number for number in strips):
        return None
    ring_of, place = (np.empty(graph.order, dtype=np.int32) for _ in range(2))
    ring_of[ring], place[ring] = np.arange(rings)[:, None], np.arange(4)
    line = np.empty((graph.order, 2), dtype=np.int32)
    line[cells, 0], line[cells, 1] = np.indices(cells.shape)
    line[:, 1] += rows
    strip = np.repeat(np.array([(row // 4, strips[0] + col // 4) for row, col in corners], dtype=np.int32), 4, axis=0)
    return RingState(
        *(ring, ring_of, place, line, strip),
        strip_of_line=np.concatenate([np.arange(rows) // 4, strips[0] + np.arange(cols) // 4]).astype(np.int32),
        indptr=graph.indptr,
        indices=graph.indices,
        roots=random.permutation(graph.order).astype(np.int32),
        target=np.repeat([3 * cols // 2, 3 * rows // 2], [rows, cols]),
        strip_target=np.repeat([total // strips[0], total // strips[1]], strips),
        left=np.repeat([cols, rows], strips),
        sums=np.zeros(rows + cols, dtype=np.int64),
        strip_sums=np.zeros(sum(strips), dtype=np.int64),
        used=np.zeros(rings, dtype=np.bool_),
        path=np.zeros((rings, 4), dtype=np.int32),
        choice=np.zeros(rings + 1, dtype=np.int32),
        counters=np.zeros(FINISHED + 1, dtype=np.int64),
    )


@allocation_free
def search_rings(s: RingState, closed: bool, budget: int) -> bool:
    """Go on for so many rings entered, or until the path is a tour whose lines add up alike; whether it is."""
    c, rings = s.counters, len(s.ring)
    while budget > 0 and not c[FINISHED]:
        depth = c[DEPTH]
        if depth == rings:
            _leave(s)
            if not closed or _joined(s, s.path[rings - 1, 3], s.path[0, 0]):
                return True
            continue
        last = s.path[depth - 1, 3] if depth else 0
        ways = 2 * (len(s.roots) if depth == 0 else s.indptr[last + 1] - s.indptr[last])
        if s.choice[depth] == ways:
            if depth:
                _leave(s)
            else:
                c[FINISHED] = 1
            continue
        way = s.choice[depth]
        s.choice[depth] += 1
        first = s.roots[way // 2] if depth == 0 else s.indices[s.indptr[last] + way // 2]
        if s.used[s.ring_of[first]]:
            continue
        budget -= 1
        c[NODES] += 1
        _enter(s, first, 1 if way % 2 else 3)
        if not _can_add_up(s):
            _leave(s)
    return False


@allocation_free
def _enter(s: RingState, first: int, step: int) -> None:
    """Go through the ring of a vertex, in one of the two directions."""
    c = s.counters
    ring = s.ring_of[first]
    for place in range(4):
        vertex = s.ring[ring, (s.place[first] + step * place) % 4]
        s.path[c[DEPTH], place] = vertex
        for side in range(2):
            s.sums[s.line[vertex, side]] += place
    for side in range(2):
        s.strip_sums[s.strip[ring, side]] += c[DEPTH]
        s.left[s.strip[ring, side]] -= 1
    s.used[ring] = True
    c[DEPTH] += 1
    s.choice[c[DEPTH]] = 0


@allocation_free
def _leave(s: RingState) -> None:
    """Take the last ring off the path."""
    c = s.counters
    c[DEPTH] -= 1
    ring = s.ring_of[s.path[c[DEPTH], 0]]
    for place in range(4):
        for side in range(2):
            s.sums[s.line[s.path[c[DEPTH], place], side]] -= place
    for side in range(2):
        s.strip_sums[s.strip[ring, side]] -= c[DEPTH]
        s.left[s.strip[ring, side]] += 1
    s.used[ring] = False


@allocation_free
def _can_add_up(s: RingState) -> bool:
    """Whether the rings that are left can bring each line and each strip to what it is to add up to."""
    depth, rings = s.counters[DEPTH], len(s.ring)
    for strip in range(len(s.left)):
        left = s.left[strip]
        lacking = s.strip_target[strip] - s.strip_sums[strip]
        least, most = left * depth + left * (left - 1) // 2, left * (rings - 1) - left * (left - 1) // 2
        if lacking < least or lacking > most:
            return False
    for line in range(len(s.sums)):
        lacking = s.target[line] - s.sums[line]
        if lacking < 0 or lacking > 3 * s.left[s.strip_of_line[line]]:
            return False
    return True


@allocation_free
def _joined(s: RingState, one: int, other: int) -> bool:
    """Whether there is a move between the two vertices."""
    joined = False
    for place in range(s.indptr[one], s.indptr[one + 1]):
        joined |= s.indices[place] == other
    return bool(joined)
