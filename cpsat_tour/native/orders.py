"""Move orders by name: in which order the search tries the moves from a vertex.

All but ``plain`` follow Warnsdorff's rule (von Warnsdorff 1823): fewest exits first. They differ in what breaks ties:

=================  ====================================================================================================
``default``        ``start`` on graphs that are laid out in the plane, ``pohl`` on others
``plain``          no rule at all: roots and neighbours as they are numbered, as in a textbook's depth-first search
``fixed:48172635`` a fixed order of the eight directions, given as a permutation of 12345678
``random``         at random, from the seed
``pohl``           fewest exits in total one step further (Pohl 1967)
``centre``         farthest from the centre of the board (Roth)
``start``          farthest from the start (an applet of 1999)
``squirrel-cull``  direction orders that switch at given squares (Squirrel & Cull 1996): open tours of n x n boards from
                   their first square, without a dead end
=================  ====================================================================================================

Directions are numbered clockwise from the north by the octant that the move points into: 1 for angles of 0 up to 45
degrees, 8 for 315 up to 360. The knight's eight moves have one octant each, those of the (0, 1) leaper the octants 1,
3, 5 and 7. The orders that speak of directions or distances need a graph that is laid out in the plane; remaining ties
go by vertex number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.kernels import kernel
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Bytes, Ints, Longs, Naturals
from cpsat_tour.native.paths import AS_THEY_COME, AT_RANDOM, BY_EXITS, BY_PHASE, BY_SECOND_LEVEL, TieOrder

NAMES = ("default", "plain", "fixed:48172635", "random", "pohl", "centre", "start", "squirrel-cull")

_KEYS = {
    "plain": AS_THEY_COME,
    "fixed": BY_EXITS,
    "random": AT_RANDOM,
    "pohl": BY_SECOND_LEVEL,
    "centre": BY_EXITS,
    "start": BY_EXITS,
    "squirrel-cull": BY_PHASE,
}


@dataclass(frozen=True)
class Order:
    """A move order: the name of its rule, and for ``fixed`` the directions after the colon."""

    rule: str
    directions: str = ""

    @classmethod
    def parse(cls, name: str) -> Order:
        """Return the order of that name. `BadInput` if there is none."""
        rule, colon, directions = name.partition(":")
        if rule not in (*_KEYS, "default") or (colon and rule != "fixed"):
            raise BadInput(f"there is no move order {name!r}: choose one of {', '.join(NAMES)}")
        if rule == "fixed" and sorted(directions) != list("12345678"):
            raise BadInput(
                f"{directions!r} is not an order of the directions: write each of the digits 1 to 8 once, "
                "such as fixed:48172635"
            )
        return cls(rule, directions)

    def for_problem(self, problem: Problem) -> Order:
        """Return this order, or the one that ``default`` stands for on this problem; `BadInput` if the order is not
        defined for the problem."""
        if self.rule == "default":
            return Order("pohl" if problem.graph.space.coordinates is None else "start")
        if self.rule in ("plain", "random", "pohl"):
            return self
        if problem.graph.space.coordinates is None:
            raise BadInput(
                f"the move order {self.rule} needs a board, and this graph has no layout: use pohl, random or plain"
            )
        none = problem.graph.tails[:0]
        if self.rule in ("fixed", "squirrel-cull") and problem.graph.space.directions(none, none) is None:
            raise BadInput(
                f"the move order {self.rule} needs directions, and {problem.graph.called} has none: use "
                "start, pohl or random"
            )
        if self.rule == "squirrel-cull":
            side = _side_of_square(problem.graph)
            if (
                problem.closed
                or side < 5
                or problem.start not in (None, 0)
                or (problem.start is None and problem.end is not None)
            ):
                raise BadInput(
                    "the move order squirrel-cull is for open tours from the top left square of an n x n "
                    "board, n at least 5"
                )
        return self

    def tie_order(self, graph: Graph, root: int) -> TieOrder:
        """Return the `TieOrder` of a search from the root: the graph's arcs in this order, and how ties are broken."""
        indices = graph.indices
        octants, phase_ranks, switches = np.zeros(0, np.uint8), np.zeros((1, 9), np.uint8), np.full(1, -1, np.int32)
        if self.rule == "fixed":
            ranks = _ranks(self.directions)[octants_of_arcs(graph)].astype(np.int64)
            indices = _sort_rows(graph, ranks)
        elif self.rule in ("centre", "start"):
            where = _int64_coordinates(graph)
            origin = 2 * where[root] if self.rule == "start" else where.min(axis=0) + where.max(axis=0)
            distance = ((2 * where - origin) ** 2).sum(axis=1)
            indices = _sort_rows(graph, -distance[indices])
        elif self.rule == "squirrel-cull":
            side = _side_of_square(graph)
            phases = squirrel_cull_phases(side)
            octants = octants_of_arcs(graph)
            phase_ranks = np.stack([_ranks(directions) for directions, _ in phases])
            squares = [switch or (0, 0) for _, switch in phases]  # off the board, which none reaches
            on_board = [1 <= row <= side and 1 <= col <= side for row, col in squares]
            vertices = [(row - 1) * side + col - 1 for row, col in squares]
            switches = np.where(on_board, vertices, -1).astype(np.int32)
        return TieOrder(indices, _KEYS[self.rule], octants, phase_ranks, switches)


def octants_of_arcs(graph: Graph) -> Bytes:
    """Return the direction of each arc of a graph that has directions, 1 to 8: the octant that it points into,
    clockwise from the north."""
    octants = graph.space.directions(graph.tails, graph.indices)
    assert octants is not None, "asked for by Order.for_problem"
    return octants


def _sort_rows(graph: Graph, ranks: Longs) -> Ints:
    """Return the heads of the arcs, those of each vertex in increasing order of rank, equal ranks as they were."""
    arranged = graph.indices.copy()
    sort_rows(graph.indptr.view(np.uint32), arranged, ranks.astype(np.int64), graph.order)
    return arranged


@kernel
def sort_rows(first: Annotated[Naturals, "rows+1"], arranged: Ints, keys: Longs, rows: int) -> int:
    """Sort the entries of each row, and the keys beside them, by keys, equal ones as they were; return the number of
    rows. A tenth of the time of `numpy.lexsort` for millions of arcs."""


def _ranks(directions: str) -> Bytes:
    """Return an array with the place of each direction, 1 to 8, in the string ``directions``; entry 0 is unused."""
    ranks = np.zeros(9, dtype=np.uint8)
    ranks[[int(digit) for digit in directions]] = np.arange(8, dtype=np.uint8)
    return ranks


def _int64_coordinates(graph: Graph) -> NDArray[np.int64]:
    """Return the coordinates of the vertices, in a type that does not overflow."""
    where = graph.space.coordinates
    assert where is not None, "asked for by Order.for_problem"
    return where.astype(np.int64)


def _side_of_square(graph: Graph) -> int:
    """Return the side of the square board without holes that the graph is laid out as, or 0 if it isn't such a
    board."""
    side = int(np.sqrt(graph.order) + 0.5)
    where = _int64_coordinates(graph)
    square = side * side == graph.order and bool((where[:, 0] * side + where[:, 1] == np.arange(graph.order)).all())
    return side if square and int(where.max()) == side - 1 else 0


def squirrel_cull_phases(m: int) -> list[tuple[str, tuple[int, int] | None]]:
    """Return the phases of a search of the m x m board: for each the order of the directions, as eight digits, and the
    square, counted from (1, 1), whose visit ends it (None for the last).

    The table of Squirrel & Cull, *A Warnsdorff-rule algorithm for knight's tours on square chessboards* (1996).
    """
    orders, switches = ("21345678", lambda _: []) if m == 74 else _SQUIRREL_CULL[m % 8]
    return list(zip(orders.split(), [*switches(m), None], strict=True))


_SQUIRREL_CULL: Mapping[int, tuple[str, Callable[[int], list[tuple[int, int]]]]] = {
    0: ("34261578 87642135 51867342 51342678 21435678", lambda m: [(m - 1, m - 2), (2, 2), (m - 8, 1), (7, m - 3)]),
    1: ("34261578 87642135 51324678 32481765", lambda m: [(m - 1, m - 2), (2, 2), (m - 6, (m + 9) // 2)]),
    2: (
        "34261578 87642135 54132678 52431678 85647123 15746823",
        lambda m: [(6, 1), (3, 1), (m - 15, 4), (10, m - 2), (5, (m - 6) // 2)],
    ),
    3: (
        "34625718 42681357 86512347 51867342 61825437 71642538",
        lambda m: [(m - 1, m - 2), (m - 6, m), (2, 5), (m - 10, 3), ((m + 1) // 2, m - 2)],
    ),
    4: (
        "34261578 87642135 51867342 51342678 86753421 78563421",
        lambda m: [(m - 1, m - 2), (2, 2), (m - 8, 1), (10, m - 5), (13, (m + 2) // 2)],
    ),
    5: (
        "34261578 87642135 51324678 15234678",
        lambda m: [(m - 1, m - 2), (2, 2), (m - 2, (m - 5 if m % 16 == 5 else m - 13) // 2)],
    ),
    6: (
        "34261578 87642135 54132678 52431678 85647123 12453678",
        lambda m: [(6, 1), (3, 1), (m - 10, 1), (10, m - 2), (3, (m + 8) // 2)],
    ),
    7: (
        "34625718 42681357 86512347 51867342 61825437 61357284",
        lambda m: [(m - 1, m - 2), (m - 6, m), (2, 5), (m - 6, 3), ((m + 1) // 2, m - 2)],
    ),
}
"""For each residue modulo 8 the orders one after the other, and the squares on which all but the last end."""
