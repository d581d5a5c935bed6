"""Graphs from files: TSPLIB, DIMACS, edge lists, CSV, graph6, sparse6 and GraphML.

The form is told by the suffix, and by the content where the suffix is another; where they contradict each other, the
file is refused, as is all that is not plainly a graph, for a graph that was misread has true answers to a question that
nobody asked. Each form has a module of its own that says how it is read. Limits: 128 MB and 2**24 vertices.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.dimacs import read_dimacs
from cpsat_tour.formats.edge_lists import read_csv, read_edge_list
from cpsat_tour.formats.files import decoded, read_bytes
from cpsat_tour.formats.graph_parts import MAX_BYTES, GraphFault
from cpsat_tour.formats.networkx_files import GRAPH6, SPARSE6, read_graph6, read_graphml, read_sparse6
from cpsat_tour.formats.tsplib import read_tsplib


@dataclass(frozen=True)
class Form:
    """A form of graph files: its name, its suffixes, what its content shows that no other's does, and its reader."""

    name: str
    suffixes: tuple[str, ...]
    shows: re.Pattern[str] | None
    read: Callable[[str, str], Graph]


_DIMACS_HEADER = r"^p\s+[a-z]+\s+\d+\s+\d+\s*$|\A(?:c\b.*\n|\s*\n)*p\s+\d+\s+\d+\s*(?:\Z|\n\s*[ce]\s)"

FORMS = (
    Form("GraphML", (".graphml",), re.compile(r"\A\s*<"), read_graphml),
    Form("graph6", (".g6",), re.compile(rf"\A{GRAPH6}"), read_graph6),
    Form("sparse6", (".s6",), re.compile(rf"\A{SPARSE6}"), read_sparse6),
    Form("DIMACS", (".col", ".edge", ".dimacs"), re.compile(_DIMACS_HEADER, re.MULTILINE), read_dimacs),
    Form(
        "TSPLIB",
        (".hcp",),
        re.compile(r"^\s*(?:TYPE|DIMENSION|EDGE_DATA_FORMAT)\s*:|^\s*EDGE_DATA_SECTION", re.MULTILINE),
        read_tsplib,
    ),
    Form("CSV", (".csv",), re.compile(r"\A(?:\s*#.*\n|\s*\n)*[^\s,]+,[^\s,]+(?:,[^\s,]*)?$", re.MULTILINE), read_csv),
    Form("an edge list", (".edges", ".edgelist"), None, read_edge_list),
)


NOT_READ = {
    ".dot": "DOT",
    ".gv": "DOT",
    ".gml": "GML",
    ".tgf": "TGF",
    ".gexf": "GEXF",
    ".mtx": "a matrix",
    ".tsp": "a table of distances",
}
"""Forms of others by their suffixes, parts of which might pass for edge lists."""


def read_graph(path: str | os.PathLike[str]) -> Graph:
    """The graph in a file, or from standard input if the path is ``-``; `BadInput` names the file and the line that is
    wrong."""
    path = os.fspath(path)
    source = "standard input" if path == "-" else os.path.basename(path)
    text = decoded(read_bytes(path, MAX_BYTES), source).replace("\r\n", "\n").replace("\r", "\n").rstrip()
    if not text:
        raise BadInput(f"{source} is empty: a graph is expected in it")
    form = _form(os.path.splitext(path)[1].lower(), text, source)
    try:
        return form.read(text, source)
    except GraphFault as fault:
        where = f"{source}, line {fault.line}" if fault.line else source
        raise BadInput(f"{where}: {fault.sentence}") from None


def _form(suffix: str, text: str, source: str) -> Form:
    """The form that the suffix names, or that the content shows, or an edge list; `BadInput` where the first two are
    different."""
    if suffix in NOT_READ:
        raise BadInput(
            f"{source} is {NOT_READ[suffix]} by its suffix, which is not read: write an edge list, or use "
            "Graph.from_networkx"
        )
    named = next((form for form in FORMS if suffix in form.suffixes), None)
    shown = next((form for form in FORMS if form.shows is not None and form.shows.search(text)), None)
    if named is not None and shown is not None and named is not shown:
        raise BadInput(
            f"{source} is {named.name} by its suffix and {shown.name} by its content: give it the suffix of what it is"
        )
    return named or shown or FORMS[-1]
