"""The backend ``numbers``, for problems with givens: the rules by which such puzzles are solved by hand, and branching.

A *cell* is a pair of a position of the cycle and a vertex that may be there. A cell is removed if no neighbour is left
for the position before or after it, or if its position has another vertex, or its vertex another position. A position
with one vertex left has that one, and a vertex with one position left is there. Each cell has counters of its supports
on either side, so that removing a cell costs the degree of its vertex (the counting of Mohr & Henderson 1986), and a
trail undoes it.

When nothing follows, the search branches on whether a cell is right: a cell of the position or the vertex with the
fewest cells left, divided by how often none was left for it (Boussemart, Hemery, Lecoutre & Sais 2004: about half the
branchings). Memory is 9 bytes a cell.

The search begins with the cells that the walks between the givens leave possible (`cpsat_tour.core.timetable`), and
meets every numbering once. A symmetry only filters the numberings found, except that it limits the positions of an open
tour. Without givens there is little to reason from.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free, inlined
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints, in_rows
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Run

SLICE_WORK = 1 << 20  # cells of the branchings of a slice, about a twentieth of a second

BATCH = 1 << 10  # tours listed at a time, at most


@dataclass(frozen=True)
class Numbers:
    """The backend ``numbers``: search over numbers for a tour, all of them, or a refutation."""

    takes: ClassVar[frozenset[str]] = frozenset({"directed", "every", "givens", "symmetry"})
    unit: ClassVar[str] = "branchings"
    givens_only: ClassVar[bool] = True

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles that have the givens in arrays, a row of vertices each; return the `Refutation`
        when there are no more. `StoppedEarly` at a limit. Work is counted in branchings."""
        run.work = {"branchings": 0}
        cycle, order = run.cycle, run.cycle.order
        state = new_numbers_state(cycle)
        rows = np.empty((BATCH if run.every else 1, order), dtype=np.int32)
        while not state.counters[FINISHED]:
            left = run.work_left("branchings")
            slice_branchings = max(1, SLICE_WORK // (order * order))
            found, branchings = search(state, rows, slice_branchings if left is None else min(left, slice_branchings))
            run.work["branchings"] += int(branchings)
            met = rows[:found].copy()
            if cycle.fits_both_ways:  # a cycle is met in both directions
                met = met[met[:, 1] < met[:, -1]]
            met = met[cycle.are_symmetric(met)]
            if len(met):
                yield met
            if run.work_left("branchings") == 0 and not state.counters[FINISHED]:
                raise StoppedEarly("work")
            run.heartbeat()
        return Refutation(
            "exhausted", f"the search over numbers tried every possibility: {run.work['branchings']:,} branchings"
        )


# Places in `NumbersState.counters`: the removed cells, how many of these the counters of other cells include, the open
# decisions, the branchings, and whether the search is finished.
REMOVED, COUNTED, DEPTH, BRANCHINGS, FINISHED, COUNTERS = range(6)


class NumbersState(NamedTuple):
    """A search under way on ``n`` vertices; made by `new_numbers_state`."""

    indptr: Ints  # the arcs out of each vertex
    indices: Ints
    in_indptr: Ints  # the arcs into each vertex
    in_indices: Ints
    must_indptr: Ints  # the required neighbours of each vertex
    must_indices: Ints
    possible: NDArray[np.uint8]  # (n positions, n vertices)
    after: NDArray[np.int16]  # for each cell how many neighbours of its vertex are left for the next position
    before: NDArray[np.int16]  # and for the one before
    vertices_left: Ints  # for each position how many vertices are left
    positions_left: Ints  # for each vertex how many positions are left
    trail: Ints  # the removed cells, each position * n + vertex
    decided: Ints  # for each open decision its cell
    marks: Ints  # and how many cells were removed before it
    failures: NDArray[np.int64]  # for each position, then each vertex, how often nothing was left for it, and one more
    counters: NDArray[np.int64]


def new_numbers_state(cycle: CycleProblem) -> NumbersState:
    """Return an unstarted search for the cycles of a problem with givens."""
    tails, heads, must, order = cycle.tails, cycle.heads, cycle.required, cycle.order
    if cycle.directed:
        # An arc that has to be used leaves its tail no other and its head no other, also none that has to be used.
        out, into = (np.bincount(ends[must], minlength=order) for ends in (tails, heads))
        kept = out[tails] + into[heads] == 2 * must
        tails, heads, must = tails[kept], heads[kept], np.zeros(np.count_nonzero(kept), dtype=np.bool_)
    else:
        tails, heads, must = np.concatenate([tails, heads]), np.concatenate([heads, tails]), np.tile(must, 2)
    indptr, indices = in_rows(tails, heads, order)
    in_indptr, in_indices = in_rows(heads, tails, order)
    must_indptr, must_indices = in_rows(tails[must], heads[must], order)
    # The rules look at what goes alone, so that a vertex without arcs either way is possible nowhere from the start.
    possible = cycle.possible_vertices & (np.diff(indptr) > 0) & (np.diff(in_indptr) > 0)
    removed = np.flatnonzero(~possible)
    state = NumbersState(
        *(indptr, indices, in_indptr, in_indices, must_indptr, must_indices),
        possible=possible.astype(np.uint8),
        after=np.tile(np.diff(indptr).astype(np.int16), (order, 1)),
        before=np.tile(np.diff(in_indptr).astype(np.int16), (order, 1)),
        vertices_left=np.full(order, order, dtype=np.int32),
        positions_left=np.full(order, order, dtype=np.int32),
        trail=np.zeros(order * order, dtype=np.int32),
        decided=np.zeros(order, dtype=np.int32),
        marks=np.zeros(order, dtype=np.int32),
        failures=np.ones(2 * order, dtype=np.int64),
        counters=np.zeros(COUNTERS, dtype=np.int64),
    )
    state.trail[: len(removed)] = removed
    state.counters[REMOVED] = len(removed)
    return state


@allocation_free
def search(s: NumbersState, rows: Ints, budget: int) -> tuple[int, int]:
    """Search until the rows are full, ``budget`` branchings are spent or nothing is left; return the numbers of full
    rows and of branchings."""
    c = s.counters
    found, begun = 0, c[BRANCHINGS]
    while not c[FINISHED]:
        if not _propagate(s):
            _backtrack(s)
            continue
        cell = _branching_cell(s)
        if cell < 0:
            for position in range(len(s.possible)):
                rows[found, position] = _only_vertex(s, position)
            found += 1
            _backtrack(s)
            if found == len(rows):
                break
            continue
        if c[BRANCHINGS] - begun >= budget:
            break
        c[BRANCHINGS] += 1
        s.decided[c[DEPTH]], s.marks[c[DEPTH]] = cell, c[REMOVED]
        c[DEPTH] += 1
        _assign(s, cell // len(s.possible), cell % len(s.possible))
    return found, c[BRANCHINGS] - begun


@inlined
def _backtrack(s: NumbersState) -> None:
    """Undo the last decision and decide the opposite; with no decision to undo, finish the search."""
    c, order = s.counters, len(s.possible)
    if not c[DEPTH]:
        c[FINISHED] = 1
        return
    c[DEPTH] -= 1
    while c[REMOVED] > s.marks[c[DEPTH]]:
        c[REMOVED] -= 1
        cell = s.trail[c[REMOVED]]
        s.possible[cell // order, cell % order] = 1
        if c[REMOVED] < c[COUNTED]:
            _change_supports(s, cell // order, cell % order, 1)
    c[COUNTED] = min(c[COUNTED], c[REMOVED])
    cell = s.decided[c[DEPTH]]
    _remove(s, cell // order, cell % order)


@allocation_free
def _remove(s: NumbersState, position: int, vertex: int) -> None:
    """Remove the cell of a position and a vertex, if it is still there."""
    if s.possible[position, vertex]:
        s.possible[position, vertex] = 0
        s.trail[s.counters[REMOVED]] = position * len(s.possible) + vertex
        s.counters[REMOVED] += 1


@allocation_free
def _assign(s: NumbersState, position: int, vertex: int) -> None:
    """Give the vertex the position: remove its other cells, those of other vertices there, and cells that would keep a
    vertex that has to be beside it apart."""
    order = len(s.possible)
    for other in range(order):
        if other != vertex:
            _remove(s, position, other)
        if other != position:
            _remove(s, other, vertex)
    for arc in range(s.must_indptr[vertex], s.must_indptr[vertex + 1]):
        for other in range(order):
            if (other - position) % order != 1 and (position - other) % order != 1:
                _remove(s, other, s.must_indices[arc])


@allocation_free
def _change_supports(s: NumbersState, position: int, vertex: int, change: int) -> None:
    """Add ``change`` to the counters of a cell's neighbours, its position and its vertex."""
    order = len(s.possible)
    earlier, later = (position - 1) % order, (position + 1) % order
    for arc in range(s.in_indptr[vertex], s.in_indptr[vertex + 1]):
        s.after[earlier, s.in_indices[arc]] += change
    for arc in range(s.indptr[vertex], s.indptr[vertex + 1]):
        s.before[later, s.indices[arc]] += change
    s.vertices_left[position] += change
    s.positions_left[vertex] += change


@allocation_free
def _propagate(s: NumbersState) -> bool:
    """Apply the rules until nothing follows; return False if a position or a vertex has no cell left."""
    c, order = s.counters, len(s.possible)
    while c[COUNTED] < c[REMOVED]:
        cell = s.trail[c[COUNTED]]
        c[COUNTED] += 1
        position, vertex = cell // order, cell % order
        _change_supports(s, position, vertex, -1)
        if s.vertices_left[position] == 0 or s.positions_left[vertex] == 0:
            s.failures[position if s.vertices_left[position] == 0 else order + vertex] += 1
            return False
        earlier, later = (position - 1) % order, (position + 1) % order
        for arc in range(s.in_indptr[vertex], s.in_indptr[vertex + 1]):
            if s.after[earlier, s.in_indices[arc]] == 0:
                _remove(s, earlier, s.in_indices[arc])
        for arc in range(s.indptr[vertex], s.indptr[vertex + 1]):
            if s.before[later, s.indices[arc]] == 0:
                _remove(s, later, s.indices[arc])
        if s.vertices_left[position] == 1:
            _assign(s, position, _only_vertex(s, position))
        if s.positions_left[vertex] == 1:
            for only in range(order):
                if s.possible[only, vertex]:
                    _assign(s, only, vertex)
                    break
    return True


@inlined
def _only_vertex(s: NumbersState, position: int) -> int:
    """Return the only vertex still possible at a position; the last vertex if the only one was removed since it was
    counted."""
    vertex = 0
    while vertex < len(s.possible) - 1 and not s.possible[position, vertex]:
        vertex += 1
    return vertex


@inlined
def _branching_cell(s: NumbersState) -> int:
    """Return a cell, as ``position * n + vertex``, of the position or vertex with the fewest cells left divided by its
    failures, at least two left; -1 if every position has one vertex."""
    order = len(s.possible)
    fewest, failures, narrow = np.int64(order + 1), np.int64(1), -1
    for one in range(2 * order):
        left = np.int64(s.vertices_left[one] if one < order else s.positions_left[one - order])
        if left > 1 and left * failures < fewest * s.failures[one]:
            fewest, failures, narrow = left, s.failures[one], one
    if narrow < 0:
        return -1
    best, cell = order + 1, -1
    for other in range(order):
        position, vertex = (narrow, other) if narrow < order else (other, narrow - order)
        if s.possible[position, vertex]:
            left = s.positions_left[vertex] if narrow < order else s.vertices_left[position]
            if left < best:
                best, cell = left, position * order + vertex
    return cell
