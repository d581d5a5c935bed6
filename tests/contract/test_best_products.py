"""The best of every goal by every way, with none to four choices drawn freely, whether they go together or not, against
brute force."""

import pytest
from brute_routes import fewest_routes, longest_route
from commands import Command
from product_best import GOALS, ROUTES, Case, answers, draws
from products import as_python

from cpsat_tour import Problem
from cpsat_tour.engines.best import WAYS, WAYS_TO_ROUTES, optimise, optimise_routes
from cpsat_tour.engines.best_search import Goal, RoutesGoal
from cpsat_tour.tour import Answer, decide_degenerate


def known(goal: Goal | RoutesGoal) -> int | None:
    """The best value, by brute force."""
    if isinstance(goal, Goal):
        return answers(case_of(goal))[0]
    return longest_route(goal.problem, goal.optional) if goal.maximize else fewest_routes(goal.problem)


def case_of(goal: Goal) -> Case:
    """The goal as brute force takes it."""
    return Case(goal.problem, ("maximize" if goal.maximize else "minimize", goal.objective))


def check_every_way(goal: Goal | RoutesGoal) -> None:
    """Assert that each way that takes the goal finds its value, or that there is none."""
    value, symmetry = known(goal), goal.problem.symmetry
    attaining = set() if isinstance(goal, RoutesGoal) else answers(case_of(goal))[1]
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
            found, tour = (best.value, best.answer.none, best.optimal), best.answer.tour
            about = way, goal.name, as_python(goal.problem)
            assert tour is None or tuple(tour.vertices.tolist()) in attaining, about
            assert best.attained in (None, len(attaining)), about
            if tour is not None and best.attained is None:
                assert best.known == {"cpsat:lazy": "claimed", "bounds": "lp"}[best.answer.backend], about
        assert found == (value, value is None, value is not None), (way, goal.name, as_python(goal.problem))


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

    monkeypatch.setattr("cpsat_tour.engines.best.ask", ask)
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
