"""Boxes: squares and moves from the definition, symmetries, the theorem on closed tours with every ``none`` certified,
and all the forms."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cpsat_tour.cli.main import status
from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Source
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import verify
from cpsat_tour.drawing.squares import Squares
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.formats.spaces import graph_of, problem_of
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.box import Box
from cpsat_tour.spaces.kinds import read
from cpsat_tour.spaces.problem_data import ASKED, WrongData, problem_data, read_asked, read_space
from cpsat_tour.spaces.theorems import has_tour, sentence

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
    assert box.coordinates().tolist() == [list(place) for place in places]
    for tail, here in enumerate(places):
        steps = [sorted(abs(a - b) for a, b in zip(here, there, strict=True)) for there in places]
        leap = sorted((0, *box.leaper)[-3:])
        assert box.graph.neighbours(tail).tolist() == [head for head, step in enumerate(steps) if step == leap]


@given(boxes())
def test_every_notation_names_the_same_square(box: Box) -> None:
    for vertex, (row, col, layer) in enumerate(box.coordinates().tolist()):
        name = box.name(vertex)
        assert name == f"{'abcd'[col]}{box.rows - row}.{layer + 1}"
        for which in (
            name,
            name.upper(),
            f" {name} ",
            (row, col, layer),
            f"{row},{col}, {layer}",
            int(box.squares[vertex]),
        ):
            assert box.vertex(which) == vertex
        assert box.vertex_at(box.place(vertex)) == box.vertex_at(name) == vertex
    assert len(set(map(box.name, range(len(box))))) == len(box)


@pytest.mark.parametrize(
    "which",
    [
        "a1",
        "e1.1",
        "a5.1",
        "a1.0",
        "a1.4",
        "0,0",
        "0,0,3",
        "4,0,0",
        "a1.1.1",
        "",
        (0, 0),
        (0, 0, 3),
        -1,
        48,
        "a1." + "9" * 5000,
    ],
)
def test_squares_that_are_none(which: str) -> None:
    with pytest.raises(BadInput, match="square"):
        Box(4, 4, 3).vertex(which)


@pytest.mark.parametrize(
    ("box", "number"),
    [
        (Box(3, 3, 3), 48),
        (Box(2, 3, 2), 16),
        (Box(2, 3, 4), 8),
        (Box(1, 1, 3), 2),
        (Box(3, 3, 3, holes=["a1.1"]), 6),
        (HOLED, 16),
    ],
)
def test_symmetries_are_the_permutations_that_keep_distances(box: Box, number: int) -> None:
    found = box.symmetries()
    assert found[0].tolist() == list(range(len(box)))
    assert len(np.unique(found, axis=0)) == len(found) == number
    where = box.coordinates().astype(int)
    distances = ((where[:, None] - where) ** 2).sum(axis=2)
    for symmetry in found:
        assert (distances[np.ix_(symmetry, symmetry)] == distances).all()


@pytest.mark.parametrize(("most", "counts"), [(48, (125, 106)), pytest.param(64, (181, 145), marks=pytest.mark.slow)])
def test_all_small_boxes_against_the_theorem(most: int, counts: tuple[int, int], tmp_path: Path) -> None:
    """DeMaio & Mathew 2011: where there is no closed tour that is certified, and the certificate is checked."""
    some = range(1, most + 1)
    sides = [(a, b, c) for a in some for b in some[a - 1 :] for c in some[b - 1 :] if 1 < a * b * c <= most]
    certified = 0
    for number, lengths in enumerate(sides):
        box = Box(*lengths)
        problem = Problem(box.graph, True)
        outcome = prove(problem)
        if has_tour(box, closed=True):
            assert isinstance(outcome, Answer), str(box)
            assert outcome.tour is not None, str(box)
            verify(problem, outcome.tour.vertices)
        else:
            assert not isinstance(outcome, Answer), str(box)
            outcome.write(tmp_path / str(number))
            verdict = check(tmp_path / str(number))
            assert verdict.valid, verdict.fault
            assert f"the {box} box" in verdict.claim
            certified += 1
    assert (len(sides), certified) == counts


def test_the_theorem_speaks_of_whole_boxes_and_knights_alone() -> None:
    assert (
        sentence(Box(3, 3, 2), closed=True)
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
    again = read_space({key: value for key, value in written.items() if key not in ASKED})
    assert again == space
    reread = read_asked(space.graph, {key: written[key] for key in ASKED})
    assert problem_data(reread) == problem_data(problem)


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
    assert Box(4, 4, 3, leaper=(1, 0, 2)) == Box(4, 4, 3) == read("4x4x3", (), "2,1,0")
    box = read("4x4x4", (), "1,2,2")
    assert box is not None
    assert (len(box.graph.neighbours(0)), box.called()) == (3, "the 4x4x4 box by a 1,2,2 leaper")
    for typed, leaper in (("8x8", "1,2,2"), ("4x4x4", "1,2,2,2"), ("torus:4x4", "1,1,2"), ("4x4x4", "0,0,0")):
        with pytest.raises(BadInput, match="leaper"):
            read(typed, (), leaper)


def test_what_people_type_is_one_of_the_kinds_or_a_file(tmp_path: Path) -> None:
    assert [str(read(typed)) for typed in ("8", " 3X4 ", "4\u00d74\u00d73")] == ["8x8", "3x4", "4x4x3"]
    assert problem_of(8).graph.space == problem_of("8").graph.space == Board(8)
    path = tmp_path / "a.edges"
    path.write_text("a b\nb c\n")
    assert graph_of(str(path)).order == 3
    for typed, reason in (("2x2x2x2", "not a board"), ("GP(5,2)", "takes no holes"), (str(path), "can't have")):
        with pytest.raises(BadInput, match=reason):
            graph_of(typed, ["a1"])


def test_a_tour_is_printed_layer_by_layer() -> None:
    box = Box(2, 3, 2, holes=["c1.2"])
    assert tour_text(box, np.arange(11, dtype=np.int32)) == (
        "layer 1\n    a  b  c\n2   1  3  5  2\n1   7  9 11  1\n    a  b  c\n\n"
        "layer 2\n    a  b  c\n2   2  4  6  2\n1   8 10 ##  1\n    a  b  c\n"
    )


def test_lines_stay_in_their_layers() -> None:
    graph = Box(4, 4, 4).graph
    ground = Squares(graph.space)
    for tail, head in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True):
        squares = [ground.centre(tail), ground.centre(head)]
        pieces = ground.pieces(tail, head)
        assert bool(pieces) is (graph.space.place(tail)[2] != graph.space.place(head)[2])
        assert [piece[0] for piece in pieces[::2]] == squares[: len(pieces)]
        for piece in pieces:
            near = min(squares, key=lambda square: abs(square[0] - piece[0][0]) + abs(square[1] - piece[0][1]))
            assert all(abs(x - near[0]) < 50 and abs(y - near[1]) < 50 for x, y in piece), "a stub stays in its square"


def test_every_command_takes_a_box(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    holed = "2x3x3 --hole b2.2 --hole b1.2"
    for call, expected in (
        (f"count {holed}", "5152"),
        (f"tours {holed} --closed --all --distinct --json", None),
        (f"trace {holed} --closed --boards", None),
        (f"export {holed} --closed --backend sat -o {tmp_path / 'f.cnf'}", None),
        (f"solve 4x4x3 --closed --start a1.1 --require a1.1-b3.1 -o {tmp_path / 'tour.png'}", None),
        ("solve 2x3x4 --closed --json", None),
        ("backends sat 4x4x3 --closed", None),
    ):
        assert status(call.split()) == 0, call
        out = capsys.readouterr().out
        assert expected is None or out.strip() == expected
    assert status(["prove", "3x3x3", "--closed"]) == 0
    assert "DeMaio & Mathew 2011" in capsys.readouterr().out
