"""The frame of the eager encodings: arcs over the edges, a root, and the constraints on arcs that all encodings share.

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

*Size.* The formula is refused as soon as it is larger than it may be.

Cost for m edges and degrees d: 2m variables; 4m clauses that tie arcs to edges, two at each vertex, d(d-1) where d <= 8
(redundant, as are all that follow), d(d-1)/2 at a root without a direction, one for each forbidden or required arc.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Heartbeat, no_heartbeat
from cpsat_tour.core.space import Flags
from cpsat_tour.formats.formula import Clauses, Sizes
from cpsat_tour.models.degree import (
    Template,
    auxiliary_variables,
    clauses_at_vertices,
    degree_constraints,
    tied_edges_are_equal,
)
from cpsat_tour.models.loop.numbering import number_edges

MAX_PAIRED = 8
"""The largest degree whose arcs are kept apart in pairs: twice the pairs of a knight's moves."""

MAX_CLAUSES = 40_000_000
"""Larger formulas are not built: these take some 2 GB in the solver."""


class Arcs:
    """The arcs of a cycle problem: arc ``k`` goes along edge ``k`` from its tail to its head, arc ``m + k`` goes back.

    ``positions`` are the vertices whose place along the cycle is known, the root, at 0, first. ``parity`` is each
    vertex's position modulo 2, None where it is not known; ``wrong`` flags the arcs that contradict either. ``inner``
    and ``into_root`` are the numbers of the arcs that do not, and do, enter the root, ``away`` those of the arcs that
    neither enter nor leave it. ``direction_free`` is True if a cycle can be gone along both ways, ``required`` is the
    arc between fixed ends.
    """

    def __init__(self, cycle: CycleProblem, *, colours: bool) -> None:
        self.cycle = cycle
        self.order = cycle.order
        self.tails = np.concatenate([cycle.tails, cycle.heads])
        self.heads = np.concatenate([cycle.heads, cycle.tails])
        self.required: int | None = None
        self.direction_free = not cycle.positions or cycle.fits_both_ways
        self.root = cycle.root
        if cycle.edge_between_ends is not None:
            assert cycle.source.start is not None
            forward = cycle.heads[cycle.edge_between_ends] == cycle.source.start
            self.root, self.direction_free = cycle.source.start, False
            self.required = cycle.edge_between_ends if forward else cycle.edge_between_ends + cycle.size
        elif cycle.positions:
            self.root = cycle.positions[0][0]
        self.parity = self._parity() if colours and cycle.source.graph.colours is not None else None
        self.positions = cycle.positions or ((self.root, 0),)
        self.inner = np.flatnonzero(self.heads != self.root)
        self.into_root = np.flatnonzero(self.heads == self.root)
        self.away = self.inner[self.tails[self.inner] != self.root]
        self.wrong = self._contradicting_arcs()

    def _parity(self) -> Ints:
        """Return the parity of each vertex of a bipartite graph, 0 for the root's colour; make an apex that is joined
        to both colours the root."""
        cycle, colours = self.cycle, self.cycle.source.graph.colours
        assert colours is not None
        if cycle.apex is not None:
            beside = set(colours[cycle.tails[cycle.heads == cycle.apex]].tolist())
            if cycle.positions:
                vertex, position = cycle.positions[-1]
                of_apex = colours[vertex] ^ (position & 1)
            elif len(beside) == 1:
                of_apex = 1 - beside.pop()
            else:
                of_apex, self.root, self.direction_free = 1, cycle.apex, False
            colours = np.append(colours, np.int32(of_apex))
        parity: Ints = colours ^ colours[self.root]
        return parity

    def _contradicting_arcs(self) -> Flags:
        """Return a flag for each arc, True if its ends have parities that can't follow each other or, where numbers are
        given, no two positions that do."""
        wrong = np.zeros(len(self.tails), dtype=bool)
        if self.parity is not None:
            leaving, entering = self.parity[self.tails], self.parity[self.heads]
            entering[self.into_root] = self.order % 2
            wrong |= leaving == entering
        if self.cycle.positions:
            possible = self.cycle.possible_vertices
            before, after = np.packbits(possible, axis=0), np.packbits(np.roll(possible, -1, axis=0), axis=0)
            wrong |= (before[:, self.tails] & after[:, self.heads] == 0).all(axis=0)
        return wrong

    def possible_positions(self, vertices: NDArray[np.integer]) -> Flags:
        """Return a flag for each of the vertices (a row) and each position (a column), True if the vertex can have it:
        it is no less than the distance from the root, either way, has the right parity, and is one to which walks
        between the givens lead."""
        position, distance = np.arange(self.order), self._distances[vertices, None]
        possible: Flags = (distance <= position) & (distance <= self.order - position)
        possible[vertices == self.root, 1:] = False
        if self.parity is not None:
            possible &= self.parity[vertices, None] == position % 2
        if self.cycle.positions:
            possible &= self.cycle.possible_vertices[:, vertices].T
        return possible

    @cached_property
    def _distances(self) -> Ints:
        """The distance of each vertex from the root; the order for a vertex that can't be reached."""
        distance = np.full(self.order, self.order, dtype=np.int32)
        distance[self.root] = 0
        for level in range(self.order):
            reached = self.heads[(distance[self.tails] == level) & (distance[self.heads] == self.order)]
            if not len(reached):
                break
            distance[reached] = level + 1
        return distance


class ArcFormula:
    """A formula in the making: `new` takes variables, `add` states clauses.

    ``edge[k]`` and ``arc[k]`` are the variables of edge and arc ``k``; the seed sets the numbering of the edges.
    ``sizes`` counts all clauses. If ``kept``, they stand in ``blocks``, the degree constraints before number
    ``degree_blocks``, and a formula that grows too large is refused. ``heartbeat`` is called after each block.
    """

    def __init__(
        self, name: str, arcs: Arcs, seed: int, heartbeat: Heartbeat = no_heartbeat, *, kept: bool = True
    ) -> None:
        self.arcs, cycle = arcs, arcs.cycle
        self.blocks: list[Clauses] = []
        self.heartbeat = heartbeat
        self._name, self._kept = name, kept
        numbering = number_edges(cycle, seed)
        self.edges, self.edge = numbering.edges, numbering.variables
        self.auxiliary = auxiliary_variables(cycle)
        self.sizes = Sizes(variables=cycle.size + self.auxiliary)
        for block in degree_constraints(cycle, numbering):
            self._state(block)
        self.degree_blocks = len(self.blocks)
        self._state(tied_edges_are_equal(cycle, numbering))
        self.arc = self.new(2 * cycle.size)
        self._an_edge_is_gone_along_one_way()
        self._each_vertex_is_left_and_entered_once()
        self._one_direction_of_the_tour()
        self.add(-self.arc[arcs.wrong])

    def new(self, *shape: int) -> Ints:
        """Return fresh variables, an array of this shape."""
        count = int(np.prod(shape))
        first = self.sizes.variables + 1
        self._add_sizes(Sizes(variables=count))
        return np.arange(first, first + count, dtype=np.int32).reshape(shape)

    def add(self, *literals: Ints | int) -> None:
        """State clauses: one for each index of the arrays (broadcast against each other), with a literal from each."""
        block = np.stack(np.broadcast_arrays(*literals), axis=-1).reshape(-1, len(literals))
        self._state(block.astype(np.int32, copy=False))

    def fix(self, variables: Ints, values: Ints | Sequence[int]) -> None:
        """Set variables to 0 or 1 by unit clauses."""
        self.add(np.where(np.asarray(values) != 0, variables, -variables))

    def equate_along_arcs(self, at_tail: Ints, at_head: Ints) -> None:
        """State for each arc u -> v that does not enter the root: arc[u, v] => at_tail[u] = at_head[v], two arrays of
        one literal for each vertex."""
        arc, u, v = self.arc[self.arcs.inner], self.arcs.tails[self.arcs.inner], self.arcs.heads[self.arcs.inner]
        self.add(-arc, -at_tail[u], at_head[v])
        self.add(-arc, at_tail[u], -at_head[v])

    def fix_before_the_root(self, variables: Ints, values: Sequence[int]) -> None:
        """State for each arc u -> root: arc[u, root] => ``variables[u]`` has these values; ``variables`` has a row for
        each vertex."""
        arc, u = self.arc[self.arcs.into_root], self.arcs.tails[self.arcs.into_root]
        for variable, value in zip(variables[u].T, values, strict=True):
            self.add(-arc, variable if value else -variable)

    def _state(self, block: Clauses) -> None:
        """Count a block of clauses, and keep it if the formula is kept."""
        self._add_sizes(Sizes(0, len(block), block.size))
        if self._kept:
            self.blocks.append(block)
        self.heartbeat()

    def _add_sizes(self, more: Sizes) -> None:
        """Add to the sizes; raise `BadInput` if the formula is kept and has grown too large."""
        self.sizes += more
        if self._kept and max(self.sizes.variables, self.sizes.clauses) > MAX_CLAUSES:
            what = "variables" if self.sizes.variables > MAX_CLAUSES else "clauses"
            raise BadInput(
                f"the formula of {self._name} has more than {MAX_CLAUSES:,} {what} here: choose sat, or another board"
            )

    def _an_edge_is_gone_along_one_way(self) -> None:
        forth, back = np.split(self.arc, 2)
        self.add(-forth, self.edge)
        self.add(-back, self.edge)
        self.add(-forth, -back)
        self.add(-self.edge, forth, back)

    def _each_vertex_is_left_and_entered_once(self) -> None:
        indptr = self.arcs.cycle.incidence[0]
        for ends in (self.arcs.tails, self.arcs.heads):
            for block in clauses_at_vertices(_at_least_one, indptr, self.arc[np.argsort(ends, kind="stable")], indptr):
                self._state(block)

    def _one_direction_of_the_tour(self) -> None:
        arcs, size = self.arcs, self.arcs.cycle.size
        if arcs.required is not None:
            self.add(self.arc[[arcs.required]])
        if arcs.direction_free:
            entering = arcs.into_root
            leaving = (entering + size) % (2 * size)
            earlier, later = np.triu_indices(len(entering), 1)
            self.add(-self.arc[leaving[later]], -self.arc[entering[earlier]])


@cache
def _at_least_one(degree: int) -> Template:
    """Return the template of the rule that at least one of this many arcs is chosen; where there are few pairs, also
    that only one is. At least one suffices, since two edges are chosen."""
    arcs = range(1, degree + 1)
    pairs = combinations(arcs, 2) if degree <= MAX_PAIRED else ()
    return Template.from_clauses(0, [tuple(arcs), *((-a, -b) for a, b in pairs)])
