"""Boards of four rows, which have no closed tour: a tour of a narrow board, stretched.

Outer squares have moves to inner ones alone, so a tour has its ends among them and makes one move between inner squares
(Pósa). Before it the outer squares are all of one colour and the inner ones of the other, after it the others: two
*strands*. In each, a column has an outer and an inner square, and moves lead to the other kind one or two columns away.
From seven columns on such a graph has a path from any outer to any inner square, so any two outer squares of different
colours are the ends of a tour.

The narrow tour is cut where all moves that cross lead on by one column. A strand that crosses twice goes on as two
zigzags through any even number of new columns; one that crosses once, as the second does between the ends, weaves
through four new columns at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.native.construct.frame import Frame
from cpsat_tour.native.construct.pieces import Move, Piece, Place, tour_of

BEFORE, AFTER = 3, 4
"""Columns that stay between a cut and the end of the board, or a column with an end of the tour, on its right and on
its left."""

MIN_LACED = 7
"""Columns from which on any two outer squares of different colours are the ends of a tour."""

WEAVE = np.array((1, 3, 4, 2, 3, 1, 2, 4), dtype=np.int32)
"""The new columns in the order in which a strand that crosses once visits them, beginning with the inner square of the
first."""


@dataclass(frozen=True)
class Stretch:
    """New columns behind a narrow one; ``between`` the ends the second strand crosses once."""

    after: int
    new: int
    between: bool


@dataclass(frozen=True)
class StretchedTour:
    """A narrow tour and its stretches."""

    frame: Frame
    narrow: tuple[Place, ...]
    stretches: tuple[Stretch, ...]

    def chunks(self) -> Iterator[Ints]:
        """The squares in the order of the visit, as rows and columns, some at a time."""
        kept: list[Place] = []
        for here, there in pairwise((*self.narrow, self.narrow[-1])):
            kept.append((here[0], here[1] + sum(stretch.new for stretch in self.stretches if here[1] > stretch.after)))
            for stretch in self.stretches:
                if (here[1] <= stretch.after) != (there[1] <= stretch.after):
                    yield self._outside(np.array(kept, dtype=np.int32))
                    insert = _woven if stretch.between and _strand(here) == _strand(self.narrow[-1]) else _zigzag
                    yield self._outside(insert(kept[-1], there[0], stretch.new, 1 if there[1] > here[1] else -1))
                    kept = []
        yield self._outside(np.array(kept, dtype=np.int32).reshape(-1, 2))

    def _outside(self, squares: Ints) -> Ints:
        return squares[:, ::-1] if self.frame.transposed else squares


def stretched_tour(frame: Frame, start: Place, end: Place | None) -> StretchedTour | None:
    """An open tour between these squares of the asker, by default to the other outer square of the column; None where
    none was found."""
    first, last = frame.inside(start), None if end is None else frame.inside(end)
    if frame.cols < MIN_LACED:
        tour = tour_of(Piece(4, frame.cols, first, last))
        return None if tour is None else StretchedTour(frame, tour, ())
    last = last or (3 - first[0], first[1])
    stretches, narrow, gone = [], {}, 0
    for left, right in pairwise(sorted({0, first[1], last[1], frame.cols - 1})):
        narrow[left] = left - gone
        between = {left, right} == {first[1], last[1]}
        unit = len(WEAVE) // 2 if between else 2
        if (new := (right - left - 1 - BEFORE - AFTER) // unit * unit) > 0:
            stretches.append(Stretch(left + BEFORE - gone, new, between))
            gone += new
    narrow[frame.cols - 1] = frame.cols - 1 - gone
    first, last = (first[0], narrow[first[1]]), (last[0], narrow[last[1]])
    require, forbid, inner = list[Move](), list[Move](), list[Move]()
    for move in _moves(frame.cols - gone):
        if all(row in (1, 2) for row, _ in move):
            inner.append(move)
        for stretch in (stretch for stretch in stretches if move[0][1] <= stretch.after < move[1][1]):
            near = move[0] if first[1] <= stretch.after else move[1]
            back = stretch.between and _strand(near) == _strand(last) and near[0] in (1, 2)
            (forbid if back or move[1][1] - move[0][1] == 2 else require).append(move)
    inner.sort(key=lambda move: sum(abs(col - first[1]) for _, col in move))
    for number, move in enumerate(inner[:2]):
        others = inner[:number] + inner[number + 1 :]
        if tour := tour_of(Piece(4, frame.cols - gone, first, last, (move, *require), (*others, *forbid))):
            return StretchedTour(frame, tour, tuple(stretches))
    return None


def _strand(square: Place) -> int:
    """Which strand a square is in."""
    return (sum(square) + (square[0] in (1, 2))) % 2


def _moves(cols: int) -> Iterator[Move]:
    """All moves of so many columns, from the left to the right."""
    for row, col in product(range(4), range(cols)):
        for down, right in ((-2, 1), (2, 1), (-1, 2), (1, 2)):
            if 0 <= row + down < 4 and col + right < cols:
                yield (row, col), (row + down, col + right)


def _zigzag(last: Place, other: int, new: int, step: int) -> Ints:
    """The squares in the new columns on from the last one before them, between its row and the other."""
    squares = np.empty((new, 2), dtype=np.int32)
    squares[0::2, 0], squares[1::2, 0] = other, last[0]
    squares[:, 1] = last[1] + step * np.arange(1, new + 1)
    return squares


def _woven(last: Place, _other: int, new: int, step: int) -> Ints:
    """The squares of a strand in the new columns on from its last one before them, which is an outer one."""
    columns = (np.arange(0, new, len(WEAVE) // 2, dtype=np.int32)[:, None] + WEAVE).ravel()
    outer = np.where(columns % 2, 3 - last[0], last[0])
    outer[0::2] = np.where(outer[0::2] == 0, 1, 2)
    return np.stack([outer, last[1] + step * columns], axis=1)
