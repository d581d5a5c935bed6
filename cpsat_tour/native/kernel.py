"""The kernel: an iterative, resumable depth-first search for Hamiltonian paths from a root to a permitted end, compiled by Numba.

Depth-first search with Warnsdorff's rule (von Warnsdorff 1823: go where the fewest exits are left), second-level ties after Pohl 1967
and refutation of positions from degrees after Rubin 1974. A closed tour is a path whose permitted ends are the vertices with an arc
to the root, so the kernel knows of paths alone. Memory is linear in vertices and arcs; no recursion.

The state is flat arrays. ``path[:depth]`` is the path, ``visited`` flags its vertices, ``exits[v]`` is the number of unvisited vertices that
an arc from ``v`` enters, ``entries[v]`` of those that an arc to ``v`` leaves (one array if the graph is undirected). As a vertex stands on the
path at most once, the candidates of ``v`` lie in its own row of ``candidates``: ``candidates[indptr[v]:stop[v]]`` in the order in which
they are tried, those before ``cursor[v]`` tried already. The counters hold how many unvisited vertices are permitted ends, and how many
have too few exits to be passed through freely; `cpsat_tour.native.state.check_invariant` recomputes all of this.

Everything compiled stands in this one module, constants too: Numba's cache looks at the file of a function, not at those it calls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cpsat_tour.graph import Ints

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]

# What `advance` returns.
PAUSED, FOUND, EXHAUSTED, DEAD_END, RING_FULL = range(5)

# How candidates are compared: not at all, by exits, and what breaks ties between equal exits (else the order of the arcs).
AS_THEY_COME, BY_EXITS, BY_SECOND_LEVEL, AT_RANDOM, BY_PHASE = range(5)

# Prunings that look at every position, as bit flags; each is the code of its event.
ENDS, EXITS, DEGREE, CONNECTED, REVERSAL = 1, 2, 4, 8, 16

# Settings and counters of a search, as places in `State.counters`.
ROOT, KEY, PRUNE, BACKTRACK, DIRECTED, TRACING = range(6)
DEPTH, POSITIONS, BACKTRACKS, BEGUN, TOURS, RING, STAMP = range(6, 13)
ENDS_LEFT, NO_EXIT, NO_EXIT_END, ONE_EXIT, ONE_EXIT_END, NO_ENTRY = range(13, 19)
COUNTERS = 19

# Events in the ring: the kind, the vertex, and the pruning that spoke (0 if none did).
STEP, REFUSED, BACK, TOUR = range(1, 5)
RECORD = 3


class State(NamedTuple):
    """A search under way: what it searches, and where it is. Made by `cpsat_tour.native.state.new_state`."""

    indptr: Ints
    indices: Ints
    """The arcs out of each vertex, in the order in which ties are tried."""
    in_indptr: Ints
    in_indices: Ints
    """The arcs into each vertex."""
    may_end: Bytes
    must: Ints
    """The vertex that has to follow (if it is still unvisited), or -1."""
    octants: Bytes
    """The direction of each arc, for orders with phases (else empty)."""
    phase_ranks: Bytes
    """For each phase the rank of each direction, ``(phases, 9)``."""
    switches: Ints
    """For each phase the vertex on whose visit the next one begins, or -1."""
    path: Ints
    visited: Bytes
    exits: Ints
    entries: Ints
    candidates: Ints
    cursor: Ints
    stop: Ints
    phase: Bytes
    """The phase in which the candidates of a vertex were put in order."""
    keys: Longs
    marks: Ints
    queue: Ints
    """Scratch space: of one sort, and of one breadth-first search."""
    random: NDArray[np.uint64]
    counters: Longs
    tours: Ints
    """The tours found since the last emptying, a row each: ``tours[:counters[TOURS]]``."""
    found_at: Longs
    """For each of them the number of positions when it was found."""
    ring: Ints
    """Events since the last emptying: ``ring[:counters[RING]]``, `RECORD` numbers each."""


@njit(cache=True)
def arrange(indptr: Ints, indices: Ints, ranks: Ints) -> Ints:
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
def _count_scarce(counters: Longs, may_end: Bytes, exits: Ints, entries: Ints, vertex: int, sign: int) -> None:
    """Add an unvisited vertex to (or take it from) the counts of those that can't be passed through freely."""
    if exits[vertex] == 0:
        counters[NO_EXIT_END if may_end[vertex] else NO_EXIT] += sign
    elif exits[vertex] == 1:
        counters[ONE_EXIT_END if may_end[vertex] else ONE_EXIT] += sign
    if entries[vertex] == 0:
        counters[NO_ENTRY] += sign


@njit(cache=True)
def _add(indptr: Ints, indices: Ints, numbers: Ints, vertex: int, change: int) -> None:
    """Change the number of each neighbour of a vertex."""
    for place in range(indptr[vertex], indptr[vertex + 1]):
        numbers[indices[place]] += change


@njit(cache=True)
def _add_and_count(
    counters: Longs, in_indptr: Ints, in_indices: Ints, may_end: Bytes, visited: Bytes, exits: Ints, entries: Ints, vertex: int, change: int
) -> None:
    """Change the exits of the vertices with an arc to this one, and the counters with them."""
    for place in range(in_indptr[vertex], in_indptr[vertex + 1]):
        other = in_indices[place]
        if visited[other]:
            exits[other] += change
        else:
            _count_scarce(counters, may_end, exits, entries, other, -1)
            exits[other] += change
            _count_scarce(counters, may_end, exits, entries, other, 1)


@njit(cache=True)
def _visit(s: State, vertex: int, change: int) -> None:
    """Visit a vertex (change -1), or undo the visit (change 1), and keep the counters of the prunings."""
    counters = s.counters
    if change < 0:
        _count_scarce(counters, s.may_end, s.exits, s.entries, vertex, -1)
        s.visited[vertex] = 1
    counters[ENDS_LEFT] += change * s.may_end[vertex]
    _add_and_count(counters, s.in_indptr, s.in_indices, s.may_end, s.visited, s.exits, s.entries, vertex, change)
    if counters[DIRECTED]:
        for place in range(s.indptr[vertex], s.indptr[vertex + 1]):
            other = s.indices[place]
            s.entries[other] += change
            if not s.visited[other] and s.entries[other] == (0 if change < 0 else 1):
                counters[NO_ENTRY] -= change
    if change > 0:
        s.visited[vertex] = 0
        _count_scarce(counters, s.may_end, s.exits, s.entries, vertex, 1)


@njit(cache=True)
def _degree_refutes(s: State, head: int) -> bool:
    """Whether some unvisited vertex can't have its two path edges, or two compete for the head or for being the end.

    Undirected: with two or more vertices left, none may be without exits, and one with a single exit needs the head before it or is
    the end. Directed: a vertex that no unvisited one enters has to be next, one that enters no unvisited one has to be the end.
    """
    c = s.counters
    if not c[DIRECTED]:
        if c[NO_EXIT] + c[NO_EXIT_END] > 0 or c[ONE_EXIT] > 1 or c[ONE_EXIT] + c[ONE_EXIT_END] > 2:
            return True
        if c[ONE_EXIT] + c[ONE_EXIT_END] == 0:
            return False
    elif c[NO_EXIT] > 0 or c[NO_EXIT_END] > 1 or c[NO_ENTRY] > 1:
        return True
    beside, beside_end = 0, 0
    for place in range(s.indptr[head], s.indptr[head + 1]):
        other = s.indices[place]
        if s.visited[other]:
            continue
        if c[DIRECTED]:
            beside += s.entries[other] == 0
        elif s.exits[other] == 1:
            if s.may_end[other]:
                beside_end += 1
            else:
                beside += 1
    if c[DIRECTED]:
        return bool(c[NO_ENTRY] > beside)
    return bool(c[ONE_EXIT] > beside or c[ONE_EXIT_END] > beside_end + 1)


@njit(cache=True)
def _reach(s: State, vertex: int, stamp: int, length: int) -> int:
    """Mark a vertex as reached unless it is visited or marked already, and queue it; the new length of the queue."""
    if s.visited[vertex] or s.marks[vertex] == stamp:
        return length
    s.marks[vertex] = stamp
    s.queue[length] = vertex
    return length + 1


@njit(cache=True)
def _falls_apart(s: State, head: int, left: int) -> int:
    """The size of the search that shows the unvisited part disconnected, negative; else of the one that shows it connected.

    It was connected with the head in it, so it still is if the head's neighbours are connected with each other: the search ends when
    it has met them all. At the root, where nothing is known before, it goes through everything.
    """
    c = s.counters
    c[STAMP] += 1
    stamp = c[STAMP]
    wanted = 0
    length = 0
    for place in range(s.indptr[head], s.indptr[head + 1]):
        wanted = _reach(s, s.indices[place], stamp, wanted)
    if c[DIRECTED]:
        for place in range(s.in_indptr[head], s.in_indptr[head + 1]):
            wanted = _reach(s, s.in_indices[place], stamp, wanted)
    if wanted == 0:
        return -1
    if wanted == 1 and c[DEPTH] > 0:
        return 1
    # The neighbours carry this stamp now; those that the search has met get the next one.
    c[STAMP] += 1
    goal = left if c[DEPTH] == 0 else wanted
    met = 1
    s.marks[s.queue[0]] = c[STAMP]
    length = 1
    done = 0
    while done < length and met < goal:
        vertex = s.queue[done]
        done += 1
        for side in range(1 + c[DIRECTED]):
            indptr = s.in_indptr if side else s.indptr
            indices = s.in_indices if side else s.indices
            for place in range(indptr[vertex], indptr[vertex + 1]):
                other = indices[place]
                if s.visited[other] or s.marks[other] == c[STAMP]:
                    continue
                met += c[DEPTH] == 0 or s.marks[other] == stamp
                s.marks[other] = c[STAMP]
                s.queue[length] = other
                length += 1
    return length if met >= goal else -length


@njit(cache=True)
def _refusing(s: State, head: int) -> tuple[int, int]:
    """The first pruning that refutes the position just entered (0 if none does), and the work that this took."""
    c = s.counters
    left = s.path.size - c[DEPTH] - 1
    if left == 0:
        return 0, 0
    if c[PRUNE] & ENDS and c[ENDS_LEFT] == 0:
        return ENDS, 0
    if c[PRUNE] & EXITS and left > 1 and c[NO_EXIT] + c[NO_EXIT_END] > 0:
        return EXITS, 0
    if c[PRUNE] & DEGREE and left > 1 and _degree_refutes(s, head):
        return DEGREE, 0
    if c[PRUNE] & CONNECTED:
        size = _falls_apart(s, head, left)
        return (CONNECTED, -size) if size < 0 else (0, size)
    return 0, 0


@njit(cache=True)
def _key(s: State, head: int, place: int) -> int:
    """By what the candidate at the end of an arc is compared: exits first, then what breaks ties."""
    vertex = s.indices[place]
    exits = np.int64(s.exits[vertex])
    kind = s.counters[KEY]
    if kind == BY_PHASE:
        return exits * 16 + s.phase_ranks[s.phase[head], s.octants[place]]
    if kind == BY_SECOND_LEVEL:
        second = 0
        for further in range(s.indptr[vertex], s.indptr[vertex + 1]):
            if not s.visited[s.indices[further]]:
                second += s.exits[s.indices[further]]
        return (exits << 40) + second
    # Xorshift64 (Marsaglia 2003).
    bits = s.random[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    s.random[0] = bits
    return (exits << 32) + np.int64(bits >> np.uint64(32))


@njit(cache=True)
def _gather(s: State, head: int) -> None:
    """The candidates of the new head, in the order in which they are tried."""
    first = s.indptr[head]
    end = first
    kind = s.counters[KEY]
    s.cursor[head] = first
    must = s.must[head]
    if must >= 0 and not s.visited[must]:
        s.candidates[first] = must
        s.stop[head] = first + 1
        return
    for place in range(first, s.indptr[head + 1]):
        vertex = s.indices[place]
        if s.visited[vertex]:
            continue
        spot = end
        if kind == BY_EXITS:
            exits = s.exits[vertex]
            while spot > first and s.exits[s.candidates[spot - 1]] > exits:
                s.candidates[spot] = s.candidates[spot - 1]
                spot -= 1
        elif kind != AS_THEY_COME:
            key = _key(s, head, place)
            while spot > first and s.keys[spot - first - 1] > key:
                s.candidates[spot] = s.candidates[spot - 1]
                s.keys[spot - first] = s.keys[spot - first - 1]
                spot -= 1
            s.keys[spot - first] = key
        s.candidates[spot] = vertex
        end += 1
    s.stop[head] = end


@njit(cache=True)
def _tell(s: State, kind: int, vertex: int, pruning: int) -> None:
    at = s.counters[RING]
    s.ring[at], s.ring[at + 1], s.ring[at + 2] = kind, vertex, pruning
    s.counters[RING] = at + RECORD


@njit(cache=True)
def _no_longer_an_end(s: State, vertex: int) -> None:
    """Every closed tour over the edge from the root to this vertex has been tried: no other one ends here."""
    if s.may_end[vertex]:
        _count_scarce(s, vertex, -1)
        s.may_end[vertex] = 0
        _count_scarce(s, vertex, 1)
        s.counters[ENDS_LEFT] -= 1


@njit(cache=True)
def advance(s: State, budget: int, most_positions: int) -> int:
    """Search on until tours fill their rows, the ring is full, a limit is met or nothing is left; returns which.

    ``budget`` bounds the moves tried (and the vertices gone through for connectivity) by this call, ``most_positions`` the positions
    of the whole search. `PAUSED`, `FOUND` and `RING_FULL` go on at the next call, once tours and ring are emptied.
    """
    c = s.counters
    order = s.path.size
    c[STAMP] = 0
    if c[PRUNE] & CONNECTED:
        s.marks[:] = 0
    while True:
        if c[TRACING] and c[RING] + 2 * RECORD > s.ring.size:
            return RING_FULL
        if budget <= 0:
            return PAUSED
        depth = c[DEPTH]
        if depth == 0:
            if c[BEGUN]:
                return EXHAUSTED
            c[BEGUN] = 1
            vertex = c[ROOT]
        else:
            head = s.path[depth - 1]
            at = s.cursor[head]
            if depth == 1 and c[PRUNE] & REVERSAL and at > s.indptr[head]:
                _no_longer_an_end(s, s.candidates[at - 1])
            if at == s.stop[head]:
                if not c[BACKTRACK]:
                    return DEAD_END
                _visit(s, head, 1)
                c[DEPTH] = depth - 1
                c[BACKTRACKS] += 1
                if c[TRACING]:
                    _tell(s, BACK, head, 0)
                continue
            if c[POSITIONS] >= most_positions:
                return PAUSED
            vertex = np.int64(s.candidates[at])
            s.cursor[head] = at + 1
        budget -= 1
        _visit(s, vertex, -1)
        if c[PRUNE]:
            pruning, work = _refusing(s, vertex)
            budget -= work >> 3
            if pruning:
                _visit(s, vertex, 1)
                if c[TRACING]:
                    _tell(s, REFUSED, vertex, pruning)
                continue
        s.path[depth] = vertex
        c[DEPTH] = depth + 1
        c[POSITIONS] += 1
        if c[TRACING]:
            _tell(s, STEP, vertex, 0)
        if c[KEY] == BY_PHASE:
            phase = s.phase[s.path[depth - 1]] if depth else 0
            s.phase[vertex] = phase + (s.switches[phase] == vertex)
        if depth + 1 < order:
            _gather(s, vertex)
            continue
        s.cursor[vertex] = s.stop[vertex] = s.indptr[vertex]
        if s.may_end[vertex]:
            if c[TRACING]:
                _tell(s, TOUR, vertex, 0)
            s.tours[c[TOURS]] = s.path
            s.found_at[c[TOURS]] = c[POSITIONS]
            c[TOURS] += 1
            if c[TOURS] == s.tours.shape[0]:
                return FOUND
