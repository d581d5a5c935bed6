"""The native edge search: Hamiltonian cycles of any undirected graph, found, listed or refuted by choosing edges.

The search itself is `cpsat_tour.native.edge_kernel`, driven here in slices short enough for limits, progress and Ctrl-C. One tour is
sought with restarts, each on the vertices in a new random numbering, with budgets of branchings by Luby's sequence (Luby, Sinclair & Zuckerman
1993): what is hard in one numbering is often easy in another, and since the budgets grow without bound every problem is decided, given
time. All tours are listed by one search to its end, in constant memory.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Run
from cpsat_tour.native.dfs import luby
from cpsat_tour.native.edge_kernel import (
    COUNTERS,
    DROPPED,
    FINISHED,
    PHASE,
    TAKEN,
    TOOK,
    TRAIL,
    UNDECIDED,
    EdgeState,
    Naturals,
    search,
)

RESTART_BRANCHINGS = 300
"""The budget of the first search; the others have Luby's multiples of it."""

SLICE_WORK = 2_000_000
"""Vertices looked at between two heartbeats, at most: some hundredths of a second."""

BATCH = 1 << 12
"""Tours listed at a time, at most."""

NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Edges:
    """Depth-first search over edges: a tour, all of them, or that there is none.

    Without ``restarts`` one tour is sought by one search, in the numbering that the problem has.
    """

    restarts: bool = True

    takes: ClassVar[frozenset[str]] = frozenset({"every"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """The Hamiltonian cycles, a row each; work is counted in branchings."""
        run.work = {"branchings": 0, "searches": 0}
        if run.every or not self.restarts:
            yield from self._one_search(run)
        else:
            yield from self._restarting(run)
        return Refutation("exhausted", f"the search over edges tried every possibility: {run.work['branchings']:,} branchings")

    def _one_search(self, run: Run) -> Generator[Ints, None, None]:
        """The cycles of one search, to its end."""
        state = new_state(run.cycle)
        run.work["searches"] = 1
        rows = np.empty((BATCH if run.every else 1, run.cycle.order), dtype=np.uint32)
        while not finished(state):
            if found := _advance(run, state, rows, NO_LIMIT)[0]:
                yield rows[:found].astype(np.int32)
            run.heartbeat()

    def _restarting(self, run: Run) -> Generator[Ints, None, None]:
        """A cycle of the first search that finds one; each has its numbering and its budget, and one that comes to its end is the last."""
        numberings = np.random.default_rng(run.limits.seed)
        rows = np.empty((1, run.cycle.order), dtype=np.uint32)
        for attempt in itertools.count(1):
            numbering = numberings.permutation(run.cycle.order)
            state = new_state(run.cycle, numbering)
            run.work["searches"] = attempt
            budget = RESTART_BRANCHINGS * luby(attempt)
            while budget and not finished(state):
                found, branchings = _advance(run, state, rows, budget)
                if found:
                    yield np.argsort(numbering).astype(np.int32)[rows]
                    return
                budget -= branchings
                run.heartbeat()
            if finished(state):
                return


def _advance(run: Run, state: EdgeState, rows: Naturals, budget: int) -> tuple[int, int]:
    """Go on for a slice, within the budget and the limit on work; how many rows are full now, and the branchings that it took."""
    left = run.work_left("branchings")
    if left == 0:
        raise StoppedEarly("work")
    slice_branchings = max(1, SLICE_WORK // run.cycle.order)
    found, branchings = search(*state, rows, min(slice_branchings, budget, NO_LIMIT if left is None else left))
    run.work["branchings"] += int(branchings)
    return int(found), int(branchings)


def finished(state: EdgeState) -> bool:
    """Whether the search has come to its end."""
    return bool(state.counters[PHASE] == FINISHED)


def new_state(cycle: CycleProblem, numbering: NDArray[np.integer] | None = None, *, decided: Naturals | None = None) -> EdgeState:
    """A search that has not begun, on the vertices in this numbering (a permutation).

    The required edges are taken at the beginning, and so is what is ``decided`` besides: edges, with the flag `TOOK` on those to take.
    """
    order, size = cycle.order, cycle.size
    ends: NDArray[np.integer] = np.stack([cycle.tails, cycle.heads], axis=1)
    if numbering is not None:
        ends = numbering[ends]
    edges = np.tile(np.arange(size, dtype=np.uint32), 2)
    tails, heads = ends.T.ravel(), ends[:, ::-1].T.ravel()
    place = np.lexsort((heads, tails))
    degrees = np.bincount(tails, minlength=order)
    first = np.concatenate([[0], np.cumsum(degrees)])
    given = np.flatnonzero(cycle.required).astype(np.uint32) | TOOK
    if decided is not None:
        given = np.concatenate([given, decided])

    def numbers(values: NDArray[np.integer] | int) -> Naturals:
        return np.zeros(values, dtype=np.uint32) if isinstance(values, int) else np.ascontiguousarray(values, dtype=np.uint32)

    return EdgeState(
        first=numbers(first),
        heads=numbers(heads[place]),
        edges=numbers(edges[place]),
        ends=numbers(ends),
        state=np.zeros(size, dtype=np.uint8),
        used=numbers(order),
        left=numbers(degrees),
        mate=numbers(np.arange(order)),
        link=numbers(order),
        trail=numbers(size),
        forced=numbers(order + size),
        given=numbers(given),
        decisions=numbers(order),
        marks=numbers(order),
        counters=numbers(COUNTERS),
    )


def fault(state: EdgeState) -> str | None:
    """The first thing in which a state at rest differs from what its decided edges say; None where its invariant holds."""
    order = len(state.used)
    taken = state.state == TAKEN
    ends = state.ends.astype(np.int64)
    if not np.array_equal(state.used, np.bincount(ends[taken].ravel(), minlength=order)):
        return "used is not the number of taken edges"
    if not np.array_equal(state.left, np.bincount(ends[state.state != DROPPED].ravel(), minlength=order)):
        return "left is not the number of edges that are not dropped"
    trail = state.trail[: state.counters[TRAIL]]
    if sorted((trail & ~TOOK).tolist()) != np.flatnonzero(state.state != UNDECIDED).tolist():
        return "the trail does not hold the decided edges, each once"
    if not np.array_equal((trail & TOOK) != 0, taken[trail & ~TOOK]):
        return "the trail's flags are not those of the taken edges"
    neighbours: list[list[int]] = [[] for _ in range(order)]
    for one, other in ends[taken].tolist():
        neighbours[one].append(other)
        neighbours[other].append(one)
    for vertex, joined in enumerate(neighbours):
        if int(state.link[vertex]) != functools.reduce(operator.xor, joined, 0):
            return f"link of {vertex} is not the exclusive or of its neighbours"
        if len(joined) < 2 and int(state.mate[vertex]) != _other_end(neighbours, vertex):
            return f"mate of {vertex} is not the other end of its path"
    return None


def _other_end(neighbours: list[list[int]], vertex: int) -> int:
    """Where the path that begins at this vertex ends."""
    previous, here = -1, vertex
    while onward := [other for other in neighbours[here] if other != previous]:
        previous, here = here, onward[0]
    return here
