"""Exact counts: published numbers, and three ways that agree on every small board.

``data/counts.csv`` has the numbers of the On-Line Encyclopedia of Integer Sequences, each row with the name of its
sequence.
"""

from __future__ import annotations

import csv
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from brute_force import brute_force, random_problem

from cpsat_tour.backends.api import exact_count, lister_by
from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Interrupted
from cpsat_tour.counting import count as counting
from cpsat_tour.counting import frontier, meeting
from cpsat_tour.counting.count import alike, count, count_by_listing, decided, directed_readings
from cpsat_tour.counting.frontier import GIB, Forecast, TooLarge, count_by_frontier, default_memory, forecast
from cpsat_tour.counting.meeting import Back
from cpsat_tour.counting.packed_states import Words, pack, unpack
from cpsat_tour.counting.plan import FrontierPlan, best_plans, most_states
from cpsat_tour.spaces.board import Board

PUBLISHED = [
    (row["kind"] == "closed", int(row["rows"]), int(row["cols"]), int(row["count"]), row["source"])
    for row in csv.DictReader((Path(__file__).parent / "data" / "counts.csv").read_text().splitlines())
]


def planned(problem: Problem) -> FrontierPlan:
    plans = best_plans(problem)
    assert plans is not None
    (plan,) = plans
    return plan


def most_states_of(closed: bool, rows: int, cols: int) -> int:
    """The bound on the number of states; 0 where there is nothing to count."""
    problem = Problem(Board(rows, cols).graph, closed)
    return 0 if decided(problem) else forecast(planned(problem)).states


QUICK = [
    row
    for row in PUBLISHED
    if (most_states_of(*row[:3]) < 200_000 and row[1] * row[2] <= (120 if row[1] < 5 else 70))
    or row[:3] in {(True, 6, 6), (False, 5, 6), (False, 5, 8)}
]
SLOW = [row for row in PUBLISHED if row not in QUICK and most_states_of(*row[:3]) < 100_000_000]


def test_published_counts() -> None:
    assert {(True, 3, 40), (True, 5, 14), (False, 3, 20), (False, 4, 12)} <= {row[:3] for row in QUICK}
    for closed, rows, cols, number, source in QUICK:
        assert count(Problem(Board(rows, cols).graph, closed)).number == number, (rows, cols, closed, source)


@pytest.mark.slow
@pytest.mark.parametrize(("closed", "rows", "cols", "number", "source"), SLOW)
def test_published_counts_that_take_longer(closed: bool, rows: int, cols: int, number: int, source: str) -> None:
    assert count(Problem(Board(rows, cols).graph, closed)).number == number, source


@pytest.fixture(params=["meeting in the middle", "from end to end"])
def factor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Both ways of the frontier method in turn; how many sweeps multiply to a count."""
    if request.param == "from end to end":
        monkeypatch.setattr(frontier, "sides", lambda _plan: None)
        return 1
    return 2


def small_boards() -> Iterator[Board]:
    """Every board of at most 20 squares, whole and with a hole, for the knight, the (0,1) and the (1,4) leaper."""
    rng = random.Random(20)
    for rows in range(1, 21):
        for cols in range(rows, 20 // rows + 1):
            for leaper in ((1, 2), (0, 1), (1, 4)):
                yield Board(rows, cols, leaper=leaper)
                if rows * cols > 1:
                    yield Board(rows, cols, [rng.randrange(rows * cols)], leaper)


@pytest.mark.usefixtures("factor")
def test_brute_force_frontier_and_search_agree_on_every_board_of_at_most_twenty_squares() -> None:
    dfs = lister_by("dfs")
    seen = 0
    for board in small_boards():
        for closed in (False, True):
            problem = Problem(board.graph, closed)
            number = len(brute_force(problem))
            assert count(problem).number == number, (board, board.holes, board.leaper, closed)
            assert count_by_listing(problem, dfs).number == number, (board, board.holes, board.leaper, closed)
            if decided(problem) is None:
                assert count_by_frontier(problem) == number
                seen += 1
    assert seen > 60


@pytest.mark.parametrize("backend", ["cpsat", "sat"])
def test_listing_by_solvers_agrees_with_the_frontier_on_every_board_of_at_most_twenty_squares(backend: str) -> None:
    """Boards with very many tours, the wazir's, are left to the two ways above."""
    engine, most, seen = lister_by(backend), 800, 0
    for board in small_boards():
        for closed in (False, True):
            problem = Problem(board.graph, closed)
            number = count(problem).number
            assert number is not None
            if number <= most:
                assert count_by_listing(problem, engine).number == number, (board, board.holes, board.leaper, closed)
                seen += decided(problem) is None
    assert seen > 50


@pytest.mark.usefixtures("factor")
def test_random_problems_with_ends_and_required_and_forbidden_moves() -> None:
    rng = random.Random(6)
    seen = 0
    while seen < 200:
        problem = random_problem(rng)
        if problem.graph.directed:
            continue
        seen += 1
        number = len(brute_force(problem))
        asked = (problem.graph.edges(), problem)
        assert count(problem).number == number, asked
        if decided(problem) is None:
            assert count_by_frontier(problem) == number, asked


def test_each_start_of_5x5() -> None:
    board = Board(5)
    corner, edge, minority = (Problem(board.graph, False, board.vertex(name)) for name in ("a1", "a3", "a2"))
    centre = Problem(board.graph, False, board.vertex("c3"))
    assert [count(problem).number for problem in (corner, edge, minority, centre)] == [304, 56, 0, 64]


def test_squares_alike_have_equally_many_tours() -> None:
    for board in (Board(3, 4), Board(5), Board(4, 4, ["a1"]), Board(3, 5, ["c2"]), Board(4, 4, ["a1", "d4"], (0, 1))):
        problem = Problem(board.graph, False)
        numbers = [len(brute_force(problem.with_ends(start, None))) for start in range(len(board))]
        assert [numbers[least] for least in alike(problem)] == numbers
    assert alike(Problem(Board(2, 3).graph, False)) == [0, 1, 0, 0, 1, 0]


def test_directed_readings() -> None:
    for graph in (Board(3, 4).graph, Graph.from_edges(1, []), Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])):
        arcs = Graph(graph.indptr, graph.indices, True, graph.space)
        for closed, start, end in (
            (False, None, None),
            (True, None, None),
            (False, 0, None),
            (True, 0, None),
            (False, None, 0),
        ):
            problem, read = (Problem(where, closed, start, end) for where in (graph, arcs))
            assert len(brute_force(read)) == directed_readings(problem) * len(brute_force(problem))


def test_a_directed_graph_is_counted_by_listing_or_by_its_halves() -> None:
    both_ways = Graph.from_edges(2, [(0, 1), (1, 0)], directed=True)
    assert count_by_listing(Problem(both_ways, False), lister_by("dfs")).number == 2
    assert count_by_listing(Problem(both_ways, True), lister_by("dfs")).number == 1
    cycle = Problem(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)], directed=True), False)
    assert count_by_listing(cycle, lister_by("dfs")).number == 4
    assert count(cycle).number == 4
    rng, counts = random.Random(7), set()
    for _ in range(60):
        problem = random_problem(rng, 7)
        if problem.graph.directed and problem.graph.order > 2:
            counts.add(len(brute_force(problem)))
            assert count(problem).number == len(brute_force(problem)), problem
    assert len(counts) > 3


@pytest.mark.usefixtures("factor")
def test_threads_make_no_difference() -> None:
    problem = Problem(Board(6).graph, True)
    assert [count(problem, limits=Limits(threads=threads)).number for threads in (1, 3)] == [9862, 9862]


def test_numbers_get_more_limbs_where_they_need_them(factor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first state that comes about in 2**62 ways makes every number of a sweep as many times as large."""
    monkeypatch.setattr(frontier, "BEGINNING", [[0, 1 << 62]])
    limbs: list[int] = []

    def listen(event: Event) -> None:
        assert isinstance(event, Progress)
        limbs.append(event.work["limbs"])

    assert count_by_frontier(Problem(Board(5, 6).graph, True), on_event=listen) == 8 << 62 * factor
    assert count_by_frontier(Problem(Board(6).graph, True), on_event=listen) == 9862 << 62 * factor
    assert max(limbs) == 2


def test_what_cannot_fit_is_refused_beforehand() -> None:
    problem = Problem(Board(8).graph, False)
    assert count(problem, memory=12 * GIB).number is None
    with pytest.raises(TooLarge, match=r"needs about .* GiB here, and is given 12 GiB"):
        count_by_frontier(problem, memory=12 * GIB)
    with pytest.raises(TooLarge, match="more than 21 vertices"):
        count_by_frontier(Problem(Board(100).graph, True), memory=1 << 200)


def test_what_grows_beyond_the_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier, "forecast", lambda _plan: Forecast(1, 1, 1))
    with pytest.raises(TooLarge, match="need more than"):
        count_by_frontier(Problem(Board(6).graph, False), memory=GIB // 64)


def test_by_default_the_frontier_may_have_half_of_the_memory_that_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, given in ((4 * GIB, 2 * GIB), (1000 * GIB, 12 * GIB)):
        monkeypatch.setattr("psutil.virtual_memory", lambda free=free: SimpleNamespace(available=free))
        assert default_memory() == given


# --- the default: the frontier method, and beside it the edge search ---


def test_where_the_frontier_is_too_wide_the_tours_are_listed() -> None:
    known = exact_count(Problem(Board(10, leaper=(2, 3)).graph, True), None, Limits())
    assert (known.number, known.method) == (80_320, "edges")
    known = exact_count(Problem(Board(5, 6).graph, True), None, Limits(), memory=1)
    assert (known.number, known.method) == (8, "edges")
    assert exact_count(Problem(Board(5, 6).graph, True), None, Limits()).method == "frontier"


def test_whichever_is_first_has_the_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "HEAD_START", 0.0)
    few = Problem(Board(8, leaper=(2, 3)).graph, True)
    assert decided(few) is None
    numbers = {exact_count(few, None, Limits()).number, count_by_listing(few, lister_by("edges")).number}
    many = exact_count(Problem(Board(3, 60).graph, True), None, Limits())
    assert (len(numbers), many.method) == (1, "frontier")
    assert many.number == count_by_frontier(Problem(Board(3, 60).graph, True))


def test_with_one_thread_one_method_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "HEAD_START", 0.0)

    def list_nothing(*_: object) -> Iterator[int]:
        pytest.fail("the tours are listed beside the frontier method")

    problem, lister = Problem(Board(6).graph, True), counting.Lister("edges", list_nothing)
    assert count(problem, Limits(threads=1), lister=lister).number == 9862


def test_the_default_ends_at_its_limit_with_what_was_listed() -> None:
    begun = time.perf_counter()
    stopped = exact_count(Problem(Board(8).graph, True), None, Limits(seconds=2.0), memory=GIB)
    assert (stopped.number, stopped.stopped_by) == (None, "time")
    assert stopped.at_least > 0
    assert time.perf_counter() - begun < 20


def test_ctrl_c_ends_both_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "HEAD_START", 0.0)

    def interrupt(event: Event) -> None:
        if isinstance(event, Progress) and event.work.get("tours", 0) > 2000:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as ended:
        exact_count(Problem(Board(7, 8).graph, True), None, Limits(), interrupt)
    assert ended.value.known.at_least > 2000
    assert ended.value.known.stopped_by == "interrupt"


@pytest.mark.usefixtures("factor")
def test_the_forecast_is_not_below_the_states_of_small_boards() -> None:
    for closed, rows, cols in ((True, 6, 6), (False, 4, 6), (False, 5, 5), (True, 5, 6)):
        problem = Problem(Board(rows, cols).graph, closed)
        peaks: list[int] = []

        def listen(event: Event, peaks: list[int] = peaks) -> None:
            assert isinstance(event, Progress)
            peaks.append(event.work["peak_states"])

        count_by_frontier(problem, on_event=listen)
        assert 0 < max(peaks) <= forecast(planned(problem)).states


def test_the_bound_counts_all_states_of_a_generation() -> None:
    plan = planned(Problem(Board(5, 6).graph, True))
    states: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontier, "sides", lambda _plan: None)
        count_by_frontier(
            Problem(Board(5, 6).graph, True), on_event=lambda event: states.append(vars_of(event)["states"])
        )
    assert len(states) == len(plan.bounds) - 1
    assert all(seen <= bound for seen, bound in zip(states, plan.bounds[1:], strict=True))


def vars_of(event: Event) -> dict[str, int]:
    assert isinstance(event, Progress)
    return dict(event.work)


def test_a_time_limit_stops_the_count() -> None:
    stopped = count(Problem(Board(6, 10).graph, True), limits=Limits(seconds=1e-6))
    assert stopped.number is None
    assert stopped.stopped_by
    with pytest.raises(StoppedEarly):
        count_by_frontier(Problem(Board(6, 10).graph, True), Limits(seconds=1e-6))


@pytest.mark.parametrize("looks", [0, 1, 50, 150, 400])
def test_the_time_can_be_over_at_any_moment_of_the_plan_and_of_the_count(
    looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock is looked at for each vertex that is planned for, so that a limit is kept before the first step too."""
    problem = Problem(Board(5, 8).graph, True)
    left = [looks]
    told: list[Event] = []

    def expired(_clock: Clock) -> bool:
        left[0] -= 1
        return left[0] < 0

    monkeypatch.setattr(Clock, "expired", property(expired))
    with pytest.raises(StoppedEarly, match="time"):
        count_by_frontier(problem, on_event=told.append)
    assert left == [-1]
    assert not any(isinstance(event, Progress) for event in told)


def test_after_ctrl_c_no_thread_joins_another_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interrupt comes to the thread that waits for the others; those look up before each piece of a table."""
    kept: list[Callable[[Words], int]] = []
    pieces: list[int] = []

    class Interrupted(Executor):
        def map(self, fn: Callable[..., Any], *_: Any, **__: Any) -> Iterator[Any]:
            kept.append(fn)
            assert fn(table) == 0
            raise KeyboardInterrupt

    monkeypatch.setattr(meeting, "JOINED_AT_ONCE", 1)
    monkeypatch.setattr(meeting, "join", lambda *_: pieces.append(1))
    table = np.zeros((5, 2), dtype=np.uint64)
    back = Back(np.zeros((2, 3), np.uint64), np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.uint64))
    with pytest.raises(KeyboardInterrupt):
        meeting.join_sides([table], [0], back, Interrupted(), Clock(None))
    assert len(pieces) == 5
    assert kept[0](table) == 0
    assert len(pieces) == 5


def test_packed_states_are_read_as_they_were_written() -> None:
    """Every state of up to 7 places: untouched, done, or an end whose mate is another end; no two are packed alike."""
    for width in range(8):
        packed = set()
        for mates in pairings(width):
            mate = np.array([max(other, 0) for other in mates] + [0], dtype=np.uint64)
            done = sum(1 << place for place, other in enumerate(mates) if other == -1)
            opens = sum(1 << place for place, other in enumerate(mates) if other > place)
            closes = sum(1 << place for place, other in enumerate(mates) if -1 < other < place)
            state = pack(np.uint64(done), np.uint64(opens), np.uint64(closes), mate, np.uint64(width))
            read = np.zeros(width + 1, dtype=np.uint64)
            assert tuple(map(int, unpack(np.uint64(state), np.uint64(width), read))) == (done, opens, closes)
            assert all(read[place] == other for place, other in enumerate(mates) if other not in (-1, place))
            packed.add(int(state))
        assert len(packed) == sum(1 for _ in pairings(width)) == most_states(width, 0, None)


def pairings(width: int) -> Iterator[list[int]]:
    """For each state its places' mates: the place itself if untouched, -1 if done."""
    if not width:
        yield []
        return
    for fewer in pairings(width - 1):
        yield [*fewer, width - 1]
        yield [*fewer, -1]
        for place, other in enumerate(fewer):
            if other == place:
                paired = [*fewer, place]
                paired[place] = width - 1
                yield paired
