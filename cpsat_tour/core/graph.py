"""Graphs as CSR arrays, without any chess.

The neighbours of vertex ``v`` are ``indices[indptr[v]:indptr[v + 1]]``, sorted increasingly, without loops or repeats.
An undirected graph stores each edge from both ends. Names and positions of vertices are those of its ``space``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import InitVar, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpsat_tour.core.errors import BadInput, quoted, whole_number
from cpsat_tour.core.space import Flags, Ints, Longs, Named, Numbered, Space, Subspace, VertexLike

__all__ = ["Graph", "Ints", "Source", "edge_keys", "in_rows", "indices_in", "row_starts"]


def row_starts(counts: NDArray[np.integer]) -> Ints:
    """Return the start index of each row, and the end of the last, for rows of these lengths stored one after the
    other."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def in_rows(places: NDArray[np.integer], values: Ints, rows: int) -> tuple[Ints, Ints]:
    """Group the values by row: return CSR arrays ``(starts, values)``. ``places`` has the row of each value; within a
    row the values keep their order."""
    return row_starts(np.bincount(places, minlength=rows)), values[np.argsort(places, kind="stable")]


def edge_keys(order: int, tails: Ints, heads: Ints, *, directed: bool = False) -> Longs:
    """Return one integer for each edge, the same for both directions; if ``directed``, one for each arc."""
    if directed:
        return tails.astype(np.int64) * order + heads
    return np.minimum(tails, heads).astype(np.int64) * order + np.maximum(tails, heads)


def indices_in(wanted: Longs, keys: Longs) -> Longs:
    """Return for each wanted number its index in ``keys``, whose entries are distinct; -1 if it is not there."""
    if not len(keys):
        return np.full(wanted.shape, -1)
    by_key = np.argsort(keys)
    places = by_key[np.minimum(np.searchsorted(keys, wanted, sorter=by_key), len(keys) - 1)]
    return np.where(keys[places] == wanted, places, -1)


MAX_VERTICES = 1 << 24
"""The largest number of vertices: a board of this size has fewer than 2**31 arcs, and its graph takes about 1.5 GB."""

Edge = tuple[int, int]

FREE_VERTICES = 1 << 18
"""The number of vertices that a space in a file may have however short the file is; four times as many edges."""

FEW = 8
"""The size of a level of breadth-first search up to which its vertices are visited one by one: a NumPy step costs
more."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A simple graph on the vertices ``0..order-1``, directed or not; made by `from_edges`, `from_networkx` or
    `read_graph`, or asked of a board: ``Board(8, 8).graph``. Of a graph file ``required`` has the
    edges that it fixes, ``form`` names its form, and ``loops`` counts the edges from a vertex to itself passed over."""

    indptr: Ints
    indices: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    directed: bool = False
    space: Space = field(default=Numbered(0), repr=False)
    required: tuple[tuple[int, int], ...] = ()
    form: str = ""
    loops: int = 0
    checked: InitVar[bool] = False

    def __post_init__(self, checked: bool) -> None:
        """Raise `BadInput` unless the arrays are ``checked``: compiled code goes where they point."""
        if not checked:
            made = "by Graph.from_edges(order, edges), Graph.from_networkx, read_graph, or Board(8, 8).graph"
            raise BadInput(f"a Graph can't be made of {quoted(self.indptr)}: it is made {made}")

    @classmethod
    def from_edges(
        cls,
        order: int,
        edges: Iterable[tuple[int, int]] | Ints,
        *,
        directed: bool = False,
        space: Space | None = None,
    ) -> Graph:
        """Return the graph with these edges.

        - ``order`` (int, needed): the number of vertices.
        - ``edges`` (pairs of ints, or an array of shape (m, 2); needed): the edges; loops and repeats are left out.
        - ``directed`` (bool, default False): whether they are arcs.
        - ``space`` (a space, default None): names the vertices; None for their numbers.
        """
        whole_number("the number of vertices", order, 0, 4 * MAX_VERTICES)  # gadgets and directed graphs need more
        if not isinstance(edges, Iterable):
            raise BadInput(f"edges can't be {quoted(edges)}: give pairs of vertex numbers, such as [(0, 1), (1, 2)]")
        edges = edges if isinstance(edges, np.ndarray) else list(edges)  # what a reader of edges raises is its own
        try:
            given = np.asarray(edges)
            pairs = given.astype(np.int64, casting="same_kind" if given.size else "unsafe").reshape(-1, 2)
        except (TypeError, ValueError):
            names = "for vertices with names use Graph.from_networkx"
            raise BadInput(f"edges are pairs of vertex numbers, such as [(0, 1), (1, 2)]; {names}") from None
        if pairs.size and (pairs.min() < 0 or pairs.max() >= order):
            wrong = pairs.max() if pairs.min() >= 0 else pairs.min()
            raise BadInput(f"an edge joins vertex {wrong}, but the vertices are 0 to {order - 1}")
        loop = pairs[:, 0] == pairs[:, 1]
        loops, pairs = int(loop.sum()), pairs[~loop]
        if not directed:
            pairs = np.concatenate([pairs, pairs[:, ::-1]])
        keys = np.sort(pairs[:, 0] * max(order, 1) + pairs[:, 1])
        keys = keys[np.diff(keys, prepend=-1) > 0]  # np.unique, which may hash, takes several times as long
        indptr = row_starts(np.bincount(keys // max(order, 1), minlength=order))
        indices = (keys % max(order, 1)).astype(np.int32)
        return cls(indptr, indices, directed, space or Numbered(order), loops=loops, checked=True)

    @classmethod
    def from_networkx(cls, graph: Any) -> Graph:
        """Return the graph of a networkx ``graph``. Starts, ends and moves are given by its nodes, which `Tour.nodes`
        gives back; their ``pos`` is where they are drawn.

        Weights, repeated edges and loops are ignored. The names of the vertices are the texts of the nodes, tuples as
        ``1,2``, or numbers from 0 if the texts are not short, different words.
        """
        try:
            number = {node: vertex for vertex, node in enumerate(graph.nodes)}
            edges = [(number[tail], number[head]) for tail, head in graph.edges()]
            directed, space = bool(graph.is_directed()), Named.of_nodes([*number])
        except (AttributeError, LookupError, TypeError, ValueError) as fault:
            what = f"{quoted(graph)} can't be read as a graph of networkx, nx.Graph or nx.DiGraph"
            raise BadInput(f"{what}: {fault!s:.80}") from None
        return at_places_in(graph, cls.from_edges(len(number), edges, directed=directed, space=space))

    def at(self, points: Mapping[Any, Any] | ArrayLike) -> Graph:
        """Return the graph with the points at which its vertices are drawn. `BadInput` if a vertex has no point, or if
        the graph is a board's, which is drawn in rows and columns.

        - ``points`` (a list of pairs, an array, or a dict of pairs; needed): an x to the right and a y up for each
          vertex; a layout of networkx is such a dict.
        """
        with suppress(KeyError, TypeError, ValueError):
            rows = [points[self.space.node(v)] for v in range(self.order)] if isinstance(points, Mapping) else points
            where = np.array(rows, dtype=float)
            if where.shape == (self.order, 2) and (abs(where) < 1e15).all() and not self.space.layout:
                space = copy(self.space)
                vars(space)["places"] = where
                return replace(self, space=space, checked=True)
        raise BadInput(
            f"{self.called} can't be drawn at {quoted(points)}: a graph without squares takes an x and a y each"
        )

    def __repr__(self) -> str:
        return f"<Graph: {self.called}, {self.size} {'arcs' if self.directed else 'edges'}>"

    @property
    def order(self) -> int:
        """The number of vertices."""
        return len(self.indptr) - 1

    @property
    def size(self) -> int:
        """The number of edges (arcs, if directed)."""
        return len(self.indices) if self.directed else len(self.indices) // 2

    @property
    def is_sparse(self) -> bool:
        """True if a vertex has at most 4 edges on average."""
        return self.size <= 2 * self.order

    @cached_property
    def degrees(self) -> Ints:
        """For each vertex the number of its neighbours (out-neighbours, if directed)."""
        return np.diff(self.indptr)

    @cached_property
    def tails(self) -> Ints:
        """The tail of each arc, in the order of ``indices``, which has the heads."""
        return np.repeat(np.arange(self.order, dtype=np.int32), self.degrees)

    @property
    def nouns(self) -> tuple[str, str]:
        """The words for one vertex and several: ``square`` and ``squares``."""
        return self.space.nouns

    @property
    def called(self) -> str:
        """A short description of the graph: ``the 8x8 board``, ``a directed graph of 10 vertices``."""
        return self.space.called(self.directed)

    def name(self, vertex: int) -> str:
        """Return the name of a vertex."""
        return self.space.name(vertex)

    def neighbours(self, vertex: int) -> Ints:
        """Return the neighbours (out-neighbours, if directed) of a vertex, in increasing order."""
        return self.indices[self.indptr[vertex] : self.indptr[vertex + 1]]

    def arc(self, tail: int, head: int) -> int:
        """Return the index in ``indices`` of the arc from tail to head; -1 if there is none."""
        row = self.neighbours(tail)
        place = int(np.searchsorted(row, head))
        return int(self.indptr[tail]) + place if place < len(row) and row[place] == head else -1

    def has_arc(self, tail: int, head: int) -> bool:
        """Return True if an arc leads from tail to head."""
        return self.arc(tail, head) >= 0

    def edges(self) -> tuple[Ints, Ints]:
        """Return the tails and the heads of all edges, tail < head, in lexicographic order; of all arcs, if
        directed."""
        if self.directed:
            return self.tails, self.indices
        forward = self.tails < self.indices
        return self.tails[forward], self.indices[forward]

    def pairs(self) -> list[tuple[int, int]]:
        """Return the edges, or arcs, in the order of `edges`, as pairs of vertices."""
        tails, heads = self.edges()
        return list(zip(tails.tolist(), heads.tolist(), strict=True))

    @cached_property
    def reversed(self) -> Graph:
        """The graph with every arc reversed; an undirected graph is its own reverse."""
        if not self.directed:
            return self
        return Graph(*in_rows(self.indices, self.tails, self.order), True, self.space, checked=True)

    @cached_property
    def underlying(self) -> Graph:
        """The undirected graph that has an edge for each arc."""
        if not self.directed:
            return self
        return Graph.from_edges(self.order, np.stack(self.edges(), axis=1), space=self.space)

    def without(self, edges: Iterable[tuple[int, int]]) -> Graph:
        """Return the graph without these edges (arcs, if directed), all of which it has to have."""
        if not (edges := list(edges)):
            return self
        keep = np.ones(len(self.indices), dtype=bool)
        for tail, head in edges:
            keep[self.arc(tail, head)] = False
            if not self.directed:
                keep[self.arc(head, tail)] = False
        indptr = row_starts(np.bincount(self.tails[keep], minlength=self.order))
        return Graph(indptr, self.indices[keep], self.directed, self.space, checked=True)

    def subgraph(self, vertices: Ints) -> Graph:
        """Return the subgraph induced by these vertices, which keep their names. They have to be given in increasing
        order."""
        number = np.full(self.order, -1, dtype=np.int32)
        number[vertices] = np.arange(len(vertices), dtype=np.int32)
        kept = (number[self.tails] >= 0) & (number[self.indices] >= 0)
        indptr = row_starts(np.bincount(number[self.tails[kept]], minlength=len(vertices)))
        return Graph(indptr, number[self.indices[kept]], self.directed, Subspace(self.space, vertices), checked=True)

    def _search(self, root: int, mark: int, marks: Ints, level: Ints) -> None:
        """Search breadth first from the root: write ``mark`` and the distance from the root for each vertex that is
        reached."""
        frontier, distance = np.array([root], dtype=np.int32), 0
        marks[root] = mark
        while frontier.size:
            level[frontier] = distance
            distance += 1
            if frontier.size <= FEW:
                fresh = []
                for vertex in frontier.tolist():
                    for other in self.indices[self.indptr[vertex] : self.indptr[vertex + 1]].tolist():
                        if marks[other] < 0:
                            marks[other] = mark
                            fresh.append(other)
                frontier = np.array(fresh, dtype=np.int32)
            else:
                starts, counts = self.indptr[frontier], self.degrees[frontier]
                offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
                beyond = self.indices[np.repeat(starts, counts) + offsets]
                unseen = beyond[marks[beyond] < 0]
                level[unseen] = places = np.arange(unseen.size, dtype=np.int32)
                frontier = unseen[level[unseen] == places]  # each once, without sorting them
                marks[frontier] = mark

    @cached_property
    def _levels(self) -> tuple[Ints, Ints]:
        """Two arrays: the component of each vertex, and its distance from the least vertex of that component."""
        component, level = np.full(self.order, -1, dtype=np.int32), np.zeros(self.order, dtype=np.int32)
        found, graph = 0, self.underlying if self.directed else self
        for root in range(self.order):
            if component[root] < 0:
                graph._search(root, found, component, level)
                found += 1
        return component, level

    def reached_from(self, vertex: int) -> Flags:
        """Return a flag for each vertex, True if there is a path to it from ``vertex``."""
        marks = np.full(self.order, -1, dtype=np.int32)
        self._search(vertex, 0, marks, np.zeros_like(marks))
        return np.asarray(marks == 0)

    @property
    def components(self) -> Ints:
        """For each vertex the number of its (weakly connected) component, from 0 in the order of their least
        vertices."""
        return self._levels[0]

    @cached_property
    def colours(self) -> Ints | None:
        """A two-colouring, 0 for the least vertex of each component; None if there is an odd cycle."""
        colour = self._levels[1] % 2
        return None if bool((np.repeat(colour, self.degrees) == colour[self.indices]).any()) else colour


def at_places_in(nodes: Any, graph: Graph) -> Graph:
    """Return the graph drawn where the ``nodes`` of a networkx graph lie; as it is where not all have a point."""
    with suppress(BadInput, AttributeError, LookupError, TypeError):
        return graph.at([_point_of(about) for _, about in nodes.nodes(data=True)])
    return graph


def _point_of(about: Mapping[str, Any]) -> Any:
    """Return the point among the attributes of a networkx node: its ``pos``, its ``x`` and ``y``, or what GEXF, GML and
    Graphviz write."""
    at = next((about[key] for key in ("pos", "viz", "graphics") if key in about), about)
    if isinstance(at, Mapping):
        at = [at.get("position", at)[axis] for axis in "xy"]
    return at.strip('"!').split(",") if isinstance(at, str) else at[:2]


class Source(Space):
    """A space from which a graph can be built, such as a board or a member of a family.

    What is typed or read in a few characters may ask for a graph of any size. So a source knows bounds on its graph
    from its parameters alone: it checks them when it is made, and its readers check them again before a graph is built.
    """

    max_edges: ClassVar[int] = 1 << 24
    """The largest number of edges; where they are listed, the graph takes about 100 bytes for each while it is
    built."""

    @property
    @abstractmethod
    def edge_bound(self) -> int:
        """An upper bound on the number of edges, computed without building the graph."""

    def check_size(self, room: int | None = None) -> None:
        """Raise `BadInput` if the graph would be too large to build. For a space that stands in a file, ``room`` is the
        size of the file in bytes, which allows a vertex and four edges a byte."""
        vertices, edges = MAX_VERTICES, self.max_edges
        if room is not None:
            vertices, edges = max(FREE_VERTICES, room), 4 * max(FREE_VERTICES, room)
        for found, most, what in ((len(self), vertices, self.nouns[1]), (self.edge_bound, edges, "edges")):
            if found > most:
                allowed = "allowed" if room is None else "read from so short a file"
                raise BadInput(f"{self.called():.80} is too large: at most {most} {what} are {allowed}")

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """The graph of this space."""

    def apart(self, _tour: Ints) -> tuple[Graph, list[Ints]] | None:
        """Return the graph to draw instead of this one, and the paths of the tour on it; None if the tour is drawn as
        it is."""
        return None

    def neighbours(self, which: VertexLike) -> list[str]:
        """Return the names of the neighbours of a vertex; ``which`` is its name, number or coordinates:
        ``Board(8).neighbours("a1")``, or ``Board(8)["a1"]``. `BadInput` if there is no such vertex."""
        return [self.name(vertex) for vertex in self.graph.neighbours(self.vertex(which)).tolist()]

    __getitem__ = neighbours
