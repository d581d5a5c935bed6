"""Pictures for papers: PDF with its words and its size, TikZ line by line, and vertices where people place them."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest
from commands import Command, needed

from cpsat_tour import BadInput, Board, Graph, Tour, decompose, draw, read_graph, solve
from cpsat_tour.core.space import Ints
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.images import pdf, tikz
from cpsat_tour.formats.saving import check_destination

SQUARE = {"a": (0, 0), "b": (5, 0), "c": (5, 2), "d": (0, 2)}
"""A circle of four vertices in the corners of a rectangle, y up."""


def a_tour(graph: Graph, **problem: Any) -> Tour:
    return needed(solve(graph, **problem).tour)


def named(*names: str) -> Graph:
    """A circle of these vertices."""
    return Graph.from_networkx(nx.cycle_graph(names))


def places(svg: str) -> dict[str, tuple[float, float]]:
    """The middle of each disc of a drawing, by its number."""
    group = next(each for each in ET.fromstring(svg) if each.get("class") == "numbers")
    return {text.text or "": (float(text.attrib["x"]), float(text.attrib["y"])) for text in group}


# --- PDF ---


@pytest.mark.parametrize("space", ["6x6", "torus:5x5", "2x3x4", "GP(8,3)", "1x1", "30x30"])
def test_a_pdf_has_the_size_of_its_drawing_and_its_words_as_text(space: str, tmp_path: Path) -> None:
    pytest.importorskip("fpdf", reason="PDF needs fpdf2")
    pypdf = pytest.importorskip("pypdf", reason="pypdf reads PDF")
    tour = needed(solve(space).tour)
    tour.save(tmp_path / "tour.pdf")
    (page,) = pypdf.PdfReader(tmp_path / "tour.pdf").pages
    root = ET.fromstring(tour.svg())
    size = [float(root.attrib[side]) * 0.75 for side in ("width", "height")]  # 96 pixels are an inch, and 72 points
    assert np.allclose([page.mediabox.width, page.mediabox.height], size, atol=0.01)
    words = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted("".join(page.extract_text().split())) == sorted("".join("".join(words).split()))
    assert not page.images
    assert (tmp_path / "tour.pdf").read_bytes() == pdf(tour.svg()), "the same drawing is the same file"


def test_a_page_of_pdf_is_not_larger_than_viewers_open(tmp_path: Path) -> None:
    pytest.importorskip("fpdf", reason="PDF needs fpdf2")
    pypdf = pytest.importorskip("pypdf", reason="pypdf reads PDF")
    (tmp_path / "long.pdf").write_bytes(pdf(str(Canvas(Board(3, 6000).graph, "", ""))))
    assert round(pypdf.PdfReader(tmp_path / "long.pdf").pages[0].mediabox.width) == 14_400


def test_a_pdf_has_greek_and_cyrillic_names_and_refuses_letters_that_it_would_lose(tmp_path: Path) -> None:
    pytest.importorskip("fpdf", reason="PDF needs fpdf2")
    pypdf = pytest.importorskip("pypdf", reason="pypdf reads PDF")
    a_tour(named("αβγ", "Конь", "Ärger")).save(tmp_path / "a.pdf")
    words = pypdf.PdfReader(tmp_path / "a.pdf").pages[0].extract_text()
    assert all(name in words for name in ("αβγ", "Конь", "Ärger"))
    with pytest.raises(BadInput, match=r"a PDF has Latin, Greek and Cyrillic letters, a \.png others"):
        a_tour(named("数独", "b", "c")).save(tmp_path / "b.pdf")
    assert not (tmp_path / "b.pdf").exists()


def test_pictures_without_their_library_say_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("cpsat_tour.core.errors.find_spec", lambda _name: None)
    for suffix, library in ((".pdf", "fpdf2 font-source-sans-pro"), (".gif", "Pillow resvg-py")):
        with pytest.raises(BadInput, match=f"pip install {library}"):
            check_destination(tmp_path / f"a{suffix}", Board(3).graph)
    check_destination(tmp_path / "a.tikz", Board(3).graph)


def test_why_there_is_no_tour_becomes_a_pdf_and_tikz(tmp_path: Path, command: Command) -> None:
    pytest.importorskip("fpdf", reason="PDF needs fpdf2")
    pypdf = pytest.importorskip("pypdf", reason="pypdf reads PDF")
    command(f"prove 4x6 --closed -o {tmp_path / 'proof'} -q")
    why = tmp_path / "proof" / "why.svg"
    command(f"draw {why} -o {tmp_path / 'why.pdf'} -q")
    reader = pypdf.PdfReader(tmp_path / "why.pdf")
    assert reader.metadata.title == "Why there is no closed tour of the 4x6 board"
    assert "added: two edges meet at each square" in reader.pages[0].extract_text()
    draw(why, tmp_path / "why.tikz")
    assert (tmp_path / "why.tikz").read_text() == tikz(why.read_text())
    start = '<svg xmlns="http://www.w3.org/2000/svg"'
    for wrong in (
        f"{start}></svg>",
        f'{start} class="cpsat-tour"></svg>',
        f'{start} class="cpsat-tour" <title></svg>',
        why.read_text().replace("<desc>", "<image>"),
    ):
        (tmp_path / "other.svg").write_text(wrong)
        with pytest.raises(BadInput, match="only drawings of cpsat-tour become other pictures"):
            draw(tmp_path / "other.svg", tmp_path / "other.pdf")
    (tmp_path / "other.svg").write_text(why.read_text().replace("Why", "数独"))
    with pytest.raises(BadInput, match="letters that a PDF can't show"):
        draw(tmp_path / "other.svg", tmp_path / "other.pdf")
    with pytest.raises(BadInput, match="only drawings"):
        draw(why, tmp_path / "why.gif")
    with pytest.raises(BadInput, match="there is a file of that name"):
        draw(why, tmp_path / "why.pdf")


# --- TikZ ---

DOCUMENT = r"\documentclass{article}\usepackage{tikz}\begin{document}\input{picture.tikz}\end{document}"


def test_a_tour_in_tikz_matches_the_golden_file(golden: Callable[[str], None]) -> None:
    golden(tikz(Tour(Board(3, 4).graph, False, np.array([0, 6, 8, 1, 7, 9, 2, 4, 10, 3, 5, 11], np.int32)).svg()))


def test_names_in_tikz_are_letters_and_not_commands() -> None:
    drawn = tikz(a_tour(named("a_1 % & # $", r"{x}\y", "~^<|>")).svg())
    assert r"{a\_1 \% \& \# \$}" in drawn
    assert r"{\{x\}\textbackslash{}y}" in drawn
    assert r"{\textasciitilde{}\textasciicircum{}\textless{}\textbar{}\textgreater{}}" in drawn


def drawings() -> dict[str, str]:
    return {
        "a tour": a_tour(Board(6).graph, closed=True).svg(),
        "names": a_tour(named("a_1 % & # $", r"{x}\y", "~^<|>", "Ärger½→…")).svg(),
        "a box": needed(solve("2x3x4").tour).svg(),
        "tours": decompose("torus:5x5").tours.svg(),
    }


@pytest.mark.parametrize("name", ["a tour", "names", "a box", "tours"])
def test_latex_takes_the_pictures(name: str, tmp_path: Path) -> None:
    if (
        not shutil.which("pdflatex")
        or subprocess.run(["kpsewhich", "tikz.sty"], capture_output=True, check=False).returncode
    ):
        pytest.skip("LaTeX with TikZ is not installed")
    (tmp_path / "picture.tikz").write_text(tikz(drawings()[name]))
    (tmp_path / "a.tex").write_text(DOCUMENT)
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    assert subprocess.run(latex, cwd=tmp_path, capture_output=True, check=False).returncode == 0


def test_a_picture_in_tikz_is_at_most_twelve_centimetres_and_bounded(tmp_path: Path) -> None:
    side = int(ET.fromstring(wide := str(Canvas(Board(3, 40).graph, "", ""))).attrib["viewBox"].split()[2]) / 100
    assert f"[x={12 / side:.4g}cm, y=-{12 / side:.4g}cm, " in tikz(wide)
    with pytest.raises(BadInput, match=r"has 18000 squares, and a \.tikz picture at most 16000"):
        check_destination(tmp_path / "a.tikz", Board(3, 6000).graph)


# --- coordinates of one's own ---


def networkx_square(**about: Callable[[tuple[int, int]], Any]) -> nx.Graph:
    graph = nx.cycle_graph(SQUARE)
    for name, point in SQUARE.items():
        graph.nodes[name].update({key: value(point) for key, value in about.items()})
    return graph


FILES: dict[str, Callable[[Path], Any]] = {
    "a.gexf": lambda path: nx.write_gexf(
        networkx_square(viz=lambda point: {"position": {"x": point[0], "y": point[1], "z": 0}}), path
    ),
    "a.graphml": lambda path: nx.write_graphml(networkx_square(x=lambda point: point[0], y=lambda p: p[1]), path),
    "a.gml": lambda path: nx.write_gml(networkx_square(graphics=lambda point: {"x": point[0], "y": point[1]}), path),
    "a.dot": lambda path: path.write_text(
        'graph {a [pos="0,0!"]; b [pos="5,0"]; c [pos="5,2"]; d [pos="0.0,2.0"]; a -- b -- c -- d -- a}'
    ),
    "a.net": lambda path: path.write_text(
        '*Vertices 4\n1 "a" 0 0 0.5\n2 "b" 5 0 0.5\n3 "c" 5 2 0.5\n4 "d" 0 2 0.5\n*Edges\n1 2\n2 3\n3 4\n4 1\n'
    ),
    "a.hcp": lambda path: path.write_text(
        "TYPE : HCP\nDIMENSION : 4\nNODE_COORD_SECTION\n2 5 0\n1 0 0\n3 5.0 2e0\n4 0 2\nEDGE_DATA_SECTION\n"
        "1 2\n2 3\n3 4\n4 1\n-1\nEOF\n"
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_coordinates_is_drawn_where_they_say(name: str, tmp_path: Path) -> None:
    FILES[name](tmp_path / name)
    graph = read_graph(tmp_path / name)
    assert needed(graph.space.places).tolist() == [list(point) for point in SQUARE.values()]
    a_tour(graph, closed=True).save(tmp_path / "tour.json")
    assert "points" in json.loads((tmp_path / "tour.json").read_text())["problem"]
    drawn = places(Tour.load(tmp_path / "tour.json").svg())
    assert drawn["3"] == (drawn["2"][0], drawn["4"][1]), "a rectangle"
    assert drawn["2"][0] - drawn["4"][0] == pytest.approx(2.5 * (drawn["2"][1] - drawn["4"][1]), rel=0.02), "y is up"


def test_points_are_given_in_python_or_by_nodes_of_networkx() -> None:
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0)]
    plain = Graph.from_edges(4, pairs)
    asked = plain.at([*SQUARE.values()])
    svg = a_tour(asked, closed=True).svg()
    assert (
        a_tour(plain.at(dict(enumerate(SQUARE.values()))), closed=True).svg() == svg != a_tour(plain, closed=True).svg()
    )
    assert a_tour(plain.at(np.array([*SQUARE.values()]) * 7 + 3), closed=True).svg() == svg, "scaled to be legible"
    for key in ("pos", "graphics"):
        graph = Graph.from_networkx(networkx_square(**{key: tuple if key == "pos" else list}))
        assert needed(graph.space.places).tolist() == needed(asked.space.places).tolist()
    xs, ys = ([*{round(value) for value in axis}] for axis in zip(*places(svg).values(), strict=True))
    assert (len(xs), len(ys)) == (2, 2)
    noun = nx.cycle_graph(4)
    nx.set_node_attributes(noun, "noun", "pos")
    assert Graph.from_networkx(noun).space.places is None


@pytest.mark.parametrize("points", [[(0, 0)], [(0, 0)] * 3 + [(0, float("nan"))], "abcd", [[1, 2], [3]], {0: (1, 2)}])
def test_points_that_are_not_one_for_each_vertex_are_refused(points: Any) -> None:
    with pytest.raises(BadInput, match="takes an x and a y each"):
        Graph.from_edges(4, [(0, 1)]).at(points)
    with pytest.raises(BadInput, match="the 2x2 board can't be drawn at"):
        Board(2).graph.at([(0, 0)] * 4)


@pytest.mark.parametrize("points", [[(0, 0)] * 3, [(0, 0), (1e-9, 0), (1e14, 1e14)], [(7, 7), (7, 7), (8, 7)]])
def test_points_that_coincide_or_lie_far_away_are_drawn_in_a_bounded_picture(points: Any) -> None:
    tour: Ints = np.arange(3, dtype=np.int32)
    drawn = ET.fromstring(Tour(Graph.from_edges(3, [(0, 1), (1, 2)]).at(points), False, tour).svg())
    assert max(map(int, drawn.attrib["viewBox"].split()[2:])) < 500_000
    assert re.fullmatch(r"\d+", drawn.attrib["width"])
