"""Merging the cycles of a 2-factor leaves no two that an exchange of two edges joins, and loses no tour; exchanges
between disjoint 2-factors keep all edges, and join cycles where the parity allows it."""

from itertools import combinations, permutations, product
from random import Random

import numpy as np
import pytest
from brute_force import brute_force, cycle_problems
from products import sorted_tours

from cpsat_tour import Board, Graph, Problem, graph_of, load, run
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.runs import Limits, no_heartbeat
from cpsat_tour.core.space import Ints
from cpsat_tour.models.loop import subtours
from cpsat_tour.models.loop.merging import (
    Merging,
    _number_of_cycles,
    join_factors,
    merging_fault,
    merging_join_cycles,
    neighbours,
)
from cpsat_tour.models.loop.subtours import EdgeNumbers


def planted(rng: Random, *, directed: bool) -> tuple[CycleProblem, Ints]:
    """A random graph with a 2-factor of two to four cycles in it, some of whose edges are required; and the numbers
    of its edges."""
    lengths = [rng.randint(3, 5) for _ in range(rng.randint(2, 4))]
    vertices = rng.sample(range(sum(lengths)), sum(lengths))
    factor, begin = [], 0
    for length in lengths:
        cycle = vertices[begin : begin + length]
        factor += list(zip(cycle, cycle[1:] + cycle[:1], strict=True))
        begin += length
    others = rng.sample(list(permutations(vertices, 2)), rng.randint(0, 3 * len(vertices)))
    ordered = factor if directed else [(min(move), max(move)) for move in factor]
    required = tuple(move for move in ordered if rng.random() < 0.2)
    graph = Graph.from_edges(len(vertices), [*factor, *others], directed=directed)
    problem = to_cycle(Problem(graph, True, require=required))
    moves = list(zip(problem.tails.tolist(), problem.heads.tolist(), strict=True))
    return problem, np.array(sorted(moves.index(move) for move in ordered), dtype=np.int32)


def fewest_cycles(problem: CycleProblem, edges: EdgeNumbers) -> int:
    """The fewest cycles that any exchange of two edges leaves, if their vertices are those of whole cycles: by
    trying all."""
    chosen, fewest = set(edges.tolist()), len(problem.cycles(edges))
    free = set(np.flatnonzero(problem.free).tolist())
    for out in combinations(sorted(chosen & free), 2):
        ends = {int(end) for edge in out for end in (problem.tails[edge], problem.heads[edge])}
        inward = [
            edge for edge in sorted(free - chosen) if {int(problem.tails[edge]), int(problem.heads[edge])} <= ends
        ]
        for into in combinations(inward, 2):
            trial = np.array(sorted(chosen - set(out) | set(into)), dtype=np.int32)
            if is_two_factor(problem, trial):
                fewest = min(fewest, len(problem.cycles(trial)))
    return fewest


def is_two_factor(problem: CycleProblem, edges: EdgeNumbers) -> bool:
    """True if every vertex has two of the edges; if directed, one out of it and one into it."""
    out, into = (np.bincount(ends[edges], minlength=problem.order) for ends in (problem.tails, problem.heads))
    return bool(((out == 1) & (into == 1)).all() if problem.directed else (out + into == 2).all())


@pytest.mark.parametrize("directed", [False, True])
def test_merged_cycles_can_not_be_merged_by_two_more_edges(directed: bool) -> None:
    """Required edges stay, and each cycle before the merging is within one after it."""
    rng, merged_some = Random(7), 0
    for _ in range(80):
        problem, edges = planted(rng, directed=directed)
        merging = Merging(problem)
        merged = merging.merge(edges)
        ends = problem.tails[edges], problem.heads[edges]
        factor = merging.factor(neighbours(problem.order, *ends, directed=directed))
        exchanges = merging_join_cycles(factor)
        assert merging_fault(factor) == 0
        before, after = problem.cycles(edges), problem.cycles(merged)
        assert is_two_factor(problem, merged)
        assert set(np.flatnonzero(problem.required)) <= set(merged.tolist())
        for old, new in product(before, after):
            assert set(old.tolist()) <= set(new.tolist()) or not set(old.tolist()) & set(new.tolist())
        assert fewest_cycles(problem, merged) == len(after) == len(before) - exchanges
        merged_some += len(after) < len(before)
    assert 15 < merged_some < 80


@pytest.mark.parametrize("backend", ["sat:lazy", "sat:arcs", "pb"])
def test_backends_list_all_tours_when_they_merge_from_the_first_round(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subtours, "MERGE_FROM", 0)
    for problem in cycle_problems(100):
        if len(wanted := brute_force(problem)) <= 100:
            assert sorted_tours(problem, load(backend)) == sorted(wanted)


@pytest.mark.parametrize("seed", range(3))
def test_halves_of_cut_sets_refute_sooner(seed: int) -> None:
    """By whole cut sets closed 4x8 takes 46 to 68 conflicts."""
    answer = run(Problem(Board(4, 8).graph, True), load("sat:lazy"), Limits(seed=seed))
    assert answer.status == "none"
    assert answer.work["conflicts"] <= 20


# --- exchanges between disjoint 2-factors ---


def directions(m: int, d: int) -> list[Ints]:
    """The arcs of Z(m,d) by direction: d factors of m ** (d - 1) cycles each."""
    vectors = np.arange(m**d).reshape((m,) * d)
    return [np.roll(vectors, -1, axis=axis).ravel().astype(np.int32) for axis in range(d)]


@pytest.mark.parametrize(("m", "d"), [(3, 2), (4, 2), (5, 2), (3, 3), (5, 3), (7, 3)])
def test_the_directions_of_a_cayley_digraph_are_joined_into_cycles(m: int, d: int) -> None:
    found = join_factors(directions(m, d), Random(1), no_heartbeat, directed=True)
    assert found is not None
    assert [_number_of_cycles(factor) for factor in found] == [1] * d
    assert (
        sorted((tail, head) for factor in found for tail, head in enumerate(factor.tolist()))
        == graph_of(f"Z({m},{d})").pairs()
    )


@pytest.mark.parametrize("directed", [False, True])
def test_factors_of_the_wrong_parity_are_left_alone(directed: bool) -> None:
    factors, beats = directions(4, 3), list[int]()
    assert join_factors(factors, Random(1), lambda: beats.append(1), directed=directed) is None
    assert not beats
    assert [factor.tolist() for factor in factors] == [factor.tolist() for factor in directions(4, 3)]


def test_one_factor_is_given_back_if_it_is_a_cycle() -> None:
    ring = np.array([1, 2, 0])
    assert join_factors([ring], Random(1), no_heartbeat, directed=True) == [ring]
    assert join_factors([np.array([1, 0, 3, 2])], Random(1), no_heartbeat, directed=True) is None
