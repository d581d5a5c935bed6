"""Estimates the number of tours by random probes of the search tree: Knuth (1975) with the randomised rule of
Warnsdorff of Cancela & Mordecki (2006).

A probe is a random path from a root. If it ends in a tour, its weight is the product of the inverse probabilities of
its choices, otherwise 0; the mean weight is an unbiased estimate as long as every choice that leads to a tour has a
positive probability. The probability of a candidate is proportional to ``(1 + exits) ** -EXPONENT``: on open 8x8 a
weight then has a standard deviation of about 20 times its mean, with no preference or a much stronger one far more.
Candidates are left out only where degrees refute them: in an undirected graph an unvisited vertex that is not next to
the head and has one exit must be the end of the path, so there is at most one, and the path may end there.

The roots of an open problem are strata that take turns in a random order; the variance is that within them, or, until
each has two probes, that of a random sample of roots. The error is itself estimated, and too small until the few heavy
weights that carry the mean have turned up: the effective sample size (Kish 1965) and the share of the largest weight
tell how far to trust it. Weights are logarithms, since large boards have more tours than a float can hold.
"""

from __future__ import annotations

import itertools
import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.compiled import allocation_free, announced, inlined
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Interrupted
from cpsat_tour.native.rooted import Roots

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Naturals = NDArray[np.uint32]

EXPONENT = 2.0
MAX_CHUNK = 1 << 12
CHUNK_WORK = 2_000_000
"""A chunk of probes visits at most about so many vertices and arcs, some hundredths of a second; it has one probe at
least."""

NO_EXIT, ONE_EXIT, ONE_EXIT_INNER = range(3)


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error, both as multiples of ``exp(log_scale)``, and what it rests on."""

    scaled_mean: float = 0.0
    scaled_error: float = 0.0
    log_scale: float = 0.0
    samples: int = 0
    tours: int = 0
    """How many probes ended in a tour."""
    effective_samples: float = 0.0
    largest_share: float = 0.0
    """The largest weight as a part of the sum of all."""
    seconds: float = 0.0

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


def _scaled(value: float, log_scale: float) -> float:
    logarithm = math.log(value) + log_scale if value else -math.inf
    return math.exp(logarithm) if logarithm < math.log(1e308) else math.inf


def estimate(
    problem: Problem, samples: int | None, limits: Limits | None = None, on_event: OnEvent | None = None
) -> Estimate:
    """Estimate the number of tours of a problem that the reduction leaves open, from so many probes, two at least, or
    from all that the time allows.

    The same seed and number of probes give the same estimate, whatever the threads. No probe at all shows that no
    vertex can begin a tour. On Ctrl-C `Interrupted`, with the estimate by then.
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
        return Estimate(seconds=clock.seconds)
    tree = _tree(roots, np.random.default_rng(limits.seed).permutation(vertices))
    strata = _Strata(len(vertices), 2 if roots.each_way or roots.at(int(vertices[0])).reversible else 1)
    order, arcs = len(tree.indptr) - 1, len(tree.indices)
    size = min(MAX_CHUNK, max(1, CHUNK_WORK // (order + arcs)))
    wanted = None if samples is None else max(samples, 2)

    def chunk(begin: int) -> Floats:
        weights = np.empty(size if wanted is None else min(size, wanted - begin))
        seed = np.random.SeedSequence([begin, limits.seed]).generate_state(1)[0]
        probes(tree, _scratch(order, int(np.diff(tree.indptr).max())), seed, begin, weights)
        return weights

    threads = limits.threads or os.cpu_count() or 1
    try:
        with ThreadPoolExecutor(threads) as pool, announced(on_event):
            for first in itertools.count(0, size * threads):
                beyond = first + size * threads if wanted is None else min(first + size * threads, wanted)
                if first >= beyond or (clock.expired and strata.samples > 1):
                    break
                for weights in pool.map(chunk, range(first, beyond, size)):
                    strata.add(weights)
                if on_event is not None:
                    done = strata.samples / wanted if wanted else None
                    on_event(Progress({"samples": strata.samples, "tours": strata.tours}, done))
    except KeyboardInterrupt:
        raise Interrupted(strata.estimate(clock.seconds)) from None
    return strata.estimate(clock.seconds)


class _Strata:
    """For each root the sums of the weights so far and of their squares, divided by ``exp(scale)`` and its square.
    Each tour is met ``met`` times, from both of its ends."""

    def __init__(self, roots: int, met: int) -> None:
        self.samples = self.tours = 0
        self._met = met
        self._scale = -math.inf
        self._sums, self._squares = np.zeros((2, roots))

    def add(self, logs: Floats) -> None:
        """Add the next probes; the roots take turns."""
        heaviest = float(logs.max())
        if heaviest > self._scale:
            shrink = math.exp(self._scale - heaviest)
            self._sums *= shrink
            self._squares *= shrink**2
            self._scale = heaviest
        root = np.arange(self.samples, self.samples + len(logs)) % len(self._sums)
        weights = np.exp(logs - self._scale) if self._scale > -math.inf else np.zeros(len(logs))
        np.add.at(self._sums, root, weights)
        np.add.at(self._squares, root, weights**2)
        self.samples += len(logs)
        self.tours += int((logs > -math.inf).sum())

    def estimate(self, seconds: float) -> Estimate:
        """What the probes say, 0 before the first tour."""
        roots, samples = len(self._sums), self.samples
        total, squares = float(self._sums.sum()), float(self._squares.sum())
        if not self.tours:
            return Estimate(samples=samples, seconds=seconds)
        if samples < 2 * roots:  # a random sample of the roots
            mean = roots * total / samples
            variance = roots**2 * max(squares - total**2 / samples, 0.0) / (samples * max(samples - 1, 1))
        else:
            counts = samples // roots + (np.arange(roots) < samples % roots)
            mean = float((self._sums / counts).sum())
            within = np.maximum(self._squares - self._sums**2 / counts, 0.0)
            variance = float((within / (counts - 1) / counts).sum())
        return Estimate(
            scaled_mean=mean / self._met,
            scaled_error=math.sqrt(variance) / self._met,
            log_scale=self._scale,
            samples=samples,
            tours=self.tours,
            effective_samples=total**2 / squares,
            largest_share=1 / total,
            seconds=seconds,
        )


# --- the compiled half: one probe ---


class Tree(NamedTuple):
    """What is probed: the paths from any of the roots."""

    indptr: Naturals
    indices: Naturals
    in_indptr: Naturals
    in_indices: Naturals
    roots: Naturals
    colours: NDArray[np.uint8]
    """The colour of each vertex, 0 where colours don't matter."""
    may_end: NDArray[np.bool_]
    """For each colour of a root the vertices at which a path may end, ``(2, order)``."""
    must: NDArray[np.int32]
    """For each vertex the one that has to come next unless it came before, else -1."""
    appeal: Floats
    """For each number of exits what the probability of a candidate is proportional to; above 0."""
    undirected: bool
    """Whether a vertex without exits can't be entered either, unless from the head."""
    apart: bool
    """Whether two neighbours of a vertex are never neighbours of each other: the graph is undirected and bipartite."""


class Scratch(NamedTuple):
    """The state of one thread's probe."""

    exits: Longs
    """For each vertex the number of its unvisited neighbours."""
    visited: NDArray[np.bool_]
    scarce: Longs
    """How many unvisited vertices have no exit, one exit, and one exit without being a possible end."""
    near: Naturals
    keys: Floats


def _tree(roots: Roots, vertices: NDArray[np.int32]) -> Tree:
    """The tree of the paths from these roots. Two of one colour differ only in that neither may end its own paths."""
    graph, colours = roots.graph, roots.problem.graph.colours
    shade = np.zeros(graph.order, dtype=np.uint8) if colours is None else colours.astype(np.uint8)
    may_end = np.zeros((2, graph.order), dtype=np.bool_)
    for number in (0, 1):
        for root in vertices[shade[vertices] == number][:2]:
            may_end[number] |= roots.at(int(root)).may_end
    return Tree(
        indptr=graph.indptr.view(np.uint32),
        indices=graph.indices.view(np.uint32),
        in_indptr=graph.reversed.indptr.view(np.uint32),
        in_indices=graph.reversed.indices.view(np.uint32),
        roots=vertices.view(np.uint32),
        colours=shade,
        may_end=may_end,
        must=roots.at(int(vertices[0])).must,
        appeal=np.power(1.0 + np.arange(int(graph.degrees.max()) + 1), -EXPONENT, dtype=np.float64),
        undirected=not graph.directed,
        apart=not graph.directed and graph.colours is not None,
    )


def _scratch(order: int, widest: int) -> Scratch:
    return Scratch(
        exits=np.empty(order, dtype=np.int64),
        visited=np.empty(order, dtype=np.bool_),
        scarce=np.zeros(3, dtype=np.int64),
        near=np.empty(widest, dtype=np.uint32),
        keys=np.empty(widest, dtype=np.float64),
    )


@allocation_free
def probes(tree: Tree, scratch: Scratch, seed: int, begin: int, weights: Floats) -> None:
    """Fill the array with the logarithms of the weights of probes numbered from ``begin`` on; the roots take turns."""
    np.random.seed(seed)
    for i in range(len(weights)):
        weights[i] = _probe(tree, tree.roots[(begin + i) % len(tree.roots)], scratch)


@allocation_free
def _probe(tree: Tree, root: np.uint32, scratch: Scratch) -> float:
    """The logarithm of the weight of one random path from a root, -inf where it ends before it is a tour."""
    may_end = tree.may_end[tree.colours[root]]
    _begin(tree, may_end, scratch)
    head = root
    weight = 0.0
    for left in range(len(may_end) - 1, 0, -1):
        _visit(tree, may_end, scratch, head)
        if left > 1 and tree.undirected and scratch.scarce[NO_EXIT]:
            return -np.inf
        count, total = _gather(tree, may_end, scratch, head, left)
        if count == 0:
            return -np.inf
        chosen = _drawn(scratch, count, total)
        weight += np.log(total / scratch.keys[chosen])
        head = scratch.near[chosen]
    return weight


@inlined
def _begin(tree: Tree, may_end: NDArray[np.bool_], scratch: Scratch) -> None:
    """Make every vertex unvisited."""
    scratch.scarce[:] = 0
    for vertex in range(len(may_end)):
        scratch.visited[vertex] = False
        scratch.exits[vertex] = np.int64(tree.indptr[vertex + 1]) - np.int64(tree.indptr[vertex])
        _count(scratch.scarce, scratch.exits[vertex], may_end[vertex], 1)


@inlined
def _count(scarce: Longs, exits: int, may_end: bool, sign: int) -> None:
    """Add an unvisited vertex with so many exits to (or take it from) the counters of scarce ones."""
    if exits == 0:
        scarce[NO_EXIT] += sign
    elif exits == 1:
        scarce[ONE_EXIT] += sign
        scarce[ONE_EXIT_INNER] += sign * (not may_end)


@inlined
def _visit(tree: Tree, may_end: NDArray[np.bool_], scratch: Scratch, head: np.uint32) -> None:
    """Visit a vertex: one exit less for each that has an arc to it."""
    exits, scarce = scratch.exits, scratch.scarce
    scratch.visited[head] = True
    _count(scarce, exits[head], may_end[head], -1)
    for arc in range(tree.in_indptr[head], tree.in_indptr[head + 1]):
        other = tree.in_indices[arc]
        exits[other] -= 1
        if exits[other] < 2 and not scratch.visited[other]:
            _count(scarce, exits[other] + 1, may_end[other], -1)
            _count(scarce, exits[other], may_end[other], 1)


@inlined
def _gather(tree: Tree, may_end: NDArray[np.bool_], scratch: Scratch, head: np.uint32, left: int) -> tuple[int, float]:
    """Write the candidates of the head and their appeal into ``near`` and ``keys``; return their number and the sum of
    their appeal."""
    must = tree.must[head]
    forced = must >= 0 and not scratch.visited[must]
    count = 0
    total = 0.0
    for arc in range(tree.indptr[head], tree.indptr[head + 1]):
        other = tree.indices[arc]
        if (
            scratch.visited[other]
            or (forced and other != must)
            or _degrees_refute(tree, may_end[other], scratch, other, left)
        ):
            continue
        scratch.near[count] = other
        scratch.keys[count] = tree.appeal[scratch.exits[other]]
        total += scratch.keys[count]
        count += 1
    return count, total


@inlined
def _degrees_refute(tree: Tree, may_end: bool, scratch: Scratch, candidate: np.uint32, left: int) -> bool:
    """True if degrees show that no tour goes on over a candidate: it has no exit and is not the last, or others with
    one exit stay behind."""
    if left == 1:
        return not may_end
    if scratch.exits[candidate] == 0:
        return True
    one = scratch.exits[candidate] == 1
    others, inner_others = scratch.scarce[ONE_EXIT] - one, scratch.scarce[ONE_EXIT_INNER] - (one and not may_end)
    return bool(tree.apart and (others > 1 or inner_others > 0))


@inlined
def _drawn(scratch: Scratch, count: int, total: float) -> int:
    """The number of a candidate drawn at random, by appeal."""
    drawn = np.random.random() * total  # Numba's generator, of which each thread has its own
    chosen = 0
    while chosen < count - 1 and drawn >= scratch.keys[chosen]:
        drawn -= scratch.keys[chosen]
        chosen += 1
    return chosen
