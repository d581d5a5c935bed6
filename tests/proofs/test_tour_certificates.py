"""Certificates of counts and of best tours agree with brute force, published numbers and other methods."""

import json
import operator
import tracemalloc
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from brute_force import brute_force
from certificate_judge import certified, proves
from certificate_samples import Sample, board
from commands import Command, needed
from veripb_grammar import check_proof

from cpsat_tour import BackendFault, BadInput, Board, Box, Certificate, Graph, Limits, Problem, StoppedEarly
from cpsat_tour.cli.main import status
from cpsat_tour.core.runs import Clock, Watch
from cpsat_tour.engines.best import optimise
from cpsat_tour.engines.best_search import Goal, goal_of
from cpsat_tour.engines.counts import count as counted
from cpsat_tour.proofs.check.arithmetic import Budget, Constraint
from cpsat_tour.proofs.check.claim import CLAIM, OBJECTIVES as CERTIFIED, BestClaim
from cpsat_tour.proofs.check.folder import BYTES_PER_TERM, PROOF, check
from cpsat_tour.proofs.check.rows import Worth
from cpsat_tour.proofs.write import tour_certificates
from cpsat_tour.proofs.write.clausal import refute_other_tours
from cpsat_tour.proofs.write.combination import sum_of
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.proofs.write.tour_certificates import prove_best, prove_count, refute_by_bounds
from cpsat_tour.proofs.write.veripb import CycleRows
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.lattice import Lattice
from cpsat_tour.spaces.objectives import OBJECTIVES

CUBE = Graph.from_edges(8, [(v, v ^ bit) for v, bit in product(range(8), (1, 2, 4))])
PETERSEN = Member.parse("GP(5,2)").graph


# --- counts ---


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
        pytest.param(Problem(Board(6, 6).graph, True), 9862, marks=pytest.mark.slow),
    ],
)
def test_known_numbers_are_certified(problem: Problem, count: int, tmp_path: Path) -> None:
    assert (certified(prove_count(problem) or prove(problem), tmp_path).tours or 0) == count


@pytest.mark.parametrize("n", [5, 6, 9, 15])
def test_certified_counts_are_those_of_the_frontier_method(n: int, tmp_path: Path) -> None:
    problem = Problem(Member.parse(f"GP({n},2)").graph, True)
    assert (certified(prove_count(problem) or prove(problem), tmp_path).tours or 0) == counted(problem).number


def test_wrong_lists_of_tours_give_no_wrong_count(tmp_path: Path) -> None:
    """A tour that is left out is found, one that is listed twice is shown once, and the checker refuses a wrong one."""
    cycle = CycleRows(Problem(CUBE, True))
    listed, watch = tour_certificates.find_tours(cycle, 100, Limits()), Watch(Limits(), Clock(None))
    for tours in (listed[1:], [], [*listed, listed[0]]):
        assert refute_other_tours(cycle, tours, 100, watch).tours == 6
    with pytest.raises(BackendFault, match="not a tour"):
        Certificate(cycle, refute_other_tours(cycle, [*listed, (0, 1, 2, 3, 4, 5, 6, 7)], 100, watch)).write(
            tmp_path / "wrong"
        )
    assert list(tmp_path.iterdir()) == []


def test_a_count_stops_at_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(Board(5, 6).graph, True)
    with pytest.raises(StoppedEarly, match=r"^stopped at the time limit$"):
        prove_count(problem, Limits(seconds=0.0))
    monkeypatch.setattr(tour_certificates, "MAX_LITERALS", 8 * CycleRows(problem).size)
    assert isinstance(prove_count(problem), Certificate)
    monkeypatch.setattr(tour_certificates, "MAX_LITERALS", 7 * CycleRows(problem).size)
    with pytest.raises(StoppedEarly, match="more than 7 tours"):
        prove_count(problem)
    with pytest.raises(BadInput, match="single vertex"):
        prove_count(Problem(Graph.from_edges(1, []), False))


# --- the best ---


def goal(space: Board, objective: str, *, maximize: bool = False, closed: bool = True) -> Goal:
    found = goal_of(Problem(space.graph, closed), None if maximize else objective, objective if maximize else None)
    assert isinstance(found, Goal)
    return found


@pytest.mark.parametrize(
    ("space", "objective", "maximize", "value"),
    [
        (Board(5, 6), "turns", False, 28),
        (Board(6, 6), "turns", False, 32),
        (Board(5, 6), "turns", True, 30),
        (Board(5, 6), "crossings", False, 49),
        (Board(3, 10), "turns", False, 26),
        (Board(3, 4, leaper=(0, 1)), "turns", False, 8),
        pytest.param(Board(6, 6), "crossings", False, 52, marks=pytest.mark.slow),
        pytest.param(Board(6, 6), "crossings", True, 66, marks=pytest.mark.slow),
        (Board(5, 8), "turns", False, 35),
        pytest.param(Board(6, 7), "turns", False, 35, marks=pytest.mark.slow),
        pytest.param(Board(8, 8), "turns", False, 45, marks=pytest.mark.slow),
        pytest.param(Board(10, 10), "turns", False, 62, marks=pytest.mark.slow),
    ],
)
def test_known_values_are_certified(space: Board, objective: str, maximize: bool, value: int, tmp_path: Path) -> None:
    found = optimise(goal(space, objective, maximize=maximize))
    assert found.answer.tour is not None
    assert isinstance(found.goal, Goal)
    best = needed(certified(prove_best(found.goal, found.answer.tour.vertices), tmp_path).proof.best)
    assert best.value == value
    with pytest.raises(StoppedEarly, match=r"^stopped at the time limit$"):
        prove_best(found.goal, found.answer.tour.vertices, Limits(seconds=0.0))


@pytest.mark.parametrize(
    ("space", "closed"),
    [
        (Board(3, 4), False),
        (Board(3, 3, leaper=(0, 1)), False),
        (Board(3, 4, leaper=(0, 1)), True),
        (Board(3, 3, leaper="king"), True),
        (Board(3, 4, leaper="king"), True),
    ],
)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("maximize", [False, True])
def test_certified_values_are_those_of_brute_force(
    space: Board, closed: bool, objective: str, maximize: bool, tmp_path: Path
) -> None:
    asked = goal(space, objective, maximize=maximize, closed=closed)
    tours = sorted(brute_force(asked.problem), key=lambda tour: asked.value(np.array(tour)), reverse=maximize)
    first, last = np.array(tours[0]), np.array(tours[-1])
    best = needed(certified(prove_best(asked, first), tmp_path).proof.best)
    assert best.value == asked.value(first)
    if asked.value(last) != best.value:
        with pytest.raises(BackendFault, match="were said to be the"):
            prove_best(asked, last)


def test_a_bound_without_a_tour_convinces_others(tmp_path: Path) -> None:
    """5x6 has a tour with 28 turns, so that the program proves 28 and finds that tour where 29 are claimed."""
    problem, watch = Problem(Board(5, 6).graph, True), Watch(Limits(), Clock(None))
    for value in (27, 28):
        claim = BestClaim("turns", False, value, shown=False)
        cycle = CycleRows(problem, claim)
        proof = refute_by_bounds(cycle, (), claim, watch, print, print)
        Certificate(cycle, proof).write(tmp_path / str(value))
        assert check_proof((tmp_path / str(value) / PROOF).read_text()) == proof.length + 4
        assert proves(tmp_path / str(value))
    claim = BestClaim("turns", False, 29, shown=False)
    with pytest.raises(BackendFault, match="a tour is better than the bound"):
        refute_by_bounds(CycleRows(problem, claim), (), claim, watch, print, print)


@pytest.mark.parametrize(
    ("space", "closed"), [(Board(3, 3, leaper="king"), True), (Board(3, 4, leaper="king"), False), (Board(5, 8), True)]
)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_search_from_the_worst_tour_is_a_certificate_of_the_best(
    space: Board, closed: bool, objective: str, tmp_path: Path
) -> None:
    asked = goal(space, objective, closed=closed)
    if space.rows == 5 and objective == "crossings":
        return  # 28 s
    known, worst = optimise(asked, "edges"), optimise(goal(space, objective, maximize=True, closed=closed), "edges")
    assert worst.answer.tour is not None
    found = optimise(asked, "bounds", hint=worst.answer.tour.vertices)
    assert (found.value, found.known) == (known.value, "lp")
    best = needed(certified(found.certificate, tmp_path).proof.best)
    assert best.value == known.value


def test_a_sum_says_what_its_rows_say() -> None:
    """Two rows add up to a clause over what is decided; without the decision they say nothing."""
    rows = [Constraint({1: 1, 2: 1}, 2), Constraint({1: -1, 3: 1}, 0)]
    assert sum_of(rows, {0: 1, 1: 2}, {3: False}) == ("r0 r1 2 * + x1 + ~x2 + 1 d s", frozenset({3}))
    assert sum_of(rows, {0: 1, 1: 2}, {3: True}) is None
    assert sum_of(rows, {0: 1, 1: 2}, {}) is None


def test_the_checker_stops_at_more_pairs_than_there_are_rows(tmp_path: Path) -> None:
    """Moves of a (20,21)-leaper cross each other by the million, and the checker does not make them all."""
    described = board(60, 60, leaper=(20, 21), method="clausal")
    described["best"] = {"objective": "crossings", "maximize": False, "value": 1, "shown": True}
    rows = ["* #variable= 1 #constraint= 1", *["+1 x1 = 1 ;"] * 50]
    tracemalloc.start()
    verdict = check(Sample(described, rows).write(tmp_path))
    room = sum(len(row) + 1 for row in rows) // BYTES_PER_TERM
    assert str(verdict.fault).startswith(f"certificate.json: there are more than {room} crossings")
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
def test_the_pairs_of_the_checker_are_those_of_the_objective(space: Lattice, closed: bool) -> None:
    """The search makes them by other formulas: in line, crossing, lying on each other, and in three dimensions."""
    problem = Problem(space.graph, closed)
    for name, maximize in product(OBJECTIVES, (False, True)):
        stated = OBJECTIVES[name].pair_sum(problem)
        mine = Worth(problem, BestClaim(name, maximize, 0), space.graph.size, 10**6, Budget().spend)
        assert mine.pairs == sorted(map(tuple, (stated.pairs.astype(int) + 1).tolist()))
        weight = stated.weight * (-1 if maximize else 1)
        assert mine.better_than(0).terms == dict.fromkeys(mine.variables, -weight)


def test_an_objective_that_the_checker_does_not_know_has_no_certificate() -> None:
    assert {*CERTIFIED} == {*OBJECTIVES, "length"}
    with pytest.raises(BadInput, match="there are no certificates of 'bends', only of turns, crossings, length"):
        BestClaim("bends", maximize=False, value=1)


# --- the commands and the documentation ---


def test_the_commands_write_certificates(tmp_path: Path, command: Command) -> None:
    folder = str(tmp_path / "count")
    said = json.loads(command(f"prove 3x10 --closed --count --json -o {folder}").out)
    assert (said["status"], said["tours"], said["method"], said["certificate"]) == ("count", 16, "clausal", folder)
    assert "There are exactly 16 closed tours of the 3x10 board." in (tmp_path / "count" / "why.txt").read_text()
    assert "exactly 16 closed tours of the 3x10 board" in command(f"check {folder} 3x10 --closed").out
    folder = str(tmp_path / "best")
    said = json.loads(command(f"best 5x6 --closed --minimize turns --json --certificate {folder}").out)
    assert (said["value"], said["bound"], said["known"]) == (28, 28, "lp")
    assert "No closed tour of the 5x6 board has fewer than 28 turns." in (tmp_path / "best" / "why.txt").read_text()
    valid = "no closed tour of the 5x6 board has fewer than 28 turns, and one has as many"
    assert valid in command(f"check {folder} 5x6 --closed").out
    none = command(f"best 5x5 --closed --minimize turns --certificate {tmp_path / 'other'}", 20)
    assert f"no tour, so nothing is written to {tmp_path / 'other'}: prove writes" in none.err


@pytest.mark.usefixtures("reading_takes_no_time")
def test_prove_refuses_to_count_by_lp_and_keeps_its_time_limit(command: Command) -> None:
    stopped = command("prove 8x8 --closed --count --time-limit 0.001", 3)
    assert "the number of closed tours of the 8x8 board is still unknown" in stopped.err
    assert "one method" in command("prove 5x6 --closed --count --method lp", 2).err


def test_no_certificate_is_told_of_that_was_not_written_in_time(
    monkeypatch: pytest.MonkeyPatch, command: Command, tmp_path: Path
) -> None:
    def write(*_args: object, **_keywords: object) -> None:
        raise StoppedEarly("time")

    monkeypatch.setattr(Certificate, "write", write)
    folder = tmp_path / "proof"
    printed = command(f"best 5x6 --closed --minimize turns --backend bounds --certificate {folder}", 3)
    assert "28 turns, the fewest (lp" in printed.out
    assert "is checked" not in printed.err


def test_the_documented_schema_has_all_members_of_certificates(tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "certificate.schema.json").read_text(encoding="utf-8")
    schema, claims = json.loads(text), list[Any]()
    for asked in (
        "prove Q(3) --closed --count -o",
        "prove 4x5 --closed -o",
        "prove 2x2+2 --closed -o",
        "prove 4x4 --closed --symmetry rot90 -o",
        "best 3x4 --leaper 0,1 --closed --minimize turns --certificate",
    ):
        folder = tmp_path / str(len(claims))
        assert status([*asked.split(), str(folder), "--quiet"]) == 0
        claims.append(json.loads((folder / CLAIM).read_text()))
    for here, described in (((), schema), (("problem",), schema["properties"]["problem"])):
        found = [reduce(operator.getitem, here, claim) for claim in claims]
        assert set().union(*found) == set(described["properties"])
        assert set(described["required"]) <= set.intersection(*map(set, found))
