"""Absolute position: ``x[v, p]`` says that vertex v is at position p from the root (Iwama & Miyazaki 1994; Prestwich
2003).

    x[root, 0]
    arc[u, v] and x[u, p] => x[v, p + 1]     for v other than the root
    arc[u, v] and x[v, p + 1] => x[u, p]     for v other than the root
    arc[u, root] => x[u, n - 1], and not x[u, p] for p < n - 1

So the root's cycle has all n vertices. There is a variable ``x[v, p]`` only where v can be at p
(`Arcs.possible_positions`): its distance from the root is at most p and at most n - p (Zhou 2020), on a bipartite graph
its parity is that of p, and where numbers are given it can be reached in time from each. Otherwise x[v, p] is false.

Cost: one variable for each possible position; for each arc one clause for each possible position of its tail, and, if
it doesn't enter the root, of its head; one more for each arc into the root whose tail can't be at n - 1, and one for
the root and each given. On a board of n squares these are about n²/2 variables and 8n² clauses: 50x50 is too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress, product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.models.eager import Eager, EagerFormula

MAX_ORDER = 1 << 13
"""Vertices that have a position; more make a formula too large to be counted."""

AT_A_TIME = 1 << 15
"""Entries of a table of variables, arcs by positions, that are made clauses of together."""

FALSE = np.iinfo(np.int32).max
"""Stands for x[v, p] where vertex v can't be at position p; it is not a variable, and no clause has it."""


@dataclass(frozen=True)
class OneHot(Eager):
    """Absolute position, one variable for each position of each vertex."""

    name: ClassVar[str] = "sat:onehot"
    takes: ClassVar[Features] = Eager.with_givens

    def state(self, formula: EagerFormula) -> None:
        """State the positions of the root and the givens, and those along the arcs; `BadInput` for too many
        vertices."""
        arcs, n = formula.arcs, formula.arcs.order
        if n > MAX_ORDER:
            raise BadInput(f"sat:onehot takes at most {MAX_ORDER:,} vertices, not {n:,}: choose sat, or another board")
        x = PositionVariables(formula)
        for vertex, position in arcs.positions:
            add_where_possible(formula, x.rows_of(np.array([vertex]))[:, position])
        for inner in batches(arcs.inner, n):
            arc, x_u, x_v = formula.arc[inner, None], x.rows_of(arcs.tails[inner]), x.rows_of(arcs.heads[inner])
            add_where_possible(formula, -arc, -x_u[:, :n], x_v[:, 1:])  # arc[u, v] and x[u, p] => x[v, p + 1]
            add_where_possible(formula, -arc, x_u[:, :n], -x_v[:, 1:])  # arc[u, v] and x[v, p + 1] => x[u, p]
        arc, x_u = formula.arc[arcs.into_root, None], x.rows_of(arcs.tails[arcs.into_root])
        add_where_possible(formula, -arc, -x_u[:, : n - 1])  # arc[u, root] => not x[u, p], p < n - 1
        add_where_possible(formula, -arc, x_u[:, n - 1 : n])  # arc[u, root] => x[u, n - 1]


def add_where_possible(formula: EagerFormula, *literals: Ints) -> None:
    """State the clauses of these literals (broadcast against each other); `FALSE` is left out, and so is a clause with
    its negation."""
    table = np.broadcast_arrays(*literals)
    stated = np.logical_and.reduce([column != -FALSE for column in table])
    for present in product((True, False), repeat=len(table)):
        rows = np.logical_and.reduce(
            [stated, *((column != FALSE) == here for column, here in zip(table, present, strict=True))]
        )
        if rows.any() and any(present):
            formula.add(*(column[rows] for column in compress(table, present)))
        elif rows.any():  # the empty clause
            false = formula.new(1)
            formula.add(false)
            formula.add(-false)


class PositionVariables:
    """The variables ``x[v, p]``, those of a vertex one after the other."""

    def __init__(self, formula: EagerFormula) -> None:
        self._arcs = formula.arcs
        groups = batches(np.arange(formula.arcs.order), formula.arcs.order)
        number = np.concatenate([formula.arcs.possible_positions(vertices).sum(axis=1) for vertices in groups])
        self._first = np.cumsum(number) - number + formula.new(int(number.sum()))[:1].sum()

    def rows_of(self, vertices: NDArray[np.integer]) -> Ints:
        """Return a row for each of the vertices, with the variable at each position; `FALSE` where it can't be, and at
        n."""
        possible = self._arcs.possible_positions(vertices)
        x = np.full((len(vertices), self._arcs.order + 1), FALSE, dtype=np.int32)
        x[:, :-1][possible] = (self._first[vertices, None] + np.cumsum(possible, axis=1) - 1)[possible]
        return x


def batches(items: NDArray[np.integer], positions: int) -> list[NDArray[np.integer]]:
    """Return the items, each of which has so many positions, in batches of about `AT_A_TIME` entries."""
    return np.array_split(items, 1 + len(items) * positions // AT_A_TIME)
