"""The kernel of the path search: an iterative, resumable depth-first search for Hamiltonian paths from a root to a
permitted end, compiled by Numba.

Candidates follow Warnsdorff's rule (`cpsat_tour.native.path_steps`), and positions are refuted from degrees
(`cpsat_tour.native.refutations`). A closed tour is a path whose permitted ends are the vertices with an arc to the
root. The state is the arrays of `cpsat_tour.native.path_state`, whose invariant holds whenever the kernel returns;
there is no recursion.

The search is compiled twice: with nothing but Warnsdorff's rule and backtracking its settings are constants, and one
pass over the neighbours both visits the head and sorts its candidates, a quarter faster. Numba inlines the steps of the
innermost loop; calls, which LLVM would make of them, were a third slower.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.compiled import allocation_free, inlined, is_compiled
from cpsat_tour.native import path_state as state
from cpsat_tour.native.path_state import State, Vertex
from cpsat_tour.native.path_steps import forbid_tried_end, undo_visit, visit, write_by_exits, write_candidates
from cpsat_tour.native.refutations import find_refutation

# What `advance` returns.
PAUSED, FOUND, EXHAUSTED, DEAD_END, RING_FULL = range(5)


def advance(s: State, budget: int, most_positions: int) -> int:
    """Search until the rows of tours or the ring are full, a limit is met or nothing is left; return which, as
    `PAUSED`, `FOUND`, `EXHAUSTED`, `DEAD_END` or `RING_FULL`.

    ``budget`` bounds the moves tried (and the vertices gone through for connectivity) in this call, ``most_positions``
    the positions of the whole search. `PAUSED`, `FOUND` and `RING_FULL` go on at the next call, after tours and ring
    are emptied.
    """
    return int(_search(s, budget, most_positions, True if s.counters[state.PLAIN] else None))


def is_ready(s: State) -> bool:
    """Return True if `advance` need not wait for the compiler."""
    return is_compiled(_search, s, 0, 0, True if s.counters[state.PLAIN] else None)


@allocation_free
def _search(s: State, budget: int, most_positions: int, plain: bool | None) -> int:
    """Search and return what `advance` returns; with True for ``plain``, in order of exits alone, whatever else the
    counters say.

    It is right only where `PLAIN` is set. True and None differ in type, so that each has a compilation of its own.
    """
    c = s.counters
    key, prune, backtrack, directed, tracing = state.BY_EXITS, 0, 1, 0, 0
    if plain is None:
        key, prune, backtrack = c[state.KEY], c[state.PRUNE], c[state.BACKTRACK]
        directed, tracing = c[state.DIRECTED], c[state.TRACING]
    if prune & state.CONNECTED:
        c[state.STAMP] = 0  # anew, before the stamps could run over
        s.marks[:] = 0
    while budget > 0:
        if tracing and c[state.RING] + (s.keys.size + 2) * state.RECORD > s.ring.size:
            return RING_FULL  # a step and its candidates might not fit any more
        if c[state.DEPTH] == 0:
            if c[state.BEGUN]:
                return EXHAUSTED
            c[state.BEGUN] = 1
            vertex = np.uint32(c[state.ROOT])
        else:
            head = s.path[c[state.DEPTH] - 1]
            if c[state.DEPTH] == 1 and prune & state.REVERSAL and s.cursor[head] > s.indptr[head]:
                forbid_tried_end(s)
            if s.cursor[head] == s.stop[head]:
                if not backtrack:
                    return DEAD_END
                _step_back(s, head, prune, directed, tracing)
                continue
            if c[state.POSITIONS] >= most_positions:
                return PAUSED
            vertex = s.candidates[s.cursor[head]]
            s.cursor[head] += 1
        budget -= 1
        if plain is None and s.possible.size and not s.possible[c[state.DEPTH], vertex]:
            continue
        if plain is None and s.before.size and s.before[vertex] < s.path.size and not s.visited[s.before[vertex]]:
            continue
        s.path[c[state.DEPTH]] = vertex
        left = s.path.size - c[state.DEPTH] - 1
        if backtrack and not prune and s.exits[vertex] == 0:
            if _try_leaf(s, vertex, left, tracing):
                return FOUND
            continue
        visit(s, vertex, prune, directed, plain is None)
        if prune:
            pruning, gone_through = find_refutation(s, prune, vertex, left)
            budget -= gone_through >> 3
            if pruning:
                undo_visit(s, vertex, prune, directed)
                _record(s, tracing, state.REFUSED, vertex, pruning)
                continue
        c[state.DEPTH] += 1
        c[state.POSITIONS] += 1
        if plain is not None:
            write_by_exits(s, vertex)
        else:
            write_candidates(s, vertex, c[state.DEPTH], key)
            _record_step(s, tracing, vertex)
            if left == 0 and _end_full_path(s, vertex, tracing):
                return FOUND
    return PAUSED


@inlined
def _step_back(s: State, head: Vertex, prune: int, directed: int, tracing: int) -> None:
    """Take the head, all of whose candidates were tried, off the path."""
    c = s.counters
    undo_visit(s, head, prune, directed)
    c[state.DEPTH] -= 1
    c[state.BACKTRACKS] += 1
    _record(s, tracing, state.BACK, head, 0)


@inlined
def _try_leaf(s: State, vertex: Vertex, left: int, tracing: int) -> bool:
    """Enter and leave a vertex without exits, which need not be visited for that; return True if the rows of tours are
    full."""
    c = s.counters
    c[state.POSITIONS] += 1
    c[state.BACKTRACKS] += 1
    _record(s, tracing, state.STEP, vertex, 0)
    full = left == 0 and _end_full_path(s, vertex, tracing)
    _record(s, tracing, state.BACK, vertex, 0)
    return full


@inlined
def _end_full_path(s: State, vertex: Vertex, tracing: int) -> bool:
    """Keep the full path as a tour if it may end at this vertex; return True if the rows of tours are full."""
    if not s.may_end[vertex]:
        return False
    _record(s, tracing, state.TOUR, vertex, 0)
    row = s.counters[state.TOURS]
    for place in range(s.path.size):
        s.tours[row, place] = s.path[place]
    s.found_at[row] = s.counters[state.POSITIONS]
    s.counters[state.TOURS] = row + 1
    return bool(row + 1 == s.found_at.size)


@inlined
def _record_step(s: State, tracing: int, vertex: Vertex) -> None:
    """Write the step to a vertex, its candidates and their exits into the ring of events."""
    _record(s, tracing, state.STEP, vertex, 0)
    if tracing:
        for place in range(s.indptr[vertex], s.stop[vertex]):
            _record(s, tracing, state.CANDIDATE, s.candidates[place], s.exits[s.candidates[place]])


@inlined
def _record(s: State, tracing: int, event: int, vertex: Vertex, number: int | np.uint32) -> None:
    """Write a record into the ring of events if the search is traced."""
    if tracing:
        at = s.counters[state.RING]
        s.ring[at], s.ring[at + 1], s.ring[at + 2] = event, vertex, number
        s.counters[state.RING] = at + state.RECORD
