"""Exact counts: published numbers, and three ways that agree on every small board.

``data/counts.csv`` has the numbers of the On-Line Encyclopedia of Integer Sequences, each row with the name of its sequence.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from brute_force import brute_force, random_problem

from cpsat_tour.answer import Limits
from cpsat_tour.board import Board
from cpsat_tour.counting import frontier
from cpsat_tour.counting.count import alike, count, decided, directed_readings
from cpsat_tour.counting.frontier import GIB, Forecast, TooLarge, count_by_frontier, forecast
from cpsat_tour.counting.plan import best_plan
from cpsat_tour.errors import BadInput
from cpsat_tour.events import Event, Progress
from cpsat_tour.graph import Graph
from cpsat_tour.problem import HamiltonProblem
from cpsat_tour.registry import StoppedEarly, load

PUBLISHED = [
    (row["kind"] == "closed", int(row["rows"]), int(row["cols"]), int(row["count"]), row["source"])
    for row in csv.DictReader((Path(__file__).parent / "data" / "counts.csv").read_text().splitlines())
]
QUICK, WITHIN_TEN_MINUTES = 4_000_000, 100_000_000
"""Bounds on the number of states."""


def published(least: int, most: int) -> list[tuple[bool, int, int, int]]:
    """The published rows whose bound on the number of states is above the one number and not above the other."""
    rows = [row[:4] for row in PUBLISHED]
    return [row for row in rows if least < max(best_plan(HamiltonProblem(Board(*row[1:3]).graph, row[0])).bounds) <= most]


def test_published_counts() -> None:
    quick = published(0, QUICK)
    assert {(True, 3, 40), (True, 5, 14), (False, 3, 20), (False, 4, 12), (False, 5, 8)} <= {row[:3] for row in quick}
    for closed, rows, cols, number in quick:
        if rows * cols <= 60:
            assert count(HamiltonProblem(Board(rows, cols).graph, closed)).number == number, (rows, cols, closed)


@pytest.mark.slow
@pytest.mark.parametrize(("closed", "rows", "cols", "number"), published(QUICK, WITHIN_TEN_MINUTES))
def test_published_counts_that_take_minutes(closed: bool, rows: int, cols: int, number: int) -> None:
    assert count(HamiltonProblem(Board(rows, cols).graph, closed)).number == number


def small_boards() -> Iterator[Board]:
    """Every board of at most 20 squares, whole and with a hole, for the knight, the (0,1) and the (1,4) leaper."""
    rng = random.Random(20)
    for rows in range(1, 21):
        for cols in range(rows, 20 // rows + 1):
            for leaper in ((1, 2), (0, 1), (1, 4)):
                yield Board(rows, cols, leaper=leaper)
                if rows * cols > 1:
                    yield Board(rows, cols, [rng.randrange(rows * cols)], leaper)


def test_brute_force_frontier_and_search_agree_on_every_board_of_at_most_twenty_squares() -> None:
    dfs = load("dfs")
    seen = 0
    for board in small_boards():
        for closed in (False, True):
            problem = HamiltonProblem(board.graph, closed)
            number = len(brute_force(problem))
            assert count(problem).number == number, (board, board.holes, board.leaper, closed)
            assert count(problem, dfs).number == number, (board, board.holes, board.leaper, closed)
            if decided(problem) is None:
                assert count_by_frontier(problem) == number
                seen += 1
    assert seen > 60
