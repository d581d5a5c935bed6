"""Verifies many tours at once, the rows of an array, by a kernel in C (`native/rows.c`).

`TourRows.verify` accepts the rows that `cpsat_tour.core.verify.verify` accepts, which names the fault of a wrong one. A
million tours of the chessboard take a sixth of a second. Arcs are looked up in a matrix if the graph is small, else by
binary search in the sorted rows of the graph.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.kernels import kernel
from cpsat_tour.core.orbits import are_symmetric
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.verify import verify, visits_in_order

Marks = NDArray[np.uint8]

NO_ARC, ARC, REQUIRED = range(3)

MAX_IN_MATRIX = 1 << 11
"""The largest order for which arcs are looked up in a matrix."""


class TourRows:
    """Verification of the tours of one problem on three or more vertices."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        graph = problem.graph
        self._marks = np.full(len(graph.indices), ARC, dtype=np.uint8)
        for mark, moves in ((REQUIRED, problem.require), (NO_ARC, problem.forbid)):
            for tail, head in moves:
                self._marks[graph.arc(tail, head)] = mark
                if not graph.directed:
                    self._marks[graph.arc(head, tail)] = mark
        side = graph.order if graph.order <= MAX_IN_MATRIX else 0
        self._matrix: Marks = np.zeros((side, side), dtype=np.uint8)
        if side:
            self._matrix[graph.tails, graph.indices] = self._marks

    def verify(self, tours: Ints) -> None:
        """Raise `TourFault` for the first row that is not a tour of the problem."""
        problem, graph, fault = self._problem, self._problem.graph, 0
        if tours.shape == (len(tours), graph.order):
            required, seen = len(problem.require), np.full(graph.order, -1, dtype=np.int32)
            rows, arcs = np.ascontiguousarray(tours, dtype=np.int32), (graph.indptr, graph.indices, self._marks)
            in_matrix = len(self._matrix) > 0
            fault = first_fault(
                rows, len(rows), graph.order, *arcs, self._matrix, in_matrix, seen, problem.closed, required
            )
            for vertex, number in ((problem.start, 1), (problem.end, 0), *problem.givens):
                if vertex is not None and (others := np.flatnonzero(tours[:fault, number - 1] != vertex)).size:
                    fault = int(others[0])
            others = np.flatnonzero(~visits_in_order(problem.waypoints, tours[:fault]))
            fault = int(others[0]) if others.size else fault
            if problem.symmetry is not None:
                others = np.flatnonzero(~are_symmetric(problem.symmetry, tours[:fault], closed=problem.closed))
                fault = int(others[0]) if others.size else fault
        if fault < len(tours):
            verify(problem, tours[fault])
            raise AssertionError(f"the two ways to verify a tour differ on {tours[fault].tolist()}")


@kernel
def first_fault(
    tours: Annotated[Ints, "rows*order"],
    rows: int,
    order: int,
    indptr: Annotated[Ints, "order+1"],
    indices: Ints,
    marks: Marks,
    matrix: Marks,
    in_matrix: bool,
    seen: Annotated[Ints, "order"],
    closed: bool,
    required: int,
) -> int:
    """Return the first row that is not a tour, or the number of rows if all are.

    ``marks`` has a mark for each arc, like ``indices``; ``matrix``, if arcs are looked up there, the same by tail and
    head. ``seen`` is scratch, one entry per vertex, initialised to -1. ``required`` is the number of required edges
    (arcs, if directed).
    """
