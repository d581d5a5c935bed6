"""Simpler cycle problems: what can be known of a Hamiltonian cycle before any search, and the way back.

Three steps run until nothing follows. Edges that every cycle uses are taken and those that none does are dropped
(`forced_edges`); bridges and cut vertices refute the problem, and the edges of 2-edge cuts are taken (`edge_cuts`); and
where such cuts part the graph, each side is a problem of its own, in which one taken edge stands for the way through
the others. At last a path of taken edges becomes one edge, or two where that keeps a bipartite graph bipartite, for
some formulations use its colours. The first step is known from searches for Hamiltonian cycles, such as that of
Martello (1983).

Each step keeps the cycles one by one, so a list has as many as before; a split makes it a product, so it is left out
where all are wanted. The way back is in `simplified`.

Limits: only undirected problems. Where next to nothing follows the problem stays as it was. No step looks further than
2-edge cuts; the time is linear for each round, and there are few rounds: in all some 20 microseconds a vertex.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cpsat_tour.core.edge_cuts import Edge, Ring, cuts, parts_beside
from cpsat_tour.core.forced_edges import DROPPED, TAKEN, UNDECIDED, Contradiction, ForcedEdges
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Heartbeat, unwatched
from cpsat_tour.core.simplified import VIRTUAL, Remnant, Simplified, promising, unchanged
from cpsat_tour.core.space import Flags, Subspace

MIN_GAIN = 10
"""A problem that would lose less than one in so many of its vertices and edges stays as it was."""


def simplify(cycle: CycleProblem, *, split: bool = True, heartbeat: Heartbeat = unwatched) -> Simplified:
    """What is left of the problem, in one part at most unless it may be ``split``."""
    if not promising(cycle):
        return unchanged(cycle)
    work = _Work(cycle, split=split, heartbeat=heartbeat)
    try:
        work.run()
    except Contradiction as fault:
        return Simplified(cycle, (), _plain_reason(cycle) or str(fault))
    left = sum(part.cycle.order + part.cycle.size for part in work.parts)
    if MIN_GAIN * left > (MIN_GAIN - 1) * (cycle.order + cycle.size) and len(work.parts) == 1:
        return unchanged(cycle)
    parts = sorted(work.parts, key=lambda part: part.cycle.order)
    return Simplified(cycle, tuple(parts), None, np.array(sorted(work.taken), dtype=np.int32))


def _plain_reason(cycle: CycleProblem) -> str | None:
    """What the graph as it came has to say, which is easier to check than what followed from it."""
    at: list[dict[int, int]] = [{} for _ in range(cycle.order)]
    for edge, (one, other) in enumerate(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)):
        at[one][edge], at[other][edge] = other, one
    return cuts(at, lambda vertex: _name(cycle, vertex)).refutation


def _name(cycle: CycleProblem, vertex: int) -> str:
    """What reasons call a vertex, and the apex, which people may not know."""
    return "the apex (it joins the ends of a tour)" if vertex == cycle.apex else cycle.name(vertex)


@dataclass(frozen=True)
class Fragment:
    """Some of the problem: vertices and edges by their numbers in the whole, the edges with their ends here, and those
    that are taken."""

    vertices: list[int]
    ends: list[Edge]
    edges: list[int]
    taken: list[int]


class _Work:
    """Pieces that are waiting, parts that are done, and what leads back."""

    def __init__(self, cycle: CycleProblem, *, split: bool, heartbeat: Heartbeat) -> None:
        self.cycle = cycle
        self._split, self._heartbeat = split, heartbeat
        ends = () if cycle.between_ends is None else (cycle.source.start, cycle.source.end)
        self._anchors = {cycle.apex, *ends} - {None}  # the apex, or the ends that an added edge joins
        self.parts: list[Remnant] = []
        self.taken: set[int] = set()

    @cached_property
    def _colours(self) -> list[int] | None:
        """The colours of the vertices, if there are two; they take a while where distances are long."""
        colours = self.cycle.graph.colours
        return None if colours is None else colours.tolist()

    def run(self) -> None:
        """Simplify piece after piece; `Contradiction` where there is no cycle."""
        cycle = self.cycle
        ends = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))
        waiting = [
            Fragment(list(range(cycle.order)), ends, list(range(cycle.size)), np.flatnonzero(cycle.required).tolist())
        ]
        while waiting:
            waiting += self._simplified(waiting.pop())

    def _simplified(self, piece: Fragment) -> list[Fragment]:
        """Pieces to go on with; none where a part is done."""

        def name(vertex: int) -> str:
            return _name(self.cycle, piece.vertices[vertex])

        edges = ForcedEdges(len(piece.vertices), piece.ends, name, self._heartbeat)
        edges.propagate(piece.taken)
        edges.force_small_degrees()
        while not edges.complete and len(piece.vertices) > 2:
            self._heartbeat()
            found = cuts(edges.at, name)
            if found.refutation:
                raise Contradiction(found.refutation)
            live = [edge for edge, state in enumerate(edges.state) if state != DROPPED] if found.rings else []
            parts = parts_beside(edges.order, edges.ends, found.rings, live) if found.rings else None
            if parts is None:
                break
            if free := [edge for ring in found.rings for edge in ring.edges if edges.state[edge] == UNDECIDED]:
                edges.propagate(free)
                continue
            if self._split and (pieces := self._sides(piece, edges, found.rings, parts)):
                self._take(piece, edges)
                return pieces
            break
        self._take(piece, edges)
        if edges.complete:
            return []
        untouched = len(piece.edges) == self.cycle.size and not any(edges.state)
        self.parts += unchanged(self.cycle).parts if untouched else [self._part(piece, edges)]
        return []

    def _take(self, piece: Fragment, edges: ForcedEdges) -> None:
        """Remember the edges of the whole that are taken."""
        self.taken.update(piece.edges[edge] for edge, state in enumerate(edges.state) if state == TAKEN)
        self.taken.discard(VIRTUAL)

    # --- the sides of 2-edge cuts ---

    def _sides(self, piece: Fragment, edges: ForcedEdges, rings: list[Ring], parts: list[int]) -> list[Fragment]:
        """The sides of all cuts, each with taken edges for the ways through the others; none where only one has more
        than one vertex."""
        members: dict[int, list[int]] = {}
        for vertex, part in enumerate(parts):
            members.setdefault(part, []).append(vertex)
        sides = {part: vertices for part, vertices in members.items() if len(vertices) > 1}
        if len(sides) < 2:
            return []
        away = {edge for ring in rings for edge in ring.edges}
        inside: dict[int, list[int]] = {part: [] for part in sides}
        for edge, (one, _) in enumerate(edges.ends):
            if edges.state[edge] != DROPPED and edge not in away:
                inside[parts[one]].append(edge)
        ways: dict[int, list[Edge]] = {part: [] for part in sides}
        for ring in rings:
            for one, other in ring.gates:
                if one != other:
                    ways[parts[one]].append((one, other))
        return [self._side(piece, edges, vertices, inside[part], ways[part]) for part, vertices in sides.items()]

    def _side(
        self, piece: Fragment, edges: ForcedEdges, vertices: list[int], inside: list[int], ways: list[Edge]
    ) -> Fragment:
        place = {vertex: number for number, vertex in enumerate(vertices)}
        ends = [(place[one], place[other]) for one, other in (edges.ends[edge] for edge in inside)]
        taken = [number for number, edge in enumerate(inside) if edges.state[edge] == TAKEN]
        taken += range(len(ends), len(ends) + len(ways))
        ends += [(place[one], place[other]) for one, other in ways]
        numbers = [piece.edges[edge] for edge in inside] + [VIRTUAL] * len(ways)
        return Fragment([piece.vertices[vertex] for vertex in vertices], ends, numbers, taken)

    # --- what is left ---

    def _part(self, piece: Fragment, edges: ForcedEdges) -> Remnant:
        """The cycle problem of a piece, with one or two edges for each path of taken edges; formulations hold the tour
        by its anchors."""
        cycle = self.cycle
        kept = [taken < 2 or piece.vertices[vertex] in self._anchors for vertex, taken in enumerate(edges.taken)]
        taken: list[tuple[int, int, int]] = []
        for path, first in list(_paths(edges, kept)):
            stops = (
                path
                if len(path) == 2
                else [path[0], path[-1]]
                if self._one_edge_will_do(piece, path)
                else [path[0], *path[-2:]]
            )
            number = piece.edges[first] if len(path) == 2 else VIRTUAL
            taken += [(one, other, number) for one, other in itertools.pairwise(stops)]
            for vertex in stops:
                kept[vertex] = True
        undecided = [
            (*edges.ends[edge], piece.edges[edge]) for edge, state in enumerate(edges.state) if state == UNDECIDED
        ]
        place = np.cumsum(kept) - 1
        joined = np.array(undecided + taken)
        low, high = np.sort(place[joined[:, :2]], axis=1).T.astype(np.int32)
        numbers, required = joined[:, 2].astype(np.int32), np.arange(len(joined)) >= len(undecided)
        between = numbers == (VIRTUAL - 1 if cycle.between_ends is None else cycle.between_ends)
        vertices = np.array(piece.vertices, dtype=np.int32)[kept]
        apex = len(vertices) - 1 if vertices[-1] == cycle.apex else None
        inner = ~between if apex is None else high != apex
        space = Subspace(cycle.graph.space, vertices if apex is None else vertices[:-1])
        graph = Graph.from_edges(len(space), np.stack([low, high], axis=1)[inner], space=space)
        source = Problem(graph, apex is None and not between.any())
        if between.any():
            start, end = (int(np.flatnonzero(vertices == end)[0]) for end in (cycle.source.start, cycle.source.end))
            source = source.with_ends(start, end)
        chosen = np.lexsort([high, low, between])
        if apex is not None:
            chosen = chosen[_permitted(graph, low, high == apex, required)[chosen]]
        part = CycleProblem(source, len(vertices), low[chosen], high[chosen], required[chosen], apex)
        return Remnant(part, vertices, numbers[chosen])

    def _one_edge_will_do(self, piece: Fragment, path: list[int]) -> bool:
        """True if one edge instead of the path keeps the colours apart, or there are none; the apex has no colour."""
        one, other = piece.vertices[path[0]], piece.vertices[path[-1]]
        colours = None if len(path) == 2 or other == self.cycle.apex else self._colours
        return colours is None or colours[one] != colours[other]


def _paths(edges: ForcedEdges, kept: list[bool]) -> Iterator[tuple[list[int], int]]:
    """The paths of taken edges between two kept vertices, each from its lesser end, with its first edge."""
    for vertex in (vertex for vertex, stays in enumerate(kept) if stays):
        for first, end in edges.at[vertex].items():
            if edges.state[first] == TAKEN:
                path, last = [vertex, end], first
                while not kept[path[-1]]:
                    last, onward = next((edge, other) for edge, other in edges.at[path[-1]].items() if edge != last)
                    path.append(onward)
                if vertex < path[-1]:
                    yield path, first


def _permitted(graph: Graph, ends: Ints, at_apex: Flags, required: Flags) -> Flags:
    """The edges without those from the apex to an end that the colours rule out: of an odd number of vertices it is of
    the majority."""
    colours = graph.colours
    if colours is None or graph.order % 2 == 0:
        return np.ones(len(ends), dtype=bool)
    wrong = at_apex & ~required
    wrong[wrong] = colours[ends[wrong]] != int(2 * int(colours.sum()) > graph.order)
    return ~wrong
