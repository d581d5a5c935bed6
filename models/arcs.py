"""The arcs of a cycle problem, for the formulations that state a direction: their numbering, a root, and the positions
that vertices can have; and the clauses of waypoints.

Each edge has two arcs, one for either direction. What is stated of the arcs at all vertices makes them disjoint
directed cycles; that there is one of them is stated of the arcs that do not enter the *root*. The root is a vertex of
least degree, where the choices are fewest (Heule 2021), with these exceptions:

* An open tour between fixed ends begins at its start, and the arc from its end to its start is required.
* Where numbers are given it is the root from which these count (`CycleProblem.positions`).
* If the source graph has two colours and the apex is joined to both, the root is the apex. Of an open tour between
  different colours one direction begins at colour 0, so the apex's arcs lead to colour 0 and come from colour 1.

*Givens.* Vertices with given numbers have known ``positions``. Arcs that no walk between them has time for are wrong.

*Colours.* On a bipartite graph the colours alternate along the tour, so a vertex's *parity*, its position from the root
modulo 2, is known. Arcs that contradict it are wrong: those between equal parities, and those into the root from
another parity than that of n - 1. If n is odd this leaves none into the root. From degrees alone solvers of clauses
take long to find that out: it is an argument like that of the pigeonholes.

*Waypoints.* The stops of a cycle cut it into sections, and each vertex between two stops is told its section (ours, for
any formulation that has edges or arcs). For stops ``0..k-1`` that a cycle visits in this cyclic order, a variable for
each section ``j``, which leads from stop ``j`` to stop ``j + 1`` modulo ``k``, and each vertex ``v`` that is not a
stop:

    move[u, v] => section[u, j] = section[v, j]          for u and v between stops, and each j
    not move[s, t]                                       for stops s and t that don't follow each other
    move[s, v] => section[v, s - 1] or section[v, s]     for stop s and v between stops
    move[s, v] => not section[v, j]                      for every other j

and of a directed graph instead of the last two:

    move[s, v] => section[v, s], not section[v, j]       for every other j
    move[v, s] => section[v, s - 1], not section[v, j]   for every other j

On a Hamiltonian cycle the sections of the vertices between two stops are all the same, so that two stops that come
after each other are neighbours in the order; the cycle thus visits all stops in this order, or in reverse.

Cost, for n vertices and k stops: (n - k) k variables; 2k clauses for each move between vertices that are no stops,
k - 1 for each between one and a stop (k if directed), 1 for each between stops that don't follow each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Flags, Ints
from cpsat_tour.formats.formula import Clauses, Named
from cpsat_tour.models.loop.numbering import Numbering


def section_variables(cycle: CycleProblem) -> int:
    """Return the number of variables that the clauses of `stops_in_order`, about waypoints, need."""
    return (cycle.order - len(cycle.stops)) * len(cycle.stops)


def section_names(cycle: CycleProblem) -> Named:
    """Return what names the variables of sections: a word, and the vertex and the section of each variable."""
    between, stops = np.setdiff1d(np.arange(cycle.order), cycle.stops), len(cycle.stops)
    return "section", (np.repeat(between, stops), np.tile(np.arange(stops), len(between))), 1


def stops_in_order(cycle: CycleProblem, tails: Ints, heads: Ints, moves: Ints, first: int) -> Iterator[Clauses]:
    """Yield the clauses that make a cycle visit its stops in their order.

    There are some stops. ``moves`` are the variables of the edges or arcs between ``tails`` and ``heads``, and those of
    the sections are numbered from ``first``.
    """
    stops, stop = len(cycle.stops), np.full(cycle.order, -1)
    stop[[*cycle.stops]] = np.arange(stops)
    section = first + stops * (np.cumsum(stop < 0) - 1)[:, None] + np.arange(stops)
    # move[u, v] => section[u, j] = section[v, j]
    between = (stop[tails] < 0) & (stop[heads] < 0)
    move, section_u, section_v = moves[between][:, None], section[tails[between]], section[heads[between]]
    for sign in (1, -1):
        clauses = np.stack(np.broadcast_arrays(-move, -sign * section_u, sign * section_v), axis=-1)
        yield clauses.reshape(-1, 3).astype(np.int32)
    # Not move[s, t] unless they follow each other.
    steps = (stop[heads] - stop[tails]) % stops
    follow = (steps == 1) | ((steps == stops - 1) & (not cycle.directed))
    yield -moves[(stop[tails] >= 0) & (stop[heads] >= 0) & ~follow][:, None]
    # move[s, v] => section[v, s - 1] or section[v, s], and no other; arcs out of s are in section s, into it in s - 1.
    for ends, others, out_of in ((tails, heads, True), (heads, tails, False)):
        at_stop = np.flatnonzero((stop[ends] >= 0) & (stop[others] < 0))
        move, section_v = moves[at_stop][:, None], section[others[at_stop]]
        beside = [-1, 0] if not cycle.directed else [0] if out_of else [-1]
        near = (stop[ends[at_stop]][:, None] + np.array(beside)) % stops
        yield np.concatenate([-move, np.take_along_axis(section_v, near, axis=1)], axis=1).astype(np.int32)
        far = np.ones(section_v.shape, dtype=bool)
        np.put_along_axis(far, near, False, axis=1)
        yield np.stack([np.repeat(-move, far.sum(axis=1)), -section_v[far]], axis=1).astype(np.int32)


class Arcs(Numbering):
    """The arcs of a cycle problem, and their variables in the order of the edges that the seed stands for.

    * ``tails``, ``heads``: the ends of each arc. Of a directed problem arc ``k`` is its arc ``k``; of an undirected one
      arc ``k`` goes along edge ``k`` of m from its tail to its head, and arc ``m + k`` back.
    * ``arc_variables``, ``by_variable``: the variable of each arc, from 1; the arc of variable ``v`` is
      ``by_variable[v - 1]``. ``variables`` and ``edges`` are those of the edges, where these have variables instead.
    * ``root``: the vertex at position 0; ``positions``: the vertices whose position is known, the root first.
    * ``parity``: each vertex's position modulo 2, None where it is not known or ``colours`` are not asked for.
    * ``direction_free``: True if a cycle can be gone along both ways; ``required``: the arc between fixed ends.
    * ``inner``, ``into_root``, ``away``: the arcs that do not enter the root; that enter it; that do not touch it.
    """

    def __init__(self, cycle: CycleProblem, seed: int = 0, *, colours: bool = False) -> None:
        super().__init__(cycle, seed)
        self.order, self.tails, self.heads = cycle.order, cycle.tails, cycle.heads
        self.by_variable, self.arc_variables = self.edges, self.variables
        if not cycle.directed:
            self.tails, self.heads = np.concatenate([[cycle.tails, cycle.heads], [cycle.heads, cycle.tails]], axis=1)
            self.by_variable = np.concatenate([self.edges, self.edges + cycle.size])
            self.arc_variables = np.concatenate([self.variables, self.variables + cycle.size])
        self.root, self.required = int(cycle.degrees.argmin()), None
        self.direction_free = cycle.fits_both_ways if cycle.source.givens else not cycle.directed
        colour = cycle_colours(cycle) if colours and not cycle.directed else None
        if cycle.edge_between_ends is not None:
            assert cycle.source.start is not None
            forward = cycle.heads[cycle.edge_between_ends] == cycle.source.start
            self.root, self.direction_free = cycle.source.start, False
            self.required = cycle.edge_between_ends if forward else cycle.edge_between_ends + cycle.size
        elif cycle.source.givens:
            self.root = cycle.positions[0][0]
        elif colour is not None and len({*colour[cycle.tails[cycle.heads == cycle.apex]].tolist()}) > 1:
            assert cycle.apex is not None
            self.root, self.direction_free = cycle.apex, False
        self.parity = None if colour is None else colour ^ colour[self.root]
        self.positions = cycle.positions if cycle.source.givens else ((self.root, 0),)
        self.inner = np.flatnonzero(self.heads != self.root)
        self.into_root = np.flatnonzero(self.heads == self.root)
        self.away = self.inner[self.tails[self.inner] != self.root]

    def along(self, edges: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the arcs along these edges, forth and back, a row for each edge; of a directed problem the arc
        alone."""
        return edges[:, None] if self.cycle.directed else np.stack([edges, edges + self.cycle.size], axis=1)

    @property
    def opposed(self) -> Ints:
        """Pairs of an arc out of the root and one into it, a row each, of which a cycle that goes its way round does
        not use both; none if something else sets the direction."""
        entering = self.into_root[: len(self.into_root) * self.direction_free]
        leaving = (entering + self.cycle.size) % (2 * self.cycle.size)
        earlier, later = np.triu_indices(len(entering), 1)
        return np.stack([leaving[later], entering[earlier]], axis=1)

    @cached_property
    def wrong(self) -> Flags:
        """A flag for each arc, True if no cycle can use it: the positions that its ends can have never follow each
        other.

        Parities show that or, where numbers are given, the positions that walks between them lead to.
        """
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
        """Return an array of flags with a row for each of the vertices and a column for each position: True if the
        vertex can have the position.

        The position is no less than the distance from the root, either way, has the right parity, and is one to which
        walks between the givens lead.
        """
        position = np.arange(self.order)
        there, back = (distances[vertices, None] for distances in self._distances)
        possible: Flags = (there <= position) & (position <= self.order - back)
        possible[vertices == self.root, 1:] = False
        if self.parity is not None:
            possible &= self.parity[vertices, None] == position % 2
        if self.cycle.positions:
            possible &= self.cycle.possible_vertices[:, vertices].T
        return possible

    @property
    def bounds(self) -> tuple[Ints, Ints]:
        """The least and the greatest position that each vertex can have; 1 and 0 if it can have none."""
        if self.cycle.positions:
            possible = self.possible_positions(np.arange(self.order))
            low, high = possible.argmax(axis=1), self.order - 1 - possible[:, ::-1].argmax(axis=1)
            return np.where(possible.any(axis=1), low, 1), np.where(possible.any(axis=1), high, 0)
        there, back = self._distances
        low, high = there.copy(), self.order - back
        if self.parity is not None:
            low, high = low + (low ^ self.parity) % 2, high - (high ^ self.parity) % 2
        low[self.root] = high[self.root] = 0
        return low, high

    @cached_property
    def _distances(self) -> tuple[Ints, Ints]:
        """The distances from the root to each vertex, and from each vertex to the root.

        They are the order of the graph where no walk leads.
        """
        there, back = np.full((2, self.order), self.order, dtype=np.int32)
        for distance, tails, heads in ((there, self.tails, self.heads), (back, self.heads, self.tails)):
            level, reached = 0, np.array([self.root])
            while len(reached):
                distance[reached] = level
                reached = heads[(distance[tails] == level) & (distance[heads] == self.order)]
                level += 1
        return there, back


def cycle_colours(cycle: CycleProblem) -> Ints | None:
    """Return the colours, 0 and 1, of the vertices of an undirected problem on a bipartite graph; else None.

    An apex that is joined to both has colour 1.
    """
    colours = cycle.source.graph.colours
    if colours is None or cycle.apex is None:
        return colours
    of_apex = 1 - colours[cycle.tails[cycle.heads == cycle.apex]].min(initial=1)
    if cycle.positions:
        vertex, position = cycle.positions[-1]
        of_apex = colours[vertex] ^ (position & 1)
    return np.append(colours, np.int32(of_apex))
