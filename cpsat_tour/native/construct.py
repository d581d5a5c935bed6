"""The backend ``construct``: open and closed tours of every knight's board of two sides that has one, without any
search, in time linear in the squares.

Divide and conquer (Parberry 1997, there with squares of even sides). The board lies with its short side upright and is
cut into blocks: the first row and the first column of blocks are 5 to 11 squares wide, all others 6. Each block has a
closed tour that makes one move near each border which lies across from a move of its neighbour: both moves are given up
and their ends joined crosswise, so that two cycles become one. All blocks of a row are joined to their neighbours, and
the rows in the first column, so the joints form a tree, and the walk along the tours meets every square. On an odd
board the first block has odd sides and an open tour, whose ends are those of the whole.

Boards of three rows are a first block and others of 3x4, whose open tours have their ends joined to a move of the block
on the left (Cull & De Curtins 1978). On four rows there is no closed tour to be joined: an open tour of 4x9 or 4x10 is
cut where all moves across the cut lead on by one column, and goes on from each as a zigzag through the new columns.

Every tour begins in the top left corner and is in canonical form. The backend never refutes: where the theorems know of
no tour, the problem stays unknown, with their word.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.native.block_tours import BLOCK_TOURS, EAR
from cpsat_tour.spaces.board import Board, leaper_directions
from cpsat_tour.spaces.lattice import KNIGHT
from cpsat_tour.spaces.theorems import why_no_tour
from cpsat_tour.tour import Answer

Place = tuple[int, int]
Move = tuple[Place, Place]

LEFT, RIGHT, TOP, BOTTOM = range(4)  # the borders of a block; that of the neighbour is ``border ^ 1``

NOWHERE = -1

MAX_SIDE_OF_ONE_BLOCK = 11

THREE_ROWS = (12, 9, 10, 7)
"""Columns of the first block on three rows, by the remainder of the columns by four; up to nine all are one block."""


@dataclass(frozen=True)
class Construct:
    """The backend ``construct``: tours of knight's boards, joined from tours of small blocks."""

    takes: ClassVar[frozenset[str]] = frozenset()
    unit: ClassVar[str] = "squares"
    refutes: ClassVar[bool] = False
    boards_only: ClassVar[bool] = True

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:  # noqa: ARG002
        """Return the answer: a tour, or ``unknown``, with a theorem that there is none or with the limit that was
        met."""
        board = problem.graph.space
        assert isinstance(board, Board)
        clock = limits.clock()
        if why := why_no_tour(board, closed=problem.closed):
            return Answer.stopped(why)
        if limits.work is not None and limits.work < len(board):
            return Answer.stopped("work")
        visits = join_blocks(board.rows, board.cols, closed=problem.closed)
        if clock.expired:
            return Answer.stopped("time", {"squares": len(visits)})
        return Answer.with_tour(problem, visits[:, 0] * board.cols + visits[:, 1], {"squares": len(visits)})


class BlockGrid(NamedTuple):
    """How the board is cut."""

    first_rows: int  # of the first block
    first_cols: int
    rows: int  # of all others
    cols: int
    down: int  # how many blocks there are
    across: int
    transposed: int  # 1 if the rows of the board are columns here


class Blocks(Record):
    """How the board is cut, and the four kinds of blocks: the first, those right of it, those below it, all others."""

    first_rows: int
    first_cols: int
    rows: int
    cols: int
    down: int
    across: int
    transposed: int
    most: int  # squares of a block
    square_rows: Annotated[Ints, "4*most"]  # the squares of its tour
    square_cols: Annotated[Ints, "4*most"]
    lengths: Annotated[Ints, "4"]  # their number
    exits: Annotated[NDArray[np.int8], "8*most"]  # where the move after or before a square is given up, at which border
    joints: Annotated[Ints, "32"]  # for each border where in the tour the ends of that move are


def join_blocks(rows: int, cols: int, *, closed: bool) -> Ints:
    """Return a tour of a board that has one: an array of shape ``(squares, 2)``, a row and a column each."""
    transposed = rows > cols
    short, long = sorted((rows, cols))
    if short == 4:
        tour = _four_row_tour(long)
        return tour[:, ::-1] if transposed else tour
    if long == 1:
        return np.zeros((1, 2), dtype=np.int32)
    grid = _block_grid(short, long, transposed)
    assert not closed or rows * cols % 2 == 0
    blocks = _blocks(grid)
    directions = BLOCK_TOURS[grid.first_rows, grid.first_cols]
    returns = sorted(map(abs, walked_squares((0, 0), directions)[-1])) == [1, 2]
    # The first block is walked so that the second square is less than the last.
    step = -1 if returns and (directions[0] == "3") == transposed else 1
    visits = np.empty((rows * cols, 2), dtype=np.int32)
    blocks_walk(blocks, step, visits, len(visits))
    return visits


def walked_squares(start: Place, directions: str) -> list[Place]:
    """Return the squares, rows and columns, of a walk from its ``start`` on by its directions, digits from 1 to 8
    clockwise from north-north-east."""
    steps = leaper_directions(KNIGHT)
    squares = [start]
    for digit in directions:
        (row, col), (down, right) = squares[-1], steps[int(digit) - 1]
        squares.append((row + down, col + right))
    return squares


def given_up_move(rows: int, cols: int, border: int) -> Move:
    """Return the move, two squares of the block, that is given up at this border; the ends of those at opposite borders
    are moves apart.

    Those on the right and below leave a corner, so every closed tour makes them.
    """
    return {
        LEFT: ((1, 1), (3, 0)),
        RIGHT: ((0, cols - 1), (2, cols - 2)),
        TOP: ((1, cols - 2), (0, cols - 4)),
        BOTTOM: ((rows - 1, cols - 1), (rows - 2, cols - 3)),
    }[border]


def _block_grid(rows: int, cols: int, transposed: bool) -> BlockGrid:
    """Return how a board of three rows, or of five and more, is cut; it has no fewer columns than rows."""
    if rows == 3:
        first = cols if cols <= 9 else THREE_ROWS[cols % 4]
        return BlockGrid(3, first, 3, 4, 1, 1 + (cols - first) // 4, int(transposed))
    first_rows, first_cols = (side if side <= MAX_SIDE_OF_ONE_BLOCK else 6 + side % 6 for side in (rows, cols))
    return BlockGrid(
        first_rows, first_cols, 6, 6, 1 + (rows - first_rows) // 6, 1 + (cols - first_cols) // 6, int(transposed)
    )


def _blocks(grid: BlockGrid) -> Blocks:
    """Return the tours of the four kinds of blocks, with their joints."""
    shape = 4, MAX_SIDE_OF_ONE_BLOCK**2
    blocks = Blocks(
        **grid._asdict(),
        most=shape[1],
        square_rows=np.zeros(shape, dtype=np.int32),
        square_cols=np.zeros(shape, dtype=np.int32),
        lengths=np.zeros(4, dtype=np.int32),
        exits=np.full((*shape, 2), NOWHERE, dtype=np.int8),
        joints=np.zeros((4, 4, 2), dtype=np.int32),
    )
    for kind in range(4):
        below, beside = kind >= 2 and grid.down > 1, kind % 2 == 1 and grid.across > 1
        rows, cols = grid.rows if below else grid.first_rows, grid.cols if beside else grid.first_cols
        borders = {LEFT: beside, RIGHT: grid.across > 1, TOP: below, BOTTOM: grid.down > 1}
        given_up = {
            border: given_up_move(rows, cols, border)
            for border, crossed in borders.items()
            if crossed and (border < TOP or not beside)
        }
        tour = (
            walked_squares((0, 0), BLOCK_TOURS[rows, cols]) if rows > 3 or not beside else walked_squares((2, 0), EAR)
        )
        if rows == 3 and beside:
            given_up[LEFT] = tour[0], tour[-1]
        blocks.square_rows[kind, : len(tour)], blocks.square_cols[kind, : len(tour)] = np.array(tour).T
        blocks.lengths[kind] = len(tour)
        for border, ends in given_up.items():
            blocks.joints[kind, border] = before, after = [tour.index(end) for end in ends]
            if (before + 1) % len(tour) != after:
                before, after = after, before
            assert (before + 1) % len(tour) == after, "the tour makes the move"
            blocks.exits[kind, before, 0] = blocks.exits[kind, after, 1] = border
    return blocks


@kernel
def blocks_walk(blocks: Blocks, step: int, visits: Annotated[Ints, "2*squares"], squares: int) -> int:
    """Walk from the first square of the first block, at first in the direction ``step``, 1 or -1 along its tour, and
    write the row and the column of each of so many squares; return their number."""


def _four_row_tour(cols: int) -> Ints:
    """Return an open tour of ``4 x cols``, as `join_blocks` does."""
    narrow = cols if cols <= 10 else 10 - cols % 2
    tour, new = walked_squares((0, 0), BLOCK_TOURS[4, narrow]), cols - narrow
    after = narrow
    if new:  # the first column such that all moves across its right side lead on by one column
        crossings = [sorted((here[1], there[1])) for here, there in pairwise(tour)]
        after = next(col for col in range(narrow) if all(b - a == 1 for a, b in crossings if a <= col < b))
    parts: list[Ints] = []
    kept: list[Place] = []
    for here, there in pairwise((*tour, tour[-1])):
        kept.append((here[0], here[1] + (new if here[1] > after else 0)))
        if (here[1] <= after) != (there[1] <= after):
            zigzag = np.empty((new, 2), dtype=np.int32)
            zigzag[0::2, 0], zigzag[1::2, 0] = there[0], here[0]
            zigzag[:, 1] = kept[-1][1] + (1 if there[1] > here[1] else -1) * np.arange(1, new + 1)
            parts += [np.array(kept, dtype=np.int32), zigzag]
            kept = []
    return np.concatenate([*parts, np.array(kept, dtype=np.int32)])
