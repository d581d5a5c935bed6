"""Puzzles as pages to be printed: the rules and the board with the given numbers; the solution on a second page (PDF),
or at the foot, small and upside down."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.libraries import require
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Space, layout_of
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.ink import INK, MAX_LEGIBLE, PAPER
from cpsat_tour.drawing.pdf import pdf
from cpsat_tour.drawing.png import png
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.files import check_place, write
from cpsat_tour.formats.tour_files import puzzle_file_text
from cpsat_tour.spaces.lattice import KNIGHT, MOVES, Lattice

SHEET_SUFFIXES = (".svg", ".png", ".pdf", ".txt")


WIDTH, HEIGHT, MARGIN = 840, 1188, 60
"""The page in the proportions of A4, four to a millimetre."""


BOARD, SOLUTION = 690, 210
"""The longer sides of the two pictures."""


TITLE, HEADING, LINE = 26, 18, 32
"""The height of a tall letter of the title and of the rules, and from one line to the next."""


LETTERS = 62
"""The most letters in a line of the rules."""


def check_sheet(path: Path, space: Space, *, force: bool) -> None:
    """Raise `BadInput` if a sheet can't be written there, as far as its path tells."""
    suffix, layers = path.suffix.lower(), layout_of(space).layers
    if suffix not in SHEET_SUFFIXES:
        raise BadInput(f"can't tell the format of {path}: give it one of the suffixes {', '.join(SHEET_SUFFIXES)}")
    if suffix != ".txt" and max(max(layer.cells.shape) for layer in layers) > MAX_LEGIBLE:
        numbers = f"the numbers of {space.called()} would be too small to read"
        raise BadInput(f"can't draw {path}: {numbers} (at most {MAX_LEGIBLE} squares a side)")
    if suffix == ".png":
        require("a PNG picture", "resvg_py")
    if suffix == ".pdf":
        require("a PDF file", "fpdf")
    check_place(path, force=force)


def save_sheet(path: Path, problem: Problem, solution: Ints, grade: str) -> None:
    """Write a puzzle, a problem with given numbers, with its rules and its grade in words: PDF with the solution on a
    second page, SVG and PNG with it upside down at the foot, or the puzzle alone as text; `BadInput` if it can't be
    written."""
    suffix = path.suffix.lower()
    if suffix == ".txt":
        write(path, puzzle_file_text(problem))
        return
    title, *lines = rules(problem)
    lines.append(grade)
    text = suffix == ".pdf"
    puzzle = puzzle_svg(problem.graph, title, problem.givens, text=text)
    answer = svg(problem.graph, solution, closed=problem.closed, text=text)
    if suffix == ".pdf":
        write(path, pdf(title, [(lines, puzzle), (["The solution"], answer)]))
    else:
        page = _page(title, lines, puzzle, answer)
        write(path, page if suffix == ".svg" else png(page))


def puzzle_svg(graph: Graph, title: str, givens: Sequence[tuple[int, int]], *, text: bool = False) -> str:
    """Return a board with its given numbers as SVG; with ``text`` the numbers are text."""
    canvas = Canvas(graph, title, f"{len(givens)} of {graph.order} numbers are given.", text=text)
    canvas.words(canvas.pen("numbers", INK, 38), {vertex: str(number) for vertex, number in givens}, 38)
    return str(canvas)


def _page(title: str, lines: Sequence[str], picture: str, upside_down: str) -> str:
    """Return a page as SVG: its title, lines of words, a picture, and at the foot a small one upside down."""
    words = "".join(
        ink.strokes(line, WIDTH / 2, MARGIN + TITLE + number * LINE, HEADING) for number, line in enumerate(lines, 1)
    )
    layers = {"title": (TITLE, ink.strokes(title, WIDTH / 2, MARGIN, TITLE)), "rules": (HEADING, words)}
    paths = [
        ET.Element("path", {"class": name, **ink.pen(INK, height), "d": strokes})
        for name, (height, strokes) in layers.items()
    ]
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" class="cpsat-tour" role="img" {size}>
<title>{escape(title)}</title>
<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}" />
{"".join(ET.tostring(path, encoding="unicode") for path in paths)}
{_placed_picture(picture, BOARD, MARGIN + TITLE + (len(lines) + 1) * LINE)}
<g class="solution" transform="rotate(180 {WIDTH // 2} {HEIGHT // 2})">
{_placed_picture(upside_down, SOLUTION, MARGIN // 2)}</g>
</svg>
"""


def rules(problem: Problem) -> list[str]:
    """Return the title of a puzzle and its two rules, in lines of letters that `ink` has."""
    space, last = problem.graph.space, problem.graph.order
    assert isinstance(space, Lattice), "only lattices have squares"
    move = f"move by {', or by '.join(' and '.join(map(str, leaper)) for leaper in space.leapers)} squares"
    if space.leaper in (KNIGHT, MOVES["king"]):
        king = "king's move, one square in any direction,"
        move = "knight's move, two squares one way and one to the side," if space.leaper == KNIGHT else king
    back = f", and from {last} back to 1" if problem.closed else ""
    sentences = [
        f"Write the numbers 1 to {last} into the squares, each once.",
        f"A {move} leads from each number to the next{back}.",
    ]
    title = f"{'A closed' if problem.closed else 'An open'} tour of {space.bare_name}"
    return [title, *(line for sentence in sentences for line in textwrap.wrap(sentence, LETTERS))]


def _placed_picture(picture: str, side: int, top: int) -> str:
    """Return an SVG picture, scaled to this longer side, in the middle of the page below its ``top``."""
    box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', picture)
    assert box is not None
    scale = side / max(float(box[1]), float(box[2]))
    width, height = scale * float(box[1]), scale * float(box[2])
    place = f'x="{(WIDTH - width) / 2:g}" y="{top}" width="{width:g}" height="{height:g}"'
    return re.sub(r'width="\d+" height="\d+"', place, picture, count=1)
