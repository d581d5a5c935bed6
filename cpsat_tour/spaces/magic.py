"""Magic tours: the rows of numbers add up alike, or the columns, or both (semimagic), and the diagonals too (magic).

The first semimagic knight's tour of the chessboard is Beverley's (1848); Mackay, Meyrignac & Stertenbrink (2003) showed
by exhaustion that there are 140 up to symmetry and none with magic diagonals. Here are the lines of a board, what each
has to add up to, and why on some boards none can:

* A line of an odd number of squares has one odd number more or less than even ones; where the next line begins with the
  other colour, it is the other way round, and the sums of the two differ in parity.
* On sides of 4a+2 and 4b+2 squares rows and columns can't both add up alike (after Jelliss). A move changes the parity
  of the row or of the column, and of one alone. Compare the sums over every second row and over every second column:
  they are alike, the odd numbers add the same to both, and so the even numbers of every second row add up to half of
  all even numbers. That half is odd.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem

MAGIC_KINDS = {
    "rows": ("rows",),
    "columns": ("columns",),
    "semi": ("rows", "columns"),
    "full": ("rows", "columns", "diagonals"),
}
"""What adds up alike, by the names that people give."""


@dataclass(frozen=True, eq=False)
class Magic:
    """The lines of a board that are to add up alike, in one of the `MAGIC_KINDS`; `BadInput` if the space is not a
    rectangle without holes, or for the diagonals not a square."""

    problem: Problem
    kind: str

    def __post_init__(self) -> None:
        if self.kind not in MAGIC_KINDS:
            raise BadInput(f"{self.kind!r:.40} can't be magic: choose one of {', '.join(MAGIC_KINDS)}")
        space = self.problem.graph.space
        if space.layout is None or len(space.layout.layers) != 1 or int(self.cells.min()) < 0:
            raise BadInput(f"{space.called()} is not a rectangle of squares: a magic tour needs one without holes")
        rows, cols = self.cells.shape
        if self.kind == "full" and rows != cols:
            remedy = "they can be magic on a square board"
            raise BadInput(f"the diagonals of {space.called()} are shorter than its rows: {remedy}")
        if self.problem.graph.order < 3:
            raise BadInput(f"{space.called()} has too few squares to be magic: choose one of at least 3")

    @property
    def cells(self) -> Ints:
        layout = self.problem.graph.space.layout
        assert layout is not None
        return layout.layers[0].cells

    @cached_property
    def families(self) -> dict[str, Ints]:
        """The lines by name, ``rows``, ``columns`` and ``diagonals``: arrays with the vertices of a line in each
        row."""
        lines = {"rows": self.cells, "columns": self.cells.T}
        if "diagonals" in MAGIC_KINDS[self.kind]:
            lines["diagonals"] = np.stack([np.diag(self.cells), np.diag(self.cells[:, ::-1])])
        return {name: lines[name] for name in MAGIC_KINDS[self.kind]}

    def target(self, lines: Ints) -> int:
        """Return what each of these lines has to add up to: its length times the mean of all numbers."""
        return int(lines.shape[1]) * (self.problem.graph.order + 1) // 2

    @property
    def words(self) -> str:
        """The sums in words: ``rows add up to 260, columns to 260``."""
        first, *others = [f"{name} to {self.target(lines):,}" for name, lines in self.families.items()]
        return ", ".join([first.replace(" to ", " add up to "), *others])

    def fault(self, tour: Ints) -> str | None:
        """Return the first line of a tour, numbered from its first vertex, that adds up to another sum, in words; None
        if there is none."""
        numbers = np.empty(len(tour), dtype=np.int64)
        numbers[tour] = np.arange(1, len(tour) + 1)
        for name, lines in self.families.items():
            sums = numbers[lines].sum(axis=1)
            if (wrong := np.flatnonzero(sums != self.target(lines))).size:
                which = int(wrong[0])
                return f"{name[:-1]} {which + 1} adds up to {sums[which]}, and not to {self.target(lines)}"
        return None

    def magic_rows(self, numbers: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the indices of the rows, each the numbers of all vertices, that are magic."""
        rows = np.arange(len(numbers))
        for line in (line for lines in self.families.values() for line in lines):
            rows = rows[numbers[rows[:, None], line].sum(axis=1) == self.target(line[None, :])]
        return rows

    def why_impossible(self) -> str | None:
        """Return why parity forbids a magic tour of this problem; None if it does not."""
        order = self.problem.graph.order
        for name, lines in self.families.items():
            length = lines.shape[1]
            if self._chequered and length % 2 and name != "diagonals" and len(lines) > 1:
                less, more = length // 2, length // 2 + 1
                turns = f"{name} have {less} and {more} odd numbers in turn, for colours alternate along a tour"
                return f"{turns}; so one {name[:-1]} adds up to an odd number and the next to an even one"
            if length * (order + 1) % 2:
                total = f"{order * (order + 1) // 2:,}"
                return f"all numbers add up to {total}, which {len(lines)} {name} of {length} squares can't share alike"
        rows, cols = self.cells.shape
        if self._chequered and {"rows", "columns"} <= set(self.families) and rows % 4 == cols % 4 == 2:
            half = f"half of all even numbers, which is {order // 4 * (order // 2 + 1):,}, an odd number"
            alike = "where rows and columns add up alike the even numbers of every second row add up to"
            return f"each move changes the parity of the row or of the column, so {alike} {half}"
        return None

    @cached_property
    def _chequered(self) -> bool:
        """True if each move changes the colour of the chequers, and so the parity of either the row or the column."""
        colour = np.empty(self.problem.graph.order, dtype=np.int64)
        colour[self.cells] = np.indices(self.cells.shape).sum(axis=0) % 2
        tails, heads = self.problem.graph.edges()
        return bool((colour[tails] != colour[heads]).all())
