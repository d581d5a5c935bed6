"""Counts of readings, and the default: the frontier method, and beside it the edge search."""

from collections.abc import Iterator

import pytest
from brute_force import brute_force

from cpsat_tour import Board, Graph, Limits, Problem
from cpsat_tour.core.runs import Event, Progress
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


def test_ctrl_c_ends_both_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "HEAD_START", 0.0)

    def interrupt(event: Event) -> None:
        if isinstance(event, Progress) and event.work.get("tours", 0) > 2000:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as ended:
        exact_count(Problem(Board(7, 8).graph, True), None, Limits(), interrupt)
    assert ended.value.known.at_least > 2000
    assert ended.value.known.stopped_by == "interrupt"
