"""The event stream of the native search: each event follows from those before it, its end is that of `solve`, and the
command prints it. (The candidates of each entry are held against the orders' definitions in test_orders.py.)"""

import io
import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from brute_force import random_problem
from commands import Command

from cpsat_tour import Answer, Board, Limits, Problem, run
from cpsat_tour.cli.main import status
from cpsat_tour.core.runs import (
    UNLIMITED,
    Backtrack,
    MoveRefused,
    NoTour,
    SearchBegun,
    SearchStopped,
    Step,
    TourFound,
    TraceEvent,
)
from cpsat_tour.formats.describe import event_data
from cpsat_tour.native import paths as native_state
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.paths import FLAGS, RING, PathSearch, paths_search
from cpsat_tour.native.trace import trace
from cpsat_tour.spaces.families import Member

SIX = "A -> B\nA -> D\nB -> C\nB -> D\nD -> E\nE -> F\nF -> C\n"


def events_and_answer(problem: Problem, dfs: Dfs, limits: Limits = UNLIMITED) -> tuple[list[TraceEvent], Answer]:
    events = []
    stream = trace(problem, dfs, limits)
    while True:
        try:
            events.append(next(stream))
        except StopIteration as end:
            return events, end.value


def problems() -> list[tuple[Problem, Dfs]]:
    """Boards and graphs with all kinds of orders and prunings."""
    chosen = [
        (Problem(Board(8).graph, True), Dfs()),
        (Problem(Board(3, 7).graph, True), Dfs(order="start", prune="applet")),
        (Problem(Board(5).graph, False), Dfs(order="centre", prune="none")),
        (Problem(Board(3, 10).graph, True), Dfs(prune="all")),
        (Problem(Board(4, 6).graph, True), Dfs(prune="degree")),
        (Problem(Board(6, holes=["a1", "f6"]).graph, True), Dfs()),
        (Problem(Board(5).graph, False, None, 24), Dfs()),
        (Problem(Board(4, 5).graph, False), Dfs(order="fixed:48172635", prune="none")),
        (Problem(Board(3, 6).graph, True), Dfs(order="fixed:48172635", prune="none")),
        (Problem(Member.parse("GP(5,2)").graph, True), Dfs(prune="none")),
        (Problem(Board(6).graph, True, 3, None, ((0, 8),), ((0, 13), (1, 9))), Dfs(prune="degree,connected")),
        *[(Problem(Board(6, 5).graph, True), Dfs(order="random", prune="applet"))] * 5,
    ]
    rng = random.Random(4)
    return chosen + [
        (random_problem(rng, 8), Dfs(order=order)) for order in ("pohl", "plain", "random") for _ in range(4)
    ]


@pytest.mark.parametrize("seed", range(len(problems())))
def test_the_traced_search_is_the_search_of_solve(seed: int) -> None:
    problem, dfs = problems()[seed]
    events, answer = events_and_answer(problem, dfs, Limits(seed=seed))
    solved = run(problem, dfs, Limits(seed=seed))
    assert (answer.status, answer.work) == (solved.status, solved.work)
    positions = solved.work.get("positions", 0)
    assert sum(isinstance(event, Step) for event in events) == positions
    if solved.tour is not None:
        assert events[-1] == TourFound(tuple(solved.tour.vertices.tolist()), positions)
    else:
        assert solved.refutation is not None
        assert events[-1] == NoTour(solved.refutation.kind, solved.refutation.reason, positions)
    assert not any(isinstance(event, TourFound | NoTour | SearchStopped) for event in events[:-1])
    replay(problem, events)


def replay(problem: Problem, events: list[TraceEvent]) -> None:
    """Each event must follow from those before it."""
    path: list[int] = []
    offered: list[list[int]] = []
    for event in events:
        if isinstance(event, SearchBegun):
            assert event.gave_up == bool(path)
            path, offered = [], []
        elif isinstance(event, Step | MoveRefused):
            assert event.visit == len(path) + 1
            if path:
                assert offered[-1].pop(0) == event.vertex
            if isinstance(event, Step):
                path.append(event.vertex)
                offered.append([candidate.vertex for candidate in event.candidates])
                for candidate in event.candidates:
                    onward = set(problem.graph.neighbours(candidate.vertex).tolist()) - set(path)
                    assert candidate.exits == len(candidate.onward) == len(onward & set(candidate.onward))
                    assert candidate.vertex not in path
            else:
                assert event.pruning in FLAGS
        elif isinstance(event, Backtrack):
            assert (event.vertex, event.visit) == (path.pop(), len(path) + 1)
            assert offered.pop() == []
            assert event.back_to == (path[-1] if path else None)
            assert (event.why == "refused") <= bool(event.prunings)
    if isinstance(events[-1], TourFound) and path:
        assert len(path) == problem.graph.order
        assert set(path) == set(events[-1].vertices)


def test_a_backtrack_says_why() -> None:
    events, _ = events_and_answer(Problem(Board(5).graph, True, 0), Dfs(order="start", prune="applet"))
    why = Counter(event.why for event in events if isinstance(event, Backtrack))
    assert why["refused"] > 0
    assert why["tried"] > 0
    assert {event.pruning for event in events if isinstance(event, MoveRefused)} == {"applet-start", "applet-exits"}
    events, _ = events_and_answer(Problem(Board(3, 4).graph, True, 0), Dfs(prune="none"))
    why = Counter(event.why for event in events if isinstance(event, Backtrack))
    assert set(why) == {"stuck", "full", "tried"}  # open tours that don't close fill the board


@pytest.mark.parametrize("records", [3, 10])
def test_a_smaller_ring_tells_the_same(records: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, dfs = Problem(Board(3, 6).graph, True), Dfs(order="start", prune="applet")
    events, _ = events_and_answer(problem, dfs)
    monkeypatch.setattr(native_state, "RING_RECORDS", records)
    assert events_and_answer(problem, dfs)[0] == events


def test_the_kernel_runs_only_as_far_as_events_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    slices = []

    def counted(state: PathSearch, budget: int, most: int) -> int:
        slices.append(int(state.counters[RING]))
        return int(paths_search(state, budget, most))

    monkeypatch.setattr("cpsat_tour.native.dfs.paths_search", counted)
    stream = trace(Problem(Board(7).graph, True, 0), Dfs(prune="none"))
    for _ in range(200):
        next(stream)
    assert slices == [0]
    for _ in range(20000):
        next(stream)
    assert set(slices) == {0}
    assert 5 < len(slices) < 40


def test_limits_end_the_stream_after_all_that_was_done() -> None:
    problem, dfs = Problem(Board(7).graph, True, 0), Dfs(prune="none")
    events, answer = events_and_answer(problem, dfs, Limits(work=5000))
    assert answer.stopped_by is not None
    assert events[-1] == SearchStopped(answer.stopped_by, 5000)
    assert sum(isinstance(event, Step) for event in events) == 5000
    assert answer.status == "unknown"


@pytest.mark.parametrize(("side", "closed", "ending"), [(1, False, TourFound), (2, True, NoTour), (5, True, NoTour)])
def test_problems_that_need_no_search(side: int, closed: bool, ending: type[TraceEvent]) -> None:
    events, _ = events_and_answer(Problem(Board(side).graph, closed), Dfs())
    assert [type(event) for event in events] == [ending]


# --- the command ---


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("trace six.edges -O order=plain", 0),
        ("trace 8x8 --start 5,4 -O order=fixed:12345678 -O prune=none -O backtrack=no", 3),
        ("trace 4x4 --start a1 -O prune=applet", 20),
        ("trace 3x4 --start a1", 0),
    ],
)
def test_the_words_of_a_trace(
    call: str, status: int, tmp_path: Path, command: Command, golden: Callable[[str], None]
) -> None:
    """A textbook's example, the dead end of the foresight report, every kind of event, and a tour as a board."""
    six = tmp_path / "six.edges"
    six.write_text(SIX)
    lines = command(call.replace("six.edges", str(six)), status).out.splitlines()
    golden("\n".join(lines if len(lines) < 60 else [*lines[:40], "...", *lines[-15:]]))


def test_the_json_stream_is_the_stream_of_the_engine(command: Command) -> None:
    call = "trace 5x6 --closed --hole a1 --hole b1 -O prune=applet -O order=pohl --seed 3 --json-stream"
    first, *lines = map(json.loads, command(call).out.splitlines())
    board = Board(5, 6, ["a1", "b1"])
    events, _ = events_and_answer(Problem(board.graph, True), Dfs(order="pohl", prune="applet"), Limits(seed=3))
    assert lines == [json.loads(json.dumps(event_data(event))) for event in events]
    assert first["event"] == "problem"
    assert first["places"] == board.coordinates.tolist()
    assert (first["order"], first["prune"], first["backtrack"]) == ("pohl", "applet", True)


def test_a_line_of_the_stream_is_written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Ctrl-C between the event and the end of its line would join it to the next."""
    written: list[str] = []

    class Recorder(io.StringIO):
        def write(self, text: str) -> int:
            written.append(text)
            return len(text)

    monkeypatch.setattr(sys, "stdout", Recorder())
    assert status(["trace", "3x4", "--json-stream"]) == 0
    assert len(written) > 10
    assert all(text.endswith("}\n") for text in written)
