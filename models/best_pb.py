"""The best tour by pseudo-Boolean solving with ``exact``: degree equations, cut sets, sums over the pairs of moves that
count.

The loop of `pb`, where a tour that was found is not forbidden but surpassed: the next one makes more such pairs, or
fewer. So nothing is optimised, and cutting planes refute that anything is better. A third opinion, which shares no
solver with the others. Cost beside that of `pb`: a column for each pair, one or two sums for each, and a sum for each
better tour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.best_run import BestRun, PairGoal, Settled
from cpsat_tour.core.run import Run
from cpsat_tour.models.drivers.own_process import Sums, Worker, worker
from cpsat_tour.models.subtours import EdgeNumbers, hamiltonian_cycles
from cpsat_tour.spaces.objectives import OBJECTIVES


@dataclass(frozen=True)
class BestPseudoBoolean:
    """Sums of pairs over degree equations and cut sets."""

    takes: ClassVar[frozenset[str]] = frozenset(OBJECTIVES)

    def improve(self, run: BestRun[PairGoal]) -> Settled:
        """Better and better tours. Work is counted in ``conflicts``."""
        cycle = run.goal.cycle
        rounds = Run(cycle, run.limits, run.clock, run.tell, every=True)
        rounds.work = run.work
        with worker("exact_worker.py") as process:
            better = _Better(process, rounds, run)
            for found in hamiltonian_cycles(better, cycle, rounds):
                run.found(cycle.tour(found))
        return Settled(
            "claimed",
            f"exact reports that the degree equations and {run.work['cut_sets']} cut sets allow nothing better",
        )


class _Better(Sums):
    """The sums, and that the pairs are more, or fewer, than those of the best so far."""

    def __init__(self, process: Worker, rounds: Run, run: BestRun[PairGoal]) -> None:
        goal, size = run.goal, rounds.cycle.size
        pairs = goal.sum.in_cycle(goal.cycle)
        super().__init__(process, rounds, "conflicts", more=len(pairs))
        self._best = run
        self._both = list(range(size, size + len(pairs)))
        self._more = goal.maximize == (goal.sum.weight > 0)
        for both, (one, other) in zip(self._both, self._columns[pairs].tolist(), strict=True):
            self._rows(
                [([both, -1 - one], None, 0), ([both, -1 - other], None, 0)]
                if self._more
                else [([one, other, -1 - both], None, 1)]
            )
        if run.best is not None:
            self.block(np.empty(0, dtype=np.int32))

    def block(self, edges: EdgeNumbers) -> None:  # noqa: ARG002
        """A sum: better than the best so far."""
        assert self._best.value is not None
        pairs = (self._best.value - self._best.goal.sum.constant) // self._best.goal.sum.weight
        self._rows([(self._both, pairs + 1, None) if self._more else (self._both, None, pairs - 1)])
