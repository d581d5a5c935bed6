"""A simplified cycle problem: the parts that are left, and the way back from their cycles to those of the whole.

The way back is by the numbers of edges: a cycle of the whole has the edges that were taken and those that the cycles of
the parts use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.events import ProblemSimplified
from cpsat_tour.core.graph import Ints, edge_keys, places_of
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Flags

VIRTUAL = -1
"""The number of an edge that stands for a way through vertices that are not there."""

MAX_SPARSE = 3.0
"""Edges for each vertex up to which small cuts are to be expected, on graphs without a layout: boards and boxes have
none."""

MIN_SHARE = 6
"""Other graphs are looked at if there is a vertex of degree 2 or a required edge for each so many vertices: few boards
beyond 5x5."""


@dataclass(frozen=True, eq=False)
class Component:
    """A cycle problem that is left: ``vertices`` has the vertex of the whole for each of its own, ``edges`` the edge or
    `VIRTUAL`."""

    cycle: CycleProblem
    vertices: Ints
    edges: Ints

    @property
    def problem(self) -> Problem:
        """The component of a closed problem as a problem of its own: a closed tour that makes the required moves."""
        ends = zip(self.cycle.tails.tolist(), self.cycle.heads.tolist(), strict=True)
        return Problem(self.cycle.graph, True, require=tuple(compress(ends, self.cycle.required.tolist())))

    @property
    def called(self) -> str:
        """What it is called where there are others: by the number of its vertices, and the first of them."""
        return f"the {self.cycle.order} vertices about {self.cycle.name(0)}"

    @property
    def sources(self) -> list[int]:
        """For each vertex that of the whole problem, for those who listen; -1 stands for the universal vertex."""
        vertices: list[int] = self.vertices.tolist()
        return vertices if self.cycle.apex is None else [*vertices[:-1], -1]


@dataclass(frozen=True, eq=False)
class Simplified:
    """What is left of a cycle problem: ``parts``, each of which needs a cycle; none where the taken edges alone are
    one.

    ``refutation`` says why there is no cycle, if that came out. ``taken`` are the edges of the whole that every cycle
    uses.
    """

    whole: CycleProblem
    parts: tuple[Component, ...]
    refutation: str | None = None
    taken: Ints | None = None

    @property
    def changed(self) -> bool:
        """Whether the parts are anything but the whole."""
        return self.taken is not None or self.refutation is not None

    @property
    def left(self) -> ProblemSimplified:
        """The event that says how much is left."""
        cycles = [part.cycle for part in self.parts]
        order, size = sum(cycle.order for cycle in cycles), sum(cycle.size for cycle in cycles)
        return ProblemSimplified(order, size, len(cycles), self.whole.order, self.whole.size)

    @property
    def why_none(self) -> str | None:
        """Why there is no cycle, as far as that is known without a search: a dead end of the whole, or what came
        out."""
        return self.whole.dead_end() or self.refutation

    def why(self, refutation: Refutation, part: Component) -> Refutation:
        """Why the whole has no cycle where this part has none; a certificate would be about the part."""
        if not self.changed:
            return refutation
        where = f"of {part.called}, which only two moves join to the others"
        if len(self.parts) == 1:
            where = f"of {part.called}, which remain when forced moves are contracted"
        return Refutation(refutation.kind, f"{where}: {refutation.reason}")

    def cycles(self, rows: Sequence[Ints]) -> Ints:
        """Return the cycles of the whole, a row each; ``rows`` has for each part as many rows, or one for all.

        `TourFault` where those of a part make moves that are none there, or the whole does not have two at each vertex;
        what else may be wrong with a cycle is left to those who verify the tour.
        """
        if self.taken is None:
            return rows[0]
        used = np.zeros((max(map(len, rows), default=1), self.whole.size), dtype=bool)
        used[:, self.taken] = True
        for part, cycles in zip(self.parts, rows, strict=True):
            cycle, many = part.cycle, np.broadcast_to(cycles, (len(used), part.cycle.order))
            moves = edge_keys(cycle.order, many, np.roll(many, -1, axis=1))
            made = places_of(moves, edge_keys(cycle.order, cycle.tails, cycle.heads))
            if (made < 0).any():
                raise TourFault(f"it makes a move that is none among {part.called}")
            edges = part.edges[made]
            row, move = np.nonzero(edges != VIRTUAL)
            used[row, edges[row, move]] = True
        return _in_order(self.whole, used)


def _in_order(whole: CycleProblem, used: Flags) -> Ints:
    """The vertices of the cycles that the edges of each row form, from vertex 0."""
    count, order = len(used), whole.order
    row, edge = np.nonzero(used)
    ends = np.concatenate([whole.tails[edge] + row * order, whole.heads[edge] + row * order])
    others = np.concatenate([whole.heads[edge], whole.tails[edge]])
    if (moves := np.bincount(ends, minlength=count * order) != 2).any():
        raise TourFault(f"it does not make two moves at {whole.name(int(moves.argmax()) % order)}")
    beside = others[np.argsort(ends, kind="stable")].reshape(count, order, 2)
    rows = np.arange(count)
    cycles = np.empty((count, order), dtype=np.int32)
    before, vertex = np.full(count, -1), np.zeros(count, dtype=np.int64)
    for place in range(order):
        cycles[:, place] = vertex
        one, other = beside[rows, vertex].T
        before, vertex = vertex, np.where(one == before, other, one).astype(np.int64)
    return cycles


def unchanged(cycle: CycleProblem) -> Simplified:
    """The problem as it is, in one part."""
    vertices, edges = np.arange(cycle.order, dtype=np.int32), np.arange(cycle.size, dtype=np.int32)
    return Simplified(cycle, (Component(cycle, vertices, edges),))


def worth_simplifying(cycle: CycleProblem) -> bool:
    """True if simplification is likely to remove something: the graph is sparse, or one vertex in six is forced; never
    of directed problems. Constant time per vertex."""
    if cycle.directed:
        return False
    degrees = np.diff(cycle.incidence[0])
    size = cycle.size - (0 if cycle.apex is None else int(degrees[cycle.apex]))
    forced = int((degrees <= 2).sum()) + int(cycle.required.sum())
    sparse = cycle.graph.coordinates is None and size <= MAX_SPARSE * cycle.order
    return sparse or MIN_SHARE * forced >= cycle.order
