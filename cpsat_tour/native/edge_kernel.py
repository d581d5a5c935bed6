"""The edge search's kernel: Hamiltonian cycles by choosing edges, iterative and resumable, compiled by Numba.

A Hamiltonian cycle takes two edges at each vertex. Every edge is undecided, taken or dropped, and after each decision
three rules run until nothing follows: where two edges are taken, the others are dropped; where two edges are left, both
are taken; an edge that would close a cycle too early is dropped. Under a symmetry there is a fourth: the edges of an
orbit are decided alike. The search then branches on an edge at the vertex of fewest edges left, an end of a path if
there is one: it takes the edge first and drops it later. Selby (1970) and Martello (1983) chose edges like this; the
mates of path ends are those of Knuth's SSHAM (The Art of Computer Programming, fascicle 8a, 2024), whose sparse sets
are not needed where rows are short.

The state is flat arrays. ``left[v]`` counts the edges at ``v`` that are not dropped, ``used[v]`` those that are taken.
``mate[v]`` is the other end of the path that ``v`` is an end of, ``v`` itself where no edge is taken, and stays as it
was when ``v`` came inside a path, which is what undoing needs. ``link[v]`` is the exclusive or of the vertices that
taken edges join to ``v``. ``trail`` holds the edges decided, in order, with a flag on those taken; ``decisions`` and
``marks`` hold the edge of each branching and the length of the trail before it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cpsat_tour.core.compiled import allocation_free, inlined
from cpsat_tour.core.space import Bytes, Naturals

UNDECIDED, TAKEN, DROPPED = range(3)

TOOK = np.uint32(1 << 31)  # marks an edge of the trail as taken

NONE, ONE, TWO = np.uint32(0), np.uint32(1), np.uint32(2)

# The counters of a search: lengths of its lists, the number of edges taken, what it does next, and how far the trail
# was followed.
TRAIL, EDGES, DEPTH, FORCED, PHASE, FOLLOWED, COUNTERS = range(7)
BEGINNING, SEARCHING, RETREATING, FINISHED = range(4)


class EdgeState(NamedTuple):
    """A search under way on ``n`` vertices and ``m`` edges."""

    first: Naturals  # (n + 1): the edges at v are edges[first[v]:first[v + 1]]
    heads: Naturals  # beside ``edges``, their other ends
    edges: Naturals
    ends: Naturals  # (m, 2): the two ends of each edge
    state: Bytes
    used: Naturals
    left: Naturals
    mate: Naturals
    link: Naturals
    trail: Naturals
    forced: Naturals  # the vertices where two edges are left, a stack of counters[FORCED]
    given: Naturals  # the edges decided before the search begins, with a flag on those taken
    decisions: Naturals
    marks: Naturals
    following: Naturals  # the next edge of each edge's orbit under a symmetry; empty without one
    counters: Naturals


@allocation_free
def search(s: EdgeState, tours: Naturals, budget: int) -> tuple[int, int]:
    """Search until ``tours`` is full, ``budget`` branchings are spent or nothing is left; return the numbers of tours
    and of branchings.

    Each tour is a row of ``tours``, from vertex 0 on.
    """
    counters, order = s.counters, np.uint32(len(s.used))
    found, branchings = 0, 0
    if counters[PHASE] == BEGINNING:
        counters[PHASE] = SEARCHING if _decide_given_edges(s) else RETREATING
    while branchings < budget and found < len(tours):
        if counters[PHASE] == SEARCHING:
            if not _propagate(s):
                counters[PHASE] = RETREATING
            elif counters[EDGES] == order:
                _write_cycle(s, tours[found])
                found += 1
                counters[PHASE] = RETREATING
            else:
                branchings += 1
                chosen = _first_undecided_edge(s, _vertex_of_fewest_edges(s))
                s.decisions[counters[DEPTH]] = chosen
                s.marks[counters[DEPTH]] = counters[TRAIL]
                counters[DEPTH] += ONE
                if not _take(s, chosen):
                    counters[PHASE] = RETREATING
        elif counters[DEPTH] == NONE:
            counters[PHASE] = FINISHED
            break
        else:
            counters[FORCED] = NONE
            counters[DEPTH] -= ONE
            _undo(s, s.marks[counters[DEPTH]])
            counters[FOLLOWED] = min(counters[FOLLOWED], counters[TRAIL])
            if _drop(s, s.decisions[counters[DEPTH]]):
                counters[PHASE] = SEARCHING
    return found, branchings


@allocation_free
def _decide_given_edges(s: EdgeState) -> bool:
    """Decide the given edges, and note where two are left from the beginning; return False at a contradiction."""
    fine = True
    for number in range(len(s.used)):
        v = np.uint32(number)
        if s.left[v] == TWO:
            s.forced[s.counters[FORCED]] = v
            s.counters[FORCED] += ONE
        fine = fine and s.left[v] >= TWO
    for entry in s.given:
        if fine:
            fine = _decide(s, entry & ~TOOK, entry)
    return fine


@inlined
def _decide(s: EdgeState, edge: np.uint32, entry: np.uint32) -> bool:
    """Take or drop an edge as the flag of the entry says; return False if it is decided otherwise already, or can't
    be."""
    wanted = TAKEN if entry & TOOK else DROPPED
    fine = True
    if s.state[edge] == UNDECIDED:
        fine = _take(s, edge) if wanted == TAKEN else _drop(s, edge)
    return fine and s.state[edge] == wanted


@inlined
def _propagate(s: EdgeState) -> bool:
    """Decide all that follows from what is decided; return False at a contradiction.

    Under a symmetry, what is decided of an edge is decided of the next one of its orbit.
    """
    fine, settled = True, False
    while fine and not settled:
        fine = _take_where_two_are_left(s)
        settled = len(s.following) == 0 or s.counters[FOLLOWED] == s.counters[TRAIL]
        while fine and not settled and s.counters[FOLLOWED] < s.counters[TRAIL]:
            entry = s.trail[s.counters[FOLLOWED]]
            s.counters[FOLLOWED] += ONE
            fine = _decide(s, s.following[entry & ~TOOK], entry)
    return fine


@inlined
def _take_where_two_are_left(s: EdgeState) -> bool:
    """Take both edges of each vertex that has only two left; return False at a contradiction."""
    fine = True
    while s.counters[FORCED] > NONE and fine:
        s.counters[FORCED] -= ONE
        v = s.forced[s.counters[FORCED]]
        if s.used[v] < TWO:
            for place in range(s.first[v], s.first[v + ONE]):
                edge = s.edges[np.uint32(place)]
                if s.state[edge] == UNDECIDED:
                    fine = _take(s, edge)
                    if not fine:
                        break
    return fine


@inlined
def _take(s: EdgeState, edge: np.uint32) -> bool:
    """Take an edge, and drop those that can't be taken beside it; return False at a contradiction."""
    v, u, order = s.ends[edge, 0], s.ends[edge, 1], np.uint32(len(s.used))
    fine = bool(s.mate[v] != u or s.counters[EDGES] + ONE == order)
    if fine:
        s.state[edge] = TAKEN
        s.trail[s.counters[TRAIL]] = edge | TOOK
        s.counters[TRAIL] += ONE
        s.counters[EDGES] += ONE
        s.used[v] += ONE
        s.used[u] += ONE
        s.link[v] ^= u
        s.link[u] ^= v
        v_end, u_end = s.mate[v], s.mate[u]
        s.mate[v_end], s.mate[u_end] = u_end, v_end
        if s.used[v] == TWO:
            fine = _drop_the_others(s, v)
        if fine and s.used[u] == TWO:
            fine = _drop_the_others(s, u)
        if fine and s.counters[EDGES] + ONE < order:
            fine = _drop_between(s, v_end, u_end)
    return fine


@inlined
def _drop_the_others(s: EdgeState, v: np.uint32) -> bool:
    """Drop the edges left at a vertex where two are taken; return False at a contradiction."""
    fine = True
    for place in range(s.first[v], s.first[v + ONE]):
        edge = s.edges[np.uint32(place)]
        if s.state[edge] == UNDECIDED:
            good = _drop(s, edge)
            fine = fine and good
    return fine


@inlined
def _drop_between(s: EdgeState, v: np.uint32, u: np.uint32) -> bool:
    """Drop the edge that would close a path to a cycle too early; return False at a contradiction."""
    fine = True
    shorter = s.first[v + ONE] - s.first[v] <= s.first[u + ONE] - s.first[u]
    here, there = (v, u) if shorter else (u, v)
    for place in range(s.first[here], s.first[here + ONE]):
        if s.heads[np.uint32(place)] == there:
            edge = s.edges[np.uint32(place)]
            if s.state[edge] == UNDECIDED:
                fine = _drop(s, edge)
            break
    return fine


@inlined
def _drop(s: EdgeState, edge: np.uint32) -> bool:
    """Drop an edge; return False if fewer than two are left at one of its ends."""
    s.state[edge] = DROPPED
    s.trail[s.counters[TRAIL]] = edge
    s.counters[TRAIL] += ONE
    fine = _count_dropped_edge(s, s.ends[edge, 0])
    return _count_dropped_edge(s, s.ends[edge, 1]) and fine


@inlined
def _count_dropped_edge(s: EdgeState, v: np.uint32) -> bool:
    """Count one edge less at a vertex, and note it if two are left; return False if fewer are."""
    s.left[v] -= ONE
    if s.left[v] == TWO and s.used[v] < TWO:
        s.forced[s.counters[FORCED]] = v
        s.counters[FORCED] += ONE
    return bool(s.left[v] >= TWO)


@inlined
def _undo(s: EdgeState, mark: np.uint32) -> None:
    """Undo all decisions since the trail had the length ``mark``."""
    while s.counters[TRAIL] > mark:
        s.counters[TRAIL] -= ONE
        entry = s.trail[s.counters[TRAIL]]
        edge = entry & ~TOOK
        s.state[edge] = UNDECIDED
        v, u = s.ends[edge, 0], s.ends[edge, 1]
        if entry & TOOK:
            s.counters[EDGES] -= ONE
            s.used[v] -= ONE
            s.used[u] -= ONE
            s.link[v] ^= u
            s.link[u] ^= v
            v_end = s.mate[v] if s.used[v] else v
            u_end = s.mate[u] if s.used[u] else u
            s.mate[v_end], s.mate[u_end] = v, u
        else:
            s.left[v] += ONE
            s.left[u] += ONE


@inlined
def _vertex_of_fewest_edges(s: EdgeState) -> np.uint32:
    """Return an end of a path if there is one, else a vertex without taken edges, of fewest edges left."""
    order = np.uint32(len(s.used))
    path_end, bare = order, order
    fewest, fewest_bare = TOOK, TOOK
    for number in range(order):
        v = np.uint32(number)
        if s.used[v] == ONE:
            if s.left[v] < fewest:
                path_end, fewest = v, s.left[v]
                if fewest == TWO + ONE:
                    break
        elif s.used[v] == NONE and s.left[v] < fewest_bare:
            bare, fewest_bare = v, s.left[v]
    return path_end if path_end < order else bare


@inlined
def _first_undecided_edge(s: EdgeState, v: np.uint32) -> np.uint32:
    """Return the first undecided edge at a vertex; without one the last."""
    edge = NONE
    for place in range(s.first[v], s.first[v + ONE]):
        edge = s.edges[np.uint32(place)]
        if s.state[edge] == UNDECIDED:
            break
    return edge


@inlined
def _write_cycle(s: EdgeState, tour: Naturals) -> None:
    """Write the vertices of the cycle of taken edges into ``tour``, from vertex 0 on."""
    previous, v = NONE, NONE
    for place in range(s.first[0], s.first[1]):
        if s.state[s.edges[np.uint32(place)]] == TAKEN:
            previous = s.heads[np.uint32(place)]
            break
    for step in range(len(tour)):
        tour[step] = v
        previous, v = v, s.link[v] ^ previous
