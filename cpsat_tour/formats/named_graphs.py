"""The parts that readers of graph files share: lines and cells, checks of names and numbers, and the graph that is
built, with vertices sorted by name.

Edges named twice count once, and edges from a vertex to itself are passed over and counted. A text that lists edges one
way only, and does not say whether they are arcs, is `Unsettled`: both readings are possible. Limits: 2**24 vertices.

A `Text` gives rows of cells to all forms that have an edge, or a vertex with its neighbours, a line. ``#`` begins a
comment, at the start of a line or after a space, ``%`` one at the start of a line; the attributes that networkx writes
after an edge, in braces, and the brackets around a row are left out. Cells are separated by ``;`` or by tabs if every
row has them, by commas if there is one, else by spaces; then names can't have spaces. Points in brackets are names
without them: networkx writes ``(0, 1) (1, 1) {}`` for an edge of a grid, from ``0,1`` to ``1,1``.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from cpsat_tour.core.errors import quoted
from cpsat_tour.core.graph import FREE_VERTICES, MAX_VERTICES, Graph
from cpsat_tour.core.space import MAX_NAME, Ints, Named
from cpsat_tour.formats.files import GraphFault

_NAME = re.compile(r"\w(?:[\w .:'+*/()\[\]-]*[\w'+*)\]])?|-?\d+(?:,-?\d+)+")
_FRACTION = re.compile(r"\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]\d+")


@dataclass(frozen=True)
class Ask:
    """The options of a reader. ``source`` names the text in messages; ``directed`` is None if the text has to say it;
    ``columns`` are two columns of a table, by name or number; ``given`` is True if the user named the form; ``kind``
    says which variant of the form it is."""

    source: str
    directed: bool | None = None
    columns: tuple[str, ...] = ()
    given: bool = False
    kind: str = ""


class Unsettled(GraphFault):
    """A text is of a form but ambiguous; ``graph`` is one way to read it. ``{form}`` in the sentence stands for the
    form's name."""

    def __init__(self, graph: Graph, sentence: str) -> None:
        super().__init__(0, sentence)
        self.graph = graph


ONE_WAY = (
    "some edges stand one way only, and may be arcs or not: give --input {form}:directed or --input {form}:undirected"
)


Directed = bool | Literal["matrix"] | None
"""True if edges are arcs, False if not, None if that is not known; "matrix" if they are the entries of a matrix."""


def graph_of_pairs(names: Sequence[str] | Named, pairs: ArrayLike, ask: Ask, directed: Directed = None) -> Graph:
    """Return the graph with these names and edges, which are pairs of indices into the names. If ``directed`` is not
    known, it is undirected where every edge stands both ways. Else it is directed if a matrix has entries on both sides
    of its diagonal, and otherwise `Unsettled`."""
    arcs = directed if ask.directed is None else ask.directed
    space = names if isinstance(names, Named) else Named(names, ask.source)
    pairs = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    graph = Graph.from_edges(len(names), pairs, directed=arcs is True, space=space)
    if isinstance(arcs, bool):
        return graph
    one_way = Graph.from_edges(len(names), pairs, directed=True, space=space)
    if graph.size * 2 == one_way.size:
        return graph
    if arcs == "matrix" and {-1, 1} <= {*np.sign(pairs[:, 1] - pairs[:, 0]).tolist()}:
        return one_way
    raise Unsettled(graph, ONE_WAY)


def numbered_graph(order: int, first: int, pairs: ArrayLike, ask: Ask, directed: Directed = None) -> Graph:
    """Return the graph with these edges, pairs of numbers from 0, and vertices named by numbers from ``first``; ``ask``
    has what is said of the file."""
    return graph_of_pairs([*map(str, range(first, first + order))], pairs, ask, directed)


def entries_of(matrix: Any) -> Ints:
    """Return the row and the column of each nonzero entry of a dense or sparse matrix; `GraphFault` unless it is
    square, not empty, and of numbers from 0."""
    shape, form = matrix.shape, getattr(matrix, "format", "")
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphFault(0, f"a matrix of a graph is square, and this one has the shape {shape}")
    number_in(str(shape[0]), "the number of vertices", 1, MAX_VERTICES, 0)
    found = _by_coordinates(matrix) if form else matrix
    cells = found.data if form else found
    if cells.dtype.kind not in "biuf" or not (np.isfinite(cells) & (cells >= 0)).all():
        raise GraphFault(0, "a cell of the matrix is infinite, negative or no number: write 0 where there is no edge")
    if form in ("csr", "csc", "coo") and not cells.all():  # other forms fill up with 0
        raise GraphFault(0, "entries of a sparse matrix of a graph are not 0")
    return np.stack(found.nonzero(), axis=1).astype(np.int32)


def _by_coordinates(matrix: Any) -> Any:
    """Convert a sparse matrix of SciPy to COO format; `GraphFault` if its arrays are inconsistent. SciPy does not check
    all indices, and its compiled code writes where they point."""
    order, fit = matrix.shape[0], True
    with suppress(Exception):  # what SciPy raises where a part is not an array, it doesn't say
        if hasattr(matrix, "check_format"):
            matrix = matrix.copy()  # the check cuts unused entries off
            matrix.check_format(full_check=True)
            fit = (np.diff(matrix.indptr) >= 0).all()  # of a matrix without entries it doesn't look at these
        elif matrix.format == "lil":
            fit = [order, *map(len, matrix.rows)] == [len(matrix.rows), *map(len, matrix.data)]
        if fit:
            found = matrix.tocoo()
            places = np.stack(found.coords)
            if places.shape == (2, len(found.data)) and (places >= 0).all() and (places < order).all():
                return found
    raise GraphFault(0, "the arrays of the sparse matrix don't fit each other and its shape: make it anew")


def vertex_in(word: str, order: int, line: int, first: int = 1) -> int:
    """Return the vertex, counted from 0, that a number names; the file counts from ``first``. `GraphFault` if there is
    none."""
    return number_in(word, "a vertex", first, order - 1 + first, line) - first


def is_number(name: str) -> bool:
    """Return True if the name is a whole number from 0, of at most twelve digits."""
    return name.isascii() and name.isdecimal() and len(name) <= 12


def max_vertices(text: str) -> int:
    """Return the largest number of vertices that a text of this length may have."""
    return min(MAX_VERTICES, max(FREE_VERTICES, len(text)))


def number_in(word: str, what: str, least: int, most: int, line: int) -> int:
    """Return the word as a number; `GraphFault` unless it is a whole number from ``least`` to ``most``."""
    number = int(word) if is_number(word) else -1
    if not least <= number <= most:
        raise GraphFault(line, f"{what} can't be {quoted(word)}: it is a whole number from {least} to {most}")
    return number


def order_in(word: str, text: str, line: int = 1) -> int:
    """Return the word as a number of vertices; `GraphFault` if it is 0 or too large for the text."""
    return number_in(word, "the number of vertices", 1, max_vertices(text), line)


def are_consecutive(names: Collection[str]) -> bool:
    """Return True if the names are consecutive numbers that begin with 0 or 1."""
    return any({str(number) for number in range(first, first + len(names))} == {*names} for first in (0, 1))


@dataclass
class Listing:
    """The vertices and edges read so far. ``vertices`` has the number of each name, ``ends`` two numbers for each edge;
    ``kinds`` maps True (arc), False (edge) and None (not stated) to the first line that has such an edge. With
    ``any_names``, names may have any characters."""

    vertices: dict[str, int] = field(default_factory=dict)
    ends: array[int] = field(default_factory=lambda: array("i"))
    kinds: dict[bool | None, int] = field(default_factory=dict)
    any_names: bool = False

    def vertex(self, name: str, line: int) -> int:
        """Return the number of the vertex with this name; a new name gets the next number."""
        if (known := self.vertices.get(name)) is not None:
            return known
        if len(self.vertices) == MAX_VERTICES:
            raise GraphFault(line, f"there are more vertices than {MAX_VERTICES}, and no more are read")
        return self.vertices.setdefault(checked_name(name, line, self.any_names), len(self.vertices))

    def add(self, tail: str, head: str, line: int, arc: bool | None = None) -> None:
        """Add an edge between two names; `GraphFault` if only some edges are arcs."""
        self.kinds.setdefault(arc, line)
        if len(self.kinds) > 1:
            before = next(iter(self.kinds.values()))
            raise GraphFault(line, f"this edge and that of line {before} differ: write all as A B or all as A -> B")
        self.ends.extend((self.vertex(tail, line), self.vertex(head, line)))

    def distinct(self, start: int = 0) -> int:
        """Return the number of different edges, without loops, counted from the edge with the index ``start`` on."""
        return Graph.from_edges(len(self.vertices), np.array(self.ends).reshape(-1, 2)[start:]).size

    def graph(self, ask: Ask, directed: bool | None = None) -> Graph:
        """Return the graph that was read, its vertices sorted by name; ``directed`` holds if the edges don't say."""
        arcs = next((arc for arc in self.kinds if arc is not None), directed)
        numbers = all(map(is_number, self.vertices))
        names = sorted(self.vertices, key=(lambda name: (len(name), name)) if numbers else None)
        in_order = np.argsort([self.vertices[name] for name in names])
        return graph_of_pairs(names, in_order[np.array(self.ends, dtype=np.int32)], ask, arcs)


def checked_name(name: str, line: int, any_names: bool = False) -> str:
    """Return the name; `GraphFault` if a vertex can't have it. A name begins with a letter, a digit or _ and ends with
    one of these or a closing mark such as ' or ), or is a point such as 0,1; with ``any_names`` it is any printable
    text. A number with a fraction is a coordinate or a weight, and not a name."""
    if _FRACTION.fullmatch(name):
        raise GraphFault(line, f"{quoted(name)} is a number with a fraction, and not the name of a vertex")
    if not (name and name.isprintable() if any_names else _NAME.fullmatch(name)) or len(name) > MAX_NAME:
        raise GraphFault(
            line,
            f"{quoted(name)} is not the name of a vertex: "
            "names may have letters, digits and _; spaces and . : / ( [ - inside; ' + * ) ] inside or at the end",
        )
    return name


_COMMENT = re.compile(r"(?:^|\s)#")
_ATTRIBUTES = re.compile(r"^(\s*[^\s:{]+\s+(?:->\s+)?[^\s:{]+)\s+\{(?:['\"].*)?\}\s*$")
_BRACKETS = re.compile(r"^\s*[\[({]+([^\[\](){}]*)[\])}]+[,;.]?\s*$")
_POINT = re.compile(r"\(\s*(-?\d+(?:\s*,\s*-?\d+)+)\s*\)")
_TWO_POINTS = re.compile(f"{_POINT.pattern}[^()]*{_POINT.pattern}")
_NAMES_OF_POINTS = re.compile(r"(?:\s*(?:(?:->|--|:)\s*)?-?\d+(?:,-?\d+)+(?=[\s:-]|$))+(?:\s+[-+.\deE]+)?\s*")

DIRECTIONS = {"directed": True, "undirected": False, "asym": True, "sym": False}
"""What the first word of a comment says about the edges, in files of SNAP, of KONECT and of this program."""


@dataclass(frozen=True)
class Text:
    """The text of a graph file, split into lines and cells, and the options of its reader."""

    whole: str
    ask: Ask

    @cached_property
    def lines(self) -> list[str]:
        """The lines without comments, attributes and brackets; lines without anything else are kept, empty."""
        found, several = [], "(" in self.whole and any(map(_TWO_POINTS.search, self.whole.splitlines()))
        for raw in self.whole.split("\n"):
            line = "" if raw.startswith(("#", "%")) else raw
            if "#" in line and not {",", ";"} & {*(before := _COMMENT.split(line, maxsplit=1)[0])}:
                line = before
            if several and ")" in line:
                line = _with_points_as_names(line)
            if "{" in line:
                line = _ATTRIBUTES.sub(r"\1", line)
            found.append(_BRACKETS.sub(r"\1", line) if line.lstrip()[:1] in ("[", "(", "{") else line)
        while found and not found[-1].strip():
            found.pop()
        return found

    def body(self) -> list[tuple[int, str]]:
        """Return the numbered lines that are not comments; empty lines stay, as they may be vertices."""
        lines = zip(self.lines, self.whole.split("\n"), strict=False)
        return [(number, line) for number, (line, raw) in enumerate(lines, start=1) if raw[:1] not in ("#", "%")]

    @cached_property
    def filled(self) -> list[tuple[int, str]]:
        """The lines that are not empty, each with its number."""
        return [(number, line) for number, line in enumerate(self.lines, start=1) if line.strip()]

    @cached_property
    def mark(self) -> str | None:
        """The separator between cells; None for spaces."""
        for mark in ";\t":
            if all(mark in line for _, line in self.filled[1:] or self.filled):  # above them may be a number alone
                return mark
        return "," if any("," in line for _, line in self.filled) and not self.names_points else None

    @cached_property
    def names_points(self) -> bool:
        """True if each line names points, such as ``0,1 1,1``."""
        several = any(len(line.split()) > 1 for _, line in self.filled)
        return several and all(_NAMES_OF_POINTS.fullmatch(line) for _, line in self.filled)

    @cached_property
    def said(self) -> bool | None:
        """True or False if a comment says that the edges are directed or undirected; None if none does."""
        comments = [word.lower() for word in re.findall(r"^[#%]\s*(\w+)", self.whole[:2000], re.MULTILINE)]
        if "bip" in comments:
            raise GraphFault(1, "its two columns number two kinds of vertices, bip, each from 1: number them as one")
        return next((DIRECTIONS[word] for word in comments if word in DIRECTIONS), None)

    def cells(self, line: str, number: int) -> list[str]:
        """Split a line into cells; `GraphFault` if its quotation marks don't match."""
        mark = None if self.mark == "\t" and "\t" not in line else self.mark
        if '"' not in line:
            return [" ".join(cell.split()) for cell in line.split(mark)]
        try:
            plain = line if mark else " ".join(line.split())
            (row,) = csv.reader([plain], delimiter=mark or " ", strict=True, skipinitialspace=True)
        except (csv.Error, ValueError) as fault:
            raise GraphFault(number, f"{quoted(line)} is not a row of a CSV file") from fault
        return [" ".join(cell.split()) for cell in row]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of each line that is not empty, with the number of the line."""
        for number, line in self.filled:
            if not line.lower().startswith("sep="):
                yield number, self.cells(line, number)


def _with_points_as_names(line: str) -> str:
    """Rewrite a line of points, such as ``(0, 1) (1, 1)``, so that each point is one name: ``0,1 1,1``. Pairs that only
    commas separate may be edges between numbers, and stay as they are."""
    named, points = _POINT.subn(lambda point: f" {''.join(point[1].split())} ", line)
    inside = re.fullmatch(r"\s*[\[(](.*)[\])],?\s*", named)
    if not points or (" ," in named and not inside and ":" not in named):
        return line
    return (inside[1] if inside else named).replace(" ,", " ").replace(" :", ":")
