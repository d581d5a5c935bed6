"""The native search over numbers: for problems with givens, by the rules with which such puzzles are solved by hand,
and branching.

The kernel is `cpsat_tour.native.numbers_kernel`, driven here in slices short enough for limits, progress and Ctrl-C. It
begins with what the walks between the givens leave possible (`cpsat_tour.core.timetable`). It meets every numbering
once. A symmetry is held against what it finds, beside what it says of an open tour's numbers: these go down as their
squares are turned. Without givens there would be little to reason from, so that it is for problems with givens alone.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.compiled import announced
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Run
from cpsat_tour.native.numbers_kernel import FINISHED, NumbersState, new_numbers_state, search

SLICE_WORK = 1 << 20
"""Cells of the branchings of a slice, about a twentieth of a second."""

BATCH = 1 << 10
"""Tours listed at a time, at most."""


@dataclass(frozen=True)
class Numbers:
    """Search over numbers: a tour, all of them, or that there is none."""

    takes: ClassVar[frozenset[str]] = frozenset({"directed", "every", "givens", "symmetry"})
    givens_only: ClassVar[bool] = True

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """The Hamiltonian cycles with their givens, a row each; work is counted in branchings."""
        run.work = {"branchings": 0}
        cycle, order = run.cycle, run.cycle.order
        state = numbers_state(cycle)
        rows = np.empty((BATCH if run.every else 1, order), dtype=np.int32)
        while not state.counters[FINISHED]:
            left = run.work_left("branchings")
            slice_branchings = max(1, SLICE_WORK // (order * order))
            with announced(run.tell if run.listened_to else None):
                found, branchings = search(
                    state, rows, slice_branchings if left is None else min(left, slice_branchings)
                )
            run.work["branchings"] += int(branchings)
            met = rows[:found].copy()
            if cycle.either_way:  # a cycle is met in both directions
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


def numbers_state(cycle: CycleProblem) -> NumbersState:
    """The search for the cycles of a problem with givens, not yet begun."""
    tails, heads, must = cycle.tails, cycle.heads, cycle.required
    if cycle.directed:
        # An arc that has to be used leaves its tail no other and its head no other, also none that has to be used.
        out, into = (np.bincount(ends[must], minlength=cycle.order) for ends in (tails, heads))
        kept = out[tails] + into[heads] == 2 * must
        return new_numbers_state((tails[kept], heads[kept]), (tails[:0], heads[:0]), cycle.possible_positions)
    both, other = np.concatenate([tails, heads]), np.concatenate([heads, tails])
    twice = np.tile(must, 2)
    return new_numbers_state((both, other), (both[twice], other[twice]), cycle.possible_positions)
