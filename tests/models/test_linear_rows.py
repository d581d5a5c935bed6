"""The language of rows says what its formulas say: each sum and row against loops written out."""

from __future__ import annotations

import numpy as np
import pytest

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.run import no_heartbeat
from cpsat_tour.models.drivers.linear import LinearProgram
from cpsat_tour.models.drivers.linear_rows import Rows, Sums, sum_at
from cpsat_tour.spaces.board import Board

TAILS, HEADS = np.array([0, 0, 1, 2, 2, 3]), np.array([1, 2, 2, 0, 3, 0])

Written = list[dict[int, float]]
"""The weight of each column, for each sum."""


def written(sums: Sums) -> Written:
    """The sums as people write them; a column that comes twice in one is added up."""
    found: Written = []
    entries = zip(sums.columns.tolist(), sums.weights.tolist(), strict=True)
    for length in sums.lengths.tolist():
        terms: dict[int, float] = {}
        for _ in range(length):
            column, weight = next(entries)
            terms[column] = terms.get(column, 0) + weight
        found.append(terms)
    assert next(entries, None) is None
    return found


def two_groups() -> tuple[LinearProgram, Sums, Sums]:
    """A program with six columns x, numbers 0 to 5, and four columns p, numbers 6 to 9."""
    cycle = to_cycle(Problem(Board(3, 4).graph, True))
    program = LinearProgram("test", cycle, np.arange(6, dtype=np.int32), no_heartbeat)
    return program, program.columns("x", TAILS, HEADS, whole=True), program.columns("p", np.arange(4), most=2)


def test_sums_are_added_and_compared_index_by_index() -> None:
    _, x, p = two_groups()
    stated = p[TAILS] - p[HEADS] + 3 * x <= 2
    loops = [{6 + u: 1, 6 + v: -1, k: 3} for k, (u, v) in enumerate(zip(TAILS.tolist(), HEADS.tolist(), strict=True))]
    assert written(stated.sums) == loops
    assert (stated.sign, stated.right.tolist()) == ("<=", [2] * 6)
    assert written((x[HEADS == 0] >= p[[1, 3]]).sums) == [{3: 1, 7: -1}, {5: 1, 9: -1}]


def test_sums_at_places_and_over_lists() -> None:
    _, x, _ = two_groups()
    leaving = sum_at(TAILS, x, 5)
    assert written(leaving) == [{0: 1, 1: 1}, {2: 1}, {3: 1, 4: 1}, {5: 1}, {}]
    balance = sum_at(HEADS, x, 5) - leaving
    assert written(balance[[2, 0]]) == [{1: 1, 2: 1, 3: -1, 4: -1}, {3: 1, 5: 1, 0: -1, 1: -1}]
    assert written(x.over([np.array([4, 1]), np.array([2])])) == [{4: 1, 1: 1}, {2: 1}]
    assert written(leaving.over([np.array([0, 1])])) == [{0: 1, 1: 1, 2: 1}]


@pytest.mark.parametrize(("sign", "least", "most"), [("<=", -np.inf, 3), ("=", 3, 3), (">=", 3, np.inf)])
def test_bounds_of_a_row(sign: str, least: float, most: float) -> None:
    _, x, _ = two_groups()
    rows = {"<=": x <= 3, "=": x == 3, ">=": x >= 3}[sign]
    assert isinstance(rows, Rows)
    assert [bound.tolist() for bound in rows.bounds] == [[least] * 6, [most] * 6]


def test_a_program_that_grows_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    program, x, p = two_groups()
    program.add(x <= 1)
    assert (program.sizes.variables, program.sizes.clauses, program.sizes.literals) == (10, 6, 6)
    monkeypatch.setattr("cpsat_tour.models.drivers.linear.MAX_ENTRIES", 19)
    with pytest.raises(
        BadInput, match="the program of test has more than 19 columns and entries here: choose milp, or"
    ):
        program.add(p >= 1)
