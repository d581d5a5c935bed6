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
=================  ====================================================================================================

Directions are numbered clockwise from the north by the octant that the move points into: 1 for angles of 0 up to 45
degrees, 8 for 315 up to 360. The knight's eight moves have one octant each, those of the (0, 1) leaper the octants 1,
3, 5 and 7. The orders that speak of directions or distances need a graph that is laid out in the plane; remaining ties
go by vertex number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.kernels import kernel
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Bytes, Ints, Longs, Naturals
from cpsat_tour.native.paths import AS_THEY_COME, AT_RANDOM, BY_EXITS, BY_SECOND_LEVEL, TieOrder

NAMES = ("default", "plain", "fixed:48172635", "random", "pohl", "centre", "start")

_KEYS = {
    "plain": AS_THEY_COME,
    "fixed": BY_EXITS,
    "random": AT_RANDOM,
    "pohl": BY_SECOND_LEVEL,
    "centre": BY_EXITS,
    "start": BY_EXITS,
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
        if self.rule == "fixed" and problem.graph.space.directions(none, none) is None:
            raise BadInput(
                f"the move order fixed needs directions, and {problem.graph.called} has none: use start, pohl or random"
            )
        return self

    def tie_order(self, graph: Graph, root: int) -> TieOrder:
        """Return the `TieOrder` of a search from the root: the graph's arcs in this order, and how ties are broken."""
        indices = graph.indices
        if self.rule == "fixed":
            ranks = _ranks(self.directions)[octants_of_arcs(graph)].astype(np.int64)
            indices = _sort_rows(graph, ranks)
        elif self.rule in ("centre", "start"):
            assert graph.space.coordinates is not None, "asked for by for_problem"
            where = graph.space.coordinates.astype(np.int64)
            origin = 2 * where[root] if self.rule == "start" else where.min(axis=0) + where.max(axis=0)
            distance = ((2 * where - origin) ** 2).sum(axis=1)
            indices = _sort_rows(graph, -distance[indices])
        return TieOrder(indices, _KEYS[self.rule])


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
