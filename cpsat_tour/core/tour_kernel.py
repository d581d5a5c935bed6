"""Many tours, a row each: verified and turned into canonical form in one pass, compiled by Numba.

What a tour is, `cpsat_tour.core.tour` says; here the same rules are kept for arrays with millions of rows. Arcs are looked up in a matrix
where the graph is small, else by binary search in the sorted rows of the graph; a required arc is marked in either.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.graph import Ints

Marks = NDArray[np.uint8]

NO_ARC, ARC, REQUIRED = range(3)


@allocation_free
def first_fault(tours: Ints, indptr: Ints, indices: Ints, marks: Marks, matrix: Marks, seen: Ints, closed: bool, required: int) -> int:
    """The first row that is no tour, or the number of rows where all are.

    ``marks`` are those of the arcs, beside ``indices``; ``matrix``, if it is not empty, has them by tail and head. ``seen`` has an entry for
    each vertex, below any number of a row. A tour uses as many required arcs as there are (edges, if undirected).
    """
    order = len(indptr) - 1
    for row in range(len(tours)):
        used = 0
        tail = tours[row, order - 1]
        if tail < 0 or tail >= order:
            return row
        for place in range(order):
            head = tours[row, place]
            if head < 0 or head >= order or seen[head] == row:
                return row
            seen[head] = row
            if place > 0 or closed:
                mark = NO_ARC
                if len(matrix):
                    mark = matrix[tail, head]
                else:
                    low, high = indptr[tail], indptr[tail + 1]
                    while low < high:
                        middle = (low + high) // 2
                        if indices[middle] < head:
                            low = middle + 1
                        else:
                            high = middle
                    if low < indptr[tail + 1] and indices[low] == head:
                        mark = marks[low]
                if mark == NO_ARC:
                    return row
                used += mark == REQUIRED
            tail = head
        if used != required:
            return row
    return len(tours)


@allocation_free
def turn(tours: Ints, turned: Ints, start: int, end: int, closed: bool) -> None:
    """Write each row of an undirected graph in its canonical form.

    A closed tour is written from ``start`` (0 where none is given), so that it ends at ``end``, or by the lesser second vertex where that is
    -1; an open tour from the lesser of its ends.
    """
    order = tours.shape[1]
    for row in range(len(tours)):
        first = 0
        if closed:
            while tours[row, first] != start:
                first += 1
            after = tours[row, first + 1 if first + 1 < order else 0]
            before = tours[row, first - 1 if first > 0 else order - 1]
            backwards = before != end if end >= 0 else before < after
        else:
            backwards = tours[row, order - 1] < tours[row, 0]
            if backwards:
                first = order - 1
        place = first
        for step in range(order):
            turned[row, step] = tours[row, place]
            place += -1 if backwards else 1
            if place < 0:
                place = order - 1
            elif place == order:
                place = 0


@allocation_free
def first_unsymmetric(tours: Ints, images: Ints, place: Ints, closed: bool) -> int:
    """The first row that the permutation does not take to itself, or the number of rows where it takes them all.

    The rows are tours. ``place`` has room for a number for each vertex.
    """
    order = tours.shape[1]
    for row in range(len(tours)):
        for step in range(order):
            place[tours[row, step]] = step
        for step in range(order if closed else order - 1):
            following = step + 1 if step + 1 < order else 0
            apart = place[images[tours[row, following]]] - place[images[tours[row, step]]]
            if apart not in (1, -1) and not (closed and apart in (order - 1, 1 - order)):
                return row
    return len(tours)
