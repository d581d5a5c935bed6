"""Drawings: golden files, SVG and PNG, and graphs without squares."""

import re
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from brute_force import brute_force
from commands import needed
from hypothesis import given, strategies as st

from cpsat_tour import BadInput, Board, Graph, Problem, Routes, Tour, Wrapped, graph_of, solve
from cpsat_tour.core.space import Floats, Ints
from cpsat_tour.drawing import points as ink
from cpsat_tour.drawing.canvas import Canvas, Key
from cpsat_tour.drawing.images import font_file, png, rendered
from cpsat_tour.drawing.points import DISC, MAX_PLACED, MAX_STRESS, Points, layout_points
from cpsat_tour.drawing.svg import COLOURS, route_colour, svg
from cpsat_tour.formats.boards import tour_text
from cpsat_tour.formats.saving import check_destination
from cpsat_tour.spaces.joined import Joined

SVG = "{http://www.w3.org/2000/svg}"

PATHS = Routes(
    Board(5).graph,
    False,
    tuple(
        np.array([Board(5).square(name) for name in path.split()], dtype=np.int32)
        for path in ("a1 c2 e3", "b1 d2 c4 e5", "c1", "d1 c3", "e1", "a2 b4", "b2 a4", "d4", "e2 d4 b5")
    ),
)
"""Nine paths, so that a colour comes again."""

CYCLES = Routes(
    Wrapped("torus", 3, 4, leaper=(0, 1)).graph,
    True,
    (np.array([0, 3, 2, 6, 10, 9, 1, 5, 4, 7, 11, 8]), np.array([0, 1, 2, 10, 11, 3, 7, 6, 5, 9, 8, 4])),
)
"""All moves of the wazir on a torus."""


def first_tour(board: Board, *, closed: bool = False) -> Ints:
    return np.array(min(brute_force(Problem(board.graph, closed))), dtype=np.int32)


def snake(rows: int, cols: int) -> tuple[Board, Ints]:
    """A rook's walk over any board, to draw large ones."""
    grid = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
    grid[1::2] = grid[1::2, ::-1]
    return Board(rows, cols, leaper=(0, 1)), grid.ravel()


@pytest.mark.parametrize(
    ("board", "closed"), [(Board(3, 4), False), (Board(5), False), (Board(5, 6), True), (Board(5, holes=["c3"]), False)]
)
def test_drawings_of_tours_match_the_golden_file(board: Board, closed: bool, golden: Callable[[str], None]) -> None:
    tour = first_tour(board, closed=closed)
    golden(tour_text(board, tour) + svg(board.graph, tour, closed=closed))


@pytest.mark.parametrize("routes", [PATHS, CYCLES], ids=["paths", "cycles"])
def test_drawings_of_routes_match_the_golden_file(routes: Routes, golden: Callable[[str], None]) -> None:
    golden(routes.svg())


# --- several routes ---

SEEN = {
    "as they are": np.eye(3),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""What becomes of linear red, green and blue in colour blindness (Machado, Oliveira & Fernandes 2009)."""


def cielab(colours: Sequence[str], seen: object) -> Floats:
    light = np.array([[int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)] for colour in colours])
    linear = np.where(light <= 0.04045, light / 12.92, ((light + 0.055) / 1.055) ** 2.4) @ np.array(seen).T
    to_xyz = np.array([(0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)])
    x, y, z = np.cbrt(np.clip(linear, 0, 1) @ to_xyz.T / (0.9505, 1, 1.089)).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


@pytest.mark.parametrize("seen", SEEN)
def test_the_colours_of_routes_are_apart_in_every_kind_of_colour_blindness(seen: str) -> None:
    places = cielab(COLOURS, SEEN[seen])
    apart = np.linalg.norm(places[:, None] - places, axis=2) + 100 * np.eye(len(COLOURS))
    assert apart.min() > 30


def test_each_route_is_one_line_of_its_colour_and_each_end_of_a_path_a_disc() -> None:
    for routes, ends in ((PATHS, 15), (CYCLES, 0)):
        drawn = layers(routes.svg())
        moving = [number for number, route in enumerate(routes) if len(route) > 1]
        assert [line.attrib["stroke"] for line in drawn["line"]] == [route_colour(number) for number in moving]
        assert len(drawn["ends"]) == ends
    assert len({route_colour(number) for number in range(3 * len(COLOURS))}) == 3 * len(COLOURS)


def test_universal_vertices_are_not_drawn_but_the_paths_between_them() -> None:
    graph = graph_of("4x4+2")
    tour = needed(solve(Problem(graph, closed=True)).tour)
    base, paths = Joined(graph_of("4x4"), 2).apart(np.roll(tour.vertices, 5))
    assert sorted(np.concatenate(paths).tolist()) == [*range(16)]
    assert svg(graph, tour.vertices, closed=True) == Routes(base, False, tuple(paths)).svg()


def layers(drawing: str) -> dict[str, ET.Element]:
    return {layer.attrib["class"]: layer for layer in ET.fromstring(drawing).findall(f"{SVG}g")}


def test_one_square_is_drawn_without_a_line() -> None:
    drawn = layers(svg(Board(1).graph, np.zeros(1, dtype=np.int32), closed=False))
    assert "line" not in drawn
    assert [mark.attrib["class"] for mark in drawn["ends"]] == ["start"]


def test_numbers_give_way_to_the_line_on_large_boards_and_drawings_stay_light() -> None:
    for side, shown in ((24, True), (25, False), (100, False)):
        board, tour = snake(side, side)
        drawn = svg(board.graph, tour, closed=False)
        assert ("numbers" in layers(drawn)) is shown
        assert len(drawn) < 120_000


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_outline_separates_a_set_from_the_rest(rows: int, cols: int, data: st.DataObject) -> None:
    squares = data.draw(st.sets(st.integers(0, rows * cols - 1)))
    canvas = Canvas(Board(rows, cols).graph, "", "")
    sides: dict[tuple[int, int], int] = {}
    for contour in canvas.ground.outline(squares).split("Z")[:-1]:
        corners = [(int(x), int(y)) for x, y in re.findall(r"[ML](\d+) (\d+)", contour)]
        for (x, y), to in pairwise([*corners, corners[0]]):
            for upper in range(min(y, to[1]), max(y, to[1]), 100):
                sides[x // 100, upper // 100] = sides.get((x // 100, upper // 100), 0) + 1
            assert x == to[0] or y == to[1]
    assert set(sides.values()) <= {1}
    inside = {
        row * cols + col
        for row in range(rows)
        for col in range(cols)
        if sum((x, row) in sides for x in range(col + 1)) % 2
    }
    assert inside == squares


def test_outlines_walk_with_the_set_on_their_right_and_can_lie_within_it() -> None:
    """Round squares that touch at a corner, round an L, and round a hole."""
    outline = Canvas(Board(3, leaper=(0, 1)).graph, "", "").ground.outline
    assert outline([0, 4]) == "M0 0L100 0L100 100L0 100ZM100 100L200 100L200 200L100 200Z"
    assert outline([1, 3]) == "M100 0L200 0L200 100L100 100ZM100 100L100 200L0 200L0 100Z"
    assert outline([0, 3, 4], 10) == "M10 10L90 10L90 110L190 110L190 190L10 190Z"
    hole = "M210 90L90 90L90 210L210 210Z"
    assert outline([*range(4), *range(5, 9)], 10) == f"M10 10L290 10L290 290L10 290Z{hole}"
    assert outline([0, 4], 10) == "M10 10L90 10L90 90L10 90ZM110 110L190 110L190 190L110 190Z"


def test_png_has_twice_the_pixels_of_the_drawing_but_at_most_4096() -> None:
    drawing = svg(Board(3, 4).graph, first_tour(Board(3, 4)), closed=False)
    picture = png(drawing)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(picture[16:20], "big") == 2 * int(ET.fromstring(drawing).attrib["width"])
    picture = png('<svg xmlns="http://www.w3.org/2000/svg" width="30" height="9000"></svg>')
    assert int.from_bytes(picture[20:24], "big") == 4096


@pytest.mark.parametrize("name", ["a1 + ½", "Žižkov", "Θήβα", "Москва", "→…–'"])
def test_the_letters_of_a_png_are_those_of_the_font_that_comes_along(name: str) -> None:
    """Not those of this machine."""
    resvg, text = pytest.importorskip("resvg_py"), '<text y="40" font-family="{}" font-size="30">{}</text>'
    frame = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="50">{}</svg>'
    asked, named = (frame.format(text.format(font, name)) for font in (ink.FONT, "Source Sans Pro"))
    alone = resvg.svg_to_bytes(svg_string=named, skip_system_fonts=True, font_files=[font_file()])
    assert rendered(asked) == bytes(alone) != rendered(frame.format(""))


def test_png_without_resvg_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("cpsat_tour.core.errors.find_spec", lambda _name: None)
    with pytest.raises(BadInput, match="pip install resvg-py"):
        check_destination(tmp_path / "a.png", Board(3).graph)


@pytest.mark.parametrize(
    ("suffix", "beginning"),
    [
        (".svg", b"<svg "),
        (".SVG", b"<svg "),
        (".png", b"\x89PNG"),
        (".pdf", b"%PDF-"),
        (".tikz", b"% Open tour of the 3x4 board\n\\begin{tikzpicture}[x=1cm, y=-1cm, every node"),
        (".gif", b"GIF89a"),
        (".txt", b"   "),
        (".json", b"{"),
    ],
)
def test_saved_by_suffix(tmp_path: Path, suffix: str, beginning: bytes) -> None:
    Tour(Board(3, 4).graph, False, first_tour(Board(3, 4))).save(tmp_path / f"tour{suffix}")
    (path,) = tmp_path.iterdir()
    assert path.name == f"tour{suffix}"
    assert path.read_bytes().startswith(beginning)


@pytest.mark.parametrize("name", ["GP(17,2)", "Q(4)", "Petersen", "cubic(60,1)"])
def test_a_graph_is_drawn_with_its_vertices_apart(name: str) -> None:
    graph = graph_of(name)
    points = Points(graph)
    apart = np.linalg.norm(points.where[:, None, :] - points.where[None, :, :], axis=2) + 1000 * np.eye(graph.order)
    assert apart.min() >= 2 * DISC
    left, top, width, height = points.box
    assert ((points.where - (left, top) > DISC) & (points.where - (left, top) < (width - DISC, height - DISC))).all()
    assert (Points(graph).where == points.where).all()


def test_parts_of_a_graph_and_large_ones_are_drawn_too() -> None:
    assert np.isfinite(layout_points(Graph.from_edges(6, [(0, 1), (1, 2), (3, 4), (4, 5)]))).all()
    assert np.isfinite(layout_points(Graph.from_edges(MAX_STRESS + 1, [(0, 1)]))).all()
    for order in (0, 1, 2):
        assert layout_points(Graph.from_edges(order, [])).shape == (order, 2)
    with pytest.raises(BadInput, match="a blot"):
        Points(Graph.from_edges(MAX_PLACED + 1, []))


@pytest.mark.parametrize("name", ["GP(17,2)", "GP(23,2)", "J(15)", "cubic(60,1)"])
def test_lines_are_bent_round_the_vertices_in_their_way(name: str) -> None:
    points = Points(graph_of(name))
    for tail, head in zip(*(ends.tolist() for ends in graph_of(name).edges()), strict=True):
        (line,) = points.segments(tail, head) or [[points.centre(tail), points.centre(head)]]
        assert (line[0], line[-1]) == (points.centre(tail), points.centre(head))
        assert points.segments(head, tail) in ([], [line[::-1]])
        others = np.delete(points.where, (tail, head), axis=0)
        for corner, following in pairwise(line):
            samples = np.linspace(corner, following, 8)
            apart = np.sqrt(((samples[:, None] - others[None]) ** 2).sum(axis=2))
            assert apart.min() > DISC, (tail, head)


def test_each_vertex_has_its_name_beside_it() -> None:
    points = Points(graph_of("GP(17,2)"))
    written: list[tuple[str, float, float]] = []
    points.label(lambda word, x, y, _height: written.append((word, x, y)))
    assert [word for word, _, _ in written] == [str(vertex) for vertex in range(34)]
    places = np.array([place for _, *place in written])
    apart = np.sqrt(((places[:, None] - points.where[None]) ** 2).sum(axis=2))
    assert apart.argmin(axis=1).tolist() == list(range(34)), "each name is nearest to its own vertex"
    assert apart.min() > DISC + 10
    Points(graph_of("cubic(300,1)")).label(lambda *_: pytest.fail("names of 300 vertices"))


def test_long_names_lie_within_the_drawing_and_not_on_each_other() -> None:
    cities = {number: ("Rio_", "Nordkjosbotn_", "Saint-Germain_")[number % 3] + str(number) for number in range(30)}
    points = Points(Graph.from_networkx(nx.relabel_nodes(nx.random_regular_graph(3, 30, seed=4), cities)))
    boxes: list[tuple[float, float, float, float]] = []

    def note(word: str, x: float, y: float, height: float) -> None:
        half = ink.text_width(word) * height / 2
        boxes.append((x - half, y - height / 2, x + half, y + height / 2))

    points.label(note)
    left, top, width, height = points.box
    for box in boxes:
        assert left < box[0] < box[2] < left + width
        assert top < box[1] < box[3] < top + height
    for one, other in combinations(boxes, 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]


def test_names_are_text_and_too_long_ones_are_cut_off() -> None:
    tour = needed(solve(nx.path_graph(["Ärger", "Mill#Street", "New_York", "ä name of more letters than fit"])).tour)
    shown = [word.text for word in layers(tour.svg())["coordinates"]]
    assert shown == ["Ärger", "Mill#Street", "New_York", "ä name of more …"]


@pytest.mark.parametrize("graph", [Board(3, 4).graph, Board(30).graph, graph_of("GP(11,2)")], ids=str)
def test_a_heading_lies_above_and_within_the_width(graph: Graph) -> None:
    canvas = Canvas(graph, "", "")
    left, top, width, height = (int(number) for number in canvas.root.attrib["viewBox"].split())
    canvas.heading(
        "An open tour of this (whatever it is)", "A sentence of some length, in lines. " * 3, "And one more."
    )
    above, below, wide, high = map(int, canvas.root.attrib["viewBox"].split())
    assert (above, wide, high - height) == (left, width, top - below)
    for group in canvas.root.findall("g[@class='title']") + canvas.root.findall("g[@class='reason']"):
        for word in group:
            assert ink.text_width(word.text or "") * float(group.attrib["font-size"]) / ink.SIZE < width
            assert below < float(word.attrib["y"]) < top


def test_a_legend_lies_below_and_a_small_drawing_is_widened_for_it() -> None:
    canvas = Canvas(Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]), "", "")
    before = [int(number) for number in canvas.root.attrib["viewBox"].split()]
    canvas.legend([Key("#000000", "added: two edges meet at each vertex"), Key("#1b7837", "a shore", 8)])
    left, top, width, high = (int(number) for number in canvas.root.attrib["viewBox"].split())
    assert (top, high > before[3], width > before[2]) == (before[1], True, True)
    assert abs((before[0] - left) - (width - before[2]) / 2) <= 1
    assert (len(layers(str(canvas))["legend"]), len(layers(str(canvas))["legend words"])) == (2, 2)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tour", "give it one of the suffixes .svg, .png, .pdf, .tikz, .gif, .txt, .json"),
        ("tour.svg.gz", "give it one of the suffixes"),
        ("is.svg", "it is a folder"),
        ("no/a.svg", "there is no folder"),
        ("file/a.svg", "there is no folder"),
    ],
)
def test_a_place_where_no_tour_can_be_written_is_refused_before_there_is_one(
    name: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "is.svg").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match=words):
        check_destination(tmp_path / name, Board(3).graph)
    check_destination(tmp_path / "a.svg", Board(3).graph)


def test_what_can_not_be_drawn_or_written_in_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for suffix in (".gif", ".npy"):
        with pytest.raises(BadInput, match="has no rows and columns"):
            check_destination(tmp_path / f"t{suffix}", graph_of("Petersen"))
    monkeypatch.setattr("cpsat_tour.formats.saving.MAX_DRAWN", 8)
    with pytest.raises(BadInput, match=r"has 9 squares, and a \.svg picture at most 8"):
        check_destination(tmp_path / "tour.svg", Board(3).graph)
