"""A table of which vertex can have which number where some numbers are given.

Between two consecutive givens a tour takes a known number of moves. A vertex can have a number in between if walks with
the right numbers of moves lead to it from the one given and from it to the next, neither through a third given. Walks
may repeat vertices, so the table is a relaxation; it covers distances and colours. Time: edges times vertices.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Flags

Stop = tuple[int | None, int]
"""A given vertex, None for any, and the position along the tour, from 0, at which it is visited."""


class Timetable:
    """``possible[number - 1, vertex]`` says whether the vertex may have the number; ``contradiction`` why there is no
    tour, if that shows in the table."""

    def __init__(self, problem: Problem) -> None:
        self._graph, order = problem.graph.without(problem.forbid), problem.graph.order
        self._free = np.ones(order, dtype=bool)
        self._free[[vertex for vertex, _ in problem.givens]] = False
        self.possible: Flags = np.zeros((order, order), dtype=bool)
        self.contradiction: str | None = None
        if (colours := self._graph.colours) is not None:  # one colour has all odd numbers
            for vertex, number in problem.givens:
                odd, numbers = int((colours == colours[vertex] ^ (number + 1) % 2).sum()), (order + 1) // 2
                if odd != numbers and self.contradiction is None:
                    alternate = f"there are {odd} {problem.graph.nouns[1]} for the {numbers} odd numbers"
                    self.contradiction = (
                        f"{problem.graph.name(vertex)} can't have the number {number}: colours alternate, and "
                        f"{alternate}"
                    )
        stops: list[Stop] = [(vertex, number - 1) for vertex, number in problem.givens]
        if problem.closed:
            stops.append((stops[0][0], stops[0][1] + order))
        else:
            stops = [(None, 0), *stops, (None, order - 1)]
        for before, after in pairwise(stops):  # a closed tour's visits may lead over its end
            (tail, begin), (head, end) = before, after
            forth = self._walks(self._graph, tail, end - begin)
            section = forth & self._walks(self._graph.reversed, head, end - begin)[::-1]
            self.possible[np.arange(begin, end + 1) % order] |= section
            if self.contradiction is None and not section.any(axis=1).all():
                self.contradiction = self._why_no_walk(before, after)
        if self.contradiction is None and not self.possible.any(axis=0).all():
            name = problem.graph.name(int(np.flatnonzero(~self.possible.any(axis=0))[0]))
            self.contradiction = f"{name} is too far from the givens: no walk from one to the next has time to pass it"

    def _walks(self, graph: Graph, origin: int | None, moves: int) -> Flags:
        """Return a row of flags for each number of moves, True for the vertices that a walk of so many leads to, from
        anywhere if there is no origin; only the last may be another given."""
        layers = np.tile(self._free, (moves + 1, 1))
        layers[moves] = True
        if origin is not None:
            layers[0] = np.arange(graph.order) == origin
            for move in range(1, moves + 1):
                reached = np.zeros(graph.order, dtype=bool)
                reached[graph.indices[layers[move - 1][graph.tails]]] = True
                layers[move] &= reached
        return layers

    def _why_no_walk(self, before: Stop, after: Stop) -> str:
        """Return why a tour can't get from one stop to the next in time."""
        (tail, begin), (head, end) = before, after
        moves, colours, name = end - begin, self._graph.colours, self._graph.name
        start = "" if tail is None else f" from {name(tail)}, number {begin + 1}{',' * (head is not None)}"
        goal = "" if head is None else f" to {name(head)}, number {end % self._graph.order + 1}"
        if tail is not None and head is not None:
            if colours is not None and bool(colours[tail] != colours[head]) != bool(moves % 2):
                lie = "differ" if colours[tail] != colours[head] else "are alike"
                lead = f"{moves} move{'s' * (moves > 1)} can't lead{start}{goal}"
                return f"{lead}: each move changes the colour, and theirs {lie}"
            if moves == 1:
                return f"no move leads{start}{goal}"
        lead = "no move leads" if moves == 1 else f"no path of {moves} moves leads"
        return f"{lead}{start}{goal}, without passing another given"


@lru_cache(maxsize=4)
def timetable(problem: Problem) -> Timetable:
    """Return the `Timetable` of a problem with givens: which numbers each vertex can have. The last four are cached."""
    return Timetable(problem)
