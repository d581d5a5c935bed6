"""The kernel: an iterative, resumable depth-first search for Hamiltonian paths from a root to a permitted end, compiled by Numba.

Depth-first search with Warnsdorff's rule (von Warnsdorff 1823: go where the fewest exits are left), second-level ties after Pohl 1967
and refutation of positions from degrees after Rubin 1974. A closed tour is a path whose permitted ends are the vertices with an arc
to the root, so the kernel knows of paths alone. Memory is linear in vertices and arcs; no recursion.

The state is flat arrays. ``path[:depth]`` is the path, ``visited`` flags its vertices, ``exits[v]`` is the number of unvisited vertices that
an arc from ``v`` enters, ``entries[v]`` of those that an arc to ``v`` leaves (one array if the graph is undirected). As a vertex stands on the
path at most once, the candidates of ``v`` lie in its own row of ``candidates``: ``candidates[indptr[v]:stop[v]]`` in the order in which
they are tried, those before ``cursor[v]`` tried already. The counters hold how many unvisited vertices are permitted ends, and how many
have too few exits to be passed through freely; `cpsat_tour.native.state.check_invariant` recomputes all of this.

Everything compiled stands in this one module, constants too: Numba's cache looks at the file of a function, not at those it calls. Helpers
take arrays, not the tuple they are kept in (reaching into it costs reference counts), and the two of the innermost loop are inlined by
Numba itself: LLVM, left alone, calls them, which measured a third slower. The search is compiled twice: where nothing is asked but
Warnsdorff's rule and backtracking, its settings are constants, and one pass over the neighbours does for two, which measured a quarter
faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]
Vertex = int | np.uint32
Naturals = NDArray[np.uint32]
"""Vertices and places: unsigned, for that spares a test for negative indices at each access and nearly doubles the rate."""

# What `advance` returns.
PAUSED, FOUND, EXHAUSTED, DEAD_END, RING_FULL = range(5)

# How candidates are compared: not at all, by exits, and what breaks ties between equal exits (else the order of the arcs).
AS_THEY_COME, BY_EXITS, BY_SECOND_LEVEL, AT_RANDOM, BY_PHASE = range(5)

# Prunings that look at every position, as bit flags; each is the code of its event.
ENDS, EXITS, DEGREE, CONNECTED, REVERSAL = 1, 2, 4, 8, 16

# Settings and counters of a search, as places in `State.counters`.
ROOT, KEY, PRUNE, BACKTRACK, DIRECTED, TRACING, PLAIN = range(7)
DEPTH, POSITIONS, BACKTRACKS, BEGUN, TOURS, RING, STAMP = range(7, 14)
ENDS_LEFT, NO_EXIT, NO_EXIT_END, ONE_EXIT, ONE_EXIT_END, NO_ENTRY = range(14, 20)
COUNTERS = 20

# Records in the ring: the kind, the vertex, and a third number: the exits of a candidate, the pruning that refused a move, else 0. A step
# is followed by its candidates in the order in which they are tried.
STEP, CANDIDATE, REFUSED, BACK, TOUR = range(1, 6)
RECORD = 3


class State(NamedTuple):
    """A search under way: what it searches, and where it is. Made by `cpsat_tour.native.state.new_state`."""

    indptr: Naturals
    indices: Naturals
    """The arcs out of each vertex, in the order in which ties are tried."""
    in_indptr: Naturals
    in_indices: Naturals
    """The arcs into each vertex."""
    may_end: Bytes
    must: Naturals
    """The vertex that has to follow (if it is still unvisited), or the order of the graph where none has to."""
    octants: Bytes
    """The direction of each arc, for orders with phases (else empty)."""
    phase_ranks: Bytes
    """For each phase the rank of each direction, ``(phases, 9)``."""
    switches: Naturals
    """For each phase the vertex on whose visit the next one begins, or the order of the graph where none is."""
    path: Naturals
    visited: Bytes
    exits: Naturals
    entries: Naturals
    candidates: Naturals
    cursor: Naturals
    stop: Naturals
    phase: Bytes
    """The phase in which the candidates of a vertex were put in order."""
    keys: Longs
    marks: Naturals
    queue: Naturals
    """Scratch space: of one sort, and of one breadth-first search."""
    random: NDArray[np.uint64]
    counters: Longs
    tours: Naturals
    """The tours found since the last emptying, a row each: ``tours[:counters[TOURS]]``."""
    found_at: Longs
    """For each of them the number of positions when it was found."""
    ring: NDArray[np.int32]
    """Events since the last emptying: ``ring[:counters[RING]]``, `RECORD` numbers each."""


@njit(cache=True)
def arrange(indptr: Ints, indices: Ints, ranks: Longs) -> Ints:
    """The arcs with each row put in increasing order of rank, equal ranks as they were."""
    arranged = indices.copy()
    keys = ranks.copy()
    for vertex in range(indptr.size - 1):
        first = indptr[vertex]
        for place in range(first + 1, indptr[vertex + 1]):
            head, key = arranged[place], keys[place]
            spot = place
            while spot > first and keys[spot - 1] > key:
                arranged[spot], keys[spot] = arranged[spot - 1], keys[spot - 1]
                spot -= 1
            arranged[spot], keys[spot] = head, key
    return arranged


@njit(cache=True)
def _count_scarce(counters: Longs, may_end: Bytes, exits: Naturals, entries: Naturals, vertex: Vertex, sign: int) -> None:
    """Add an unvisited vertex to (or take it from) the counts of those that can't be passed through freely."""
    if exits[vertex] == 0:
        counters[NO_EXIT_END if may_end[vertex] else NO_EXIT] += sign
    elif exits[vertex] == 1:
        counters[ONE_EXIT_END if may_end[vertex] else ONE_EXIT] += sign
    if entries[vertex] == 0:
        counters[NO_ENTRY] += sign


@njit(cache=True, inline="always")
def _add(indptr: Naturals, indices: Naturals, numbers: Naturals, vertex: Vertex, change: int) -> None:
    """Change the number of each neighbour of a vertex."""
    for place in range(indptr[vertex], indptr[vertex + 1]):
        numbers[indices[place]] += change


@njit(cache=True)
def _visit_and_count(
    c: Longs,
    indptr: Naturals,
    indices: Naturals,
    in_indptr: Naturals,
    in_indices: Naturals,
    may_end: Bytes,
    visited: Bytes,
    exits: Naturals,
    entries: Naturals,
    vertex: Vertex,
    change: int,
) -> None:
    """Visit a vertex (change -1), or undo the visit (change 1), and keep the counters of the prunings."""
    if change < 0:
        _count_scarce(c, may_end, exits, entries, vertex, -1)
        visited[vertex] = 1
    c[ENDS_LEFT] += change * may_end[vertex]
    for place in range(in_indptr[vertex], in_indptr[vertex + 1]):
        other = in_indices[place]
        if visited[other] or exits[other] > 2:
            exits[other] += change
        else:
            _count_scarce(c, may_end, exits, entries, other, -1)
            exits[other] += change
            _count_scarce(c, may_end, exits, entries, other, 1)
    if c[DIRECTED]:
        for place in range(indptr[vertex], indptr[vertex + 1]):
            other = indices[place]
            entries[other] += change
            if not visited[other] and entries[other] == (0 if change < 0 else 1):
                c[NO_ENTRY] -= change
    if change > 0:
        visited[vertex] = 0
        _count_scarce(c, may_end, exits, entries, vertex, 1)


@njit(cache=True)
def _degree_refutes(
    c: Longs, indptr: Naturals, indices: Naturals, may_end: Bytes, visited: Bytes, exits: Naturals, entries: Naturals, head: Vertex
) -> bool:
    """Whether some unvisited vertex can't have its two path edges, or two compete for the head or for being the end.

    Undirected: with two or more vertices left, none may be without exits, and one with a single exit has to follow the head or be the
    end. Directed: a vertex that no unvisited one enters has to be next, one that enters no unvisited one has to be the end.
    """
    if not c[DIRECTED]:
        if c[NO_EXIT] + c[NO_EXIT_END] > 0 or c[ONE_EXIT] > 1 or c[ONE_EXIT] + c[ONE_EXIT_END] > 2:
            return True
        if c[ONE_EXIT] + c[ONE_EXIT_END] == 0:
            return False
    elif c[NO_EXIT] > 0 or c[NO_EXIT_END] > 1 or c[NO_ENTRY] > 1:
        return True
    beside, beside_end = 0, 0
    for place in range(indptr[head], indptr[head + 1]):
        other = indices[place]
        if visited[other]:
            continue
        if c[DIRECTED]:
            beside += entries[other] == 0
        elif exits[other] == 1:
            if may_end[other]:
                beside_end += 1
            else:
                beside += 1
    if c[DIRECTED]:
        return bool(c[NO_ENTRY] > beside)
    return bool(c[ONE_EXIT] > beside or c[ONE_EXIT_END] > beside_end + 1)


@njit(cache=True)
def _reach(
    indptr: Naturals, indices: Naturals, visited: Bytes, marks: Naturals, queue: Naturals, stamp: int, vertex: Vertex, length: int
) -> int:
    """Mark and queue the unvisited vertices that the arcs of a vertex enter, unless they are marked; the new length of the queue."""
    for place in range(indptr[vertex], indptr[vertex + 1]):
        other = indices[place]
        if not visited[other] and marks[other] != stamp:
            marks[other] = stamp
            queue[length] = other
            length += 1
    return length


@njit(cache=True)
def _meet(
    indptr: Naturals,
    indices: Naturals,
    visited: Bytes,
    marks: Naturals,
    queue: Naturals,
    beside: int,
    reached: int,
    everything: bool,
    vertex: Vertex,
    length: int,
    met: int,
) -> tuple[int, int]:
    """Go on from a vertex of the search: the new length of the queue, and how many of the vertices that are looked for it has met."""
    for place in range(indptr[vertex], indptr[vertex + 1]):
        other = indices[place]
        if not visited[other] and marks[other] != reached:
            met += everything or marks[other] == beside
            marks[other] = reached
            queue[length] = other
            length += 1
    return length, met


@njit(cache=True)
def _falls_apart(
    c: Longs,
    indptr: Naturals,
    indices: Naturals,
    in_indptr: Naturals,
    in_indices: Naturals,
    visited: Bytes,
    marks: Naturals,
    queue: Naturals,
    head: Vertex,
    left: int,
) -> int:
    """Whether the unvisited part is disconnected, or out of the head's reach: the size of the search, negative if it is.

    It was connected with the head in it, so it still is if the head's neighbours are connected with each other: the search ends when
    it has met them all. At the root, where nothing is known before, it goes through everything.
    """
    c[STAMP] += 2
    beside, reached = c[STAMP] - 1, c[STAMP]
    goal = _reach(indptr, indices, visited, marks, queue, beside, head, 0)
    if c[DIRECTED] and goal:
        goal = _reach(in_indptr, in_indices, visited, marks, queue, beside, head, goal)
    if goal <= 1 and c[DEPTH] > 0:
        return 2 * goal - 1
    length = min(goal, 1)
    if c[DEPTH] == 0:
        goal = left
    marks[queue[0]] = reached
    met, done = length, 0
    everything = c[DEPTH] == 0
    while done < length and met < goal:
        length, met = _meet(indptr, indices, visited, marks, queue, beside, reached, everything, queue[done], length, met)
        if c[DIRECTED]:
            length, met = _meet(in_indptr, in_indices, visited, marks, queue, beside, reached, everything, queue[done], length, met)
        done += 1
    return length if met >= goal else -1 - length


@njit(cache=True)
def _random_bits(random: NDArray[np.uint64]) -> np.int64:
    """The next 32 bits of a xorshift generator (Marsaglia 2003)."""
    bits = random[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    random[0] = bits
    return np.int64(bits >> np.uint64(32))


@njit(cache=True)
def _second_level(indptr: Naturals, indices: Naturals, visited: Bytes, exits: Naturals, vertex: Vertex) -> np.int64:
    """The exits of a vertex's exits, added up (Pohl 1967)."""
    total = np.int64(0)
    for place in range(indptr[vertex], indptr[vertex + 1]):
        if not visited[indices[place]]:
            total += np.int64(exits[indices[place]])
    return total


@njit(cache=True)
def _gather_by_key(
    indptr: Naturals,
    indices: Naturals,
    visited: Bytes,
    exits: Naturals,
    candidates: Naturals,
    keys: Longs,
    random: NDArray[np.uint64],
    octants: Bytes,
    ranks: Bytes,
    head: Vertex,
    kind: int,
) -> np.int64:
    """Put the candidates of the new head in order by exits and what breaks ties; returns where they stop."""
    first = np.int64(indptr[head])
    end = first
    for place in range(indptr[head], indptr[head + 1]):
        vertex = indices[place]
        if visited[vertex]:
            continue
        key = np.int64(exits[vertex]) << 40
        if kind == BY_PHASE:
            key += ranks[octants[place]]
        elif kind == AT_RANDOM:
            key += _random_bits(random)
        else:
            key += _second_level(indptr, indices, visited, exits, vertex)
        spot = end
        while spot > first and keys[spot - first - 1] > key:
            candidates[spot] = candidates[spot - 1]
            keys[spot - first] = keys[spot - first - 1]
            spot -= 1
        keys[spot - first] = key
        candidates[spot] = vertex
        end += 1
    return end


@njit(cache=True, inline="always")
def _gather(
    indptr: Naturals, indices: Naturals, visited: Bytes, exits: Naturals, candidates: Naturals, head: Vertex, by_exits: bool, one_less: int
) -> np.int64:
    """Put the candidates of the new head in order by exits, if asked for, equal ones as the arcs come; returns where they stop.

    ``one_less`` is 1 to take the new head off the exits of its neighbours on the way.
    """
    first = np.int64(indptr[head])
    end = first
    for place in range(indptr[head], indptr[head + 1]):
        vertex = indices[place]
        fewest = exits[vertex] - np.uint32(one_less)
        exits[vertex] = fewest
        if visited[vertex]:
            continue
        spot = end
        if by_exits:
            while spot > first and exits[candidates[spot - 1]] > fewest:
                candidates[spot] = candidates[spot - 1]
                spot -= 1
        candidates[spot] = vertex
        end += 1
    return end


@njit(cache=True)
def _tell(c: Longs, ring: NDArray[np.int32], kind: int, vertex: Vertex, number: int | np.uint32) -> None:
    at = c[RING]
    ring[at], ring[at + 1], ring[at + 2] = kind, vertex, number
    c[RING] = at + RECORD


@njit(cache=True)
def _keep_tour(c: Longs, tours: Naturals, found_at: Longs, path: Naturals, positions: int) -> bool:
    """Write the full path into a row of its own; whether the rows are full now."""
    row = c[TOURS]
    for place in range(path.size):
        tours[row, place] = path[place]
    found_at[row] = positions
    c[TOURS] = row + 1
    return bool(row + 1 == found_at.size)


@njit(cache=True)
def _no_longer_an_end(c: Longs, may_end: Bytes, exits: Naturals, entries: Naturals, vertex: Vertex) -> None:
    """Every closed tour over the edge from the root to this vertex has been tried: no other one ends here."""
    if may_end[vertex]:
        _count_scarce(c, may_end, exits, entries, vertex, -1)
        may_end[vertex] = 0
        _count_scarce(c, may_end, exits, entries, vertex, 1)
        c[ENDS_LEFT] -= 1


def advance(s: State, budget: int, most_positions: int) -> int:
    """Search on until tours fill their rows, the ring is full, a limit is met or nothing is left; returns which.

    ``budget`` bounds the moves tried (and the vertices gone through for connectivity) by this call, ``most_positions`` the positions
    of the whole search. `PAUSED`, `FOUND` and `RING_FULL` go on at the next call, once tours and ring are emptied.
    """
    return int(_search(s, budget, most_positions, True if s.counters[PLAIN] else None))


@njit(cache=True)
def _search(s: State, budget: int, most_positions: int, plain: bool | None) -> int:
    """`advance`; ``plain`` is True or None, which differ in type, so that each has its own compilation, without the branches of the other."""
    # The arrays of the inner loop as locals: reaching into the tuple costs reference counts each time.
    indptr, indices, in_indptr, in_indices = s.indptr, s.indices, s.in_indptr, s.in_indices
    path, visited, exits, entries, may_end, must = s.path, s.visited, s.exits, s.entries, s.may_end, s.must
    candidates, cursor, stop, c = s.candidates, s.cursor, s.stop, s.counters
    keys, random, octants, phase_ranks, switches, phase = s.keys, s.random, s.octants, s.phase_ranks, s.switches, s.phase
    marks, queue, ring, tours, found_at = s.marks, s.queue, s.ring, s.tours, s.found_at
    order = path.size
    if plain is None:
        key, prune, backtrack, directed, tracing = c[KEY], c[PRUNE], c[BACKTRACK], c[DIRECTED], c[TRACING]
    else:
        key, prune, backtrack, directed, tracing = BY_EXITS, 0, 1, 0, 0
    depth, positions, backtracks = c[DEPTH], c[POSITIONS], c[BACKTRACKS]
    most_records = (keys.size + 2) * RECORD
    if prune & CONNECTED:
        c[STAMP] = 0
        marks[:] = 0
    status = PAUSED
    while budget > 0:
        if tracing and c[RING] + most_records > ring.size:
            status = RING_FULL
            break
        if depth == 0:
            if c[BEGUN]:
                status = EXHAUSTED
                break
            c[BEGUN] = 1
            vertex = np.uint32(c[ROOT])
        else:
            head = path[depth - 1]
            at = cursor[head]
            if depth == 1 and prune & REVERSAL and at > indptr[head]:
                _no_longer_an_end(c, may_end, exits, entries, candidates[at - 1])
            if at == stop[head]:
                if not backtrack:
                    status = DEAD_END
                    break
                if prune:
                    _visit_and_count(c, indptr, indices, in_indptr, in_indices, may_end, visited, exits, entries, head, 1)
                else:
                    visited[head] = 0
                    _add(in_indptr, in_indices, exits, head, 1)
                    if directed:
                        _add(indptr, indices, entries, head, 1)
                depth -= 1
                backtracks += 1
                if tracing:
                    _tell(c, ring, BACK, head, 0)
                continue
            if positions >= most_positions:
                break
            vertex = candidates[at]
            cursor[head] = at + 1
        budget -= 1
        path[depth] = vertex
        left = order - depth - 1
        if prune:
            c[DEPTH] = depth
            _visit_and_count(c, indptr, indices, in_indptr, in_indices, may_end, visited, exits, entries, vertex, -1)
            pruning = 0
            if left == 0:
                pass
            elif prune & ENDS and c[ENDS_LEFT] == 0:
                pruning = ENDS
            elif prune & EXITS and left > 1 and c[NO_EXIT] + c[NO_EXIT_END] > 0:
                pruning = EXITS
            elif prune & DEGREE and left > 1 and _degree_refutes(c, indptr, indices, may_end, visited, exits, entries, vertex):
                pruning = DEGREE
            elif prune & CONNECTED:
                size = _falls_apart(c, indptr, indices, in_indptr, in_indices, visited, marks, queue, vertex, left)
                budget -= abs(size) >> 3
                pruning = CONNECTED if size < 0 else 0
            if pruning:
                _visit_and_count(c, indptr, indices, in_indptr, in_indices, may_end, visited, exits, entries, vertex, 1)
                if tracing:
                    _tell(c, ring, REFUSED, vertex, pruning)
                continue
        elif backtrack and exits[vertex] == 0:
            # A leaf: nothing follows, whether the path is full or not, so there is no need to visit it and undo the visit.
            positions += 1
            backtracks += 1
            if tracing:
                _tell(c, ring, STEP, vertex, 0)
                if left == 0 and may_end[vertex]:
                    _tell(c, ring, TOUR, vertex, 0)
                _tell(c, ring, BACK, vertex, 0)
            if left == 0 and may_end[vertex] and _keep_tour(c, tours, found_at, path, positions):
                status = FOUND
                break
            continue
        else:
            visited[vertex] = 1
            if plain is None:
                _add(in_indptr, in_indices, exits, vertex, -1)
            if directed:
                _add(indptr, indices, entries, vertex, -1)
        depth += 1
        positions += 1
        if tracing:
            _tell(c, ring, STEP, vertex, 0)
        first = indptr[vertex]
        cursor[vertex] = first
        must_follow = must[vertex]
        if plain is not None:
            stop[vertex] = _gather(indptr, indices, visited, exits, candidates, vertex, True, 1)
        elif left == 0:
            stop[vertex] = first
            if may_end[vertex]:
                if tracing:
                    _tell(c, ring, TOUR, vertex, 0)
                if _keep_tour(c, tours, found_at, path, positions):
                    status = FOUND
                    break
        elif must_follow < order and not visited[must_follow]:
            candidates[first] = must_follow
            stop[vertex] = first + 1
        elif key <= BY_EXITS:
            stop[vertex] = _gather(indptr, indices, visited, exits, candidates, vertex, key == BY_EXITS, 0)
        else:
            now = 0
            if key == BY_PHASE:
                before = phase[path[depth - 2]] if depth > 1 else 0
                now = before + (switches[before] == vertex)
                phase[vertex] = now
            stop[vertex] = _gather_by_key(indptr, indices, visited, exits, candidates, keys, random, octants, phase_ranks[now], vertex, key)
        if tracing:
            for place in range(first, stop[vertex]):
                _tell(c, ring, CANDIDATE, candidates[place], exits[candidates[place]])
    c[DEPTH], c[POSITIONS], c[BACKTRACKS] = depth, positions, backtracks
    return status
