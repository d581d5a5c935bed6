"""Boards: squares in both notations, moves by definition, holes, sizes and leapers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import MAX_VERTICES
from cpsat_tour.spaces.board import Board, Box
from cpsat_tour.spaces.kinds import parse_space
from cpsat_tour.spaces.lattice import MOVES, file_letters, file_number, leaper_directions
from cpsat_tour.spaces.problem_data import read_space
from cpsat_tour.spaces.wrapped import Wrapped


@st.composite
def boards(draw: st.DrawFn) -> Board:
    rows, cols = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    holes = draw(st.sets(st.integers(0, rows * cols - 1), max_size=6))
    pair = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any)
    leaper = draw(st.one_of(pair, st.lists(pair, min_size=1, max_size=3), st.sampled_from(sorted(MOVES))))
    assume(len(holes) < rows * cols)
    return Board(rows, cols, holes, leaper)


@given(boards())
def test_graph_has_the_moves_of_the_leaper_and_no_others(board: Board) -> None:
    graph = board.graph
    places = [divmod(square, board.cols) for square in range(board.rows * board.cols) if square not in board.holes]
    assert graph.order == len(board) == len(places)
    assert not graph.directed
    for tail, (row, col) in enumerate(places):
        moves = [
            head for head, (r, c) in enumerate(places) if tuple(sorted((abs(r - row), abs(c - col)))) in board.leapers
        ]
        assert graph.neighbours(tail).tolist() == moves
    assert graph.indptr.dtype == graph.indices.dtype == np.int32
    assert board.coordinates.tolist() == [list(place) for place in places]


@given(boards())
def test_both_notations_name_the_same_square(board: Board) -> None:
    for vertex, square in enumerate(board.squares.tolist()):
        row, col = divmod(square, board.cols)
        name = board.name(vertex)
        for which in ((row, col), name, name.upper(), f" {name} ", f"{row},{col}", f"{row} , {col}"):
            assert board.square(which) == square
            assert board.vertex(which) == vertex
        assert (board.square(square), board.vertex(vertex)) == (square, vertex)
        assert name == f"{file_letters(col)}{board.rows - row}"


@given(boards())
def test_holes_and_outside_are_refused(board: Board) -> None:
    outside = [
        -1,
        board.rows * board.cols,
        (-1, 0),
        (0, -1),
        (board.rows, 0),
        (0, board.cols),
        f"a{board.rows + 1}",
        "a0",
        f"{board.rows},0",
    ]
    for which in [*outside, *board.holes]:
        with pytest.raises(BadInput, match="square"):
            board.square(which)


@given(st.integers(0, 10**6))
def test_file_letters_count_on_after_z(col: int) -> None:
    assert file_number(file_letters(col)) == col
    assert [file_letters(n) for n in (0, 25, 26, 51, 52, 701, 702)] == ["a", "z", "aa", "az", "ba", "zz", "aaa"]


def test_directions_of_the_knight_are_numbered_clockwise() -> None:
    assert leaper_directions((1, 2)) == [(-2, 1), (-1, 2), (1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1)]
    assert leaper_directions((2, 1)) == leaper_directions((1, 2))


@pytest.mark.parametrize(
    ("text", "rows", "cols"),
    [("8x8", 8, 8), ("8", 8, 8), ("3X4", 3, 4), (" 1x1 ", 1, 1), ("08x8", 8, 8), ("1x16777216", 1, MAX_VERTICES)],
)
def test_sizes_that_people_write(text: str, rows: int, cols: int) -> None:
    board = Board.parse(text)
    assert (board.rows, board.cols, str(board)) == (rows, cols, f"{rows}x{cols}")


def test_holes_in_any_notation_and_named_twice() -> None:
    board = Board(3, holes=["a1", 6, (2, 0), "2,0", "c3"])
    assert board.holes == {6, 2}
    assert board.grid.ravel().tolist() == [0, 1, -1, 2, 3, 4, -1, 5, 6]
    assert hash(board) == hash(Board(3, holes=[2, 6]))


def test_a_board_keeps_at_least_one_square() -> None:
    assert len(Board(1, 2, holes=["a1"])) == 1


def test_numpy_integers_are_whole_numbers() -> None:
    board = Board(np.int64(3), np.int32(4), holes=[np.int32(5)], leaper=(np.int64(1), np.int8(2)))  # type: ignore[arg-type]
    assert board == Board(3, 4, holes=[5])
    assert type(board.rows) is int
    assert board.square((np.int64(0), np.int64(1))) == board.square(np.int32(1)) == 1
    # A side as int8 must not overflow when it is multiplied.
    assert len(Board(np.int8(100), np.int8(100))) == 10_000  # type: ignore[arg-type]


def test_leaper_longer_than_the_board_has_no_moves() -> None:
    for leaper in ((5, 9), (0, 3), (10**9, 10**9), (0, 2**70)):
        graph = Board(3, leaper=leaper).graph
        assert (graph.order, graph.size) == (9, 0)


def test_a_piece_has_the_moves_of_several_leapers() -> None:
    king = Board(4, 5, leaper="king")
    assert king == Board(4, 5, leaper=[(1, 1), (1, 0), (0, 1)]) == parse_space("king:4x5")
    assert (king.leapers, king.called(), repr(king)) == (
        ((0, 1), (1, 1)),
        "the 4x5 board by a king",
        "<Board king:4x5>",
    )
    assert king.data()["leaper"] == [[0, 1], [1, 1]]
    assert read_space(king.data()) == king
    assert Board(4, leaper="wazir") == Board(4, leaper=(0, 1)) == Board(4, leaper=[(0, 1), (1, 0)])
    hopido = parse_space("5x5", leaper="0,3+2,2")
    assert hopido is not None
    assert hopido.called() == "the 5x5 board by a 0,3+2,2 leaper"
    torus = Wrapped("torus", 4, leaper="king")
    assert (len(torus.graph.neighbours(0)), repr(torus)) == (8, "<Wrapped torus:4x4, leaper king>")
    assert Box(3, 3, 3, leaper=((0, 1), (1, 1), (1, 1, 1))).graph.degrees.tolist()[13] == 26
    assert [len(Box(3, 3, 3, leaper=name).graph.neighbours(13)) for name in ("king", "wazir")] == [18, 6]
    assert np.bincount(king.directions(np.full(3, 6), king.graph.neighbours(6)[:3])).tolist() == [
        0,
        1,
        1,
        0,
        0,
        0,
        0,
        0,
        1,
    ]


@pytest.mark.parametrize("text", ["1,4:11x11", "2,3:5x16", "king:7x7", "0,3+2,2:5x16"])
def test_a_board_is_typed_with_its_leaper(text: str) -> None:
    leaper, _, size = text.partition(":")
    space = parse_space(text)
    assert space == parse_space(size, leaper=leaper) == parse_space(text, leaper=leaper)
    assert str(space) == text
    assert repr(space) == f"<Board {text}>"
    assert str(parse_space(f"1,2:{size}")) == size
    with pytest.raises(BadInput, match="leave out the leaper 5,6"):
        parse_space(text, leaper="5,6")
