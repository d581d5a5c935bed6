"""Boxes: squares in all notations, moves in every plane by definition, symmetries, JSON, and layers."""

from __future__ import annotations

import json
import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from cpsat_tour.core.graph import Source
from cpsat_tour.core.problem import Problem
from cpsat_tour.drawing.squares import Squares
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.box import Box
from cpsat_tour.spaces.kinds import parse_space
from cpsat_tour.spaces.problem_data import ASKED, WrongData, problem_data, read_asked, read_space
from cpsat_tour.spaces.theorems import has_tour, why_no_tour

HOLED = Box(2, 3, 3, holes=["b2.2", "b1.2"])
"""Sixteen squares with 144 closed tours and 5152 open ones."""


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    sides = draw(st.tuples(*[st.integers(1, 4)] * 3))
    holes = draw(st.sets(st.integers(0, int(np.prod(sides)) - 1), max_size=4))
    leaper = draw(st.one_of(st.tuples(*[st.integers(0, 3)] * 2), st.tuples(*[st.integers(0, 3)] * 3)))
    assume(any(leaper) and len(holes) < np.prod(sides))
    return Box(sides[0], sides[1], sides[2], holes, leaper)


@given(boxes())
def test_graph_has_the_moves_of_the_leaper_in_every_plane_and_no_others(box: Box) -> None:
    places = [
        place for place in product(*map(range, box.sides)) if np.ravel_multi_index(place, box.sides) not in box.holes
    ]
    assert box.coordinates.tolist() == [list(place) for place in places]
    for tail, here in enumerate(places):
        steps = [sorted(abs(a - b) for a, b in zip(here, there, strict=True)) for there in places]
        leap = sorted((0, *box.leaper)[-3:])
        assert box.graph.neighbours(tail).tolist() == [head for head, step in enumerate(steps) if step == leap]


@given(boxes())
def test_every_notation_names_the_same_square(box: Box) -> None:
    for vertex, (row, col, layer) in enumerate(box.coordinates.tolist()):
        name = box.name(vertex)
        assert name == f"{'abcd'[col]}{box.rows - row}.{layer + 1}"
        for which in (
            name,
            name.upper(),
            f" {name} ",
            (row, col, layer),
            f"{row},{col}, {layer}",
            vertex,
        ):
            assert box.vertex(which) == vertex
        assert box.vertex_from_data(box.vertex_data(vertex)) == box.vertex_from_data(name) == vertex
    assert len(set(map(box.name, range(len(box))))) == len(box)


def test_the_theorem_speaks_of_whole_boxes_and_knights_alone() -> None:
    assert (
        why_no_tour(Box(3, 3, 2), closed=True)
        == "DeMaio & Mathew 2011: the 3x3x2 box has no closed knight's tour, for it is the 2x3x3 box."
    )
    assert [
        has_tour(Box(*sides), closed=True) for sides in ((2, 2, 9), (3, 3, 5), (1, 3, 10), (1, 4, 4), (2, 3, 4))
    ] == [0, 0, 1, 0, 1]
    assert has_tour(HOLED, closed=True) is None
    assert has_tour(Box(4, 4, 4, leaper=(0, 1)), closed=True) is None
    assert [has_tour(Box(1, n, n), closed=False) for n in (4, 5)] == [
        has_tour(Board(n, n), closed=False) for n in (4, 5)
    ]


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"sides": [4, 4], "holes": [], "leaper": [1, 2]}, ("sides",)),
        ({"sides": [4, 4, "3"], "holes": [], "leaper": [1, 2]}, ("sides", 2)),
        ({"sides": [4, 4, True], "holes": [], "leaper": [1, 2]}, ("sides", 2)),
        ({"sides": [4, 4, 10**30], "holes": [], "leaper": [1, 2]}, ()),
        ({"sides": [4, 4, 0], "holes": [], "leaper": [1, 2]}, ()),
        ({"sides": [4, 4, 3], "holes": [[0, 0, None]], "leaper": [1, 2]}, ("holes", 0, 2)),
        ({"sides": [4, 4, 3], "holes": ["e1.1"], "leaper": [1, 2]}, ()),
        ({"sides": [4, 4, 3], "leaper": [1, 2]}, ("holes",)),
        ({"sides": [4, 4, 3], "holes": [], "leaper": [1, 2, 3, 4]}, ()),
        ({"sides": [4, 4, 3], "holes": [], "leaper": [0, 0, 0]}, ()),
        ({"sides": [4, 4, 3], "holes": [], "leaper": [1, 2], "torus": True}, ("torus",)),
    ],
)
def test_json_that_describes_no_box_says_where(data: dict[str, object], path: tuple[str | int, ...]) -> None:
    with pytest.raises(WrongData) as fault:
        read_space(data)
    assert fault.value.path == path


def test_three_numbers_lead_along_all_axes() -> None:
    assert Box(4, 4, 3, leaper=(1, 0, 2)) == Box(4, 4, 3) == parse_space("4x4x3", (), "2,1,0")
    box = parse_space("4x4x4", (), "1,2,2")
    assert box is not None
    assert (len(box.graph.neighbours(0)), box.called()) == (3, "the 4x4x4 box by a 1,2,2 leaper")


def test_a_tour_is_printed_layer_by_layer() -> None:
    assert tour_text(Box(2, 3, 2, holes=["c1.2"]), np.arange(11, dtype=np.int32)) == (
        "layer 1\n    a  b  c\n2   1  3  5  2\n1   7  9 11  1\n    a  b  c\n\n"
        "layer 2\n    a  b  c\n2   2  4  6  2\n1   8 10 ##  1\n    a  b  c\n"
    )


def test_drawn_lines_stay_in_their_layers() -> None:
    box = Box(4, 4, 4)
    graph = box.graph
    ground = Squares(box.layout)
    for tail, head in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True):
        squares = [ground.centre(tail), ground.centre(head)]
        pieces = ground.segments(tail, head)
        assert bool(pieces) is (graph.space.vertex_data(tail)[2] != graph.space.vertex_data(head)[2])
        assert [piece[0] for piece in pieces] == squares[: len(pieces)]
        for piece in pieces:
            near = min(squares, key=lambda square: abs(square[0] - piece[0][0]) + abs(square[1] - piece[0][1]))
            assert all(abs(x - near[0]) < 50 and abs(y - near[1]) < 50 for x, y in piece), "a stub stays in its square"
        assert ground.titles[head] == graph.name(head).split(".")[1]


def test_layers_fill_a_square_and_two_stubs_of_a_place_end_apart() -> None:
    box = Box(4, 4, 4)
    graph, ground = box.graph, Squares(box.layout)
    assert ground.grid.shape == (10, 10)
    assert [Squares(Box(*sides).layout).grid.shape for sides in ((8, 8, 2), (3, 4, 5), (2, 9, 3))] == [
        *((8, 18), (13, 10), (10, 9)),
    ]
    for tail in range(graph.order):
        stubs = [ground.segments(tail, head)[:1] for head in graph.neighbours(tail).tolist()]
        assert all(math.dist(one[0][1], other[0][1]) > 5 for one, other in combinations(filter(None, stubs), 2))


SYMMETRIES: list[tuple[Board | Box, int]] = [
    *((Board(*sides), number) for sides, number in (((1, 1), 1), ((1, 3), 2), ((5, 5), 8), ((5, 6), 4), ((6, 6), 8))),
    (Board(5, leaper=(1, 4)), 8),
    (Board(4, 7, leaper=(0, 1)), 4),
    (Board(4, 5, holes=["a1", "e4"]), 2),
    *(
        (Board(5, holes=holes.split()), number)
        for holes, number in (("a1", 2), ("c3", 8), ("a1 e5", 4), ("b1 e2 d5 a4", 4), ("b1", 1))
    ),
    *((Box(*sides), number) for sides, number in (((3, 3, 3), 48), ((2, 3, 2), 16), ((2, 3, 4), 8), ((1, 1, 3), 2))),
    (Box(3, 3, 3, holes=["a1.1"]), 6),
    (HOLED, 16),
]


@pytest.mark.parametrize(("space", "number"), SYMMETRIES, ids=str)
def test_symmetries_are_the_automorphisms_that_keep_distances(space: Board | Box, number: int) -> None:
    found, graph = space.symmetries(), space.graph
    assert found[0].tolist() == list(range(len(space)))
    assert len(np.unique(found, axis=0)) == len(found) == number
    where = space.coordinates.astype(int)
    distances = ((where[:, None] - where) ** 2).sum(axis=2)
    arcs = set(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    for symmetry in found:
        assert (distances[np.ix_(symmetry, symmetry)] == distances).all()
        assert {(int(symmetry[tail]), int(symmetry[head])) for tail, head in arcs} == arcs


@given(st.one_of(boxes(), st.builds(Board, st.integers(1, 5), st.integers(1, 5))), st.booleans(), st.data())
def test_problems_come_back_from_json(space: Source, closed: bool, data: st.DataObject) -> None:
    vertices = st.integers(0, len(space) - 1)
    start, end = data.draw(vertices), data.draw(vertices)
    edges = list(zip(*(ends.tolist() for ends in space.graph.edges()), strict=True))
    require, forbid = (
        tuple(data.draw(st.lists(st.sampled_from(edges), max_size=3, unique=True))) if edges else () for _ in range(2)
    )
    problem = Problem(space.graph, closed, start, end, require, forbid)
    written = json.loads(json.dumps(problem_data(problem)))
    assert read_space({key: value for key, value in written.items() if key not in ASKED}) == space
    assert problem_data(read_asked(space.graph, {key: written[key] for key in ASKED})) == problem_data(problem)
