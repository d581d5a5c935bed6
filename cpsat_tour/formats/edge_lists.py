"""Graphs from plain edge lists and CSV files, strictly: what is not plainly an edge is an error, never a vertex.

An edge list has one edge a line, ``A B`` or, directed, ``A -> B``. A weight, or the attributes that networkx writes in
braces, may follow an edge and are passed over: ``A B 2.5``, ``A B {'weight': 3}``. ``vertex A`` names a vertex that may
have no edge; ``#`` starts a comment. A CSV file has an edge a row, ``A,B`` or ``A,B,weight``; it is undirected. Its
first row is a header where it can't be an edge: it has a word for a weight, or is ``source,target`` or ``from,to``.

Vertices are numbered in the order of their names, numbers by value. Edges named twice count once. What may be two
things is refused: an edge from a vertex to itself, another weight the other way round (a row of distances, or a
directed edge), and a first line that may be a header, or the numbers of vertices and edges, as well as an edge.
"""

from __future__ import annotations

import csv
import re
from array import array
from dataclasses import dataclass, field

import numpy as np

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Named
from cpsat_tour.formats.graph_parts import MAX_VERTICES, GraphFault, checked_name, pairs, quoted

HEADERS = ({"source", "target"}, {"from", "to"})
"""The words of a CSV file's first row that make it a header, in any case of letters; no vertex is called by one
then."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_ATTRIBUTES = re.compile(r"\{(?:['\"].*)?\}")
_COMMENT = re.compile(r"(?:^|\s)#")


@dataclass
class _Edges:
    """The edges read so far, by the names of their ends; ``first_line`` is the line of the first."""

    vertices: dict[str, int] = field(default_factory=dict)
    ends: array[int] = field(default_factory=lambda: array("i"))
    first_line: int = 0
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
        self.first_line = self.first_line or line

    def weigh(self, tail: str, head: str, weight: str, line: int) -> None:
        """Note the weight of an undirected edge, which is the same from either end."""
        there, before = self.weights.get((head, tail), (weight, line))
        if there != weight:
            raise GraphFault(
                line,
                f"{quoted(f'{tail} {head}')} has the weight {weight}, and the other way round {there} in line "
                f"{before}: write A -> B where edges are directed, and an edge a line instead of a table",
            )
        self.weights.setdefault((tail, head), (weight, line))

    def first_and_others(self) -> tuple[list[str], list[str]]:
        """The names of the first edge's ends, and those of all others' ends, each once; none where they meet."""
        first, others = set(self.ends[:2]), set(self.ends[2:])
        names = list(self.vertices) if others and not first & others else []
        return names and [names[end] for end in self.ends[:2]], names and [names[end] for end in sorted(others)]

    def graph(self, source: str, *, directed: bool) -> Graph:
        """The graph, its vertices in the order of their names."""
        numbers = all(name.isascii() and name.isdecimal() for name in self.vertices)
        names = sorted(self.vertices, key=(lambda name: (len(name), name)) if numbers else None)
        place = np.empty(len(names), dtype=np.int32)
        place[[self.vertices[name] for name in names]] = np.arange(len(names), dtype=np.int32)
        return Graph.from_edges(len(names), place[pairs(self.ends)], directed=directed, space=Named(names, source))


# --- edge lists ---


def read_edge_list(text: str, source: str, *, plain: bool = False) -> Graph:
    """The graph in the text; `GraphFault` names the line that is wrong.

    A first line that may be a header or counts is refused, unless somebody says that the file is ``plain``: edges
    alone.
    """
    if text.startswith("#!"):
        raise GraphFault(1, "this is a script, and no graph")
    edges, lone = _Edges(), False
    directed: tuple[int, bool] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        words = (_COMMENT.split(line, maxsplit=1)[0] if "#" in line else line).split()
        if not words:
            continue
        if words[0] == "vertex":
            _lone_vertex(words, edges, number)
            lone = True
            continue
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
    if not (plain or lone):
        _refuse_a_first_line_of_counts(edges)
        _refuse_a_first_line_of_words(edges)
    return edges.graph(source, directed=directed is not None and directed[1])


def _lone_vertex(words: list[str], edges: _Edges, line: int) -> None:
    if len(words) != 2:
        raise GraphFault(line, f"{quoted(' '.join(words))} does not name a vertex: write vertex and its name")
    edges.vertex(words[1], line)


def _ends(words: list[str], line: int) -> tuple[str, str, bool]:
    """The ends of the edge in these words, and whether it is directed."""
    arrow = len(words) > 1 and words[1] == "->"
    ends, rest = ([words[0], *words[2:3]], words[3:]) if arrow else (words[:2], words[2:])
    if len(ends) == 1 and not arrow and "->" not in words[0]:
        hint = "a CSV file has the suffix .csv" if "," in words[0] else "write vertex and the name for a lone vertex"
        raise GraphFault(line, f"{quoted(words[0])} is one word, and an edge has two ends, A B; {hint}")
    if len(ends) != 2 or not _passed_over(rest) or "->" in ends[0] + ends[1] or "vertex" in ends:
        raise GraphFault(line, f"{quoted(' '.join(words))} is not an edge: write two names, A B or A -> B with spaces")
    return ends[0], ends[1], arrow


def _passed_over(rest: list[str]) -> bool:
    """Whether these words are nothing, a weight, or attributes in braces."""
    if len(rest) == 1 and _NUMBER.fullmatch(rest[0]):
        return True
    return not rest or _ATTRIBUTES.fullmatch(" ".join(rest)) is not None


def _refuse_a_first_line_of_counts(edges: _Edges) -> None:
    """A first line ``N M`` before M edges on N vertices may be their numbers, or one more edge."""
    names = list(edges.vertices)
    if len(edges.ends) < 4 or names[edges.ends[1]] != str(len(edges.ends) // 2 - 1):
        return
    if all(map(str.isdecimal, names)) and max(int(names[end]) for end in set(edges.ends[2:])) <= int(names[0]):
        raise GraphFault(
            edges.first_line,
            f"{names[0]} {names[1]} may be an edge, or the numbers of vertices and edges: leave it out, or write "
            "edges: before the path where it is an edge",
        )


def _refuse_a_first_line_of_words(edges: _Edges) -> None:
    """A first line of two words before edges between numbers may be a header."""
    first, others = edges.first_and_others()
    if first and not any(map(str.isdecimal, first)) and all(map(str.isdecimal, others)):
        raise GraphFault(
            edges.first_line,
            f"{quoted(' '.join(first))} looks like a header: leave it out, or write edges: before the path where it "
            "is an edge",
        )


# --- CSV ---


def read_csv(text: str, source: str) -> Graph:
    """The undirected graph in the rows; `GraphFault` names the line that is wrong."""
    edges, header, first = _Edges(), set[str](), True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = _cells(line, number)
        weight = len(cells) == 3 and _NUMBER.fullmatch(cells[2])
        told = len(cells) == 3 and cells[2] and not weight
        if first and (told or {cell.lower() for cell in cells[:2]} in HEADERS):
            header, first = set(cells[:2]), False
            continue
        first = False
        if len(cells) != 2 and not weight:
            raise GraphFault(
                number, f"{quoted(line)} is not an edge: write two names and perhaps a weight, A,B or A,B,2.5"
            )
        if weight:
            edges.weigh(cells[0], cells[1], cells[2], number)
        edges.add(cells[0], cells[1], number)
    if not edges.ends:
        raise GraphFault(0, "there is no edge in it: write two names a line, A,B")
    if named := sorted(header & edges.vertices.keys()):
        raise GraphFault(0, f"{quoted(named[0])} is in the header and a vertex too: leave the header out")
    if not header and (names := edges.first_and_others()[0]):
        raise GraphFault(
            edges.first_line,
            f"{quoted(','.join(names))} may be a header or an edge, for no other line has these names: write "
            "source,target in its place, or above it where it is an edge",
        )
    return edges.graph(source, directed=False)


def _cells(line: str, number: int) -> list[str]:
    try:
        (row,) = csv.reader([line], strict=True, skipinitialspace=True)
    except (csv.Error, ValueError) as fault:
        raise GraphFault(number, f"{quoted(line)} is not a row of a CSV file") from fault
    return [cell.strip() for cell in row]
