"""Problems: what they refuse and how they write required and forbidden moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.spaces.board import Board

PATH = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
ARCS = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True)


@pytest.mark.parametrize("vertex", [-1, 4, 2**40, 1.5, True, "1", (0,)])
def test_ends_are_vertices(vertex: Any) -> None:
    for ends in ((vertex, None), (None, vertex), (0, vertex)):
        with pytest.raises(BadInput, match=r"^the (start|end) "):
            Problem(PATH, False, *ends)


def test_closed_problem_has_an_end_only_with_a_start() -> None:
    with pytest.raises(BadInput, match="give the start too"):
        Problem(PATH, True, None, 1)
    Problem(PATH, True, 0, 1)


@pytest.mark.parametrize("move", [(0, 2), (0, 0), (-1, 0), (0, -1), (3, 4), (0, 2**40)])
def test_moves_are_edges_of_the_graph(move: tuple[int, int]) -> None:
    with pytest.raises(BadInput, match="can't require the move"):
        Problem(PATH, False, require=(move,))
    with pytest.raises(BadInput, match="can't forbid the move"):
        Problem(PATH, False, forbid=(move,))


@pytest.mark.parametrize("move", [(0.0, 1), (True, 0), ("0", "1")])
def test_ends_of_moves_are_whole_numbers(move: Any) -> None:
    with pytest.raises(BadInput, match="whole number"):
        Problem(PATH, False, require=(move,))


def test_edges_are_written_once_with_the_lesser_vertex_first() -> None:
    problem = Problem(PATH, False, np.int32(1), None, ((2, 1), (1, 2), (1, 0)), [(3, 2)])  # type: ignore[arg-type]
    assert (problem.start, problem.require, problem.forbid) == (1, ((0, 1), (1, 2)), ((2, 3),))
    assert type(problem.start) is int


def test_arcs_keep_their_direction() -> None:
    assert Problem(ARCS, True, require=((2, 0),)).require == ((2, 0),)
    with pytest.raises(BadInput, match="can't require the move 0-2: it is not a move here"):
        Problem(ARCS, True, require=((0, 2),))


def test_faults_name_squares_on_a_board() -> None:
    with pytest.raises(BadInput, match="can't forbid the move a3-b3: it is not a move here"):
        Problem(Board(3, 4).graph, False, forbid=((0, 1),))


def test_other_ends() -> None:
    problem = Problem(PATH, False, 0, 3, ((0, 1),), ((2, 3),))
    other = problem.with_ends(2, None)
    assert (other.start, other.end, other.require, other.forbid, other.kind) == (
        2,
        None,
        problem.require,
        problem.forbid,
        "open",
    )
    assert Problem(PATH, True).kind == "closed"
