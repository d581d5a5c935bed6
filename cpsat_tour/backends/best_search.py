"""The run towards the best tour, and the way that lists all tours.

A *way* is a function of a run: it hands each better tour, which the run verifies, and each better bound to the run,
until the best is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from cpsat_tour.backends.best_goal import Goal
from cpsat_tour.backends.listing import Listing
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.routes_goal import RoutesGoal
from cpsat_tour.backends.runner import run as ask
from cpsat_tour.core.errors import BackendFault, StoppedEarly, TourFault
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.refutation import RefutationKind
from cpsat_tour.core.run import Watch
from cpsat_tour.native.edges import Edges

AnyGoal = TypeVar("AnyGoal", Goal, RoutesGoal)


@dataclass(eq=False)
class BestSearch(Watch, Generic[AnyGoal]):
    """A run towards a goal: the best so far, its ``value``, and a ``bound`` on all values, each None at first; ``work``
    has them too. ``most`` is the work after which the present way gives up, None for no limit."""

    goal: AnyGoal = field(kw_only=True)
    most: int | None = None
    best: Any = None
    value: int | None = None
    bound: int | None = None
    known: RefutationKind | None = None

    @property
    def budget(self) -> int | None:
        """The work that the present way may take: the lesser of ``most`` and the limit of the run."""
        if self.most is None or self.limits.work is None:
            return self.most if self.limits.work is None else self.limits.work
        return min(self.most, self.limits.work)

    def offer(self, found: Any) -> None:
        """Verify a tour, or routes, and keep them if they are better; `BackendFault` if they are wrong."""
        try:
            value = self.goal.value(found)
        except TourFault as fault:
            raise BackendFault(f"the search for the {self.goal.name} came to a wrong result: {fault}") from fault
        if self.value is None or self.better(value, self.value):
            self.best, self.value = found, value
            self.work["value"] = value
            self.tell(Progress(dict(self.work)))

    def offer_bound(self, bound: int, known: RefutationKind) -> None:
        """Keep the bound if it is better than the last, or the same for another reason, ``known``."""
        if self.bound is None or self.better(self.bound, bound) or (bound == self.bound and known != self.known):
            self.bound, self.known = bound, known
            self.work["bound"] = bound
            self.tell(Progress(dict(self.work)))

    def better(self, value: int, other: int) -> bool:
        """Return True if the first value is better than the second."""
        return value > other if self.goal.maximize else value < other


@dataclass(frozen=True)
class Conclusion:
    """The reason why nothing is better, or why there is no tour; how many tours attain the best, if counted; and the
    certificate that none is better, if the way has it. A limit raises `StoppedEarly` instead."""

    known: RefutationKind
    reason: str
    attained: int | None = None
    certificate: Any = None


def begin_with_a_tour(run: BestSearch[Goal]) -> Conclusion | None:
    """Offer the run a tour that `auto` finds, if it has none so far; return the `Conclusion` that there is none.
    `StoppedEarly` at a limit."""
    if run.best is not None:
        return None
    answer = ask(run.goal.problem, load("auto"), Limits(run.clock.left), run.tell, "auto")
    if answer.tour is not None:
        run.offer(answer.tour.vertices)
    elif answer.refutation is not None:
        return Conclusion(answer.refutation.kind, answer.refutation.reason)
    else:
        raise StoppedEarly(answer.stopped_by or "time")
    return None


def list_all(run: BestSearch[Goal]) -> Conclusion:
    """List all tours and offer the run the best; return the `Conclusion` that none is better, with the number of the
    best. `StoppedEarly` at a limit. The work is in ``branchings``."""

    def listen(event: Event) -> None:
        if isinstance(event, Progress):
            run.work.update(event.work)
            run.tell(Progress(dict(run.work)))

    limits = replace(run.limits, seconds=run.clock.left, work=run.budget)
    attained, counted, run.work["tours"] = 0, run.value, 0
    for tours in Listing(run.goal.problem, Edges(), limits, on_event=listen, name="edges"):
        values = run.goal.pair_sum.values(tours)
        run.work["tours"] += len(tours)
        place = int(values.argmax() if run.goal.maximize else values.argmin())
        if run.value is None or run.better(int(values[place]), run.value):
            run.offer(tours[place])
            attained, counted = 0, run.value
        attained += int((values == counted).sum())
    return Conclusion(
        "exhausted",
        "the search over edges found no tour"
        if run.value is None
        else f"all {run.work['tours']:,} tours were listed by the search over edges",
        attained,
    )
