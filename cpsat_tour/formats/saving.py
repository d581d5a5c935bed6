"""Writes a tour in the form that a suffix or a name says: a picture, text, JSON, an array, or what other programs read.

``solve --format NAME`` prints one of the forms for other programs:

| form | what it is | suffix |
|---|---|---|
| ``list`` | the vertices in order, a name a line | |
| ``line`` | the vertices in order, with spaces between them; names that have spaces in quotes | |
| ``csv`` | a line for each visit: its number, the name, row and column | ``.csv`` |
| ``board`` | the board of visit numbers | |
| ``tsplib`` | a tour of TSPLIB (Reinelt 1991): the numbers of the vertices, from 1 | ``.tour`` |
| ``node-link`` | JSON for networkx and D3: nodes with their numbers, links that say if the tour uses them | |
| ``dot`` | the graph for Graphviz, with the tour in bold | ``.dot`` |

What draws is loaded where something is drawn: it takes as long to load as many a tour to find.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cpsat_tour.core.errors import PICTURES, BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import moves_of
from cpsat_tour.formats.boards import tour_text
from cpsat_tour.formats.describe import visits_data
from cpsat_tour.formats.files import check_place, read_text, write, writing_rows

# --- forms for other programs ---


def _edges(problem: Problem, tour: Ints) -> Iterator[tuple[str, str, bool]]:
    """Yield each edge of the graph as the names of its ends, and True if the tour uses it."""
    graph, made = problem.graph, set(moves_of(tour.tolist(), closed=problem.closed))
    for tail, head in graph.pairs():
        used = (tail, head) in made or ((head, tail) in made and not graph.directed)
        yield graph.name(tail), graph.name(head), used


def _csv(problem: Problem, tour: Ints) -> str:
    """Return the tour as a CSV table of visit number, name, and coordinates if there are any."""
    space, text = problem.graph.space, io.StringIO()
    where = np.zeros((len(space), 0), dtype=int) if space.coordinates is None else space.coordinates
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["number", problem.graph.nouns[0], *["row", "col", "layer"][: where.shape[1]]])
    rows.writerows([number, space.name(vertex), *where[vertex].tolist()] for number, vertex in enumerate(tour, start=1))
    return text.getvalue()


def _tsplib(problem: Problem, tour: Ints) -> str:
    """Return the tour as a TSPLIB tour file."""
    header = f"NAME : tour\nCOMMENT : {problem.kind} tour of {problem.graph.called}\nTYPE : TOUR"
    numbers = "".join(f"{vertex + 1}\n" for vertex in tour.tolist())
    return f"{header}\nDIMENSION : {len(tour)}\nTOUR_SECTION\n{numbers}-1\nEOF\n"


def _node_link(problem: Problem, tour: Ints) -> str:
    """Return the graph as node-link JSON for networkx; each node has the number of its visit."""
    nodes = [{"id": problem.graph.name(vertex), "number": at} for at, vertex in enumerate(tour.tolist(), start=1)]
    links = [{"source": tail, "target": head, "tour": used} for tail, head, used in _edges(problem, tour)]
    about = {"directed": problem.graph.directed, "multigraph": False, "graph": {"tour": problem.kind}}
    return json.dumps(about | {"nodes": nodes, "links": links}, ensure_ascii=False) + "\n"


def _dot(problem: Problem, tour: Ints) -> str:
    """Return the graph in DOT for Graphviz, with the tour in bold."""
    kind, arrow = ("digraph", "->") if problem.graph.directed else ("graph", "--")
    edges = (
        f"  {json.dumps(tail, ensure_ascii=False)} {arrow} {json.dumps(head, ensure_ascii=False)}"
        f"{' [style=bold, penwidth=3]' * used};\n"
        for tail, head, used in _edges(problem, tour)
    )
    return f"{kind} {{\n{''.join(edges)}}}\n"


FORMS: Mapping[str, Callable[[Problem, Ints], str]] = {
    "list": lambda problem, tour: "".join(f"{problem.graph.name(vertex)}\n" for vertex in tour.tolist()),
    "line": lambda problem, tour: problem.graph.space.line(tour.tolist()) + "\n",
    "csv": _csv,
    "board": lambda problem, tour: tour_text(problem.graph.space, tour),
    "tsplib": _tsplib,
    "node-link": _node_link,
    "dot": _dot,
}
"""The text forms of a tour by name, each with the function that makes the text."""

FORM_SUFFIXES = {".csv": "csv", ".tour": "tsplib", ".dot": "dot"}

SUFFIX_OF_FORM = (
    dict.fromkeys(FORMS, ".txt") | {"node-link": ".json"} | {form: suffix for suffix, form in FORM_SUFFIXES.items()}
)
"""The suffix of a file in each form."""

# --- files ---

SUFFIXES = (*PICTURES, ".txt", ".json", ".npy", *FORM_SUFFIXES)
"""The suffixes of files that a tour can be written to."""

MAX_DRAWN, MAX_TIKZ = 1 << 20, 16_000
"""Squares of the largest board that viewers open, and of the largest that TeX takes."""

ROUTES = (".svg", ".png", ".pdf", ".tikz", ".txt", ".json")
"""The suffixes of files that several routes can be written to."""


def check_destination(
    path: str | Path, graph: Graph, *, form: str | None = None, force: bool = False, suffixes: Sequence[str] = SUFFIXES
) -> None:
    """Raise `BadInput` if it is clear beforehand that a tour of the graph can't be written to the path.

    The suffix names the form, see `check_place`; only squares in rows and columns make a moving picture or an array.
    """
    suffix, layout = "" if form else Path(path).suffix.lower(), graph.space.layout
    check_place(path, force=force, suffixes=() if form else suffixes)
    if form and (named := Path(path).suffix.lower()) in suffixes and named != (fits := SUFFIX_OF_FORM[form]):
        raise BadInput(f"{path} would not be a {named} file: leave out the format {form}, or write a {fits} file")
    from cpsat_tour.drawing.points import MAX_PLACED

    fault, instead = "", ".txt or .json"
    if suffix in (".gif", ".npy") and not layout:
        fault, instead = "has no rows and columns", ".svg, .txt or .json"
    elif suffix in PICTURES and graph.order > MAX_PLACED and not layout:
        fault = f"has more than {MAX_PLACED} vertices"
    elif suffix in PICTURES and graph.order > (most := MAX_TIKZ if suffix == ".tikz" else MAX_DRAWN):
        fault, instead = f"has {graph.order} squares, and a {suffix} picture at most {most}", ".npy"
    if fault:
        raise BadInput(f"can't write {path}: {graph.called} {fault}; write a {instead} file")
    if suffix == ".gif":
        from cpsat_tour.drawing.gif import check_gif

        check_gif(graph.space)
    if suffix == ".npy":
        from cpsat_tour.formats.tour_files import tour_file_beside

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
    """Write a tour to a file, in the form of `FORMS` that is given, or that the suffix names; `BadInput` if that can't
    be done, or there is a file and no ``force`` to replace it.

    ``.svg``, ``.png``, ``.pdf`` and ``.tikz`` are drawings, ``.gif`` is the knight walking, ``.txt`` the visit numbers,
    or the names, and the problem. ``.json`` is what ``solve --json`` prints, with what is ``described`` and the tour;
    ``.npy`` the coordinates in order, on a board an array of shape ``(squares, 2)``, and beside it that JSON.
    """
    path, graph, closed = Path(path), problem.graph, problem.closed
    check_destination(path, graph, form=form, force=force)
    suffix, space = path.suffix.lower(), graph.space
    if form := form or FORM_SUFFIXES.get(suffix):
        write(path, FORMS[form](problem, vertices))
        return
    if suffix == ".gif":
        from cpsat_tour.drawing.gif import gif_of_walk

        write(path, gif_of_walk(graph, vertices.tolist(), closed=closed))
        return
    if suffix in PICTURES:
        from cpsat_tour.drawing.svg import svg

        write_drawing(path, svg(graph, vertices, closed=closed))
        return
    from cpsat_tour.formats.tour_files import tour_file_beside, tour_file_data, write_tour_file

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
    """Write several routes to a file: as the SVG from ``drawn`` or another picture, as the JSON ``described``, or as
    ``text`` with that JSON below; `BadInput` if that can't be done."""
    path = Path(path)
    check_destination(path, graph, force=force, suffixes=ROUTES)
    if (suffix := path.suffix.lower()) in PICTURES:
        write_drawing(path, drawn())
    else:
        write(path, f"{text}\n" * (suffix == ".txt") + json.dumps(described, ensure_ascii=False) + "\n")


DRAWING = re.compile(
    r'<svg xmlns="http://www.w3.org/2000/svg" class="cpsat-tour"'
    r"(?:[^<]++|</?(?:title|desc|rect|g|path|circle|text)\b)*+</svg>\s*"
)


def convert_drawing(source: str | os.PathLike[str], path: Path) -> None:
    """Write the drawing in an .svg file of ours in the form that the suffix of the path says; `BadInput` if that can't
    be done."""
    try:
        if (
            Path(source).suffix.lower() == ".svg"
            and DRAWING.fullmatch(svg := read_text(source))
            and path.suffix.lower() != ".gif"
        ):
            return write_drawing(path, svg)
    except (SyntaxError, LookupError, ValueError) as fault:
        if isinstance(fault, BadInput):
            raise
    raise BadInput(f"can't draw {os.fspath(source)} to {path}: only drawings of cpsat-tour become other pictures")


def write_drawing(path: Path, svg: str) -> None:
    """Write an SVG drawing to a file, in the form that the suffix says, whose libraries `check_place` has seen."""
    from cpsat_tour.drawing.images import pdf, png, tikz

    forms: Mapping[str, Callable[[str], str | bytes]] = {".png": png, ".pdf": pdf, ".tikz": tikz}
    write(path, forms.get(path.suffix.lower(), str)(svg))
