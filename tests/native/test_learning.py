"""The learning search against brute force and the search over edges, with clauses forgotten and room short."""

from __future__ import annotations

import random

import numpy as np
import pytest
from brute_force import brute_force, random_problem

from cpsat_tour import Limits, Problem, solve
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.formats.spaces import graph_of
from cpsat_tour.native import learning
from cpsat_tour.native.learning_kernel import (
    ARENA,
    CONFLICTS,
    FOLLOWED,
    HEADER,
    LEVEL,
    SIZE,
    STATUS,
    TAKEN,
    TRAIL,
    forget,
    return_to,
    search,
)


def test_random_problems_against_brute_force() -> None:
    chance, seen = random.Random(31), [0, 0]
    for _ in range(600):
        problem = random_problem(chance)
        if problem.graph.directed or problem.symmetry is not None:
            continue
        answer = run(problem, load("learning"), Limits(simplify=chance.random() < 0.5), None, "learning")
        assert bool(answer) == bool(brute_force(problem)), problem
        seen[bool(answer)] += 1
    assert min(seen) > 100


@pytest.mark.parametrize("forgetful", [False, True])
def test_cubic_graphs_have_the_answers_of_the_search_over_edges(
    forgetful: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if forgetful:  # restarts, and clauses forgotten, at every few conflicts
        monkeypatch.setattr(learning, "RESTART", 3)
        monkeypatch.setattr(learning, "FORGET", 5)
        monkeypatch.setattr(learning, "FORGET_MORE", 1)
    seen = [0, 0]
    for seed in range(60):
        for name in (f"cubic({20 + 2 * (seed % 8)},{seed})", f"strings-none({30 + seed},{seed})"):
            graph = graph_of(name)
            answer = solve(graph, closed=True, backend="learning", seed=seed)
            assert bool(answer) == bool(solve(graph, closed=True, backend="edges")), name
            seen[bool(answer)] += 1
    assert min(seen) > 20


def test_a_full_arena_makes_room_and_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for two clauses at first, it is full again and again."""
    graph = graph_of("GP(17,2)")
    monkeypatch.setattr(learning, "ROOM", 0)
    answer = solve(graph, closed=True, backend="learning")
    assert answer.none
    assert answer.refutation is not None
    assert answer.refutation.kind == "exhausted"


def test_going_back_restores_the_state() -> None:
    """After any number of conflicts and back at the beginning, the rules' counts are those of what is left decided."""
    cycle = to_cycle(Problem(graph_of("xor9(24,3)"), closed=True))
    state = learning.new_learning_state(cycle, np.random.default_rng(1))
    arena = np.empty(1 << 20, dtype=np.int32)
    for conflicts in (1, 2, 5, 40, 300):
        search(state, arena, conflicts)
        return_to(state, 0)
        counters = state.counters
        assert counters[LEVEL] == 0
        decided = state.trail[: counters[FOLLOWED]]
        taken, dropped = state.ends[decided[decided % 2 == 0] >> 1], state.ends[decided[decided % 2 == 1] >> 1]
        assert counters[TAKEN] == len(taken)
        degrees = np.diff(state.first)
        assert (state.used == np.bincount(taken.ravel(), minlength=cycle.order)).all()
        assert (state.left == degrees - np.bincount(dropped.ravel(), minlength=cycle.order)).all()
        assert (np.flatnonzero(state.truth[::2]) == np.sort(state.trail[: counters[TRAIL]] >> 1)).all()
        forget(state, arena)
    assert counters[CONFLICTS] > 0 or counters[STATUS]


def test_learned_clauses_hold_in_every_hamiltonian_cycle() -> None:
    learned = 0
    for name in ("5x6", "cubic(16,2)", "Sheehan(12)"):
        problem = Problem(graph_of(name), closed=True)
        tours = brute_force(problem)
        for seed in range(10):
            state = learning.new_learning_state(to_cycle(problem), np.random.default_rng(seed))
            arena = np.empty(1 << 16, dtype=np.int32)
            search(state, arena, 200)
            edges = {tuple(sorted(ends)): edge for edge, ends in enumerate(state.ends.tolist())}
            clause = 0
            while clause < state.counters[ARENA]:
                literals = arena[clause + HEADER : clause + HEADER + arena[clause + SIZE]].tolist()
                clause += HEADER + len(literals)
                learned += 1
                for tour in tours:
                    taken = {edges[tuple(sorted(move))] for move in zip(tour, [*tour[1:], tour[0]], strict=True)}
                    assert any((literal >> 1 in taken) == (literal % 2 == 0) for literal in literals), (name, literals)
    assert learned > 20
