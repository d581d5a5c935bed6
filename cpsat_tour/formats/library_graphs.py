"""Graphs in the forms that libraries read: networkx GraphML, GEXF, GML, Pajek and, with pydot, DOT; SciPy Matrix Market
and sparse matrices in ``.npz``; NumPy ``.npy``.

What a library would misread is refused: subgraphs and ports in DOT, of which edges would be lost, several sections of
edges in Pajek, and vertices whose names are the same. Sizes that a file states are bounded before memory is taken, and
arrays are checked before SciPy's compiled code gets them. Limits: 64 KB of DOT, for pydot is slow.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any
from warnings import catch_warnings
from xml.etree.ElementTree import tostring

import numpy as np

from cpsat_tour.core.errors import quoted, require
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.files import MAX_BYTES, GraphFault
from cpsat_tour.formats.named_graphs import (
    Ask,
    Text,
    checked_name,
    entries_of,
    graph_of_pairs,
    is_number,
    number_names,
    order_in,
)

MAX_DOT = 1 << 16
"""The longest text in DOT."""


def _by(libraries: str, ask: Ask, read: Callable[..., Any]) -> Any:
    """Return what ``read`` makes of the modules; `GraphFault` if they can't read the text."""
    require(f"reading {ask.source}", *(library.partition(".")[0] for library in libraries.split()))
    modules = [import_module(library) for library in libraries.split()]
    try:
        with catch_warnings(action="ignore"):
            return read(*modules)
    except Exception as fault:  # libraries do not say which errors they raise
        words = quoted(" ".join(str(fault).split()) or type(fault).__name__)
        raise GraphFault(0, f"{re.split(r'[. ]', libraries)[0]} can't read it: {words}") from fault


def _of_networkx(found: Any, ask: Ask) -> Graph:
    """Return a graph that networkx read, its vertices called by its nodes."""
    number = {node: vertex for vertex, node in enumerate(found.nodes)}
    names = [checked_name(" ".join(str(node).split()), 0) for node in number]
    if not names or len({*names}) < len(names):
        raise GraphFault(0, "two of its vertices have the same name" if names else "it has no vertices")
    pairs = np.array([(number[tail], number[head]) for tail, head in found.edges()], dtype=np.int32).reshape(-1, 2)
    return graph_of_pairs(names, pairs, ask, found.is_directed())


_NAMESPACES = {"graphml": "http://graphml.graphdrawing.org/xmlns", "gexf": "http://www.gexf.net/1.2draft"}
_OF_GRAPHS = re.compile(r"(?:\{http://(?:www\.)?(?:graphml|gexf)[^}]*\})?(\w+)")


def read_xml(text: Text, *, form: str) -> Graph:
    """Return the graph in a GraphML or GEXF document, of any version. defusedxml parses it, and networkx gets elements
    alone; a document type is passed over if it has no definitions."""
    whole = re.sub(r"<!DOCTYPE[^\[>]*>", "", text.whole, count=1)
    if "<!DOCTYPE" in whole:
        raise GraphFault(0, "a document type with definitions can't stand in it")
    root = _by("defusedxml.ElementTree", text.ask, lambda xml: xml.fromstring(whole, forbid_dtd=True))
    for element in root.iter():
        if name := _OF_GRAPHS.fullmatch(element.tag):
            element.tag = f"{{{_NAMESPACES[form]}}}{name[1]}"
    if number := len([*root.iter(f"{{{_NAMESPACES[form]}}}graph")]) - 1:
        raise GraphFault(0, f"it has {number + 1} graphs: one is read")
    read = f"read_{form}"
    found = _by("networkx", text.ask, lambda networkx: getattr(networkx, read)(io.BytesIO(tostring(root))))
    return _of_networkx(found, text.ask)


def read_gml(text: Text) -> Graph:
    """Return the graph in a GML text, its vertices called by their labels, or by their ids without labels."""
    label = "label" if re.search(r"\blabel\b", text.whole) else "id"
    found = _by("networkx", text.ask, lambda networkx: networkx.parse_gml(text.whole.split("\n"), label))
    return _of_networkx(found, text.ask)


def read_pajek(text: Text) -> Graph:
    """Return the graph in a Pajek text."""
    whole = re.sub(r"^%.*\n", "", text.whole, flags=re.MULTILINE)
    whole = re.sub(r"^\*(?:edges|arcs)\w*[^\n]*\n(?=\s*\*|\s*\Z)", "", f"{whole}\n", flags=re.MULTILINE | re.IGNORECASE)
    sections = [name.lower() for name in re.findall(r"^\*(\w+)", whole, re.MULTILINE)]
    if len(sections) > 1 + (sections[:1] == ["network"]) + 1 or {"edgeslist", "arcslist"} & {*sections}:
        raise GraphFault(0, "only one section *Edges or *Arcs is read")
    order = re.search(r"^\*vertices[ \t]+(\d{1,9})[ \t]*\n((?:(?!\*).*\S.*\n)*)", whole, re.MULTILINE | re.IGNORECASE)
    if order is None:
        raise GraphFault(0, "there is no *Vertices line with their number")
    if (found := order[2].count("\n")) != int(order[1]):
        raise GraphFault(0, f"*Vertices announces {order[1]} vertices, and {found} lines follow: write one for each")

    found = _by("networkx", text.ask, lambda networkx: networkx.parse_pajek(whole))
    if len(found) != int(order[1]):
        raise GraphFault(0, f"its {order[1]} vertices do not have {order[1]} different names")
    return _of_networkx(found, text.ask)


def read_dot(text: Text) -> Graph:
    """Return the graph in a DOT text."""
    if len(text.whole) > MAX_DOT or text.whole.count("{") != 1:
        what = f"DOT is read up to {MAX_DOT >> 10} KB" if len(text.whole) > MAX_DOT else "subgraphs in DOT are not read"
        raise GraphFault(0, f"{what}: write an edge list")

    with redirect_stdout(io.StringIO()):  # it prints what it can't read
        found = _by(
            "pydot networkx",
            text.ask,
            lambda pydot, networkx: networkx.nx_pydot.from_pydot(pydot.graph_from_dot_data(text.whole)[0]),
        )
    if port := next((node for node in found.nodes if ":" in node), None):
        raise GraphFault(0, f"{quoted(port)} may be a vertex or have a port, which is not read")
    found.remove_nodes_from([node for node in found.nodes if node == "\\n"])
    return _of_networkx(found, text.ask)


def _of_sparse(matrix: Any, ask: Ask, first: int) -> Graph:
    """Return the graph of a square matrix of SciPy, its vertices numbered from ``first``."""
    entries = entries_of(matrix)
    return graph_of_pairs(number_names(order_in(str(matrix.shape[0]), "", 0), first), entries, ask, "matrix")


_NUMBER = re.compile(r"[-+]?\d{1,18}(?:\.\d*)?(?:e[-+]?\d{1,3})?")


def read_matrix_market(text: Text) -> Graph:
    """Return the graph in a Matrix Market text, its vertices numbered from 1. SciPy gets rows of as many numbers as the
    header announces: others end the process, such as one with a weight below the word ``pattern``."""
    head, *lines = [line.split() for line in text.whole.lower().split("\n") if line.strip()]
    sizes, *rows = [line for line in lines if line[0][0] != "%"] or [[]]
    sparse = head[2:3] == ["coordinate"]
    width = 2 * sparse + (head[3:4] != ["pattern"])
    stated = len(head) == 5 and len(sizes) == 2 + sparse and all(map(is_number, sizes)) and "complex" not in head
    if not stated or (len(rows) != int(sizes[2]) if sparse else math.prod(map(int, sizes)) > len(text.whole)):
        raise GraphFault(0, "it has no line with its numbers of rows, columns and entries, or is cut short")
    if wrong := next((row for row in rows if len(row) != width or not all(map(_NUMBER.fullmatch, row))), None):
        raise GraphFault(0, f"{quoted(' '.join(wrong))} is not a row of {width} numbers, as its header announces")
    file = io.BytesIO(text.whole.encode())
    matrix = _by("scipy.sparse scipy.io", text.ask, lambda sparse, files: sparse.coo_array(files.mmread(file)))
    return _of_sparse(matrix, text.ask, 1)


def read_npz(text: Text) -> Graph:
    """Return the graph of a sparse matrix that SciPy wrote; the characters of the text are bytes."""
    file = io.BytesIO(text.whole.encode("latin-1", "replace"))
    members = _by("zipfile", text.ask, lambda zipfile: zipfile.ZipFile(file).infolist())
    if sum(member.file_size for member in members) > MAX_BYTES:
        raise GraphFault(0, f"unpacked it has more than {MAX_BYTES >> 20} MB")
    return _of_sparse(_by("scipy.sparse", text.ask, lambda sparse: sparse.load_npz(file)), text.ask, 0)


def read_npy(text: Text) -> Graph:
    """Return the graph of an array that NumPy wrote, a square matrix, not 0 where there is an edge; the characters of
    the text are bytes."""
    file = io.BytesIO(text.whole.encode("latin-1", "replace"))
    array = _by("numpy.lib.format", text.ask, lambda formats: formats.read_array(file, allow_pickle=False))
    entries = entries_of(array)
    return graph_of_pairs(number_names(len(array), 0), entries, text.ask, "matrix")
