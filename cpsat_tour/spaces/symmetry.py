"""Tours that are the same but for a symmetry of their space, or for the direction in which they are walked.

The symmetries are those of the space: of a board the rotations and reflections that put playable squares on playable squares, up to eight of
a square board, four of another, fewer where holes stand in the way. Two tours are of one class if a symmetry takes one, as a path or cycle
without direction (with it, on directed graphs), to the other; a class is told by its least member, as Kraitchik (1927) and later tables count
"geometrically distinct" tours.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.turning import cycles_the_lesser_way, from_vertex, the_lesser_way

DIGEST_BYTES = 16


class TourClasses:
    """The classes of tours met so far.

    A class is kept as the 128-bit hash of its least member, so memory grows with the number of classes (about 100 bytes each), and among
    a trillion of them two would be taken for one with a probability below 1e-14.
    """

    def __init__(self, problem: HamiltonProblem) -> None:
        self._closed = problem.closed
        self._directed = problem.graph.directed
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
        for symmetry in self._symmetries[1:]:
            least = _lesser(least, self._plain(symmetry[tours]))
        return least

    def _plain(self, tours: Ints) -> Ints:
        """The tours without a place to start, if closed, and without a direction, if undirected."""
        if self._closed:
            tours = from_vertex(tours, 0)
            return tours if self._directed else cycles_the_lesser_way(tours)
        return tours if self._directed else the_lesser_way(tours)


def _lesser(ones: Ints, others: Ints) -> Ints:
    """The lexicographically lesser of each two rows."""
    rows = np.arange(len(ones))
    place = (ones != others).argmax(axis=1)
    return np.where((ones[rows, place] < others[rows, place])[:, None], ones, others)
