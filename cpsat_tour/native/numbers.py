"""The backend ``numbers``, for problems with givens: the rules by which such puzzles are solved by hand, and branching.

A *cell* is a pair of a position of the cycle and a vertex that may be there. A cell is removed if no neighbour is left
for the position before or after it, or if its position has another vertex, or its vertex another position. A position
with one vertex left has that one, and a vertex with one position left is there. Each cell has counters of its supports
on either side, so that removing a cell costs the degree of its vertex (the counting of Mohr & Henderson 1986), and a
trail undoes it.

When nothing follows, the search branches on whether a cell is right: a cell of the position or the vertex with the
fewest cells left, divided by how often none was left for it (Boussemart, Hemery, Lecoutre & Sais 2004: about half the
branchings). Memory is 9 bytes a cell.

The search begins with the cells that the walks between the givens leave possible (`cpsat_tour.core.problem`), and
meets every numbering once. A symmetry only filters the numberings found, except that it limits the positions of an open
tour. Without givens there is little to reason from.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import in_rows
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Bytes, Ints, Longs

SLICE_WORK = 1 << 20  # cells of the branchings of a slice, about a twentieth of a second

BATCH = 1 << 10  # tours listed at a time, at most


@dataclass(frozen=True)
class Numbers:
    """The backend ``numbers``: search over numbers for a tour, all of them, or a refutation."""

    takes: ClassVar[frozenset[str]] = frozenset({"directed", "every", "givens", "symmetry"})
    unit: ClassVar[str] = "branchings"
    givens_only: ClassVar[bool] = True

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield arrays of the Hamiltonian cycles that match the givens, a row of vertices each; return the `Refutation`
        when there are no more.

        `StoppedEarly` at a limit. Work is counted in branchings.
        """
        run.work = {"branchings": 0}
        cycle, order = run.cycle, run.cycle.order
        rows = np.empty((BATCH if run.every else 1, order), dtype=np.int32)
        state = new_numbers_search(cycle, len(rows))
        while not state.counters[FINISHED]:
            left = run.work_left("branchings")
            slice_branchings = max(1, SLICE_WORK // (order * order))
            found = numbers_search(state, rows, slice_branchings if left is None else min(left, slice_branchings))
            run.work["branchings"] = int(state.counters[BRANCHINGS])
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


# The counters: the removed cells, how many of these the counters of other cells include, the open decisions, the
# branchings, and whether the search is finished.
REMOVED, COUNTED, DEPTH, BRANCHINGS, FINISHED, COUNTERS = range(6)

Shorts = NDArray[np.int16]


class NumbersSearch(Record):
    """A search under way, as `numbers.c` describes it."""

    order: int
    rows: int
    indptr: Annotated[Ints, "order+1"]
    indices: Ints
    in_indptr: Annotated[Ints, "order+1"]
    in_indices: Ints
    must_indptr: Annotated[Ints, "order+1"]
    must_indices: Ints
    possible: Annotated[Bytes, "order*order"]
    after: Annotated[Shorts, "order*order"]
    before: Annotated[Shorts, "order*order"]
    vertices_left: Annotated[Ints, "order"]
    positions_left: Annotated[Ints, "order"]
    trail: Annotated[Ints, "order*order"]
    decided: Annotated[Ints, "order"]
    marks: Annotated[Ints, "order"]
    failures: Annotated[Longs, "2*order"]
    counters: Annotated[Longs, "5"]


def new_numbers_search(cycle: CycleProblem, rows: int) -> NumbersSearch:
    """Return an unstarted search for the cycles of a problem with givens; it has room for ``rows`` cycles at a time."""
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
    state = NumbersSearch(
        order=order,
        rows=rows,
        indptr=indptr,
        indices=indices,
        in_indptr=in_indptr,
        in_indices=in_indices,
        must_indptr=must_indptr,
        must_indices=must_indices,
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


@kernel
def numbers_search(search: NumbersSearch, rows: Annotated[Ints, "search.rows*search.order"], budget: int) -> int:
    """Search until ``rows`` is full of cycles, ``budget`` branchings are spent or nothing is left; return the number of
    cycles written."""


@kernel
def numbers_fault(search: NumbersSearch) -> int:
    """Return 0 while the state satisfies the invariant in `numbers.c`, else the number of the first condition that
    fails."""
