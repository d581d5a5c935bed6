"""Graphs: the invariant of their arrays, derived graphs by their definitions, parts and colours, and refused edges."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from brute_force import small_graphs
from hypothesis import given, strategies as st

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph


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
