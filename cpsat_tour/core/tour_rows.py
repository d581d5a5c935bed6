"""Many tours at once: arrays with a row for each, verified and put into canonical form by NumPy.

`TourRows.verify` accepts what `cpsat_tour.core.tour.verify` accepts and leaves it to that function to name the fault of a row;
`TourRows.canonical` writes each row as `cpsat_tour.core.tour.canonical` does. A million tours of the chessboard take half a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.tour import verify

Flags = NDArray[np.bool_]

MOST_IN_MATRIX = 1 << 11
"""Up to this order arcs are looked up in a matrix, beyond it by binary search."""

SLAB = 1 << 14
"""Squares verified at once: what fits into the cache is verified in half the time."""


class TourRows:
    """Verification and canonical form for the tours of one problem on three or more vertices."""

    def __init__(self, problem: HamiltonProblem) -> None:
        self._problem = problem
        graph = problem.graph
        self._arcs = graph.tails.astype(np.int64) * graph.order + graph.indices
        self._matrix: Flags | None = None
        if graph.order <= MOST_IN_MATRIX:
            self._matrix = np.zeros(graph.order**2, dtype=np.bool_)
            self._matrix[self._arcs] = True

    def verify(self, tours: Ints) -> None:
        """Raise `TourFault` for the first row that is no tour of the problem."""
        step = max(1, SLAB // max(1, tours.shape[1]))
        for first in range(0, len(tours), step):
            slab = tours[first : first + step]
            for row in slab[~self._are_tours(slab)]:
                verify(self._problem, row)
                raise AssertionError(f"the two ways to verify a tour differ on {row.tolist()}")

    def canonical(self, tours: Ints) -> Ints:
        """The rows in canonical form."""
        problem = self._problem
        undirected = not problem.graph.directed
        if not problem.closed:
            return the_lesser_way(tours) if undirected and problem.start is None is problem.end else tours
        tours = from_vertex(tours, 0 if problem.start is None else problem.start)
        if not undirected:
            return tours
        if problem.end is None:
            return cycles_the_lesser_way(tours)
        return np.where((tours[:, -1] == problem.end)[:, None], tours, cycles_backwards(tours))

    def _are_tours(self, tours: Ints) -> Flags:
        problem, order = self._problem, self._problem.graph.order
        count = len(tours)
        if tours.shape != (count, order) or (tours.size and (int(tours.min()) < 0 or int(tours.max()) >= order)):
            return np.zeros(count, dtype=np.bool_)
        places = tours + order * np.arange(count, dtype=np.int64)[:, None]
        good: Flags = (np.bincount(places.ravel(), minlength=count * order).reshape(count, order) == 1).all(axis=1)
        heads = np.roll(tours, -1, axis=1) if problem.closed else tours[:, 1:]
        moves = tours[:, : heads.shape[1]].astype(np.int64) * order + heads
        good &= self._have_arcs(moves).all(axis=1)
        for place, end in ((0, problem.start), (-1, problem.end)):
            if end is not None:
                good &= tours[:, place] == end
        for wanted, edges in ((True, problem.require), (False, problem.forbid)):
            for tail, head in edges:
                made = moves == tail * order + head
                if not problem.graph.directed:
                    made |= moves == head * order + tail
                good &= made.any(axis=1) == wanted
        return good

    def _have_arcs(self, moves: NDArray[np.int64]) -> Flags:
        if self._matrix is not None:
            known: Flags = self._matrix[moves]
            return known
        places = np.minimum(np.searchsorted(self._arcs, moves), len(self._arcs) - 1)
        return np.asarray(self._arcs[places] == moves)


def from_vertex(cycles: Ints, vertex: int) -> Ints:
    """Each cycle (a row) read from this vertex."""
    shift = (cycles == vertex).argmax(axis=1)
    if not shift.any():
        return cycles
    order = cycles.shape[1]
    return np.take_along_axis(cycles, (np.arange(order) + shift[:, None]) % order, axis=1)


def cycles_backwards(cycles: Ints) -> Ints:
    """Each cycle read backwards from its first vertex."""
    return np.concatenate([cycles[:, :1], cycles[:, :0:-1]], axis=1)


def cycles_the_lesser_way(cycles: Ints) -> Ints:
    """Each cycle from its first vertex in the direction of the lesser second vertex."""
    return np.where((cycles[:, 1] < cycles[:, -1])[:, None], cycles, cycles_backwards(cycles))


def the_lesser_way(paths: Ints) -> Ints:
    """Each path from the lesser of its ends."""
    return np.where((paths[:, 0] < paths[:, -1])[:, None], paths, paths[:, ::-1])
