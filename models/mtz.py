"""A mixed-integer program with the position of each vertex as a variable (Miller, Tucker & Zemlin 1960), by HiGHS.

    sum of x[u, v] over v = 1, sum of x[u, v] over u = 1    one arc leaves each vertex, and one enters it
    p[u] - p[v] + (n - 1) x[u, v] <= n - 2                  for each arc that does not touch the root

x is 0 or 1, p between 0 and n - 2. Where x[u, v] is 1, the row says that p[v] is at least p[u] + 1; where it is 0, it
says nothing. Positions would grow without an end along a cycle that misses the root, so each cycle meets it.

The linear relaxation is weak: a cycle of fractions a little below 1 satisfies it, and branching has to do the rest.
`flow` is somewhat stronger, and cut sets (`milp`) much stronger.

Cost, for n vertices and m edges of which d are at the root and r required: 2m binary columns and n others; 2n rows with
4m entries in all, r rows of two entries, and 2 (m - d) rows of three. Of a directed graph there is one arc for each
edge.
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
class Mtz(EagerMilp):
    """A position for each vertex but the root."""

    name: ClassVar[str] = "milp:mtz"

    def own_column_bounds(self, arcs: Arcs) -> NDArray[np.float64]:
        """Return n - 2 for the position of each vertex."""
        return np.full(arcs.order, arcs.order - 2.0)

    def state(self, worker: Worker, arcs: Arcs) -> None:
        """State p[u] - p[v] + (n - 1) x[u, v] <= n - 2."""
        n, away = arcs.order, arcs.away
        p = len(arcs.tails) + np.arange(n)
        columns = np.stack([p[arcs.tails[away]], p[arcs.heads[away]], arcs.variables[away] - 1], axis=1)
        worker.add(columns, np.full(len(away), 3), -np.inf, n - 2, np.tile([1.0, -1.0, n - 1.0], len(away)))
