"""A mixed-integer program with the position of each vertex as a variable (Miller, Tucker & Zemlin 1960), by HiGHS.

    sum of x[u, v] over v = 1, sum of x[u, v] over u = 1    one arc leaves each vertex, and one enters it
    p[u] - p[v] + (n - 1) x[u, v] <= n - 2                  for each arc that does not touch the root

x is 0 or 1, p between 0 and n - 2. Where x[u, v] is 1, the row says that p[v] is at least p[u] + 1; where it is 0, it
says nothing. Positions would grow without an end along a cycle that misses the root, so each cycle meets it.

The linear relaxation is weak: a cycle of fractions a little below 1 satisfies it, and branching has to do the rest.
`flow` is somewhat stronger, and cut sets (`milp`) much stronger.

Cost, for n vertices and m edges of which d are at the root and r required: 2m binary columns and n - 1 others; 2n rows
with 4m entries in all, r rows of two entries, and 2 (m - d) rows of three. Of a directed graph there is one arc for
each edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.models.eager_milp import ArcProgram, EagerMilp


@dataclass(frozen=True)
class Mtz(EagerMilp):
    """A position for each vertex but the root."""

    name: ClassVar[str] = "milp:mtz"

    def state(self, program: ArcProgram) -> None:
        """State that positions grow along the arcs."""
        n, x, away = program.order, program.x, program.away
        u, v = program.tails[away], program.heads[away]
        p = program.at_others("p", most=n - 2)
        program.add(p[u] - p[v] + (n - 1) * x[away] <= n - 2)
