"""Puzzles as pages to be printed: the rules and the board with the given numbers; the solution on a second page (PDF),
or at the foot, small and upside down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from cpsat_tour.core.errors import BadInput, require
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Ints, Space, layout_of
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.ink import INK, MAX_LEGIBLE, PAPER
from cpsat_tour.drawing.pdf import pdf
from cpsat_tour.drawing.png import PNG_NEEDS, png
from cpsat_tour.drawing.svg import drawn_tour
from cpsat_tour.formats.files import check_place, write
from cpsat_tour.formats.tour_files import puzzle_file_text
from cpsat_tour.spaces.lattice import KNIGHT, MOVES, Lattice

SHEET_SUFFIXES = (".svg", ".png", ".pdf", ".txt")


WIDTH, HEIGHT, MARGIN = 840, 1188, 60
"""The page in the proportions of A4, four to a millimetre."""

SOLUTION = 210
"""The longer side of the solution at the foot."""


def check_sheet(path: Path, space: Space, *, force: bool) -> None:
    """Raise `BadInput` if a sheet can't be written there, as far as its path tells."""
    suffix, layers = path.suffix.lower(), layout_of(space).layers
    if suffix not in SHEET_SUFFIXES:
        raise BadInput(f"can't tell the format of {path}: give it one of the suffixes {', '.join(SHEET_SUFFIXES)}")
    if suffix != ".txt" and max(max(layer.cells.shape) for layer in layers) > MAX_LEGIBLE:
        raise BadInput(
            f"can't draw {path}: "
            f"the numbers of {space.called()} would be too small to read (at most {MAX_LEGIBLE} squares a side)"
        )
    if suffix == ".png":
        require("a PNG picture", *PNG_NEEDS)
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
    title, *sentences = rules(problem)
    puzzle = drawn_puzzle(problem.graph, title, problem.givens)
    puzzle.heading(title, *sentences, grade)
    answer = drawn_tour(problem.graph, solution, closed=problem.closed)
    if suffix == ".pdf":
        answer.heading(title, "The solution.")
        write(path, pdf(title, [puzzle, answer]))
    else:
        page = _page(title, puzzle, answer)
        write(path, page if suffix == ".svg" else png(page))


def drawn_puzzle(graph: Graph, title: str, givens: Sequence[tuple[int, int]]) -> Canvas:
    """Return a board with its given numbers."""
    canvas = Canvas(graph, title, f"{len(givens)} of {graph.order} numbers are given.")
    canvas.words(canvas.pen("numbers", INK, 38), {vertex: str(number) for vertex, number in givens}, 38)
    return canvas


def _page(title: str, puzzle: Canvas, answer: Canvas) -> str:
    """Return a page as SVG: the puzzle, and at the foot its solution, small and upside down."""
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" class="cpsat-tour" role="img" {size}>
<title>{escape(title)}</title>
<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}" />
{_placed(puzzle, WIDTH - 2 * MARGIN, HEIGHT - 3 * MARGIN - SOLUTION, MARGIN)}
<g class="solution" transform="rotate(180 {WIDTH // 2} {HEIGHT // 2})">
{_placed(answer, SOLUTION, SOLUTION, MARGIN // 2)}</g>
</svg>
"""


def rules(problem: Problem) -> list[str]:
    """Return the title of a puzzle and its two rules, a sentence each."""
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
    return [f"{'A closed' if problem.closed else 'An open'} tour of {space.bare_name}", *sentences]


def _placed(canvas: Canvas, wide: int, high: int, top: int) -> str:
    """Return a drawing, scaled to this room, in the middle of the page below its ``top``."""
    *_, width, height = map(int, canvas.root.attrib["viewBox"].split())
    scale = min(wide / width, high / height)
    place = f'x="{(WIDTH - scale * width) / 2:g}" y="{top}" width="{scale * width:g}" height="{scale * height:g}"'
    return re.sub(r'width="\d+" height="\d+"', place, str(canvas), count=1)
