"""Chessboards: squares, their two notations, holes, leapers, and the graph of moves.

A square is the int ``row * cols + col`` with row 0 at the top. People write squares as ``a1`` (file letters a…z, aa, ab, …; ranks
counted from the bottom) or as ``row,col`` from the top left, from 0. The vertices of a board's graph are its playable squares in
increasing order, so a hole is no vertex.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpsat_tour.core.errors import BadInput, whole_number
from cpsat_tour.core.space import Bytes, Flags, Ints, Layer, VertexLike
from cpsat_tour.spaces.lattice import KNIGHT, MAX_SQUARES, Lattice, check_sides

_SIZE = re.compile(r"([0-9]+)(?:[xX]([0-9]+))?")
_ALGEBRAIC = re.compile(r"([a-zA-Z]+)([0-9]+)")
_ROW_COL = re.compile(r"([0-9]+)\s*,\s*([0-9]+)")
_LEAPER = re.compile(r"\(?\s*([0-9]+)\s*,\s*([0-9]+)\s*\)?")


def file_letters(col: int) -> str:
    """The letters of a column counted from 0: a…z, aa, ab, … (bijective base 26)."""
    letters = ""
    col += 1
    while col:
        col, digit = divmod(col - 1, 26)
        letters = chr(ord("a") + digit) + letters
    return letters


def file_number(letters: str) -> int:
    """The column counted from 0 that the letters name."""
    col = 0
    for letter in letters.lower():
        col = col * 26 + ord(letter) - ord("a") + 1
    return col - 1


def leaper_directions(leaper: tuple[int, int]) -> list[tuple[int, int]]:
    """The distinct moves (drow, dcol) of an (a, b) leaper, clockwise from the north: the knight's are numbered 1 to 8 like this."""
    short, long = sorted(leaper)
    octants = [(-long, short), (-short, long), (short, long), (long, short), (long, -short), (short, -long), (-short, -long), (-long, -short)]
    return list(dict.fromkeys(octants))


@dataclass(frozen=True)
class Board(Lattice):
    """A board of rows x cols squares with optional holes, and the leaper that walks on it; the knight is (1, 2).

    Holes may be given in any notation for squares; they are kept as a frozen set of ints. `BadInput` on sizes below 1, on more than
    2**24 squares, on holes off the board and on leapers that don't leap.
    """

    rows: int
    cols: int
    holes: frozenset[int] = frozenset()
    leaper: tuple[int, int] = (1, 2)

    def __init__(self, rows: int, cols: int | None = None, holes: Iterable[VertexLike] = (), leaper: tuple[int, int] = (1, 2)) -> None:
        rows = whole_number("the number of rows", rows)
        cols = rows if cols is None else whole_number("the number of columns", cols)
        short, long = sorted(_pair("a leaper", leaper))
        check_sides("board", (rows, cols))
        if short < 0 or long < 1:
            raise BadInput(f"a leaper {leaper[0]},{leaper[1]} doesn't move: give two numbers from 0, not both 0, such as 1,2")
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "cols", cols)
        object.__setattr__(self, "leaper", (short, long))
        object.__setattr__(self, "holes", frozenset())
        object.__setattr__(self, "holes", frozenset(self.square(hole) for hole in holes))
        if len(self.holes) == rows * cols:
            raise BadInput(f"every square of the {rows}x{cols} board is a hole: leave at least one square")

    @classmethod
    def parse(cls, size: str, holes: Iterable[str] = (), leaper: str = "1,2") -> Board:
        """The board that people write as ``8x8`` or ``8``, with holes such as ``a1`` and a leaper such as ``1,2``."""
        match = _SIZE.fullmatch(size.strip())
        if not match:
            raise BadInput(f"{size!r} is not a board: write rows x cols, such as 8x8, or one number for a square board")
        if len(max(match.groups(default=""), key=len)) > 9:
            raise BadInput(f"a board of {size} is too large: at most {MAX_SQUARES} squares are allowed")
        rows = int(match[1])
        pair = _LEAPER.fullmatch(leaper.strip())
        if not pair or max(len(pair[1]), len(pair[2])) > 9:
            raise BadInput(f"{leaper!r} is not a leaper: write two whole numbers, such as 1,2 for the knight")
        return cls(rows, int(match[2] or rows), holes, (int(pair[1]), int(pair[2])))

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}"

    def square(self, which: VertexLike) -> int:
        """The square given as an int, as (row, col), or written as ``a1`` or ``row,col``; `BadInput` if it is off the board or a hole."""
        if isinstance(which, str):
            row, col = self._read(which)
        elif isinstance(which, tuple):
            row, col = _pair("a square", which)
        else:
            row, col = divmod(whole_number("a square", which), self.cols)
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            raise BadInput(
                f"square {_shown(which)} is not on the {self} board: files a to {file_letters(self.cols - 1)}, ranks 1 to {self.rows},"
                f" or row,col from 0,0 to {self.rows - 1},{self.cols - 1}"
            )
        if row * self.cols + col in self.holes:
            raise BadInput(f"square {_shown(which)} is a hole of the board: choose a square that is there")
        return row * self.cols + col

    def _read(self, text: str) -> tuple[int, int]:
        if match := _ALGEBRAIC.fullmatch(text.strip()):
            if len(match[1]) > 6 or len(match[2]) > 9:
                return -1, -1
            return self.rows - int(match[2]), file_number(match[1])
        if match := _ROW_COL.fullmatch(text.strip()):
            return (int(match[1]), int(match[2])) if max(len(match[1]), len(match[2])) <= 9 else (-1, -1)
        raise BadInput(f"{text!r} is not a square: write a file and a rank, such as a1, or row,col from the top left, such as 7,0")

    def row_col(self, square: int) -> tuple[int, int]:
        """Row and column of a square, from the top left, from 0."""
        return divmod(square, self.cols)

    # --- the board as a space ---

    @property
    def sides(self) -> tuple[int, int]:
        return self.rows, self.cols

    def steps(self) -> list[tuple[int, int]]:
        return leaper_directions(self.leaper)

    def square_name(self, square: int) -> str:
        """A square as ``a1``."""
        row, col = self.row_col(square)
        return f"{file_letters(col)}{self.rows - row}"

    def called(self, _directed: bool = False) -> str:
        less = f" less {len(self.holes)} square{'s' * (len(self.holes) > 1)}" if self.holes else ""
        leaper = f" by a {self.leaper[0]},{self.leaper[1]} leaper" if self.leaper != KNIGHT else ""
        return f"the {self} board{less}{leaper}"

    def data(self) -> dict[str, Any]:
        """Rows, columns, holes as ``[row, col]`` and the leaper."""
        holes = [list(self.row_col(hole)) for hole in sorted(self.holes)]
        return {"rows": self.rows, "cols": self.cols, "holes": holes, "leaper": list(self.leaper)}

    def place(self, vertex: int) -> list[int]:
        return list(self.row_col(int(self.squares[vertex])))

    def layers(self) -> tuple[Layer]:
        """The board itself, with ranks and files."""
        ranks = [str(rank) for rank in range(self.rows, 0, -1)]
        return (Layer(self.grid, ranks, [file_letters(col) for col in range(self.cols)]),)

    def dark(self) -> Flags:
        """The colours of the chequers, where a1 is dark."""
        rows, cols = self.coordinates().T
        return np.asarray((self.rows - 1 - rows + cols) % 2 == 0)

    def directions(self, tails: Ints, heads: Ints) -> Bytes:
        """The octant, clockwise from the north, that each move points into: 1 for angles of 0 up to 45 degrees, 8 for 315 up to 360."""
        rows, cols = np.ascontiguousarray(self.coordinates().T)
        up, right = rows[tails] - rows[heads], cols[heads] - cols[tails]
        steep, level = np.abs(up) > np.abs(right), np.abs(up) == np.abs(right)
        octants = np.empty(len(up), dtype=np.uint8)
        for quadrant, (here, forward) in enumerate(
            [
                ((up > 0) & (right >= 0), steep),
                ((up <= 0) & (right > 0), ~(steep | level)),
                ((up < 0) & (right <= 0), steep),
                ((up >= 0) & (right < 0), ~(steep | level)),
            ]
        ):
            octants[here] = np.where(forward[here], 2 * quadrant + 1, 2 * quadrant + 2)
        return octants


def _pair(what: str, value: object) -> tuple[int, int]:
    """The two whole numbers that a square or a leaper is."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise BadInput(f"{what} can't be {value!r}: give two whole numbers, such as (1, 2)")
    return whole_number(f"a part of {what}", value[0]), whole_number(f"a part of {what}", value[1])


def _shown(which: VertexLike) -> str:
    return f"{which[0]},{which[1]}" if isinstance(which, tuple) else str(which)
