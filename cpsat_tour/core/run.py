"""Runs with their limits, listeners and counters; long calls on a second thread, so that the clock, progress and Ctrl-C
reach the thread that waits for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Thread
from typing import TypeAlias, TypeVar

from cpsat_tour.core.events import Event, OnEvent, Progress
from cpsat_tour.core.limits import Clock, Limits
from cpsat_tour.core.reduction import CycleProblem

Heartbeat: TypeAlias = Callable[[], None]
"""A function that long work calls several times a second; it stops the work by an exception."""

ITEMS_PER_BEAT = 1 << 12

HEARTBEAT = 0.1
"""Seconds between two heartbeats while a thread waits for another."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def no_heartbeat() -> None:
    """Do nothing: the heartbeat of work without a limit or a listener."""


def with_heartbeats(items: Iterable[Item], heartbeat: Heartbeat, steps: int = 1) -> Iterator[Item]:
    """Yield the items, each of which takes so many ``steps``, with a heartbeat after about `ITEMS_PER_BEAT` of them."""
    most = max(1, ITEMS_PER_BEAT // steps)
    for number, item in enumerate(items, start=1):
        yield item
        if number % most == 0:
            heartbeat()


@dataclass(eq=False)
class Watch:
    """The limits of a run, its listener, and its work so far as deterministic counters, which the backend updates."""

    limits: Limits
    clock: Clock
    on_event: OnEvent | None = None
    work: dict[str, int] = field(default_factory=dict, init=False)

    def tell(self, event: Event) -> None:
        """Hand the event to the listener, if there is one."""
        if self.on_event is not None:
            self.on_event(event)

    def hear(self, event: Event) -> None:
        """Take over the counters of another run's event, and hand it to the listener."""
        if isinstance(event, Progress):
            self.work.update(event.work)
        self.tell(event)

    def heartbeat(self) -> None:
        """Tell the counters; `StoppedEarly` if the time is over."""
        self.tell(Progress(dict(self.work)))
        self.clock.check()

    def work_left(self, counter: str) -> int | None:
        """Return the limit on work less this counter, 0 or more; None without a limit."""
        return None if self.limits.work is None else max(0, self.limits.work - self.work.get(counter, 0))


@dataclass(eq=False)
class Run(Watch):
    """One run of a formulation on a cycle problem. With ``every`` all cycles are wanted, otherwise one."""

    cycle: CycleProblem = field(kw_only=True)
    every: bool = field(default=False, kw_only=True)


# --- calls on a second thread ---


def second_thread() -> ThreadPoolExecutor:
    """Return a thread for calls one after the other, already started: a Ctrl-C during its start would leak it."""
    executor = ThreadPoolExecutor(max_workers=1)
    executor.submit(no_heartbeat).result()
    return executor


def run_on_thread(
    thread: ThreadPoolExecutor, task: Callable[[], Result], heartbeat: Heartbeat, stop: Callable[[], None]
) -> Result:
    """Return the result of the task on the `second_thread`, with heartbeats meanwhile. If they raise, or at Ctrl-C,
    even while the task is handed over, ``stop`` is called and the task awaited."""
    try:
        return await_result(thread.submit(task), heartbeat)
    except BaseException:
        stop()
        thread.submit(no_heartbeat).result()  # comes back when the task has ended
        raise


def run_detached(task: Callable[[], Result], heartbeat: Heartbeat) -> Result:
    """Return the result of a task that nothing can stop; if a heartbeat raises, or at Ctrl-C, the task is left behind
    on a daemon thread."""
    return await_result(detached(task), heartbeat)


def detached(task: Callable[[], Result]) -> Future[Result]:
    """Begin the task on a daemon thread; return its result to come."""
    future: Future[Result] = Future()

    def compute() -> None:
        future.set_running_or_notify_cancel()  # nobody can cancel it any more
        try:
            future.set_result(task())
        except BaseException as fault:
            future.set_exception(fault)

    Thread(target=compute, daemon=True).start()
    return future


def await_result(future: Future[Result], heartbeat: Heartbeat) -> Result:
    """Return the result, with heartbeats until it is there."""
    while True:
        try:
            return future.result(timeout=HEARTBEAT)
        except TimeoutError:
            heartbeat()
