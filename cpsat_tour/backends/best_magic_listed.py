"""Magic tours by exhaustion: all tours are listed, and those are counted whose lines add up alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.best_magic import MagicGoal
from cpsat_tour.backends.best_run import BestRun, Settled
from cpsat_tour.backends.protocols import Backend
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.edges import Edges


@dataclass(frozen=True)
class MagicListed:
    """The list of all tours to its end, or until so many positions, or branchings with a symmetry, 0 for no such
    limit."""

    most: int = 0

    takes: ClassVar[frozenset[str]] = frozenset({MagicGoal.objective})

    def improve(self, run: BestRun[MagicGoal]) -> Settled:
        """Look at each numbering of each tour."""
        problem, attained = run.goal.problem, 0
        lister: Backend = Dfs() if problem.symmetry is None else Edges()
        either_way = problem.end is None and (problem.closed or problem.start is None) and not problem.graph.directed
        for listed in run.listing(lister, self.most, "the list of tours"):
            for tours in _numbered(problem, listed):
                magic = np.flatnonzero(run.goal.magic.are_magic(np.argsort(tours, axis=1) + 1))
                attained += len(magic) * (2 if either_way else 1)
                if len(magic) and run.best is None:
                    run.found(tours[magic[0]])
        return Settled("exhausted", f"all {run.work['tours']:,} tours were listed", attained)


def _numbered(problem: Problem, tours: Ints) -> list[Ints]:
    """The tours as they may be numbered: a closed one that has no start from each of its vertices."""
    anywhere = problem.closed and problem.start is None
    return [np.roll(tours, -first, axis=1) for first in range(tours.shape[1] if anywhere else 1)]
