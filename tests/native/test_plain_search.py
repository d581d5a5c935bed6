"""The path search in plain Python and the compiled kernel take the same positions; the first answers until the second
is compiled."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from brute_force import random_problem
from products import as_python, draw_problem

from cpsat_tour import Answer, BadInput, Board, Graph, Limits, Problem
from cpsat_tour.core.compiling import Waiting
from cpsat_tour.interface.degenerate import decide_degenerate
from cpsat_tour.native import dfs as home
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.orders import NAMES, Order
from cpsat_tour.native.refutations import FLAGS, GROUPS

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


def answered(plainly: bool, problem: Problem, dfs: Dfs, limits: Limits) -> tuple[Any, ...]:
    """What the answer says, by the plain search or the kernel."""
    search = dfs.states(problem, limits, plainly=plainly)
    while True:
        try:
            next(search)
        except StopIteration as end:
            answer: Answer = end.value
            tour = None if answer.tour is None else answer.tour.vertices.tolist()
            return answer.status, tour, answer.work, answer.refutation, answer.stopped_by


@pytest.mark.parametrize(
    "seeds", [range(300), pytest.param(range(300, 2300), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_kernel_takes_the_positions_of_the_plain_search(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "is_ready", lambda _: False)
    statuses = set()
    for seed in seeds:
        problem, dfs, limits = draw_search(random.Random(seed))
        plain = answered(True, problem, dfs, limits)
        assert plain == answered(False, problem, dfs, limits), (seed, dfs, limits, as_python(problem))
        statuses.add((plain[0], plain[4] is None))
    assert statuses == {("tour", True), ("none", True), ("unknown", False)}


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """No function is compiled yet, and none may be."""

    def refuse(*_: object) -> None:
        raise AssertionError("a function is compiled")

    monkeypatch.setattr(home, "is_ready", lambda _: False)
    monkeypatch.setattr(home, "advance", refuse)
    monkeypatch.setattr(Waiting, "code", refuse)


@pytest.mark.usefixtures("no_kernel")
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("prune", ["default", "none", "all"])
def test_the_chessboard_does_not_wait_for_the_compiler(closed: bool, prune: str) -> None:
    assert Dfs(prune=prune).solve(Problem(Board(8, 8).graph, closed), Limits()).status == "tour"


@pytest.mark.parametrize("order", ["plain", "default", "random"])
def test_a_long_plain_search_begins_anew_with_the_kernel(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, dfs = Problem(Board(5).graph, True, 0), Dfs(order, "applet")
    expected = dfs.solve(problem, Limits())
    monkeypatch.setattr(home, "is_ready", lambda _: False)
    monkeypatch.setattr(home, "PLAIN_WORK", 5000)
    assert dfs.solve(problem, Limits()) == expected


@pytest.mark.usefixtures("no_kernel")
def test_a_limit_on_work_holds_in_the_plain_search() -> None:
    answer = Dfs(prune="none").solve(Problem(Board(6).graph, True), Limits(work=100))
    assert (answer.stopped_by, answer.work["positions"]) == ("work", 100)
    assert Dfs().solve(Problem(Graph.from_edges(3, []), False), Limits()).none
