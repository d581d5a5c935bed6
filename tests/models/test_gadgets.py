"""Gadgets: their modes against all paths, their symmetries, and tours and refutations against the search over edges."""

import random
from collections.abc import Callable, Iterator
from itertools import pairwise, product

import numpy as np
import pytest
from commands import needed

from cpsat_tour import Graph, Limits, Problem, graph_of, load, solve
from cpsat_tour.core.reduction import SplitVertices, to_cycle
from cpsat_tour.core.runs import UNLIMITED
from cpsat_tour.engines.auto import largest_piece, plan_key
from cpsat_tour.engines.runner import run
from cpsat_tour.models.drivers import gadgets
from cpsat_tour.models.gadgets import SatGadgets
from cpsat_tour.presolve.gadgets import MAX_SYMMETRIES, Gadgets, find_gadgets, symmetries
from cpsat_tour.spaces.families import gadgets as family_edges, in_out_gadget


def gadgets_of(graph: Graph) -> tuple[Gadgets, Problem]:
    """Return the gadgets of a graph that is one piece, and the problem of that piece."""
    problem = largest_piece(Problem(graph, closed=True), UNLIMITED)
    found = find_gadgets(to_cycle(problem))
    assert found is not None
    return found, problem


def ring(count: int, steps: dict[int, int]) -> Graph:
    """Return gadgets in a ring, each exit joined to the entry of its port, and of the next, so many gadgets ahead."""
    inner = set[tuple[int, int]]()
    for first in range(0, 21 * count, 21):
        inner |= {*in_out_gadget(first)}
        for ahead, turn in steps.items():
            other = (first + 21 * ahead) % (21 * count)
            inner |= {(first + 3 * port + 2, other + 3 * ((port + turn) % 4)) for port in range(4)}
    return Graph.from_edges(21 * count, sorted(inner))


def paths_within(problem: Problem, vertices: set[int], start: int) -> set[int]:
    """Return where the Hamiltonian paths from a vertex of these vertices end that use what is required, by brute
    force."""
    ends, stack = set[int](), list[tuple[int, ...]]([(start,)])
    required = {frozenset(edge) for edge in problem.require if vertices.issuperset(edge)}
    while stack:
        path = stack.pop()
        if len(path) == len(vertices) and required <= {frozenset(edge) for edge in pairwise(path)}:
            ends.add(path[-1])
        stack += [(*path, u) for u in problem.graph.neighbours(path[-1]).tolist() if u in vertices and u not in path]
    return ends


@pytest.mark.parametrize("seed", range(4))
def test_modes_are_all_pairs_of_ports_with_a_path_between(seed: int) -> None:
    found, problem = gadgets_of(graph_of(f"gadgets(8,{seed})"))
    modes = {tuple(mode) for mode in found.modes.tolist()}
    assert all({path[0], path[-1]} == {*mode} for path, mode in zip(found.paths, found.modes.tolist(), strict=True))
    for number in range(found.count):
        inside = {*np.flatnonzero(found.gadget == number).tolist()}
        outside = {int(port) for port in np.unique(found.arcs) if port in inside}
        for port in outside:
            for end in paths_within(problem, inside, port) & outside:
                assert (port, end) in modes or (end, port) in modes
    assert found.count < len(modes)


def drawn_graphs() -> Iterator[Graph]:
    """Graphs of five gadgets without a few edges between these, so that there may be no cycle."""
    chance = random.Random(5)
    for seed in range(60):
        edges = family_edges(5, seed)
        degrees = np.bincount(np.ravel(edges))
        lost = {edge for edge in edges if min(degrees[[*edge]]) > 2 and chance.random() < 0.06}
        yield Graph.from_edges(105, [edge for edge in edges if edge not in lost])


def rings() -> Iterator[Graph]:
    """Rings of gadgets, which have symmetries."""
    for count, steps in product(range(5, 11), ({1: 0, 2: 1}, {1: 1, 2: 3}, {2: 1, 3: 2}, {1: 3, 4: 3}, {1: 1, 3: 1})):
        yield ring(count, steps)


@pytest.mark.parametrize(("graphs", "symmetries", "least"), [(drawn_graphs, 0, 11), (rings, 1, 8)])
def test_answers_are_those_of_the_search_over_edges(
    graphs: Callable[[], Iterator[Graph]], symmetries: int, least: int
) -> None:
    seen = {"tour": 0, "none": 0}
    for number, graph in enumerate(graphs()):
        answer = run(problem := Problem(graph, closed=True), load("sat:gadgets"))
        assert answer.status == run(problem, load("edges")).status, number
        assert answer.refutation is None or answer.refutation.kind in ("claimed", "condition")
        seen[answer.status] += answer.work.get("symmetries", 0) >= symmetries
    assert min(seen.values()) >= least, seen


def test_symmetries_of_a_ring_take_modes_to_modes_and_edges_to_edges() -> None:
    found, _ = gadgets_of(ring(10, {1: 1, 3: 2}))
    arcs, modes = ({(int(a), int(b)) for a, b in each} for each in (found.arcs, found.modes))
    assert (len(arcs), len(modes)) == (80, 40)
    kept = symmetries(found)
    assert {len({*each.gadgets.tolist()}) for each in kept} == {10}
    assert len(kept) == MAX_SYMMETRIES
    for each in kept:
        ends = found.gadget[found.arcs]
        there = ends[each.edges][:, ::-1] if each.turns_over else ends[each.edges]
        assert np.array_equal(each.gadgets[ends], there)
        assert np.array_equal(each.gadgets[found.gadget[found.modes[:, 0]]], found.gadget[found.modes[each.modes, 0]])


def test_other_graphs_have_no_gadgets_or_none_with_modes() -> None:
    """A path of required edges that comes back, a vertex with three, graphs without forced edges, a plain cycle."""
    star = Graph.from_edges(7, [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6), (4, 5), (5, 6), (6, 4)])
    two_rings = Graph.from_edges(8, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (6, 0), (6, 3), (7, 0), (7, 3)])
    for graph in (star, two_rings, graph_of("Petersen"), graph_of("8x8"), Graph.from_edges(4, [(0, 1), (1, 2)])):
        assert find_gadgets(to_cycle(Problem(graph, closed=True))) is None
    cycle = Graph.from_edges(5, [(v, (v + 1) % 5) for v in range(5)])
    assert run(Problem(cycle, closed=True), load("sat:gadgets"), Limits(simplify=False)).status == "tour"
    split = SplitVertices(Problem(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0), (1, 0)], directed=True), closed=True))
    assert find_gadgets(to_cycle(split.problem)) is None


@pytest.mark.parametrize("solver", SatGadgets.solvers)
def test_every_solver_finds_a_cycle_among_modes(solver: str) -> None:
    """And refutes graphs without gadgets itself."""
    answer = solve("gadgets(24,1)", closed=True, backend=f"sat:gadgets@{solver}")
    assert answer.tour is not None
    assert answer.work["gadgets"] == 24
    refutation = needed(solve("Petersen", closed=True, backend=f"sat:gadgets@{solver}").refutation)
    assert f"the SAT solver {solver} reports" in refutation.reason


def test_a_limit_on_work_ends_the_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of all turns together: without a limit there are more than a thousand conflicts."""
    monkeypatch.setattr(gadgets, "TURN", 50)
    answer = run(Problem(graph_of("gadgets(84,1)"), closed=True), load("sat:gadgets"), Limits(work=400))
    assert (answer.status, answer.stopped_by) == ("unknown", "work")
    assert 400 <= answer.work["conflicts"] <= 410


@pytest.mark.parametrize("name", ["gadgets(47,1)", "gadgets-none(24,1)"])
def test_auto_answers_graphs_of_gadgets(name: str) -> None:
    answer = solve(name, closed=True)
    assert plan_key(gadgets_of(graph_of("gadgets(47,1)"))[1]) == "gadgets"
    assert answer.status == ("none" if "none" in name else "tour")
