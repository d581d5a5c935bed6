"""Graphs as lines of graph6, sparse6 (McKay 1998) and digraph6: one read, one written.

graph6 has the number of vertices and the upper triangle of the adjacency matrix, column by column, in characters of six
bits; digraph6, after ``&``, has the whole matrix, row by row. Both are decoded by NumPy, sparse6 by networkx. Limits:
258,047 vertices; loops in digraph6 are passed over.
"""

from __future__ import annotations

import re

import numpy as np

from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.files import GraphFault, quoted
from cpsat_tour.formats.named_graphs import read_graph_line

SHORT = 63  # a number of vertices below it is one character; a larger one is ``~`` and three

_HEADER = re.compile(rb"^>>(?:graph6|sparse6|digraph6)<<", re.MULTILINE)


def clean_lines(text: bytes) -> bytes:
    """Return the lines without headers such as ``>>graph6<<``, each ended by a newline alone."""
    text = text.replace(b"\r\n", b"\n")
    return _HEADER.sub(b"", text) if b">>" in text else text


def graph_of_line(line: bytes) -> Graph:
    """Return the graph in a line, its vertices called 0, 1, …; `GraphFault` says why it is not one."""
    if line.startswith(b":"):
        return read_graph_line(line.decode("ascii", "replace"), "the graph", form="sparse6")
    directed = line.startswith(b"&")
    digits = np.frombuffer(line, dtype=np.uint8)[int(directed) :] - np.uint8(63)  # what is below 63 becomes large
    if not len(digits) or digits.max() > 63:
        raise GraphFault(0, f"{quoted(line.decode('ascii', 'replace'))} is not a graph in graph6, sparse6 or digraph6")
    long = 3 * (len(digits) > 3 and digits[0] == SHORT)
    order = int(digits[1:4].astype(int) @ [4096, 64, 1]) if long else int(digits[0])
    if not 0 < order < SHORT << 12:
        raise GraphFault(0, "it has no vertices, or more than 258,047")
    bits = order * order if directed else order * (order - 1) // 2
    body, expected = digits[long + 1 :], -(-bits // 6)
    if len(body) != expected:
        what = f"the matrix of {order:,} vertices in {'di' * directed}graph6 has the wrong length"
        raise GraphFault(0, f"{what}: {len(body):,} characters instead of {expected:,}")
    ones = np.flatnonzero(np.unpackbits((body[:, None] << 2).view(np.uint8), axis=1)[:, :6].ravel()[:bits])
    columns = np.arange(order) * (np.arange(order) - 1) // 2
    heads = np.searchsorted(columns, ones, side="right") - 1
    ends = divmod(ones, order) if directed else (ones - columns[heads], heads)
    return Graph.from_edges(order, np.stack(ends, axis=1), directed=directed)


def graph6_line(graph: Graph) -> bytes:
    """Return the line of an undirected graph in graph6."""
    (tails, heads), order = graph.edges(), graph.order
    digits = np.zeros((-(-order * (order - 1) // 12), 6), dtype=np.uint8)
    digits.reshape(-1)[heads.astype(np.int64) * (heads - 1) // 2 + tails] = 1
    number = [order] if order < SHORT else [SHORT, order >> 12, order >> 6 & 63, order & 63]
    return bytes(63 + digit for digit in [*number, *(digits @ [32, 16, 8, 4, 2, 1]).tolist()])
