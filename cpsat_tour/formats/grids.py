"""Boards as text, read and written: tours with the number of each square's visit, puzzles with a number in each given
square and a sign in the others.

Squares are set apart by spaces, ``|``, commas or tabs, or not at all if each has one character. A line of ``forbid
a1-b1`` is a wall. The labels of rows and columns may be left out. Layers follow each other; the line ``layer 1`` above
each may be left out if the space is known.

A hole is ``#``, a blank ``.``, ``_`` or ``?``. What other programs write is read where it has one reading: ``0``,
``-1``, ``*``, or nothing between two commas or in a grid of fixed width. Else `BadInput` names both readings.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import FREE_VERTICES, Graph
from cpsat_tour.core.space import Ints, Space, layout_of
from cpsat_tour.formats.typed import graph_of

MAX_BYTES = 1 << 22

MAX_FIXED = 1 << 20
"""The number of characters up to which a grid is searched for spaces that stand for squares."""

HOLE, BLANK, NOTHING, SPACE = "#", ".", "", " "

_NUMBER = re.compile(r"[0-9]{1,9}")
_SIGNS = {
    **{"_": "_", "__": "_", "?": "_", "??": "_", ".": ".", "..": ".", "*": "*", "**": "*"},
    **{"0": "0", "-1": "-1", "-": "-1", NOTHING: NOTHING, SPACE: NOTHING},
}
"""The signs that may stand in a square without a number, each with the sign of which it is a variant."""

_FRAME = re.compile(r"[-+=|\s]*[-+=][-+=][-+=|\s]*")
_TIGHT = re.compile(r"(?!\d+\.\d+$)[.#0-9]{3,}")
_BETWEEN = re.compile(r"(?<=[^\s|,;]) +(?=[^\s|,;])")
_REMEDY = "write . for each blank and # for each hole"


# --- reading ---


class Grid(NamedTuple):
    """A board in a file: the words of each row by line number, the header lines, the walls, and the meaning of each
    word: a number as text, `HOLE` or `BLANK`. ``taken`` says in words how the signs were read."""

    path: str
    rows: dict[int, list[str]]
    headers: list[list[str]]
    walls: list[str]
    kinds: dict[str, str]
    taken: list[str]

    def typed_board(self) -> str:
        """Return the size of the board or box that fits the grid, as the user would type it: ``5x6``."""
        widths = Counter(map(len, self.rows.values()))
        width = max(widths, key=widths.__getitem__, default=0)
        labelled = any(len(header) == width - 2 for header in self.headers)
        layers = sum(header[0].lower() == "layer" for header in self.headers)
        rows, cols = len(self.rows), width - 2 * labelled
        most = max(sum(map(len, self.rows.values())), FREE_VERTICES)
        if not cols or rows % max(1, layers) or rows * cols > most:
            raise BadInput(f"{self.path} is not a grid of rows and columns: give the board too, such as 8x8")
        return f"{rows // layers}x{cols}x{layers}" if layers else f"{rows}x{cols}"

    def graph(self, leaper: str) -> Graph:
        """Return the graph of the board or box that fits the grid, with its holes and this leaper."""
        typed = self.typed_board()
        return graph_of(typed, self.holes(graph_of(typed).space), leaper)

    def holes(self, space: Space) -> list[str]:
        """Return the names of the squares that are holes in the grid; the space has no holes yet."""
        return [space.name(vertex) for _, vertex, _, kind in self._cells(space) if kind == HOLE]

    def givens(self, space: Space) -> tuple[tuple[int, int], ...]:
        """Return the given numbers as pairs of vertex and number; `BadInput` names a line that is not a row of the
        space."""
        givens = []
        for where, vertex, word, kind in self._cells(space):
            if (kind == HOLE) != (vertex < 0):
                there = "a hole" if vertex < 0 else space.name(vertex)
                raise BadInput(f"{where}: {word[:20]!r} stands where {space.called()} has {there}")
            if kind not in (HOLE, BLANK):
                givens.append((vertex, int(kind)))
        return tuple(givens)

    def _cells(self, space: Space) -> Iterator[tuple[str, int, str, str]]:
        """Yield each cell as its place in the file (in words), its vertex, -1 for a hole, its word, and the word's
        meaning. `BadInput` if a row does not fit the space."""
        rows = [row for layer in layout_of(space).layers for row in layer.cells.tolist()]
        if len(self.rows) != len(rows):
            raise BadInput(
                f"{self.path} has {len(self.rows)} rows, and {space.called()} has {len(rows)}: "
                "give a row for each, with a dot for each blank"
            )
        for (number, line), row in zip(self.rows.items(), rows, strict=True):
            where = f"{self.path}, line {number}"
            above = ", and nothing above the grid" * (number == next(iter(self.rows)))
            words = line[1:-1] if len(line) == len(row) + 2 and line[0] == line[-1] else line
            if len(words) != len(row):
                raise BadInput(
                    f"{where}: this row has {len(words)} squares, and {len(row)} are expected: "
                    f"a number or a dot for each{above}"
                )
            for word, vertex in zip(words, row, strict=True):
                if (kind := self.kinds.get(word)) is None:
                    raise BadInput(
                        f"{where}: {word[:20]!r} is not a square of a board: "
                        f"write a number, . for a blank, or # for a hole, with spaces between them{above}"
                    )
                yield where, vertex, word, kind


def grid_of(text: Iterable[str], path: str, *, filled: bool = False, waypoints: bool = False) -> Grid:
    """Read a grid from the lines of a file; `BadInput` if its signs are ambiguous. In a ``filled`` board, which is a
    tour, all words but numbers are holes. Numbers that are ``waypoints`` don't say how many squares there are."""
    headers, walls, lines, taken = list[list[str]](), list[str](), dict[int, str](), list[str]()
    for number, line in enumerate(text, start=1):
        words = line.split()
        if words and (words[0].lower() == "layer" or all(word.isascii() and word.isalpha() for word in words)):
            headers.append(words)
        elif words and words[0].lower().lstrip("-") == "forbid":
            walls += words[1:]
        elif (words or "\t" in line) and not _FRAME.fullmatch(line):
            lines[number] = line
    if not all("\t" in line for line in lines.values()):  # else a line of tabs alone is a row without numbers
        lines = {number: line for number, line in lines.items() if line.strip()}
    rows = dict(zip(lines, _rows_of([*lines.values()]), strict=True))
    if not headers and (spaced := _with_missing_squares([*lines.values()])):
        rows = dict(zip(lines, spaced, strict=True))
        if max(lines) - min(lines) >= len(lines):
            raise BadInput(f"{path}: a line between rows with spaces may be a row: {_REMEDY}")
    labels = {len(header) + 2 for header in headers if header[0].lower() != "layer"}
    squares = Counter(chain(*(row[1:-1] if len(row) in labels else row for row in rows.values())))
    first, *others = [*rows.values()] or [[]]
    if others and first[:2] == [str(len(others)), str(len(others[0]))] and max(squares[word] for word in first[:2]) > 1:
        raise BadInput(f"{path}: {' '.join(first)!r} is the size of the grid below it: give the grid alone")
    kinds = _kinds_of(squares, path, taken, filled=filled, waypoints=waypoints)
    if not filled and BLANK not in kinds.values():
        least = min(map(len, _BETWEEN.findall("\n".join(lines.values()))), default=0)
        if least > 1 + max(map(len, squares), default=0):
            raise BadInput(f"{path}: the spaces are so wide that squares may be missing: {_REMEDY}")
    return Grid(path, rows, headers, walls, kinds, taken)


def _rows_of(lines: Sequence[str]) -> list[list[str]]:
    """Split each line into words: at ``|``, tabs, commas or semicolons if each line has them, else at spaces. In a map
    without any, such as ``..#`` below ``...``, each character is a word."""
    bare = [line.strip(" ") for line in lines]
    if any({*line} & {HOLE, BLANK} for line in bare) and all(map(_TIGHT.fullmatch, bare)):
        return [[*line] for line in bare]
    mark = next((mark for mark in "|\t;," if lines and all(mark in line for line in lines)), None)
    begin, end = (mark == "|" and all(line[place] == "|" for line in bare) for place in (0, -1))
    return [[word.strip() for word in line[begin : len(line) - end].split(mark)] for line in bare]


def _with_missing_squares(lines: Sequence[str]) -> list[list[str]] | None:
    """Split each line into words of a fixed width, where a space can stand for a missing square; None if none is
    missing, or no width fits all lines."""
    if sum(map(len, lines)) > MAX_FIXED or any(set("|\t;,") & set(line) for line in lines):
        return None
    found = [[(word.start(), word.end()) for word in re.finditer(r"\S+", line)] for line in lines]
    longest = max((end - start for row in found for start, end in row), default=0)
    for side in (1, 0):  # words that end, or begin, in columns
        places = [[word[side] for word in row] for row in found]
        least = min(chain(*places), default=0)
        pitch = math.gcd(*(place - least for place in chain(*places)))
        if pitch > longest:
            cols = [[(place - least) // pitch for place in row] for row in places]
            width = 1 + max(chain(*cols))
            if width * len(lines) <= FREE_VERTICES and any(row != [*range(len(row))] for row in cols):
                words = [dict(zip(row, line.split(), strict=True)) for row, line in zip(cols, lines, strict=True)]
                return [[row.get(col, SPACE) for col in range(width)] for row in words]
    return None


def _kinds_of(words: Counter[str], path: str, taken: list[str], *, filled: bool, waypoints: bool) -> dict[str, str]:
    """Return what each entry of a grid means (number, hole, empty square, waypoint), and append to ``taken`` how its
    signs were read; `BadInput` if a sign is ambiguous. A ``filled`` board has a number in each square."""
    kinds = {word: str(int(word)) for word in words if _NUMBER.fullmatch(word) and int(word)}
    kinds |= {word: HOLE for word in words if word in ("#", "##")}
    numbers = sorted(int(kinds[word]) for word in words.elements() if kinds.get(word, HOLE) != HOLE)
    signs, shown = dict[str, list[str]](), {NOTHING: "an empty square", SPACE: "a space in the grid"}
    for word in words:
        if (sign := _SIGNS.get(word[:2])) is not None and (len(word) < 3 or sign == "_"):
            signs.setdefault(sign, []).append(word)

    def refuse(which: Iterable[str], readings: str) -> BadInput:
        """Return the error that names the readings of signs."""
        words = sorted(signs.get(sign, [sign])[0] for sign in which)
        called = " and ".join(shown.get(word, repr(word)) for word in words)
        return BadInput(f"{path}: {called} may be {readings}: count from 1, and {_REMEDY}")

    zeros = words["0"]
    whole = len(numbers) > 0 and numbers == [*range(1, len(numbers) + 1)]
    holed = HOLE in kinds.values()
    one_reading = not waypoints and whole and (holed or len(signs) > 1)
    if zeros == 1 and (filled or one_reading) and not {".", "_"} & signs.keys():
        kinds = {word: kind if kind == HOLE else str(int(kind) + 1) for word, kind in kinds.items()} | {"0": "1"}
        taken.append("numbered from 0")
        signs.pop("0")
    elif zeros == 1 and (len(signs) > 1 or waypoints or whole):
        raise refuse("0", "the first number, if it is numbered from 0, or a blank, or a hole")
    elif zeros and (filled or "_" in signs):
        raise refuse("0", "a hole, or a square without a number")
    blank = next((sign for sign in ("0", "_", ".", "*", "-1", NOTHING) if sign in signs), None)
    doubtful = signs.keys() - {"0", "_", NOTHING if blank == "." else "_"}
    counted = whole and len(numbers) > 1 and not waypoints
    if filled or (blank in ("*", "-1") and counted):
        blank = None
    elif blank == NOTHING and counted and not holed:
        raise refuse([NOTHING], "a hole, or a blank")
    elif ({"_", "."} <= signs.keys() and not holed) or (blank in doubtful and len(doubtful) > 1):
        raise refuse(signs, "both blanks, or one of them holes")
    for sign, written in signs.items():
        kind = BLANK if sign == blank or {sign, blank} <= {".", "_", None} else HOLE
        kinds |= dict.fromkeys(written, kind)
        if kind == HOLE or sign not in (".", "_"):
            taken.extend(f"{shown.get(word, word)} is a {'hole' if kind == HOLE else 'blank'}" for word in written)
    return kinds


# --- writing ---


def puzzle_text(space: Space, givens: Iterable[tuple[int, int]]) -> str:
    """Return the board as lines of text, the given numbers in their squares and a dot in each other."""
    words = {-1: HOLE} | {vertex: str(number) for vertex, number in givens}
    width, lines = len(str(len(space))), list[str]()
    for layer in layout_of(space).layers:
        if layer.title:
            lines.append(f"layer {layer.title}")
        for row in layer.cells.tolist():
            lines.append(" ".join(words.get(vertex, BLANK).rjust(width) for vertex in row))
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
        """Return each tour (a row) as a board of visit numbers, with an empty line after it; an unvisited square has a
        ``#``."""
        size = len(self._frame) + 1
        page = np.full((len(tours), size), ord("\n"), dtype=np.uint8)
        page[:, :-1] = self._frame
        slots = self._slots[tours] + size * np.arange(len(tours))[:, None]
        flat = page.reshape(-1)
        for digit in range(self._words.shape[1]):
            flat[slots + digit] = self._words[: tours.shape[1], digit]
        return page.tobytes().decode("ascii")
