"""Absolute position: ``x[v, p]`` says that vertex v is at position p from the root (the unary encoding of Zhou 2020).

    x[root, 0], x[root, n]                   the root is first, and comes again at the end
    x[v, p]                                  for each number p that is given to a vertex v
    arc[u, v] and x[u, p] => x[v, p + 1]     for 0 <= p < n
    arc[u, v] and x[v, p + 1] => x[u, p]     for 0 <= p < n

So the root's cycle has all n vertices. Without arcs it is the encoding `permutation`.

There is a variable ``x[v, p]`` only where v can be at p (`Arcs.possible_positions`): the distance from the root is at
most p, that to it at most n - p, on a bipartite graph its parity is that of p, and where numbers are given it can be
reached in time from each; ``bounds=false`` leaves that out. Elsewhere x[v, p] is false, and so is x[root, p] between 0
and n.

*As printed* in Zhou 2020, section 3 (``printed``): over the arcs of the frame alone, the last rule not stated (with it,
one position of each vertex follows) but for x[root, n], and instead exactly one position of each vertex
but the root, its at-most-one by a product of rows and columns. We count from 0, the paper from 1.

Cost: one variable for each possible position of a vertex other than the root, and a constant; a clause for the constant
and each given number, and for each arc one for each possible position of its tail and each of its head, less one where
the arc can be the first or the last of the tour. On a board of n squares these are about n²/2 variables and 8n²
clauses: 50x50 is too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.engines.registry import Features
from cpsat_tour.models.eager import EagerFormula, Printed


@dataclass(frozen=True)
class OneHot(Printed):
    """The absolute position of each vertex, one variable for each position that it can have by its ``bounds``;
    ``printed`` as by Zhou."""

    bounds: bool = True

    takes: ClassVar[Features] = Printed.with_givens

    def state(self, formula: EagerFormula) -> None:
        """State the positions of the root and of the givens, and that positions grow by one along the arcs; `BadInput`
        for too many vertices."""
        arcs, n = formula.arcs, formula.arcs.order
        parts = formula.parts_by_positions(arcs.inner if self.printed else np.arange(len(arcs.tails)))
        possible = np.pad(arcs.possible_positions(np.arange(n)), [(0, 0), (0, 1)])
        possible[:, 1:n] |= not self.bounds
        possible[arcs.root] = False
        x = formula.new_where("x", possible)
        if self.printed:
            formula.add_exactly_one(np.nonzero(possible)[0], x[possible])
        x[arcs.root, [0, n]] = -formula.false
        for vertex, position in arcs.positions:
            formula.add(x[[vertex], position])
        for some in parts:
            arc, x_u, x_v = formula.arc[some, None], x[arcs.tails[some]], x[arcs.heads[some]]
            formula.add(-arc, -x_u[:, :n], x_v[:, 1:])
            if not self.printed:
                formula.add(-arc, x_u[:, :n], -x_v[:, 1:])
        if self.printed:
            formula.add(-formula.arc[arcs.into_root], x[arcs.tails[arcs.into_root], n - 1])
