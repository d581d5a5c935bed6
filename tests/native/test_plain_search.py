"""The path search in plain Python and the kernel in C take the same positions."""

import random
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from brute_force import random_problem
from plain_search import PlainSearch
from products import as_python, draw_problem

from cpsat_tour import BadInput, Board, Limits, Problem
from cpsat_tour.native import dfs as home
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.orders import NAMES, Order
from cpsat_tour.native.paths import FLAGS, GROUPS, PathSearch
from cpsat_tour.tour import decide_degenerate

COMBINATIONS = [",".join(chosen) or "none" for size in range(len(FLAGS) + 1) for chosen in combinations(FLAGS, size)]


def draw_search(rng: random.Random) -> tuple[Problem, Dfs, Limits]:
    """A problem that needs a search, a search with any order and prunings, and a limit on work, or none."""
    while True:
        if rng.random() < 0.3:
            board = Board(rng.randint(3, 7), rng.randint(3, 7), leaper=rng.choice([(1, 2), (1, 2), (0, 1), (1, 1)]))
            problem = Problem(board.graph, rng.random() < 0.5, rng.choice([None, 0]))
        else:
            problem = draw_problem(rng) if rng.random() < 0.5 else random_problem(rng)
        problem = replace(problem, symmetry=None)
        chosen = Dfs(
            rng.choice(NAMES), rng.choice([*GROUPS, *COMBINATIONS]), rng.random() < 0.85, restarts=rng.random() < 0.5
        )
        with suppress(BadInput):
            Order.parse(chosen.order).for_problem(problem)
            if decide_degenerate(problem) is None:
                return problem, chosen, Limits(seed=rng.randrange(9), work=rng.choice([700, 700, rng.randint(1, 60)]))


def answered(problem: Problem, dfs: Dfs, limits: Limits) -> tuple[Any, ...]:
    """What the answer says."""
    answer = dfs.solve(problem, limits)
    tour = None if answer.tour is None else answer.tour.vertices.tolist()
    return answer.status, tour, answer.work, answer.refutation, answer.stopped_by


def search_plainly(search: PathSearch, _: int, most_positions: int) -> int:
    """Search as the kernel does, without slices."""
    return PlainSearch(search).run(most_positions)


@pytest.mark.parametrize(
    "seeds", [range(300), pytest.param(range(300, 2300), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_kernel_takes_the_positions_of_the_plain_search(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = set()
    for seed in seeds:
        problem, dfs, limits = draw_search(random.Random(seed))
        expected = answered(problem, dfs, limits)
        with monkeypatch.context() as plainly:
            plainly.setattr(home, "paths_search", search_plainly)
            assert answered(problem, dfs, limits) == expected, (seed, dfs, limits, as_python(problem))
        statuses.add((expected[0], expected[4] is None))
    assert statuses == {("tour", True), ("none", True), ("unknown", False)}
