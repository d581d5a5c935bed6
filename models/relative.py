"""Relative order: a variable for each pair of vertices says which of them comes first (Prestwich 2003; Velev & Gao
2009).

An arc between two vertices other than the root means that its tail comes before its head. The order is transitive: no
three vertices come before each other in a ring. Then no cycle misses the root, so there is one cycle only. Transitivity
is stated for the triangles of a triangulation and not for all triples (Bryant & Velev 2002; Velev & Gao 2009), and only
its pairs have a variable.

Cost, for m edges, d of them at the root, and a triangulation with E edges and T triangles: E variables; 2T clauses for
the triangles, 2 (m - d) for the arcs. On a square board of n squares E is about 1.4 n√n and T about 2n²: 60x60 is too
much. The clauses know nothing of positions: of parity, only the arcs into the root do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.models.arcs import ArcFormula
from cpsat_tour.models.eager import Eager
from cpsat_tour.models.triangulation import eliminate


@dataclass(frozen=True)
class Relative(Eager):
    """The order of the vertices, pair by pair."""

    name: ClassVar[str] = "sat:relative"

    def state(self, formula: ArcFormula) -> None:
        """The order along the arcs, and no triangle in a ring."""
        arcs = formula.arcs
        chordal = eliminate(arcs.cycle, arcs.root, formula.heartbeat)
        before = formula.new(chordal.edges)
        for sides in chordal.triangles():
            uv, vw, uw = (before[pairs] for pairs in sides)
            formula.add(-uv, -vw, uw)
            formula.add(uv, vw, -uw)
        away = arcs.inner[arcs.tails[arcs.inner] != arcs.root]
        tails, heads = arcs.tails[away], arcs.heads[away]
        forth = chordal.place[tails] < chordal.place[heads]
        formula.add(-formula.arc[away], np.where(forth, 1, -1) * before[chordal.pairs(tails, heads)])
