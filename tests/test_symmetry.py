"""Symmetries of boards and classes of tours, held against orbits that are counted one by one."""

from __future__ import annotations

import numpy as np
import pytest
from brute_force import Vertices, brute_force

from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.symmetry import TourClasses

BOARDS: list[tuple[Board, int]] = [
    (Board(1), 1),
    (Board(1, 3), 2),
    (Board(5), 8),
    (Board(5, 6), 4),
    (Board(6), 8),
    (Board(5, leaper=(1, 4)), 8),
    (Board(4, 7, leaper=(0, 1)), 4),
    (Board(5, holes=["a1"]), 2),
    (Board(5, holes=["c3"]), 8),
    (Board(5, holes=["a1", "e5"]), 4),
    (Board(5, holes=["b1", "e2", "d5", "a4"]), 4),
    (Board(5, holes=["b1"]), 1),
    (Board(4, 5, holes=["a1", "e4"]), 2),
]


@pytest.mark.parametrize(
    ("board", "count"), BOARDS, ids=[f"{board}-{len(board.holes)}-{board.leaper}" for board, _ in BOARDS]
)
def test_symmetries_are_the_automorphisms_that_turn_or_reflect_the_board(board: Board, count: int) -> None:
    graph = board.graph
    found = graph.space.symmetries()
    assert found[0].tolist() == list(range(graph.order))
    assert len({tuple(symmetry) for symmetry in found.tolist()}) == len(found) == count
    arcs = set(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    where = board.coordinates().astype(int)
    distances = ((where[:, None] - where[None]) ** 2).sum(axis=2)
    for symmetry in found:
        assert sorted(symmetry.tolist()) == list(range(graph.order))
        assert {(int(symmetry[tail]), int(symmetry[head])) for tail, head in arcs} == arcs
        assert (distances[np.ix_(symmetry, symmetry)] == distances).all()


def test_a_graph_that_is_no_board_has_the_identity_alone() -> None:
    assert Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)]).space.symmetries().tolist() == [[0, 1, 2, 3]]


def orbit(problem: Problem, tour: Vertices, turns: Ints) -> set[Vertices]:
    """All tours that are the same as this one, written in every way."""
    ways = set()
    for turn in turns.tolist():
        image = tuple(turn[vertex] for vertex in tour)
        for first in range(len(image)) if problem.closed else (0,):
            rotated = image[first:] + image[:first]
            ways |= {rotated} if problem.graph.directed else {rotated, rotated[::-1]}
    return ways


@pytest.mark.parametrize(
    ("board", "closed", "tours", "classes"),
    [
        (Board(3, 4), False, 8, 3),
        (Board(5), False, 864, 112),
        (Board(5, 6), True, 8, 3),
        (Board(3, 10), True, 16, 6),
        (Board(4, 5), False, 82, 22),
        (Board(4, leaper=(0, 1)), True, 6, 2),
        (Board(4, 5, leaper=(0, 1), holes=["a1", "e4"]), False, None, None),
        (Board(5, leaper=(0, 1), holes=["a1"]), True, None, None),
    ],
)
def test_classes_are_orbits(board: Board, closed: bool, tours: int | None, classes: int | None) -> None:
    problem = Problem(board.graph, closed)
    found = sorted(brute_force(problem))
    seen = TourClasses(problem)
    first = [tour for tour, new in zip(found, seen.new(np.array(found, dtype=np.int32)), strict=True) if new]
    turns = board.symmetries()
    orbits = [orbit(problem, tour, turns) for tour in first]
    assert set().union(*orbits) >= set(found)
    assert sum(map(len, orbits)) == len(set().union(*orbits))
    assert len(seen) == len(first)
    assert len(first) > 0
    assert tours in (None, len(found))
    assert classes in (None, len(first))


def test_classes_are_told_over_batches_and_however_a_tour_is_written() -> None:
    problem = Problem(Board(5, 6).graph, True)
    found = np.array(sorted(brute_force(problem)), dtype=np.int32)
    classes = TourClasses(problem)
    assert classes.new(found).sum() == 3
    assert not classes.new(np.roll(found, 7, axis=1)).any()
    assert not classes.new(found[:, ::-1]).any()


def test_directed_tours_keep_their_direction() -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)], directed=True)
    both = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0]], dtype=np.int32)
    assert TourClasses(Problem(graph, True)).new(both).tolist() == [True, True, False]
    assert TourClasses(Problem(graph, False)).new(both).tolist() == [True, True, True]
