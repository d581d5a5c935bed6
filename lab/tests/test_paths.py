"""The theorems on how many leapers it takes: their formulas and sets by program, and the table."""

import re
from collections.abc import Iterator
from math import gcd

import numpy as np
import paths
import pytest
from atlas import DATA as ATLAS, leaper_and_sides
from fewest_paths import DATA
from paths import (
    parts_less_squares,
    paths_of_small_board,
    squares_of_theorem_3,
    squares_of_theorem_4,
    squares_of_theorem_5,
    squares_removed,
)
from tables import lines_of

from cpsat_tour import Board

PAGE = (DATA.parent / "paths.md").read_text(encoding="utf-8")


def leapers(most: int) -> Iterator[tuple[int, int]]:
    """Yield the leapers p < q without a common divisor whose sum is at most so much."""
    yield from ((p, q) for q in range(2, most) for p in range(1, q) if p + q <= most and gcd(p, q) == 1)


def parts(p: int, q: int, rows: int, cols: int) -> int:
    """Return into how many parts a board falls."""
    return parts_less_squares(Board(rows, cols, leaper=(p, q)), np.zeros((rows, cols), dtype=bool))


def test_a_small_board_falls_into_as_many_paths_and_cycles_as_theorem_2_says() -> None:
    for p, q in leapers(35):
        least = 1 if p + q <= 10 else p + q - 1
        for rows in range(least, p + q + 1):
            assert Board(rows, p + q, leaper=(p, q)).graph.degrees.max() <= 2
            for cols in range(rows, p + q + 1):
                assert parts(p, q, rows, cols) == paths_of_small_board(p, q, rows, cols), (p, q, rows, cols)


def test_the_sets_of_theorem_3_leave_as_many_parts_as_it_says() -> None:
    for p in range(1, 13):
        beyond = {2 * p + 1 + k: 1 + k * (4 * p - 2 - k) for k in range(1, p + 1)}
        below = {4 * p + 2 - j: 8 * p * j - 5 * j**2 - 2 - 2 * (j == 1) for j in range(1, p + 1)}
        assert [*beyond, *sorted(below)] == [*range(2 * p + 2, 4 * p + 2)]
        for side, told in (beyond | below).items():
            found = parts_less_squares(Board(side, leaper=(p, p + 1)), squares_of_theorem_3(p, side))
            assert found == told


def test_the_sets_of_theorem_4_leave_as_many_parts_as_it_says() -> None:
    for q in range(4, 27, 2):
        for side in range(q + 2, 2 * q):
            board, alone, none = Board(side, leaper=(1, q)), (2 * q - side) ** 2, np.zeros((side, side), dtype=bool)
            told = alone + 1 if side % 2 else alone + 2 * (side - q)
            assert parts_less_squares(board, none if side % 2 else squares_of_theorem_4(q, side)) == told


def test_the_products_of_theorem_5_leave_as_many_parts_as_it_says() -> None:
    for p, q in leapers(11):
        for rows, cols in ((side, side + more) for side in range(2 * q, 3 * q) for more in range(3)):
            removed = squares_of_theorem_5(p, q, rows, cols)
            (down,), (across,) = (np.nonzero(removed.any(axis=axis)) for axis in (1, 0))
            chosen = [{*range(rows)} - {*down.tolist()}, {*range(cols)} - {*across.tolist()}]
            assert not any({row + step for row in alone for step in (p, q)} & alone for alone in chosen)
            if (p + q) % 2:
                told = len(chosen[0]) * len(chosen[1]) - len(down) * len(across) + 2
                assert parts_less_squares(Board(rows, cols, leaper=(p, q)), removed) >= told


def test_no_tour_contradicts_theorem_6_and_no_number_a_bound() -> None:
    tours = [line for line in lines_of(ATLAS) if line["kind"] + line["answer"] == "opentour"]
    assert not any(map(paths.has_two_blocked_sides, tours))
    for line in lines_of(DATA)[::10]:
        (p, q), (rows, cols) = leaper_and_sides(line)
        sets, board = squares_removed(p, q, rows, cols), Board(rows, cols, leaper=(p, q))
        assert max(parts_less_squares(board, removed) for _, removed in sets) <= int(line["paths"])
        if cols <= p + q:
            assert line["paths"] == str(paths_of_small_board(p, q, rows, cols))


def test_the_drawn_sets_of_squares_are_proofs() -> None:
    drawing = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert drawing
    numbers = {(line["leaper"], line["board"]): line["paths"] for line in lines_of(DATA)}
    drawn = [row.split() for row in drawing[1].splitlines()]
    for place, (leaper, side) in enumerate((("2,7", 19), ("2,3", 13), ("2,3", 11))):
        removed = np.array([[sign == "#" for sign in row[place]] for row in drawn if len(row) > place])
        found = parts_less_squares(Board(side, leaper=leaper), removed)
        assert numbers[leaper, f"{side}x{side}"] == str(found)


def test_the_page_has_what_the_program_prints(capsys: pytest.CaptureFixture[str]) -> None:
    paths.main()
    *counts, blocked = capsys.readouterr().out.splitlines()
    for name, squares, boards in (re.split(", |: ", line) for line in counts):
        assert f"| {name} | {squares} | {int(boards):,} |" in PAGE
    explained, either = blocked.removeprefix("Theorem 6: ").split(", ")
    assert f"explains {explained.replace('of', 'of the')} refutations" in PAGE
    assert f"with the [weights of columns](strips.md#weights-of-columns) it is {either}." in PAGE
