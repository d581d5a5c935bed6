"""Uncrossed paths and cycles: three methods against brute force and the published lengths, and the periods of narrow
boards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from test_best import cross

from cpsat_tour import BadInput, Board, Problem, TourFault, best
from cpsat_tour.backends.best import optimise
from cpsat_tour.backends.best_run import BestRun, Goal, PairGoal
from cpsat_tour.backends.best_uncrossed import LongestUncrossed
from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.tour import canonical
from cpsat_tour.counting.uncrossed import TooWide, UncrossedSweep, uncrossed_period
from cpsat_tour.counting.uncrossed_paths import PathSearch
from cpsat_tour.formats.spaces import graph_of
from cpsat_tour.models import best_uncrossed
from cpsat_tour.models.best_uncrossed import BestUncrossed, cliques
from cpsat_tour.spaces import segments
from cpsat_tour.spaces.segments import pairs_that_cross
from cpsat_tour.spaces.uncrossed import verify_uncrossed

WIDE = Problem(Board(30).graph, False)

WAYS = ("paths", "frontier", "cpsat:uncrossed")
EXHAUSTIVE = WAYS[:2]

OPEN = {3: 2, 4: 5, 5: 10, 6: 17, 7: 24}
"""The moves of the longest uncrossed path of n x n: A003192 in the On-Line Encyclopedia of Integer Sequences."""

CLOSED = {5: 8, 6: 12, 7: 24}
"""Likewise of the longest cycle: A157416."""

CLOSED_OF_FIVE_ROWS = (
    0,
    0,
    4,
    6,
    8,
    12,
    14,
    18,
    20,
    22,
    24,
    28,
    30,
    34,
    34,
    38,
    40,
    44,
    46,
    48,
    50,
    54,
    56,
    60,
    60,
    64,
    66,
    70,
    72,
    74,
    76,
)


def uncrossed(problem: Problem) -> Iterator[list[int]]:
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
        ("5x5", (), "1,2", {"closed": True}),
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
def test_every_way_against_brute_force(text: str, holes: tuple[str, ...], leaper: str, asked: dict[str, Any]) -> None:
    graph = graph_of(text, holes, leaper)
    vertex = graph.space.vertex
    start, end = (vertex(asked[key]) if key in asked else None for key in ("start", "end"))
    require, forbid = (tuple((vertex(a), vertex(b)) for a, b in asked.get(key, ())) for key in ("require", "forbid"))
    problem = Problem(graph, bool(asked.get("closed")), start, end, require, forbid)
    found = {way: optimise(LongestUncrossed(problem), way) for way in WAYS}
    values = {each.value for each in found.values()}
    assert len(values) == 1
    if isinstance(graph.space, Board):
        paths = {tuple(canonical(problem, path).tolist()) for path in uncrossed(problem)}
        vertices = max(map(len, paths), default=None)
        assert values == {None if vertices is None else vertices - (not problem.closed)}
        assert found["paths"].attained == (sum(len(path) == vertices for path in paths) or None)


@pytest.mark.parametrize(
    ("way", "closed", "size", "moves"),
    [
        pytest.param(
            way, closed, size, moves, marks=[pytest.mark.slow] * (way == "frontier" and not closed and size == 7)
        )
        for way in EXHAUSTIVE
        for closed, published in ((False, OPEN), (True, CLOSED))
        for size, moves in published.items()
    ],
)
def test_published_squares(way: str, closed: bool, size: int, moves: int) -> None:
    found = best(Board(size), longest="uncrossed", closed=closed, backend=way)
    assert (found.value, found.bound, found.known, found.answer.backend) == (moves, moves, "exhausted", way)


def test_published_chessboard() -> None:
    """Too wide for the frontier method; 35 moves of an open path, which are published too, take half a minute."""
    found = best(Board(8), longest="uncrossed", closed=True)
    assert (found.value, found.bound, found.known, found.answer.backend) == (32, 32, "exhausted", "paths")


@pytest.mark.parametrize(
    ("rows", "cols", "closed"),
    [
        pytest.param(rows, cols, closed, marks=[pytest.mark.slow] * (cols > 5))
        for rows in range(3, 8)
        for cols in range(rows, 8)
        for closed in (False, True)
    ],
)
def test_the_ways_agree_on_rectangles(rows: int, cols: int, closed: bool) -> None:
    """CP-SAT does not close 7x7 open within minutes."""
    able = WAYS if closed or rows < 7 else EXHAUSTIVE
    ways = [best(Board(rows, cols), longest="uncrossed", closed=closed, backend=way, threads=1) for way in able]
    assert len({way.value for way in ways}) == 1
    assert all(way.optimal or way.answer.status == "none" for way in ways)


@pytest.mark.parametrize(("way", "size", "counter"), [("frontier", 9, "vertices"), ("paths", 8, "value")])
def test_limits_are_kept_on_wide_boards(way: str, size: int, counter: str) -> None:
    """The frontier of 9x9 has a million states, and 8x8 billions of paths: both look at the clock between them."""
    found = optimise(LongestUncrossed(Problem(Board(size).graph, False)), way, Limits(seconds=1e-9))
    assert found.answer.stopped_by == "time"
    assert found.answer.work.get(counter, 0) < 35


def test_auto_goes_on_where_paths_are_too_many() -> None:
    """A rook of one step crosses nothing, and its paths through all 49 squares are millions."""
    found = optimise(LongestUncrossed(Problem(Board(7, leaper=(0, 1)).graph, False)))
    assert (found.value, found.bound, found.answer.backend) == (48, 48, "frontier")


def test_a_hint_that_is_longest_stays() -> None:
    """No longer one is found then, and all that are as long are counted."""
    tour = best("5x5", longest="uncrossed", backend="frontier").answer.tour
    assert tour is not None
    found = best("5x5", longest="uncrossed", backend="paths", hint=tour.names)
    assert found.answer.tour is not None
    assert (found.answer.tour.names, found.value, found.attained) == (tour.names, 10, 32)


@pytest.mark.parametrize("goal", [LongestUncrossed(WIDE), PairGoal(WIDE, "crossings", False)])
def test_the_clock_is_looked_at_while_crossings_are_sought(goal: Goal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "meet_inside", lambda *_: pytest.fail("the time was over before"))
    found = optimise(goal, limits=Limits(seconds=1e-9))
    assert found.answer.stopped_by == "time"


def test_the_clock_is_looked_at_while_a_large_model_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best_uncrossed, "optimised", lambda *_: pytest.fail("the whole model was stated"))
    run = BestRun(LongestUncrossed(WIDE), Limits(), Clock(0.0))
    with pytest.raises(StoppedEarly, match="time"):
        BestUncrossed().improve(run)


@pytest.mark.parametrize(("rows", "since", "columns", "moves"), [(3, 9, 4, 4), (4, 11, 3, 6), (5, 22, 10, 26)])
def test_periods_hold_on_longer_boards(rows: int, since: int, columns: int, moves: int) -> None:
    period = uncrossed_period(rows)
    assert (period.since, period.columns, period.moves) == (since, columns, moves)
    long = Problem(Board(rows, 44).graph, True)
    sweep = UncrossedSweep(long, pairs_that_cross(long.graph), kept=False)
    lengths = [swept.longest or 0 for number, swept in enumerate(sweep.run(), start=1) if number % rows == 0]
    assert lengths[: len(period.lengths)] == list(period.lengths)
    assert all(lengths[n + columns - 1] == lengths[n - 1] + moves for n in range(since, 44 - columns + 1))
    if rows == 5:
        assert tuple(lengths[: len(CLOSED_OF_FIVE_ROWS)]) == CLOSED_OF_FIVE_ROWS


def test_wide_boards_are_given_up() -> None:
    problem = Problem(Board(16).graph, False)
    with pytest.raises(TooWide):
        UncrossedSweep(problem, pairs_that_cross(problem.graph))
    with pytest.raises(StoppedEarly):
        PathSearch(problem, pairs_that_cross(problem.graph))


def test_every_pair_is_in_a_clique_and_cliques_cross() -> None:
    graph = Board(5, 6).graph
    pairs = {tuple(pair) for pair in pairs_that_cross(graph).tolist()}
    found = list(cliques(graph.size, pairs_that_cross(graph)))
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
        ([0, 1], False, "from a5 to b5, is not a move here"),
        ([10, 1, 12, 5], False, "the moves a3-b5 and c3-a4 cross"),
    ],
)
def test_faults_are_named(vertices: list[int], closed: bool, fault: str) -> None:
    with pytest.raises(TourFault, match=fault):
        verify_uncrossed(Problem(Board(5).graph, closed), np.array(vertices, dtype=np.int32))


def test_what_can_not_be_asked() -> None:
    with pytest.raises(BadInput, match="symmetry"):
        best("5x5", longest="uncrossed", symmetry="rot180")
    with pytest.raises(BadInput, match="a cycle has no end"):
        best("5x5", longest="uncrossed", closed=True, start="a1", end="b3")
    with pytest.raises(BadInput, match="have no turns and no crossings"):
        best("torus:5x5", longest="uncrossed")
    assert best("4x4", longest="uncrossed", require=[("a1", "b3")], forbid=[("a1", "b3")]).answer.status == "none"
