"""The tours with fewest turns but for a constant: on all boards of the base of the proof, and their strands."""

import numpy as np
import pytest
from few_turns import BOARDS, CORNER, MOVES, drawn, followed, turns
from turns import bound

from cpsat_tour import Board, Problem, Tour
from cpsat_tour.engines.best_search import goal_of

LESS = {0: 14, 2: 13, 4: 12, 6: 13}
"""By m mod 8: how many turns less than 4(m + n)."""


def is_tour(rows: int, cols: int) -> bool:
    """Return whether the letters visit every square."""
    return len(followed(drawn(rows, cols))) == rows * cols


@pytest.mark.parametrize(("rows", "cols"), [(20, 20), (22, 22), (24, 43), (26, 26), (32, 24), (62, 39)])
def test_the_letters_make_a_verified_tour_with_the_turns_of_the_theorem(rows: int, cols: int) -> None:
    board = Board(rows, cols)
    tour = Tour.of(board, followed(drawn(rows, cols)), closed=True)
    goal = goal_of(Problem(board.graph, closed=True), "turns")
    assert goal.value(np.array(tour.vertices)) == turns(drawn(rows, cols)) == 4 * (rows + cols) - LESS[rows % 8]


def test_boards_and_letters_grow_by_four_turns_a_row_and_a_column() -> None:
    for rows in range(20, 60, 2):
        for cols in (20, 21, 50):
            assert turns(drawn(rows, cols)) == 4 * (rows + cols) - LESS[rows % 8] >= bound((rows, cols)) / 5


@pytest.mark.parametrize(
    "rows", [20, 22, 24, 26, *(pytest.param(m, marks=pytest.mark.slow) for m in range(28, 108, 2))]
)
def test_every_board_of_the_base_has_a_tour(rows: int) -> None:
    assert all(is_tour(rows, cols) for cols in range(max(20, rows // 2 + 8), rows // 2 + 64))


def passes(rows: int, cols: int) -> list[tuple[int, int, bool]]:
    """Return the line of each pass between two visits to the border, 2 * column - row, its step down or up, and whether
    the visit before it made no use of a corner."""
    squares = followed(drawn(rows, cols))
    found, clear, outside = list[tuple[int, int, bool]](), True, True
    for (row, col), after in zip(squares, squares[1:] + squares[:1], strict=True):
        if min(row, rows - 1 - row, col, cols - 1 - col) < 5:
            clear, outside = clear and max(min(row, rows - 1 - row), min(col, cols - 1 - col)) >= CORNER, True
        elif outside:
            found.append((2 * col - row, after[0] - row, clear))
            clear, outside = True, False
    return found


@pytest.mark.parametrize("rows", [100, 102, 104, 106])
def test_a_strand_is_eight_lines_further_when_it_repeats(rows: int) -> None:
    """In each region of lines that end 15 or more from the corners, and at most 17 lines from where it began."""
    for cols in (rows // 2 + 8, rows // 2 + 10, 120):
        around = passes(rows, cols)
        sides = [(31 - rows, -15), (2 * cols - rows + 14, 2 * cols - 32)]
        for low, high in sides if cols < 120 else [*sides, (30, 2 * cols - rows - 31)]:
            regular = [place for place, (line, *_) in enumerate(around) if low <= line <= high]
            assert len(regular) == high - low + 1 >= 40
            for place in regular:
                (line, _, clear), (following, _, also_clear) = around[place], around[(place + 1) % len(around)]
                assert clear
                assert also_clear
                assert abs(following - line) <= 9
            middle = range((low + high) // 2 - 4, (low + high) // 2 + 4)
            length = 4 if (low, high) in sides else 2
            for place in (place for place in regular if around[place][0] in middle):
                strand = [around[(place + further) % len(around)][:2] for further in range(5)]
                (line, step) = strand[0]
                assert abs(strand[length][0] - line) == 8
                assert strand[length][1] == step
                assert all(abs(there - line) <= 17 for there, _ in strand[:length])


@pytest.mark.parametrize("rows", [28, 30, 32, 34])
def test_eight_rows_more_have_52_crossings_and_eight_columns_24(rows: int) -> None:
    crossings = []
    for high, wide in ((rows, 36), (rows + 8, 36), (rows, 44)):
        vertices = np.array([row * wide + col for row, col in followed(drawn(high, wide))])
        crossings.append(goal_of(Problem(Board(high, wide).graph, closed=True), "crossings").value(vertices))
    assert np.subtract(crossings[1:], crossings[0]).tolist() == [52, 24]


def test_a_wrong_letter_makes_no_tour(monkeypatch: pytest.MonkeyPatch) -> None:
    board = BOARDS[4]
    other = next(letter for letter in MOVES if letter != board[12][10])
    monkeypatch.setitem(BOARDS, 4, [*board[:12], board[12][:10] + other + board[12][11:], *board[13:]])
    with pytest.raises(ValueError, match="not in list"):
        followed(drawn(28, 28))
