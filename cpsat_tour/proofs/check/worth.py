"""What a tour is worth, as the checker rebuilds it: a variable for each pair of moves that counts, and their sum.

A *turn* is a vertex where the two moves of a tour are not in line; the ends of an open tour are none. So a tour has as
many turns as it passes vertices, less one for each pair of its moves that are one step made twice. A *crossing* is a
pair of moves that meet inside both. Either value is a constant and a weight, -1 or 1, for each such pair of which a
tour makes both moves; where the most is sought, all signs are turned, so that the least sum is the best.

The variables of the pairs come after those of the edges. A row says of one with weight 1 that it is 1 where both moves
are made; two rows say of one with weight -1 that it is 0 where one of them is not. So a solution of the rows is worth
no less than the tour that it shows. ``soli`` shows the best tour, each pair true exactly where both moves are made, and
from then on the sum must be less: a contradiction in the end says that nothing is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.arithmetic import Constraint

Point = tuple[int, ...]
Pair = tuple[int, int]
"""Two edges, by their numbers from 0."""


@dataclass(frozen=True)
class BestClaim:
    """The claim that no tour has fewer, or more, turns or crossings than ``value``; if ``shown``, that one has as many.

    `BadInput` if the objective is not one of `OBJECTIVES`.
    """

    objective: str
    maximize: bool
    value: int
    shown: bool = True

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            raise BadInput(f"there are no certificates of {self.objective!r:.40}, only of {' and '.join(OBJECTIVES)}")

    @property
    def sign(self) -> int:
        """The factor by which values are multiplied so that less is better."""
        return -1 if self.maximize else 1


def pairs_in_line(graph: Graph, _work: Callable[[int], object]) -> Iterator[Pair]:
    """Yield the pairs of edges with a common vertex that are in line, one step made twice."""
    points = graph.space.points().tolist()
    by_step: dict[tuple[int, Point], int] = {}
    for edge, (tail, head) in enumerate(graph.pairs()):
        step = _step_between(points[head], points[tail])
        by_step[tail, step] = by_step[head, _opposite_step(step)] = edge
    for (vertex, step), edge in by_step.items():
        following = by_step.get((vertex, _opposite_step(step)), edge)
        if edge < following:
            yield edge, following


def pairs_that_cross(graph: Graph, work: Callable[[int], object]) -> Iterator[Pair]:
    """Yield the pairs of edges that meet inside both; ``work`` is called with how many pairs are looked at."""
    points = graph.space.points()
    begin, end = (points[ends].astype(np.int64) for ends in graph.edges())
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    begins, steps = begin.tolist(), (end - begin).tolist()
    for edge in range(len(begins)):
        work(len(begins) - edge)
        near = ((low[edge] <= high[edge + 1 :]) & (low[edge + 1 :] <= high[edge])).all(axis=1)
        for second in (np.flatnonzero(near) + edge + 1).tolist():
            work(8)
            if meet_inside(_step_between(begins[second], begins[edge]), steps[edge], steps[second]):
                yield edge, second


def meet_inside(offset: Sequence[int], first: Sequence[int], second: Sequence[int]) -> bool:
    """Return True if two steps, the second of which begins by ``offset`` after the first, meet inside both: in a point
    that is an end of neither, or along a piece."""
    for i, j in combinations(range(len(first)), 2):
        if (minor := first[i] * second[j] - first[j] * second[i]) != 0:
            # offset = s first - t second in these two coordinates, s and t as multiples of 1 / minor
            s = offset[i] * second[j] - offset[j] * second[i]
            t = offset[i] * first[j] - offset[j] * first[i]
            meets = all(s * u - t * v == minor * w for u, v, w in zip(first, second, offset, strict=True))
            return meets and 0 < s * minor < minor * minor and 0 < t * minor < minor * minor
    if any(first[i] * offset[j] != first[j] * offset[i] for i, j in combinations(range(len(first)), 2)):
        return False
    axis = next(i for i, length in enumerate(first) if length)
    here, there = sorted((0, first[axis])), sorted((offset[axis], offset[axis] + second[axis]))
    return max(here[0], there[0]) < min(here[1], there[1])


def _step_between(to: Sequence[int], point: Sequence[int]) -> Point:
    """Return the step from a point to another."""
    return tuple(x - y for x, y in zip(to, point, strict=True))


def _opposite_step(step: Point) -> Point:
    """Return the step back."""
    return tuple(-length for length in step)


OBJECTIVES: dict[str, tuple[Callable[[Graph, Callable[[int], object]], Iterator[Pair]], int]] = {
    "turns": (pairs_in_line, -1),
    "crossings": (pairs_that_cross, 1),
}
"""The pairs of edges of each objective, and their weight: -1 where they are taken from the vertices passed."""


class Worth:
    """The sum that is to be least, over the pairs of moves of a problem; their variables come after ``others`` more.

    ``pairs`` has the variables of each pair's edges, ``weight`` is that of each. `BadInput` if the moves of the problem
    are no straight lines, or there are more pairs than ``most``.
    """

    def __init__(
        self, problem: Problem, claim: BestClaim, others: int, most: int, work: Callable[[int], object]
    ) -> None:
        graph = problem.graph
        pairs_of, weight = OBJECTIVES[claim.objective]
        constant = 0 if weight > 0 else graph.order if problem.closed else max(0, graph.order - 2)
        found = islice(pairs_of(graph, work), most + 1)
        self.pairs = sorted((first + 1, second + 1) for first, second in found)
        if len(self.pairs) > most:
            raise BadInput(f"there are more than {most:,} {claim.objective}, and problem.opb has no rows for so many")
        self.variables = range(others + 1, others + 1 + len(self.pairs))
        self.weight, self._constant = claim.sign * weight, claim.sign * constant

    def objective_line(self, *, plain: bool = False) -> str:
        """Return the line ``min: … ;`` of the sum in OPB; a plain one is without its constant."""
        terms = [f"{self.weight:+d} x{variable}" for variable in self.variables]
        constant = [str(self._constant)] if not plain and (self._constant or not terms) else []
        return " ".join(["min:", *terms, *constant, ";"])

    def value_of(self, values: Sequence[bool]) -> int | None:
        """Return the value of a solution, given the value of each variable, entry 0 unused; None if the variable of a
        pair is not what its moves are."""
        made = [values[first] and values[second] for first, second in self.pairs]
        if made != [values[variable] for variable in self.variables]:
            return None
        return self._constant + self.weight * sum(made)

    def better_than(self, value: int) -> Constraint:
        """Return the constraint that the sum is less than the value."""
        return Constraint(dict.fromkeys(self.variables, -self.weight), self._constant - value + 1)
