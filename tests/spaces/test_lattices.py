"""Boards, boxes and wrapped boards: moves by definition, squares in all notations, symmetries, drawn moves and JSON;
and what every kind of space has in common."""

import json
import math
import re
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from cpsat_tour import BadInput, Board, Box, Problem, Wrapped, graph_of, load, problem_of
from cpsat_tour.core.graph import MAX_VERTICES
from cpsat_tour.drawing.canvas import Squares
from cpsat_tour.engines.counts import count
from cpsat_tour.engines.runner import Listing, run
from cpsat_tour.formats.boards import tour_text
from cpsat_tour.spaces.board import MAX_LEAPER, SURFACES
from cpsat_tour.spaces.families import FAMILIES
from cpsat_tour.spaces.lattice import KNIGHT, MOVES, Lattice, file_letters, file_number
from cpsat_tour.spaces.problem_data import (
    ASKED,
    KINDS,
    WrongData,
    parse_space,
    problem_data,
    read_asked,
    read_problem,
    read_space,
)
from cpsat_tour.spaces.theorems import has_tour


@st.composite
def boards(draw: st.DrawFn) -> Board:
    rows, cols = draw(st.tuples(*[st.integers(1, 6)] * 2))
    pair = st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(any)
    leaper = draw(st.one_of(pair, st.lists(pair, min_size=1, max_size=3), st.sampled_from(sorted(MOVES))))
    holes = draw(st.sets(st.integers(0, rows * cols - 1), max_size=4))
    surface = draw(st.sampled_from(["", "", *SURFACES]))
    assume(len(holes) < rows * cols)
    return Wrapped(surface, rows, cols, holes, leaper) if surface else Board(rows, cols, holes, leaper)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    rows, cols, height = draw(st.tuples(*[st.integers(1, 4)] * 3))
    holes = draw(st.sets(st.integers(0, rows * cols * height - 1), max_size=4))
    leaper = draw(st.one_of(st.tuples(*[st.integers(0, 3)] * 2), st.tuples(*[st.integers(0, 3)] * 3)))
    assume(any(leaper) and len(holes) < rows * cols * height)
    return Box(rows, cols, height, holes, leaper)


LATTICES = st.one_of(boards(), boxes())

HOLED = Box(2, 3, 3, holes=["b2.2", "b1.2"])
"""Sixteen squares with 144 closed tours and 5152 open ones."""


def walked(board: Wrapped, here: tuple[int, ...], step: tuple[int, ...]) -> tuple[int, ...]:
    """Where a step ends that is walked along the row first, one square at a time over the borders, then along the
    column."""
    (row, col), (down, across) = here, step
    for _ in range(abs(across)):
        col += 1 if across > 0 else -1
        if not 0 <= col < board.cols:
            col %= board.cols
            if board.surface in ("mobius", "klein"):
                row, down = board.rows - 1 - row, -down
    return (row + down) % board.rows if board.surface in ("torus", "klein") else row + down, col


@given(LATTICES)
def test_moves_are_the_steps_of_the_leaper_and_no_others(space: Lattice) -> None:
    places = [place for square, place in enumerate(np.ndindex(space.sides)) if square not in space.holes]
    assert [tuple(place) for place in space.coordinates.tolist()] == places
    assert (space.graph.order, space.graph.directed, len(space)) == (len(places), False, len(places))
    axes, steps = len(space.sides), set[tuple[int, ...]]()
    for leaper, signs in product(space.leapers, product((1, -1), repeat=axes)):
        turns = permutations((0,) * (axes - len(leaper)) + leaper)
        steps |= {tuple(sign * part for sign, part in zip(signs, turned, strict=True)) for turned in turns}
    for tail, here in enumerate(places):
        there = {tuple(map(sum, zip(here, step, strict=True))) for step in steps}
        if isinstance(space, Wrapped):
            there = {walked(space, here, step) for step in steps} - {here}
        assert space.graph.neighbours(tail).tolist() == [head for head, place in enumerate(places) if place in there]


@given(LATTICES)
def test_every_notation_names_the_same_square(space: Lattice) -> None:
    for vertex, place in enumerate(space.coordinates.tolist()):
        (row, col, *layer), name = place, space.name(vertex)
        assert name == f"{file_letters(col)}{space.rows - row}" + "".join(f".{z + 1}" for z in layer)
        written = [sign.join(map(str, place)) for sign in (",", " , ")]
        for which in (name, name.upper(), f" {name} ", tuple(place), *written):
            assert space.square(which) == np.ravel_multi_index(place, space.sides) == space.squares[vertex]
            assert space.vertex(which) == space.vertex(vertex) == vertex
        assert space.vertex_from_data(space.vertex_data(vertex)) == space.vertex_from_data(name) == vertex
    outside: list[Any] = [-1, math.prod(space.sides), *space.holes]
    for axis, side in enumerate(space.sides):
        outside += [tuple(end if other == axis else 0 for other in range(len(space.sides))) for end in (-1, side)]
    for which in outside:
        with pytest.raises(BadInput, match="square"):
            space.square(which)


@given(st.integers(0, 10**6))
def test_file_letters_count_on_after_z(col: int) -> None:
    assert file_number(file_letters(col)) == col
    assert [file_letters(n) for n in (0, 25, 26, 51, 52, 701, 702)] == ["a", "z", "aa", "az", "ba", "zz", "aaa"]


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
    assert board.grid.ravel().tolist() == [0, 1, -1, 2, 3, 4, -1, 5, 6]
    assert hash(board) == hash(Board(3, holes=[2, 6]))
    assert len(Board(1, 2, holes=["a1"])) == 1


def test_numpy_integers_are_whole_numbers() -> None:
    board = Board(np.int64(3), np.int32(4), holes=[np.int32(5)], leaper=(np.int64(1), np.int8(2)))  # type: ignore[arg-type]
    assert board == Board(3, 4, holes=[5])
    assert type(board.rows) is int
    assert board.square((np.int64(0), np.int64(1))) == board.square(np.int32(1)) == 1
    # A side as int8 must not overflow when it is multiplied.
    assert len(Board(np.int8(100), np.int8(100))) == 10_000  # type: ignore[arg-type]


@pytest.mark.parametrize("leaper", [(5, 9), (0, 3), (10**9, 10**9), (0, 2**70)])
def test_a_leaper_longer_than_the_board_has_no_moves(leaper: tuple[int, int]) -> None:
    assert (Board(3, leaper=leaper).graph.order, Board(3, leaper=leaper).graph.size) == (9, 0)
    assert all(Wrapped(surface, 3, leaper=(1, MAX_LEAPER)).graph.order == 9 for surface in SURFACES)


def test_a_piece_has_the_moves_of_several_leapers() -> None:
    king = Board(4, 5, leaper="king")
    assert king == Board(4, 5, leaper=[(1, 1), (1, 0), (0, 1)]) == parse_space("king:4x5") == read_space(king.data())
    assert (king.leapers, king.called(), repr(king)) == (
        ((0, 1), (1, 1)),
        "the 4x5 board by a king",
        "Board(4, 5, leaper='king')",
    )
    assert king.data()["leaper"] == [[0, 1], [1, 1]]
    assert Board(4, leaper="wazir") == Board(4, leaper=(0, 1)) == Board(4, leaper=[(0, 1), (1, 0)])
    assert Board(5, leaper="0,3+2,2").called() == "the 5x5 board by a 0,3+2,2 leaper"
    torus = Wrapped("torus", 4, leaper="king")
    assert (len(torus.graph.neighbours(0)), repr(torus)) == (8, "Wrapped('torus', 4, 4, leaper='king')")
    assert Box(3, 3, 3, leaper=((0, 1), (1, 1), (1, 1, 1))).graph.degrees.tolist()[13] == 26
    assert [len(Box(3, 3, 3, leaper=name).graph.neighbours(13)) for name in ("king", "wazir")] == [18, 6]
    assert king.directions(np.full(3, 6), king.graph.neighbours(6)[:3]).tolist() == [8, 1, 2]


@pytest.mark.parametrize("text", ["1,4:11x11", "2,3:5x16", "king:7x7", "0,3+2,2:5x16"])
def test_a_board_is_typed_with_its_leaper(text: str) -> None:
    leaper, _, size = text.partition(":")
    space = parse_space(text)
    assert space == parse_space(size, leaper=leaper) == parse_space(text, leaper=leaper)
    shown = f"Board({size.replace('x', ', ')}, leaper={leaper!r})"
    assert (str(space), repr(space), str(parse_space(f"1,2:{size}"))) == (text, shown, size)
    with pytest.raises(BadInput, match="leave out the leaper 5,6"):
        parse_space(text, leaper="5,6")


def test_three_numbers_lead_along_all_axes_of_a_box() -> None:
    assert Box(4, 4, 3, leaper=(1, 0, 2)) == Box(4, 4, 3) == parse_space("4x4x3", (), "2,1,0")
    box = Box(4, 4, 4, leaper="1,2,2")
    assert (len(box.graph.neighbours(0)), box.called()) == (3, "the 4x4x4 box by a 1,2,2 leaper")


SYMMETRIES: list[tuple[Lattice, int]] = [
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
    (Wrapped("torus", 5), 200),
    (Wrapped("torus", 5, 6), 120),
    (Wrapped("cylinder", 4, 7), 28),
    (Wrapped("mobius", 3, 5), 20),
    (Wrapped("klein", 4, 6), 48),
    (Wrapped("klein", 5, 6), 24),
]


def check_symmetries(space: Lattice) -> int:
    """The number of symmetries, which keep the moves, and without borders that wrap all distances; and form a group."""
    found, graph, where = space.symmetries(), space.graph, space.coordinates.astype(int)
    assert found[0].tolist() == list(range(len(space)))
    kept = {symmetry.tobytes() for symmetry in found}
    assert len(kept) == len(found)
    alike = [np.zeros((len(space), len(space)), dtype=int)]
    alike[0][graph.tails, graph.indices] = 1
    if not isinstance(space, Wrapped):
        alike.append(((where[:, None] - where) ** 2).sum(axis=2))
    for symmetry in found:
        assert all((table[np.ix_(symmetry, symmetry)] == table).all() for table in alike)
        assert all(symmetry[other].tobytes() in kept for other in found[:: max(1, len(found) // 7)])
    return len(found)


@pytest.mark.parametrize(("space", "number"), SYMMETRIES, ids=str)
def test_the_number_of_symmetries(space: Lattice, number: int) -> None:
    assert check_symmetries(space) == number


@given(LATTICES)
def test_symmetries_keep_the_moves_and_form_a_group(space: Lattice) -> None:
    check_symmetries(space)


# --- how moves are drawn ---


@given(boards().filter(lambda board: isinstance(board, Wrapped)))
def test_each_move_is_drawn_inside_the_board_at_its_length(board: Board) -> None:
    places = board.coordinates + 0.5
    directions = board.directions(board.graph.tails, board.graph.indices)
    assert 1 <= directions.min(initial=1) <= directions.max(initial=8) <= 8
    for tail, head in board.graph.pairs():
        pieces = board.layout.segments(tail, head)
        ends = [*pieces[0], *pieces[-1]] if pieces else [places[tail], places[head]] * 2
        assert np.allclose([ends[0], ends[-1]], places[[tail, head]])
        length = sum(map(math.dist, *zip(*pieces, strict=True))) if pieces else math.dist(ends[0], ends[1])
        assert any(math.isclose(length, math.hypot(*leaper)) for leaper in board.leapers)
        points = np.array(pieces).reshape(-1, 2)
        assert (points >= -1e-9).all()
        assert (points <= np.array(board.sides) + 1e-9).all()


def test_drawn_lines_stay_in_their_layers() -> None:
    """A move to another layer is drawn as a stub in the square at each end, and two stubs of a square end apart."""
    box = Box(4, 4, 4)
    graph, ground = box.graph, Squares(box.layout)
    for tail, head in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True):
        squares, pieces = [ground.centre(tail), ground.centre(head)], ground.segments(tail, head)
        assert bool(pieces) is (box.vertex_data(tail)[2] != box.vertex_data(head)[2])
        assert [piece[0] for piece in pieces] == squares[: len(pieces)]
        for piece in pieces:
            near = min(squares, key=lambda square: abs(square[0] - piece[0][0]) + abs(square[1] - piece[0][1]))
            assert all(abs(x - near[0]) < 50 and abs(y - near[1]) < 50 for x, y in piece)
        assert ground.titles[head] == graph.name(head).split(".")[1]
    for tail in range(graph.order):
        stubs = [ground.segments(tail, head)[:1] for head in graph.neighbours(tail).tolist()]
        assert all(math.dist(one[0][1], other[0][1]) > 5 for one, other in combinations(filter(None, stubs), 2))
    shapes = [Squares(Box(*sides).layout).grid.shape for sides in ((4, 4, 4), (8, 8, 2), (3, 4, 5), (2, 9, 3))]
    assert shapes == [(10, 10), (8, 18), (13, 10), (10, 9)]


def test_a_tour_of_a_box_is_printed_layer_by_layer() -> None:
    assert tour_text(Box(2, 3, 2, holes=["c1.2"]), np.arange(11, dtype=np.int32)) == (
        "layer 1\n    a  b  c\n2   1  3  5  2\n1   7  9 11  1\n    a  b  c\n\n"
        "layer 2\n    a  b  c\n2   2  4  6  2\n1   8 10 ##  1\n    a  b  c\n"
    )


# --- counts, names and JSON ---


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
    problem = Problem(graph_of(text, (), leaper), closed)
    assert count(problem).number == number == sum(map(len, Listing(problem, load("edges"))))


@given(LATTICES, st.booleans(), st.data())
def test_problems_come_back_from_json_and_spaces_from_their_names(
    space: Lattice, closed: bool, data: st.DataObject
) -> None:
    vertices, edges = st.integers(0, len(space) - 1), space.graph.pairs()
    start, end = data.draw(vertices), data.draw(vertices)
    moves = st.lists(st.sampled_from(edges), max_size=3, unique=True) if edges else st.just([])
    problem = Problem(space.graph, closed, start, end, tuple(data.draw(moves)), tuple(data.draw(moves)))
    written = json.loads(json.dumps(problem_data(problem)))
    assert read_space({key: value for key, value in written.items() if key not in ASKED}) == space
    assert problem_data(read_asked(space.graph, {key: written[key] for key in ASKED})) == problem_data(problem)
    leaper = "+".join(",".join(map(str, lengths)) for lengths in space.leapers)
    assert parse_space(str(space), space.hole_names(), leaper) == space


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


# --- every kind of space: bounds before anything is computed; what is typed, read from JSON, and named ---

SPACES_PAGE = Path(__file__).resolve().parents[2] / "docs" / "spaces.md"

EXAMPLES = [text for kind in KINDS for text in re.findall(r"\S*[0-9]\S*?(?=,?(?:\s|$))", kind.example)]

SMALL = (
    "GP(3,1) cubic(4,1) Sheehan(4) Kneser(9,4) Q(1) hubs(20,1) hubs(5000,1) hubs-none(20,1) strings(20,1) "
    "planted(20,1) chains(20,1) gadgets-none(4,1)"
)


@pytest.mark.parametrize("text", [*EXAMPLES, *(family.example for family in FAMILIES.values()), *SMALL.split()])
def test_no_graph_has_more_edges_than_its_bound(text: str) -> None:
    graph: Any = graph_of(text)
    assert graph.size <= graph.space.edge_bound
    assert (len(graph.space), str(graph.space)) == (graph.order, text)


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


@pytest.mark.parametrize(
    ("where", "most"),
    [
        ({"rows": 4096, "cols": 4096, "holes": [], "leaper": [1, 2]}, "262144 squares"),
        ({"sides": [64, 64, 64], "holes": [], "leaper": [1, 2, 3]}, "1048576 edges"),
        ({"family": "Sheehan(65536)"}, "16777216 edges are allowed"),
        ({"family": "Sheehan(4096)"}, "1048576 edges are read from so short a file"),
    ],
)
def test_a_short_file_does_not_ask_for_a_large_graph(where: dict[str, Any], most: str) -> None:
    with pytest.raises(WrongData, match=f"at most {most}"):
        read_problem(where | {"closed": True, "start": None, "end": None, "require": [], "forbid": []}, 1000)
    Box(64, 64, 64).check_size(6 * 64**3)


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_space_of_each_kind_is_as_its_words_its_json_and_the_theorems_say(text: str) -> None:
    """Read from text and from JSON, named vertex by vertex, with symmetries that keep the moves, and solved."""
    graph = graph_of(text)
    space: Any = graph.space
    assert parse_space(str(space)) == space == read_space(json.loads(json.dumps(space.data())))
    assert [space.vertex(space.name(vertex)) for vertex in range(graph.order)] == list(range(graph.order))
    arcs = set(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
    for symmetry in space.symmetries():
        assert {(int(symmetry[tail]), int(symmetry[head])) for tail, head in arcs} == arcs
    for closed in (True, False):
        if (known := has_tour(space, closed=closed)) is not None:
            assert bool(run(Problem(graph, closed), load("auto"))) == known
    assert f"`{text}`" in SPACES_PAGE.read_text(encoding="utf-8")


def test_a_theorem_on_boards_does_not_speak_of_another_lattice() -> None:
    """On a board of one column the knight has no move; on this strip it goes to the next square and the third."""
    strip = Lattice((8, 1), (), KNIGHT)
    vars(strip)["steps"] = [(1, 0), (-1, 0), (3, 0), (-3, 0)]
    assert run(Problem(strip.graph, True), load("edges"))
    assert has_tour(strip, closed=True) is None
    assert has_tour(Board(8, 1), closed=True) is False


def test_typed_spaces_are_boards_boxes_or_files(tmp_path: Path) -> None:
    assert [str(parse_space(typed)) for typed in ("8", " 3X4 ", "4\u00d74\u00d73")] == ["8x8", "3x4", "4x4x3"]
    assert problem_of(8).graph.space == problem_of("8").graph.space == Board(8)
    path = tmp_path / "a.edges"
    path.write_text("a b\nb c\n")
    assert graph_of(str(path)).order == 3
    with pytest.raises(BadInput, match="can't have"):
        graph_of(str(path), ["a1"])
