"""Forced edges: three rules, run until nothing follows, that take edges every Hamiltonian cycle uses and drop others.

Where two edges are left at a vertex, both are taken; where two are taken, the others are dropped; an edge that joins
the two ends of a path of taken edges is dropped, unless that path visits every vertex (Selby 1970, Martello 1983). The
mates of path ends are those of Knuth's SSHAM (The Art of Computer Programming, fascicle 8a, 2024). The time is linear
in the edges, but for the search for an edge between two path ends. Parallel edges are allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cpsat_tour.core.run import ITEMS_PER_BEAT, Heartbeat, no_heartbeat

UNDECIDED, TAKEN, DROPPED = range(3)


class Contradiction(Exception):
    """There is no Hamiltonian cycle; the message says where that shows."""


class ForcedEdges:
    """The edges of a graph, each undecided, taken or dropped.

    ``edges_at[v]`` has the edges at ``v`` that are not dropped, each with its other end. ``taken[v]`` counts those
    taken. ``mate[v]`` is the other end of the path of taken edges that ends at ``v``, or ``v`` if none is taken there;
    inside a path it is meaningless. ``path_edges`` counts all taken edges; if ``complete``, they are a Hamiltonian
    cycle.
    """

    def __init__(
        self, order: int, ends: list[tuple[int, int]], name: Callable[[int], str], heartbeat: Heartbeat = no_heartbeat
    ) -> None:
        self.order = order
        self.ends = ends
        self.state = bytearray(len(ends))
        self.edges_at: list[dict[int, int]] = [{} for _ in range(order)]
        for edge, (tail, head) in enumerate(ends):
            self.edges_at[tail][edge] = head
            self.edges_at[head][edge] = tail
        self.taken = [0] * order
        self.mate = list(range(order))
        self.path_edges = 0
        self.complete = False
        self._name, self._heartbeat = name, heartbeat
        self._waiting: list[int] = []

    def propagate(self, edges: Iterable[int] = ()) -> None:
        """Take these edges and all that follows from them; `Contradiction` if there is no cycle then."""
        self._waiting += reversed([*edges])
        while self._waiting:
            self._take(self._waiting.pop())

    def force_small_degrees(self) -> None:
        """Take both edges at each vertex that has only two, and all that follows; `Contradiction` if one has fewer."""
        for vertex in [vertex for vertex, edges in enumerate(self.edges_at) if len(edges) <= 2]:
            self._queue_last_two(vertex)
            self.propagate()

    def _take(self, edge: int) -> None:
        """Take the edge and drop those it excludes; `Contradiction` if no cycle can have it with those taken before."""
        if self.state[edge] == TAKEN:
            return
        tail, head = self.ends[edge]
        if self.state[edge] == DROPPED or self.complete:
            raise Contradiction(
                f"{self._name(tail)}-{self._name(head)} has to be used, and other moves that have to be leave "
                "no room for it"
            )
        self.state[edge] = TAKEN
        self.path_edges += 1
        if self.path_edges % ITEMS_PER_BEAT == 0:
            self._heartbeat()
        closes = self.mate[tail] == head and self.taken[tail] == self.taken[head] == 1
        for end in (tail, head):
            self.taken[end] += 1
            if self.taken[end] > 2:
                raise Contradiction(f"three moves have to be used at {self._name(end)}")
        if closes and self.path_edges < self.order:
            raise Contradiction(
                f"moves that have to be used close a cycle through {self._name(tail)} and {self._name(head)} too early"
            )
        if closes:
            self.complete = True
            return
        first, last = self.mate[tail], self.mate[head]
        self.mate[first], self.mate[last] = last, first
        for end in (tail, head):
            if self.taken[end] == 2:
                self._drop([left for left in self.edges_at[end] if self.state[left] == UNDECIDED])
        near, far = (first, last) if len(self.edges_at[first]) <= len(self.edges_at[last]) else (last, first)
        closing = [edge for edge, end in self.edges_at[near].items() if end == far and self.state[edge] == UNDECIDED]
        if self.path_edges == self.order - 1:
            self._waiting += closing[:1]
        else:
            self._drop(closing)

    def _drop(self, edges: list[int]) -> None:
        """Drop these edges; `Contradiction` if a vertex is left with fewer than two."""
        for edge in edges:
            self.state[edge] = DROPPED
            for end in self.ends[edge]:
                del self.edges_at[end][edge]
        for edge in edges:
            for end in self.ends[edge]:
                self._queue_last_two(end)

    def _queue_last_two(self, vertex: int) -> None:
        """Line up both edges at the vertex to be taken if only two are left; `Contradiction` if fewer are."""
        if len(self.edges_at[vertex]) < 2:
            used = [
                f"{self._name(near)}-{self._name(far)}"
                for near in sorted({sum(ends) - vertex for ends in self.ends if vertex in ends})
                if self.taken[near] == 2
                for edge, far in self.edges_at[near].items()
                if self.state[edge] == TAKEN
            ]
            raise Contradiction(
                f"{self._name(vertex)} is left with fewer than two moves that a tour can use"
                + f", since {' and '.join(used[:4])} have to be used" * bool(used)
            )
        if len(self.edges_at[vertex]) == 2 and self.taken[vertex] < 2:
            self._waiting += self.edges_at[vertex]
