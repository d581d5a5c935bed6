"""The frame of the eager encodings: arcs over the edges, a root, and what every encoding may say about the arcs.

Each edge has two arcs, one for either direction, and the degree constraints (`degree`) stay on the edges. A chosen edge
is gone along in one direction, and every vertex is left once and entered once, so the arcs are disjoint directed
cycles: an encoding has to say only that there is one of them, and it does so by what it demands of the arcs that do not
enter the *root*. The root is a vertex of least degree, where the choices are fewest (Zhou 2020), with these exceptions:

* An open tour between fixed ends begins at its start, and the arc from its end to its start is required.
* Where numbers are given it is the root from which these count (`CycleProblem.positions`).
* If the source graph has two colours and the apex is joined to both, the root is the apex. Of an open tour between
  different colours one direction begins at colour 0, so the apex's arcs lead to colour 0 and come from colour 1.

*Symmetry.* A cycle can be gone along two ways. Where neither exception fixes the direction, the root's successor comes
before its predecessor in the order of the root's edges.

*Givens.* Vertices with given numbers have known ``positions``. Arcs that no walk between them has time for are
forbidden.

*Colours.* On a bipartite graph the colours alternate along the tour, so a vertex's *parity*, its position from the root
modulo 2, is known. Arcs that contradict it are forbidden: those between equal parities, and those into the root from
another parity than that of n - 1. If n is odd this leaves none into the root. Clauses cannot find that out by
themselves from degrees alone (it is a pigeonhole argument).

Cost for m edges and degrees d: 2m variables; 4m clauses that tie arcs to edges, two at each vertex, d(d-1) where d <= 8
(redundant, as are all that follow), d(d-1)/2 at a root without a direction, one for each forbidden or required arc.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.models.degree import state_degree_constraints, tied_edges
from cpsat_tour.models.numbering import number_edges
from cpsat_tour.models.stated import StatedClauses

MAX_PAIRED = 8
"""The largest degree whose arcs are kept apart in pairs: twice the pairs of a knight's moves."""

Bits = NDArray[np.bool_]


class Arcs:
    """The arcs of a cycle problem: arc ``k`` goes along edge ``k`` from its tail to its head, arc ``m + k`` goes back.

    ``positions`` are the vertices whose place along the cycle is known, the root, at 0, first. ``parity`` is each
    vertex's position modulo 2, None where it is not known; ``wrong`` flags the arcs that contradict either. ``inner``
    and ``into_root`` are the numbers of the arcs that do not, and do, enter the root.
    """

    def __init__(self, cycle: CycleProblem, *, colours: bool) -> None:
        self.cycle = cycle
        self.order = cycle.order
        self.tails = np.concatenate([cycle.tails, cycle.heads])
        self.heads = np.concatenate([cycle.heads, cycle.tails])
        self.degrees = np.diff(cycle.incidence[0])
        self.required: int | None = None
        self.directed_by_colour = False
        self.root, self.parity = self._root_and_parity(colours)
        self.positions = cycle.positions or ((self.root, 0),)
        self.inner = np.flatnonzero(self.heads != self.root)
        self.into_root = np.flatnonzero(self.heads == self.root)
        self.wrong = self._against_the_colours() | self._out_of_time()

    def _root_and_parity(self, colours: bool) -> tuple[int, Ints | None]:
        cycle = self.cycle
        least = int(np.argmin(self.degrees))
        of_source = cycle.graph.colours if colours else None
        if cycle.between_ends is not None:
            assert cycle.source.start is not None
            forward = cycle.heads[cycle.between_ends] == cycle.source.start
            self.required = cycle.between_ends if forward else cycle.between_ends + cycle.size
            return cycle.source.start, None if of_source is None else of_source ^ of_source[cycle.source.start]
        if cycle.positions:
            vertex, position = cycle.positions[-1]
            parity = None if of_source is None else of_source ^ of_source[vertex] ^ (position & 1)
            return cycle.positions[0][0], parity if parity is None or cycle.apex is None else np.append(
                parity, 0
            ).astype(np.int32)
        if of_source is None:
            return least, None
        if cycle.apex is None:
            return least, of_source ^ of_source[least]
        beside = of_source[cycle.tails[cycle.heads == cycle.apex]]
        if len(beside) and beside.min() == beside.max():
            colour = np.append(of_source, 1 - beside[0]).astype(np.int32)
            return least, colour ^ colour[least]
        self.directed_by_colour = True
        return cycle.apex, np.append(1 - of_source, 0).astype(np.int32)

    def _against_the_colours(self) -> Bits:
        wrong = np.zeros(len(self.tails), dtype=bool)
        if self.parity is None:
            return wrong
        leaving, entering = self.parity[self.tails], self.parity[self.heads]
        entering[self.into_root] = self.order % 2
        return np.asarray(leaving == entering)

    def _out_of_time(self) -> Bits:
        """The arcs whose ends can't have two positions that follow each other; known of where numbers are given."""
        if not self.cycle.positions:
            return np.zeros(len(self.tails), dtype=bool)
        possible = self.cycle.possible_positions
        before, after = np.packbits(possible, axis=0), np.packbits(np.roll(possible, -1, axis=0), axis=0)
        return np.asarray((before[:, self.tails] & after[:, self.heads] == 0).all(axis=0))

    def distances(self) -> Ints:
        """For each vertex its distance from the root along the edges; the order where there is no way."""
        indptr, edges = self.cycle.incidence
        ends = self.cycle.tails + self.cycle.heads
        distance = np.full(self.order, self.order, dtype=np.int32)
        distance[self.root] = 0
        frontier, level = np.array([self.root]), 0
        while len(frontier):
            level += 1
            counts = indptr[frontier + 1] - indptr[frontier]
            offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            reached = ends[edges[np.repeat(indptr[frontier], counts) + offsets]] - np.repeat(frontier, counts)
            frontier = np.unique(reached[distance[reached] == self.order])
            distance[frontier] = level
        return distance

    @property
    def direction_free(self) -> bool:
        """Whether a cycle can be gone along both ways."""
        return (
            self.required is None
            and not self.directed_by_colour
            and (not self.cycle.positions or self.cycle.either_way)
        )


class ArcFormula:
    """A formula in the making: variables are taken by `new`, clauses stated by `add`.

    ``edge[k]`` and ``arc[k]`` are the variables of edge and arc ``k``. The seed sets the numbering of the edges.
    """

    def __init__(self, arcs: Arcs, seed: int, stated: StatedClauses) -> None:
        self.arcs, cycle = arcs, arcs.cycle
        self.stated = stated
        numbering = number_edges(cycle, seed)
        self.edges = numbering.edges
        self.edge = numbering.variables
        state_degree_constraints(stated, cycle, numbering)
        self.degree_blocks = len(stated.blocks)
        self.auxiliary = stated.sizes.variables - cycle.size
        self.stated.add(tied_edges(cycle, numbering))
        self.arc = self.new(2 * cycle.size)
        self._an_edge_is_gone_along_one_way()
        self._each_vertex_is_left_and_entered_once()
        self._one_direction_of_the_tour()
        self.add(-self.arc[arcs.wrong])

    def new(self, *shape: int) -> Ints:
        """Fresh variables, an array of this shape."""
        count = int(np.prod(shape))
        first = self.stated.take(count)
        return np.arange(first, first + count, dtype=np.int32).reshape(shape)

    def add(self, *literals: Ints | int) -> None:
        """State clauses: one for each place of the arrays (broadcast against each other), with a literal from each of
        them."""
        block = np.stack(np.broadcast_arrays(*literals), axis=-1).reshape(-1, len(literals))
        self.stated.add(block.astype(np.int32, copy=False))

    def fix(self, variables: Ints, values: Ints | Sequence[int]) -> None:
        """Set variables to 0 or 1 by unit clauses."""
        self.add(np.where(np.asarray(values) != 0, variables, -variables))

    def carry_over(self, ours: Ints, theirs: Ints) -> None:
        """Along each chosen arc u -> v that does not enter the root, literal ``ours[u]`` has the value of
        ``theirs[v]``: two clauses."""
        arc, u, v = self.arc[self.arcs.inner], self.arcs.tails[self.arcs.inner], self.arcs.heads[self.arcs.inner]
        self.add(-arc, -ours[u], theirs[v])
        self.add(-arc, ours[u], -theirs[v])

    def last_before_the_root(self, variables: Ints, values: Sequence[int]) -> None:
        """The vertex before the root has these values in its row of the variables: one clause for each value and arc
        into the root."""
        arc, u = self.arc[self.arcs.into_root], self.arcs.tails[self.arcs.into_root]
        for place, value in enumerate(values):
            self.add(-arc, variables[u, place] if value else -variables[u, place])

    def _an_edge_is_gone_along_one_way(self) -> None:
        forth, back = np.split(self.arc, 2)
        self.add(-forth, self.edge)
        self.add(-back, self.edge)
        self.add(-forth, -back)
        self.add(-self.edge, forth, back)

    def _each_vertex_is_left_and_entered_once(self) -> None:
        """At least once suffices, since two edges are chosen; at most once is stated besides, where there are few
        pairs."""
        arcs = self.arcs
        for ends in (arcs.tails, arcs.heads):
            at_vertex = self.arc[np.argsort(ends, kind="stable")]
            first = np.cumsum(arcs.degrees) - arcs.degrees
            for degree in (np.flatnonzero(np.bincount(arcs.degrees)[1:]) + 1).tolist():
                rows = at_vertex[first[arcs.degrees == degree][:, None] + np.arange(degree)]
                self.stated.add(rows)
                if 1 < degree <= MAX_PAIRED:
                    one, other = np.triu_indices(degree, 1)
                    self.add(-rows[:, one], -rows[:, other])

    def _one_direction_of_the_tour(self) -> None:
        arcs, size = self.arcs, self.arcs.cycle.size
        if arcs.required is not None:
            self.add(self.arc[[arcs.required]])
        if arcs.direction_free:
            entering = arcs.into_root
            leaving = (entering + size) % (2 * size)
            earlier, later = np.triu_indices(len(entering), 1)
            self.add(-self.arc[leaving[later]], -self.arc[entering[earlier]])
