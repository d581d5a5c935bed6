"""The frontier method as a count, from end to end and by meeting in the middle: published numbers, brute force, limbs,
bounds on states and memory, and how it stops.

``counts.csv`` has the numbers of the On-Line Encyclopedia of Integer Sequences, each row with the name of its
sequence, and with what the frontier method takes to find it anew.
"""

import csv
import random
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from itertools import combinations, pairwise, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import create_autospec

import numpy as np
import pytest
from brute_force import brute_force, random_problem

from cpsat_tour import Board, Graph, Limits, Problem, StoppedEarly, problem_of
from cpsat_tour.core.runs import Clock, Event, Progress
from cpsat_tour.engines.counts import count, count_without_search
from cpsat_tour.frontier import sweep as frontier
from cpsat_tour.frontier.plan import FrontierPlan, best_plan, swept_graph_for_tours
from cpsat_tour.frontier.states import (
    EMPTY,
    StateTable,
    SweepStep,
    SweptGraph,
    TooLarge,
    Words,
    empty_table,
    frontier_expand,
    frontier_fault,
    frontier_merge,
    new_buffers,
)
from cpsat_tour.frontier.sweep import GIB, Back, Forecast, count_by_frontier, default_memory, forecast


@pytest.fixture(params=["meeting in the middle", "from end to end"])
def factor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Each way of the frontier method in turn, also where the other needs less memory; the number of sweeps that
    multiply to a count."""
    if request.param == "from end to end":
        monkeypatch.setattr(frontier, "sides", lambda _plan: None)
        return 1
    monkeypatch.setattr(frontier, "forecast", lambda *_: Forecast(1, 1, 1))
    return 2


def small_problems() -> Iterator[Problem]:
    """Every board of at most 18 squares, whole and with a hole, for the knight, the (0,1) and the (1,4) leaper; and
    random graphs with ends, required and forbidden moves."""
    rng = random.Random(20)
    for rows in range(1, 19):
        for cols, leaper in product(range(rows, 18 // rows + 1), ((1, 2), (0, 1), (1, 4))):
            boards = [Board(rows, cols, leaper=leaper)]
            if rows * cols > 1:
                boards.append(Board(rows, cols, [rng.randrange(rows * cols)], leaper))
            yield from (Problem(board.graph, closed) for board in boards for closed in (False, True))
    yield from (problem for problem in (random_problem(rng) for _ in range(300)) if not problem.graph.directed)


@pytest.mark.usefixtures("factor")
def test_small_problems_have_as_many_tours_as_brute_force_finds() -> None:
    seen = 0
    for problem in small_problems():
        number = len(brute_force(problem))
        known = count_without_search(problem)
        assert (count_by_frontier(problem) if known is None else known.number) == number, problem
        seen += known is None
    assert seen > 100


@pytest.mark.parametrize("rows", [29, 40, 1000])
@pytest.mark.parametrize("threads", [1, 3])
def test_buffers_of_any_size_will_do(rows: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a square of 6x6 there are 28 pairs of moves at most, which have room in every buffer."""
    monkeypatch.setattr(frontier, "BUFFER_ROWS", rows)
    monkeypatch.setattr(frontier, "FEW_ROWS", 100)
    assert count_by_frontier(Problem(Board(6).graph, True), Limits(threads=threads)) == 9862


def test_a_nearly_full_buffer_is_emptied_first() -> None:
    """A buffer that the last row of a table filled has no room for a row of the next."""
    (step, *_), *_ = planned(Problem(Board(5, 6).graph, True)).steps(1)
    buffers = new_buffers(1, step.number, 2)
    for fill, row in ((1, 0), (0, 1)):
        buffers.fill[0] = fill
        assert frontier_expand(step, np.array(frontier.BEGINNING, dtype=np.uint64), 0, 1, 1, buffers) == row
    assert 0 < buffers.fill[0] <= step.number


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


def test_numbers_that_outgrow_a_limb_at_any_step_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Complete graphs on five vertices in a ring: each is passed from its first vertex to its last, in 3! ways.
    There are few states, and the first comes about in so many ways."""
    inside = [(5 * block + tail, 5 * block + head) for block in range(30) for tail, head in combinations(range(5), 2)]
    ring = Graph.from_edges(150, inside + [(5 * block - 1, 5 * block) for block in range(1, 30)] + [(149, 0)])
    for ways in range(1, 14, 2):
        monkeypatch.setattr(frontier, "BEGINNING", [[0, ways]])
        assert count_by_frontier(Problem(ring, True)) == ways * 6**30


@pytest.mark.usefixtures("factor")
def test_the_invariant_holds_of_every_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of small tables, which grow, and of several shards; of some symmetric tours the states have a parity."""
    checked, last = [0, 0], list[SweepStep]()
    take_step, rows_in_use = frontier._CountingSweep._take_step, frontier._rows_in_use

    def noting(sweep: frontier._CountingSweep, step: SweepStep, columns: int) -> int:
        last[:] = [step]
        return take_step(sweep, step, columns)

    def checking(table: StateTable) -> Words:
        assert frontier_fault(table, last[0].width - last[0].leaves, last[0].odd) == 0
        rows = rows_in_use(table)
        checked[last[0].odd] += len(rows)
        return rows

    monkeypatch.setattr(frontier._CountingSweep, "_take_step", noting)
    monkeypatch.setattr(frontier, "_rows_in_use", checking)
    monkeypatch.setattr(frontier, "LEAST_ROWS", 2)
    monkeypatch.setattr(frontier, "FEW_ROWS", 100)
    assert count_by_frontier(Problem(Board(5, 6).graph, True)) == 8
    assert count_by_frontier(problem_of("6x6", closed=True, symmetry="rot180")) == 78
    assert min(checked) > 200


def test_a_broken_table_is_seen() -> None:
    """Of one state, a path between two places: it has no beginning, too large a number, or another row, or is gone."""
    table = empty_table(4, 1, 1)
    frontier_merge(table, np.array([[0b1110]], dtype=np.uint64), 0, 1)
    whole = table.rows.copy()
    assert frontier_fault(table, 2, 0) == 0
    states = ((1, 0b1010), (2, 0b1110 | 1 << 20), (4, EMPTY))
    broken = [(fault, np.where(whole == EMPTY, whole, np.uint64(state))) for fault, state in states]
    for fault, rows in [*broken, (3, np.roll(whole, 1))]:
        table.rows[:] = rows
        assert frontier_fault(table, 2, 0) == fault


def test_a_count_that_cannot_fit_into_memory_is_refused_beforehand() -> None:
    problem = Problem(Board(8).graph, False)
    assert count(problem, memory=12 * GIB).number is None
    with pytest.raises(TooLarge, match=r"needs memory for about .* GiB, and may use 12 GiB"):
        count_by_frontier(problem, memory=12 * GIB)
    with pytest.raises(TooLarge, match="more than 21 vertices"):
        count_by_frontier(Problem(Board(100).graph, True), memory=1 << 200)


def test_sweeps_meet_in_the_middle_where_that_saves_memory() -> None:
    """As the module says, in GiB; on a long board a sweep from end to end has far fewer states."""
    plan = planned(Problem(Board(8).graph, closed=True))
    assert [round(forecast(plan, each).bytes / GIB) for each in (frontier.sides(plan), None)] == [14, 20]
    for text, states in (("6x10", 15_000_000), ("6x11", 15_000_000), ("5x12", 700_000)):
        plan = planned(problem_of(text))
        assert frontier.sides(plan) is None
        assert forecast(plan, None).states < states


@pytest.mark.usefixtures("factor")
def test_a_count_tells_how_far_it_is_from_its_first_step_to_its_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also within a step, whenever a buffer is full; the share of the work that is done only grows."""
    monkeypatch.setattr(frontier, "BUFFER_ROWS", 30)
    told: list[Event] = []
    assert count_by_frontier(Problem(Board(6).graph, True), Limits(threads=1), told.append) == 9862
    steps, done = zip(*((each.work["steps"], each.done) for each in told if isinstance(each, Progress)), strict=True)
    assert {each.work["of"] for each in told if isinstance(each, Progress)} == {steps[-1]}
    assert set(steps) == {*range(1, steps[-1] + 1)}
    assert len(steps) > 2 * len(set(steps))
    assert 0 < done[0] < 0.1
    assert done[-1] == 1
    within = [later - sooner for (sooner, later), (a, b) in zip(pairwise(done), pairwise(steps), strict=True) if a == b]
    assert min(within) > 0


def test_a_count_that_outgrows_the_memory_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier, "forecast", lambda *_: Forecast(1, 1, 1))
    with pytest.raises(TooLarge, match="needs more than"):
        count_by_frontier(Problem(Board(6).graph, False), memory=1 << 19)


def test_by_default_the_frontier_may_have_half_of_the_memory_that_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, given in ((4 * GIB, 2 * GIB), (1000 * GIB, 12 * GIB)):
        monkeypatch.setattr("psutil.virtual_memory", lambda free=free: SimpleNamespace(available=free))
        assert default_memory() == given


def note_states(states: list[int], event: Event) -> None:
    """Keep the number of states that an event tells of."""
    assert isinstance(event, Progress)
    states.append(event.work["states"])


def test_no_generation_of_small_problems_has_more_states_than_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grids with holes, whose paths don't cross, among them; at some steps of a sweep all that can occur does."""
    monkeypatch.setattr(frontier, "sides", lambda _plan: None)
    met = 0
    grids = [Board(4, 6, [7, 16], (0, 1)), Board(5, 6, [8], (0, 1)), Board(6, 6, leaper=(0, 1))]
    boards = [(True, each) for each in (*grids, Board(6), Board(5, 6))]
    boards += [(False, each) for each in (*grids, Board(5, leaper=(0, 1)), Board(4, 6), Board(5))]
    for problem in [*small_problems(), *(Problem(board.graph, closed) for closed, board in boards)]:
        if count_without_search(problem) is None:
            plan, states = planned(problem), list[int]()
            count_by_frontier(problem, on_event=partial(note_states, states))
            assert max(states) <= forecast(plan, None).states
            generations = [*zip(states[-len(plan.vertices) :], plan.bounds[1:], strict=True)]
            assert all(seen <= bound for seen, bound in generations), problem
            met += sum(seen == bound for seen, bound in generations)
    assert met > 40


def test_grids_have_as_few_states_as_can_occur_and_as_many_cycles_as_published() -> None:
    """A003763; paths on a grid don't cross, so that 16x16 and 18x18 are within reach."""
    for side, number in ((8, 4_638_576), (10, 467_260_456_608), (12, 1_076_226_888_605_605_706)):
        assert count(Problem(Board(side, leaper=(0, 1)).graph, True)).number == number
    for side, most in ((16, 500_000), (18, 3_500_000)):
        assert max(planned(Problem(Board(side, leaper=(0, 1)).graph, True)).bounds) < most


def test_open_grids_have_few_states_too_and_as_many_paths_as_published() -> None:
    """A096969, and A112675 for triangles: both count directed paths."""
    for side, number in ((7, 27_070_560), (8, 6_046_626_568), (9, 1_490_832_682_992)):
        assert 2 * count_by_frontier(Problem(Board(side, leaper=(0, 1)).graph, False)) == number
    for side, most in ((12, 200_000), (14, 1_500_000)):
        assert max(planned(Problem(Board(side, leaper=(0, 1)).graph, False)).bounds) < most
    for side, number in ((7, 8_762_040), (9, 306_700_450_536)):
        rows = [range(row * (row + 1) // 2, (row + 1) * (row + 2) // 2) for row in range(side)]
        edges = [(v, v + 1) for row in rows for v in row[:-1]]
        edges += [(v, v + len(row) + down) for row in rows[:-1] for v in row for down in (0, 1)]
        assert 2 * count_by_frontier(Problem(Graph.from_edges(rows[-1][-1] + 1, edges), False)) == number


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
    kept, pieces, pool = list[Callable[[Words], int]](), list[int](), create_autospec(Executor)

    def interrupted(cycles_with: Callable[[Words], int], _: list[Words]) -> None:
        kept.append(cycles_with)
        assert cycles_with(table) == 0
        raise KeyboardInterrupt

    pool.map = interrupted
    monkeypatch.setattr(frontier, "JOINED_AT_ONCE", 1)
    monkeypatch.setattr(frontier, "frontier_meet", lambda *_: pieces.append(1))
    table, one = np.zeros((5, 2), dtype=np.uint64), np.zeros((1, 1), dtype=np.uint64)
    back = Back(
        width=1,
        front_columns=2,
        sum_limbs=2,
        groups=empty_table(1, 3, 1),
        mates=one.view(np.uint8),
        counts=one,
    )
    with pytest.raises(KeyboardInterrupt):
        frontier.join_sides([table], back, pool, Clock(None))
    assert len(pieces) == 5
    assert kept[0](table) == 0
    assert len(pieces) == 5


QUICK, SLOW = (
    [
        (row["kind"] == "closed", int(row["rows"]), int(row["cols"]), int(row["count"]), row["source"])
        for row in csv.DictReader((Path(__file__).parent / "counts.csv").read_text().splitlines())
        if row["takes"] == takes
    ]
    for takes in ("seconds", "minutes")
)


def planned(problem: Problem) -> FrontierPlan:
    plan = best_plan(
        swept_graph_for_tours(problem, Clock(None)), problem.graph.space.coordinates, problem.graph.order, Clock(None)
    )
    assert plan is not None
    return plan


def test_published_counts() -> None:
    assert {(True, 3, 40), (True, 5, 14), (False, 3, 20), (False, 4, 12)} <= {row[:3] for row in QUICK}
    for closed, rows, cols, number, source in QUICK:
        assert count(Problem(Board(rows, cols).graph, closed)).number == number, (rows, cols, closed, source)


@pytest.mark.slow
@pytest.mark.parametrize(("closed", "rows", "cols", "number", "source"), SLOW)
def test_published_counts_that_take_longer(closed: bool, rows: int, cols: int, number: int, source: str) -> None:
    assert count(Problem(Board(rows, cols).graph, closed)).number == number, source


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "asked", "number"),
    [
        ("6x12", {}, 763_955_912_402_146_956),
        ("torus:5x5", {"closed": True}, 335_750_676_480),
    ],
)
def test_counts_beyond_print_swept_from_end_to_end(
    text: str, asked: dict[str, Any], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers of the page of results that were found by meeting in the middle, by a single sweep."""
    monkeypatch.setattr(frontier, "sides", lambda _plan: None)
    assert count_by_frontier(problem_of(text, **asked)) == number


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "cols", "number"),
    [
        (5, 16, 650_456_890_341_276_338),
        (6, 13, 55_382_275_594_728_895_388),
        (6, 14, 4_008_456_113_318_585_117_624),
        (6, 15, 285_329_658_478_008_271_167_456),
        (6, 16, 20_203_324_505_809_248_032_547_768),
        (6, 17, 1_425_847_547_641_332_606_081_597_198),
        (6, 18, 100_103_728_161_914_529_291_271_962_728),
        (6, 19, 6_990_724_032_267_728_931_305_203_720_654),
    ],
)
def test_counts_beyond_print_in_another_order(
    rows: int, cols: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers that were found by a single sweep, by one that takes the squares of each column in another order."""

    def plan(swept: SweptGraph, _where: object, order: int, clock: Clock) -> FrontierPlan:
        within = sorted(range(rows), key=lambda row: row ^ 1)
        squares = [row * cols + col for col in range(cols) for row in within]
        return FrontierPlan(swept, [*squares, *range(order, len(swept.neighbours))], clock)

    monkeypatch.setattr(frontier, "sides", lambda _plan: None)
    monkeypatch.setattr(frontier, "best_plan", plan)
    assert count_by_frontier(Problem(Board(rows, cols).graph, closed=False), memory=14 * GIB) == number
