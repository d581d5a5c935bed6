"""Making a state of the kernel, and the invariant that it keeps.

The invariant is recomputed from the path alone, in plain NumPy, so that a test can stop a search anywhere and compare.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.native import kernel
from cpsat_tour.native.kernel import Naturals, State
from cpsat_tour.native.orders import Arcs
from cpsat_tour.native.rooted import RootedProblem

RING_RECORDS = 1 << 12


def new_state(
    rooted: RootedProblem,
    arcs: Arcs,
    *,
    prune: int,
    backtrack: bool = True,
    rows: int = 1,
    traced: bool = False,
    random: NDArray[np.uint64] | None = None,
) -> State:
    """A search that has not begun.

    ``prune`` are the kernel's bit flags, ``rows`` is how many tours it finds before it returns, ``traced`` whether it fills the ring
    of events, ``random`` the one-word state of the random order, shared by the searches that go on from each other.
    """
    graph = rooted.graph
    order = graph.order
    directed = graph.directed
    prune &= _meaningful(rooted)
    exits = graph.degrees.astype(np.uint32)
    most_exits = int(exits.max(initial=0))
    incoming = graph.reversed
    indptr, indices = graph.indptr.view(np.uint32), arcs.indices.view(np.uint32)
    state = State(
        indptr=indptr,
        indices=indices,
        in_indptr=incoming.indptr.view(np.uint32) if directed else indptr,
        in_indices=incoming.indices.view(np.uint32) if directed else indices,
        may_end=rooted.may_end.astype(np.uint8),
        must=_or_order(rooted.must, order),
        octants=arcs.octants,
        phase_ranks=arcs.phase_ranks,
        switches=_or_order(arcs.switches, order),
        path=np.zeros(order, dtype=np.uint32),
        visited=np.zeros(order, dtype=np.uint8),
        exits=exits,
        entries=incoming.degrees.astype(np.uint32) if directed else exits,
        candidates=np.empty(len(graph.indices), dtype=np.uint32),
        cursor=np.zeros(order, dtype=np.uint32),
        stop=np.zeros(order, dtype=np.uint32),
        phase=np.zeros(order if arcs.key == kernel.BY_PHASE else 0, dtype=np.uint8),
        keys=np.zeros(most_exits + 1, dtype=np.int64),
        marks=np.zeros(order if prune & kernel.CONNECTED else 0, dtype=np.uint32),
        queue=np.zeros(order if prune & kernel.CONNECTED else 0, dtype=np.uint32),
        random=np.ones(1, dtype=np.uint64) if random is None else random,
        counters=np.zeros(kernel.COUNTERS, dtype=np.int64),
        tours=np.empty((rows, order), dtype=np.uint32),
        found_at=np.zeros(rows, dtype=np.int64),
        ring=np.empty((RING_RECORDS + most_exits) * kernel.RECORD if traced else 0, dtype=np.int32),
    )
    counters = state.counters
    counters[kernel.ROOT] = rooted.root
    counters[kernel.KEY] = arcs.key
    counters[kernel.PRUNE] = prune
    counters[kernel.BACKTRACK] = backtrack
    counters[kernel.DIRECTED] = directed
    counters[kernel.TRACING] = traced
    counters[kernel.PLAIN] = arcs.key == kernel.BY_EXITS and prune == 0 and backtrack and not (directed or traced or (rooted.must >= 0).any())
    for counter, value in _scarce(state).items():
        counters[counter] = value
    return state


def _or_order(vertices: Ints, order: int) -> Naturals:
    """The vertices with the order of the graph for -1, none."""
    return np.where(vertices < 0, order, vertices).astype(np.uint32)


def _meaningful(rooted: RootedProblem) -> int:
    """The prunings that are sound here: a tour can be read backwards only if nothing tells its two directions apart."""
    wanted = ~0
    if rooted.graph.directed:
        wanted &= ~kernel.EXITS
    if not rooted.reversible:
        wanted &= ~kernel.REVERSAL
    return wanted


def _scarce(state: State) -> dict[int, int]:
    """The counters of the prunings, recomputed."""
    free = state.visited == 0
    end = state.may_end == 1
    return {
        kernel.ENDS_LEFT: int((free & end).sum()),
        kernel.NO_EXIT: int((free & ~end & (state.exits == 0)).sum()),
        kernel.NO_EXIT_END: int((free & end & (state.exits == 0)).sum()),
        kernel.ONE_EXIT: int((free & ~end & (state.exits == 1)).sum()),
        kernel.ONE_EXIT_END: int((free & end & (state.exits == 1)).sum()),
        kernel.NO_ENTRY: int((free & (state.entries == 0)).sum()),
    }


def check_invariant(state: State, graph: Graph) -> None:
    """Raise `AssertionError` unless the arrays and counters of a state are what its path and its graph make them."""
    counters = state.counters
    depth = int(counters[kernel.DEPTH])
    path = state.path[:depth]
    assert len(set(path.tolist())) == depth, "a vertex stands on the path twice"
    assert np.flatnonzero(state.visited).tolist() == sorted(path.tolist()), "visited is not the path"
    free = state.visited == 0
    assert state.exits.tolist() == [int(free[graph.neighbours(v)].sum()) for v in range(graph.order)], "exits are wrong"
    assert state.entries.tolist() == [int(free[graph.reversed.neighbours(v)].sum()) for v in range(graph.order)], "entries are wrong"
    if counters[kernel.PRUNE]:
        assert {counter: int(counters[counter]) for counter in _scarce(state)} == _scarce(state), "the counters of the prunings are wrong"
    before: set[int] = set()
    for place, vertex in enumerate(path.tolist()):
        before.add(vertex)
        first, cursor, stop = int(graph.indptr[vertex]), int(state.cursor[vertex]), int(state.stop[vertex])
        assert first <= cursor <= stop, "a cursor is outside its candidates"
        offered = state.candidates[first:stop].tolist()
        open_moves = set(graph.neighbours(vertex).tolist()) - before
        must = int(state.must[vertex])
        wanted = {must} if must < graph.order and must not in before else open_moves
        if len(before) < graph.order:
            assert set(offered) == wanted, "the candidates are not the unvisited neighbours"
        if place + 1 < depth:
            assert offered[cursor - first - 1] == path[place + 1], "the path does not follow the cursor"
    _check_arcs(state, graph)


def _check_arcs(state: State, graph: Graph) -> None:
    rows: Ints = np.lexsort((state.indices, graph.tails)).astype(np.int32)
    assert state.indices[rows].tolist() == graph.indices.tolist(), "the arcs in their order are not the arcs of the graph"
