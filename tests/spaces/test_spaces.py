"""Boards, wrapped boards and boxes: squares in all notations, moves by definition, symmetries, theorems with every
``none`` certified, and JSON both ways."""

from __future__ import annotations

import json
import math
import re
from itertools import combinations, combinations_with_replacement, permutations, product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from cpsat_tour.backends.listing import Listing
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run, solve
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import MAX_VERTICES, Source
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.verify import verify
from cpsat_tour.counting.count import count
from cpsat_tour.drawing.squares import Squares
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.interface.answer import Answer
from cpsat_tour.interface.keywords import problem_of
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces import families
from cpsat_tour.spaces.board import Board, file_letters, file_number, leaper_directions
from cpsat_tour.spaces.box import Box
from cpsat_tour.spaces.families import FAMILIES
from cpsat_tour.spaces.kinds import KINDS, parse_space
from cpsat_tour.spaces.lattice import KNIGHT, Lattice
from cpsat_tour.spaces.problem_data import ASKED, WrongData, problem_data, read_asked, read_problem, read_space
from cpsat_tour.spaces.theorems import has_tour, why_no_tour
from cpsat_tour.spaces.wrapped import MAX_LEAPER, SURFACES, Wrapped

SPACES_PAGE = Path(__file__).resolve().parents[2] / "docs" / "spaces.md"

EXAMPLES = [text for kind in KINDS for text in re.findall(r"\S*[0-9]\S*?(?=,?(?:\s|$))", kind.example)]

# --- bounds, before anything is computed ---


def test_no_graph_has_more_edges_than_its_bound() -> None:
    members = [family.example for family in FAMILIES.values()]
    small = [
        "GP(3,1)",
        "cubic(4,1)",
        "Sheehan(4)",
        "Kneser(9,4)",
        "Q(1)",
        "hubs(20,1)",
        "hubs(5000,1)",
        "hubs-none(20,1)",
    ]
    for text in (*EXAMPLES, *members, *small, "strings(20,1)", "planted(20,1)", "gadgets-none(4,1)"):
        space = parse_space(text)
        assert space is not None
        assert space.graph.size <= space.edge_bound, text
        assert len(space) == space.graph.order


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("Kneser(999999,499998)", "16777216 vertices"),
        ("Kneser(99,9)", "16777216 vertices"),
        ("Kneser(25,12)", "16777216 edges"),
        ("Sheehan(99999)", "16777216 edges"),
        ("hubs(999999,1)", "16777216 edges"),
        ("gadgets(999999,1)", "16777216 vertices"),
        ("256x256x256", "67108864 edges"),
        ("torus:4096x4096", "16777216 edges"),
        ("4097x4097", "16777216 squares"),
    ],
)
def test_a_space_that_is_too_large_is_refused_before_its_graph_is_built(text: str, most: str) -> None:
    with pytest.raises(BadInput, match=f"too large: at most {most} are allowed"):
        parse_space(text)


def test_binomials_are_not_computed_beyond_the_bound() -> None:
    for n, k in [(1, 0), (5, 2), (9, 9), (25, 12), (24, 12), (40, 38)]:
        assert families._subsets(n, k) == comb(n, k)
    assert MAX_VERTICES < families._subsets(999_999, 499_998) < 2**64


def test_a_short_file_does_not_ask_for_a_large_graph() -> None:
    asked: dict[str, Any] = {"closed": True, "start": None, "end": None, "require": [], "forbid": []}
    where: dict[str, Any]
    for where, most in (
        ({"rows": 4096, "cols": 4096, "holes": [], "leaper": [1, 2]}, "262144 squares"),
        ({"sides": [64, 64, 64], "holes": [], "leaper": [1, 2, 3]}, "1048576 edges"),
        ({"family": "Sheehan(65536)"}, "16777216 edges are allowed"),
        ({"family": "Sheehan(4096)"}, "1048576 edges are read from so short a file"),
    ):
        with pytest.raises(WrongData, match=f"at most {most}"):
            read_problem(where | asked, 1000)
    cube = Box(64, 64, 64)
    cube.check_size(6 * len(cube))


# --- every kind ---


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_space_of_each_kind_is_as_its_words_its_json_and_the_theorems_say(text: str) -> None:
    """Read from text and from JSON, named vertex by vertex, with symmetries that keep the moves, and solved."""
    space = parse_space(text)
    assert space is not None
    assert parse_space(str(space)) == space == read_space(json.loads(json.dumps(space.data())))
    graph = space.graph
    assert [space.vertex(space.name(vertex)) for vertex in range(graph.order)] == list(range(graph.order))
    arcs = set(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    for symmetry in space.symmetries():
        assert {(int(symmetry[tail]), int(symmetry[head])) for tail, head in arcs} == arcs
    for closed in (True, False):
        if (known := has_tour(space, closed=closed)) is not None:
            assert bool(run(Problem(graph, closed), load("auto"))) == known
    assert f"`{text}`" in SPACES_PAGE.read_text(encoding="utf-8")


class Strip(Lattice):
    """A strip of eight squares by one, and moves to the next square and the third."""

    holes = frozenset[int]()
    leaper = KNIGHT
    sides = (8, 1)

    def steps(self) -> list[tuple[int, ...]]:
        return [(1, 0), (-1, 0), (3, 0), (-3, 0)]

    def square_name(self, square: int) -> str:
        return str(square)

    def read_name(self, name: str) -> tuple[int, ...] | None:
        return int(name), 0

    def extent(self) -> str:
        return "on the strip: 0 to 7"


def test_a_theorem_on_boards_does_not_speak_of_another_lattice() -> None:
    """On a board of one column the knight has no move."""
    strip = Strip()
    assert run(Problem(strip.graph, True), load("edges"))
    assert has_tour(strip, closed=True) is None
    assert has_tour(Board(8, 1), closed=True) is False


# --- boards ---


@st.composite
def boards(draw: st.DrawFn) -> Board:
    rows, cols = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    holes = draw(st.sets(st.integers(0, rows * cols - 1), max_size=6))
    leaper = draw(st.tuples(st.integers(0, 4), st.integers(0, 4)))
    assume(leaper != (0, 0) and len(holes) < rows * cols)
    return Board(rows, cols, holes, leaper)


@given(boards())
def test_graph_has_the_moves_of_the_leaper_and_no_others(board: Board) -> None:
    graph = board.graph
    places = [divmod(square, board.cols) for square in range(board.rows * board.cols) if square not in board.holes]
    assert graph.order == len(board) == len(places)
    assert not graph.directed
    for tail, (row, col) in enumerate(places):
        moves = [
            head for head, (r, c) in enumerate(places) if sorted((abs(r - row), abs(c - col))) == sorted(board.leaper)
        ]
        assert graph.neighbours(tail).tolist() == moves
    assert graph.indptr.dtype == graph.indices.dtype == np.int32
    assert board.coordinates.tolist() == [list(place) for place in places]


@given(boards())
def test_both_notations_name_the_same_square(board: Board) -> None:
    for vertex, square in enumerate(board.squares.tolist()):
        row, col = divmod(square, board.cols)
        name = board.name(vertex)
        for which in ((row, col), name, name.upper(), f" {name} ", f"{row},{col}", f"{row} , {col}"):
            assert board.square(which) == square
            assert board.vertex(which) == vertex
        assert (board.square(square), board.vertex(vertex)) == (square, vertex)
        assert name == f"{file_letters(col)}{board.rows - row}"


@given(boards())
def test_holes_and_outside_are_refused(board: Board) -> None:
    outside = [
        -1,
        board.rows * board.cols,
        (-1, 0),
        (0, -1),
        (board.rows, 0),
        (0, board.cols),
        f"a{board.rows + 1}",
        "a0",
        f"{board.rows},0",
    ]
    for which in [*outside, *board.holes]:
        with pytest.raises(BadInput, match="square"):
            board.square(which)


@given(st.integers(0, 10**6))
def test_file_letters_count_on_after_z(col: int) -> None:
    assert file_number(file_letters(col)) == col
    assert [file_letters(n) for n in (0, 25, 26, 51, 52, 701, 702)] == ["a", "z", "aa", "az", "ba", "zz", "aaa"]


def test_directions_of_the_knight_are_numbered_clockwise() -> None:
    assert leaper_directions((1, 2)) == [(-2, 1), (-1, 2), (1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1)]
    assert leaper_directions((2, 1)) == leaper_directions((1, 2))


@pytest.mark.parametrize(
    ("text", "rows", "cols"),
    [("8x8", 8, 8), ("8", 8, 8), ("3X4", 3, 4), (" 1x1 ", 1, 1), ("08x8", 8, 8), ("1x16777216", 1, MAX_VERTICES)],
)
def test_sizes_that_people_write(text: str, rows: int, cols: int) -> None:
    board = Board.parse(text)
    assert (board.rows, board.cols, str(board)) == (rows, cols, f"{rows}x{cols}")


def test_holes_in_any_notation_and_named_twice() -> None:
    board = Board(3, holes=["a1", 6, (2, 0), "2,0", "c3"])
    assert board.holes == {6, 2}
    assert board.vertices.tolist() == [0, 1, -1, 2, 3, 4, -1, 5, 6]
    assert hash(board) == hash(Board(3, holes=[2, 6]))


def test_a_board_keeps_at_least_one_square() -> None:
    assert len(Board(1, 2, holes=["a1"])) == 1


def test_numpy_integers_are_whole_numbers() -> None:
    board = Board(np.int64(3), np.int32(4), holes=[np.int32(5)], leaper=(np.int64(1), np.int8(2)))  # type: ignore[arg-type]
    assert board == Board(3, 4, holes=[5])
    assert type(board.rows) is int
    assert board.square((np.int64(0), np.int64(1))) == board.square(np.int32(1)) == 1
    # A side as int8 must not overflow when it is multiplied.
    assert len(Board(np.int8(100), np.int8(100))) == 10_000  # type: ignore[arg-type]


def test_leaper_longer_than_the_board_has_no_moves() -> None:
    for leaper in ((5, 9), (0, 3), (10**9, 10**9), (0, 2**70)):
        graph = Board(3, leaper=leaper).graph
        assert (graph.order, graph.size) == (9, 0)


# --- wrapped boards ---


@pytest.mark.parametrize("surface", SURFACES)
def test_the_longest_leaper_goes_round(surface: str) -> None:
    assert Wrapped(surface, 3, leaper=(1, MAX_LEAPER)).graph.order == 9


EXCEPTIONS = {
    "mobius": {(1, n) for n in range(1, 9)}
    | {(m, 1) for m in range(1, 6)}
    | {(2, n) for n in (2, 4, 6, 8)}
    | {(3, 4), (4, 3), (4, 5), (4, 7)},
    "klein": {(1, 1), (1, 2), (2, 1)},
}
"""The wrapped_boards of sides up to 8 without a closed knight's tour."""


@st.composite
def wrapped_boards(draw: st.DrawFn) -> Wrapped:
    surface, rows, cols = draw(st.sampled_from(sorted(SURFACES))), draw(st.integers(1, 5)), draw(st.integers(1, 5))
    holes = draw(st.sets(st.integers(0, rows * cols - 1), max_size=3))
    leaper = draw(st.tuples(st.integers(0, 6), st.integers(0, 6)))
    assume(leaper != (0, 0) and len(holes) < rows * cols)
    return Wrapped(surface, rows, cols, holes, leaper)


def walked(board: Wrapped, row: int, col: int, step: tuple[int, int]) -> tuple[int, int] | None:
    """Where a step ends that is walked along the row first, one square at a time over the borders, then along the
    column."""
    down, across = step
    for _ in range(abs(across)):
        col += 1 if across > 0 else -1
        if not 0 <= col < board.cols:
            col %= board.cols
            if board.surface in ("mobius", "klein"):
                row, down = board.rows - 1 - row, -down
    row += down
    return (
        (row % board.rows, col)
        if board.surface in ("torus", "klein")
        else (row, col)
        if 0 <= row < board.rows
        else None
    )


@given(wrapped_boards())
def test_moves_are_the_steps_walked_one_square_at_a_time(board: Wrapped) -> None:
    places = list(map(tuple, board.coordinates.tolist()))
    short, long = board.leaper
    steps = {
        (down, across)
        for pair in permutations((short, long))
        for down, across in product(*((part, -part) for part in pair))
    }
    for tail, (row, col) in enumerate(places):
        there = {walked(board, row, col, step) for step in steps} - {(row, col)}
        assert board.graph.neighbours(tail).tolist() == [head for head, place in enumerate(places) if place in there]


@given(wrapped_boards())
def test_symmetries_keep_the_moves_and_form_a_group(board: Wrapped) -> None:
    found = board.symmetries()
    assert found[0].tolist() == list(range(len(board)))
    kept = {symmetry.tobytes() for symmetry in found}
    assert len(kept) == len(found)
    adjacent = np.zeros((len(board), len(board)), dtype=bool)
    adjacent[board.graph.tails, board.graph.indices] = True
    for symmetry in found:
        assert (adjacent[np.ix_(symmetry, symmetry)] == adjacent).all()
        assert all(symmetry[other].tobytes() in kept for other in found[:: max(1, len(found) // 7)])


def test_number_of_symmetries() -> None:
    sizes = ("torus:5x5", "torus:5x6", "cylinder:4x7", "mobius:3x5", "klein:4x6", "klein:5x6")
    assert [len(graph_of(size).space.symmetries()) for size in sizes] == [200, 120, 28, 20, 48, 24]


@given(wrapped_boards())
def test_each_move_is_drawn_inside_the_board_at_its_length(board: Wrapped) -> None:
    places = board.coordinates + 0.5
    directions = board.directions(board.graph.tails, board.graph.indices)
    assert directions.min(initial=1) >= 1
    assert directions.max(initial=8) <= 8
    for tail, head in zip(board.graph.tails.tolist(), board.graph.indices.tolist(), strict=True):
        pieces = board.layout.segments(tail, head)
        ends = [*pieces[0], *pieces[-1]] if pieces else [places[tail], places[head]] * 2
        assert np.allclose(ends[0], places[tail])
        assert np.allclose(ends[-1], places[head])
        assert math.isclose(
            sum(map(math.dist, *zip(*pieces, strict=True))) if pieces else math.dist(ends[0], ends[1]),
            math.hypot(*board.leaper),
        )
        for row, col in (point for piece in pieces for point in piece):
            assert -1e-9 <= row <= board.rows + 1e-9
            assert -1e-9 <= col <= board.cols + 1e-9


def has_proved_tour(problem: Problem, folder: Path) -> bool:
    """Whether `prove` finds a tour, which is verified; else its certificate is checked and names the space."""
    outcome = prove(problem)
    if not isinstance(outcome, Answer):
        outcome.write(folder)
        verdict = check(folder)
        assert verdict.valid, verdict.fault
        assert problem.graph.called in verdict.claim
        return False
    assert outcome.tour is not None, problem
    verify(problem, outcome.tour.vertices)
    return True


@pytest.mark.parametrize("most", [4, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("surface", SURFACES)
def test_every_small_wrapped_board_is_decided_by_proof_and_by_search(surface: str, most: int, tmp_path: Path) -> None:
    """By a checked certificate, or a verified tour, and by the edge search; against the theorems and the exceptions."""
    for rows, cols in product(range(1, most + 1), repeat=2):
        board = Wrapped(surface, rows, cols)
        problem = Problem(board.graph, True)
        known = (rows, cols) not in EXCEPTIONS[surface] if surface in EXCEPTIONS else has_tour(board, closed=True)
        assert has_proved_tour(problem, tmp_path / f"{rows}x{cols}") == known, str(board)
        assert bool(run(problem, load("edges"))) == known, str(board)


def test_the_table_of_exceptions_is_the_one_in_the_documentation() -> None:
    page = SPACES_PAGE.read_text(encoding="utf-8")
    for surface, boards_without in EXCEPTIONS.items():
        row = re.search(rf"^\| `{surface}` \|[^|]*\| (.*?) \|$", page, re.MULTILINE)
        assert row is not None
        named = [tuple(map(int, found)) for found in re.findall(r"(\d+)x(\d+)", row[1])]
        assert sorted(named) == sorted(boards_without)


@pytest.mark.parametrize(
    ("text", "leaper", "closed", "number"),
    [
        ("torus:3x4", "1,2", True, 14934),
        ("torus:4x4", "0,1", True, 1344),
        ("cylinder:4x5", "1,2", True, 7432),
        ("cylinder:3x6", "1,2", False, 138816),
        ("mobius:4x4", "1,2", True, 1464),
        ("mobius:5x4", "1,2", True, 76544),
        ("klein:3x4", "1,2", True, 45968),
        ("klein:4x4", "0,1", False, 39616),
        ("2x3x4", "1,2", True, 12132),
        ("3x3x2", "0,1", False, 16880),
    ],
)
def test_counts_by_the_frontier_method_and_by_listing(text: str, leaper: str, closed: bool, number: int) -> None:
    space = parse_space(text, (), leaper)
    assert space is not None
    problem = Problem(space.graph, closed)
    assert count(problem).number == number == sum(len(batch.tours) for batch in Listing(problem, load("edges")))


def test_theorems_speak_of_whole_boards_and_knights_alone() -> None:
    assert why_no_tour(Wrapped("cylinder", 4, 6), closed=True) == (
        "Watkins 2000: the 4x6 cylinder has no closed knight's tour, for it has 4 rows, and the number of "
        "columns is even."
    )
    assert has_tour(Wrapped("torus", 5, leaper=(1, 4)), closed=True) is None
    assert has_tour(Wrapped("torus", 5, holes=["a1"]), closed=True) is None
    assert has_tour(Wrapped("klein", 5), closed=True) is None
    assert has_tour(Wrapped("torus", 5), closed=False) is None


@given(wrapped_boards())
def test_boards_come_back_from_json_and_from_their_names(board: Wrapped) -> None:
    written = json.loads(json.dumps(problem_data(Problem(board.graph, True))))
    assert read_space({key: value for key, value in written.items() if key not in ASKED}) == board
    leaper = f"{board.leaper[0]},{board.leaper[1]}"
    assert parse_space(str(board), [board.square_name(hole) for hole in board.holes], leaper) == board


# --- boxes ---


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


@pytest.mark.parametrize(("most", "counts"), [(36, (87, 78)), pytest.param(64, (181, 145), marks=pytest.mark.slow)])
def test_every_small_box_has_a_tour_or_a_certificate_as_the_theorem_says(
    most: int, counts: tuple[int, int], tmp_path: Path
) -> None:
    """DeMaio & Mathew 2011: where there is no closed tour that is certified, and the certificate is checked."""
    boxes = [Box(*sides) for sides in combinations_with_replacement(range(1, most + 1), 3) if np.prod(sides) <= most]
    known = [has_tour(box, closed=True) for box in boxes if len(box) > 1]
    found = [has_proved_tour(Problem(box.graph, True), tmp_path / str(box)) for box in boxes if len(box) > 1]
    assert found == known
    assert (len(found), found.count(False)) == counts


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
    assert Box(4, 4, 3, leaper=(1, 0, 2)) == Box(4, 4, 3) == parse_space("4x4x3", (), "2,1,0")
    box = parse_space("4x4x4", (), "1,2,2")
    assert box is not None
    assert (len(box.graph.neighbours(0)), box.called()) == (3, "the 4x4x4 box by a 1,2,2 leaper")


def test_typed_spaces_are_boards_boxes_or_files(tmp_path: Path) -> None:
    assert [str(parse_space(typed)) for typed in ("8", " 3X4 ", "4\u00d74\u00d73")] == ["8x8", "3x4", "4x4x3"]
    assert problem_of(8).graph.space == problem_of("8").graph.space == Board(8)
    path = tmp_path / "a.edges"
    path.write_text("a b\nb c\n")
    assert graph_of(str(path)).order == 3
    with pytest.raises(BadInput, match="can't have"):
        graph_of(str(path), ["a1"])


def test_a_tour_is_printed_layer_by_layer() -> None:
    box = Box(2, 3, 2, holes=["c1.2"])
    assert tour_text(box, np.arange(11, dtype=np.int32)) == (
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
    assert ground.plane.grid.shape == (10, 10)
    assert [Squares(Box(*sides).layout).plane.grid.shape for sides in ((8, 8, 2), (3, 4, 5), (2, 9, 3))] == [
        *((8, 18), (13, 10), (10, 9)),
    ]
    for tail in range(graph.order):
        stubs = [ground.segments(tail, head)[:1] for head in graph.neighbours(tail).tolist()]
        assert all(math.dist(one[0][1], other[0][1]) > 5 for one, other in combinations(filter(None, stubs), 2))


@pytest.mark.parametrize("text", ["1,4:11x11", "2,3:5x16"])
def test_a_board_is_typed_with_its_leaper(text: str) -> None:
    leaper, _, size = text.partition(":")
    space = parse_space(text)
    assert space == parse_space(size, leaper=leaper) == parse_space(text, leaper=leaper)
    assert str(space) == text
    assert repr(space) == f"<Board {text}>"
    assert str(parse_space(f"1,2:{size}")) == size
    with pytest.raises(BadInput, match="leave out the leaper 5,6"):
        parse_space(text, leaper="5,6")


@pytest.mark.parametrize("n", [3, 4, 10, 31])
def test_tutte_prisms_are_planar_cubic_and_3_connected(n: int) -> None:
    networkx = pytest.importorskip("networkx", reason="planarity is tested by networkx")
    graph = graph_of(f"TuttePrism({n})")
    plain = networkx.Graph(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
    assert set(dict(plain.degree).values()) == {3}
    assert plain.number_of_nodes() == graph.order
    assert networkx.check_planarity(plain)[0]
    assert networkx.node_connectivity(plain) == 3
    assert solve(graph, closed=True).none


@pytest.mark.parametrize("family", ["strings", "planted", "hubs"])
def test_a_star_product_with_petersens_graph_has_no_tour(family: str) -> None:
    hidden, none = graph_of(f"{family}(40,3)"), graph_of(f"{family}-none(40,3)")
    assert solve(hidden, closed=True).tour
    assert (none.order, none.size) == (hidden.order + 8, hidden.size + 12)
    assert solve(none, closed=True, backend="edges").none
    assert not none.components.any()
