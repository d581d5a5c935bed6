"""Relative order: a variable for each pair of vertices says which of them comes first (Prestwich 2003; Velev & Gao 2009).

An arc between two vertices other than the root means that its tail comes before its head. The order is transitive: no three vertices
come before each other in a ring. Then no cycle misses the root, so there is one cycle only. Transitivity is stated for the triangles of
a triangulation and not for all triples (Bryant & Velev 2002; Velev & Gao 2009), and only its pairs have a variable.

Cost, for m edges, d of them at the root, and a triangulation with E edges and T triangles: E variables; 2T clauses for the triangles,
2 (m - d) for the arcs. On a square board of n squares E is about 1.4 n√n and T about 2n²: 60x60 is too much. The clauses know
nothing of positions: of parity, only the arcs into the root do.
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
class Relative(Eager):
    """The order of the vertices, pair by pair."""

    name: ClassVar[str] = "sat:relative"

    def cost(self, arcs: Arcs) -> Sizes:
        """The formula of the module."""
        chordal = eliminate(arcs.cycle, arcs.root)
        away = arcs.cycle.size - int(arcs.degrees[arcs.root])
        return Sizes(chordal.edges) + Sizes.of_clauses(2 * chordal.triangles, 3) + Sizes.of_clauses(2 * away, 2)

    def state(self, formula: ArcFormula) -> None:
        """The order along the arcs, and no triangle in a ring."""
        arcs = formula.arcs
        chordal = eliminate(arcs.cycle, arcs.root)
        before = np.zeros((arcs.order, arcs.order), dtype=np.int32)
        for vertex, later in zip(chordal.vertices, chordal.later, strict=True):
            before[vertex, later] = formula.new(len(later))
            before[later, vertex] = -before[vertex, later]
        for vertex, later in zip(chordal.vertices, chordal.later, strict=True):
            one, other = np.triu_indices(len(later), 1)
            u, w = later[one], later[other]
            ring = before[vertex, u], before[u, w], before[w, vertex]
            formula.add(*(-literal for literal in ring))
            formula.add(*ring)
        away = arcs.inner[arcs.tails[arcs.inner] != arcs.root]
        formula.add(-formula.arc[away], before[arcs.tails[away], arcs.heads[away]])
