"""Counts of readings, and the default: the frontier method, and beside it the edge search."""

from collections.abc import Iterator
from unittest.mock import Mock

import pytest
from brute_force import brute_force

from cpsat_tour import Board, Graph, Limits, Problem, StoppedEarly
from cpsat_tour.core.runs import Event, OnEvent, Progress
from cpsat_tour.engines import counts as counting
from cpsat_tour.engines.counts import count, count_by_listing, directed_readings, exact_count
from cpsat_tour.frontier.sweep import count_by_frontier
from cpsat_tour.tour import Interrupted


def test_directed_readings() -> None:
    for graph in (Board(3, 4).graph, Graph.from_edges(1, []), Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])):
        arcs = Graph(graph.indptr, graph.indices, True, graph.space, checked=True)
        for closed, start, end in (
            (False, None, None),
            (True, None, None),
            (False, 0, None),
            (True, 0, None),
            (False, None, 0),
        ):
            problem, read = (Problem(where, closed, start, end) for where in (graph, arcs))
            assert len(brute_force(read)) == directed_readings(problem) * len(brute_force(problem))


def test_where_the_frontier_is_too_wide_the_tours_are_listed() -> None:
    known = exact_count(Problem(Board(10, leaper=(2, 3)).graph, True), None, Limits())
    assert (known.number, known.method) == (80_320, "edges")
    known = exact_count(Problem(Board(5, 6).graph, True), None, Limits(), memory=1)
    assert (known.number, known.method) == (8, "edges")
    assert exact_count(Problem(Board(5, 6).graph, True), None, Limits(threads=1)).method == "frontier"


def test_the_number_comes_from_the_method_that_ends_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "HEAD_START", 0.0)
    few, many = Problem(Board(8, leaper=(2, 3)).graph, True), Problem(Board(3, 60).graph, True)
    assert exact_count(few, None, Limits()).number == count_by_listing(few, "edges").number
    known = exact_count(many, None, Limits())
    assert (known.number, known.method) == (count_by_frontier(many), "frontier")


def test_with_one_thread_one_method_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "HEAD_START", 0.0)

    def list_nothing(*_: object, **__: object) -> Iterator[int]:
        pytest.fail("the tours are listed beside the frontier method")

    monkeypatch.setattr(counting, "Listing", list_nothing)
    assert count(Problem(Board(6).graph, True), Limits(threads=1), lister="edges").number == 9862


def test_a_count_that_is_stopped_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    """By Ctrl-C while the frontier method works alone, and while the tours are listed, which end it at once."""
    problem = Problem(Board(5, 6).graph, True)

    def interrupt(event: Event) -> None:
        if isinstance(event, Progress) and event.work.get("steps") == 20:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as ended:
        count(problem, on_event=interrupt)
    known = ended.value.known
    assert (known.number, known.work["steps"], known.work["of"]) == (None, 20, 30)
    assert known.work["states"] > 0
    assert known.seconds_left > 0

    def work_and_give_up(_problem: Problem, _limits: Limits, tell: OnEvent, **_: object) -> int:
        tell(Progress({"steps": 20, "of": 30, "states": 7}, 0.5))
        raise StoppedEarly("work")

    monkeypatch.setattr(counting, "count_by_frontier", work_and_give_up)
    monkeypatch.setattr(counting, "Listing", Mock(side_effect=StoppedEarly("time")))
    stopped = [count(problem, lister="edges")]
    monkeypatch.setattr(counting, "Listing", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(Interrupted) as ended:
        count(problem, lister="edges")
    for known, stopped_by in zip([*stopped, ended.value.known], ("time", "interrupt"), strict=True):
        assert (known.method, known.stopped_by) == ("edges", stopped_by)
        assert (known.work["steps"], known.work["tours"]) == (20, 0)
        assert known.seconds_left is not None


def test_ctrl_c_ends_both_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "HEAD_START", 0.0)

    def interrupt(event: Event) -> None:
        if isinstance(event, Progress) and event.work.get("tours", 0) > 2000:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as ended:
        exact_count(Problem(Board(7, 8).graph, True), None, Limits(), interrupt)
    assert ended.value.known.at_least > 2000
    assert ended.value.known.stopped_by == "interrupt"
