"""The product of features: every command and every backend against brute force, on problems drawn from all that can be
asked at once."""

import json
import random
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from brute_force import Vertices, brute_force
from products import as_python, can_be_proved, can_be_written, draw_problem, sorted_tours

from cpsat_tour.api import count, problem_of, prove, solve, tours
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits
from cpsat_tour.engines.registry import Backend, load, missing_modules, names, restriction_of, unsupported_features
from cpsat_tour.engines.runner import features_of, run
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.spaces.problem_data import problem_data, read_problem
from cpsat_tour.tour import Answer

BACKENDS = [name for name in names() if not missing_modules(name)]

WORK = Limits(work=2000)
"""Of a backend that never refutes."""

COMPLETE = Graph.from_edges(5, list(combinations(range(5), 2)))
ALL_ARCS = Graph.from_edges(4, list(permutations(range(4), 2)), directed=True)
THREE_ARCS = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0), (1, 0)], directed=True)

PAIRS = [(0, 1), (0, 2), (0, 3), (0, 5), (0, 6), (1, 2), (1, 3), (1, 6), (1, 7), (2, 3), (2, 4), (2, 7), (3, 4), (3, 5)]
EXCHANGE = Symmetry("the permutation", np.array([2, 3, 0, 1, 6, 7, 4, 5]), "either")

REGRESSIONS: list[Problem] = [
    problem_of("torus:1x5", symmetry="rot180", start="b1", end="a1"),
    problem_of("torus:1x5", symmetry="rot180", givens={"b1": 1, "a1": 5, "c1": 3}),
    problem_of("3x4", symmetry="rot180", givens={"c3": 7, "c1": 1}),
    problem_of("3x4", symmetry="rot180", givens={"b2": 4}),
    Problem(THREE_ARCS, True, require=((1, 2), (1, 0)), givens=((0, 1), (1, 2), (2, 3))),
    Problem(ALL_ARCS, True, 0, 2),
    Problem(Graph.from_edges(8, PAIRS), False, require=((3, 4), (3, 5)), symmetry=EXCHANGE, givens=((4, 5),)),
    Problem(COMPLETE, True, symmetry=Symmetry("nothing", np.arange(5, dtype=np.int32), "along")),
    Problem(COMPLETE, True, symmetry=Symmetry("nothing", np.arange(5, dtype=np.int32), "over")),
]
"""Problems that were once answered wrongly."""


def check_answer(problem: Problem, answer: Answer, known: set[Vertices], *, refutes: bool = True) -> None:
    """Assert that the answer is that of brute force, or unknown from a backend that never refutes."""
    if known or refutes or answer.status != "unknown":
        assert answer.status == ("tour" if known else "none"), f"{answer}: {as_python(problem)}"
    assert answer.tour is None or tuple(answer.tour) in known, as_python(problem)


def check_commands(problem: Problem, known: set[Vertices]) -> None:
    """Assert that `solve`, `tours`, `count` and `prove` give the known tours."""
    answer = solve(problem)
    check_answer(problem, answer, known)
    assert answer.refutation is None or answer.refutation.kind != "claimed", as_python(problem)
    assert sorted(map(tuple, tours(problem))) == sorted(known), as_python(problem)
    assert count(problem) == len(known), as_python(problem)
    if not can_be_proved(problem):
        with pytest.raises(BadInput, match=r"given numbers|waypoints|no certificate can say how .* is to turn a tour"):
            prove(problem)
        return
    proof = prove(problem)
    assert isinstance(proof, Certificate) or proof.status != "unknown", as_python(problem)
    assert (isinstance(proof, Certificate) or proof.status == "none") == (not known), as_python(problem)
    if known and problem.graph.order > 1:
        counted = prove(problem, counted=True)
        assert isinstance(counted, Certificate)
        assert counted.tours == len(known), as_python(problem)


def check_backend(problem: Problem, name: str, known: set[Vertices]) -> None:
    """Assert that the answer and the list of a backend are right, or that it refuses what it does not take."""
    backend: Backend = load(name)
    refutes = getattr(backend, "refutes", True)
    if unsupported_features(backend, features_of(problem)) or (
        getattr(backend, "givens_only", False) and not problem.givens
    ):
        with pytest.raises(BadInput, match=r"does not take .*: choose one of |is for tours with given numbers"):
            run(problem, backend, name=name)
    elif restriction_of(name) != "knight's boards" and (name != "proof" or can_be_proved(problem)):
        check_answer(problem, run(problem, backend, Limits() if refutes else WORK, name=name), known, refutes=refutes)
        if "every" in backend.takes:
            assert sorted_tours(problem, backend) == sorted(known), as_python(problem)


def check_everything(problem: Problem) -> None:
    """Assert that all commands and all backends give the tours of brute force."""
    known = brute_force(problem)
    check_commands(problem, known)
    for name in BACKENDS:
        check_backend(problem, name, known)


@pytest.mark.parametrize("part", range(4))
def test_all_commands_and_backends_agree_with_brute_force(part: int) -> None:
    for number in range(part * 50, part * 50 + 50):
        check_everything(draw_problem(random.Random(number)))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(200))
def test_all_commands_and_backends_agree_on_many_problems(part: int) -> None:
    for number in range(100):
        check_everything(draw_problem(random.Random(f"{part}:{number}")))


@pytest.mark.parametrize("problem", REGRESSIONS, ids=str)
def test_all_commands_and_backends_agree_on_problems_once_answered_wrongly(problem: Problem) -> None:
    check_everything(problem)


def test_a_problem_comes_back_from_json() -> None:
    for number in range(100):
        problem = draw_problem(random.Random(number))
        written: dict[str, Any] = json.loads(json.dumps(problem_data(problem)))
        if can_be_written(problem):
            assert brute_force(read_problem(written, 0)) == brute_force(problem), as_python(problem)
