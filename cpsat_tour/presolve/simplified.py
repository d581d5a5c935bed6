"""A simplified cycle problem: its pieces, and the way back from their cycles to those of the whole.

A cycle of the whole has the edges that were taken and those that the cycles of the pieces use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.events import ProblemSimplified
from cpsat_tour.core.graph import edge_keys, indices_in
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.space import Ints

VIRTUAL = -1
"""The number of an edge that stands for a path through removed vertices."""

MAX_SPARSE = 3.0
"""Edges per vertex up to which a graph without a layout is likely to have small cuts; boards and boxes have none."""

MIN_SHARE = 6
"""Other graphs are simplified if one vertex in this number has degree 2 or a required edge: few boards beyond 5x5."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of a simplified problem: the numbers in the whole of its ``vertices`` and ``edges``, or `VIRTUAL`."""

    cycle: CycleProblem
    vertices: Ints
    edges: Ints

    @property
    def problem(self) -> Problem:
        """The piece as a problem of its own: a closed tour that makes the required moves."""
        ends = zip(self.cycle.tails.tolist(), self.cycle.heads.tolist(), strict=True)
        return Problem(self.cycle.source.graph, True, require=tuple(compress(ends, self.cycle.required.tolist())))

    @property
    def called(self) -> str:
        """The piece in words: the number of its vertices, and the first of them."""
        return f"the {self.cycle.order} vertices about {self.cycle.name(0)}"

    @property
    def source_vertices(self) -> list[int]:
        """The vertex of the source problem for each vertex, for events; -1 for the universal vertex."""
        vertices: list[int] = self.vertices.tolist()
        return vertices if self.cycle.apex is None else [*vertices[:-1], -1]


@dataclass(frozen=True, eq=False)
class Simplified:
    """A simplified cycle problem: ``pieces``, each of which needs a cycle; none if the ``taken`` edges, which every
    cycle uses, are one. ``why_none`` says why there is no cycle, if that shows without a search."""

    whole: CycleProblem
    pieces: tuple[Piece, ...]
    why_none: str | None = None
    taken: Ints | None = None

    @property
    def changed(self) -> bool:
        """True unless the only piece is the whole."""
        return self.taken is not None

    @property
    def event(self) -> ProblemSimplified:
        """The event that tells the size of the pieces."""
        cycles = [piece.cycle for piece in self.pieces]
        order, size = sum(cycle.order for cycle in cycles), sum(cycle.size for cycle in cycles)
        return ProblemSimplified(order, size, len(cycles), self.whole.order)

    def refutation_of_whole(self, refutation: Refutation, piece: Piece) -> Refutation:
        """Return the refutation of the whole for that of one of its pieces, without the certificate."""
        if not self.changed:
            return refutation
        where = f"only two moves join {piece.called} to the others, and no tour goes through them all"
        if len(self.pieces) == 1:
            where = f"when forced moves are contracted, {piece.called} remain, and no tour goes through them all"
        return Refutation(refutation.kind, f"{where}: {refutation.reason}")

    def cycles(self, rows: Sequence[Ints]) -> Ints:
        """Return the cycles of the whole, a row each; ``rows`` has for each piece as many rows, or one for all.

        `TourFault` if those of a piece make moves that it does not have, or the whole does not have two edges at each
        vertex; other faults are left to the verification of the tour.
        """
        if self.taken is None:
            return rows[0]
        used = np.zeros((max(map(len, rows), default=1), self.whole.size), dtype=bool)
        used[:, self.taken] = True
        for piece, cycles in zip(self.pieces, rows, strict=True):
            cycle, many = piece.cycle, np.broadcast_to(cycles, (len(used), piece.cycle.order))
            moves = edge_keys(cycle.order, many, np.roll(many, -1, axis=1))
            made = indices_in(moves, edge_keys(cycle.order, cycle.tails, cycle.heads))
            if (made < 0).any():
                raise TourFault(f"it makes a move that is not among {piece.called}")
            edges = piece.edges[made]
            row, move = np.nonzero(edges != VIRTUAL)
            used[row, edges[row, move]] = True
        count, order, whole = len(used), self.whole.order, self.whole
        row, edge = np.nonzero(used)
        ends = np.concatenate([whole.tails[edge] + row * order, whole.heads[edge] + row * order])
        others = np.concatenate([whole.heads[edge], whole.tails[edge]])
        if (moves := np.bincount(ends, minlength=count * order) != 2).any():
            raise TourFault(f"it does not make two moves at {whole.name(int(moves.argmax()) % order)}")
        beside = others[np.argsort(ends, kind="stable")].reshape(count, order, 2)
        numbers, ordered = np.arange(count), np.empty((count, order), dtype=np.int32)
        before, vertex = np.full(count, -1), np.zeros(count, dtype=np.int64)
        for place in range(order):
            ordered[:, place] = vertex
            one, other = beside[numbers, vertex].T
            before, vertex = vertex, np.where(one == before, other, one).astype(np.int64)
        return ordered


def unchanged(cycle: CycleProblem) -> Simplified:
    """Return the cycle problem as a `Simplified` one, whose only piece is the whole."""
    vertices, edges = np.arange(cycle.order, dtype=np.int32), np.arange(cycle.size, dtype=np.int32)
    return Simplified(cycle, (Piece(cycle, vertices, edges),), cycle.dead_end_reason())


def worth_simplifying(cycle: CycleProblem) -> bool:
    """Return True if simplification is likely to remove something: the graph is undirected, and sparse or one vertex in
    six is forced. Constant time per vertex."""
    if cycle.directed:
        return False
    degrees = cycle.degrees
    size = cycle.size - (0 if cycle.apex is None else int(degrees[cycle.apex]))
    forced = int((degrees <= 2).sum()) + int(cycle.required.sum())
    sparse = cycle.source.graph.space.coordinates is None and size <= MAX_SPARSE * cycle.order
    return sparse or MIN_SHARE * forced >= cycle.order
