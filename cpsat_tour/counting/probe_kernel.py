"""The compiled half of the estimator: random probes of the search tree, each the weight of the tour that it ends in, or 0.

Knuth (1975, Estimating the efficiency of backtrack programs): walk down the tree at random; the product of the inverse probabilities of the
choices, if the walk ends in a tour, is an unbiased estimate of the number of tours, as long as every choice that leads to one keeps a
positive probability. Choices are made by a randomised rule of Warnsdorff (Cancela & Mordecki 2006): the probability of a candidate
falls with its exits. Candidates are left out only where degrees refute them, so that nothing is lost: in an undirected graph an
unvisited vertex that is not next to the head and has one exit must be the end of the path, so there is at most one, and it may end there.

The state is ``exits`` (of each vertex its unvisited neighbours), ``visited``, and three counters over the unvisited vertices: those
without exits, those with one, and those with one that may not be the end. Weights are logarithms: a large board has more tours than a
float can hold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Naturals = NDArray[np.uint32]


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

    exits: NDArray[np.int64]
    visited: NDArray[np.bool_]
    near: Naturals
    keys: Floats
    random: NDArray[np.uint64]


def scratch(tree: Tree, seed: np.uint64) -> Scratch:
    """The arrays of one thread, its random numbers begun at the seed."""
    order, widest = len(tree.indptr) - 1, int(np.diff(tree.indptr).max(initial=0))
    return Scratch(
        exits=np.empty(order, dtype=np.int64),
        visited=np.empty(order, dtype=np.bool_),
        near=np.empty(widest, dtype=np.uint32),
        keys=np.empty(widest, dtype=np.float64),
        random=np.array([seed], dtype=np.uint64),
    )


@njit(cache=True, nogil=True)
def probes(tree: Tree, scratch: Scratch, begin: int, weights: Floats) -> None:
    """Fill the array with the logarithms of the weights of probes numbered from ``begin`` on; the roots take turns."""
    for i in range(len(weights)):
        weights[i] = probe(tree, (begin + i) % len(tree.roots), scratch)


@njit(cache=True, nogil=True)
def probe(tree: Tree, root: int, scratch: Scratch) -> float:
    """The logarithm of the weight of one random path from a root, -inf where it ends before it is a tour."""
    order = len(tree.indptr) - 1
    exits, visited, near, keys = scratch.exits, scratch.visited, scratch.near, scratch.keys
    may_end, must = tree.may_end[root], tree.must[root]
    zeros = ones = inner_ones = 0
    for vertex in range(order):
        visited[vertex] = False
        exits[vertex] = np.int64(tree.indptr[vertex + 1]) - np.int64(tree.indptr[vertex])
        zeros += exits[vertex] == 0
        ones += exits[vertex] == 1
        inner_ones += exits[vertex] == 1 and not may_end[vertex]
    head = tree.roots[root]
    weight = 0.0
    for left in range(order - 1, 0, -1):
        visited[head] = True
        zeros -= exits[head] == 0
        ones -= exits[head] == 1
        inner_ones -= exits[head] == 1 and not may_end[head]
        for arc in range(tree.in_indptr[head], tree.in_indptr[head + 1]):
            other = tree.in_indices[arc]
            exits[other] -= 1
            if not visited[other]:
                zeros += exits[other] == 0
                ones += (exits[other] == 1) - (exits[other] == 0)
                inner_ones += ((exits[other] == 1) - (exits[other] == 0)) * (not may_end[other])
        if left > 1 and tree.enterable and zeros:
            return -np.inf
        forced = must[head] >= 0 and not visited[must[head]]
        count = 0
        total = 0.0
        for arc in range(tree.indptr[head], tree.indptr[head + 1]):
            other = tree.indices[arc]
            if visited[other] or (forced and other != must[head]):
                continue
            if left == 1:
                if not may_end[other]:
                    continue
            elif exits[other] == 0:
                continue
            elif tree.apart:
                one = exits[other] == 1
                if ones - one > 1 or inner_ones - (one and not may_end[other]) > 0:
                    continue
            near[count] = other
            keys[count] = tree.appeal[exits[other]]
            total += keys[count]
            count += 1
        if count == 0:
            return -np.inf
        drawn = _uniform(scratch.random) * total
        chosen = 0
        while chosen < count - 1 and drawn >= keys[chosen]:
            drawn -= keys[chosen]
            chosen += 1
        weight += np.log(total / keys[chosen])
        head = near[chosen]
    return weight


@njit(cache=True, nogil=True)
def _uniform(random: NDArray[np.uint64]) -> float:
    """A number in [0, 1) by splitmix64 (Steele, Lea & Flood 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = random[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return float(mixed >> np.uint64(11)) / 9007199254740992.0
