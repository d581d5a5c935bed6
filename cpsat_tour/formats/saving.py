"""Writes a tour to a file in the form that the suffix names: a picture, text, JSON or an array."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cpsat_tour.core.errors import BadInput, require
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.drawing.png import PNG_NEEDS, png
from cpsat_tour.drawing.points import MAX_PLACED
from cpsat_tour.formats.describe import visits_data
from cpsat_tour.formats.files import check_place, write, writing_rows
from cpsat_tour.formats.grids import tour_text
from cpsat_tour.formats.tour_files import tour_file_beside, tour_file_data, write_tour_file
from cpsat_tour.formats.tour_forms import FORM_SUFFIXES, FORMS, SUFFIX_OF_FORM

SUFFIXES = (".svg", ".png", ".gif", ".txt", ".json", ".npy", *FORM_SUFFIXES)
"""The forms in which a tour can be written."""

DRAWN = (".svg", ".png", ".gif")

MAX_DRAWN = 1 << 20
"""Squares of the largest board that is drawn."""


ROUTES = (".svg", ".png", ".txt", ".json")
"""The forms in which several routes on one graph can be written."""


def check_destination(
    path: str | Path, graph: Graph, *, form: str | None = None, force: bool = False, suffixes: Sequence[str] = SUFFIXES
) -> None:
    """Raise `BadInput` if a tour of the graph can't be written there, as far as can be told before there is one.

    The suffix names the form; only squares in rows and columns make a moving picture or an array; PNG needs resvg-py,
    and GIF Pillow too; the folder must take a new file; an existing file is replaced only with ``force``.
    """
    suffix, layout = "" if form else Path(path).suffix.lower(), graph.space.layout
    if suffix not in suffixes and form is None:
        raise BadInput(f"can't tell the format of {path}: give it one of the suffixes {', '.join(suffixes)}")
    if form and (named := Path(path).suffix.lower()) in suffixes and named != (fits := SUFFIX_OF_FORM[form]):
        raise BadInput(f"{path} would not be a {named} file: leave out the format {form}, or write a {fits} file")
    fault, instead = "", ".txt or .json"
    if suffix in (".gif", ".npy") and not layout:
        fault, instead = "has no rows and columns", ".svg, .txt or .json"
    elif suffix in DRAWN and graph.order > MAX_PLACED and not layout:
        fault = f"has more than {MAX_PLACED} vertices"
    elif suffix in DRAWN and graph.order > MAX_DRAWN:
        fault, instead = f"has {graph.order} squares, and no viewer opens more than {MAX_DRAWN}", ".npy"
    if fault:
        raise BadInput(f"can't write {path}: {graph.called} {fault}; write a {instead} file")
    if suffix == ".png":
        require("a PNG picture", *PNG_NEEDS)
    if suffix == ".gif":
        require("a GIF picture", "PIL", *PNG_NEEDS)
        from cpsat_tour.drawing.gif import check_film

        check_film(graph.space)
    check_place(path, force=force)
    if suffix == ".npy":
        check_place(tour_file_beside(Path(path)), force=force)


def save_tour(
    problem: Problem,
    vertices: Ints,
    path: str | Path,
    described: Mapping[str, Any] | None = None,
    *,
    form: str | None = None,
    force: bool = False,
) -> None:
    """Write a tour that solves the problem in this form of `FORMS`, or in the one that the suffix names; `BadInput` if
    that can't be done, or there is a file and no ``force`` to replace it.

    ``.svg`` and ``.png`` are drawings, ``.gif`` is the knight walking, ``.txt`` the visit numbers, or the names, and
    the problem. ``.json`` is what ``solve --json`` prints, with what is ``described`` and the tour; ``.npy`` the
    coordinates in order, on a board an array of shape ``(squares, 2)``, and beside it that JSON.
    """
    path, graph, closed = Path(path), problem.graph, problem.closed
    check_destination(path, graph, form=form, force=force)
    suffix, space = path.suffix.lower(), graph.space
    if form := form or FORM_SUFFIXES.get(suffix):
        write(path, FORMS[form](problem, vertices))
        return
    if suffix in (".svg", ".png"):
        from cpsat_tour.drawing.svg import svg

        drawn = svg(graph, vertices, closed=closed)
        write(path, drawn if suffix == ".svg" else png(drawn))
        return
    if suffix == ".gif":
        from cpsat_tour.drawing.gif import gif_of_walk

        write(path, gif_of_walk(graph, vertices.tolist(), closed=closed))
        return
    told = dict(described or tour_file_data(problem, vertices))
    if suffix == ".txt":
        names = [f"{graph.name(vertex)}\n" for vertex in vertices.tolist()]
        shown = tour_text(space, vertices) if space.layout else "".join(names)
        write(path, f"{shown}{json.dumps(told['problem'], ensure_ascii=False)}\n")
    elif suffix == ".npy" and space.coordinates is not None:
        with writing_rows(path, space.coordinates.shape[1], np.dtype(np.uint32)) as rows:
            rows.append(space.coordinates[vertices])
        write_tour_file(tour_file_beside(path), told | {"tour": path.name})
    else:
        write_tour_file(path, told | {"tour": told.get("tour") or visits_data(graph, vertices)})


def save_routes(
    graph: Graph,
    path: str | os.PathLike[str],
    drawn: Callable[[], str],
    text: str,
    described: Mapping[str, Any],
    *,
    force: bool = False,
) -> None:
    """Write several routes to a file of one of the `ROUTES`: what is ``drawn`` as SVG; what is ``described``, in a .txt
    below the ``text``; `BadInput` if that can't be done."""
    path = Path(path)
    check_destination(path, graph, force=force, suffixes=ROUTES)
    if (suffix := path.suffix.lower()) in DRAWN:
        write(path, png(drawn()) if suffix == ".png" else drawn())
    else:
        write(path, f"{text}\n" * (suffix == ".txt") + json.dumps(described, ensure_ascii=False) + "\n")
