"""Graphs from plain edge lists and CSV files, strictly: what is not plainly an edge is an error, never a vertex.

An edge list has one edge a line, ``A B`` or, directed, ``A -> B``. A weight, or the attributes that networkx writes in
braces, may follow an edge and are passed over: ``A B 2.5``, ``A B {'weight': 3}``. ``vertex A`` names a vertex that may
have no edge; ``#`` starts a comment. A CSV file has an edge a row, ``A,B`` or ``A,B,weight``, and may begin with one of
the headers in `HEADERS`; it is undirected.

Vertices are numbered in the order of their names, numbers by value. Edges named twice count once; an edge from a vertex
to itself is an error, for no tour could use it and it is most likely a slip. So is a first line that may be a header or
the numbers of vertices and edges, since taking it for an edge would change the graph, and so is an adjacency matrix, of
which three rows would be edges with weights, and an undirected edge that has another weight the other way round: it is
one of a directed graph, or a row of distances.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Named
from cpsat_tour.formats.graph_parts import MAX_VERTICES, GraphFault, checked_name, pairs, quoted

HEADERS = {
    *(("source", "target"), ("from", "to"), ("tail", "head"), ("start", "end"), ("u", "v"), ("i", "j"), ("a", "b")),
    *(("node1", "node2"), ("vertex1", "vertex2"), ("node_1", "node_2"), ("vertex_1", "vertex_2")),
}
"""The headers of CSV files, in any case of letters; each is a header only where neither word is the name of another
edge's end."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_ATTRIBUTES = re.compile(r"\{.*\}")


@dataclass
class _Edges:
    """The edges read so far, by the names of their ends; ``lines`` are the lines they stand in, ``lone`` the vertices
    that have a line."""

    vertices: dict[str, int] = field(default_factory=dict)
    ends: array[int] = field(default_factory=lambda: array("i"))
    lines: array[int] = field(default_factory=lambda: array("i"))
    lone: int = 0
    weights: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)

    def vertex(self, name: str, line: int) -> int:
        """The number of a vertex, in the order of appearance."""
        if (known := self.vertices.get(name)) is not None:
            return known
        if len(self.vertices) == MAX_VERTICES:
            raise GraphFault(line, f"there are more vertices than {MAX_VERTICES}, and no more are read")
        return self.vertices.setdefault(checked_name(name, line), len(self.vertices))

    def add(self, tail: str, head: str, line: int) -> None:
        """Add an edge."""
        if tail == head:
            raise GraphFault(line, f"an edge joins {quoted(tail)} to itself")
        self.ends.extend((self.vertex(tail, line), self.vertex(head, line)))
        self.lines.append(line)

    def weigh(self, tail: str, head: str, weight: str, line: int) -> None:
        """Note the weight of an undirected edge, which is the same from either end."""
        there, before = self.weights.get((head, tail), (weight, line))
        if there != weight:
            edge = (
                f"{quoted(f'{tail} {head}')} has the weight {weight}, and the other way round {there} in line {before}"
            )
            raise GraphFault(
                line, f"{edge}: write A -> B where edges are directed, and an edge a line instead of a table"
            )
        self.weights.setdefault((tail, head), (weight, line))

    @property
    def first(self) -> tuple[str, str]:
        """The ends of the first edge."""
        names = list(self.vertices)
        return names[self.ends[0]], names[self.ends[1]]

    def others(self) -> list[str]:
        """The ends of all edges but the first, each once."""
        names = list(self.vertices)
        return [names[vertex] for vertex in sorted(set(self.ends[2:]))]

    def first_is_apart(self) -> bool:
        """Whether there are other edges, none of them at an end of the first."""
        return len(self.lines) > 1 and not set(self.ends[:2]) & set(self.ends[2:])

    def graph(self, source: str, *, directed: bool) -> Graph:
        """The graph, its vertices in the order of their names."""
        numbers = all(name.isascii() and name.isdecimal() for name in self.vertices)
        names = sorted(self.vertices, key=(lambda name: (len(name), name)) if numbers else None)
        place = np.empty(len(names), dtype=np.int32)
        place[[self.vertices[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        return Graph.from_edges(len(names), place[pairs(self.ends)], directed=directed, space=Named(names, source))


def _refuse_a_matrix(rows: Iterable[list[str]]) -> None:
    """Three or more rows, each of as many numbers 0 and 1 as there are rows, are an adjacency matrix: as edges they
    would be a single one."""
    rows = iter(rows)
    first = next(rows, [])
    if len(first) < 3 or not set(first) <= {"0", "1"}:
        return
    others = list(rows)
    if len(others) == len(first) - 1 and all(len(row) == len(first) and set(row) <= {"0", "1"} for row in others):
        raise GraphFault(
            0, f"this looks like an adjacency matrix of {len(first)} vertices, which is not read: write an edge a line"
        )


# --- edge lists ---


def read_edge_list(text: str, source: str) -> Graph:
    """The graph in the text; `GraphFault` names the line that is wrong."""
    if text.startswith("#!"):
        raise GraphFault(1, "this is a script, and no graph")
    edges = _Edges()
    directed: tuple[int, bool] | None = None
    lines = text.split("\n")
    _refuse_a_matrix(words for line in lines if (words := _without_comment(line).split()))
    for number, line in enumerate(lines, start=1):
        words = _without_comment(line).split()
        if not words:
            continue
        if words[0] == "vertex":
            _lone_vertex(words, edges, number)
            continue
        _refuse_dot(words, number)
        tail, head, arrow = _ends(words, number)
        if len(words) == 3 and not arrow:
            edges.weigh(tail, head, words[2], number)
        directed = directed or (number, arrow)
        if directed[1] != arrow:
            this, that = ("directed", "undirected") if arrow else ("undirected", "directed")
            raise GraphFault(
                number,
                f"this edge is {this}, but that of line {directed[0]} is {that}: write all as A B or all as A -> B",
            )
        edges.add(tail, head, number)
    if not edges.vertices:
        raise GraphFault(0, "there is no edge in it: write two names a line, A B or A -> B")
    _refuse_coordinates(edges)
    _refuse_a_first_line_of_counts(edges)
    _refuse_a_first_line_of_words(edges)
    return edges.graph(source, directed=directed is not None and directed[1])


def _refuse_dot(words: list[str], line: int) -> None:
    if words[0].lower() in ("graph", "digraph", "strict") and any(word.startswith("{") for word in words):
        raise GraphFault(line, "this looks like DOT, which is not read: write an edge a line, A B or A -> B")


def _without_comment(line: str) -> str:
    """The line up to a # that begins it or follows a space."""
    return re.split(r"(?:^|\s)#", line, maxsplit=1)[0] if "#" in line else line


def _lone_vertex(words: list[str], edges: _Edges, line: int) -> None:
    if len(words) != 2:
        raise GraphFault(line, f"{quoted(' '.join(words))} does not name a vertex: write vertex and its name")
    edges.vertex(words[1], line)
    edges.lone += 1


def _ends(words: list[str], line: int) -> tuple[str, str, bool]:
    """The ends of the edge in these words, and whether it is directed."""
    arrow = len(words) > 1 and words[1] == "->"
    ends, rest = ([words[0], *words[2:3]], words[3:]) if arrow else (words[:2], words[2:])
    if len(ends) == 1 and not arrow and "->" not in words[0]:
        hint = (
            "a CSV file has the suffix .csv"
            if "," in words[0]
            else "write vertex and the name for a vertex without edges"
        )
        raise GraphFault(line, f"{quoted(words[0])} is one word, and an edge has two ends, A B; {hint}")
    if len(ends) != 2 or not _passed_over(rest) or "->" in ends[0] + ends[1] or "vertex" in ends:
        raise GraphFault(line, f"{quoted(' '.join(words))} is not an edge: write two names, A B or A -> B with spaces")
    return ends[0], ends[1], arrow


def _passed_over(rest: list[str]) -> bool:
    """Whether these words are nothing, a weight, or attributes in braces."""
    if len(rest) == 1 and _NUMBER.fullmatch(rest[0]):
        return True
    return not rest or _ATTRIBUTES.fullmatch(" ".join(rest)) is not None


def _refuse_coordinates(edges: _Edges) -> None:
    if all(map(_NUMBER.fullmatch, edges.vertices)) and (
        fraction := next((name for name in edges.vertices if "." in name), None)
    ):
        raise GraphFault(
            edges.lines[0] if edges.lines else 0, f"these are numbers such as {fraction}, and not names of vertices"
        )


def _refuse_a_first_line_of_counts(edges: _Edges) -> None:
    """A first line ``N M`` before M edges on N vertices may be their numbers, or one more edge."""
    if (
        len(edges.lines) < 2
        or edges.lone
        or edges.first[1] != str(len(edges.lines) - 1)
        or not all(map(str.isdecimal, edges.vertices))
    ):
        return
    order, size = map(int, edges.first)
    if max(map(int, edges.others())) <= order:
        counts = f"{order} {size} may be an edge, or the numbers of vertices and edges"
        raise GraphFault(
            edges.lines[0], f"{counts}: write p edge {order} {size} and e before each edge, or put another edge first"
        )


def _refuse_a_first_line_of_words(edges: _Edges) -> None:
    """A first line of two words before edges between numbers is a header."""
    if edges.first_is_apart() and not any(map(str.isdecimal, edges.first)) and all(map(str.isdecimal, edges.others())):
        raise GraphFault(
            edges.lines[0], f"{quoted(' '.join(edges.first))} looks like a header: leave it out, or put # before it"
        )


# --- CSV ---


def read_csv(text: str, source: str) -> Graph:
    """The undirected graph in the rows; `GraphFault` names the line that is wrong."""
    edges = _Edges()
    lines = text.split("\n")
    _refuse_a_matrix(line.replace(",", " ").split() for line in lines if line.strip() and not line.startswith("#"))
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = _cells(line, number)
        header = not edges.lines and len(cells) == 3 and tuple(map(str.lower, cells[:2])) in HEADERS
        if len(cells) not in (2, 3) or (len(cells) == 3 and not header and not _NUMBER.fullmatch(cells[2])):
            headers = (
                ""
                if edges.lines
                else "; a header is two columns such as source,target, perhaps with a third for weights"
            )
            raise GraphFault(
                number, f"{quoted(line)} is not an edge: write two names and perhaps a weight, A,B or A,B,2.5{headers}"
            )
        if len(cells) == 3 and not header:
            edges.weigh(cells[0], cells[1], cells[2], number)
        edges.add(cells[0], cells[1], number)
    if not edges.lines:
        raise GraphFault(0, "there is no edge in it: write two names a line, A,B")
    if edges.first_is_apart():
        if tuple(map(str.lower, edges.first)) not in HEADERS:
            words = f"{quoted(','.join(edges.first))} may be a header or an edge, for no other line has these names"
            raise GraphFault(edges.lines[0], f"{words}: begin the file with source,target")
        return _without_header(edges).graph(source, directed=False)
    return edges.graph(source, directed=False)


def _without_header(edges: _Edges) -> _Edges:
    """The edges less the first, whose ends, the vertices 0 and 1, are on no other."""
    vertices = {name: vertex - 2 for name, vertex in edges.vertices.items() if vertex >= 2}
    return _Edges(vertices, array("i", (end - 2 for end in edges.ends[2:])), edges.lines[1:])


def _cells(line: str, number: int) -> list[str]:
    try:
        (row,) = csv.reader([line], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError) as fault:
        raise GraphFault(number, f"{quoted(line)} is not a row of a CSV file") from fault
    return [cell.strip() for cell in row]
