"""Exact numbers of tours, by the frontier method or by listing, of a problem or from each start.

By default both are at work: the frontier method begins, and if it has no answer within `HEAD_START` seconds, or needs
more memory than it may use, the tours are listed beside it; whichever is first has the number. So a count takes at most
about twice the time of the better of the two, and no forecast of either has to be trusted. With one thread the tours
are listed only where the frontier method gives up.

Conventions differ in print. Here closed tours are undirected cycles, open ones undirected paths, those whose ends are a
move apart included. Read as directed there are twice as many, unless a fixed end or a directed graph tells the two
readings of a tour apart already.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Thread
from typing import NamedTuple

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.conditions import decide_degenerate, violated_condition
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import Event, OnEvent, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Interrupted
from cpsat_tour.counting.frontier import Forecast, count_by_frontier

PROGRESS_EVERY = 1 << 10
HEAD_START = 2.0  # seconds of the frontier method alone, so that a short count is not slowed by a second engine
HEARTBEAT = 0.1  # seconds between two looks at the frontier method


class Lister(NamedTuple):
    """The name of a backend, and what lists the tours of a problem with it, each once: it tells again and again how
    many more it has found, or raises `StoppedEarly`."""

    name: str
    tours: Callable[[Problem, Limits, OnEvent], Iterable[int]]


@dataclass(frozen=True)
class Count:
    """The number of tours, how it is known, and the work; ``number`` is None and ``stopped_by`` says why where it is
    not known."""

    number: int | None
    method: str
    at_least: int = 0
    stopped_by: str | None = None
    seconds: float = 0.0
    work: Mapping[str, int] = field(default_factory=dict)


def count(
    problem: Problem,
    limits: Limits | None = None,
    on_event: OnEvent | None = None,
    *,
    lister: Lister | None = None,
    memory: int | None = None,
    on_forecast: Callable[[Forecast], None] | None = None,
) -> Count:
    """Count the tours of a problem by the frontier method, within ``memory`` bytes (see `count_by_frontier`), or by
    listing them, whichever is first.

    ``on_forecast`` is told what the frontier method is expected to need, before it begins. `BadInput` where that method
    doesn't take the problem; on Ctrl-C `Interrupted`, with the count by then.
    """
    limits = limits or Limits()
    known = count_without_search(problem)
    if known is not None:
        return known
    with closing(_Sweep(problem, limits, on_event, memory, on_forecast)) as sweep:
        return _first_of(sweep, lister, problem, limits, on_event)


def count_by_listing(
    problem: Problem, lister: Lister, limits: Limits | None = None, on_event: OnEvent | None = None
) -> Count:
    """Count the tours of a problem by listing them; on Ctrl-C `Interrupted`, with the count by then."""
    return _first_of(None, lister, problem, limits or Limits(), on_event)


def _first_of(
    sweep: _Sweep | None, lister: Lister | None, problem: Problem, limits: Limits, on_event: OnEvent | None
) -> Count:
    """The number from the frontier method or from the list of the tours, whichever is first."""
    clock = limits.clock()
    tours = told = 0
    stopped_by = "a limit"

    def listen(event: Event) -> None:
        if sweep is not None and sweep.number(0.0) is not None:
            raise StoppedEarly("the frontier method was faster")
        if on_event is not None:
            on_event(event)

    try:
        try:
            head_start = math.inf if limits.threads == 1 else HEAD_START
            if lister is not None and (sweep is None or sweep.number(head_start) is None):
                for listed in lister.tours(problem, replace(limits, seconds=clock.left), listen):
                    tours += listed
                    if tours >= told + PROGRESS_EVERY:
                        told = tours
                        listen(Progress({"tours": tours}))
                return Count(tours, lister.name, seconds=clock.seconds, work={"tours": tours})
        except StoppedEarly as why:
            stopped_by = str(why) or stopped_by
        if sweep is not None:
            number = sweep.number(math.inf)
            if number is not None:
                return Count(number, "frontier", seconds=clock.seconds, work=sweep.work)
            stopped_by = stopped_by if lister else sweep.stopped_by
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    method = lister.name if lister is not None and (sweep is None or tours) else "frontier"
    work = {} if sweep is None else sweep.work
    known = Count(None, method, tours, stopped_by, clock.seconds, work | ({"tours": tours} if tours else {}))
    if stopped_by == "interrupt":
        raise Interrupted(known)
    return known


class _Sweep:
    """The frontier method at work in a thread of its own, until its context is left. What it tells is told by the
    thread that waits for it."""

    def __init__(
        self,
        problem: Problem,
        limits: Limits,
        on_event: OnEvent | None,
        memory: int | None,
        on_forecast: Callable[[Forecast], None] | None,
    ) -> None:
        self.work: dict[str, int] = {}
        self.stopped_by = ""
        self._clock, self._found, self._calls = limits.clock(), Future[int | None](), deque[Callable[[], None]]()

        def listen(event: Event) -> None:
            if isinstance(event, Progress):
                self.work = dict(event.work)
            if on_event is not None:
                self._calls.append(partial(on_event, event))

        def forecast(needs: Forecast) -> None:
            if on_forecast is not None:
                self._calls.append(partial(on_forecast, needs))

        def sweep() -> None:
            try:
                number = count_by_frontier(
                    problem, limits, listen, memory=memory, clock=self._clock, on_forecast=forecast
                )
                self._found.set_result(number)
            except (StoppedEarly, MemoryError) as why:
                self.stopped_by = str(why) or "memory"
                self._found.set_result(None)
            except BaseException as fault:
                self._found.set_exception(fault)

        Thread(target=sweep, daemon=True).start()

    def close(self) -> None:
        """Stop it, wherever it is."""
        self._clock.stop()

    def number(self, seconds: float) -> int | None:
        """Wait so long at most for the number; None where it is not known by then or never will be."""
        until = time.perf_counter() + seconds
        while True:
            ended = self._found.done()
            while self._calls:
                self._calls.popleft()()
            left = until - time.perf_counter()
            if ended or left <= 0:
                return self._found.result() if ended else None
            wait([self._found], min(left, HEARTBEAT))


def count_without_search(problem: Problem) -> Count | None:
    """The number of tours where the reduction or a necessary condition settles it, else None."""
    answer = decide_degenerate(problem)
    if answer is not None:
        return Count(int(answer.tour is not None), "reduction")
    return Count(0, "condition") if violated_condition(problem) else None


def directed_readings(problem: Problem) -> int:
    """How many directed tours each tour stands for: 1 or 2."""
    fixed = bool(problem.givens) or problem.end is not None or (problem.start is not None and not problem.closed)
    return 1 if fixed or problem.graph.directed or problem.graph.order == 1 else 2


def least_in_orbit(problem: Problem) -> list[int]:
    """For each vertex the least one that a symmetry of the space takes it to; with moves set apart, givens, an end or a
    symmetry, itself."""
    if problem.require or problem.forbid or problem.givens or problem.end is not None or problem.symmetry is not None:
        return list(range(problem.graph.order))
    least: list[int] = problem.graph.space.symmetries().min(axis=0).tolist()
    return least


CountOne = Callable[[Problem, Limits], Count]


def count_each_start(problem: Problem, limits: Limits, count_one: CountOne) -> tuple[Count, list[int]]:
    """The number of tours from all starts together, and from each vertex; the list is empty where a limit ended the
    count.

    `Interrupted` on Ctrl-C, with what was known by then.
    """
    classes = least_in_orbit(problem)
    clock = limits.clock()
    known: dict[int, int] = {}

    def so_far(last: Count) -> Count:
        counted = sum(known.get(least, 0) for least in classes)
        return replace(last, at_least=counted + last.at_least, seconds=clock.seconds)

    last = Count(0, "reduction")
    for start in sorted(set(classes)):
        try:
            last = count_one(problem.with_ends(start, problem.end), replace(limits, seconds=clock.left))
        except Interrupted as interrupted:
            raise Interrupted(so_far(interrupted.known)) from None
        if last.number is None:
            return so_far(last), []
        known[start] = last.number
    by_start = [known[least] for least in classes]
    return replace(last, number=sum(by_start), seconds=clock.seconds), by_start
