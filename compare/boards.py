"""Which problems a study asks: boards and other spaces by patterns, graphs by files, kinds of tour, start squares.

A pattern is a space as people write it, such as ``8x8``, ``4x4x3`` or ``GP(17,2)``, in which any number may be a range:
``6..20``, ``6..20:2`` by steps of 2, ``1..8x1..8``, ``GP(5..50:5,2)``. A range without a second side means square
boards. Anything else is a path, or a glob pattern, of graph files.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from pathlib import Path
from typing import NamedTuple

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats import typed
from cpsat_tour.spaces.kinds import is_space, parse_space
from cpsat_tour.spaces.lattice import Lattice
from cpsat_tour.spaces.symmetry import NAMES

TOUR_KINDS = ("open", "closed")
"""Either may be followed by the name of a symmetry: ``closed rot90``."""

MAX_BOARDS = 100_000
"""More boards than this in one pattern are a slip of the pen."""

graph_of = lru_cache(maxsize=16)(typed.graph_of)
"""Returns the graph of a board, of another space, or of a graph file."""

_RANGE = re.compile(r"([0-9]{1,6})\.\.([0-9]{1,6})(?::([0-9]{1,6}))?")


class BoardQuestion(NamedTuple):
    """One problem as plain text: a board such as ``8x8``, a graph by its name or file, the kind of tour, and the start
    if it is fixed.

    The kind is ``open`` or ``closed``, or one of these and the symmetry of the tour, such as ``closed rot90``.
    """

    board: str
    kind: str
    start: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.board}" + (f" from {self.start}" if self.start else "")


def grid_place(board: str) -> tuple[int, int] | None:
    """Return the row and the column of a board in a grid of boards; None for a space that has not two sides."""
    space = parse_space(board)
    return (space.sides[0], space.sides[1]) if isinstance(space, Lattice) and len(space.sides) == 2 else None


def expand(patterns: Iterable[str], folder: Path | None = None) -> list[str]:
    """Return the boards, graphs and graph files of the patterns, each once, in order; paths are read from the folder,
    by default the current one. `BadInput` if a pattern names nothing, or too much."""
    found: dict[str, None] = {}
    for pattern in patterns:
        found |= dict.fromkeys(_spaces(pattern) or _files(pattern, folder))
    return list(found)


def _spaces(pattern: str) -> list[str]:
    """Return the spaces that a pattern stands for, an empty list if it is not a pattern of spaces; `BadInput` if there
    are none, or too many."""
    if not is_space(_RANGE.sub("1", pattern)):
        return []
    ranges = [_range(pattern, *match.groups()) for match in _RANGE.finditer(pattern)]
    if (number := prod(map(len, ranges))) > MAX_BOARDS:
        raise BadInput(f"{pattern!r} means {number:,} boards: at most {MAX_BOARDS:,} are allowed")
    blank = _RANGE.sub("{}", pattern)
    return [str(parse_space(blank.format(*numbers))) for numbers in product(*ranges)]


def _range(pattern: str, low: str, high: str, step: str | None) -> range:
    """Return the numbers of a range; raise `BadInput` if there are none."""
    numbers = range(int(low), int(high) + 1, int(step or 1) or 1)
    if not numbers or step == "0":
        raise BadInput(f"{pattern!r} gives no boards: write a range such as 6..20 or 6..20:2, the lesser number first")
    return numbers


def _files(pattern: str, folder: Path | None) -> list[str]:
    """Return the files that a path or a glob pattern names; raise `BadInput` if one is not there."""
    path = str((folder or Path()) / pattern)
    found = sorted(glob.glob(path)) if glob.has_magic(path) else [path]
    if not found or not all(Path(file).is_file() for file in found):
        raise BadInput(
            f"{pattern!r} is neither a board nor a file: write 8x8, a range such as 6..20:2 or 4x5..30, or "
            "the path of a graph file"
        )
    return found


def questions(boards: Sequence[str], kinds: Sequence[str], starts: Sequence[str] | None = ()) -> list[BoardQuestion]:
    """Return a question for every board, kind of tour and start square; ``()`` leaves the start free, None means each
    square in turn."""
    for kind in kinds:
        if not is_kind(kind):
            raise BadInput(
                f"{kind!r:.80} is not a kind of tour: write open, closed, or one of them and a symmetry, such "
                "as 'closed rot90'"
            )
    return [BoardQuestion(board, kind, start) for board in boards for kind in kinds for start in _starts(board, starts)]


def is_kind(text: str) -> bool:
    """Return True if this is a kind of tour, perhaps with a symmetry."""
    kind, _, symmetry = text.partition(" ")
    return kind in TOUR_KINDS and ((not symmetry and " " not in text) or symmetry in NAMES)


def _starts(board: str, starts: Sequence[str] | None) -> Sequence[str | None]:
    """Return the names of the start squares of a board, of all squares for None; for ``()`` a list of None alone, which
    leaves the start free."""
    if starts is not None and not starts:
        return [None]
    graph = graph_of(board)
    vertices = range(graph.order) if starts is None else [graph.space.vertex(name) for name in starts]
    return [graph.name(vertex) for vertex in vertices]


def problem_of(question: BoardQuestion) -> Problem:
    """Return the problem that the question asks; `BadInput` if there is no such board, start or symmetry."""
    graph = graph_of(question.board)
    kind, _, name = question.kind.partition(" ")
    start = None if question.start is None else graph.space.vertex(question.start)
    symmetry = typed.symmetry_of(graph, name, closed=kind == "closed") if name else None
    return Problem(graph, kind == "closed", start, symmetry=symmetry)
