"""Reads spaces and problems as people state them.

A space is typed as ``8x8``, ``GP(17,2)`` or the like, or as the path of a graph file; in Python a problem is a space
and keywords.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict, Unpack

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem, pairs
from cpsat_tour.core.space import VertexLike
from cpsat_tour.formats.files import read_text
from cpsat_tour.spaces.kinds import KINDS, read
from cpsat_tour.spaces.symmetry import NAMES, largest_symmetry, permutation, symmetry_named

Where: TypeAlias = Problem | Graph | Source | str | int
"""A problem; a graph, or a space that has one, such as a `Board`; a text that `graph_of` reads; or the side of a square
board."""


class ProblemParts(TypedDict, total=False):
    """The parts of a problem besides its space, as keywords of `solve`, `tours`, `count`, `best`, `prove` and `check`.

    An open tour is sought unless it is to be ``closed``. ``start`` and ``end`` are where it begins and ends; of a
    closed tour the end is a neighbour of the start. ``require`` are the moves that it has to make, ``forbid`` those
    that it must not make. ``symmetry`` maps the tour to itself, as `symmetry_of` reads it: ``rot180``. ``givens`` are
    the numbers of some visits, counted from 1: ``{"e4": 17}``. Squares may be given in any notation of `Board.square`,
    the vertices of a graph as ints or by name.
    """

    closed: bool
    start: VertexLike | None
    end: VertexLike | None
    require: Iterable[tuple[VertexLike, VertexLike]]
    forbid: Iterable[tuple[VertexLike, VertexLike]]
    symmetry: str | None
    givens: Mapping[Any, int] | Iterable[tuple[VertexLike, int]]


def problem_of(where: Where, **parts: Unpack[ProblemParts]) -> Problem:
    """Return the problem on this space with these parts; a `Problem` as it is, which takes no parts. `BadInput` if a
    part can't be one of the space."""
    known = ProblemParts.__annotations__
    if unknown := [part for part in parts if part not in known]:
        raise TypeError(f"{unknown[0]!r} is not a part of a problem: choose among {', '.join(known)}")
    if isinstance(where, Problem):
        if parts:
            raise BadInput(f"a Problem has its parts already: leave out {', '.join(parts)}")
        return where
    if isinstance(where, str | int) and not isinstance(where, bool):
        graph = graph_of(str(where))
    elif isinstance(where, Graph | Source):
        graph = where.graph if isinstance(where, Source) else where
    else:
        raise BadInput(f"can't solve {where!r:.80}: give a Board or a Graph, such as Board(8, 8)")
    vertex = graph.space.vertex
    closed, symmetry = parts.get("closed", False), parts.get("symmetry")
    start, end = parts.get("start"), parts.get("end")
    if not isinstance(symmetry, str | None):
        raise BadInput(f"the symmetry can't be {symmetry!r:.80}: give its name, such as 'rot180'")
    return Problem(
        graph,
        closed,
        None if start is None else vertex(start),
        None if end is None else vertex(end),
        tuple((vertex(tail), vertex(head)) for tail, head in pairs("require", parts.get("require", ()))),
        tuple((vertex(tail), vertex(head)) for tail, head in pairs("forbid", parts.get("forbid", ()))),
        None if symmetry is None else symmetry_of(graph, symmetry, closed=closed),
        tuple((vertex(which), number) for which, number in pairs("givens", parts.get("givens", ()))),
    )


def graph_of(text: str, holes: Sequence[str] = (), leaper: str | None = None) -> Graph:
    """Return the graph of a space that is typed: ``8x8``, ``8``, ``4x4x3``, ``GP(17,2)``, or the path of a graph file,
    ``-`` for standard input.

    Holes and a leaper are for boards and boxes. `BadInput` if there is no such space.
    """
    space = read(text, holes, leaper or "1,2")
    if space is not None:
        return space.graph
    if text != "-" and not os.path.exists(text):
        if os.path.splitext(text)[1][1:2].isalpha():
            raise BadInput(f"there is no file {text}: write the path of a graph file, or a board such as 8x8")
        examples = ", ".join(kind.example for kind in KINDS)
        raise BadInput(f"{text[:80]!r} is not a board: write {examples}, or the path of a graph file")
    if holes or leaper:
        given = f"a hole {holes[0]}" if holes else f"a leaper {leaper}"
        raise BadInput(f"the graph of {text} can't have {given}: these are for boards")
    from cpsat_tour.formats.graph_files import read_graph  # its readers take longer to load than many a solve

    return read_graph(text)


def symmetry_of(graph: Graph, text: str, *, closed: bool) -> Symmetry:
    """Return the symmetry that is typed: a name such as ``rot180``, ``any`` for the largest that a tour can have, or
    the path of a file with a line ``A B`` for each vertex A that goes to another one, B.

    `BadInput` if the graph has no such symmetry.
    """
    if text == "any":
        return largest_symmetry(graph, closed=closed)
    if text in NAMES or not (os.path.exists(text) or {".", os.sep} & set(text)):
        return symmetry_named(graph, text)
    pairs = []
    for number, line in enumerate(read_text(text).splitlines(), start=1):
        names = line.split()
        if names and len(names) != 2:
            remedy = "write one and the one that it goes to"
            raise BadInput(f"{text}, line {number}: {line!r:.40} is not two {graph.nouns[1]}: {remedy}")
        if names:
            pairs.append((graph.space.vertex(names[0]), graph.space.vertex(names[1])))
    return permutation(graph, pairs)
