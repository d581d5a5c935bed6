"""Counts tours, exactly or by an estimate.

An exact number comes from the frontier method, the edge search beside it, or a backend that lists tours. By default the
frontier method begins. If it has no answer within `HEAD_START` seconds, or needs more memory than it may use, the tours
are listed as well, and the first method to finish gives the number. So a count takes at most about twice the time of
the better method, and no forecast has to be trusted. With one thread the tours are listed only if the frontier method
gives up.

Conventions differ in print. Here closed tours are undirected cycles, and open tours undirected paths, including those
whose ends are a move apart. As directed tours there are twice as many, unless a fixed end or a directed graph gives
each tour a direction.

An estimate is made by random probes of the search tree: Knuth (1975) with the randomised rule of
Warnsdorff of Cancela & Mordecki (2006).

A probe is a random path from a root. If it ends in a tour, its weight is the product of the inverse probabilities of
its choices, otherwise 0; the mean weight is an unbiased estimate as long as every choice that leads to a tour has a
positive probability. The probability of a candidate is proportional to ``(1 + exits) ** -2``: on open 8x8 a
weight then has a standard deviation of about 20 times its mean, with no preference or a much stronger one far more.
Candidates are left out only where degrees refute them: in an undirected graph an unvisited vertex that is not next to
the head and has one exit must be the end of the path, so there is at most one, and the path may end there.

The roots of an open problem take turns, in a random order. The error is that of independent probes from random roots,
so a little too large where all have had their turn. It is itself estimated, and too small until the few heavy weights
that carry the mean have turned up: the effective sample size (Kish 1965) and the share of the largest weight tell how
far to trust it. Weights are logarithms, since large boards have more tours than a float can hold.
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
import os
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace

import numpy as np

from cpsat_tour.core.errors import BadInput, StoppedEarly, whole_number
from cpsat_tour.core.kernels import random_state
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import HEARTBEAT, UNLIMITED, Event, Limits, OnEvent, Progress, Watch
from cpsat_tour.core.space import Bytes, Floats, Ints
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import Listing, default_lister
from cpsat_tour.frontier.plan import refusal
from cpsat_tour.frontier.sweep import Forecast, count_by_frontier
from cpsat_tour.native.orders import Order
from cpsat_tour.native.paths import DEGREE, PathSearch, Roots, new_path_search, paths_probe
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.tour import Interrupted, decide_degenerate

PROGRESS_EVERY = 1 << 10
HEAD_START = 2.0  # seconds of the frontier method alone, so that a short count is not slowed by a second engine
GAVE_UP = (StoppedEarly, MemoryError)  # what ends the frontier method without a number


@dataclass(frozen=True)
class Count:
    """The number of tours, the method that counted them and its work.

    If a limit came first, which ``stopped_by`` names, ``number`` is None and at least ``at_least`` tours are known; the
    frontier method needed ``seconds_left`` more, about, if it had begun.
    """

    number: int | None
    method: str
    at_least: int = 0
    stopped_by: str | None = None
    seconds: float = 0.0
    work: Mapping[str, int] = field(default_factory=dict)
    seconds_left: float | None = None


def count(
    problem: Problem,
    limits: Limits = UNLIMITED,
    on_event: OnEvent | None = None,
    *,
    lister: str | None = None,
    memory: int | None = None,
    on_forecast: Callable[[Forecast], None] | None = None,
) -> Count:
    """Return the count of the tours, by `count_by_frontier` on another thread or, with a ``lister``, the name of a
    backend, by listing, whichever is first; its number is None if a limit came first.

    `BadInput` if the frontier method doesn't take the problem; Ctrl-C raises `Interrupted` with the count so far.
    """
    known = count_without_search(problem)
    if known is not None:
        return known
    clock, frontier_clock = limits.clock(), limits.clock()
    watch, news, seconds_left = Watch(limits, clock, on_event), deque[Event | Forecast](), None

    def pass_on(until: float = 0.0) -> None:
        """Pass on the news from the other thread; with ``until`` also what comes by then, or by its end."""
        nonlocal seconds_left
        while news or (clock.seconds < until and not number.done()):
            if not news:
                wait([number], HEARTBEAT)
                continue
            event = news.popleft()
            if isinstance(event, Progress) and event.done:
                seconds_left = clock.seconds * (1 / event.done - 1)
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

    def stopped(known: Count) -> Count:
        """Return what is known at a limit, with how far the frontier method came."""
        return replace(known, seconds=clock.seconds, work={**known.work, **watch.work}, seconds_left=seconds_left)

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
        limit = why.limit if isinstance(why, StoppedEarly) else "memory"
        return stopped(listed or Count(None, "frontier", 0, limit))
    except Interrupted as ended:
        raise Interrupted(stopped(ended.known)) from None
    except KeyboardInterrupt:
        raise Interrupted(stopped(Count(None, "frontier", 0, "interrupt"))) from None
    finally:
        frontier_clock.limit = 0.0  # it works in another thread
        thread.shutdown(wait=False)


def count_by_listing(
    problem: Problem,
    backend: str,
    limits: Limits = UNLIMITED,
    on_event: OnEvent | None = None,
    options: Mapping[str, object] | None = None,
) -> Count:
    """Return the count of a problem's tours by listing them with this backend; its number is None if a limit came
    first.

    Ctrl-C raises `Interrupted` with the count so far.
    """
    clock, tours, told, stopped_by = limits.clock(), 0, 0, None
    try:
        for batch in Listing(problem, load(backend, options), limits, on_event=on_event, name=backend):
            tours += len(batch)
            if on_event is not None and tours >= told + PROGRESS_EVERY:
                told = tours
                on_event(Progress({"tours": tours}))
    except StoppedEarly as why:
        stopped_by = why.limit or "a limit"
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    number, work = None if stopped_by else tours, {"tours": tours}
    known = Count(number, backend, tours, stopped_by, clock.seconds, work)
    if stopped_by == "interrupt":
        raise Interrupted(known)
    return known


def count_without_search(problem: Problem) -> Count | None:
    """Return the count if the reduction or a necessary condition settles it, else None."""
    answer = decide_degenerate(problem)
    if answer is not None:
        return Count(int(answer.tour is not None), "reduction")
    return Count(0, "condition") if violated_condition(problem) else None


def directed_readings(problem: Problem) -> int:
    """Return how many directed tours each counted tour stands for: 1 where its direction is fixed, else 2."""
    fixed = bool(problem.timed) or problem.end is not None or (problem.start is not None and not problem.closed)
    return 1 if fixed or problem.graph.directed or problem.graph.order == 1 else 2


DEFAULT_SAMPLES = 1_000_000

MAX_CHUNK = 1 << 12
CHUNK_WORK = 2_000_000
"""The vertices and arcs that a chunk of probes visits, at most about: some hundredths of a second."""


@dataclass(frozen=True)
class Estimate:
    """The estimated number of tours, its error, and figures that tell how far to trust it.

    - ``log10_mean`` (float): the logarithm of the number, to the base 10.
    - ``relative_error`` (float): the estimated standard deviation of the mean, as a part of it.
    - ``samples`` (int): the number of probes.
    - ``tours`` (int): how many probes ended in a tour.
    - ``effective_samples`` (float): how many equal weights would have this error.
    - ``largest_share`` (float): the largest weight as a part of the sum of all.
    - ``seconds`` (float): the wall time in seconds.
    - ``known`` (str): how the number is known without a probe; else empty.
    """

    log10_mean: float = -math.inf
    relative_error: float = 0.0
    samples: int = 0
    tours: int = 0
    effective_samples: float = 0.0
    largest_share: float = 0.0
    seconds: float = 0.0
    known: str = ""

    @property
    def unknown(self) -> bool:
        """True if no probe ended in a tour."""
        return not self.known and not self.tours

    def __bool__(self) -> bool:
        raise TypeError("an estimate is neither true nor false: ask for its mean, or whether it is unknown")

    def __repr__(self) -> str:
        return f"<Estimate: {self}, {self.known or f'{self.samples:,} probes'}>"

    def __str__(self) -> str:
        error = f"({100 * self.relative_error:.2g} %)"
        if self.unknown:
            return "unknown"
        if math.isfinite(self.mean):
            return f"{self.mean:.6g} ± {self.standard_error:.2g} {error}"
        exponent, fraction = divmod(self.log10_mean, 1)
        return f"{10**fraction:.3g}e+{exponent:.0f} ± {error[1:-1]}"

    @property
    def mean(self) -> float:
        """The estimated number of tours; inf where a float can't hold it."""
        return 10**self.log10_mean if self.log10_mean < 308 else math.inf

    @property
    def standard_error(self) -> float:
        """The estimated standard deviation of the mean."""
        return self.mean * self.relative_error


def estimate(
    problem: Problem,
    samples: int | None = None,
    limits: Limits = UNLIMITED,
    on_event: OnEvent | None = None,
    *,
    directed: bool = False,
) -> Estimate:
    """Return an estimate of the number of tours from ``samples`` probes (at least two); by default from
    `DEFAULT_SAMPLES`, or from all that the time allows.

    The same seed and number of probes give the same estimate, whatever the threads. ``directed`` counts a tour and its
    reverse as two. On Ctrl-C `Interrupted`, with the estimate so far.
    """
    if samples is not None:
        whole_number("the number of probes", samples, 2)
    readings = directed_readings(problem) if directed else 1
    if (exact := count_without_search(problem)) is not None:
        return Estimate(math.log10(readings) if exact.number else -math.inf, known=exact.method)
    clock = limits.clock()
    if samples is None and limits.seconds is None:
        samples = DEFAULT_SAMPLES
    if problem.symmetry is not None:
        raise BadInput("the number of symmetric tours can't be estimated: count them exactly")
    if problem.timed:
        how = "count them by listing, with backend dfs"
        raise BadInput(f"the number of tours with {problem.timed} can't be estimated: {how}")
    roots = Roots(problem, colours=True)
    vertices = roots.vertices[:1] if problem.closed else roots.vertices
    if not len(vertices):
        return Estimate(seconds=clock.seconds, known="no vertex can begin one")
    vertices = np.random.default_rng(limits.seed).permutation(vertices)
    found = problem.graph.colours
    colours = np.zeros(roots.graph.order, np.uint8) if found is None else found.astype(np.uint8)
    starts = _states_by_root_colour(roots, vertices, colours)
    apart = found is not None and not problem.graph.directed
    met = 2 if roots.each_way or roots.rooted_problem(int(vertices[0])).reversible else 1
    sums = _Sums(len(vertices) * readings, met)
    size = min(MAX_CHUNK, max(1, CHUNK_WORK // (roots.graph.order + len(roots.graph.indices))))

    def log_weights(begin: int) -> Floats:
        """Return the logarithms of the weights of the next probes."""
        weights = np.empty(size if samples is None else min(size, samples - begin))
        scratch = copy.deepcopy(starts[0]).replace(random=random_state(begin, limits.seed))
        turns = np.roll(vertices, -begin).astype(np.uint32)
        paths_probe(scratch, *starts, colours[turns], turns, len(turns), apart, weights, len(weights))
        return weights

    threads = limits.threads or os.cpu_count() or 1
    try:
        with ThreadPoolExecutor(threads) as pool:
            for first in itertools.count(0, size * threads):
                beyond = first + size * threads if samples is None else min(first + size * threads, samples)
                if first >= beyond or (clock.expired and sums.samples > 1):
                    break
                for weights in pool.map(log_weights, range(first, beyond, size)):
                    sums.add(weights)
                if on_event is not None:
                    done = sums.samples / samples if samples else None
                    on_event(Progress({"samples": sums.samples, "tours": sums.tours}, done))
    except KeyboardInterrupt:
        raise Interrupted(sums.estimate(clock.seconds)) from None
    return sums.estimate(clock.seconds)


def _states_by_root_colour(roots: Roots, vertices: Ints, colours: Bytes) -> tuple[PathSearch, PathSearch]:
    """Return two unstarted searches, one from a root of each colour; the same one twice if all roots have one colour.

    Both permit every end that some root of their colour has.
    """
    states = []
    for colour in (0, 1):
        if rooted := [roots.rooted_problem(int(root)) for root in vertices[colours[vertices] == colour][:2]]:
            may_end = np.logical_or.reduce([each.may_end for each in rooted])
            ties = Order("plain").tie_order(roots.graph, rooted[0].root)
            states.append(new_path_search(dataclasses.replace(rooted[0], may_end=may_end), ties, prune=DEGREE))
    return states[0], states[-1]


class _Sums:
    """Running sums of the probes' weights and of their squares, and the largest weight, as logarithms.

    Each tour is found ``met`` times, once from each of its possible ends.
    """

    def __init__(self, roots: int, met: int) -> None:
        self.samples = self.tours = 0
        self._factor = math.log(roots / met)
        self._sum = self._squares = self._largest = -math.inf

    def add(self, logs: Floats) -> None:
        """Add the weights whose logarithms are ``logs``."""
        self.samples += len(logs)
        self.tours += int((logs > -math.inf).sum())
        self._sum = float(np.logaddexp.reduce(logs, initial=self._sum))
        self._squares = float(np.logaddexp.reduce(2 * logs, initial=self._squares))
        self._largest = max(self._largest, float(logs.max()))

    def estimate(self, seconds: float) -> Estimate:
        """Return the estimate from all weights so far; it is unknown as long as no probe ended in a tour."""
        if not self.tours or self.samples < 2:
            return Estimate(samples=self.samples, seconds=seconds)
        effective = math.exp(2 * self._sum - self._squares)
        return Estimate(
            log10_mean=(self._sum - math.log(self.samples) + self._factor) / math.log(10),
            relative_error=math.sqrt(max(self.samples / effective - 1, 0.0) / (self.samples - 1)),
            samples=self.samples,
            tours=self.tours,
            effective_samples=effective,
            largest_share=math.exp(self._largest - self._sum),
            seconds=seconds,
        )


def exact_count(
    problem: Problem,
    backend: str | None,
    limits: Limits,
    on_event: OnEvent | None = None,
    *,
    options: Mapping[str, object] | None = None,
    memory: int | None = None,
    on_forecast: Callable[[Forecast], None] | None = None,
) -> Count:
    """Return the exact number of tours as a `Count`: listed by the ``backend`` if one is named, else counted by the
    frontier method and the edge search together.

    If the frontier method doesn't take the problem the search counts alone. The number is None if a limit came first;
    Ctrl-C raises `Interrupted` with the count so far.
    """
    lister, symmetry = backend or default_lister(problem, everything=True), problem.symmetry
    if backend is None and not problem.timed and (symmetry is None or refusal(problem, symmetry) is None):
        return count(problem, limits, on_event, lister=lister, memory=memory, on_forecast=on_forecast)
    return count_by_listing(problem, lister, limits, on_event, options)
