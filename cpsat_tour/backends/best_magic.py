"""Magic tours as a goal: a tour whose lines add up alike.

A magic tour is a numbering: a closed one is magic from some of its squares at most. Read backwards a magic tour is
magic too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.best_run import Settled
from cpsat_tour.core.answer import Answer, Refutation
from cpsat_tour.core.conditions import known_of_tours
from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Heartbeat
from cpsat_tour.core.tour import verify
from cpsat_tour.formats.describe import asked
from cpsat_tour.spaces.magic import KINDS, Magic

IT_IS_MAGIC = Settled("claimed", "it is magic")
"""Nothing is better than a tour that is magic, once one is found."""


@dataclass(frozen=True, eq=False)
class MagicGoal:
    """A tour of the problem whose lines of this kind add up alike; the value of one is 0."""

    problem: Problem
    magic: Magic

    objective: ClassVar[str] = "magic"
    maximize: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """``closed tour of the 8x8 board with magic rows and columns``."""
        return f"{asked(self.problem)} with magic {' and '.join(KINDS[self.magic.kind])}"

    @property
    def sought(self) -> str:
        """The same."""
        return self.name

    def words(self, _value: int) -> str:
        """What the lines add up to."""
        return self.magic.words

    def decided(self) -> Answer | None:
        """None where parity forbids it, or there is no tour at all."""
        if (known := known_of_tours(self.problem)) is not None:
            return known
        reason = self.magic.refusal()
        return None if reason is None else Answer("none", refutation=Refutation("condition", reason))

    def prepare(self, heartbeat: Heartbeat) -> None:
        """Nothing: what lines add up to is known at once."""

    def value(self, vertices: Ints) -> int:
        """0 for a magic tour, numbered from its first vertex; `TourFault` for another."""
        verify(self.problem, vertices)
        if fault := self.magic.fault(np.asarray(vertices)):
            raise TourFault(fault)
        return 0

    def canonical(self, vertices: Ints) -> Ints:
        """The numbering as it is."""
        return vertices
