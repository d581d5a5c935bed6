"""Boards of three rows: one block with the ends, or with a cycle, and blocks of 3x4 on either side (Cull & De Curtins
1978).

The outer blocks, the *ears*, have paths whose ends are joined to a move of the last column before them. Ends that no
one block has lie in two, which paths through other blocks link: from a corner to a corner on the right, which is a move
from a corner of the next.

Limits: the blocks with the ends have at most 24 columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from cpsat_tour.native.construct.frame import Frame
from cpsat_tour.native.construct.pieces import Move, Piece, Place, tour_of
from cpsat_tour.native.construct.plan import joint, walk
from cpsat_tour.native.construct.walk import LEFT, NOWHERE, RIGHT, Block, Walk

WIDEST = 24
"""Columns of the block in the middle."""

EAR = 4
"""Columns of an ear."""

CROSSINGS: tuple[tuple[Move, ...], ...] = ((((0, 0), (2, 0)), ((2, 0), (0, 0))), (((0, 1), (1, 0)), ((2, 1), (1, 0))))
"""Moves from one block to the next: the row and the columns from the border, on either side of it. The former are for
starts on squares of the colour of the corner on the left, the latter for others, on boards of even sides.
"""

RIGHT_EAR, LEFT_EAR, MIDDLE = range(3)


def closed_walk(frame: Frame, _start: Place) -> Walk | None:
    """The closed tour of a 3xn board, n even and at least 10."""
    width = 10 if frame.cols % 4 == 2 else 12
    joints = {RIGHT: joint(3, width, RIGHT)}
    tour = tour_of(Piece(3, width, require=tuple(joints.values())))
    return None if tour is None else _with_ears(frame, 0, [(Block(tour, joints), 1)])


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
                    return _with_ears(frame, left, [(Block(tour, joints, chained=True), 1)])
    return None if end is None else _linked(frame, start, end)


def _linked(frame: Frame, start: Place, end: Place) -> Walk | None:
    """The open tour with a block for the start, one for the end, and linked blocks between them; None where none was
    found."""
    frame = replace(frame, left_right=frame.inside(start)[1] > frame.inside(end)[1])
    first, (row, col) = frame.inside(start), frame.inside(end)
    for here, there in (pair for alike in CROSSINGS for pair in product(alike, repeat=2)):
        ways_in = list(_ways_out((row, frame.cols - 1 - col), frame.cols, there[1]))
        for left, out in _ways_out(first, frame.cols, here[0]):
            for right, mirrored in ways_in:
                links = _links(here, there, frame.cols - left - right - len(out + mirrored) // 3)
                if links is not None:
                    into = tuple((row, len(mirrored) // 3 - 1 - col) for row, col in reversed(mirrored))
                    begin = Block(out, _joints(len(out) // 3, left > 0, False), chained=True)
                    finish = Block(into, _joints(len(into) // 3, False, right > 0), chained=True)
                    return _with_ears(frame, left, [(begin, 1), *links, (finish, 1)])
    return None


def _links(here: Move, there: Move, cols: int) -> list[tuple[Block, int]] | None:
    """Blocks for these columns that begin with one crossing and end with another; None where none do."""
    period = EAR if there in CROSSINGS[0] else 2 * EAR
    change = 2 * EAR + cols % period if here != there or cols % period else 0
    same = cols - change
    paths = [
        tour_of(Piece(3, width, (row, ahead), (there[0][0], width - 1 - there[0][1]))) if times else ()
        for width, times, (row, ahead) in ((change, change, here[1]), (period, same, there[1]))
    ]
    if same < 0 or None in paths:
        return None
    return [
        (Block(path, {}, chained=True), times) for path, times in zip(paths, (1, same // period), strict=True) if path
    ]


def _ways_out(square: Place, cols: int, out: Place) -> Iterator[tuple[int, tuple[Place, ...]]]:
    """Paths of a block around the square from it to another, in this row and with so many columns on the right; each
    with the columns on the left of its block.
    """
    row, col = square
    for left in range(col // EAR * EAR, max(-1, col - WIDEST), -EAR):
        for width in range(max(EAR, col - left + 1), min(WIDEST, cols - left) + 1):
            joints = tuple(_joints(width, left > 0, False).values())
            path = tour_of(Piece(3, width, (row, col - left), (out[0], width - 1 - out[1]), joints))
            if path is not None:
                yield left, path


def _joints(width: int, left: bool, right: bool) -> dict[int, Move]:
    return ({LEFT: ((0, 0), (2, 1))} if left else {}) | ({RIGHT: joint(3, width, RIGHT)} if right else {})


def _with_ears(frame: Frame, left: int, middle: list[tuple[Block, int]]) -> Walk | None:
    """The walk over blocks so many times each, the first of which begins in this column, and the ears on either
    side."""
    onward = joint(3, EAR, RIGHT)
    path = tour_of(Piece(3, EAR, (2, 0), (1, 0), require=(onward,)))
    if path is None:
        return None
    right_ear = Block(path, {LEFT: (path[0], path[-1]), RIGHT: onward})
    mirrored = tuple((row, EAR - 1 - col) for row, col in path)
    left_ear = Block(mirrored, {RIGHT: (mirrored[0], mirrored[-1])} | _joints(EAR, True, False))
    blocks = [right_ear, left_ear, *(block for block, _ in middle)]
    kinds = [LEFT_EAR] * (left // EAR)
    for number, (_, times) in enumerate(middle, start=MIDDLE):
        kinds += [number] * times
    inside = left + sum(len(block.tour) // 3 * times for block, times in middle)
    kinds += [RIGHT_EAR] * ((frame.cols - inside) // EAR)
    begins = np.cumsum([0, *(len(blocks[kind].tour) // 3 for kind in kinds[:-1])]).tolist()
    of_columns = np.array(kinds, dtype=np.int32)
    across = np.where((of_columns >= MIDDLE) & middle[0][0].chained, of_columns, np.int32(NOWHERE))
    down, table = np.full(1, NOWHERE, dtype=np.int32), np.arange(len(blocks), dtype=np.int32)[np.newaxis]
    first, last = np.flatnonzero(of_columns >= MIDDLE)[[0, -1]].tolist()
    return walk(frame, [[0], begins], [[0], kinds], table, blocks, (across, down), (0, first), last)
