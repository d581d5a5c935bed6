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
``marks`` hold the edge of each branching and the length of the trail before it. `fault` in
`cpsat_tour.native.edge_state` recomputes all of this.

The steps are closures of one function, so that they read as rules: they share its arrays, which would be a dozen
arguments of each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free

Naturals = NDArray[np.uint32]
"""Vertices, edges and counts: unsigned, for that spares a test for negative indices at each access."""

UNDECIDED, TAKEN, DROPPED = range(3)

TOOK = np.uint32(1 << 31)
"""Marks an edge of the trail as taken."""

NONE, ONE, TWO = np.uint32(0), np.uint32(1), np.uint32(2)

# The counters of a search: lengths of its lists, the number of edges taken, what it does next, and how far the trail
# was followed.
TRAIL, EDGES, DEPTH, FORCED, PHASE, FOLLOWED, COUNTERS = range(7)
BEGINNING, SEARCHING, RETREATING, FINISHED = range(4)


class EdgeState(NamedTuple):
    """A search under way on ``n`` vertices and ``m`` edges."""

    first: Naturals
    """``(n + 1)``: the edges at ``v`` are ``edges[first[v]:first[v + 1]]``, and ``heads`` beside it their other
    ends."""
    heads: Naturals
    edges: Naturals
    ends: Naturals
    """``(m, 2)``: the two ends of each edge."""
    state: NDArray[np.uint8]
    used: Naturals
    left: Naturals
    mate: Naturals
    link: Naturals
    trail: Naturals
    forced: Naturals
    """The vertices where two edges are left, a stack of ``counters[FORCED]``."""
    given: Naturals
    """The edges decided before the search begins, with a flag on those taken."""
    decisions: Naturals
    marks: Naturals
    following: Naturals
    """The next edge of each edge's orbit under a symmetry, all of which are decided alike; empty where none is
    asked."""
    counters: Naturals


@allocation_free
def search(
    first: Naturals,
    heads: Naturals,
    edges: Naturals,
    ends: Naturals,
    state: NDArray[np.uint8],
    used: Naturals,
    left: Naturals,
    mate: Naturals,
    link: Naturals,
    trail: Naturals,
    forced: Naturals,
    given: Naturals,
    decisions: Naturals,
    marks: Naturals,
    following: Naturals,
    counters: Naturals,
    tours: Naturals,
    budget: int,
) -> tuple[int, int]:
    """Go on until ``tours`` is full, the budget of branchings is spent or nothing is left; the numbers of tours and of
    branchings.

    The tours are the rows of ``tours``, each from vertex 0 on.
    """
    order = np.uint32(len(used))

    def narrow(v: np.uint32) -> bool:
        """One edge less is left at the vertex; False if that is too few."""
        left[v] -= ONE
        if left[v] == TWO and used[v] < TWO:
            forced[counters[FORCED]] = v
            counters[FORCED] += ONE
        return left[v] >= TWO  # type: ignore[no-any-return]

    def drop(edge: np.uint32) -> bool:
        state[edge] = DROPPED
        trail[counters[TRAIL]] = edge
        counters[TRAIL] += ONE
        one = narrow(ends[edge, 0])
        other = narrow(ends[edge, 1])
        return one and other

    def drop_the_others(v: np.uint32) -> bool:
        """Where two edges are taken, the others are dropped."""
        fine = True
        for place in range(first[v], first[v + ONE]):
            edge = edges[np.uint32(place)]
            if state[edge] == UNDECIDED:
                good = drop(edge)
                fine = fine and good
        return fine

    def drop_between(one: np.uint32, other: np.uint32) -> bool:
        """An edge between the ends of a path would close a cycle too early."""
        fine = True
        shorter = first[one + ONE] - first[one] <= first[other + ONE] - first[other]
        here, there = (one, other) if shorter else (other, one)
        for place in range(first[here], first[here + ONE]):
            if heads[np.uint32(place)] == there:
                edge = edges[np.uint32(place)]
                if state[edge] == UNDECIDED:
                    fine = drop(edge)
                break
        return fine

    def take(edge: np.uint32) -> bool:
        v, u = ends[edge, 0], ends[edge, 1]
        fine = bool(mate[v] != u or counters[EDGES] + ONE == order)
        if fine:
            state[edge] = TAKEN
            trail[counters[TRAIL]] = edge | TOOK
            counters[TRAIL] += ONE
            counters[EDGES] += ONE
            used[v] += ONE
            used[u] += ONE
            link[v] ^= u
            link[u] ^= v
            one, other = mate[v], mate[u]
            mate[one], mate[other] = other, one
            if used[v] == TWO:
                fine = drop_the_others(v)
            if fine and used[u] == TWO:
                fine = drop_the_others(u)
            if fine and counters[EDGES] + ONE < order:
                fine = drop_between(one, other)
        return fine

    def take_where_two_are_left() -> bool:
        fine = True
        while counters[FORCED] > NONE and fine:
            counters[FORCED] -= ONE
            v = forced[counters[FORCED]]
            if used[v] < TWO:
                for place in range(first[v], first[v + ONE]):
                    edge = edges[np.uint32(place)]
                    if state[edge] == UNDECIDED:
                        fine = take(edge)
                        if not fine:
                            break
        return fine

    def decide_the_orbits() -> bool:
        """What is decided of an edge is decided of the next one of its orbit."""
        fine = True
        while counters[FOLLOWED] < counters[TRAIL] and fine:
            entry = trail[counters[FOLLOWED]]
            counters[FOLLOWED] += ONE
            other = following[entry & ~TOOK]
            wanted = TAKEN if entry & TOOK else DROPPED
            if state[other] == UNDECIDED:
                fine = take(other) if wanted == TAKEN else drop(other)
            fine = fine and state[other] == wanted
        return fine

    def follow() -> bool:
        """All that follows from what is decided."""
        fine = take_where_two_are_left()
        while len(following) > 0 and fine and counters[FOLLOWED] < counters[TRAIL]:
            fine = decide_the_orbits() and take_where_two_are_left()
        return fine

    def undo(mark: np.uint32) -> None:
        """Take back what was decided since the trail had this length."""
        while counters[TRAIL] > mark:
            counters[TRAIL] -= ONE
            entry = trail[counters[TRAIL]]
            edge = entry & ~TOOK
            state[edge] = UNDECIDED
            v, u = ends[edge, 0], ends[edge, 1]
            if entry & TOOK:
                counters[EDGES] -= ONE
                used[v] -= ONE
                used[u] -= ONE
                link[v] ^= u
                link[u] ^= v
                one = mate[v] if used[v] else v
                other = mate[u] if used[u] else u
                mate[one], mate[other] = v, u
            else:
                left[v] += ONE
                left[u] += ONE

    def vertex_of_fewest_edges() -> np.uint32:
        """An end of a path if there is one, else a vertex without taken edges."""
        path_end, bare = order, order
        fewest, fewest_bare = TOOK, TOOK
        for number in range(order):
            v = np.uint32(number)
            if used[v] == ONE:
                if left[v] < fewest:
                    path_end, fewest = v, left[v]
                    if fewest == TWO + ONE:
                        break
            elif used[v] == NONE and left[v] < fewest_bare:
                bare, fewest_bare = v, left[v]
        return path_end if path_end < order else bare

    def undecided_edge(v: np.uint32) -> np.uint32:
        edge = NONE
        for place in range(first[v], first[v + ONE]):
            edge = edges[np.uint32(place)]
            if state[edge] == UNDECIDED:
                break
        return edge

    def write(row: int) -> None:
        """Walk along the taken edges from vertex 0."""
        previous, v = NONE, NONE
        for place in range(first[0], first[1]):
            if state[edges[np.uint32(place)]] == TAKEN:
                previous = heads[np.uint32(place)]
                break
        for step in range(order):
            tours[row, step] = v
            previous, v = v, link[v] ^ previous

    def decide_what_is_given() -> bool:
        """The given edges, and both edges where two are left from the beginning; False where a vertex has fewer."""
        fine = True
        for number in range(order):
            v = np.uint32(number)
            if left[v] == TWO:
                forced[counters[FORCED]] = v
                counters[FORCED] += ONE
            fine = fine and left[v] >= TWO
        for entry in given:
            edge = entry & ~TOOK
            wanted = TAKEN if entry & TOOK else DROPPED
            if fine and state[edge] == UNDECIDED:
                fine = take(edge) if wanted == TAKEN else drop(edge)
            fine = fine and state[edge] == wanted
        return fine

    found, branchings = 0, 0
    if counters[PHASE] == BEGINNING:
        counters[PHASE] = SEARCHING if decide_what_is_given() else RETREATING
    while branchings < budget and found < len(tours):
        if counters[PHASE] == SEARCHING:
            if not follow():
                counters[PHASE] = RETREATING
            elif counters[EDGES] == order:
                write(found)
                found += 1
                counters[PHASE] = RETREATING
            else:
                branchings += 1
                chosen = undecided_edge(vertex_of_fewest_edges())
                decisions[counters[DEPTH]] = chosen
                marks[counters[DEPTH]] = counters[TRAIL]
                counters[DEPTH] += ONE
                if not take(chosen):
                    counters[PHASE] = RETREATING
        elif counters[DEPTH] == NONE:
            counters[PHASE] = FINISHED
            break
        else:
            counters[FORCED] = NONE
            counters[DEPTH] -= ONE
            undo(marks[counters[DEPTH]])
            counters[FOLLOWED] = min(counters[FOLLOWED], counters[TRAIL])
            if drop(decisions[counters[DEPTH]]):
                counters[PHASE] = SEARCHING
    return found, branchings
