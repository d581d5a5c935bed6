"""The narrowest strips: the weights of the theorem, printed values, and the first lines asked again."""

from itertools import product

import hypothesis.strategies as st
import pytest
from atlas import DATA as ATLAS, says_something
from hypothesis import given, settings
from ortools.graph.python import max_flow
from sides import has_blocked_side
from strips import DATA, excluded_by_columns, gain, lacking, line_of, strips, weights
from tables import lines_of

LINES = {int(line["n"]): line for line in lines_of(DATA)}


def gained(n: int, columns: int) -> int:
    """The gain of the theorem's weights."""
    return gain(n, n + 1, 2 * n + 1, weights(n, columns))


def missing(n: int, columns: int) -> int:
    """The gain that the page says."""
    m = (columns - 1) // (2 * n + 1)
    if columns <= n * (2 * m + 1):
        return (2 * n + 1) * (columns - 2 * m * n) - 2 * m * (n + 1)
    if columns <= (n + 1) * (2 * m + 1):
        return columns + 2 * n**2 - 2 * m * (2 * n + 1)
    return (2 * n + 1) * (2 * (m + 1) * (n + 1) - columns) - 2 * n * (m + 1)


def moves_lacking(p: int, q: int, rows: int, columns: int) -> int:
    """How many moves a set of disjoint paths and cycles lacks at least, by a flow from white squares to black ones."""
    flow = max_flow.SimpleMaxFlow()
    for row, col in product(range(rows), range(columns)):
        square = 2 + row * columns + col
        if (row + col) % 2:
            flow.add_arc_with_capacity(square, 1, 2)
            continue
        flow.add_arc_with_capacity(0, square, 2)
        for down, right in ((s * a, t * b) for a, b in ((p, q), (q, p)) for s in (1, -1) for t in (1, -1)):
            if 0 <= row + down < rows and 0 <= col + right < columns:
                flow.add_arc_with_capacity(square, 2 + (row + down) * columns + col + right, 1)
    flow.solve(0, 1)
    return rows * columns - int(flow.optimal_flow())


@pytest.mark.parametrize("n", range(1, 13))
def test_the_weights_gain_what_the_theorem_says(n: int) -> None:
    gains = {columns: gained(n, columns) for columns in range(1, n * (2 * n + 1) + 1)}
    assert gains == {columns: missing(n, columns) for columns in gains}
    assert [columns for columns, gained in gains.items() if gained < 2] == [2 * n + 1]
    for columns in range(2 * n * (n + 1) + 1, (n + 1) * (2 * n + 1) + 1):
        assert gained(n, columns) == columns - 2 * n * (n + 1)
    assert missing(6, 76) == 18  # Jünger & Rinaldi (1994)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_no_weights_say_more(n: int) -> None:
    asked = range(1, (n + 1) * (2 * n + 1) + 4)
    excluded = {columns for columns in asked if columns <= n * (2 * n + 1)} | {*asked[2 * n * (n + 1) : -3]}
    for columns in asked:
        lacks = gained(n, columns) if columns in excluded else columns % 2
        assert moves_lacking(n, n + 1, 2 * n + 1, columns) == lacks, columns


@settings(deadline=None)
@given(st.sampled_from([(1, 2), (1, 4), (2, 3), (2, 5), (3, 4)]), st.integers(5, 14), st.integers(1, 16), st.data())
def test_no_weights_of_columns_gain_more_than_the_best_nor_those_than_squares_lack(
    leaper: tuple[int, int], rows: int, columns: int, data: st.DataObject
) -> None:
    some = data.draw(st.lists(st.integers(-1, 1), min_size=columns, max_size=columns))
    assert gain(*leaper, rows, some) <= lacking(*leaper, rows, columns) <= moves_lacking(*leaper, rows, columns)


def test_the_page_says_how_much_of_the_atlas_weights_of_columns_explain() -> None:
    page = " ".join((DATA.parent / "strips.md").read_text(encoding="utf-8").split())
    refuted = [line for line in lines_of(ATLAS) if says_something(line) and line["answer"] == "none"]
    told = list[int]()
    for kind in ("open", "closed"):
        lines = [line for line in refuted if line["kind"] == kind]
        excluded = [excluded_by_columns(line, at_least=2 if kind == "open" else 1) for line in lines]
        either = [one or has_blocked_side(line) for one, line in zip(excluded, lines, strict=True)]
        told += [sum(excluded), len(lines), sum(either)]
    by_open, all_open, _, by_closed, all_closed, either_closed = told
    assert f"the open tours of {by_open} of the {all_open} boards" in page
    assert (
        f"the closed ones of {by_closed} of {all_closed}; with all [blocked sides](sides.md), of {either_closed}."
        in page
    )


def test_the_lines_are_those_of_the_page_and_of_print() -> None:
    assert list(LINES) == list(range(1, len(LINES) + 1))
    assert LINES[11]["least"] == "254"  # OEIS A152138
    assert [n for n, line in LINES.items() if line["refuted"] != "0"] == [1, 2, 4, 6]
    for n in range(7, len(LINES) + 1):
        assert int(LINES[n]["least"]) == n * (2 * n + 1) // 2 * 2 + 2 == next(strips(n)).cols
    page = (DATA.parent / "strips.md").read_text(encoding="utf-8")
    assert f"| N | {' | '.join(line['least'] for line in LINES.values())} |" in page


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_first_lines_are_found_again(n: int) -> None:
    again = line_of(n)
    assert {key: again[key] for key in ("least", "refuted")} == {key: LINES[n][key] for key in ("least", "refuted")}
