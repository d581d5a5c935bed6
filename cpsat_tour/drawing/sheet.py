"""A puzzle to be printed: a page with what is sought, the board and its given numbers, and below it, smaller, the
solution."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.libraries import require
from cpsat_tour.core.space import Space
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing import glyphs
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.colours import INK, MAX_LEGIBLE, PAPER
from cpsat_tour.drawing.plane import check_drawable
from cpsat_tour.drawing.png import png
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.files import check_place, write, writing
from cpsat_tour.formats.puzzle_text import puzzle_text

SUFFIXES = (".svg", ".png", ".pdf", ".txt")

WIDTH, HEIGHT, MARGIN = 840, 1188, 60
"""The page in the proportions of A4, four to a millimetre."""

BOARD, SOLUTION = 720, 300
"""The longer sides of the two pictures."""

HEADING = 18
"""The height of a tall letter above the board, where it says what is sought."""


def check_sheet(path: Path, space: Space, *, force: bool) -> None:
    """Raise `BadInput` if a sheet can't be written there, as far as can be told before there is a puzzle."""
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"can't tell what to write to {path}: give it one of the suffixes {', '.join(SUFFIXES)}")
    check_drawable(space)
    drawn = path.suffix.lower() != ".txt"
    if drawn and max(max(layer.cells.shape) for layer in space.layers()) > MAX_LEGIBLE:
        raise BadInput(
            f"can't draw {path}: the numbers of {space.called()} would be too small to read (at most "
            f"{MAX_LEGIBLE} squares a side)"
        )
    if path.suffix.lower() in (".png", ".pdf"):
        require("a PNG picture", "resvg_py")
    if path.suffix.lower() == ".pdf":
        require("a PDF file", "PIL")
    check_place(path, force=force)


def save_sheet(path: Path, givens: Sequence[tuple[int, int]], solution: Tour) -> None:
    """Write the page as SVG, PNG or, a picture in it, PDF; the puzzle alone as text."""
    if path.suffix.lower() == ".txt":
        write(path, puzzle_text(solution.graph.space, tuple(givens)))
        return
    page = sheet(givens, solution)
    if path.suffix.lower() == ".svg":
        write(path, page)
    elif path.suffix.lower() == ".png":
        write(path, png(page))
    else:
        from io import BytesIO

        from PIL import Image

        picture = Image.open(BytesIO(png(page))).convert("RGB")
        with writing(path) as file:
            picture.save(file, format="PDF", resolution=picture.width / 8.27, producer="cpsat-tour")


def sheet(givens: Sequence[tuple[int, int]], solution: Tour) -> str:
    """The page as SVG text."""
    graph, kind = solution.graph, "closed" if solution.closed else "open"
    title = f"Find the {kind} tour of {graph.called} with these numbers"
    canvas = Canvas(graph, title, f"{len(givens)} of {graph.order} numbers are given.")
    canvas.words(canvas.pen("numbers", INK, 38), {vertex: str(number) for vertex, number in givens}, 38)
    pictures = _placed(str(canvas), BOARD, bottom=False) + _placed(
        svg(graph, solution.vertices, closed=solution.closed), SOLUTION, bottom=True
    )
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    paper = f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}" />'
    words = glyphs.strokes(f"{kind} tour", WIDTH / 2, MARGIN / 2, HEADING)
    heading = ET.tostring(
        ET.Element("path", {"class": "heading", **glyphs.pen(INK, HEADING), "d": words}), encoding="unicode"
    )
    begin = (
        '<svg xmlns="http://www.w3.org/2000/svg" class="cpsat-tour" role="img" '
        f"{size}>\n<title>{escape(title)}</title>\n"
    )
    return f"{begin}{paper}\n{heading}\n{pictures}</svg>\n"


def _placed(picture: str, side: int, *, bottom: bool) -> str:
    """The picture in the middle of the page, at its top or its bottom, with this longer side."""
    box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', picture)
    assert box is not None
    scale = side / max(float(box[1]), float(box[2]))
    width, height = scale * float(box[1]), scale * float(box[2])
    place = (
        f'x="{(WIDTH - width) / 2:g}" y="{HEIGHT - MARGIN - height if bottom else MARGIN:g}" width="{width:g}" '
        f'height="{height:g}"'
    )
    return re.sub(r'width="\d+" height="\d+"', place, picture, count=1)
