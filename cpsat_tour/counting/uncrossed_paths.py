"""The longest uncrossed paths or cycles, and their number, by growing all paths move by move from each vertex.

For each vertex a word holds the neighbours to which the path may still move without a crossing: each move ANDs all
these words with those that it leaves itself. A path is given up if the vertices that such moves still reach, of which
at most one may be a dead end, do not make it as long as the longest so far. Paths begin at one vertex of each orbit of
the space's symmetries. Cycles begin at the first orbit that they meet, without the orbits before it, so a cycle that
meets its orbit k times is grown k times.

Knuth (1975) estimates the size of such backtrack searches. Each path is grown from both ends, each cycle both ways.
Limits: at most 64 vertices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cpsat_tour.core.compiled import allocation_free, announce_compiling
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Watch
from cpsat_tour.core.space import Longs
from cpsat_tour.counting.count import least_in_orbit
from cpsat_tour.counting.packed_states import ONE, ZERO, Words, lowest_bit, popcount

SLICE = 1 << 20  # moves between two looks at the clock

ANYWHERE = -1  # in place of the end that a path must come to

DEPTH, MOVES, LONGEST, END = range(4)


class PathState(NamedTuple):
    """A search under way. An array with a row for each depth holds what is true of the path with so many moves."""

    edges: Ints  # the number of the edge between two vertices
    leaves: Words
    """For each edge, and each vertex, the neighbours to which the edge leaves the move: it takes itself, and what it
    crosses."""
    required: Ints  # for each edge 1 if it is required, else 0
    left: Words  # for each depth, and each vertex, the neighbours to which the path leaves the move
    free: Words  # the vertices that may be visited, with the first vertex of a cycle, to which it returns
    untried: Words
    path: Ints
    lacking: Ints  # how many required moves are not made
    met: Longs  # how many of the longest meet the class of their first vertex once, twice, and so on
    counters: Longs


def new_path_state(problem: Problem, pairs: Ints) -> PathState:
    """Return an unstarted search on a graph whose edges cross in these ``pairs``."""
    order, moves = problem.graph.order, np.stack(problem.graph.edges(), axis=1).tolist()
    against = np.eye(len(moves), dtype=bool)
    against[pairs, pairs[:, ::-1]] = True
    required, forbidden = (
        np.array([tuple(move) in asked for move in moves], dtype=bool) for asked in (problem.require, problem.forbid)
    )
    taken = forbidden | (against[required].any(axis=0) & ~required)
    bit = ONE << np.arange(order, dtype=np.uint64)
    edges = np.full((order, order), -1, dtype=np.int32)
    leaves, left = np.full((len(moves), order), ~ZERO), np.zeros((order + 1, order), dtype=np.uint64)
    for number, (tail, head) in enumerate(moves):
        edges[tail, head] = edges[head, tail] = number
        for one, other in ((tail, head), (head, tail)):
            leaves[against[number], one] &= ~bit[other]
            if not taken[number]:
                left[0, one] |= bit[other]
    free, untried = np.zeros((2, order + 1), dtype=np.uint64)
    path, lacking = np.zeros((2, order + 1), dtype=np.int32)
    lacking[0] = required.sum()
    met = np.zeros(order + 1, dtype=np.int64)
    counters = np.array([0, 0, -1, ANYWHERE], dtype=np.int64)
    return PathState(edges, leaves, required.astype(np.int32), left, free, untried, path, lacking, met, counters)


class PathSearch:
    """The search for the longest uncrossed path or cycle of a problem whose edges cross in these ``pairs``.

    Only paths of at least ``known`` moves are sought. When the search has ended, ``attained`` is the number of the
    longest.
    """

    def __init__(self, problem: Problem, pairs: Ints, known: int | None = None) -> None:
        self.attained = 0
        self._problem, self._state = problem, new_path_state(problem, pairs)
        self._state.counters[LONGEST] = -1 if known is None else known

    def run(self, watch: Watch, most: int | None) -> Iterator[Ints]:
        """Yield the vertices of each path that is longer than all before; `StoppedEarly` after ``most`` moves, or when
        the time is over."""
        state, counters, closed = self._state, self._state.counters, self._problem.closed
        for first, end, orbit, free in self._beginnings():
            state.path[0], state.free[0], counters[DEPTH], counters[END] = first, _bits_of(free), 0, end
            meets = _bits_of(orbit if closed else [first])
            with announce_compiling(watch.tell):
                longer = record_path(state, meets)
            while longer or counters[DEPTH] >= 0:
                if longer:
                    self.attained = 0
                    yield state.path[: counters[DEPTH] + (not closed)].copy()
                with announce_compiling(watch.tell):
                    longer = grow(state, meets, SLICE)
                watch.work["moves"] = int(counters[MOVES])
                if most is not None and counters[MOVES] >= most:
                    raise StoppedEarly("work")
                watch.heartbeat()
            self.attained += sum(
                len(orbit) * int(state.met[times]) // times for times in np.flatnonzero(state.met).tolist()
            )
            state.met[:] = 0
        if closed or (self._problem.start is None is self._problem.end and counters[LONGEST] > 0):
            self.attained //= 2

    def _beginnings(self) -> Iterator[tuple[int, int, list[int], list[int]]]:
        """Yield for each search its first vertex, the end that it must come to or `ANYWHERE`, the orbit of the first
        vertex, and the vertices that may be visited."""
        problem, everywhere = self._problem, list(range(self._problem.graph.order))
        if problem.start is not None or problem.end is not None:
            first, end = (problem.start, problem.end) if problem.start is not None else (problem.end, None)
            assert first is not None
            end = first if problem.closed else ANYWHERE if end is None else end
            yield first, end, [first], [vertex for vertex in everywhere if problem.closed or vertex != first]
            return
        least_like = least_in_orbit(problem)
        for first in sorted(set(least_like)):
            orbit = [vertex for vertex in everywhere if least_like[vertex] == first]
            free = [
                vertex for vertex in everywhere if (least_like[vertex] >= first if problem.closed else vertex != first)
            ]
            yield first, first if problem.closed else ANYWHERE, orbit, free


def _bits_of(vertices: list[int]) -> np.uint64:
    return np.uint64(sum(1 << vertex for vertex in vertices))


@allocation_free
def grow(g: PathState, orbit: np.uint64, budget: int) -> bool:
    """Search on for ``budget`` moves; return True as soon as the path is longer than all before."""
    c = g.counters
    while budget > 0 and c[DEPTH] >= 0:
        depth = c[DEPTH]
        if g.untried[depth] == ZERO:
            c[DEPTH] -= 1
            continue
        following = lowest_bit(g.untried[depth])
        g.untried[depth] &= g.untried[depth] - ONE
        edge = g.edges[g.path[depth], following]
        for vertex in range(len(g.edges)):
            g.left[depth + 1, vertex] = g.left[depth, vertex] & g.leaves[edge, vertex]
        g.free[depth + 1] = g.free[depth] & ~(ONE << following)
        g.lacking[depth + 1] = g.lacking[depth] - g.required[edge]
        g.path[depth + 1] = following
        c[DEPTH] += 1
        c[MOVES] += 1
        budget -= 1
        if record_path(g, orbit):
            return True
    return False


@allocation_free
def record_path(g: PathState, orbit: np.uint64) -> bool:
    """Count the path if it is permitted and none is longer, and list its next moves; return True if it is longer than
    all before."""
    c = g.counters
    depth, vertex = c[DEPTH], g.path[c[DEPTH]]
    at_end = vertex == c[END] and depth > 0
    longer = False
    if g.lacking[depth] == 0 and (at_end or c[END] == ANYWHERE) and depth >= c[LONGEST]:
        longer = depth > c[LONGEST]
        if longer:
            c[LONGEST] = depth
            for times in range(len(g.met)):
                g.met[times] = 0
        visited = (g.free[0] & ~g.free[depth]) | ONE << np.uint64(g.path[0])
        g.met[popcount(visited & orbit)] += 1
    g.untried[depth] = ZERO if at_end else g.left[depth, vertex] & g.free[depth]
    if g.untried[depth] != ZERO and depth + _max_further_moves(g) < c[LONGEST]:
        g.untried[depth] = ZERO
    return bool(longer)


@allocation_free
def _max_further_moves(g: PathState) -> int:
    """Return an upper bound on the moves to come: the vertices that can still be reached; of those with a single way
    left only one counts, as the end. It is negative if the end can't be reached."""
    c = g.counters
    depth = c[DEPTH]
    free, here = g.free[depth], ONE << np.uint64(g.path[depth])
    reached = waiting = g.untried[depth]
    single = 0
    while waiting != ZERO:
        vertex = lowest_bit(waiting)
        waiting &= waiting - ONE
        beside = g.left[depth, vertex] & (free | here)
        if beside & (beside - ONE) == ZERO and vertex != c[END]:
            single += 1
        more = beside & free & ~reached
        reached |= more
        waiting |= more
    most = np.int64(popcount(reached))
    if c[END] == ANYWHERE:
        return int(most - max(0, single - 1))
    if reached >> np.uint64(c[END]) & ONE == ZERO:
        return -len(g.path)
    return int(most - single)
