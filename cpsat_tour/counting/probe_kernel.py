"""The compiled half of the estimator: random probes of the search tree, each the weight of the tour that it ends in, or
0.

Knuth (1975, Estimating the efficiency of backtrack programs): walk down the tree at random; the product of the inverse
probabilities of the choices, if the walk ends in a tour, is an unbiased estimate of the number of tours, as long as
every choice that leads to one keeps a positive probability. Choices are made by a randomised rule of Warnsdorff
(Cancela & Mordecki 2006): the probability of a candidate falls with its exits. Candidates are left out only where
degrees refute them, so that nothing is lost: in an undirected graph an unvisited vertex that is not next to the head
and has one exit must be the end of the path, so there is at most one, and it may end there.

The state is ``exits`` (of each vertex its unvisited neighbours), ``visited``, and the three counters of ``scarce``.
Weights are logarithms: a large board has more tours than a float can hold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free, inlined

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Naturals = NDArray[np.uint32]

NO_EXIT, ONE_EXIT, ONE_EXIT_INNER = range(3)


class Tree(NamedTuple):
    """What is probed: the paths from any of the roots."""

    indptr: Naturals
    indices: Naturals
    in_indptr: Naturals
    in_indices: Naturals
    roots: Naturals
    may_end: NDArray[np.bool_]
    """For each root the vertices at which a path may end, ``(roots, order)``."""
    must: NDArray[np.int32]
    """For each root and vertex the vertex that has to come next unless it came before, else -1, ``(roots, order)``."""
    appeal: Floats
    """For each number of exits what the probability of a candidate is proportional to; above 0."""
    enterable: bool
    """Whether a vertex without exits can't be entered either, unless from the head: the graph is undirected."""
    apart: bool
    """Whether two neighbours of a vertex are never neighbours of each other: the graph is undirected and bipartite."""


class Scratch(NamedTuple):
    """Where one thread keeps the state of its probe."""

    exits: Longs
    visited: NDArray[np.bool_]
    scarce: Longs
    """The counters of the unvisited vertices with few exits: without any, with one, with one that may not be the
    end."""
    near: Naturals
    keys: Floats
    random: NDArray[np.uint64]


def scratch(tree: Tree, seed: np.uint64) -> Scratch:
    """The arrays of one thread, its random numbers begun at the seed."""
    order, widest = len(tree.indptr) - 1, int(np.diff(tree.indptr).max(initial=0))
    return Scratch(
        exits=np.empty(order, dtype=np.int64),
        visited=np.empty(order, dtype=np.bool_),
        scarce=np.zeros(3, dtype=np.int64),
        near=np.empty(widest, dtype=np.uint32),
        keys=np.empty(widest, dtype=np.float64),
        random=np.array([seed], dtype=np.uint64),
    )


@allocation_free
def probes(tree: Tree, scratch: Scratch, begin: int, weights: Floats) -> None:
    """Fill the array with the logarithms of the weights of probes numbered from ``begin`` on; the roots take turns."""
    for i in range(len(weights)):
        weights[i] = _probe(tree, begin + i, scratch)


@allocation_free
def _probe(tree: Tree, number: int, scratch: Scratch) -> float:
    """The logarithm of the weight of one random path from a root, -inf where it ends before it is a tour."""
    order = len(tree.indptr) - 1
    root = number % len(tree.roots)
    _begin(tree, root, scratch)
    head = tree.roots[root]
    weight = 0.0
    for left in range(order - 1, 0, -1):
        _visit(tree, root, scratch, head)
        if left > 1 and tree.enterable and scratch.scarce[NO_EXIT]:
            return -np.inf
        count, total = _gather(tree, root, scratch, head, left)
        if count == 0:
            return -np.inf
        chosen = _drawn(scratch, count, total)
        weight += np.log(total / scratch.keys[chosen])
        head = scratch.near[chosen]
    return weight


@inlined
def _begin(tree: Tree, root: int, scratch: Scratch) -> None:
    """Make every vertex unvisited."""
    scratch.scarce[:] = 0
    for vertex in range(len(tree.indptr) - 1):
        scratch.visited[vertex] = False
        scratch.exits[vertex] = np.int64(tree.indptr[vertex + 1]) - np.int64(tree.indptr[vertex])
        _count(scratch.scarce, scratch.exits[vertex], tree.may_end[root, vertex], 1)


@inlined
def _count(scarce: Longs, exits: int, may_end: bool, sign: int) -> None:
    """Add an unvisited vertex with so many exits to (or take it from) the counters of scarce ones."""
    if exits == 0:
        scarce[NO_EXIT] += sign
    elif exits == 1:
        scarce[ONE_EXIT] += sign
        scarce[ONE_EXIT_INNER] += sign * (not may_end)


@inlined
def _visit(tree: Tree, root: int, scratch: Scratch, head: np.uint32) -> None:
    """Visit a vertex: one exit less for each that has an arc to it."""
    exits, scarce = scratch.exits, scratch.scarce
    scratch.visited[head] = True
    _count(scarce, exits[head], tree.may_end[root, head], -1)
    for arc in range(tree.in_indptr[head], tree.in_indptr[head + 1]):
        other = tree.in_indices[arc]
        exits[other] -= 1
        if exits[other] < 2 and not scratch.visited[other]:
            _count(scarce, exits[other] + 1, tree.may_end[root, other], -1)
            _count(scarce, exits[other], tree.may_end[root, other], 1)


@inlined
def _gather(tree: Tree, root: int, scratch: Scratch, head: np.uint32, left: int) -> tuple[int, float]:
    """Write the candidates of the head and their appeal into ``near`` and ``keys``; how many there are, and their
    appeal added up."""
    must = tree.must[root, head]
    forced = must >= 0 and not scratch.visited[must]
    count = 0
    total = 0.0
    for arc in range(tree.indptr[head], tree.indptr[head + 1]):
        other = tree.indices[arc]
        if scratch.visited[other] or (forced and other != must) or _degrees_refute(tree, root, scratch, other, left):
            continue
        scratch.near[count] = other
        scratch.keys[count] = tree.appeal[scratch.exits[other]]
        total += scratch.keys[count]
        count += 1
    return count, total


@inlined
def _degrees_refute(tree: Tree, root: int, scratch: Scratch, candidate: np.uint32, left: int) -> bool:
    """Whether degrees show that no tour goes on over a candidate: one without exits is no end, or others with one exit
    stay behind."""
    may_end = tree.may_end[root, candidate]
    if left == 1:
        return not may_end
    if scratch.exits[candidate] == 0:
        return True
    one = scratch.exits[candidate] == 1
    others, inner_others = scratch.scarce[ONE_EXIT] - one, scratch.scarce[ONE_EXIT_INNER] - (one and not may_end)
    return bool(tree.apart and (others > 1 or inner_others > 0))


@inlined
def _drawn(scratch: Scratch, count: int, total: float) -> int:
    """The place of a candidate drawn at random, by appeal."""
    drawn = _uniform(scratch.random) * total
    chosen = 0
    while chosen < count - 1 and drawn >= scratch.keys[chosen]:
        drawn -= scratch.keys[chosen]
        chosen += 1
    return chosen


@allocation_free
def _uniform(random: NDArray[np.uint64]) -> float:
    """A number in [0, 1) by splitmix64 (Steele, Lea & Flood 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = random[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return float(mixed >> np.uint64(11)) / 9007199254740992.0
