"""Closed tours that a half or a quarter turn of the board moves along themselves, by a half or a quarter of their
length (Parberry 1997).

An open tour of one part of the board, a half or a quarter, that ends a move from where the turn takes its start; then
its turned copies, one after the other. A quarter turn asks for a square whose side is twice an odd number. On the board
of 6x6, whose quarters are too small, the tour is a piece that is kept.

Limits: half turns are for boards of two even sides, and of an odd side and one that is twice an odd number: others have
only tours that a half turn reverses, or halves that are no rectangles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.formats.visits import turned
from cpsat_tour.native.construct.kept import QUARTER_TURNED
from cpsat_tour.native.construct.pieces import Chunks, FixedTour, Place, colours_allow, walked
from cpsat_tour.spaces.board import leaper_directions
from cpsat_tour.spaces.lattice import KNIGHT

TURNS = {"rot180": 2, "rot180-eulerian": 2, "rot90": 4}
"""The symmetries by name: how many turns bring the board back."""

MAX_PAIRS = 100
"""Of ends of the part that are tried."""

NEAR = 8
"""Rows and columns of the centre in which the ends are."""


OpenTour = Callable[[int, int, Place, Place], Chunks | None]
"""An open tour of a board of these sides between these ends; None where none is found."""


@dataclass(frozen=True)
class TurnedTour:
    """A part and its turned copies, read from ``start``."""

    rows: int
    cols: int
    turns: int
    part: Chunks
    start: Place

    def chunks(self) -> Iterator[Ints]:
        """The squares in the order of the visit, as rows and columns, some at a time."""
        copy, before = self._place_of_start()
        skipped = 0
        for visits in self.part.chunks():
            yield self._turned(visits[max(0, before - skipped) :], copy)
            skipped += len(visits)
        for later in range(1, self.turns):
            for visits in self.part.chunks():
                yield self._turned(visits, copy + later)
        for visits in self.part.chunks():
            yield self._turned(visits[:before], copy)
            before -= len(visits)
            if before <= 0:
                return

    def _place_of_start(self) -> tuple[int, int]:
        """Which copy of the part the start is in, and how many squares come before it there."""
        before = 0
        sought = [
            self._turned(np.array([self.start], dtype=np.int32), self.turns - copy)[0] for copy in range(self.turns)
        ]
        for visits in self.part.chunks():
            for copy, square in enumerate(sought):
                here = np.flatnonzero((visits[:, 0] == square[0]) & (visits[:, 1] == square[1]))
                if here.size:
                    return copy, before + int(here[0])
            before += len(visits)
        raise AssertionError("the copies of the part cover the board")

    def _turned(self, visits: Ints, times: int) -> Ints:
        return turned(visits, self.rows, self.cols, times * (4 // self.turns))


def turned_tour(rows: int, cols: int, turns: int, start: Place, open_tour: OpenTour) -> TurnedTour | None:
    """The closed tour of the board from ``start`` that so many turns bring back; None where none was found."""
    if (rows, cols) == (6, 6):
        tour = walked((0, 0), QUARTER_TURNED)
        return TurnedTour(rows, cols, turns, FixedTour(tour[: len(tour) // turns]), start)
    for high, wide in _parts(rows, cols, turns):
        for first, last in islice(_ends(rows, cols, turns, (high, wide)), MAX_PAIRS):
            if (part := open_tour(high, wide, first, last)) is not None:
                return TurnedTour(rows, cols, turns, part, start)
    return None


def _parts(rows: int, cols: int, turns: int) -> Iterator[tuple[int, int]]:
    """The sides of the top left parts that the board may be made of."""
    if turns == 4:
        if rows == cols and rows % 4 == 2:
            yield rows // 2, cols // 2
        return
    if cols % 2 == 0:
        yield rows, cols // 2
    if rows % 2 == 0:
        yield rows // 2, cols


def _ends(rows: int, cols: int, turns: int, part: tuple[int, int]) -> Iterator[tuple[Place, Place]]:
    """Ends of a tour of the part, the last a move from where the turn takes the first, of possible colours; nearest to
    the centre first."""
    high, wide = part
    down_there, right_there = (
        range(max(0, side // 2 - NEAR), min(end, side // 2 + NEAR)) for side, end in ((rows, high), (cols, wide))
    )
    for last in sorted(
        product(down_there, right_there),
        key=lambda square: abs(rows - 1 - 2 * square[0]) + abs(cols - 1 - 2 * square[1]),
    ):
        beyond = np.array(
            [(last[0] + down, last[1] + right) for down, right in leaper_directions(KNIGHT)], dtype=np.int32
        )
        for row, col in turned(beyond, rows, cols, 4 - 4 // turns).tolist():
            if (
                0 <= row < high
                and 0 <= col < wide
                and (row, col) != last
                and colours_allow(high, wide, (row, col), last)
            ):
                yield (row, col), last
