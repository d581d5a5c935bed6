"""Graphs in the formats graph6 and sparse6 (McKay 1998) and GraphML (Brandes et al. 2001), read by networkx where it is
installed.

One graph a file. The vertices of graph6 and sparse6 are called 0, 1, …; those of GraphML by their ids. Weights and
labels are passed over. Limits: those of `graph_parts`; GraphML without a document type, without ports, hyperedges and
nested graphs.
"""

from __future__ import annotations

import io
import re
from typing import Any

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.libraries import require
from cpsat_tour.core.space import Named
from cpsat_tour.formats.graph_parts import MAX_VERTICES, GraphFault, checked_name

GRAPH6, SPARSE6 = ">>graph6<<", ">>sparse6<<"
"""How the files may begin."""


def read_graph6(text: str, source: str) -> Graph:
    """The graph in a line of graph6; `GraphFault` says what is wrong."""
    line = _only_line(text.removeprefix(GRAPH6))
    _check_order(line)
    return _graph("from_graph6_bytes", line.encode(), source)


def read_sparse6(text: str, source: str) -> Graph:
    """The graph in a line of sparse6; `GraphFault` says what is wrong."""
    line = _only_line(text.removeprefix(SPARSE6))
    if not line.startswith(":"):
        raise GraphFault(1, "a graph in sparse6 begins with a colon")
    _check_order(line[1:])
    return _graph("from_sparse6_bytes", line.encode(), source)


def read_graphml(text: str, source: str) -> Graph:
    """The graph in a GraphML document; `GraphFault` says what is wrong."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise GraphFault(0, "a document type can't stand in a GraphML file")
    if (number := len(re.findall(r"<graph[\s>]", text))) != 1:
        raise GraphFault(0, f"it has {number} graphs: one is read")
    return _graph("read_graphml", io.BytesIO(text.encode()), source)


def _only_line(text: str) -> str:
    lines = [line for line in text.strip().split("\n") if line]
    if len(lines) != 1:
        raise GraphFault(0, f"it has {len(lines)} graphs, a line each: one is read")
    if wrong := re.search(r"[^?-~:]", lines[0]):
        raise GraphFault(1, f"{wrong[0]!r} can't stand in graph6 or sparse6")
    return lines[0]


def _check_order(line: str) -> None:
    """The number of vertices stands first: in one byte, in three after a tilde, or in six after two."""
    values = [ord(letter) - 63 for letter in line[:8]]
    length, skipped = (1, 0) if values[:1] != [63] else (3, 1) if values[1:2] != [63] else (6, 2)
    order = 0
    for value in values[skipped : skipped + length]:
        order = 64 * order + value
    if not 1 <= order <= MAX_VERTICES:
        raise GraphFault(1, f"the number of vertices can't be {order}: it is from 1 to {MAX_VERTICES}")


def _graph(reader: str, content: bytes | io.BytesIO, source: str) -> Graph:
    """What networkx reads, as a graph of ours."""
    require(f"reading {source}", "networkx")
    import networkx

    try:
        found: Any = getattr(networkx, reader)(content)
    except Exception as fault:  # it does not say which errors it raises
        words = " ".join(str(fault).split())[:80]
        raise GraphFault(0, f"networkx can't read it ({words or type(fault).__name__})") from fault
    try:
        graph = Graph.from_networkx(found)
    except BadInput as fault:
        raise GraphFault(0, str(fault)) from fault
    names = [checked_name(graph.name(vertex), 0) for vertex in range(graph.order)]
    return Graph(graph.indptr, graph.indices, graph.directed, Named(names, source))
