"""A mixed-integer program with a flow of one commodity to each vertex (Wong 1980; Claus 1984), by HiGHS.

    sum of x[u, v] over v = 1, sum of x[u, v] over u = 1    one arc leaves each vertex, and one enters it
    y[k, u, v] <= x[u, v]                                   only chosen arcs carry flow
    sum of y[k, u, v] over u - sum of y[k, v, w] over w     for each vertex v, and each k but the root: one unit
        = 1 if v is k, -1 if v is the root, else 0          flows from the root to k

x is 0 or 1, y between 0 and 1. By the theorem of Ford and Fulkerson (1956) one unit can flow to k if and only if the
arcs into each set that has k and lacks the root add up to 1 or more: the linear relaxation is as strong as all cut sets
(`milp`) together, at the price of n times as many columns.

As printed in Claus 1984; differs in having no objective, in a root of least degree, in columns for the arcs of the
graph alone, and in required and tied edges.

Cost, for n vertices and m edges of which r are required: 2m binary columns and 2m (n - 1) others; 2n rows with 4m
entries in all, r rows of two entries, and for each vertex but the root 2m rows of two and n with 4m in all. Of a
directed graph there is one arc for each edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpsat_tour.models.eager_milp import ArcProgram, EagerMilp


@dataclass(frozen=True)
class Flows(EagerMilp):
    """A unit of flow from the root to each other vertex along the chosen arcs."""

    def state(self, program: ArcProgram) -> None:
        """State that one unit flows to each vertex along the chosen arcs."""
        x, v = program.x, np.arange(program.order)
        for k in program.others.tolist():
            y = program.along_arcs("y", k)
            kept = np.float64(v == k) - (v == program.root)
            program.add(y <= x, "carry", np.full_like(program.tails, k), program.tails, program.heads)
            program.add(program.entering(y) - program.leaving(y) == kept, "keep", np.full_like(v, k), v)
