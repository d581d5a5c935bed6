"""Tours: verification, one by one or in rows, accepts exactly the tours and names every fault; one tour has one
canonical form."""

import random
from collections.abc import Callable
from functools import partial
from itertools import islice, permutations
from typing import Any

import numpy as np
import pytest
from brute_force import brute_force, every_ending, random_problem, small_graphs
from products import all_tours

from cpsat_tour import Board, Graph, Problem, TourFault, load
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import TourRows, canonical, verify, verify_disjoint

SQUARE = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
ROUND = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True)


def fault_of(verification: Callable[..., None], *arguments: Any) -> str | None:
    """What is wrong with a tour by a verification."""
    try:
        verification(*arguments)
    except TourFault as fault:
        return str(fault)
    return None


def plainly_canonical(problem: Problem, tour: tuple[int, ...]) -> list[int]:
    """The least reading of a tour from where it may begin, or the one to its fixed end."""
    readings = [tour]
    if problem.givens:
        return list(tour)
    if problem.closed:
        readings = [tour[place:] + tour[:place] for place in range(len(tour))]
    if not problem.graph.directed:
        readings += [reading[::-1] for reading in readings]
    starts, ends = ({None, vertex} for vertex in (problem.start, problem.end))
    return list(min(r for r in readings if starts <= {None, r[0]} and ends <= {None, r[-1]}))


def test_verify_accepts_exactly_the_tours() -> None:
    rng, accepted = random.Random(4), 0
    graphs = (*small_graphs(3), *small_graphs(3, directed=True))
    small = [problem for graph in graphs for problem in every_ending(graph)]
    for problem in (*small, *(random_problem(rng, 5) for _ in range(400))):
        visits = permutations(range(problem.graph.order))
        found = {visit for visit in visits if fault_of(verify, problem, visit) is None}
        tours = brute_force(problem)
        assert {tuple(canonical(problem, visit).tolist()) for visit in found} == tours
        assert tours <= found
        accepted += len(found)
    assert accepted > 500


@pytest.mark.parametrize("in_matrix", [False, True])
def test_rows_of_tours_are_verified_and_made_canonical_like_single_tours(
    in_matrix: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever arcs are looked up, also where the head stands first in the next row; and one wrong row among many is
    found."""
    if not in_matrix:
        monkeypatch.setattr("cpsat_tour.core.verify.MAX_IN_MATRIX", 1)
    rng = random.Random(0)
    for problem in filter(lambda problem: problem.graph.order >= 3, [random_problem(rng, 7) for _ in range(150)]):
        order, rows = problem.graph.order, TourRows(problem)
        drawn = [tuple(rng.sample(range(order), order)) for _ in range(9)]
        for tour in [*islice(brute_force(problem), 5), *drawn, (0,) * order, (order,) * order]:
            row = np.array(tour, dtype=np.int32)
            fault = fault_of(verify, problem, row)
            assert fault_of(rows.verify, np.stack([row, row])) == fault
            if fault is None:
                assert canonical(problem, row).tolist() == plainly_canonical(problem, tour)
    problem = Problem(Board(6).graph, True)
    tours = np.array([*islice(all_tours(problem, load("dfs")), 3000)])
    assert fault_of(TourRows(problem).verify, tours) is None
    tours[2345, [4, 5]] = tours[2345, [5, 4]]
    assert "is not a move here" in str(fault_of(TourRows(problem).verify, tours))


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
    assert str(fault_of(verify, problem, vertices)).startswith(sentence)


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
BOTH = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)], directed=True)


@pytest.mark.parametrize(
    ("graph", "rings", "whole", "fault"),
    [
        (FIVE, RINGS, True, None),
        (FIVE, RINGS[1:], False, None),
        (FIVE, [], False, None),
        (FIVE, [RINGS[0], RINGS[1][:4]], True, "tour 2: 3 is never visited: the tour has 4 of 5 visits"),
        (FIVE, [RINGS[0], np.array([0, 2, 4, 3, 1])], True, "the move 0-1 is made by two tours"),
        (FIVE, [RINGS[0], RINGS[0][::-1]], True, "the move 0-1 is made by two tours"),
        (FIVE, [RINGS[0]], True, "the move 0-2 is made by no tour"),
        (FIVE, [], True, "the move 0-1 is made by no tour"),
        # A move there and the move back are two moves of a directed graph.
        (BOTH, [np.array([0, 1, 2]), np.array([0, 2, 1])], True, None),
        (BOTH, [np.array([0, 1, 2]), np.array([1, 2, 0])], True, "the move 0-1 is made by two tours"),
    ],
)
def test_the_first_fault_of_disjoint_tours_is_named(
    graph: Graph, rings: list[Ints], whole: bool, fault: str | None
) -> None:
    assert fault_of(partial(verify_disjoint, whole=whole), graph, rings) == fault
