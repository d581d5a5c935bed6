"""The native engine: sets of tours under every combination of prunings, the figures of the literature, limits."""

import random
import signal
import statistics
from itertools import combinations

import pytest
from brute_force import brute_force, random_problem
from products import all_tours, as_python, draw_problem

from cpsat_tour import Answer, Board, Graph, Limits, Problem, StoppedEarly, run
from cpsat_tour.core.runs import Clock, Event, Progress
from cpsat_tour.core.space import Ints
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.edges import luby
from cpsat_tour.native.orders import Order
from cpsat_tour.native.paths import (
    FLAGS,
    FOUND,
    PAUSED,
    POSITIONS,
    TOURS,
    PathSearch,
    Roots,
    new_path_search,
    parse_prunings,
    paths_fault,
    paths_search,
)

COMBINATIONS = [",".join(chosen) or "none" for size in range(len(FLAGS) + 1) for chosen in combinations(FLAGS, size)]

SIZES = [(rows, cols) for rows in range(5, 11) for cols in range(rows, 11)]


# Positions that exhaust closed 5x5 under the applet's two rules, for the starts of its six classes under symmetry.
APPLET_5X5 = {(0, 0): 23251, (0, 1): 40777, (0, 2): 36367, (1, 1): 36563, (1, 2): 15459, (2, 2): 19601}


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(100, 110))])
def test_every_combination_of_prunings_has_the_tours_of_brute_force(seed: int) -> None:
    rng = random.Random(seed)
    for problem in (draw_problem(rng, plain=True) for _ in range(15)):
        expected = sorted(brute_force(problem))
        for prune in COMBINATIONS:
            dfs = Dfs(order=rng.choice(["plain", "pohl", "random"]), prune=prune)
            found = [tuple(tour.tolist()) for tour in all_tours(problem, dfs)]
            assert sorted(found) == expected, (prune, as_python(problem))


@pytest.mark.parametrize("start", APPLET_5X5)
def test_closed_5x5_is_exhausted_in_the_published_positions_under_the_applets_rules(
    start: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In slices of 256 entries, which change nothing."""
    monkeypatch.setattr("cpsat_tour.native.dfs.SLICE_WORK", 0)
    problem = Problem(Board(5).graph, True, 5 * start[0] + start[1])
    answer = Dfs(order="start", prune="applet").solve(problem, Limits())
    assert answer.refutation is not None
    assert (answer.refutation.kind, answer.work["positions"]) == ("exhausted", APPLET_5X5[start])
    assert str(APPLET_5X5[start]) in answer.refutation.reason


def test_closed_tours_from_every_start_of_every_even_board_within_a_thousand_positions() -> None:
    positions = []
    for rows, cols in SIZES:
        if rows * cols % 2:
            continue
        graph = Board(rows, cols).graph
        for start in range(graph.order):
            answer = run(Problem(graph, True, start), Dfs())
            assert answer.status == "tour"
            positions.append(answer.work["positions"])
    assert max(positions) <= 1000
    assert statistics.median(positions) <= 80


def test_open_tours_from_every_start_within_a_thousand_positions() -> None:
    for rows, cols in SIZES:
        board = Board(rows, cols)
        for start in range(rows * cols):
            if rows * cols % 2 == 0 or sum(divmod(start, cols)) % 2 == 0:
                assert run(Problem(board.graph, False, start), Dfs(), Limits(work=1000)).status == "tour", (
                    rows,
                    cols,
                    start,
                )


@pytest.mark.slow
def test_large_boards_are_walked_without_recursion() -> None:
    for closed in (False, True):
        answer = run(Problem(Board(1000).graph, closed), Dfs())
        assert answer.status == "tour"


def fresh_states(problem: Problem, order: str, prune: str) -> list[PathSearch]:
    """The search as it begins at each of the first three roots, with room for four tours."""
    roots, chosen = Roots(problem, colours=False), Order.parse(order).for_problem(problem)
    return [
        new_path_search(
            roots.rooted_problem(root), chosen.tie_order(roots.graph, root), prune=parse_prunings(prune) & 255
        ).with_rows(4)
        for root in roots.vertices.tolist()[:3]
    ]


@pytest.mark.parametrize("order", ["plain", "pohl", "random"])
def test_a_search_in_slices_finds_what_it_finds_at_once(order: str) -> None:
    rng = random.Random(order)
    problems = [problem for seed in range(200) if (problem := random_problem(random.Random(seed))).graph.order > 2]
    for problem in [Problem(Board(4, 5).graph, True, require=((0, 7), (1, 8))), *problems]:
        prune = rng.choice(COMBINATIONS)
        for sliced, whole in zip(*(fresh_states(problem, order, prune) for _ in range(2)), strict=True):
            found = tours_found(sliced, [rng.randint(1, 5) for _ in range(200)], 1 << 40)
            assert paths_fault(sliced) == 0
            assert found == tours_found(whole, [1 << 40] * 200, int(sliced.counters[POSITIONS]))


def tours_found(state: PathSearch, budgets: list[int], most_positions: int) -> list[list[int]]:
    """The tours that a search meets in calls of the kernel with these budgets."""
    found = []
    for budget in budgets:
        status = paths_search(state, budget, most_positions)
        found += state.tours[: state.counters[TOURS]].tolist()
        state.counters[TOURS] = 0
        if status not in (PAUSED, FOUND):
            break
    return found


@pytest.mark.parametrize("order", ["plain", "pohl", "start"])
def test_a_tour_is_found_at_the_position_that_fills_the_board(order: str) -> None:
    """The number of positions of each tour is the least limit on them with which it is listed."""
    problem, dfs = Problem(Board(3, 4).graph, False, 0), Dfs(order=order, prune="none")
    listed = [int(at) for _, found_at in dfs.batches(problem, Limits()) for at in found_at]
    assert len(listed) > 1
    for number, at in enumerate(listed):
        for work, expected in ((at - 1, number), (at, number + 1)):
            found = list[Ints]()
            with pytest.raises(StoppedEarly, match="work"):
                found.extend(all_tours(problem, dfs, Limits(work=work)))
            assert len(found) == expected


def test_the_work_limit_is_exact() -> None:
    answer = Dfs(order="start", prune="applet").solve(Problem(Board(5).graph, True, 0), Limits(work=5000))
    assert answer == Answer("unknown", work={"positions": 5000, "backtracks": 4987}, stopped_by="work")


def test_the_time_limit_ends_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is over at the fifth look at the clock, two of which come before the first position."""
    dfs, problem = Dfs(prune="none"), Problem(Board(7).graph, True, 0)
    dfs.solve(problem, Limits(work=1))  # the kernel is there, so that no look at the clock is one of its compiler
    looks = iter([False] * 4)
    monkeypatch.setattr(Clock, "expired", property(lambda _: next(looks, True)))
    answer = dfs.solve(problem, Limits(seconds=300))
    assert answer.stopped_by == "time"
    assert answer.work["positions"] > 0


@pytest.mark.parametrize("slice_work", [0, 1 << 20])
def test_an_interrupted_enumeration_raises_stopped_early(slice_work: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the course report, the hundredth tour from the corner is found at the 2,761st position."""
    monkeypatch.setattr("cpsat_tour.native.dfs.SLICE_WORK", slice_work)
    found: list[Ints] = []
    problem, dfs = Problem(Board(8).graph, False, 0), Dfs(order="fixed:48172635", prune="none")
    with pytest.raises(StoppedEarly, match="work"):
        found.extend(all_tours(problem, dfs, Limits(work=2761)))
    assert len(found) == 100


def test_progress_is_reported_and_ctrl_c_ends_the_search() -> None:
    told: list[Event] = []

    def listen(event: Event) -> None:
        told.append(event)
        if len(told) == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        Dfs(prune="none").solve(Problem(Board(7).graph, True, 0), Limits(), listen)
    positions = [event.work["positions"] for event in told if isinstance(event, Progress)]
    assert positions
    assert positions == sorted(positions)


def test_random_restarts_find_and_refute() -> None:
    dfs = Dfs(order="random", prune="applet")
    assert run(Problem(Board(5).graph, True, 0), dfs).status == "none"
    assert run(Problem(Board(8).graph, True, 0), dfs, Limits(seed=3)).status == "tour"
    assert (
        run(Problem(Board(5).graph, True, 0), Dfs(order="random", prune="applet", restarts=False)).work["positions"]
        == 23251
    )


def test_lubys_sequence() -> None:
    assert [luby(attempt) for attempt in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


def test_without_backtracking_a_full_board_need_not_close() -> None:
    answer = Dfs(order="fixed:48172635", prune="none", backtrack=False).solve(
        Problem(Board(8).graph, True, 0), Limits()
    )
    assert answer.status == "unknown"
    assert answer.stopped_by == "dead end after all 64 squares, the last of which is not a permitted end"


def test_vertices_of_high_degree() -> None:
    order = 60
    wheel = [(0, v) for v in range(1, order)] + [(v, v % (order - 1) + 1) for v in range(1, order)]
    graph = Graph.from_edges(order, wheel)
    for dfs in (Dfs(), Dfs(prune="none"), Dfs(order="random")):
        assert run(Problem(graph, True), dfs).status == "tour"
    complete = Graph.from_edges(300, [(v, w) for v in range(300) for w in range(v)])
    assert run(Problem(complete, True), Dfs()).status == "tour"
