"""Tours that are the same but for a symmetry of their space, or for the direction in which they are walked.

The symmetries are those of the space: of a board the rotations and reflections that put playable squares on playable
squares, up to eight of a square board, four of another, fewer where holes stand in the way. Two tours are of one class
if a symmetry takes one, as a path or cycle without direction (with it, on directed graphs), to the other; a class is
told by its least member, as Kraitchik (1927) and later tables count "geometrically distinct" tours.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Space
from cpsat_tour.core.tour import cycles_the_lesser_way, from_vertex, the_lesser_way
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.turns import kind_of
from cpsat_tour.spaces.wrapped import Wrapped

DIGEST_BYTES = 16


class TourClasses:
    """The classes of tours met so far.

    A class is kept as the 128-bit hash of its least member, so memory grows with the number of classes (about 100 bytes
    each), and among a trillion of them two would be taken for one with a probability below 1e-14.
    """

    def __init__(self, problem: Problem) -> None:
        self._plain = partial(plain, closed=problem.closed, directed=problem.graph.directed)
        self._symmetries = problem.graph.space.symmetries()
        self._seen: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._seen)

    def new(self, tours: Ints) -> NDArray[np.bool_]:
        """For each row whether it is the first of its class, here and in earlier calls."""
        first = np.zeros(len(tours), dtype=np.bool_)
        for row, least in enumerate(self.least(tours)):
            digest = blake2b(least.tobytes(), digest_size=DIGEST_BYTES).digest()
            if digest not in self._seen:
                self._seen.add(digest)
                first[row] = True
        return first

    def are_least(self, tours: Ints) -> NDArray[np.bool_]:
        """For each row whether it is itself the least tour of its class, as each class has one."""
        return (self._plain(tours) == self.least(tours)).all(axis=1)  # type: ignore[no-any-return]

    def least(self, tours: Ints) -> Ints:
        """For each row the lexicographically least tour of its class, closed ones read from vertex 0."""
        least = self._plain(tours)
        rows = np.arange(len(tours))
        for symmetry in self._symmetries[1:]:
            other = self._plain(symmetry[tours])
            place = (least != other).argmax(axis=1)
            least = np.where((least[rows, place] < other[rows, place])[:, None], least, other)
        return least


def plain(tours: Ints, *, closed: bool, directed: bool) -> Ints:
    """The tours without a place to start, if closed, and without a direction, if undirected."""
    if closed:
        tours = from_vertex(tours, 0)
        return tours if directed else cycles_the_lesser_way(tours)
    return tours if directed else the_lesser_way(tours)


def symmetry_groups(graph: Graph, tours: Ints, *, closed: bool) -> list[tuple[str, ...]]:
    """For each row the symmetries with a name that take the tour to itself."""
    here = plain(tours, closed=closed, directed=graph.directed)
    kept = {
        name: (plain(images[tours], closed=closed, directed=graph.directed) == here).all(axis=1)
        for name, images in graph.space.turns().items()
    }
    return [tuple(name for name, rows in kept.items() if rows[row]) for row in range(len(tours))]


def group_in_words(graph: Graph, vertices: Ints, *, closed: bool) -> str:
    """The symmetries with a name that take a tour to itself: ``mapped to itself by rot180 (Eulerian)``, or ``no
    symmetry``."""
    (group,) = symmetry_groups(graph, vertices[None, :], closed=closed)
    kinds = {name: kind_of(Symmetry(name, graph.space.turns()[name]), vertices, closed=closed) for name in group}
    told = ", ".join(name + (f" ({kind})" if kind else "") for name, kind in kinds.items())
    return f"mapped to itself by {told}" if kinds else f"no {none_of(graph.space)}"


def none_of(space: Space) -> str:
    """What a tour lacks that none of the symmetries with a name takes to itself; off plain boards another one may
    still."""
    return "symmetry" if isinstance(space, Board) and not isinstance(space, Wrapped) else "named symmetry"
