"""What the value of a tour can be: its turns, its crossings; the one place that says what each is.

A *turn* is a vertex where the two moves are not in line; the ends of an open tour are none. A *crossing* is a pair of
moves that meet inside both; three moves through one point are three crossings. Either is a `PairSum`: a closed tour of
n vertices turns n times, less once for each pair of moves that passes a vertex straight.

An objective is a row of `OBJECTIVES`. Whoever wants bounds or proofs reads the pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Heartbeat, unwatched
from cpsat_tour.spaces.pair_sums import PairSum
from cpsat_tour.spaces.segments import MAX_PAIRS, pairs_in_line, pairs_that_cross


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
