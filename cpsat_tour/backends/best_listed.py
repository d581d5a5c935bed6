"""The best tour by exhaustion: all tours are listed by the edge search, each is valued, and the best are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.best_run import BestRun, PairGoal, Settled
from cpsat_tour.backends.listing import Listing
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.native.edges import Edges
from cpsat_tour.spaces.objectives import OBJECTIVES
from cpsat_tour.spaces.segments import Longs


@dataclass(frozen=True)
class Listed:
    """The list to its end, or until ``most`` branchings, 0 for no such limit."""

    most: int = 0

    takes: ClassVar[frozenset[str]] = frozenset(OBJECTIVES)

    def improve(self, run: BestRun[PairGoal]) -> Settled:
        """Value tour after tour; work is counted in branchings."""
        attained, counted = 0, run.value
        for tours in run.listing(Edges(), self.most, "edges"):
            values = run.goal.sum.values(tours)
            place = int(values.argmax() if run.goal.maximize else values.argmin())
            if run.value is None or run.better(int(values[place]), run.value):
                run.found(tours[place])
                attained, counted = 0, run.value
            attained += int((values == counted).sum())
        return Settled("exhausted", f"all {run.work['tours']:,} tours were listed by the search over edges", attained)


def distribution(
    problem: Problem, objective: str, limits: Limits | None = None, on_event: OnEvent | None = None
) -> dict[int, int]:
    """For each value of an objective how many tours have it, all of them listed; `StoppedEarly` when a limit is met
    first."""
    stated = OBJECTIVES[objective].stated(problem)
    counts: Longs = np.zeros(1, dtype=np.int64)
    for batch in Listing(problem, Edges(), limits, on_event=on_event, name="edges"):
        more = np.bincount(stated.values(batch.tours))
        counts = np.pad(counts, (0, max(0, len(more) - len(counts))))
        counts[: len(more)] += more
    return {int(value): int(counts[value]) for value in np.flatnonzero(counts)}
