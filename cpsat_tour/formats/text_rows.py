"""A text as rows of cells, shared by all forms that have an edge, or a vertex with its neighbours, a line.

``#`` begins a comment, at the start of a line or after a space, ``%`` one at the start of a line; the attributes that
networkx writes after an edge, in braces, and the brackets around a row are left out. Cells are separated by ``;`` or by
tabs if every row has them, by commas if there is one, else by spaces; then names can't have spaces. Points in brackets
are names without them: networkx writes ``(0, 1) (1, 1) {}`` for an edge of a grid, from ``0,1`` to ``1,1``.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from cpsat_tour.core.errors import quoted
from cpsat_tour.formats.files import GraphFault
from cpsat_tour.formats.named_graphs import Ask

_COMMENT = re.compile(r"(?:^|\s)#")
_ATTRIBUTES = re.compile(r"^(\s*[^\s:{]+\s+(?:->\s+)?[^\s:{]+)\s+\{(?:['\"].*)?\}\s*$")
_BRACKETS = re.compile(r"^\s*[\[({]+([^\[\](){}]*)[\])}]+[,;.]?\s*$")
_POINT = re.compile(r"\(\s*(-?\d+(?:\s*,\s*-?\d+)+)\s*\)")
_TWO_POINTS = re.compile(f"{_POINT.pattern}[^()]*{_POINT.pattern}")
_NAMES_OF_POINTS = re.compile(r"(?:\s*(?:(?:->|--|:)\s*)?-?\d+(?:,-?\d+)+(?=[\s:-]|$))+(?:\s+[-+.\deE]+)?\s*")

DIRECTIONS = {"directed": True, "undirected": False, "asym": True, "sym": False}
"""What a comment says about the edges: the first word of those of SNAP, of KONECT, of ours."""


@dataclass(frozen=True)
class Text:
    """The text of a graph file whose form is sought, and what its readers are told besides."""

    whole: str
    ask: Ask

    @cached_property
    def bracketed(self) -> bool:
        """True if there are round brackets, as there are around points: without them a pair of numbers may be two
        names."""
        return "(" in self.whole

    @cached_property
    def lines(self) -> list[str]:
        """The lines without comments, attributes and brackets; those that are empty then stay."""
        found, several = [], self.bracketed and any(map(_TWO_POINTS.search, self.whole.splitlines()))
        for raw in self.whole.split("\n"):
            line = "" if raw.startswith(("#", "%")) else raw
            if "#" in line and not {",", ";"} & {*(before := _COMMENT.split(line, maxsplit=1)[0])}:
                line = before
            if several and ")" in line:
                line = _with_points_as_names(line)
            if "{" in line:
                line = _ATTRIBUTES.sub(r"\1", line)
            found.append(_BRACKETS.sub(r"\1", line) if line.lstrip()[:1] in ("[", "(", "{") else line)
        while found and not found[-1].strip():
            found.pop()
        return found

    def body(self) -> list[tuple[int, str]]:
        """Return the lines but those that are comments, each with its number: an empty one may be a vertex."""
        lines = zip(self.lines, self.whole.split("\n"), strict=False)
        return [(number, line) for number, (line, raw) in enumerate(lines, start=1) if raw[:1] not in ("#", "%")]

    @cached_property
    def count(self) -> int:
        """The number of lines that are not empty."""
        return sum(1 for line in self.lines if line.strip())

    @cached_property
    def mark(self) -> str | None:
        """What stands between two cells; None for spaces."""
        filled = [line for line in self.lines if line.strip()]
        for mark in ";\t":
            if all(mark in line for line in filled[1:] or filled):  # above them may be a number alone
                return mark
        return "," if any("," in line for line in filled) and not self.names_points else None

    @cached_property
    def names_points(self) -> bool:
        """True if each line names points, such as ``0,1 1,1``."""
        filled = [line for line in self.lines if line.strip()]
        return all(map(_NAMES_OF_POINTS.fullmatch, filled)) and any(len(line.split()) > 1 for line in filled)

    @cached_property
    def said(self) -> bool | None:
        """True if a comment says that the edges are directed, False if undirected, None if none says so."""
        comments = [word.lower() for word in re.findall(r"^[#%]\s*(\w+)", self.whole[:2000], re.MULTILINE)]
        if "bip" in comments:
            raise GraphFault(1, "its two columns number two kinds of vertices, bip, each from 1: number them as one")
        return next((DIRECTIONS[word] for word in comments if word in DIRECTIONS), None)

    def cells(self, line: str, number: int) -> list[str]:
        """Return the cells of a line; `GraphFault` if its quotation marks don't fit."""
        mark = None if self.mark == "\t" and "\t" not in line else self.mark
        if '"' not in line:
            return [" ".join(cell.split()) for cell in line.split(mark)]
        try:
            plain = line if mark else " ".join(line.split())
            (row,) = csv.reader([plain], delimiter=mark or " ", strict=True, skipinitialspace=True)
        except (csv.Error, ValueError) as fault:
            raise GraphFault(number, f"{quoted(line)} is not a row of a CSV file") from fault
        return [" ".join(cell.split()) for cell in row]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not empty, each with the number of its line."""
        for number, line in enumerate(self.lines, start=1):
            if line.strip() and not line.lower().startswith("sep="):
                yield number, self.cells(line, number)


def _with_points_as_names(line: str) -> str:
    """Return a line of points, ``(0, 1) (1, 1)`` or ``((0, 1), (1, 1))``, as one with their names, ``0,1 1,1``. Pairs
    that commas alone separate may be edges between numbers, and stay as they are."""
    named, points = _POINT.subn(lambda point: f" {''.join(point[1].split())} ", line)
    inside = re.fullmatch(r"\s*[\[(](.*)[\])],?\s*", named)
    if not points or (" ," in named and not inside and ":" not in named):
        return line
    return (inside[1] if inside else named).replace(" ,", " ").replace(" :", ":")
