"""The local search by rotations: its invariant at rest, large graphs, required moves, and that it never refutes."""

import random
from itertools import combinations, pairwise

import numpy as np
import pytest
from brute_force import cycle_problems

from cpsat_tour import Board, Graph, Limits, Problem, StoppedEarly, graph_of, load, run
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.runs import Clock, Run
from cpsat_tour.native import local_search
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.local_search import (
    GAPS,
    STEPS,
    Circle,
    Rotations,
    mended_path,
    new_circle,
    rotations_count_gaps,
    rotations_fault,
    rotations_restart,
    rotations_rotate,
)
from cpsat_tour.native.orders import Order
from cpsat_tour.native.paths import DEPTH, PAUSED, PathSearch, Roots, new_path_search, paths_search


def dense_problem(seed: int) -> Problem:
    """A problem on a dense graph with a cycle, which is to have three paths of two required moves."""
    rng = random.Random(seed)
    around = rng.sample(range(15), 15)
    moves = list(zip(around, around[1:] + around[:1], strict=True))
    chords = rng.sample(list(combinations(range(15), 2)), 60)
    return Problem(Graph.from_edges(15, moves + chords), True, require=tuple(moves[k] for k in (0, 1, 5, 6, 10, 11)))


def test_no_rotation_makes_a_gap_more_or_opens_a_required_move() -> None:
    rested = 0
    for seed, problem in enumerate([*cycle_problems(60), *map(dense_problem, range(30))]):
        cycle = to_cycle(problem)
        if cycle.dead_end_reason() or not rotations_restart(circle := new_circle(cycle, seed)):
            continue
        required = {*zip(cycle.tails[cycle.required].tolist(), cycle.heads[cycle.required].tolist(), strict=True)}
        if not required:  # from any order, with more gaps than that of a restart
            circle.tour[:] = np.random.default_rng(seed).permutation(cycle.order)
            circle.place[circle.tour] = np.arange(cycle.order)
            rotations_count_gaps(circle)
        edges = {frozenset(ends) for ends in zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)}
        gaps, steps = int(circle.counters[GAPS]), 0
        for _ in range(200):
            steps += rotations_rotate(circle, 1)
            around = circle.tour.tolist()
            assert (rotations_fault(circle), circle.counters[STEPS]) == (0, steps)
            assert circle.counters[GAPS] <= gaps
            assert circle.counters[GAPS] == sum({*pair} not in edges for pair in pairwise([*around, around[0]]))
            assert required <= {tuple(sorted(pair)) for pair in zip(around, around[1:] + around[:1], strict=True)}
            gaps = int(circle.counters[GAPS])
            rested += 1
        rotations_restart(circle)
        assert not circle.last.any()
    assert rested > 1000


@pytest.mark.parametrize("name", ["100x100", "cubic(2000,1)", "GP(300,2)", "6x6x6"])
def test_large_graphs_with_many_cycles(name: str) -> None:
    assert run(Problem(graph_of(name), closed=True), load("rotations"), Limits(work=1_000_000)).status == "tour"


def test_a_dense_graph_with_a_hub() -> None:
    """More neighbours than one rotation looks at, and vertices that only the hub and two others join."""
    rim = [(vertex, vertex % 200 + 1) for vertex in range(1, 201)]
    graph = Graph.from_edges(201, [(0, vertex) for vertex in range(1, 201)] + rim)
    assert run(Problem(graph, closed=True), load("rotations"), Limits(work=100_000)).status == "tour"


def test_required_moves_are_never_opened() -> None:
    """The whole of a tour may be required, or all but one move of it."""
    backend, graph = load("rotations"), graph_of("6x6")
    tour = run(Problem(graph, closed=True), backend).tour
    assert tour is not None
    vertices = tour.vertices.tolist()
    moves = list(zip(vertices, vertices[1:] + vertices[:1], strict=True))
    for required in (moves[:-1], moves):
        assert run(Problem(graph, closed=True, require=tuple(required)), backend, Limits(work=10_000)).status == "tour"


def test_the_local_search_never_refutes() -> None:
    answer = run(Problem(graph_of("GP(5,2)"), closed=True), load("rotations"), Limits(work=5000))
    assert (answer.status, answer.stopped_by, answer.work["rotations"]) == ("unknown", "work", 5000)
    triangle = ((0, 1), (1, 2), (0, 2))
    two_triangles = Graph.from_edges(6, [*triangle, (3, 4), (4, 5), (3, 5), (0, 3), (1, 4)])
    for required, why in ((triangle, "close a cycle"), (((0, 1), (0, 2), (0, 3)), "three required moves at a vertex")):
        cycle = to_cycle(Problem(two_triangles, closed=True, require=required))
        with pytest.raises(StoppedEarly, match=why):
            next(Rotations().cycles(Run(Limits(), Limits().clock(), cycle=cycle)))


# --- the path of a depth-first search, mended ---


def paused(problem: Problem, positions: int) -> PathSearch:
    """A plain search that has entered so many positions."""
    roots = Roots(problem)
    root = int(roots.vertices[0])
    state = new_path_search(
        roots.rooted_problem(root), Order.parse("fixed:48172635").tie_order(roots.graph, root), prune=0
    )
    assert paths_search(state, 1 << 40, positions) == PAUSED
    return state


@pytest.mark.parametrize(("closed", "root"), [(True, 0), (False, 5)])
@pytest.mark.parametrize("positions", [20, 40, 60])
def test_a_partial_path_is_completed_by_rotations(closed: bool, root: int, positions: int) -> None:
    """The path begins where it began, makes moves, and ends at a permitted end; the search stays as it was."""
    graph = Board(8).graph
    state = paused(Problem(graph, closed, root), positions)
    before = {name: np.copy(value) for name, value in vars(state).items()}
    tour, rotations = mended_path(graph, state.path[: state.counters[DEPTH]], state.may_end != 0, 0, lambda: None)
    assert tour is not None
    assert rotations > 0
    assert (tour[0], sorted(tour.tolist())) == (root, list(range(64)))
    assert all(graph.has_arc(here, there) for here, there in pairwise(tour.tolist()))
    assert state.may_end[tour[-1]]
    assert all(np.array_equal(value, before[name]) for name, value in vars(state).items())


def test_a_path_that_rotations_can_not_complete_is_left_alone() -> None:
    graph = Graph.from_edges(6, [(0, 1), (1, 2), (2, 3), (1, 4), (2, 5)])
    path = np.array([0, 1, 2, 3], dtype=np.uint32)
    assert mended_path(graph, path, np.ones(6, dtype=np.bool_), 0, lambda: None)[0] is None


def test_required_moves_and_directions_forbid_rotations() -> None:
    graph = Board(64).graph
    arcs = Graph.from_edges(4096, zip(graph.tails.tolist(), graph.indices.tolist(), strict=True), directed=True)
    for problem in (Problem(graph, True, 0, require=((0, 66),)), Problem(arcs, True, 0)):
        assert "rotations" not in run(problem, Dfs(order="pohl"), Limits(work=5000)).work


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
    """The clock is over once rotations were made."""
    made: list[bool] = []

    def counted(circle: Circle, budget: int) -> int:
        made.append(True)
        return rotations_rotate(circle, budget)

    monkeypatch.setattr(local_search, "rotations_rotate", counted)
    monkeypatch.setattr(Clock, "expired", property(lambda _: bool(made)))
    assert Dfs(order="centre").solve(Problem(Board(64).graph, True, 0), Limits(seconds=300)).stopped_by == "time"
    assert len(made) == 1
