"""Simplifies cycle problems by what is known of a Hamiltonian cycle before any search.

Three steps of `conditions` run until nothing follows. Edges that every cycle uses are taken and those that none does
are dropped (Martello 1983); bridges and cut vertices refute the problem, and the edges of 2-edge cuts are taken; where
such cuts split the graph, each side is a problem of its own, in which one taken edge stands for the way through the
others. At last a path of taken edges becomes one edge, or two where that keeps a bipartite graph bipartite, for some
formulations use its colours.

Each step keeps the number of cycles, but a split makes it a product, so nothing is split where all are wanted. A cycle
of the whole has the edges that were taken and those that the cycles of the pieces use. Limits: undirected problems; no
cuts of more than two edges; a problem that hardly shrinks stays as it was. The time is linear for each of a few rounds:
some 20 microseconds a vertex.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.graph import Edge, Graph, edge_keys, indices_in
from cpsat_tour.core.problem import Problem, Refutation
from cpsat_tour.core.reduction import CycleProblem, permitted_ends
from cpsat_tour.core.runs import Heartbeat, ProblemSimplified, no_heartbeat
from cpsat_tour.core.space import Flags, Ints, Subspace
from cpsat_tour.presolve.conditions import (
    DROPPED,
    TAKEN,
    UNDECIDED,
    Contradiction,
    CutClass,
    ForcedEdges,
    find_cut_classes,
    parts_beside,
    why_cut,
)

VIRTUAL = -1
"""The number of an edge that stands for a path through removed vertices."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of a simplified problem, a cycle problem of its own. ``vertices`` and ``edges`` are its numbers in the
    whole problem; an edge may be `VIRTUAL`."""

    cycle: CycleProblem
    vertices: Ints
    edges: Ints

    @property
    def problem(self) -> Problem:
        """The piece as a problem of its own: a closed tour that makes the required moves."""
        ends = zip(self.cycle.tails.tolist(), self.cycle.heads.tolist(), strict=True)
        return Problem(self.cycle.source.graph, True, require=tuple(compress(ends, self.cycle.required.tolist())))

    @property
    def called(self) -> str:
        """A short description of the piece: the number of its vertices, and the first of them."""
        return f"the {self.cycle.order} vertices about {self.cycle.name(0)}"

    @property
    def source_vertices(self) -> list[int]:
        """The source problem's vertex for each vertex of the piece; -1 for the universal vertex. Events use it."""
        vertices: list[int] = self.vertices.tolist()
        return vertices if self.cycle.apex is None else [*vertices[:-1], -1]


@dataclass(frozen=True, eq=False)
class Simplified:
    """A simplified cycle problem: ``pieces``, each of which needs a cycle; none if the ``taken`` edges, which every
    cycle uses, are one. ``why_none`` says why there is no cycle, if that shows without a search. A problem that stays
    as it is has neither pieces nor taken edges, and ``taken`` is None."""

    whole: CycleProblem
    pieces: tuple[Piece, ...] = ()
    why_none: str | None = None
    taken: Ints | None = None

    @property
    def event(self) -> ProblemSimplified:
        """The event that reports the size of the pieces."""
        cycles = [piece.cycle for piece in self.pieces]
        order, size = sum(cycle.order for cycle in cycles), sum(cycle.size for cycle in cycles)
        return ProblemSimplified(order, size, len(cycles), self.whole.order)

    def refutation_of_whole(self, refutation: Refutation, piece: Piece) -> Refutation:
        """Return the refutation of the whole for that of one of its pieces, without the certificate."""
        where = f"only two moves join {piece.called} to the others, and no tour goes through them all"
        if len(self.pieces) == 1:
            where = f"when forced moves are contracted, {piece.called} remain, and no tour goes through them all"
        return Refutation(refutation.kind, f"{where}: {refutation.reason}")

    def cycles(self, rows: Sequence[Ints]) -> Ints:
        """Combine cycles of the pieces to cycles of the whole, a row each. ``rows`` has for each piece as many rows, or
        one for all.

        `TourFault` if those of a piece make moves that it does not have, or the whole does not have two edges at each
        vertex; other faults are left to the verification of the tour.
        """
        used = np.zeros((max(map(len, rows), default=1), self.whole.size), dtype=bool)
        used[:, self.taken] = True
        for piece, cycles in zip(self.pieces, rows, strict=True):
            cycle, many = piece.cycle, np.broadcast_to(cycles, (len(used), piece.cycle.order))
            moves = edge_keys(cycle.order, many, np.roll(many, -1, axis=1))
            made = indices_in(moves, edge_keys(cycle.order, cycle.tails, cycle.heads))
            if (made < 0).any():
                raise TourFault(f"it makes a move that is not among {piece.called}")
            edges = piece.edges[made]
            row, move = np.nonzero(edges != VIRTUAL)
            used[row, edges[row, move]] = True
        count, order, whole = len(used), self.whole.order, self.whole
        row, edge = np.nonzero(used)
        ends = np.concatenate([whole.tails[edge] + row * order, whole.heads[edge] + row * order])
        others = np.concatenate([whole.heads[edge], whole.tails[edge]])
        if (moves := np.bincount(ends, minlength=count * order) != 2).any():
            raise TourFault(f"it does not make two moves at {whole.name(int(moves.argmax()) % order)}")
        beside = others[np.argsort(ends, kind="stable")].reshape(count, order, 2)
        numbers, ordered = np.arange(count), np.empty((count, order), dtype=np.int32)
        before, vertex = np.full(count, -1), np.zeros(count, dtype=np.int64)
        for place in range(order):
            ordered[:, place] = vertex
            one, other = beside[numbers, vertex].T
            before, vertex = vertex, np.where(one == before, other, one).astype(np.int64)
        return ordered


MIN_GAIN = 10
"""A simplification is dropped if it removes less than 1 in this number of the vertices and edges."""


@dataclass(frozen=True)
class Fragment:
    """A part of the problem that is not yet simplified: its ``vertices`` and ``edges`` by their numbers in the whole.
    ``ends`` are the ends of its edges by their numbers here; ``taken`` marks edges that are taken."""

    vertices: list[int]
    ends: list[Edge]
    edges: list[int]
    taken: list[int]


def simplify(cycle: CycleProblem, *, split: bool = True, heartbeat: Heartbeat = no_heartbeat) -> Simplified:
    """Return the `Simplified` undirected problem, in one piece at most unless ``split`` is set, or the problem as it is
    if that removes little; if it is found to have no cycle, its ``why_none`` says why. Calls `heartbeat` every now and
    then."""
    ends = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))
    required = np.flatnonzero(cycle.required).tolist()
    waiting = [Fragment(list(range(cycle.order)), ends, list(range(cycle.size)), required)]
    pieces, taken = list[Piece](), set[int]()
    try:
        while waiting:
            fragment = waiting.pop()
            edges = ForcedEdges(
                len(fragment.vertices),
                fragment.ends,
                lambda vertex, inside=fragment.vertices: cycle.explained_name(inside[vertex]),  # type: ignore[misc]
                heartbeat,
            )
            edges.propagate(fragment.taken)
            edges.force_small_degrees()
            sides = _split_at_cuts(fragment, edges, split)
            waiting += sides
            taken.update(fragment.edges[edge] for edge, state in enumerate(edges.state) if state == TAKEN)
            if len(edges.steps) < edges.order and not sides:
                pieces.append(_contract_paths(cycle, fragment, edges))
    except Contradiction as fault:
        called = f"the {len(fragment.vertices)} vertices about {cycle.explained_name(fragment.vertices[0])}"
        reason = f"only two moves join {called} to the others: " * (VIRTUAL in fragment.edges) + str(fault)
        return Simplified(cycle, (), why_cut(cycle) or reason)  # what the cuts say is easier to check
    left = sum(piece.cycle.order + piece.cycle.size for piece in pieces)
    if MIN_GAIN * left > (MIN_GAIN - 1) * (cycle.order + cycle.size) and len(pieces) == 1:
        return Simplified(cycle)
    pieces.sort(key=lambda piece: piece.cycle.order)
    return Simplified(cycle, tuple(pieces), None, np.array(sorted(taken - {VIRTUAL}), dtype=np.int32))


def _split_at_cuts(fragment: Fragment, edges: ForcedEdges, split: bool) -> list[Fragment]:
    """Take the edges of all 2-edge cuts and everything that they force; return the parts that they separate, none
    without ``split``. `Contradiction` if there is no cycle then."""
    while len(edges.steps) < edges.order and edges.order > 2:
        edges.heartbeat()
        cut_classes = find_cut_classes(edges)
        if not cut_classes:
            break
        live = [edge for edge, state in enumerate(edges.state) if state != DROPPED]
        parts = parts_beside(edges.order, edges.ends, cut_classes, live)
        if parts is None:
            break
        away = {edge for cut_class in cut_classes for edge in cut_class.edges}
        free = [edge for edge in away if edges.state[edge] == UNDECIDED]
        if not free:
            inside = [edge for edge in live if edge not in away]
            return _sides(fragment, edges, cut_classes, parts, inside) if split else []
        edges.in_cuts.update(free)
        edges.propagate(free)
    return []


def _contract_paths(cycle: CycleProblem, fragment: Fragment, edges: ForcedEdges) -> Piece:
    """Contract each path of taken edges to one or two edges and return the resulting piece. A graph with two colours
    keeps them. The apex stays, or the ends that an added edge joins."""
    anchors = {cycle.apex} if cycle.edge_between_ends is None else {cycle.source.start, cycle.source.end}
    kept = [taken < 2 or fragment.vertices[vertex] in anchors for vertex, taken in enumerate(edges.taken)]
    taken: list[tuple[int, int, int]] = []
    for path, first in list(_paths(edges, kept)):
        first_end, last_end = fragment.vertices[path[0]], fragment.vertices[path[-1]]
        colours = None if last_end == cycle.apex or len(path) == 2 else cycle.source.graph.colours
        one_edge = colours is None or colours[first_end] != colours[last_end]
        stops = [path[0], path[-1]] if one_edge else [path[0], *path[-2:]]
        number = fragment.edges[first] if len(path) == 2 else VIRTUAL
        taken += [(tail, head, number) for tail, head in itertools.pairwise(stops)]
        for vertex in stops:
            kept[vertex] = True
    undecided = [
        (*edges.ends[edge], fragment.edges[edge]) for edge, state in enumerate(edges.state) if state == UNDECIDED
    ]
    place = np.cumsum(kept) - 1
    joined = np.array(undecided + taken, dtype=np.int32)
    ends = np.sort(place[joined[:, :2]], axis=1).astype(np.int32)
    required = np.arange(len(joined)) >= len(undecided)
    return _piece_on(cycle, np.array(fragment.vertices, dtype=np.int32)[kept], ends, joined[:, 2], required)


def _sides(
    fragment: Fragment, edges: ForcedEdges, cut_classes: list[CutClass], parts: list[int], inside: list[int]
) -> list[Fragment]:
    """Return the parts that the 2-edge cuts separate, each with a taken edge in place of each way through the others;
    none if only one has more than one vertex. ``inside`` has the edges that are in no cut."""
    members: dict[int, list[int]] = defaultdict(list)
    place = []
    for vertex, part in enumerate(parts):
        place.append(len(members[part]))
        members[part].append(fragment.vertices[vertex])
    sides = {part: Fragment(vertices, [], [], []) for part, vertices in members.items() if len(vertices) > 1}
    if len(sides) < 2:
        return []
    joined = [(*edges.ends[edge], fragment.edges[edge], edges.state[edge] == TAKEN) for edge in inside]
    joined += [
        (tail, head, VIRTUAL, True) for cut_class in cut_classes for tail, head in cut_class.gates if tail != head
    ]
    for tail, head, number, taken in joined:
        side = sides[parts[tail]]
        if taken:
            side.taken.append(len(side.ends))
        side.ends.append((place[tail], place[head]))
        side.edges.append(number)
    return list(sides.values())


def _paths(edges: ForcedEdges, kept: list[bool]) -> Iterator[tuple[list[int], int]]:
    """Yield each path of taken edges between two kept vertices, as its vertices from its lesser end on, and its first
    edge."""
    for vertex in (vertex for vertex, stays in enumerate(kept) if stays):
        for first, end in edges.edges_at[vertex].items():
            if edges.state[first] == TAKEN:
                path, last = [vertex, end], first
                while not kept[path[-1]]:
                    last, onward = next(
                        (edge, other) for edge, other in edges.edges_at[path[-1]].items() if edge != last
                    )
                    path.append(onward)
                if vertex < path[-1]:
                    yield path, first


def _piece_on(whole: CycleProblem, vertices: Ints, ends: Ints, numbers: Ints, required: Flags) -> Piece:
    """Return the piece of the whole with these vertices and edges. Edges are given by their ``ends`` here, the lesser
    first, their ``numbers`` in the whole, and whether they are ``required``."""
    low, high = ends.T
    apex = len(vertices) - 1 if vertices[-1] == whole.apex else None
    between = np.zeros(len(ends), dtype=bool) if whole.edge_between_ends is None else numbers == whole.edge_between_ends
    inner = ~between if apex is None else high != apex
    space = Subspace(whole.source.graph.space, vertices if apex is None else vertices[:-1])
    graph = Graph.from_edges(len(space), ends[inner], space=space)
    source = Problem(graph, apex is None and not between.any())
    if between.any():
        start, end = (int(np.flatnonzero(vertices == end)[0]) for end in (whole.source.start, whole.source.end))
        source = replace(source, start=start, end=end)
    chosen = np.lexsort([high, low, between])
    if apex is not None:
        permitted = inner | required | np.isin(low, permitted_ends(source)[0])
        chosen = chosen[permitted[chosen]]
    cycle = CycleProblem(source, len(vertices), low[chosen], high[chosen], required[chosen], apex)
    return Piece(cycle, vertices, numbers[chosen])
