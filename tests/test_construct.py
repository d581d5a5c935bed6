"""Constructed tours of knight's boards: every board that has one, every start, most pairs of ends, and sentences where
there is none."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pytest

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run, solve
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import canonical, verify
from cpsat_tour.formats.visits import VisitChecker, check_turned
from cpsat_tour.native.construct.backend import Construct
from cpsat_tour.native.construct.kept import KEPT
from cpsat_tour.native.construct.pieces import Piece, Place, makes, tour_of, walked
from cpsat_tour.native.construct.plan import Cut, joint
from cpsat_tour.native.construct.tours import LargeBoard, NoConstruction, constructed
from cpsat_tour.native.construct.walk import BOTTOM, LEFT, RIGHT, TOP
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.theorems import has_tour, sentence
from cpsat_tour.spaces.turns import symmetry_named


def check(board: Board, *, closed: bool, start: Place | None = None, end: Place | None = None) -> None:
    """The constructed tour is one, and has these ends."""
    checker, visits = VisitChecker(board.rows, board.cols), []
    for chunk in constructed(board, closed=closed, start=start, end=end).chunks():
        checker.add(chunk)
        visits += [tuple(chunk[0].tolist()), tuple(chunk[-1].tolist())]
    assert checker.finish() or not closed, board
    assert visits[0] == (start or (0, 0))
    assert end is None or visits[-1] == end


def check_against_the_theorems(board: Board) -> None:
    for closed in (False, True):
        if has_tour(board, closed=closed):
            check(board, closed=closed)
        else:
            with pytest.raises(NoConstruction) as why:
                constructed(board, closed=closed)
            assert str(why.value) == sentence(board, closed=closed)


def test_every_piece_that_is_kept_is_a_tour() -> None:
    for (rows, cols, start, end), directions in KEPT.items():
        tour = walked(start or (0, 0), directions)
        assert tour[-1] == (end or tour[-1])
        problem = Problem(Board(rows, cols).graph, start is None)
        verify(problem, [row * cols + col for row, col in tour])


def test_what_is_kept_has_the_joints_so_that_no_board_without_given_ends_needs_a_search() -> None:
    for rows, cols in product(range(6, 12), repeat=2):
        start = (0, 0) if rows * cols % 2 else None
        moves = tuple(joint(rows, cols, border) for border in (LEFT, RIGHT, TOP, BOTTOM))
        assert makes(walked((0, 0), KEPT[rows, cols, start, None]), Piece(rows, cols, start, require=moves))


def test_ends_of_joints_are_moves_apart_across_the_border() -> None:
    for rows, cols, other in product((6, 9), (7, 10), (8, 11)):
        for near, far, step in (
            (joint(rows, cols, RIGHT), joint(rows, other, LEFT), (0, cols)),
            (joint(rows, cols, BOTTOM), joint(other, cols, TOP), (rows, 0)),
        ):
            for here, there in zip(near, far, strict=True):
                assert sorted((abs(there[0] + step[0] - here[0]), abs(there[1] + step[1] - here[1]))) == [1, 2]


def test_a_side_is_cut_into_sixes_and_one_other() -> None:
    for side, square in ((length, at) for length in range(5, 80) for at in range(0, length, 3)):
        cut = Cut.holding(side, square)
        lengths = [cut.length(block) for block in range(cut.number)]
        assert sum(lengths) == side
        assert [cut.begin(block) for block in range(cut.number)] == [
            sum(lengths[:block]) for block in range(cut.number)
        ]
        assert [cut.block(at) for at in range(side)] == [
            block for block, length in enumerate(lengths) for _ in range(length)
        ]
        assert side % 2 == 0 or cut.block(square) == cut.at


def test_every_board_up_to_20x20() -> None:
    for rows, cols in product(range(1, 21), repeat=2):
        check_against_the_theorems(Board(rows, cols))


@pytest.mark.slow
def test_every_board_up_to_60x60_and_strips_up_to_2000() -> None:
    for rows, cols in product(range(1, 61), repeat=2):
        check_against_the_theorems(Board(rows, cols))
    for rows, cols in product((3, 4, 5), range(61, 2001)):
        check_against_the_theorems(Board(rows, cols))


@pytest.mark.parametrize("sides", [(3, 2000), (1999, 4), (5, 1777), (1001, 1003), (3, 1 << 20)], ids=str)
def test_long_and_large_boards(sides: tuple[int, int]) -> None:
    check_against_the_theorems(LargeBoard(*sides))


def starts(board: Board) -> Iterator[Place]:
    """The squares that a tour can begin at: of the corners' colour, if the board is odd."""
    return (
        place for place in product(range(board.rows), range(board.cols)) if len(board) % 2 == 0 or sum(place) % 2 == 0
    )


@pytest.mark.parametrize("side", range(5, 13))
def test_every_start_of_squares(side: int) -> None:
    board = Board(side)
    for start in starts(board):
        check(board, closed=False, start=start)
        if side % 2 == 0:
            check(board, closed=True, start=start)


@pytest.mark.parametrize(
    "board", [Board(3, 7), Board(8, 3), Board(3, 11), Board(4, 5), Board(4, 9), Board(5, 8)], ids=str
)
def test_starts_of_narrow_boards_against_cpsat(board: Board) -> None:
    for start in starts(board):
        try:
            check(board, closed=False, start=start)
        except NoConstruction:
            assert solve(board, start=start, backend="cpsat").status == "none", start


@pytest.mark.parametrize("board", [Board(17), Board(13, 23), Board(23, 15), Board(3, 41), Board(4, 31)], ids=str)
def test_starts_in_any_block_and_column(board: Board) -> None:
    for start in random.Random(18).sample(list(starts(board)), 25):
        if min(board.sides) > 4 or (start[0] in (0, 3) and board.rows == 4) or board.rows == 3:
            check(board, closed=False, start=start)


def check_pair(board: Board, start: Place, end: Place) -> None:
    """The tour between these ends is one, if their colours allow one; where it is not constructed there is none, says
    the SAT solver."""
    colours = [sum(start) % 2, sum(end) % 2]
    if colours == [0, 0] if len(board) % 2 else sum(colours) == 1:
        try:
            check(board, closed=False, start=start, end=end)
        except NoConstruction:
            assert solve(board, start=start, end=end, backend="sat").status == "none", (board, start, end)


PAIRED = [Board(6), Board(7), Board(5, 20), Board(10), Board(13, 14), Board(29, 24), Board(3, 21), Board(62, 3)]


@pytest.mark.parametrize("board", PAIRED, ids=str)
def test_pairs_of_ends(board: Board) -> None:
    chance, squares = random.Random(2026), list(product(range(board.rows), range(board.cols)))
    for start, end in (chance.sample(squares, 2) for _ in range(60)):
        check_pair(board, start, end)


@pytest.mark.parametrize("cols", [7, 8, 13, 22, 45, 1001])
def test_any_two_outer_squares_of_different_colours_are_ends_on_four_rows(cols: int) -> None:
    chance, outer = random.Random(4), list(product((0, 3), range(cols)))
    for start, end in (chance.sample(outer, 2) for _ in range(80)):
        if (sum(start) + sum(end)) % 2:
            check(Board(4, cols), closed=False, start=start, end=end)
            check(Board(cols, 4), closed=False, start=start[::-1], end=end[::-1])
    check(Board(4, cols), closed=False, start=(0, 0), end=(3, (cols - 1) // 2 * 2))


def test_pairs_of_ends_in_the_middle_of_five_rows() -> None:
    for start, end in (((2, 7), (2, 10)), ((2, 10), (0, 1)), ((2, 13), (2, 20)), ((2, 16), (4, 11))):
        check(Board(5, 24), closed=False, start=start, end=end)


def test_a_move_between_the_ends_of_a_piece_is_not_given_up() -> None:
    check_pair(Board(3, 26), (0, 9), (2, 8))


@pytest.mark.slow
@pytest.mark.parametrize("board", [Board(rows, cols) for rows in range(6, 11) for cols in range(rows, 11)], ids=str)
def test_every_pair_of_ends_from_6x6_to_10x10(board: Board) -> None:
    for start, end in permutations(product(range(board.rows), range(board.cols)), 2):
        check_pair(board, start, end)


def turned_board(board: Board) -> Iterator[int]:
    """How many turns bring back the tours that are constructed."""
    rows, cols = board.sides
    if min(rows, cols) >= 6 and (rows % 2 == cols % 2 == 0 or 2 in (rows % 4, cols % 4)) and len(board) % 2 == 0:
        yield 2
        if rows == cols and rows % 4 == 2:
            yield 4


def check_turns(board: Board) -> None:
    for turns in turned_board(board):
        name = {2: "rot180-eulerian", 4: "rot90"}[turns]
        answer = run(Problem(board.graph, True, symmetry=symmetry_named(board.graph, name)), load("construct"))
        assert answer.tour is not None, (board, turns)
        visits = np.concatenate(
            [chunk.copy() for chunk in constructed(board, closed=True, start=(1, 3), turns=turns).chunks()]
        )
        checker = VisitChecker(board.rows, board.cols)
        checker.add(visits)
        assert checker.finish()
        check_turned(visits, board.rows, board.cols, turns)
        assert visits[0].tolist() == [1, 3]


@pytest.mark.parametrize(
    "board", [Board(*sides) for sides in ((6, 6), (6, 8), (8, 8), (18, 18), (22, 22), (24, 6), (9, 14))], ids=str
)
def test_turns_move_tours_along_themselves(board: Board) -> None:
    check_turns(board)


@pytest.mark.slow
def test_every_board_up_to_40x40_that_has_halves_or_quarters_has_a_turned_tour() -> None:
    for rows, cols in product(range(6, 41), repeat=2):
        check_turns(Board(rows, cols))


def test_a_tour_that_a_turn_does_not_move_along_is_told() -> None:
    tour = np.concatenate([chunk.copy() for chunk in constructed(Board(6), closed=True, turns=4).chunks()])
    for turns in (2, 4):
        check_turned(tour, 6, 6, turns)
        check_turned(tour[::-1], 6, 6, turns)
        wrong = tour.copy()
        wrong[[20, 21]] = wrong[[21, 20]]
        with pytest.raises(TourFault, match="the turn does not take visit"):
            check_turned(wrong, 6, 6, turns)


def test_answers_are_canonical_without_being_turned() -> None:
    for board, closed, start in (
        (Board(10), True, None),
        (Board(7, 12), True, (3, 4)),
        (Board(9), False, None),
        (Board(12, 9), False, (8, 8)),
    ):
        problem = Problem(board.graph, closed, None if start is None else board.vertex(start))
        answer = Construct().solve(problem, Limits())
        assert answer.tour is not None
        assert np.array_equal(answer.tour.vertices, canonical(problem, answer.tour.vertices))


def test_an_end_alone_and_what_is_refused() -> None:
    board = Board(9, 8)
    answer = run(Problem(board.graph, False, end=board.vertex("c3")), load("construct"))
    assert answer.tour is not None
    assert answer.tour.names[-1] == "c3"
    for where, options, words in (
        ("torus:5x5", {}, "the 5x5 torus"),
        ("4x4x3", {}, "the 4x4x3 box"),
        (Board(8, holes=["a1"]), {}, "less 1 square"),
        (Board(8, leaper=(1, 4)), {}, "1,4 leaper"),
        ("8x8", {"require": [("a1", "b3")]}, "required moves"),
        ("8x8", {"forbid": [("a1", "b3")]}, "forbidden moves"),
    ):
        with pytest.raises(BadInput, match=f"backend construct does not take .*{words}"):
            solve(where, backend="construct", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("board", "ends", "words"),
    [
        (Board(7), {"start": (0, 1)}, "have the colour of its corners"),
        (Board(8), {"start": (0, 1), "end": (1, 0)}, "have different colours"),
        (Board(4, 8), {"start": (1, 1)}, "outer rows"),
        (Board(3, 7), {"start": (1, 3)}, "no open tour of the 3x7 board from d2 is constructed"),
    ],
)
def test_ends_that_are_impossible_leave_the_problem_unknown(board: Board, ends: dict[str, Place], words: str) -> None:
    answer = solve(board, backend="construct", **ends)  # type: ignore[arg-type]
    assert answer.status == "unknown"
    assert answer.stopped_by is not None
    assert words in answer.stopped_by


def test_limits() -> None:
    problem = Problem(Board(40).graph, True)
    assert Construct().solve(problem, Limits(work=0)).stopped_by == "work"
    assert Construct().solve(problem, Limits(seconds=0.0)).stopped_by == "time"


def test_a_piece_that_can_not_be_had_is_none() -> None:
    assert tour_of(Piece(4, 4, (0, 0))) is None
    assert tour_of(Piece(5, 5, (0, 1))) is None
    assert tour_of(Piece(1, 1, (0, 0))) == ((0, 0),)


def test_the_checker_of_visits_names_the_first_fault() -> None:
    tour = np.concatenate([chunk.copy() for chunk in constructed(Board(6), closed=True).chunks()])
    for place, visit, words in (
        (4, (6, 0), r"visit 5, at 6,0, is not on the 6x6 board"),
        (4, tuple(tour[1]), r"visit 5, at .* was visited before"),
        (4, tuple(tour[8]), r"visit 5, at .* is not a knight's move from the visit before"),
    ):
        wrong = tour.copy()
        wrong[place] = visit
        with pytest.raises(TourFault, match=words):
            VisitChecker(6, 6).add(wrong)
    for step in ((0, 3), (3, 0), (1, 1), (2, 2), (0, 1), (1, 3)):
        with pytest.raises(TourFault, match=r"visit 2, .* is not a knight's move"):
            VisitChecker(6, 6).add(np.array([(0, 0), step], dtype=np.int32))
    short = VisitChecker(6, 6)
    short.add(tour[:20])
    short.add(tour[20:35])
    with pytest.raises(TourFault, match="there are 35 visits to the 36 squares"):
        short.finish()
    short.add(tour[35:])
    assert short.finish()
