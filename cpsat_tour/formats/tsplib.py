"""Graphs from TSPLIB ``.hcp`` files (Reinelt 1991): a header, then edges or adjacency lists on the vertices 1 to
DIMENSION.

``TYPE`` is HCP, ``EDGE_DATA_FORMAT`` is EDGE_LIST or ADJ_LIST. Limits: those of `graph_parts`; fixed edges and layouts
are not read.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.graph_parts import (
    MAX_VERTICES,
    GraphFault,
    add_edge,
    count,
    numbered_graph,
    quoted,
    vertex_number,
)

Words = Iterator[tuple[int, str]]
"""Words with the numbers of their lines, from 1."""


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
    words = ((number, word) for number, line in lines for word in line.split())
    ends = _edges(words, order) if form == "EDGE_LIST" else _lists(words, order)
    return numbered_graph(order, ends, source)


def _edges(words: Words, order: int) -> array[int]:
    """Two ends for each edge, several edges on a line perhaps, until -1."""
    ends, number = array("i"), 0
    for number, word in words:
        if word in ("-1", "EOF"):
            _only_eof_follows(word, words)
            return ends
        tail = vertex_number(word, order, number)
        _, head = next(words, (0, "-1"))
        if head in ("-1", "EOF"):
            raise GraphFault(number, f"the edge from {tail} has no second end")
        add_edge(ends, tail, vertex_number(head, order, number), number)
    raise GraphFault(number, "the edges don't end with -1: the file may be cut short")


def _lists(words: Words, order: int) -> array[int]:
    """A vertex and its neighbours, each list ended by -1; another -1 ends the section."""
    ends, number = array("i"), 0
    for number, word in words:
        if word in ("-1", "EOF"):
            _only_eof_follows(word, words)
            return ends
        tail = vertex_number(word, order, number)
        for place, other in words:
            if other == "-1":
                break
            add_edge(ends, tail, vertex_number(other, order, place), place)
    raise GraphFault(number, "the adjacency lists don't end with -1: the file may be cut short")


def _only_eof_follows(last: str, words: Words) -> None:
    for number, word in words if last == "-1" else ():
        if word == "EOF":
            return
        raise GraphFault(number, f"{quoted(word)} stands after the end of the edges: only EOF may follow")
