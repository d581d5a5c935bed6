"""Paths mended by rotations: they stay paths at every step, and large boards are toured where the search alone breaks
down."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from cpsat_tour.backends.runner import run
from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.kernel import PAUSED, advance
from cpsat_tour.native.orders import Order
from cpsat_tour.native.rooted import Roots
from cpsat_tour.native.rotations import Window, can_be_rotated, tour_by_rotations
from cpsat_tour.native.state import State, new_state
from cpsat_tour.spaces.board import Board


def paused(problem: Problem, positions: int, order: str = "fixed:48172635") -> State:
    """A plain search that has entered so many positions."""
    roots = Roots(problem)
    root = int(roots.vertices[0])
    state = new_state(roots.at(root), Order.parse(order).ties(roots.graph, root), prune=0)
    assert advance(state, 1 << 40, positions) == PAUSED
    return state


def check_window(window: Window, graph: Graph, root: int) -> None:
    """The path that a window stands for is one of the graph, from the root to its end, over all but what is
    unvisited."""
    path = window.whole_path().tolist()
    assert path[0] == root
    assert path[-1] == window.end
    assert sorted([*path, *window.unvisited]) == list(range(graph.order))
    assert all(graph.has_arc(here, there) for here, there in pairwise(path))
    for here, there, piece in zip(window.vertices, window.vertices[1:], window.pieces, strict=False):
        assert piece is not None or graph.has_arc(here, there)


@pytest.mark.parametrize("reach", [0, 1, 2, 9])
@pytest.mark.parametrize("positions", [60, 100, 143])
def test_a_path_stays_a_path_at_every_rotation_and_extension(reach: int, positions: int) -> None:
    problem = Problem(Board(12).graph, True, 0)
    window, chance = Window(paused(problem, positions), reach), random.Random(reach)
    check_window(window, problem.graph, 0)
    for _ in range(100):
        window.extend()
        check_window(window, problem.graph, 0)
        if not window.rotate(chance):
            break
        check_window(window, problem.graph, 0)


def test_what_is_left_of_a_small_board_is_mended() -> None:
    """The path ends at a permitted end, and the state stays as it was."""
    problem = Problem(Board(8).graph, True, 0)
    state = paused(problem, 100)
    before = {name: array.copy() for name, array in state._asdict().items()}
    tour, rotations = tour_by_rotations(state, 0, lambda: None)
    assert tour is not None
    assert rotations > 0
    assert sorted(tour.tolist()) == list(range(64))
    assert state.may_end[tour[-1]]
    assert all(np.array_equal(array, before[name]) for name, array in state._asdict().items())


def test_required_moves_and_directions_forbid_rotations() -> None:
    graph = Board(5, 6).graph
    arcs = Graph.from_edges(30, zip(graph.tails.tolist(), graph.indices.tolist(), strict=True), directed=True)
    required = Problem(graph, True, 0, require=((0, 8),))
    assert can_be_rotated(paused(Problem(graph, True, 0), 20))
    assert not can_be_rotated(paused(required, 20))
    assert not can_be_rotated(paused(Problem(arcs, True, 0), 20, "pohl"))


@pytest.mark.parametrize(("order", "side"), [("centre", 64), ("fixed:48172635", 80)])
def test_closed_boards_on_which_the_search_breaks_down_take_few_positions_more_than_squares(
    order: str, side: int
) -> None:
    """From the corner these orders leave squares behind near it; without rotations neither ends within these
    positions."""
    answer = run(Problem(Board(side).graph, True, 0), Dfs(order=order), Limits(work=side * side * 11 // 10))
    assert answer.status == "tour"
    assert answer.work["rotations"] > 0


def test_the_time_can_be_over_among_the_rotations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is over once a rotation was made."""
    made: list[bool] = []
    rotate = Window.rotate

    def counted(window: Window, chance: random.Random) -> bool:
        made.append(True)
        return rotate(window, chance)

    monkeypatch.setattr(Window, "rotate", counted)
    monkeypatch.setattr(Clock, "expired", property(lambda _: bool(made)))
    answer = Dfs(order="centre").solve(Problem(Board(64).graph, True, 0), Limits(seconds=300))
    assert answer.stopped_by == "time"
    assert len(made) == 1
