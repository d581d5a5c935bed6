"""Vertex elimination: ``reaches[u, w]`` for the pairs that eliminating the vertices one by one gives rise to (Rankooh & Rintanen 2022).

Between vertices other than the root an arc u -> w means that u reaches w. When v is eliminated, whoever reaches it reaches whatever it
reaches. No two vertices reach each other. So the arcs between these vertices form no cycle, and every cycle goes through the
root. Different from `relative`, a pair may be in neither order, and what is false need not be derived.

Cost, for m edges, d of them at the root, and an elimination with E edges and T triangles: 2E variables; 2T clauses for the
eliminations, E for the pairs, 2 (m - d) for the arcs; as large as `relative`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.arcs import ArcFormula, Arcs
from cpsat_tour.models.eager import Eager
from cpsat_tour.models.triangulation import eliminate


@dataclass(frozen=True)
class Elimination(Eager):
    """Reachability among the vertices, by vertex elimination."""

    name: ClassVar[str] = "sat:elimination"

    def cost(self, arcs: Arcs) -> Sizes:
        """The formula of the module."""
        chordal = eliminate(arcs.cycle, arcs.root)
        away = arcs.cycle.size - int(arcs.degrees[arcs.root])
        return Sizes(2 * chordal.edges) + Sizes.of_clauses(2 * chordal.triangles, 3) + Sizes.of_clauses(chordal.edges + 2 * away, 2)

    def state(self, formula: ArcFormula) -> None:
        """Whoever reaches an eliminated vertex reaches on; no pair reaches each other."""
        arcs = formula.arcs
        chordal = eliminate(arcs.cycle, arcs.root)
        reaches = np.zeros((arcs.order, arcs.order), dtype=np.int32)
        for vertex, later in zip(chordal.vertices, chordal.later, strict=True):
            reaches[vertex, later], reaches[later, vertex] = formula.new(2, len(later))
            formula.add(-reaches[vertex, later], -reaches[later, vertex])
        for vertex, later in zip(chordal.vertices, chordal.later, strict=True):
            one, other = np.triu_indices(len(later), 1)
            for u, w in ((later[one], later[other]), (later[other], later[one])):
                formula.add(-reaches[u, vertex], -reaches[vertex, w], reaches[u, w])
        away = arcs.inner[arcs.tails[arcs.inner] != arcs.root]
        formula.add(-formula.arc[away], reaches[arcs.tails[away], arcs.heads[away]])
