"""Graphs from DIMACS files, ``.col`` and ``.edge`` (Johnson & Trick 1996): ``p edge N M``, then ``e U V`` for each
edge, from vertex 1.

The header may be ``p col N M`` or ``p N M`` as well, and lines that begin with c are comments. Weights and layouts of
the vertices, in lines that begin with n, d, v or x, are passed over; other lines are errors. The header's number of
edges must be that of the ``e`` lines, or of the distinct edges, or twice that: published files differ in what they
count.
"""

from __future__ import annotations

from array import array

from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.graph_parts import (
    MAX_BYTES,
    MAX_VERTICES,
    GraphFault,
    add_edge,
    count,
    numbered_graph,
    quoted,
    vertex_number,
)

WORDS = ("edge", "edges", "col")
"""What may stand in the header between p and the numbers."""


def read_dimacs(text: str, source: str) -> Graph:
    """The graph in the text; `GraphFault` names the line that is wrong."""
    order = promised = header = 0
    ends = array("i")
    for number, words in enumerate(map(str.split, text.split("\n")), start=1):
        if not words or words[0][0] == "c" or words[0] in ("n", "d", "v", "x"):
            continue
        if words[0] == "e":
            if not header:
                raise GraphFault(
                    number,
                    "an edge stands before the header: begin with p edge, the number of vertices and that of edges",
                )
            if len(words) != 3:
                raise GraphFault(number, "an edge has two ends: write e, a vertex and a vertex")
            add_edge(ends, vertex_number(words[1], order, number), vertex_number(words[2], order, number), number)
        elif words[0] == "p":
            if header:
                raise GraphFault(number, f"this is a second header: the first stands in line {header}")
            header = number
            sizes = words[2:] if words[1:2] and words[1] in WORDS else words[1:]
            if len(sizes) != 2:
                raise GraphFault(number, "the header is wrong: write p edge, the number of vertices and that of edges")
            order = count(sizes[0], "the number of vertices", MAX_VERTICES, number)
            promised = count(sizes[1], "the number of edges", MAX_BYTES, number, least=0)
        else:
            raise GraphFault(number, f"a line can't begin with {quoted(words[0])}: it begins with c, p or e")
    if not header:
        raise GraphFault(0, "there is no header: begin with p edge, the number of vertices and that of edges")
    graph = numbered_graph(order, ends, source)
    found = len(ends) // 2
    if promised not in (found, graph.size, 2 * graph.size):
        raise GraphFault(header, f"the header promises {promised} edges, and the file has {found}")
    return graph
