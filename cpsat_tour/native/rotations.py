"""The last vertices of a long path, by rotations (Pósa 1976): what a depth-first search can't mend, for it is far from
its end.

On a large board Warnsdorff's rule passes by a few vertices, mostly near the root, and this shows only when all others
are visited: the moves to blame are millions of positions back. A rotation mends a path at its end: where that has an
edge to ``p[i]``, the path may go from ``p[i]`` to it and on backwards, and ends at ``p[i+1]`` then. Rotations at
random, and an extension wherever the end is beside an unvisited vertex, go on until none is unvisited and the path may
end where it does.

Only a *window* is touched, the vertices within a few moves of the unvisited ones, of the root and of the end. What the
path does outside stays whole, in pieces, so that a rotation costs as much as the window has vertices, however long the
path is. Nothing is proved where this fails: the search goes on. For undirected graphs without required moves.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.native.state import DEPTH, DIRECTED, Naturals, State

REACHES = (4, 8, 16)
"""How many moves the window reaches from its centres, one attempt after the other."""
MAX_UNVISITED = 1000
MAX_ROTATIONS = 20_000
"""In one attempt."""


def can_be_rotated(state: State) -> bool:
    """Whether paths of this search stay paths of the problem when parts of them are turned round."""
    return not state.counters[DIRECTED] and bool((state.must == state.path.size).all())


def tour_by_rotations(state: State, seed: int, check_time: Callable[[], None]) -> tuple[Naturals | None, int]:
    """A full path from the root to a permitted end, mended from the path of a search, or None; and how many rotations
    that took.

    ``check_time`` is called every now and then, and may raise. The state stays as it is.
    """
    rotations = 0
    if np.count_nonzero(state.visited == 0) <= MAX_UNVISITED:
        for reach in REACHES:
            window = Window(state, reach)
            chance = random.Random(seed)
            for _ in range(MAX_ROTATIONS):
                window.extend()
                if not window.unvisited and state.may_end[window.end]:
                    return window.whole_path(), rotations
                if not window.rotate(chance):
                    break
                rotations += 1
                check_time()
    return None, rotations


class Window:
    """The part of a path near what is unvisited.

    ``vertices`` are the path's vertices within the window in their order, the root first and the end last.
    ``pieces[i]`` has the vertices that the path passes through outside between ``vertices[i]`` and ``vertices[i + 1]``,
    or None where those are a move apart. ``unvisited`` are the vertices that are still to be visited; all of them are
    in the window.
    """

    def __init__(self, state: State, reach: int) -> None:
        path = state.path[: state.counters[DEPTH]]
        self.unvisited = set(np.flatnonzero(state.visited == 0).tolist())
        self._moves = _moves_within(state, {*self.unvisited, int(path[0]), int(path[-1])}, reach)
        inside = np.zeros(state.path.size, dtype=np.bool_)
        inside[list(self._moves)] = True
        places = np.flatnonzero(inside[path])
        self.vertices: list[int] = path[places].tolist()
        self.pieces: list[Naturals | None] = [
            path[here + 1 : there] if there - here > 1 else None
            for here, there in zip(places[:-1].tolist(), places[1:].tolist(), strict=True)
        ]
        self._place = {vertex: place for place, vertex in enumerate(self.vertices)}

    @property
    def end(self) -> int:
        """The last vertex of the path."""
        return self.vertices[-1]

    def extend(self) -> None:
        """Go on from the end as long as there are unvisited vertices beside it, to one with the fewest exits."""
        while fresh := [vertex for vertex in self._moves[self.end] if vertex in self.unvisited]:
            vertex = min(fresh, key=lambda vertex: sum(onward in self.unvisited for onward in self._moves[vertex]))
            self.unvisited.remove(vertex)
            self._place[vertex] = len(self.vertices)
            self.vertices.append(vertex)
            self.pieces.append(None)

    def rotate(self, chance: random.Random) -> bool:
        """Turn round what comes after a vertex beside the end, chosen at random; False where no move after such a
        vertex can be given up."""
        last = len(self.vertices) - 1
        beside = [self._place[vertex] for vertex in self._moves[self.end] if vertex not in self.unvisited]
        open_to_change = [place for place in beside if place < last - 1 and self.pieces[place] is None]
        if not open_to_change:
            return False
        after = chance.choice(open_to_change) + 1
        self.vertices[after:] = self.vertices[: after - 1 : -1]
        turned = self.pieces[: after - 1 : -1]
        self.pieces[after:] = [None if piece is None else piece[::-1] for piece in turned]
        for place in range(after, len(self.vertices)):
            self._place[self.vertices[place]] = place
        return True

    def whole_path(self) -> Naturals:
        """The path, with its pieces outside the window."""
        parts: list[Ints | Naturals] = []
        for vertex, piece in zip(self.vertices, [*self.pieces, None], strict=True):
            parts.append(np.array([vertex], dtype=np.uint32))
            if piece is not None:
                parts.append(piece)
        return np.concatenate(parts).astype(np.uint32)


def _moves_within(state: State, centres: set[int], reach: int) -> dict[int, list[int]]:
    """The vertices within so many moves of the centres, each with those of its neighbours that are among them."""
    moves: dict[int, list[int]] = {}
    ring = sorted(centres)
    for _ in range(reach + 1):
        moves |= {vertex: state.indices[state.indptr[vertex] : state.indptr[vertex + 1]].tolist() for vertex in ring}
        ring = sorted({other for vertex in ring for other in moves[vertex]}.difference(moves))
    return {vertex: [other for other in onward if other in moves] for vertex, onward in moves.items()}
