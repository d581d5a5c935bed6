"""The edge search: published counts, its invariant at rest, decided edges, restarts, limits."""

from __future__ import annotations

import random

import numpy as np
import pytest
from brute_force import random_problem

from cpsat_tour import Board, Graph, Limits, Problem, StoppedEarly
from cpsat_tour.backends.listing import Listing
from cpsat_tour.core.conditions import decide_degenerate
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.native.edge_kernel import DROPPED, TAKEN, TOOK, search
from cpsat_tour.native.edge_state import APART, fault, finished, fresh_copy, new_state
from cpsat_tour.native.edges import Edges
from cpsat_tour.spaces.families import Member


def listed(graph: Graph, *, closed: bool = True) -> int:
    """How many tours the edge search lists."""
    listing = Listing(Problem(graph, closed), Edges())
    return sum(len(batch.tours) for batch in listing)


def schwenk(n: int) -> int:
    """How many Hamiltonian cycles GP(n,2) has, by Schwenk 1989."""
    if n % 6 in (1, 3, 5):
        return {1: n, 3: 3, 5: 0}[n % 6]
    fibonacci = [0, 1]
    while len(fibonacci) <= n:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    return 2 * (fibonacci[n // 2 + 1] + fibonacci[n // 2 - 1] - 1) + (n if n % 6 == 4 else 0)


def test_generalised_petersen_graphs_have_as_many_cycles_as_schwenk_says() -> None:
    for n in range(5, 31):
        assert listed(Member.parse(f"GP({n},2)").graph) == schwenk(n), n


@pytest.mark.parametrize(("dimension", "cycles"), [(2, 1), (3, 6), (4, 1344)])
def test_hypercubes(dimension: int, cycles: int) -> None:
    vertices = range(1 << dimension)
    edges = [(vertex, vertex ^ 1 << bit) for vertex in vertices for bit in range(dimension)]
    assert listed(Graph.from_edges(1 << dimension, edges)) == cycles


def test_the_invariant_holds_wherever_the_search_rests() -> None:
    for seed in range(40):
        problem = random_problem(random.Random(seed))
        if problem.graph.directed or decide_degenerate(problem) is not None:
            continue
        cycle = to_cycle(problem)
        numbering = np.random.default_rng(seed).permutation(cycle.order) if seed % 2 else None
        state, tours = new_state(cycle, numbering), np.empty((1, cycle.order), dtype=np.uint32)
        for _ in range(10_000):
            search(state, tours, 1)
            assert fault(state) is None, problem
            if finished(state):
                break
        assert finished(state)


def test_searches_side_by_side_write_to_no_cache_line_of_each_other() -> None:
    whole = new_state(to_cycle(Problem(Board(5, 6).graph, closed=True)))
    states = [fresh_copy(whole, np.array([edge], dtype=np.uint32)) for edge in range(4)]
    writers: dict[int, int] = {}
    for number, state in enumerate(states):
        for field in set(state._fields) - {"given"}:
            array = getattr(state, field)
            if array is getattr(whole, field):
                continue
            assert array.ctypes.data % APART == 0
            for line in range(array.ctypes.data // APART, (array.ctypes.data + array.nbytes - 1) // APART + 1):
                assert writers.setdefault(line, number) == number


def test_an_edge_decided_against_the_rules_ends_the_search() -> None:
    """Where two edges are left both must be taken, so that dropping one of them leaves nothing."""
    cycle = to_cycle(Problem(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)]), closed=True))
    for flags, state_of_edge in ((np.uint32(0), DROPPED), (TOOK, TAKEN)):
        state, tours = new_state(cycle, decided=np.array([flags], dtype=np.uint32)), np.empty((2, 4), dtype=np.uint32)
        assert search(state, tours, 100)[0] == (1 if state_of_edge == TAKEN else 0)
        assert finished(state)


def test_a_limit_on_work_is_kept_to_the_branching() -> None:
    listing = Listing(Problem(Board(6, 6).graph, closed=True), Edges(), Limits(work=500))
    with pytest.raises(StoppedEarly, match="work"):
        for _ in listing:
            pass
    assert 0 < listing.count < 9862
