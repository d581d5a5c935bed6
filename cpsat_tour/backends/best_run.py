"""What is asked where the best tour is wanted, what is known by then, and how a way of finding it tells.

A *goal* says what a tour is worth and which is better. A *way* is a class with ``takes``, the names of the objectives
that it can handle, and ``improve``, which hands each better tour to its run, and bounds as it learns them, until the
best is known. Every tour is verified when it is handed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, runtime_checkable

import numpy as np

from cpsat_tour.backends.listing import Listing
from cpsat_tour.backends.protocols import Backend
from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.conditions import known_of_tours
from cpsat_tour.core.errors import BackendFault, TourFault
from cpsat_tour.core.events import Event, OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.run import Heartbeat, Watch
from cpsat_tour.core.tour import canonical, verify
from cpsat_tour.spaces.objectives import OBJECTIVES
from cpsat_tour.spaces.pair_sums import PairSum

Known = Literal["exhausted", "claimed", "clausal"]
"""How a bound is known: a search tried every possibility, a solver says so, or there is a clausal proof."""


class Goal(Protocol):
    """What is sought; ``objective`` is its row, and values are better the greater they are if ``maximize``, else the
    less."""

    @property
    def problem(self) -> Problem: ...
    @property
    def objective(self) -> str: ...
    @property
    def maximize(self) -> bool: ...
    @property
    def name(self) -> str:
        """In words: ``fewest turns``."""

    @property
    def sought(self) -> str:
        """What has such a value: ``closed tour``."""

    def words(self, value: int) -> str:
        """A value in words: ``32 turns``."""

    def decided(self) -> Answer | None:
        """The answer where there is nothing to choose from: one tour, or none for a reason that is seen at once; else
        None."""

    def prepare(self, heartbeat: Heartbeat) -> None:
        """Find out, within limits, what takes a while on large boards and is needed by every way."""

    def value(self, vertices: Ints) -> int:
        """What these vertices in order are worth; `TourFault` names the first fault where they are not what is
        sought."""

    def canonical(self, vertices: Ints) -> Ints:
        """The one way in which they are written."""


@dataclass(frozen=True, eq=False)
class PairGoal:
    """The tours of the problem with the least or the greatest value of an objective of `OBJECTIVES`."""

    problem: Problem
    objective: str
    maximize: bool

    @property
    def name(self) -> str:
        """``fewest turns``, ``most crossings``."""
        return f"{'most' if self.maximize else 'fewest'} {OBJECTIVES[self.objective].nouns[1]}"

    @property
    def sought(self) -> str:
        """``closed tour``."""
        return f"{self.problem.kind} tour"

    def words(self, value: int) -> str:
        """``32 turns``."""
        return OBJECTIVES[self.objective].words(value)

    def prepare(self, heartbeat: Heartbeat) -> None:
        """State the sum."""
        if "sum" not in vars(self):
            object.__setattr__(self, "sum", OBJECTIVES[self.objective].stated(self.problem, heartbeat))

    @cached_property
    def sum(self) -> PairSum:
        """The objective stated for the problem."""
        return OBJECTIVES[self.objective].stated(self.problem)

    @cached_property
    def cycle(self) -> CycleProblem:
        """The cycle problem, in which every move is an edge."""
        return to_cycle(self.problem)

    def decided(self) -> Answer | None:
        """What is known of tours without a search."""
        return known_of_tours(self.problem)

    def value(self, vertices: Ints) -> int:
        """The value of a tour, verified."""
        verify(self.problem, vertices)
        return int(self.sum.values(np.asarray(vertices, dtype=np.int32)[None, :])[0])

    def canonical(self, vertices: Ints) -> Ints:
        """The canonical form of a tour."""
        return canonical(self.problem, vertices)


Sought = TypeVar("Sought", bound=Goal)


class BestRun(Watch, Generic[Sought]):
    """A run towards a goal: the best so far, its ``value``, and the ``bound`` that no value is beyond; None while there
    is none.

    They are among the counters of ``work`` under these names.
    """

    def __init__(self, goal: Sought, limits: Limits, clock: Clock, on_event: OnEvent | None = None) -> None:
        super().__init__(limits, clock, on_event)
        self.goal = goal
        self.best: Ints | None = None
        self.value: int | None = None
        self.bound: int | None = None
        self.known: Known | None = None

    def listing(self, lister: Backend, most: int, name: str) -> Iterator[Ints]:
        """All tours of the problem, verified, some at a time, within the limits and ``most`` units of work, 0 for no
        such limit."""

        def listen(event: Event) -> None:
            if isinstance(event, Progress):
                self.work.update(event.work)
                self.tell(Progress(dict(self.work)))

        limits = replace(self.limits, seconds=self.clock.left, work=most or self.limits.work)
        self.work["tours"] = 0
        for batch in Listing(self.goal.problem, lister, limits, on_event=listen, name=name):
            if len(batch.tours):
                self.work["tours"] += len(batch.tours)
                yield batch.tours

    def found(self, vertices: Sequence[int] | Ints) -> None:
        """Keep what was found, verified, if it is better; `BackendFault` where it is not what is sought."""
        found = np.asarray(vertices, dtype=np.int32)
        try:
            value = self.goal.value(found)
        except TourFault as fault:
            raise BackendFault(f"the search for the {self.goal.name} came to a wrong tour: {fault}") from fault
        if self.value is None or self.better(value, self.value):
            self.best, self.value = found, value
            self.work["value"] = value
            self.tell(Progress(dict(self.work)))

    def bounded(self, bound: int, known: Known) -> None:
        """No value is beyond this bound."""
        if self.bound is None or self.better(self.bound, bound) or (bound == self.bound and known != self.known):
            self.bound, self.known = bound, known
            self.work["bound"] = bound
            self.tell(Progress(dict(self.work)))

    def settled(self, known: Known) -> None:
        """What is best so far is the best there is."""
        if self.value is not None:
            self.bounded(self.value, known)

    def better(self, value: int, other: int) -> bool:
        """Whether the one value is better than the other."""
        return value > other if self.goal.maximize else value < other


@dataclass(frozen=True)
class Settled:
    """How it is known that there is nothing better: or, where nothing was found, that there is nothing; and how many
    attain it, if counted."""

    known: Known
    reason: str
    attained: int | None = None


@runtime_checkable
class Way(Protocol):
    """A way to the best."""

    takes: ClassVar[frozenset[str]]

    def improve(self, run: BestRun[Any]) -> Settled:
        """Hand better and better tours to the run, to the best; `StoppedEarly` when a limit is met first."""
