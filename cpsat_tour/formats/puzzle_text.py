"""Puzzles as text, both ways: a grid with a number in each given square and a dot in the others.

Read is what is written, and what people write besides: an underscore for a blank as well, labels of rows and columns or
none. Layers follow each other; the line ``layer 1`` above each may be left out where the space is known. A hole is
``#``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.space import Ints, Space
from cpsat_tour.formats.files import read_text

MAX_BYTES = 1 << 22

_CELL = re.compile(r"(\d{1,9})|([._]+)|(#+)")


class Grid(NamedTuple):
    """The words of each row of a puzzle, by the number of its line, and the header lines."""

    path: str
    rows: dict[int, list[str]]
    headers: list[list[str]]

    def size(self) -> str:
        """The board or box that the grid fits, as people type it: ``5x6``."""
        row = next(iter(self.rows.values()), [])
        labelled = any(len(header) == len(row) - 2 for header in self.headers)
        layers = sum(header[0].lower() == "layer" for header in self.headers)
        rows, cols = len(self.rows), len(row) - 2 * labelled
        if not cols or rows % max(1, layers):
            raise BadInput(f"{self.path} is not a grid of rows and columns: give the board too, such as 8x8")
        return f"{rows // layers}x{cols}x{layers}" if layers else f"{rows}x{cols}"

    def holes(self, space: Space) -> list[str]:
        """The names of the squares of a space without holes that are holes here."""
        return [space.name(vertex) for _, vertex, cell in self._cells(space) if cell[3]]

    def givens(self, space: Space) -> tuple[tuple[int, int], ...]:
        """The pairs of a vertex and its number; `BadInput` names the line that is not a row of the space."""
        givens = []
        for where, vertex, cell in self._cells(space):
            if bool(cell[3]) != (vertex < 0):
                there = "a hole" if vertex < 0 else space.name(vertex)
                raise BadInput(f"{where}: {cell[0][:20]!r} stands where {space.called()} has {there}")
            if cell[1]:
                givens.append((vertex, int(cell[1])))
        return tuple(givens)

    def _cells(self, space: Space) -> Iterator[tuple[str, int, re.Match[str]]]:
        """For each place of the space where it is in the file, its vertex, -1 for a hole, and what is written there."""
        rows = list(chain.from_iterable(cells.tolist() for cells in _layers(space)))
        if len(self.rows) != len(rows):
            raise BadInput(
                f"{self.path} has {len(self.rows)} rows, and {space.called()} has {len(rows)}: give a row for each, "
                "with a dot for each blank"
            )
        for (number, line), row in zip(self.rows.items(), rows, strict=True):
            where = f"{self.path}, line {number}"
            words = line[1:-1] if len(line) == len(row) + 2 and line[0] == line[-1] else line
            if len(words) != len(row):
                raise BadInput(
                    f"{where}: this row has {len(words)} squares, and {len(row)} are expected: a number or a dot for "
                    "each"
                )
            for word, vertex in zip(words, row, strict=True):
                if (cell := _CELL.fullmatch(word)) is None:
                    raise BadInput(
                        f"{where}: {word[:20]!r} is not a square of a puzzle: write a number, . for a blank, or # for "
                        "a hole"
                    )
                yield where, vertex, cell


def read_grid(path: str) -> Grid:
    """The grid in a file, ``-`` for standard input."""
    return grid_of(read_text(path, MAX_BYTES).splitlines(), path)


def grid_of(text: Iterable[str], path: str) -> Grid:
    """The grid in the lines of a file."""
    lines = {number: line.split() for number, line in enumerate(text, start=1)}
    headers = {number: words for number, words in lines.items() if words and _is_header(words)}
    rows = {number: words for number, words in lines.items() if words and number not in headers}
    return Grid(path, rows, [*headers.values()])


def _is_header(words: list[str]) -> bool:
    """Whether this is the title of a layer, or the labels of columns."""
    return words[0].lower() == "layer" or all(word.isascii() and word.isalpha() for word in words)


def _layers(space: Space) -> list[Ints]:
    """The vertices in rows and columns, layer by layer."""
    if not space.layers():
        raise BadInput(
            f"a puzzle as text has rows and columns, and {space.called()} has none: give each number by itself, as "
            "--at does"
        )
    return [layer.cells for layer in space.layers()]


def puzzle_text(space: Space, givens: tuple[tuple[int, int], ...]) -> str:
    """The grid of these givens as lines, a dot for each blank."""
    numbers: Ints = np.zeros(len(space), dtype=np.int32)
    for vertex, number in givens:
        numbers[vertex] = number
    width = len(str(len(space)))
    lines = []
    for cells, layer in zip(_layers(space), space.layers(), strict=True):
        if layer.title:
            lines.append(f"layer {layer.title}")
        for row in cells.tolist():
            words = ("#" if vertex < 0 else str(numbers[vertex] or ".") for vertex in row)
            lines.append(" ".join(word.rjust(width) for word in words))
    return "\n".join(lines) + "\n"
