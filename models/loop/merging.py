"""Merging the cycles of 2-factors by exchanging edges: those of one before they are cut off, those of several that are
disjoint.

Two cycles are joined where an edge ``a-b`` of the one and ``c-d`` of the other can be exchanged for ``a-c`` and ``b-d``
(*2-opt*, Croes 1958; as patching of subtours, Karp 1979; between the rounds of a lazy SAT solver, Ohashi et al. 2025).
Over arcs two arcs swap their heads. Only free edges are exchanged, so that required edges stay. Exchanges of three
edges on top of that answered none of 45 hard graphs sooner.

*Invariant.* The edges are a 2-factor at any time, and the vertices of each cycle are those of one or several of the
cycles that were given; so the cut set of each is one that the 2-factor that was given violates.

Cost: a look at each pair of neighbouring edges outside the largest cycle, a few milliseconds for 10,000 vertices.

*Several disjoint 2-factors* are joined into one cycle each by exchanging edges between two of them. A factor is a
permutation, the vertex that follows each vertex; those of an undirected graph are walked either way. Between the places
that are left and those that are entered a factor is a perfect matching, and two of them are disjoint cycles that
alternate between the two: *chains*. To exchange the edges of one chain gives two factors again (Kempe 1879, for
colours). Random chains of a factor with several cycles are exchanged where that leaves no more cycles than before, and
now and then where it leaves some (Metropolis et al. 1953); an undirected factor is also turned round now and then,
which makes other chains.

An exchange multiplies both permutations by a cycle of the same length, so the parity of the number of all cycles never
changes, and factors of the wrong parity are left alone. Limits: a local search, which may get stuck.
"""

from __future__ import annotations

from random import Random
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import row_starts
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.orbits import orbit_numbers
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat
from cpsat_tour.core.space import Ints

MAX_IDLE, IDLE = 4000, 16
"""Exchanges without a new least number of cycles before the search gives up, and as many for each vertex of a small
graph."""

UPHILL = 0.01
"""The probability that an exchange is kept that leaves two more cycles; for four more its square, and so on."""


class Merging:
    """Joins the cycles of a graph's 2-factors by exchanges of its free edges."""

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
        """Join the cycles of a 2-factor by exchanges of two edges, as far as that goes, and return its new edges."""
        graph = self._graph
        beside = neighbours(graph.order, graph.tails[edges], graph.heads[edges], directed=graph.directed)
        merging_join_cycles(self.factor(beside))
        chosen = (beside[graph.tails, 0] == graph.heads) | (not graph.directed) & (
            beside[graph.tails, 1] == graph.heads
        )
        return np.flatnonzero(chosen).astype(edges.dtype)

    def factor(self, beside: Ints) -> Factor:
        """Return the kernel's record of a 2-factor that is given by its `neighbours`."""
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
    """Return the two neighbours of each vertex in a 2-factor, a row each; if directed, the vertex after it and the one
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
    """Join cycles in place by exchanges until no exchange joins two; return the number of exchanges.

    They are tried from each vertex outside the largest cycle and those joined to it.
    """


@kernel
def merging_fault(factor: Factor) -> int:
    """Return 0 while the 2-factor satisfies the invariant in `merging.c`, else the number of the first condition that
    fails."""


def join_factors(factors: list[Ints], rng: Random, heartbeat: Heartbeat, *, directed: bool) -> list[Ints] | None:
    """Exchange edges between disjoint 2-factors until each is one cycle, and return them; None if the search finds no
    way."""
    number, order, factors = len(factors), len(factors[0]), [*factors]
    cycles = [*map(_number_of_cycles, factors)]
    idle, least = 0, sum(cycles)
    if number == 1 or (least - number) % 2:
        return factors if least == number else None
    while least > number and idle < min(MAX_IDLE, IDLE * order):
        heartbeat()
        one = rng.choice([factor for factor in range(number) if cycles[factor] > 1])
        other = (one + rng.randrange(1, number)) % number
        if not directed and rng.random() < 0.5:
            factors[one] = np.argsort(factors[one]).astype(np.int32)  # the inverse
        chains = orbit_numbers(np.argsort(factors[other])[factors[one]])
        chain = chains == chains[rng.randrange(order)]
        pair = [np.where(chain, factors[there], factors[here]) for here, there in ((one, other), (other, one))]
        counts = [*map(_number_of_cycles, pair)]
        if (more := sum(counts) - cycles[one] - cycles[other]) <= 0 or rng.random() < UPHILL ** (more / 2):
            (factors[one], factors[other]), (cycles[one], cycles[other]) = pair, counts
        idle, least = (idle + 1, least) if sum(cycles) >= least else (0, sum(cycles))
    return factors if least == number else None


def _number_of_cycles(factor: Ints) -> int:
    """Return the number of cycles of a permutation."""
    return int((orbit_numbers(factor) == np.arange(len(factor))).sum())
