"""The goal of a search for the best tour: the least or the greatest value of an objective."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.run import Heartbeat
from cpsat_tour.core.verify import verify
from cpsat_tour.spaces.objectives import OBJECTIVES, PairSum


@dataclass(frozen=True, eq=False)
class Goal:
    """The greatest value of an objective of `OBJECTIVES` among the tours of a problem if ``maximize``, else the
    least."""

    problem: Problem
    objective: str
    maximize: bool
    stated: PairSum | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The goal in words: ``fewest turns``."""
        return f"{'most' if self.maximize else 'fewest'} {OBJECTIVES[self.objective].nouns[1]}"

    def words(self, value: int) -> str:
        """Return a value in words: ``32 turns``."""
        return OBJECTIVES[self.objective].words(value)

    def with_pairs(self, heartbeat: Heartbeat) -> Goal:
        """Return the goal with its pairs of edges, which take a while on a large board."""
        if self.stated is not None:
            return self
        return replace(self, stated=OBJECTIVES[self.objective].pair_sum(self.problem, heartbeat))

    @cached_property
    def pair_sum(self) -> PairSum:
        """The value of a tour as a sum over pairs of its edges."""
        return self.stated or OBJECTIVES[self.objective].pair_sum(self.problem)

    @cached_property
    def cycle(self) -> CycleProblem:
        """The cycle problem, without simplification."""
        return to_cycle(self.problem)

    def value(self, vertices: Ints) -> int:
        """Return the value of a tour, verified; `TourFault` names its first fault."""
        verify(self.problem, vertices)
        return int(self.pair_sum.values(np.asarray(vertices, dtype=np.int32)[None, :])[0])
