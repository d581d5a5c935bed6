"""Many tours at once: arrays with a row for each, verified and put into canonical form.

`TourRows.verify` accepts what `cpsat_tour.core.tour.verify` accepts and leaves it to that function to name the fault of a row;
`TourRows.canonical` writes each row as `cpsat_tour.core.tour.canonical` does. A million tours of the chessboard take a sixth of a second.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.orbits import turning
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.tour import verify
from cpsat_tour.core.tour_kernel import ARC, NO_ARC, REQUIRED, Marks, first_fault, first_unsymmetric, turn
from cpsat_tour.core.turning import from_vertex

MAX_IN_MATRIX = 1 << 11
"""Up to this order arcs are looked up in a matrix, beyond it by binary search."""


class TourRows:
    """Verification and canonical form for the tours of one problem on three or more vertices."""

    def __init__(self, problem: HamiltonProblem) -> None:
        self._problem = problem
        graph = problem.graph
        self._marks = np.full(len(graph.indices), ARC, dtype=np.uint8)
        for mark, moves in ((REQUIRED, problem.require), (NO_ARC, problem.forbid)):
            for tail, head in moves:
                self._marks[graph.arc(tail, head)] = mark
                if not graph.directed:
                    self._marks[graph.arc(head, tail)] = mark
        self._matrix: Marks = np.zeros((0, 0), dtype=np.uint8)
        if graph.order <= MAX_IN_MATRIX:
            self._matrix = np.zeros((graph.order, graph.order), dtype=np.uint8)
            self._matrix[graph.tails, graph.indices] = self._marks

    def verify(self, tours: Ints) -> None:
        """Raise `TourFault` for the first row that is no tour of the problem."""
        fault = self._first_fault(tours)
        if fault < len(tours):
            verify(self._problem, tours[fault])
            raise AssertionError(f"the two ways to verify a tour differ on {tours[fault].tolist()}")

    def _first_fault(self, tours: Ints) -> int:
        """The first row that is no tour; as many as there are where all are."""
        problem, graph = self._problem, self._problem.graph
        if tours.shape != (len(tours), graph.order):
            return 0
        seen = np.full(graph.order, -1, dtype=np.int32)
        fault = first_fault(tours, graph.indptr, graph.indices, self._marks, self._matrix, seen, problem.closed, len(problem.require))
        for place, end in ((0, problem.start), (-1, problem.end)):
            if end is not None and (others := np.flatnonzero(tours[:fault, place] != end)).size:
                fault = int(others[0])
        for vertex, number in problem.givens:
            if (others := np.flatnonzero(tours[:fault, number - 1] != vertex)).size:
                fault = int(others[0])
        if problem.symmetry is not None:
            fault = self._first_unsymmetric(tours[:fault])
        return int(fault)

    def _first_unsymmetric(self, tours: Ints) -> int:
        """The first row that the symmetry asked for does not take to itself, or does not turn as asked; as many as there are where all are."""
        symmetry, closed = self._problem.symmetry, self._problem.closed
        assert symmetry is not None
        fault = int(first_unsymmetric(tours, symmetry.images.astype(np.int32), np.empty(tours.shape[1], dtype=np.int32), closed))
        if symmetry.turning == "either":
            return fault
        return next((row for row in range(fault) if turning(symmetry, tours[row], closed=closed) != symmetry.turning), fault)

    def canonical(self, tours: Ints) -> Ints:
        """The rows in canonical form."""
        problem = self._problem
        if problem.givens:
            return tours
        if problem.graph.directed:
            return from_vertex(tours, 0 if problem.start is None else problem.start) if problem.closed else tours
        if not problem.closed and not (problem.start is problem.end is None):
            return tours
        turned = np.empty_like(tours)
        turn(tours, turned, 0 if problem.start is None else problem.start, -1 if problem.end is None else problem.end, problem.closed)
        return turned
