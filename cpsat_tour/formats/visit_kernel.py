"""Verifies visits of a knight's tour, compiled by Numba, with a bit for each square."""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.space import Bytes, Ints


@allocation_free
def first_fault(visits: Ints, before: Ints, seen: Bytes, rows: int, cols: int) -> tuple[int, int]:
    """Return the index of the first wrong visit and that of its fault in `cpsat_tour.formats.arrays.FAULTS`, 0 if no
    visit is wrong; set the bits of the squares in ``seen``."""
    row, col = before[0], before[1]
    for visit in range(len(visits)):
        down, right = abs(visits[visit, 0] - row), abs(visits[visit, 1] - col)
        row, col = visits[visit, 0], visits[visit, 1]
        if row < 0 or row >= rows or col < 0 or col >= cols:
            return visit, 1
        square = np.int64(row) * cols + col
        bit = np.uint8(1 << (square & 7))
        if seen[square >> 3] & bit:
            return visit, 2
        seen[square >> 3] |= bit
        if down * right != 2:
            return visit, 3
    return len(visits), 0
