"""Backends held against each other where brute force does not reach: fixed ends, and every start square."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import pytest
from brute_force import brute_force

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.problem import Problem
from cpsat_tour.spaces.board import Board


@pytest.mark.slow
def test_every_pair_of_ends_of_opposite_colour_on_6x6() -> None:
    """CP-SAT and SAT give the same answer for each, and neither leaves one unknown."""
    graph = Board(6).graph
    assert graph.colours is not None
    backends = [load("cpsat"), load("sat")]
    for start, end in combinations(range(36), 2):
        if graph.colours[start] != graph.colours[end]:
            problem = Problem(graph, False, start, end)
            statuses = {run(problem, backend).status for backend in backends}
            assert len(statuses) == 1, (graph.name(start), graph.name(end))
            assert statuses <= {"tour", "none"}


def test_every_pair_of_ends_of_the_majority_colour_on_5x5() -> None:
    board = Board(5)
    colours = board.graph.colours
    assert colours is not None
    every_tour = brute_force(Problem(board.graph, False))
    ends = {frozenset((tour[0], tour[-1])) for tour in every_tour}
    backends = [load("cpsat"), load("sat")]
    for start, end in combinations([vertex for vertex in range(25) if colours[vertex] == 0], 2):
        expected = "tour" if frozenset((start, end)) in ends else "none"
        for backend in backends:
            assert run(Problem(board.graph, False, start, end), backend).status == expected


@pytest.mark.parametrize(("rows", "cols"), [(4, 5), (5, 5)])
def test_required_and_forbidden_moves_against_brute_force(rows: int, cols: int) -> None:
    graph = Board(rows, cols).graph
    tails, heads = graph.edges()
    edges = list(zip(tails.tolist(), heads.tolist(), strict=True))
    rng = random.Random(rows * cols)
    every_tour = brute_force(Problem(graph, False))
    made = [{frozenset(step) for step in pairwise(tour)} for tour in every_tour]
    backends = [load(name) for name in ("dfs", "cpsat", "sat", "sat:lazy")]
    for _ in range(40):
        chosen = rng.sample(edges, 4)
        problem = Problem(graph, False, require=tuple(chosen[:2]), forbid=tuple(chosen[2:]))
        exists = any(
            all(frozenset(move) in moves for move in chosen[:2])
            and not any(frozenset(move) in moves for move in chosen[2:])
            for moves in made
        )
        for backend in backends:
            assert run(problem, backend).status == ("tour" if exists else "none")


def test_a_closed_tour_from_every_start_square_is_written_from_there() -> None:
    board = Board(5, 6)
    for start in range(30):
        for name in ("dfs", "cpsat", "sat"):
            tour = run(Problem(board.graph, True, start), load(name)).tour
            assert tour is not None
            assert tour.vertices[0] == start
