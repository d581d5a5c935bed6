"""The symmetries that people ask a tour to have, by name: half and quarter turns, mirrors; and how a tour that was
found is called.

``rot180`` asks for a tour that a half turn takes to itself, in either of two kinds: ``rot180-eulerian`` is moved along
itself by half its length, ``rot180-bergholtian`` is turned over and goes through the centre twice. ``axial`` is the
mirror that leaves at most two squares where they are, which a tour could have; where both mirrors of a board do, or
neither, one is to be chosen. ``any`` is one symmetry, too: those of a closed knight's tour of a whole board are the
powers of one, and an open tour has at most one, as docs/symmetry.md proves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

import numpy as np

from cpsat_tour.core.conditions import turned_by_its_parts
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.orbits import Symmetry, Turning, turning
from cpsat_tour.core.problem import Problem

TWOFOLD: Mapping[str, tuple[str, Turning]] = {
    "rot180-eulerian": ("rot180", "along"),
    "rot180-bergholtian": ("rot180", "over"),
}
"""The names that say how the tour is to be turned, too."""

MIRRORS = ("axial-rows", "axial-cols")

LARGEST_FIRST = ("rot90", *MIRRORS, "rot180", "diagonal", "antidiagonal")

NAMES = ("rot180", *TWOFOLD, "rot90", "axial", *MIRRORS, "diagonal", "antidiagonal", "any")
"""What people call a symmetry; `any` is the one of `largest_symmetry`."""


def symmetry_named(graph: Graph, name: str) -> Symmetry:
    """The symmetry that people call by this name; `BadInput` where the graph has none such."""
    turns = graph.space.turns()
    wanted, kind = TWOFOLD.get(name, (name, "either"))
    if wanted == "axial":
        wanted = _mirror(graph, turns)
    if wanted not in turns:
        some = ", ".join(turns) or "none with a name: give a file with a permutation"
        raise BadInput(f"{name!r:.80} is not a symmetry of {graph.called}, which has {some}")
    return Symmetry(name, turns[wanted], kind)


def largest_symmetry(graph: Graph, *, closed: bool) -> Symmetry:
    """The first of the quarter turn, the mirrors, the half turn and the diagonals that no condition refutes; `BadInput`
    where there is none."""
    for name, images in sorted(graph.space.turns().items(), key=lambda turn: LARGEST_FIRST.index(turn[0])):
        own_inverse = np.array_equal(images[images], np.arange(graph.order))
        with suppress(BadInput):  # a quarter turn of a cylinder keeps its squares and not its moves
            asked = Problem(graph, closed, symmetry=Symmetry(name, images))
            if (closed or own_inverse) and turned_by_its_parts(asked, graph) is None:
                return Symmetry(name, images)
    kind = "a closed" if closed else "an open"
    raise BadInput(
        f"no symmetry of {graph.called} that has a name can take {kind} tour to itself: give a file with a permutation"
    )


def _mirror(graph: Graph, turns: Mapping[str, Ints]) -> str:
    possible = [name for name in MIRRORS if name in turns and (turns[name] == range(graph.order)).sum() <= 2]
    if len(possible) != 1:
        there = [name for name in MIRRORS if name in turns]
        raise BadInput(
            f"axial is not one mirror of {graph.called}: choose one of {', '.join(there)}"
            if there
            else f"{graph.called} has no mirror"
        )
    return possible[0]


def permutation(graph: Graph, pairs: Iterable[tuple[int, int]]) -> Symmetry:
    """The permutation that takes the first vertex of each pair to the second, and leaves the others where they are."""
    images = np.arange(graph.order, dtype=np.int32)
    for vertex, image in pairs:
        images[vertex] = image
    return Symmetry("the permutation", images)


def written_name(graph: Graph, symmetry: Symmetry) -> str | None:
    """The name by which `symmetry_named` gives this very symmetry; None where there is none."""
    try:
        known = symmetry_named(graph, symmetry.name)
    except BadInput:
        return None
    same = known.turning == symmetry.turning and np.array_equal(known.images, symmetry.images)
    return symmetry.name if same else None


def kind_of(symmetry: Symmetry, vertices: Ints, *, closed: bool) -> str | None:
    """What people call a tour with this symmetry: ``Eulerian``, ``Bergholtian``, ``Sulian``; None where there is no
    name for it."""
    found = turning(symmetry, vertices, closed=closed)
    if symmetry.name.startswith("rot180") and closed:
        return {"along": "Eulerian", "over": "Bergholtian"}.get(found or "")
    return "Sulian" if symmetry.name.startswith("axial") and found == "along" else None
