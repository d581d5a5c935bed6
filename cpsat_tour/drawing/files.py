"""Writes tours to files in the form that the suffix names, and puzzles as pages to be printed.

The page of a puzzle has its rules, the board with the given numbers, and at the foot, small and upside down, the
solution.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.libraries import require
from cpsat_tour.core.space import Space
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing import ink
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.ink import INK, MAX_LEGIBLE, PAPER
from cpsat_tour.drawing.points import MAX_VERTICES
from cpsat_tour.drawing.svg import svg
from cpsat_tour.formats.arrays import writing_rows
from cpsat_tour.formats.describe import tour_data
from cpsat_tour.formats.files import check_place, write, writing
from cpsat_tour.formats.grids import layers_of, puzzle_text
from cpsat_tour.formats.tour_files import tour_file_beside, tour_file_data, write_tour_file
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
    suffix, layers = Path(path).suffix.lower(), graph.space.layers()
    if suffix not in SUFFIXES:
        raise BadInput(f"can't tell the format of {path}: give it one of the suffixes {', '.join(SUFFIXES)}")
    fault, instead = "", ".txt or .json"
    if suffix in (".gif", ".npy") and not layers:
        fault, instead = "has no rows and columns", ".svg, .txt or .json"
    elif suffix in DRAWN and graph.order > MAX_VERTICES and not layers:
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
    suffix, coordinates = path.suffix.lower(), tour.graph.coordinates
    if suffix in (".svg", ".png"):
        write(path, tour.svg() if suffix == ".svg" else png(tour.svg()))
        return
    if suffix == ".gif":
        from cpsat_tour.drawing.gif import walk

        write(path, walk(tour.graph.space, tour, closed=tour.closed))
        return
    told = dict(described or tour_file_data(tour))
    if suffix == ".txt":
        shown = tour.text() if tour.graph.space.layers() else "".join(f"{name}\n" for name in tour.names)
        write(path, f"{shown}{json.dumps(told['problem'], ensure_ascii=False)}\n")
    elif suffix == ".npy" and coordinates is not None:
        with writing_rows(path, coordinates.shape[1], np.dtype(np.uint32)) as rows:
            rows.append(coordinates[tour.vertices])
        write_tour_file(tour_file_beside(path), told | {"tour": path.name})
    else:
        write_tour_file(path, told | {"tour": told.get("tour") or tour_data(tour)})


def png(svg: str) -> bytes:
    """Return a drawing as PNG, two pixels for each of the drawing's own, up to 4096 a side; `BadInput` without
    resvg-py."""
    require("a PNG picture", "resvg_py")
    import resvg_py

    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    side = min(2 * max(width, height), MAX_PIXELS)
    wide, high = (side, None) if width >= height else (None, side)
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, width=wide, height=high))


# --- puzzles ---

SHEET_SUFFIXES = (".svg", ".png", ".pdf", ".txt")

WIDTH, HEIGHT, MARGIN = 840, 1188, 60
"""The page in the proportions of A4, four to a millimetre."""

BOARD, SOLUTION = 720, 230
"""The longer sides of the two pictures."""

HEADING, LINE = 18, 34
"""The height of a tall letter of the rules, and from one line to the next."""


def check_sheet(path: Path, space: Space, *, force: bool) -> None:
    """Raise `BadInput` if a sheet can't be written there, as far as can be told before there is a puzzle."""
    suffix, layers = path.suffix.lower(), layers_of(space)
    if suffix not in SHEET_SUFFIXES:
        raise BadInput(f"can't tell the format of {path}: give it one of the suffixes {', '.join(SHEET_SUFFIXES)}")
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
    """Return a picture, scaled to this longer side, in the middle of the page below its ``top``."""
    box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', picture)
    assert box is not None
    scale = side / max(float(box[1]), float(box[2]))
    width, height = scale * float(box[1]), scale * float(box[2])
    place = f'x="{(WIDTH - width) / 2:g}" y="{top}" width="{width:g}" height="{height:g}"'
    return re.sub(r'width="\d+" height="\d+"', place, picture, count=1)
