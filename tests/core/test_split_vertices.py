"""Directed problems on split vertices: the words of refutations, the vertices of events, and refused requests."""

from __future__ import annotations

import random

import pytest
from products import draw_problem

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import formula, run
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import CutSetAdded, Event, PartAtWork, TwoFactorFound
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Named
from cpsat_tour.core.split_vertices import NAMES_OF_SPLIT, SplitVertices


def directed(order: int, arcs: list[tuple[int, int]], *, closed: bool = True) -> Problem:
    return Problem(Graph.from_edges(order, arcs, directed=True), closed)


def around_a_cycle(order: int, chords: int, seed: int) -> Problem:
    """The closed tour of a directed graph of a hidden cycle and some random arcs."""
    rng = random.Random(seed)
    cycle = rng.sample(range(order), order)
    arcs = [(cycle[number - 1], cycle[number]) for number in range(order)]
    return directed(order, arcs + [(rng.randrange(order), rng.randrange(order)) for _ in range(chords)])


def test_a_refutation_names_the_split_vertices() -> None:
    """Arcs lead from 0, 1 and 2 to 3 and 4 alone."""
    arcs = [(tail, head) for tail in range(7) for head in range(7) if tail != head and (tail > 2 or head in (3, 4))]
    refutation = run(directed(7, arcs), load("auto"), Limits()).refutation
    assert refutation is not None
    touch = "but for required moves the 3 vertices 0→, 1→ and 2→ touch only the 2 vertices →3 and →4"
    room = "a closed tour makes 3 other moves there, and there is room for 2"
    assert refutation.reason == f"{NAMES_OF_SPLIT}: {touch}: {room}"


@pytest.mark.parametrize(
    ("arcs", "reason"),
    [([(0, 1), (1, 2), (2, 3), (3, 1)], "0 can't be entered"), ([(1, 0), (1, 2), (2, 3), (3, 1)], "0 can't be left")],
)
def test_a_vertex_without_a_way_in_or_out_is_named(arcs: list[tuple[int, int]], reason: str) -> None:
    for backend in ("sat", "sat:lazy", "edges", "frontier"):
        refutation = run(directed(4, arcs), load(backend), Limits()).refutation
        assert refutation is not None
        assert refutation.reason == reason


def test_events_have_the_vertices_of_the_directed_graph() -> None:
    events: list[Event] = []
    assert run(around_a_cycle(60, 90, 2), load("sat:lazy"), Limits(), events.append).status == "tour"
    factors = [event for event in events if isinstance(event, TwoFactorFound)]
    assert factors
    assert any(isinstance(event, CutSetAdded) for event in events)
    for factor in factors:
        vertices = [vertex for cycle in factor.members for vertex in cycle]
        assert set(vertices) <= set(range(60))
        assert len(vertices) == len(set(vertices))


def test_auto_answers_directed_graphs_of_thousands_of_vertices() -> None:
    assert run(around_a_cycle(1000, 1000, 1), load("auto"), Limits()).status == "tour"


def test_encodings_have_no_formulas_of_directed_graphs() -> None:
    with pytest.raises(BadInput, match="sat:onehot has formulas of undirected graphs only: choose one of cpsat"):
        formula(directed(3, [(0, 1), (1, 2), (2, 0), (0, 2)]), load("sat:onehot"), "sat:onehot")


@pytest.mark.parametrize("backend", ["sat", "edges", "frontier", "pb"])
def test_a_reason_says_what_names_of_split_vertices_mean(backend: str) -> None:
    """A user who asks about arcs has not heard of ``2→`` and ``→2``."""
    rng, seen = random.Random(7), set()
    for _ in range(200):
        problem = draw_problem(rng, directed=True)
        if problem.timed or (refutation := run(problem, load(backend)).refutation) is None:
            continue
        explained = refutation.reason.startswith(NAMES_OF_SPLIT)
        assert explained == ("→" in refutation.reason)
        seen.add(explained)
    assert seen == {False, True}


def test_a_refutation_of_an_open_tour_does_not_name_the_apex() -> None:
    """Only 4 and 0 have arcs to the rest, 5 leads to the same vertices as 0, and the tour starts at 0."""
    problem = directed(6, [(5, 1), (1, 2), (2, 3), (3, 1), (5, 3), (4, 2), (4, 3), (0, 1)], closed=False)
    refutation = run(problem, load("auto"), Limits()).refutation
    assert refutation is not None
    assert "apex" not in refutation.reason


def test_split_vertices_of_ambiguous_names_are_numbered() -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True, space=Named(["→x", "x→", "y"], "the graph"))
    halves = SplitVertices(Problem(graph, True))
    assert [halves.problem.graph.name(half) for half in range(6)] == ["→0", "0→", "→1", "1→", "→2", "2→"]


def test_auto_begins_with_the_path_search_on_dense_directed_graphs() -> None:
    events: list[Event] = []
    complete = [(tail, head) for tail in range(40) for head in range(40) if tail != head]
    assert run(directed(40, complete), load("auto"), Limits(), events.append).status == "tour"
    assert [event.part for event in events if isinstance(event, PartAtWork)] == ["dfs"]


def test_parts_that_take_no_directed_graphs_are_refused() -> None:
    for part, words in (("construct", "does not take directed graphs"), ("numbers", "such as --at 0=1")):
        with pytest.raises(BadInput, match=words):
            run(around_a_cycle(20, 10, 1), load("auto", {"parts": part}), Limits())


def test_the_frontier_method_refuses_a_separator_of_thousands_of_vertices() -> None:
    complete = Graph.from_edges(900, [(tail, head) for tail in range(900) for head in range(tail)])
    assert "too wide" in str(run(Problem(complete, True), load("frontier"), Limits()).stopped_by)
