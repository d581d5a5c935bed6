"""The state of a search: flat arrays, how one begins, and the invariant that every step keeps.

``path[:depth]`` is the path, ``visited`` flags its vertices, ``exits[v]`` is the number of unvisited vertices that an
arc from ``v`` enters, ``entries[v]`` of those that an arc to ``v`` leaves (one array if the graph is undirected). As a
vertex stands on the path at most once, the candidates of ``v`` lie in its own row of ``candidates``:
``candidates[indptr[v]:stop[v]]`` in the order in which they are tried, those before ``cursor[v]`` tried already. The
counters hold how many unvisited vertices are permitted ends, and how many have too few exits to be passed through
freely; they are kept only where prunings read them.

Memory is linear in vertices and arcs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.space import Bytes, Ints, Longs, Naturals
from cpsat_tour.native.rooted import RootedProblem

Vertex = int | np.uint32

# How candidates are compared: not at all, by exits, and what breaks ties between equal exits (else the order of the
# arcs).
AS_THEY_COME, BY_EXITS, BY_SECOND_LEVEL, AT_RANDOM, BY_PHASE = range(5)

# Prunings that look at every position, as bit flags; each is the code of its event.
ENDS, EXITS, DEGREE, CONNECTED, REVERSAL = 1, 2, 4, 8, 16

# Settings and counters of a search, as places in `State.counters`.
ROOT, KEY, PRUNE, BACKTRACK, DIRECTED, TRACING, PLAIN = range(7)
DEPTH, POSITIONS, BACKTRACKS, BEGUN, TOURS, RING, STAMP = range(7, 14)
ENDS_LEFT, NO_EXIT, NO_EXIT_END, ONE_EXIT, ONE_EXIT_END, NO_ENTRY = range(14, 20)
COUNTERS = 20

# Records in the ring: the kind, the vertex, and a third number: the exits of a candidate, the pruning that refused a
# move, else 0. A step is followed by its candidates in the order in which they are tried.
STEP, CANDIDATE, REFUSED, BACK, TOUR = range(1, 6)
RECORD = 3
RING_RECORDS = 1 << 12


@dataclass(frozen=True, eq=False)
class TieOrder:
    """The arcs of a graph, each row in the order in which ties are tried, and the key by which candidates are
    compared."""

    indices: Ints
    key: int
    octants: Bytes
    phase_ranks: Bytes
    switches: Ints


class State(NamedTuple):
    """A search under way, made by `new_state`."""

    indptr: Naturals
    indices: Naturals  # the arcs out of each vertex, in the order in which ties are tried
    in_indptr: Naturals
    in_indices: Naturals  # the arcs into each vertex
    may_end: Bytes
    possible: Bytes
    """Where numbers are given, for each depth of the path the vertices that may come next, ``(order, order)`` (else
    empty)."""
    before: Naturals
    """Where there are waypoints, for each the one that is visited before it, or the order of the graph (else empty)."""
    must: Naturals
    """The vertex that has to follow (if it is still unvisited), or the order of the graph where none has to."""
    octants: Bytes  # the direction of each arc, for orders with phases (else empty)
    phase_ranks: Bytes  # for each phase the rank of each direction, ``(phases, 9)``
    switches: Naturals
    """For each phase the vertex on whose visit the next one begins, or the order of the graph where none is."""
    path: Naturals
    visited: Bytes
    exits: Naturals
    entries: Naturals
    candidates: Naturals
    cursor: Naturals
    stop: Naturals
    phase: Bytes  # the phase in which the candidates of a vertex were put in order
    keys: Longs  # scratch space of a sort
    marks: Naturals  # scratch space of a breadth-first search
    queue: Naturals
    random: NDArray[np.uint64]
    counters: Longs
    tours: Naturals  # the tours found since the last emptying, a row each: ``tours[:counters[TOURS]]``
    found_at: Longs  # for each of them the number of positions when it was found
    ring: NDArray[np.int32]  # events since the last emptying: ``ring[:counters[RING]]``, `RECORD` numbers each


def new_state(
    rooted: RootedProblem,
    ties: TieOrder,
    *,
    prune: int,
    backtrack: bool = True,
    traced: bool = False,
    random: NDArray[np.uint64] | None = None,
) -> State:
    """Return an unstarted search.

    ``prune`` is a sum of the bit flags above; with ``traced`` it fills the ring of events. ``random`` is the one-word
    state of the random order, shared by searches that continue each other's sequence.
    """
    graph, order, directed = rooted.graph, rooted.graph.order, rooted.graph.directed
    # Unsound prunings are left off: a tour can be read backwards only if its two directions are alike.
    prune &= ~(EXITS * directed | REVERSAL * (not rooted.reversible))
    exits = graph.degrees.astype(np.uint32)
    most_exits = int(exits.max(initial=0))
    incoming = graph.reversed
    indptr, indices = graph.indptr.view(np.uint32), ties.indices.view(np.uint32)
    state = State(
        indptr=indptr,
        indices=indices,
        in_indptr=incoming.indptr.view(np.uint32) if directed else indptr,
        in_indices=incoming.indices.view(np.uint32) if directed else indices,
        may_end=rooted.may_end.astype(np.uint8),
        possible=rooted.possible.view(np.uint8),
        before=_none_as_order(rooted.before, order),
        must=_none_as_order(rooted.must, order),
        octants=ties.octants,
        phase_ranks=ties.phase_ranks,
        switches=_none_as_order(ties.switches, order),
        path=np.zeros(order, dtype=np.uint32),
        visited=np.zeros(order, dtype=np.uint8),
        exits=exits,
        entries=incoming.degrees.astype(np.uint32) if directed else exits,
        candidates=np.empty(len(graph.indices), dtype=np.uint32),
        cursor=np.zeros(order, dtype=np.uint32),
        stop=np.zeros(order, dtype=np.uint32),
        phase=np.zeros(order if ties.key == BY_PHASE else 0, dtype=np.uint8),
        keys=np.zeros(most_exits + 1, dtype=np.int64),
        marks=np.zeros(order if prune & CONNECTED else 0, dtype=np.uint32),
        queue=np.zeros(order if prune & CONNECTED else 0, dtype=np.uint32),
        random=np.ones(1, dtype=np.uint64) if random is None else random,
        counters=np.zeros(COUNTERS, dtype=np.int64),
        tours=np.empty((1, order), dtype=np.uint32),
        found_at=np.zeros(1, dtype=np.int64),
        ring=np.empty((RING_RECORDS + most_exits) * RECORD if traced else 0, dtype=np.int32),
    )
    counters = state.counters
    counters[ROOT], counters[KEY], counters[PRUNE], counters[BACKTRACK] = rooted.root, ties.key, prune, backtrack
    counters[DIRECTED], counters[TRACING] = directed, traced
    told_apart = directed or traced or rooted.possible.size or rooted.before.size or (rooted.must >= 0).any()
    counters[PLAIN] = ties.key == BY_EXITS and prune == 0 and backtrack and not told_apart
    end, entries = rooted.may_end, state.entries
    counters[ENDS_LEFT], counters[NO_ENTRY] = end.sum(), (entries == 0).sum()
    counters[NO_EXIT], counters[NO_EXIT_END] = (~end & (exits == 0)).sum(), (end & (exits == 0)).sum()
    counters[ONE_EXIT], counters[ONE_EXIT_END] = (~end & (exits == 1)).sum(), (end & (exits == 1)).sum()
    return state


def _none_as_order(vertices: Ints, order: int) -> Naturals:
    """Return the vertices with -1, which stands for none, replaced by the order of the graph."""
    return np.where(vertices < 0, order, vertices).astype(np.uint32)
