"""Chessboards: squares, their two notations, holes, leapers, and the graph of moves.

People write squares as ``a1`` (file letters a…z, aa, ab, …; ranks counted from the bottom) or as ``row,col`` from the
top left, from 0. The vertices of a board's graph are its squares without the holes, row by row: if there are no holes,
a square is the vertex ``row * cols + col``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.space import Bytes, Ints, Layer, Layout, VertexLike
from cpsat_tour.spaces.lattice import (
    KNIGHT,
    LATTICE_MEMBERS,
    WRITTEN_MOVES,
    Lattice,
    Leaper,
    LeaperLike,
    read_leaper,
    read_sides,
)

_ALGEBRAIC = re.compile(r"([a-zA-Z]+)([0-9]+)")


def file_letters(col: int) -> str:
    """Return the letters of a column counted from 0: a…z, aa, ab, … (bijective base 26)."""
    letters = ""
    col += 1
    while col:
        col, digit = divmod(col - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return letters


def file_number(letters: str) -> int:
    """Return the column, counted from 0, that the letters name."""
    col = 0
    for letter in letters.lower():
        col = col * 26 + ord(letter) - ord("a") + 1
    return col - 1


def leaper_directions(leaper: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the distinct moves (rows, columns) of a leaper, clockwise from the north, as the knight's are numbered."""
    short, long = sorted(leaper)
    eastward = [(-long, short), (-short, long), (short, long), (long, short)]
    return list(dict.fromkeys([*eastward, *((-rows, -cols) for rows, cols in eastward)]))


def octants(up: Ints, right: Ints) -> Bytes:
    """Return the octants, 1 to 8 clockwise from the north, of moves by these numbers of squares up and to the right;
    1 is for angles from 0 to below 45 degrees."""
    eighths = np.arctan2(right, up) * (4 / np.pi) + 1e-9  # a multiple of 45 degrees is not to fall short of itself
    return (np.floor(eighths) % 8 + 1).astype(np.uint8)


@dataclass(frozen=True, repr=False)
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

    rows: int
    cols: int
    holes: frozenset[int] = frozenset()
    leaper: Leaper = KNIGHT

    written: ClassVar[re.Pattern[str]] = re.compile(rf"(?:({WRITTEN_MOVES}):)?([0-9]+(?:[xX][0-9]+)?)")
    members: ClassVar[dict[str, Any]] = {"rows": int, "cols": int, **LATTICE_MEMBERS}

    def __init__(
        self, rows: int, cols: int | None = None, holes: Iterable[VertexLike] = (), leaper: LeaperLike = KNIGHT
    ) -> None:
        self.set_fields(holes, leaper, rows=rows, cols=rows if cols is None else cols)

    @classmethod
    def parse(cls, size: str, holes: Iterable[str] = (), leaper: str = "1,2") -> Board:
        """Return the board of this ``size``, ``8x8`` or ``8``, with holes such as ``a1`` and a leaper such as ``1,2``,
        which may stand before the size, ``1,4:8x8`` or ``king:8x8``; `BadInput` if there is no such board."""
        if (match := cls.written.fullmatch(size.strip())) is None:
            raise BadInput(f"{size!r} is not a board: write rows x cols, such as 8x8, or one number for a square board")
        if match[1] and read_leaper(leaper) not in (KNIGHT, read_leaper(match[1])):
            raise BadInput(f"{size} has its leaper already: leave out the leaper {leaper}")
        sides = read_sides(match[2])
        return cls(sides[0], sides[-1], holes, read_leaper(match[1] or leaper))

    @property
    def plain(self) -> bool:
        """True for a knight's board with borders and without holes."""
        return not self.holes and self.leaper == KNIGHT

    # --- the board as a space ---

    def __str__(self) -> str:
        leaper = "" if self.leaper == KNIGHT else f"{self.piece}:"
        return leaper + super().__str__()

    @property
    def sides(self) -> tuple[int, int]:
        return self.rows, self.cols

    def steps(self) -> list[tuple[int, int]]:
        return [step for leaper in self.leapers for step in leaper_directions(leaper)]

    def square_name(self, square: int) -> str:
        row, col = divmod(square, self.cols)
        return f"{file_letters(col)}{self.rows - row}"

    def read_name(self, name: str) -> tuple[int, int] | None:
        match = _ALGEBRAIC.fullmatch(name)
        return (self.rows - int(match[2]), file_number(match[1])) if match else None

    def extent(self) -> str:
        return f"on {self.bare_name}: files a to {file_letters(self.cols - 1)}, ranks 1 to {self.rows}"

    def data(self) -> dict[str, Any]:
        return {"rows": self.rows, "cols": self.cols, **super().data()}

    @property
    def layout(self) -> Layout:
        ranks, files = map(str, range(self.rows, 0, -1)), map(file_letters, range(self.cols))
        return Layout([Layer(self.grid, list(ranks), list(files))])

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
