"""The local search by rotations: its invariant at rest, large graphs, required moves, and that it never refutes."""

from __future__ import annotations

import random

import pytest
from brute_force import random_problem

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.conditions import decide_degenerate
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.run import Run
from cpsat_tour.formats.spaces import graph_of
from cpsat_tour.native.circle import GAPS, begin, rotate
from cpsat_tour.native.local_search import Rotations, fault, new_circle


def test_the_invariant_holds_wherever_the_search_rests() -> None:
    rested = 0
    for seed in range(60):
        problem = random_problem(random.Random(seed))
        if problem.graph.directed or decide_degenerate(problem) is not None or (cycle := to_cycle(problem)).dead_end():
            continue
        circle = new_circle(cycle, seed)
        if not begin(circle):
            continue
        gaps = int(circle.counters[GAPS])
        for _ in range(200):
            assert fault(circle) is None, problem
            rotate(circle, 1)
            assert circle.counters[GAPS] <= gaps
            gaps = int(circle.counters[GAPS])
            rested += 1
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


def test_where_there_is_no_tour_it_says_nothing() -> None:
    petersen = Problem(graph_of("GP(5,2)"), closed=True)
    answer = run(petersen, load("rotations"), Limits(work=5000))
    assert (answer.status, answer.stopped_by, answer.work["rotations"]) == ("unknown", "work", 5000)
    triangle = ((0, 1), (1, 2), (0, 2))
    two_triangles = Graph.from_edges(6, [*triangle, (3, 4), (4, 5), (3, 5), (0, 3), (1, 4)])
    for required, why in ((triangle, "close a cycle"), (((0, 1), (0, 2), (0, 3)), "three required moves at a vertex")):
        cycle = to_cycle(Problem(two_triangles, closed=True, require=required))
        with pytest.raises(StoppedEarly, match=why):
            next(Rotations().cycles(Run(cycle, Limits(), Limits().clock())))


def test_it_lists_no_tours() -> None:
    from cpsat_tour.backends.listing import Listing

    with pytest.raises(BadInput, match="does not take lists of all tours"):
        Listing(Problem(graph_of("5x6"), closed=True), load("rotations"), name="rotations")
