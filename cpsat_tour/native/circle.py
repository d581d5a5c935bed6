"""The kernel of the local search: a circular order of the vertices, whose gaps are closed by rotations; compiled by
Numba.

The vertices stand on a circle. Two neighbours on it that no edge joins are a *gap*, so the order is a set of paths, and
without gaps it is a Hamiltonian cycle. At a gap ``a | b`` a *rotation* takes an edge from ``a`` to some ``c``, whose
successor is ``d``, and turns the vertices from ``b`` to ``c`` round: then ``a c`` and ``b d`` stand side by side. The
gap is closed if ``b d`` is an edge, otherwise it is now there; if ``c | d`` was a gap two paths have become one. So the
number of gaps never grows. On one path this is the rotation of Pósa (1976); on a circle with several gaps it is the
2-opt move of Croes (1958), and paths are extended and joined by the same move.

Of the rotations at a gap, on either side, the search takes one that leaves the fewest gaps, and among these the one
whose new end was an end the longest time ago, which keeps it from turning in a small circle. A required edge is never
opened.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free, inlined
from cpsat_tour.core.space import Longs, Naturals
from cpsat_tour.core.tour_rows import index_of_arc
from cpsat_tour.native.path_steps import random_bits

NO_VERTEX = np.uint32(0xFFFFFFFF)

MAX_LOOKED_AT = 24
"""Neighbours of a gap's end that are looked at for one rotation; of a vertex of higher degree as many from a random
place on."""

GAPS, STEPS, GAP, COUNTERS = range(4)
"""The counters of a search: its gaps, the rotations so far, and the place of the gap at work, which is before its
second end."""


class Circle(NamedTuple):
    """A local search under way on ``n`` vertices."""

    first: Naturals  # ``(n + 1)``: the neighbours of ``v`` are ``heads[first[v]:first[v + 1]]``, increasing
    heads: Naturals
    required: Naturals  # ``(n, 2)``: the other ends of the required edges at each vertex, else `NO_VERTEX`
    tour: Naturals  # the vertices in circular order, and ``place`` where each stands
    place: Naturals
    last: Longs  # when each vertex was last the end of a gap
    counters: Longs
    random: NDArray[np.uint64]


@inlined
def _random_below(s: Circle, bound: np.uint32) -> np.uint32:
    """Return a random number below the bound."""
    return np.uint32(np.uint64(random_bits(s.random)) * np.uint64(bound) >> np.uint64(32))


@allocation_free
def has_edge(s: Circle, v: np.uint32, u: np.uint32) -> bool:
    """Return True if an edge joins two vertices, found by bisection of the shorter row."""
    if s.first[v + np.uint32(1)] - s.first[v] > s.first[u + np.uint32(1)] - s.first[u]:
        v, u = u, v
    return bool(index_of_arc(s.first, s.heads, v, u) >= 0)


@inlined
def _next_place(s: Circle, place: int | np.int64) -> int | np.int64:
    """Return the next place on the circle."""
    return place + 1 if place + 1 < len(s.tour) else np.int64(0)


@allocation_free
def restart(s: Circle) -> bool:
    """Put the vertices in a new order; return False if required edges close a cycle, so that no order has them all.
    Paths grow one after the other, along required edges, else to the unvisited neighbour with the fewest unvisited
    neighbours."""
    n = np.uint32(len(s.tour))
    s.place[:] = NO_VERTEX
    placed = np.uint32(0)
    offset = _random_below(s, n)
    for number in range(n):
        v = np.uint32((np.uint64(number) + offset) % n)
        if s.place[v] != NO_VERTEX or s.required[v, 1] != NO_VERTEX:
            continue
        placed = _place_path(s, v, placed)
    if placed == 0:
        placed = _place_path(s, offset, placed)  # two required edges everywhere
    s.last[:] = 0
    s.counters[GAP] = 0
    count_gaps(s)
    return bool(placed == n)


@allocation_free
def count_gaps(s: Circle) -> None:
    """Count the gaps of the order again, and set the counter of gaps."""
    n = len(s.tour)
    s.counters[GAPS] = 0
    for at in range(n):
        s.counters[GAPS] += not has_edge(s, s.tour[at], s.tour[_next_place(s, at)])


@allocation_free
def _place_path(s: Circle, v: np.uint32, placed: np.uint32) -> np.uint32:
    """Append a path that begins at this vertex to those placed; return the number of vertices placed."""
    while v != NO_VERTEX:
        s.tour[placed], s.place[v] = v, placed
        placed += np.uint32(1)
        v = _next_vertex(s, v)
    return placed


@inlined
def _next_vertex(s: Circle, v: np.uint32) -> np.uint32:
    """Return the vertex to which a path goes on from this one, `NO_VERTEX` if it ends."""
    for side in range(2):
        u: np.uint32 = s.required[v, side]
        if u != NO_VERTEX and s.place[u] == NO_VERTEX:
            return u
    best, fewest, ties = NO_VERTEX, len(s.tour), 0
    row = np.int64(s.first[v])
    degree = np.int64(s.first[v + np.uint32(1)]) - row
    skip = np.int64(_random_below(s, np.uint32(degree))) if degree > MAX_LOOKED_AT else 0
    for number in range(degree if degree < MAX_LOOKED_AT else MAX_LOOKED_AT):
        u = s.heads[row + (number + skip) % degree]
        if s.place[u] != NO_VERTEX or s.required[u, 1] != NO_VERTEX:
            continue
        onward = 0
        for place in range(s.first[u], min(s.first[u + np.uint32(1)], s.first[u] + MAX_LOOKED_AT)):
            onward += s.place[s.heads[place]] == NO_VERTEX
        if onward < fewest:
            best, fewest, ties = u, onward, 1
        elif onward == fewest:
            ties += 1
            if _random_below(s, np.uint32(ties)) == 0:
                best = u
    return best


@allocation_free
def rotate(s: Circle, budget: int) -> int:
    """Rotate until there is no gap, ``budget`` rotations are made, or no gap can be rotated; return the number of
    rotations."""
    steps = stuck = 0
    while steps < budget and s.counters[GAPS] > 0:
        at = s.counters[GAP]
        a, b = s.tour[at], s.tour[_next_place(s, at)]
        if has_edge(s, a, b):
            s.counters[GAP] = _next_place(s, at)
            continue
        c, change = _best_rotation(s, a, b)
        if c == NO_VERTEX:
            # Required edges hold this gap on either side: go on to the next.
            stuck += 1
            if stuck > s.counters[GAPS]:
                break
            s.counters[GAP] = _next_place(s, at)
            continue
        stuck = 0
        steps += 1
        s.counters[STEPS] += 1
        end = np.int64(s.place[c])
        d = s.tour[_next_place(s, end)]
        for v in (a, b, c, d):
            s.last[v] = s.counters[STEPS]
        _reverse(s, _next_place(s, at), end)
        s.counters[GAPS] += change
        # One of the two new pairs is where the gap went, if it is still there.
        v, u = (b, d) if has_edge(s, a, c) else (a, c)
        s.counters[GAP] = s.place[v] if _next_place(s, s.place[v]) == s.place[u] else s.place[u]
    return steps


@inlined
def _best_rotation(s: Circle, a: np.uint32, b: np.uint32) -> tuple[np.uint32, int]:
    """Return the ``c`` of the best rotation at the gap ``a | b``, `NO_VERTEX` if there is none, and by how much it
    changes the number of gaps."""
    n = len(s.tour)
    best, least, oldest = NO_VERTEX, 1, np.int64(0)
    for side in range(2):
        end = a if side == 0 else b
        row = np.int64(s.first[end])
        degree = np.int64(s.first[end + np.uint32(1)]) - row
        skip = np.int64(_random_below(s, np.uint32(degree)))
        for number in range(degree if degree < MAX_LOOKED_AT else MAX_LOOKED_AT):
            u = s.heads[row + (number + skip) % degree]
            at = np.int64(s.place[u])
            if side == 0:
                c, d = u, s.tour[_next_place(s, at)]
                if d == a:
                    continue
            else:
                c, d = s.tour[at - 1 if at > 0 else n - 1], u
                if c == b:
                    continue
            if s.required[c, 0] == d or s.required[c, 1] == d:
                continue
            open_end = d if side == 0 else c
            change = -1 - (not has_edge(s, c, d)) + (not (has_edge(s, b, d) if side == 0 else has_edge(s, a, c)))
            if change < least or (change == least and s.last[open_end] < oldest):
                best, least, oldest = c, change, s.last[open_end]
    return best, least


@inlined
def _reverse(s: Circle, begin: int | np.int64, end: int | np.int64) -> None:
    """Reverse the vertices from one place forwards to another, or all the others, whichever are fewer."""
    n = len(s.tour)
    length = end - begin + 1 if end >= begin else end - begin + 1 + n
    if 2 * length > n:
        begin, end = _next_place(s, end), (begin - 1 if begin > 0 else n - 1)
        length = n - length
    for _ in range(length >> 1):
        v, u = s.tour[begin], s.tour[end]
        s.tour[begin], s.place[u] = u, begin
        s.tour[end], s.place[v] = v, end
        begin = _next_place(s, begin)
        end = end - 1 if end > 0 else n - 1
