"""Drawings: golden files, what every drawing holds, and files that are whole or not there at all.

After an intended change of the drawing, look at it, then write the golden files again with ``python
tests/test_drawing.py``.
"""

from __future__ import annotations

import errno
import json
import os
import re
import resource
import stat
from itertools import accumulate, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from brute_force import brute_force
from hypothesis import given
from hypothesis import strategies as st

from cpsat_tour.backends.runner import solve
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing import glyphs
from cpsat_tour.drawing.canvas import Canvas, Key
from cpsat_tour.drawing.colours import DISC
from cpsat_tour.drawing.files import SUFFIXES, check_destination, png, save_tour
from cpsat_tour.drawing.points import MAX_STRESS, MAX_VERTICES, Points, laid_out
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.files import write
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.formats.spaces import graph_of
from cpsat_tour.spaces.board import Board

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"


def first_tour(board: Board, *, closed: bool = False) -> Ints:
    return np.array(min(brute_force(Problem(board.graph, closed))), dtype=np.int32)


def snake(rows: int, cols: int) -> tuple[Board, Ints]:
    """A rook's walk over any board, to draw large ones."""
    grid = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
    grid[1::2] = grid[1::2, ::-1]
    return Board(rows, cols, leaper=(0, 1)), grid.ravel()


def golden() -> dict[str, str]:
    drawn = {}
    for board, closed in (
        (Board(3, 4), False),
        (Board(5), False),
        (Board(5, 6), True),
        (Board(5, holes=["c3"]), False),
    ):
        name = f"{board}{'-closed' if closed else ''}{'-holes' if board.holes else ''}"
        tour = first_tour(board, closed=closed)
        drawn[f"{name}.txt"], drawn[f"{name}.svg"] = tour_text(board, tour), svg(board.graph, tour, closed=closed)
    return drawn


def test_golden_files() -> None:
    drawn = golden()
    assert {path.name for path in GOLDEN.iterdir()} == set(drawn)
    for name, content in drawn.items():
        assert (GOLDEN / name).read_text(encoding="utf-8") == content, f"{name} is drawn otherwise"


# --- text ---


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 3), (3, 1), (9, 10), (10, 9), (50, 50), (2, 800), (100, 1)])
def test_text_is_aligned_and_holds_every_visit(rows: int, cols: int) -> None:
    board, tour = snake(rows, cols)
    lines = tour_text(board, tour).splitlines()
    assert lines[0] == lines[-1]
    assert lines[0].split() == [board.name(col)[: -len(str(rows))] for col in range(cols)]
    assert len({len(line) for line in lines[1:-1]}) == 1
    assert not any(line.endswith(" ") for line in lines)
    ends = {match.end() for match in re.finditer(r"\S+", lines[0])}
    seen = {}
    for row, line in enumerate(lines[1:-1]):
        left, *visits, right = line.split()
        assert left == right == str(rows - row)
        assert {match.end() for match in re.finditer(r"\S+", line)} > ends
        seen.update({int(visit): row * cols + col for col, visit in enumerate(visits)})
    assert [seen[visit] for visit in range(1, rows * cols + 1)] == tour.tolist()


def test_text_shows_holes() -> None:
    board = Board(1, 3, holes=["b1"], leaper=(0, 2))
    assert tour_text(board, np.array([1, 0], dtype=np.int32)) == "    a  b  c\n1   2 ##  1  1\n    a  b  c\n"


# --- glyphs ---


def test_every_character_that_boards_and_certificates_need_has_a_glyph() -> None:
    for character in "0123456789abcdefghijklmnopqrstuvwxyz+-½:,'":
        assert glyphs.strokes(character, 0, 0, 100).startswith("M")
        assert 0 <= glyphs.width(character) <= 0.9


@given(
    st.text("0123456789az+-½", min_size=1, max_size=5),
    st.integers(-500, 5000),
    st.integers(0, 5000),
    st.integers(10, 100),
)
def test_words_are_set_round_their_middle(word: str, x: int, y: int, height: int) -> None:
    points = absolute_points(glyphs.strokes(word, x, y, height))
    half = glyphs.width(word) * height / 2
    assert all(
        x - half - 1 <= px <= x + half + 1 and y - height / 2 - 1 <= py <= y + 0.8 * height + 1 for px, py in points
    )
    assert max(px for px, _ in points) - min(px for px, _ in points) >= 2 * half - 5 * len(word)


def absolute_points(d: str) -> list[tuple[int, int]]:
    """The points of a path that goes on by steps, as SVG reads them."""
    here = first = (0, 0)
    points = []
    for command, numbers in re.findall(r"([Mmlcz])([^Mmlcz]*)", d):
        flat = [int(number) for number in re.findall(r"-?\d+", numbers)]
        steps = list(zip(flat[::2], flat[1::2], strict=True))
        assert len(steps) == {"M": 1, "m": 1, "l": len(steps), "c": 3, "z": 0}[command]
        if command == "l":
            steps = list(accumulate(steps, lambda one, other: (one[0] + other[0], one[1] + other[1])))
        placed = [(here[0] + dx, here[1] + dy) for dx, dy in steps]
        points += placed
        here = placed[-1] if placed else first
        first = here if command in "Mm" else first
    return points


# --- SVG ---


def layers(drawing: str) -> dict[str, ET.Element]:
    return {layer.attrib["class"]: layer for layer in ET.fromstring(drawing).findall(f"{SVG}g")}


def test_closed_tour_is_one_line_back_to_its_start() -> None:
    board = Board(5, 6)
    tour = first_tour(board, closed=True)
    drawing = svg(board.graph, tour, closed=True)
    parts = [absolute_points(path.attrib["d"]) for path in layers(drawing)["line"]]
    assert all(one[-1] == other[0] for one, other in pairwise(parts))
    course = [parts[0][0], *(point for part in parts for point in part[1:])]
    assert course == [(100 * (square % 6) + 50, 100 * (square // 6) + 50) for square in [*tour.tolist(), tour[0]]]
    assert [mark.attrib["class"] for mark in layers(drawing)["ends"]] == ["start"]
    assert len(layers(drawing)["numbers"]) == 29


def test_open_tour_marks_start_and_end_by_shape() -> None:
    marks = layers(svg(Board(3, 4).graph, first_tour(Board(3, 4)), closed=False))["ends"]
    assert {mark.attrib["class"]: mark.tag for mark in marks} == {"start": f"{SVG}circle", "end": f"{SVG}rect"}


def test_one_square_is_drawn_without_a_line() -> None:
    drawn = layers(svg(Board(1).graph, np.zeros(1, dtype=np.int32), closed=False))
    assert "line" not in drawn
    assert [mark.attrib["class"] for mark in drawn["ends"]] == ["start"]


def test_numbers_give_way_to_the_line_on_large_boards() -> None:
    for side, shown in ((24, True), (25, False)):
        board, tour = snake(side, side)
        assert ("numbers" in layers(svg(board.graph, tour, closed=False))) is shown


def test_large_drawings_are_light() -> None:
    board, tour = snake(100, 100)
    assert len(svg(board.graph, tour, closed=False)) < 120_000


def test_title_and_description_for_screen_readers() -> None:
    root = ET.fromstring(svg(Board(3, 4).graph, first_tour(Board(3, 4)), closed=False))
    assert root.attrib["role"] == "img"
    assert root[0].text == "Open tour of the 3x4 board"
    assert root[1].text is not None
    assert re.fullmatch(r"12 squares, from a3 to \w\d: a3 .*\.", root[1].text)


def test_a1_is_dark_and_holes_are_not() -> None:
    assert dark_squares(Board(2, 3)) == {(1, 0), (0, 1), (1, 2)}
    assert dark_squares(Board(3, 4, holes=["a1", "c2"])) == {(2, 2), (1, 1), (1, 3), (0, 0), (0, 2)}


def dark_squares(board: Board) -> set[tuple[int, int]]:
    """The squares that the dashes cover: every other 100 units of each stretch, from its beginning."""
    path = ET.fromstring(str(Canvas(board.graph, "", ""))).find(f".//{SVG}path[@class='dark']")
    assert path is not None
    stretches = re.findall(r"M(\d+) (\d+)H(\d+)", path.attrib["d"])
    return {(int(y) // 100, x // 100) for left, y, right in stretches for x in range(int(left), int(right), 200)}


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_outline_separates_a_set_from_the_rest(rows: int, cols: int, data: st.DataObject) -> None:
    squares = data.draw(st.sets(st.integers(0, rows * cols - 1)))
    canvas = Canvas(Board(rows, cols).graph, "", "")
    sides: dict[tuple[int, int], int] = {}
    for contour in re.findall(r"M(\d+) (\d+)((?:[HV]\d+)+)Z", canvas.outline(squares)):
        x, y = first = int(contour[0]), int(contour[1])
        for command, number in [*re.findall(r"([HV])(\d+)", contour[2]), ("close", "0")]:
            to = first if command == "close" else (int(number), y) if command == "H" else (x, int(number))
            for upper in range(min(y, to[1]), max(y, to[1]), 100):
                sides[x // 100, upper // 100] = sides.get((x // 100, upper // 100), 0) + 1
            assert x == to[0] or y == to[1]
            x, y = to
    assert set(sides.values()) <= {1}
    inside = {
        row * cols + col
        for row in range(rows)
        for col in range(cols)
        if sum((x, row) in sides for x in range(col + 1)) % 2
    }
    assert inside == squares


def test_squares_that_touch_at_a_corner_have_outlines_apart() -> None:
    canvas = Canvas(Board(2).graph, "", "")
    assert canvas.outline([0, 3]) == "M0 0H100V100H0ZM100 100H200V200H100Z"
    assert canvas.outline([1, 2]) == "M100 0H200V100H100ZM0 100H100V200H0Z"


def test_drawing_needs_no_font() -> None:
    assert "<text" not in svg(Board(5).graph, first_tour(Board(5)), closed=False)


def test_tour_draws_itself() -> None:
    tour = Tour(Board(3, 4).graph, False, first_tour(Board(3, 4)))
    assert tour._repr_svg_() == tour.svg() == (GOLDEN / "3x4.svg").read_text(encoding="utf-8")
    assert tour.text() == (GOLDEN / "3x4.txt").read_text(encoding="utf-8")


# --- PNG ---


def test_png_has_twice_the_pixels_of_the_drawing() -> None:
    drawing = svg(Board(3, 4).graph, first_tour(Board(3, 4)), closed=False)
    picture = png(drawing)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(picture[16:20], "big") == 2 * int(ET.fromstring(drawing).attrib["width"])


def test_png_stays_within_4096_pixels() -> None:
    picture = png('<svg xmlns="http://www.w3.org/2000/svg" width="30" height="9000"></svg>')
    assert int.from_bytes(picture[20:24], "big") == 4096


def test_png_without_resvg_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("cpsat_tour.core.libraries.find_spec", lambda _name: None)
    with pytest.raises(BadInput, match="pip install resvg-py"):
        check_destination(tmp_path / "a.png", Board(3).graph)
    with pytest.raises(BadInput, match="pip install resvg-py"):
        png("<svg/>")


# --- files ---


def a_tour() -> Tour:
    return Tour(Board(3, 4).graph, False, first_tour(Board(3, 4)))


@pytest.mark.parametrize("suffix", [*SUFFIXES, ".SVG"])
def test_saved_by_suffix(tmp_path: Path, suffix: str) -> None:
    tour, path = a_tour(), tmp_path / f"tour{suffix}"
    save_tour(tour, path)
    content = path.read_bytes()
    if suffix == ".json":
        assert [4 * row + col for row, col in json.loads(content)["tour"]] == tour.vertices.tolist()
    elif suffix == ".txt":
        board, _, problem = content.decode().rpartition("{")
        assert board == tour.text()
        assert json.loads("{" + problem)["cols"] == 4
    elif suffix == ".png":
        assert content.startswith(b"\x89PNG")
    elif suffix == ".gif":
        assert content.startswith(b"GIF89a")
    elif suffix == ".npy":
        assert (np.load(path) @ [4, 1]).tolist() == tour.vertices.tolist()
    else:
        assert content.decode() == tour.svg()
    assert {left.name for left in tmp_path.iterdir()} == {path.name, *[f"{path.name}.json"] * (suffix == ".npy")}


def test_tour_of_a_graph_is_saved_by_names(tmp_path: Path) -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2)])
    tour = Tour(graph, False, np.array([2, 1, 0], dtype=np.int32))
    save_tour(tour, tmp_path / "t.txt")
    save_tour(tour, tmp_path / "t.json")
    assert (tmp_path / "t.txt").read_text().startswith('2\n1\n0\n{"vertices": ["0", "1", "2"], "edges": ')
    assert json.loads((tmp_path / "t.json").read_text())["tour"] == ["2", "1", "0"]
    for suffix in (".gif", ".npy"):
        with pytest.raises(BadInput, match="has no rows and columns"):
            save_tour(tour, tmp_path / f"t{suffix}")
    save_tour(tour, tmp_path / "t.svg")
    assert (tmp_path / "t.svg").read_text() == tour.svg()


# --- graphs without squares ---


@pytest.mark.parametrize("name", ["GP(17,2)", "Q(4)", "Petersen", "cubic(60,1)"])
def test_a_graph_is_drawn_with_its_vertices_apart(name: str) -> None:
    graph = graph_of(name)
    points = Points(graph)
    apart = np.linalg.norm(points.where[:, None, :] - points.where[None, :, :], axis=2) + 1000 * np.eye(graph.order)
    assert apart.min() >= 2 * DISC
    left, top, width, height = points.box
    assert ((points.where - (left, top) > DISC) & (points.where - (left, top) < (width - DISC, height - DISC))).all()
    assert (Points(graph).where == points.where).all()


def test_distances_in_the_plane_follow_those_in_the_graph() -> None:
    ring = Graph.from_edges(12, [(vertex, (vertex + 1) % 12) for vertex in range(12)])
    around = np.linalg.norm(laid_out(ring), axis=1)
    assert around.max() - around.min() < 0.01 * around.max()
    path = laid_out(Graph.from_edges(6, list(pairwise(range(6)))))
    ends = np.linalg.norm(path[0] - path[5])
    assert ends > 0.9 * 5 * np.linalg.norm(path[0] - path[1])


def test_parts_of_a_graph_and_large_ones_are_drawn_too() -> None:
    apart = laid_out(Graph.from_edges(6, [(0, 1), (1, 2), (3, 4), (4, 5)]))
    assert np.isfinite(apart).all()
    assert np.isfinite(laid_out(Graph.from_edges(MAX_STRESS + 1, [(0, 1)]))).all()
    for order in (0, 1, 2):
        assert laid_out(Graph.from_edges(order, [])).shape == (order, 2)
    with pytest.raises(BadInput, match="a blot"):
        Points(Graph.from_edges(MAX_VERTICES + 1, []))


@pytest.mark.parametrize("name", ["GP(17,2)", "GP(23,2)", "J(15)", "cubic(60,1)"])
def test_lines_are_bent_round_the_vertices_in_their_way(name: str) -> None:
    points = Points(graph_of(name))
    for tail, head in zip(*(ends.tolist() for ends in graph_of(name).edges()), strict=True):
        (line,) = points.pieces(tail, head) or [[points.centre(tail), points.centre(head)]]
        assert (line[0], line[-1]) == (points.centre(tail), points.centre(head))
        assert points.pieces(head, tail) in ([], [line[::-1]])
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


def test_names_are_left_out_where_rings_would_cover_them() -> None:
    def coordinates(graph: Graph, *, names: bool) -> int:
        return len(layers(str(Canvas(graph, "", "", names=names)))["coordinates"])

    assert coordinates(graph_of("Petersen"), names=True) == 10
    assert coordinates(graph_of("Petersen"), names=False) == 0
    assert coordinates(Board(4).graph, names=False) == 16


def test_a_tour_of_a_graph_is_a_line_over_its_edges() -> None:
    graph = graph_of("Q(3)")
    answer = solve(graph, closed=True)
    assert answer.tour is not None
    drawn = layers(answer.tour.svg())
    assert len(drawn["numbers"]) == 7
    assert len(drawn["line"]) == 8
    edges = ET.fromstring(answer.tour.svg()).find(f".//{SVG}path[@class='edges']")
    assert edges is not None
    assert edges.attrib["d"].count("M") == 12


def test_a_small_drawing_is_widened_so_that_its_legend_can_be_read() -> None:
    canvas = Canvas(Graph.from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]), "", "")
    before, _, narrow, _ = (int(number) for number in canvas.root.attrib["viewBox"].split())
    canvas.legend([Key("#000000", "added: two edges meet at each vertex")])
    left, _, width, _ = (int(number) for number in canvas.root.attrib["viewBox"].split())
    assert width > narrow
    assert abs((before - left) - (width - narrow) / 2) <= 1
    (word,) = [absolute_points(path.attrib["d"]) for path in layers(str(canvas))["legend words"]]
    assert max(y for _, y in word) - min(y for _, y in word) >= 14


def test_a_legend_lies_below_within_the_width() -> None:
    canvas = Canvas(Board(5).graph, "", "")
    before = [int(number) for number in canvas.root.attrib["viewBox"].split()]
    canvas.legend([Key("#000000", "added: two edges meet at each square"), Key("#1b7837", "a shore", 8)])
    left, top, width, high = (int(number) for number in canvas.root.attrib["viewBox"].split())
    assert [left, top, width] == before[:3]
    assert high > before[3]
    words = [absolute_points(path.attrib["d"]) for path in layers(str(canvas))["legend words"]]
    for x, y in (point for word in words for point in word):
        assert left < x < left + width
        assert top + before[3] < y < top + high


@pytest.mark.parametrize("name", ["tour", "tour.pdf", "tour.svg.gz", ".svg"])
def test_other_suffixes_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=r"\.svg, \.png, \.gif, \.txt, \.json"):
        check_destination(tmp_path / name, Board(3).graph)


def test_folders_are_refused_before_there_is_a_tour(tmp_path: Path) -> None:
    (tmp_path / "is.svg").mkdir()
    with pytest.raises(BadInput, match="it is a folder"):
        check_destination(tmp_path / "is.svg", Board(3).graph)
    with pytest.raises(BadInput, match="there is no folder"):
        check_destination(tmp_path / "no" / "a.svg", Board(3).graph)
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="there is no folder"):
        check_destination(tmp_path / "file" / "a.svg", Board(3).graph)
    check_destination(tmp_path / "a.svg", Board(3).graph)


def test_folder_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # root may write anywhere
    with pytest.raises(BadInput, match="no permission"):
        check_destination(tmp_path / "a.svg", Board(3).graph)


@pytest.mark.parametrize("before", [None, b"what was there"])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bytes | None, step: str
) -> None:
    path = tmp_path / "a.txt"
    if before:
        path.write_bytes(before)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, full)
    with pytest.raises(BadInput, match=r"^can't write .*a\.txt: no space left on device$"):
        write(path, "new")
    assert [left.read_bytes() for left in tmp_path.iterdir()] == ([before] if before else [])


def test_disk_that_fills_up_leaves_what_was_there(tmp_path: Path) -> None:
    write(tmp_path / "a.svg", "before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))  # the kernel itself refuses to write more
    try:
        with pytest.raises(BadInput, match=r"^can't write .*a\.svg: file too large$"):
            write(tmp_path / "a.svg", b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [left.read_bytes() for left in tmp_path.iterdir()] == [b"before"]


def test_interrupted_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "a.txt", "new")
    assert not list(tmp_path.iterdir())


def test_unwritable_targets_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "folder.txt").mkdir()
    (tmp_path / "folder.txt" / "inside").touch()
    for target in (
        tmp_path / "folder.txt",
        tmp_path / "no" / "a.txt",
        tmp_path / ("x" * 300 + ".txt"),
        Path("/proc/a.txt"),
    ):
        with pytest.raises(BadInput, match=r"^can't write [^\n]+$"):
            write(target, b"data")
    assert [left.name for left in tmp_path.iterdir()] == ["folder.txt"]


def test_written_files_have_ordinary_permissions_and_links_stay(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write(tmp_path / "link.txt", "½")
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "½"
    assert (tmp_path / "link.txt").is_symlink()
    (tmp_path / "plain").touch()
    assert stat.S_IMODE((tmp_path / "real.txt").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


if __name__ == "__main__":
    for name, content in golden().items():
        (GOLDEN / name).write_text(content, encoding="utf-8")
