"""A tour of many blocks as a walk from square to square that remembers only where it is and in which direction it goes.

The board is cut into blocks in rows and columns. Each has a tour of its own, a cycle, and makes one move near each
border that lies across from a move of its neighbour: where two blocks are *joined*, both moves are given up and their
ends joined crosswise, so that two cycles become one. All blocks of a row are joined to their neighbours, and the rows
in one column, the *spine*. An open tour begins in a block and leads along a row and down the spine through a *chain* of
blocks, linked end to start, to the block where it ends; chained blocks have paths instead of cycles and are not joined
to each other. The joints form a tree but for that, so the walk meets every square.

The walk is compiled; it needs arrays as long as the sides of the board in blocks, and no more, however many squares
there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.graph import Ints
from cpsat_tour.native.construct.frame import Frame
from cpsat_tour.native.construct.pieces import Move, Place

LEFT, RIGHT, TOP, BOTTOM = range(4)
"""The borders; that of the neighbour is ``border ^ 1``."""

NOWHERE = -1

CHUNK = 1 << 20
"""Squares that are walked at a time."""


@dataclass(frozen=True)
class Block:
    """The tour of a block, and the move that it gives up where it is joined at each border: its first end goes to the
    neighbour's first.

    ``chained`` blocks have a path, the others a cycle, or a path whose ends are joined to a neighbour's move.
    """

    tour: tuple[Place, ...]
    joints: dict[int, Move]
    chained: bool = False


class Blocks(NamedTuple):
    """Blocks as arrays: the squares of each tour, the border that the move after (0) or before (1) a square is given up
    at, the places of the ends of these moves in the tour, the lengths of the tours, and which are chained.
    """

    rows: Ints
    cols: Ints
    exits: NDArray[np.int8]
    joints: Ints
    lengths: Ints
    chained: NDArray[np.bool_]


class Layout(NamedTuple):
    """Where the blocks lie: the asker's row and column of the top left square of each row and column of blocks, which
    kind each is, the block of each pair of kinds, and the blocks of the chain in its row and in the spine, `NOWHERE`
    beside it.
    """

    tops: Ints
    lefts: Ints
    row_kinds: Ints
    col_kinds: Ints
    table: Ints
    chain_across: Ints
    chain_down: Ints
    chain_row: int
    spine: int
    down: int
    right: int
    row_column: int


State = NDArray[np.int32]
"""Row and column of the block, place in its tour, and 1 or -1."""


@dataclass(frozen=True)
class Walk:
    """The tour as a walk over the board, from ``begin``."""

    frame: Frame
    layout: Layout
    blocks: Blocks
    begin: tuple[int, int, int, int]

    def chunks(self) -> Iterator[Ints]:
        """The squares in the order of the visit, as rows and columns, some at a time; an array is overwritten by the
        next."""
        state = np.array(self.begin, dtype=np.int32)
        left = self.frame.rows * self.frame.cols
        visits = np.empty((min(left, CHUNK), 2), dtype=np.int32)
        while left:
            visits = visits[:left]
            advance(self.blocks, self.layout, state, visits)
            left -= len(visits)
            yield visits


def from_square(walk: Walk, square: Place) -> Walk:
    """A walk without a chain, begun at this square of the asker, in the direction in which the second square is less
    than the last."""
    row, col = walk.frame.inside(square)
    i, j = (
        int(np.searchsorted(begins, at, "right")) - 1
        for begins, at in ((walk.layout.tops, row), (walk.layout.lefts, col))
    )
    block = block_at(walk.layout, i, j)
    here = (walk.blocks.rows[block] == row - walk.layout.tops[i]) & (
        walk.blocks.cols[block] == col - walk.layout.lefts[j]
    )
    place = int(np.flatnonzero(here[: walk.blocks.lengths[block]])[0])
    either = []
    for step in (1, -1):
        visits = np.empty((2, 2), dtype=np.int32)
        advance(walk.blocks, walk.layout, np.array((i, j, place, step), dtype=np.int32), visits)
        either.append((tuple(visits[1].tolist()), step))
    return replace(walk, begin=(i, j, place, min(either)[1]))


def arrays_of(blocks: list[Block]) -> Blocks:
    """The blocks as arrays."""
    shape = len(blocks), max(len(block.tour) for block in blocks)
    rows, cols = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
    exits = np.full((*shape, 2), NOWHERE, dtype=np.int8)
    joints = np.zeros((len(blocks), 4, 2), dtype=np.int32)
    for number, block in enumerate(blocks):
        rows[number, : len(block.tour)], cols[number, : len(block.tour)] = np.array(block.tour).T
        places = {square: place for place, square in enumerate(block.tour)}
        following = dict(pairwise((*block.tour, block.tour[0])))
        for border, ends in block.joints.items():
            joints[number, border] = [places[end] for end in ends]
            before, after = ends if following[ends[0]] == ends[1] else ends[::-1]
            assert following[before] == after
            exits[number, places[before], 0] = exits[number, places[after], 1] = border
    lengths = np.array([len(block.tour) for block in blocks], dtype=np.int32)
    return Blocks(rows, cols, exits, joints, lengths, np.array([block.chained for block in blocks]))


@allocation_free
def advance(blocks: Blocks, layout: Layout, state: State, visits: Ints) -> None:
    """Walk on, and write the squares into ``visits`` until that is full."""
    i, j, place, step = state
    block = block_at(layout, i, j)
    for visit in range(len(visits)):
        visits[visit, layout.row_column] = layout.tops[i] + layout.down * blocks.rows[block, place]
        visits[visit, 1 - layout.row_column] = layout.lefts[j] + layout.right * blocks.cols[block, place]
        border = blocks.exits[block, place, 0 if step > 0 else 1]
        if border != NOWHERE and is_joined(layout, i, j, border):
            end = 0 if blocks.joints[block, border, 0] == place else 1
            i, j, place, step = across_joint(blocks, layout, i, j, border, end)
            block = block_at(layout, i, j)
            continue
        i, j, block, place = along(blocks, layout, i, j, block, place + step)
    state[0], state[1], state[2], state[3] = i, j, place, step


@allocation_free
def along(blocks: Blocks, layout: Layout, i: int, j: int, block: int, place: int) -> tuple[int, int, int, int]:
    """The block, its number, and the place there, for a place that may lie one before or behind the block's tour."""
    if place < 0:
        return i, j, block, blocks.lengths[block] - 1
    if place < blocks.lengths[block]:
        return i, j, block, place
    if blocks.chained[block]:
        if j < layout.spine:
            j += 1
        elif i + 1 < len(layout.tops):
            i += 1
        block = block_at(layout, i, j)
    return i, j, block, 0


@allocation_free
def across_joint(blocks: Blocks, layout: Layout, i: int, j: int, border: int, end: int) -> tuple[int, int, int, int]:
    """Where the walk goes on that leaves a block at this end of the move at a border: the state there."""
    if border < TOP:
        j += 2 * border - 1
    else:
        i += 2 * border - 5
    block = block_at(layout, i, j)
    place = blocks.joints[block, border ^ 1, end]
    other = blocks.joints[block, border ^ 1, 1 - end]
    return i, j, place, -1 if other == place + 1 or (place == blocks.lengths[block] - 1 and other == 0) else 1


@allocation_free
def block_at(layout: Layout, i: int, j: int) -> int:
    """The number of the block in this row and column of blocks."""
    if i == layout.chain_row and layout.chain_across[j] != NOWHERE:
        return int(layout.chain_across[j])
    if j == layout.spine and layout.chain_down[i] != NOWHERE:
        return int(layout.chain_down[i])
    return int(layout.table[layout.row_kinds[i], layout.col_kinds[j]])


@allocation_free
def is_joined(layout: Layout, i: int, j: int, border: int) -> bool:
    """Whether the block is joined at this border to its neighbour, which may not be there."""
    if border < TOP:
        other = j + 2 * border - 1
        if other < 0 or other >= len(layout.lefts):
            return False
        return not (
            i == layout.chain_row and layout.chain_across[j] != NOWHERE and layout.chain_across[other] != NOWHERE
        )
    other = i + 2 * border - 5
    if j != layout.spine or other < 0 or other >= len(layout.tops):
        return False
    return bool(layout.chain_down[i] == NOWHERE or layout.chain_down[other] == NOWHERE)
