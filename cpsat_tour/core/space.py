"""Spaces: the names, positions and symmetries of a graph's vertices, whatever kind of graph it is.

The spaces here are those of plain graphs, with numbers or with the names of a file, and of subgraphs. Boards and other
spaces with moves of their own are in the room `spaces`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput, quoted, whole_number

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Naturals = NDArray[np.uint32]
"""Vertices, edges and places in kernels, unsigned, which saves a test for negative indices at each access."""

Point = tuple[float, float]
Segment = tuple[Point, Point]
"""A line between two points, each as rows down and columns right of the top left corner of a layer."""

VertexLike: TypeAlias = int | str | tuple[int, ...] | Hashable
"""A vertex by its number, its name or its coordinates; of a networkx graph its node, which can be any hashable object,
or its name."""

MAX_NAME = 200
"""Characters of the longest name of a vertex."""


INTERNAL = """
    all_vertex_data bare_name called check_size data directions edge_bound find from_members glued handles landing
    layout leapers line max_edges members node nodes noun nouns places plain points rule sides square_name steps
    vertex_data vertex_from_data vertices written
"""
"""Names of a space's members that tab completion leaves out."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Vertices in a rectangle, to be printed or drawn: ``cells[row, col]``, row 0 on top, is a vertex, or -1 for a
    hole."""

    cells: Ints
    row_labels: Sequence[str]
    col_labels: Sequence[str]
    title: str = ""


@dataclass(frozen=True, eq=False)
class Layout:
    """How squares are printed and drawn: in ``layers``, one of a board, several of a box.

    ``segments`` returns the segments in which a move from a tail to a head is drawn over a border; none for a straight
    line.
    """

    layers: Sequence[Layer]
    segments: Callable[[int, int], Sequence[Segment]] = lambda _tail, _head: ()

    @property
    def dark(self) -> Flags:
        """A flag for each vertex, True if its square is dark, as a1 of the first layer is."""
        cells = np.stack([layer.cells for layer in self.layers], axis=2)
        shades = np.indices(cells.shape).sum(axis=0) % 2 != len(cells) % 2
        return np.asarray(shades[cells >= 0][np.argsort(cells[cells >= 0])])


class Space(ABC):
    """The names, coordinates, directions and symmetries of a graph's vertices; `Layout` says how they are drawn.

    The defaults are those of a graph whose vertices have names and nothing else.
    """

    nouns: ClassVar[tuple[str, str]] = ("vertex", "vertices")
    """The words for one vertex and for several."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of vertices."""

    @abstractmethod
    def name(self, vertex: int) -> str:
        """Return the name of a vertex."""

    @abstractmethod
    def find(self, which: VertexLike) -> int:
        """Return the number of the vertex with this name, these coordinates, or this node; `BadInput` if there is
        none."""

    def vertex(self, which: VertexLike) -> int:
        """Return the number of a vertex that is given by its number, its name, its coordinates or its node. With
        `nodes` an int is a node. `BadInput` if there is no such vertex."""
        if self.nodes or isinstance(which, str | tuple):
            return self.find(which)
        number, (one, several) = whole_number(f"a {self.nouns[0]}", which), self.nouns
        if not 0 <= number < len(self):
            raise BadInput(f"{one} {number} is not in the graph: its {several} are 0 to {len(self) - 1}")
        return number

    @property
    def nodes(self) -> Sequence[Hashable]:
        """The nodes of a networkx graph, by the numbers of the vertices; empty for other graphs."""
        return ()

    def handles(self, vertices: Ints) -> list[Any]:
        """Return the vertices as `Tour` shows them: as networkx nodes if there are any, else as numbers."""
        numbers: list[int] = vertices.tolist()
        return [self.nodes[vertex] for vertex in numbers] if self.nodes else numbers

    def node(self, vertex: int) -> Any:
        """Return the vertex as the user wrote it: a networkx node, a number if vertices are just numbered, else its
        name."""
        return self.nodes[vertex] if self.nodes else self.name(vertex)

    def line(self, vertices: Iterable[int]) -> str:
        """Return the names of the vertices in one line, separated by spaces; names that contain spaces are quoted."""
        return " ".join(f'"{name}"' if " " in name else name for name in map(self.name, vertices))

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the vertices."""
        return map(self.name, range(len(self)))

    def __contains__(self, which: object) -> bool:
        """Return True if there is a vertex of this number, name, coordinates or node."""
        with suppress(BadInput):
            return self.vertex(which) >= 0
        return False

    def __dir__(self) -> list[str]:
        """The names for completion: those that people use, not those that other parts of this program use."""
        return [name for name in object.__dir__(self) if name not in INTERNAL.split()]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.called()}>"

    def called(self, directed: bool = False) -> str:
        """Return the space in words: ``the 8x8 board``, ``a directed graph of 10 vertices``."""
        return f"a {'directed ' * directed}graph of {len(self)} {self.nouns[len(self) != 1]}"

    def hole_names(self) -> list[str]:
        """Return the names of the squares of a board that are holes."""
        return []

    def data(self) -> dict[str, Any] | None:
        """Return the JSON object from which the graph can be rebuilt; None if the graph has to be stored edge by
        edge."""
        return None

    def vertex_data(self, vertex: int) -> Any:
        """Return a vertex as JSON: its coordinates, or its name if there is no layout."""
        where = self.coordinates
        return self.name(vertex) if where is None else where[vertex].tolist()

    def all_vertex_data(self) -> list[Any]:
        """Return all vertices as JSON, in their order."""
        where = self.coordinates
        return [self.name(vertex) for vertex in range(len(self))] if where is None else where.tolist()

    def vertex_from_data(self, data: object) -> int:
        """Return the vertex of a name or coordinates in JSON; `BadInput` if there is none."""
        if isinstance(data, list):
            return self.vertex(tuple(data))
        if isinstance(data, str):
            return self.vertex(data)
        raise BadInput(f"{quoted(data)} is not a {self.nouns[0]}: give its name or its coordinates")

    places: Floats | None = None
    """Where the vertices are drawn if people say so, an ``(n, 2)`` array: an x to the right and a y up."""

    @cached_property
    def coordinates(self) -> Ints | None:
        """An ``(n, d)`` array, the row, column, ... of each vertex; None without a layout."""
        return None

    def points(self) -> Ints:
        """Return the coordinates, for drawing moves as straight lines; `BadInput` if moves are not straight."""
        raise BadInput(
            f"tours of {self.called()} have no turns and no crossings: its {self.nouns[1]} are not in rows and columns"
        )

    @property
    def layout(self) -> Layout | None:
        """How the vertices are printed and drawn; None without rows and columns."""
        return None

    def symmetries(self) -> Ints:
        """Return the symmetries as an array of permutations of the vertices, a row each, the identity first."""
        return np.arange(len(self), dtype=np.int32)[None, :]

    def named_symmetries(self) -> Mapping[str, Ints]:
        """Return the named symmetries, each as a permutation of the vertices."""
        return {}

    def directions(self, _tails: Ints, _heads: Ints) -> Bytes | None:
        """Return the number of each move's direction, from 1; None if the space has no directions."""
        return None


@dataclass(frozen=True, repr=False)
class Numbered(Space):
    """The space of a graph whose vertices are named by their numbers ``0..order-1``."""

    order: int

    def __len__(self) -> int:
        return self.order

    def name(self, vertex: int) -> str:
        """Return the number of the vertex as text."""
        return str(vertex)

    def node(self, vertex: int) -> int:
        """Return the number of the vertex."""
        return vertex

    def find(self, which: VertexLike) -> int:
        """Return the vertex that is written as a number; `BadInput` if there is none."""
        plain = isinstance(which, str) and which.isascii() and which.isdecimal() and len(which) <= 18
        if plain and (number := int(str(which))) < self.order:
            return number
        raise BadInput(f"vertex {quoted(which)} is not in the graph: its vertices are 0 to {self.order - 1}")


@dataclass(frozen=True, eq=False, repr=False)
class Named(Space):
    """The space of a graph whose vertices are named by its ``source``, such as a file. A vertex of a networkx graph is
    its node, and its name the text of the node."""

    names: Sequence[str]
    source: str
    nodes: Sequence[Hashable] = ()

    @classmethod
    def of_nodes(cls, nodes: Sequence[Hashable]) -> Named:
        """Return the space of these nodes, named by their texts, or by numbers if these are not short, different
        words."""
        texts = (",".join(map(str, node)) if isinstance(node, tuple) else str(node) for node in nodes)
        names = [" ".join(text.split()) for text in texts]
        plain = all(0 < len(name) <= MAX_NAME and name.isprintable() and " at 0x" not in name for name in names)
        if not plain or len(set(names)) < len(names):
            mark = ""  # until no name is another vertex's node
            while not set(names := [f"{mark}{vertex}" for vertex in range(len(nodes))]).isdisjoint(nodes):
                mark += "v"
        return cls(names, "the graph", nodes)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _vertices(self) -> dict[Hashable, int]:
        """A dict from each name, and each node, to its vertex."""
        return {known: vertex for known_ones in (self.names, self.nodes) for vertex, known in enumerate(known_ones)}

    def name(self, vertex: int) -> str:
        """Return the name that the source gives the vertex."""
        return self.names[vertex]

    def find(self, which: VertexLike) -> int:
        """Return the vertex of this name, or that is this node; `BadInput` if there is none."""
        with suppress(TypeError, KeyError):  # what can't be hashed is not a node
            return self._vertices[which]
        some = self.names if len(self.names) <= 6 else [*self.names[:3], f"… {self.names[-1]}"]
        known = f"its {len(self.names)} vertices are {', '.join(some)}"
        raise BadInput(f"{quoted(which)} is not a vertex of {self.source}: {known}")


@dataclass(frozen=True, eq=False, repr=False)
class Subspace(Space):
    """Some ``vertices`` of another space, with their names and positions."""

    whole: Space
    vertices: Ints

    @property
    def nouns(self) -> tuple[str, str]:  # type: ignore[override]
        """The singular and plural of a vertex, as the whole space has them."""
        return self.whole.nouns

    def __len__(self) -> int:
        return len(self.vertices)

    def name(self, vertex: int) -> str:
        """Return the name that the vertex has in the whole space."""
        return self.whole.name(int(self.vertices[vertex]))

    @cached_property
    def nodes(self) -> Sequence[Hashable]:
        """The nodes of these vertices, if the whole space has nodes."""
        return [self.whole.nodes[vertex] for vertex in self.vertices.tolist()] if self.whole.nodes else ()

    def find(self, which: VertexLike) -> int:
        """Return the vertex that the whole space finds; `BadInput` if it is not one of these ``vertices``."""
        found = np.flatnonzero(self.vertices == self.whole.find(which))
        if not found.size:
            raise BadInput(f"{quoted(which)} is not among the {len(self)} vertices that are left")
        return int(found[0])

    @cached_property
    def coordinates(self) -> Ints | None:
        """The coordinates of these vertices in the whole space; None if it has none."""
        whole = self.whole.coordinates
        return None if whole is None else whole[self.vertices]


def layout_of(space: Space) -> Layout:
    """Return the layout of the space; `BadInput` if it has none."""
    if (layout := space.layout) is None:
        raise BadInput(f"{space.called()} can't be shown as a board: its {space.nouns[1]} are not in rows and columns")
    return layout
