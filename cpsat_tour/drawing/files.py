"""Writes tours to files in the form that the suffix names, and puzzles as pages to be printed.

The page of a puzzle has its rules and the board with the given numbers; the solution is on a second page (PDF), or at
the foot, small and upside down.
"""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import numpy as np

from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.libraries import require
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Space
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.ink import INK, MAX_LEGIBLE, PAPER
from cpsat_tour.drawing.points import MAX_VERTICES
from cpsat_tour.formats.arrays import writing_rows
from cpsat_tour.formats.describe import tour_data
from cpsat_tour.formats.files import check_place, write, writing
from cpsat_tour.formats.grids import layout_of
from cpsat_tour.formats.tour_files import (
    puzzle_file_text,
    read_tours,
    tour_file_beside,
    tour_file_data,
    write_tour_file,
)
from cpsat_tour.spaces.lattice import KNIGHT, Lattice

SUFFIXES = (".svg", ".png", ".gif", ".txt", ".json", ".npy")
"""The forms in which a tour can be written."""

DRAWN = (".svg", ".png", ".gif")

MAX_DRAWN = 1 << 20
"""Squares of the largest board that is drawn."""

MAX_PIXELS = 4096
"""The longer side of a PNG; a picture of that side takes 64 MB while it is drawn."""


def check_destination(path: str | Path, graph: Graph, *, force: bool = False) -> None:
    """Raise `BadInput` if a tour of the graph can't be written there, as far as can be told before there is one.

    The suffix names the form; only squares in rows and columns make a moving picture or an array; PNG needs resvg-py
    and GIF Pillow; the folder must take a new file; an existing file is replaced only with ``force``.
    """
    suffix, layout = Path(path).suffix.lower(), graph.space.layout
    if suffix not in SUFFIXES:
        raise BadInput(f"can't tell the format of {path}: give it one of the suffixes {', '.join(SUFFIXES)}")
    fault, instead = "", ".txt or .json"
    if suffix in (".gif", ".npy") and not layout:
        fault, instead = "has no rows and columns", ".svg, .txt or .json"
    elif suffix in DRAWN and graph.order > MAX_VERTICES and not layout:
        fault = f"has more than {MAX_VERTICES} vertices"
    elif suffix in DRAWN and graph.order > MAX_DRAWN:
        fault, instead = f"has {graph.order} squares, and no viewer opens more than {MAX_DRAWN}", ".npy"
    if fault:
        raise BadInput(f"can't write {path}: {graph.called} {fault}; write a {instead} file")
    if suffix == ".png":
        require("a PNG picture", "resvg_py")
    if suffix == ".gif":
        require("a GIF picture", "PIL")
        from cpsat_tour.drawing.gif import check_film

        check_film(graph.space)
    check_place(path, force=force)
    if suffix == ".npy":
        check_place(tour_file_beside(Path(path)), force=force)


def save_tour(tour: Tour, path: str | Path, described: Mapping[str, Any] | None = None, *, force: bool = False) -> None:
    """Write the tour in the form that the suffix names; `BadInput` if that can't be done, or there is a file and no
    ``force`` to replace it.

    ``.svg`` and ``.png`` are drawings, ``.gif`` is the knight walking, ``.txt`` the visit numbers, or the names, and
    the problem. ``.json`` is what ``solve --json`` prints, with what is ``described`` and the tour; ``.npy`` the
    coordinates in order, on a board an array of shape ``(squares, 2)``, and beside it that JSON.
    """
    path = Path(path)
    check_destination(path, tour.graph, force=force)
    suffix, coordinates = path.suffix.lower(), tour.graph.space.coordinates
    if suffix in (".svg", ".png"):
        write(path, tour.svg() if suffix == ".svg" else png(tour.svg()))
        return
    if suffix == ".gif":
        from cpsat_tour.drawing.gif import gif_of_walk

        write(path, gif_of_walk(tour.graph.space, tour, closed=tour.closed))
        return
    told = dict(described or tour_file_data(tour))
    if suffix == ".txt":
        shown = tour.text() if tour.graph.space.layout else "".join(f"{name}\n" for name in tour.names)
        write(path, f"{shown}{json.dumps(told['problem'], ensure_ascii=False)}\n")
    elif suffix == ".npy" and coordinates is not None:
        with writing_rows(path, coordinates.shape[1], np.dtype(np.uint32)) as rows:
            rows.append(coordinates[tour.vertices])
        write_tour_file(tour_file_beside(path), told | {"tour": path.name})
    else:
        write_tour_file(path, told | {"tour": told.get("tour") or tour_data(tour)})


def draw(
    tour: Tour | Answer | str | os.PathLike[str],
    picture: str | os.PathLike[str],
    *,
    number: int | None = None,
    force: bool = False,
) -> None:
    """Draw a tour, or one in a file, which is verified first: ``draw("tour.json", "tour.svg")``.

    Raises `BadInput` if the picture can't be written, and `TourFault`, which names the first fault, if the file has no
    tour.

    - ``tour`` (a `Tour`, an `Answer` or a path, needed): the tour, or a .json, .npy or .txt file that has one or
      several.
    - ``picture`` (a path, needed): the .svg, .png or .gif file.
    - ``number`` (int, default None): which tour of a file of several is drawn, from 1.
    - ``force`` (bool, default False): whether an existing file is replaced.
    """
    if (suffix := Path(picture).suffix.lower()) not in DRAWN:
        raise BadInput(f"can't draw to {os.fspath(picture)}: {suffix or 'no suffix'} is not one of {', '.join(DRAWN)}")
    if isinstance(tour, Answer):
        if tour.tour is None:
            raise BadInput(f"the answer has no tour to be drawn: it is {tour.status}")
        tour = tour.tour
    elif not isinstance(tour, Tour):
        found = read_tours(Path(tour))
        if number is None and len(found.rows) > 1:
            raise BadInput(f"{os.fspath(tour)} has {len(found.rows)} tours: choose one, such as --number 1")
        tour = found.tour(number)
    save_tour(tour, os.fspath(picture), force=force)


def png(svg: str) -> bytes:
    """Return a drawing as PNG, two pixels for each of the drawing's own, up to 4096 a side; `BadInput` without
    resvg-py."""
    require("a PNG picture", "resvg_py")
    import resvg_py

    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    side = min(2 * max(width, height), MAX_PIXELS)
    wide, high = (side, None) if width >= height else (None, side)
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts="<text" not in svg, width=wide, height=high))


# --- puzzles ---

SHEET_SUFFIXES = (".svg", ".png", ".pdf", ".txt")

WIDTH, HEIGHT, MARGIN = 840, 1188, 60
"""The page in the proportions of A4, four to a millimetre."""

A4_INCHES = 8.27
"""The width of the page."""

BOARD, SOLUTION = 720, 210
"""The longer sides of the two pictures."""

TITLE, HEADING, LINE = 26, 18, 34
"""The height of a tall letter of the title and of the rules, and from one line to the next."""

LETTERS = 62
"""The most letters in a line of the rules."""


def check_sheet(path: Path, space: Space, *, force: bool) -> None:
    """Raise `BadInput` if a sheet can't be written there, as far as can be told before there is a puzzle."""
    suffix, layers = path.suffix.lower(), layout_of(space).layers
    if suffix not in SHEET_SUFFIXES:
        raise BadInput(f"can't tell the format of {path}: give it one of the suffixes {', '.join(SHEET_SUFFIXES)}")
    if suffix != ".txt" and max(max(layer.cells.shape) for layer in layers) > MAX_LEGIBLE:
        numbers = f"the numbers of {space.called()} would be too small to read"
        raise BadInput(f"can't draw {path}: {numbers} (at most {MAX_LEGIBLE} squares a side)")
    if suffix == ".png":
        require("a PNG picture", "resvg_py")
    if suffix == ".pdf":
        require("a PDF file", "resvg_py", "PIL")
    check_place(path, force=force)


def save_sheet(path: Path, problem: Problem, solution: Tour) -> None:
    """Write a puzzle, a problem with given numbers, with its rules: PDF with the solution on a second page, SVG and PNG
    with it upside down at the foot, or the puzzle alone as text; `BadInput` if it can't be written."""
    suffix = path.suffix.lower()
    if suffix == ".txt":
        write(path, puzzle_file_text(problem))
        return
    title, *lines = rules(solution)
    puzzle, answer = puzzle_svg(problem.graph, title, problem.givens), solution.svg()
    if suffix == ".pdf":
        from PIL import Image

        pages = [_page(title, lines, puzzle), _page(title, ["The solution"], answer)]
        first, second = (Image.open(BytesIO(png(page))).convert("RGB") for page in pages)
        about: dict[str, Any] = {"title": title, "producer": "cpsat-tour", "resolution": first.width / A4_INCHES}
        with writing(path) as file:
            first.save(file, "PDF", save_all=True, append_images=[second], quality=95, subsampling=0, **about)
    else:
        page = _page(title, lines, puzzle, answer)
        write(path, page if suffix == ".svg" else png(page))


def puzzle_svg(graph: Graph, title: str, givens: Sequence[tuple[int, int]]) -> str:
    """Return a board with its given numbers as SVG."""
    canvas = Canvas(graph, title, f"{len(givens)} of {graph.order} numbers are given.")
    canvas.words(canvas.pen("numbers", INK, 38), {vertex: str(number) for vertex, number in givens}, 38)
    return str(canvas)


def _page(title: str, lines: Sequence[str], picture: str, upside_down: str = "") -> str:
    """Return a page as SVG: its title, lines of words, a picture, and at the foot, if given, a small one upside
    down."""
    words = "".join(
        ink.strokes(line, WIDTH / 2, MARGIN + TITLE + number * LINE, HEADING) for number, line in enumerate(lines, 1)
    )
    layers = {"title": (TITLE, ink.strokes(title, WIDTH / 2, MARGIN, TITLE)), "rules": (HEADING, words)}
    paths = [
        ET.Element("path", {"class": name, **ink.pen(INK, height), "d": strokes})
        for name, (height, strokes) in layers.items()
    ]
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    foot = upside_down and _placed_picture(upside_down, SOLUTION, MARGIN // 2)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" class="cpsat-tour" role="img" {size}>
<title>{escape(title)}</title>
<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}" />
{"".join(ET.tostring(path, encoding="unicode") for path in paths)}
{_placed_picture(picture, BOARD, MARGIN + TITLE + 4 * LINE)}
<g class="solution" transform="rotate(180 {WIDTH // 2} {HEIGHT // 2})">
{foot}</g>
</svg>
"""


def rules(tour: Tour) -> list[str]:
    """Return the title of a puzzle and its two rules, in lines of letters that `ink` has."""
    space, last = tour.graph.space, len(tour)
    assert isinstance(space, Lattice), "only lattices have squares"
    move = f"move by {' and '.join(map(str, space.leaper))} squares"
    if space.leaper == KNIGHT:
        move = "knight's move, two squares one way and one to the side,"
    back = f", and from {last} back to 1" if tour.closed else ""
    sentences = [
        f"Write the numbers 1 to {last} into the squares, each once.",
        f"A {move} leads from each number to the next{back}.",
    ]
    title = f"{'A closed' if tour.closed else 'An open'} tour of {space.bare_name}"
    return [title, *(line for sentence in sentences for line in textwrap.wrap(sentence, LETTERS))]


def _placed_picture(picture: str, side: int, top: int) -> str:
    """Return an SVG picture, scaled to this longer side, in the middle of the page below its ``top``."""
    box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', picture)
    assert box is not None
    scale = side / max(float(box[1]), float(box[2]))
    width, height = scale * float(box[1]), scale * float(box[2])
    place = f'x="{(WIDTH - width) / 2:g}" y="{top}" width="{width:g}" height="{height:g}"'
    return re.sub(r'width="\d+" height="\d+"', place, picture, count=1)
