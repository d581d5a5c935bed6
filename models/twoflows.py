"""A mixed-integer program with a flow of two commodities (Finke, Claus & Gunn 1984), by HiGHS.

    sum of x[u, v] over v = 1, sum of x[u, v] over u = 1    one arc leaves each vertex, and one enters it
    y[u, v] + z[u, v] = (n - 1) x[u, v]                     the two flows fill a chosen arc together
    sum of y[u, v] over u - sum of y[v, w] over w           each vertex v keeps one unit of y,
        = 1, or 1 - n if v is the root                      which the root brings
    sum of z[v, w] over w - sum of z[u, v] over u           each vertex v adds one unit of z,
        = 1, or 1 - n if v is the root                      which the root takes

x is 0 or 1, y and z between 0 and n - 1. A cycle that misses the root has nothing to keep.

As printed in Finke, Claus & Gunn 1984 (after Öncan, Altınel & Laporte 2009); differs in having no objective, in rows of
required and tied edges, and in leaving out what follows, that y and z leave each vertex as n - 1 units together.

The linear relaxation is that of `flow`, since z is (n - 1) x - y there (Langevin, Soumis & Desrosiers 1990; Öncan,
Altınel & Laporte 2009). The rows of the root follow from the others, but without them the presolve of HiGHS 1.15 and
1.16 finds some graphs of three vertices infeasible that are not.

Cost, for n vertices and m edges of which r are required: 2m binary columns and 4m others; 2n rows with 4m entries in
all, r rows of two entries, 2m rows of three, and 2n rows with 8m entries in all. Of a directed graph there is one arc
for each edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpsat_tour.models.eager_milp import ArcProgram, EagerMilp


@dataclass(frozen=True)
class TwoFlows(EagerMilp):
    """A flow from the root and a flow to it along the chosen arcs; each vertex keeps one unit and adds one."""

    def state(self, program: ArcProgram) -> None:
        """State that the two flows fill the chosen arcs, and that each vertex keeps one unit and adds one."""
        n, v = program.order, np.arange(program.order)
        kept = np.where(v == program.root, 1.0 - n, 1.0)
        y, z = (program.along_arcs(letter, most=n - 1) for letter in "yz")
        program.add(y + z == (n - 1) * program.x, "fill", program.tails, program.heads)
        program.add(program.entering(y) - program.leaving(y) == kept, "keep", v)
        program.add(program.leaving(z) - program.entering(z) == kept, "add", v)
