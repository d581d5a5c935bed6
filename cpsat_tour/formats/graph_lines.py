"""Graphs as lines of graph6, sparse6 (McKay 1998) and digraph6, which are read, and of graph6, which is written too.

graph6 has the number of vertices and the upper triangle of the adjacency matrix, column by column, in characters of six
bits; digraph6, after ``&``, has the whole matrix, row by row; sparse6, after ``:``, lists the edges. Limits: 258,047
vertices.
"""

from __future__ import annotations

import re

import numpy as np

from cpsat_tour.core.errors import quoted
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Bytes, Ints
from cpsat_tour.formats.files import GraphFault
from cpsat_tour.formats.named_graphs import Text

SHORT = 63  # a number of vertices below it is one character; a larger one is ``~`` and three

_HEADER = re.compile(rb"^>>(?:graph6|sparse6|digraph6)<<", re.MULTILINE)


def clean_lines(text: bytes) -> bytes:
    """Remove headers such as ``>>graph6<<`` from the lines, and end each by a single newline."""
    text = text.replace(b"\r\n", b"\n") if b"\r" in text else text
    return _HEADER.sub(b"", text) if b">" in text else text


def read_graph6(text: Text) -> Graph:
    """Return the graph in a text of one such line, with or without a header; `GraphFault` if it is anything else."""
    lines = clean_lines(text.whole.encode()).split()
    if len(lines) != 1:
        raise GraphFault(0, f"it has {len(lines)} graphs, a line each: one is read")
    return graph_of_line(lines[0])


def graph_of_line(line: bytes) -> Graph:
    """Return the graph in a line of graph6, sparse6 or digraph6, its vertices called 0, 1, …; `GraphFault` says why it
    is not one."""
    mark = line[:1].decode("ascii", "replace")
    digits = np.frombuffer(line, dtype=np.uint8)[mark in (":", "&") :] - np.uint8(63)  # what is below 63 becomes large
    if not len(digits) or digits.max() > 63:
        raise GraphFault(0, f"{quoted(line.decode('ascii', 'replace'))} is not a graph in graph6, sparse6 or digraph6")
    long = 3 * int(digits[0] == SHORT)
    number = digits[:4].astype(int).tolist() if long else [0, 0, 0, int(digits[0])]
    order = number[1] << 12 | number[2] << 6 | number[3] if len(number) == 4 else 0
    if not 0 < order < SHORT << 12:
        raise GraphFault(
            0,
            "it has no vertices"
            if not order and len(number) == 4
            else "it has more than 258,047 vertices, or their number is cut off",
        )
    body, directed = digits[long + 1 :], mark == "&"
    bits = np.unpackbits(body[:, None] << np.uint8(2), axis=1, count=6).ravel()
    if mark == ":":
        return Graph.from_edges(order, _sparse6_edges(bits, order))
    size = order * order if directed else order * (order - 1) // 2
    if len(body) != (expected := -(-size // 6)):
        raise GraphFault(
            0,
            f"the matrix of {order:,} vertices in {'di' * directed}graph6 has the wrong length: "
            f"{len(body):,} characters instead of {expected:,}",
        )
    matrix = np.zeros((order, order), dtype=bool)
    matrix[np.full((order, order), True) if directed else np.tri(order, k=-1, dtype=bool)] = bits[:size]
    return Graph.from_edges(order, np.argwhere(matrix), directed=directed)


def _sparse6_edges(bits: Bytes, order: int) -> Ints:
    """Decode the bits of sparse6 to edges; the padding at the end of the line is left out.

    A step of 1 + k bits, k those of a vertex, has a bit b and a vertex x: the current vertex v, at first 0, becomes
    v + b, and if x is greater, x; otherwise x-v is an edge. With B the sum of all b so far, v - B is the greatest x - B
    so far, or 0.
    """
    width = max(1, (order - 1).bit_length())
    steps = bits[: len(bits) // (1 + width) * (1 + width)].reshape(-1, 1 + width)
    moved = np.cumsum(steps[:, 0], dtype=np.int32)
    named = steps[:, 1:] @ (1 << np.arange(width - 1, -1, -1, dtype=np.int32))
    current = moved + np.maximum.accumulate(np.append(np.int32(0), named - moved))[:-1]
    return np.stack([named, current], axis=1)[(named <= current) & (current < order)]


def graph6_line(graph: Graph) -> bytes:
    """Encode an undirected graph as a line of graph6."""
    (tails, heads), order = graph.edges(), graph.order
    digits = np.zeros((-(-order * (order - 1) // 12), 6), dtype=np.uint8)
    digits.reshape(-1)[heads.astype(np.int64) * (heads - 1) // 2 + tails] = 1
    number = [order] if order < SHORT else [SHORT, order >> 12, order >> 6 & 63, order & 63]
    return bytes(63 + digit for digit in [*number, *(digits @ [32, 16, 8, 4, 2, 1]).tolist()])
