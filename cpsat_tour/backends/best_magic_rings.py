"""The way to semimagic tours by squares and diamonds (`cpsat_tour.native.rings`), for plain questions on boards of 4a
by 4b squares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.best_magic import IT_IS_MAGIC, MagicGoal
from cpsat_tour.backends.best_run import BestRun, Settled
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.native.rings import FINISHED, NODES, new_ring_state, search_rings

SLICE = 100_000
"""Rings entered between two looks at the clock."""


@dataclass(frozen=True)
class MagicRings:
    """A search among tours of this kind, until ``most`` rings were entered, 0 for no such limit; it never shows that
    there is none."""

    most: int = 0

    takes: ClassVar[frozenset[str]] = frozenset({MagicGoal.objective})

    def improve(self, run: BestRun[MagicGoal]) -> Settled:
        """One tour; `StoppedEarly` where it finds none."""
        if run.best is not None:
            return IT_IS_MAGIC
        goal, problem = run.goal, run.goal.problem
        plain = not (problem.require or problem.forbid or problem.symmetry) and problem.start is None is problem.end
        state = (
            new_ring_state(problem.graph, goal.magic.cells, np.random.default_rng(run.limits.seed)) if plain else None
        )
        if state is None or "diagonals" in goal.magic.families:
            raise StoppedEarly(
                "what rings looks for: tours of squares and diamonds on boards of 4a by 4b, without further wishes"
            )
        while not state.counters[FINISHED]:
            if search_rings(state, problem.closed, SLICE):
                run.found(state.path.ravel())
                return IT_IS_MAGIC
            run.work["rings"] = int(state.counters[NODES])
            if self.most and state.counters[NODES] >= self.most:
                break
            run.heartbeat()
        raise StoppedEarly(
            "what rings looks for: no such tour is made of squares and diamonds" if state.counters[FINISHED] else "work"
        )
