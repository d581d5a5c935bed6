"""Certificates of directed problems: one exactly where there is no tour, about the directed graph, and judged by the
tests' own judge."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from brute_force import random_problem, small_graphs
from certificate_judge import proves
from certificate_samples import one_way
from test_certificates import decided

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.cli.main import status
from cpsat_tour.cli.messages import Exit
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Named
from cpsat_tour.core.split_vertices import NAMES_OF_SPLIT
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.prove import Method, prove

NOT_TOUGH = [(tail, head) for tail in range(7) for head in range(7) if tail != head and max(tail, head) > 3]
"""From 0 to 3 one can go to 4, 5 and 6 alone, and from these anywhere."""


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _file: None)


def directed_problems(seed: int, wanted: int, most: int) -> list[Problem]:
    rng = random.Random(seed)
    found: list[Problem] = []
    while len(found) < wanted:
        problem = random_problem(rng, most)
        found += [problem] if problem.graph.directed else []
    return found


@pytest.mark.parametrize("method", ["auto", "sat"])
def test_each_directed_graph_of_at_most_three_vertices_has_a_tour_or_a_certificate(
    method: Method, tmp_path: Path
) -> None:
    for graph in small_graphs(3, directed=True):
        for closed in (True, False):
            decided(Problem(graph, closed), method, tmp_path)


def test_the_judge_agrees(tmp_path: Path) -> None:
    judged = 0
    for problem in directed_problems(8, 40, 5):
        outcome = prove(problem, "sat")
        if isinstance(outcome, Certificate):
            judged += 1
            outcome.write(tmp_path, force=True)
            assert check(tmp_path, None, problem).valid
            description = json.loads((tmp_path / "certificate.json").read_text())
            assert proves(
                description, *((tmp_path / name).read_text().splitlines() for name in ("problem.opb", "proof.pbp"))
            )
    assert judged > 10


@pytest.mark.parametrize("backend", ["auto", "proof"])
def test_a_refutation_has_a_certificate_about_the_directed_graph(backend: str, tmp_path: Path) -> None:
    problem = Problem(Graph.from_edges(7, NOT_TOUGH, directed=True), True)
    refutation = run(problem, load(backend)).refutation
    assert refutation is not None
    assert refutation.reason.startswith(f"{NAMES_OF_SPLIT}: ")
    assert refutation.reason.count(NAMES_OF_SPLIT) == 1
    assert refutation.certificate is not None
    refutation.certificate.write(tmp_path)
    assert check(tmp_path, None, problem).claim == "no closed tour of the directed graph with 7 vertices and 30 arcs"
    assert f"W{NAMES_OF_SPLIT[1:]}" in " ".join((tmp_path / "why.txt").read_text().split())


def test_a_certificate_of_another_directed_graph_is_refused(tmp_path: Path) -> None:
    one_way().write(tmp_path)
    for arcs, closed, same in (
        ([(0, 1), (1, 2)], True, True),
        ([(1, 0), (1, 2)], True, False),
        ([(0, 1), (1, 2), (2, 0)], True, False),
        ([(0, 1), (1, 2)], False, False),
    ):
        graph = Graph.from_edges(3, arcs, directed=True, space=Named(["v0", "v1", "v2"], "the graph"))
        verdict = check(tmp_path, None, Problem(graph, closed))
        assert verdict.valid == same
        assert same or "what differs is" in str(verdict.fault)


def test_arcs_told_as_edges_are_another_graph(tmp_path: Path) -> None:
    made = one_way()
    made.description["problem"]["graph"]["edges"] = made.description["problem"]["graph"].pop("arcs")
    made.write(tmp_path)
    assert not check(tmp_path).valid
    made = one_way()
    made.description["problem"]["graph"]["edges"] = []
    made.write(tmp_path)
    assert "unknown field" in str(check(tmp_path).fault)


def test_the_best_of_a_directed_graph_is_no_claim(tmp_path: Path) -> None:
    made = one_way()
    made.description |= {"method": "clausal", "best": {"objective": "turns", "maximize": False, "value": 1}}
    made.write(tmp_path)
    assert "no places" in str(check(tmp_path).fault)


def test_the_commands_prove_directed_graphs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arcs = tmp_path / "arcs.txt"
    arcs.write_text("".join(f"{tail} -> {head}\n" for tail, head in NOT_TOUGH))
    assert status(["solve", str(arcs), "--closed", "-q", "--certificate", str(tmp_path / "one")]) == Exit.NONE
    assert status(["prove", str(arcs), "--closed", "-q", "-o", str(tmp_path / "two")]) == 0
    for folder in ("one", "two"):
        assert status(["check", str(tmp_path / folder), str(arcs), "--closed"]) == 0
    assert "valid: no closed tour of the directed graph with 7 vertices and 30 arcs" in capsys.readouterr().out


def test_numbers_have_no_certificate() -> None:
    graph = Graph.from_edges(4, [(tail, head) for tail in range(4) for head in range(4) if tail != head], directed=True)
    with pytest.raises(BadInput, match="without given numbers"):
        prove(Problem(graph, True, givens=((0, 1), (1, 3))))
