"""The theorems on sides that no closed tour has: their sets by program, the atlas, and all sets by matchings."""

from itertools import takewhile

import numpy as np
import pytest
import sides
from atlas import DATA
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching
from sides import blocking_rows, confined_squares, excludes, has_blocked_side, highest
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
            near = {row + step for row in rows for step in (p, q, -p, -q)} & set(range(side))
            assert len(near) <= len(rows)


def heights(p: int, q: int) -> list[int]:
    """The D(a) of the page, for a below p + q: by how much the P(t) have more of the first a rows than the others."""
    around = p + q
    numbers = np.arange(around) * pow(p, -1, around)
    inside = (numbers - np.arange(around)[:, None]) % around % 2
    most: list[int] = np.cumsum(2 * inside - 1, axis=1).max(axis=0).tolist()
    return [0, *most[:-1]]


def any_rows(p: int, q: int, side: int) -> tuple[bool, bool]:
    """If any set of rows, neither empty nor all, has no more neighbours than members, and if one has fewer. None has
    fewer if a matching gives each row a neighbour; then those with as many are what it maps to all of these."""
    rows = np.arange(side)
    near = np.isin(abs(rows[:, None] - rows), (p, q))
    partner = maximum_bipartite_matching(csr_array(near), perm_type="column")
    if partner.min() < 0:
        return True, True
    return connected_components(csr_array(near[:, partner]), connection="strong")[0] > 1, False


@pytest.mark.parametrize("most", [15, pytest.param(25, marks=pytest.mark.slow)])
def test_no_other_set_of_rows_blocks_a_side(most: int) -> None:
    for p, q in leapers(most):
        for side in range(p + q, 8 * most + 1):
            assert any_rows(p, q, side) == (bool(blocking_rows(p, q, side)), excludes(p, q, side, "open"))


def test_the_first_rows_say_how_long_the_blocked_sides_of_a_remainder_are() -> None:
    for p, q in leapers(17):
        for left, height in enumerate(heights(p, q)):
            for times in range(1, p + 3):
                side = times * (p + q) + left
                assert excludes(p, q, side, "closed") == (times <= height)
                assert excludes(p, q, side, "open") == (times < height)


def test_all_blocked_sides_are_known_if_p_and_q_sum_to_1_more_or_less_than_a_multiple_of_2p() -> None:
    for p, q in leapers(99):
        height, around = heights(p, q), p + q
        waves = [min(left % (2 * p), -left % (2 * p), around - 1 - left) for left in range(around)]
        assert all(found <= bound for found, bound in zip(height, waves, strict=True))
        above, below = ((around + step) % (2 * p) == 0 for step in (-1, 1))
        assert (height == waves) or not (above or below or p <= 3)
        blocked = max(times * around + left for left, times in enumerate(height))
        assert blocked == (p + 1) * (around - 1) if above else blocked < (p + 1) * (around - 1)
        assert blocked == (p + 1) * (around + 1) - 4 * p or not below


@pytest.mark.parametrize("p", range(1, 6))
def test_the_blocked_sides_of_a_p_and_p_plus_1_leaper_are_those_of_the_corollary(p: int) -> None:
    stretches = [range(2 * m * (p + 1), 2 * p * (m + 1) + 1) for m in range(1, p + 1)]
    told = {side: side not in (stretch[0], stretch[-1]) for stretch in stretches for side in stretch}
    asked = range(2 * p + 1, 2 * p * (p + 1) + 20)
    assert {side: excludes(p, p + 1, side, "open") for side in asked if blocking_rows(p, p + 1, side)} == told


def test_the_largest_blocked_side_follows_from_that_of_a_smaller_leaper() -> None:
    for p, q in leapers(99):
        times, left = max((times, left) for left, times in enumerate(heights(p, q)))
        assert (times, left) == highest(p, q)
        assert times == quotients(p + q, q - p)


def quotients(n: int, d: int) -> int:
    """The sum of the quotients of n by 2d, to the nearest multiple of which it is reduced, as in Euclid's algorithm."""
    rest = min(n % (2 * d), -n % (2 * d))
    return n // (2 * d) + (quotients(d, rest) if d > 1 else 0)


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
