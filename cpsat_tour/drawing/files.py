"""Tours to files, in the form that the file's suffix names."""

from __future__ import annotations

import io
import json
from functools import partial
from pathlib import Path

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.libraries import require
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing.points import MAX_VERTICES
from cpsat_tour.formats.describe import tour_data
from cpsat_tour.formats.files import check_place, write

SUFFIXES = (".svg", ".png", ".gif", ".txt", ".json", ".npy")
"""What a tour can be written as."""

DRAWN = (".svg", ".png", ".gif")
PLACED = (".gif", ".npy")
"""What takes rows and columns."""

MAX_DRAWN = 1 << 20
"""Squares of the largest board that is drawn."""


def check_destination(path: str | Path, graph: Graph, *, force: bool = False) -> None:
    """Raise `BadInput` if a tour of the graph can't be written there, as far as can be told before there is one.

    The suffix names the form; only what lies in rows and columns can be a moving picture; PNG needs resvg-py and GIF
    Pillow; the folder must be there and take a new file; a file that this program has not made is replaced with
    ``force`` alone.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise BadInput(f"can't tell what to write to {path}: give it one of the suffixes {', '.join(SUFFIXES)}")
    if suffix in PLACED and not graph.space.layers():
        doing = "draw" if suffix in DRAWN else "write"
        raise BadInput(
            f"can't {doing} {path}: {graph.called} has no rows and columns, so write its tour to a .svg, .txt "
            "or .json file"
        )
    if suffix in DRAWN and graph.order > MAX_VERTICES and not graph.space.layers():
        raise BadInput(
            f"can't draw {path}: {graph.called} has more than {MAX_VERTICES} vertices; write a .txt or .json file"
        )
    if suffix in DRAWN and graph.order > MAX_DRAWN:
        raise BadInput(
            f"can't draw {path}: no viewer opens {graph.order} squares (at most {MAX_DRAWN}); write a .npy "
            "file, for draw"
        )
    if suffix == ".png":
        require("a PNG picture", "resvg_py")
    if suffix == ".gif":
        from cpsat_tour.drawing.gif import check_film

        check_film(graph.space)
    check_place(path, force=force, is_name=partial(_is_vertex, graph))


def _is_vertex(graph: Graph, name: str) -> bool:
    try:
        return graph.name(graph.space.vertex(name)) == name
    except BadInput:
        return False


def save_tour(tour: Tour, path: str | Path) -> None:
    """Write the tour in the form that the suffix names, replacing a file of that name; `BadInput` where that can't be.

    ``.svg`` and ``.png`` are drawings, ``.gif`` is the knight walking, ``.txt`` its visit numbers, ``.json`` the list
    ``[[row, col], …]`` of the squares in order, ``.npy`` the same as an array of shape ``(squares, 2)``. For other
    graphs than boards ``.txt`` holds one vertex name a line and ``.json`` the list of names.
    """
    check_destination(path, tour.graph, force=True)
    suffix = Path(path).suffix.lower()
    if suffix == ".svg":
        write(path, tour.svg())
    elif suffix == ".png":
        from cpsat_tour.drawing.png import png

        write(path, png(tour.svg()))
    elif suffix == ".gif":
        from cpsat_tour.drawing.gif import walk

        write(path, walk(tour.graph.space, tour, closed=tour.closed))
    elif suffix == ".npy":
        content = io.BytesIO()  # into a file NumPy writes by itself, and does not tell what the system refused
        np.save(content, np.array(tour_data(tour), dtype=np.uint32))
        write(path, content.getvalue())
    elif suffix == ".txt":
        write(path, tour.text() if tour.graph.space.layers() else "".join(f"{name}\n" for name in tour.names))
    else:
        write(path, json.dumps(tour_data(tour), ensure_ascii=False) + "\n")
