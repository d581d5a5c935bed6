"""Objectives of tours: turns and crossings, both sums over pairs of moves.

A *turn* is a vertex where the two moves are not in line: one step made twice is in line; the ends of an open tour are
not turns. A *crossing* is a pair of moves that meet inside both: in a point that is an end of neither, or along a
piece; three moves through one point are three crossings. Either is a `PairSum`: a closed tour of n vertices turns n
times, less once for each pair of moves that passes a vertex straight. An objective is a row of `OBJECTIVES`.

Moves are straight lines between points with whole coordinates, in any number of dimensions. Everything is computed in
whole numbers: of ``p + s u`` and ``q + t v`` the point where they come nearest has ``s`` and ``t`` over one
denominator, the Gram determinant of u and v (which is 0 for parallel lines), so that nothing is rounded. Candidates are
found by a sweep along the first axis (Shamos & Hoey 1976). Limits: steps of at most `MAX_STEP`, `MAX_PAIRS` crossings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, edge_keys, indices_in
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, no_heartbeat
from cpsat_tour.core.space import Flags, Ints, Longs

MAX_STEP = 1 << 10
"""The longest step along an axis: the product of five such lengths fits into 64 bits."""

MAX_PAIRS = 1 << 24

MAX_ROWS = 1 << 10
"""The number of tours whose values are computed at once."""

CANDIDATES = 1 << 18
"""The approximate number of pairs of moves that are tested at once."""


def pairs_in_line(graph: Graph, *_limits: object) -> Ints:
    """Return the pairs of edges that go straight on through a shared vertex, an array ``(k, 2)`` of edge numbers, the
    lesser first; `BadInput` if moves are not straight."""
    points = graph.space.points()
    tails = graph.tails.astype(np.int64)
    keys = edge_keys(graph.order, graph.tails, graph.indices)
    _, numbers = np.unique(keys, return_inverse=True)  # the edge of each arc
    steps = points[graph.indices] - points[tails]
    kinds, kind = np.unique(np.concatenate([steps, -steps]), axis=0, return_inverse=True)
    forth, back = kind.reshape(2, -1) + tails * len(kinds)
    arcs = indices_in(back, forth)
    pairs = np.stack([numbers, numbers[arcs]], axis=1)[arcs >= 0]
    return np.asarray(pairs[pairs[:, 0] < pairs[:, 1]], dtype=np.int32)


def pairs_that_cross(graph: Graph, heartbeat: Heartbeat = no_heartbeat, most: int = MAX_PAIRS) -> Ints:
    """Return the pairs of edges that cross, an array ``(k, 2)`` of edge numbers, the lesser first; calls ``heartbeat``.
    `BadInput` if moves are not straight or too long, or there are more than ``most`` pairs."""
    begin, end = (graph.space.points()[ends].astype(np.int64) for ends in graph.edges())
    step = end - begin
    if step.size and (longest := int(np.abs(step).max())) > MAX_STEP:
        remedy = f"choose a leaper of at most {MAX_STEP}"
        raise BadInput(f"crossings of moves as long as {longest} are not counted: {remedy}")
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    order = np.argsort(low[:, :1].ravel(), kind="stable")
    counts = np.searchsorted(low[order, 0], high[order, 0], side="right") - np.arange(1, len(order) + 1)
    found: list[Ints] = []
    number = 0
    cuts = np.searchsorted(np.cumsum(counts), np.arange(CANDIDATES, int(counts.sum()), CANDIDATES))
    for moves in np.split(np.arange(len(order)), cuts):
        heartbeat()
        first = np.repeat(moves, counts[moves])  # each move of the sweep, once for each later one that is near
        before = np.repeat(np.cumsum(counts[moves]) - counts[moves], counts[moves])
        second = np.arange(len(first)) - before + first + 1
        pairs = np.stack([order[first], order[second]], axis=1).astype(np.int32)
        near = ((low[pairs[:, 0]] <= high[pairs[:, 1]]) & (low[pairs[:, 1]] <= high[pairs[:, 0]])).all(axis=1)
        pairs = pairs[near]
        pairs = pairs[meet_inside(begin[pairs[:, 1]] - begin[pairs[:, 0]], step[pairs[:, 0]], step[pairs[:, 1]])]
        found.append(np.sort(pairs, axis=1))
        if (number := number + len(pairs)) > most:
            raise BadInput(f"there are more than {most:,} crossings of moves: choose a smaller board")
    return np.concatenate(found) if found else np.zeros((0, 2), dtype=np.int32)


def meet_inside(between: Longs, first: Longs, second: Longs) -> Flags:
    """Return a flag for each pair of steps (a row), True if they cross or overlap, other than at their ends; the second
    begins at the offset ``between`` from the first."""

    def dot(left: Longs, right: Longs) -> Longs:
        return np.asarray((left * right).sum(axis=1))

    u, v, both = dot(first, first), dot(second, second), dot(first, second)
    along_first, along_second = dot(between, first), dot(between, second)
    gram = u * v - both * both
    s, t = along_first * v - along_second * both, along_first * both - along_second * u
    at_one_point = (s[:, None] * first - t[:, None] * second == gram[:, None] * between).all(axis=1)
    cross = at_one_point & (s > 0) & (s < gram) & (t > 0) & (t < gram)
    in_line = (gram == 0) & (along_first * along_first == u * dot(between, between))
    low, high = np.minimum(along_first, along_first + both), np.maximum(along_first, along_first + both)
    return np.asarray(np.where(gram > 0, cross, in_line & (np.maximum(0, low) < np.minimum(u, high))))


# --- the objectives ---


@dataclass(frozen=True, eq=False)
class PairSum:
    """An objective as a sum: a tour has the value ``constant + weight * k`` if it uses both edges of ``k`` of the
    ``pairs``.

    ``pairs`` are rows of two numbers of edges, as `Graph.edges` has them, the lesser first; ``weight`` is 1 or -1.
    """

    graph: Graph
    closed: bool
    pairs: Ints
    weight: int
    constant: int

    def values(self, tours: Ints) -> Longs:
        """Return the value of each tour (a row)."""
        order, (first, second) = self.graph.order, self.pairs.T
        keys = edge_keys(order, *self.graph.edges())
        numbers = np.zeros(order**2 if order**2 <= MAX_PAIRS else 0, dtype=np.int32)
        if len(numbers):
            numbers[keys] = np.arange(len(keys))
        rows = max(1, min(MAX_ROWS, MAX_PAIRS // max(1, len(first))))
        counts = [np.zeros(0, dtype=np.int64)]
        for block in np.split(tours, range(rows, len(tours), rows)):
            course = np.concatenate([block, block[:, :1]], axis=1).T if self.closed else block.T
            moves = edge_keys(order, course[:-1], course[1:])
            used = np.zeros((len(keys), len(block)), dtype=np.int8)
            used[numbers[moves] if len(numbers) else np.searchsorted(keys, moves), np.arange(len(block))] = 1
            counts.append((used[first] & used[second]).sum(axis=0, dtype=np.int64))
        return self.constant + self.weight * np.concatenate(counts)

    def pairs_in(self, cycle: CycleProblem) -> Ints:
        """Return those of the pairs whose edges a cycle problem on this graph both has, as rows of its edge numbers."""
        keys = edge_keys(cycle.order, cycle.tails, cycle.heads)
        if cycle.edge_between_ends is not None:  # the edge that was added is not a move, as those to the apex
            keys[cycle.edge_between_ends] = -1
        pairs = indices_in(edge_keys(cycle.order, *self.graph.edges()), keys)[self.pairs].astype(np.int32)
        return pairs[(pairs >= 0).all(axis=1)]


@dataclass(frozen=True)
class Objective:
    """A number to minimize or maximize over tours, such as turns; ``nouns`` are its singular and plural.

    ``pairs`` gives the pairs of edges of a graph, at most so many, and calls the heartbeat. With weight 1 those
    that a tour uses are counted; with weight -1 they are taken from the number of vertices that it passes.
    """

    nouns: tuple[str, str]
    pairs: Callable[[Graph, Heartbeat, int], Ints]
    weight: int

    def pair_sum(self, problem: Problem, heartbeat: Heartbeat = no_heartbeat, most: int = MAX_PAIRS) -> PairSum:
        """Return the objective of this problem as a `PairSum`; `BadInput` if the graph is directed, moves are not
        straight, or there are more than ``most`` pairs."""
        graph = problem.graph
        if graph.directed:
            raise BadInput(f"tours of {graph.called} have no {self.nouns[1]}: choose an undirected graph")
        passed = graph.order if problem.closed else max(0, graph.order - 2)
        pairs = self.pairs(graph, heartbeat, most)
        return PairSum(graph, problem.closed, pairs, self.weight, passed if self.weight < 0 else 0)

    def words(self, value: int) -> str:
        """Return a value in words: ``32 turns``."""
        return f"{value:,} {self.nouns[value != 1]}"


OBJECTIVES = {
    "turns": Objective(("turn", "turns"), pairs_in_line, -1),
    "crossings": Objective(("crossing", "crossings"), pairs_that_cross, 1),
}
