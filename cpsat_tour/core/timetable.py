"""Which vertex can have which number, where some numbers are given: the walks between two givens, counted by their
moves.

Between two givens that follow each other a tour takes a known number of moves. A vertex can have a number in between if
a walk of so many moves leads from the one given to it, and one of the other moves from it to the next, neither through
a third given. Walks may repeat vertices, so that the table is a relaxation; it knows distances and colours. It is
computed layer by layer, in time linear in the moves of the graph times its vertices, with a table of a byte for each
vertex and number.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Flags

MUCH = 1 / 8
"""The share of given vertices from which on a search over numbers is faster than one along the path: fewer leave little
to reason from."""


class Timetable:
    """``possible[number - 1, vertex]`` says whether the vertex may have the number; ``contradiction`` why there is no
    tour, if it is plain."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._graph = problem, problem.graph.without(problem.forbid)
        order = problem.graph.order
        given = np.zeros(order, dtype=bool)
        given[[vertex for vertex, _ in problem.givens]] = True
        self._free = ~given
        self.possible: Flags = np.zeros((order, order), dtype=bool)
        self.contradiction: str | None = None
        self._colours_fit()
        stops = [(vertex, number - 1) for vertex, number in problem.givens]
        for (one, begin), (other, end) in pairwise(stops):
            self._between(one, begin, other, end)
        if problem.closed:
            self._between(*stops[-1], stops[0][0], stops[0][1] + order)
        else:
            self._outside(stops[0], stops[-1])
        if self.contradiction is None and not self.possible.any(axis=0).all():
            name = problem.graph.name(int(np.flatnonzero(~self.possible.any(axis=0))[0]))
            self.contradiction = f"{name} is too far from the givens: no walk from one to the next has time to pass it"

    def _colours_fit(self) -> None:
        """Where the graph has two colours, they alternate along a tour: of that of the odd numbers there are as many
        vertices."""
        colours, order = self._graph.colours, self._graph.order
        if colours is None:
            return
        for vertex, number in self._problem.givens:
            odd = int(colours[vertex]) ^ (number + 1) % 2
            if int((colours == odd).sum()) != (order + 1) // 2:
                name, some = self._graph.name(vertex), int((colours == odd).sum())
                alternate = (
                    f"colours alternate, and there are {some} {self._graph.nouns[1]} for the {(order + 1) // 2} "
                    "odd numbers"
                )
                self.contradiction = f"{name} can't have the number {number}: {alternate}"
                return

    def _between(self, one: int, begin: int, other: int, end: int) -> None:
        """Fill in the visits from one given to the next; a closed tour's may lead over its end."""
        order, moves = self._graph.order, end - begin
        forth, back = self._walks(self._graph, one, moves), self._walks(self._graph.reversed, other, moves)[::-1]
        section = forth & back
        self.possible[np.arange(begin, end + 1) % order] |= section
        if not section.any(axis=1).all() and self.contradiction is None:
            self.contradiction = self._no_walk(one, begin, other, end)

    def _walks(self, graph: Graph, origin: int, moves: int) -> Flags:
        """For each number of moves the vertices that a walk of so many leads to; only the last may be another given."""
        layers = np.zeros((moves + 1, graph.order), dtype=bool)
        layers[0, origin] = True
        for move in range(1, moves + 1):
            layers[move, graph.indices[layers[move - 1][graph.tails]]] = True
            if move < moves:
                layers[move] &= self._free
        return layers

    def _outside(self, first: tuple[int, int], last: tuple[int, int]) -> None:
        """Fill in the visits of an open tour before its first given and after its last."""
        order = self._graph.order
        before = self._walks(self._graph.reversed, first[0], first[1])
        after = self._walks(self._graph, last[0], order - 1 - last[1])
        before[1:] &= self._free
        after[1:] &= self._free
        self.possible[: first[1] + 1] |= before[::-1]
        self.possible[last[1] :] |= after
        for vertex, moves, walks, way in ((*first, before, "to"), (last[0], order - 1 - last[1], after, "from")):
            if not walks.any(axis=1).all() and self.contradiction is None:
                name = self._graph.name(vertex)
                self.contradiction = (
                    f"no {'move leads' if moves == 1 else f'{_moves(moves)} lead'} {way} {name} without passing "
                    "another given"
                )

    def _no_walk(self, one: int, begin: int, other: int, end: int) -> str:
        """Why a tour can't get from one given to the next in time."""
        order, name = self._graph.order, self._graph.name
        ends = f"from {name(one)}, number {begin + 1}, to {name(other)}, number {end % order + 1}"
        moves, colours = end - begin, self._graph.colours
        if colours is not None and bool(colours[one] != colours[other]) != bool(moves % 2):
            lie = "differ" if colours[one] != colours[other] else "are alike"
            return f"{_moves(moves)} can't lead {ends}: each move changes the colour, and theirs {lie}"
        return (
            f"no move leads {ends}" if moves == 1 else f"no {_moves(moves)} lead {ends} without passing another given"
        )


def _moves(number: int) -> str:
    return f"{number} move{'s' * (number != 1)}"


@lru_cache(maxsize=4)
def timetable(problem: Problem) -> Timetable:
    """The table of a problem with givens; those of the last problems are kept, for one question is asked of several
    backends."""
    return Timetable(problem)


def much_is_given(problem: Problem) -> bool:
    """Whether a search over numbers has enough to reason from."""
    return len(problem.givens) >= MUCH * problem.graph.order
