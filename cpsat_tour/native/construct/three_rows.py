"""Boards of three rows: one block with the ends, or with a cycle, and blocks of 3x4 on either side (Cull & De Curtins 1978).

The outer blocks, the *ears*, have paths whose ends are joined to a move of the last column before them. Limits: both ends of an open tour have
to lie in one block of at most 24 columns.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.native.construct.frame import Frame
from cpsat_tour.native.construct.pieces import Move, Piece, Place, tour_of
from cpsat_tour.native.construct.plan import joint, walk
from cpsat_tour.native.construct.walk import LEFT, NOWHERE, RIGHT, Block, Walk

WIDEST = 24
"""Columns of the block in the middle."""

EAR = 4
"""Columns of an ear."""

MIDDLE, RIGHT_EAR, LEFT_EAR = range(3)


def closed_walk(frame: Frame) -> Walk | None:
    """The closed tour of a 3xn board, n even and at least 10."""
    width = 10 if frame.cols % 4 == 2 else 12
    joints = {RIGHT: joint(3, width, RIGHT)}
    tour = tour_of(Piece(3, width, require=tuple(joints.values())))
    return None if tour is None else _with_ears(frame, 0, width, Block(tour, joints))


def open_walk(frame: Frame, start: Place, end: Place | None) -> Walk | None:
    """An open tour between these squares of the asker; None where its block was not found."""
    first, last = frame.inside(start), None if end is None else frame.inside(end)
    columns = [square[1] for square in (first, last) if square is not None]
    for width in range(EAR + frame.cols % EAR, min(WIDEST, frame.cols) + 1, EAR):
        for left in range(0, min(columns) + 1, EAR):
            if max(columns) < left + width <= frame.cols:
                joints = _joints(width, left > 0, left + width < frame.cols)
                ends = [None if square is None else (square[0], square[1] - left) for square in (first, last)]
                if tour := tour_of(Piece(3, width, ends[0], ends[1], tuple(joints.values()))):
                    return _with_ears(frame, left, width, Block(tour, joints, chained=True))
    return None


def _joints(width: int, left: bool, right: bool) -> dict[int, Move]:
    return ({LEFT: ((0, 0), (2, 1))} if left else {}) | ({RIGHT: joint(3, width, RIGHT)} if right else {})


def _with_ears(frame: Frame, left: int, width: int, middle: Block) -> Walk | None:
    """The walk over the block in the middle, which begins in this column, and the ears."""
    onward = joint(3, EAR, RIGHT)
    path = tour_of(Piece(3, EAR, (2, 0), (1, 0), require=(onward,)))
    if path is None:
        return None
    right_ear = Block(path, {LEFT: (path[0], path[-1]), RIGHT: onward})
    mirrored = tuple((row, EAR - 1 - col) for row, col in path)
    left_ear = Block(mirrored, {RIGHT: (mirrored[0], mirrored[-1])} | _joints(EAR, True, False))
    before, after = left // EAR, (frame.cols - left - width) // EAR
    kinds = [LEFT_EAR] * before + [MIDDLE] + [RIGHT_EAR] * after
    begins = [*range(0, left + 1, EAR), *range(left + width, frame.cols, EAR)]
    across, down = np.full(len(kinds), NOWHERE, dtype=np.int32), np.full(1, NOWHERE, dtype=np.int32)
    if middle.chained:
        across[before] = down[0] = MIDDLE
    table = np.array([[MIDDLE, RIGHT_EAR, LEFT_EAR]], dtype=np.int32)
    return walk(frame, [[0], begins], [[0], kinds], table, [middle, right_ear, left_ear], (across, down), (0, before), before)
