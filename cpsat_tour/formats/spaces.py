"""What people type for a space, read in one place: one of the kinds of space, such as ``8x8`` or ``GP(17,2)``, or the path of a graph file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.formats.graph_files import read_graph
from cpsat_tour.spaces.kinds import KINDS, read


def graph_of(text: str, holes: Sequence[str] = (), leaper: str | None = None) -> Graph:
    """The graph of the space that is typed: ``8x8``, ``8``, ``4x4x3``, ``GP(17,2)``, or the path of a graph file, ``-`` for standard input.

    Holes and a leaper are for boards and boxes. `BadInput` where there is no such space.
    """
    space = read(text, holes, leaper or "1,2")
    if space is not None:
        return space.graph
    if text != "-" and not _is_file(text):
        examples = ", ".join(kind.example for kind in KINDS)
        raise BadInput(f"{text[:80]!r} is not a board: write {examples}, or the path of a graph file")
    for what, given in (("a hole", [*holes]), ("a leaper", [leaper] if leaper else [])):
        if given:
            raise BadInput(f"the graph of {text} can't have {what} {given[0]}: these are for boards")
    return read_graph(text)


def _is_file(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False
