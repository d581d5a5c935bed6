"""The census: 6x6 against the list of all its tours, trees and sums that are tampered with, and the page."""

from collections import Counter
from copy import deepcopy
from pathlib import Path

import census
import numpy as np
import pytest
from census import ANGLES, DATA, SHOWN, answered, questions
from crossings import CrossingsTree
from passages import MOST_TOURS, Listing, Passages, Tree
from tables import lines_of

from cpsat_tour import Board, Problem, count, tours
from cpsat_tour.engines.best_search import goal_of

KNUTH = {
    ("angles of 36.9", "most"): (29, 136),
    ("angles of 53.1", "most"): (30, 432),
    ("angles of 90", "most"): (39, 48),
    ("angles of 90", "fewest"): (2, 1152),
    ("angles of 126.9", "most"): (33, 176),
    ("angles of 143.1", "most"): (25, 32),
    ("angles of 180", "most"): (19, 112),
    ("acute angles", "most"): (42, 56),
    ("obtuse angles", "most"): (47, 464),
    ("obtuse angles", "fewest"): (4, 4),
}
"""What Knuth (2025, answer 158) has of 8x8, with the numbers of tours."""


@pytest.fixture(scope="module")
def listed() -> list[Counter[int]]:
    """The scalar products of the two moves at each square, counted, of each closed tour of 6x6."""
    found = []
    for tour in tours("6x6", closed=True):
        steps = np.roll(around := np.array(divmod(np.array(tour.vertices), 6)).T, -1, axis=0) - around
        found.append(Counter((-steps * np.roll(steps, -1, axis=0)).sum(axis=1).tolist()))
    assert len(found) == 9862
    return found


LINES = {tuple(line[column] for column in census.COLUMNS[:4]): line for line in lines_of(DATA)}


@pytest.mark.parametrize("objective", ANGLES)
@pytest.mark.parametrize("way", ["fewest", "most"])
def test_the_table_has_of_6x6_what_the_list_of_all_tours_has(
    listed: list[Counter[int]], objective: str, way: str
) -> None:
    values = Counter(sum(angles[product] for product in ANGLES[objective]) for angles in listed)
    best = min(values) if way == "fewest" else max(values)
    line = LINES["6x6", "", objective, way]
    assert (line["value"], line["evidence"]) == (str(best), "tree")
    assert line["tours"] in (str(values[best]), "" if values[best] > MOST_TOURS else "-")


@pytest.mark.parametrize(
    ("objective", "way"), [("angles of 180", "most"), ("angles of 53.1", "most"), ("turns", "most")]
)
def test_lines_are_found_again(objective: str, way: str) -> None:
    again = {column: str(value) for column, value in answered("6x6", "", objective, way).items()}
    line = LINES["6x6", "", objective, way]
    assert all(again[column] == line[column] for column in ("value", "tours", "evidence"))


def test_a_tree_with_less_in_it_is_refused() -> None:
    """Without a tour, a leaf, or an image of a tour, with another multiplier, or for one more angle."""
    costs = Passages(6, 6).costs(ANGLES["angles of 180"], -1)
    tree = Listing(Passages(6, 6), costs, -4).tree
    assert len(tree.tours) == 18

    def refused(change: object) -> None:
        changed = deepcopy(tree)
        change(changed)  # type: ignore[operator]
        with pytest.raises((AssertionError, StopIteration, IndexError)):
            changed.check(Passages(6, 6), costs)

    def without_a_tour(tree: Tree) -> None:
        tree.added.remove(next(item for item in tree.added if item[0] == "tour"))

    def without_multipliers(tree: Tree) -> None:
        next(node for node in tree.nodes if len(node) == 2)[1].clear()

    tree.check(Passages(6, 6), costs)
    refused(without_a_tour)
    refused(without_multipliers)
    refused(lambda tree: tree.nodes.pop())
    refused(lambda tree: setattr(tree, "most", -3))


def test_the_rows_of_products_hold_of_every_tour_on_average() -> None:
    """Of tours of 6x6, each averaged over its images, all rows hold that were added, but those of sides of branchings:
    of these the first, or the second."""
    tree = CrossingsTree(6, 6, 1, 60)
    assert tree.bound() == 52
    products, passages = tree.products, tree.products.passages
    common = len(products.rows)
    column = int(products.move[0])
    products.add_side(column, 3, 1)
    products.add_side(column, 2, -1)
    half = common + (len(products.rows) - common) // 2
    number = {frozenset(move): place for place, move in enumerate(zip(passages.tails, passages.heads, strict=True))}
    for tour in tours("6x6", closed=True, most=40):
        moves = [number[frozenset(move)] for move in zip(tour.vertices, np.roll(tour.vertices, -1), strict=True)]
        made = np.isin(np.arange(passages.size), moves)
        both = products.product[np.triu(made[:, None] & made)]
        value = np.bincount(both, minlength=len(products.several)) / products.several
        left = [float(row.numbers @ value[row.columns]) - row.bound for row in products.rows]
        assert all(
            abs(rest) < 1e-9 or (rest > 0 and not row.equal)
            for rest, row in zip(left, products.rows[:common], strict=False)
        )
        many = value[column] * products.several[column] >= 2.5
        assert min(left[common:half] if many else left[half:]) > -1e-9
        assert min(left[half:] if many else left[common:half]) < -1e-9


@pytest.mark.parametrize(("sign", "bound", "attained", "leaves"), [(1, 52, 52, 1), (-1, -67, -66, 2)])
def test_products_prove_the_crossings_of_6x6(sign: int, bound: int, attained: int, leaves: int) -> None:
    tree = CrossingsTree(6, 6, sign, 60)
    assert tree.bound() == bound
    assert tree.refutes(attained - 1)
    assert len(tree.leaves) == leaves
    assert int(LINES["6x6", "", "crossings", "fewest" if sign > 0 else "most"]["value"]) == sign * attained


@pytest.mark.parametrize("way", ["fewest", "most"])
def test_the_tours_of_8x8_that_are_shown_have_so_many_crossings(way: str) -> None:
    crossings, squares = SHOWN[way]
    goal = goal_of(Problem(Board(8).graph, closed=True), "crossings")
    assert goal.value(np.array(squares.split(), dtype=np.int32)) == crossings


@pytest.mark.parametrize(
    ("objective", "way"),
    [
        ("obtuse angles", "fewest"),
        pytest.param("angles of 180", "most", marks=pytest.mark.slow),
        pytest.param("acute angles", "most", marks=pytest.mark.slow),
        pytest.param("crossings", "most", marks=pytest.mark.slow),
    ],
)
def test_lines_of_8x8_are_found_again(objective: str, way: str) -> None:
    again, line = answered("8x8", "", objective, way), LINES["8x8", "", objective, way]
    assert all(str(again[column]) == line[column] for column in ("value", "tours", "evidence"))


def test_8x8_agrees_with_knuth() -> None:
    for (objective, way), (value, number) in KNUTH.items():
        line = LINES["8x8", "", objective, way]
        assert (line["value"], line["tours"], line["evidence"]) == (str(value), str(number), "tree")


def test_burnside_gives_the_published_classes() -> None:
    """Of 6x6 the mirror images have no tours of their own; 8x8 has only those that a half turn keeps."""
    kept = {symmetry: count("6x6", closed=True, symmetry=symmetry) for symmetry in ("rot90", "rot180")}
    assert kept == {"rot90": 10, "rot180": 78}
    assert (9862 + kept["rot180"] + 2 * kept["rot90"]) / 8 == 1245
    assert (13_267_364_410_532 + 2_432_932) / 8 == 1_658_420_855_433
    assert 2_432_932 / 4 == 608_233


def shown(line: dict[str, str] | None) -> str:
    """Return a value as the page has it: a bound that no tour is known to attain with a sign."""
    if line is None:
        return ""
    sign = "" if line["evidence"] == "tree" else "≥ " if line["direction"] == "fewest" else "≤ "
    return sign + line["value"]


def of_tours(line: dict[str, str] | None) -> str:
    """Return a number of tours as the page has it."""
    return f"{int(line['tours']):,}" if line and line["tours"] else ""


def test_the_page_has_the_numbers_of_the_table() -> None:
    page = (Path(DATA).parent / "census.md").read_text()
    assert {*LINES} <= {*questions()}
    for board in ("8x8", "10x10"):
        for objective in ANGLES:
            lines = [LINES.get((board, "", objective, way)) for way in ("fewest", "most")]
            cells = [cell for line in lines for cell in (shown(line), of_tours(line))]
            rows = [row for row in page.splitlines() if row.startswith(f"| {board} | {objective} |")]
            assert [[cell.strip() for cell in row.split("|")[3:7]] for row in rows] == [cells] * any(cells)
