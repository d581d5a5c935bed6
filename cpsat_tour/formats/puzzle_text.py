"""Puzzles as text, both ways: a grid with a number in each given square and a dot in the others.

Read is what is written, and what people write besides: an underscore for a blank as well, labels of rows and columns or
none. Layers follow each other, their ``layer`` lines may be left out. A hole is ``#``, and stands where the space has
one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.space import Ints, Space
from cpsat_tour.formats.files import read_text

MAX_BYTES = 1 << 22

_CELL = re.compile(r"(\d{1,9})|([._]+)|(#+)")


def read_puzzle(space: Space, path: str) -> tuple[tuple[int, int], ...]:
    """The givens in a file, pairs of a vertex and its number; `BadInput` names the line that is not a row of the
    space."""
    return givens_in(space, read_text(path, MAX_BYTES).splitlines(), path)


def givens_in(space: Space, text: Sequence[str], path: str) -> tuple[tuple[int, int], ...]:
    """The givens in the lines of a file."""
    _check_rows(space)
    lines = [(number, line.split()) for number, line in enumerate(text, start=1)]
    lines = [(number, words) for number, words in lines if words and not _is_header(words)]
    rows = [row for layer in space.layers() for row in layer.cells.tolist()]
    if len(lines) != len(rows):
        raise BadInput(
            f"{path} has {len(lines)} rows, and {space.called()} has {len(rows)}: give a row for each, with a "
            "dot for each blank"
        )
    givens = []
    for (number, line), row in zip(lines, rows, strict=True):
        where = f"{path}, line {number}"
        labelled = len(line) == len(row) + 2 and line[0] == line[-1]
        words = line[1:-1] if labelled else line
        if len(words) != len(row):
            raise BadInput(
                f"{where}: this row has {len(words)} squares, and {len(row)} are expected: a number or a dot for each"
            )
        for word, vertex in zip(words, row, strict=True):
            cell = _CELL.fullmatch(word)
            if cell is None:
                raise BadInput(
                    f"{where}: {word[:20]!r} is not a square of a puzzle: write a number, . for a blank, or # "
                    "for a hole"
                )
            if bool(cell[3]) != (vertex < 0):
                there = "a hole" if vertex < 0 else space.name(vertex)
                raise BadInput(f"{where}: {word[:20]!r} stands where {space.called()} has {there}")
            if cell[1]:
                givens.append((vertex, int(word)))
    return tuple(givens)


def _is_header(words: list[str]) -> bool:
    """Whether this is the title of a layer, or the labels of columns."""
    return words[0].lower() == "layer" or all(word.isascii() and word.isalpha() for word in words)


def _check_rows(space: Space) -> None:
    if not space.layers():
        raise BadInput(
            f"a puzzle as text has rows and columns, and {space.called()} has none: give each number by "
            "itself, as --at does"
        )


def puzzle_text(space: Space, givens: tuple[tuple[int, int], ...]) -> str:
    """The grid of these givens as lines, a dot for each blank."""
    _check_rows(space)
    numbers: Ints = np.zeros(len(space), dtype=np.int32)
    for vertex, number in givens:
        numbers[vertex] = number
    width = len(str(len(space)))
    lines = []
    for layer in space.layers():
        if layer.title:
            lines.append(f"layer {layer.title}")
        for row in layer.cells.tolist():
            cells = ("#" if vertex < 0 else str(numbers[vertex]) if numbers[vertex] else "." for vertex in row)
            lines.append(" ".join(cell.rjust(width) for cell in cells))
    return "\n".join(lines) + "\n"
