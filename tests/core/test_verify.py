"""Tours: verification accepts exactly the tours and names every fault; one tour has one canonical form."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from brute_force import brute_force, every_ending, random_problem, small_graphs

from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.verify import canonical, verify, verify_disjoint
from cpsat_tour.spaces.board import Board

SQUARE = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
ROUND = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True)


def is_accepted(problem: Problem, vertices: Sequence[int]) -> bool:
    try:
        verify(problem, vertices)
    except TourFault:
        return False
    return True


def problems() -> list[Problem]:
    rng = random.Random(4)
    small = [
        problem for graph in (*small_graphs(3), *small_graphs(3, directed=True)) for problem in every_ending(graph)
    ]
    return [*small, *(random_problem(rng, 5) for _ in range(400))]


def test_verify_accepts_exactly_the_tours() -> None:
    accepted = 0
    for problem in problems():
        found = {visit for visit in permutations(range(problem.graph.order)) if is_accepted(problem, visit)}
        tours = brute_force(problem)
        assert {tuple(canonical(problem, visit).tolist()) for visit in found} == tours
        assert tours <= found
        accepted += len(found)
    assert accepted > 500


FAULTS: list[tuple[Problem, Any, str]] = [
    (Problem(SQUARE, True), [[0, 1], [2, 3]], "a tour is a sequence of vertex numbers"),
    (Problem(SQUARE, True), 3, "a tour is a sequence of vertex numbers"),
    (Problem(SQUARE, True), [0.0, 1.0, 2.0, 3.0], "a tour is a sequence of vertex numbers"),
    (Problem(SQUARE, True), [True, False], "a tour is a sequence of vertex numbers"),
    (Problem(SQUARE, True), ["0", "1"], "a tour is a sequence of vertex numbers"),
    (Problem(SQUARE, True), [0, 1, 2, 4], "visit 4 is at 4, which is not a vertex"),
    (Problem(SQUARE, True), [-1, 1, 2, 3], "visit 1 is at -1, which is not a vertex"),
    (Problem(SQUARE, True), [0, 1, 2, 1, 0], "visit 4 is at 1, which was visited before"),
    (Problem(SQUARE, True), [0, 1, 2, 3, 0], "visit 5 is at 0, which was visited before"),
    (Problem(SQUARE, True), [0, 1, 3, 2], "move 2, from 1 to 3, is not a move here"),
    (Problem(SQUARE, False), [0, 2, 1, 3], "move 1, from 0 to 2, is not a move here"),
    (Problem(SQUARE.without([(0, 3)]), True), [0, 1, 2, 3], "move 4, from 3 to 0, is not a move here"),
    (Problem(SQUARE, False), [1, 2, 3], "0 is never visited: the tour has 3 of 4 visits"),
    (Problem(SQUARE, False), [], "0 is never visited: the tour has 0 of 4 visits"),
    (Problem(SQUARE, False, start=1), [0, 1, 2, 3], "the tour starts at 0, not at 1"),
    (Problem(SQUARE, True, start=1), [0, 1, 2, 3], "the tour starts at 0, not at 1"),
    (Problem(SQUARE, False, end=2), [0, 1, 2, 3], "the tour ends at 3, not at 2"),
    (Problem(SQUARE, True, 0, 1), [0, 1, 2, 3], "the tour ends at 3, not at 1"),
    (Problem(SQUARE, False, require=((3, 0),)), [0, 1, 2, 3], "the required move 0-3 is not made"),
    (Problem(SQUARE, True, forbid=((3, 0),)), [0, 1, 2, 3], "the forbidden move 0-3 is made"),
    (Problem(ROUND, False), [2, 1, 0], "move 1, from 2 to 1, is not a move here"),
    (Problem(ROUND, True, forbid=((2, 0),)), [0, 1, 2], "the forbidden move 2-0 is made"),
    (Problem(ROUND, False, require=((2, 0),)), [0, 1, 2], "the required move 2-0 is not made"),
    (
        Problem(Graph.from_edges(2, [(0, 1)]), True),
        [0, 1],
        "a closed tour needs at least 3 vertices, and the graph has 2",
    ),
    (Problem(Graph.from_edges(1, []), True), [0], "move 1, from 0 to 0, is not a move here"),
    (Problem(Graph.from_edges(0, []), False), [], "a graph without vertices has no tour"),
    (Problem(Board(3, 4).graph, False), [0, 1], "move 1, from a3 to b3, is not a move here"),
]


@pytest.mark.parametrize(("problem", "vertices", "sentence"), FAULTS)
def test_every_fault_is_named(problem: Problem, vertices: Any, sentence: str) -> None:
    with pytest.raises(TourFault) as caught:
        verify(problem, vertices)
    assert str(caught.value).startswith(sentence)


def test_a_closed_tour_may_have_two_arcs() -> None:
    verify(Problem(Graph.from_edges(2, [(0, 1), (1, 0)], directed=True), True), [1, 0])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_tours_may_be_arrays_of_any_integer_type(dtype: type) -> None:
    # In 8 bits, 15 * 16 + 14 would overflow.
    board = Board(4, leaper=(0, 1))
    snake: Ints = np.array([0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12]).astype(dtype)
    problem = Problem(board.graph, False)
    verify(problem, snake)
    assert canonical(problem, snake[::-1]).tolist() == snake.tolist()


# --- disjoint tours ---

RINGS = [np.array(ring) for ring in ([0, 1, 2, 3, 4], [0, 2, 4, 1, 3])]
FIVE = Graph.from_edges(5, [(tail, head) for head in range(5) for tail in range(head)])


def test_two_rings_make_all_moves_between_five_vertices() -> None:
    verify_disjoint(FIVE, RINGS, whole=True)
    verify_disjoint(FIVE, RINGS[1:], whole=False)
    verify_disjoint(FIVE, [], whole=False)


@pytest.mark.parametrize(
    ("rings", "sentence"),
    [
        ([RINGS[0], RINGS[1][:4]], "tour 2: 3 is never visited: the tour has 4 of 5 visits"),
        ([RINGS[0], np.array([0, 2, 4, 3, 1])], "the move 0-1 is made by two tours"),
        ([RINGS[0], RINGS[0][::-1]], "the move 0-1 is made by two tours"),
        ([RINGS[0]], "the move 0-2 is made by no tour"),
        ([], "the move 0-1 is made by no tour"),
    ],
)
def test_the_first_fault_of_disjoint_tours_is_named(rings: list[Ints], sentence: str) -> None:
    with pytest.raises(TourFault) as caught:
        verify_disjoint(FIVE, rings, whole=True)
    assert str(caught.value) == sentence


def test_a_move_there_and_the_move_back_are_two_moves_of_a_directed_graph() -> None:
    both = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)], directed=True)
    verify_disjoint(both, [np.array([0, 1, 2]), np.array([0, 2, 1])], whole=True)
    with pytest.raises(TourFault, match="the move 0-1 is made by two tours"):
        verify_disjoint(both, [np.array([0, 1, 2]), np.array([1, 2, 0])], whole=True)
