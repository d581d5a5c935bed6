"""Vertex elimination: ``reaches[u, w]`` for the pairs that eliminating the vertices one by one gives rise to (Rankooh &
Rintanen 2022).

Between vertices other than the root an arc u -> w means that u reaches w. When v is eliminated, whoever reaches it
reaches whatever it reaches. No two vertices reach each other. So the arcs between these vertices form no cycle, and
every cycle goes through the root. Different from `relative`, a pair may be in neither order, and what is false need not
be derived.

Cost, for m edges, d of them at the root, and an elimination with E edges and T triangles: 2E variables; 2T clauses for
the eliminations, E for the pairs, 2 (m - d) for the arcs; as large as `relative`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.models.arcs import ArcFormula
from cpsat_tour.models.eager import Eager
from cpsat_tour.models.triangulation import eliminate


@dataclass(frozen=True)
class Elimination(Eager):
    """Reachability among the vertices, by vertex elimination."""

    name: ClassVar[str] = "sat:elimination"

    def state(self, formula: ArcFormula) -> None:
        """Whoever reaches an eliminated vertex reaches on; no pair reaches each other."""
        arcs = formula.arcs
        chordal = eliminate(arcs.cycle, arcs.root, formula.heartbeat)
        forth, back = formula.new(chordal.edges, 2).T
        formula.add(-forth, -back)
        for uv, vw, uw in chordal.triangles():
            formula.add(-back[uv], -forth[uw], forth[vw])
            formula.add(-back[uw], -forth[uv], back[vw])
        away = arcs.inner[arcs.tails[arcs.inner] != arcs.root]
        tails, heads = arcs.tails[away], arcs.heads[away]
        pairs = chordal.pairs(tails, heads)
        formula.add(
            -formula.arc[away], np.where(chordal.place[tails] < chordal.place[heads], forth[pairs], back[pairs])
        )
