"""The plan of the frontier method: the cycles to count, the order in which vertices are taken, and how many states that
can make.

An open tour is a cycle through an apex that is joined to its permitted ends (`cpsat_tour.core.reduction`). On a
bipartite graph with as many vertices of one colour as of the other the two ends differ in colour; the apex then becomes
two, joined by a required edge, each of them joined to the ends of one colour. So the graph stays bipartite, and a state
has balanced degrees by itself. The required edges of an apex are chosen before all others: a cycle that would close too
early is seen at once.

Vertices are taken in the order, among sweeps of the layout and a breadth-first numbering (Cuthill & McKee 1969), that
bounds the number of states best. The bound of a frontier counts its degrees, none above the number of neighbours taken
and balanced where the graph is bipartite, and all pairings of the ends. Where the sweep is that of a line over a plane
drawing, as on a grid, paths don't cross, and there are as many pairings as there are ways to nest pairs of parentheses
(Jacobsen 2007 counts the cycles of grids so).
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, combinations, permutations, product
from math import comb, prod
from typing import Annotated, NamedTuple

import numpy as np

from cpsat_tour.core.graph import Edge, Graph
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.limits import Clock
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.space import Ints, Longs
from cpsat_tour.frontier.states import MOST_PLACES, Words

FEW_STATES = 1_000_000  # no fewer than these, if the bound allows them, are expected
CHECK_EVERY = 1 << 12


@dataclass(frozen=True)
class SweptGraph:
    """The graph whose Hamiltonian cycles through all required edges are counted or sought.

    Where several edges may join two vertices, ``parallel`` has the parity of each by their ends, the lesser first. If
    ``odd``, only the cycles whose parities add up to an odd number count, and states keep the parity.
    """

    neighbours: Sequence[set[int]]
    required: Mapping[int, set[int]]  # for each vertex the other ends of its required edges
    begun: Sequence[Edge] = ()  # the required edges of an apex, which are chosen first
    colours: Sequence[int] = ()  # 1 and -1 for the two colours of a connected bipartite graph
    parallel: Mapping[Edge, tuple[int, ...]] = field(default_factory=dict)
    odd: bool = False
    optional: Collection[int] = ()  # the vertices that a cycle may leave out


def swept_graph_of(cycle: CycleProblem, clock: Clock) -> SweptGraph:
    """Return the graph to be swept for the cycles of an undirected cycle problem. `StoppedEarly` when the time is
    over."""
    neighbours: list[set[int]] = [set() for _ in range(cycle.order)]
    required: Mapping[int, set[int]] = defaultdict(set)
    edges = zip(cycle.tails.tolist(), cycle.heads.tolist(), cycle.required.tolist(), strict=True)
    for number, (tail, head, wanted) in enumerate(edges):
        if number % CHECK_EVERY == 0:
            clock.check()
        neighbours[tail].add(head)
        neighbours[head].add(tail)
        if wanted:
            required[tail].add(head)
            required[head].add(tail)
    return SweptGraph(neighbours, required)


def swept_graph_for_tours(problem: Problem, clock: Clock) -> SweptGraph:
    """Return a graph whose cycles stand for the tours of an undirected problem, one for one. `StoppedEarly` when the
    time is over."""
    cycle = to_cycle(problem)
    tails, heads, required = cycle.tails, cycle.heads, cycle.required
    apex, colours, free = cycle.apex, problem.graph.colours, problem.start is None is problem.end
    if apex is not None and free and colours is not None and 2 * int(colours.sum()) == len(colours):
        tails, required = np.append(tails, apex), np.append(required, True)
        heads = np.append(heads + (heads == apex) * colours[cycle.tails], apex + 1)
        cycle = replace(cycle, order=cycle.order + 1, tails=tails, heads=heads, required=required)
    return coloured_swept_graph(cycle, clock)


def coloured_swept_graph(cycle: CycleProblem, clock: Clock) -> SweptGraph:
    """Return the graph to be swept for a cycle problem, with its colours and the edges that are chosen first at its
    apex; `StoppedEarly` when the time is over."""
    swept, apex = swept_graph_of(cycle, clock), cycle.apex
    graph = Graph.from_edges(cycle.order, np.stack([cycle.tails, cycle.heads], axis=1))
    return replace(
        swept,
        begun=() if apex is None else list(product([apex], sorted(swept.required[apex]))),
        colours=() if graph.colours is None or graph.components.any() else (1 - 2 * graph.colours).tolist(),
    )


class FrontierPlan:
    """An order of the vertices, and the frontiers that it leaves.

    ``frontiers`` has the frontier before the first vertex is taken and after each, in the order in which the vertices
    entered, up to the first that is too wide for a state; ``bounds`` an upper bound on the number of states of each,
    and ``expected`` an estimate. ``width`` is the most places that a step works on. ``begins`` is False if the required
    edges at an apex are chosen in another plan. `StoppedEarly` when the clock's time is over.
    """

    def __init__(self, swept: SweptGraph, vertices: Sequence[int], clock: Clock, *, begins: bool = True) -> None:
        self.swept, self.vertices, self.clock = swept, vertices, clock
        self.position = dict(zip(vertices, range(len(vertices)), strict=True))
        self._begun = swept.begun if begins else ()
        frontier = list(dict.fromkeys(chain.from_iterable(self._begun)))
        self.frontiers, self.bounds, self.expected = [frontier], [1], [1]
        apart = chain.from_iterable([*swept.begun, *swept.begun])
        self._reached: Counter[int] = Counter(apart)  # neighbours taken, or two
        self._balances = [0]
        line: list[int] | None = None if self._begun else []
        for taken, vertex in enumerate(vertices, start=1):
            clock.check()
            later = self.later_neighbours(vertex)
            line = None if line is None else next_line(line, vertex, later)
            frontier = list(dict.fromkeys([*frontier, vertex, *later]))
            frontier.remove(vertex)
            self._reached.update(later)
            self._balances.append(self._balances[-1] - 2 * swept.colours[vertex] if swept.colours else 0)
            self.frontiers.append(frontier)
            bound = self.bound(taken, {v for v in frontier if self._reached[v] == 1}, crossing=line is None)
            self.bounds.append(bound)
            self.expected.append(expected_states(bound, taken, len(frontier)))
            if len(frontier) >= MOST_PLACES:
                break
        self.width = 1 + max(map(len, self.frontiers[1:]))

    def bound(self, taken: int, once: Collection[int] = (), *, crossing: bool = True) -> int:
        """Return an upper bound on the number of states after so many vertices, if at most one edge is chosen at those
        of ``once``, and if paths may cross or not."""
        colours, frontier = self.swept.colours, self.frontiers[taken]
        kinds = Counter((v in once, colours[v] if colours else 1) for v in frontier)
        numbers = tuple(kinds[few, colour] for few in (True, False) for colour in (1, -1))
        most = max_states(numbers, self._balances[taken] if colours else None, crossing=crossing)
        return most << self.swept.odd

    def later_neighbours(self, vertex: int) -> list[int]:
        """Return the neighbours that are taken later, in order, except those to which an edge is chosen at the
        beginning."""
        turn, near = self.position.__getitem__, self.swept.neighbours[vertex]
        for edge in self.swept.begun:
            if vertex in edge:
                near = near.difference(edge)
        in_order = sorted(near, key=turn)
        return in_order[bisect(in_order, turn(vertex), key=turn) :]

    def steps(
        self, taken: int, boundary: Collection[int] = (), chosen_at: Iterable[int] = ()
    ) -> tuple[list[SweepStep], list[int]]:
        """Return the steps that take ``taken`` vertices and then choose, at each vertex of ``chosen_at``, edges to
        later vertices of the ``boundary``; and the frontier that they reach, in order. `StoppedEarly` when the time is
        over."""
        swept, frontier, steps = self.swept, self.frontiers[0], []
        pending = Counter(chain.from_iterable(swept.required.values()))
        left = Counter(chain.from_iterable(swept.neighbours))
        moves = [(tail, [head], False) for tail, head in self._begun]
        moves += [(vertex, self.later_neighbours(vertex), True) for vertex in self.vertices[:taken]]
        moves += [
            (vertex, [head for head in self.later_neighbours(vertex) if head in boundary], False)
            for vertex in chosen_at
        ]
        for vertex, heads, leaves in moves:
            self.clock.check()
            vertices = list(dict.fromkeys([*frontier, vertex, *heads]))
            chosen = swept.required[vertex].intersection(heads)
            pending.subtract([*chosen, *[vertex] * len(chosen)])
            if leaves:
                left.subtract(swept.neighbours[vertex])
            last = leaves and self.position[vertex] + len(vertices) == len(self.vertices)
            places = Places(vertices, len(frontier), pending, left)
            steps.append(step_at(swept, places, vertex, heads, last=last, leaves=leaves))
            frontier = vertices
            if leaves:
                frontier.remove(vertex)
        return steps, frontier


class SweepStep(Record):
    """One step of the dynamic program. Its places are the vertices of the frontier before it, then those that enter;
    sets of places are bits of a number."""

    before: int  # the number of places before the step
    width: int  # the same with the vertices that enter
    vertex: int  # the place of the vertex whose edges are chosen
    leaves: bool  # whether it then leaves the frontier, its two edges chosen; if not, it may have fewer
    last: bool  # whether a cycle may close: all vertices to come are in the frontier, or some may be left out
    odd: bool  # whether the top bit of a state is the parity of the edges chosen, and only odd cycles count
    number: int  # how many choices there are
    tights: int
    roomy: int  # the places where two edges may be chosen by the end of the step
    narrow: int  # the places where one may: a required edge to come keeps the other's room free
    free: int  # the places that may be left out: untouched when they leave
    choices: Annotated[Words, "4*number"]
    """What may be chosen, as rows ``(places of the other ends, first of them, last of them, parity in the top bit)``,
    by number of edges."""
    tight: Annotated[Words, "3*tights"]
    """The rows ``(place, neighbours to come in the frontier, number of those outside)`` of the places with fewer than
    two outside."""
    offsets: Annotated[Longs, "4"]  # for each number of edges the first of its rows, and the number of all rows


class Buffers(Record):
    """New states on the way to their tables: for each shard ``rows`` of which ``fill`` are in use, with counts or with
    `ways`."""

    rows: int
    columns: int
    search: bool
    buffers: Annotated[Words, "rows*columns"]
    total: Annotated[Words, "columns"]  # the number of cycles through all vertices that closed; a search keeps states
    fill: Annotated[Longs, "1"]
    ways: Longs
    """Of a search, for each state the row that it comes from, times the number of choices, plus the choice."""


def new_buffers(shards: int, rows: int, columns: int, *, search: bool = False) -> Buffers:
    """Return empty buffers."""
    return Buffers(
        rows=rows,
        columns=columns,
        search=search,
        buffers=np.empty((shards, rows, columns), dtype=np.uint64),
        total=np.zeros(columns, dtype=np.uint64),
        fill=np.zeros(shards, dtype=np.int64),
        ways=np.empty(rows * search, dtype=np.int64),
    )


@kernel
def frontier_expand(step: SweepStep, table: Words, begin: int, end: int, shards: int, buffers: Buffers) -> int:
    """Return the row of the table to go on from: ``end``, or less if a buffer is nearly full."""


class Places(NamedTuple):
    """The vertices that a step works on: the frontier before it, then those that enter."""

    vertices: Sequence[int]
    before: int  # the number of those before the step
    pending: Mapping[int, int]  # for each vertex how many required edges no step has chosen by the end of this one
    left: Mapping[int, int]  # how many neighbours of a vertex go after this step


def step_at(
    swept: SweptGraph, places: Places, vertex: int, heads: Collection[int], *, last: bool, leaves: bool = True
) -> SweepStep:
    """Return the step that chooses edges from a vertex to the heads; ``last`` as in `SweepStep`."""
    number = places.vertices.index
    ends = ((head, (min(vertex, head), max(vertex, head))) for head in heads)
    choices, offsets = _choices(
        tuple(sorted((number(head), swept.parallel.get(edge, (0,))) for head, edge in ends)),
        frozenset(map(number, swept.required[vertex].intersection(heads))),
    )
    roomy = narrow = free = 0
    for place, entry in enumerate(places.vertices):
        free |= (entry in swept.optional) << place
        roomy |= (places.pending[entry] == 0) << place
        narrow |= (places.pending[entry] == 1) << place
    tight = tight_places(swept, places, vertex) if leaves else np.empty((0, 3), dtype=np.uint64)
    return SweepStep(
        before=places.before,
        width=len(places.vertices),
        vertex=number(vertex),
        leaves=leaves,
        last=last,
        odd=swept.odd,
        roomy=roomy,
        narrow=narrow,
        free=free,
        number=len(choices),
        tights=len(tight),
        choices=choices,
        offsets=offsets,
        tight=tight,
    )


def tight_places(swept: SweptGraph, places: Places, leaving: int | None = None) -> Words:
    """Return a row for each place with fewer than two neighbours to come outside the frontier, unless it may be left
    out: the place, the set of those inside, and the number of those outside."""
    rows = []
    for place, vertex in enumerate(places.vertices):
        if vertex != leaving and vertex not in swept.optional:
            inside, outside = 0, places.left[vertex]
            for other, neighbour in enumerate(places.vertices):
                if neighbour != leaving and neighbour in swept.neighbours[vertex]:
                    inside |= 1 << other
                    outside -= 1
            if outside < 2:
                rows.append((place, inside, outside))
    return np.array(rows, dtype=np.uint64).reshape(-1, 3)


@lru_cache(maxsize=1 << 12)
def _choices(heads: tuple[tuple[int, tuple[int, ...]], ...], wanted: frozenset[int]) -> tuple[Words, Longs]:
    """Return the rows of `SweepStep.choices`, ``(n, 4)``, for at most two of the heads with all the wanted ones among
    them, and of `SweepStep.offsets`, where those of 0, 1 and 2 edges begin; of several edges to a place, given by their
    parities, each is a choice."""
    rows, offsets = [], [0]
    for number in range(3):
        for chosen in combinations(heads, number):
            places = [place for place, _ in chosen]
            if wanted <= set(places):
                first, last = (places[0], places[-1]) if places else (0, 0)
                for parities in product(*(parities for _, parities in chosen)):
                    rows.append(((1 << first | 1 << last) * bool(places), first, last, sum(parities) % 2 << 63))
        offsets.append(len(rows))
    return np.array(rows, dtype=np.uint64).reshape(-1, 4), np.array(offsets, dtype=np.int64)


def best_plan(swept: SweptGraph, coordinates: Ints | None, order: int, clock: Clock) -> FrontierPlan | None:
    """Return the plan with the least bound on the number of states among sweeps of the layout, by columns, by rows and
    so on, and the numbering of Cuthill & McKee; None if every frontier is too wide for a state.

    The vertices from ``order`` on, which stand for ends, come last. `StoppedEarly` when the time is over.
    """
    best = None
    orders = [] if coordinates is None else [np.lexsort(axes).tolist() for axes in permutations(coordinates.T)]
    orders.append(_breadth_first_numbering(swept.neighbours, order, clock))
    for vertices in orders:
        if len(vertices) == order:
            plan = FrontierPlan(swept, [*vertices, *range(order, len(swept.neighbours))], clock)
            if plan.width <= MOST_PLACES - swept.odd and (
                best is None or (max(plan.bounds), sum(plan.bounds)) < (max(best.bounds), sum(best.bounds))
            ):
                best = plan
    return best


def _breadth_first_numbering(neighbours: Sequence[set[int]], order: int, clock: Clock) -> list[int]:
    """Return the vertices below ``order`` of a connected graph breadth-first from a vertex far out, neighbours by
    increasing degree; `StoppedEarly` when the time is over."""
    degrees = list(map(len, neighbours))
    root = min(range(order), key=degrees.__getitem__)
    for _ in range(2):
        numbering, seen = [root], {root, *range(order, len(neighbours))}
        for vertex in numbering:
            clock.check()
            numbering += sorted(sorted(neighbours[vertex] - seen), key=degrees.__getitem__)
            seen |= neighbours[vertex]
        root = numbering[-1]
    return numbering


def expected_states(bound: int, taken: int, width: int) -> int:
    """Return an estimate of the number of states of a frontier of ``width`` vertices after ``taken`` ones, at most the
    bound.

    A rule of thumb, true within a factor of 2 or so for what it was measured on, knight's boards of 5 to 8 rows with
    more than a million states: the part of the bound that is reached grows with the sixth power of the vertices taken,
    until those are twice the frontier.
    """
    reached = min(1.0, taken / max(1, 2 * width)) ** 6
    return min(bound, max(FEW_STATES, int(bound * reached)))


def next_line(line: Sequence[int], vertex: int, later: Sequence[int]) -> list[int] | None:
    """Return the frontier in the order in which a line that moves over a plane drawing meets it, after a vertex is
    taken from the line before; None if an edge of it would cross another one.

    The vertex makes place for those that enter, the last to be taken first; others are joined to it beside it.
    """
    place = line.index(vertex) if vertex in line else len(line)
    before, after = [*line[:place]], [*line[place + 1 :]]
    joined = {v for v in later if v in line}
    entering = [v for v in reversed(later) if v not in joined]
    return [*before, *entering, *after] if joined <= {*before[-1:], *after[:1]} else None


@lru_cache(maxsize=1 << 12)
def max_states(numbers: tuple[int, ...], balance: int | None, *, crossing: bool) -> int:
    """Return how many states a frontier can have, from the numbers of its light and dark vertices with at most one edge
    and of those with up to two; if ``balance`` is given, those whose degrees, dark less light, add up to it."""
    most = 0
    for ends in product(*(range(number + 1) for number in numbers)):
        both, free = sum(ends), numbers[2] + numbers[3] - ends[2] - ends[3]
        if both % 2:
            continue
        done = 2**free
        if balance is not None:
            half, odd = divmod(balance - ends[0] - ends[2] + ends[1] + ends[3], 2)
            chosen = numbers[3] - ends[3] + half
            done = 0 if odd or chosen < 0 else comb(free, chosen)
        pairings = prod(range(1, both, 2)) if crossing else comb(both, both // 2) // (both // 2 + 1)
        most += prod(map(comb, numbers, ends)) * done * pairings
    return most
