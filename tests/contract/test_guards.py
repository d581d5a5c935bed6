"""No kernel writes beyond the arrays that it is given, as small as they may be, and what it answers there is right.

The kernels are called by the Python functions that call them anyway.
"""

import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from brute_force import brute_force, cycle_problems, random_problem
from hostile_graphs import draw_graph
from products import sorted_tours

from cpsat_tour import Board, Graph, Limits, Problem
from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.verify import TourRows, verify
from cpsat_tour.engines import counts as estimates
from cpsat_tour.engines.counts import count_without_search
from cpsat_tour.engines.graph_stream import CIRCUMFERENCE, CLOSED, HYPOHAMILTONIAN, K1, K2, OPEN, TOUR, Batch
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import run
from cpsat_tour.formats.graph_lines import graph6_line
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.frontier import search as narrow_search, sweep
from cpsat_tour.frontier.sweep import count_by_frontier
from cpsat_tour.models.loop import subtours
from cpsat_tour.native import edges, numbers, orders, paths
from cpsat_tour.native.construct import join_blocks
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.trace import trace

SMALL = {
    edges: {"BATCH": 3},
    narrow_search: {"MAX_ROWS": 40, "FIRST_BEAM": 3, "FULL_BEAM": 3},
    numbers: {"BATCH": 2},
    paths: {"RING_RECORDS": 3},
    subtours: {"MERGE_FROM": 0},
    sweep: {"BUFFER_ROWS": 48, "LEAST_ROWS": 2, "SHARDS": 2},
}
"""Sizes of arrays, so small that they are full at every turn."""


pytestmark = pytest.mark.usefixtures("kernels_in_guards")


@pytest.fixture(autouse=True)
def small_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    for home, sizes in SMALL.items():
        for name, size in sizes.items():
            monkeypatch.setattr(home, name, size)


def test_a_guard_says_which_array_was_left() -> None:
    heads = np.zeros(1, dtype=np.int32)
    with pytest.raises(AssertionError, match="sort_rows wrote behind arranged, an array of 1 int32"):
        orders.sort_rows(np.array([0, 2], dtype=np.uint32), heads, np.array([2, 1]), 1)


@pytest.mark.parametrize("name", ["dfs", "edges", "frontier", "rotations", "sat:lazy"])
def test_backends_answer_in_guards(name: str) -> None:
    backend = load(name)
    for problem in cycle_problems(50):
        tours = brute_force(problem)
        if "every" in backend.takes:
            assert sorted_tours(problem, backend, Limits(simplify=False)) == sorted(tours), problem
        answer = run(problem, backend, Limits(simplify=False, work=None if name != "rotations" else 300))
        assert answer.status in ("unknown" if name == "rotations" else "", "tour" if tours else "none"), problem


@pytest.mark.parametrize("graphs", [60, pytest.param(20_000, marks=pytest.mark.slow)])
def test_hostile_graphs_are_answered_in_guards(graphs: int) -> None:
    """Each by three of the native searches; known tours are found by those that search everything."""
    for number in range(graphs):
        hostile = draw_graph(random.Random(number), 60)
        problem = Problem(hostile.graph, number % 3 > 0)
        for name in ("dfs", "edges", "frontier", "rotations")[number % 2 :: 2]:
            answer = run(problem, load(name), Limits(work=2000, seconds=20, seed=number, simplify=number % 5 > 0))
            known = hostile.has_tour(closed=problem.closed)
            assert answer.unknown or known in (None, answer.status == "tour"), (number, name)


def test_numbers_are_listed_in_guards() -> None:
    chance, tried = random.Random(3), 0
    for problem in cycle_problems(100):
        for tour in sorted(brute_force(problem))[:1]:
            givens = tuple((tour[place], place + 1) for place in chance.sample(range(1, len(tour) - 1), 2))
            asked = replace(problem, start=None, end=None, givens=givens)
            assert sorted_tours(asked, load("numbers")) == sorted(brute_force(asked)), asked
            tried += 1
    assert tried > 5


@pytest.mark.parametrize("prune", ["none", "default", "all"])
@pytest.mark.parametrize("order", ["plain", "start", "pohl", "random"])
def test_a_search_is_traced_in_guards(order: str, prune: str) -> None:
    """With room for few events; a hub has many candidates, all of them when the ring is nearly full."""
    arcs = [(0, 1), *((1, v) for v in range(2, 11)), *((v, v + 1) for v in range(2, 10)), (0, 2)]
    hub = Problem(Graph.from_edges(11, arcs, directed=True), closed=False, start=0)
    wheel = Graph.from_edges(9, [*((0, v) for v in range(1, 9)), *((v, v % 8 + 1) for v in range(1, 9))])
    for problem in (Problem(Board(3, 6).graph, closed=True), Problem(wheel, closed=order == "pohl", start=0), hub):
        if order != "start" or problem.graph.space.coordinates is not None:
            assert list(trace(problem, Dfs(order, prune), Limits(work=150)))


@pytest.mark.parametrize("from_end_to_end", [False, True])
def test_tours_are_counted_in_guards(from_end_to_end: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In tables and buffers that are full again and again, in one limb and in two."""
    if from_end_to_end:
        monkeypatch.setattr(sweep, "sides", lambda _plan: None)
    monkeypatch.setattr(sweep, "forecast", lambda *_: sweep.Forecast(1, 1, 1))
    for ways in (1, 1 << 62):
        monkeypatch.setattr(sweep, "BEGINNING", [[0, ways]])
        factor = ways if from_end_to_end else ways**2
        assert count_by_frontier(Problem(Board(5, 6).graph, True), Limits(threads=2)) == 8 * factor
        assert count_by_frontier(Problem(Board(3, 8).graph, False), Limits(threads=2)) == 396 * factor


def test_estimates_are_made_in_guards() -> None:
    for problem in (problem for seed in range(30) if (problem := random_problem(random.Random(seed)))):
        if count_without_search(problem) is None:
            seen = estimates.estimate(problem, 500, Limits(threads=1))
            assert (seen.tours > 0) == bool(brute_force(problem)), problem


@pytest.mark.parametrize("asked", [CLOSED, OPEN, HYPOHAMILTONIAN, K1, K2, CIRCUMFERENCE])
def test_lines_of_graphs_are_answered_in_guards(asked: int) -> None:
    """Graphs of as many vertices as there are bits, and of one more and one less; all bits of padding set."""
    chance, lines = random.Random(asked), list[bytes]()
    for order in (3, 4, 5, 62, 63, 64, 65):
        around = chance.sample(range(order), order)
        edges = [
            *zip(around, around[1:] + around[:1], strict=True),
            *chance.sample([*combinations(range(order), 2)], 3),
        ]
        line = graph6_line(Graph.from_edges(order, edges))
        lines += [line, line[:-1] + b"~", line[:-1] + b"\x7f", line[:-1], b"~??" + line[:1] + line[1:]]
    found = Batch.of(b"".join(line + b"\n" for line in lines), asked, 3).search()
    assert not found.tours[found.verdicts != TOUR].any() or asked > OPEN
    assert len({*found.verdicts.tolist()}) > 1


def test_tours_are_constructed_in_guards() -> None:
    for rows, cols in ((5, 5), (3, 14), (12, 13), (13, 20), (23, 12)):
        visits = join_blocks(rows, cols, closed=rows * cols % 2 == 0)
        assert len(np.unique(visits @ (cols, 1))) == rows * cols


@pytest.mark.parametrize("in_matrix", [False, True])
def test_a_row_of_vertices_that_are_none_is_refused_in_guards(in_matrix: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of the graph, -1 and the ends of the type, at each place of a tour; and a vertex twice."""
    if not in_matrix:
        monkeypatch.setattr("cpsat_tour.core.verify.MAX_IN_MATRIX", 1)
    graph = Board(3, 4).graph
    for problem in (Problem(graph, False), Problem(graph_of("Q(3)"), True)):
        tour = np.array(sorted(brute_force(problem))[0], dtype=np.int32)
        rows, order = TourRows(problem), len(tour)
        rows.verify(np.stack([tour, tour]))
        for place in range(order):
            for wrong in (order, order + 1, -1, -order, -(1 << 31), (1 << 31) - 1, tour[place - 1]):
                changed = tour.copy()
                changed[place] = wrong
                with pytest.raises(TourFault) as singly:
                    verify(problem, changed)
                with pytest.raises(TourFault) as among_others:
                    rows.verify(np.stack([tour, changed, tour]))
                assert str(among_others.value) == str(singly.value)
