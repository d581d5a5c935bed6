"""The plan of the frontier method: the cycles to count, the order in which vertices are taken, and how many states that
can make.

Vertices are taken in the order, among sweeps of the layout and a breadth-first numbering (Cuthill & McKee 1969), that
bounds the number of states best. The bound of a frontier counts its degrees, balanced where the graph is bipartite, and
all pairings of the ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, combinations, permutations, product
from math import comb, prod
from typing import NamedTuple

import numpy as np

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.cycles import Cycles, cycles_of, quotient_cycles
from cpsat_tour.counting.frontier_kernel import Longs, SweepStep
from cpsat_tour.counting.packed_states import MOST_PLACES, Words

FEW_STATES = 1_000_000  # no fewer than these, if the bound allows them, are expected


@dataclass(frozen=True)
class FrontierPlan:
    """An order of the vertices, and for each step the frontier that it leaves, in the order in which the vertices
    entered."""

    cycles: Cycles
    vertices: tuple[int, ...]
    begins: bool = True  # whether the required edges at an apex are chosen here; if not, they are chosen elsewhere
    clock: Clock = field(default_factory=lambda: Clock(None), compare=False)
    """What is worked out vertex by vertex ends with `StoppedEarly` when this is over."""

    @cached_property
    def position(self) -> dict[int, int]:
        """When each vertex is taken."""
        return {vertex: position for position, vertex in enumerate(self.vertices)}

    @cached_property
    def frontiers(self) -> list[list[int]]:
        """The frontier before the first vertex is taken and after each one; no more once one is too wide for a
        state."""
        frontier = list(dict.fromkeys(chain.from_iterable(self.cycles.begun))) if self.begins else []
        frontiers = [frontier]
        for vertex in self.vertices:
            self.clock.check()
            frontier = [place for place in self._places(frontier, vertex) if place != vertex]
            frontiers.append(frontier)
            if len(frontier) >= MOST_PLACES:
                break
        return frontiers

    def _places(self, frontier: Sequence[int], vertex: int) -> list[int]:
        """The frontier, then the vertices that enter it when this one is taken."""
        later = sorted(self._later(vertex), key=self.position.__getitem__)
        return list(dict.fromkeys([*frontier, vertex, *later]))

    def _later(self, vertex: int) -> set[int]:
        """The neighbours taken later, but for those to which an edge is chosen at the beginning."""
        later = {other for other in self.cycles.neighbours[vertex] if self.position[other] > self.position[vertex]}
        return later.difference(*({*edge} for edge in self.cycles.begun if vertex in edge))

    @cached_property
    def width(self) -> int:
        """The most places that a step works on; at least one more than a state has where it has more than it can
        hold."""
        return 1 + max(map(len, self.frontiers[1:]))

    @cached_property
    def bounds(self) -> list[int]:
        """For each frontier an upper bound on the number of its states."""
        colours = self.cycles.colours
        taken, bounds = 0, []
        for frontier, vertex in zip(self.frontiers, [None, *self.vertices], strict=False):
            taken += 2 * colours[vertex] if colours is not None and vertex is not None else 0
            light = sum(colours[place] > 0 for place in frontier) if colours is not None else len(frontier)
            bounds.append(most_states(light, len(frontier) - light, None if colours is None else -taken))
        return bounds

    @cached_property
    def expected(self) -> list[int]:
        """For each frontier how many states there may well be."""
        return [
            expected_states(bound, taken, len(frontier))
            for taken, (bound, frontier) in enumerate(zip(self.bounds, self.frontiers, strict=True))
        ]

    def course(
        self, taken: int, between: Iterable[int] = (), within: Iterable[int] = ()
    ) -> tuple[list[SweepStep], list[int]]:
        """The steps that take so many vertices and then choose the edges at each vertex in ``within`` to later ones in
        ``between``.

        With them comes the frontier that they reach.
        """
        pending = Counter({vertex: len(ends) for vertex, ends in self.cycles.required_at.items()})
        frontier = self.frontiers[0]
        begun = self.cycles.begun if self.begins else []
        steps = [self._step(frontier, len(frontier), tail, {head}, pending, leaves=False) for tail, head in begun]
        for frontier, vertex in zip(self.frontiers, self.vertices[:taken], strict=False):
            self.clock.check()
            places = self._places(frontier, vertex)
            steps.append(self._step(places, len(frontier), vertex, self._later(vertex), pending, leaves=True))
        frontier = self.frontiers[taken]
        for vertex in within:
            if heads := self._later(vertex).intersection(between):
                places = list(dict.fromkeys([*frontier, vertex, *sorted(heads)]))
                steps.append(self._step(places, len(frontier), vertex, heads, pending, leaves=False))
                frontier = places
        return steps, frontier

    def _step(
        self, vertices: list[int], before: int, vertex: int, heads: set[int], pending: Counter[int], *, leaves: bool
    ) -> SweepStep:
        """The step at a vertex; ``pending`` counts at each vertex the required edges that no step has chosen by its
        end."""
        chosen = self.cycles.required_at[vertex] & heads
        pending.subtract([*chosen, *[vertex] * len(chosen)])
        here = self.position[vertex]

        def left(place: int) -> int:
            return sum(self.position[other] > here for other in self.cycles.neighbours[place])

        last = leaves and here + len(vertices) == len(self.vertices)
        return step_at(self.cycles, Places(vertices, before, pending, left), vertex, heads, last=last, leaves=leaves)


class Places(NamedTuple):
    """What a step works on: the vertices of the frontier before it, then those that enter."""

    vertices: Sequence[int]
    before: int  # the number of those before the step
    pending: Mapping[int, int]  # for each vertex how many required edges no step has chosen by the end of this one
    left: Callable[[int], int]  # how many neighbours of a vertex go after this step


def step_at(
    cycles: Cycles, places: Places, vertex: int, heads: Iterable[int], *, last: bool, leaves: bool = True
) -> SweepStep:
    """The step at a vertex, which chooses edges to the heads."""
    number = {place: number for number, place in enumerate(places.vertices)}
    wanted = frozenset(number[head] for head in cycles.required_at[vertex].intersection(heads))
    choices, offsets = _choices(tuple(sorted((number[head], cycles.parities(vertex, head)) for head in heads)), wanted)
    roomy, narrow = (
        _bits(number[place] for place in places.vertices if places.pending[place] == edges) for edges in (0, 1)
    )
    return SweepStep(
        before=np.uint64(places.before),
        width=np.uint64(len(number)),
        vertex=np.uint64(number[vertex]),
        leaves=leaves,
        choices=choices,
        offsets=offsets,
        roomy=np.uint64(roomy),
        narrow=np.uint64(narrow),
        last=last,
        tight=tight_places(cycles, places, vertex) if leaves else np.empty((0, 3), dtype=np.uint64),
        parity=np.uint64(cycles.odd) << np.uint64(63),
    )


def tight_places(cycles: Cycles, places: Places, leaving: int | None = None) -> Words:
    """A row for each place with fewer than two neighbours to come outside the frontier: the place, those inside, and
    their number."""
    rows = []
    number = {place: number for number, place in enumerate(places.vertices)}
    staying = number.keys() - {leaving}
    for place in staying:
        inside = staying & cycles.neighbours[place]
        outside = places.left(place) - len(inside)
        if outside < 2:
            rows.append((number[place], _bits(number[other] for other in inside), outside))
    return np.array(sorted(rows), dtype=np.uint64).reshape(-1, 3)


@lru_cache(maxsize=1 << 12)
def _choices(heads: tuple[tuple[int, tuple[int, ...]], ...], wanted: frozenset[int]) -> tuple[Words, Longs]:
    """The choices of at most two places among the heads that have all that are wanted, and where those of each number
    begin.

    The heads come with the parities of the edges to each place: every combination of edges is a choice.
    """
    rows: list[tuple[int, int, int, int]] = []
    offsets = [0]
    parities_to = dict(heads)
    for number in range(3):
        for chosen in combinations(parities_to, number):
            if wanted <= set(chosen):
                ends = (_bits(chosen), chosen[0] if chosen else 0, chosen[-1] if chosen else 0)
                rows += [
                    (*ends, sum(parities) % 2 << 63) for parities in product(*(parities_to[head] for head in chosen))
                ]
        offsets.append(len(rows))
    return np.array(rows, dtype=np.uint64).reshape(-1, 4), np.array(offsets, dtype=np.int64)


def best_plans(problem: Problem, clock: Clock | None = None) -> list[FrontierPlan] | None:
    """The plan of each part of the cycles that stand for the tours, all of one kind but for those of a symmetry; None
    if one fits no state.

    `StoppedEarly` when the time is over; `BadInput` where a symmetry can't be counted so.
    """
    clock = clock or Clock(None)
    graph = problem.graph
    if problem.symmetry is None or problem.symmetry.is_identity:
        parts = [(cycles_of(replace(problem, symmetry=None), clock), list(range(graph.order)))]
    else:
        parts = quotient_cycles(problem, clock)
    where = graph.coordinates
    plans = []
    for cycles, vertices in parts:
        plan = _best_plan(cycles, None if where is None else where[vertices], len(vertices), clock)
        if plan is None:
            return None
        plans.append(plan)
    return plans


def _best_plan(cycles: Cycles, coordinates: Ints | None, order: int, clock: Clock) -> FrontierPlan | None:
    """The plan with the least bound on the number of states among sweeps of the layout, by columns, by rows and so on,
    and the numbering of Cuthill & McKee; an apex comes last in each. None if none fits into a state."""
    orders = [] if coordinates is None else [np.lexsort(axes).tolist() for axes in permutations(coordinates.T)]
    among = frozenset(range(order))
    orders.append(_breadth_first([near & among for near in cycles.neighbours[:order]], clock))
    apexes = range(order, cycles.order)
    plans = [FrontierPlan(cycles, (*taken, *apexes), clock=clock) for taken in orders if len(taken) == order]
    narrow = [plan for plan in plans if plan.width <= MOST_PLACES - cycles.odd]
    return min(narrow, key=lambda plan: (max(plan.bounds), sum(plan.bounds)), default=None)


def _breadth_first(neighbours: Sequence[frozenset[int]], clock: Clock) -> list[int]:
    """A connected graph breadth-first from a vertex far out, neighbours by increasing degree."""
    degrees = list(map(len, neighbours))

    def numbered(root: int) -> list[int]:
        order, seen = [root], {root}
        for vertex in order:
            clock.check()
            order += sorted(neighbours[vertex] - seen, key=lambda other: (degrees[other], other))
            seen |= neighbours[vertex]
        return order

    return numbered(numbered(min(range(len(neighbours)), key=degrees.__getitem__))[-1])


def expected_states(bound: int, taken: int, width: int) -> int:
    """How many states there are of a frontier so wide after so many vertices, of those that the bound counts.

    A rule of thumb, true within a factor of 2 or so for what it was measured on, knight's boards of 5 to 8 rows with
    more than a million states: the part of the bound that is reached grows with the sixth power of the vertices taken,
    until those are twice the frontier.
    """
    reached = min(1.0, taken / max(1, 2 * width)) ** 6
    return min(bound, max(FEW_STATES, int(bound * reached)))


@lru_cache(maxsize=1 << 12)
def most_states(light: int, dark: int, balance: int | None) -> int:
    """How many states a frontier with so many vertices of either colour can have, its degrees balanced to this sum if
    it is given."""
    most = 0
    for light_ends, dark_ends in product(range(light + 1), range(dark + 1)):
        ends, free = light_ends + dark_ends, light + dark - light_ends - dark_ends
        if ends % 2:
            continue
        done = 2**free
        if balance is not None:
            half, odd = divmod(balance - light_ends + dark_ends, 2)
            chosen = dark - dark_ends + half
            done = 0 if odd or chosen < 0 else comb(free, chosen)
        pairings = prod(range(1, ends, 2))
        most += comb(light, light_ends) * comb(dark, dark_ends) * done * pairings
    return most


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)
