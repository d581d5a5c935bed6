"""The reduction of any problem to a Hamiltonian cycle with required edges, and the way back.

Formulations know only the `CycleProblem`. An open tour becomes a cycle through an extra universal vertex, the *apex*,
whose two edges mark the ends, or, with both ends of an undirected one fixed, through an extra required edge between
them. The apex is joined only to permitted ends: on a bipartite graph the ends of an open tour have the majority colour
if the order is odd, and different colours if it is even. A symmetry ties edges together (`orbits`). Problems too small
for that, and contradictory ones, are decided before (`conditions.decide_degenerate`).

A directed problem becomes an undirected one by splitting its vertices (Karp 1972). Every vertex v becomes an in-vertex
2v and an out-vertex 2v+1, joined by a required edge; an arc (u, v) becomes the edge {out u, in v}. Directed Hamiltonian
cycles and undirected ones that use all required edges correspond one to one. An open tour is a directed cycle through
an apex, which arcs join to every other vertex both ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, edge_keys, in_rows
from cpsat_tour.core.orbits import Symmetry, are_symmetric, edge_images, orbit_numbers
from cpsat_tour.core.problem import Move, Problem, Refutation, timetable
from cpsat_tour.core.space import Flags, Ints, Longs, Named
from cpsat_tour.core.verify import are_as_asked, cycles_rotated_to, reversed_cycles, two_factor_cycles, visits_in_order


@dataclass(frozen=True, eq=False)
class CycleProblem:
    """The task to find a Hamiltonian cycle on ``order >= 3`` vertices that uses every required edge.

    ``tails`` and ``heads`` are the ends of the edges (arcs, if directed) without the forbidden ones; ``required`` flags
    those that the cycle must use. The apex, if any, is the last vertex; an edge added between fixed ends is the last.

    With a symmetry ``orbits`` has the number of each edge's orbit, whose edges are all used or none; edges that no
    symmetric tour uses are missing. If the symmetry makes a tour impossible, ``contradiction`` says why.
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
    def directed(self) -> bool:
        """True if ``tails`` and ``heads`` are arcs."""
        return self.source.graph.directed

    def name(self, vertex: int) -> str:
        """Return the name of the vertex; the universal vertex is ``apex``."""
        return "apex" if vertex == self.apex else self.source.graph.name(vertex)

    def explained_name(self, vertex: int) -> str:
        """Return the name of a vertex for use in a sentence; the apex is explained."""
        return "the apex (it joins the ends of a tour)" if vertex == self.apex else self.name(vertex)

    def short_cycle_words(self, vertices: Iterable[int]) -> str:
        """Return in words that a solution has this cycle, which misses some vertices, so that it is no tour."""
        names = [*map(self.name, vertices)]
        all_of = self.source.graph.nouns[1] if self.apex is None else "vertices (the apex joins the ends of a tour)"
        shown = "-".join([*names[:8], *["…"] * (len(names) > 8)])
        return f"the solution has a cycle {shown} of {len(names)} of the {self.order} {all_of}"

    def dead_end_reason(self) -> str | None:
        """Return a sentence on a vertex with too few edges for a cycle, or on another contradiction; None if there is
        none."""
        if self.contradiction is not None:
            return self.contradiction
        if self.directed:
            ways = np.stack([np.bincount(ends, minlength=self.order) for ends in (self.heads, self.tails)])
            dead = np.flatnonzero(ways.min(axis=0) < 1)
            few = "can't be entered" if len(dead) and not ways[0, dead[0]] else "can't be left"
        else:
            dead = np.flatnonzero(self.degrees < 2)
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

    @cached_property
    def degrees(self) -> Longs:
        """The number of edges at each vertex (arcs into and out of it, if directed)."""
        return np.bincount(np.concatenate([self.tails, self.heads]), minlength=self.order)

    @property
    def free(self) -> Flags:
        """A flag for each edge, True if it is neither required nor tied to another edge by the symmetry."""
        free = ~self.required
        free[self.tied_pairs.ravel()] = False
        return free

    @cached_property
    def positions(self) -> tuple[Move, ...]:
        """The givens as pairs of a vertex and its position along the cycle. The first is the root, at 0: the apex or,
        without one, the given of the least number. Empty without givens."""
        givens = self.source.givens
        if givens and self.apex is not None:
            return ((self.apex, 0), *givens)
        return tuple((vertex, number - givens[0][1]) for vertex, number in givens)

    @cached_property
    def possible_vertices(self) -> Flags:
        """The vertices (columns) that can be at each position (row) along the cycle, as a table of flags. Only for
        problems with givens."""
        possible = timetable(self.source).possible
        symmetry = self.source.symmetry
        if symmetry is not None and not symmetry.is_identity and not self.source.closed:
            possible = possible & possible[::-1, symmetry.images]  # the symmetry reverses an open tour
        if self.apex is None:
            return np.roll(possible, 1 - self.source.givens[0][1], axis=0)
        with_apex = np.pad(possible, ((1, 0), (0, 1)))
        with_apex[0, self.apex] = True
        return with_apex

    @cached_property
    def stops(self) -> tuple[int, ...]:
        """The vertices that the cycle visits in this cyclic order, in either direction if it is undirected: the apex or
        the start, the waypoints, the end. Empty without waypoints."""
        source = self.source
        ends = (self.apex, source.start), (source.end,)
        found = dict.fromkeys(vertex for vertex in (*ends[0], *source.waypoints, *ends[1]) if vertex is not None)
        return tuple(found) if source.waypoints else ()

    @property
    def fits_both_ways(self) -> bool:
        """True if a cycle whose positions fit the givens in one direction fits them in the other too."""
        backwards = {(vertex, -position % self.order) for vertex, position in self.positions}
        return not self.directed and backwards == set(self.positions)

    def are_symmetric(self, cycles: Ints) -> Flags:
        """Return a flag for each cycle (a row), True if its tour has the symmetry that the problem asks for, if any."""
        symmetry = self.source.symmetry
        if symmetry is None:
            return np.ones(len(cycles), dtype=bool)
        return are_symmetric(symmetry.extended(self.order), cycles, closed=True)

    def visit_stops(self, cycles: Ints) -> Flags:
        """Return a flag for each cycle (a row), True if it visits the `stops` in their order."""
        return visits_in_order(self.source.waypoints, self.tours(cycles))

    @property
    def edge_between_ends(self) -> int | None:
        """The number of the edge that was added between the fixed ends of an open tour; None if none was."""
        return self.size - 1 if self.apex is None and not self.source.closed else None

    @cached_property
    def tied_pairs(self) -> Ints:
        """Pairs of edges (rows) of which a symmetric cycle uses both or none; together they link the edges of each
        orbit."""
        if self.orbits is None:
            return np.zeros((0, 2), dtype=np.int32)
        edges = np.argsort(self.orbits, kind="stable").astype(np.int32)
        of_one = self.orbits[edges[1:]] == self.orbits[edges[:-1]]
        return np.stack([edges[:-1][of_one], edges[1:][of_one]], axis=1)

    @cached_property
    def incidence(self) -> tuple[Ints, Ints]:
        """The edges at each vertex in increasing order, as CSR arrays ``(indptr, edges)``."""
        ends = np.stack([self.tails, self.heads], axis=1).ravel()
        return in_rows(ends, np.repeat(np.arange(self.size, dtype=np.int32), 2), self.order)

    def cycles(self, chosen: NDArray[np.integer]) -> list[Ints]:
        """Return the cycles that the chosen edges form, each as its vertices in order, the longest last. ``chosen`` has
        the numbers of the edges of a 2-factor."""
        return two_factor_cycles(self.order, self.tails[chosen], self.heads[chosen], directed=self.directed)

    def tours(self, cycles: Ints) -> Ints:
        """Convert Hamiltonian cycles to tours of the source problem, a row each. A cycle that has the givens in either
        direction becomes two tours. A cycle that is not as the problem asks gives a wrong tour, which the runner
        refuses."""
        source, root = self.source, self.apex
        if root is None:
            root = source.givens[0][0] if source.givens else source.start
        if root is None:
            return cycles
        forth = cycles_rotated_to(cycles, root)
        back = forth if self.directed else reversed_cycles(forth)
        if self.apex is not None:
            forth, back = forth[:, 1:], back[:, 1:]
        elif source.givens:
            forth, back = (np.roll(tours, source.givens[0][1] - 1, axis=1) for tours in (forth, back))
        if source.givens and self.fits_both_ways:
            return np.concatenate([forth, back])
        right = are_as_asked(source, forth)
        return forth if self.directed or right.all() else np.where(right[:, None], forth, back)

    def tour(self, cycle: Ints) -> Ints:
        """Convert one Hamiltonian cycle to the tour of the source problem."""
        return np.asarray(self.tours(cycle[None, :])[0])

    def edges_of(self, tour: Ints) -> NDArray[np.int64]:
        """Convert a tour of the source problem to the numbers of its edges in this cycle problem, increasing."""
        cycle = tour if self.apex is None else np.append(tour, np.int32(self.apex))
        made = edge_keys(self.order, cycle, np.roll(cycle, -1), directed=self.directed)
        return np.flatnonzero(np.isin(edge_keys(self.order, self.tails, self.heads, directed=self.directed), made))


def to_cycle(problem: Problem) -> CycleProblem:
    """Reduce a problem to a Hamiltonian cycle problem. The problem must be one that `decide_degenerate` leaves open."""
    graph, start, end = problem.graph, problem.start, problem.end
    tails, heads = problem.allowed.edges()
    both = start is not None and end is not None
    require = [*problem.require, (end, start)] if problem.closed and both else problem.require
    required = _flag_moves(graph, tails, heads, require) if require else np.zeros(len(tails), dtype=bool)
    cycle = CycleProblem(problem, graph.order, tails, heads, required, None)
    if not problem.closed:
        if not both or graph.directed:
            cycle = _with_apex(cycle)
        else:  # a required edge between the fixed ends, instead of the graph's own
            low, high = sorted(end for end in (start, end) if end is not None)
            others = ~_flag_moves(graph, tails, heads, [(low, high)])
            cycle = replace(
                cycle,
                tails=np.append(tails[others], np.int32(low)),
                heads=np.append(heads[others], np.int32(high)),
                required=np.append(required[others], True),
            )
    return cycle if problem.symmetry is None else _with_tied_edges(cycle, problem.symmetry)


def _with_apex(cycle: CycleProblem) -> CycleProblem:
    """Return the cycle problem with an added vertex, the apex, that is joined to all permitted ends of an open tour."""
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
    return replace(with_edges(cycle, tails, heads, required), order=apex + 1, apex=apex)


def with_edges(
    cycle: CycleProblem, tails: NDArray[np.integer], heads: NDArray[np.integer], required: Flags
) -> CycleProblem:
    """Return the cycle problem with these edges added; ``required`` flags those that the cycle must use."""
    return replace(
        cycle,
        tails=np.concatenate([cycle.tails, tails]).astype(np.int32),
        heads=np.concatenate([cycle.heads, heads]).astype(np.int32),
        required=np.concatenate([cycle.required, required]),
    )


def cycle_of_one_route(problem: Problem) -> CycleProblem:
    """Return the cycle problem of one route that may leave vertices out.

    For an open route one more vertex joins its ends, wherever they are.
    """
    return to_cycle(undirected(problem)) if problem.graph.directed or problem.closed else with_hub(problem, 1)


def with_hub(problem: Problem, edges: int) -> CycleProblem:
    """Return the cycle problem of the graph with one more vertex, the hub, which is joined to each other vertex by
    ``edges`` parallel edges; one of those at a fixed end of the problem is required."""
    free = Problem(problem.graph, True, require=problem.require, forbid=problem.forbid)
    cycle, directed = to_cycle(undirected(free)), problem.graph.directed
    fixed = [2 * problem.start if directed else problem.start] if problem.start is not None else []
    fixed += [2 * problem.end + 1 if directed else problem.end] if problem.end is not None else []
    hub, ends = cycle.order, np.tile(np.arange(cycle.order), edges)
    required = (np.arange(len(ends)) < hub) & np.isin(ends, fixed)
    return replace(with_edges(cycle, ends, np.full(len(ends), hub), required), order=hub + 1, apex=hub)


def _with_tied_edges(cycle: CycleProblem, symmetry: Symmetry) -> CycleProblem:
    """Return the cycle problem restricted to symmetric cycles: they use all edges of an orbit of the symmetry or none.
    The apex is fixed.

    Edges without an image are left out first; then, if it is asked how the tour is turned, the edges whose ends are
    exchanged are required or left out; then orbits with three edges at a vertex are left out; at last whole orbits are
    required. `BadInput` if a tour has only some of the edges whose ends are exchanged.
    """
    symmetry, tails, heads = symmetry.extended(cycle.order), cycle.tails, cycle.heads
    images = symmetry.images
    following = edge_images(cycle.order, tails, heads, images)
    kept, required, contradiction = following >= 0, cycle.required.copy(), None
    while (lost := kept & ~kept[following]).any():
        kept[lost] = False
    if symmetry.turning == "over" or (symmetry.turning == "along" and not symmetry.is_identity):
        turned_round = (following == np.arange(len(tails))) & (images[tails] == heads)
        places = np.flatnonzero(turned_round & kept)
        fixed = int((images == np.arange(cycle.order)).sum())
        contradiction = symmetry.why_wrong_fixed_places(fixed, len(places), closed=True)
        if contradiction is None:
            missing = (symmetry.fixed_places(closed=True) or 0) - fixed
            if missing not in (0, len(places)):
                raise BadInput(
                    f"{len(places)} moves are turned round by {symmetry.name}, and which two a tour makes is open: "
                    "leave out the kind"
                )
            (required if missing else kept)[places] = missing > 0
    orbits = orbit_numbers(following, kept)
    ends = np.concatenate([tails[kept], heads[kept]]).astype(np.int64)
    pairs, times = np.unique(np.tile(orbits[kept], 2).astype(np.int64) * cycle.order + ends, return_counts=True)
    kept &= ~np.isin(orbits, pairs[times > 2] // cycle.order)
    if contradiction is None and (required & ~kept).any():
        contradiction = "a required move can't be made together with its images"
    if contradiction is None and (between := cycle.edge_between_ends) is not None:
        # The added edge is an orbit of its own, also where the graph has an edge between the ends with others in its.
        ends = np.array([tails[between], heads[between]])
        if {*images[ends].tolist()} != {*ends.tolist()}:
            contradiction = f"{symmetry.name} does not take the two ends to each other or to themselves"
    kept &= contradiction is None
    wanted = np.isin(orbits, orbits[required])
    return replace(
        cycle,
        tails=tails[kept],
        heads=heads[kept],
        required=wanted[kept],
        orbits=orbits[kept],
        contradiction=contradiction,
    )


def permitted_ends(problem: Problem) -> tuple[Ints, Ints]:
    """Return the vertices at which an open tour may start, and those at which it may end, as two arrays."""
    start, end, order, colours = problem.start, problem.end, problem.graph.order, problem.graph.colours
    starts = ends = everywhere = np.arange(order, dtype=np.int32)
    if colours is not None and order % 2:
        starts = ends = everywhere[colours == int(2 * colours.sum() > order)]
    elif colours is not None and 2 * colours.sum() == order:
        starts = everywhere if end is None else everywhere[colours != colours[end]]
        ends = everywhere if start is None else everywhere[colours != colours[start]]
    return (
        starts if start is None else everywhere[start : start + 1],
        ends if end is None else everywhere[end : end + 1],
    )


def _flag_moves(graph: Graph, tails: Ints, heads: Ints, moves: Sequence[tuple[int | None, int | None]]) -> Flags:
    """Return a flag for each edge, True if it is one of the moves; without arcs, the direction of a move is ignored."""
    wanted = edge_keys(graph.order, *np.array(moves, dtype=np.int32).T, directed=graph.directed)
    return np.isin(edge_keys(graph.order, tails, heads, directed=graph.directed), wanted)


def undirected(problem: Problem) -> Problem:
    """Return the problem itself, or for a directed one the equivalent undirected problem on split vertices."""
    return SplitVertices(problem).problem if problem.graph.directed else problem


NAMES_OF_SPLIT = "with a→ for leaving a, →a for entering it and a required move between the two"


@dataclass(frozen=True, eq=False)
class SplitVertices:
    """A directed problem, ``source``, and the equivalent undirected ``problem``, in which each vertex is split in two.
    It has no givens; the apex of an open problem comes last."""

    source: Problem

    @cached_property
    def problem(self) -> Problem:
        """The undirected problem on split vertices: a closed tour that makes the required moves.

        If the graph lacks the closing move that is asked, this problem lacks it too: see `decide_degenerate`.
        """
        source, order = self.source, self.source.graph.order
        arcs, require = np.stack(source.graph.edges(), axis=1), list(source.require)
        if not source.closed:
            to_all = np.stack([np.full(order, order), np.arange(order)], axis=1)
            arcs = np.concatenate([arcs, to_all, to_all[:, ::-1]])
            require += [] if source.start is None else [(order, source.start)]
            require += [] if source.end is None else [(source.end, order)]
        elif source.start is not None and source.end is not None and source.graph.has_arc(source.end, source.start):
            require.append((source.end, source.start))
        own = 2 * np.arange(order + (not source.closed))[:, None] + np.array([0, 1])
        space = Named(self._names, "the split vertices of a directed graph")
        graph = Graph.from_edges(2 * len(own), np.concatenate([own, _edges_for(arcs)]), space=space)
        return Problem(
            graph,
            True,
            require=_as_moves(np.concatenate([own, _edges_for(require)])),
            forbid=_as_moves(_edges_for(source.forbid)),
        )

    @cached_property
    def _names(self) -> list[str]:
        """The names of the split vertices: ``→a`` for the in-vertex of a, ``a→`` for its out-vertex. Numbers replace
        names that would be the same; the apex has ``end→`` and ``→start``."""
        order = self.source.graph.order
        for called in (self.source.graph.name, str):
            names = [name for vertex in map(called, range(order)) for name in (f"→{vertex}", f"{vertex}→")]
            names += [] if self.source.closed else ["end→", "→start"]
            if len(set(names)) == len(names):
                break
        return names

    @property
    def source_vertices(self) -> list[int]:
        """For each split vertex, the vertex of the directed problem from which it comes; -1 for the apex."""
        apex = [] if self.source.closed else [-1, -1]
        return [vertex for vertex in range(self.source.graph.order) for _ in range(2)] + apex

    def tours(self, cycles: Ints) -> Ints:
        """Convert cycles of the undirected problem to tours of the directed one, a row each; wrong cycles give wrong
        tours."""
        root = (self.source.start or 0) if self.source.closed else self.source.graph.order
        forth = cycles_rotated_to(cycles, 2 * root)
        forth = np.where((forth[:, 1] == 2 * root + 1)[:, None], forth, reversed_cycles(forth))
        return forth[:, (0 if self.source.closed else 2) :: 2] // 2

    def refutation_of_source(self, refutation: Refutation) -> Refutation:
        """Convert a refutation of the undirected problem to one of the directed problem; its reason explains the vertex
        names."""
        if refutation.certificate is not None:
            of_arcs: Refutation = refutation.certificate.about(self.source).refutation
            return of_arcs
        meaning = f"{self.meaning}: " if "→" in refutation.reason else ""
        return replace(refutation, reason=f"{meaning}{refutation.reason}")

    @property
    def meaning(self) -> str:
        """A sentence that explains the names of split vertices."""
        graph = self.source.graph
        numbered = graph.order > 0 and self._names[0] != f"→{graph.name(0)}"
        closed = "" if self.source.closed else ", and the tour closed from end→ to →start"
        return f"{NAMES_OF_SPLIT}{', by the numbers of the vertices from 0' * numbered}{closed}"


def _edges_for(arcs: Sequence[Move] | Ints) -> NDArray[np.int64]:
    """Return the undirected edge for each arc (a row), from its tail's out-vertex to its head's in-vertex."""
    return np.asarray(2 * np.array(arcs, dtype=np.int64).reshape(-1, 2) + np.array([1, 0]))


def _as_moves(edges: NDArray[np.int64]) -> tuple[Move, ...]:
    """Return the edges, an array of rows, as a tuple of pairs."""
    return tuple(map(tuple, edges.tolist()))
