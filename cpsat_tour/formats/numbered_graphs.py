"""Graphs from files in which vertices are numbers: DIMACS, TSPLIB, and rows of neighbours, such as METIS.

DIMACS (``.col``, ``.edge``; Johnson & Trick 1996) has a header ``p edge N M``, also ``p col N M`` or ``p N M``, then
``e U V`` for each edge. Lines that begin with c are comments; those that begin with n, d, v or x, weights and layouts
of the vertices, are passed over; others are errors. The header's number of edges must be that of the ``e`` lines, or of
the distinct edges: published files differ in what they count, and a file that was cut short has fewer lines.

TSPLIB (``.hcp``; Reinelt 1991) has header lines ``KEYWORD: value``, then edges or adjacency lists, then perhaps fixed
edges, which tours must use; ``EDGE_DATA_FORMAT`` is EDGE_LIST or ADJ_LIST. In a ``.tsp`` or ``.atsp`` file of a matrix
of weights it must be said which of them are edges: those below the largest, ``tsplib:finite``, or those of the weight 0
or 1. Layouts are not read.

Rows of neighbours are those of the vertices from 0, or from 1, line after line. METIS (Karypis & Kumar 1998) has them
below the numbers of vertices and edges, and perhaps a code that says which weights follow; these are passed over.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from cpsat_tour.core.errors import quoted
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Flags
from cpsat_tour.formats.files import MAX_BYTES, GraphFault
from cpsat_tour.formats.named_graphs import (
    Text,
    Unsettled,
    entries_of,
    graph_of_pairs,
    is_number,
    max_vertices,
    number_in,
    number_names,
    order_in,
)

FIXED = "FIXED_EDGES_SECTION"

_FIXED = re.compile(r"^\s*FIXED_EDGES(?:_SECTION)?\s*:?\s*$")
"""The line above fixed edges: published files have no ``_SECTION`` in it."""

_BARE = ("tw", "td", "ds", "hc")
"""The words in the headers of PACE, below which edges are two numbers without a letter."""

_WORDS = ("edge", "edges", "col", "sp", *_BARE)
"""The words in a DIMACS header between p and the numbers."""

_BEGIN = "begin with p edge, the number of vertices and that of edges"


def read_dimacs(text: Text) -> Graph:
    """Return the graph in the text; `GraphFault` names the line that is wrong."""
    order = max_vertices(text.whole)
    promised = header = 0
    ends, kinds, bare = array("i"), set[str](), False
    for line, words in enumerate(map(str.split, text.whole.split("\n")), start=1):
        if not words or words[0][0] == "c" or words[0] in ("n", "d", "v", "x"):
            continue
        if words[0] in ("e", "a") or (bare and len(words) == 2):
            edge = words if bare and len(words) == 2 else words[1:]
            if len(edge) != 2 and not (words[0] == "a" and len(edge) == 3):
                raise GraphFault(line, "an edge has two ends: write e, a vertex and a vertex")
            kinds.add("a" if words[0] == "a" else "e")
            ends.extend(_vertex(word, order, line) for word in edge[:2])
        elif words[0] == "p":
            sizes = words[2:] if words[1:2] and words[1] in _WORDS else words[1:]
            if header:
                raise GraphFault(line, f"this is a second header: the first stands in line {header}")
            if ends:
                raise GraphFault(line, f"an edge stands before the header: {_BEGIN}")
            if len(sizes) != 2:
                raise GraphFault(line, f"the header is wrong: {_BEGIN}")
            header, bare, order = line, words[1] in _BARE, order_in(sizes[0], text.whole, line)
            promised = number_in(sizes[1], "the number of edges", 0, MAX_BYTES, line)
        else:
            raise GraphFault(line, f"a line can't begin with {quoted(words[0])}: it begins with c, p or e")
    if not header and not ends:
        raise GraphFault(0, f"there is no header: {_BEGIN}")
    if len(kinds) > 1:
        raise GraphFault(0, "some of its lines are edges, e, and others arcs, a")
    graph = _graph(order if header else max(ends) + 1, ends, text, "a" in kinds)
    found = len(ends) // 2
    if header and promised not in (found, graph.size):
        raise GraphFault(header, f"the header promises {promised} edges, and the file has {found}: is it cut short?")
    return graph


def read_tsplib(text: Text) -> Graph:
    """Return the graph in the text; `GraphFault` names the line that is wrong."""
    lines = enumerate(text.whole.split("\n"), start=1)
    header: dict[str, tuple[int, str]] = {}
    number, keyword = 0, ""
    for number, line in lines:
        keyword, colon, value = (part.strip() for part in line.partition(":"))
        if keyword in ("EDGE_DATA_SECTION", "EDGE_WEIGHT_SECTION", "EOF"):
            break
        if keyword == "NODE_COORD_SECTION":
            raise GraphFault(number, "places of vertices, all pairs of which are joined, are not a graph")
        if not colon and keyword:
            raise GraphFault(number, f"{quoted(keyword)} is not a header line: write KEYWORD: value")
        if keyword in header and keyword != "COMMENT":
            raise GraphFault(number, f"{keyword} was given before, in line {header[keyword][0]}")
        if line.strip():
            header[keyword] = (number, value)
    if keyword in ("", "EOF") or keyword in header:
        raise GraphFault(number, "the file ends before its EDGE_DATA_SECTION")
    if "DIMENSION" not in header:
        raise GraphFault(0, "the header has no DIMENSION")
    where, dimension = header["DIMENSION"]
    order = number_in(dimension, "DIMENSION", 1, max_vertices(text.whole), where)
    where, kind = header.get("TYPE", (0, "HCP"))
    if not {*kind.split()} & {"HCP", "TSP", "ATSP"}:
        raise GraphFault(where, f"the file is of TYPE {quoted(kind)}: only HCP, TSP and ATSP are read")
    if keyword == "EDGE_WEIGHT_SECTION":
        return _graph_of_weights([line for _, line in lines], order, header.get("EDGE_WEIGHT_FORMAT", (0, ""))[1], text)
    where, form = header.get("EDGE_DATA_FORMAT", (0, "EDGE_LIST"))
    if form not in ("EDGE_LIST", "ADJ_LIST"):
        raise GraphFault(where, f"EDGE_DATA_FORMAT can't be {quoted(form)}: it is EDGE_LIST or ADJ_LIST")
    words = ((number, word) for number, line in lines for word in _FIXED.sub(FIXED, line).split())
    ends, rest = _tsplib_ends(words, order, lists=form == "ADJ_LIST")
    graph, fixed = _graph(order, ends, text, False), array("i")
    if rest == FIXED:
        fixed, rest = _tsplib_ends(words, order, lists=False)
    if rest == FIXED:
        raise GraphFault(0, f"it has two sections {FIXED}")
    return replace(graph, required=tuple(zip(fixed[::2], fixed[1::2], strict=True)), checked=True)


_PARTS: dict[str, Callable[[int], Flags]] = {
    "FULL_MATRIX": lambda order: np.full((order, order), True),
    "UPPER_ROW": lambda order: ~np.tri(order, dtype=bool),
    "UPPER_DIAG_ROW": lambda order: ~np.tri(order, k=-1, dtype=bool),
    "LOWER_ROW": lambda order: np.tri(order, k=-1, dtype=bool),
    "LOWER_DIAG_ROW": lambda order: np.tri(order, dtype=bool),
}
"""The parts of a matrix of weights that formats list, row by row."""


def _graph_of_weights(lines: list[str], order: int, form: str, text: Text) -> Graph:
    """Return the graph of the pairs with the weights that are asked for, or with less than the largest weight."""
    kind = text.ask.kind
    if not kind or form not in _PARTS or order * order > 4 * len(text.whole):
        remedy = "give --input tsplib:finite for all below the largest, or tsplib:0 or tsplib:1 for those weights"
        raise GraphFault(0, f"its matrix of weights, EDGE_WEIGHT_FORMAT {quoted(form)}, names no edges: {remedy}")
    part, weights = _PARTS[form](order), np.zeros((order, order))
    try:
        weights[part] = np.array(" ".join(lines).partition("EOF")[0].split(), dtype=float)
    except ValueError:
        raise GraphFault(0, f"its weights are not the {part.sum()} numbers of {form}") from None
    if not part.all():
        weights += weights.T
    off = ~np.eye(order, dtype=bool)
    joined = off & (weights < weights[off].max(initial=0) if kind == "finite" else weights == int(kind))
    return graph_of_pairs(number_names(order, 1), entries_of(joined), text.ask, "matrix")


def _tsplib_ends(words: Iterator[tuple[int, str]], order: int, *, lists: bool) -> tuple[array[int], str]:
    """Return the ends of the edges in the words of a section, two for each edge, and the word that
    follows it, EOF at the end; the words come with their lines.

    A vertex is followed by the other end of its edge or, in lists, by its neighbours and -1; a last -1 ends the
    section.
    """
    ends, line = array("i"), 0
    for line, word in words:
        if word in ("-1", "EOF"):
            after, rest = next(words, (0, "EOF")) if word == "-1" else (0, "EOF")
            if rest not in ("EOF", FIXED):
                what = f"{quoted(rest)} stands after the end of the edges"
                raise GraphFault(after, f"{what}: only {FIXED} or EOF may follow")
            return ends, rest
        tail = _vertex(word, order, line)
        for place, other in words if lists else islice(words, 1):
            if lists and other == "-1":
                break
            ends.extend((tail, _vertex(other, order, place)))
    raise GraphFault(line, "the edges don't end with -1: the file may be cut short")


def _vertex(word: str, order: int, line: int, first: int = 1) -> int:
    """Return the vertex, from 0, that a number in a line names; `GraphFault` if there is no such vertex."""
    return number_in(word, "a vertex", first, order - 1 + first, line) - first


def _graph(order: int, ends: array[int], text: Text, directed: bool | None = None, first: int = 1) -> Graph:
    """Return the graph on the numbers from ``first``."""
    edges = np.array(ends, dtype=np.int32).reshape(-1, 2)
    return graph_of_pairs(number_names(order, first), edges, text.ask, directed)


# --- rows of neighbours ---


def read_adjacency_rows(text: Text, *, first: int) -> Graph:
    """Return the graph in lines of neighbours, the first of which are those of the vertex ``first``, 0 or 1."""
    body, ends = text.body(), array("i")
    order = order_in(str(len(body)), text.whole)
    for tail, (number, line) in enumerate(body):
        heads = [_vertex(head, order, number, first) for head in text.cells(line, number) if head]
        if (len({*heads}) < len(heads) or tail in heads) and not text.ask.given:
            raise GraphFault(number, f"the neighbours of {tail + first} are not different vertices")
        for head in heads:
            ends.extend((tail, head))
    full, largest = text.count == order, max(ends[1::2], default=0)
    if not text.ask.given and (not ends or (full and largest < order - 2)):
        raise GraphFault(1, f"{order} lines are too many for neighbours up to {largest + first}")
    if not (full or text.ask.given):
        remedy = "give --input rows0 or --input rows1"
        sentence = f"an empty line may be a vertex without neighbours, of those from 0 or from 1: {remedy}"
        raise Unsettled(_graph(order, ends, text, False, first), sentence)
    return _graph(order, ends, text, text.said, first)


def read_metis(text: Text) -> Graph:
    """Return the graph in a METIS file."""
    (_, head), *rows = text.body() or [(1, "")]
    sizes, ends = head.split(), array("i")
    if not 2 <= len(sizes) <= 4 or not all(map(is_number, sizes)):
        raise GraphFault(1, "it doesn't begin with the numbers of vertices and edges")
    order, promised = order_in(sizes[0], text.whole), int(sizes[1])
    code = sizes[2].zfill(3) if len(sizes) > 2 else "000"
    if len(rows) > order or not {*code} <= {"0", "1"}:
        raise GraphFault(1, f"{len(rows)} lines follow, and not one for each of {order} vertices")
    skipped = int(code[0]) + int(code[1]) * (int(sizes[3]) if len(sizes) > 3 else 1)
    for tail, (number, row) in enumerate(rows):
        for word in row.split()[skipped :: 1 + int(code[2])]:
            ends.extend((tail, _vertex(word, order, number)))
    try:
        graph = _graph(order, ends, text)
    except Unsettled:
        raise GraphFault(1, "each edge does not stand in the lines of both its ends") from None
    if promised != graph.size or graph.loops:
        raise GraphFault(1, f"the first line promises {promised} edges, and the file has {graph.size}")
    return graph
