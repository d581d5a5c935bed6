"""Rows of tours are verified and made canonical like single tours, and a wrong one among many is found."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import islice

import numpy as np
import pytest
from brute_force import brute_force, random_problem
from products import all_tours

from cpsat_tour.backends.registry import load
from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.verify import TourRows, canonical, verify
from cpsat_tour.spaces.board import Board


@pytest.mark.parametrize("in_matrix", [False, True])
def test_rows_of_tours_are_verified_and_made_canonical_like_single_tours(
    in_matrix: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever arcs are looked up, also where the head stands first in the next row."""
    if not in_matrix:
        monkeypatch.setattr("cpsat_tour.core.verify.MAX_IN_MATRIX", 1)
    rng = random.Random(0)
    for _ in range(150):
        problem = random_problem(rng, 7)
        order = problem.graph.order
        if order < 3:
            continue
        rows = TourRows(problem)
        for tour in [
            *list(brute_force(problem))[:5],
            *(tuple(rng.sample(range(order), order)) for _ in range(9)),
            (0,) * order,
            (order,) * order,
        ]:
            row = np.array(tour, dtype=np.int32)
            fault = fault_of(partial(verify, problem, row))
            assert fault_of(partial(rows.verify, np.stack([row, row]))) == fault
            if fault is None:
                assert canonical(problem, row).tolist() == plainly_canonical(problem, tour)


def plainly_canonical(problem: Problem, tour: tuple[int, ...]) -> list[int]:
    """The least reading of a tour from where it may begin, or the one to its fixed end."""
    readings = [tour]
    if problem.givens:
        return list(tour)
    if problem.closed:
        readings = [tour[place:] + tour[:place] for place in range(len(tour))]
    if not problem.graph.directed:
        readings += [reading[::-1] for reading in readings]
    starts, ends = ({None, vertex} for vertex in (problem.start, problem.end))
    return list(min(r for r in readings if starts <= {None, r[0]} and ends <= {None, r[-1]}))


def fault_of(verification: Callable[[], None]) -> str | None:
    """What is wrong with a tour by a verification."""
    try:
        verification()
    except TourFault as fault:
        return str(fault)
    return None


def test_a_wrong_row_among_many_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(Board(6).graph, True)
    tours = np.array([*islice(all_tours(problem, load("dfs")), 3000)])
    for size in (1 << 30, 1):  # arcs are looked up in a matrix, or by binary search
        monkeypatch.setattr("cpsat_tour.core.verify.MAX_IN_MATRIX", size)
        rows = TourRows(problem)
        rows.verify(tours)
        wrong = tours.copy()
        wrong[2345, [4, 5]] = wrong[2345, [5, 4]]
        with pytest.raises(TourFault, match="is not a move here"):
            rows.verify(wrong)
