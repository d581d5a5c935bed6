"""A walk cut into runs that are walked independently of each other, each within some rows of blocks: a strip.

The *trunk* of a walk is its spine and its chain; the blocks of a row on one side of the trunk are an *arm*, which the
walk enters and leaves by the same joint. An arm is as long as it has squares, so that it is left out when the trunk is
walked, to find where each run begins. The runs of a strip visit each of its squares once, so that strips are verified
without each other.

Limits: a walk that begins in the trunk; a board of one row of blocks is one strip.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.graph import Ints
from cpsat_tour.formats.visit_strips import Strip, StripRun
from cpsat_tour.native.construct.walk import (
    LEFT,
    NOWHERE,
    TOP,
    Blocks,
    Layout,
    State,
    Walk,
    across_joint,
    advance,
    along,
    block_at,
    is_joined,
)

CHUNK = 1 << 18
"""Squares that one thread walks at a time."""

STRIP = 1 << 20
"""Squares of a strip, about, if the board is wide enough."""

Longs = NDArray[np.int64]

FIRST, LENGTH, STATE = 0, 1, 2
"""Columns of the runs: the number of the first visit, how many there are, and the four numbers of the state."""


def strips_of(walk: Walk) -> Iterator[Strip]:
    """The strips of a walk that begins in its trunk; all runs together are the walk."""
    layout, (rows, cols) = walk.layout, (walk.frame.rows, walk.frame.cols)
    tops = layout.tops if layout.down > 0 else rows - 1 - layout.tops
    lefts = layout.lefts if layout.right > 0 else cols - 1 - layout.lefts
    edges = [np.append(begins, end).astype(np.int32) for begins, end in ((tops, rows), (lefts, cols))]
    strips = (tops // max(1, STRIP // cols)).astype(np.int32)
    runs = np.empty((8 * len(tops) + 1, 6), dtype=np.int64)
    runs = runs[
        : cut(walk.blocks, layout, np.array(walk.begin, dtype=np.int32), edges[0], edges[1], strips, rows * cols, runs)
    ]
    for strip in np.unique(strips):
        yield _strip(walk, edges[0][np.searchsorted(strips, [strip, strip + 1])].tolist(), runs)


def _strip(walk: Walk, part: list[int], runs: Longs) -> Strip:
    """The runs in the rows of the frame from the first of the part up to the second."""
    layout, (top, bottom), cols = walk.layout, part, walk.frame.cols
    low = top if layout.down > 0 else walk.frame.rows - bottom
    local = layout._replace(tops=layout.tops - np.int32(low))
    begins = layout.tops[runs[:, STATE]] - low
    mine = runs[(begins >= 0) & (begins < bottom - top)]
    parts = tuple(
        StripRun(int(run[FIRST]), int(run[LENGTH]), partial(_chunks, walk.blocks, local, run)) for run in mine
    )
    sides, origin = (bottom - top, cols), (low, 0)
    return Strip(sides[::-1], origin[::-1], parts) if walk.frame.transposed else Strip(sides, origin, parts)


def _chunks(blocks: Blocks, layout: Layout, run: Longs) -> Iterator[Ints]:
    state, left = run[STATE:].astype(np.int32), int(run[LENGTH])
    visits = np.empty((min(left, CHUNK), 2), dtype=np.int32)
    while left:
        visits = visits[:left]
        advance(blocks, layout, state, visits)
        left -= len(visits)
        yield visits


@allocation_free
def cut(
    blocks: Blocks, layout: Layout, state: State, down: Ints, across: Ints, strips: Ints, squares: int, runs: Longs
) -> int:
    """Fill in the runs of a walk over so many squares; how many there are.

    ``down`` and ``across`` are the rows and columns where blocks begin, and the last end; ``strips`` says which strip a
    row of blocks is in.
    """
    i, j, place, step = state
    number, visits, last = -1, 0, len(across) - 1
    while visits < squares:
        if number < 0 or strips[i] != strips[runs[number, STATE]]:
            number += 1
            runs[number, FIRST] = visits
            runs[number, STATE], runs[number, STATE + 1], runs[number, STATE + 2], runs[number, STATE + 3] = (
                i,
                j,
                place,
                step,
            )
        block = block_at(layout, i, j)
        visits += 1
        border = blocks.exits[block, place, 0 if step > 0 else 1]
        if border != NOWHERE and is_joined(layout, i, j, border):
            end = 0 if blocks.joints[block, border, 0] == place else 1
            if border < TOP:
                visits += (down[i + 1] - down[i]) * (across[j] if border == LEFT else across[last] - across[j + 1])
                place = blocks.joints[block, border, 1 - end]
            else:
                i, j, place, step = across_joint(blocks, layout, i, j, border, end)
            continue
        i, j, _, place = along(blocks, layout, i, j, block, place + step)
    for run in range(number + 1):
        runs[run, LENGTH] = (runs[run + 1, FIRST] if run < number else squares) - runs[run, FIRST]
    return number + 1
