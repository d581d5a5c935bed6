"""Constructed tours of knight's boards: every board that has one, in canonical form; and what is left to other
backends."""

from itertools import product

import numpy as np
import pytest

from cpsat_tour import BadInput, Board, Limits, Problem, solve
from cpsat_tour.core.verify import canonical
from cpsat_tour.native.construct import (
    Construct,
    join_blocks,
)
from cpsat_tour.spaces.theorems import has_tour, why_no_tour


def check(rows: int, cols: int, *, closed: bool) -> None:
    """The constructed tour is one, closed if it should be, begins in the corner, and has canonical form."""
    visits = join_blocks(rows, cols, closed=closed)
    steps = np.abs(np.diff(visits, axis=0, append=visits[:1]))
    assert (steps[: None if closed else -1].prod(axis=1) == 2).all(), (rows, cols)
    squares = visits @ np.array((cols, 1), dtype=np.int32)
    assert np.array_equal(np.sort(squares), np.arange(rows * cols)), (rows, cols)
    assert (visits[:, 1] < cols).all(), (rows, cols)
    assert (visits >= 0).all(), (rows, cols)
    assert visits[0].tolist() == [0, 0]
    if max(rows, cols) < 16:
        assert np.array_equal(squares, canonical(Problem(Board(rows, cols).graph, closed), squares))


NARROW = [pytest.param(rows, range(41, 2001), marks=pytest.mark.slow) for rows in (3, 4, 5, 6)]


@pytest.mark.parametrize(("rows", "columns"), [*((rows, range(1, 41)) for rows in range(1, 41)), *NARROW])
def test_every_board_up_to_40x40_that_has_a_tour_and_narrow_ones(rows: int, columns: range) -> None:
    for cols, closed in product(columns, (False, True)):
        board = Board(rows, cols)
        if has_tour(board, closed=closed):
            check(rows, cols, closed=closed)
        else:
            answer = Construct().solve(Problem(board.graph, closed), Limits())
            assert answer.stopped_by == why_no_tour(board, closed=closed)


@pytest.mark.parametrize("sides", [(3, 2000), (1999, 4), (5, 1777), (1001, 1003), (3, 1 << 20), (1 << 19, 4)], ids=str)
def test_long_and_large_boards(sides: tuple[int, int]) -> None:
    check(*sides, closed=False)
    if has_tour(Board(min(*sides), 10), closed=True) and sides[0] * sides[1] % 2 == 0:
        check(*sides, closed=True)


@pytest.mark.parametrize("side", [5, 6])
def test_a_limit_on_work_is_kept_to_the_square(side: int) -> None:
    problem, squares = Problem(Board(side).graph, False), side * side
    assert Construct().solve(problem, Limits(work=squares - 1)).stopped_by == "work"
    assert Construct().solve(problem, Limits(work=squares)).work == {"squares": squares}


@pytest.mark.parametrize(
    ("where", "parts", "words"),
    [
        ("torus:5x5", {}, "the 5x5 torus"),
        ("4x4x3", {}, "the 4x4x3 box"),
        (Board(8, holes=["a1"]), {}, "without 1 square"),
        (Board(8, leaper=(1, 4)), {}, "a giraffe"),
        ("Petersen", {}, "Petersen"),
        ("8x8", {"require": [("a1", "b3")]}, "required moves"),
        ("8x8", {"forbid": [("a1", "b3")]}, "forbidden moves"),
        ("8x8", {"start": "a1"}, "given ends"),
        ("8x8", {"end": "a1"}, "given ends"),
        ("8x8", {"closed": True, "symmetry": "rot180"}, "symmetric tours"),
        ("8x8", {"givens": {"a1": 3}}, "given numbers"),
    ],
    ids=str,
)
def test_unsupported_problems_are_refused_with_the_names_of_other_backends(
    where: str | Board, parts: dict[str, object], words: str
) -> None:
    with pytest.raises(BadInput, match=f"backend construct does not take .*{words}.*: choose one of ") as refused:
        solve(where, backend="construct", **parts)  # type: ignore[arg-type]
    able = str(refused.value).partition("choose one of ")[2].split(", ")
    assert "construct" not in able
    assert solve(where, backend=able[0], seconds=60, **parts).status != "unknown"  # type: ignore[arg-type]
