"""A mixed-integer program with the step at which each arc is gone along (Picard & Queyranne 1978; Fox, Gavish & Graves
1980), by HiGHS.

    sum of x[u, v] over v = 1, sum of x[u, v] over u = 1       one arc leaves each vertex, and one enters it
    sum of y[t, u, v] over t = x[u, v]                         a chosen arc is gone along at some step t, from 1 to n
    sum of y[t, u, v] over u = sum of y[t + 1, v, w] over w    the next step begins where this one ends
    x[u, v] + x[v, u] <= 1                                     no edge is gone along both ways

x is 0 or 1, y between 0 and 1: they are a path through n copies of the graph, a layer each. y[t, u, v] is there only
where the distances from the root and, on a bipartite graph, the parities let u be at position t - 1 and v at position t
(`arcs`); so the root is left at step 1 alone and entered at step n, and each vertex is passed once: one cycle. The last
row is not in the papers: it follows where x is 0 or 1, and is there for the linear relaxation.

As printed in Picard & Queyranne 1978, a path through layers; differs in that row, in having no objective, in columns x
for required and tied edges, and in leaving out steps that distances and parities exclude.

``aggregated`` has rows of Fox, Gavish & Graves instead of the last two, one for each step and one for each vertex; the
steps would grow without an end along a cycle that misses the root. (Their title counts n constraints: there one row
adds up all steps.)

    sum of y[t, u, v] over u and v = 1                         one arc is gone along at each step t
    sum of t y[t, u, v] over t and v                           the step that leaves u, unless u is the root, follows
        - sum of t y[t, w, u] over t and w = 1                 the one that enters it

Cost, for n vertices, m edges of which r are required, s such y, d of them along arcs at the root, and q pairs of a
vertex and its possible position, but the root's: 2m binary columns and s others; 2n rows with 4m entries in all, r rows
of two, 2m with 2m + s, q with 2s - d, and m rows of two. Aggregated there are n rows with s entries in all and n - 1
with 2s - d instead of the last two. Of a directed graph there is one arc for each edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from cpsat_tour.models.drivers.linear import add_up, sum_at
from cpsat_tour.models.eager_milp import ArcProgram, EagerMilp


@dataclass(frozen=True)
class Stages(EagerMilp):
    """The steps of the cycle from the root on, and the arc of each.

    ``aggregated`` has 2n - 1 rows for the steps instead of one for each vertex and position.
    """

    aggregated: bool = False

    colours: ClassVar[bool] = True

    def state(self, program: ArcProgram) -> None:
        """State that each chosen arc has a step, and that the steps follow each other."""
        n, u, v = program.order, program.tails, program.heads
        possible = program.arcs.possible_positions(np.arange(n))
        steps = []
        for t in range(1, n + 1):
            arcs = np.flatnonzero(possible[u, t - 1] & possible[v, t % n])
            y = program.columns(f"y{t}", u[arcs], v[arcs])
            steps.append(sum_at(arcs, y, len(u)))
        program.add(add_up(steps) == program.x, "step", u, v)
        if self.aggregated:
            step = add_up([t * y for t, y in enumerate(steps, start=1)])
            for t, y in enumerate(steps, start=1):
                program.add(sum_at(np.zeros_like(u), y, 1) == 1, f"step{t}")
            program.add((program.leaving(step) - program.entering(step))[program.others] == 1, "follow", program.others)
        else:
            for t, (y, following) in enumerate(pairwise(steps), start=1):
                vertices = np.flatnonzero(possible[:, t])
                program.add((program.entering(y) - program.leaving(following))[vertices] == 0, f"follow{t}", vertices)
            program.add(program.used <= 1, "once", program.cycle.tails, program.cycle.heads)
