"""The path search in plain Python: a depth-first search for a Hamiltonian path by Warnsdorff's rule, with all prunings
and move orders.

It takes the positions of the compiled kernel (`cpsat_tour.native.path_kernel`), one by one, and a test holds each to
the other. Here nothing is kept up to date but the path and the set of unvisited vertices: exits are counted anew where
they are needed, and each pruning says what it means. A thousand times slower than the kernel, it answers small problems
while there is none."""

from __future__ import annotations

from itertools import pairwise

from cpsat_tour.native import path_state as state
from cpsat_tour.native.path_kernel import DEAD_END, EXHAUSTED, FOUND, PAUSED
from cpsat_tour.native.path_state import State


class PlainSearch:
    """A search for one path, from an unstarted `State`, which says what is sought and gets the counters and the
    path."""

    def __init__(self, s: State) -> None:
        self.s, self.settings, self.order = s, s.counters.tolist(), len(s.path)
        self.out, self.into = (
            [arcs[first:end] for first, end in pairwise(indptr.tolist())]
            for indptr, arcs in ((s.indptr, s.indices.tolist()), (s.in_indptr, s.in_indices.tolist()))
        )
        self.ends = set(s.may_end.nonzero()[0].tolist())
        self.must, self.phase = s.must.tolist(), [0] * self.order
        self.path: list[int] = []
        self.unvisited = set(range(self.order))

    def run(self, most_positions: int) -> int:
        """Search until a path is found, nothing is left, or this many positions were entered; return which, as the
        kernel does."""
        prune, backtrack, counters = self.settings[state.PRUNE], self.settings[state.BACKTRACK], self.s.counters
        untried, tried = [[self.settings[state.ROOT]]], None
        while untried[-1] or self.path:
            if prune & state.REVERSAL and len(self.path) == 1:
                self.ends.discard(tried)  # all closed tours over the edge to it are found
            if not untried[-1]:
                counters[state.DEPTH] = len(self.path)
                if not backtrack:
                    return DEAD_END
                untried.pop()
                self.unvisited.add(self.path.pop())
                counters[state.BACKTRACKS] += 1
                continue
            if self.path and counters[state.POSITIONS] >= most_positions:
                return PAUSED
            vertex = untried[-1].pop(0)
            tried = vertex if len(self.path) == 1 else tried
            if self.s.possible.size and not self.s.possible[len(self.path), vertex]:
                continue
            self.path.append(vertex)
            self.unvisited.remove(vertex)
            if self.is_refuted(vertex, prune):
                self.unvisited.add(self.path.pop())
                continue
            counters[state.POSITIONS] += 1
            leaf = backtrack and not prune and not self.exits(vertex)
            if not self.unvisited and vertex in self.ends:
                self.s.tours[0] = self.path
                counters[state.BACKTRACKS] += leaf  # without prunings, a vertex without exits is left at once
                return FOUND
            untried.append([] if leaf else self.candidates(vertex))
        return EXHAUSTED

    def exits(self, vertex: int) -> int:
        """Return the number of unvisited vertices that an arc leads to."""
        return sum(other in self.unvisited for other in self.out[vertex])

    # --- which candidate is tried first ---

    def candidates(self, head: int) -> list[int]:
        """Return the vertices that may follow, in the order in which they are tried: those with the fewest exits first,
        which is Warnsdorff's rule."""
        if self.must[head] in self.unvisited:
            return [self.must[head]]
        free = [vertex for vertex in self.out[head] if vertex in self.unvisited]
        match self.settings[state.KEY]:
            case state.AS_THEY_COME:
                return free
            case state.BY_EXITS:
                return sorted(free, key=self.exits)
            case state.BY_SECOND_LEVEL:
                return sorted(free, key=lambda vertex: (self.exits(vertex), self.exits_of_exits(vertex)))
            case state.AT_RANDOM:
                return sorted(free, key=lambda vertex: (self.exits(vertex), self.random_bits()))
        before = self.phase[self.path[-2]] if len(self.path) > 1 else 0
        phase = self.phase[head] = before + (self.s.switches[before] == head)
        ranks = self.s.phase_ranks[phase][self.s.octants[self.s.indptr[head] : self.s.indptr[head + 1]]].tolist()
        rank = dict(zip(self.out[head], ranks, strict=True))
        return sorted(free, key=lambda vertex: (self.exits(vertex), rank[vertex]))

    def exits_of_exits(self, vertex: int) -> int:
        """Return the sum of the exits of a vertex's unvisited neighbours (Pohl 1967)."""
        return sum(self.exits(other) for other in self.out[vertex] if other in self.unvisited)

    def random_bits(self) -> int:
        """Return the next 32 bits of a xorshift generator (Marsaglia 2003)."""
        bits = int(self.s.random[0])
        bits ^= bits << 13 & (1 << 64) - 1
        bits ^= bits >> 7
        bits ^= bits << 17 & (1 << 64) - 1
        self.s.random[0] = bits
        return bits >> 32

    # --- why a position is hopeless ---

    def is_refuted(self, head: int, prune: int) -> bool:
        """Return True if a pruning shows that no path goes on from this head through all unvisited vertices to a
        permitted end."""
        left = self.unvisited
        if not left:
            return False
        if prune & state.ENDS and not left & self.ends:
            return True
        if len(left) > 1 and prune & (state.EXITS | state.DEGREE):
            stuck = {vertex for vertex in left if not self.exits(vertex)}
            if prune & state.EXITS and stuck:
                return True
            if prune & state.DEGREE and (
                self.cannot_be_entered(head, stuck) if self.settings[state.DIRECTED] else self.lacks_edges(head, stuck)
            ):
                return True
        return bool(prune & state.CONNECTED) and not self.hangs_together(head)

    def lacks_edges(self, head: int, stuck: set[int]) -> bool:
        """Return True if a vertex has no exit, or more have a single one than can follow the head or be the end."""
        single = {vertex for vertex in self.unvisited if self.exits(vertex) == 1}
        inner, far = single - self.ends, single - set(self.out[head])
        return bool(stuck or inner & far) or len(inner) > 1 or len(far) > 1 or len(single) > 2

    def cannot_be_entered(self, head: int, stuck: set[int]) -> bool:
        """Return True if of a directed graph more vertices than the end have no exit, or more than the one after the
        head have no entry."""
        unreached = {vertex for vertex in self.unvisited if self.unvisited.isdisjoint(self.into[vertex])}
        return bool(stuck - self.ends or unreached - set(self.out[head])) or len(stuck) > 1 or len(unreached) > 1

    def hangs_together(self, head: int) -> bool:
        """Return True if the unvisited part is connected, and the head beside it."""
        waiting = [*({*self.out[head], *self.into[head]} & self.unvisited)][:1]
        reached = set(waiting)
        while waiting:
            vertex = waiting.pop()
            more = ({*self.out[vertex], *self.into[vertex]} & self.unvisited) - reached
            reached |= more
            waiting += more
        return reached == self.unvisited
