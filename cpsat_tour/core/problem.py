"""The one question that every backend answers: a Hamiltonian path or cycle of a graph, with fixed ends and required or forbidden moves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpsat_tour.core.errors import BadInput, whole_number
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry

Move = tuple[int, int]


@dataclass(frozen=True, eq=False)
class HamiltonProblem:
    """Find an open tour (a Hamiltonian path) or a closed one (a Hamiltonian cycle) of the graph.

    An open tour begins at ``start`` and ends at ``end`` where these are given. On a closed problem ``start`` fixes only where the
    tour is written from, and ``end`` asks for the move from end to start. ``require`` and ``forbid`` name edges, in either direction
    (arcs, if the graph is directed). A ``symmetry`` is to take the moves of the tour to themselves. `BadInput` where a vertex or an edge is
    not in the graph, or the symmetry is none of it.
    """

    graph: Graph
    closed: bool
    start: int | None = None
    end: int | None = None
    require: tuple[Move, ...] = ()
    forbid: tuple[Move, ...] = ()
    symmetry: Symmetry | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.graph, Graph):
            raise BadInput(f"a problem can't be on {self.graph!r:.80}: give a Graph, such as Board(8, 8).graph")
        if not isinstance(self.closed, bool | np.bool_):
            raise BadInput(f"closed can't be {self.closed!r:.80}: give True or False")
        for what in ("start", "end"):
            vertex = getattr(self, what)
            if vertex is None:
                continue
            vertex = whole_number(f"the {what}", vertex)
            if not 0 <= vertex < self.graph.order:
                raise BadInput(f"the {what} {vertex} is no vertex: the vertices are 0 to {self.graph.order - 1}")
            object.__setattr__(self, what, vertex)
        if self.closed and self.end is not None and self.start is None:
            raise BadInput("a closed tour has an end only if it has a start: give the start too")
        for what in ("require", "forbid"):
            object.__setattr__(self, what, self._normal(what, getattr(self, what)))
        if self.symmetry is not None:
            self.symmetry.check(self.graph)
            if self.symmetry.turning != "either" and not self.closed:
                raise BadInput(f"{self.symmetry.name} is a kind of closed tour: ask for a closed one")

    def __repr__(self) -> str:
        return f"<HamiltonProblem: {self.kind} tour of {self.graph.called}>"

    def _normal(self, what: str, moves: Iterable[Move]) -> tuple[Move, ...]:
        """The moves without repeats, sorted; edges with the lesser vertex first."""
        normal = set()
        for move in pairs(what, moves):
            tail, head = (whole_number(f"an end of a move to {what}", vertex) for vertex in move)
            inside = 0 <= tail < self.graph.order and 0 <= head < self.graph.order
            if not inside or not self.graph.has_arc(tail, head):
                ends = f"{self.graph.name(tail)}-{self.graph.name(head)}" if inside else f"{tail}-{head}"
                raise BadInput(f"can't {what} the move {ends}: it is no move here")
            normal.add((tail, head) if self.graph.directed else (min(tail, head), max(tail, head)))
        return tuple(sorted(normal))

    @property
    def kind(self) -> str:
        """The word for what is sought: ``closed`` or ``open``."""
        return "closed" if self.closed else "open"

    def with_ends(self, start: int | None, end: int | None) -> HamiltonProblem:
        """The same problem between other ends."""
        return HamiltonProblem(self.graph, self.closed, start, end, self.require, self.forbid, self.symmetry)


def pairs(what: str, moves: object) -> list[tuple[Any, Any]]:
    """The moves to ``require`` or ``forbid``, each with its two ends; `BadInput` where they are not pairs."""
    if isinstance(moves, str) or not isinstance(moves, Iterable):
        raise BadInput(f'can\'t {what} the moves {moves!r:.80}: give pairs, such as [("a1", "b3")]')
    ends = [tuple(move) if isinstance(move, Iterable) and not isinstance(move, str) else (move,) for move in moves]
    if wrong := [move for move in ends if len(move) != 2]:
        raise BadInput(f'can\'t {what} the move {wrong[0]!r:.80}: give its two ends, such as ("a1", "b3")')
    return [(tail, head) for tail, head in ends]
