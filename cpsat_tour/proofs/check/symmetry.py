"""How many moves of a tour a symmetry turns round, and whether any tour can have the symmetry.

A permutation other than the identity that takes a cycle to itself is a reflection or a rotation of it. A reflection
keeps exactly two places, each a vertex or an edge whose ends it exchanges, and a rotation none; of an open tour the
apex is one of the two. Where it is known which it is, because vertices are fixed or the problem says so, the number of
edges turned round is known; where there are not so many, there is no tour.

A rotation of order d moves a closed tour of n vertices along itself by t n/d moves, t coprime to d. If d is even, t is
odd; if moreover every edge joins two colours, the rotation exchanges the colours if n/d is odd and keeps them if it is
even. Where it does otherwise, there is no tour.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.orbits import places_kept
from cpsat_tour.core.problem import Problem


class TourSymmetry:
    """The symmetry of a problem, other than the identity, which maps its tours to themselves."""

    def __init__(self, problem: Problem) -> None:
        symmetry, self._graph = problem.symmetry, problem.graph
        assert symmetry is not None
        self.name, self.images = symmetry.name, symmetry.images.astype(np.int64)
        self._kind = symmetry.turning if problem.closed else "open"
        tails, heads = self._graph.edges()
        self._fixed = int(np.count_nonzero(self.images == np.arange(self._graph.order)))
        self._turned = int(np.count_nonzero((self.images[tails] == heads) & (self.images[heads] == tails)))
        self._places = {"open": 1, "over": 2, "along": 0}.get(self._kind, 2 if self._fixed else None)

    def reversed_edges(self) -> int | None:
        """Return how many edges of a tour are turned round; None if it is unknown, impossible, or no edge can be."""
        made = None if self._places is None else self._places - self._fixed
        return made if made is not None and self._turned and 0 <= made <= self._turned else None

    def contradiction(self) -> str | None:
        """Return why no tour can have the symmetry; None if one may."""
        places = self._places
        if places is not None and not self._fixed <= places <= self._fixed + self._turned:
            return places_kept(self.name, self._fixed, self._turned, self._kind, self._graph.nouns[1])
        rotates = self._kind == "along" or (self._kind == "either" and self._fixed == 0 and self._turned < 2)
        return self._contradiction_of_colours() if rotates and self._graph.order else None

    def _contradiction_of_colours(self) -> str | None:
        """Return why the colours forbid that the symmetry moves a tour along itself; None if they don't."""
        colours, (tails, heads) = self._graph.colours, self._graph.edges()
        if colours is None or (colours[tails] == colours[heads]).any():
            return None
        times, vertex = 1, int(self.images[0])
        while vertex:
            times, vertex = times + 1, int(self.images[vertex])
        moves, rest = divmod(self._graph.order, times)
        changed = bool(colours[0] != colours[self.images[0]])
        if rest or times % 2 or changed == (moves % 2 == 1):
            return None
        far = f"{moves} moves" if times == 2 else f"an odd multiple of {moves} moves"
        does = f"{self.name} {'exchanges' if changed else 'keeps'} the two colours of the {self._graph.nouns[1]}"
        return f"{does}, and moves a closed tour along itself by {far}, an {'even' if changed else 'odd'} number"
