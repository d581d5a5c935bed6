"""Certificates of the best: that nothing is better is so, by brute force and the published values, and nothing that is
not so is accepted."""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from brute_force import brute_force
from certificate_judge import lrat_refutes, proves
from certificate_samples import Sample
from certificate_samples import board as board_data
from test_counting_proofs import copied
from test_tampering import changed_files, overwrite
from veripb_grammar import check_formula, check_proof

from cpsat_tour.backends.best import goal_of, optimise
from cpsat_tour.backends.best_goals import PairGoal
from cpsat_tour.cli.main import status
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.claim import CLAIM
from cpsat_tour.proofs.check.folder import FORMULA, PROOF, check
from cpsat_tour.proofs.check.text import Budget
from cpsat_tour.proofs.check.worth import BestClaim, Worth
from cpsat_tour.proofs.write import definitions
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.shown import prove_best
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.box import Box
from cpsat_tour.spaces.lattice import Lattice
from cpsat_tour.spaces.objectives import OBJECTIVES


def asked(board: Board, objective: str, *, maximize: bool = False, closed: bool = True) -> PairGoal:
    problem = Problem(board.graph, closed)
    goal = goal_of(problem, None if maximize else objective, objective if maximize else None)
    assert isinstance(goal, PairGoal)
    return goal


def certified(goal: PairGoal, tour: np.ndarray, folder: Path, *, judged: bool = False) -> int:
    """The value that a certificate in the folder says is the best, which the checker accepts."""
    found = prove_best(goal, tour)
    assert isinstance(found, Certificate)
    found.write(folder, force=True)
    verdict = check(folder, expected=goal.problem)
    assert verdict.valid
    assert verdict.steps == found.steps
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    check_proof(texts[PROOF])
    check_formula(texts[FORMULA])
    assert lrat_refutes(texts["problem.cnf"].splitlines(), texts["proof.lrat"].splitlines())
    assert not judged or proves(json.loads(texts[CLAIM]), texts[FORMULA].splitlines(), texts[PROOF].splitlines())
    assert found.best is not None
    return found.best.value


@pytest.mark.parametrize(
    ("board", "objective", "maximize", "value"),
    [
        (Board(5, 6), "turns", False, 28),
        (Board(6, 6), "turns", False, 32),
        (Board(5, 6), "turns", True, 30),
        (Board(5, 6), "crossings", False, 49),
        (Board(3, 10), "turns", False, 26),
        pytest.param(Board(6, 6), "crossings", False, 52, marks=pytest.mark.slow),
        pytest.param(Board(6, 6), "crossings", True, 66, marks=pytest.mark.slow),
        pytest.param(Board(5, 8), "turns", False, 35, marks=pytest.mark.slow),
        pytest.param(Board(6, 7), "turns", False, 35, marks=pytest.mark.slow),
    ],
)
def test_known_values_are_certified(board: Board, objective: str, maximize: bool, value: int, tmp_path: Path) -> None:
    found = optimise(asked(board, objective, maximize=maximize))
    assert found.answer.tour is not None
    assert isinstance(found.goal, PairGoal)
    assert certified(found.goal, found.answer.tour.vertices, tmp_path / "proof") == value


def test_small_boards_with_holes_as_brute_force_finds_them(tmp_path: Path) -> None:
    """Open and closed tours, by several leapers; the judge of the tests reads the closed ones too."""
    rng = random.Random(3)
    values: set[int] = set()
    for number, (board, closed) in enumerate(
        [(Board(3, 4), False), (Board(3, 3, leaper=(0, 1)), False), (Board(3, 4, leaper=(0, 1)), True)] * 4
    ):
        objective, maximize = rng.choice(["turns", "crossings"]), rng.random() < 0.5
        goal = asked(board, objective, maximize=maximize, closed=closed)
        tours = sorted(brute_force(goal.problem), key=lambda tour: (goal.value(np.array(tour)), rng.random()))
        best = np.array(tours[-1 if maximize else 0])
        assert certified(goal, best, tmp_path / str(number), judged=closed) == goal.value(best)
        values.add(goal.value(best))
        other = np.array(tours[0 if maximize else -1])
        if goal.value(other) != goal.value(best):
            with pytest.raises(BackendFault, match="were said to be the"):
                prove_best(goal, other)
    assert len(values) > 3


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6])
def test_totals_say_that_at_most_so_many_are_true(count: int) -> None:
    from pysat.solvers import Solver

    literals = [(-1) ** number * number for number in range(1, count + 1)]
    for bound in range(-1, count):
        given = [step.clause for step in definitions.at_most(literals, bound, 1, count, 1) if step.clause is not None]
        for chosen in range(1 << count):
            fixed = [literal if chosen >> place & 1 else -literal for place, literal in enumerate(literals)]
            assert Solver("cadical195", bootstrap_with=given).solve(assumptions=fixed) == (chosen.bit_count() <= bound)


def test_a_limit() -> None:
    goal = asked(Board(5, 6), "turns")
    tour = optimise(goal).answer.tour
    assert tour is not None
    stopped = prove_best(goal, tour.vertices, Limits(seconds=0.0))
    assert isinstance(stopped, Answer)
    assert stopped.stopped_by == "time"


# --- what is not so ---


@pytest.fixture(scope="module")
def rook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of the fewest turns of a closed tour of 3x4 by steps of one square."""
    folder = tmp_path_factory.mktemp("rook") / "proof"
    goal = asked(Board(3, 4, leaper=(0, 1)), "turns")
    tour = optimise(goal).answer.tour
    assert tour is not None
    assert certified(goal, tour.vertices, folder, judged=True) == 8
    return folder


@pytest.mark.parametrize("value", [0, 7, 9, -8])
def test_another_value_is_refused(rook: Path, value: int, tmp_path: Path) -> None:
    other = copied(rook, CLAIM, lambda text: text.replace('"value": 8', f'"value": {value}'), tmp_path / "claim")
    assert not check(other).valid
    changed = copied(
        other,
        PROOF,
        lambda text: text.replace("BOUNDS 8 :", f"BOUNDS {value} :").replace(" 8 ;\nend", f" {value} ;\nend"),
        tmp_path / "both",
    )
    assert not check(changed).valid


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (CLAIM, '"maximize": false', '"maximize": true'),
        (CLAIM, '"objective": "turns"', '"objective": "crossings"'),
        (CLAIM, '"objective": "turns"', '"objective": "squares"'),
        (CLAIM, '"best"', '"tours": 1, "best"'),
        (FORMULA, "min: -1", "min: +1"),
        (FORMULA, "min:", "max:"),
        (PROOF, "soli x1", "soli ~x1"),
        (PROOF, "soli", "solx"),
        (PROOF, "conclusion BOUNDS 8", "conclusion UNSAT"),
    ],
)
def test_what_says_something_else_is_refused(rook: Path, file: str, old: str, new: str, tmp_path: Path) -> None:
    assert not check(copied(rook, file, lambda text: text.replace(old, new, 1), tmp_path / "changed")).valid


def test_a_best_that_is_not_shown_or_is_worse_is_refused(rook: Path, tmp_path: Path) -> None:
    lines = (rook / PROOF).read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if line.startswith("soli "))
    pair = lines[place].split()[-2]
    turned = lines[place].replace(f" {pair} ", f" {pair[1:] if pair.startswith('~') else '~' + pair} ")
    for name, shown, wrong in (
        ("out", [], ""),
        ("twice", lines[place : place + 1] * 2, "shown before"),
        ("pair", [turned], "is not a tour"),
    ):
        folder = copied(rook, PROOF, lambda text: text + "\n", tmp_path / name)
        overwrite(folder / PROOF, "".join([*lines[:place], *shown, *lines[place + 1 :]]).encode())
        verdict = check(folder)
        assert verdict.fault is not None
        assert wrong in verdict.fault.reason, verdict.fault


@pytest.mark.parametrize("share", [0.02, pytest.param(1.0, marks=pytest.mark.slow)])
def test_no_change_makes_the_best_wrong(share: float, rook: Path, tmp_path: Path) -> None:
    """Ten thousand changes in the slow test: what is still accepted is still a proof, by the second opinion."""
    rng = random.Random(7)
    folder = copied(rook, PROOF, lambda text: text + "\n", tmp_path / "changed")
    (folder / "variables.txt").unlink()
    tried = 0
    while tried < 10_000 * share:
        for name in (PROOF, FORMULA):
            whole = (rook / name).read_bytes()
            for _, lines in changed_files(whole.decode().splitlines(), rng):
                if rng.random() > share / 2:
                    continue
                overwrite(folder / name, b"\n".join(lines))
                tried += 1
                if check(folder).valid:
                    opb, proof = (
                        (folder / file).read_text("utf-8", "replace").split("\n") for file in (FORMULA, PROOF)
                    )
                    assert proves(json.loads((folder / CLAIM).read_text()), opb, proof)
            overwrite(folder / name, whole)


# --- the command ---


def test_the_command_writes_a_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "proof")
    assert status(["best", "5x6", "--closed", "--minimize", "turns", "--json", "--certificate", folder]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["value"], said["bound"], said["known"]) == (28, 28, "clausal")
    assert "No closed tour of the 5x6 board has fewer than 28 turns." in (tmp_path / "proof" / "why.txt").read_text()
    assert status(["check", folder, "5x6", "--closed"]) == 0
    assert "no closed tour of the 5x6 board has fewer than 28 turns, and one has as many" in capsys.readouterr().out
    other = str(tmp_path / "other")
    assert status(["best", "5x5", "--closed", "--minimize", "turns", "--certificate", other]) == 20
    assert f"no tour, so nothing is written to {other}: prove writes" in capsys.readouterr().err


def test_pairs_that_the_rows_have_no_room_for_are_not_made(tmp_path: Path) -> None:
    """Moves of a leaper as long as (20,21) cross each other by the million: the checker gives up before it has them
    all."""
    described = board_data(60, 60, leaper=(20, 21), method="clausal")
    described["best"] = {"objective": "crossings", "maximize": False, "value": 1}
    rows = ["* #variable= 1 #constraint= 1", *["+1 x1 = 1 ;"] * 50]
    tracemalloc.start()
    verdict = check(Sample(described, rows).write(tmp_path))
    assert str(verdict.fault).startswith("certificate.json: there are more than 51 crossings")
    assert tracemalloc.get_traced_memory()[1] < 200 << 20
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("space", "closed"),
    [
        (Board(5, 6), True),
        (Board(4, 5, holes=["a1", "c3"]), False),
        (Board(4, 4, leaper=(0, 1)), True),
        (Board(3, 5, leaper=(0, 2)), False),
        (Board(4, 4, leaper=(1, 1)), False),
        (Board(6, 6, leaper=(1, 4)), True),
        (Box(3, 3, 3), True),
        (Box(2, 3, 4, leaper=(0, 1)), False),
    ],
)
def test_the_checker_makes_the_pairs_itself(space: Lattice, closed: bool) -> None:
    """As the search has them, by other formulas: in line and crossing, over each other and in three dimensions."""
    problem = Problem(space.graph, closed)
    for name, objective in OBJECTIVES.items():
        for maximize in (False, True):
            stated = objective.stated(problem)
            mine = Worth(problem, BestClaim(name, maximize, 0), space.graph.size, 10**6, Budget().work)
            assert mine.pairs == sorted(map(tuple, (stated.pairs.astype(int) + 1).tolist()))
            weight = stated.weight * (-1 if maximize else 1)
            assert mine.better_than(0).terms == dict.fromkeys(mine.variables, -weight)


@pytest.mark.parametrize("objective", ["turns", "crossings"])
def test_the_variable_of_each_pair_is_as_its_moves_are(objective: str, tmp_path: Path) -> None:
    """Each pair in turn false though both moves are made, or true though one is not: that is not the best tour."""
    goal = asked(Board(3, 4, leaper=(0, 1)) if objective == "turns" else Board(5, 6), objective)
    tour = optimise(goal).answer.tour
    assert tour is not None
    certified(goal, tour.vertices, tmp_path / "proof")
    lines = (tmp_path / "proof" / PROOF).read_text().splitlines()
    (place,) = (number for number, line in enumerate(lines) if line.startswith("soli "))
    words = lines[place].split()
    pairs = range(1 + goal.problem.graph.size, len(words) - 1)
    made = [word for word in pairs if not words[word].startswith("~")]
    assert made
    for word in [*made[:4], *[other for other in pairs if other not in made][:4]]:
        turned = words[word].removeprefix("~") if words[word].startswith("~") else f"~{words[word]}"
        changed = [*lines[:place], " ".join([*words[:word], turned, *words[word + 1 :]]), *lines[place + 1 :]]
        overwrite(tmp_path / "proof" / PROOF, "\n".join([*changed, ""]).encode())
        assert re.search("the variable of a pair|is not a tour", str(check(tmp_path / "proof").fault))
