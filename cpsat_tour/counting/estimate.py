"""Estimates of the number of tours by random probes: Knuth (1975) with the randomised rule of Cancela & Mordecki
(2006).

The mean of the probes' weights (`cpsat_tour.counting.probe_kernel`) is an unbiased estimate. The roots of an open
problem take turns, so that they are strata: the variance is that within them. The error of the mean is itself
estimated, and is too small as long as the few heavy weights that carry the mean have not turned up; the effective
sample size (Kish 1965) and the share of the largest weight tell how far to trust it.

The probability of a candidate is proportional to ``(1 + exits) ** -EXPONENT``. On open 8x8 a probe's weight then has a
standard deviation of about 20 times its mean; with no preference at all, or a much stronger one, it is far larger.
"""

from __future__ import annotations

import itertools
import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.compiled import announced
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.probe_kernel import Floats, Tree, probes, scratch
from cpsat_tour.native.rooted import Roots

EXPONENT = 2.0
CHUNK = 1 << 12


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error, both as multiples of ``exp(log_scale)``, and what it rests on."""

    scaled_mean: float
    scaled_error: float
    log_scale: float
    samples: int
    tours: int
    """How many probes ended in a tour."""
    effective_samples: float
    largest_share: float
    """The largest weight as a part of the sum of all."""
    seconds: float

    @property
    def mean(self) -> float:
        """The estimated number of tours; inf where a float can't hold it."""
        return _scaled(self.scaled_mean, self.log_scale)

    @property
    def standard_error(self) -> float:
        """The estimated standard deviation of the mean."""
        return _scaled(self.scaled_error, self.log_scale)

    @property
    def relative_error(self) -> float:
        """The standard error as a part of the mean; 0 where both are 0."""
        return self.scaled_error / self.scaled_mean if self.scaled_mean else 0.0

    @property
    def log10_mean(self) -> float:
        """The decimal logarithm of the mean, -inf where no probe ended in a tour."""
        return math.log10(self.scaled_mean) + self.log_scale / math.log(10) if self.scaled_mean else -math.inf


def estimate(
    problem: Problem, samples: int | None, limits: Limits | None = None, on_event: OnEvent | None = None
) -> Estimate:
    """The estimated number of tours of a problem that the reduction leaves open, from so many probes or until the time
    is over.

    The same seed and number of samples give the same estimate, whatever the threads. At least two probes are made from
    each root.
    """
    limits = limits or Limits()
    clock = limits.clock()
    if problem.symmetry is not None:
        raise BadInput("symmetric tours are not estimated: count them, which takes a half or a quarter of the board")
    if problem.givens:
        raise BadInput("tours with given numbers are not estimated: count them by listing, such as with backend dfs")
    roots = Roots(problem, colours=True)
    vertices = roots.vertices[:1] if roots.any_one_settles else roots.vertices
    if not len(vertices):
        return Estimate(0.0, 0.0, 0.0, 0, 0, 0.0, 0.0, clock.seconds)
    rooted = [roots.at(int(vertex)) for vertex in vertices]
    tree = _tree(roots, vertices)
    seen = _Strata(len(vertices), 2 if roots.each_way or rooted[0].reversible else 1)
    threads = limits.threads or os.cpu_count() or 1
    wanted = None if samples is None else max(samples, 2 * len(vertices))

    def chunk(begin: int) -> Floats:
        weights = np.empty(CHUNK if wanted is None else min(CHUNK, wanted - begin))
        seed = np.random.SeedSequence([limits.seed, begin]).generate_state(1, np.uint64)[0]
        probes(tree, scratch(tree, seed), begin, weights)
        return weights

    with ThreadPoolExecutor(threads) as pool, announced(on_event):
        for begin in itertools.count(0, CHUNK * threads):
            begins = range(
                begin, begin + CHUNK * threads if wanted is None else min(begin + CHUNK * threads, wanted), CHUNK
            )
            if not begins:
                break
            for weights in pool.map(chunk, begins):
                seen.take(weights)
            if on_event is not None:
                on_event(
                    Progress({"samples": seen.samples, "tours": seen.tours}, seen.samples / wanted if wanted else None)
                )
            if clock.expired and seen.samples >= 2 * len(vertices):
                break
    return seen.estimate(clock.seconds)


def _tree(roots: Roots, vertices: NDArray[np.int32]) -> Tree:
    graph, rooted = roots.graph, [roots.at(int(vertex)) for vertex in vertices]
    incoming = graph.reversed
    return Tree(
        indptr=graph.indptr.view(np.uint32),
        indices=graph.indices.view(np.uint32),
        in_indptr=incoming.indptr.view(np.uint32),
        in_indices=incoming.indices.view(np.uint32),
        roots=vertices.view(np.uint32),
        may_end=np.stack([root.may_end for root in rooted]),
        must=np.stack([root.must for root in rooted]),
        appeal=np.power(1.0 + np.arange(int(graph.degrees.max()) + 1), -EXPONENT, dtype=np.float64),
        enterable=not graph.directed,
        apart=not graph.directed and graph.colours is not None,
    )


class _Strata:
    """Sums over the probes so far, for each root, of weights and their squares divided by ``exp(scale)`` and its
    square."""

    def __init__(self, roots: int, met: int) -> None:
        self.samples = self.tours = 0
        self._met = met
        self._scale = -math.inf
        self._counts = np.zeros(roots, dtype=np.int64)
        self._sums = np.zeros(roots)
        self._squares = np.zeros(roots)

    def take(self, logs: Floats) -> None:
        """Add the next probes; the roots take turns."""
        heaviest = float(logs.max())
        if heaviest > self._scale:
            shrink = math.exp(self._scale - heaviest)
            self._sums *= shrink
            self._squares *= shrink**2
            self._scale = heaviest
        root = np.arange(self.samples, self.samples + len(logs)) % len(self._counts)
        weights = np.exp(logs - self._scale) if self.tours or heaviest > -math.inf else np.zeros(len(logs))
        self._counts += np.bincount(root, minlength=len(self._counts))
        self._sums += np.bincount(root, weights, minlength=len(self._counts))
        self._squares += np.bincount(root, weights**2, minlength=len(self._counts))
        self.samples += len(logs)
        self.tours += int((logs > -math.inf).sum())

    def estimate(self, seconds: float) -> Estimate:
        """What the probes say. Each tour is met ``met`` times, from both of its ends."""
        means = self._sums / self._counts
        variances = np.maximum(self._squares - self._counts * means**2, 0.0) / (self._counts - 1)
        total, squares = float(self._sums.sum()), float(self._squares.sum())
        return Estimate(
            scaled_mean=float(means.sum()) / self._met,
            scaled_error=math.sqrt(float((variances / self._counts).sum())) / self._met,
            log_scale=self._scale if self.tours else 0.0,
            samples=self.samples,
            tours=self.tours,
            effective_samples=total**2 / squares if self.tours else 0.0,
            largest_share=1 / total if self.tours else 0.0,
            seconds=seconds,
        )


def _scaled(value: float, log_scale: float) -> float:
    if not value:
        return 0.0
    logarithm = math.log(value) + log_scale
    return math.exp(logarithm) if logarithm < math.log(1e308) else math.inf
