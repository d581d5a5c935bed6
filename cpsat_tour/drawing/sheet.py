"""Draws a puzzle to be printed: a page with its rules, the board with the given numbers, and at the foot, small and
upside down, the solution."""

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
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.files import png
from cpsat_tour.drawing.ink import INK, MAX_LEGIBLE, PAPER
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.files import check_place, write, writing
from cpsat_tour.formats.grids import layers_of, puzzle_text
from cpsat_tour.spaces.lattice import KNIGHT, Lattice

SUFFIXES = (".svg", ".png", ".pdf", ".txt")

WIDTH, HEIGHT, MARGIN = 840, 1188, 60
"""The page in the proportions of A4, four to a millimetre."""

BOARD, SOLUTION = 720, 230
"""The longer sides of the two pictures."""

HEADING, LINE = 18, 34
"""The height of a tall letter of the rules, and from one line to the next."""


def check_sheet(path: Path, space: Space, *, force: bool) -> None:
    """Raise `BadInput` if a sheet can't be written there, as far as can be told before there is a puzzle."""
    suffix, layers = path.suffix.lower(), layers_of(space)
    if suffix not in SUFFIXES:
        raise BadInput(f"can't tell what to write to {path}: give it one of the suffixes {', '.join(SUFFIXES)}")
    if suffix != ".txt" and max(max(layer.cells.shape) for layer in layers) > MAX_LEGIBLE:
        numbers = f"the numbers of {space.called()} would be too small to read"
        raise BadInput(f"can't draw {path}: {numbers} (at most {MAX_LEGIBLE} squares a side)")
    if suffix in (".png", ".pdf"):
        require("a PNG picture", "resvg_py")
    if suffix == ".pdf":
        require("a PDF file", "PIL")
    check_place(path, force=force)


def save_sheet(path: Path, givens: Sequence[tuple[int, int]], solution: Tour) -> None:
    """Write the page as SVG, PNG or, with a picture in it, PDF; or the puzzle without the solution as text."""
    suffix = path.suffix.lower()
    if suffix == ".txt":
        write(path, puzzle_text(solution.graph.space, givens))
    elif suffix == ".pdf":
        from io import BytesIO

        from PIL import Image

        picture = Image.open(BytesIO(png(sheet(givens, solution)))).convert("RGB")
        with writing(path) as file:
            picture.save(file, format="PDF", resolution=picture.width / 8.27, producer="cpsat-tour")
    else:
        page = sheet(givens, solution)
        write(path, page if suffix == ".svg" else png(page))


def sheet(givens: Sequence[tuple[int, int]], solution: Tour) -> str:
    """Return the page as SVG."""
    graph = solution.graph
    title, *lines = rules(solution)
    canvas = Canvas(graph, title.capitalize(), f"{len(givens)} of {graph.order} numbers are given.")
    canvas.words(canvas.pen("numbers", INK, 38), {vertex: str(number) for vertex, number in givens}, 38)
    answer = svg(graph, solution.vertices, closed=solution.closed)
    written = [
        ink.strokes(line, WIDTH / 2, MARGIN + number * LINE, HEADING) for number, line in enumerate((title, *lines))
    ]
    path = ET.Element("path", {"class": "heading", **ink.pen(INK, HEADING), "d": "".join(written)})
    heading = ET.tostring(path, encoding="unicode")
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" class="cpsat-tour" role="img" {size}>
<title>{escape(title.capitalize())}</title>
<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}" />
{heading}
{_placed(str(canvas), BOARD, MARGIN + len(lines) * LINE + MARGIN // 2)}
<g class="solution" transform="rotate(180 {WIDTH // 2} {HEIGHT // 2})">
{_placed(answer, SOLUTION, MARGIN // 2)}</g>
</svg>
"""


def rules(tour: Tour) -> list[str]:
    """Return the title and the rules of a puzzle, in lines of letters that `ink` has."""
    space, last = tour.graph.space, len(tour)
    assert isinstance(space, Lattice), "only lattices have squares"
    move = "a knight's move" if space.leaper == KNIGHT else f"a move by {' and '.join(map(str, space.leaper))} squares"
    lines = [
        f"a{' closed' if tour.closed else 'n open'} tour of {space.whole}".lower().replace("ö", "o"),
        f"write the numbers 1 to {last} into the squares, each once:",
        f"{move} leads from each number to the next",
    ]
    return [*lines, f"and from {last} back to 1"] if tour.closed else lines


def _placed(picture: str, side: int, top: int) -> str:
    """Return a picture of this longer side in the middle of the page, so far below its top."""
    box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', picture)
    assert box is not None
    scale = side / max(float(box[1]), float(box[2]))
    width, height = scale * float(box[1]), scale * float(box[2])
    place = f'x="{(WIDTH - width) / 2:g}" y="{top}" width="{width:g}" height="{height:g}"'
    return re.sub(r'width="\d+" height="\d+"', place, picture, count=1)
