"""A mixed-integer program with the position of each vertex as a variable (Miller, Tucker & Zemlin 1960), by HiGHS.

    sum of x[u, v] over v = 1, sum of x[u, v] over u = 1    one arc leaves each vertex, and one enters it
    p[u] - p[v] + (n - 1) x[u, v] <= n - 2                  for each arc that does not touch the root

x is 0 or 1, p between 0 and n - 2. Where x[u, v] is 1, the row says that p[v] is at least p[u] + 1; where it is 0, it
says nothing. Positions would grow without an end along a cycle that misses the root, so each cycle meets it.

As printed in Miller, Tucker & Zemlin 1960, for one salesman; differs in counting positions from 0, in having no
objective, in a root of least degree, and in required and tied edges.

The linear relaxation is weak: a cycle of fractions a little below 1 satisfies it, and branching has to do the rest.
Lifted (Desrochers & Laporte 1991) the rows also say that p[u] is p[v] + 1 where x[v, u] is 1, and what the root's
neighbours along the cycle have; x is 0 where there is no such arc:

    p[u] - p[v] + (n - 1) x[u, v] + (n - 3) x[v, u] <= n - 2
    p[v] >= 1 - x[root, v] + (n - 3) x[v, root]             for each vertex v but the root
    p[v] <= n - 3 + x[v, root] - (n - 3) x[root, v]

Cost, for n vertices and m edges of which d are at the root and r required: 2m binary columns and n - 1 others; 2n rows
with 4m entries in all, r rows of two entries, and 2 (m - d) rows of three. Lifted these have four, and there are 2n - 2
rows more with 2n - 2 + 4d entries in all. Of a directed graph there is one arc for each edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpsat_tour.models.drivers.linear import sum_at
from cpsat_tour.models.eager_milp import ArcProgram, EagerMilp


@dataclass(frozen=True)
class Mtz(EagerMilp):
    """A position for each vertex but the root, growing along the arcs; ``lifted`` states the stronger rows."""

    lifted: bool = False

    def state(self, program: ArcProgram) -> None:
        """State that positions grow by one or more along the chosen arcs."""
        n, x, away = program.order, program.x, program.arcs.away
        u, v = program.tails[away], program.heads[away]
        others = np.union1d(u, v)  # no row would have the position of a vertex that has arcs with the root alone
        p = sum_at(others, program.columns("p", others, most=n - 2), n)  # p[root] is the empty sum
        growth = p[u] - p[v] + (n - 1) * x[away]
        program.add((growth + (n - 3) * program.opposite(x)[away] if self.lifted else growth) <= n - 2, "mtz", u, v)
        if self.lifted:
            out, back = program.tails == program.root, program.heads == program.root
            first, last = sum_at(program.heads[out], x[out], n), sum_at(program.tails[back], x[back], n)
            program.add((p + first - (n - 3) * last)[program.others] >= 1, "least", program.others)
            program.add((p - last + (n - 3) * first)[program.others] <= n - 3, "most", program.others)
