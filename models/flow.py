"""A mixed-integer program with a flow of one commodity (Gavish & Graves 1978), by HiGHS.

    sum of x[u, v] over v = 1, sum of x[u, v] over u = 1    one arc leaves each vertex, and one enters it
    y[u, v] <= (n - 1) x[u, v]                              only chosen arcs carry flow
    sum of y[u, v] over u - sum of y[v, w] over w = 1       each vertex v but the root keeps one unit

x is 0 or 1, y between 0 and n - 1. All flow comes from the root, so the vertices of a cycle that misses it would have
none to keep.

As printed in Gavish & Graves 1978; differs in having no objective, in a root of least degree, in flow that may enter
the root, and in required and tied edges.

The linear relaxation is weak: by the theorem of Ford and Fulkerson (1956) there is such a flow if and only if the arcs
into each set S that lacks the root add up to |S| / (n - 1) or more, where a cut set (`milp`, `flows`) asks for 1.

Cost, for n vertices and m edges of which d are at the root and r required: 2m binary columns and 2m others; 2n rows
with 4m entries in all, r rows of two entries, 2m rows of two, and n - 1 rows with 4m - 2d entries in all. Of a directed
graph there is one arc for each edge.
"""

from __future__ import annotations

from dataclasses import dataclass

from cpsat_tour.models.eager_milp import ArcProgram, EagerMilp


@dataclass(frozen=True)
class Flow(EagerMilp):
    """A flow from the root along the chosen arcs; each vertex keeps one unit of it."""

    def state(self, program: ArcProgram) -> None:
        """State that only chosen arcs carry flow, and that each vertex keeps one unit."""
        n, x, others = program.order, program.x, program.others
        y = program.along_arcs("y", most=n - 1)
        program.add(y <= (n - 1) * x, "carry", program.tails, program.heads)
        program.add((program.entering(y) - program.leaving(y))[others] == 1, "keep", others)
