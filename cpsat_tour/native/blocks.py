"""Open and closed tours of every knight's board of two sides that has one, in time linear in the squares and in memory
for a part of them at a time.

Divide and conquer (Parberry 1997, there with squares of even sides). The board lies with its short side upright and is
cut into blocks: the first row and the first column of blocks are 5 to 11 squares wide, all others 6. Each block has a
closed tour that makes one move near each border which lies across from a move of its neighbour: both moves are given up
and their ends joined crosswise, so that two cycles become one. All blocks of a row are joined to their neighbours, and
the rows in the first column, so the joints form a tree, and the walk along the tours meets every square. On an odd
board the first block has odd sides and an open tour, whose ends are those of the whole.

Boards of three rows are a first block and others of 3x4, whose open tours have their ends joined to a move of the block
on the left (Cull & De Curtins 1978). On four rows there is no closed tour to be joined: an open tour of 4x9 or 4x10 is
cut where all moves across the cut lead on by one column, and goes on from each as a zigzag through the new columns.

Limits: rows and columns number less than 2**31. Every tour begins in the top left corner and is in canonical form.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.graph import Ints
from cpsat_tour.native.block_tours import BLOCK_TOURS, EAR
from cpsat_tour.spaces.board import leaper_directions
from cpsat_tour.spaces.lattice import KNIGHT

Place = tuple[int, int]
Move = tuple[Place, Place]

LEFT, RIGHT, TOP, BOTTOM = range(4)
"""The borders of a block; that of the neighbour is ``border ^ 1``."""

NOWHERE = -1

CHUNK = 1 << 20
"""Squares that are walked at a time."""

MAX_SIDE_OF_ONE_BLOCK = 11

THREE_ROWS = (12, 9, 10, 7)
"""Columns of the first block on three rows, by the remainder of the columns by four; up to nine all are one block."""


class Layout(NamedTuple):
    """How the board is cut: rows and columns of the first block and of all others, how many blocks there are down and
    across, and 1 if the rows of the board are columns here."""

    first_rows: int
    first_cols: int
    rows: int
    cols: int
    down: int
    across: int
    transposed: int


class Blocks(NamedTuple):
    """The four kinds of blocks as arrays: the first, those right of it, those below it, and all others.

    Of each: the squares of its tour, their number, the border at which the move after (0) or before (1) a square is
    given up, and for each border where in the tour the ends of that move are.
    """

    rows: Ints
    cols: Ints
    lengths: Ints
    exits: NDArray[np.int8]
    joints: Ints


def tour_in_parts(rows: int, cols: int, *, closed: bool) -> Iterator[Ints]:
    """The squares of a tour of a board that has one, as rows and columns, some at a time.

    An array may be overwritten by the next.
    """
    transposed = rows > cols
    short, long = sorted((rows, cols))
    if short == 4:
        for part in _four_rows(long):
            yield part[:, ::-1] if transposed else part
        return
    if long == 1:
        yield np.zeros((1, 2), dtype=np.int32)
        return
    layout = _layout(short, long, transposed)
    assert not closed or rows * cols % 2 == 0
    blocks = _blocks(layout)
    state = np.array((0, 0, 0, _direction(layout)), dtype=np.int32)
    left = rows * cols
    visits = np.empty((min(left, CHUNK), 2), dtype=np.int32)
    while left:
        visits = visits[:left]
        _advance(blocks, layout, state, visits)
        left -= len(visits)
        yield visits


def walked(start: Place, directions: str) -> list[Place]:
    """The squares of a walk whose moves are numbered 1 to 8, clockwise from north-north-east."""
    steps = leaper_directions(KNIGHT)
    squares = [start]
    for digit in directions:
        (row, col), (down, right) = squares[-1], steps[int(digit) - 1]
        squares.append((row + down, col + right))
    return squares


def joint(rows: int, cols: int, border: int) -> Move:
    """The move of a block that is given up at this border: opposite borders have moves whose ends are moves apart.

    Those on the right and below leave a corner, so every closed tour makes them.
    """
    return {
        LEFT: ((1, 1), (3, 0)),
        RIGHT: ((0, cols - 1), (2, cols - 2)),
        TOP: ((1, cols - 2), (0, cols - 4)),
        BOTTOM: ((rows - 1, cols - 1), (rows - 2, cols - 3)),
    }[border]


def _layout(rows: int, cols: int, transposed: bool) -> Layout:
    """The cut of a board of three rows, or five and more, and of no fewer columns."""
    if rows == 3:
        first = cols if cols <= 9 else THREE_ROWS[cols % 4]
        return Layout(3, first, 3, 4, 1, 1 + (cols - first) // 4, int(transposed))
    first_rows, first_cols = (side if side <= MAX_SIDE_OF_ONE_BLOCK else 6 + side % 6 for side in (rows, cols))
    return Layout(
        first_rows, first_cols, 6, 6, 1 + (rows - first_rows) // 6, 1 + (cols - first_cols) // 6, int(transposed)
    )


def _is_closed(rows: int, cols: int) -> bool:
    """Whether the kept tour of a block is closed."""
    tour = walked((0, 0), BLOCK_TOURS[rows, cols])
    return sorted(map(abs, tour[-1])) == [1, 2]


def _direction(layout: Layout) -> int:
    """1 or -1: which way round the first block is walked, so that the second square is less than the last."""
    first = BLOCK_TOURS[layout.first_rows, layout.first_cols]
    forward = not _is_closed(layout.first_rows, layout.first_cols) or (first[0] == "3") != bool(layout.transposed)
    return 1 if forward else -1


def _blocks(layout: Layout) -> Blocks:
    """The tours of the blocks, with their joints where they can have neighbours."""
    tours: list[list[Place]] = []
    joints: list[dict[int, Move]] = []
    for kind in range(4):
        below, beside = kind >= 2 and layout.down > 1, kind % 2 == 1 and layout.across > 1
        rows, cols = layout.rows if below else layout.first_rows, layout.cols if beside else layout.first_cols
        if rows == 3 and beside:
            tour = walked((2, 0), EAR)
            given_up = {LEFT: (tour[0], tour[-1])}
        else:
            tour = walked((0, 0), BLOCK_TOURS[rows, cols])
            given_up = {LEFT: joint(rows, cols, LEFT)} if beside else {}
        if layout.across > 1:
            given_up[RIGHT] = joint(rows, cols, RIGHT)
        if layout.down > 1 and not beside:
            given_up[BOTTOM] = joint(rows, cols, BOTTOM)
            if below:
                given_up[TOP] = joint(rows, cols, TOP)
        tours.append(tour)
        joints.append(given_up)
    return _arrays(tours, joints)


def _arrays(tours: list[list[Place]], joints: list[dict[int, Move]]) -> Blocks:
    """The blocks as arrays."""
    lengths = np.array([len(tour) for tour in tours], dtype=np.int32)
    shape = len(tours), int(lengths.max())
    rows, cols = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
    exits = np.full((*shape, 2), NOWHERE, dtype=np.int8)
    places_of_joints = np.zeros((len(tours), 4, 2), dtype=np.int32)
    for kind, tour in enumerate(tours):
        rows[kind, : len(tour)], cols[kind, : len(tour)] = np.array(tour).T
        places = {square: place for place, square in enumerate(tour)}
        for border, ends in joints[kind].items():
            before, after = first, second = [places[end] for end in ends]
            if (before + 1) % len(tour) != after:
                before, after = after, before
            assert (before + 1) % len(tour) == after, "the tour makes the move"
            places_of_joints[kind, border] = first, second
            exits[kind, before, 0] = exits[kind, after, 1] = border
    return Blocks(rows, cols, lengths, exits, places_of_joints)


@allocation_free
def _advance(blocks: Blocks, layout: Layout, state: Ints, visits: Ints) -> None:
    """Walk on, and write the squares into ``visits`` until that is full.

    The state is the row and column of the block, the place in its tour, and 1 or -1 for the direction.
    """
    i, j, place, step = state
    kind = 2 * (i > 0) + (j > 0)
    top = layout.first_rows + layout.rows * (i - 1) if i else 0
    left = layout.first_cols + layout.cols * (j - 1) if j else 0
    for visit in range(len(visits)):
        visits[visit, layout.transposed] = top + blocks.rows[kind, place]
        visits[visit, 1 - layout.transposed] = left + blocks.cols[kind, place]
        border = blocks.exits[kind, place, 0 if step > 0 else 1]
        if border != NOWHERE and _has_neighbour(layout, i, j, border):
            end = 0 if blocks.joints[kind, border, 0] == place else 1
            if border < TOP:
                j += 2 * border - 1
            else:
                i += 2 * border - 5
            kind = 2 * (i > 0) + (j > 0)
            top = layout.first_rows + layout.rows * (i - 1) if i else 0
            left = layout.first_cols + layout.cols * (j - 1) if j else 0
            place = blocks.joints[kind, border ^ 1, end]
            # The walk goes away from the other end of the move that is given up.
            step = -1 if blocks.joints[kind, border ^ 1, 1 - end] == (place + 1) % blocks.lengths[kind] else 1
        else:
            place += step
            if place < 0:
                place = blocks.lengths[kind] - 1
            elif place == blocks.lengths[kind]:
                place = 0
    state[0], state[1], state[2], state[3] = i, j, place, step


@allocation_free
def _has_neighbour(layout: Layout, i: int, j: int, border: int) -> bool:
    """Whether there is a block across this border."""
    if border < TOP:
        return j > 0 if border == LEFT else j + 1 < layout.across
    return i > 0 if border == TOP else i + 1 < layout.down


def _four_rows(cols: int) -> Iterator[Ints]:
    """An open tour of ``4 x cols`` in parts."""
    narrow = cols if cols <= 10 else 10 - cols % 2
    tour, new = walked((0, 0), BLOCK_TOURS[4, narrow]), cols - narrow
    after = _column_before_cut(tour) if new else narrow
    kept: list[Place] = []
    for here, there in pairwise((*tour, tour[-1])):
        kept.append((here[0], here[1] + (new if here[1] > after else 0)))
        if (here[1] <= after) != (there[1] <= after):
            yield np.array(kept, dtype=np.int32)
            zigzag = np.empty((new, 2), dtype=np.int32)
            zigzag[0::2, 0], zigzag[1::2, 0] = there[0], here[0]
            zigzag[:, 1] = kept[-1][1] + (1 if there[1] > here[1] else -1) * np.arange(1, new + 1)
            yield zigzag
            kept = []
    yield np.array(kept, dtype=np.int32)


def _column_before_cut(tour: list[Place]) -> int:
    """The first column such that all moves from it or before it to later columns lead on by one column."""
    crossings = [sorted((here[1], there[1])) for here, there in pairwise(tour)]
    return next(col for col in range(max(map(max, crossings))) if all(b - a == 1 for a, b in crossings if a <= col < b))
