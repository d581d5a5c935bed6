"""The theorems against brute force, and against the sentences made from them."""

from __future__ import annotations

from itertools import product

import pytest
from brute_force import brute_force

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.theorems import has_tour, sentence


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize("leaper", [(1, 2), (0, 1)], ids=["knight", "wazir"])
def test_theorems_agree_with_brute_force(leaper: tuple[int, int], closed: bool) -> None:
    sides = [(rows, cols) for rows in range(1, 6) for cols in range(1, 6) if rows * cols <= 20] + [
        (3, 7),
        (7, 3),
        (3, 8),
        (2, 10),
    ]
    if leaper == (1, 2):
        sides += [(5, 5), (5, 6)] if closed else [(5, 5)]
        sides += [(3, 10), (4, 6)] if closed else []
    for rows, cols in sides:
        board = Board(rows, cols, leaper=leaper)
        exists = bool(brute_force(Problem(board.graph, closed)))
        assert has_tour(board, closed=closed) is exists, f"{board}"
        assert (sentence(board, closed=closed) is None) is exists


def test_known_boards() -> None:
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


def test_sentences() -> None:
    assert (
        sentence(Board(3, 8), closed=True)
        == "Schwenk 1991: the 3x8 board has no closed knight's tour, for its sides are 3 and 8."
    )
    assert (
        sentence(Board(5), closed=True)
        == "Schwenk 1991: the 5x5 board has no closed knight's tour, for both sides are odd."
    )
    wording = sentence(Board(4), closed=False)
    assert wording is not None
    assert wording.endswith("the 4x4 board has no open knight's tour, for its sides are 4 and 4.")
    assert sentence(Board(8), closed=True) is None
