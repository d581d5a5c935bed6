"""Lattices: squares in rows, columns and perhaps more axes, holes among them, and moves that are the same steps everywhere.

A square is an int, numbered row by row with the last axis fastest; the vertices are the squares that are no holes, in increasing order. A
space of this kind says which sides it has, which steps a move may take, and what its squares are called; graph, coordinates and symmetries
follow.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import permutations, product
from math import prod

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Ints, Space, VertexLike

MAX_SQUARES = 1 << 24
"""The largest lattice: the arcs of a board still number well below 2**31, and its graph takes about 1.5 GB."""

KNIGHT = (1, 2)


class Lattice(Space):
    """Squares in rows and columns, less the holes, and the leaper that walks on them."""

    nouns = ("square", "squares")

    holes: frozenset[int]
    leaper: tuple[int, int]

    @property
    @abstractmethod
    def sides(self) -> tuple[int, ...]:
        """How many rows, columns and so on there are."""

    @abstractmethod
    def steps(self) -> Iterable[tuple[int, ...]]:
        """The steps that a move may take: by so many rows, columns and so on."""

    @abstractmethod
    def square_name(self, square: int) -> str:
        """What people call a square, a hole too."""

    @abstractmethod
    def square(self, which: VertexLike) -> int:
        """The square in any notation; `BadInput` if it is outside or a hole."""

    @abstractmethod
    def __str__(self) -> str:
        """The sides as people write them: ``8x8``."""

    def __len__(self) -> int:
        """The number of playable squares."""
        return prod(self.sides) - len(self.holes)

    @cached_property
    def squares(self) -> Ints:
        """The playable squares in increasing order: the square of each vertex."""
        squares = np.arange(prod(self.sides), dtype=np.int32)
        return np.delete(squares, sorted(self.holes)) if self.holes else squares

    def numbers(self) -> Ints:
        return self.squares

    @cached_property
    def vertices(self) -> Ints:
        """For each square its vertex in the graph, -1 for a hole."""
        vertices = np.full(prod(self.sides), -1, dtype=np.int32)
        vertices[self.squares] = np.arange(len(self), dtype=np.int32)
        return vertices

    @property
    def grid(self) -> Ints:
        """The vertices in the shape of the lattice, -1 for a hole."""
        return self.vertices.reshape(self.sides)

    def name(self, vertex: int) -> str:
        return self.square_name(int(self.squares[vertex]))

    def vertex(self, which: VertexLike) -> int:
        """The vertex of a square in any notation."""
        return int(self.vertices[self.square(which)])

    def coordinates(self) -> Ints:
        """Row, column and so on of each vertex, an ``(n, d)`` array."""
        return self._coordinates

    @cached_property
    def _coordinates(self) -> Ints:
        return np.stack(np.unravel_index(self.squares, self.sides), axis=1).astype(np.int32)

    def without(self) -> list[str]:
        return [self.square_name(hole) for hole in sorted(self.holes)]

    @cached_property
    def graph(self) -> Graph:
        """The graph of moves: one vertex for each playable square."""
        grid, steps = self.grid, sorted(self.steps())
        targets = np.full((len(steps), *self.sides), -1, dtype=np.int32)
        for target, step in zip(targets, steps, strict=True):
            if all(abs(part) < side for part, side in zip(step, self.sides, strict=True)):
                target[_read_at(step, self.sides, -1)] = grid[_read_at(step, self.sides, 1)]
        rows = targets.reshape(len(steps), -1)[:, self.squares].T
        present = rows >= 0
        indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int32)
        return Graph(indptr, rows[present], directed=False, space=self)

    def symmetries(self) -> Ints:
        """The ways to turn and reflect the lattice that put vertices on vertices; they take moves to moves whatever leaper walks."""
        grid, axes = self.grid, range(len(self.sides))
        turned = (grid.transpose(order) for order in permutations(axes))
        images = (np.flip(image, flipped) for image in turned if image.shape == grid.shape for flipped in _subsets(axes))
        found = dict.fromkeys(tuple(image.ravel().tolist()) for image in images)
        permuted = np.array(list(found), dtype=np.int32)[:, self.squares]
        return permuted[(permuted >= 0).all(axis=1)]


def _subsets(axes: Sequence[int]) -> Iterable[tuple[int, ...]]:
    """Every set of axes, the empty one first."""
    for chosen in product((False, True), repeat=len(axes)):
        yield tuple(axis for axis in axes if chosen[axis])


def _read_at(step: tuple[int, ...], sides: tuple[int, ...], sign: int) -> tuple[slice, ...]:
    """The part of the lattice that stays inside when it is read at a step: with sign -1 where a move begins, with 1 where it ends."""
    return tuple(slice(max(0, sign * part), side + min(0, sign * part)) for part, side in zip(step, sides, strict=True))


def check_sides(kind: str, sides: Sequence[int]) -> None:
    """Raise `BadInput` unless these can be the sides of a lattice."""
    shown = "x".join(map(str, sides))
    if min(sides) < 1:
        raise BadInput(f"a {kind} of {shown} has no squares: all sides must be at least 1")
    if prod(sides) > MAX_SQUARES:
        raise BadInput(f"a {kind} of {shown} is too large: {prod(sides)} squares, at most {MAX_SQUARES} are allowed")
