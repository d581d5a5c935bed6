"""The parts that readers of graph files share: lines and cells, checks of names and numbers, and the graph that is
built, with vertices sorted by name.

Edges named twice count once, and edges from a vertex to itself are passed over and counted. A text that lists some
edges one way and others both ways, and does not say whether they are arcs, is `Unsettled`: both readings are possible.
So is a matrix with other entries than 0 and 1. Limits: 2**24 vertices.

A `Text` gives rows of cells to all forms that have an edge, or a vertex with its neighbours, a line. ``#`` begins a
comment, at the start of a line or after a space, ``%`` one at the start of a line; the attributes that networkx writes
after an edge, in braces, and the brackets around a row are left out. Cells are separated by ``;``, ``|`` or tabs if
every row has them, by commas if there is one, else by spaces; then names can't have spaces. Points in brackets are
names without them: networkx writes ``(0, 1) (1, 1) {}`` for an edge of a grid, from ``0,1`` to ``1,1``.

What planarity, showg and UCINET write above a list is taken for a comment, ``-1 -1`` or ``EOF`` below it for its end,
and ``A-B 4`` in all rows for edges with weights.
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

_FRACTION = r"(?!\d+\.\d+(?:[eE][-+]?\d+)?$|\d+[eE][-+]\d+$)"
NAME = re.compile(_FRACTION + r"(?:\w(?:[\w .:'+*/()\[\]-]*[\w'+*)\]])?|-?\d+(?:,-?\d+)+)")
IN_TABLE = re.compile(_FRACTION + ".+")
QUOTED = re.compile(".+")
"""Names in lists, in tables, and in files that mark where each name begins and ends. In lists they begin with a letter,
a digit or _ and end with one of these or a closing mark such as ' or ), or are points such as 0,1. A number with a
fraction is a coordinate or a weight."""


class Unsettled(GraphFault):
    """A text is of a form but ambiguous; ``graph`` is one way to read it. ``{form}`` in the sentence stands for the
    form's name."""

    def __init__(self, graph: Graph, sentence: str) -> None:
        super().__init__(0, sentence)
        self.graph = graph


ARCS_OR_NOT = "may be arcs or not: give --input {form}:directed or --input {form}:undirected"

Directed = bool | Literal["matrix", "pairs"] | None
"""True if edges are arcs, False if not, None if that is not known; "matrix" if they are the entries of a matrix,
"pairs" if they are listed without arrows."""

ENTRIES = (
    "its entries are not only 0 and 1: give --input {form}:nonzero if 0 stands for no edge, "
    "or --input {form}:finite if the largest entry does"
)


def graph_of_pairs(names: Sequence[object] | Named, pairs: ArrayLike, text: Text, directed: Directed = None) -> Graph:
    """Return the graph with these names and edges, which are pairs of indices into the names. If ``directed`` is not
    known, it is undirected where every edge stands both ways, or no pair does. Else it is directed if a matrix has
    entries on both sides of its diagonal, and otherwise `Unsettled`."""
    arcs = directed if text.directed is None else text.directed
    space = names if isinstance(names, Named) else Named([*map(str, names)], text.source)
    pairs = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    graph = Graph.from_edges(len(names), pairs, directed=arcs is True, space=space)
    if isinstance(arcs, bool):
        return graph
    one_way = Graph.from_edges(len(names), pairs, directed=True, space=space)
    if one_way.size == graph.size * 2 or (arcs == "pairs" and one_way.size == graph.size):
        return graph
    if arcs == "matrix" and {-1, 1} <= {*np.sign(pairs[:, 1] - pairs[:, 0]).tolist()}:
        return one_way
    raise Unsettled(graph, f"some edges stand one way only, and {ARCS_OR_NOT}")


def entries_of(matrix: Any, kind: str = "nonzero") -> Ints:
    """Return the row and the column of each entry of a dense or sparse matrix that stands for an edge: each that is not
    0, or, if the kind is ``finite``, each below the largest off the diagonal. `GraphFault` unless the matrix is square,
    not empty, and of numbers from 0, which without a kind are 0 and 1."""
    shape, form = matrix.shape, getattr(matrix, "format", "")
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphFault(0, f"a matrix of a graph is square, and this one has the shape {shape}")
    number_in(str(shape[0]), "the number of vertices", 1, MAX_VERTICES, 0)
    found: Any = _by_coordinates(matrix) if form else np.asarray(matrix)
    cells = found.data if form else found
    wrong = cells.dtype.kind not in "biuf" or not (cells >= 0).all() or (kind != "finite" and np.isinf(cells).any())
    if wrong or (form in ("csr", "csc", "coo") and not cells.all()):  # other forms fill up with 0
        raise GraphFault(
            0,
            "a cell of the matrix is infinite, negative, no number, or a 0 that a sparse matrix states: "
            "write 0 where there is no edge",
        )
    if not (kind or form or np.isin(cells, (0, 1)).all()):
        raise GraphFault(0, ENTRIES)
    if kind == "finite":
        off = ~np.eye(len(cells), dtype=bool)
        found = off & (cells < cells[off].max(initial=0))
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


def number_in(word: str, what: str, least: int, most: int, line: int) -> int:
    """Return the word as a number; `GraphFault` unless it is a whole number from ``least`` to ``most``."""
    number = int(word) if is_number(word) else -1
    if not least <= number <= most:
        raise GraphFault(line, f"{what} can't be {quoted(word)}: it is a whole number from {least} to {most}")
    return number


def order_in(word: str, text: str, line: int = 1) -> int:
    """Return the word as a number of vertices; `GraphFault` if it is 0 or too large for the text."""
    most = min(MAX_VERTICES, max(FREE_VERTICES, len(text)))
    return number_in(word, "the number of vertices", 1, most, line)


def are_consecutive(names: Collection[str]) -> bool:
    """Return True if the names are consecutive numbers that begin with 0 or 1."""
    return any({str(number) for number in range(first, first + len(names))} == {*names} for first in (0, 1))


@dataclass
class Listing:
    """The vertices and edges read so far. ``vertices`` has the number of each name, ``ends`` two numbers for each edge;
    ``kinds`` maps True (arc), False (edge) and None (not stated) to the first line that has such an edge. Names are of
    the pattern ``allowed``."""

    vertices: dict[str, int] = field(default_factory=dict)
    ends: array[int] = field(default_factory=lambda: array("i"))
    kinds: dict[bool | None, int] = field(default_factory=dict)
    allowed: re.Pattern[str] = NAME

    def vertex(self, name: str, line: int) -> int:
        """Return the number of the vertex with this name; a new name gets the next number."""
        if (known := self.vertices.get(name)) is not None:
            return known
        if len(self.vertices) == MAX_VERTICES:
            raise GraphFault(line, f"there are more vertices than {MAX_VERTICES}, and no more are read")
        return self.vertices.setdefault(checked_name(name, line, self.allowed), len(self.vertices))

    def add(self, tail: str, head: str, line: int, arc: bool | None = None) -> None:
        """Add an edge between two names; `GraphFault` if only some edges are arcs."""
        self.kinds.setdefault(arc, line)
        if len(self.kinds) > 1:
            raise GraphFault(
                line,
                f"the edges of lines {' and '.join(map(str, self.kinds.values()))} differ: "
                "write all as A B or all as A -> B",
            )
        self.ends.extend((self.vertex(tail, line), self.vertex(head, line)))

    def distinct(self, start: int = 0) -> int:
        """Return the number of different edges, without loops, counted from the edge with the index ``start`` on."""
        return Graph.from_edges(len(self.vertices), np.array(self.ends).reshape(-1, 2)[start:]).size

    def graph(self, text: Text, directed: Directed = None) -> Graph:
        """Return the graph that was read, its vertices sorted by name; ``directed`` holds if neither the edges nor the
        text say. `GraphFault` if the text announces another number of vertices."""
        announced = re.search(r"^#\s*Nodes:\s*(\d+)", text.plain[:2000], re.MULTILINE)
        if announced and int(announced[1]) != len(self.vertices) and not text.given:
            raise GraphFault(
                0,
                f"{announced[1]} vertices are announced, {len(self.vertices)} follow: "
                "give --input {form} if these are all",
            )
        said = text.said if text.said is not None else directed
        arcs = next((arc for arc in self.kinds if arc is not None), said)
        numbers = all(map(is_number, self.vertices))
        names = sorted(self.vertices, key=(lambda name: (len(name), name)) if numbers else None)
        in_order = np.argsort([self.vertices[name] for name in names])
        return graph_of_pairs(names, in_order[np.array(self.ends, dtype=np.int32)], text, arcs)


def checked_name(name: str, line: int, allowed: re.Pattern[str] = NAME) -> str:
    """Return the name; `GraphFault` if it can't be printed, is longer than `MAX_NAME`, or not of the pattern."""
    if not (allowed.fullmatch(name) and name.isprintable()) or len(name) > MAX_NAME:
        raise GraphFault(
            line,
            f"{quoted(name)} is not the name of a vertex: names may have letters, digits and _; "
            "spaces and . : / ( [ - inside; ' + * ) ] inside or at the end; a number with a fraction is a weight",
        )
    return name


_COMMENT = re.compile(r"(?:^|\s)#")
_ATTRIBUTES = re.compile(r"^(\s*[^\s:{]+\s+(?:->\s+)?[^\s:{]+)\s+\{(?:['\"].*)?\}\s*$")
_BRACKETS = re.compile(r"^\s*[\[({]+([^\[\](){}]*)[\])}]+[,;.]?\s*$")
_POINT = re.compile(r"\(\s*(-?\d+(?:\s*,\s*-?\d+)+)\s*\)")
_TWO_POINTS = re.compile(f"{_POINT.pattern}[^()]*{_POINT.pattern}")
_NAMES_OF_POINTS = re.compile(r"(?:\s*(?:(?:->|--|:)\s*)?-?\d+(?:,-?\d+)+(?=[\s:-]|$))+(?:\s+[-+.\deE]+)?\s*")

_ANNOUNCED = re.compile(
    r"[ \t]*dl\b(?:[\s,]|format *= *(?:edgelist1|fullmatrix)|n *= *(\d+)|labels embedded:?)*\ndata:[ \t]*$"
    r"|[ \t]*N[ \t]*=[ \t]*(\d+)[ \t]*$|\s*Graph \d+, order (\d+)\.$",
    re.IGNORECASE | re.MULTILINE,
)
"""The number of vertices as UCINET, planarity and showg of nauty write it above a list."""

_END = re.compile(r"\n[ \t]*(?:-1(?:[ \t]+-1)?|EOF)\Z")
DASH = re.compile(r"[ \t]*([^\s,;|>()\[\]{}–-]+)(?: [-–] |-|–)([^\s,;|>()\[\]{}–-]+)(?:[ \t,;|]+([\d.]+))?[ \t]*")
"""A row of two names with a dash between them, and perhaps a weight."""

DIRECTIONS = {"directed": True, "undirected": False, "asym": True, "sym": False}
"""What the first word of a comment says about the edges, in files of SNAP, of KONECT and of this program."""


@dataclass(frozen=True)
class Text:
    """The text of a graph file, split into lines and cells, and the options of its reader. ``source`` names it in
    messages; ``directed`` is None if the text has to say it; ``columns`` are two columns of a table, by name or number;
    ``given`` is True if the user named the form; ``kind`` says which variant of the form it is."""

    whole: str
    source: str
    directed: bool | None = None
    columns: tuple[str, ...] = ()
    given: bool = False
    kind: str = ""

    @cached_property
    def plain(self) -> str:
        """The text, with comments in place of what programs announce above a list, and without the end of a list."""
        above = _ANNOUNCED.match(self.whole)
        comment = f"# Nodes: {above[1] or above[2] or above[3]}" + "\n#" * above[0].count("\n") if above else ""
        return _END.sub("", comment + self.whole[above.end() if above else 0 :]).rstrip()

    @cached_property
    def lines(self) -> list[str]:
        """The lines without comments, attributes and brackets; lines without anything else are kept, empty."""
        found, several = [], "(" in self.whole and any(map(_TWO_POINTS.search, self.whole.splitlines()))
        for raw in self.plain.split("\n"):
            line = "" if raw.startswith(("#", "%", "sep=", "SEP=")) else raw
            if "#" in line and not {",", ";"} & {*(before := _COMMENT.split(line, maxsplit=1)[0])}:
                line = before
            if several and ")" in line:
                line = _with_points_as_names(line)
            if "{" in line:
                line = _ATTRIBUTES.sub(r"\1", line)
            found.append(_BRACKETS.sub(r"\1", line) if line.lstrip()[:1] in ("[", "(", "{") else line)
        if self.columns or not all(DASH.fullmatch(line) for line in found if line.strip()):
            return found
        tails, heads = ({DASH.sub(end, line) for line in found if line.strip()} for end in (r"\1", r"\2"))
        joined = tails & heads or self.given or " - " in self.plain
        return [DASH.sub(r"\1 -- \2 \3", line) for line in found] if joined else found

    def body(self) -> list[tuple[int, str]]:
        """Return the numbered lines that are not comments; empty lines stay, as they may be vertices."""
        lines = zip(self.lines, self.plain.split("\n"), strict=False)
        return [(number, line) for number, (line, raw) in enumerate(lines, start=1) if raw[:1] not in ("#", "%")]

    @cached_property
    def filled(self) -> list[tuple[int, str]]:
        """The lines that are not empty, each with its number."""
        return [(number, line) for number, line in enumerate(self.lines, start=1) if line.strip()]

    @cached_property
    def mark(self) -> str | None:
        """The separator between cells; None for spaces."""
        below = self.filled[1:] or self.filled  # above them may be a number alone
        comma = "," if not self.names_points and any("," in line for _, line in self.filled) else None
        return next((mark for mark in ";\t|" if all(mark in line for _, line in below)), comma)

    @cached_property
    def names_points(self) -> bool:
        """True if each line names points, such as ``0,1 1,1``."""
        several = any(len(line.split()) > 1 for _, line in self.filled)
        return several and all(_NAMES_OF_POINTS.fullmatch(line) for _, line in self.filled)

    @cached_property
    def said(self) -> bool | None:
        """True or False if a comment says that the edges are directed or undirected; None if none does."""
        comments = [word.lower() for word in re.findall(r"^[#%]\s*(\w+)", self.plain[:2000], re.MULTILINE)]
        if "bip" in comments:
            raise GraphFault(1, "its two columns number two kinds of vertices, bip, each from 1: number them as one")
        return next((DIRECTIONS[word] for word in comments if word in DIRECTIONS), None)

    def cells(self, line: str, number: int) -> list[str]:
        """Split a line into cells; `GraphFault` if its quotation marks don't match."""
        mark = None if self.mark == "\t" and "\t" not in line else self.mark
        row = line.split(mark)
        if '"' in line:
            try:
                (row,) = csv.reader(
                    [(mark or " ").join(row)], delimiter=mark or " ", strict=True, skipinitialspace=True
                )
            except (csv.Error, ValueError) as fault:
                raise GraphFault(number, f"{quoted(line)} is not a row of a CSV file") from fault
        return [" ".join(cell.split()) for cell in row]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Return the cells of each line that is not empty, with the number of the line."""
        return ((number, self.cells(line, number)) for number, line in self.filled)


def _with_points_as_names(line: str) -> str:
    """Rewrite a line of points, such as ``(0, 1) (1, 1)``, so that each point is one name: ``0,1 1,1``. Pairs that only
    commas separate may be edges between numbers, and stay as they are."""
    named, points = _POINT.subn(lambda point: f" {''.join(point[1].split())} ", line)
    inside = re.fullmatch(r"\s*[\[(](.*)[\])],?\s*", named)
    if not points or (" ," in named and not inside and ":" not in named):
        return line
    return (inside[1] if inside else named).replace(" ,", " ").replace(" :", ":")
