"""Tours to files, in the form that the file's suffix names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.libraries import require
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing.points import MAX_VERTICES
from cpsat_tour.formats.arrays import writing_rows
from cpsat_tour.formats.describe import tour_data
from cpsat_tour.formats.files import check_place, write
from cpsat_tour.formats.tour_files import beside, text_of, write_object
from cpsat_tour.spaces.problem_data import problem_data

SUFFIXES = (".svg", ".png", ".gif", ".txt", ".json", ".npy")
"""What a tour can be written as."""

DRAWN = (".svg", ".png", ".gif")
PLACED = (".gif", ".npy")
"""What takes rows and columns."""

MAX_DRAWN = 1 << 20
"""Squares of the largest board that is drawn."""

MAX_PIXELS = 4096
"""Of a side of a PNG; a picture of that side takes 64 MB while it is drawn."""


def check_destination(path: str | Path, graph: Graph, *, force: bool = False) -> None:
    """Raise `BadInput` if a tour of the graph can't be written there, as far as can be told before there is one.

    The suffix names the form; only what lies in rows and columns can be a moving picture; PNG needs resvg-py and GIF
    Pillow; the folder must be there and take a new file; a file that is there is replaced with ``force`` alone.
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
            f"can't draw {path}: no viewer opens {graph.order} squares (at most {MAX_DRAWN}); write a .npy file"
        )
    if suffix == ".png":
        require("a PNG picture", "resvg_py")
    if suffix == ".gif":
        require("a GIF picture", "PIL")
        from cpsat_tour.drawing.gif import check_film

        check_film(graph.space)
    check_place(path, force=force)
    if suffix == ".npy":
        check_place(beside(Path(path)), force=force)


def save_tour(tour: Tour, path: str | Path, described: Mapping[str, Any] | None = None, *, force: bool = False) -> None:
    """Write the tour in the form that the suffix names; `BadInput` where that can't be, or there is a file of that name
    and no ``force`` to replace it.

    ``.svg`` and ``.png`` are drawings, ``.gif`` is the knight walking, ``.txt`` its visit numbers, or its names, and
    its problem. ``.json`` is what ``solve --json`` prints, with what is ``described`` and the tour; ``.npy`` the places
    of the vertices in order, as an array of shape ``(squares, 2)`` on a board, and beside it that JSON.
    """
    path = Path(path)
    check_destination(path, tour.graph, force=force)
    suffix = path.suffix.lower()
    if suffix == ".svg":
        write(path, tour.svg())
    elif suffix == ".png":
        write(path, png(tour.svg()))
    elif suffix == ".gif":
        from cpsat_tour.drawing.gif import walk

        write(path, walk(tour.graph.space, tour, closed=tour.closed))
    else:
        told = dict(described or {"problem": problem_data(Problem(tour.graph, tour.closed)), "status": "tour"})
        coordinates = tour.graph.coordinates
        if suffix == ".txt":
            write(path, text_of(tour, told["problem"]))
        elif suffix == ".npy" and coordinates is not None:
            with writing_rows(path, coordinates.shape[1], np.dtype(np.uint32)) as rows:
                rows.append(coordinates[tour.vertices])
            write_object(beside(path), told | {"tour": path.name})
        else:
            write_object(path, told | {"tour": told.get("tour") or tour_data(tour)})


def png(svg: str) -> bytes:
    """The drawing as a PNG picture, two pixels for each of the drawing's own, up to 4096 a side; `BadInput` without
    resvg-py."""
    require("a PNG picture", "resvg_py")
    import resvg_py

    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    longer, wide = min(2 * max(width, height), MAX_PIXELS), width >= height
    picture = resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=True, width=longer if wide else None, height=None if wide else longer
    )
    return bytes(picture)
