"""Graphs and problems: the invariant of the arrays, derived graphs by their definitions, parts and colours; what is
refused, and the normal form of what is not."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from brute_force import small_graphs
from hypothesis import given, strategies as st

from cpsat_tour import BadInput, Board, Graph, Problem
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.space import Numbered


@st.composite
def edge_lists(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]], bool]:
    order = draw(st.integers(1, 9))
    ends = st.integers(0, order - 1)
    return order, draw(st.lists(st.tuples(ends, ends), max_size=25)), draw(st.booleans())


def arcs_of(graph: Graph) -> set[tuple[int, int]]:
    return set(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))


def expected_arcs(edges: Iterable[tuple[int, int]], directed: bool) -> set[tuple[int, int]]:
    arcs = {(tail, head) for tail, head in edges if tail != head}
    return arcs if directed else arcs | {(head, tail) for tail, head in arcs}


def check_invariant(graph: Graph) -> None:
    assert graph.indptr.dtype == graph.indices.dtype == np.int32
    assert graph.indptr[[0, -1]].tolist() == [0, len(graph.indices)]
    for vertex in range(graph.order):
        row = graph.neighbours(vertex).tolist()
        assert row == sorted(set(row) - {vertex})
        assert all(0 <= head < graph.order for head in row)
        assert graph.directed or all(vertex in graph.neighbours(head) for head in row)


@given(edge_lists())
def test_graphs_from_edges_and_what_is_derived_from_them(case: tuple[int, list[tuple[int, int]], bool]) -> None:
    order, edges, directed = case
    graph = Graph.from_edges(order, edges, directed=directed)
    arcs, array = arcs_of(graph), np.array(edges, dtype=np.int32).reshape(-1, 2)
    assert arcs == expected_arcs(edges, directed) == arcs_of(Graph.from_edges(order, array, directed=directed))
    listed = list(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
    assert listed == sorted(arc for arc in arcs if directed or arc[0] < arc[1])
    gone = sorted(arcs)[::2]
    for derived, expected in (
        (graph, arcs),
        (graph.reversed, {(head, tail) for tail, head in arcs}),
        (graph.underlying, expected_arcs(arcs, False)),
        (graph.without(gone), arcs - expected_arcs(gone, directed)),
    ):
        check_invariant(derived)
        assert arcs_of(derived) == expected
    assert graph.without([]) is graph


@pytest.mark.parametrize("graph", [*small_graphs(4), *small_graphs(3, directed=True)], ids=str)
def test_arcs_components_and_colours_of_every_small_graph(graph: Graph) -> None:
    arcs = arcs_of(graph)
    for tail, head in product(range(graph.order), repeat=2):
        assert graph.has_arc(tail, head) == ((tail, head) in arcs)
    joined = list(range(graph.order))
    for _ in joined:
        for tail, head in arcs:
            joined[tail] = joined[head] = min(joined[tail], joined[head])
    least = sorted(set(joined))
    assert graph.components.tolist() == [least.index(root) for root in joined]
    proper = [
        colours
        for colours in product((0, 1), repeat=graph.order)
        if all(colours[tail] != colours[head] for tail, head in arcs) and not any(colours[v] for v in least)
    ]
    assert proper == ([] if graph.colours is None else [tuple(graph.colours.tolist())])


def test_a_large_star_is_one_component_in_no_time() -> None:
    order = 200_000
    star = Graph.from_edges(order, np.stack([np.zeros(order - 1), np.arange(1, order)], axis=1).astype(np.int32))
    assert int(star.components.max()) == 0
    assert star.colours is not None
    assert int(star.colours.sum()) == order - 1


@pytest.mark.parametrize("edge", [(0, 3), (3, 0), (-1, 0), (0, -1), (0, 2**40)])
def test_edges_to_nowhere_are_refused(edge: tuple[int, int]) -> None:
    with pytest.raises(BadInput, match=f"joins vertex {max(edge, key=abs)}"):
        Graph.from_edges(3, [(0, 1), edge])


# --- problems ---

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
    assert Problem(graph, False, 3, 5, waypoints=(3, 5)).waypoints == ()
    first = Problem(graph, True, waypoints=(3, 5, 7))
    assert (first.start, first.waypoints, first.timed) == (3, (3, 5, 7), "waypoints")
    begun = Problem(graph, True, start=1, waypoints=(3, 5))
    assert (begun.start, begun.waypoints, replace(begun, forbid=()).waypoints) == (1, (1, 3, 5), (1, 3, 5))
