"""Reads graphs in published forms: DIMACS and TSPLIB; GraphML, GEXF, GML, Pajek and DOT by networkx, which takes
pydot for DOT; Matrix Market by SciPy, ``.npy`` by NumPy.

DIMACS (``.col``, ``.edge``; Johnson & Trick 1996) has a header ``p edge N M``, also ``p col N M`` or ``p N M``, then
``e U V`` for each edge, or ``U V`` alone, as in files of PACE. Lines that begin with c are comments; those that begin
with n, d, v or x, weights and layouts of the vertices, are passed over; others are errors. The header's number of edges
must be that of the edges, or of the distinct edges: published files differ in what they count, and a file that was cut
short has fewer lines.

TSPLIB (``.hcp``; Reinelt 1991) has header lines ``KEYWORD: value``, and sections of edges or adjacency lists, and
perhaps of coordinates, and of fixed edges, which tours must use; ``EDGE_DATA_FORMAT`` is EDGE_LIST or ADJ_LIST. A
section is known by a name that differs in a few letters. In a ``.tsp`` or ``.atsp`` file of a matrix
of weights it must be said which of them are edges: those below the largest, ``tsplib:finite``, or those of the weight 0
or 1.

Graphs are drawn where their vertices lie, if a file says it: in TSPLIB, and as positions, or x and y, in GraphML, GEXF,
GML, Pajek and DOT.

What a library would misread is refused: subgraphs and ports in DOT, of which edges would be lost, several sections of
edges in Pajek, and vertices whose names are the same. Sizes that a file states are bounded before memory is taken, and
arrays are checked before SciPy's compiled code gets them.

Limits: 64 KB of DOT, for pydot is slow.
"""

from __future__ import annotations

import io
import math
import re
from array import array
from collections import defaultdict
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from itertools import chain, islice, takewhile
from typing import Any
from warnings import catch_warnings
from xml.etree.ElementTree import tostring

import numpy as np

from cpsat_tour.core.errors import quoted, require
from cpsat_tour.core.graph import MAX_VERTICES, Graph, at_places_in
from cpsat_tour.formats.files import MAX_BYTES, GraphFault
from cpsat_tour.formats.graph_data import named_graph
from cpsat_tour.formats.named_graphs import (
    Text,
    entries_of,
    graph_of_pairs,
    is_number,
    number_in,
    order_in,
    vertex_in,
)

_WORDS = ("edge", "edges", "col", "sp", "tw", "td", "ds", "hc")
"""The words that may follow the p in a DIMACS header, the last four in files of PACE."""

_BEGIN = "begin with p edge, the number of vertices and that of edges"


def read_dimacs(text: Text) -> Graph:
    """Return the graph in a DIMACS text; `GraphFault` names the line that is wrong."""
    order = MAX_VERTICES
    promised = header = 0
    ends, kinds = array("i"), set[str]()
    for line, words in enumerate(map(str.split, text.whole.split("\n")), start=1):
        if not words or words[0][0] == "c" or words[0] in ("n", "d", "v", "x"):
            continue
        kind, *names = ["", *words] if header and is_number(words[0]) else words
        if kind in ("", "e", "a"):
            if len(names) != 2 and not (kind == "a" and len(names) == 3):
                raise GraphFault(line, "an edge has two ends: write e, a vertex and a vertex")
            kinds.add(kind)
            ends.extend(vertex_in(name, order, line) for name in names[:2])
        elif kind == "p":
            sizes = names[1:] if names and names[0] in _WORDS else names
            if header or ends or len(sizes) != 2:
                raise GraphFault(line, f"the header is wrong, or not the first line: {_BEGIN}")
            header, order = line, order_in(sizes[0], text.whole, line)
            promised = number_in(sizes[1], "the number of edges", 0, MAX_BYTES, line)
        else:
            raise GraphFault(line, f"a line can't begin with {quoted(kind)}: it begins with c, p or e")
    if len(kinds) > 1 or not (header or ends):
        raise GraphFault(
            0,
            "its lines differ: all begin with e, or all with a, or all with a vertex"
            if kinds
            else f"there is no header: {_BEGIN}",
        )
    order = order if header else order_in(str(max(ends) + 1), text.whole, 0)
    graph = graph_of_pairs(range(1, 1 + order), ends, text, "a" in kinds)
    if header and promised not in (found := len(ends) // 2, graph.size):
        raise GraphFault(header, f"the header promises {promised} edges, and the file has {found}: is it cut short?")
    return graph


# --- TSPLIB ---

DATA, FIXED, WEIGHTS, *_ = SECTIONS = (
    *("EDGE_DATA_SECTION", "FIXED_EDGES_SECTION", "EDGE_WEIGHT_SECTION"),
    *("NODE_COORD_SECTION", "DISPLAY_DATA_SECTION"),
)

Words = list[tuple[int, str]]  # each with the number of its line


def read_tsplib(text: Text) -> Graph:
    """Return the graph in a TSPLIB text; `GraphFault` names the line that is wrong."""
    header, sections = dict[str, tuple[int, str]](), defaultdict[str, Words](list)
    section, number = "", 0
    for number, line in enumerate(text.whole.split("\n"), start=1):
        keyword, colon, value = (part.strip() for part in line.partition(":"))
        if section and (keyword == "EOF" or keyword[:1] in {*"-+.0123456789"}):
            sections[section].extend((number, word) for word in line.split())
        elif keyword and keyword != "EOF":
            unknown = "" if value or keyword == "COMMENT" else keyword
            section = FIXED if unknown == "FIXED_EDGES" else "".join(get_close_matches(unknown, SECTIONS, 1, 0.9))
            if not (section or colon):
                raise GraphFault(number, f"{quoted(keyword)} is not a header line KEYWORD: value, nor begins edges")
            if (name := section or keyword) in header and name != "COMMENT":
                raise GraphFault(number, f"{name} was given before, in line {header[name][0]}")
            header[name] = (number, value)
        if keyword == "EOF":
            break
    if "DIMENSION" not in header or not {DATA, WEIGHTS} & header.keys():
        raise GraphFault(number, f"the file ends, and has no {DATA if 'DIMENSION' in header else 'DIMENSION'}")
    order = order_in(header["DIMENSION"][1], text.whole, header["DIMENSION"][0])
    where, kind = header.get("TYPE", (0, "HCP"))
    if not {*kind.split()} & {"HCP", "TSP", "ATSP"}:
        raise GraphFault(where, f"the file is of TYPE {quoted(kind)}: only HCP, TSP and ATSP are read")
    if WEIGHTS in header:
        return _graph_of_weights(sections[WEIGHTS], order, header.get("EDGE_WEIGHT_FORMAT", (0, ""))[1], text)
    where, form = header.get("EDGE_DATA_FORMAT", (0, "EDGE_LIST"))
    if form not in ("EDGE_LIST", "ADJ_LIST"):
        raise GraphFault(where, f"EDGE_DATA_FORMAT can't be {quoted(form)}: it is EDGE_LIST or ADJ_LIST")
    graph = graph_of_pairs(range(1, order + 1), _tsplib_ends(sections[DATA], order, form), text, False)
    if points := sections["DISPLAY_DATA_SECTION"] or sections["NODE_COORD_SECTION"]:
        words = [word for _, word in points]
        graph = graph.at(dict(zip(words[::3], zip(words[1::3], words[2::3], strict=False), strict=False)))
    fixed = _tsplib_ends(sections[FIXED], order) if FIXED in header else ()
    return replace(graph, required=tuple(zip(fixed[::2], fixed[1::2], strict=True)), checked=True)


def _graph_of_weights(words: Words, order: int, form: str, text: Text) -> Graph:
    """Return the graph in a TSPLIB matrix of weights: its edges are the pairs with the weight that is asked for, or
    with less than the largest."""
    kind = text.kind
    if not kind or form != "FULL_MATRIX":
        raise GraphFault(
            0,
            f"its matrix of weights, EDGE_WEIGHT_FORMAT {quoted(form)}, names no edges: of a FULL_MATRIX "
            "give --input tsplib:finite for all below the largest, or tsplib:0 or tsplib:1 for those weights",
        )
    try:
        weights = np.array([word for _, word in words if word != "EOF"], dtype=float).reshape(order, order)
    except ValueError:
        raise GraphFault(0, f"its weights are not the {order**2} numbers of {form}") from None
    joined = weights - weights.min() if kind == "finite" else (weights == int(kind)) & ~np.eye(order, dtype=bool)
    return _graph_of_matrix(joined, text, 1)


def _tsplib_ends(words: Words, order: int, form: str = "EDGE_LIST") -> array[int]:
    """Return the edges in a section of a TSPLIB file, as a flat array of their ends.

    A vertex is followed by the other end of its edge or, in lists, by its neighbours and -1; a last -1 ends the
    section, or EOF.
    """
    ends, line, rest = array("i"), 0, iter(words)
    for line, word in rest:
        if word in ("-1", "EOF"):
            if left := [pair for pair in rest if pair[1] != "EOF"]:
                raise GraphFault(left[0][0], f"{quoted(left[0][1])} stands after the end of the edges")
            return ends
        tail = vertex_in(word, order, line)
        others = takewhile(lambda pair: pair[1] != "-1", rest) if form == "ADJ_LIST" else islice(rest, 1)
        ends.extend(chain.from_iterable((tail, vertex_in(other, order, place)) for place, other in others))
    raise GraphFault(line, "the edges don't end with -1: the file may be cut short")


# --- read by networkx ---


def _read_with(libraries: str, text: Text, read: Callable[..., Any]) -> Any:
    """Import the libraries and return what ``read`` returns when it is called with them; `GraphFault` if they can't
    read the text."""
    require(f"reading {text.source}", *(library.partition(".")[0] for library in libraries.split()))
    modules = [import_module(library) for library in libraries.split()]
    try:
        with catch_warnings(action="ignore"):
            return read(*modules)
    except Exception as fault:  # libraries do not say which errors they raise
        said = " ".join(str(fault).split()) or type(fault).__name__
        raise GraphFault(0, f"{re.split(r'[. ]', libraries)[0]} can't read it: {quoted(said)}") from fault


def _graph_of_networkx(found: Any, text: Text) -> Graph:
    """Convert a graph that networkx read; its nodes become the names."""
    edges = [(str(tail), str(head)) for tail, head in found.edges()]
    return at_places_in(found, named_graph({"a graph": ([*map(str, found.nodes)], edges, found.is_directed())}, text))


_NAMESPACES = {"graphml": "http://graphml.graphdrawing.org/xmlns", "gexf": "http://www.gexf.net/1.2draft"}
_OF_GRAPHS = re.compile(r"(?:\{http://(?:www\.)?(?:graphml|gexf)[^}]*?(/viz)?\})?(\w+)")


def read_xml(text: Text, *, form: str) -> Graph:
    """Return the graph in a GraphML or GEXF document of any version. defusedxml parses it, and networkx gets only
    elements. A document type without definitions is ignored."""
    whole = re.sub(r"<!DOCTYPE[^\[>]*>", "", text.whole, count=1)
    if "<!DOCTYPE" in whole:
        raise GraphFault(0, "a document type with definitions can't stand in it")
    root = _read_with("defusedxml.ElementTree", text, lambda xml: xml.fromstring(whole, forbid_dtd=True))
    for element in root.iter():
        if name := _OF_GRAPHS.fullmatch(element.tag):
            element.tag = f"{{{_NAMESPACES[form]}{name[1] or ''}}}{name[2]}"
    if number := len([*root.iter(f"{{{_NAMESPACES[form]}}}graph")]) - 1:
        raise GraphFault(0, f"it has {number + 1} graphs: one is read")
    found = _read_with("networkx", text, lambda networkx: getattr(networkx, f"read_{form}")(io.BytesIO(tostring(root))))
    return _graph_of_networkx(found, text)


def read_gml(text: Text) -> Graph:
    """Return the graph in a GML text, its vertices called by their labels, or by their ids without labels."""
    label = "label" if re.search(r"\blabel\b", text.whole) else "id"
    found = _read_with("networkx", text, lambda networkx: networkx.parse_gml(text.whole.split("\n"), label))
    return _graph_of_networkx(found, text)


def read_pajek(text: Text) -> Graph:
    """Return the graph in a Pajek text. Lines are checked first: networkx would take the lines of all sections for
    edges of the first, and anything below ``*Vertices`` for vertices."""
    whole = re.sub(r"^%.*\n", "", text.whole, flags=re.MULTILINE)
    whole = re.sub(r"^\*(?:edges|arcs)\w*[^\n]*\n(?=\s*\*|\s*\Z)", "", f"{whole}\n", flags=re.MULTILINE | re.IGNORECASE)
    if len(re.findall(r"(?mi)^\*(?!network|vertices)", whole)) > 1 or re.search(r"(?mi)^\*(edges|arcs)list", whole):
        raise GraphFault(0, "only one section *Edges or *Arcs is read")
    head = re.search(r"(?mi)^\*vertices[ \t]+(\d{1,9})[ \t]*\n((?:[ \t]*\d.*\n)*)", whole)
    if head and int(head[1]) != head[2].count("\n"):
        raise GraphFault(0, f"{head[1]} vertices are announced, {head[2].count(chr(10))} follow")
    found = _read_with("networkx", text, lambda networkx: networkx.parse_pajek(whole))
    if head is None or len(found) != int(head[1]) or any(str(node).startswith("*") for node in found):
        raise GraphFault(0, "*Vertices doesn't announce as many vertices, of different names, as are listed")
    return _graph_of_networkx(found, text)


def read_dot(text: Text) -> Graph:
    """Return the graph in a DOT text."""
    if len(text.whole) > 1 << 16 or text.whole.count("{") != 1:
        what = "DOT is read up to 64 KB" if len(text.whole) > 1 << 16 else "subgraphs in DOT are not read"
        raise GraphFault(0, f"{what}: write an edge list")
    with redirect_stdout(io.StringIO()):  # it prints what it can't read
        found = _read_with(
            "pydot networkx",
            text,
            lambda pydot, networkx: networkx.nx_pydot.from_pydot(pydot.graph_from_dot_data(text.whole)[0]),
        )
    if port := next((node for node in found.nodes if ":" in node), None):
        raise GraphFault(0, f"{quoted(port)} may be a vertex or have a port, which is not read")
    found.remove_nodes_from([node for node in found.nodes if node == "\\n"])
    return _graph_of_networkx(found, text)


# --- read by SciPy and NumPy ---

_NUMBER = re.compile(r"[-+]?\d{1,18}(?:\.\d*)?(?:e[-+]?\d{1,3})?")


def _graph_of_matrix(matrix: Any, text: Text, first: int = 0) -> Graph:
    """Return the graph with this adjacency matrix, its vertices numbered from ``first``."""
    entries = entries_of(matrix, text.kind)
    return graph_of_pairs(range(first, first + order_in(str(matrix.shape[0]), "", 0)), entries, text, "matrix")


def read_matrix_market(text: Text) -> Graph:
    """Return the graph in a Matrix Market text, its vertices numbered from 1. Rows that differ from the header are
    refused before SciPy gets them, as they can crash the process."""
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
    matrix = _read_with("scipy.sparse scipy.io", text, lambda sparse, files: sparse.coo_array(files.mmread(file)))
    return _graph_of_matrix(matrix, text, 1)


def read_npy(text: Text) -> Graph:
    """Return the graph of a square array in NumPy's format, which is not 0 where there is an edge; each character of
    the text is a byte."""
    file = io.BytesIO(text.whole.encode("latin-1", "replace"))
    return _graph_of_matrix(
        _read_with("numpy.lib.format", text, lambda formats: formats.read_array(file, allow_pickle=False)), text
    )
