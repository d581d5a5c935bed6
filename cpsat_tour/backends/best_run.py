"""The best tour: the goals that are sums over pairs of moves, the run towards a goal, and the way by exhaustion.

A *goal* says what a tour is worth and which is better. A *way* is a function of a run: it hands each better tour to the
run, and bounds as it learns them, until the best is known. Every tour is verified when it is handed over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Literal, TypeVar

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
from cpsat_tour.core.run import Heartbeat, Watch, unwatched
from cpsat_tour.core.tour import canonical, verify
from cpsat_tour.spaces.objectives import OBJECTIVES, PairSum

Known = Literal["exhausted", "claimed", "clausal"]
"""How a bound is known: a search tried every possibility, a solver says so, or there is a clausal proof."""


class Goal(ABC):
    """What is sought among the tours of a problem: those of the greatest value if ``maximize``, else of the least."""

    problem: Problem
    objective: str
    maximize: bool

    @property
    def noun(self) -> str:
        """What is sought, in a word."""
        return "tour"

    @property
    @abstractmethod
    def name(self) -> str:
        """In words: ``fewest turns``."""

    @property
    def sought(self) -> str:
        """What has such a value: ``closed tour``."""
        return f"{self.problem.kind} {self.noun}"

    @abstractmethod
    def words(self, value: int) -> str:
        """A value in words: ``32 turns``."""

    def decided(self) -> Answer | None:
        """The answer where it is seen without a search: one tour, or none for a reason; else None."""
        if (known := known_of_tours(self.problem)) is not None:
            return known
        reason = to_cycle(self.problem).dead_end()
        return None if reason is None else Answer.without_tour("condition", reason)

    def prepare(self, heartbeat: Heartbeat) -> None:  # noqa: B027
        """Compute what every way needs and takes long on large boards; the heart beats meanwhile."""

    @abstractmethod
    def value(self, vertices: Ints) -> int:
        """The value of these vertices in order; `TourFault` names the first fault where they are not what is sought."""

    def canonical(self, vertices: Ints) -> Ints:
        """The canonical form of a tour."""
        return canonical(self.problem, vertices)


@dataclass(frozen=True, eq=False)
class PairGoal(Goal):
    """The tours of the problem with the least or the greatest value of an objective of `OBJECTIVES`."""

    problem: Problem
    objective: str
    maximize: bool

    @property
    def name(self) -> str:
        """``fewest turns``, ``most crossings``."""
        return f"{'most' if self.maximize else 'fewest'} {OBJECTIVES[self.objective].nouns[1]}"

    def words(self, value: int) -> str:
        """``32 turns``."""
        return OBJECTIVES[self.objective].words(value)

    def prepare(self, heartbeat: Heartbeat = unwatched) -> None:
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

    def value(self, vertices: Ints) -> int:
        """The value of a tour, verified."""
        verify(self.problem, vertices)
        return int(self.sum.values(np.asarray(vertices, dtype=np.int32)[None, :])[0])


Sought = TypeVar("Sought", bound=Goal)


class BestRun(Watch, Generic[Sought]):
    """A run towards a goal: the best so far, its ``value``, and the ``bound`` that no value is beyond; None while there
    is none.

    They are among the counters of ``work`` under these names. ``most`` is the work after which the way under way gives
    up for the next one, None for no such limit.
    """

    def __init__(self, goal: Sought, limits: Limits, clock: Clock, on_event: OnEvent | None = None) -> None:
        super().__init__(limits, clock, on_event)
        self.goal = goal
        self.most: int | None = None
        self.best: Ints | None = None
        self.value: int | None = None
        self.bound: int | None = None
        self.known: Known | None = None

    @property
    def budget(self) -> int | None:
        """The work that the way under way may take: ``most``, or the limit of the run if that is less."""
        return min((work for work in (self.most, self.limits.work) if work is not None), default=None)

    def listing(self, lister: Backend, name: str) -> Iterator[Ints]:
        """All tours of the problem, verified, some at a time, within the limits."""

        def listen(event: Event) -> None:
            if isinstance(event, Progress):
                self.work.update(event.work)
                self.tell(Progress(dict(self.work)))

        limits = replace(self.limits, seconds=self.clock.left, work=self.budget)
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
        """Keep the bound if it is better, or known otherwise."""
        if self.bound is None or self.better(self.bound, bound) or (bound == self.bound and known != self.known):
            self.bound, self.known = bound, known
            self.work["bound"] = bound
            self.tell(Progress(dict(self.work)))

    def better(self, value: int, other: int) -> bool:
        """Whether the first value is better than the second."""
        return value > other if self.goal.maximize else value < other


@dataclass(frozen=True)
class Settled:
    """How it is known that there is nothing better, or nothing at all; and how many attain the best, if counted."""

    known: Known
    reason: str
    attained: int | None = None


def list_all(run: BestRun[PairGoal]) -> Settled:
    """List all tours by the edge search and count the best; work is counted in ``branchings``."""
    from cpsat_tour.native.edges import Edges  # a compiler takes a while to load

    attained, counted = 0, run.value
    for tours in run.listing(Edges(), "edges"):
        values = run.goal.sum.values(tours)
        place = int(values.argmax() if run.goal.maximize else values.argmin())
        if run.value is None or run.better(int(values[place]), run.value):
            run.found(tours[place])
            attained, counted = 0, run.value
        attained += int((values == counted).sum())
    return Settled("exhausted", f"all {run.work['tours']:,} tours were listed by the search over edges", attained)
