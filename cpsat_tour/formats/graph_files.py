"""Reads graphs from files: TSPLIB, DIMACS, edge lists, CSV, graph6, sparse6, digraph6, GraphML; writes DIMACS, graph6.

The suffix names the form; if the suffix is another, the content shows it. A file is refused if the two contradict each
other, or it is not plainly a graph: a misread graph has true answers to a question that nobody asked. Limits: 128 MB
and 2**24 vertices.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.files import MAX_BYTES, GraphFault, check_place, decoded, read_bytes, writing
from cpsat_tour.formats.graph_lines import graph6_line, graph_of_file
from cpsat_tour.formats.named_graphs import read_csv, read_edge_list, read_graphml
from cpsat_tour.formats.numbered_graphs import read_dimacs, read_tsplib


@dataclass(frozen=True)
class Form:
    """A form of graph files: its name, its suffixes, a test that is True for texts of this form and no other, and its
    reader."""

    name: str
    suffixes: tuple[str, ...]
    shows: Callable[[str], bool]
    read: Callable[[str, str], Graph]


_ONE_ROW = re.compile(r"[^\s,]+,[^\s,]+(?:,[^\s,]*)?")
_DIMACS_HEADER = re.compile(r"^p[ \t]+(?:[a-z]+[ \t]+)?\d+[ \t]+\d+[ \t]*$", re.MULTILINE)
_TSPLIB_LINE = re.compile(r"^[ \t]*(?:(?:TYPE|DIMENSION|EDGE_DATA_FORMAT)[ \t]*:|EDGE_DATA_SECTION)", re.MULTILINE)


def _shows_csv(text: str) -> bool:
    """Return True if the first line that is neither empty nor a comment is a row of names."""
    lines = (match[0].strip() for match in re.finditer(r"[^\n]+", text))
    return bool(_ONE_ROW.fullmatch(next((line for line in lines if line and line[0] != "#"), "")))


FORMS = (
    Form("GraphML", (".graphml",), lambda text: text.lstrip().startswith("<"), read_graphml),
    Form("graph6", (".g6",), lambda text: text.startswith(">>graph6<<"), partial(graph_of_file, form="graph6")),
    Form("sparse6", (".s6",), lambda text: text.startswith(">>sparse6<<"), partial(graph_of_file, form="sparse6")),
    Form("digraph6", (".d6",), lambda text: text.startswith(">>digraph6<<"), partial(graph_of_file, form="digraph6")),
    Form("DIMACS", (".col", ".edge", ".dimacs"), lambda text: bool(_DIMACS_HEADER.search(text)), read_dimacs),
    Form("TSPLIB", (".hcp",), lambda text: bool(_TSPLIB_LINE.search(text)), read_tsplib),
    Form("CSV", (".csv",), _shows_csv, read_csv),
    Form("an edge list", (".edges", ".edgelist"), lambda _text: False, read_edge_list),
)
"""The last one is for texts that show no other form."""

NOT_READ = {
    ".dot": "DOT",
    ".gv": "DOT",
    ".gml": "GML",
    ".tgf": "TGF",
    ".gexf": "GEXF",
    ".mtx": "a matrix",
    ".tsp": "a table of distances",
}
"""Suffixes of files that are not read, parts of which might pass for edge lists."""


def read_graph(path: str | os.PathLike[str]) -> Graph:
    """Return the graph in a file. Raises `BadInput`, which names the wrong line.

    - ``path`` (a path, needed): an edge list, CSV, DIMACS, TSPLIB, graph6, sparse6, digraph6 or GraphML file; ``"-"``
      reads standard input.
    """
    path = os.fspath(path)
    source = "standard input" if path == "-" else os.path.basename(path)
    text = decoded(read_bytes(path, MAX_BYTES), source).replace("\r\n", "\n").replace("\r", "\n").rstrip()
    if not text:
        raise BadInput(f"{source} is empty: a graph is expected in it")
    if (suffix := os.path.splitext(path)[1].lower()) in NOT_READ:
        remedy = "write an edge list, or use Graph.from_networkx"
        raise BadInput(f"{source} is {NOT_READ[suffix]} by its suffix, which is not read: {remedy}")
    named = next((form for form in FORMS if suffix in form.suffixes), None)
    shown = next((form for form in FORMS if form.shows(text)), None)
    if named and shown and named is not shown:
        kinds = f"{named.name} by its suffix and {shown.name} by its content"
        raise BadInput(f"{source} is {kinds}: give it the right suffix")
    try:
        return (named or shown or FORMS[-1]).read(text, source)
    except GraphFault as fault:
        where = f"{source}, line {fault.line}" if fault.line else source
        raise BadInput(f"{where}: {fault.sentence}") from None


WRITTEN = (".edge", ".g6")
"""The suffixes of the files that `write_graph` writes, in DIMACS and in graph6."""


def write_graph(graph: Graph, path: str | os.PathLike[str], *, force: bool = False) -> str:
    """Write an undirected graph, its vertices numbered, and return the SHA-256 digest of the file. Raises `BadInput` if
    the graph is directed, has required edges, or is too large for graph6 to be read again, or the file can't be
    written."""
    dimacs = os.fspath(path).lower().endswith(".edge")
    if graph.directed or graph.required:
        what = "is directed" if graph.directed else "has required edges"
        raise BadInput(f"can't write {path}: {graph.called} {what}, which graph files that are written can't say")
    if not dimacs and graph.order**2 // 12 >= MAX_BYTES:
        raise BadInput(f"can't write {path}: {graph.order:,} vertices are too many for graph6; write a .edge file")
    check_place(path, force=force)
    if dimacs:
        edges = np.stack(graph.edges(), axis=1) + 1
        rows = "".join(f"e {tail} {head}\n" for tail, head in edges.tolist())
        text = f"p edge {graph.order} {graph.size}\n{rows}".encode()
    else:
        text = graph6_line(graph) + b"\n"
    with writing(path) as file:
        file.write(text)
    return sha256(text).hexdigest()
