"""The problem that every backend answers: a Hamiltonian path or cycle of a graph, with fixed ends, moves, numbers and
waypoints; and the refutation of a problem that has no tour: the kind of evidence and its words.

A timetable says which vertex can have which number where some numbers are given. Between two consecutive givens a tour
takes a known number of moves. A vertex can have a number in between if walks with the right numbers of moves lead to it
from the one given and from it to the next, neither through a third given. Walks may repeat vertices, so the table is a
relaxation; it covers distances and colours. Time: edges times vertices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from cpsat_tour.core.errors import BadInput, quoted, whole_number
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.space import Flags

Status = Literal["tour", "none", "unknown"]


Work = Mapping[str, int]


RefutationKind = Literal["exhausted", "condition", "lp", "clausal", "claimed"]


@dataclass(frozen=True)
class Refutation:
    """The evidence that there is no tour.

    ``exhausted``: a search tried every possibility; ``condition``: a necessary condition is violated, which can be
    checked by hand; ``lp`` and ``clausal``: there is a `cpsat_tour.proofs.write.certificate.Certificate`, or was for a
    piece of the graph that the reason names; ``claimed``: the solver says so, which is no evidence.
    """

    kind: RefutationKind
    reason: str
    certificate: Any = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


Move = tuple[int, int]

MAX_GIVEN_ORDER = 2500
"""Vertices of the largest graph that takes givens or waypoints: they need a table of vertices by visits, or by
waypoints."""


@dataclass(frozen=True, eq=False)
class Problem:
    """The task to find an open tour (a Hamiltonian path) or a closed one (a Hamiltonian cycle) of the graph.

    Vertices are numbers here; `problem_of` also takes their names. With givens a tour is a numbering: two numberings of
    one path or cycle are two tours. The start is then the vertex numbered 1, the end the one with the last number.
    Givens that fix only ends of an open tour become ``start`` and ``end``.



    - ``graph`` (`Graph`, needed): the graph.
    - ``closed`` (bool, needed): whether a cycle is sought.
    - ``start`` (int, default None): where an open tour begins; a closed one is only written from there.
    - ``end`` (int, default None): where an open tour ends; of a closed one the neighbour of the start that is last.
    - ``require`` (pairs of ints, default ()): edges that the tour uses, in either direction, or arcs.
    - ``forbid`` (pairs of ints, default ()): edges or arcs that it does not use.
    - ``symmetry`` (a symmetry, default None): maps the moves of the tour to its moves.
    - ``givens`` (pairs of ints, default ()): vertices, each with the number of its visit, from 1.
    - ``waypoints`` (ints, default ()): vertices that are visited in this order, others between them; a closed tour
      without a start starts at the first of three or more; fewer leave it free.
    """

    graph: Graph
    closed: bool
    start: int | None = None
    end: int | None = None
    require: tuple[Move, ...] = ()
    forbid: tuple[Move, ...] = ()
    symmetry: Symmetry | None = None
    givens: tuple[tuple[int, int], ...] = ()
    waypoints: tuple[int, ...] = ()
    allowed: Graph = field(init=False, repr=False)
    """The graph without the forbidden moves."""

    def __post_init__(self) -> None:
        if not isinstance(self.graph, Graph):
            raise BadInput(f"a problem can't be on {quoted(self.graph)}: give a Graph, such as Board(8, 8).graph")
        if not isinstance(self.closed, bool | np.bool_):
            raise BadInput(f"closed can't be {quoted(self.closed)}: give True or False")
        normal = vars(self)  # the frozen fields get their normal form here alone
        for name in ("start", "end"):
            if normal[name] is not None:
                normal[name] = whole_number(f"the {name}", normal[name], 0, self.graph.order - 1)
        if self.graph.required:
            normal["require"] = (*pairs("require", self.require), *self.graph.required)
        for name in ("require", "forbid"):
            if not isinstance(normal[name], tuple) or normal[name]:
                normal[name] = self._normal_moves(name, normal[name])
        normal["allowed"] = self.graph.without(self.forbid) if self.forbid else self.graph
        if not isinstance(self.givens, tuple) or self.givens:
            normal |= self._normal_ends_and_givens()
        if not isinstance(self.waypoints, tuple) or self.waypoints:
            normal["waypoints"] = self._normal_waypoints()
            if self.closed and self.start is None and self.waypoints:
                normal["start"] = self.waypoints[0]
        if self.givens and self.waypoints:
            raise BadInput("waypoints can't go with given numbers: leave out one or the other")
        if self.closed and self.end is not None and self.start is None:
            raise BadInput("a closed tour has an end only if it has a start: give the start too")
        if self.symmetry is not None:
            self.symmetry.check(self.graph)
            if self.symmetry.turning != "either" and not self.closed:
                raise BadInput(f"{self.symmetry.name} is a kind of closed tour: ask for a closed one")

    def __repr__(self) -> str:
        names = ("start", "end", "require", "forbid", "symmetry", "givens", "waypoints")
        given = ", ".join(name for name in names if getattr(self, name) not in (None, ()))
        return f"<Problem: {self.kind} tour of {self.graph.called}{f', with {given}' if given else ''}>"

    def _normal_moves(self, field: str, moves: Iterable[Move]) -> tuple[Move, ...]:
        """Return the moves sorted and without repeats; `BadInput` if one is not a move of the graph. Edges have the
        lesser vertex first."""
        normal = set()
        for move in pairs(field, moves):
            tail, head = (whole_number(f"an end of a move to {field}", vertex) for vertex in move)
            inside = 0 <= tail < self.graph.order and 0 <= head < self.graph.order
            if not inside or not self.graph.has_arc(tail, head):
                ends = f"{self.graph.name(tail)}-{self.graph.name(head)}" if inside else f"{tail}-{head}"
                raise BadInput(f"can't {field} the move {ends}: it is not a move here")
            normal.add((tail, head) if self.graph.directed else (min(tail, head), max(tail, head)))
        return tuple(sorted(normal))

    def _normal_ends_and_givens(self) -> dict[str, Any]:
        """Return normalised values for the fields ``givens``, ``start`` and ``end``, by name. The ends are added to the
        givens. `BadInput` if two contradict each other, or the graph is too large for givens."""
        order, name = self.graph.order, self.graph.name
        wanted = pairs("givens", self.givens)
        if not wanted:
            return {"givens": ()}
        self._check_order("givens")
        ends = ((self.start, 1), (self.end, order))
        vertices: dict[int, int] = {}
        for which, count in [*wanted, *((vertex, number) for vertex, number in ends if vertex is not None)]:
            vertex = whole_number("a given vertex", which, 0, order - 1)
            number = whole_number(f"the number of {name(vertex)}", count, 1, order)
            if (other := vertices.setdefault(number, vertex)) != vertex:
                raise BadInput(
                    f"the number {number} is given to both {name(other)} and {name(vertex)}: give it to one of them"
                )
        numbers: dict[int, int] = {}
        for number, vertex in sorted(vertices.items()):
            if numbers.setdefault(vertex, number) != number:
                raise BadInput(f"{name(vertex)} is given both {numbers[vertex]} and {number}: give it one number")
        start, end = vertices.get(1), vertices.get(order)
        ends_alone = not self.closed and vertices.keys() <= {1, order}
        return {
            "start": start,
            "end": self.end if self.closed and start is None else end,
            "givens": () if ends_alone else tuple(numbers.items()),
        }

    def _normal_waypoints(self) -> tuple[int, ...]:
        """Return the normalised waypoints, empty if any tour visits them in order. Those of a closed tour begin with
        its start. `BadInput` if one is repeated, or the start or the end is at another place among them."""
        self._check_order("waypoints")
        name, vertices = self.graph.name, list[int]()
        for which in self.waypoints:
            vertices.append(whole_number("a waypoint", which, 0, self.graph.order - 1))
            if vertices.count(vertices[-1]) > 1:
                raise BadInput(f"the waypoint {name(vertices[-1])} is given twice: each is visited once")
        for verb, end, place in (("start", self.start, 0), ("end", self.end, -1)):
            if end in vertices and end != vertices[place]:
                there = f"{'before' if verb == 'start' else 'after'} {name(end)}, where the tour is to {verb}"
                raise BadInput(f"the waypoint {name(vertices[place])} is to be visited {there}: leave one of them out")
        if self.closed and self.start is not None and self.start not in vertices:
            vertices.insert(0, self.start)
        free = len(vertices) <= 1 + self.closed or set(vertices) <= {self.start, self.end}
        return () if free else tuple(vertices)

    def _check_order(self, what: str) -> None:
        """Raise `BadInput` if the graph has too many vertices for ``givens`` or ``waypoints``, which ``what`` names."""
        if self.graph.order > MAX_GIVEN_ORDER:
            raise BadInput(
                f"{what} are for at most {MAX_GIVEN_ORDER:,} {self.graph.nouns[1]}, and {self.graph.called} "
                f"has {self.graph.order:,}"
            )

    @property
    def timed(self) -> str:
        """The name of the part that fixes when vertices are visited, ``given numbers`` or ``waypoints``; empty if there
        is none."""
        return "given numbers" if self.givens else "waypoints" if self.waypoints else ""

    @property
    def kind(self) -> str:
        """``closed`` or ``open``."""
        return "closed" if self.closed else "open"


def pairs(field: str, value: object) -> list[tuple[Any, Any]]:
    """Return the items as a list of pairs; `BadInput` if they are not pairs. ``field`` names them: moves to ``require``
    or ``forbid``, or ``givens``, which are pairs of vertex and number."""
    items = value.items() if field == "givens" and isinstance(value, Mapping) else value
    found = []
    for pair in items if np.iterable(items) and not isinstance(items, str) else [items]:
        found.append(tuple(pair) if np.iterable(pair) and not isinstance(pair, str) else ())
        if len(found[-1]) != 2:
            if field == "givens":
                raise BadInput(
                    f'the givens can\'t be {quoted(value)}: give numbers by their vertices, such as {{"e4": 17}}'
                )
            raise BadInput(f'can\'t {field} the moves {quoted(value)}: give pairs, such as [("a1", "b3")]')
    return found


Stop = tuple[int | None, int]
"""A given vertex, None for any, and the position along the tour, from 0, at which it is visited."""


class Timetable:
    """Which number each vertex can have: ``possible[number - 1, vertex]`` is a flag. ``contradiction`` says why there
    is no tour, if the table shows that."""

    def __init__(self, problem: Problem) -> None:
        self._graph, order = problem.allowed, problem.graph.order
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
        """Return the vertices that walks of 0, 1, … ``moves`` moves can end at, a row of flags for each length. They
        begin at ``origin``, or anywhere if that is None, and pass no other given on the way."""
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
        """Return a sentence on why a tour can't get from one given vertex to the next in the moves between them."""
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
    """Return which numbers each vertex of a problem with givens can have, as a `Timetable`. The last four are
    cached."""
    return Timetable(problem)
