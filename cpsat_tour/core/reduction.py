"""From any Hamilton problem to an undirected (or directed) cycle with required edges, and the way back.

Every formulation is written for one form, the `CycleProblem`. Open tours become cycles through an extra vertex, the
*apex*, whose two edges mark the ends; an open tour with both ends fixed becomes a cycle through an extra required edge
between them. The apex is joined only to permitted ends: on a bipartite graph the ends of an open tour are of the
majority colour if the order is odd, and of different colours if it is even. A symmetry ties edges together (`orbits`).
Problems too small for that, and those that contradict themselves, are decided before (`conditions.decide_degenerate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Graph, Ints, edge_keys, row_starts
from cpsat_tour.core.orbits import Symmetry, are_symmetric, tie_edges
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.space import Flags
from cpsat_tour.core.timetable import timetable
from cpsat_tour.core.tour import cycles_backwards, from_vertex, two_factor_cycles


@dataclass(frozen=True, eq=False)
class CycleProblem:
    """A Hamiltonian cycle on ``order >= 3`` vertices that uses every required edge.

    ``tails`` and ``heads`` are the ends of the edges (of the arcs, if directed), ``required`` flags those that the
    cycle must use; forbidden edges are not there. The apex, if any, is the last vertex. An added edge between fixed
    ends is the last edge.

    Of a symmetric tour ``orbits`` numbers the orbit of each edge, all of whose edges are used or none; an edge that no
    symmetric tour uses is not there. Where the symmetry contradicts what else is asked, the ``contradiction`` says so,
    and there are no edges.
    """

    source: Problem
    order: int
    tails: Ints
    heads: Ints
    required: Flags
    apex: int | None
    orbits: Ints | None = None
    contradiction: str | None = None

    @property
    def graph(self) -> Graph:
        """The graph whose vertices come before the apex, with its layout, colours and names; forbidden edges are still
        in it."""
        return self.source.graph

    @property
    def directed(self) -> bool:
        """Whether ``tails`` and ``heads`` are arcs."""
        return self.graph.directed

    def name(self, vertex: int) -> str:
        """What people call a vertex."""
        return "apex" if vertex == self.apex else self.graph.name(vertex)

    def dead_end(self) -> str | None:
        """A vertex that no cycle can pass, in words: it has fewer than two edges (or no arc in, or none out); None if
        there is none."""
        if self.contradiction is not None:
            return self.contradiction
        if self.directed:
            ways = np.stack([np.bincount(ends, minlength=self.order) for ends in (self.heads, self.tails)])
            dead = np.flatnonzero(ways.min(axis=0) < 1)
            few = "can't be entered" if len(dead) and not ways[0, dead[0]] else "can't be left"
        else:
            dead = np.flatnonzero(np.diff(self.incidence[0]) < 2)
            few = "has fewer than two moves" + ("" if self.source.closed else " and can't be an end")
        if not len(dead):
            return None
        if dead[0] == self.apex:
            return "there are no two vertices that a tour could start and end at"
        return f"{self.name(int(dead[0]))} {few}"

    @property
    def size(self) -> int:
        """The number of edges (arcs, if directed)."""
        return len(self.tails)

    @property
    def free(self) -> Flags:
        """Which edges may be used or left out whatever the others are: neither required nor tied to another by a
        symmetry."""
        free = ~self.required
        free[self.pairs.ravel()] = False
        return free

    @cached_property
    def positions(self) -> tuple[Move, ...]:
        """Where numbers are given, pairs of a vertex and its position along the cycle from a root, which comes first,
        with 0; else none.

        The root is the apex or, without one, the given of the least number, which is the start if there is one.
        """
        givens = self.source.givens
        if givens and self.apex is not None:
            return ((self.apex, 0), *givens)
        return tuple((vertex, number - givens[0][1]) for vertex, number in givens)

    @cached_property
    def possible_positions(self) -> Flags:
        """Where numbers are given, which vertex (a column) can be at which position (a row)."""
        possible = timetable(self.source).possible
        symmetry = self.source.symmetry
        if symmetry is not None and not symmetry.is_identity and not self.source.closed:
            possible = possible & possible[::-1, symmetry.images]  # a symmetric open tour is turned over
        if self.apex is None:
            return np.roll(possible, 1 - self.source.givens[0][1], axis=0)
        with_apex = np.pad(possible, ((1, 0), (0, 1)))
        with_apex[0, self.apex] = True
        return with_apex

    @property
    def either_way(self) -> bool:
        """Whether a cycle that has the givens in one direction has them in the other as well."""
        backwards = {(vertex, -position % self.order) for vertex, position in self.positions}
        return not self.directed and backwards == set(self.positions)

    def are_symmetric(self, cycles: Ints) -> Flags:
        """For each cycle (a row) whether it stands for a tour with the symmetry that is asked."""
        symmetry = self.source.symmetry
        if symmetry is None:
            return np.ones(len(cycles), dtype=bool)
        return are_symmetric(symmetry.extended(self.order), cycles, closed=True)

    @property
    def between_ends(self) -> int | None:
        """The number of the edge that was added between the fixed ends of an open tour; None where there is none."""
        return self.size - 1 if self.apex is None and not self.source.closed else None

    @cached_property
    def pairs(self) -> Ints:
        """Pairs of edges of one orbit, a row each, that tie the edges of every orbit together."""
        if self.orbits is None:
            return np.zeros((0, 2), dtype=np.int32)
        edges = np.argsort(self.orbits, kind="stable").astype(np.int32)
        of_one = self.orbits[edges[1:]] == self.orbits[edges[:-1]]
        pairs: Ints = np.stack([edges[:-1][of_one], edges[1:][of_one]], axis=1)
        return pairs

    @cached_property
    def incidence(self) -> tuple[Ints, Ints]:
        """The edges at each vertex, as CSR arrays ``(indptr, edges)``, the edges of a vertex in increasing order."""
        ends = np.concatenate([self.tails, self.heads])
        edges = np.tile(np.arange(self.size, dtype=np.int32), 2)
        place = np.lexsort((edges, ends))
        return row_starts(np.bincount(ends, minlength=self.order)), edges[place]

    def cycles(self, chosen: NDArray[np.integer]) -> list[Ints]:
        """The disjoint cycles of a 2-factor given by the numbers of its edges, each as its vertices in order, longest
        last."""
        return two_factor_cycles(self.order, self.tails[chosen], self.heads[chosen], directed=self.directed)

    def tours(self, cycles: Ints) -> Ints:
        """The tours of the source problem that Hamiltonian cycles stand for, a row each, between the ends and with the
        numbers that it fixes.

        Of a cycle that has its givens in either direction there are two.
        """
        if self.source.givens:
            return self._numberings(cycles)
        start, end = self.source.start, self.source.end
        if self.apex is None:
            if start is None:
                return cycles
            tours = from_vertex(cycles, start)
            return tours if end is None else np.where((tours[:, -1] == end)[:, None], tours, cycles_backwards(tours))
        tours = from_vertex(cycles, self.apex)[:, 1:]
        if start is None and end is None:
            return tours
        forwards = tours[:, 0] == start if start is not None else tours[:, -1] == end
        return np.where(forwards[:, None], tours, tours[:, ::-1])

    def _numberings(self, cycles: Ints) -> Ints:
        """The tours with their givens; a cycle without them, in either direction, is left for the runner to refuse."""
        forth = from_vertex(cycles, self.positions[0][0])
        back = forth if self.directed else cycles_backwards(forth)
        if self.either_way:
            forth = np.concatenate([forth, back])
        elif not self.directed:
            vertex, position = next(
                (vertex, position) for vertex, position in self.positions if 2 * position % self.order
            )
            forth = np.where((forth[:, position] == vertex)[:, None], forth, back)
        return forth[:, 1:] if self.apex is not None else np.roll(forth, self.source.givens[0][1] - 1, axis=1)

    def tour(self, cycle: Ints) -> Ints:
        """The tour of the source problem that one Hamiltonian cycle stands for."""
        tour: Ints = self.tours(cycle[None, :])[0]
        return tour

    def chosen(self, tour: Ints) -> NDArray[np.int64]:
        """The numbers of the edges of the cycle that a tour of the source problem stands for, increasing."""
        cycle = tour if self.apex is None else np.append(tour, np.int32(self.apex))
        made = edge_keys(self.order, cycle, np.roll(cycle, -1), directed=self.directed)
        return np.flatnonzero(np.isin(edge_keys(self.order, self.tails, self.heads, directed=self.directed), made))


def to_cycle(problem: Problem) -> CycleProblem:
    """Return the cycle problem that stands for a problem which `decide_degenerate` leaves open."""
    graph, start, end = problem.graph, problem.start, problem.end
    tails, heads = graph.without(problem.forbid).edges()
    both = start is not None and end is not None
    require = [*problem.require, (end, start)] if problem.closed and both else problem.require
    cycle = CycleProblem(problem, graph.order, tails, heads, _among(graph, tails, heads, require), None)
    if not problem.closed:
        cycle = _with_edge_between_ends(cycle) if both and not graph.directed else _through_apex(cycle)
    return cycle if problem.symmetry is None else _symmetric(cycle, problem.symmetry)


def _with_edge_between_ends(cycle: CycleProblem) -> CycleProblem:
    """Add a required edge between the fixed ends of an open tour, in place of the one that the graph may have there."""
    low, high = sorted(end for end in (cycle.source.start, cycle.source.end) if end is not None)
    others = ~_among(cycle.graph, cycle.tails, cycle.heads, [(low, high)])
    return replace(
        cycle,
        tails=np.append(cycle.tails[others], np.int32(low)),
        heads=np.append(cycle.heads[others], np.int32(high)),
        required=np.append(cycle.required[others], True),
    )


def _through_apex(cycle: CycleProblem) -> CycleProblem:
    """Add the apex, the universal vertex, joined to the vertices that an open tour may start and end at."""
    problem, apex = cycle.source, cycle.order
    starts, ends = permitted_ends(problem)
    if cycle.directed:
        tails = np.append(np.full(len(starts), apex), ends)
        heads = np.append(starts, np.full(len(ends), apex))
        required = np.zeros(len(tails), dtype=bool)
    else:
        tails = np.union1d(starts, ends)
        heads = np.full(len(tails), apex)
        required = np.isin(tails, [end for end in (problem.start, problem.end) if end is not None])
    return replace(
        cycle,
        order=apex + 1,
        tails=np.concatenate([cycle.tails, tails.astype(np.int32)]),
        heads=np.concatenate([cycle.heads, heads.astype(np.int32)]),
        required=np.concatenate([cycle.required, required]),
        apex=apex,
    )


def _symmetric(cycle: CycleProblem, symmetry: Symmetry) -> CycleProblem:
    """The cycle problem with its edges tied by the symmetry."""
    found = tie_edges(cycle.order, cycle.tails, cycle.heads, cycle.required, symmetry)
    contradiction, between = found.contradiction, cycle.between_ends
    # The added edge is an orbit of its own, also where the graph has an edge between the ends with others in its.
    ends = [] if between is None else [int(cycle.tails[between]), int(cycle.heads[between])]
    if contradiction is None and {*symmetry.images[ends].tolist()} != {*ends}:
        contradiction = f"{symmetry.name} does not take the two ends to each other or to themselves"
    kept = found.kept & (contradiction is None)
    return replace(
        cycle,
        tails=cycle.tails[kept],
        heads=cycle.heads[kept],
        required=found.required[kept],
        orbits=found.orbits[kept],
        contradiction=contradiction,
    )


def permitted_ends(problem: Problem) -> tuple[Ints, Ints]:
    """The vertices that an open tour may start at, and those that it may end at, as fixed ends and colours allow."""
    graph = problem.graph
    everywhere = np.arange(graph.order, dtype=np.int32)
    starts, ends = (everywhere if vertex is None else everywhere[[vertex]] for vertex in (problem.start, problem.end))
    colours = graph.colours
    if colours is None:
        return starts, ends
    ones = int(colours.sum())
    if graph.order % 2:
        majority = everywhere[colours == int(2 * ones > graph.order)]
        return (majority if problem.start is None else starts), (majority if problem.end is None else ends)
    fixed = problem.start if problem.end is None else problem.end if problem.start is None else None
    if fixed is None or 2 * ones != graph.order:
        return starts, ends
    others = everywhere[colours != colours[fixed]]
    return (starts, others) if problem.end is None else (others, ends)


def _among(graph: Graph, tails: Ints, heads: Ints, moves: Sequence[tuple[int | None, int | None]]) -> Flags:
    """Which of the edges are among the moves, in either direction if the graph is undirected."""
    if not moves:
        return np.zeros(len(tails), dtype=bool)
    wanted = edge_keys(graph.order, *np.array(moves, dtype=np.int32).T, directed=graph.directed)
    return np.isin(edge_keys(graph.order, tails, heads, directed=graph.directed), wanted)
