"""The arcs of a cycle problem, for the formulations that state a direction: their numbering, and a root.

Each edge has two arcs, one for either direction. What is stated of the arcs at all vertices makes them disjoint
directed cycles; that there is one of them is stated of the arcs that do not enter the *root*. The root is a vertex of
least degree, where the choices are fewest (Zhou 2020), with these exceptions:

* An open tour between fixed ends begins at its start, and the arc from its end to its start is required.
* Where numbers are given it is the root from which these count (`CycleProblem.positions`).
* If the source graph has two colours and the apex is joined to both, the root is the apex. Of an open tour between
  different colours one direction begins at colour 0, so the apex's arcs lead to colour 0 and come from colour 1.

*Givens.* Vertices with given numbers have known ``positions``. Arcs that no walk between them has time for are wrong.

*Colours.* On a bipartite graph the colours alternate along the tour, so a vertex's *parity*, its position from the root
modulo 2, is known. Arcs that contradict it are wrong: those between equal parities, and those into the root from
another parity than that of n - 1. If n is odd this leaves none into the root. Clauses can't find that out in few
steps from degrees alone (it is a pigeonhole argument).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Flags, Ints
from cpsat_tour.models.loop.numbering import Numbering


class Arcs(Numbering):
    """The arcs of a cycle problem, and their variables in the order of the edges that the seed stands for.

    * ``tails``, ``heads``: the ends of each arc. Of a directed problem arc ``k`` is its arc ``k``; of an undirected one
      arc ``k`` goes along edge ``k`` of m from its tail to its head, and arc ``m + k`` back.
    * ``arc_variables``, ``by_variable``: the variable of each arc, from 1; the arc of variable ``v`` is
      ``by_variable[v - 1]``. ``variables`` and ``edges`` are those of the edges, where these have variables instead.
    * ``root``: the vertex at position 0; ``positions``: the vertices whose position is known, the root first.
    * ``parity``: each vertex's position modulo 2, None where it is not known or ``colours`` are not asked for.
    * ``direction_free``: True if a cycle can be gone along both ways; ``required``: the arc between fixed ends.
    * ``inner``, ``into_root``, ``away``: the arcs that do not enter the root, that do, that neither enter nor leave it.
    """

    def __init__(self, cycle: CycleProblem, seed: int = 0, *, colours: bool = False) -> None:
        super().__init__(cycle, seed)
        self.order, self.tails, self.heads = cycle.order, cycle.tails, cycle.heads
        self.by_variable, self.arc_variables = self.edges, self.variables
        if not cycle.directed:
            self.tails, self.heads = np.concatenate([[cycle.tails, cycle.heads], [cycle.heads, cycle.tails]], axis=1)
            self.by_variable = np.concatenate([self.edges, self.edges + cycle.size])
            self.arc_variables = np.concatenate([self.variables, self.variables + cycle.size])
        self.root, self.required = cycle.root, None
        self.direction_free = cycle.fits_both_ways if cycle.positions else not cycle.directed
        colour = cycle_colours(cycle) if colours and not cycle.directed else None
        if cycle.edge_between_ends is not None:
            assert cycle.source.start is not None
            forward = cycle.heads[cycle.edge_between_ends] == cycle.source.start
            self.root, self.direction_free = cycle.source.start, False
            self.required = cycle.edge_between_ends if forward else cycle.edge_between_ends + cycle.size
        elif cycle.positions:
            self.root = cycle.positions[0][0]
        elif colour is not None and len({*colour[cycle.tails[cycle.heads == cycle.apex]].tolist()}) > 1:
            assert cycle.apex is not None
            self.root, self.direction_free = cycle.apex, False
        self.parity = None if colour is None else colour ^ colour[self.root]
        self.positions = cycle.positions or ((self.root, 0),)
        self.inner = np.flatnonzero(self.heads != self.root)
        self.into_root = np.flatnonzero(self.heads == self.root)
        self.away = self.inner[self.tails[self.inner] != self.root]

    def along(self, edges: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the arcs along these edges, forth and back, a row for each edge; if directed, the arc itself."""
        return edges[:, None] if self.cycle.directed else np.stack([edges, edges + self.cycle.size], axis=1)

    @cached_property
    def wrong(self) -> Flags:
        """A flag for each arc, True if its ends have parities that can't follow each other or, where numbers are given,
        no two positions that do."""
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
        position = np.arange(self.order)
        there, back = (distances[vertices, None] for distances in self._distances)
        possible: Flags = (there <= position) & (position <= self.order - back)
        possible[vertices == self.root, 1:] = False
        if self.parity is not None:
            possible &= self.parity[vertices, None] == position % 2
        if self.cycle.positions:
            possible &= self.cycle.possible_vertices[:, vertices].T
        return possible

    @cached_property
    def _distances(self) -> tuple[Ints, Ints]:
        """The distances of the vertices from the root, and those to it; the order where no walk leads."""
        there, back = np.full((2, self.order), self.order, dtype=np.int32)
        for distance, tails, heads in ((there, self.tails, self.heads), (back, self.heads, self.tails)):
            level, reached = 0, np.array([self.root])
            while len(reached):
                distance[reached] = level
                reached = heads[(distance[tails] == level) & (distance[heads] == self.order)]
                level += 1
        return there, back


def cycle_colours(cycle: CycleProblem) -> Ints | None:
    """Return the colours of the vertices of an undirected problem, 0 and 1, if the source graph has two; else None. An
    apex that is joined to both has colour 1."""
    colours = cycle.source.graph.colours
    if colours is None or cycle.apex is None:
        return colours
    of_apex = 1 - colours[cycle.tails[cycle.heads == cycle.apex]].min(initial=1)
    if cycle.positions:
        vertex, position = cycle.positions[-1]
        of_apex = colours[vertex] ^ (position & 1)
    return np.append(colours, np.int32(of_apex))
