"""Graphs from files: TSPLIB ``.hcp`` (Reinelt 1991), DIMACS ``.col`` and ``.edge`` (Johnson & Trick 1996), and plain edge lists.

An edge list has one edge a line, ``A B`` or, directed, ``A -> B``, with printable names without spaces; a line with one name is a vertex that
may have no edge; ``#`` starts a comment. Its vertices are numbered in the order of their names, numbers by value; those of TSPLIB and DIMACS
files keep their printed numbers, from 1, as names. Edges named twice count once; an edge from a vertex to itself is an error in all of them,
for no tour could use it and it is most likely a slip. The form is told by the suffix, and by the content where the suffix is another.
Limits: 128 MB and 2**24 vertices.
"""

from __future__ import annotations

import os
import re
import sys
from array import array
from collections.abc import Callable, Iterator

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.space import Named

MOST_BYTES, MOST_VERTICES = 1 << 27, 1 << 24

Lines = Iterator[tuple[int, list[str]]]


class _Fault(Exception):
    """What is wrong in a line of the file, by its number; 0 stands for the file as a whole."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line, self.sentence = line, sentence


def read_graph(path: str | os.PathLike[str]) -> Graph:
    """The graph in a file, or from standard input if the path is ``-``; `BadInput` names the file and the line that is wrong."""
    path = os.fspath(path)
    source = "standard input" if path == "-" else os.path.basename(path)
    text = _decoded(_content(path), source)
    reader = _READERS.get(os.path.splitext(path)[1].lower()) or _reader_for(text)
    try:
        return reader(text, source)
    except _Fault as fault:
        where = f"{source}, line {fault.line}" if fault.line else source
        raise BadInput(f"{where}: {fault.sentence}") from None


def _content(path: str) -> bytes:
    try:
        if path == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with open(path, "rb") as file:
                content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as fault:
        # A path with a null character is a ValueError.
        reason = getattr(fault, "strerror", None) or str(fault)
        raise BadInput(f"can't read {path}: {reason.lower()}") from fault
    if len(content) > MOST_BYTES:
        raise BadInput(f"{path} is too large: at most {MOST_BYTES >> 20} MB are read")
    return content


def _decoded(content: bytes, source: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise BadInput(f"{source}, line {line}: this is no text (a byte is not UTF-8)") from fault
    if "\0" in text:
        raise BadInput(f"{source}, line {text.count(chr(10), 0, text.index(chr(0))) + 1}: this is no text (a null byte)")
    if not text.strip():
        raise BadInput(f"{source} is empty: a graph is expected in it")
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip()


def _numbered(text: str) -> Lines:
    """The lines with their numbers, from 1, as words."""
    return ((number, line.split()) for number, line in enumerate(text.split("\n"), start=1))


def _reader_for(text: str) -> Callable[[str, str], Graph]:
    """The form that the content shows: a header of TSPLIB or of DIMACS can't be a line of an edge list."""
    if re.search(r"^p\s+(edge|edges|col)\s+\d", text, re.MULTILINE):
        return _dimacs
    if re.search(r"^\s*(TYPE|DIMENSION|EDGE_DATA_FORMAT)\s*:|^\s*EDGE_DATA_SECTION", text, re.MULTILINE):
        return _tsplib
    return _edge_list


# --- TSPLIB ---


def _tsplib(text: str, source: str) -> Graph:
    """Header lines ``KEYWORD: value``, then EDGE_DATA_SECTION, edges or adjacency lists ended by -1, and EOF."""
    lines = enumerate(text.split("\n"), start=1)
    header: dict[str, tuple[int, str]] = {}
    number = 0
    for number, line in lines:
        keyword, colon, value = (part.strip() for part in line.partition(":"))
        if keyword == "EDGE_DATA_SECTION":
            break
        if keyword == "EOF":
            raise _Fault(number, "the file ends before its EDGE_DATA_SECTION")
        if not colon and keyword:
            raise _Fault(number, f"{_quoted(keyword)} is no header line: write KEYWORD: value")
        if keyword in header and keyword != "COMMENT":
            raise _Fault(number, f"{keyword} was given before, in line {header[keyword][0]}")
        if keyword:
            header[keyword] = (number, value)
    else:
        raise _Fault(number, "the file ends before its EDGE_DATA_SECTION")
    order = _dimension(header)
    kind_line, kind = header.get("TYPE", (0, "HCP"))
    if kind.split()[:1] != ["HCP"]:
        raise _Fault(kind_line, f"the file is of TYPE {_quoted(kind)}: only HCP is read")
    form_line, form = header.get("EDGE_DATA_FORMAT", (0, "EDGE_LIST"))
    if form not in ("EDGE_LIST", "ADJ_LIST"):
        raise _Fault(form_line, f"EDGE_DATA_FORMAT can't be {_quoted(form)}: it is EDGE_LIST or ADJ_LIST")
    read = _tsplib_edges if form == "EDGE_LIST" else _tsplib_lists
    return _graph(order, read(((number, line.split()) for number, line in lines), order), source)


def _dimension(header: dict[str, tuple[int, str]]) -> int:
    if "DIMENSION" not in header:
        raise _Fault(0, "the header has no DIMENSION")
    number, value = header["DIMENSION"]
    return _count(value, "DIMENSION", MOST_VERTICES, number)


def _tsplib_edges(lines: Lines, order: int) -> array[int]:
    """Two ends a line, or several edges on one, until -1."""
    ends = array("i")
    pending: tuple[int, int] | None = None
    number = 0
    for number, words in lines:
        for word in words:
            if word in ("-1", "EOF"):
                if pending:
                    raise _Fault(pending[0], f"the edge from {pending[1]} has no second end")
                if word == "-1":
                    _only_eof_follows(lines)
                return ends
            vertex = _vertex(word, order, number)
            if pending is None:
                pending = (number, vertex)
                continue
            _add_edge(ends, pending[1], vertex, number)
            pending = None
    raise _Fault(number, "the edges don't end with -1: the file may be cut short")


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
                tail = _vertex(word, order, number)
            else:
                _add_edge(ends, tail, _vertex(word, order, number), number)
    raise _Fault(number, "the adjacency lists don't end with -1: the file may be cut short")


def _only_eof_follows(lines: Lines) -> None:
    for number, words in lines:
        if words == ["EOF"]:
            return
        if words:
            raise _Fault(number, f"{_quoted(words[0])} stands after the end of the edges: only EOF may follow")


# --- DIMACS ---


def _dimacs(text: str, source: str) -> Graph:
    """``c`` comments, one line ``p edge n m`` or ``p col n m``, and ``e u v`` for each edge.

    Weights and layouts of the vertices, in lines that begin with n, d, v or x, are passed over; other lines are errors. The header's
    number of edges must be that of the ``e`` lines, or of the distinct edges, or twice that: published files differ in what they count.
    """
    order = promised = header = 0
    ends = array("i")
    for number, words in _numbered(text):
        if not words or words[0][0] == "c" or words[0] in ("n", "d", "v", "x"):
            continue
        if words[0] == "e":
            if not header:
                raise _Fault(number, "an edge stands before the header: begin with p edge, the number of vertices and that of edges")
            if len(words) != 3:
                raise _Fault(number, "an edge has two ends: write e, a vertex and a vertex")
            _add_edge(ends, _vertex(words[1], order, number), _vertex(words[2], order, number), number)
        elif words[0] == "p":
            if header:
                raise _Fault(number, f"this is a second header: the first stands in line {header}")
            if len(words) != 4 or words[1] not in ("edge", "edges", "col"):
                raise _Fault(number, "the header is wrong: write p edge, the number of vertices and that of edges")
            header = number
            order = _count(words[2], "the number of vertices", MOST_VERTICES, number)
            promised = _count(words[3], "the number of edges", MOST_BYTES, number, least=0)
        else:
            raise _Fault(number, f"a line can't begin with {_quoted(words[0])}: it begins with c, p or e")
    if not header:
        raise _Fault(0, "there is no header: begin with p edge, the number of vertices and that of edges")
    graph = _graph(order, ends, source)
    found = len(ends) // 2
    if promised not in (found, graph.size, 2 * graph.size):
        raise _Fault(header, f"the header promises {promised} edges, and the file has {found}")
    return graph


# --- edge lists ---


def _edge_list(text: str, source: str) -> Graph:
    """One edge a line, all ``A B`` or all ``A -> B``; vertices are numbered in the order of their names."""
    vertices: dict[str, int] = {}
    ends = array("i")
    kind: tuple[int, bool] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        directed = len(words) == 3 and words[1] == "->"
        if (len(words) > 2 and not directed) or "->" in words[0] or "->" in words[-1]:
            raise _Fault(number, f"{_quoted(' '.join(words))} is no edge: write two names, A B or A -> B with spaces, or one for a vertex")
        for name in (words[0], words[-1]):
            if not name.isprintable():
                raise _Fault(number, f"{_quoted(name)} can't be a name: it has a letter that can't be printed")
        first = vertices.setdefault(words[0], len(vertices))
        if len(words) > 1:
            kind = kind or (number, directed)
            if kind[1] != directed:
                this, that = ("directed", "undirected") if directed else ("undirected", "directed")
                raise _Fault(number, f"this edge is {this}, but that of line {kind[0]} is {that}: write all as A B or all as A -> B")
            second = vertices.setdefault(words[-1], len(vertices))
            if first == second:
                raise _Fault(number, f"an edge joins {_quoted(words[0])} to itself")
            ends.extend((first, second))
    if not vertices:
        raise _Fault(0, "there is no edge in it: write two names a line, A B or A -> B")
    if len(vertices) > MOST_VERTICES:
        raise _Fault(0, f"there are {len(vertices)} vertices: at most {MOST_VERTICES} are read")
    numbers = all(name.isascii() and name.isdecimal() for name in vertices)
    names = sorted(vertices, key=(lambda name: (len(name), name)) if numbers else None)
    place = np.empty(len(names), dtype=np.int32)
    place[[vertices[name] for name in names]] = np.arange(len(names), dtype=np.int32)
    return Graph.from_edges(len(names), place[_pairs(ends)], directed=kind is not None and kind[1], space=Named(names, source))


# --- common to them ---

_READERS: dict[str, Callable[[str, str], Graph]] = {
    ".hcp": _tsplib,
    ".col": _dimacs,
    ".edge": _dimacs,
    ".edges": _edge_list,
    ".edgelist": _edge_list,
}


def _count(word: str, what: str, most: int, line: int, least: int = 1) -> int:
    """A count in a header, which must be sensible."""
    if not (word.isascii() and word.isdigit()):
        raise _Fault(line, f"{what} can't be {_quoted(word)}: write a whole number")
    if not (len(word) <= 12 and least <= int(word) <= most):
        raise _Fault(line, f"{what} can't be {word[:20]}: it is from {least} to {most}")
    return int(word)


def _vertex(word: str, order: int, line: int) -> int:
    """A vertex from 1 as the file writes it."""
    if not (word.isascii() and word.isdigit()):
        raise _Fault(line, f"{_quoted(word)} is no vertex: the vertices are 1 to {order}")
    vertex = int(word) if len(word) <= 12 else order + 1
    if not 1 <= vertex <= order:
        raise _Fault(line, f"there is no vertex {word[:20]}: the vertices are 1 to {order}")
    return vertex


def _add_edge(ends: array[int], tail: int, head: int, line: int) -> None:
    if tail == head:
        raise _Fault(line, f"an edge joins vertex {tail} to itself")
    ends.append(tail)
    ends.append(head)


def _graph(order: int, ends: array[int], source: str) -> Graph:
    """The undirected graph on the printed numbers 1 to order."""
    return Graph.from_edges(order, _pairs(ends) - 1, space=Named([str(vertex) for vertex in range(1, order + 1)], source))


def _pairs(ends: array[int]) -> Ints:
    return np.array(ends, dtype=np.int32).reshape(-1, 2)


def _quoted(word: str) -> str:
    """A word from a file as it can stand in a message: short, and without what would upset a terminal."""
    return repr(word if len(word) <= 40 else word[:40] + "…")
