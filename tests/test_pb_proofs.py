"""Certificates from the log of the pseudo-Boolean solver: its sums are read back over our rows, and the checker adds
them up."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from brute_force import brute_force
from tourless import random_problem
from veripb_grammar import check_proof

from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Watch
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.combination import SummedProof
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.proofs.write.rows import CycleRows
from cpsat_tour.proofs.write.sums import read_log
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.turns import symmetry_named

pytest.importorskip("exact", reason="the Python module exact is not installed")

K23 = Graph.from_edges(5, [(a, b) for a in range(2) for b in range(2, 5)])


def refuted(problem: Problem, folder: Path) -> SummedProof:
    """The proof, written and accepted by the checker and by the published grammar."""
    found = prove(problem, "pb")
    assert isinstance(found, Certificate)
    assert isinstance(found.proof, SummedProof)
    found.write(folder, force=True)
    verdict = check(folder, expected=problem)
    assert verdict.valid, verdict.fault
    assert (verdict.method, verdict.steps) == ("pb", found.steps)
    check_proof((folder / "proof.pbp").read_text())
    return found.proof


@pytest.mark.parametrize(
    "sides",
    [(5, 5), (4, 6), pytest.param((7, 31), marks=pytest.mark.slow)]
    + [pytest.param(sides, marks=pytest.mark.slow) for sides in ((51, 51), (4, 20), (4, 50))],
)
def test_boards_without_a_closed_tour(sides: tuple[int, int], tmp_path: Path) -> None:
    proof = refuted(Problem(Board(*sides).graph, True), tmp_path)
    assert bool(proof.cut_sets) == (sides[0] == 4)


@pytest.mark.parametrize(
    "problem",
    [
        Problem(Member.parse("GP(5,2)").graph, True),
        Problem(K23, True),
        Problem(Board(4, 4).graph, False),
        Problem(Board(4, 4).graph, False, 0, 0),
        Problem(Board(3, 8).graph, True, symmetry=symmetry_named(Board(3, 8).graph, "rot180")),
        Problem(Board(5, 5).graph, False, 0, 1),
        Problem(Graph.from_edges(0, []), True),
    ],
)
def test_other_problems(problem: Problem, tmp_path: Path) -> None:
    certificate = prove(problem, "pb")
    assert isinstance(certificate, Certificate)
    certificate.write(tmp_path)
    assert check(tmp_path, expected=problem).valid


def test_a_tour_where_there_is_one() -> None:
    for closed in (True, False):
        found = prove(Problem(Board(5, 6).graph, closed), "pb")
        assert isinstance(found, Answer)
        assert found.status == "tour"


@pytest.mark.parametrize("wanted", [40, pytest.param(2000, marks=pytest.mark.slow)])
def test_random_problems(wanted: int) -> None:
    rng = random.Random(wanted)
    for _ in range(wanted):
        problem = random_problem(rng)
        found = prove(problem, "pb")
        if isinstance(found, Answer):
            assert found.status == "tour"
        else:
            assert found.check().valid
            if problem.graph.order <= 8:
                assert not brute_force(problem)


def test_nothing_is_learned_for_ever() -> None:
    """A graph on which the solver, told to learn constraints with coefficients of 1 alone, learns the same one over and
    over."""
    joined = {0: (1, 2, 3, 4, 8, 9, 10), 1: (5, 6), 2: (5, 7), 3: (5, 6, 7), 4: (5, 6, 7), 5: (8, 9, 10), 6: (8, 9, 10)}
    graph = Graph.from_edges(11, [(tail, head) for tail, heads in joined.items() for head in heads])
    found = prove(Problem(graph, closed=False, start=1), "pb", Limits(work=10_000))
    assert not isinstance(found, Answer)
    assert found.check().valid


def test_limits() -> None:
    board = Problem(Board(7, 7).graph, True)
    for limits, by in ((Limits(work=0), "work"), (Limits(seconds=0.0), "time")):
        found = prove(board, "pb", limits)
        assert isinstance(found, Answer)
        assert (found.status, found.stopped_by) == ("unknown", by)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (["l 1", "u 1 x1 >= 1 ;", "c 2"], "a step that is not a sum: u 1 x1 >= 1"),
        (["l 1", "rup +1 x1 >= 1 ;", "c 2"], "a step that is not a sum"),
        (["l 1", "pol 1 1 +"], "does not end in a contradiction"),
        ([], "does not end in a contradiction"),
    ],
)
def test_what_a_log_can_t_say(log: list[str], words: str) -> None:
    cycle = CycleRows.of(Problem(K23, True))
    with pytest.raises(BackendFault, match=words):
        read_log(["pseudo-Boolean proof version 1.1", *log], cycle, [], Watch(Limits(), Clock(None)))


def test_a_log_is_not_believed() -> None:
    cycle = CycleRows.of(Problem(K23, True))
    log = [
        "pseudo-Boolean proof version 1.1",
        "rup >= 0 ;",
        "l 1",
        "l 2",
        "pol 2 3 + x1 2 * +",
        "l 3",
        "pol 4 2 d",
        "c 6",
    ]
    proof = read_log(log, cycle, [], Watch(Limits(), Clock(None)))
    assert proof.sums == (("1", "2", "+", "x1", "2", "*", "+"), ("11", "2", "d"))
    with pytest.raises(BackendFault, match="the checker refuses"):
        Certificate(cycle, proof).check()
