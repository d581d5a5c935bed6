"""Relative order: a variable for each pair of vertices says which of them comes first (Prestwich 2003; Velev & Gao
2009).

    before[u, v] and before[v, w] => before[u, w]     for each triangle u, v, w; before[v, u] is not before[u, v]
    arc[u, v] => before[u, v]                         for u and v other than the root

So no cycle misses the root, and there is one cycle only. Transitivity is stated for the triangles of a triangulation
and not for all triples (Bryant & Velev 2002; Velev & Gao 2009), and only its pairs have a variable.

*As printed* in Velev & Gao 2009, over the arcs of our frame; Prestwich 2003 states all triples.

Cost, for m edges, d of them at the root, and a triangulation with E edges and T triangles: E variables; 2T clauses for
the triangles, 2 (m - d) for the arcs. On a square board of n squares E is 1.4 to 1.8 n√n and T 2 to 3 n²: 60x60 is too
much. The clauses know nothing of positions: of parity, only the arcs into the root do.
"""

from __future__ import annotations

from dataclasses import dataclass

from cpsat_tour.models.eager import Eager, EagerFormula
from cpsat_tour.models.triangulation import eliminate


@dataclass(frozen=True)
class Relative(Eager):
    """The order of the vertices along the cycle: a variable for each pair says which comes first."""

    def state(self, formula: EagerFormula) -> None:
        """State that the order follows the arcs and is transitive."""
        arcs = formula.arcs
        chordal = eliminate(arcs.cycle, arcs.root, formula.heartbeat)
        before = formula.new("before", *chordal.ends, vertices=2)
        for uv, vw, uw in chordal.triangles():
            formula.add(-before[uv], -before[vw], before[uw])
            formula.add(before[uv], before[vw], -before[uw])  # w before v before u
        u, v = arcs.tails[arcs.away], arcs.heads[arcs.away]
        formula.add(-formula.arc[arcs.away], chordal.entries_along(u, v, before, -before))
