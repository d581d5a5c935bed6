"""Merging the cycles of a 2-factor: a few edges are exchanged so that several cycles become one, before any of them is
cut off.

Two cycles are joined where an edge ``a-b`` of the one and ``c-d`` of the other can be exchanged for ``a-c`` and ``b-d``
(*2-opt*, Croes 1958; as patching of subtours, Karp 1979; between the rounds of a lazy SAT solver, Ohashi et al. 2025).
What is left after that is joined by exchanges of three edges (*3-opt*, Lin 1965), of two cycles or of three: ``a-b`` is
opened, ``b-e`` leads over into another cycle, which is opened at ``e-f``, and from ``f`` an edge leads to an ``x``
beside a ``y`` that has an edge to ``a``. Over arcs the exchanges keep to their directions: two arcs swap their heads,
or three of three cycles pass theirs on. Only free edges are exchanged, so that required edges stay.

*Invariant.* The edges are a 2-factor at any time, and the vertices of each cycle are those of one or several of the
cycles that were given; so the cut set of each is one that the 2-factor that was given violates.

Cost: 2-opt looks at each pair of neighbouring edges outside the largest cycle, a few milliseconds for 10,000 vertices;
3-opt at pairs of such pairs, at most `LOOKS` for each edge of the graph.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import announced
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints, row_starts
from cpsat_tour.models.cutsets import EdgeList
from cpsat_tour.models.merging_kernel import join_cycles

LOOKS = 100
"""The looks for an edge that 3-opt may take in one call, times the edges of the graph."""


class Merging:
    """The free edges of a graph, made ready to merge the cycles of its 2-factors."""

    def __init__(self, graph: EdgeList) -> None:
        self._graph = graph
        free = np.flatnonzero(graph.free)
        tails, heads = graph.tails[free], graph.heads[free]
        if not graph.directed:
            tails, heads = np.concatenate([tails, heads]), np.concatenate([heads, tails])
        order = np.lexsort([heads, tails])
        self._indptr = row_starts(np.bincount(tails, minlength=graph.order))
        self._heads = heads[order].astype(np.int32)

    def merge(self, edges: NDArray[np.integer], on_event: OnEvent | None = None) -> NDArray[np.integer]:
        """The edges of a 2-factor whose cycles are those of the given edges, joined as far as exchanges of two and
        three edges go.

        The listener is told if this has to be compiled first.
        """
        graph = self._graph
        beside = neighbours(graph.order, graph.tails[edges], graph.heads[edges], directed=graph.directed)
        with announced(on_event):
            join_cycles(graph.directed, self._indptr, self._heads, beside, LOOKS * len(graph.tails))
        chosen = (beside[graph.tails, 0] == graph.heads) | (not graph.directed) & (
            beside[graph.tails, 1] == graph.heads
        )
        return np.flatnonzero(chosen).astype(edges.dtype)


def neighbours(order: int, tails: Ints, heads: Ints, *, directed: bool) -> Ints:
    """For each vertex of a 2-factor its two neighbours, a row each; if directed, the one after it and the one before
    it."""
    beside = np.empty((order, 2), dtype=np.int32)
    if directed:
        beside[tails, 0], beside[heads, 1] = heads, tails
    else:
        ends = np.concatenate([tails, heads])
        beside[:] = np.concatenate([heads, tails])[np.argsort(ends, kind="stable")].reshape(order, 2)
    return beside
