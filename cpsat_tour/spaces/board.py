"""Chessboards: squares, their two notations, holes, leapers, and the graph of moves.

A square is the int ``row * cols + col`` with row 0 at the top. People write squares as ``a1`` (file letters a…z, aa, ab, …; ranks
counted from the bottom) or as ``row,col`` from the top left, from 0. The vertices of a board's graph are its playable squares in
increasing order, so a hole is no vertex.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput, whole_number
from cpsat_tour.core.graph import Graph, Ints

SquareLike = int | str | tuple[int, int]

MOST_SQUARES = 1 << 24
"""The largest board: its arcs still number well below 2**31, and its graph takes about 1.5 GB."""

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
class Board:
    """A board of rows x cols squares with optional holes, and the leaper that walks on it; the knight is (1, 2).

    Holes may be given in any notation for squares; they are kept as a frozen set of ints. `BadInput` on sizes below 1, on more than
    2**24 squares, on holes off the board and on leapers that don't leap.
    """

    rows: int
    cols: int
    holes: frozenset[int] = frozenset()
    leaper: tuple[int, int] = (1, 2)

    def __init__(self, rows: int, cols: int | None = None, holes: Iterable[SquareLike] = (), leaper: tuple[int, int] = (1, 2)) -> None:
        rows = whole_number("the number of rows", rows)
        cols = rows if cols is None else whole_number("the number of columns", cols)
        short, long = sorted(_pair("a leaper", leaper))
        if rows < 1 or cols < 1:
            raise BadInput(f"a board of {rows}x{cols} has no squares: both sides must be at least 1")
        if rows * cols > MOST_SQUARES:
            raise BadInput(f"a board of {rows}x{cols} is too large: {rows * cols} squares, at most {MOST_SQUARES} are allowed")
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
            raise BadInput(f"{size!r} is no board: write rows x cols, such as 8x8, or one number for a square board")
        if len(max(match.groups(default=""), key=len)) > 9:
            raise BadInput(f"a board of {size} is too large: at most {MOST_SQUARES} squares are allowed")
        rows = int(match[1])
        pair = _LEAPER.fullmatch(leaper.strip())
        if not pair or max(len(pair[1]), len(pair[2])) > 9:
            raise BadInput(f"{leaper!r} is no leaper: write two whole numbers, such as 1,2 for the knight")
        return cls(rows, int(match[2] or rows), holes, (int(pair[1]), int(pair[2])))

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}"

    def __len__(self) -> int:
        """The number of playable squares."""
        return self.rows * self.cols - len(self.holes)

    def square(self, which: SquareLike) -> int:
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
        raise BadInput(f"{text!r} is no square: write a file and a rank, such as a1, or row,col from the top left, such as 7,0")

    def row_col(self, square: int) -> tuple[int, int]:
        """Row and column of a square, from the top left, from 0."""
        return divmod(square, self.cols)

    @cached_property
    def squares(self) -> Ints:
        """The playable squares in increasing order: the square of each vertex."""
        squares = np.arange(self.rows * self.cols, dtype=np.int32)
        return np.delete(squares, sorted(self.holes)) if self.holes else squares

    @cached_property
    def vertices(self) -> Ints:
        """For each square its vertex in the graph, -1 for a hole."""
        vertices = np.full(self.rows * self.cols, -1, dtype=np.int32)
        vertices[self.squares] = np.arange(len(self), dtype=np.int32)
        return vertices

    @cached_property
    def graph(self) -> Graph:
        """The graph of moves: one vertex for each playable square."""
        grid = self.vertices.reshape(self.rows, self.cols)
        moves = sorted(leaper_directions(self.leaper))
        targets: NDArray[np.int32] = np.full((len(moves), self.rows, self.cols), -1, dtype=np.int32)
        for target, (drow, dcol) in zip(targets, moves, strict=True):
            if abs(drow) >= self.rows or abs(dcol) >= self.cols:
                continue
            here = (_clip(-drow, self.rows), _clip(-dcol, self.cols))
            there = (_clip(drow, self.rows), _clip(dcol, self.cols))
            target[here] = grid[there]
        rows = targets.reshape(len(moves), -1)[:, self.squares].T
        present = rows >= 0
        indptr = np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int32)
        return Graph(indptr, rows[present], directed=False, space=self)

    # --- the board as a space ---

    def name(self, vertex: int) -> str:
        """The square of a vertex as ``a1``."""
        row, col = self.row_col(int(self.squares[vertex]))
        return f"{file_letters(col)}{self.rows - row}"

    def vertex(self, name: SquareLike) -> int:
        """The vertex of a square in any notation."""
        return int(self.vertices[self.square(name)])

    def coordinates(self) -> Ints:
        """Rows and columns of the playable squares, an ``(n, 2)`` array."""
        return np.stack(np.divmod(self.squares, self.cols), axis=1).astype(np.int32)


def _clip(shift: int, side: int) -> slice:
    """The part of a side that stays on it when it is read at a shift."""
    return slice(max(0, shift), side + min(0, shift))


def _pair(what: str, value: object) -> tuple[int, int]:
    """The two whole numbers that a square or a leaper is."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise BadInput(f"{what} can't be {value!r}: give two whole numbers, such as (1, 2)")
    return whole_number(f"a part of {what}", value[0]), whole_number(f"a part of {what}", value[1])


def _shown(which: SquareLike) -> str:
    return f"{which[0]},{which[1]}" if isinstance(which, tuple) else str(which)
