"""Ctrl-C ends a task with what is known by then: the counters that were told last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cpsat_tour.core.answer import Answer, Clock
from cpsat_tour.core.events import Event, OnEvent, Progress

Result = TypeVar("Result")


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a task; ``known`` is the answer, or the count, as far as it was known by then."""

    def __init__(self, known: Any) -> None:
        super().__init__()
        self.known = known


def interruptible(task: Callable[[OnEvent], Result], on_event: OnEvent | None, name: str) -> Result:
    """What the task gives, which is handed a listener; on Ctrl-C `Interrupted`, with the counters that were told
    last."""
    clock = Clock(None)
    work: dict[str, int] = {}

    def listen(event: Event) -> None:
        if isinstance(event, Progress):
            work.update(event.work)
        if on_event is not None:
            on_event(event)

    try:
        return task(listen)
    except KeyboardInterrupt:
        raise Interrupted(
            Answer("unknown", work=work, stopped_by="interrupt", seconds=clock.seconds, backend=name)
        ) from None
