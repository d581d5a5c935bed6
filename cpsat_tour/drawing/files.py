"""Writes tours to files, in the form that the file's suffix names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.libraries import require
from cpsat_tour.core.tour import Tour
from cpsat_tour.drawing.points import MAX_VERTICES
from cpsat_tour.formats.arrays import writing_rows
from cpsat_tour.formats.describe import tour_data
from cpsat_tour.formats.files import check_place, write
from cpsat_tour.formats.tour_files import beside, tour_object, write_object

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
        raise BadInput(f"can't tell what to write to {path}: give it one of the suffixes {', '.join(SUFFIXES)}")
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
        check_place(beside(Path(path)), force=force)


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
    told = dict(described or tour_object(tour))
    if suffix == ".txt":
        shown = tour.text() if tour.graph.space.layers() else "".join(f"{name}\n" for name in tour.names)
        write(path, f"{shown}{json.dumps(told['problem'], ensure_ascii=False)}\n")
    elif suffix == ".npy" and coordinates is not None:
        with writing_rows(path, coordinates.shape[1], np.dtype(np.uint32)) as rows:
            rows.append(coordinates[tour.vertices])
        write_object(beside(path), told | {"tour": path.name})
    else:
        write_object(path, told | {"tour": told.get("tour") or tour_data(tour)})


def png(svg: str) -> bytes:
    """Return a drawing as PNG, two pixels for each of the drawing's own, up to 4096 a side; `BadInput` without
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
