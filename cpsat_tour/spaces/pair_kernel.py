"""Counts, for each of many tours, the pairs of moves that it makes both of, compiled by Numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.graph import Ints

Longs = NDArray[np.int64]


@allocation_free
def count_pairs(
    tours: Ints,
    closed: bool,
    indptr: Ints,
    indices: Ints,
    numbers: Ints,
    first: Ints,
    others: Ints,
    used: Ints,
    counts: Longs,
) -> None:
    """For each row the pairs of which it makes both moves; ``used`` has an entry for each edge, below any number of a
    row."""
    order = tours.shape[1]
    for row in range(len(tours)):
        for again in range(2):
            pairs = 0
            tail = tours[row, order - 1] if closed else tours[row, 0]
            for place in range(0 if closed else 1, order):
                head = tours[row, place]
                arc = indptr[tail]
                while indices[arc] != head:
                    arc += 1
                edge = numbers[arc]
                if again:
                    for other in range(first[edge], first[edge + 1]):
                        pairs += used[others[other]] == row
                else:
                    used[edge] = row
                tail = head
            counts[row] = pairs
