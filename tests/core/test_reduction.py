"""The reduction to cycles and back, held exhaustively against brute force on small graphs and at random on larger
ones."""

import random
import re
from collections import Counter
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from brute_force import (
    Vertices,
    brute_force,
    every_ending,
    hamiltonian_cycles,
    plain_brute_force,
    random_problem,
    small_graphs,
    solves,
)
from products import as_python, draw_problem

from cpsat_tour import BadInput, Board, Graph, Problem, graph_of, load, run, verify
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.reduction import NAMES_OF_SPLIT, SplitVertices, permitted_ends, to_cycle
from cpsat_tour.core.runs import CutSetAdded, Event, PartAtWork, TwoFactorFound
from cpsat_tour.core.space import Named
from cpsat_tour.core.verify import canonical
from cpsat_tour.engines.runner import formula
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.spaces.symmetry import symmetry_named
from cpsat_tour.tour import decide_degenerate


def check_reduction(problem: Problem) -> bool:
    """True if the problem is degenerate; else its cycles must stand for its tours, each for one."""
    tours = brute_force(problem)
    decided = decide_degenerate(problem)
    assert violated_condition(problem) is None or not tours
    if decided is not None:
        if decided.tour is None:
            assert not tours
        else:
            assert {tuple(canonical(problem, decided.tour.vertices).tolist())} == tours
        return True
    cycle = to_cycle(problem)
    assert cycle.order >= 3
    assert cycle.directed == problem.graph.directed
    found = []
    for visit in hamiltonian_cycles(cycle):
        tour = cycle.tour(np.array(visit, dtype=np.int32))
        verify(problem, tour)
        found.append(tuple(canonical(problem, tour).tolist()))
        chosen = cycle.edges_of(tour)
        assert len(chosen) == cycle.order
        assert set(np.flatnonzero(cycle.required)) <= set(chosen.tolist())
        (whole,) = cycle.cycles(chosen)
        assert len(whole) == cycle.order
        assert found[-1] == tuple(canonical(problem, cycle.tour(whole)).tolist())
        if not problem.closed:
            starts, ends = permitted_ends(problem)
            assert tour[0] in starts
            assert tour[-1] in ends
    if problem.closed or problem.graph.directed or problem.start is not None or problem.end is not None:
        assert len(found) == len(set(found)), "two cycles stand for one tour"
    assert set(found) == tours
    return False


def test_all_small_and_random_problems_are_reduced_and_back() -> None:
    graphs, rng = (*small_graphs(4), *small_graphs(3, directed=True)), random.Random(1)
    decided = [check_reduction(problem) for graph in graphs for problem in every_ending(graph)]
    assert 0 < sum(decided) < len(decided)
    for problem in (random_problem(rng, 6) for _ in range(200)):
        check_reduction(problem)
        assert brute_force(problem) == plain_brute_force(problem)


def test_an_open_tour_of_an_odd_board_ends_on_the_majority_colour() -> None:
    starts, ends = permitted_ends(Problem(Board(5).graph, False))
    assert starts.tolist() == ends.tolist() == list(range(0, 25, 2))
    starts, ends = permitted_ends(Problem(Board(4, 5).graph, False, start=0))
    assert (starts.tolist(), [(vertex // 5 + vertex % 5) % 2 for vertex in ends.tolist()]) == ([0], [1] * 10)


def test_cycles_are_read_in_the_direction_that_the_givens_have() -> None:
    """Each cycle gives the numberings that it has, written from either direction; one with the givens gives no other,
    and a symmetric one two."""
    complete, arcs = (
        Graph.from_edges(5, list(permutations(range(5), 2)), directed=directed) for directed in (False, True)
    )
    spaces = (complete, arcs, Board(2, 3, leaper=(0, 1)).graph)
    numbers = [
        [(0, 1)],
        [(0, 2)],
        [(3, 4)],
        [(0, 1), (1, 3)],
        [(0, 1), (4, 2), (1, 5)],
        [(2, 2), (1, 4)],
        [(2, 5), (1, 3)],
    ]
    seen = Counter[int]()
    for graph, closed, givens in product(spaces, (False, True), numbers):
        problem = Problem(graph, closed, givens=tuple(givens))
        if not problem.givens or decide_degenerate(problem) is not None:
            continue
        cycle = to_cycle(problem)
        for way in (1,) if graph.directed else (1, -1):
            found = list[Vertices]()
            for visit in hamiltonian_cycles(cycle):
                tours = [tuple(tour) for tour in cycle.tours(np.array([visit[::way]])).tolist()]
                found += [tour for tour in tours if solves(problem, tour)]
                seen[len(tours)] += 1
            assert sorted(found) == sorted(brute_force(problem)), problem.givens
    assert seen.keys() == {1, 2}


@pytest.mark.parametrize(("text", "closed"), [("3x4", False), ("torus:1x5", False), ("torus:2x3", True)])
def test_vertices_are_possible_where_a_tour_has_them(text: str, closed: bool) -> None:
    """One number of each tour is given, for tours of any kind and for those that a half turn takes to themselves."""
    graph, seen = graph_of(text), 0
    for symmetry in (None, symmetry_named(graph, "rot180")):
        for tour, number in product(brute_force(Problem(graph, closed, symmetry=symmetry)), range(1, graph.order, 3)):
            problem = Problem(graph, closed, symmetry=symmetry, givens=((tour[number], number + 1),))
            cycle = to_cycle(problem)
            for known in brute_force(problem) if problem.givens else ():
                around = np.roll(known, -number) if cycle.apex is None else [cycle.apex, *known]
                assert cycle.possible_vertices[range(cycle.order), around].all(), as_python(problem)
                seen += symmetry is not None
    assert seen > 0


def test_cycles_of_whole_orbits_are_the_symmetric_tours() -> None:
    """On complete graphs under permutations, the ends of an open tour free or fixed, or with a move required and
    another one forbidden, which its images are too."""
    moved = [
        images for order, step in ((4, 1), (5, 4), (6, 50)) for images in list(permutations(range(order)))[1::step]
    ]
    moved += [(1, 2, 0, 4, 5, 3), (1, 2, 3, 4, 5, 0), (2, 3, 4, 5, 0, 1)]
    asked: list[dict[str, Any]] = [
        {"closed": True},
        {"closed": False, "end": 1},
        {"closed": False, "start": 0, "end": 3},
    ]
    asked += [{"closed": True, "forbid": ((0, 1),)}, {"closed": True, "require": ((0, 1),), "forbid": ((2, 3),)}]
    for images, parts in product(moved, asked):
        graph = Graph.from_edges(len(images), list(combinations(range(len(images)), 2)))
        problem = Problem(graph, symmetry=Symmetry("the permutation", np.array(images)), **parts)
        cycle, found = to_cycle(problem), set[Vertices]()
        assert cycle.orbits is not None
        alone = (cycle.orbits[:, None] == cycle.orbits).sum(axis=0) == 1
        assert np.array_equal(cycle.free, ~cycle.required & alone)
        for visit in hamiltonian_cycles(cycle):
            tour = cycle.tour(np.array(visit))
            if Counter(cycle.orbits[cycle.edges_of(tour)].tolist()).items() <= Counter(cycle.orbits.tolist()).items():
                found.add(tuple(canonical(problem, tour).tolist()))
        assert found == brute_force(problem), as_python(problem)


def test_the_cycles_of_a_2_factor_are_found() -> None:
    graph = Graph.from_edges(7, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (5, 6), (3, 6), (2, 3)])
    cycle = to_cycle(Problem(graph, True))
    assert [found.tolist() for found in cycle.cycles(np.flatnonzero((cycle.tails != 2) | (cycle.heads != 3)))] in (
        [[0, 1, 2], [3, 4, 5, 6]],
        [[0, 2, 1], [3, 6, 5, 4]],
        [[0, 1, 2], [3, 6, 5, 4]],
    )
    arcs = to_cycle(Problem(Graph.from_edges(5, [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2)], directed=True), True))
    assert [found.tolist() for found in arcs.cycles(np.arange(5))] == [[0, 1], [2, 3, 4]]


# --- directed problems on split vertices: words, the vertices of events, and refused requests ---


def directed(order: int, arcs: list[tuple[int, int]], *, closed: bool = True) -> Problem:
    return Problem(Graph.from_edges(order, arcs, directed=True), closed)


def around_a_cycle(order: int, chords: int, seed: int) -> Problem:
    """The closed tour of a directed graph of a hidden cycle and some random arcs."""
    rng = random.Random(seed)
    cycle = rng.sample(range(order), order)
    arcs = [(cycle[number - 1], cycle[number]) for number in range(order)]
    return directed(order, arcs + [(rng.randrange(order), rng.randrange(order)) for _ in range(chords)])


FROM_0_1_2_TO_3_4 = [(tail, head) for tail, head in permutations(range(7), 2) if tail > 2 or head in (3, 4)]

# Only 4 and 0 have arcs to the rest, 5 leads to the same vertices as 0, and the tour starts at 0.
OPEN = directed(6, [(5, 1), (1, 2), (2, 3), (3, 1), (5, 3), (4, 2), (4, 3), (0, 1)], closed=False)


@pytest.mark.parametrize(
    ("problem", "backends", "reason"),
    [
        (
            directed(7, FROM_0_1_2_TO_3_4),
            "auto",
            f"{NAMES_OF_SPLIT}: but for required moves the 3 vertices 0→, 1→ and 2→ touch only the 2 vertices →3 and "
            "→4: a closed tour makes 3 other moves there, and there is room for 2",
        ),
        (directed(4, [(0, 1), (1, 2), (2, 3), (3, 1)]), "sat sat:lazy edges frontier", "0 can't be entered"),
        (directed(4, [(1, 0), (1, 2), (2, 3), (3, 1)]), "sat sat:lazy edges frontier", "0 can't be left"),
        (OPEN, "auto", "(?!.*apex)"),
    ],
)
def test_a_refutation_names_the_vertices_of_a_directed_problem(problem: Problem, backends: str, reason: str) -> None:
    for backend in backends.split():
        refutation = run(problem, load(backend)).refutation
        assert refutation is not None
        assert re.fullmatch(f"{reason}.*" if "apex" in reason else re.escape(reason), refutation.reason)


def test_events_have_the_vertices_of_the_directed_graph() -> None:
    events: list[Event] = []
    assert run(around_a_cycle(60, 90, 2), load("sat:lazy"), on_event=events.append).status == "tour"
    factors = [event for event in events if isinstance(event, TwoFactorFound)]
    assert factors
    assert any(isinstance(event, CutSetAdded) for event in events)
    for factor in factors:
        vertices = [vertex for cycle in factor.members for vertex in cycle]
        assert set(vertices) <= set(range(60))
        assert len(vertices) == len(set(vertices))


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


def test_split_vertices_of_ambiguous_names_are_numbered() -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0)], directed=True, space=Named(["→x", "x→", "y"], "the graph"))
    halves = SplitVertices(Problem(graph, True))
    assert [halves.problem.graph.name(half) for half in range(6)] == ["→0", "0→", "→1", "1→", "→2", "2→"]


def test_auto_answers_large_and_dense_directed_graphs() -> None:
    """Those of thousands of vertices, and dense ones by the path search, with which it begins."""
    assert run(around_a_cycle(1000, 1000, 1), load("auto")).status == "tour"
    events: list[Event] = []
    dense = directed(40, list(permutations(range(40), 2)))
    assert run(dense, load("auto"), on_event=events.append).status == "tour"
    assert [event.part for event in events if isinstance(event, PartAtWork)] == ["dfs"]


@pytest.mark.parametrize(
    ("part", "words"), [("construct", "does not take directed graphs"), ("numbers", "such as --at 0=1")]
)
def test_parts_that_take_no_directed_graphs_are_refused(part: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        run(around_a_cycle(20, 10, 1), load("auto", {"parts": part}))


def test_the_frontier_method_refuses_a_separator_of_thousands_of_vertices() -> None:
    complete = Graph.from_edges(780, list(combinations(range(780), 2)))
    assert "too wide" in str(run(Problem(complete, True), load("frontier")).stopped_by)
