"""What the value of a tour can be: its turns, its crossings; the one place that says what each is.

A *turn* is a vertex where the two moves are not in line; the ends of an open tour are none. A *crossing* is a pair of
moves that meet inside both; three moves through one point are three crossings. Either is a `PairSum`: a closed tour of
n vertices turns n times, less once for each pair of moves that passes a vertex straight.

An objective is a row of `OBJECTIVES`. Whoever wants bounds or proofs reads the pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Heartbeat, unwatched
from cpsat_tour.spaces.segments import MAX_PAIRS, Longs, edge_numbers, pairs_in_line, pairs_that_cross


@dataclass(frozen=True, eq=False)
class PairSum:
    """The value ``constant + weight * k`` of a tour that makes both moves of ``k`` of the ``pairs``.

    ``pairs`` are rows of two numbers of edges, as `Graph.edges` has them, the lesser first; ``weight`` is 1 or -1.
    """

    graph: Graph
    closed: bool
    pairs: Ints
    weight: int
    constant: int

    def values(self, tours: Ints) -> Longs:
        """The values of tours, a row of vertices each."""
        values = np.empty(len(tours), dtype=np.int64)
        first, others = self._others
        used = np.full(self.graph.size, -1, dtype=np.int32)
        count_pairs(
            tours, self.closed, self.graph.indptr, self.graph.indices, self._numbers, first, others, used, values
        )
        return self.constant + self.weight * values

    def in_cycle(self, cycle: CycleProblem) -> Ints:
        """The pairs by the numbers of the edges of a cycle problem on this graph, for those pairs whose edges it both
        has.

        Edges to the apex, and the one that is added between fixed ends, are no moves.
        """
        tails, heads = (ends.astype(np.int64) for ends in self.graph.edges())
        real = np.arange(cycle.size) != (-1 if cycle.between_ends is None else cycle.between_ends)
        mine = np.minimum(cycle.tails, cycle.heads).astype(np.int64) * cycle.order + np.maximum(
            cycle.tails, cycle.heads
        )
        number = {int(key): edge for edge, key in enumerate(mine.tolist()) if real[edge]}
        there = np.array([number.get(key, -1) for key in (tails * cycle.order + heads).tolist()], dtype=np.int32)
        pairs = there[self.pairs] if len(there) else self.pairs
        return pairs[(pairs >= 0).all(axis=1)]

    @cached_property
    def _numbers(self) -> Ints:
        return edge_numbers(self.graph)

    @cached_property
    def _others(self) -> tuple[Ints, Ints]:
        """For each edge the greater edges that it makes a pair with, as CSR arrays."""
        one, other = self.pairs.T
        counts = np.bincount(one, minlength=self.graph.size)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32), np.ascontiguousarray(
            other[np.argsort(one, kind="stable")]
        )


@dataclass(frozen=True)
class Objective:
    """A whole number that each tour of a problem has; ``nouns`` are what people call one and several of what it counts.

    ``sum`` states it for a problem on an undirected graph, of at most so many pairs; `BadInput` says why the space has
    no such thing.
    """

    name: str
    nouns: tuple[str, str]
    sum: Callable[[Problem, Heartbeat, int], PairSum]

    def stated(self, problem: Problem, heartbeat: Heartbeat = unwatched, most: int = MAX_PAIRS) -> PairSum:
        """What the tours of the problem are worth; `BadInput` where moves are no straight lines, or there are more
        crossings than ``most``."""
        if problem.graph.directed:
            raise BadInput(f"tours of {problem.graph.called} have no {self.nouns[1]}: choose an undirected graph")
        return self.sum(problem, heartbeat, most)

    def words(self, value: int) -> str:
        """A value in words: ``32 turns``."""
        return f"{value:,} {self.nouns[value != 1]}"


def turns(problem: Problem, _heartbeat: Heartbeat = unwatched, _most: int = MAX_PAIRS) -> PairSum:
    """The vertices where a tour turns: all that it passes, less those that it passes straight."""
    passed = problem.graph.order if problem.closed else max(0, problem.graph.order - 2)
    return PairSum(problem.graph, problem.closed, pairs_in_line(problem.graph), -1, passed)


def crossings(problem: Problem, heartbeat: Heartbeat = unwatched, most: int = MAX_PAIRS) -> PairSum:
    """The pairs of moves of a tour that meet inside both."""
    return PairSum(problem.graph, problem.closed, pairs_that_cross(problem.graph, heartbeat, most), 1, 0)


OBJECTIVES = {
    "turns": Objective("turns", ("turn", "turns"), turns),
    "crossings": Objective("crossings", ("crossing", "crossings"), crossings),
}


@allocation_free
def count_pairs(
    tours: Ints,
    closed: bool,
    indptr: Ints,
    indices: Ints,
    numbers: Ints,
    first: Ints,
    others: Ints,
    used: Ints,
    counts: Longs,
) -> None:
    """For each row the pairs of which it makes both moves; ``used`` has an entry for each edge, below any number of a
    row."""
    order = tours.shape[1]
    for row in range(len(tours)):
        for again in range(2):
            pairs = 0
            tail = tours[row, order - 1] if closed else tours[row, 0]
            for place in range(0 if closed else 1, order):
                head = tours[row, place]
                arc = indptr[tail]
                while indices[arc] != head:
                    arc += 1
                edge = numbers[arc]
                if again:
                    for other in range(first[edge], first[edge + 1]):
                        pairs += used[others[other]] == row
                else:
                    used[edge] = row
                tail = head
            counts[row] = pairs
