"""Graphs from TSPLIB ``.hcp`` files (Reinelt 1991): a header, then edges or adjacency lists on the vertices 1 to
DIMENSION.

``TYPE`` is HCP, ``EDGE_DATA_FORMAT`` is EDGE_LIST or ADJ_LIST. Limits: those of `graph_parts`; fixed edges and layouts
are not read.
"""

from __future__ import annotations

from array import array

from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.graph_parts import (
    MAX_VERTICES,
    GraphFault,
    Lines,
    add_edge,
    count,
    numbered_graph,
    quoted,
    vertex_number,
)


def read_tsplib(text: str, source: str) -> Graph:
    """Header lines ``KEYWORD: value``, then EDGE_DATA_SECTION, edges or adjacency lists ended by -1, and EOF."""
    lines = enumerate(text.split("\n"), start=1)
    header: dict[str, tuple[int, str]] = {}
    number = 0
    for number, line in lines:
        keyword, colon, value = (part.strip() for part in line.partition(":"))
        if keyword == "EDGE_DATA_SECTION":
            break
        if keyword == "EOF":
            raise GraphFault(number, "the file ends before its EDGE_DATA_SECTION")
        if not colon and keyword:
            raise GraphFault(number, f"{quoted(keyword)} is not a header line: write KEYWORD: value")
        if keyword in header and keyword != "COMMENT":
            raise GraphFault(number, f"{keyword} was given before, in line {header[keyword][0]}")
        if keyword:
            header[keyword] = (number, value)
    else:
        raise GraphFault(number, "the file ends before its EDGE_DATA_SECTION")
    if "DIMENSION" not in header:
        raise GraphFault(0, "the header has no DIMENSION")
    dimension_line, dimension = header["DIMENSION"]
    order = count(dimension, "DIMENSION", MAX_VERTICES, dimension_line)
    kind_line, kind = header.get("TYPE", (0, "HCP"))
    if kind.split()[:1] != ["HCP"]:
        raise GraphFault(kind_line, f"the file is of TYPE {quoted(kind)}: only HCP is read")
    form_line, form = header.get("EDGE_DATA_FORMAT", (0, "EDGE_LIST"))
    if form not in ("EDGE_LIST", "ADJ_LIST"):
        raise GraphFault(form_line, f"EDGE_DATA_FORMAT can't be {quoted(form)}: it is EDGE_LIST or ADJ_LIST")
    read = _tsplib_edges if form == "EDGE_LIST" else _tsplib_lists
    return numbered_graph(order, read(((number, line.split()) for number, line in lines), order), source)


def _tsplib_edges(lines: Lines, order: int) -> array[int]:
    """Two ends a line, or several edges on one, until -1."""
    ends = array("i")
    pending: tuple[int, int] | None = None
    number = 0
    for number, words in lines:
        for word in words:
            if word in ("-1", "EOF"):
                if pending:
                    raise GraphFault(pending[0], f"the edge from {pending[1]} has no second end")
                if word == "-1":
                    _only_eof_follows(lines)
                return ends
            vertex = vertex_number(word, order, number)
            if pending is None:
                pending = (number, vertex)
                continue
            add_edge(ends, pending[1], vertex, number)
            pending = None
    raise GraphFault(number, "the edges don't end with -1: the file may be cut short")


def _tsplib_lists(lines: Lines, order: int) -> array[int]:
    """A vertex and its neighbours, each list ended by -1; another -1 ends the section."""
    ends = array("i")
    tail = 0
    number = 0
    for number, words in lines:
        for word in words:
            if tail == 0 and word in ("-1", "EOF"):
                if word == "-1":
                    _only_eof_follows(lines)
                return ends
            if word == "-1":
                tail = 0
            elif tail == 0:
                tail = vertex_number(word, order, number)
            else:
                add_edge(ends, tail, vertex_number(word, order, number), number)
    raise GraphFault(number, "the adjacency lists don't end with -1: the file may be cut short")


def _only_eof_follows(lines: Lines) -> None:
    for number, words in lines:
        if words == ["EOF"]:
            return
        if words:
            raise GraphFault(number, f"{quoted(words[0])} stands after the end of the edges: only EOF may follow")
