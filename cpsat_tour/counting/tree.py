"""Tree decompositions for the frontier method: vertices are eliminated one by one, and where parts of the graph meet,
their states are joined.

Eliminating a vertex joins its neighbours to each other; those that it has then are its *separator*, and the
*elimination tree* leads from it to that of them which goes first (Rose 1970; Liu 1990 for the tree). What lies below a
vertex touches the rest in its separator alone, so the states of the frontier method over the separators decide the
graph (Arnborg & Proskurowski 1989). A frontier that sweeps through the graph is a tree without branches. Hubs make
every sweep wide that has many parts of a graph begun at a time; a tree goes through part by part.
"""

from __future__ import annotations

import heapq
import random
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.graph import Ints
from cpsat_tour.counting.cycles import Cycles
from cpsat_tour.counting.frontier_kernel import SweepStep
from cpsat_tour.counting.narrow import STATES_A_PLACE, STATES_REACHED, narrow_order
from cpsat_tour.counting.packed_states import MOST_PLACES, Words
from cpsat_tour.counting.plan import step_at, tight_places

MOST_TRIES = 8
STATES_A_VERTEX = 100
"""Orders by least degree are tried while that takes less time than the states that are expected, which are so much
faster than a vertex."""

Separators = Mapping[int, frozenset[int]]
"""The separator of each vertex, in the order in which they go."""


def eliminated(neighbours: Sequence[Iterable[int]], order: Iterable[int]) -> Iterator[tuple[int, frozenset[int]]]:
    """The vertices in this order, each with its separator."""
    beside = [set(near) for near in neighbours]
    for vertex in order:
        yield vertex, _eliminate(vertex, beside)


def eliminated_by_degree(neighbours: Sequence[Iterable[int]], seed: int) -> Iterator[tuple[int, frozenset[int]]]:
    """The same, always a vertex of least degree next (Markowitz 1957), of equal ones one that is drawn."""
    beside = [set(near) for near in neighbours]
    chance = random.Random(seed).random
    waiting = [(len(near), chance(), vertex) for vertex, near in enumerate(beside)]
    heapq.heapify(waiting)
    gone = bytearray(len(beside))
    while waiting:
        degree, _, vertex = heapq.heappop(waiting)
        if not gone[vertex] and degree == len(beside[vertex]):
            gone[vertex] = True
            separator = _eliminate(vertex, beside)
            yield vertex, separator
            for other in separator:
                heapq.heappush(waiting, (len(beside[other]), chance(), other))


def _eliminate(vertex: int, beside: Sequence[set[int]]) -> frozenset[int]:
    """Join the neighbours of the vertex to each other instead of to it; these neighbours."""
    separator = frozenset(beside[vertex])
    for other in separator:
        beside[other] |= separator
        beside[other] -= {other, vertex}
    return separator


@dataclass(frozen=True)
class TreePlan:
    """What is done at each vertex of an elimination tree."""

    cycles: Cycles
    separators: Separators

    @cached_property
    def below(self) -> dict[int, list[int]]:
        """For each vertex those from which the tree leads to it."""
        turn = {vertex: number for number, vertex in enumerate(self.separators)}
        below: dict[int, list[int]] = {vertex: [] for vertex in self.separators}
        for vertex, separator in self.separators.items():
            if separator:
                below[min(separator, key=turn.__getitem__)].append(vertex)
        return below

    @cached_property
    def parts(self) -> dict[int, range]:
        """The vertices, each after all that lie below it; the part of each ends with its own number here and has theirs
        before it."""
        parts: dict[int, range] = {}
        for root in (vertex for vertex, separator in self.separators.items() if not separator):
            path = [(root, iter(self.below[root]), len(parts))]
            while path:
                vertex, rest, first = path[-1]
                lower = next(rest, None)
                if lower is None:
                    parts[vertex] = range(first, len(parts) + 1)
                    path.pop()
                else:
                    path.append((lower, iter(self.below[lower]), len(parts)))
        return parts

    @cached_property
    def _required(self) -> dict[int, list[int]]:
        """For each vertex the other ends of its required edges."""
        required: dict[int, list[int]] = {}
        for one, other in self.cycles.required:
            required.setdefault(one, []).append(other)
            required.setdefault(other, []).append(one)
        return required

    def places(self, frontier: Sequence[int], vertex: int) -> list[int]:
        """The frontier before the step at a vertex, then the vertices that enter it."""
        return list(dict.fromkeys([*frontier, vertex, *sorted(self._heads(vertex))]))

    def _heads(self, vertex: int) -> frozenset[int]:
        """The neighbours of a vertex to which its step chooses edges."""
        return self.separators[vertex] & self.cycles.neighbours[vertex]

    def step(self, frontier: Sequence[int], vertex: int) -> SweepStep:
        """The step at a vertex, with this frontier before it."""
        part, places = self.parts[vertex], self.places(frontier, vertex)
        pending = {place: self._pending(place, [part]) for place in places} | {vertex: 0}
        last = len(part) - 1 + len(places) == self.cycles.order
        return step_at(
            self.cycles, frontier, places, vertex, self._heads(vertex), pending, self._left_by([part]), last=last
        )

    def tight(self, places: Sequence[int], roots: Iterable[int]) -> Words:
        """The tight places where the parts of some vertices have been joined."""
        at = {place: number for number, place in enumerate(places)}
        return tight_places(self.cycles, at, self._left_by([self.parts[root] for root in roots]))

    def needy(self, places: Sequence[int], roots: Iterable[int]) -> Words:
        """The places that need a required edge more where the parts of some vertices have been joined, then those that
        need two."""
        parts = [self.parts[root] for root in roots]
        pending = [self._pending(place, parts) for place in places]
        return np.array(
            [sum(1 << at for at, edges in enumerate(pending) if edges >= least) for least in (1, 2)], dtype=np.uint64
        )

    def _pending(self, place: int, parts: Sequence[range]) -> int:
        """How many required edges a vertex has to what lies beyond these parts."""
        return sum(not any(self._number(other) in part for part in parts) for other in self._required.get(place, ()))

    def _number(self, vertex: int) -> int:
        """When the vertex goes."""
        return self.parts[vertex].stop - 1

    @cached_property
    def _sorted_neighbours(self) -> list[list[int]]:
        """When the neighbours of each vertex go, in order: hubs have too many to look at each of them at each step."""
        return [sorted(map(self._number, near)) for near in self.cycles.neighbours]

    def _left_by(self, parts: Sequence[range]) -> Callable[[int], int]:
        """How many neighbours a vertex has beyond these parts."""

        def left(vertex: int) -> int:
            near = self._sorted_neighbours[vertex]
            return len(near) - sum(bisect_left(near, part.stop) - bisect_left(near, part.start) for part in parts)

        return left


def fewest_states(
    graph: tuple[Ints, Ints], neighbours: Sequence[Iterable[int]], most: float, clock: Clock
) -> tuple[Separators | None, float]:
    """The best elimination found of a graph, as CSR arrays and as sets, and about how many states it has; None if they
    are more than ``most``.

    Sweeps are tried first, then least degrees until one is no better, as long as trying takes less time than it may
    save.
    """
    sweep, states = narrow_order(*graph, MOST_PLACES - 1, clock)
    best: Separators | None = None
    for seed in range(MOST_TRIES):
        found = None
        if (seed + 1) * len(neighbours) * STATES_A_VERTEX < states:
            found = _of_few_states(eliminated_by_degree(neighbours, seed), min(states, most), clock)
        if found is None:
            break
        best, states = found
    if best is None and states <= most:
        best = dict(eliminated(neighbours, sweep.tolist()))
    return best, states


def _of_few_states(
    order: Iterable[tuple[int, frozenset[int]]], most: float, clock: Clock
) -> tuple[Separators, float] | None:
    """The elimination, and about how many states it has, if they are fewer than ``most`` and fit."""
    separators, states = {}, 0.0
    for vertex, separator in order:
        clock.check()
        separators[vertex] = separator
        if len(separator) >= MOST_PLACES:
            return None
        states += STATES_A_PLACE ** len(separator) / STATES_REACHED
        if states >= most:
            return None
    return separators, states
