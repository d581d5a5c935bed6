"""Exact numbers of tours, by the frontier method or by listing, of a problem or from each start.

By default the frontier method begins. If it has no answer within `HEAD_START` seconds, or needs more memory than it may
use, the tours are listed as well, and the first method to finish gives the number. So a count takes at most about twice
the time of the better method, and no forecast has to be trusted. With one thread the tours are listed only if the
frontier method gives up.

Conventions differ in print. Here closed tours are undirected cycles, and open tours undirected paths, including those
whose ends are a move apart. As directed tours there are twice as many, unless a fixed end or a directed graph gives
each tour a direction.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import Event, OnEvent, Progress
from cpsat_tour.core.limits import UNLIMITED, Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import HEARTBEAT, Watch
from cpsat_tour.frontier.sweep import Forecast, count_by_frontier
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.tour import Interrupted, decide_degenerate

PROGRESS_EVERY = 1 << 10
HEAD_START = 2.0  # seconds of the frontier method alone, so that a short count is not slowed by a second engine
GAVE_UP = (StoppedEarly, MemoryError)  # what ends the frontier method without a number


class Lister(NamedTuple):
    """A backend's name, and a function that lists the tours of a problem with it, each once: it yields how many more
    were found, again and again, or raises `StoppedEarly`."""

    name: str
    tours: Callable[[Problem, Limits, OnEvent | None], Iterable[int]]


@dataclass(frozen=True)
class Count:
    """The number of tours, the method that gave it and its work; ``number`` is None if a limit, which ``stopped_by``
    names, came first, and at least ``at_least`` tours are known then."""

    number: int | None
    method: str
    at_least: int = 0
    stopped_by: str | None = None
    seconds: float = 0.0
    work: Mapping[str, int] = field(default_factory=dict)


def count(
    problem: Problem,
    limits: Limits = UNLIMITED,
    on_event: OnEvent | None = None,
    *,
    lister: Lister | None = None,
    memory: int | None = None,
    on_forecast: Callable[[Forecast], None] | None = None,
) -> Count:
    """Return the count of the tours by `count_by_frontier` on another thread, or by listing, whichever is first; its
    number is None if a limit came first. `BadInput` if the frontier method doesn't take the problem; on Ctrl-C
    `Interrupted`, with the count so far."""
    known = count_without_search(problem)
    if known is not None:
        return known
    clock, frontier_clock = limits.clock(), limits.clock()
    watch, news = Watch(limits, clock, on_event), deque[Event | Forecast]()

    def pass_on(until: float = 0.0) -> None:
        """Pass on the news from the other thread; with ``until`` also what comes by then, or by its end."""
        while news or (clock.seconds < until and not number.done()):
            if not news:
                wait([number], HEARTBEAT)
                continue
            event = news.popleft()
            if not isinstance(event, Forecast):
                watch.hear(event)
            elif on_forecast is not None:
                on_forecast(event)

    def listen(event: Event) -> None:
        """Pass on the event and the news; `StoppedEarly` once the frontier method has the number."""
        pass_on()
        if number.done() and number.exception() is None:
            raise StoppedEarly("the frontier method was faster")
        watch.tell(event)

    listed, thread = None, ThreadPoolExecutor(1)
    number = thread.submit(
        count_by_frontier, problem, limits, news.append, memory=memory, clock=frontier_clock, on_forecast=news.append
    )
    try:
        pass_on(math.inf if lister is None or limits.threads == 1 else HEAD_START)
        if lister is not None and (not number.done() or isinstance(number.exception(), GAVE_UP)):
            listed = count_by_listing(problem, lister, replace(limits, seconds=clock.left), listen)
            if listed.number is not None:
                return replace(listed, seconds=clock.seconds)
        pass_on(math.inf)
        return Count(number.result(), "frontier", seconds=clock.seconds, work=watch.work)
    except GAVE_UP as why:
        return listed or Count(
            None, "frontier", 0, why.limit if isinstance(why, StoppedEarly) else "memory", clock.seconds, watch.work
        )
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(Count(None, "frontier", 0, "interrupt", clock.seconds, watch.work)) from None
    finally:
        frontier_clock.limit = 0.0  # it works in another thread
        thread.shutdown(wait=False)


def count_by_listing(
    problem: Problem, lister: Lister, limits: Limits = UNLIMITED, on_event: OnEvent | None = None
) -> Count:
    """Return the count of a problem's tours by listing them; its number is None if a limit came first. On Ctrl-C
    `Interrupted`, with the count so far."""
    clock, tours, told, stopped_by = limits.clock(), 0, 0, None
    try:
        for listed in lister.tours(problem, limits, on_event):
            tours += listed
            if on_event is not None and tours >= told + PROGRESS_EVERY:
                told = tours
                on_event(Progress({"tours": tours}))
    except StoppedEarly as why:
        stopped_by = why.limit or "a limit"
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    number, work = None if stopped_by else tours, {"tours": tours}
    known = Count(number, lister.name, tours, stopped_by, clock.seconds, work)
    if stopped_by == "interrupt":
        raise Interrupted(known)
    return known


def count_without_search(problem: Problem) -> Count | None:
    """Return the count if the reduction or a necessary condition decides it without a search, else None."""
    answer = decide_degenerate(problem)
    if answer is not None:
        return Count(int(answer.tour is not None), "reduction")
    return Count(0, "condition") if violated_condition(problem) else None


def directed_readings(problem: Problem) -> int:
    """Return how many directed tours each counted tour stands for: 1 where its direction is fixed, else 2."""
    fixed = bool(problem.timed) or problem.end is not None or (problem.start is not None and not problem.closed)
    return 1 if fixed or problem.graph.directed or problem.graph.order == 1 else 2


def least_in_orbit(problem: Problem) -> list[int]:
    """Return for each vertex the least vertex of its orbit under the symmetries of the space; each vertex itself if the
    problem has an end, required or forbidden moves, givens, waypoints or a symmetry."""
    if problem.require or problem.forbid or problem.timed or problem.end is not None or problem.symmetry is not None:
        return list(range(problem.graph.order))
    least: list[int] = problem.graph.space.symmetries().min(axis=0).tolist()
    return least


CountOne = Callable[[Problem, Limits], Count]


def count_each_start(problem: Problem, limits: Limits, count_one: CountOne) -> tuple[Count, list[int]]:
    """Return the count of open tours from all starts together, and a list of the numbers from each vertex, which is
    empty if a limit ended the count.

    On Ctrl-C `Interrupted`, with the count so far.
    """
    classes = least_in_orbit(problem)
    clock = limits.clock()
    known: dict[int, int] = {}

    def so_far(last: Count) -> Count:
        """Return the last count with all counts before it added."""
        counted = sum(known.get(least, 0) for least in classes)
        return replace(last, at_least=counted + last.at_least, seconds=clock.seconds)

    last = Count(0, "reduction")
    for start in sorted(set(classes)):
        try:
            last = count_one(replace(problem, start=start), replace(limits, seconds=clock.left))
        except Interrupted as interrupted:
            raise Interrupted(so_far(interrupted.known)) from None
        if last.number is None:
            return so_far(last), []
        known[start] = last.number
    by_start = [known[least] for least in classes]
    return replace(last, number=sum(by_start), seconds=clock.seconds), by_start
