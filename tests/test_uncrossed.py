"""Uncrossed paths and cycles: both methods against brute force and the published lengths, and the periods of narrow boards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from test_best import cross

from cpsat_tour import BadInput, Board, HamiltonProblem, TourFault, best
from cpsat_tour.backends.best import optimise
from cpsat_tour.backends.best_uncrossed import LongestUncrossed
from cpsat_tour.core.answer import Limits
from cpsat_tour.counting.uncrossed import TooWide, UncrossedSweep, uncrossed_period
from cpsat_tour.formats.spaces import graph_of
from cpsat_tour.models.best_uncrossed import cliques
from cpsat_tour.spaces.segments import pairs_that_cross
from cpsat_tour.spaces.uncrossed import verify_uncrossed

WAYS = ("frontier", "cpsat:uncrossed")

OPEN = {3: 2, 4: 5, 5: 10, 6: 17}
"""The moves of the longest uncrossed path of n x n: A003192 in the On-Line Encyclopedia of Integer Sequences."""

CLOSED = {5: 8, 6: 12, 7: 24}
"""Likewise of the longest cycle: A157416."""

CLOSED_OF_FIVE_ROWS = (0, 0, 4, 6, 8, 12, 14, 18, 20, 22, 24, 28, 30, 34, 34, 38, 40, 44, 46, 48, 50, 54, 56, 60, 60, 64, 66, 70, 72, 74, 76)


def uncrossed(problem: HamiltonProblem) -> Iterator[list[int]]:
    """All uncrossed paths, or cycles, of a problem with its ends and moves, by trying everything."""
    graph = problem.graph
    points = [tuple(point) for point in graph.space.points().tolist()]
    neighbours = [graph.neighbours(vertex).tolist() for vertex in range(graph.order)]

    def extend(path: list[int]) -> Iterator[list[int]]:
        last = path[-1]
        yield path
        for following in neighbours[last]:
            move = (points[last], points[following])
            if following not in path and not any(cross(move, (points[a], points[b])) for a, b in pairwise(path)):
                yield from extend([*path, following])

    for first in range(graph.order) if problem.start is None else [problem.start]:
        for path in extend([first]):
            moves = list(zip(path, path[1:] + path[: problem.closed], strict=False))
            made = {(min(move), max(move)) for move in moves}
            if problem.closed:
                closing = (points[path[-1]], points[path[0]])
                if len(path) < 3 or path[0] not in neighbours[path[-1]]:
                    continue
                if any(cross(closing, (points[a], points[b])) for a, b in moves[:-1]):
                    continue
            elif problem.end not in (None, path[-1]):
                continue
            if made >= set(problem.require) and not made & set(problem.forbid):
                yield path


@pytest.mark.parametrize(
    ("text", "holes", "leaper", "asked"),
    [
        ("3x4", (), "1,2", {}),
        ("4x4", (), "1,2", {}),
        ("4x4", ("b2",), "1,2", {"start": "a1"}),
        ("4x4", (), "1,2", {"start": "a1", "end": "d2"}),
        ("4x4", (), "1,2", {"end": "c3", "forbid": [("a2", "c3")]}),
        ("4x4", (), "1,2", {"require": [("a1", "b3"), ("c1", "d3")]}),
        ("4x4", (), "1,2", {"require": [("b1", "c3"), ("a2", "c3")]}),
        ("4x5", (), "1,2", {"closed": True}),
        ("4x5", (), "1,2", {"closed": True, "start": "c1", "forbid": [("b2", "d1")]}),
        ("4x5", ("c2",), "1,2", {"closed": True, "require": [("a1", "b3")]}),
        ("3x5", (), "0,2", {}),
        ("3x4", (), "1,1", {}),
        ("3x3", (), "0,1", {"closed": True}),
        ("2x5", (), "1,3", {}),
        ("1x1", (), "1,2", {}),
        ("1x3", (), "1,2", {"end": "a1"}),
        ("2x2x3", (), "1,2", {}),
    ],
)
def test_both_methods_against_brute_force(text: str, holes: tuple[str, ...], leaper: str, asked: dict[str, Any]) -> None:
    graph = graph_of(text, holes, leaper)
    vertex = graph.space.vertex
    start, end = (vertex(asked[key]) if key in asked else None for key in ("start", "end"))
    require, forbid = (tuple((vertex(a), vertex(b)) for a, b in asked.get(key, ())) for key in ("require", "forbid"))
    problem = HamiltonProblem(graph, bool(asked.get("closed")), start, end, require, forbid)
    values = {optimise(LongestUncrossed(problem), way).value for way in WAYS}
    assert len(values) == 1
    if isinstance(graph.space, Board):
        assert values == {max((len(path) - (not problem.closed) for path in uncrossed(problem)), default=None)}


@pytest.mark.parametrize(("closed", "size", "moves"), [*((False, *each) for each in OPEN.items()), *((True, *each) for each in CLOSED.items())])
def test_published_squares(closed: bool, size: int, moves: int) -> None:
    found = best(Board(size), longest="uncrossed", closed=closed)
    assert (found.value, found.bound, found.known, found.answer.backend) == (moves, moves, "exhausted", "frontier")


@pytest.mark.parametrize(
    ("rows", "cols", "closed"),
    [
        pytest.param(rows, cols, closed, marks=[pytest.mark.slow] * (cols > 5))
        for rows in range(3, 8)
        for cols in range(rows, 8)
        for closed in (False, True)
        if closed or rows < 7  # the second method does not close 7x7 open within minutes
    ],
)
def test_both_methods_agree_on_rectangles(rows: int, cols: int, closed: bool) -> None:
    ways = [best(Board(rows, cols), longest="uncrossed", closed=closed, backend=way, threads=1) for way in WAYS]
    assert len({way.value for way in ways}) == 1
    assert all(way.optimal or way.answer.status == "none" for way in ways)


def test_limits_are_kept_on_wide_boards() -> None:
    """The frontier of 9x9 has a million states: it looks at the clock between them."""
    found = optimise(LongestUncrossed(HamiltonProblem(Board(9).graph, False)), "frontier", Limits(seconds=1e-9))
    assert found.answer.stopped_by == "time"
    assert "vertices" not in found.answer.work


@pytest.mark.parametrize(("rows", "since", "columns", "moves"), [(3, 9, 4, 4), (4, 11, 3, 6), (5, 22, 10, 26)])
def test_periods_hold_on_longer_boards(rows: int, since: int, columns: int, moves: int) -> None:
    period = uncrossed_period(rows)
    assert (period.since, period.columns, period.moves) == (since, columns, moves)
    long = HamiltonProblem(Board(rows, 44).graph, True)
    sweep = UncrossedSweep(long, pairs_that_cross(long.graph), kept=False)
    lengths = [swept.longest or 0 for number, swept in enumerate(sweep.run(), start=1) if number % rows == 0]
    assert lengths[: len(period.lengths)] == list(period.lengths)
    assert all(lengths[n + columns - 1] == lengths[n - 1] + moves for n in range(since, 44 - columns + 1))
    if rows == 5:
        assert tuple(lengths[: len(CLOSED_OF_FIVE_ROWS)]) == CLOSED_OF_FIVE_ROWS


def test_wide_boards_are_given_up_by_the_frontier() -> None:
    problem = HamiltonProblem(Board(16).graph, False)
    with pytest.raises(TooWide):
        UncrossedSweep(problem, pairs_that_cross(problem.graph))


def test_every_pair_is_in_a_clique_and_cliques_cross() -> None:
    graph = Board(5, 6).graph
    pairs = {tuple(pair) for pair in pairs_that_cross(graph).tolist()}
    found = cliques(graph.size, pairs_that_cross(graph))
    inside = {(min(a, b), max(a, b)) for clique in found for a in clique for b in clique if a != b}
    assert inside == pairs
    assert {edge for clique in found for edge in clique} == set(range(graph.size))


@pytest.mark.parametrize(
    ("vertices", "closed", "fault"),
    [
        ([], False, "has at least 1 vertices"),
        ([0, 7], True, "has at least 3 vertices"),
        ([0, 7, 0], False, "visited twice"),
        ([0, 99], False, "visited twice, or is none"),
        ([0, 1], False, "from a5 to b5, is no move here"),
        ([10, 1, 12, 5], False, "the moves a3-b5 and c3-a4 cross"),
    ],
)
def test_faults_are_named(vertices: list[int], closed: bool, fault: str) -> None:
    with pytest.raises(TourFault, match=fault):
        verify_uncrossed(HamiltonProblem(Board(5).graph, closed), np.array(vertices, dtype=np.int32))


def test_what_can_not_be_asked() -> None:
    with pytest.raises(BadInput, match="symmetry"):
        best("5x5", longest="uncrossed", symmetry="rot180")
    with pytest.raises(BadInput, match="a cycle has no end"):
        best("5x5", longest="uncrossed", closed=True, start="a1", end="b3")
    with pytest.raises(BadInput, match="have no turns and no crossings"):
        best("torus:5x5", longest="uncrossed")
    assert best("4x4", longest="uncrossed", require=[("a1", "b3")], forbid=[("a1", "b3")]).answer.status == "none"
