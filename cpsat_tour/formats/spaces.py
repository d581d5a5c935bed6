"""What people type for a space, read in one place: one of the kinds of space, such as ``8x8`` or ``GP(17,2)``, or the
path of a graph file."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.formats.files import read_text
from cpsat_tour.spaces.kinds import KINDS, read
from cpsat_tour.spaces.turns import NAMES, largest_symmetry, permutation, symmetry_named


def graph_of(text: str, holes: Sequence[str] = (), leaper: str | None = None) -> Graph:
    """The graph of the space that is typed: ``8x8``, ``8``, ``4x4x3``, ``GP(17,2)``, or the path of a graph file, ``-``
    for standard input.

    Holes and a leaper are for boards and boxes. `BadInput` where there is no such space.
    """
    space = read(text, holes, leaper or "1,2")
    if space is not None:
        return space.graph
    if text != "-" and not os.path.exists(text):
        examples = ", ".join(kind.example for kind in KINDS)
        raise BadInput(f"{text[:80]!r} is not a board: write {examples}, or the path of a graph file")
    for what, given in (("a hole", [*holes]), ("a leaper", [leaper] if leaper else [])):
        if given:
            raise BadInput(f"the graph of {text} can't have {what} {given[0]}: these are for boards")
    return graph_in_file(text)


def graph_in_file(path: str) -> Graph:
    """The graph of a file, as `cpsat_tour.formats.graph_files.read_graph` reads it; its readers take longer to load
    than many a solve."""
    from cpsat_tour.formats.graph_files import read_graph

    return read_graph(path)


def symmetry_of(graph: Graph, text: str, *, closed: bool) -> Symmetry:
    """The symmetry that is typed: a name such as ``rot180``, ``any`` for the largest that a tour can have, or the path
    of a file.

    The file has a line ``A B`` for each vertex A that goes to another one, B. `BadInput` where the graph has no such
    symmetry.
    """
    if text == "any":
        return largest_symmetry(graph, closed=closed)
    if text in NAMES or not os.path.exists(text):
        return symmetry_named(graph, text)
    pairs = []
    for number, line in enumerate(read_text(text).splitlines(), start=1):
        names = line.split()
        if names and len(names) != 2:
            raise BadInput(
                f"{text}, line {number}: {line!r:.40} is not two {graph.nouns[1]}: write one and the one that "
                "it goes to"
            )
        if names:
            pairs.append((graph.space.vertex(names[0]), graph.space.vertex(names[1])))
    return permutation(graph, pairs)
