"""States of the frontier method as numbers, and tables of their counts.

A state says of each vertex of the frontier how many of its edges are chosen and, where that is one, which vertex of the
frontier is the other end of its path, its *mate*. It is packed into 64 bits as `frontier.c` says; over more than
`MOST_PLACES` vertices those of many paths don't fit, and a search loses them.

A table has rows ``(state, limb 0, limb 1, ...)``: the limbs of the state's count, least first.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.space import Bytes, Longs

Words = NDArray[np.uint64]

MOST_PLACES, MOST_IN_SEARCH = 21, 24

EMPTY = CLOSED = np.uint64(2**64 - 1)
"""In place of a state: an unused row of a table; where a cycle through all vertices closes, less the number of places
that it leaves out."""
LOST = np.uint64(2**64 - 64)  # in place of a state that doesn't fit; no state is as large


class StateTable(Record):
    """A hash table with linear probing, at most ``most`` of its rows in use."""

    capacity: int
    columns: int
    most: int
    rows: Annotated[Words, "capacity*columns"]
    used: Annotated[Longs, "1"]


def empty_table(capacity: int, columns: int, most: int) -> StateTable:
    """Return a table without states."""
    rows = np.full((capacity, columns), EMPTY, dtype=np.uint64)
    return StateTable(capacity=capacity, columns=columns, most=most, rows=rows, used=np.zeros(1, dtype=np.int64))


@kernel
def frontier_merge(table: StateTable, rows: Words, begin: int, end: int) -> int:
    """Return the row to go on from: ``end``, or less if the table has as many states as it may."""


@kernel
def frontier_renumber(
    rows: Words, end: int, columns: int, width: int, number: Words, joint: int, done: Words, ends: Words, mates: Bytes
) -> int:
    """Return the number of rows."""


@kernel
def frontier_fault(table: StateTable, width: int, odd: int) -> int:
    """Return the number of a broken sentence of the invariants of states and tables, or 0."""
