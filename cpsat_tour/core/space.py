"""Spaces: what the vertices of a graph stand for. A space knows itself, so nobody else asks what kind of space it is.

It names the vertices and reads what people and JSON call them, says in words what it is, lays the vertices out where
they have a place, and knows its symmetries. A graph that is nothing but a graph has one of the two spaces here:
numbers, or the names of a file. Others, with moves of their own, stand in the room `spaces`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput, whole_number

Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]

Point = tuple[float, float]
Piece = tuple[Point, Point]
"""A piece of a line between two points, each how many rows and columns it lies below and right of the top left corner
of a layer."""

VertexLike = int | str | tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Layer:
    """Vertices in a rectangle, to be printed or drawn: ``cells[row, col]`` is a vertex, or -1 for a hole; rows go from
    the top down."""

    cells: Ints
    row_labels: Sequence[str]
    col_labels: Sequence[str]
    title: str = ""


class Space(ABC):
    """What a graph was made from. Its defaults are those of a graph whose vertices have names and nothing else."""

    nouns: ClassVar[tuple[str, str]] = ("vertex", "vertices")
    """What messages call one of the vertices, and several."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of vertices."""

    @abstractmethod
    def name(self, vertex: int) -> str:
        """The name that people know the vertex by."""

    @abstractmethod
    def vertex(self, which: VertexLike) -> int:
        """The vertex of that name, or in any other notation of the space; `BadInput` where there is none."""

    def called(self, directed: bool = False) -> str:
        """The space in words, with its article: ``the 8x8 board``, ``a directed graph of 10 vertices``."""
        return f"a {'directed ' * directed}graph of {len(self)} {self.nouns[len(self) != 1]}"

    def without(self) -> list[str]:
        """The names of the places that are left out: the holes of a board."""
        return []

    def data(self) -> dict[str, Any] | None:
        """All that the graph was made from, as JSON; None where only its edges tell."""
        return None

    def place(self, vertex: int) -> Any:
        """A vertex as JSON: its coordinates if it has any, else its name. `vertex_at` reads both."""
        where = self.coordinates()
        return self.name(vertex) if where is None else where[vertex].tolist()

    def places(self) -> list[Any]:
        """All vertices as JSON, in their order."""
        where = self.coordinates()
        return [self.name(vertex) for vertex in range(len(self))] if where is None else where.tolist()

    def vertex_at(self, place: object) -> int:
        """The vertex that JSON has by its name or coordinates; `BadInput` where there is none."""
        if isinstance(place, list):
            return self.vertex(tuple(place))
        if isinstance(place, str):
            return self.vertex(place)
        raise BadInput(f"{place!r:.40} is not a {self.nouns[0]}: give its name or its coordinates")

    def coordinates(self) -> Ints | None:
        """An ``(n, d)`` array, a row for each vertex, beginning with its row and its column; None where the space has
        no layout."""
        return None

    def points(self) -> Ints:
        """The coordinates of the vertices, where each move is the straight line between its ends; `BadInput` says why
        it is not."""
        raise BadInput(f"tours of {self.called()} have no turns and no crossings: its {self.nouns[1]} have no places")

    def layers(self) -> Sequence[Layer]:
        """The vertices in rectangles: one of a board, several of a box, none where they are not in rows and columns."""
        return ()

    def dark(self) -> Flags | None:
        """For each vertex whether its square is a dark one of the chequers; None where there are no chequers."""
        return None

    def numbers(self) -> Ints:
        """For each vertex the number that arrays of tours have for it: on a board its square, holes counted."""
        return np.arange(len(self), dtype=np.int32)

    def symmetries(self) -> Ints:
        """The symmetries of the space as permutations of the vertices, a row each, without repeats, the identity
        first."""
        return np.arange(len(self), dtype=np.int32)[None, :]

    def turns(self) -> Mapping[str, Ints]:
        """The symmetries that people call by a name, as permutations of the vertices."""
        return {}

    def directions(self, _tails: Ints, _heads: Ints) -> Bytes | None:
        """For each move from a tail to a head the number of its direction, from 1; None where moves have no
        directions."""
        return None

    def pieces(self, _tail: int, _head: int) -> Sequence[Piece]:
        """The pieces in which a move is drawn that leaves its layer and comes in again; none where it is a straight
        line."""
        return ()


@dataclass(frozen=True)
class Numbered(Space):
    """The plainest space: vertices are called by their numbers ``0..order-1`` and have no layout."""

    order: int

    def __len__(self) -> int:
        return self.order

    def name(self, vertex: int) -> str:
        return str(vertex)

    def vertex(self, which: VertexLike) -> int:
        if isinstance(which, str):
            number = int(which) if which.isascii() and which.isdecimal() and len(which) <= 18 else -1
        else:
            number = whole_number("a vertex", which)
        if not 0 <= number < self.order:
            raise BadInput(f"vertex {which!r:.40} is not in the graph: its vertices are 0 to {self.order - 1}")
        return number


@dataclass(frozen=True, eq=False)
class Named(Space):
    """The space of a graph from a file, its ``source``: vertices are called by the names that the file gives them."""

    names: Sequence[str]
    source: str

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _vertices(self) -> dict[str, int]:
        return {name: vertex for vertex, name in enumerate(self.names)}

    def name(self, vertex: int) -> str:
        return self.names[vertex]

    def vertex(self, which: VertexLike) -> int:
        """The vertex of that name, or of that number, counted from 0, if it is given as an int."""
        vertex = self._vertices.get(which, -1) if isinstance(which, str) else whole_number("a vertex", which)
        if not 0 <= vertex < len(self.names):
            shown = repr(which if len(which) <= 40 else f"{which[:40]}…") if isinstance(which, str) else which
            raise BadInput(
                f"{shown} is not a vertex of {self.source}: its {len(self.names)} vertices are {self._some()}"
            )
        return vertex

    def _some(self) -> str:
        return ", ".join(self.names) if len(self.names) <= 6 else f"{', '.join(self.names[:3])}, … {self.names[-1]}"


@dataclass(frozen=True, eq=False)
class Subspace(Space):
    """Some ``vertices`` of another space, which keep their names and places."""

    whole: Space
    vertices: Ints

    @property
    def nouns(self) -> tuple[str, str]:  # type: ignore[override]
        """The singular and plural of a vertex, as the whole space has them."""
        return self.whole.nouns

    def __len__(self) -> int:
        return len(self.vertices)

    def name(self, vertex: int) -> str:
        return self.whole.name(int(self.vertices[vertex]))

    def vertex(self, which: VertexLike) -> int:
        found = np.flatnonzero(self.vertices == self.whole.vertex(which))
        if not found.size:
            raise BadInput(f"{which!r:.40} is not among the {len(self)} vertices that are left")
        return int(found[0])

    def coordinates(self) -> Ints | None:
        whole = self.whole.coordinates()
        return None if whole is None else whole[self.vertices]
