"""Which blocks a board of five rows and more is cut into, and which moves join them, as Parberry 1997 did with squares
of even sides.

Sides are sums of sixes and one number from 5 to 11, so that at most one block has odd sides; all others have a closed
tour. On an odd board, and where an open tour has both ends given, the blocks of the chain have paths between given
ends.

Limits: an open tour with both ends is found where the pieces are. From six rows on none was missed; of five rows, where
the columns are even, a few in ten thousand are, both in the middle row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.native.construct.frame import Frame
from cpsat_tour.native.construct.pieces import Move, Piece, Place, tour_of
from cpsat_tour.native.construct.walk import BOTTOM, LEFT, NOWHERE, RIGHT, TOP, Block, Layout, Walk, arrays_of

NEIGHBOURS = {LEFT: (0, -1), RIGHT: (0, 1), TOP: (-1, 0), BOTTOM: (1, 0)}

MAX_TRIES = 200
"""Of pieces for the chain, which may be given up before the board is."""


@dataclass(frozen=True)
class Cut:
    """How a side is cut: into sixes, but for the block number ``at``, which is ``special`` long."""

    side: int
    special: int
    at: int

    @classmethod
    def holding(cls, side: int, square: int, more: int = 0) -> Cut:
        """The cut whose special block holds this row or column, if the side is odd; an even side's first block may be
        special.

        It has so many rows or columns more than it need have, a multiple of six, where these are there.
        """
        special = side if side < 12 else 6 + side % 6 if side % 2 == 0 or side % 6 != 5 else 11
        special = min(special + more, side)
        return cls(side, special, min(max(0, square // 6), (side - special) // 6))

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return (self.side - self.special) // 6 + 1

    def length(self, block: int) -> int:
        """How long a block is."""
        return self.special if block == self.at else 6

    def begin(self, block: int) -> int:
        """The row or column where a block begins."""
        return 6 * block + (self.special - 6) * (block > self.at)

    def block(self, square: int) -> int:
        """The block that holds a row or column."""
        return (
            square // 6
            if square < self.begin(self.at)
            else self.at + max(0, square - self.begin(self.at) - self.special + 6) // 6
        )


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


# --- five rows and more ---


@dataclass(frozen=True)
class Grid:
    """A board cut into blocks, and the column of the spine."""

    down: Cut
    across: Cut
    spine: int

    def joints(self, chain: list[Place], number: int) -> dict[int, Move]:
        """The moves that a block of the chain gives up: not where the chain comes in or leaves."""
        (i, j), joints = chain[number], {}
        for border, (down, right) in NEIGHBOURS.items():
            other = i + down, j + right
            there = 0 <= other[0] < self.down.number and 0 <= other[1] < self.across.number
            if there and (border < TOP or j == self.spine) and other not in chain[max(0, number - 1) : number + 2]:
                joints[border] = joint(self.down.length(i), self.across.length(j), border)
        return joints

    def chain(self, start: Place, end: Place) -> list[Place]:
        """The blocks from that of the start, along its row to the spine, and down to that of the end."""
        (i, j), (last, _) = (
            (self.down.block(start[0]), self.across.block(start[1])),
            (self.down.block(end[0]), self.spine),
        )
        return [(i, along) for along in range(j, self.spine)] + [(along, self.spine) for along in range(i, last + 1)]


def closed_walk(frame: Frame, start: Place) -> Walk | None:
    """The closed tour of a board with an even side; the asker's start is in the spine."""
    across = Cut.holding(frame.cols, 0)
    grid = Grid(Cut.holding(frame.rows, 0), across, across.block(frame.inside(start)[1]))
    return _walk(frame, grid, [], [])


def open_walk(frame: Frame, start: Place, end: Place | None) -> Walk | None:
    """An open tour between these squares of the asker; None where its pieces were not found."""
    if end is not None:
        (top, left), (bottom, right) = frame.inside(start), frame.inside(end)
        frame = replace(frame, upside_down=top > bottom, left_right=left > right)
    first, last = frame.inside(start), None if end is None else frame.inside(end)
    for grid in _grids(frame, first, last or first):
        blocks = grid.chain(first, last or first)
        if (tours := _chained(grid, blocks, first, last)) is not None:
            return _walk(frame, grid, blocks, tours)
    return None


def _grids(frame: Frame, start: Place, end: Place) -> Iterator[Grid]:
    """Cuts of the board; if both sides are odd the start is in the block with odd sides. Wide blocks come last."""
    seen = set()
    odd = frame.rows % 2 and frame.cols % 2
    for more in (0, 6, 12):
        rows, cols = (
            (first,) if odd else (first, last, first - more, last - more, 0, side - 1)
            for first, last, side in zip(start, end, (frame.rows, frame.cols), strict=True)
        )
        for row, col in product(rows, cols):
            down, across = Cut.holding(frame.rows, row), Cut.holding(frame.cols, col, more)
            grid = Grid(down, across, across.block(end[1]))
            if grid not in seen:
                seen.add(grid)
                yield grid


def _chained(grid: Grid, blocks: list[Place], start: Place, end: Place | None) -> list[tuple[Place, ...]] | None:
    """Paths through the blocks of the chain, each ending a move from where the next begins; what was found is given up
    where that fails."""
    found: list[tuple[Place, ...]] = []
    waiting = [_paths(grid, blocks, 0, start, end)]
    tries = 0
    while waiting and tries <= MAX_TRIES + len(blocks):
        tries += 1
        path, following = next(waiting[-1], (None, None))
        if path is None:
            waiting.pop()
            found = found[:-1]
            continue
        found.append(path)
        if following is None:
            return found
        waiting.append(_paths(grid, blocks, len(found), following, end))
    return None


def _paths(
    grid: Grid, blocks: list[Place], number: int, start: Place, end: Place | None
) -> Iterator[tuple[tuple[Place, ...], Place | None]]:
    """Paths from a square through one block of the chain, each with the square where it leads in the next; None in the
    last."""
    i, j = blocks[number]
    origin, rows, cols = (grid.down.begin(i), grid.across.begin(j)), grid.down.length(i), grid.across.length(j)
    piece = Piece(rows, cols, _less(start, origin), require=tuple(grid.joints(blocks, number).values()))
    if number + 1 == len(blocks):
        endings: Iterable[tuple[Place | None, Place | None]] = [(end, None)]
    else:
        endings = _links(origin, rows, cols, downward=blocks[number + 1][0] > i)
    for last, following in endings:
        if path := tour_of(replace(piece, end=None if last is None else _less(last, origin))):
            yield path, following


def _links(origin: Place, rows: int, cols: int, *, downward: bool) -> Iterator[Move]:
    """The moves from a block to the one on the right, or below."""
    long, wide = (rows, cols) if downward else (cols, rows)
    for across, (back, ahead, aside) in product(
        range(wide), ((1, 0, 2), (2, 0, 1), (1, 1, 1), (1, 0, -2), (2, 0, -1), (1, 1, -1))
    ):
        if 0 <= across + aside < wide:
            exit_, entry = (long - back, across), (long + ahead, across + aside)
            if not downward:
                exit_, entry = exit_[::-1], entry[::-1]
            yield _plus(origin, exit_), _plus(origin, entry)


def _plus(square: Place, origin: Place) -> Place:
    return square[0] + origin[0], square[1] + origin[1]


def _less(square: Place, origin: Place) -> Place:
    return square[0] - origin[0], square[1] - origin[1]


def _walk(frame: Frame, grid: Grid, chain: list[Place], paths: list[tuple[Place, ...]]) -> Walk | None:
    """The walk over the grid; None where a block was not found."""
    blocks: list[Block] = []
    table = np.full((2, 2), NOWHERE, dtype=np.int32)
    kinds = [[int(block == cut.at) for block in range(cut.number)] for cut in (grid.down, grid.across)]
    for row_kind, col_kind in product(*(sorted(set(side)) for side in kinds)):
        rows, cols = (cut.special if kind else 6 for cut, kind in ((grid.down, row_kind), (grid.across, col_kind)))
        if rows * cols % 2 == 0:
            borders = (LEFT, RIGHT, TOP, BOTTOM) if rows > 5 else (LEFT, RIGHT)
            joints = {border: joint(rows, cols, border) for border in borders}
            if (tour := tour_of(Piece(rows, cols, require=tuple(joints.values())))) is None:
                return None
            table[row_kind, col_kind] = len(blocks)
            blocks.append(Block(tour, joints))
    across, down = (np.full(cut.number, NOWHERE, dtype=np.int32) for cut in (grid.across, grid.down))
    numbers: dict[tuple[tuple[Place, ...], frozenset[int]], int] = {}
    for number, ((i, j), path) in enumerate(zip(chain, paths, strict=True)):
        joints = grid.joints(chain, number)
        known = path, frozenset(joints)
        if known not in numbers:
            numbers[known] = len(blocks)
            blocks.append(Block(path, joints, chained=True))
        if i == chain[0][0]:
            across[j] = numbers[known]
        if j == grid.spine:
            down[i] = numbers[known]
    begins = [[cut.begin(block) for block in range(cut.number)] for cut in (grid.down, grid.across)]
    return walk(frame, begins, kinds, table, blocks, (across, down), chain[0] if chain else (NOWHERE, 0), grid.spine)


def walk(
    frame: Frame,
    begins: list[list[int]],
    kinds: list[list[int]],
    table: Ints,
    blocks: list[Block],
    chain: tuple[Ints, Ints],
    first: Place,
    spine: int,
) -> Walk:
    """The walk over blocks that begin in these rows and columns and are of these kinds, from the first of the chain."""
    tops, lefts, row_kinds, col_kinds = (np.array(side, dtype=np.int32) for side in (*begins, *kinds))
    layout = Layout(
        frame.rows - 1 - tops if frame.upside_down else tops,
        frame.cols - 1 - lefts if frame.left_right else lefts,
        row_kinds,
        col_kinds,
        table,
        chain[0],
        chain[1],
        first[0],
        spine,
        -1 if frame.upside_down else 1,
        -1 if frame.left_right else 1,
        int(frame.transposed),
    )
    return Walk(frame, layout, arrays_of(blocks), (*first, 0, 1))
