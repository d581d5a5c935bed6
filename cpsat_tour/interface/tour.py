"""A tour as people hold it: a sequence of vertices that saves, draws and describes itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np

from cpsat_tour.core.errors import BadInput, items_of, quoted
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import VertexLike, layout_of
from cpsat_tour.core.verify import moves_of, verify
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.interface.keywords import problem_of
from cpsat_tour.spaces.objectives import pairs_in_line, pairs_that_cross
from cpsat_tour.spaces.symmetry import symmetry_groups


@dataclass(frozen=True, eq=False)
class Tour(Sequence[Any]):
    """A tour: the sequence of its vertices in the order of the visit, each as the number that ``start=``, ``require=``
    and all other arguments take, of a networkx graph as its node.

    On a board the squares are numbered row by row from 0, without the holes. ``in`` and ``index`` take names and
    coordinates too. A closed tour does not repeat its first vertex. Tours are equal if both are closed or both open,
    and they visit vertices of the same numbers and names in the same order. To make one of squares use `Tour.of`, which
    verifies it.

    - ``graph`` (`Graph`): the graph.
    - ``closed`` (bool): whether it is a cycle.
    - ``vertices`` (an array): the numbers of the vertices in order.
    """

    graph: Graph
    closed: bool
    vertices: Ints

    def __len__(self) -> int:
        return len(self.vertices)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.graph.space.handles(self.vertices))

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        handles = self.graph.space.handles(np.atleast_1d(self.vertices[index]))
        return handles if isinstance(index, slice) else handles[0]

    def __contains__(self, which: object) -> bool:
        with suppress(ValueError):
            return self.index(which) >= 0
        return False

    def index(self, which: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the place in the tour, from 0, of the vertex of this number, name or node; `BadInput` if it is not a
        vertex, or not at a place from ``start`` to before ``stop``."""
        found = np.flatnonzero(self.vertices == self.graph.space.vertex(which))
        for place in found[np.isin(found, range(len(self))[start:stop])]:
            return int(place)
        raise BadInput(f"{quoted(which)} is not visited in this part of the tour")

    def count(self, which: Any) -> int:
        """Return how often the tour visits the vertex of this number, name or node: 1 or 0."""
        return int(which in self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tour):
            return NotImplemented
        alike = self.closed == other.closed and np.array_equal(self.vertices, other.vertices)
        return alike and (self.graph is other.graph or self.names == other.names)

    def __hash__(self) -> int:
        return hash((self.closed, self.vertices.astype(np.int64).tobytes()))

    @property
    def moves(self) -> list[tuple[Any, Any]]:
        """The moves as pairs of vertices, in order; the last of a closed tour leads back to its first vertex."""
        return moves_of(list(self), closed=self.closed)

    def __str__(self) -> str:
        return self.graph.space.line(self.vertices.tolist())

    @property
    def names(self) -> list[str]:
        """The names of the vertices in order, such as ``a1``."""
        return [self.graph.name(vertex) for vertex in self.vertices.tolist()]

    @property
    def nodes(self) -> list[Any]:
        """The vertices in order as they were given: the nodes of a networkx graph, the numbers of vertices that have
        only numbers, else the names."""
        return [self.graph.space.node(vertex) for vertex in self.vertices.tolist()]

    @classmethod
    def of(cls, where: Any, squares: Iterable[VertexLike], *, closed: bool = False) -> Tour:
        """Return the tour of a board or a graph that visits these squares, verified: ``Tour.of("1x1", ["a1"])``.
        Raises `TourFault`, which names the first fault.

        - ``where`` (a board, a graph, or text; needed): what the tour is of, as in `solve`.
        - ``squares`` (names, or other notations of squares; needed): the squares in order.
        - ``closed`` (bool, default False): whether the tour is closed.
        """
        problem = problem_of(where, closed=closed)
        listed = map(problem.graph.space.vertex, items_of(f"the {problem.graph.nouns[1]} of a tour", squares))
        vertices = np.array([*listed], dtype=np.int32)
        verify(problem, vertices)
        return cls(problem.graph, closed, vertices)

    def reversed(self) -> Tour:
        """Return the tour walked the other way, a closed one from the same vertex; `BadInput` on a directed graph."""
        if self.graph.directed:
            raise BadInput(f"a tour of {self.graph.called} can't be walked the other way")
        return Tour(self.graph, self.closed, np.roll(self.vertices[::-1], int(self.closed)))

    def image(self, symmetry: str) -> Tour:
        """Return the tour that a ``symmetry`` of the board takes this one to: ``rot90``, ``rot180``, ``diagonal``, …;
        `BadInput` if the board has none of this name."""
        named = self.graph.space.named_symmetries()
        if symmetry not in named:
            raise BadInput(f"{self.graph.called} has no symmetry {quoted(symmetry)}: choose one of {', '.join(named)}")
        return Tour(self.graph, self.closed, named[symmetry][self.vertices])

    def array(self) -> Ints:
        """Return the visit numbers, from 1, in the rows and columns of the board, 0 in holes; of a box in its layers.
        `BadInput` if the vertices have no rows and columns."""
        numbers = np.zeros(self.graph.order + 1, dtype=np.int32)  # the last is that of holes, which are vertex -1
        numbers[self.vertices] = np.arange(1, len(self) + 1)
        layers = np.stack([numbers[layer.cells] for layer in layout_of(self.graph.space).layers])
        return layers if len(layers) > 1 else np.asarray(layers[0])

    @classmethod
    def from_array(cls, where: Any, numbers: Any, *, closed: bool = False) -> Tour:
        """Return the tour of a board or a box whose visit numbers stand in an array, as `array` returns them, verified.
        Raises `BadInput` if the array has another shape, `TourFault` for another fault.

        - ``where`` (a board, or text; needed): what the tour is of, as in `solve`.
        - ``numbers`` (an array, needed): the visit numbers, from 1, in rows and columns, 0 in holes.
        - ``closed`` (bool, default False): whether the tour is closed.
        """
        graph = problem_of(where).graph
        try:
            given = np.asarray(numbers)
        except ValueError:
            raise BadInput("the rows of the numbers are not of one length") from None
        cells = np.stack([layer.cells for layer in layout_of(graph.space).layers])
        cells = cells if len(cells) > 1 else cells[0]
        if given.shape != cells.shape or given.dtype.kind not in "iuf":
            found = f"the shape {given.shape} and the type {given.dtype}"
            raise BadInput(f"the array has {found}, and {graph.called} has numbers in {cells.shape}")
        vertices = cells[given > 0][np.argsort(given[given > 0], kind="stable")]
        if (vertices < 0).any() or not np.array_equal(np.sort(given[given > 0]), np.arange(1, len(vertices) + 1)):
            raise BadInput("the numbers of the array are not 1, 2, 3, …, each once, with 0 in the holes")
        return cls.of(graph, vertices.tolist(), closed=closed)

    @property
    def turns(self) -> int:
        """The number of vertices where the two moves are not in line; `BadInput` if moves are not straight."""
        passed = len(self) if self.closed else max(0, len(self) - 2)
        return passed - len(pairs_in_line(self._moves_alone))

    @property
    def crossings(self) -> int:
        """The number of pairs of moves that cross; `BadInput` if moves are not straight."""
        return len(pairs_that_cross(self._moves_alone))

    @property
    def _moves_alone(self) -> Graph:
        """The graph of the moves that the tour makes; `BadInput` on a directed graph."""
        if self.graph.directed:
            raise BadInput(f"tours of {self.graph.called} have no turns and no crossings: its moves are arcs")
        ends = moves_of(self.vertices.tolist(), closed=self.closed)
        return Graph.from_edges(self.graph.order, np.array(ends).reshape(-1, 2), space=self.graph.space)

    @property
    def symmetries(self) -> tuple[str, ...]:
        """The names of the symmetries of the board that map the tour to itself, such as ``rot180``."""
        return symmetry_groups(self.graph, self.vertices[None, :], closed=self.closed)[0]

    def to_networkx(self) -> Any:
        """Return the tour as a networkx graph: its vertices, as `nodes` has them, in order, and its moves."""
        import networkx

        graph = networkx.DiGraph() if self.graph.directed else networkx.Graph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(moves_of(self.nodes, closed=self.closed))
        return graph

    def plot(self, axes: Any = None) -> Any:
        """Return matplotlib's ``axes``, by default new ones, with the tour drawn on them: columns to the right, rows
        down; `BadInput` if moves are not straight lines in a plane."""
        if (points := self.graph.space.points()).shape[1] != 2:
            raise BadInput(f"tours of {self.graph.called} can't be plotted: its layers are more than a plane")
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.figure().add_subplot()
        course = points[np.append(self.vertices, self.vertices[: int(self.closed)])]
        axes.plot(course[:, 1], course[:, 0], marker="o")
        axes.set_aspect("equal")
        axes.invert_yaxis()
        return axes

    def svg(self) -> str:
        """Return the drawing of the tour as SVG text; `BadInput` if it is too large."""
        from cpsat_tour.drawing.svg import svg

        return svg(self.graph, self.vertices, closed=self.closed)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the tour to the file at ``path``, .svg, .png, .gif, .txt, .json or .npy; `BadInput` if it can't be
        written so, or the file exists and ``force`` is not set."""
        from cpsat_tour.formats.saving import save_tour

        save_tour(Problem(self.graph, self.closed), self.vertices, os.fspath(path), force=force)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tour:
        """Return the verified tour of the file at ``path``, .json, .npy or .txt; `TourFault` names its first fault,
        `BadInput` says why it can't be read."""
        from cpsat_tour.formats.tour_files import read_tours

        found = read_tours(Path(path))
        return cls(found.problem.graph, found.problem.closed, found.row())

    def __repr__(self) -> str:
        line, kind = self.graph.space.line, "closed" if self.closed else "open"
        course = (
            str(self) if len(self) <= 5 else f"{line(self.vertices[:3].tolist())} … {line(self.vertices[-1:].tolist())}"
        )
        return f"<Tour: {kind}, {len(self)} {self.graph.nouns[len(self) != 1]}: {course}>"

    def _repr_svg_(self) -> str | None:
        from cpsat_tour.drawing.svg import shown_svg

        return shown_svg(self.graph, self.vertices, closed=self.closed)

    def text(self) -> str:
        """Return the board as text, a number from 1 for each visit; `BadInput` if the vertices have no rows and
        columns."""

        return tour_text(self.graph.space, self.vertices)
