"""Chessboards, and boxes, which are boards in layers: how each is made, and a board's named symmetries and directions.

The vertices of a board's graph are its squares without the holes, row by row: if there are no holes, a square is the
vertex ``row * cols + col``.

In a box, ``rows x cols x layers``, the leaper moves within any plane that lies along two of the three axes: the knight
goes by 2 along one axis and by 1 along another. A leaper of three numbers, such as 1,1,2, moves along all three axes at
once; 0,1,2 is the knight. Which boxes have closed knight's tours was found by DeMaio 2007 and DeMaio & Mathew 2011.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.space import Bytes, Ints, VertexLike
from cpsat_tour.spaces.lattice import (
    KNIGHT,
    WRITTEN_MOVES,
    Lattice,
    LeaperLike,
    read_leaper,
    read_sides,
)


class Board(Lattice):
    """A board of rows x cols squares with optional holes, and the leaper that walks on it; the knight is (1, 2).

    Raises `BadInput` if a side is less than 1, there are more than 2**24 squares, a hole is off the board, or the
    leaper doesn't move.

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
    def parse(cls, size: str, holes: Iterable[str] = (), leaper: str = "1,2") -> Board:
        """Return the board of this ``size``, ``8x8`` or ``8``, with holes such as ``a1`` and a leaper such as ``1,2``,
        which may stand before the size, ``1,4:8x8`` or ``king:8x8``; `BadInput` if there is no such board."""
        if (match := cls.written.fullmatch(size.strip())) is None:
            raise BadInput(f"{size!r} is not a board: write rows x cols, such as 8x8, or one number for a square board")
        if match[1] and read_leaper(leaper) not in (KNIGHT, read_leaper(match[1])):
            raise BadInput(f"{size} has its leaper already: leave out the leaper {leaper}")
        sides = read_sides(match[2])
        return cls(sides[0], sides[-1], holes, match[1] or leaper)

    @property
    def plain(self) -> bool:
        """True for a knight's board with borders and without holes."""
        return type(self) is Board and not self.holes and self.leaper == KNIGHT

    def __str__(self) -> str:
        leaper = "" if self.leaper == KNIGHT else f"{self.piece}:"
        return leaper + super().__str__()

    def named_symmetries(self) -> dict[str, Ints]:
        """Return the turns and mirrors that take vertices to vertices, by name; ``axial-rows`` turns the board upside
        down."""
        grid = self.grid
        images = {"rot180": grid[::-1, ::-1], "axial-rows": grid[::-1], "axial-cols": grid[:, ::-1]}
        if self.rows == self.cols:
            images |= {"rot90": np.rot90(grid), "diagonal": grid.T, "antidiagonal": grid[::-1, ::-1].T}
        permuted = {name: image.ravel()[self.squares] for name, image in images.items()}
        return {name: image for name, image in permuted.items() if (image >= 0).all()}

    def directions(self, tails: Ints, heads: Ints) -> Bytes:
        rows, cols = np.ascontiguousarray(self.coordinates.T)
        return octants(rows[tails] - rows[heads], cols[heads] - cols[tails])


def octants(up: Ints, right: Ints) -> Bytes:
    """Return the octants, 1 to 8 clockwise from the north, of moves by these numbers of squares up and to the right;
    1 is for angles from 0 to below 45 degrees."""
    eighths = np.arctan2(right, up) * (4 / np.pi) + 1e-9  # a multiple of 45 degrees is not to fall short of itself
    return (np.floor(eighths) % 8 + 1).astype(np.uint8)


class Box(Lattice):
    """A box of rows x cols x height squares with optional holes, and the leaper that walks in it. Squares are called
    ``a1.2``, in the second layer. Raises `BadInput` as `Board` does.

    - ``rows`` (int, needed): the number of rows.
    - ``cols`` (int, needed): the number of columns.
    - ``height`` (int, needed): the number of layers.
    - ``holes`` (squares, default none): the squares that are left out.
    - ``leaper`` (two or three ints, or several such, or a name; default (1, 2)): the lengths of a move along the axes.
    """

    noun = "box"
    written: ClassVar[re.Pattern[str]] = re.compile(r"[0-9]+[xX][0-9]+[xX][0-9]+")
    members: ClassVar[dict[str, Any]] = {"sides": tuple[int, int, int], **Lattice.members}

    def __init__(
        self, rows: int, cols: int, height: int, holes: Iterable[VertexLike] = (), leaper: LeaperLike = KNIGHT
    ) -> None:
        super().__init__((rows, cols, height), holes, leaper)

    @classmethod
    def parse(cls, size: str, holes: Iterable[str] = (), leaper: str = "1,2") -> Box:
        """Return the box that people write as ``4x4x3``, with holes such as ``a1.2`` and a leaper such as ``1,1,2``;
        `BadInput` if there is no such box."""
        rows, cols, height = read_sides(size)
        return cls(rows, cols, height, holes, leaper)

    @classmethod
    def from_members(cls, **members: Any) -> Box:
        """Return the box whose JSON has these members."""
        return cls(*members.pop("sides"), **members)

    @property
    def height(self) -> int:
        """The number of layers."""
        return self.sides[2]
