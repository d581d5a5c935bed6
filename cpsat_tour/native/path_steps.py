"""Steps of the path search: a vertex is visited or its visit undone, and the candidates of a new head are sorted.

A visit takes one exit off each vertex with an arc to the visited one, and one entry off each that it has an arc to. If
prunings are asked for, the counters of scarce vertices, which have too few exits to be passed through freely, follow.

Candidates follow Warnsdorff's rule (von Warnsdorff 1823): fewest exits first. Ties go by the order of the arcs, by the
exits of the exits (Pohl 1967), at random, or by direction orders that switch at given vertices (Squirrel & Cull 1996).
A handful of candidates is sorted by insertion.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free, inlined
from cpsat_tour.core.space import Bytes, Longs, Naturals
from cpsat_tour.native import path_state as state
from cpsat_tour.native.path_state import State, Vertex


@inlined
def visit(s: State, vertex: Vertex, prune: int, directed: int, count_exits: bool) -> None:
    """Flag a vertex as visited and take it off the exits and entries of its neighbours; without ``count_exits`` the
    exits are left to `write_by_exits`."""
    if prune:
        _visit_and_count(s, vertex, -1)
    else:
        s.visited[vertex] = 1
        if count_exits:
            _add_to_neighbours(s.in_indptr, s.in_indices, s.exits, vertex, -1)
        if directed:
            _add_to_neighbours(s.indptr, s.indices, s.entries, vertex, -1)


@inlined
def undo_visit(s: State, vertex: Vertex, prune: int, directed: int) -> None:
    """Make a vertex unvisited again and count it among the exits and entries of its neighbours."""
    if prune:
        _visit_and_count(s, vertex, 1)
    else:
        s.visited[vertex] = 0
        _add_to_neighbours(s.in_indptr, s.in_indices, s.exits, vertex, 1)
        if directed:
            _add_to_neighbours(s.indptr, s.indices, s.entries, vertex, 1)


@inlined
def forbid_tried_end(s: State) -> None:
    """Forbid closed tours to end at the candidate of the root that was tried last: all tours over that edge are
    found."""
    vertex = s.candidates[s.cursor[s.path[0]] - 1]
    if s.may_end[vertex]:
        _count_scarce(s.counters, s.may_end, s.exits, s.entries, vertex, -1)
        s.may_end[vertex] = 0
        _count_scarce(s.counters, s.may_end, s.exits, s.entries, vertex, 1)
        s.counters[state.ENDS_LEFT] -= 1


@inlined
def _add_to_neighbours(indptr: Naturals, indices: Naturals, numbers: Naturals, vertex: Vertex, change: int) -> None:
    """Add ``change`` to the number of each neighbour of a vertex."""
    for arc in range(indptr[vertex], indptr[vertex + 1]):
        numbers[indices[arc]] += change


@inlined
def _visit_and_count(s: State, vertex: Vertex, change: int) -> None:
    """Visit a vertex (``change`` -1), or undo that (1), and update the counters of the prunings."""
    c, visited, exits = s.counters, s.visited, s.exits
    if change < 0:
        _count_scarce(c, s.may_end, exits, s.entries, vertex, -1)
        visited[vertex] = 1
    c[state.ENDS_LEFT] += change * s.may_end[vertex]
    for arc in range(s.in_indptr[vertex], s.in_indptr[vertex + 1]):
        neighbour = s.in_indices[arc]
        if visited[neighbour] or exits[neighbour] > 2:
            exits[neighbour] += change
        else:
            _count_scarce(c, s.may_end, exits, s.entries, neighbour, -1)
            exits[neighbour] += change
            _count_scarce(c, s.may_end, exits, s.entries, neighbour, 1)
    if c[state.DIRECTED]:
        for arc in range(s.indptr[vertex], s.indptr[vertex + 1]):
            neighbour = s.indices[arc]
            s.entries[neighbour] += change
            if not visited[neighbour] and s.entries[neighbour] == (0 if change < 0 else 1):
                c[state.NO_ENTRY] -= change
    if change > 0:
        visited[vertex] = 0
        _count_scarce(c, s.may_end, exits, s.entries, vertex, 1)


@allocation_free
def _count_scarce(c: Longs, may_end: Bytes, exits: Naturals, entries: Naturals, vertex: Vertex, sign: int) -> None:
    """Add an unvisited vertex to (or take it from) the counts of those that can't be passed through freely."""
    if exits[vertex] == 0:
        c[state.NO_EXIT_END if may_end[vertex] else state.NO_EXIT] += sign
    elif exits[vertex] == 1:
        c[state.ONE_EXIT_END if may_end[vertex] else state.ONE_EXIT] += sign
    if entries[vertex] == 0:
        c[state.NO_ENTRY] += sign


@inlined
def write_by_exits(s: State, head: Vertex) -> None:
    """Take the head off its neighbours' exits, and on the way write its candidates in order of exits."""
    s.cursor[head] = s.indptr[head]
    s.stop[head] = _write_unvisited(s, head, True, 1)


@inlined
def write_candidates(s: State, head: Vertex, depth: int, key: int) -> None:
    """Write the candidates of the head into its row: only the vertex that must follow, if any, else all in the order of
    the key."""
    must_follow = s.must[head]
    s.cursor[head] = s.indptr[head]
    if must_follow < s.path.size and not s.visited[must_follow]:
        s.candidates[s.indptr[head]] = must_follow
        s.stop[head] = s.indptr[head] + 1
    elif key <= state.BY_EXITS:
        s.stop[head] = _write_unvisited(s, head, key == state.BY_EXITS, 0)
    else:
        s.stop[head] = _write_sorted_by_key(s, head, key, depth)


@inlined
def _set_phase(s: State, head: Vertex, depth: int) -> int:
    """Set and return the phase at the head: that of the vertex before it, or the next one if its switch is the head."""
    before = s.phase[s.path[depth - 2]] if depth > 1 else 0
    now = before + (s.switches[before] == head)
    s.phase[head] = now
    return int(now)


@inlined
def _write_unvisited(s: State, head: Vertex, by_exits: bool, one_less: int) -> np.int64:
    """Write the unvisited neighbours of the head into its row of candidates, as the arcs come or, ``by_exits``, those
    with the fewest exits first; return the index after the last.

    ``one_less`` is 1 to take the head off the exits of its neighbours on the way.
    """
    exits, candidates = s.exits, s.candidates
    first = np.int64(s.indptr[head])
    end = first
    for arc in range(s.indptr[head], s.indptr[head + 1]):
        vertex = s.indices[arc]
        fewest = exits[vertex] - np.uint32(one_less)
        exits[vertex] = fewest
        if s.visited[vertex]:
            continue
        spot = end
        if by_exits:
            while spot > first and exits[candidates[spot - 1]] > fewest:
                candidates[spot] = candidates[spot - 1]
                spot -= 1
        candidates[spot] = vertex
        end += 1
    return end


@inlined
def _write_sorted_by_key(s: State, head: Vertex, order_key: int, depth: int) -> np.int64:
    """Write the unvisited neighbours of the head into its row of candidates, those with the fewest exits first, of
    equal ones by what breaks ties; return the index after the last."""
    keys, candidates = s.keys, s.candidates
    phase = _set_phase(s, head, depth) if order_key == state.BY_PHASE else 0
    first = np.int64(s.indptr[head])
    end = first
    for arc in range(s.indptr[head], s.indptr[head + 1]):
        vertex = s.indices[arc]
        if s.visited[vertex]:
            continue
        key = np.int64(s.exits[vertex]) << 40
        if order_key == state.BY_PHASE:
            key += s.phase_ranks[phase, s.octants[arc]]
        elif order_key == state.AT_RANDOM:
            key += random_bits(s.random)
        else:
            key += _exits_of_exits(s, vertex)
        spot = end
        while spot > first and keys[spot - first - 1] > key:
            candidates[spot] = candidates[spot - 1]
            keys[spot - first] = keys[spot - first - 1]
            spot -= 1
        keys[spot - first] = key
        candidates[spot] = vertex
        end += 1
    return end


@allocation_free
def random_bits(random: NDArray[np.uint64]) -> np.int64:
    """Return the next 32 bits of a xorshift generator (Marsaglia 2003)."""
    bits = random[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    random[0] = bits
    return np.int64(bits >> np.uint64(32))


@inlined
def _exits_of_exits(s: State, vertex: Vertex) -> np.int64:
    """Return the sum of the exits of a vertex's unvisited neighbours."""
    total = np.int64(0)
    for arc in range(s.indptr[vertex], s.indptr[vertex + 1]):
        neighbour = s.indices[arc]
        if not s.visited[neighbour]:
            total += np.int64(s.exits[neighbour])
    return total
