"""The native edge search: Hamiltonian cycles of any undirected graph, found, listed or refuted by choosing edges.

The search itself is `cpsat_tour.native.edge_kernel`, driven here in slices short enough for limits, progress and
Ctrl-C. One tour is sought with restarts, each on the vertices in a new random numbering, with budgets of branchings by
Luby's sequence (Luby, Sinclair & Zuckerman 1993): what is hard in one numbering is often easy in another, and since the
budgets grow without bound every problem is decided, given time. All tours are listed by one search to its end, or by
one for each cube of `cpsat_tour.native.cubes`, in constant memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.run import Run
from cpsat_tour.native.cubes import cycles_by_threads
from cpsat_tour.native.edge_kernel import EdgeState, Naturals, search
from cpsat_tour.native.edge_state import SLICE_WORK, finished, new_state
from cpsat_tour.native.local_search import luby

RESTART_BRANCHINGS = 300
"""The budget of the first search; the others have Luby's multiples of it."""

BATCH = 1 << 12
"""Tours listed at a time, at most."""

NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Edges:
    """Depth-first search over edges: a tour, all of them, or that there is none.

    Without ``restarts`` one tour is sought by one search, in the numbering that the problem has.
    """

    restarts: bool = True

    takes: ClassVar[frozenset[str]] = frozenset({"every", "symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """The Hamiltonian cycles, a row each; work is counted in branchings."""
        run.work = {"branchings": 0, "searches": 0}
        threads = run.limits.threads or 1
        if run.every and threads > 1 and run.limits.work is None:
            yield from cycles_by_threads(run, threads)
        elif run.every or not self.restarts:
            yield from one_search(run)
        else:
            yield from self._restarting(run)
        return Refutation(
            "exhausted", f"the search over edges tried every possibility: {run.work['branchings']:,} branchings"
        )

    def _restarting(self, run: Run) -> Generator[Ints, None, None]:
        """A cycle of the first search that finds one; each has its numbering and its budget, and one that comes to its
        end is the last."""
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


def one_search(run: Run, cube: Naturals | None = None) -> Generator[Ints, None, None]:
    """The cycles of one search, to its end: of all there are, or of those in the cube."""
    state = new_state(run.cycle, decided=cube)
    run.work["searches"] = 1
    rows = np.empty((BATCH if run.every else 1, run.cycle.order), dtype=np.uint32)
    while not finished(state):
        if found := _advance(run, state, rows, NO_LIMIT)[0]:
            yield rows[:found].astype(np.int32)
        run.heartbeat()


def _advance(run: Run, state: EdgeState, rows: Naturals, budget: int) -> tuple[int, int]:
    """Go on for a slice, within the budget and the limit on work; how many rows are full now, and the branchings that
    it took."""
    left = run.work_left("branchings")
    if left == 0:
        raise StoppedEarly("work")
    slice_branchings = max(1, SLICE_WORK // run.cycle.order)
    found, branchings = search(*state, rows, min(slice_branchings, budget, NO_LIMIT if left is None else left))
    run.work["branchings"] += int(branchings)
    return int(found), int(branchings)
