"""Magic tours: published counts, brute force, what parity forbids, and the tours that the documentation shows."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from product_best import numberings, sums_alike

from cpsat_tour.backends.best import best, goal_of, optimise
from cpsat_tour.backends.best_goals import MagicGoal
from cpsat_tour.backends.best_run import BestRun, list_numberings
from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import verify
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.magic import Magic
from cpsat_tour.spaces.wrapped import Wrapped

PAGE = Path(__file__).resolve().parents[2] / "docs" / "magic.md"


def exhaust(problem: Problem, kind: str) -> tuple[int | None, bool]:
    """Search exhaustively, whatever parity says; return the number of magic numberings, and whether one was found."""
    run = BestRun(Limits(), Clock(None), goal=MagicGoal(problem, Magic(problem, kind)))
    return list_numberings(run).attained, run.best is not None


@pytest.mark.parametrize(
    ("board", "closed"), [(Board(4, 5), False), (Board(5), False), (Board(3, 4), False), (Board(5, 6), True)], ids=str
)
@pytest.mark.parametrize("kind", ["rows", "columns", "semi"])
def test_small_boards_by_brute_force(board: Board, closed: bool, kind: str) -> None:
    problem = Problem(board.graph, closed)
    expected = sum(sums_alike(board.grid.tolist(), tour, kind) for tour in numberings(problem))
    assert exhaust(problem, kind) == (expected, expected > 0)
    if Magic(problem, kind).why_impossible():
        assert expected == 0


def test_published_counts_of_4x8() -> None:
    for kind, count in (("rows", 544), ("columns", 64)):
        found = best("4x8", magic=kind)
        assert found.attained == count
        assert found.answer.tour is not None
        assert sums_alike(Board(4, 8).grid.tolist(), tuple(found.answer.tour.vertices.tolist()), kind)


def test_no_closed_6x6_is_semimagic_though_some_have_magic_rows() -> None:
    """By exhaustion, whatever parity says; and the turned board is the same."""
    problem = Problem(Board(6).graph, True)
    assert exhaust(problem, "semi") == (0, False)
    assert exhaust(problem, "rows")[0] == exhaust(problem, "columns")[0] == 104


@pytest.mark.parametrize("sides", [*product((5, 6, 7), (6, 8, 10)), (6, 6), (10, 10), (9, 9), (6, 14), (3, 12)])
@pytest.mark.parametrize("closed", [False, True])
def test_parity_forbids_odd_sides_and_twice_odd_ones(sides: tuple[int, int], closed: bool) -> None:
    magic = Magic(Problem(Board(*sides).graph, closed), "semi")
    forbidden = sides[0] % 2 == 1 or sides[1] % 2 == 1 or (sides[0] % 4 == 2 and sides[1] % 4 == 2)
    assert (magic.why_impossible() is not None) == forbidden
    if forbidden:
        answer = optimise(goal_of(magic.problem, magic="semi")).answer
        assert answer.refutation is not None
        assert answer.refutation.kind == "condition"


def test_parity_is_not_asked_where_moves_keep_the_colour() -> None:
    for board in (Board(5, leaper=(0, 2)), Wrapped("torus", 5, 5)):
        assert Magic(Problem(board.graph, False), "rows").why_impossible() is None
    reason = Magic(Problem(Board(4, 5, leaper=(1, 1)).graph, False), "rows").why_impossible()
    assert reason == "all numbers add up to 210, which 4 rows of 5 squares can't share alike"


def test_a_closed_tour_with_a_start_is_numbered_in_both_directions() -> None:
    """Backwards about its start is not the complement of forwards."""
    ring = Problem(Board(3, 2, leaper=(0, 1)).graph, True)
    by_start = [best(replace(ring, start=start, end=None), magic="rows") for start in range(6)]
    assert [found.attained or 0 for found in by_start] == [1, 1, 0, 0, 1, 1]
    assert [found.answer.status for found in by_start] == ["tour", "tour", "none", "none", "tour", "tour"]
    board = Board(6)
    by_square = {name: best(board, closed=True, start=name, magic="rows").attained for name in ("a4", "d2", "a6", "e1")}
    assert by_square == {"a4": 4, "d2": 8, "a6": 1, "e1": 8}


def test_a_magic_tour_is_an_answer_though_the_list_does_not_end() -> None:
    found = optimise(goal_of(Problem(Board(4, 8).graph, False), magic="rows"), limits=Limits(work=500_000))
    assert (found.value, found.optimal, found.attained) == (0, True, None)
    assert (found.answer.backend, found.answer.stopped_by) == ("dfs", None)


def test_fixed_ends_on_both_sides() -> None:
    found = best("4x8", start="a4", end="g1", magic="rows")
    assert (found.attained, found.answer.tour is not None) == (6, True)


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_squares_and_diamonds_make_the_chessboard_semimagic(closed: bool) -> None:
    board = Board(8)
    found = best("8x8", magic="semi", backend="rings", closed=closed)
    assert found.answer.tour is not None
    tour = found.answer.tour.vertices
    verify(Problem(board.graph, closed), tour)
    assert sums_alike(board.grid.tolist(), tuple(tour.tolist()), "semi")


def test_squares_and_diamonds_find_nothing_where_they_are_not_what_is_asked() -> None:
    for asked in (
        {"where": "4x5", "magic": "columns"},
        {"where": "8x8", "magic": "semi", "start": "a1"},
        {"where": "8x8", "magic": "full"},
    ):
        stopped_by = best(**asked, backend="rings").answer.stopped_by  # type: ignore[arg-type]
        assert stopped_by is not None
        assert stopped_by.startswith("rings finds only semimagic tours of boards of 4a by 4b")
    all_tried = best("4x8", magic="rows", backend="rings").answer.stopped_by
    assert all_tried == "rings found no tour made of squares and diamonds, and looks for no other"


def test_a_tour_that_is_not_magic_is_a_fault() -> None:
    goal = goal_of(Problem(Board(4, 8).graph, False), magic="rows")
    tour = best("4x8", magic="columns").answer.tour
    assert tour is not None
    with pytest.raises(TourFault, match=r"row 1 adds up to \d+, and not to 132"):
        goal.value(tour.vertices)


def test_the_tours_of_the_documentation() -> None:
    grids = re.findall(r"^```text\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(grids) == 2
    for grid in grids:
        numbers = np.array([line.split() for line in grid.splitlines()], dtype=np.int64)
        tour = np.argsort(numbers.ravel()).astype(np.int32)
        problem = Problem(Board(*numbers.shape).graph, False)
        verify(problem, tour)
        assert Magic(problem, "semi").fault(tour) is None
