"""The product of features: every command and every backend against brute force, on problems drawn from all that can be
asked at once."""

from __future__ import annotations

import random

import pytest
from brute_force import Vertices, brute_force
from products import drawn, provable, told

from cpsat_tour.backends.api import count, tours
from cpsat_tour.backends.listing import all_tours
from cpsat_tour.backends.protocols import Backend, beyond_it
from cpsat_tour.backends.registry import load, missing, names, only_for
from cpsat_tour.backends.runner import asked_features, run, solve
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.write.api import prove
from cpsat_tour.proofs.write.certificate import Certificate

BACKENDS = [name for name in names() if not missing(name)]

SEVERAL = 4
"""Of the problems that `make test` draws, a backend is asked about one in so many, the commands about each."""

WORK = Limits(work=2000)
"""Of a backend that never refutes."""


def agrees(problem: Problem, answer: Answer, known: set[Vertices], *, refutes: bool = True) -> None:
    """The answer is the one that brute force has; unknown only of a backend that never refutes."""
    if known or refutes or answer.status != "unknown":
        assert answer.status == ("tour" if known else "none"), f"{answer}: {told(problem)}"
    assert answer.tour is None or tuple(answer.tour) in known, told(problem)


def listed_are(problem: Problem, listed: list[Vertices], known: set[Vertices]) -> None:
    """Each of the tours is listed once."""
    assert len(listed) == len(set(listed)), told(problem)
    assert set(listed) == known, told(problem)


def commands_agree(problem: Problem, known: set[Vertices]) -> None:
    """`solve`, `tours`, `count` and `prove` as people call them."""
    answer = solve(problem)
    agrees(problem, answer, known)
    assert answer.refutation is None or answer.refutation.kind != "claimed", told(problem)
    listed_are(problem, [tuple(tour) for tour in tours(problem)], known)
    assert count(problem) == len(known), told(problem)
    if not provable(problem):
        with pytest.raises(
            BadInput, match=r"given numbers|no certificate can say how the permutation is to turn a tour"
        ):
            prove(problem)
        return
    proof = prove(problem)
    assert isinstance(proof, Certificate) or proof.status != "unknown", told(problem)
    assert (isinstance(proof, Certificate) or proof.status == "none") == (not known), told(problem)


def backend_agrees(problem: Problem, name: str, known: set[Vertices]) -> None:
    """The answer of a backend, and its list if it has one; or a refusal by what it takes."""
    backend: Backend = load(name)
    refutes = getattr(backend, "refutes", True)
    if beyond_it(backend, asked_features(problem)) or (getattr(backend, "givens_only", False) and not problem.givens):
        with pytest.raises(BadInput, match=r"does not take .*: choose one of |is for tours with given numbers"):
            run(problem, backend, name=name)
    elif only_for(name) != "knight's boards" and (name != "proof" or provable(problem)):
        agrees(problem, run(problem, backend, Limits() if refutes else WORK, name=name), known, refutes=refutes)
        if "every" in backend.takes:
            listed_are(problem, [tuple(tour.tolist()) for tour in all_tours(problem, backend)], known)


@pytest.mark.parametrize("part", range(8))
def test_all_commands_and_backends_agree_with_brute_force(part: int) -> None:
    for number in range(part * 50, part * 50 + 50):
        problem = drawn(random.Random(number))
        known = brute_force(problem)
        commands_agree(problem, known)
        for name in BACKENDS[number % SEVERAL :: SEVERAL]:
            backend_agrees(problem, name, known)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(200))
def test_all_commands_and_all_backends_on_many_problems(part: int) -> None:
    for number in range(100):
        problem = drawn(random.Random(f"{part}:{number}"))
        known = brute_force(problem)
        commands_agree(problem, known)
        for name in BACKENDS:
            backend_agrees(problem, name, known)
