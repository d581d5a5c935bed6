"""Cuts a text of a board into rows of cells, whatever program wrote it; `grids` says what the cells mean.

Three forms of a text are told apart by its content:

* **Brackets**: lists of JSON, Python, NumPy, C, MATLAB and MiniZinc. Each innermost pair of brackets is a row; a single
  pair has rows that end with ``;``, ``|`` or the line. A name before ``=`` is passed over.
* **Lines with separators**: ``|``, tabs, semicolons or commas if they are in every line, else spaces. Frames are left
  out, those of box-drawing characters too. A map such as ``..#`` below ``...`` has a cell for each character.
* **Fixed width**: words in columns, between which spaces stand for squares.

A line with a word of two letters, above or below the rows, is a caption. ``layer 1`` begins a layer, and ``forbid
a1-b1`` is a wall.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import FREE_VERTICES
from cpsat_tour.spaces.lattice import file_letters

MAX_FIXED = 1 << 20
"""The number of characters up to which a grid is searched for spaces that stand for squares."""

NOTHING, SPACE = "", " "
"""The cells of which a separator, or the width of the columns, shows that there is nothing in them."""

REMEDY = "write . for each blank and # for each hole"

_ALIKE = str.maketrans(
    dict.fromkeys(map(chr, range(0x2500, 0x2580)), "+")
    | dict.fromkeys("│┃┆┇┊┋╎╏║¦", "|")
    | dict.fromkeys("█▓■⬛◼", "#")
    | dict.fromkeys("□⬜▢◻·∙", ".")
    | {"−": "-", "–": "-", "—": "-", "×": "x", "\xa0": " ", "\r": None}
)
"""What stands for a character that is read: frames, squares, dashes."""

_WORDS = {r"(?i)\btrue\b": "1", r"(?i)\bfalse\b": "0", r"\\\\|\\[a-z]+(?:\{[^{}\n]*\})*": "", r",\s*dtype=[\w.]+": ""}
"""What stands for the words of a mask, of LaTeX and of NumPy."""

_LISTS = re.compile(r"(?m)^[^\S\n]*(?=[\[({])|=[^\n=\[({]*(?:\[\])*[^\S\n]*\(?\s*(?=[\[({])|(?=[\[({]\s*[\[({])")
"""The place where lists in brackets begin: a line, a value, or two brackets."""

_GROUP = re.compile(r"[\[({]([^\[\](){}]*)[\])}]")
_FRAME = re.compile(r"[-+=][-+=:]{2}")
_TIGHT = re.compile(r"[.#0-9xX_*?-]{3,}")
_DECIMAL = re.compile(r"\d+\.\d+")
_BETWEEN = re.compile(r"(?<=\S) +(?=\S)")
_WORD = re.compile(r"(?<![^\W_])(?!(?i:none|null|nan|na|nil|x+)\b)[^\W\d_]{2,}(?![^\W_])")


class Table(NamedTuple):
    """Rows of cells by line number; the separator of the cells, nothing for spaces, or if frames show the ends; and
    whether the spaces between them are so wide that there may be cells."""

    rows: Mapping[int, Sequence[str]] = {}
    mark: str = ""
    wide: bool = False


@dataclass
class Cut:
    """A text in rows of cells: the ``table`` of all rows, and the one ``below`` the first line if that may be a size or
    labels, whose cells are ``first``; ``captions`` by line number; how many columns each line of letters labels; the
    walls; the number of layers that are announced. ``body`` is the text without captions, ``source`` says where it is
    from."""

    source: str
    captions: dict[int, str] = field(default_factory=dict)
    labels: list[int] = field(default_factory=list)
    walls: list[str] = field(default_factory=list)
    layers: int = 0
    body: str = ""
    table: Table = field(default_factory=Table)
    below: Table = field(default_factory=Table)
    first: list[str] = field(default_factory=list)


def cut_into_cells(text: str, source: str) -> Cut:
    """Return the rows of cells of a text; `BadInput` if a line between its rows is not one."""
    found, lines, empty = Cut(source), dict[int, str](), list[int]()
    text = text.translate(_ALIKE)
    for pattern, word in _WORDS.items():
        text = re.sub(pattern, word, text)
    if lists := _LISTS.search(text):
        found.body = text[lists.end() : 1 + max(map(text.rfind, "])}"))]
        found.table = _rows_in_brackets(found.body, text.count("\n", 0, lists.end()) + 1, source)
        return found
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.split()
        first = words[0].lower().lstrip("-") if words else ""
        if first == "layer":
            found.layers += 1
        elif first == "forbid":
            found.walls += words[1:]
        elif width := _labelled_columns(line):
            found.labels.append(width)
        elif _WORD.search(line):
            found.captions[number] = line.strip()
        elif words or "\t" in line:
            lines[number] = line
        elif not line:
            empty.append(number)
    if not _are_tight([*lines.values()]):
        frame = {*"-+=|: \t"}
        lines = {number: line for number, line in lines.items() if {*line} - frame or not _FRAME.search(line)}
    if not all("\t" in line for line in lines.values()):  # else a line of tabs alone is a row without numbers
        lines = {number: line for number, line in lines.items() if line.strip()}
    for number, line in found.captions.items():
        if lines and min(lines) < number < max(lines):
            raise BadInput(f"{source}, line {number}: {line[:40]!r} stands between rows of squares, and is none")
    gaps = [number for number in empty if lines and min(lines) < number < max(lines)]
    if 0 < len(gaps) < len(lines) - 1 and not (found.labels or found.layers):
        raise BadInput(f"{source}, line {gaps[0]}: an empty line stands between rows, as between two grids: give one")
    found.body = "\n".join(lines.values())
    if lines:
        found.table = _rows_in_lines(lines, source, labelled=bool(found.labels))
        top = next(iter(lines))
        found.first = re.split(r"\s*[\s,;|]\s*", re.sub(r"(?<=\d)[xX*](?=\d)", " ", lines.pop(top).strip(" ,;|")))
        counts = [[*map(str, range(begin, begin + len(found.first)))] for begin in (0, 1)]
        if lines and (len(found.first) < 3 or found.first in counts or re.search("[a-wyzA-WYZ]", "".join(found.first))):
            found.below = _rows_in_lines(lines, source, labelled=bool(found.labels))
    return found


def member_of_object(text: str) -> str:
    """Return the member of a JSON object that is a list of lists or of texts, if there is one; else the text itself, as
    of a problem that this program wrote."""
    if text.lstrip()[:1] == "{":
        with suppress(ValueError, RecursionError):
            data = json.loads(text)
            members = [value for value in data.values() if isinstance(value, list) and value]
            lists = [member for member in members if all(isinstance(row, list | str) for row in member)]
            return json.dumps(lists[0]) if len(lists) == 1 and data.keys().isdisjoint(("problem", "closed")) else text
    return text


def _labelled_columns(line: str) -> int:
    """Return how many columns a line labels if its words are a, b, c, … without a gap; else 0."""
    words = re.sub(r"[|,;]", " ", line).lower().split() if line.lstrip(" |,;\t")[:1] in ("a", "A") else []
    return len(words) * (words == [*map(file_letters, range(len(words)))])


def _rows_in_brackets(body: str, line: int, source: str) -> Table:
    """Return the row of each innermost pair of brackets, numbered from ``line``; `BadInput` if something stands between
    them, or brackets are missing."""
    texts = [group[1] for group in _GROUP.finditer(body)]
    between = re.sub(r"[\s,;→=>-]", "", _GROUP.sub("", body)).strip("[](){}")
    if re.search(r"[\])}][\[({]", re.sub(r"[^\[\](){}]", "", _GROUP.sub("", body))):
        raise BadInput(f"{source} has several lists of rows: give one")
    opened, closed = (sum(map(body.count, marks)) for marks in ("[({", "])}"))
    if opened > closed or not texts or between:
        wrong = "they are not all closed" if opened > closed else f"{between[:20]!r} stands between them"
        raise BadInput(f"{source} begins with brackets, and {wrong}: write a list of rows, such as [[1, 0], [0, 4]]")
    if len(texts) == 1:
        mark = next((mark for mark in "|;" if mark in texts[0].strip("|;")), "\n")
        texts = [text for text in texts[0].strip("| ").split(mark) if text.strip()]
    rows = [
        [cell.strip(" '\"\n\t") for cell in re.split(r"[,;]|(?<=[^,;\s])\s+(?=[^,;\s])", text.strip())]
        for text in texts
    ]
    words = [cell for row in rows for cell in row if cell]
    if re.search("['\"]", body) and len(words) > 1 and all(map(_TIGHT.fullmatch, words)):
        rows = [[*word] for word in words]
    return Table(dict(enumerate(rows, start=line)), "[")


def _are_tight(lines: Sequence[str]) -> bool:
    """Return True if these are the lines of a map in which each character is a cell."""
    bare = [line.strip() for line in lines]
    return len({*map(len, bare)}) == 1 and all(map(_TIGHT.fullmatch, bare)) and not all(map(_DECIMAL.fullmatch, bare))


def _rows_in_lines(lines: Mapping[int, str], source: str, *, labelled: bool) -> Table:
    """Cut lines into cells at the separator that they share."""
    if _are_tight([*lines.values()]):
        return Table({number: [*line.strip()] for number, line in lines.items()})
    bare = [line.strip(" ") for line in lines.values()]
    for mark in (mark for mark in "|\t;,&" if all(mark in line for line in bare)):
        begin, end = ([line[place] == "|" == mark for line in bare] for place in (0, -1))
        if not (framed := all(begin) and all(end)):  # else a first or last cell may be empty
            begin, end = ([line[place] == "|" == mark for line in lines.values()] for place in (0, -1))
        first, last = int(all(begin)), int(all(end))
        texts = bare if framed else [*lines.values()]
        cells = [[word.strip() for word in line[first : len(line) - last].split(mark)] for line in texts]
        if not any(" " in cell for row in cells for cell in row):
            return Table(dict(zip(lines, cells, strict=True)), "" if framed else mark)
    plain = [re.sub("[|;,]", " ", line).rstrip() for line in lines.values()]
    spaced = None if labelled else _with_missing_squares(plain)
    if spaced and max(lines) - min(lines) >= len(lines):
        raise BadInput(f"{source}: a line between rows with spaces may be a row: {REMEDY}")
    rows = spaced or [line.split() for line in plain]
    least = min(map(len, _BETWEEN.findall("\n".join(plain))), default=0)
    wide = least > 1 + max((len(cell) for row in rows for cell in row), default=0)
    return Table(dict(zip(lines, rows, strict=True)), "", wide)


def _with_missing_squares(lines: Sequence[str]) -> list[list[str]] | None:
    """Split each line into words of a fixed width, where a space can stand for a missing square; None if none is
    missing, or no width fits all lines."""
    if sum(map(len, lines)) > MAX_FIXED:
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
