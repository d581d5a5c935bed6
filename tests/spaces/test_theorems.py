"""The theorems agree with searches, and each refuted space has a certificate; a theorem is quoted with its reason."""

from __future__ import annotations

import re
from itertools import combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.verify import verify
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.presolve.simplify import simplify
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.box import Box
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.theorems import has_tour, why_no_tour
from cpsat_tour.spaces.wrapped import SURFACES, Wrapped
from cpsat_tour.tour import Answer


def test_the_theorems_on_known_boards() -> None:
    assert [n for n in range(3, 20) if has_tour(Board(3, n), closed=True)] == [10, 12, 14, 16, 18]
    assert [n for n in range(3, 12) if not has_tour(Board(3, n), closed=False)] == [3, 5, 6]
    assert not any(has_tour(Board(4, n), closed=True) for n in range(1, 50))
    assert all(has_tour(Board(n), closed=False) for n in (1, *range(5, 30)))
    assert all(
        has_tour(Board(m, n), closed=True) == has_tour(Board(n, m), closed=True)
        for m in range(1, 12)
        for n in range(1, 12)
    )


@pytest.mark.parametrize(("leaper", "first"), [((1, 4), 10), ((2, 3), 10), ((3, 4), 14), ((2, 5), 14)])
def test_first_squares_of_leapers(leaper: tuple[int, int], first: int) -> None:
    """Knuth 1994 on when a board is connected, Beluhov 2017 on the closed tour; what is smaller is refuted by
    certificates."""
    short, long = leaper
    for rows, cols in product(range(1, 15), repeat=2):
        connected = min(rows, cols) >= short + long and max(rows, cols) >= 2 * long
        assert (not Board(rows, cols, leaper=leaper).graph.components.any()) == (connected or rows * cols == 1), (
            rows,
            cols,
        )
    for side in range(2, first):
        refuted = prove(Problem(Board(side, leaper=leaper).graph, True))
        assert isinstance(refuted, Certificate)
        assert refuted.check().valid
    assert first == 2 * (short + long)
    assert run(Problem(Board(first, leaper=leaper).graph, True), load("auto")).tour is not None


def test_a_theorem_is_quoted_with_its_reason() -> None:
    assert (
        why_no_tour(Board(3, 8), closed=True)
        == "Schwenk 1991: the 3x8 board has no closed knight's tour, for its sides are 3 and 8."
    )
    assert (
        why_no_tour(Board(5), closed=True)
        == "Schwenk 1991: the 5x5 board has no closed knight's tour, for both sides are odd."
    )
    wording = why_no_tour(Board(4), closed=False)
    assert wording is not None
    assert wording.endswith("the 4x4 board has no open knight's tour, for its sides are 4 and 4.")
    for rows, cols, closed in product(range(1, 13), range(1, 13), (False, True)):
        board = Board(rows, cols)
        assert (why_no_tour(board, closed=closed) is None) == (has_tour(board, closed=closed) is not False), board


@pytest.mark.parametrize(
    "name", ["J(7)", "Kneser(6,2)", "Kneser(7,3)", "Kneser(5,2)", "Q(6)", "Q(1)", "Sheehan(30)", "GP(11,2)"]
)
def test_theorems_agree_with_searches(name: str) -> None:
    member = Member.parse(name)
    assert has_tour(member, closed=True) == (run(Problem(member.graph, closed=True), load("edges")).status == "tour")


@pytest.mark.parametrize(
    ("name", "bipartite"),
    [("Tutte", False), ("EllinghamHorton(54)", True), ("EllinghamHorton(78)", True), ("Horton", True)],
)
def test_graphs_of_note_have_no_cycle_for_no_plain_reason(name: str, bipartite: bool) -> None:
    """They have two colours or not as is known, and no cuts of one vertex or two edges; the frontier method refutes
    them."""
    problem = Problem(Member.parse(name).graph, closed=True)
    assert (problem.graph.colours is not None) == bipartite
    assert violated_condition(problem) is None
    assert not simplify(to_cycle(problem)).changed
    assert has_tour(problem.graph.space, closed=True) is False
    assert run(problem, load("frontier")).status == "none"


EXCEPTIONS = {
    "mobius": {(1, n) for n in range(1, 9)}
    | {(m, 1) for m in range(1, 6)}
    | {(2, n) for n in (2, 4, 6, 8)}
    | {(3, 4), (4, 3), (4, 5), (4, 7)},
    "klein": {(1, 1), (1, 2), (2, 1)},
}
"""The wrapped boards of sides up to 8 without a closed knight's tour."""


def has_proved_tour(problem: Problem, folder: Path) -> bool:
    """Whether `prove` finds a tour, which is verified; else its certificate is checked and names the space."""
    outcome = prove(problem)
    if not isinstance(outcome, Answer):
        outcome.write(folder)
        verdict = check(folder)
        assert verdict.valid, verdict.fault
        assert problem.graph.called in verdict.claim
        return False
    assert outcome.tour is not None, problem
    verify(problem, outcome.tour.vertices)
    return True


@pytest.mark.parametrize("most", [4, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("surface", SURFACES)
def test_every_small_wrapped_board_is_decided_by_proof_and_by_search(surface: str, most: int, tmp_path: Path) -> None:
    """By a checked certificate, or a verified tour, and by the edge search; against the theorems and the exceptions."""
    for rows, cols in product(range(1, most + 1), repeat=2):
        board = Wrapped(surface, rows, cols)
        problem = Problem(board.graph, True)
        known = (rows, cols) not in EXCEPTIONS[surface] if surface in EXCEPTIONS else has_tour(board, closed=True)
        assert has_proved_tour(problem, tmp_path / f"{rows}x{cols}") == known, str(board)
        assert bool(run(problem, load("edges"))) == known, str(board)


def test_the_table_of_exceptions_is_the_one_in_the_documentation() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "spaces.md").read_text(encoding="utf-8")
    for surface, boards_without in EXCEPTIONS.items():
        row = re.search(rf"^\| `{surface}` \|[^|]*\| (.*?) \|$", page, re.MULTILINE)
        assert row is not None
        named = [tuple(map(int, found)) for found in re.findall(r"(\d+)x(\d+)", row[1])]
        assert sorted(named) == sorted(boards_without)


@pytest.mark.parametrize(("most", "counts"), [(36, (87, 78)), pytest.param(64, (181, 145), marks=pytest.mark.slow)])
def test_every_small_box_has_a_tour_or_a_certificate_as_the_theorem_says(
    most: int, counts: tuple[int, int], tmp_path: Path
) -> None:
    """DeMaio & Mathew 2011: where there is no closed tour that is certified, and the certificate is checked."""
    boxes = [Box(*sides) for sides in combinations_with_replacement(range(1, most + 1), 3) if np.prod(sides) <= most]
    known = [has_tour(box, closed=True) for box in boxes if len(box) > 1]
    found = [has_proved_tour(Problem(box.graph, True), tmp_path / str(box)) for box in boxes if len(box) > 1]
    assert found == known
    assert (len(found), found.count(False)) == counts
