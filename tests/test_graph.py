"""Graphs: the CSR invariant, and each derived part against the definition, on all small graphs and at random."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from brute_force import small_graphs
from hypothesis import given
from hypothesis import strategies as st

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Numbered

ALL_SMALL = [*small_graphs(4), *small_graphs(3, directed=True)]


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
    assert graph.indptr[0] == 0
    assert graph.indptr[-1] == len(graph.indices)
    for vertex in range(graph.order):
        row = graph.neighbours(vertex).tolist()
        assert row == sorted(set(row))
        assert vertex not in row
        assert all(0 <= head < graph.order for head in row)
        assert graph.directed or all(vertex in graph.neighbours(head) for head in row)


@given(edge_lists())
def test_from_edges_merges_repeats_and_drops_loops(case: tuple[int, list[tuple[int, int]], bool]) -> None:
    order, edges, directed = case
    graph = Graph.from_edges(order, edges, directed=directed)
    check_invariant(graph)
    assert arcs_of(graph) == expected_arcs(edges, directed)
    assert arcs_of(
        Graph.from_edges(order, np.array(edges, dtype=np.int32).reshape(-1, 2), directed=directed)
    ) == arcs_of(graph)
    tails, heads = graph.edges()
    listed = list(zip(tails.tolist(), heads.tolist(), strict=True))
    assert listed == sorted(arc for arc in arcs_of(graph) if directed or arc[0] < arc[1])
    assert graph.size == len(listed)


@given(edge_lists())
def test_derived_graphs(case: tuple[int, list[tuple[int, int]], bool]) -> None:
    order, edges, directed = case
    graph = Graph.from_edges(order, edges, directed=directed)
    for derived in (graph.reversed, graph.symmetric):
        check_invariant(derived)
        assert derived.order == order
    assert arcs_of(graph.reversed) == {(head, tail) for tail, head in arcs_of(graph)}
    assert arcs_of(graph.symmetric) == expected_arcs(arcs_of(graph), False)
    assert graph.degrees.tolist() == [len(graph.neighbours(vertex)) for vertex in range(order)]


@given(edge_lists())
def test_without_takes_edges_away(case: tuple[int, list[tuple[int, int]], bool]) -> None:
    order, edges, directed = case
    graph = Graph.from_edges(order, edges, directed=directed)
    gone = sorted(arcs_of(graph))[::2]
    less = graph.without(gone)
    check_invariant(less)
    assert less.directed == directed
    assert arcs_of(less) == arcs_of(graph) - expected_arcs(gone, directed)
    assert graph.without([]) is graph


@pytest.mark.parametrize(
    "graph", ALL_SMALL, ids=lambda graph: f"{'d' if graph.directed else 'u'}{graph.order}-{sorted(arcs_of(graph))}"
)
def test_arcs_components_and_colours_of_every_small_graph(graph: Graph) -> None:
    check_invariant(graph)
    arcs = arcs_of(graph)
    for tail, head in product(range(graph.order), repeat=2):
        assert graph.has_arc(tail, head) == ((tail, head) in arcs)
        if (tail, head) in arcs:
            place = graph.arc(tail, head)
            assert (graph.tails[place], graph.indices[place]) == (tail, head)
    joined = list(range(graph.order))
    for _ in joined:
        for tail, head in arcs:
            joined[tail] = joined[head] = min(joined[tail], joined[head])
    least = sorted(set(joined))
    assert graph.components.tolist() == [least.index(root) for root in joined]
    proper = [
        c
        for c in product((0, 1), repeat=graph.order)
        if all(c[tail] != c[head] for tail, head in arcs) and not any(c[v] for v in least)
    ]
    assert (graph.colours is None) == (not proper)
    if graph.colours is not None:
        assert tuple(graph.colours.tolist()) == proper[0]
        assert len(proper) == 1


@pytest.mark.parametrize("edge", [(0, 3), (3, 0), (-1, 0), (0, -1), (0, 2**40)])
def test_edges_to_nowhere_are_refused(edge: tuple[int, int]) -> None:
    with pytest.raises(BadInput, match=f"joins vertex {max(edge, key=abs)}"):
        Graph.from_edges(3, [(0, 1), edge])


@pytest.mark.parametrize("name", ["3", "-1", "", "a", "1.0", "²", "١", " 1", "9" * 5000])
def test_numbered_vertices_go_by_their_numbers(name: str) -> None:
    space = Numbered(3)
    assert [space.vertex(str(vertex)) for vertex in range(3)] == [0, 1, 2]
    with pytest.raises(BadInput, match="not in the graph"):
        space.vertex(name)


def test_large_graph_is_one_component_in_no_time() -> None:
    order = 200_000
    path = np.arange(order, dtype=np.int64)
    graph = Graph.from_edges(order, np.stack([path[:-1], path[1:]], axis=1))
    assert graph.size == order - 1
    star = Graph.from_edges(order, np.stack([np.zeros(order - 1, dtype=np.int64), path[1:]], axis=1))
    assert int(star.components.max()) == 0
    assert star.colours is not None
    assert int(star.colours.sum()) == order - 1
