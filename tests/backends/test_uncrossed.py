"""Uncrossed paths and cycles against brute force and the published lengths."""

from __future__ import annotations

import numpy as np
import pytest
from product_best import canonical, uncrossed_paths

from cpsat_tour import Board, Limits, Problem, TourFault, best
from cpsat_tour.backends.best import optimise
from cpsat_tour.backends.best_goals import LongestUncrossed, PairGoal
from cpsat_tour.spaces import objectives

OPEN = {3: 2, 4: 5, 5: 10, 6: 17, 7: 24}
"""The moves of the longest uncrossed path of n x n: A003192 in the On-Line Encyclopedia of Integer Sequences."""

CLOSED = {5: 8, 6: 12, 7: 24}
"""Likewise of the longest cycle: A157416."""


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("size", [4, 5])
def test_the_longest_are_counted(size: int, closed: bool) -> None:
    """By trying everything; tiny boards with ends and moves are among the products of test_best.py."""
    problem = Problem(Board(size).graph, closed)
    paths = {canonical(problem, path) for path in uncrossed_paths(problem)}
    longest = max(map(len, paths))
    found = best(problem, longest="uncrossed")
    assert (found.value, found.attained) == (longest - (not closed), sum(len(path) == longest for path in paths))


@pytest.mark.parametrize(
    ("closed", "size", "moves"),
    [
        (closed, size, moves)
        for closed, published in ((False, OPEN), (True, CLOSED))
        for size, moves in published.items()
    ],
)
def test_published_squares(closed: bool, size: int, moves: int) -> None:
    """The 35 moves of an open path on 8x8, which are published too, take half a minute."""
    found = best(Board(size), longest="uncrossed", closed=closed)
    assert (found.value, found.bound, found.known) == (moves, moves, "exhausted")


@pytest.mark.parametrize(("rows", "lengths"), [(3, (0, 0, 4, 6, 6, 6, 6, 10)), (4, (0, 4, 6, 8, 10, 12, 14))])
def test_narrow_boards_as_a_frontier_method_found_them(rows: int, lengths: tuple[int, ...]) -> None:
    found = [
        best(Board(rows, cols), longest="uncrossed", closed=True).value or 0 for cols in range(3, 3 + len(lengths))
    ]
    assert tuple(found) == lengths


def test_limits_are_kept() -> None:
    """8x8 has billions of paths: the clock, and the work, are looked at between them."""
    goal = LongestUncrossed(Problem(Board(8).graph, False))
    for limits, stopped in ((Limits(seconds=1e-9), "time"), (Limits(work=1), "work")):
        found = optimise(goal, limits=limits)
        assert found.answer.stopped_by == stopped
        assert found.answer.work["value"] < 35


def test_a_path_through_every_square_ends_the_search() -> None:
    """A rook of one step crosses nothing, and its paths through all 49 squares are millions."""
    found = best(Board(7, leaper=(0, 1)), longest="uncrossed")
    assert (found.value, found.bound, found.reason) == (48, 48, "it visits every one of the 49 squares")


def test_a_hint_that_is_longest_stays() -> None:
    """No longer one is found then, and all that are as long are counted."""
    tour = best("5x5", longest="uncrossed").answer.tour
    assert tour is not None
    found = best("5x5", longest="uncrossed", hint=tour.names)
    assert found.answer.tour is not None
    assert (found.answer.tour.names, found.value, found.attained) == (tour.names, 10, 32)


def test_the_clock_is_looked_at_while_crossings_are_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objectives, "meet_inside", lambda *_: pytest.fail("the time was over before"))
    found = optimise(PairGoal(Problem(Board(30).graph, False), "crossings", False), limits=Limits(seconds=1e-9))
    assert found.answer.stopped_by == "time"


@pytest.mark.parametrize(
    ("vertices", "closed", "fault"),
    [
        ([], False, "has at least 1 vertices"),
        ([0, 7], True, "has at least 3 vertices"),
        ([0, 7, 0], False, "visited twice"),
        ([0, 99], False, "visited twice, or is not in the graph"),
        ([0, 1], False, "from a5 to b5, is not a move here"),
        ([10, 1, 12, 5], False, "the moves a3-b5 and c3-a4 cross"),
    ],
)
def test_faults_are_named(vertices: list[int], closed: bool, fault: str) -> None:
    with pytest.raises(TourFault, match=fault):
        LongestUncrossed(Problem(Board(5).graph, closed)).value(np.array(vertices, dtype=np.int32))


def test_a_move_that_is_required_and_forbidden_leaves_no_path() -> None:
    assert best("4x4", longest="uncrossed", require=[("a1", "b3")], forbid=[("a1", "b3")]).answer.status == "none"
