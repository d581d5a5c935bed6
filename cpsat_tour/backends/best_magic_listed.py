"""Magic tours by exhaustion: all tours are listed, and those are counted whose lines add up alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.best_magic import MagicGoal
from cpsat_tour.backends.best_run import BestRun, Settled
from cpsat_tour.backends.listing import Listing
from cpsat_tour.backends.protocols import Backend
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.edges import Edges


@dataclass(frozen=True)
class MagicListed:
    """The list of all tours to its end, or until so many positions, or branchings with a symmetry, 0 for no such limit."""

    most: int = 0

    takes: ClassVar[frozenset[str]] = frozenset({MagicGoal.objective})

    def improve(self, run: BestRun) -> Settled:
        """Look at each numbering of each tour."""
        goal = run.goal
        assert isinstance(goal, MagicGoal)

        def listen(event: Event) -> None:
            if isinstance(event, Progress):
                run.work.update(event.work)
                run.tell(Progress(dict(run.work)))

        limits = replace(run.limits, seconds=run.clock.left, work=self.most or run.limits.work)
        lister: Backend = Dfs() if goal.problem.symmetry is None else Edges()
        problem, attained, listed = goal.problem, 0, 0
        either_way = problem.end is None and (problem.closed or problem.start is None) and not problem.graph.directed
        for batch in Listing(problem, lister, limits, on_event=listen, name="the list of tours"):
            for tours in _numbered(problem, batch.tours):
                magic = np.flatnonzero(goal.magic.are_magic(np.argsort(tours, axis=1) + 1))
                attained += len(magic) * (2 if either_way else 1)
                if len(magic) and run.best is None:
                    run.found(tours[magic[0]])
            listed += len(batch.tours)
            run.work["tours"] = listed
        return Settled("exhausted", f"all {listed:,} tours were listed", attained)


def _numbered(problem: HamiltonProblem, tours: Ints) -> list[Ints]:
    """The tours as they may be numbered: a closed one that has no start from each of its vertices."""
    anywhere = problem.closed and problem.start is None
    return [np.roll(tours, -first, axis=1) for first in range(tours.shape[1] if anywhere else 1)]
