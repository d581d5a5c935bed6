"""The theorems on sides that no closed tour has: their sets by program, the atlas, and small sides by all sets."""

from itertools import takewhile

import pytest
import sides
from atlas import DATA
from sides import blocking_rows, confined_squares, excludes, has_blocked_side, neighbours, surplus
from squares import free_leapers
from tables import lines_of

PAGE = " ".join((DATA.parent / "sides.md").read_text(encoding="utf-8").split())


def leapers(most: int) -> list[tuple[int, int]]:
    """The free leapers with a sum of at most so many."""
    return [*takewhile(lambda leaper: sum(leaper) <= most, free_leapers())]


def test_every_even_side_below_twice_the_sum_is_blocked() -> None:
    for p, q in leapers(19):
        above = range(2 * (p + q) + 2, 2 * (p + q) + p + 1, 2)
        for side in [*range(2, 2 * (p + q), 2), *above]:
            rows = blocking_rows(p, q, side)
            assert 0 < len(rows) < side
            assert len(neighbours(rows, p, q, side)) <= len(rows)


@pytest.mark.parametrize("p", range(1, 6))
def test_the_blocked_sides_of_a_p_and_p_plus_1_leaper_are_those_of_the_theorem(p: int) -> None:
    stretches = [range(2 * m * (p + 1), 2 * p * (m + 1) + 1) for m in range(1, p + 1)]
    told = {side: side not in (stretch[0], stretch[-1]) for stretch in stretches for side in stretch}
    asked = range(2 * p + 2, 2 * p * (p + 1) + 20)
    assert {side: excludes(p, p + 1, side, "open") for side in asked if blocking_rows(p, p + 1, side)} == told


@pytest.mark.parametrize(("p", "q"), [(1, 2), (1, 4), (2, 3), (3, 4), (2, 5)])
def test_no_other_set_of_rows_blocks_a_small_side(p: int, q: int) -> None:
    for side in range(2, 14):
        every = (1 << side) - 1
        near = ((rows, (rows << p | rows >> p | rows << q | rows >> q) & every) for rows in range(1, every))
        most = max(rows.bit_count() - around.bit_count() for rows, around in near)
        found = blocking_rows(p, q, side)
        assert (surplus(found, p, q, side) if found else -1) == max(most, -1)


def test_smaller_squares_have_fewer_neighbours_than_members() -> None:
    for p, q in leapers(35):
        steps = [(a * s, b * t) for a, b in ((p, q), (q, p)) for s in (1, -1) for t in (1, -1)]
        for side in range(2 * q, 2 * (p + q), 2):
            squares = confined_squares(p, q, side)
            near = {(row + down, col + across) for row, col in squares for down, across in steps}
            near = {square for square in near if 0 <= min(square) <= max(square) < side}
            fewer = 0 if (p, side) == (1, 2 * q) else 1 if side == 2 * q else 4
            assert len(squares) - len(near) >= fewer
            assert 0 < len(squares | near) < side**2
            rows, cols = (({square[place] for square in squares}) for place in (0, 1))
            assert rows == cols <= set(range(side))


def test_the_page_has_what_the_program_prints_and_no_tour_contradicts_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert not any(has_blocked_side(line) for line in lines_of(DATA) if line["answer"] == "tour")
    sides.main()
    *printed, closed, opened = capsys.readouterr().out.splitlines()
    assert f"{closed.split()[1]} of the {closed.split()[3]} for closed tours" in PAGE
    assert f"{opened.split()[1]} of the {opened.split()[3]} for open tours" in PAGE
    for leaper, found in (line.split(":") for line in printed):
        assert f"| {leaper} |{found} |" in PAGE or not found
