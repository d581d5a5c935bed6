"""Merging the cycles of a 2-factor: edges are exchanged so that two cycles become one, before either is cut off.

Two cycles are joined where an edge ``a-b`` of the one and ``c-d`` of the other can be exchanged for ``a-c`` and ``b-d``
(*2-opt*, Croes 1958; as patching of subtours, Karp 1979; between the rounds of a lazy SAT solver, Ohashi et al. 2025).
Over arcs two arcs swap their heads. Only free edges are exchanged, so that required edges stay. Exchanges of three
edges on top of that answered none of 45 hard graphs sooner.

*Invariant.* The edges are a 2-factor at any time, and the vertices of each cycle are those of one or several of the
cycles that were given; so the cut set of each is one that the 2-factor that was given violates.

Cost: a look at each pair of neighbouring edges outside the largest cycle, a few milliseconds for 10,000 vertices.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import row_starts
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints


class Merging:
    """The free edges of a graph, made ready to merge the cycles of its 2-factors."""

    def __init__(self, graph: CycleProblem) -> None:
        self._graph = graph
        free = np.flatnonzero(graph.free)
        tails, heads = graph.tails[free], graph.heads[free]
        if not graph.directed:
            tails, heads = np.concatenate([tails, heads]), np.concatenate([heads, tails])
        order = np.lexsort([heads, tails])
        self._indptr = row_starts(np.bincount(tails, minlength=graph.order))
        self._heads = heads[order].astype(np.int32)

    def merge(self, edges: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the edges of a 2-factor whose cycles are those of the given edges, joined as far as exchanges of two
        edges go."""
        graph = self._graph
        beside = neighbours(graph.order, graph.tails[edges], graph.heads[edges], directed=graph.directed)
        merging_join_cycles(self.factor(beside))
        chosen = (beside[graph.tails, 0] == graph.heads) | (not graph.directed) & (
            beside[graph.tails, 1] == graph.heads
        )
        return np.flatnonzero(chosen).astype(edges.dtype)

    def factor(self, beside: Ints) -> Factor:
        """Return a 2-factor, given by its `neighbours`, as the kernel takes it."""
        label, parent = np.empty((2, self._graph.order), dtype=np.int32)
        return Factor(
            order=self._graph.order,
            directed=self._graph.directed,
            first=self._indptr,
            heads=self._heads,
            beside=beside,
            label=label,
            parent=parent,
        )


def neighbours(order: int, tails: Ints, heads: Ints, *, directed: bool) -> Ints:
    """Return the two neighbours of each vertex of a 2-factor, a row each; if directed, the vertex after it and the one
    before it."""
    beside = np.empty((order, 2), dtype=np.int32)
    if directed:
        beside[tails, 0], beside[heads, 1] = heads, tails
    else:
        ends = np.concatenate([tails, heads])
        beside[:] = np.concatenate([heads, tails])[np.argsort(ends, kind="stable")].reshape(order, 2)
    return beside


class Factor(Record):
    """A 2-factor and the free edges of its graph, as `native/merging.c` describes them."""

    order: int
    directed: int
    first: Annotated[Ints, "order+1"]
    heads: Ints
    beside: Annotated[Ints, "2*order"]
    label: Annotated[Ints, "order"]
    parent: Annotated[Ints, "order"]


@kernel
def merging_join_cycles(factor: Factor) -> int:
    """Join cycles in place by exchanges, from each vertex outside the largest cycle and those joined to it, until no
    exchange joins two; return the number of exchanges."""


@kernel
def merging_fault(factor: Factor) -> int:
    """Return the number of a broken sentence of the invariant, or 0."""
