"""Boards as text, read and written: tours with the number of each square's visit, puzzles with a number in each given
square and a dot in the others.

A blank may also be an underscore, and the labels of rows and columns may be left out. A hole is ``#``. Layers follow
each other; the line ``layer 1`` above each may be left out if the space is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import NamedTuple

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import FREE_VERTICES
from cpsat_tour.core.space import Ints, Space, layout_of

MAX_BYTES = 1 << 22

HOLE = "#"

_CELL = re.compile(r"(\d{1,9})|([._]|__+)|(##?)")


# --- reading ---


class Grid(NamedTuple):
    """A board in a file: the words of each row by the number of its line, and the words of the header lines."""

    path: str
    rows: dict[int, list[str]]
    headers: list[list[str]]

    def typed_board(self) -> str:
        """Return the board or box that the grid fits, as people type it: ``5x6``."""
        row = next(iter(self.rows.values()), [])
        labelled = any(len(header) == len(row) - 2 for header in self.headers)
        layers = sum(header[0].lower() == "layer" for header in self.headers)
        rows, cols = len(self.rows), len(row) - 2 * labelled
        words = sum(map(len, self.rows.values()))
        if not cols or rows % max(1, layers) or rows * cols > max(words, FREE_VERTICES):
            raise BadInput(f"{self.path} is not a grid of rows and columns: give the board too, such as 8x8")
        return f"{rows // layers}x{cols}x{layers}" if layers else f"{rows}x{cols}"

    def holes(self, space: Space) -> list[str]:
        """Return the names of the squares of a space without holes that are holes here."""
        return [space.name(vertex) for _, vertex, cell in self._cells(space) if cell[3]]

    def givens(self, space: Space) -> tuple[tuple[int, int], ...]:
        """Return the pairs of a vertex and its number; `BadInput` names the line that is not a row of the space."""
        givens = []
        for where, vertex, cell in self._cells(space):
            if bool(cell[3]) != (vertex < 0):
                there = "a hole" if vertex < 0 else space.name(vertex)
                raise BadInput(f"{where}: {cell[0][:20]!r} stands where {space.called()} has {there}")
            if cell[1]:
                givens.append((vertex, int(cell[1])))
        return tuple(givens)

    def _cells(self, space: Space) -> Iterator[tuple[str, int, re.Match[str]]]:
        """Yield for each cell of the space where it is in the file, in words, its vertex, -1 for a hole, and the match
        of its `_CELL`; `BadInput` if a row is not one of the space."""
        rows = [row for layer in layout_of(space).layers for row in layer.cells.tolist()]
        if len(self.rows) != len(rows):
            numbers = f"{self.path} has {len(self.rows)} rows, and {space.called()} has {len(rows)}"
            raise BadInput(f"{numbers}: give a row for each, with a dot for each blank")
        for (number, line), row in zip(self.rows.items(), rows, strict=True):
            where = f"{self.path}, line {number}"
            words = line[1:-1] if len(line) == len(row) + 2 and line[0] == line[-1] else line
            if len(words) != len(row):
                each = "a number or a dot for each"
                raise BadInput(f"{where}: this row has {len(words)} squares, and {len(row)} are expected: {each}")
            for word, vertex in zip(words, row, strict=True):
                if (cell := _CELL.fullmatch(word)) is None:
                    remedy = "write a number, . for a blank, or # for a hole, with spaces between them"
                    raise BadInput(f"{where}: {word[:20]!r} is not a square of a board: {remedy}")
                yield where, vertex, cell


def grid_of(text: Iterable[str], path: str) -> Grid:
    """Return the grid in the lines of a file."""
    grid = Grid(path, {}, [])
    for number, words in enumerate(map(str.split, text), start=1):
        if words and (words[0].lower() == "layer" or all(word.isascii() and word.isalpha() for word in words)):
            grid.headers.append(words)
        elif words:
            grid.rows[number] = words
    return grid


# --- writing ---


def puzzle_text(space: Space, givens: Iterable[tuple[int, int]]) -> str:
    """Return the grid of these givens as lines, a dot for each blank."""
    numbers: Ints = np.zeros(len(space) + 1, dtype=np.int32)
    numbers[-1] = -1  # a hole is vertex -1
    for vertex, number in givens:
        numbers[vertex] = number
    width = len(str(len(space)))
    lines = []
    for layer in layout_of(space).layers:
        if layer.title:
            lines.append(f"layer {layer.title}")
        for row in numbers[layer.cells].tolist():
            words = (HOLE if number < 0 else str(number or ".") for number in row)
            lines.append(" ".join(word.rjust(width) for word in words))
    return "\n".join(lines) + "\n"


def tour_text(space: Space, vertices: Ints) -> str:
    """Return the board of visit numbers from 1 as aligned lines, with labels on all four sides and ``#`` for holes;
    `BadInput` if the space has no layers."""
    return TourTexts(space).text(vertices[None, :])[:-1]


class TourTexts:
    """Writes tours of one space as boards: all have one frame, and only the visit numbers differ."""

    def __init__(self, space: Space) -> None:
        width = len(str(len(space)))
        layers, lines = layout_of(space).layers, list[str]()
        has_holes = any(int(layer.cells.min()) < 0 for layer in layers)
        cell = max(width, 1 + has_holes, *(len(layer.col_labels[-1]) for layer in layers))
        words = [("\0" * width).rjust(cell), (HOLE * (1 + has_holes)).rjust(cell)]
        for layer in layers:
            margin = max(map(len, layer.row_labels))
            header = " " * (margin + 2) + " ".join(map(str.rjust, layer.col_labels, repeat(cell)))
            lines += [""] * bool(lines) + [f"layer {layer.title}"] * bool(layer.title) + [header]
            for label, row in zip(layer.row_labels, (layer.cells < 0).tolist(), strict=True):
                lines.append(f"{label.rjust(margin)}  {' '.join(map(words.__getitem__, row))}  {label.rjust(margin)}")
            lines.append(header)
        # The board as text, with null characters in place of each number.
        frame = np.frombuffer(bytearray("\n".join(lines) + "\n", "ascii"), dtype=np.uint8)
        shown = np.concatenate([layer.cells.ravel() for layer in layers])
        self._slots = np.empty(len(space), dtype=np.int64)
        self._slots[shown[shown >= 0]] = np.flatnonzero((frame == 0) & (np.roll(frame, 1) != 0))
        frame[frame == 0] = ord(" ")
        frame[self._slots + width - 1] = ord(HOLE)
        self._frame = frame
        rest = np.arange(1, len(space) + 1)
        self._words = np.full((len(space), width), ord(" "), dtype=np.uint8)
        for digit in range(width - 1, -1, -1):
            self._words[rest > 0, digit] = ord("0") + rest[rest > 0] % 10
            rest //= 10

    def text(self, tours: Ints) -> str:
        """Return the boards of these tours (a row each), an empty line after each; a square without a visit has a
        ``#``."""
        size = len(self._frame) + 1
        page = np.full((len(tours), size), ord("\n"), dtype=np.uint8)
        page[:, :-1] = self._frame
        slots = self._slots[tours] + size * np.arange(len(tours))[:, None]
        flat = page.reshape(-1)
        for digit in range(self._words.shape[1]):
            flat[slots + digit] = self._words[: tours.shape[1], digit]
        return page.tobytes().decode("ascii")
