"""Vertex elimination: ``reaches[u, w]`` for the pairs that eliminating the vertices one by one gives rise to (Rankooh &
Rintanen 2022).

    not reaches[u, v] or not reaches[v, u]
    reaches[v, u] and reaches[u, w] => reaches[v, w]          when u is eliminated, for its neighbours v and w
    arc[u, v] => reaches[u, v]                                for u and v other than the root

So the arcs between vertices other than the root form no cycle, and every cycle goes through the root. Different from
`relative`, a pair may be in neither order, and what is false need not be derived.

*As printed*, with the root that a cycle needs: the paper is about acyclicity in general.

Cost, for m edges, d of them at the root, and an elimination with E edges and T triangles: 2E variables; 2T clauses for
the eliminations, E for the pairs, 2 (m - d) for the arcs: twice the variables of `relative` and E clauses more.
"""

from __future__ import annotations

from dataclasses import dataclass

from cpsat_tour.models.eager import Eager, EagerFormula
from cpsat_tour.models.triangulation import eliminate


@dataclass(frozen=True)
class Elimination(Eager):
    """Reachability among the vertices along the arcs, stated by vertex elimination."""

    def state(self, formula: EagerFormula) -> None:
        """State that vertices reach each other along arcs and through eliminated vertices, and that no two reach each
        other both ways."""
        arcs = formula.arcs
        chordal = eliminate(arcs.cycle, arcs.root, formula.heartbeat)
        u, w = chordal.ends
        reaches = formula.new("reaches", u, w, vertices=2)
        reached = formula.new("reaches", w, u, vertices=2)
        formula.add(-reaches, -reached)
        for uv, vw, uw in chordal.triangles():  # u is eliminated first, then v, then w
            formula.add(-reached[uv], -reaches[uw], reaches[vw])
            formula.add(-reached[uw], -reaches[uv], reached[vw])
        u, v = arcs.tails[arcs.away], arcs.heads[arcs.away]
        formula.add(-formula.arc[arcs.away], chordal.entries_along(u, v, reaches, reached))
