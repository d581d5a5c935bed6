"""What a tour is worth, as the checker rebuilds it: a variable for each pair of moves that counts, and their sum.

A *turn* is a vertex where the two moves of a tour are not in line; the ends of an open tour are none. So a tour has as
many turns as it passes vertices, less one for each pair of its moves that are one step made twice. A *crossing* is a
pair of moves that meet inside both. Either value is a constant and a weight, -1 or 1, for each pair of certain moves
that a tour makes both of. The sum that is to be least has that weight for the variable of each pair, after those of the
edges; where the most is sought, all signs are turned. A row says of a variable with weight 1 that it is 1 where both
moves are made, two rows say of one with weight -1 that it is 0 where one of them is not. So a solution of the rows that
shows a tour is worth no less than the tour, and with each pair as its moves are it is worth as much.

A proof *shows* the best tour by ``soli``, with the variable of each pair true exactly where both moves are made; from
then on the sum must be less. A contradiction in the end says that nothing is better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.text import Budget

Point = tuple[int, ...]
Pair = tuple[int, int]


@dataclass(frozen=True)
class BestClaim:
    """No tour has fewer, or more, of these than ``value``, and one has as many."""

    objective: str
    maximize: bool
    value: int

    @property
    def sign(self) -> int:
        """What values are multiplied by, so that less is better."""
        return -1 if self.maximize else 1


def pairs_in_line(graph: Graph) -> Iterator[Pair]:
    """The pairs of edges, by their numbers from 0, that are one step made twice."""
    points = graph.space.points().tolist()
    by_step: dict[tuple[int, Point], int] = {}
    for edge, (tail, head) in enumerate(zip(*(ends.tolist() for ends in graph.edges()), strict=True)):
        step = _less(points[head], points[tail])
        by_step[tail, step] = by_step[head, tuple(-length for length in step)] = edge
    for (vertex, step), edge in by_step.items():
        other = by_step.get((vertex, tuple(-length for length in step)), edge)
        if edge < other:
            yield edge, other


def pairs_that_cross(graph: Graph, budget: Budget) -> Iterator[Pair]:
    """The pairs of edges, by their numbers from 0, that meet inside both."""
    points = graph.space.points()
    begin, end = (points[ends].astype(np.int64) for ends in graph.edges())
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    begins, steps = list(map(tuple, begin.tolist())), list(map(tuple, (end - begin).tolist()))
    for edge in range(len(begins)):
        budget.work(len(begins) - edge)
        near = ((low[edge] <= high[edge + 1 :]) & (low[edge + 1 :] <= high[edge])).all(axis=1)
        for other in (np.flatnonzero(near) + edge + 1).tolist():
            budget.work(8)
            if meet_inside(_less(begins[other], begins[edge]), steps[edge], steps[other]):
                yield edge, other


def meet_inside(between: Point, one: Point, other: Point) -> bool:
    """Whether two steps, the second of which begins by ``between`` after the first, meet inside both: in a point that
    is an end of neither, or along a piece."""
    for i, j in combinations(range(len(one)), 2):
        if (minor := one[i] * other[j] - one[j] * other[i]) != 0:
            # between = s one - t other in these two coordinates, s and t as multiples of 1 / minor
            s = between[i] * other[j] - between[j] * other[i]
            t = between[i] * one[j] - between[j] * one[i]
            meets = all(s * u - t * v == minor * w for u, v, w in zip(one, other, between, strict=True))
            return meets and 0 < s * minor < minor * minor and 0 < t * minor < minor * minor
    if any(one[i] * between[j] != one[j] * between[i] for i, j in combinations(range(len(one)), 2)):
        return False
    axis = next(i for i, length in enumerate(one) if length)
    first, second = sorted((0, one[axis])), sorted((between[axis], between[axis] + other[axis]))
    return max(first[0], second[0]) < min(first[1], second[1])


def _less(one: Point, other: Point) -> Point:
    return tuple(x - y for x, y in zip(one, other, strict=True))


class Worth:
    """The sum that is to be least, over the pairs of moves of a problem; the variables of the pairs come after so many
    others.

    `BadInput` where the moves of the problem are no straight lines, or there are more pairs than ``most``.
    """

    def __init__(self, problem: Problem, claim: BestClaim, others: int, most: int, budget: Budget) -> None:
        graph = problem.graph
        if claim.objective == "turns":
            found, weight = pairs_in_line(graph), -1
            constant = graph.order if problem.closed else max(0, graph.order - 2)
        else:
            found, weight, constant = pairs_that_cross(graph, budget), 1, 0
        pairs: list[Pair] = []
        for pair in found:
            pairs.append(pair)
            if len(pairs) > most:
                raise BadInput(
                    f"there are more than {most:,} {claim.objective}, and problem.opb has no rows for so many"
                )
        self.pairs: NDArray[np.int64] = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2) + 1
        self.weight, self._constant = claim.sign * weight, claim.sign * constant
        self._first = others + 1

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def row_count(self) -> int:
        """The number of rows that tie the pairs to their moves."""
        return len(self) if self.weight > 0 else 2 * len(self)

    def clauses(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """For each row its literals, of which one is true, negative for a negated variable; the variable of the pair
        first."""
        for number, (one, other) in enumerate(self.pairs.tolist(), start=self._first):
            if self.weight > 0:
                yield number, (number, -one, -other)
            else:
                yield from ((number, (-number, one)), (number, (-number, other)))

    def tokens(self) -> list[str]:
        """The objective as OPB writes it."""
        terms = (token for number in range(len(self)) for token in (f"{self.weight:+d}", f"x{self._first + number}"))
        return ["min:", *terms, *([str(self._constant)] if self._constant or not len(self) else []), ";"]

    def of(self, true: NDArray[np.bool_]) -> int | None:
        """What a solution is worth, an entry for each variable from 0 on; None where a pair is not what its moves
        are."""
        both = true[self.pairs].all(axis=1)
        mine = true[self._first : self._first + len(self)]
        return None if (both != mine).any() else self._constant + self.weight * int(both.sum())

    def better_than(self, value: int) -> Constraint:
        """The sum is less than the value."""
        return Constraint(
            {self._first + number: -self.weight for number in range(len(self))}, self._constant - value + 1
        )
