"""Wrapped boards: moves from the definition, symmetries, theorems and exceptions with every ``none`` certified,
pictures, and all commands."""

from __future__ import annotations

import json
import math
import re
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cpsat_tour.backends.listing import Listing
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.cli.main import status
from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import verify
from cpsat_tour.counting.count import count
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.kinds import read
from cpsat_tour.spaces.problem_data import ASKED, WrongData, problem_data, read_space
from cpsat_tour.spaces.theorems import has_tour, sentence
from cpsat_tour.spaces.wrapped import SURFACES, Wrapped

EXCEPTIONS = {
    "mobius": {(1, n) for n in range(1, 9)}
    | {(m, 1) for m in range(1, 6)}
    | {(2, n) for n in (2, 4, 6, 8)}
    | {(3, 4), (4, 3), (4, 5), (4, 7)},
    "klein": {(1, 1), (1, 2), (2, 1)},
}
"""The boards of sides up to 8 without a closed knight's tour."""


@st.composite
def boards(draw: st.DrawFn) -> Wrapped:
    surface, rows, cols = draw(st.sampled_from(sorted(SURFACES))), draw(st.integers(1, 5)), draw(st.integers(1, 5))
    holes = draw(st.sets(st.integers(0, rows * cols - 1), max_size=3))
    leaper = draw(st.tuples(st.integers(0, 6), st.integers(0, 6)))
    assume(leaper != (0, 0) and len(holes) < rows * cols)
    return Wrapped(surface, rows, cols, holes, leaper)


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


@given(boards())
def test_moves_are_the_steps_walked_one_square_at_a_time(board: Wrapped) -> None:
    places = list(map(tuple, board.coordinates().tolist()))
    short, long = board.leaper
    steps = {
        (down, across)
        for pair in permutations((short, long))
        for down, across in product(*((part, -part) for part in pair))
    }
    for tail, (row, col) in enumerate(places):
        there = {walked(board, row, col, step) for step in steps} - {(row, col)}
        assert board.graph.neighbours(tail).tolist() == [head for head, place in enumerate(places) if place in there]


@given(boards())
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


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("torus:5x5", 200),
        ("torus:5x6", 120),
        ("cylinder:4x7", 28),
        ("mobius:3x5", 20),
        ("klein:4x6", 48),
        ("klein:5x6", 24),
    ],
)
def test_number_of_symmetries(text: str, number: int) -> None:
    space = read(text)
    assert space is not None
    assert len(space.symmetries()) == number


def test_too_many_symmetries_are_refused_in_a_sentence() -> None:
    with pytest.raises(BadInput, match="the 300x300 torus has too many symmetries"):
        Wrapped("torus", 300).symmetries()


@given(boards())
def test_each_move_is_drawn_inside_the_board_at_its_length(board: Wrapped) -> None:
    places = board.coordinates() + 0.5
    directions = board.directions(board.graph.tails, board.graph.indices)
    assert directions.min(initial=1) >= 1
    assert directions.max(initial=8) <= 8
    for tail, head in zip(board.graph.tails.tolist(), board.graph.indices.tolist(), strict=True):
        pieces = board.pieces(tail, head)
        ends = [*pieces[0], *pieces[-1]] if pieces else [places[tail], places[head]] * 2
        assert np.allclose(ends[0], places[tail])
        assert np.allclose(ends[-1], places[head])
        assert math.isclose(
            sum(map(math.dist, *zip(*pieces, strict=True))) if pieces else math.dist(ends[0], ends[1]),
            math.hypot(*board.leaper),
        )
        for row, col in (point for piece in pieces for point in piece):
            assert -1e-9 <= row <= board.rows + 1e-9
            assert -1e-9 <= col <= board.cols + 1e-9


@pytest.mark.parametrize("most", [4, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("surface", SURFACES)
def test_every_small_board_is_settled_twice(surface: str, most: int, tmp_path: Path) -> None:
    """By a checked certificate, or a verified tour, and by the edge search; against the theorems and the exceptions."""
    for rows, cols in product(range(1, most + 1), repeat=2):
        board = Wrapped(surface, rows, cols)
        problem = Problem(board.graph, True)
        outcome = prove(problem)
        if isinstance(outcome, Answer):
            exists = outcome.tour is not None
            if outcome.tour is not None:
                verify(problem, outcome.tour.vertices)
        else:
            exists = False
            folder = tmp_path / f"{rows}x{cols}"
            outcome.write(folder, force=True)
            verdict = check(folder)
            assert verdict.valid, verdict.fault
            assert board.called() in verdict.claim
        known = (rows, cols) not in EXCEPTIONS[surface] if surface in EXCEPTIONS else has_tour(board, closed=True)
        assert exists == known, str(board)
        assert run(problem, load("edges")).status == ("tour" if exists else "none"), str(board)


def test_the_table_of_exceptions_is_the_one_in_the_documentation() -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "spaces.md").read_text(encoding="utf-8")
    for surface, boards_without in EXCEPTIONS.items():
        row = re.search(rf"^\| `{surface}` \|[^|]*\| (.*?) \|$", page, re.MULTILINE)
        assert row is not None
        named = [tuple(map(int, found)) for found in re.findall(r"(\d+)x(\d+)", row[1])]
        assert sorted(named) == sorted(boards_without)


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
    space = read(text, (), leaper)
    assert space is not None
    problem = Problem(space.graph, closed)
    assert count(problem).number == number == sum(len(batch.tours) for batch in Listing(problem, load("edges")))


def test_theorems_speak_of_whole_boards_and_knights_alone() -> None:
    assert sentence(Wrapped("cylinder", 4, 6), closed=True) == (
        "Watkins 2000: the 4x6 cylinder has no closed knight's tour, for it has 4 rows, and the number of "
        "columns is even."
    )
    assert has_tour(Wrapped("torus", 5, leaper=(1, 4)), closed=True) is None
    assert has_tour(Wrapped("torus", 5, holes=["a1"]), closed=True) is None
    assert has_tour(Wrapped("klein", 5), closed=True) is None
    assert has_tour(Wrapped("torus", 5), closed=False) is None


@given(boards())
def test_boards_come_back_from_json_and_from_their_names(board: Wrapped) -> None:
    written = json.loads(json.dumps(problem_data(Problem(board.graph, True))))
    assert read_space({key: value for key, value in written.items() if key not in ASKED}) == board
    leaper = f"{board.leaper[0]},{board.leaper[1]}"
    assert read(str(board), [board.square_name(hole) for hole in board.holes], leaper) == board


@pytest.mark.parametrize("text", ["torus:0x3", "torus:3x", "ring:3x3", "torus", "klein:3x3x3"])
def test_what_is_no_wrapped_board(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["solve", text]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_json_with_another_surface_says_where() -> None:
    with pytest.raises(WrongData, match="'ring' is not a surface: choose one of torus"):
        read_space({"surface": "ring", "rows": 3, "cols": 3, "holes": [], "leaper": [1, 2]})


def test_every_command_takes_a_wrapped_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for call, expected in (
        ("count cylinder:3x5 --closed", None),
        ("tours torus:3x3 --closed --all --distinct --json", None),
        ("trace klein:3x3 --closed", None),
        (f"export torus:5x5 --closed --backend sat -o {tmp_path / 'f.cnf'}", None),
        (f"solve mobius:3x5 --closed -o {tmp_path / 'tour.png'}", None),
        (f"solve klein:4 --hole a1 --hole b1 --leaper 0,1 -o {tmp_path / 'tour.gif'}", None),
        ("solve torus:1x3 --closed", "   a b c\n1  1 2 3  1\n   a b c\n"),
    ):
        assert status(call.split()) == 0, call
        out = capsys.readouterr().out
        assert expected is None or out == expected
    assert status(["prove", "cylinder:4x6", "--closed"]) == 0
    assert "Watkins 2000" in capsys.readouterr().out
