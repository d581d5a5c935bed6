"""Order encoding: ``y[v, t]`` says that the position of vertex v from the root is less than t (Crawford & Baker 1994;
Tamura, Taga, Kitagawa & Banbara 2009).

    p[root] = 0
    y[v, t] => y[v, t + 1]                       for 0 < t < n
    low[v] <= p[v] <= high[v]                    by the distances from the root and to it, and given numbers
    arc[u, v] => (y[v, t + 1] <=> y[u, t])       for v other than the root
    arc[u, root] => not y[u, n - 1]

*As printed* by Tamura et al. is how a number and a sum are stated; that paper is about constraints in general. There
are as many variables as in `onehot`, and as many clauses along an arc; but a learnt clause may say "before t", where
`onehot` lists all times.

Cost, for n vertices and m edges: a variable for each v and low < t <= high, and a constant; clauses for these, and 2
for each of 2m arcs and each t, less those that bounds decide: on a board some n² variables and 16n² clauses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.engines.registry import Features
from cpsat_tour.models.eager import Eager, EagerFormula


@dataclass(frozen=True)
class Order(Eager):
    """The position of each vertex by its order, a variable for each time that it may be before."""

    takes: ClassVar[Features] = Eager.with_givens

    def state(self, formula: EagerFormula) -> None:
        """State the bounds of each position, and that positions grow by one along the arcs; `BadInput` for too many
        vertices."""
        arcs, n = formula.arcs, formula.arcs.order
        parts = formula.parts_by_positions(arcs.inner)
        (low, high), t = arcs.bounds, np.arange(n + 1)
        y = formula.new_where("y", (low[:, None] < t) & (t <= high[:, None]))
        y[t > high[:, None]] = -formula.false
        formula.add(np.repeat(formula.false, (low > high).sum()))  # no position is left
        formula.add(-y[:, :-1], y[:, 1:])
        for inner in parts:
            arc, y_u, y_v = formula.arc[inner, None], y[arcs.tails[inner]], y[arcs.heads[inner]]
            formula.add(-arc, -y_v[:, 1:], y_u[:, :-1])
            formula.add(-arc, -y_u[:, :-1], y_v[:, 1:])
        formula.add(-formula.arc[arcs.into_root], -y[arcs.tails[arcs.into_root], n - 1])
