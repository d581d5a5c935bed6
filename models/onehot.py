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
        first, last = position_ranges(arcs)
        step = 1 if arcs.parity is None else 2
        number = np.maximum(0, (last - first) // step + 1)
        tails, heads = arcs.tails[arcs.inner], arcs.heads[arcs.inner]
        alternate = step == 1 or (first[tails] + 1 - first[heads]) % 2 == 0
        common = np.minimum(last[tails], last[heads] - 1) - np.maximum(first[tails], first[heads] - 1)
        both = int((np.maximum(0, common // step + 1) * alternate).sum())
        single = int(number[tails].sum() + number[heads].sum()) - 2 * both
        before_root = arcs.tails[arcs.into_root]
        right = int(((last[before_root] == arcs.order - 1) & (number[before_root] > 0)).sum())
        sizes = Sizes(int(number.sum()), 1, 1) + Sizes.of_clauses(2 * both, 3) + Sizes.of_clauses(single, 2)
        return sizes + Sizes.of_clauses(int(number[before_root].sum()), 2) + Sizes.of_clauses(len(before_root) - right, 1)

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


def position_ranges(arcs: Arcs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each vertex the first and the last position that distance and parity allow; with a parity, every second one between."""
    distance = arcs.distances().astype(np.int64)
    first, last = distance.copy(), np.minimum(arcs.order - distance, arcs.order - 1)
    first[arcs.root] = last[arcs.root] = 0
    if arcs.parity is not None:
        first += (first - arcs.parity) % 2
        last -= (last - arcs.parity) % 2
    return first, last


def possible_positions(arcs: Arcs) -> Possible:
    """For each vertex (row) the positions (columns) that distance and parity allow."""
    positions = np.arange(arcs.order)
    first, last = (bound[:, None] for bound in position_ranges(arcs))
    possible: Possible = (first <= positions) & (positions <= last)
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
