"""A run that is watched: its limits, its work so far and whoever listens; and what a formulation is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.events import Event, OnEvent, Progress
from cpsat_tour.core.reduction import CycleProblem

Heartbeat: TypeAlias = Callable[[], None]
"""What long work calls several times a second, so that it can be stopped by an exception."""

ITEMS_PER_BEAT = 1 << 12

Item = TypeVar("Item")


def unwatched() -> None:
    """The heartbeat of work that has no limit and nobody listens to."""


def paced(items: Iterable[Item], heartbeat: Heartbeat) -> Iterator[Item]:
    """The items; the heart beats after every some thousands of them."""
    for number, item in enumerate(items, start=1):
        yield item
        if number % ITEMS_PER_BEAT == 0:
            heartbeat()


class Watch:
    """The limits of a run, the work so far, and whoever listens. ``work`` holds deterministic counters; who works keeps
    them up to date."""

    def __init__(self, limits: Limits, clock: Clock, on_event: OnEvent | None = None) -> None:
        self.limits = limits
        self.clock = clock
        self.work: dict[str, int] = {}
        self._on_event = on_event

    @property
    def listened_to(self) -> bool:
        """Whether anyone listens."""
        return self._on_event is not None

    def tell(self, event: Event) -> None:
        """Hand the event to whoever listens."""
        if self._on_event is not None:
            self._on_event(event)

    def heartbeat(self) -> None:
        """Tell the work so far; `StoppedEarly` if the time is over."""
        self.tell(Progress(dict(self.work)))
        self.clock.check()

    def work_left(self, counter: str) -> int | None:
        """How much of the limit on work is left, which is counted by this counter; None without a limit, and never
        below 0."""
        return None if self.limits.work is None else max(0, self.limits.work - self.work.get(counter, 0))


class Run(Watch):
    """One run of a formulation on a cycle problem. With ``every`` all cycles are wanted, otherwise one."""

    def __init__(
        self, cycle: CycleProblem, limits: Limits, clock: Clock, on_event: OnEvent | None = None, *, every: bool = False
    ) -> None:
        super().__init__(limits, clock, on_event)
        self.cycle = cycle
        self.every = every
