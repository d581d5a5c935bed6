"""Steps of the search: a vertex is visited, or its visit undone, and what its neighbours know of it is kept.

A visit takes one exit off each vertex with an arc to it, and one entry off each that it has an arc to. Where prunings
are asked for, the counters of scarce vertices follow: those that can't be passed through freely any more.
"""

from __future__ import annotations

from cpsat_tour.core.compiled import allocation_free, inlined
from cpsat_tour.native import state
from cpsat_tour.native.state import Bytes, Longs, Naturals, State, Vertex


@inlined
def visit(s: State, vertex: Vertex, prune: int, directed: int, count_exits: bool) -> None:
    """Flag a vertex as visited and tell its neighbours; without ``count_exits`` whoever gathers its candidates tells
    them on the way."""
    if prune:
        _recount(s, vertex, -1)
    else:
        s.visited[vertex] = 1
        if count_exits:
            _add_to_neighbours(s.in_indptr, s.in_indices, s.exits, vertex, -1)
        if directed:
            _add_to_neighbours(s.indptr, s.indices, s.entries, vertex, -1)


@inlined
def undo_visit(s: State, vertex: Vertex, prune: int, directed: int) -> None:
    """Make a vertex unvisited again and tell its neighbours."""
    if prune:
        _recount(s, vertex, 1)
    else:
        s.visited[vertex] = 0
        _add_to_neighbours(s.in_indptr, s.in_indices, s.exits, vertex, 1)
        if directed:
            _add_to_neighbours(s.indptr, s.indices, s.entries, vertex, 1)


@inlined
def forbid_return_over_tried_edge(s: State) -> None:
    """All closed tours over the edge from the root to the candidate tried last have been found: no other one ends
    there."""
    vertex = s.candidates[s.cursor[s.path[0]] - 1]
    if s.may_end[vertex]:
        _count_scarce(s.counters, s.may_end, s.exits, s.entries, vertex, -1)
        s.may_end[vertex] = 0
        _count_scarce(s.counters, s.may_end, s.exits, s.entries, vertex, 1)
        s.counters[state.ENDS_LEFT] -= 1


@inlined
def _add_to_neighbours(indptr: Naturals, indices: Naturals, numbers: Naturals, vertex: Vertex, change: int) -> None:
    """Change the number of each neighbour of a vertex."""
    for place in range(indptr[vertex], indptr[vertex + 1]):
        numbers[indices[place]] += change


@inlined
def _recount(s: State, vertex: Vertex, change: int) -> None:
    """Visit a vertex (change -1), or undo the visit (change 1), and keep the counters of the prunings."""
    c, visited, exits = s.counters, s.visited, s.exits
    if change < 0:
        _count_scarce(c, s.may_end, exits, s.entries, vertex, -1)
        visited[vertex] = 1
    c[state.ENDS_LEFT] += change * s.may_end[vertex]
    for place in range(s.in_indptr[vertex], s.in_indptr[vertex + 1]):
        other = s.in_indices[place]
        if visited[other] or exits[other] > 2:
            exits[other] += change
        else:
            _count_scarce(c, s.may_end, exits, s.entries, other, -1)
            exits[other] += change
            _count_scarce(c, s.may_end, exits, s.entries, other, 1)
    if c[state.DIRECTED]:
        for place in range(s.indptr[vertex], s.indptr[vertex + 1]):
            other = s.indices[place]
            s.entries[other] += change
            if not visited[other] and s.entries[other] == (0 if change < 0 else 1):
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
