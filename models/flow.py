"""A mixed-integer program with a flow of one commodity (Gavish & Graves 1978), by HiGHS.

    sum of x[u, v] over v = 1, sum of x[u, v] over u = 1    one arc leaves each vertex, and one enters it
    y[u, v] <= (n - 1) x[u, v]                              only chosen arcs carry flow
    sum of y[u, v] over u - sum of y[v, w] over w = 1       each vertex v but the root keeps one unit

x is 0 or 1, y between 0 and n - 1. All flow comes from the root, so the vertices of a cycle that misses it would have
none to keep.

Cost, for n vertices and m edges of which d are at the root and r required: 2m binary columns and 2m others; 2n rows
with 4m entries in all, r rows of two entries, 2m rows of two, and n - 1 rows with 4m - 2d entries in all. Of a directed
graph there is one arc for each edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.drivers.linear import Worker
from cpsat_tour.models.eager_milp import EagerMilp


@dataclass(frozen=True)
class Flow(EagerMilp):
    """A flow from the root along the chosen arcs, of which each vertex keeps one unit."""

    name: ClassVar[str] = "milp:flow"

    def own_column_bounds(self, arcs: Arcs) -> NDArray[np.float64]:
        """Return n - 1 for the flow along each arc."""
        return np.full(len(arcs.tails), arcs.order - 1.0)

    def state(self, worker: Worker, arcs: Arcs) -> None:
        """State that only chosen arcs carry flow, and that each vertex keeps one unit."""
        n, number, root = arcs.order, len(arcs.tails), arcs.root
        x = arcs.variables - 1
        y = number + x
        worker.add(np.stack([y, x], axis=1), np.full(number, 2), -np.inf, 0, np.tile([1.0, 1.0 - n], number))
        ends = np.concatenate([arcs.heads, arcs.tails])
        by_vertex = np.argsort(ends, kind="stable")[np.sort(ends) != root]
        lengths = np.delete(np.bincount(ends, minlength=n), root)
        worker.add(np.tile(y, 2)[by_vertex], lengths, 1, 1, np.repeat([1.0, -1.0], number)[by_vertex])
