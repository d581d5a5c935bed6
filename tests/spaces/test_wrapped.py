"""Wrapped boards: moves walked step by step, symmetries, drawn moves, counts and JSON."""

from __future__ import annotations

import json
import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import Listing
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.count import count
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.spaces.kinds import parse_space
from cpsat_tour.spaces.problem_data import ASKED, problem_data, read_space
from cpsat_tour.spaces.theorems import has_tour, why_no_tour
from cpsat_tour.spaces.wrapped import MAX_LEAPER, SURFACES, Wrapped


@pytest.mark.parametrize("surface", SURFACES)
def test_the_longest_leaper_goes_round(surface: str) -> None:
    assert Wrapped(surface, 3, leaper=(1, MAX_LEAPER)).graph.order == 9


@st.composite
def wrapped_boards(draw: st.DrawFn) -> Wrapped:
    surface, rows, cols = draw(st.sampled_from(sorted(SURFACES))), draw(st.integers(1, 5)), draw(st.integers(1, 5))
    holes = draw(st.sets(st.integers(0, rows * cols - 1), max_size=3))
    leapers = draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(any), min_size=1, max_size=2))
    assume(len(holes) < rows * cols)
    return Wrapped(surface, rows, cols, holes, leapers)


def walked(board: Wrapped, row: int, col: int, step: tuple[int, int]) -> tuple[int, int] | None:
    """Where a step ends that is walked along the row first, one square at a time over the borders, then along the
    column."""
    down, across = step
    for _ in range(abs(across)):
        col += 1 if across > 0 else -1
        if not 0 <= col < board.cols:
            col %= board.cols
            if board.surface in ("mobius", "klein"):
                row, down = board.rows - 1 - row, -down
    row += down
    return (
        (row % board.rows, col)
        if board.surface in ("torus", "klein")
        else (row, col)
        if 0 <= row < board.rows
        else None
    )


@given(wrapped_boards())
def test_moves_are_the_steps_walked_one_square_at_a_time(board: Wrapped) -> None:
    places = list(map(tuple, board.coordinates.tolist()))
    steps = {
        (down, across)
        for leaper in board.leapers
        for pair in permutations(leaper)
        for down, across in product(*((part, -part) for part in pair))
    }
    for tail, (row, col) in enumerate(places):
        there = {walked(board, row, col, step) for step in steps} - {(row, col)}
        assert board.graph.neighbours(tail).tolist() == [head for head, place in enumerate(places) if place in there]


@given(wrapped_boards())
def test_symmetries_keep_the_moves_and_form_a_group(board: Wrapped) -> None:
    found = board.symmetries()
    assert found[0].tolist() == list(range(len(board)))
    kept = {symmetry.tobytes() for symmetry in found}
    assert len(kept) == len(found)
    adjacent = np.zeros((len(board), len(board)), dtype=bool)
    adjacent[board.graph.tails, board.graph.indices] = True
    for symmetry in found:
        assert (adjacent[np.ix_(symmetry, symmetry)] == adjacent).all()
        assert all(symmetry[other].tobytes() in kept for other in found[:: max(1, len(found) // 7)])


def test_number_of_symmetries() -> None:
    sizes = ("torus:5x5", "torus:5x6", "cylinder:4x7", "mobius:3x5", "klein:4x6", "klein:5x6")
    assert [len(graph_of(size).space.symmetries()) for size in sizes] == [200, 120, 28, 20, 48, 24]


@given(wrapped_boards())
def test_each_move_is_drawn_inside_the_board_at_its_length(board: Wrapped) -> None:
    places = board.coordinates + 0.5
    directions = board.directions(board.graph.tails, board.graph.indices)
    assert directions.min(initial=1) >= 1
    assert directions.max(initial=8) <= 8
    for tail, head in zip(board.graph.tails.tolist(), board.graph.indices.tolist(), strict=True):
        pieces = board.layout.segments(tail, head)
        ends = [*pieces[0], *pieces[-1]] if pieces else [places[tail], places[head]] * 2
        assert np.allclose(ends[0], places[tail])
        assert np.allclose(ends[-1], places[head])
        length = sum(map(math.dist, *zip(*pieces, strict=True))) if pieces else math.dist(ends[0], ends[1])
        assert any(math.isclose(length, math.hypot(*leaper)) for leaper in board.leapers)
        for row, col in (point for piece in pieces for point in piece):
            assert -1e-9 <= row <= board.rows + 1e-9
            assert -1e-9 <= col <= board.cols + 1e-9


@pytest.mark.parametrize(
    ("text", "leaper", "closed", "number"),
    [
        ("torus:3x4", "1,2", True, 14934),
        ("torus:4x4", "0,1", True, 1344),
        ("cylinder:4x5", "1,2", True, 7432),
        ("cylinder:3x6", "1,2", False, 138816),
        ("mobius:4x4", "1,2", True, 1464),
        ("mobius:5x4", "1,2", True, 76544),
        ("klein:3x4", "1,2", True, 45968),
        ("klein:4x4", "0,1", False, 39616),
        ("2x3x4", "1,2", True, 12132),
        ("3x3x2", "0,1", False, 16880),
    ],
)
def test_counts_by_the_frontier_method_and_by_listing(text: str, leaper: str, closed: bool, number: int) -> None:
    space = parse_space(text, (), leaper)
    assert space is not None
    problem = Problem(space.graph, closed)
    assert count(problem).number == number == sum(map(len, Listing(problem, load("edges"))))


def test_theorems_speak_of_whole_boards_and_knights_alone() -> None:
    assert why_no_tour(Wrapped("cylinder", 4, 6), closed=True) == (
        "Watkins 2000: the 4x6 cylinder has no closed knight's tour, for it has 4 rows, and the number of "
        "columns is even."
    )
    assert has_tour(Wrapped("torus", 5, leaper=(1, 4)), closed=True) is None
    assert has_tour(Wrapped("torus", 5, holes=["a1"]), closed=True) is None
    assert has_tour(Wrapped("klein", 5), closed=True) is None
    assert has_tour(Wrapped("torus", 5), closed=False) is None


@given(wrapped_boards())
def test_boards_come_back_from_json_and_from_their_names(board: Wrapped) -> None:
    written = json.loads(json.dumps(problem_data(Problem(board.graph, True))))
    assert read_space({key: value for key, value in written.items() if key not in ASKED}) == board
    leaper = "+".join(f"{one},{other}" for one, other in board.leapers)
    assert parse_space(str(board), [board.square_name(hole) for hole in board.holes], leaper) == board
