"""Graphs and problems: the invariant of the arrays, derived graphs by their definitions, and refused problems."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Numbered
from cpsat_tour.spaces.board import Board

PATH = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
ARCS = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True)


@pytest.mark.parametrize("name", ["3", "-1", "", "a", "1.0", "²", "١", " 1", "9" * 5000])
def test_numbered_vertices_go_by_their_numbers(name: str) -> None:
    assert Numbered(3).vertex("2") == 2
    with pytest.raises(BadInput, match="not in the graph"):
        Numbered(3).vertex(name)


@pytest.mark.parametrize(
    ("graph", "closed", "parts", "sentence"),
    [
        *((PATH, False, {"start": vertex}, r"^the start ") for vertex in (-1, 4, 2**40, 1.5, True, "1", (0,))),
        *((PATH, False, {"end": vertex}, r"^the end ") for vertex in (-1, 4, 1.5)),
        (PATH, True, {"end": 1}, "give the start too"),
        *((PATH, False, {"waypoints": (vertex, 0)}, "a waypoint") for vertex in (-1, 4, 1.5, "1")),
        (PATH, False, {"waypoints": (1, 2, 1)}, "the waypoint 1 is given twice"),
        (PATH, False, {"waypoints": (1, 2), "start": 2}, "1 is to be visited before 2, where the tour is to start"),
        (PATH, False, {"waypoints": (1, 2), "givens": ((1, 4),)}, "2 is to be visited after 1, where the tour is to"),
        (PATH, False, {"waypoints": (1, 2), "givens": ((1, 2),)}, "waypoints can't go with given numbers"),
        *(
            (PATH, False, {"require": (move,)}, "can't require the move")
            for move in [(0, 2), (0, 0), (-1, 0), (0, -1), (3, 4), (0, 2**40)]
        ),
        *((PATH, False, {"require": (move,)}, "whole number") for move in [(0.0, 1), (True, 0), ("0", "1")]),
        (PATH, False, {"forbid": ((0, 2),)}, "can't forbid the move"),
        (ARCS, True, {"require": ((0, 2),)}, "can't require the move 0-2: it is not a move here"),
        (Board(3, 4).graph, False, {"forbid": ((0, 1),)}, "can't forbid the move a3-b3: it is not a move here"),
        (PATH, False, {"symmetry": Symmetry("a swap", np.array([0, 1, 3, 2]))}, "takes the move 1-2 to 1-3, which is"),
    ],
)
def test_what_a_problem_refuses(graph: Graph, closed: bool, parts: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        Problem(graph, closed, **parts)


def test_edges_are_written_once_with_the_lesser_vertex_first_and_arcs_as_they_are() -> None:
    problem = Problem(PATH, False, np.int32(1), None, ((2, 1), (1, 2), (1, 0)), [(3, 2)])  # type: ignore[arg-type]
    assert (problem.start, problem.require, problem.forbid) == (1, ((0, 1), (1, 2)), ((2, 3),))
    assert type(problem.start) is int
    other = replace(problem, start=2, end=None)
    assert (other.start, other.require, other.forbid) == (2, problem.require, problem.forbid)
    assert Problem(ARCS, True, require=((2, 0),)).require == ((2, 0),)


def test_waypoints_begin_with_the_start_of_a_closed_tour_and_are_none_where_any_tour_has_them() -> None:
    graph = Board(3, 4).graph
    assert Problem(graph, False, waypoints=(3,)).waypoints == Problem(graph, True, waypoints=(3, 5)).waypoints == ()
    assert Problem(graph, False, waypoints=(3, 5)).waypoints == (3, 5)
    first = Problem(graph, True, waypoints=(3, 5, 7))
    assert (first.start, first.waypoints, first.timed) == (3, (3, 5, 7), "waypoints")
    begun = Problem(graph, True, start=1, waypoints=(3, 5))
    assert (begun.start, begun.waypoints) == (1, (1, 3, 5))
    assert replace(begun, forbid=()).waypoints == (1, 3, 5)
