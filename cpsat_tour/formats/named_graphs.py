"""Graphs from files in which vertices have names: edge lists, CSV, and GraphML.

An edge list has one edge a line, ``A B`` or, directed, ``A -> B``. A weight, or the attributes that networkx writes in
braces, may follow an edge and are passed over: ``A B 2.5``, ``A B {'weight': 3}``. ``vertex A`` names a vertex that may
have no edge; ``#`` starts a comment. A CSV file has an edge a row, ``A,B`` or ``A,B,weight``, with tabs if there are no
commas, and is undirected. The first line of either is a header if its third word is not a weight, or if it is ``source
target`` or ``from to``.

Vertices are numbered in the order of their names, numbers by value. Edges named twice count once. Ambiguous files are
refused: an edge from a vertex to itself, another weight the other way round (a row of distances, or a directed edge),
and a first line that may be a header, or the numbers of vertices and edges, as well as an edge.

GraphML (Brandes et al. 2001), without a document type, is read by networkx if it is installed, one graph a file.
Vertices are called by their ids; weights and labels are passed over.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cpsat_tour.core.errors import quoted
from cpsat_tour.core.graph import MAX_VERTICES, Graph
from cpsat_tour.core.libraries import require
from cpsat_tour.core.space import MAX_NAME, Named
from cpsat_tour.formats.files import GraphFault

HEADERS = ({"source", "target"}, {"from", "to"})
"""A first line of these words is a header, in any case of letters; then they are not names of vertices."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_ATTRIBUTES = re.compile(r"\{(?:['\"].*)?\}")
_NAME = re.compile(r"\w(?:[\w .:'+*/()\[\]-]*[\w'+*)\]])?")
_FRACTION = re.compile(r"\d+\.\d+")
_COMMENT = re.compile(r"(?:^|\s)#")


def read_edge_list(text: str, source: str) -> Graph:
    """Return the graph in the text; `GraphFault` names the line that is wrong."""
    if text.startswith("#!"):
        raise GraphFault(1, "this is a script, and no graph")
    edges = _NamedEdges(" ")
    for number, line in enumerate(text.split("\n"), start=1):
        words = (_COMMENT.split(line, maxsplit=1)[0] if "#" in line else line).split()
        if words[1:2] == ["->"]:
            edges.add([words[0], *words[2:]], number, directed=True)
        elif len(words) == 2 and words[0] == "vertex":
            edges.vertex(words[1], number)
            edges.first_is_plain = True
        elif words:
            edges.add(words, number)
    return edges.graph(source)


def read_csv(text: str, source: str) -> Graph:
    """Return the undirected graph in the rows; `GraphFault` names the line that is wrong."""
    comma = "\t" if "\t" in text and "," not in text else ","
    edges = _NamedEdges(comma)
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            (row,) = csv.reader([line], delimiter=comma, strict=True, skipinitialspace=True)
        except (csv.Error, ValueError) as fault:
            raise GraphFault(number, f"{quoted(line)} is not a row of a CSV file") from fault
        edges.add([" ".join(cell.split()) for cell in row], number)
    return edges.graph(source)


@dataclass
class _NamedEdges:
    """The edges read so far, by the names of their ends, in ``weights`` with the line of each; ``mark`` stands between
    two names; ``first_is_plain`` if the file has a header or lone vertices, so that its first edge is an edge."""

    mark: str
    vertices: dict[str, int] = field(default_factory=dict)
    ends: array[int] = field(default_factory=lambda: array("i"))
    weights: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    header: set[str] = field(default_factory=set)
    first_is_plain: bool = False
    first_line: int = 0
    directed: bool = False

    def vertex(self, name: str, line: int) -> int:
        """Return the number of a vertex, from 0 in the order of appearance; a new name gets the next one."""
        if (known := self.vertices.get(name)) is not None:
            return known
        if len(self.vertices) == MAX_VERTICES:
            raise GraphFault(line, f"there are more vertices than {MAX_VERTICES}, and no more are read")
        return self.vertices.setdefault(checked_name(name, line), len(self.vertices))

    def add(self, words: list[str], line: int, *, directed: bool = False) -> None:
        """Add the edge in these words, two names, perhaps a weight or attributes; `GraphFault` if they are no edge. The
        first line may be a header."""
        names, rest = words[:2], words[2:]
        weight = rest[0] if len(rest) == 1 and _NUMBER.fullmatch(rest[0]) else None
        passed_over = weight is not None or not rest or _ATTRIBUTES.fullmatch(" ".join(rest)) is not None
        if not (self.first_line or self.header or directed) and (
            {name.lower() for name in names} in HEADERS or (len(rest) == 1 and not passed_over)
        ):
            self.header, self.first_is_plain = set(names), True
            return
        if len(names) < 2 or not passed_over or "vertex" in names or "->" in names[0] + names[1]:
            written = f"A{self.mark}B" + (
                " or A -> B with spaces" if self.mark == " " else ", with a comma between them"
            )
            written += "; a puzzle is read with --puzzle, in Python with load_puzzle" * ("." in words)
            raise GraphFault(line, f"{quoted(self.mark.join(words))} is not an edge: write two names, {written}")
        if not self.first_line:
            self.first_line, self.directed = line, directed
        tail, head = names
        if directed != self.directed:
            this, that = ("directed", "undirected") if directed else ("undirected", "directed")
            kinds = f"this edge is {this}, but that of line {self.first_line} is {that}"
            raise GraphFault(line, f"{kinds}: write all as A B or all as A -> B")
        if tail == head:
            counts = ": leave out the numbers of vertices and edges" * (line == self.first_line and tail.isdecimal())
            raise GraphFault(line, f"an edge joins {quoted(tail)} to itself{counts}")
        if weight is not None and not directed:
            # An undirected edge has the same weight from either end.
            other_weight, before = self.weights.get((head, tail), (weight, line))
            if other_weight != weight:
                weights = f"has the weight {weight}, and the other way round {other_weight} in line {before}"
                remedy = "write A -> B where edges are directed, and an edge a line instead of a table"
                raise GraphFault(line, f"{quoted(f'{tail} {head}')} {weights}: {remedy}")
            self.weights.setdefault((tail, head), (weight, line))
        self.ends.extend((self.vertex(tail, line), self.vertex(head, line)))

    def graph(self, source: str) -> Graph:
        """Return the graph, its vertices in the order of their names; `GraphFault` if there is no edge, or a line may
        be a header."""
        if not self.vertices:
            raise GraphFault(0, f"there is no edge in it: write two names a line, A{self.mark}B")
        if named := sorted(self.header & self.vertices.keys()):
            raise GraphFault(0, f"{quoted(named[0])} is in the header and a vertex too: leave the header out")
        if not self.first_is_plain:
            self._check_first_line()
        numbers = all(name.isascii() and name.isdecimal() for name in self.vertices)
        names = sorted(self.vertices, key=(lambda name: (len(name), name)) if numbers else None)
        in_order = np.argsort([self.vertices[name] for name in names])
        edges = in_order[np.array(self.ends, dtype=np.int32).reshape(-1, 2)]
        return Graph.from_edges(len(names), edges, directed=self.directed, space=Named(names, source))

    def _check_first_line(self) -> None:
        """Raise `GraphFault` if the first line may be the numbers of vertices and edges, or a header."""
        names, others = list(self.vertices), set(self.ends[2:])
        tail, head = names[:2]
        if not others:
            return
        counts = head == str(len(self.ends) // 2 - 1) and all(map(str.isdecimal, names))
        if counts and max(int(names[end]) for end in others) <= int(tail):
            what = "the numbers of vertices and edges"
        elif not (tail.isdecimal() or head.isdecimal() or {0, 1} & others):
            what = "a header, for no other line has these names"
        else:
            return
        remedy = f"leave it out, or write source{self.mark}target above it where it is an edge"
        raise GraphFault(self.first_line, f"{quoted(f'{tail}{self.mark}{head}')} may be an edge, or {what}: {remedy}")


def checked_name(name: str, line: int) -> str:
    """Return the name of a vertex; `GraphFault` unless it begins with a letter, a digit or _ and ends with one of these
    or a closing mark such as ' or ). A number with a fraction is a coordinate or a weight, and not a name."""
    if _FRACTION.fullmatch(name):
        raise GraphFault(line, f"{quoted(name)} is a number with a fraction, and not the name of a vertex")
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        remedy = "use letters, digits, spaces, _ and . : ' + - * / ( ) [ ]"
        raise GraphFault(line, f"{quoted(name)} is not the name of a vertex: {remedy}")
    return name


def read_graphml(text: str, source: str) -> Graph:
    """Return the graph in a GraphML document; `GraphFault` if it can't be read."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise GraphFault(0, "a document type can't stand in a GraphML file")
    if (number := len(re.findall(r"<graph[\s>]", text))) != 1:
        raise GraphFault(0, f"it has {number} graphs: one is read")
    require(f"reading {source}", "networkx")
    import networkx

    try:
        found: Any = networkx.read_graphml(io.BytesIO(text.encode()))
    except Exception as fault:  # it does not say which errors it raises
        words = " ".join(str(fault).split())[:80]
        raise GraphFault(0, f"networkx can't read it ({words or type(fault).__name__})") from fault
    if not found.nodes:
        raise GraphFault(0, "it has no vertices")
    if loop := next(networkx.nodes_with_selfloops(found), None):
        raise GraphFault(0, f"an edge joins {quoted(str(loop))} to itself")
    graph, names = Graph.from_networkx(found), [checked_name(str(node), 0) for node in found.nodes]
    return Graph(graph.indptr, graph.indices, graph.directed, Named(names, source))
