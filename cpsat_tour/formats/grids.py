"""Reads boards as text: tours with the number of each square's visit, puzzles with a number in each given square and a
sign in the others.

`cells` cuts a text into rows of cells. What a first row, an outer column, a sign and a number may be is one table of
rules, in `docs/puzzles.md` (*How a grid is read*); here `_layouts` has its first half, what stands around the squares,
and `_meanings` the second, what stands in them.

Each way to read the text by these rules is a `Reading`. It is possible if its numbers are different and none is larger
than the number of squares, and likely if the first and the last number stand there. If one reading is left, it is
taken, and said; if several are, `BadInput` names them. A known board leaves those with its holes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import FREE_VERTICES, Graph
from cpsat_tour.core.space import Ints, Space, layout_of
from cpsat_tour.formats.boards import BLANK, HOLE
from cpsat_tour.formats.cells import NOTHING, REMEDY, SPACE, Cut, Table
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.spaces.lattice import file_letters

MAX_BYTES = 1 << 22

FIRST = "1"
"""The meaning of 0 where visits are numbered from 0."""

_SIGNS = ("_", "0", ".", NOTHING, "-1", "*", "x", SPACE)
"""Signs without a number, from those that are most often blanks to those that are most often holes."""

_DOUBTFUL = {*map(frozenset, combinations(("0", ".", NOTHING, "-1", "*"), 2)), *map(frozenset, ("_.", "_0"))}
"""The pairs of signs of which either may be the blank."""

_SHOWN = {NOTHING: "an empty square", SPACE: "a space in the grid"}

ROW = "the first line is a row"

BESIDE = "a label is beside each row"

MIN_LABELLED = 3
"""The fewest rows of which numbers beside them, without letters above, are likely to be labels."""

NUMBER, STRANGE = "number", "strange"

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.0*)?")

UNLIKELY = 2
"""The rank of readings that count only if no other is possible."""


@dataclass(frozen=True)
class Layout:
    """The rows of a grid, of one length, without labels: by line number, with what was left out in words. ``rank`` and
    ``likely`` are those of a `Reading`."""

    lines: Sequence[int]
    rows: Sequence[Sequence[str]]
    words: tuple[str, ...]
    rank: int
    likely: int


@dataclass(frozen=True)
class Reading:
    """One way to read a grid: its layout, the meaning of each word, and that in words. ``rank`` is 0 if it is natural;
    ``likely`` counts what speaks for it: the first number, the last one, labels; -1 if it is not possible."""

    layout: Layout
    kinds: Mapping[str, str]
    words: tuple[str, ...]
    rank: int
    likely: int

    @cached_property
    def cells(self) -> Ints:
        """The grid as an array: a number where one is given, 0 for a blank, -1 for a hole."""
        values = {word: {HOLE: -1, BLANK: 0}.get(kind) for word, kind in self.kinds.items()}
        values |= {word: int(self.kinds[word]) for word, value in values.items() if value is None}
        return np.array([[values[word] for word in row] for row in self.layout.rows], dtype=np.int32)


class Grid:
    """A board in a file, in all ways to read it. ``taken`` says in words which was chosen."""

    def __init__(self, cut: Cut, readings: Sequence[Reading]) -> None:
        self.path, self.walls, self.readings = cut.source, cut.walls, readings
        self.taken, self._cut = list[str](), cut

    def ways(self) -> list[Grid]:
        """Return a grid for each reading that is possible and has the layout of the natural one."""
        first = self._chosen(self.readings) if self.readings else None
        alike = [reading for reading in self.readings if first is not None and reading.layout is first.layout]
        return [Grid(self._cut, [reading]) for reading in alike if reading.likely >= 0] or [self]

    def typed_board(self) -> str:
        """Return the size of the board or box that fits the grid, as the user would type it: ``5x6``."""
        rows, cols = self._chosen(self.readings).cells.shape if self.readings else (0, 0)
        most = max(rows * cols, FREE_VERTICES)
        if not cols or rows % max(1, self._cut.layers) or rows * cols > most:
            raise BadInput(f"{self.path} is not a grid of rows and columns: give the board too, such as 8x8")
        return f"{rows // self._cut.layers}x{cols}x{self._cut.layers}" if self._cut.layers else f"{rows}x{cols}"

    def graph(self, leaper: str) -> Graph:
        """Return the graph of the board or box that fits the grid, with its holes and this leaper."""
        typed = self.typed_board()
        return graph_of(typed, self.holes(graph_of(typed).space), leaper)

    def holes(self, space: Space) -> list[str]:
        """Return the names of the squares that are holes in the grid; the space has no holes yet."""
        return [*map(space.name, _cells_of(space)[self._chosen(self.readings).cells < 0].tolist())]

    def givens(self, space: Space) -> tuple[tuple[int, int], ...]:
        """Return the given numbers as pairs of vertex and number; `BadInput` names a line that does not fit the
        space."""
        vertices = _cells_of(space)
        fitting = [reading for reading in self.readings if reading.cells.shape == vertices.shape]
        if not fitting:
            (rows, cols), (height, width) = (
                (self.readings[0].cells if self.readings else vertices[:0]).shape,
                vertices.shape,
            )
            raise BadInput(
                f"{self.path} has {rows} rows of {cols} squares, and {space.called()} has {height} of {width}: "
                "give a row for each, with a dot for each blank"
            )
        agreeing = [reading for reading in fitting if ((reading.cells < 0) == (vertices < 0)).all()]
        if not agreeing:
            row, col = np.argwhere((fitting[0].cells < 0) != (vertices < 0))[0].tolist()
            there = "a hole" if vertices[row, col] < 0 else space.name(int(vertices[row, col]))
            layout = fitting[0].layout
            raise BadInput(
                f"{self.path}, line {layout.lines[row]}: "
                f"{layout.rows[row][col][:20]!r} stands where {space.called()} has {there}"
            )
        cells = self._chosen(agreeing).cells
        return tuple(zip(vertices[cells > 0].tolist(), cells[cells > 0].tolist(), strict=True))

    def _chosen(self, readings: Sequence[Reading]) -> Reading:
        """Return the reading that is left of these; `BadInput` if there are several."""
        possible = [reading for reading in readings if reading.likely >= 0] or [*readings[:1]]
        least = min(reading.rank for reading in possible)
        natural = [reading for reading in possible if reading.rank == least]
        best = [reading for reading in natural if reading.likely == max(other.likely for other in natural)]
        best += [reading for reading in possible if least < reading.rank < UNLIKELY and reading.likely > best[0].likely]
        if len(best) > 1:
            common = set.intersection(*(set(reading.words) for reading in best))
            ways = [[word for word in reading.words if word not in common] for reading in best]
            shown = "; or ".join(", ".join(words) or "none of this" for words in ways)
            raise BadInput(f"{self.path} can be read in {len(best)} ways: {shown}: count from 1, and {REMEDY}")
        words = [f"line {number} is a title" for number in self._cut.captions]
        self.taken[:] = [*words, *(word for word in best[0].words if word not in _PLAIN)]
        return best[0]


_PLAIN = {f"{sign} is a blank" for sign in (".", "_", "?")} | {ROW}
"""What need not be said."""


def _cells_of(space: Space) -> Ints:
    """Return the vertices of the space as one array of rows, -1 for holes, layer below layer."""
    return np.concatenate([layer.cells for layer in layout_of(space).layers])


def grid_of(cut: Cut, *, filled: bool = False, waypoints: bool = False) -> Grid:
    """Return the grid in a text that was cut into cells; `BadInput` if it is none. In a ``filled`` board, which is
    a tour, all words but numbers are holes. Numbers that are ``waypoints`` don't say how many squares there are."""
    readings, fault = list[Reading](), None
    for layout in _layouts(cut, filled=filled):
        words = Counter(chain.from_iterable(layout.rows))
        signs = {word: _sign(word) for word in words}
        if (wrong := next((word for word, sign in signs.items() if sign == STRANGE), None)) is not None:
            at = next(line for line, row in zip(layout.lines, layout.rows, strict=True) if wrong in row)
            above = ", and nothing above the grid" * (at == next(iter(cut.table.rows)))
            fault = fault or BadInput(
                f"{cut.source}, line {at}: {wrong[:20]!r} is not a square of a board: "
                f"write a number, . for a blank, or # for a hole, with spaces between them{above}"
            )
            continue
        readings += _readings(layout, words, signs, filled=filled, waypoints=waypoints)
    if fault is not None and not readings:
        raise fault
    for line, caption in cut.captions.items() if readings else ():
        cells = re.split(r"\s*[\s,;|]\s*", caption)
        if len(cells) == len(readings[0].layout.rows[0]) and 2 * [*map(_sign, cells)].count(STRANGE) < len(cells):
            wrong = next(cell for cell in cells if _sign(cell) == STRANGE)
            raise BadInput(f"{cut.source}, line {line}: {wrong[:20]!r} is not a square of a board: {REMEDY}")
    if cut.table.wide and not filled and readings and all(BLANK not in reading.kinds.values() for reading in readings):
        raise BadInput(f"{cut.source}: the spaces are so wide that squares may be missing: {REMEDY}")
    return Grid(cut, readings)


# --- the rules ---


def _sign(word: str) -> str:
    """Return the sign of `_SIGNS` of which the word is a variant, `HOLE`, `NUMBER` for one above 0, or `STRANGE` if it
    can't stand in a square."""
    if _NUMBER.fullmatch(word):
        return "0" if not int(word.partition(".")[0]) else NUMBER
    if word.lower() in ("none", "null", "nan", "na", "nil"):
        return "_"
    if word in (NOTHING, SPACE, "-1", "-1."):
        return word.rstrip(".")
    letter = word[0].lower()
    if {*word.lower()} != {letter} or len(word) > 3:
        return STRANGE
    return {"?": "_", "-": "-1"}.get(letter, letter if letter in "._*x#" else STRANGE)


def _layouts(cut: Cut, *, filled: bool) -> list[Layout]:
    """Return all ways to take rows of one length from a text, with or without its first row and what is beside them;
    `BadInput` names a row of another length if there is none."""
    found = list[Layout]()
    for table in (cut.table, cut.below):
        lines, rows = [*table.rows], [*table.rows.values()]
        for left, end, words, rank in _margins(table, cut, filled=filled):
            inner = [row[left:end] for row in rows]
            likely = int(BESIDE in words and len(rows) >= MIN_LABELLED)
            above = _words_above(cut, inner, left=left) if table is cut.below else (ROW,)[: len(cut.below.rows)]
            if above is not None:
                found.append(Layout(lines, inner, (*above, *words), rank, likely))
    if not found and (all_rows := cut.table.rows):
        expected = Counter(map(len, all_rows.values())).most_common(1)[0][0]
        line = next((line for line, row in all_rows.items() if len(row) != expected), min(all_rows))
        nothing = ", and nothing above the grid but its size or a title" * (line == min(all_rows))
        if cut.labels and len(all_rows[line]) == expected:
            raise BadInput(f"{cut.source}: labels name {cut.labels[0]} of {expected} columns: label all, or none")
        raise BadInput(
            f"{cut.source}, line {line}: this row has {len(all_rows[line])} squares, and {expected} are expected: "
            f"a number or a dot for each{nothing}"
        )
    return found


def _margins(table: Table, cut: Cut, *, filled: bool) -> Iterator[tuple[int, int, tuple[str, ...], int]]:
    """Yield the ways to leave out labels and separators beside rows: the first column that is kept, the one after the
    last, what is left out in words, and the rank."""
    rows = [*table.rows.values()]
    full, least = (most(map(len, rows), default=0) for most in (max, min))
    ends = table.mark != "" and full > 1 and all("" in row[full - 1 :] or len(row) < full for row in rows)
    last_differs = least == full - 1 and len({*map(len, rows[:-1])}) < 2
    if full > least and not (ends and last_differs):
        return
    doubtful = not filled and len(rows) != full - 1 and any("" in row[: full - 1] for row in rows)
    for closing in (1, 0)[: 1 + (full == least)] if ends else (0,):
        for left, right in ((0, 0), (1, 0), (0, 1), (1, 1))[: 1 if table.mark == "[" else 4]:
            last = full - closing - right
            beside = [[row[column] for row in rows] for column in (0,) * left + (last,) * right if column < least]
            if last - left < 1 or (cut.labels and {*cut.labels} != {last - left}) or beside[1:] not in ([], beside[:1]):
                continue
            if all(_are_labels(column, cut.layers) or (cut.labels and left and right) for column in beside):
                words = ("a separator ends each row",) * closing + ("a label is beside each row",) * (
                    (left or right) and not cut.labels
                )
                numbered = cut.labels and not left and _are_labels([row[0] for row in rows], cut.layers)
                more = ends and not closing and not doubtful and not cut.labels
                yield left, last, words, int(bool(more or numbered))


def _are_labels(column: Sequence[str], layers: int) -> bool:
    """Return True if these words are the numbers of the rows, up or down, or their letters, in each layer."""
    number = len(column) // max(1, layers)
    ways = [[*map(str, way)] for way in (range(1, number + 1), range(number, 0, -1))]
    ways.append([file_letters(row) for row in range(number)])
    ways += [[*map(str, range(number))]] * (number >= MIN_LABELLED)
    column = [word.lower() for word in column]
    return number > 1 and all(column[at : at + number] in ways for at in range(0, len(column), number))


def _words_above(cut: Cut, rows: Sequence[Sequence[str]], *, left: int) -> tuple[str, ...] | None:
    """Return what the first line above these rows is, in words; None if it does not belong there."""
    height, width, first = len(rows), len(rows[0]), cut.first
    numbers = [int(cell) for cell in first if cell.isdecimal()]
    if left and numbers in ([*range(1, width + 1)], [*range(width)]) and len(first) == width:
        return ("numbers label the columns",)
    fits = numbers in ([height, width], [width, height], [height] * (height == width) or None)
    if len(numbers) == len(first):
        return ("a line above is the size",) if fits else None
    strange = STRANGE in map(_sign, next(iter(cut.table.rows.values()))) and len(first) != width + left
    strange = strange and 2 * sum(map(str.isalnum, first)) > len(first)
    return ("a line above is a title",) if strange and (fits or not numbers) else None


def _readings(
    layout: Layout, words: Counter[str], signs: Mapping[str, str], *, filled: bool, waypoints: bool
) -> Iterator[Reading]:
    """Yield the readings of a layout whose words, and their signs, these are."""
    count = Counter[str]()
    for word, sign in signs.items():
        count[sign] += words[word]
    values = {word: int(word.partition(".")[0]) for word, sign in signs.items() if sign == NUMBER}
    ones = {*values.values()} == {1} and not waypoints
    for meanings, rank in _meanings(count, ones=ones, filled=filled, waypoints=waypoints):
        first = int(FIRST in meanings.values())
        kinds = {word: meanings.get(sign) or str(values.get(word, 0) + first) for word, sign in signs.items()}
        given = {value + first for value in values.values()} | {1 for _ in range(first)}
        squares = sum(count[sign] for sign, kind in ({NUMBER: FIRST} | meanings).items() if kind != HOLE)
        largest = max(given, default=0)
        possible = len(given) == count[NUMBER] + first and (largest <= squares or waypoints)
        likely = layout.likely + (0 if waypoints else int(1 in given) + int(largest == squares))
        if NUMBER in meanings:  # a mask, which most likely has more squares than holes
            possible, likely = True, int(count[NUMBER] == 1 or (meanings[NUMBER] == BLANK and squares > count["0"]))
        names = {HOLE: "a hole", BLANK: "a blank"}
        said = [
            f"{_SHOWN.get(word, word)} is {names[kind]}"
            for word, kind in kinds.items()
            if kind in names and signs[word] != HOLE
        ]
        told = (*layout.words, *("numbered from 0",) * first, *sorted(said, key=lambda words: "hole" in words))
        yield Reading(layout, kinds, told, layout.rank + rank, likely if possible else -1)


def _meanings(
    count: Counter[str], *, ones: bool, filled: bool, waypoints: bool
) -> Iterator[tuple[dict[str, str], int]]:
    """Yield what the signs may mean, of which there are so many, with the rank of each way: 0 is natural, 1 is not.
    ``ones`` are all numbers that are given: then it may be a mask."""
    here, hole, zero = [sign for sign in _SIGNS if count[sign]], {HOLE: HOLE}, count["0"] == 1
    if "x" in here and len(here) > 1:  # a hole, as # is
        here.remove("x")
        hole["x"] = HOLE
    others = [sign for sign in here if sign != "0"]
    if filled:
        yield from ((hole | dict.fromkeys(others, HOLE) | {"0": FIRST}, 0) for _ in range(zero))
        yield hole | dict.fromkeys(here, HOLE), UNLIKELY
        return
    if ones and count[NUMBER] > 1:
        yield hole | dict.fromkeys(here, HOLE) | {NUMBER: BLANK}, 0
    if ones and "0" in here and (count[NUMBER] > 1 or not others):
        yield hole | dict.fromkeys(here, BLANK) | {NUMBER: HOLE}, 0
    numbered, holed = count[NUMBER] > 1 and not waypoints, count[HOLE] > 0 or "x" in hole
    for signs, first in ((here, {}), *(((others, {"0": FIRST}),) if zero else ())):
        for blanks in dict.fromkeys([tuple(signs), *((sign,) for sign in signs), ()]):
            rank = _rank(signs, blanks, holed, numbered)
            if zero and "0" in {*signs} - {*blanks} and numbered and not holed:
                rank = 0
            if rank is not None:
                yield hole | {sign: BLANK if sign in blanks else HOLE for sign in signs} | first, rank


def _rank(signs: Sequence[str], blanks: Sequence[str], holed: bool, numbered: bool) -> int | None:
    """Return how natural it is that of these signs the ``blanks`` are blanks and the others holes; None if it can't be.
    There are several ways beside other holes, or in a numbered board."""
    if not signs or (len(signs) == 1 and len(blanks) == 1):
        return 0
    if not blanks:
        return {"-1": 0, "*": 0, "x": 0, NOTHING: 1, SPACE: 1}.get(signs[0]) if len(signs) == 1 and numbered else None
    if [*signs] == [*blanks] == ["_", "."]:
        return 0
    if len(blanks) > 1 or (holed and [*signs] == ["_", "."]):
        return UNLIKELY
    return 0 if blanks[0] == signs[0] or frozenset((signs[0], blanks[0])) in _DOUBTFUL else 1
