"""The bound on turns of large boards: the charges in whole numbers, on tours, and as certificates."""

import random
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import turns
from tables import lines_of
from turns import CHARGES, DATA, HERE, SMALLEST, bound, certificate, charge, charges_at, kept, line_of, squares

from cpsat_tour import Board, Problem, check, solve
from cpsat_tour.core.verify import verify
from cpsat_tour.engines.best_search import goal_of
from cpsat_tour.proofs.write.rocq import theory

SIDES = [*product(range(SMALLEST, 22), repeat=2), (18, 40), (30, 23), (36, 36)]

THEOREM = (HERE / "Turns.v").read_text(encoding="utf-8")


@pytest.mark.parametrize("sides", SIDES)
def test_the_squares_keep_what_the_theorem_says(sides: tuple[int, int]) -> None:
    assert bound(sides) == 5 * (4 * sum(sides) - 24)


def test_charges_cancel_and_depend_on_the_row_alone_beyond_the_corners() -> None:
    sides = 24, 27
    assert all(charge(sides, a, b) == -charge(sides, b, a) for a in squares(sides) for b in charges_at(sides, a))
    columns = [[kept((row, col), charges_at(sides, (row, col))) for row in range(24)] for col in range(10, 17)]
    assert columns == [[15, -5, -5, 7, -1, -2, 1, *[0] * 10, 1, -2, -1, 7, -5, -5, 15]] * 7


def test_an_end_of_an_open_tour_takes_13_fifths_at_most() -> None:
    sides = 22, 22
    charges = {square: charges_at(sides, square) for square in squares(sides)}
    assert max(kept(square, here) - min(here.values()) for square, here in charges.items()) == 13


def test_no_charge_can_be_changed_to_prove_more(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    corners, rows = rng.sample(sorted(turns.CORNERS), 8), rng.sample(sorted(turns.BORDER), 8)
    for change in (1, -1):
        for corner, row in zip(corners, rows, strict=True):
            with monkeypatch.context() as changed:
                changed.setitem(turns.CORNERS, corner, turns.CORNERS[corner] + change)
                assert bound((24, 24)) <= 5 * (8 * 24 - 24)
                changed.setitem(turns.BORDER, row, turns.BORDER[row] + change)
                assert bound((24, 24)) < 5 * (8 * 24 - 24)


def test_a_tour_has_the_turns_that_its_squares_keep_and_more() -> None:
    """The charges along a tour cancel, and no square keeps less than it was said to."""
    sides = rows, cols = 20, 22
    tour = solve(Board(rows, cols), closed=True).tour
    assert tour is not None
    around = [divmod(int(square), cols) for square in tour.vertices]
    total = 0
    for before, square, after in zip(around[-1:] + around, around, around[1:] + around[:1], strict=False):
        here = charges_at(sides, square)
        straight = np.add(before, after).tolist() == [2 * square[0], 2 * square[1]]
        keeps = 5 * (not straight) + here[before] + here[after]
        assert keeps >= kept(square, here)
        total += keeps
    goal = goal_of(Problem(Board(rows, cols).graph, closed=True), "turns")
    assert total == 5 * goal.value(np.array(tour.vertices))
    assert total >= bound(sides)


@pytest.mark.parametrize("n", [8, 18])
def test_certificates_are_accepted_and_say_the_bound(n: int, tmp_path: Path) -> None:
    certificate(n, n).write(tmp_path / "turns")
    verdict = check(tmp_path / "turns", Board(n), closed=True, claim="bound")
    assert verdict.valid
    assert verdict.claim == f"no closed tour of the {n}x{n} board has fewer than {8 * n - 24} turns"
    assert not check(tmp_path / "turns", claim="best")
    assert "No closed tour" in (tmp_path / "turns" / "why.txt").read_text()


def test_a_bound_that_is_not_proved_is_refused(tmp_path: Path) -> None:
    """A file that claims one turn more, concludes something else, or names a constraint that says less."""
    folder = tmp_path / "turns"
    certificate(18, 18).write(folder)
    proof, claimed = folder / "proof.pbp", folder / "certificate.json"
    text, said = proof.read_text(), claimed.read_text()
    last = text.split("conclusion BOUNDS 120 : ")[1].split()[0]
    for old, new, value in (
        ("BOUNDS 120", "BOUNDS 121", 121),
        ("BOUNDS 120", "BOUNDS 119", 120),
        ("INF", "120", 120),
        (f": {last} INF", f": {int(last) - 1} INF", 120),
    ):
        proof.write_text(text.replace(old, new))
        claimed.write_text(said.replace('"value": 120', f'"value": {value}'))
        assert not check(folder)
    proof.write_text(text)
    assert check(folder)


def test_the_table_has_all_even_squares_to_36_and_says_what_is_found_again() -> None:
    lines = {int(line["n"]): line for line in lines_of(DATA)}
    assert list(lines) == [*range(8, 37, 2)]
    assert all(int(line["turns"]) == 8 * n - 24 for n, line in lines.items())
    again = line_of(18)
    assert all(str(again[key]) == lines[18][key] for key in ("turns", "by", "steps", "bytes"))


def test_the_theorem_for_rocq_has_the_charges_of_the_table() -> None:
    found = [tuple(re.findall(r"-?\d+", entry)) for entry in re.findall(r"\((?:\d+, ){2,4}-?\d+\)", THEOREM)]
    assert found == [tuple(number for number in line.values() if number) for line in CHARGES]


def test_the_tours_have_the_turns_that_are_told_and_the_theorem_for_rocq_has_the_first() -> None:
    told = r"Definition steps [^[]*\[(.*?)\].*Definition a_tour [^[]*\[(.*?)\].*turns a_tour = (\d+)"
    [(steps, ways, number)] = re.findall(told, THEOREM, re.DOTALL)
    step = np.array(re.findall(r"-?\d", steps), dtype=int).reshape(8, 2)
    lines = lines_of(HERE / "few_turns.csv")
    assert {"n": "18", "turns": number, "steps": re.sub(r"[;\s]", "", ways)} == lines[0]
    for line in lines:
        n = int(line["n"])
        problem = Problem(Board(n).graph, closed=True)
        rows, cols = np.cumsum(step[[int(way) for way in line["steps"]]], axis=0).T
        tour = rows * n + cols
        verify(problem, tour)
        assert goal_of(problem, "turns").value(tour) == int(line["turns"])


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed: apt-get install coq")
def test_the_kernel_of_rocq_accepts_the_theorem_and_it_assumes_nothing(tmp_path: Path) -> None:
    texts = {name: "\n".join(theory()[name]) for name in ("Tours.v", "Cycles.v")}
    texts |= {"Sides.v": (HERE / "Sides.v").read_text(encoding="utf-8"), "Turns.v": THEOREM}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        ended = subprocess.run(["coqc", name], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
        assert ended.returncode == 0, ended.stderr
    stated, *closed = ended.stdout.split("Closed under the global context")
    assert "4 * (rows + columns) - 24 <= turns tour" in stated
    assert closed == ["\n"] * 3
