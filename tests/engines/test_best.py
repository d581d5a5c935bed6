"""The best tours: geometry against fractions, values against a count of every pair, published optima, and the answers
of every way."""

import json
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from commands import Command, needed
from product_best import cross

from cpsat_tour import Board, Limits, Problem, TourFault, best, graph_of
from cpsat_tour.engines.best import optimise
from cpsat_tour.engines.best_search import Goal, goal_of
from cpsat_tour.spaces import objectives
from cpsat_tour.spaces.objectives import meet_inside, pairs_that_cross

PUBLISHED = [
    ("5x6", "turns", 28, 2, 30, 2),
    ("3x10", "turns", 26, 4, 30, 4),
    ("3x12", "turns", 32, 24, 36, 12),
    ("6x6", "turns", 32, 18, 36, 3180),
    ("5x6", "crossings", 49, 2, 51, 2),
    ("3x10", "crossings", 55, 4, 57, 4),
    ("6x6", "crossings", 52, 14, 66, 8),
]
"""Board, objective, the least value of closed tours and how many attain it, the greatest and how many."""


def test_segments_meet_as_fractions_say() -> None:
    grid = [(row, col) for row in range(4) for col in range(4)]
    segments = [(one, other) for one, other in permutations(grid, 2)]
    pairs = list(permutations(segments[::5], 2))
    one, other = (np.array([pair[place] for pair in pairs]) for place in (0, 1))
    found = meet_inside(other[:, 0] - one[:, 0], one[:, 1] - one[:, 0], other[:, 1] - other[:, 0])
    assert found.tolist() == [cross(*pair) for pair in pairs]


def test_segments_in_a_box_meet_only_in_one_plane() -> None:
    steps = np.array([[2, 1, 0], [2, 1, 0], [2, 0, 2]])
    others = np.array([[2, -1, 0], [2, -1, 0], [-2, 0, 2]])
    assert meet_inside(np.array([[0, 1, 0], [0, 1, 1], [2, 0, 0]]), steps, others).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("text", "leaper"), [("6x7", "1,2"), ("5x6", "1,3"), ("6x6", "0,2"), ("5x5", "2,2"), ("1x6", "0,2")]
)
def test_the_sweep_finds_every_crossing(text: str, leaper: str) -> None:
    graph = graph_of(text, (), leaper)
    points = [tuple(point) for point in graph.space.points().tolist()]
    moves = [
        (points[tail], points[head]) for tail, head in zip(*(ends.tolist() for ends in graph.edges()), strict=True)
    ]
    wanted = {(one, other) for one, other in combinations(range(len(moves)), 2) if cross(moves[one], moves[other])}
    found = [tuple(pair) for pair in pairs_that_cross(graph).tolist()]
    assert len(found) == len(set(found))
    assert set(found) == wanted


@pytest.mark.parametrize(("text", "objective", "least", "attain_it", "most", "attain_that"), PUBLISHED)
def test_published_optima(text: str, objective: str, least: int, attain_it: int, most: int, attain_that: int) -> None:
    found = [best(text, closed=True, minimize=objective), best(text, closed=True, maximize=objective)]
    assert [(each.value, each.attained, each.known) for each in found] == [
        (least, attain_it, "exhausted"),
        (most, attain_that, "exhausted"),
    ]


@pytest.mark.parametrize(("text", "turns"), [("6x7", 35), ("5x8", 35), ("6x8", 39)])
def test_cpsat_proves_the_fewest_turns(text: str, turns: int) -> None:
    """As many as listing finds; 6x8 has 55 million tours."""
    found = best(text, closed=True, minimize="turns", backend="cpsat:lazy")
    assert (found.value, found.bound, found.known) == (turns, turns, "claimed")


def test_the_smaller_of_two_work_limits_applies() -> None:
    """`auto` lists 6x7 for two million branchings, and no more where a limit allows fewer, nor asks CP-SAT then."""
    found = optimise(goal_of(Problem(Board(6, 7).graph, True), "turns"), limits=Limits(work=20_000))
    assert (found.answer.stopped_by, found.answer.backend) == ("work", "edges")
    assert found.answer.work["branchings"] < 100_000


def test_the_search_for_the_best_tour_begins_with_the_hint(tmp_path: Path, command: Command) -> None:
    tour = needed(best("6x6", closed=True, minimize="turns").answer.tour)
    goal = goal_of(Problem(tour.graph, True), "turns", None)
    stopped = optimise(goal, "cpsat:lazy", Limits(seconds=0.0), hint=tour.vertices)
    assert (stopped.value, stopped.answer.stopped_by) == (32, "time")
    places, asked = (
        [tour.graph.space.vertex_data(vertex) for vertex in tour],
        "best 6x6 --closed --minimize turns --hint",
    )
    np.save(tmp_path / "tour.npy", np.array(places))
    for text in (json.dumps(places), "{}", "[" * 100_000, "[[9, 9]]"):
        (tmp_path / "tour.json").write_text(text)
        if text.startswith("[[0"):
            for name in ("tour.json", "tour.npy"):
                answer = json.loads(command(f"{asked} {tmp_path / name} --json").out)
                known = {"goal": "fewest turns", "value": 32, "bound": 32, "known": "exhausted", "attained": 18}
                assert answer | known == answer
        else:
            assert command(f"{asked} {tmp_path / 'tour.json'}", 2).err.count("\n") == 1


def test_a_wrong_tour_is_a_fault() -> None:
    goal = goal_of(Problem(Board(5, 6).graph, True), "turns", None)
    with pytest.raises(TourFault):
        goal.value(np.arange(30, dtype=np.int32))


def test_the_clock_is_looked_at_while_crossings_are_sought(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objectives, "meet_inside", lambda *_: pytest.fail("the time was over before"))
    found = optimise(Goal(Problem(Board(30).graph, False), "crossings", False), limits=Limits(seconds=1e-9))
    assert found.answer.stopped_by == "time"
