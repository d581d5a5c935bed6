"""Symmetries of tours: those that people ask for by name, the ones that a tour has, and classes of tours under those of
their space.

``rot180`` asks for a tour that a half turn takes to itself, in either of two ways: ``rot180-eulerian`` is moved along
itself by half its length, ``rot180-bergholtian`` is turned over and goes through the centre twice. ``axial`` is the
mirror that leaves at most two squares where they are, as a tour could; if both mirrors of a board do, or neither, one
has to be chosen. ``any`` is one symmetry, too: those of a closed knight's tour of a whole board are the powers of one,
and an open tour has at most one, as docs/symmetry.md proves.

Two tours are of one class if a symmetry of the space takes one, as a path or cycle without direction (with it, on
directed graphs), to the other; the least member stands for the class, as Kraitchik (1927) and later tables count
"geometrically distinct" tours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry, Turning, turning_of
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Ints, Space
from cpsat_tour.core.verify import canonical_rows
from cpsat_tour.presolve.conditions import why_symmetry_fails
from cpsat_tour.spaces.board import Board, Wrapped

TWOFOLD: Mapping[str, tuple[str, Turning]] = {
    "rot180-eulerian": ("rot180", "along"),
    "rot180-bergholtian": ("rot180", "over"),
}
"""The names that also state the direction: the symmetry, and whether it moves a tour along itself or turns it over."""

MIRRORS = ("axial-rows", "axial-cols")

LARGEST_FIRST = ("rot90", *MIRRORS, "rot180", "diagonal", "antidiagonal")

NAMES = ("rot180", *TWOFOLD, "rot90", "axial", *MIRRORS, "diagonal", "antidiagonal", "any")
"""All names of symmetries; `any` stands for the one that `largest_symmetry` picks."""


def symmetry_named(graph: Graph, name: str) -> Symmetry:
    """Return the symmetry of this name; `BadInput` if the graph does not have it."""
    symmetries = graph.space.named_symmetries()
    base, way = TWOFOLD.get(name, (name, "either"))
    if base == "axial":
        base = _mirror_name(graph, symmetries)
    if base not in symmetries:
        known = ", ".join(symmetries) or "no named ones: give a file with a permutation"
        more = "; or write axial or any, which choose among these" * bool(symmetries)
        raise BadInput(f"{name!r:.80} is not a symmetry of {graph.called}, which has {known}{more}")
    return Symmetry(name, symmetries[base], way)


def largest_symmetry(graph: Graph, *, closed: bool) -> Symmetry:
    """Return the symmetry to try for ``any``: the first of the quarter turn, the mirrors, the half turn and the
    diagonals that no necessary condition excludes. `BadInput` if all are excluded."""
    named = graph.space.named_symmetries()
    for name, images in sorted(named.items(), key=lambda turn: LARGEST_FIRST.index(turn[0])):
        own_inverse = np.array_equal(images[images], np.arange(graph.order))
        with suppress(BadInput):  # a quarter turn of a cylinder keeps its squares and not its moves
            problem = Problem(graph, closed, symmetry=Symmetry(name, images))
            if (closed or own_inverse) and why_symmetry_fails(problem, graph) is None:
                return Symmetry(name, images)
    refuted = f"no named symmetry of {graph.called} can take {'a closed' if closed else 'an open'} tour to itself"
    none = refuted if named else f"{graph.called} has no named symmetries to choose from"
    raise BadInput(f"{none}: give a file with a permutation")


def _mirror_name(graph: Graph, symmetries: Mapping[str, Ints]) -> str:
    """Return the name of the only mirror that fixes at most two squares; `BadInput` if there are none or several."""
    mirrors = {name: int((symmetries[name] == range(graph.order)).sum()) for name in MIRRORS if name in symmetries}
    possible = [name for name, fixed in mirrors.items() if fixed <= 2]
    if not mirrors:
        raise BadInput(f"{graph.called} has no mirror")
    if len(possible) != 1:
        raise BadInput(f"axial is ambiguous on {graph.called}: choose one of {', '.join(mirrors)}")
    return possible[0]


def symmetry_from_pairs(graph: Graph, pairs: Iterable[tuple[int, int]]) -> Symmetry:
    """Return the symmetry that maps the first vertex of each pair to the second and fixes all others, not yet
    checked."""
    images = np.arange(graph.order, dtype=np.int32)
    for vertex, image in pairs:
        images[vertex] = image
    return Symmetry("the permutation", images)


def written_name(graph: Graph, symmetry: Symmetry) -> str | None:
    """Return the name under which `symmetry_named` finds this symmetry; None if it has none."""
    try:
        known = symmetry_named(graph, symmetry.name)
    except BadInput:
        return None
    same = known.turning == symmetry.turning and np.array_equal(known.images, symmetry.images)
    return symmetry.name if same else None


def tour_kind(symmetry: Symmetry, vertices: Ints, *, closed: bool) -> str | None:
    """Return the name of a tour's kind of symmetry, ``Eulerian``, ``Bergholtian`` or ``Sulian``; None if it has
    none."""
    found = turning_of(symmetry, vertices, closed=closed)
    if symmetry.name.startswith("rot180") and closed:
        return {"along": "Eulerian", "over": "Bergholtian"}.get(found or "")
    return "Sulian" if symmetry.name.startswith("axial") and found == "along" else None


# --- the symmetries and the class of a tour ---

DIGEST_BYTES = 16


class TourClasses:
    """The classes of equivalent tours met so far, kept as 128-bit hashes in about 100 bytes each. Among a trillion
    classes two would be confused with a probability below 1e-14."""

    def __init__(self, problem: Problem) -> None:
        self._plain = partial(canonical_rows, Problem(problem.graph, problem.closed))
        self._symmetries = problem.graph.space.symmetries()
        self._seen: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._seen)

    def are_new(self, tours: Ints) -> NDArray[np.bool_]:
        """Return a flag for each tour (a row), True if no tour of its class was met before; remember the classes."""
        first = np.zeros(len(tours), dtype=np.bool_)
        for row, least in enumerate(self.least_of_class(tours)):
            digest = blake2b(least.tobytes(), digest_size=DIGEST_BYTES).digest()
            if digest not in self._seen:
                self._seen.add(digest)
                first[row] = True
        return first

    def least_of_class(self, tours: Ints) -> Ints:
        """Return for each tour (a row) the lexicographically least tour equivalent to it; closed ones begin at vertex
        0."""
        least = self._plain(tours)
        rows = np.arange(len(tours))
        for symmetry in self._symmetries[1:]:
            image = self._plain(symmetry[tours])
            first = (least != image).argmax(axis=1)
            least = np.where((least[rows, first] < image[rows, first])[:, None], least, image)
        return least


def symmetry_groups(graph: Graph, tours: Ints, *, closed: bool) -> list[tuple[str, ...]]:
    """Return for each tour (a row) the names of the symmetries that map it to itself."""
    problem = Problem(graph, closed)
    here = canonical_rows(problem, tours)
    kept = {
        name: (canonical_rows(problem, images[tours]) == here).all(axis=1)
        for name, images in graph.space.named_symmetries().items()
    }
    return [tuple(name for name, rows in kept.items() if rows[row]) for row in range(len(tours))]


def group_in_words(graph: Graph, vertices: Ints, *, closed: bool) -> str:
    """Return the symmetries of a tour in words: ``mapped to itself by rot180 (Eulerian)``, or ``no symmetry``."""
    (group,) = symmetry_groups(graph, vertices[None, :], closed=closed)
    kinds = {
        name: tour_kind(Symmetry(name, graph.space.named_symmetries()[name]), vertices, closed=closed) for name in group
    }
    words = ", ".join(name + (f" ({kind})" if kind else "") for name, kind in kinds.items())
    return f"mapped to itself by {words}" if kinds else f"no {symmetry_noun(graph.space)}"


def symmetry_noun(space: Space) -> str:
    """Return the right noun: ``symmetry`` if all symmetries of the space have names, else ``named symmetry``."""
    return "symmetry" if isinstance(space, Board) and not isinstance(space, Wrapped) else "named symmetry"
