"""The best tour by exhaustion: all tours are listed by the edge search, each is valued, and the best are counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.best_run import BestRun, PairGoal, Settled
from cpsat_tour.backends.listing import Listing
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.events import Event, OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.native.edges import Edges
from cpsat_tour.spaces.objectives import OBJECTIVES
from cpsat_tour.spaces.segments import Longs


@dataclass(frozen=True)
class Listed:
    """The list to its end, or until ``most`` branchings, 0 for no such limit."""

    most: int = 0

    takes: ClassVar[frozenset[str]] = frozenset(OBJECTIVES)

    def improve(self, run: BestRun) -> Settled:
        """Value tour after tour; work is counted in branchings."""
        goal = run.goal
        assert isinstance(goal, PairGoal)

        def listen(event: Event) -> None:
            if isinstance(event, Progress):
                run.work.update(event.work)
                run.tell(Progress(dict(run.work)))

        limits = replace(run.limits, seconds=run.clock.left, work=self.most or run.limits.work)
        attained = tours = 0
        counted = run.value
        for rows in _batches(goal.problem, limits, listen):
            values = goal.sum.values(rows)
            place = int(values.argmax() if goal.maximize else values.argmin())
            if run.value is None or run.better(int(values[place]), run.value):
                run.found(rows[place])
                attained, counted = 0, run.value
            attained += int((values == counted).sum())
            tours += len(rows)
            run.work["tours"] = tours
        return Settled("exhausted", f"all {tours:,} tours were listed by the search over edges", attained)


def _batches(problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None) -> Iterator[Ints]:
    """All tours, verified, a row each."""
    for batch in Listing(problem, Edges(), limits, on_event=on_event, name="edges"):
        if len(batch.tours):
            yield batch.tours


def distribution(problem: HamiltonProblem, objective: str, limits: Limits | None = None, on_event: OnEvent | None = None) -> dict[int, int]:
    """For each value of an objective how many tours have it, all of them listed; `StoppedEarly` when a limit is met first."""
    stated = OBJECTIVES[objective].stated(problem)
    counts: Longs = np.zeros(1, dtype=np.int64)
    for tours in _batches(problem, limits or Limits(), on_event):
        more = np.bincount(stated.values(tours))
        counts = np.pad(counts, (0, max(0, len(more) - len(counts))))
        counts[: len(more)] += more
    return {int(value): int(counts[value]) for value in np.flatnonzero(counts)}
