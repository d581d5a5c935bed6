"""Boards of four rows, which have no closed tour: a tour of a narrow board, stretched.

Between some two columns the narrow tour makes the four moves by one column, and no other move crosses there; each may go on as a zigzag between
its two rows through any even number of new columns, and the four zigzags fill these. Both ends lie in the outer rows, as the moves between
outer and inner rows show (Pósa).

Limits: the zigzags lead an even number of times across their columns, so none go between the ends. Ends that are given more than about ten
columns apart are not found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.native.construct.frame import Frame
from cpsat_tour.native.construct.pieces import Move, Piece, Place, tour_of

BEFORE, AFTER = 3, 4
"""Columns that stay between a cut and the end of the board, or a column with an end of the tour, on its right and on its left."""

MAX_BRANCHINGS = 1_000_000
"""Of the search for a narrow tour between given ends, which is harder than on other boards."""

ZIGZAGS = ((0, 2), (2, 0), (1, 3), (3, 1))
"""The rows of each move that crosses a cut."""


@dataclass(frozen=True)
class StretchedTour:
    """A narrow tour and the stretches: each the narrow column before it and the number of columns that are new."""

    frame: Frame
    narrow: tuple[Place, ...]
    stretches: tuple[tuple[int, int], ...]

    def chunks(self) -> Iterator[Ints]:
        """The squares in the order of the visit, as rows and columns, some at a time."""
        kept: list[Place] = []
        for here, there in pairwise((*self.narrow, None)):
            assert here is not None
            kept.append((here[0], self._widened(here[1])))
            for after, new in self.stretches:
                if there is not None and (here[1] <= after) != (there[1] <= after):
                    yield self._outside(np.array(kept, dtype=np.int32))
                    yield self._outside(_zigzag(kept[-1], there[0], new, forward=here[1] <= after))
                    kept = []
        yield self._outside(np.array(kept, dtype=np.int32))

    def _widened(self, col: int) -> int:
        return col + sum(new for after, new in self.stretches if col > after)

    def _outside(self, squares: Ints) -> Ints:
        return squares[:, ::-1] if self.frame.transposed else squares


def stretched_tour(frame: Frame, start: Place, end: Place | None) -> StretchedTour | None:
    """An open tour between these squares of the asker; None where the narrow tour was not found."""
    ends = [frame.inside(square) for square in (start, end) if square is not None]
    gone, stretches = 0, []
    anchors = sorted({0, frame.cols - 1, *(col for _, col in ends)})
    for left, right in pairwise(anchors):
        new = (right - left - 1 - BEFORE - AFTER) // 2 * 2
        if new > 0:
            stretches.append((left + BEFORE - gone, new))
            gone += new
    # What follows a stretch moves to the left; columns of the ends stay.
    narrow = [(row, col - sum(new for after, new in _placed(stretches) if col > after)) for row, col in ends]
    crossing = [move for after, _ in stretches for move in _by_one_column(after)]
    others = [move for after, _ in stretches for move in _by_two_columns(after, frame.cols - gone)]
    last = narrow[1] if end is not None else None
    piece = Piece(4, frame.cols - gone, narrow[0], last, tuple(crossing), tuple(others))
    tour = tour_of(piece, MAX_BRANCHINGS)
    return None if tour is None else StretchedTour(frame, tour, tuple(stretches))


def _placed(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The stretches with the wide column before each."""
    placed, gone = [], 0
    for after, new in stretches:
        placed.append((after + gone, new))
        gone += new
    return placed


def _by_one_column(after: int) -> list[Move]:
    return [((here, after), (there, after + 1)) for here, there in ZIGZAGS]


def _by_two_columns(after: int, cols: int) -> list[Move]:
    """The other moves that cross."""
    rows = [(here, there) for here in range(4) for there in (here - 1, here + 1) if 0 <= there < 4]
    return [((here, left), (there, left + 2)) for left in (after - 1, after) if left + 2 < cols for here, there in rows]


def _zigzag(last: Place, other: int, new: int, *, forward: bool) -> Ints:
    """The squares in the new columns on from the last one before them, between its row and the other."""
    squares = np.empty((new, 2), dtype=np.int32)
    squares[0::2, 0], squares[1::2, 0] = other, last[0]
    squares[:, 1] = last[1] + np.arange(1, new + 1) * (1 if forward else -1)
    return squares
