"""Necessary conditions: each is found where it alone is violated; `test_reduction` checks that none is ever wrong."""

from __future__ import annotations

import pytest

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.spaces.board import Board


def path(order: int) -> Graph:
    return Graph.from_edges(order, [(vertex, vertex + 1) for vertex in range(order - 1)])


def test_boards_that_have_tours_violate_nothing() -> None:
    for board, closed in (
        (Board(1), False),
        (Board(3, 4), False),
        (Board(5), False),
        (Board(6), True),
        (Board(50), True),
    ):
        assert violated_condition(Problem(board.graph, closed)) is None
    assert violated_condition(Problem(TWO_TRIANGLES, False, 0, 3)) is None


COMPLETE = [(tail, head) for tail in range(4) for head in range(4) if tail != head]
ARCS = Graph.from_edges(4, COMPLETE, directed=True)
TWO_ROUNDS = [(first + tail, first + (tail + 1) % 3) for first in (0, 3) for tail in range(3)]
BOWTIE = Graph.from_edges(7, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (5, 6), (3, 6)])
TWO_TRIANGLES = Graph.from_edges(
    5, [(v, u) for part in ((0, 1, 2), (2, 3, 4)) for v in part for u in part], directed=True
)
STAR = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3)]

VIOLATED = [
    *(
        (Problem(ARCS, closed, require=require), f"2 required moves lead {way} 2, and a tour makes one")
        for closed in (True, False)
        for require, way in ((((0, 2), (1, 2)), "to"), (((2, 0), (2, 1)), "from"))
    ),
    (
        Problem(ARCS, False, 0, 1, ((1, 2),)),
        "the tour ends at 1, and 1 required move there leaves no room for that",
    ),
    (
        Problem(ARCS, False, 0, 1, ((2, 0),)),
        "the tour starts at 0, and 1 required move there leaves no room for that",
    ),
    (
        Problem(Graph.from_edges(4, COMPLETE), False, 0, 1, ((0, 2), (0, 3))),
        "the tour starts at 0, and 2 required moves there leave no room for that",
    ),
    *(
        (
            Problem(Graph.from_edges(6, [*TWO_ROUNDS, (last + 1, first + 1)], directed=True), True),
            f"no way leads from {first} to {last}",
        )
        for first, last in ((0, 3), (3, 0))
    ),
    (Problem(TWO_TRIANGLES, True), "every way from 1 to 3 leads through 2, which a tour visits once"),
    (Problem(TWO_TRIANGLES, False, 0, 1), "every way from"),
    (Problem(path(4), True), "0 has fewer than two moves"),
    (
        Problem(Graph.from_edges(5, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)]), True),
        "3 has fewer than two moves",
    ),
    (Problem(Graph.from_edges(4, [(0, 1), (0, 2), (0, 3)]), False), "1, 2, 3 each have fewer than two moves"),
    (Problem(path(4), False, 1, 3), "0 has fewer than two moves and is not an end"),
    (Problem(path(3), False, forbid=((0, 1),)), "0, 1, 2 each have fewer than two moves"),
    (Problem(Graph.from_edges(4, STAR), False, require=((0, 1), (0, 2), (0, 3))), "3 required moves meet at 0"),
    (Problem(BOWTIE, False), "no moves lead from 0 to 3"),
    (Problem(Board(3, leaper=(0, 1)).graph, True), "every move changes colour"),
    (
        Problem(Board(8, holes=["a1", "h8"]).graph, False),
        "every move changes colour, and the 62 squares are 32 light and 30 dark",
    ),
    (
        Problem(Board(5).graph, False, start=1),
        "every move changes colour, and the 25 squares are 13 dark and 12 light",
    ),
    (
        Problem(Board(6).graph, False, 0, 2),
        "every move changes colour, and the 36 squares are 18 light and 18 dark",
    ),
]


@pytest.mark.parametrize(("problem", "reason"), VIOLATED, ids=[reason for _, reason in VIOLATED])
def test_each_condition_names_its_witness(problem: Problem, reason: str) -> None:
    refutation = violated_condition(problem)
    assert refutation is not None
    assert refutation.reason.startswith(reason)
