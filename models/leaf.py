"""Leaf elimination: vertices without an arc to another that is left go, until all have gone (Zhou, Wang & Yap 2023).

``gone[v, t]`` says that vertex v has gone by step t:

    not gone[v, 0], gone[v, n - 1]                        for each vertex v other than the root
    gone[v, t] => gone[v, t + 1]
    arc[u, v] and gone[u, t + 1] => gone[v, t]            for u and v other than the root

So the arcs between vertices other than the root form no cycle, and every cycle goes through the root. It is the order
encoding (`order`) of one side: a vertex may wait.

*As printed* is the variant with times in unary (LEE-u), for one root; the paper's others have them in binary, or
eliminate vertices as well (`hybrid`).

Cost, for n vertices and m edges, d of them at the root: (n - 1) (n - 2) variables and a constant; (n - 1) (n - 3)
clauses and one, and n - 1 for each of the 2 (m - d) arcs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cpsat_tour.models.eager import Eager, EagerFormula


@dataclass(frozen=True)
class Leaf(Eager):
    """The step at which each vertex is a leaf and goes, after all to which it has an arc."""

    def state(self, formula: EagerFormula) -> None:
        """State that all vertices but the root go, and in which order; `BadInput` for too many vertices."""
        arcs, n = formula.arcs, formula.arcs.order
        parts = formula.parts_by_positions(arcs.away)
        possible = np.zeros((n, n), dtype=bool)
        possible[:, 1 : n - 1] = (np.arange(n) != arcs.root)[:, None]
        gone = formula.new_where("gone", possible)
        gone[:, n - 1] = -formula.false
        formula.add(-gone[:, :-1], gone[:, 1:])
        for away in parts:
            arc, gone_u, gone_v = formula.arc[away, None], gone[arcs.tails[away]], gone[arcs.heads[away]]
            formula.add(-arc, -gone_u[:, 1:], gone_v[:, :-1])
