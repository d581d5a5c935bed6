"""Absolute position: ``x[v, p]`` says that vertex v is at position p from the root (Iwama & Miyazaki 1994; Prestwich 2003).

The root is at position 0; along an arc the position grows by 1, and against it falls by 1; an arc into the root comes from position
n - 1. The root's cycle thus has all n vertices. A position is there only where it can be: no nearer to the root, on either way, than
the vertex is (Zhou 2020), and on a bipartite graph of the right parity. Where the next position can't be, the arc can't be gone along.

Cost: one variable for each possible position; for each arc one clause for each possible position of its tail, and, if it doesn't
enter the root, of its head; one more for each arc into the root, and one for the root. On a board of n squares these are about n²/2
variables and 8n² clauses: 50x50 is too much.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.arcs import ArcFormula, Arcs
from cpsat_tour.models.eager import Eager

Possible = NDArray[np.bool_]

CELLS_AT_A_TIME = 1 << 22


@dataclass(frozen=True)
class OneHot(Eager):
    """Absolute position, one variable for each position of each vertex."""

    name: ClassVar[str] = "sat:onehot"

    def cost(self, arcs: Arcs) -> Sizes:
        """The formula of the module."""
        possible = possible_positions(arcs)
        sizes = Sizes(int(possible.sum()), 1, 1)
        for some in _some_at_a_time(arcs.inner, arcs.order):
            before, after = possible[arcs.tails[some]], possible[arcs.heads[some]]
            both = int((before[:, :-1] & after[:, 1:]).sum())
            sizes += Sizes.of_clauses(2 * both, 3) + Sizes.of_clauses(int(before.sum()) + int(after.sum()) - 2 * both, 2)
        last = possible[arcs.tails[arcs.into_root]]
        right = int(last[:, -1].sum())
        return sizes + Sizes.of_clauses(int(last.sum()), 2) + Sizes.of_clauses(len(last) - right, 1)

    def state(self, formula: ArcFormula) -> None:
        """The root's position, a step along each arc, and the last position before the root."""
        arcs = formula.arcs
        possible = possible_positions(arcs)
        # Two columns of zeros: no variable stands for the positions -1 and n.
        at = np.zeros((arcs.order, arcs.order + 2), dtype=np.int32)
        at[:, 1:-1][possible] = formula.new(int(possible.sum()))
        formula.add(at[arcs.root, 1:2])
        for some in _some_at_a_time(arcs.inner, arcs.order):
            arc, tail, head = formula.arc[some], at[arcs.tails[some]], at[arcs.heads[some]]
            _carry(formula, arc, tail[:, 1:-1], head[:, 2:])
            _carry(formula, arc, head[:, 1:-1], tail[:, :-2])
        arc, tail = formula.arc[arcs.into_root], at[arcs.tails[arcs.into_root], 1:-1]
        early, position = np.nonzero(tail[:, :-1])
        formula.add(-arc[early], -tail[early, position])
        right = tail[:, -1] > 0
        formula.add(-arc[right], tail[right, -1])
        formula.add(-arc[~right])


def possible_positions(arcs: Arcs) -> Possible:
    """For each vertex (row) the positions (columns) that distance and parity allow."""
    positions = np.arange(arcs.order)
    distance = arcs.distances()[:, None]
    possible = (distance <= positions) & (positions <= arcs.order - distance)
    possible[arcs.root] = positions == 0
    if arcs.parity is not None:
        possible &= positions % 2 == arcs.parity[:, None]
    return possible


def _carry(formula: ArcFormula, arc: Ints, ours: Ints, theirs: Ints) -> None:
    """Along arc, a row of the tables, each variable of ours implies that of theirs in its column; 0 stands for false."""
    row, column = np.nonzero(ours)
    given, then = ours[row, column], theirs[row, column]
    on = then > 0
    formula.add(-arc[row[on]], -given[on], then[on])
    formula.add(-arc[row[~on]], -given[~on])


def _some_at_a_time(arcs: NDArray[np.int64], order: int) -> Iterator[NDArray[np.int64]]:
    """The arcs in batches, so that a table of their positions stays small."""
    step = max(1, CELLS_AT_A_TIME // order)
    return (arcs[begin : begin + step] for begin in range(0, len(arcs), step))
