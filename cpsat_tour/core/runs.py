"""A run: its limits and clock, the events it sends to listeners, its counters, and long calls on a second thread, so
that the clock, progress and Ctrl-C reach the thread that waits for them.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar

from cpsat_tour.core.errors import BadInput, StoppedEarly, quoted, whole_number
from cpsat_tour.core.reduction import CycleProblem

MAX_SEED = 2**31 - 1

MAX_THREADS = 1024

MAX_SECONDS = 2_000_000
"""The longest time limit, 23 days: the system can't wait longer than 2**31 milliseconds at a time."""

NO_LIMIT = 1 << 62
"""The work limit that stands for none: solvers count work in signed 64-bit numbers."""


@dataclass(frozen=True)
class Limits:
    """The limits of a run, and the seed of its choices.

    - ``seconds`` (float, default None): the limit on wall time in seconds; None for no limit.
    - ``work`` (int, default None): the limit on work, in the backend's own unit; None for no limit.
    - ``threads`` (int, default None): how many threads are used; None for the backend's choice.
    - ``seed`` (int, default 0): the seed of all random choices.
    - ``simplify`` (bool, default True): whether formulations get what is left of a problem when forced moves are
      contracted, instead of the whole.
    - ``cancel`` (a `threading.Event`, default None): ends the run once another thread sets it.
    """

    seconds: float | None = None
    work: int | None = None
    threads: int | None = None
    seed: int = 0
    simplify: bool = True
    cancel: threading.Event | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        seconds = self.seconds
        number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if seconds is not None and not (number and 0 <= seconds <= MAX_SECONDS):
            raise BadInput(f"the time limit can't be {quoted(seconds)}: give seconds from 0 to {MAX_SECONDS}")
        if not isinstance(self.cancel, threading.Event | None):
            raise BadInput(f"cancel can't be {quoted(self.cancel)}: give a threading.Event")
        bounds = {
            "work": ("the limit on work", 0, NO_LIMIT),
            "threads": ("the number of threads", 1, MAX_THREADS),
            "seed": ("the seed", 0, MAX_SEED),
        }
        for name, (called, least, most) in bounds.items():
            if (value := getattr(self, name)) is not None or name == "seed":
                object.__setattr__(self, name, whole_number(called, value, least, most))  # NumPy's overflow in sums

    def clock(self) -> Clock:
        """Return a clock that starts now."""
        return Clock(self.seconds, self.cancel)

    def after(self, used: int) -> Limits:
        """Return the limits less this amount of work, which is done."""
        return self if self.work is None else replace(self, work=max(0, self.work - used))


UNLIMITED = Limits()


class Clock:
    """The wall time of a run. A run that is cancelled has no time left."""

    def __init__(self, limit: float | None, cancel: threading.Event | None = None) -> None:
        self.limit, self.cancel = limit, cancel or threading.Event()
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start

    @property
    def left(self) -> float | None:
        """Seconds until the time limit, at least 0, and 0 once the run is cancelled; None without a limit."""
        left = None if self.limit is None else max(0.0, self.limit - self.seconds)
        return 0.0 if self.cancel.is_set() else left

    @property
    def expired(self) -> bool:
        """True if the time limit has passed or the run was cancelled."""
        return self.left == 0.0

    @property
    def stopped_by(self) -> str | None:
        """``cancel`` if the run was cancelled, ``time`` if the time limit has passed, else None."""
        return None if not self.expired else "cancel" if self.cancel.is_set() else "time"

    def check(self) -> None:
        """Raise `StoppedEarly` if the time limit has passed or the run was cancelled."""
        if (stopped_by := self.stopped_by) is not None:
            raise StoppedEarly(stopped_by)


@dataclass(frozen=True)
class Progress:
    """The counters of a run so far, a few times a second; ``done`` is the share of the whole, from 0 to 1, if known."""

    work: Mapping[str, int]
    done: float | None = None


@dataclass(frozen=True)
class ProblemSimplified:
    """The problem was simplified: the size of the new cycle problem, its number of independent ``parts``, and the
    number of vertices before."""

    vertices: int
    edges: int
    parts: int
    of_vertices: int


@dataclass(frozen=True)
class TwoFactorFound:
    """A 2-factor of this many cycles was found; one cycle is a tour.

    ``members`` has the vertices of each in order, if known; -1 is the universal vertex between the ends of an open
    tour.
    """

    cycles: int
    members: tuple[tuple[int, ...], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class CutSetAdded:
    """A cut set around this many vertices was added to the constraints; ``shore`` has them, if known."""

    vertices: int
    shore: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class LogLine:
    """A line of the solver's own log."""

    line: str


@dataclass(frozen=True)
class Spent:
    """The run spent these ``seconds`` on a ``step``: to build a formula, to write it to a file, in the solver, or to
    decode its answer. Other seconds of the run are in none."""

    seconds: float
    step: Literal["build", "write", "solve", "decode"]


@dataclass(frozen=True)
class PartAtWork:
    """This part of a portfolio works now; the counters that follow are its own."""

    part: str


@dataclass(frozen=True)
class PartOut:
    """A part of a portfolio gets no further turn, for this reason; ``fault`` marks a crash or a wrong answer."""

    part: str
    why: str
    fault: bool = False


# --- the steps of the native search ---


@dataclass(frozen=True)
class SearchBegun:
    """A search begins at this root; ``gave_up`` if the one before used up its positions and is resumed later."""

    root: int
    gave_up: bool


@dataclass(frozen=True)
class Candidate:
    """An unvisited vertex that a move leads to, and the ``exits`` many unvisited ones that follow it."""

    vertex: int
    exits: int
    onward: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True)
class Step:
    """The search enters a vertex as this visit, from 1; its candidates stand in the order of trial."""

    vertex: int
    visit: int
    candidates: tuple[Candidate, ...] = field(repr=False)


@dataclass(frozen=True)
class MoveRefused:
    """A pruning, by name, showed that no tour continues with this candidate: it is not entered."""

    vertex: int
    visit: int
    pruning: str


Why = Literal["stuck", "full", "refused", "tried"]


@dataclass(frozen=True)
class Backtrack:
    """The search returns from a vertex to ``back_to``, None above the root.

    ``why``: ``stuck``, no unvisited vertex is a move away; ``full``, every vertex is visited and this is not a
    permitted end; ``refused``, the ``prunings`` refused every candidate; ``tried``, no candidate led to a tour.
    """

    vertex: int
    visit: int
    back_to: int | None
    why: Why
    prunings: tuple[str, ...]


@dataclass(frozen=True)
class TourFound:
    """The search ends with this tour, in canonical form, after this many positions."""

    vertices: tuple[int, ...] = field(repr=False)
    positions: int


@dataclass(frozen=True)
class NoTour:
    """The search ends without a tour; ``kind`` and ``reason`` are those of the refutation."""

    kind: str
    reason: str
    positions: int


@dataclass(frozen=True)
class SearchStopped:
    """The search ends without an answer, at a limit or, without backtracking, at a dead end."""

    by: str
    positions: int


TraceEvent = SearchBegun | Step | MoveRefused | Backtrack | TourFound | NoTour | SearchStopped

Event: TypeAlias = (
    Progress | ProblemSimplified | TwoFactorFound | CutSetAdded | LogLine | Spent | PartAtWork | PartOut | TraceEvent
)
OnEvent = Callable[[Event], None]


Heartbeat: TypeAlias = Callable[[], None]
"""A function that long work calls several times a second; it can stop the work by raising an exception."""

ITEMS_PER_BEAT = 1 << 12

HEARTBEAT = 0.1
"""Seconds between two heartbeats while a thread waits for another."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def no_heartbeat() -> None:
    """Do nothing. It stands in for a heartbeat where there is no limit and no listener."""


def with_heartbeats(items: Iterable[Item], heartbeat: Heartbeat, steps: int = 1) -> Iterator[Item]:
    """Yield the items, and call the heartbeat after each `ITEMS_PER_BEAT` steps; an item counts as ``steps``."""
    most = max(1, ITEMS_PER_BEAT // steps)
    for number, item in enumerate(items, start=1):
        yield item
        if number % most == 0:
            heartbeat()


@dataclass(eq=False)
class Watch:
    """The listener, the limits and the work counters of a run; the backend updates the counters."""

    limits: Limits
    clock: Clock
    on_event: OnEvent | None = None
    work: dict[str, int] = field(default_factory=lambda: defaultdict(int), init=False)

    def tell(self, event: Event) -> None:
        """Send the event to the listener, if there is one."""
        if self.on_event is not None:
            self.on_event(event)

    def hear(self, event: Event) -> None:
        """Copy the counters of an event from another run, and send the event to the listener."""
        if isinstance(event, Progress):
            self.work.update(event.work)
        self.tell(event)

    def heartbeat(self) -> None:
        """Send the counters to the listener; `StoppedEarly` if the time is over."""
        self.tell(Progress(dict(self.work)))
        self.clock.check()

    @contextmanager
    def timed(self, step: Literal["build", "write", "solve", "decode"]) -> Iterator[None]:
        """Send the seconds of the block to the listener, also of one that ends with an exception."""
        clock = Clock(None)
        try:
            yield
        finally:
            self.tell(Spent(clock.seconds, step))

    def work_left(self, counter: str) -> int | None:
        """Return how much the counter may still grow before the limit on work, at least 0; None without a limit."""
        return None if self.limits.work is None else max(0, self.limits.work - self.work.get(counter, 0))


@dataclass(eq=False)
class Run(Watch):
    """One run of a formulation on a cycle problem. With ``every`` it seeks all cycles, otherwise one."""

    cycle: CycleProblem = field(kw_only=True)
    every: bool = field(default=False, kw_only=True)


# --- calls on a second thread ---


def second_thread() -> ThreadPoolExecutor:
    """Return an executor with one thread, already started: a Ctrl-C during its start would leak it."""
    executor = ThreadPoolExecutor(max_workers=1)
    executor.submit(no_heartbeat).result()
    return executor


def run_on_thread(
    thread: ThreadPoolExecutor, task: Callable[[], Result], heartbeat: Heartbeat, stop: Callable[[], None]
) -> Result:
    """Run the task on the `second_thread` and return its result; call the heartbeat meanwhile. If a heartbeat raises,
    or at Ctrl-C, ``stop`` is called and the task awaited."""
    try:
        return await_result(thread.submit(task), heartbeat)
    except BaseException:
        stop()
        thread.submit(no_heartbeat).result()  # comes back when the task has ended
        raise


def run_detached(task: Callable[[], Result], heartbeat: Heartbeat) -> Result:
    """Run the task on a daemon thread and return its result; call the heartbeat meanwhile. If a heartbeat raises, or at
    Ctrl-C, the task is left behind: nothing can stop it."""
    return await_result(detached(task), heartbeat)


def detached(task: Callable[[], Result]) -> Future[Result]:
    """Start the task on a daemon thread and return its future."""
    future: Future[Result] = Future()

    def compute() -> None:
        future.set_running_or_notify_cancel()  # nobody can cancel it any more
        try:
            future.set_result(task())
        except BaseException as fault:
            future.set_exception(fault)

    threading.Thread(target=compute, daemon=True).start()
    return future


def await_result(future: Future[Result], heartbeat: Heartbeat) -> Result:
    """Wait for the future and return its result; call the heartbeat meanwhile."""
    while True:
        try:
            return future.result(timeout=HEARTBEAT)
        except TimeoutError:
            heartbeat()
