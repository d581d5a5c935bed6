"""Reads what people type or give for a space, such as ``8x8``, ``GP(17,2)``, the path of a file or a networkx graph;
and moves and symmetries as text."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, TypeAlias, runtime_checkable

from cpsat_tour.core.errors import BadInput, quoted, require, whole_number
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.files import read_text
from cpsat_tour.spaces.problem_data import KINDS, parse_space
from cpsat_tour.spaces.symmetry import NAMES, largest_symmetry, symmetry_from_pairs, symmetry_named


@runtime_checkable
class NetworkxGraph(Protocol):
    """A graph of networkx, directed or not."""

    @property
    def nodes(self) -> Any:
        """The nodes of the graph, an iterable of hashable objects."""

    def is_directed(self) -> bool:
        """Return True if the edges are arcs."""


Where: TypeAlias = Problem | Graph | Source | NetworkxGraph | str | int | Mapping[Any, Any] | Iterable[Any]
"""Anything that determines a graph: a problem; a graph, or a space such as a `Board`; a networkx graph; a text for
`graph_of`; the side of a square board; a dict of neighbours, pairs of vertices, or a matrix."""


def graph_in(where: Where) -> Graph:
    """Return the graph of anything that the functions of the API take for a space or a graph; `BadInput` if it is
    none."""
    if isinstance(where, str | int) and not isinstance(where, bool):
        return graph_of(str(where))
    if isinstance(where, Graph):
        return where
    if isinstance(where, Source | Problem):
        return where.graph
    if isinstance(where, NetworkxGraph):
        return Graph.from_networkx(where)
    from cpsat_tour.formats.graph_data import graph_of_data  # its readers take longer to load than many a solve

    return graph_of_data(where)


def graph_of(
    text: str,
    holes: Sequence[str] = (),
    leaper: str | None = None,
    form: str | None = None,
    columns: Sequence[str] = (),
) -> Graph:
    """Return the graph of a space that is typed as text, such as ``8x8`` or the path of a file.

    - ``text`` (str, needed): ``8x8``, ``8``, ``4x4x3``, ``torus:5x5``, ``GP(17,2)``, ``networkx:cubical_graph``, or the
      path of a graph file, ``-`` for standard input.
    - ``holes`` (names of squares, default ()): the squares that are left out of a board or a box.
    - ``leaper`` (str, default None): the moves on a board or in a box: ``"1,4"``, ``"king"``, ``"0,3+2,2"``; None for
      the knight's.
    - ``form`` (str, default None): the form of a graph file, as `read_graph` takes it; None if its content shows it.
    - ``columns`` (two strs, default none): the columns of a table that have vertices.
    """
    if not isinstance(text, str):
        raise BadInput(f"{quoted(text)} is not text: give one such as '8x8', or take problem_of(...).graph")
    space, made = parse_space(text, holes, leaper or None), text.startswith("networkx:")
    if (space is not None or made) and (form or columns):
        raise BadInput(f"{text:.80} is not a graph file: leave out the form, {form or ','.join(columns)}")
    if space is not None:
        return space.graph
    if text != "-" and not made and not os.path.exists(text):
        if os.path.splitext(text)[1][1:2].isalpha() or os.sep in text:
            raise BadInput(f"there is no file {text}: write the path of a graph file, or a board such as 8x8")
        examples = ", ".join(kind.example for kind in KINDS)
        if text[:1].isalpha() and ":" not in text:
            KINDS[3].space_class.parse(text)
        raise BadInput(f"{text[:80]!r} is not a board: write {examples}, or the path of a graph file")
    if holes or leaper:
        given = f"a hole {holes[0]}" if holes else f"a leaper {leaper}"
        raise BadInput(f"{text} is read as a graph, which can't have {given}: a board as text is read with --puzzle")
    if made:
        return graph_of_networkx(text)
    from cpsat_tour.formats.graph_files import read_graph  # its readers take longer to load than many a solve

    return read_graph(text, form, columns)


def graph_of_networkx(text: str) -> Graph:
    """Return the graph that a generator of networkx makes: ``networkx:circulant_graph(10,[1,2])``. Its arguments are
    literals, with numbers of at most 10,000. `BadInput` if there is no such generator, or it can't make the graph."""
    require(f"{text:.80}", "networkx")
    name, _, rest = text.removeprefix("networkx:").partition("(")
    generator: Any = getattr(import_module("networkx"), name, None)
    if not getattr(generator, "__module__", "").startswith("networkx.generators"):
        raise BadInput(f"networkx has no generator {name!r:.60}: write one such as networkx:heawood_graph")
    try:
        given = ast.literal_eval(f"[{rest.rpartition(')')[0]}]")
        largest = max(map(int, re.findall(r"\d+", repr(given))), default=0)
        whole_number(f"a number in {text:.80}", largest, 0, 10_000)
        return Graph.from_networkx(generator(*given))
    except Exception as fault:  # networkx does not say which errors it raises
        raise fault if isinstance(fault, BadInput) else BadInput(f"networkx can't make {text:.80}: {fault}") from fault


def move_of(graph: Graph, text: str) -> tuple[int, int]:
    """Return the two vertices of a move that is typed as ``a1-b3``; `BadInput` if there is no such move, or, as names
    may have hyphens themselves, several."""
    fault, pairs = BadInput(f"{text!r} is not a move: write two squares with a hyphen between, such as a1-b3"), []
    for hyphen in (place for place, letter in enumerate(text) if letter == "-"):
        try:
            pairs.append((graph.space.vertex(text[:hyphen]), graph.space.vertex(text[hyphen + 1 :])))
        except BadInput as unknown:
            fault = unknown
    moves = [pair for pair in pairs if graph.has_arc(*pair) or graph.has_arc(*pair[::-1])] or pairs
    if not moves:
        raise fault
    if len(moves) > 1:
        may_be = " or ".join(" to ".join(map(graph.name, pair)) for pair in moves)
        raise BadInput(f"{text!r} may be the move from {may_be}: give these vertices names without a hyphen")
    return moves[0]


def symmetry_of(graph: Graph, text: str, *, closed: bool) -> Symmetry:
    """Return the symmetry that is typed: a name such as ``rot180``, ``any`` for the largest that a tour can have, or
    the path of a file. A file has a line ``A B`` for each vertex A that is mapped to another one, B.

    `BadInput` if the graph has no such symmetry.
    """
    if text == "any":
        return largest_symmetry(graph, closed=closed)
    if text in NAMES or not (os.path.exists(text) or {".", os.sep} & set(text)):
        return symmetry_named(graph, text)
    pairs = []
    for number, line in enumerate(read_text(text).splitlines(), start=1):
        names = line.split()
        if len(names) == 2:
            pairs.append((graph.space.vertex(names[0]), graph.space.vertex(names[1])))
        elif names:
            raise BadInput(
                f"{text}, line {number}: {line!r:.40} is not two {graph.nouns[1]}: "
                "write one and the one that it goes to"
            )
    return symmetry_from_pairs(graph, pairs)
