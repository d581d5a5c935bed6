"""The best of every goal by every way, with none to four choices drawn freely, whether they go together or not, against
brute force."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from itertools import product

import pytest
from brute_routes import fewest_routes, longest_route
from commands import Command
from product_best import GOALS, KNIGHT, SPACES, STEP, Case, answers, cached_graph
from products import as_python, board, box, digraph, draw_symmetry, graph, some_of, wrapped

from cpsat_tour import Problem
from cpsat_tour.backends.best import WAYS, WAYS_TO_ROUTES, optimise, optimise_routes
from cpsat_tour.backends.best_search import Goal, RoutesGoal, goal_of, routes_goal
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Move
from cpsat_tour.tour import Answer, decide_degenerate

ROUTES = (("minimize", "paths"), ("maximize", "length"))

TINY = [*product(("1x1", "1x2", "2x1", "1x3", "2x2", "2x2x2"), [STEP]), ("3x3", KNIGHT)]

MOST = 9
"""Vertices of the largest graph whose routes are all tried."""


def draw(rng: random.Random) -> Goal | RoutesGoal:
    """A goal, and a problem with none to four choices; `BadInput` if they are refused together."""
    (how, what), closed = asked = rng.choice([*GOALS, *ROUTES * 2]), rng.random() < 0.5
    routes = asked[0] in ROUTES
    space = cached_graph(*rng.choice([*SPACES[closed], *TINY]))
    while routes and (space.order > MOST or rng.random() < 0.3):
        space, _ = rng.choice([digraph, graph, board, wrapped, box])(rng)
    start = end = symmetry = optional = None
    require, forbid, moves = list[Move](), list[Move](), space.pairs()
    for choice in rng.choices(["start", "end", "require", "forbid", "both", "other"], k=rng.randint(0, 4)):
        move = rng.sample(moves, min(1, len(moves)))
        require += move if choice in ("require", "both") else []
        forbid += move if choice in ("forbid", "both") else []
        start = rng.randrange(space.order) if choice == "start" else start
        end = rng.randrange(space.order) if choice == "end" and not (routes and closed) else end
        if choice == "other" and not routes:
            symmetry = draw_symmetry(rng, space, closed, space.space.symmetries().tolist())
        elif choice == "other" and what == "length":
            optional = some_of(rng, range(space.order), range(space.order + 1))
    problem = Problem(space, closed, start, end, tuple(require), tuple(forbid), symmetry)
    return routes_goal(problem, what, optional) if routes else goal_of(problem, **{how: what})


def known(goal: Goal | RoutesGoal) -> int | None:
    """The best value, by brute force."""
    if isinstance(goal, Goal):
        return answers(Case(goal.problem, ("maximize" if goal.maximize else "minimize", goal.objective)))[0]
    return longest_route(goal.problem, goal.optional) if goal.maximize else fewest_routes(goal.problem)


def check_every_way(goal: Goal | RoutesGoal) -> None:
    """Assert that each way that takes the goal finds its value, or that there is none."""
    value, symmetry = known(goal), goal.problem.symmetry
    for way in ("auto", *(WAYS if isinstance(goal, Goal) else WAYS_TO_ROUTES)):
        if isinstance(goal, RoutesGoal):
            if way == "frontier" and (goal.problem.graph.directed or not goal.maximize):
                continue
            routes = optimise_routes(goal, way=way)
            found = routes.value, routes.none, routes.optimal
        elif way == "bounds" and symmetry is not None and symmetry.turning != "either":
            continue  # no certificate can say how a permutation is to turn a tour
        else:
            best = optimise(goal, way)
            found = best.value, best.answer.none, best.optimal
        assert found == (value, value is None, value is not None), (way, goal.name, as_python(goal.problem))


def draws(seed: str, number: int) -> Iterator[Goal | RoutesGoal]:
    """So many goals that are not refused, for an end without a start or routes with equal ends."""
    rng = random.Random(seed)
    while number:
        with suppress(BadInput):
            goal = draw(rng)
            number -= 1
            yield goal


def test_every_way_to_the_best_answers_what_is_drawn_freely() -> None:
    for goal in draws("few", 40):
        check_every_way(goal)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_every_way_to_the_best_answers_five_hundred_problems_drawn_freely(part: int) -> None:
    for goal in draws(str(part), 50):
        check_every_way(goal)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_every_way_answers_alone_what_is_no_contradiction(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(problem: Problem, *_: object) -> Answer:
        return Answer("unknown") if (decided := decide_degenerate(problem)) is None else decided

    monkeypatch.setattr("cpsat_tour.backends.best.ask", ask)
    for goal in draws(f"alone {part}", 50):
        check_every_way(goal)


@pytest.mark.parametrize("closed", ["", " --closed"])
@pytest.mark.parametrize("board", ["wazir:1x2", "wazir:1x3", "wazir:2x3", "king:2x2"])
def test_nothing_makes_a_move_that_is_both_required_and_forbidden(board: str, closed: str, command: Command) -> None:
    asked, reason = f"{board} --require a1-b1 --forbid b1-a1{closed}", "a1-b1 is both required and forbidden"
    ways = {goal: {"auto": "", **WAYS} for goal in GOALS} | {goal: {"auto": "", **WAYS_TO_ROUTES} for goal in ROUTES}
    del ways[ROUTES[0]]["frontier"]  # which does not take several
    for (how, what), way in ((goal, way) for goal in ways for way in ways[goal]):
        assert reason in command(f"best {asked} --{how} {what} --backend {way}", 20).out
    for line in ("solve", "trace", "tours", "count", "export"):
        printed = "".join(command(f"{line} {asked}", {"tours": 0, "count": 0, "export": 2}.get(line, 20)))
        assert (reason if line not in ("tours", "count") else "0") in printed
