"""The members of families have their published sizes, degrees and counts of cycles, and hide cycles that are found."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from cpsat_tour.api import solve
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import Listing, run
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import MAX_VERTICES
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.native.edges import Edges
from cpsat_tour.spaces import families
from cpsat_tour.spaces.families import FAMILIES, Member


def cycles(name: str) -> int:
    """The number of Hamiltonian cycles of a member of a family."""
    return sum(map(len, Listing(Problem(Member.parse(name).graph, closed=True), Edges())))


@pytest.mark.parametrize(
    ("name", "order", "size", "degrees"),
    [
        ("J(5)", 20, 30, {3}),
        ("Coxeter", 28, 42, {3}),
        ("Petersen", 10, 15, {3}),
        ("Kneser(5,2)", 10, 15, {3}),
        ("Kneser(7,3)", 35, 70, {4}),
        ("Q(5)", 32, 80, {5}),
        ("xor9(20,1)", 180, 300, {2, 3, 4, 5}),
        ("Tutte", 46, 69, {3}),
        ("EllinghamHorton(54)", 54, 81, {3}),
        ("EllinghamHorton(78)", 78, 117, {3}),
        ("Horton", 96, 144, {3}),
    ],
)
def test_members_of_families_have_the_published_sizes_and_degrees(
    name: str, order: int, size: int, degrees: set[int]
) -> None:
    graph = Member.parse(name).graph
    assert (graph.order, graph.size) == (order, size)
    assert set(graph.degrees.tolist()) <= degrees


@pytest.mark.parametrize("order", range(4, 15))
def test_sheehan_graphs_have_one_cycle_and_the_most_edges(order: int) -> None:
    assert Member.parse(f"Sheehan({order})").graph.size == order**2 // 4 + 1
    assert cycles(f"Sheehan({order})") == 1


@pytest.mark.parametrize("family", ["strings", "planted", "hubs", "chains"])
def test_hidden_cycles_are_found_and_differ_by_seed(family: str) -> None:
    first, second = (Member.parse(f"{family}(200,{seed})").graph for seed in (1, 2))
    assert first.indices.tolist() != second.indices.tolist()
    for graph in (first, second):
        assert run(Problem(graph, closed=True), load("sat")).status == "tour"


def test_graphs_with_hidden_cycles_have_their_degrees() -> None:
    strings, planted, hubs, chains = (
        np.asarray(Member.parse(f"{family}(1000,1)").graph.degrees)
        for family in ("strings", "planted", "hubs", "chains")
    )
    assert (strings == 2).sum() > 500
    assert np.median(planted) == 3
    assert (hubs > 40).sum() == 10
    assert set(chains.tolist()) == {2, 3}
    assert 100 <= (chains == 2).sum() < 150


def test_xor9_joins_two_copies_at_most_once() -> None:
    tails, heads = Member.parse("xor9(16,3)").graph.edges()
    between = [pair for pair in zip((tails // 9).tolist(), (heads // 9).tolist(), strict=True) if pair[0] != pair[1]]
    assert len(between) == len(set(between)) == 80
    assert Member.parse("xor9(16,3)").graph.indices.tolist() != Member.parse("xor9(16,4)").graph.indices.tolist()


@pytest.mark.parametrize(
    "name",
    [
        "J(4)",
        "J(5,2)",
        "J",
        "Sheehan(3)",
        "Kneser(4,2)",
        "Q(0)",
        "Q(17)",
        "xor9(9,1)",
        "EllinghamHorton(55)",
        "hubs(19,1)",
        "Z(1,3)",
        "Z(5,0)",
        "Z(5,25)",
        "Z(5)",
    ],
)
def test_unknown_members_of_families_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"there is no (such )?graph|not a member of a family"):
        Member.parse(name)


def test_the_example_of_each_family_is_a_member() -> None:
    for name, family in FAMILIES.items():
        assert str(Member.parse(family.example)) == family.example, name


def test_binomials_are_not_computed_beyond_the_bound() -> None:
    for n, k in [(1, 0), (5, 2), (9, 9), (25, 12), (24, 12), (40, 38)]:
        assert families._subsets(n, k) == comb(n, k)
    assert MAX_VERTICES < families._subsets(999_999, 499_998) < 2**64


@pytest.mark.parametrize("n", [3, 4, 10, 31])
def test_tutte_prisms_are_planar_cubic_and_3_connected(n: int) -> None:
    networkx = pytest.importorskip("networkx", reason="planarity is tested by networkx")
    graph = graph_of(f"TuttePrism({n})")
    plain = networkx.Graph(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
    assert set(dict(plain.degree).values()) == {3}
    assert plain.number_of_nodes() == graph.order
    assert networkx.check_planarity(plain)[0]
    assert networkx.node_connectivity(plain) == 3
    assert solve(graph, closed=True).none


@pytest.mark.parametrize("family", ["strings", "planted", "hubs", "chains"])
def test_a_star_product_with_petersens_graph_has_no_tour(family: str) -> None:
    hidden, none = graph_of(f"{family}(40,3)"), graph_of(f"{family}-none(40,3)")
    assert solve(hidden, closed=True).tour
    assert (none.order, none.size) == (hidden.order + 8, hidden.size + 12)
    assert solve(none, closed=True, backend="edges").none
    assert not none.components.any()


def test_vertices_of_cayley_digraphs_are_vectors() -> None:
    graph = graph_of("z(3,2)")
    assert (graph.order, graph.size, graph.directed, graph.called) == (9, 18, True, "the directed graph Z(3,2)")
    names = [graph.name(vertex) for vertex in range(9)]
    assert names == ["0,0", "0,1", "0,2", "1,0", "1,1", "1,2", "2,0", "2,1", "2,2"]
    assert [graph.space.vertex(name) for name in names] == list(range(9)) == [graph.space.vertex(n) for n in range(9)]
    assert graph.space.vertex((2, 1)) == 7
    assert [graph.name(head) for head in graph.neighbours(8).tolist()] == ["0,2", "2,0"]
    for wrong in ("3,0", "0", "0,0,0", "a,b", "", (0, 3), ("0",), "9" * 30 + ",0"):
        with pytest.raises(BadInput, match=r"its vertices are 0,0 to 2,2"):
            graph.space.vertex(wrong)
    with pytest.raises(BadInput, match=r"Z\(99999,24\) is too large"):
        Member.parse("Z(99999,24)")
