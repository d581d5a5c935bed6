"""Chessboards, boxes, which are boards in layers, and wrapped boards: how each is made, and its named symmetries and
directions.

The vertices of a board's graph are its squares without the holes, row by row: if there are no holes, a square is the
vertex ``row * cols + col``.

In a box, ``rows x cols x layers``, the leaper moves within any plane that lies along two of the three axes: the knight
goes by 2 along one axis and by 1 along another. A leaper of three numbers, such as 1,1,2, moves along all three axes at
once; 0,1,2 is the knight. Which boxes have closed knight's tours was found by DeMaio 2007 and DeMaio & Mathew 2011.

Wrapped boards are the torus, the cylinder, the Möbius strip and the Klein bottle. A leaper that leaves a wrapped board
over a border comes in again over the opposite one. On a cylinder the columns wrap, on a torus the rows too. Over the
last column of a Möbius strip or a Klein bottle it comes in again upside down: row r becomes row ``rows - 1 - r``.
Squares are called as on a board. Two steps that lead to one square are one move, and a step that leads back to its own
square is not a move, so the graph is simple. Closed knight's tours of the torus are due to Watkins & Hoenigman 1997,
those of the others to Watkins 2000 and 2004.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.space import Bytes, Ints, Layout, Segment, VertexLike
from cpsat_tour.spaces.lattice import (
    KNIGHT,
    WRITTEN_MOVES,
    Lattice,
    LeaperLike,
    distinct_permutations,
    read_leaper,
    read_sides,
)


class Board(Lattice):
    """A board of rows x cols squares with optional holes, and the leaper that walks on it; the knight is (1, 2).

    It has at most 2**24 squares.

    - ``rows`` (int, needed): the number of rows.
    - ``cols`` (int, default None): the number of columns; None for as many as rows.
    - ``holes`` (squares, default none): the squares that are left out: names, ``(row, col)``, or ``row * cols + col``.
    - ``leaper`` (two ints, or several pairs, or a name; default (1, 2)): how many squares a move goes one way and the
      other: ``(1, 4)``, ``[(0, 3), (2, 2)]``, ``"king"``.
    """

    noun = "board"
    written: ClassVar[re.Pattern[str]] = re.compile(rf"(?:({WRITTEN_MOVES}):)?([0-9]+(?:[xX][0-9]+)?)")
    members: ClassVar[dict[str, Any]] = {"rows": int, "cols": int, **Lattice.members}

    def __init__(
        self, rows: int, cols: int | None = None, holes: Iterable[VertexLike] = (), leaper: LeaperLike = KNIGHT
    ) -> None:
        super().__init__((rows, rows if cols is None else cols), holes, leaper)

    @classmethod
    def parse(cls, size: str, holes: Iterable[str] = (), leaper: str | None = None) -> Board:
        """Return the board of this ``size``, ``8x8`` or ``8``, with holes such as ``a1`` and a leaper such as ``1,2``,
        which may stand before the size, ``1,4:8x8`` or ``king:8x8``."""
        if (match := cls.written.fullmatch(size.strip())) is None:
            raise BadInput(f"{size!r} is not a board: write rows x cols, such as 8x8, or one number for a square board")
        if match[1] and leaper is not None and read_leaper(leaper) not in (KNIGHT, read_leaper(match[1])):
            raise BadInput(f"{size} has its leaper already: leave out the leaper {leaper}")
        sides = read_sides(match[2])
        return cls(sides[0], sides[-1], holes, match[1] or (KNIGHT if leaper is None else leaper))

    @property
    def plain(self) -> bool:
        """True if this is a knight's board with borders and without holes."""
        return type(self) is Board and not self.holes and self.leaper == KNIGHT

    def __str__(self) -> str:
        leaper = "" if self.leaper == KNIGHT else f"{self.piece}:"
        return leaper + super().__str__()

    def named_symmetries(self) -> dict[str, Ints]:
        """Return the rotations and reflections of the board by name, as permutations of the vertices; ``axial-rows``
        turns it upside down."""
        grid = self.grid
        images = {"rot180": grid[::-1, ::-1], "axial-rows": grid[::-1], "axial-cols": grid[:, ::-1]}
        if self.rows == self.cols:
            images |= {"rot90": np.rot90(grid), "diagonal": grid.T, "antidiagonal": grid[::-1, ::-1].T}
        permuted = {name: image.ravel()[self.squares] for name, image in images.items()}
        return {name: image for name, image in permuted.items() if (image >= 0).all()}

    def directions(self, tails: Ints, heads: Ints) -> Bytes:
        """Return the octant of each move; see `octants`."""
        rows, cols = np.ascontiguousarray(self.coordinates.T)
        return octants(rows[tails] - rows[heads], cols[heads] - cols[tails])


def octants(up: Ints, right: Ints) -> Bytes:
    """Return the direction of each move as an octant, 1 to 8 clockwise from the north. ``up`` and ``right`` are the
    numbers of squares that it goes; octant 1 has the angles from 0 to below 45 degrees."""
    eighths = np.arctan2(right, up) * (4 / np.pi) + 1e-9  # a multiple of 45 degrees is not to fall short of itself
    return (np.floor(eighths) % 8 + 1).astype(np.uint8)


class Box(Lattice):
    """A box of rows x cols x height squares with optional holes, and the leaper that walks in it. Squares are called
    ``a1.2``, in the second layer.

    - ``rows`` (int, needed): the number of rows, as in `Board`.
    - ``cols`` (int, needed): the number of columns, as in `Board`.
    - ``height`` (int, needed): the number of layers.
    - ``holes`` (squares, default none): the squares that are left out, as in `Board`.
    - ``leaper`` (two or three ints, or several such, or a name; default (1, 2)): the lengths of a move along the axes.
    """

    noun = "box"
    rule = "The layers lie on one another, and moves lead from one to another too."
    written: ClassVar[re.Pattern[str]] = re.compile(r"[0-9]+[xX][0-9]+[xX][0-9]+")
    members: ClassVar[dict[str, Any]] = {"sides": tuple[int, int, int], **Lattice.members}

    def __init__(
        self, rows: int, cols: int, height: int, holes: Iterable[VertexLike] = (), leaper: LeaperLike = KNIGHT
    ) -> None:
        super().__init__((rows, cols, height), holes, leaper)

    @classmethod
    def parse(cls, size: str, holes: Iterable[str] = (), leaper: str | None = None) -> Box:
        """Return the box that people write as ``4x4x3``, with holes such as ``a1.2`` and a leaper such as ``1,1,2``;
        `BadInput` if there is no such box."""
        rows, cols, height = read_sides(size)
        return cls(rows, cols, height, holes, KNIGHT if leaper is None else leaper)

    @classmethod
    def from_members(cls, **members: Any) -> Box:
        """Return the box from the members of its JSON object."""
        return cls(*members.pop("sides"), **members)

    @property
    def height(self) -> int:
        """The number of layers."""
        return self.sides[2]


MAX_SYMMETRIES = 1 << 28
"""The most entries in the table of symmetries: a torus of n squares has up to 8n, each a permutation of n squares."""

MAX_LEAPER = 1 << 10
"""The longest leaper on a board with shorter sides; it bounds how often a move crosses the borders."""


@dataclass(frozen=True)
class Surface:
    """A way to join the borders of a board: left to right always, perhaps ``twisted``; top to bottom if the rows
    wrap. The ``rule`` tells a player where a move over a border comes in again."""

    noun: str
    rows_wrap: bool
    twisted: bool
    rule: str


OVER = "A move over the left or the right border comes in again over the other one"

SURFACES = {
    "torus": Surface("torus", True, False, f"{OVER}; over the upper or the lower one, likewise."),
    "cylinder": Surface("cylinder", False, False, f"{OVER}."),
    "mobius": Surface("Möbius strip", False, True, f"{OVER}, upside down."),
    "klein": Surface(
        "Klein bottle", True, True, f"{OVER}, upside down; over the upper or the lower one, likewise, but upright."
    ),
}
"""The surfaces by name."""


@dataclass(frozen=True, init=False, repr=False)
class Wrapped(Board):
    """A board whose borders are joined, so that moves lead over them.

    - ``surface`` (str, needed): ``torus``, ``cylinder``, ``mobius`` or ``klein``.
    - ``rows`` (int, needed): the number of rows, as in `Board`.
    - ``cols`` (int, default None): the number of columns, as in `Board`.
    - ``holes`` (squares, default none): the squares that are left out, as in `Board`.
    - ``leaper`` (two ints, or several pairs, or a name; default (1, 2)): the moves, as in `Board`.
    """

    surface: str
    glued: Surface = field(compare=False)

    max_edges: ClassVar[int] = Source.max_edges

    written: ClassVar[re.Pattern[str]] = re.compile(rf"({'|'.join(SURFACES)}):([0-9]+(?:x[0-9]+)?)", re.IGNORECASE)
    members: ClassVar[dict[str, Any]] = {"surface": str, **Board.members}

    def __init__(
        self,
        surface: str,
        rows: int,
        cols: int | None = None,
        holes: Iterable[VertexLike] = (),
        leaper: LeaperLike = KNIGHT,
    ) -> None:
        if surface not in SURFACES:
            raise BadInput(f"{surface!r:.40} is not a surface: choose one of {', '.join(SURFACES)}")
        glued = SURFACES[surface]
        vars(self).update(surface=surface, glued=glued, noun=glued.noun, rule=glued.rule)
        super().__init__(rows, cols, holes, leaper)
        longest = max(map(max, self.leapers))
        if longest > (most := max(MAX_LEAPER, *self.sides)):
            raise BadInput(f"a leaper of {longest!s:.40} wraps around too often: choose one of at most {most}")

    @classmethod
    def parse(cls, size: str, holes: Iterable[str] = (), leaper: str | None = None) -> Wrapped:
        """Return the board that people write as ``torus:5x5`` or ``torus:5``, with holes such as ``a1`` and a leaper
        such as ``1,2``; `BadInput` if there is no such board."""
        if not (match := cls.written.fullmatch(size.strip())):
            raise BadInput(f"{size!r} is not a wrapped board: write a surface and rows x cols, such as torus:5x5")
        sides = read_sides(match[2])
        return cls(match[1].lower(), sides[0], sides[-1], holes, KNIGHT if leaper is None else leaper)

    def __str__(self) -> str:
        return f"{self.surface}:{self.rows}x{self.cols}"

    def points(self) -> Ints:
        """Raise `BadInput`: moves over a border are not straight lines."""
        raise BadInput(
            f"tours of {self.bare_name} have no turns and no crossings: a move over a border is not one straight line"
        )

    # --- moves over the borders ---

    def _vertices_at(self, rows: NDArray[np.integer], cols: NDArray[np.integer]) -> Ints:
        """Return the vertices at these rows and columns, wrapped around the borders; -1 for a hole or no square."""
        times, cols = np.divmod(cols, self.cols)
        if self.glued.twisted:
            rows = np.where(times % 2 == 1, self.rows - 1 - rows, rows)
        if self.glued.rows_wrap:
            rows = rows % self.rows
        inside = (rows >= 0) & (rows < self.rows)
        return np.where(inside, self.grid[np.where(inside, rows, 0), cols], -1).astype(np.int32)

    def landing(self, step: tuple[int, ...]) -> Ints:
        """Return the vertex that this step leads to from each square, over the borders; -1 for a hole or no square."""
        rows, cols = np.indices(self.sides)
        return self._vertices_at(rows + step[0], cols + step[1])

    @cached_property
    def graph(self) -> Graph:
        """The graph of moves: a vertex for each playable square. Loops are left out, and steps with the same ends make
        one edge."""
        heads = np.stack([self.landing(step).ravel()[self.squares] for step in self.steps])
        tails = np.broadcast_to(np.arange(len(self), dtype=np.int32), heads.shape)
        once = tails < heads  # each move comes from either end, and a hole is -1
        return Graph.from_edges(len(self), np.stack([tails[once], heads[once]], axis=1), space=self)

    def directions(self, tails: Ints, heads: Ints) -> Bytes:
        """Return the octant of the step of each move; if several steps have the same ends, that of the first clockwise
        from north."""
        found = np.zeros(len(tails), dtype=np.uint8)
        for step in reversed(self.steps):
            here = self.landing(step).ravel()[self.squares][tails] == heads
            found[here] = octants(np.array([-step[0]]), np.array([step[1]]))[0]
        return found

    def symmetries(self) -> Ints:
        """Return the reflections, rotations and shifts that map the board to itself, as permutations of the vertices;
        `BadInput` if there are too many to list.

        A shift by all columns of a twisted board is a reflection, so two rounds lead back. The rows of a Klein bottle
        can only be shifted by half their number.
        """
        rows, cols = np.indices(self.sides).reshape(2, -1)[:, self.squares]
        halves = (0,) if self.rows % 2 else (0, self.rows // 2)
        down = (0,) if not self.glued.rows_wrap else halves if self.glued.twisted else range(self.rows)
        across = range(self.cols * (2 if self.glued.twisted else 1))
        turns = (False, True) if self.surface == "torus" and self.rows == self.cols else (False,)
        if 4 * len(turns) * len(down) * len(across) * len(self) > MAX_SYMMETRIES:
            raise BadInput(f"{self.bare_name} has too many symmetries to list them all: choose a smaller one")
        images = []
        flips = product(turns, (False, True), (False, True), down, across)
        for turned, upside_down, mirrored, by_rows, by_cols in flips:
            row, col = (cols, rows) if turned else (rows, cols)
            row = self.rows - 1 - row if upside_down else row
            col = self.cols - 1 - col if mirrored else col
            images.append(self._vertices_at(row + by_rows, col + by_cols))
        return distinct_permutations(images)

    # --- how moves are drawn ---

    @property
    def layout(self) -> Layout:
        """The squares as a board, where moves over a border are drawn in segments."""
        return replace(super().layout, segments=self._segments)

    def _segments(self, tail: int, head: int) -> list[Segment]:
        """Return the line segments that show a move over a border, cut where it leaves the board and comes back; none
        for a move that crosses no border."""
        row, col = self.coordinates[tail].tolist()
        offsets = np.array(self.steps)
        steps = offsets[self._vertices_at(row + offsets[:, 0], col + offsets[:, 1]) == head].tolist()
        if not steps or any(0 <= row + down < self.rows and 0 <= col + across < self.cols for down, across in steps):
            return []
        down, across = steps[0]
        cuts = sorted({0.0, 1.0, *_at_borders(row + 0.5, down, self.rows), *_at_borders(col + 0.5, across, self.cols)})
        segments = []
        for cut, next_cut in pairwise(cuts):
            top, bottom = row + 0.5 + cut * down, row + 0.5 + next_cut * down
            left, right = col + 0.5 + cut * across, col + 0.5 + next_cut * across
            times_across = (left + right) / 2 // self.cols
            if self.glued.twisted and times_across % 2:
                top, bottom = self.rows - top, self.rows - bottom
            off_rows, off_cols = (top + bottom) / 2 // self.rows * self.rows, times_across * self.cols
            segments.append(((top - off_rows, left - off_cols), (bottom - off_rows, right - off_cols)))
        return segments


def _at_borders(begin: float, step: int, side: int) -> Iterator[float]:
    """Yield how far along a step, from 0 to 1, it crosses each border; borders are ``side`` apart."""
    low, high = sorted((begin, begin + step))
    for border in range(int(low // side) + 1, int(high // side) + 1):
        yield (border * side - begin) / step
