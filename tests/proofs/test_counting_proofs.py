"""Certificates of counts: what they say is so, by brute force and by the published numbers, and nothing that is not so
is accepted."""

from __future__ import annotations

import json
import operator
import random
import re
from collections.abc import Callable
from functools import reduce
from itertools import product
from pathlib import Path

import pytest
from certificate_judge import lrat_refutes, proves
from test_tampering import changed_files, overwrite
from veripb_grammar import check_formula, check_proof

from cpsat_tour.cli.main import status
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.count import count as counted
from cpsat_tour.proofs.check.claim import CLAIM
from cpsat_tour.proofs.check.folder import FORMULA, PROOF, check
from cpsat_tour.proofs.write import shown
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.clausal import exhaust
from cpsat_tour.proofs.write.rows import CycleRows
from cpsat_tour.proofs.write.shown import prove_count
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.families import Member

CUBE = Graph.from_edges(8, [(v, v ^ bit) for v, bit in product(range(8), (1, 2, 4))])
PETERSEN = Member.parse("GP(5,2)").graph


def certified(problem: Problem, folder: Path) -> int:
    """The number of tours that a certificate in the folder says, which the checker accepts and whose files are in the
    published grammar."""
    found = prove_count(problem)
    assert isinstance(found, Certificate)
    found.write(folder, force=True)
    verdict = check(folder, expected=problem)
    assert verdict.valid
    assert verdict.steps == found.steps
    check_proof((folder / PROOF).read_text())
    check_formula((folder / FORMULA).read_text())
    if (folder / "proof.lrat").exists() and verdict.steps < 10_000:
        assert lrat_refutes(*((folder / name).read_text().splitlines() for name in ("problem.cnf", "proof.lrat")))
    return found.tours or 0


@pytest.mark.parametrize(
    ("problem", "count"),
    [
        (Problem(Board(5, 6).graph, True), 8),
        (Problem(Board(3, 10).graph, True), 16),
        (Problem(Board(3, 4).graph, False), 8),
        (Problem(Board(5, 5).graph, False, start=0), 304),
        (Problem(CUBE, True), 6),
        (Problem(PETERSEN, True), 0),
        (Problem(PETERSEN, False), 120),
    ],
)
def test_known_numbers_are_certified(problem: Problem, count: int, tmp_path: Path) -> None:
    assert certified(problem, tmp_path / "proof") == count


@pytest.mark.parametrize("n", range(5, 16))
def test_generalised_petersen_graphs_as_the_frontier_counts_them(n: int, tmp_path: Path) -> None:
    problem = Problem(Member.parse(f"GP({n},2)").graph, True)
    assert certified(problem, tmp_path / "proof") == counted(problem).number


@pytest.mark.slow
def test_the_9862_tours_of_6x6(tmp_path: Path) -> None:
    assert certified(Problem(Board(6, 6).graph, True), tmp_path / "proof") == 9862


def test_a_single_vertex_is_refused() -> None:
    with pytest.raises(BadInput, match="single vertex"):
        prove_count(Problem(Graph.from_edges(1, []), False))


def test_the_tours_that_were_listed_are_not_believed(tmp_path: Path) -> None:
    """One that is left out is found, one that comes twice is shown once, and what is none is refused by the checker."""
    cycle = CycleRows.of(Problem(CUBE, True))
    listed = shown.listed_tours(cycle, 100, Limits())
    for tours in (listed[1:], [], [*listed, listed[0]]):
        assert exhaust(cycle, Limits(), tours, 100).tours == 6
    with pytest.raises(BackendFault, match="not a tour"):
        Certificate(cycle, exhaust(cycle, Limits(), [*listed, (0, 1, 2, 3, 4, 5, 6, 7)], 100)).write(tmp_path / "wrong")
    assert list(tmp_path.iterdir()) == []


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(Board(5, 6).graph, True)
    assert stopped_by(prove_count(problem, Limits(seconds=0.0))) == "time"
    monkeypatch.setattr(shown, "MAX_LITERALS", 8 * CycleRows.of(problem).size)
    assert isinstance(prove_count(problem), Certificate)
    monkeypatch.setattr(shown, "MAX_LITERALS", 7 * CycleRows.of(problem).size)
    assert stopped_by(prove_count(problem)) == "more than 7 tours"


def stopped_by(answer: Certificate | Answer) -> str | None:
    assert isinstance(answer, Answer)
    return answer.stopped_by


# --- what is not so ---


@pytest.fixture(scope="module")
def cube(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of the cube's six tours."""
    folder = tmp_path_factory.mktemp("cube") / "proof"
    assert certified(Problem(CUBE, True), folder) == 6
    return folder


def copied(folder: Path, name: str, change: Callable[[str], str], to: Path) -> Path:
    """The certificate with the text of one file changed."""
    to.mkdir()
    for path in folder.iterdir():
        text = path.read_text()
        (to / path.name).write_text(change(text) if path.name == name else text)
        assert path.name != name or change(text) != text
    return to


@pytest.mark.parametrize("count", [0, 5, 7])
def test_another_number_is_refused(cube: Path, count: int, tmp_path: Path) -> None:
    other = copied(cube, CLAIM, lambda text: text.replace('"tours": 6', f'"tours": {count}'), tmp_path / "claim")
    assert not check(other).valid
    concluded = f"ENUMERATION_COMPLETE {count}"
    assert not check(
        copied(other, PROOF, lambda text: text.replace("ENUMERATION_COMPLETE 6", concluded), tmp_path / "both")
    ).valid


def test_a_tour_left_out_or_shown_twice_is_refused(cube: Path, tmp_path: Path) -> None:
    lines = (cube / PROOF).read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if line.startswith("solx "))
    for name, changed in (
        ("out", [*lines[:place], *lines[place + 1 :]]),
        ("twice", [*lines[: place + 1], *lines[place:]]),
    ):
        for count in (5, 6, 7):
            folder = tmp_path / f"{name}{count}"
            copied(cube, PROOF, lambda text: text + "\n", folder)
            overwrite(folder / PROOF, "".join(changed).replace("COMPLETE 6", f"COMPLETE {count}").encode())
            overwrite(folder / CLAIM, (cube / CLAIM).read_bytes().replace(b'"tours": 6', f'"tours": {count}'.encode()))
            assert not check(folder).valid


@pytest.mark.slow
def test_no_change_makes_a_count_wrong(cube: Path, tmp_path: Path) -> None:
    """Ten thousand changes of each file in turn: what is still accepted is still a proof, by the second opinion."""
    rng = random.Random(9)
    folder = copied(cube, PROOF, lambda text: text + "\n", tmp_path / "changed")
    (folder / "variables.txt").unlink()
    tried = 0
    while tried < 10_000:
        for name in (PROOF, FORMULA):
            whole = (cube / name).read_bytes()
            for _, lines in changed_files(whole.decode().splitlines(), rng):
                if rng.random() < 0.5:
                    continue
                overwrite(folder / name, b"\n".join(lines))
                tried += 1
                if check(folder).valid:
                    opb, proof = (
                        (folder / file).read_text("utf-8", "replace").split("\n") for file in (FORMULA, PROOF)
                    )
                    assert proves(json.loads((folder / CLAIM).read_text()), opb, proof)
            overwrite(folder / name, whole)


# --- the documentation ---


def test_the_documented_schema_has_the_members_that_there_are(cube: Path, tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "proofs.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    schema = json.loads(block)
    assert status(["prove", "4x5", "--closed", "--quiet", "-o", str(tmp_path / "lp")]) == 0
    assert status(["prove", "4x4", "--closed", "--symmetry", "rot90", "--quiet", "-o", str(tmp_path / "turned")]) == 0
    assert (
        status(["best", "5x6", "--closed", "--minimize", "turns", "--quiet", "--certificate", str(tmp_path / "best")])
        == 0
    )
    claims = [
        json.loads((folder / CLAIM).read_text())
        for folder in (cube, tmp_path / "lp", tmp_path / "turned", tmp_path / "best")
    ]
    for here, described in (((), schema), (("problem",), schema["properties"]["problem"])):
        found = [reduce(operator.getitem, here, claim) for claim in claims]
        assert set().union(*found) == set(described["properties"])
        assert set(described["required"]) <= set.intersection(*map(set, found))
    assert claims[0]["tours"] == 6


# --- the command ---


def test_the_command_says_how_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "proof")
    assert status(["prove", "3x10", "--closed", "--count", "--json", "-o", folder]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["status"], said["tours"], said["method"], said["certificate"]) == ("count", 16, "clausal", folder)
    assert "There are exactly 16 closed tours of the 3x10 board." in (tmp_path / "proof" / "why.txt").read_text()
    assert status(["check", folder, "3x10", "--closed"]) == 0
    assert "exactly 16 closed tours of the 3x10 board" in capsys.readouterr().out


@pytest.mark.usefixtures("reading_takes_no_time")
def test_a_limit_and_what_a_count_can_t_go_with(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["prove", "8x8", "--closed", "--count", "--time-limit", "0.001"]) == 3
    assert "unknown how many closed tours of the 8x8 board there are" in capsys.readouterr().err
    for more in (["--method", "lp"],):
        assert status(["prove", "5x6", "--closed", "--count", *more]) == 2
        assert more[0] in capsys.readouterr().err
