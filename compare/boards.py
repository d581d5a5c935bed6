"""Which problems a study asks: boards by patterns, graphs by files, kinds of tour, start squares.

A pattern is a square board or range of them (``8``, ``6..20``, ``6..20:2`` by steps of 2), or rows x cols where either side may be a range
(``4x5..30``, ``1..8x1..8``), or so a member of a family of graphs (``GP(5..50:5,2)``, ``cubic(100,1..3)``; see `families`). Anything else is
a path, or a glob pattern, of graph files.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.families import FAMILIES, member

KINDS = ("open", "closed")

MOST_BOARDS = 100_000
"""More boards than this in one pattern are a slip of the pen."""

_SIDE = r"([0-9]{1,6})(?:\.\.([0-9]{1,6})(?::([0-9]{1,6}))?)?"
_PATTERN = re.compile(rf"{_SIDE}(?:[xX]{_SIDE})?")
_FAMILY = re.compile(rf"({'|'.join(FAMILIES)})\({_SIDE},{_SIDE}\)")
_BOARD = re.compile(r"[0-9]+x[0-9]+")


@dataclass(frozen=True, order=True)
class Question:
    """One problem as plain text: a board such as ``8x8``, a graph by its name or file, the kind of tour, and the start if it is fixed."""

    board: str
    kind: str
    start: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.board}" + (f" from {self.start}" if self.start else "")

    @property
    def sides(self) -> tuple[int, int] | None:
        """Rows and columns; None for a graph."""
        return sides(self.board)


def sides(board: str) -> tuple[int, int] | None:
    """Rows and columns of a board such as ``8x8``; None for a graph."""
    if not _BOARD.fullmatch(board):
        return None
    rows, _, cols = board.partition("x")
    return int(rows), int(cols)


def expand(patterns: Iterable[str], folder: Path | None = None) -> list[str]:
    """The boards, graphs and graph files of the patterns, each once, in order; paths are read from the folder (default: where we are)."""
    found: dict[str, None] = {}
    for pattern in patterns:
        found |= dict.fromkeys(_rectangles(pattern) or _members(pattern) or _files(pattern, folder))
    return list(found)


def _rectangles(pattern: str) -> list[str]:
    match = _PATTERN.fullmatch(pattern.strip())
    if match is None:
        return []
    first, second = _side(pattern, *match.groups()[:3]), _side(pattern, *match.groups()[3:])
    _check_number(pattern, len(first) * max(len(second), 1))
    return [f"{rows}x{cols}" for rows in first for cols in (second or [rows])]


def _members(pattern: str) -> list[str]:
    match = _FAMILY.fullmatch(pattern.strip())
    if match is None:
        return []
    first, second = _side(pattern, *match.groups()[1:4]), _side(pattern, *match.groups()[4:])
    _check_number(pattern, len(first) * len(second))
    names = [f"{match[1]}({one},{other})" for one in first for other in second]
    for name in names:
        graph_of(name)
    return names


def _check_number(pattern: str, number: int) -> None:
    if number > MOST_BOARDS:
        raise BadInput(f"{pattern!r} means {number:,} boards: at most {MOST_BOARDS:,} are allowed")


def _side(pattern: str, low: str | None, high: str | None, step: str | None) -> range:
    if low is None:
        return range(0)
    lengths = range(int(low), int(high or low) + 1, int(step or 1) or 1)
    if not lengths or lengths[0] < 1 or step == "0":
        raise BadInput(f"{pattern!r} means no boards: write a side such as 8, 6..20 or 6..20:2, from at least 1")
    return lengths


def _files(pattern: str, folder: Path | None) -> list[str]:
    path = str((folder or Path()) / pattern)
    found = sorted(glob.glob(path)) if glob.has_magic(path) else [path]
    if not found or not all(Path(file).is_file() for file in found):
        raise BadInput(f"{pattern!r} is no board and no file: write 8x8, a range such as 6..20:2 or 4x5..30, or the path of a graph file")
    return found


def questions(boards: Sequence[str], kinds: Sequence[str], starts: Sequence[str] | None = ()) -> list[Question]:
    """Every board with every kind of tour and every start square; ``()`` leaves the start free, None means each square in turn."""
    for kind in kinds:
        if kind not in KINDS:
            raise BadInput(f"{kind!r} is no kind of tour: write open or closed")
    return [Question(board, kind, start) for board in boards for kind in kinds for start in _starts(board, starts)]


def _starts(board: str, starts: Sequence[str] | None) -> Sequence[str | None]:
    if starts is not None and not starts:
        return [None]
    graph = graph_of(board)
    vertices = range(graph.order) if starts is None else [graph.space.vertex(name) for name in starts]
    return [graph.name(vertex) for vertex in vertices]


@lru_cache(maxsize=16)
def graph_of(board: str) -> Graph:
    """The graph of a board, of a member of a family, or of a graph file."""
    if sides(board) is not None:
        return Board.parse(board).graph
    if (graph := member(board)) is not None:
        return graph
    from cpsat_tour.formats.graph_files import read_graph

    return read_graph(board)


def problem_of(question: Question) -> HamiltonProblem:
    """The problem that the question asks."""
    graph = graph_of(question.board)
    return HamiltonProblem(graph, question.kind == "closed", None if question.start is None else graph.space.vertex(question.start))
