"""Symmetric tours, counted in the quotient graph as they are listed: published numbers, shifts of a torus."""

import numpy as np
import pytest

from cpsat_tour import Certificate, Limits, Problem, graph_of, problem_of
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.engines.counts import count_by_listing, exact_count
from cpsat_tour.frontier.sweep import count_by_frontier
from cpsat_tour.proofs.write.tour_certificates import prove_count

PUBLISHED = [
    ("6x6", "rot90", 10),
    ("6x6", "rot180", 78),
    ("6x7", "rot180-eulerian", 526),
    ("6x7", "rot180-bergholtian", 38),
    ("6x7", "axial", 530),
    ("6x8", "rot180", 5634),
    ("7x8", "rot180-bergholtian", 21968),
    ("3x10", "rot180-bergholtian", 4),
    ("3x10", "axial", 4),
    ("3x14", "rot180-eulerian", 16),
    ("3x14", "rot180-bergholtian", 8),
    ("3x14", "axial", 24),
    ("3x18", "rot180-eulerian", 124),
    ("3x18", "rot180-bergholtian", 152),
    ("3x18", "axial", 276),
    ("5x6", "axial", 4),
    ("7x8", "rot180-eulerian", 0),
]
"""Numbers of symmetric closed tours."""

LARGE = [("8x8", "rot180", 2432932), ("10x10", "rot90", 831804)]


def number_by(backend: str, problem: Problem) -> int | None:
    return count_by_listing(problem, backend, Limits()).number


@pytest.mark.parametrize(("board", "name", "number"), PUBLISHED)
def test_published_counts_by_listing_and_by_a_solver(board: str, name: str, number: int) -> None:
    problem = problem_of(board, closed=True, symmetry=name)
    assert exact_count(problem, None, Limits()).number == number_by("edges", problem) == number
    if 0 < number <= 160:
        assert number_by("sat:lazy", problem) == number
    if 0 < number <= 40:
        certificate = prove_count(problem)
        assert isinstance(certificate, Certificate)
        assert certificate.tours == number
        assert certificate.check().valid


@pytest.mark.parametrize(("text", "leaper"), [("torus:3x4", "1,2"), ("torus:3x4", "0,1"), ("torus:3x6", "1,2")])
def test_shifts_of_a_torus_are_counted_as_they_are_listed(text: str, leaper: str) -> None:
    """Of order 4 and 6: the quotient graph counts those of a power of two, which never turn a tour over."""
    graph = graph_of(text, (), leaper)
    _, cols = map(int, text.removeprefix("torus:").split("x"))
    shift = np.arange(graph.order) // cols * cols + np.arange(1, graph.order + 1) % cols
    problem = Problem(graph, True, symmetry=Symmetry("the permutation", shift))
    assert exact_count(problem, None, Limits()).number == number_by("edges", problem)


@pytest.mark.parametrize(("board", "name", "number"), LARGE)
def test_large_published_counts_in_the_quotient_graph(board: str, name: str, number: int) -> None:
    assert count_by_frontier(problem_of(board, closed=True, symmetry=name)) == number


@pytest.mark.slow
@pytest.mark.parametrize(("board", "name", "number"), LARGE)
def test_large_published_counts_by_listing(board: str, name: str, number: int) -> None:
    assert number_by("edges", problem_of(board, closed=True, symmetry=name)) == number
