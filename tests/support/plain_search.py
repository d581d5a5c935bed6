"""The path search to be read: in plain Python, a depth-first search for a Hamiltonian path by Warnsdorff's rule with
all prunings and move orders.

It takes the positions of the kernel (`paths.c`) one by one, and tests hold the kernel to it. Only the path and the set
of unvisited vertices are kept up to date: exits are counted anew where they are needed, a thousand times slower.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.native import paths as state
from cpsat_tour.native.paths import DEAD_END, EXHAUSTED, FOUND, PAUSED, PathSearch


class PlainSearch:
    """A search for one path in plain Python; an unstarted `PathSearch` says what is sought and gets counters and
    path."""

    def __init__(self, s: PathSearch) -> None:
        self.s, self.settings, self.must = s, s.counters.tolist(), s.must.tolist()
        self.out, self.into = (
            [arcs[first:end] for first, end in pairwise(indptr.tolist())]
            for indptr, arcs in ((s.indptr, s.indices.tolist()), (s.in_indptr, s.in_indices.tolist()))
        )
        self.ends = set(s.may_end.nonzero()[0].tolist())
        self.path, self.unvisited = list[int](), set(range(len(s.path)))

    def run(self, most_positions: int) -> int:
        """Search until a path is found, nothing is left, or ``most_positions`` positions were entered; return a code
        for the reason."""
        path, counters, possible, before = self.path, self.s.counters, self.s.possible, self.s.before
        prune, backtrack = self.settings[state.PRUNE], self.settings[state.BACKTRACK]
        untried, tried = [[self.settings[state.ROOT]]], None
        while untried[-1] or path:
            if prune & state.REVERSAL and len(path) == 1:
                self.ends.discard(tried)  # all closed tours over the edge to it are found
            if not untried[-1]:
                counters[state.DEPTH] = len(path)
                if not backtrack:
                    return DEAD_END
                untried.pop()
                self.unvisited.add(path.pop())
                counters[state.BACKTRACKS] += 1
                continue
            if path and counters[state.POSITIONS] >= most_positions:
                return PAUSED
            vertex = untried[-1].pop(0)
            tried = vertex if len(path) == 1 else tried
            if possible.size and not possible[len(path), vertex]:
                continue
            if before.size and before[vertex] in self.unvisited:
                continue
            self.unvisited.remove(vertex)
            if self.is_refuted(vertex):
                self.unvisited.add(vertex)
                continue
            path.append(vertex)
            counters[state.POSITIONS] += 1
            leaf = backtrack and not prune and not self.exits(vertex)  # it is left at once
            if not self.unvisited and vertex in self.ends:
                self.s.tours[0] = np.array(path)
                counters[state.BACKTRACKS] += leaf
                return FOUND
            untried.append([] if leaf else self.candidates(vertex))
        return EXHAUSTED

    def exits(self, vertex: int) -> int:
        """Return the number of unvisited vertices that can be reached from this one in a move."""
        return sum(other in self.unvisited for other in self.out[vertex])

    def candidates(self, head: int) -> list[int]:
        """Return the unvisited vertices that may follow the head, in the order in which they are tried.

        Those with the fewest exits come first, which is Warnsdorff's rule; the move order breaks ties.
        """
        if self.must[head] in self.unvisited:
            return [self.must[head]]
        free, ties = [vertex for vertex in self.out[head] if vertex in self.unvisited], dict[int, int]()
        match self.settings[state.KEY]:
            case state.AS_THEY_COME:
                return free
            case state.BY_SECOND_LEVEL:  # Pohl 1967
                ties = {v: sum(self.exits(other) for other in self.out[v] if other in self.unvisited) for v in free}
            case state.AT_RANDOM:
                ties = {v: random_bits(self.s.random) for v in free}
        return sorted(free, key=lambda vertex: (self.exits(vertex), ties.get(vertex, 0)))

    def is_refuted(self, head: int) -> bool:
        """Return True if a pruning shows that no path goes on from this head to a permitted end."""
        left, prune = self.unvisited, self.settings[state.PRUNE]
        return bool(left) and bool(
            (prune & state.ENDS and not left & self.ends)
            or (prune & state.EXITS and len(left) > 1 and not all(map(self.exits, left)))
            or (prune & state.DEGREE and len(left) > 1 and self.degrees_refute(head))
            or (prune & state.CONNECTED and not self.hangs_together(head))
        )

    def degrees_refute(self, head: int) -> bool:
        """Return True if the degrees of the unvisited vertices show that no path through them all goes on from the
        head.

        That is so if a vertex has no exit, or more have a single one than can follow the head or be the end; of a
        directed graph, if more vertices than the end have no exit, or more than the one after the head no entry.
        """
        left, after = self.unvisited, set(self.out[head])
        stuck = {vertex for vertex in left if not self.exits(vertex)}
        if self.settings[state.DIRECTED]:
            unreached = {vertex for vertex in left if left.isdisjoint(self.into[vertex])}
            return bool(stuck - self.ends or unreached - after) or len(stuck) > 1 or len(unreached) > 1
        single = {vertex for vertex in left if self.exits(vertex) == 1}
        inner, far = single - self.ends, single - after
        return bool(stuck or inner & far) or len(inner) > 1 or len(far) > 1 or len(single) > 2

    def hangs_together(self, head: int) -> bool:
        """Return True if the unvisited vertices are connected, and one of them is next to the head."""
        fresh = set([*({*self.out[head], *self.into[head]} & self.unvisited)][:1])
        reached = set(fresh)
        while fresh:
            beside = {other for vertex in fresh for other in (*self.out[vertex], *self.into[vertex])}
            fresh = beside & self.unvisited - reached
            reached |= fresh
        return reached == self.unvisited


def random_bits(random: NDArray[np.uint64]) -> int:
    """Return the next 32 bits of a xorshift generator (Marsaglia 2003)."""
    bits = int(random[0])
    bits ^= bits << 13 & (1 << 64) - 1
    bits ^= bits >> 7
    bits ^= bits << 17 & (1 << 64) - 1
    random[0] = bits
    return bits >> 32
