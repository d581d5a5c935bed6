"""The plan of a count: the order in which vertices are taken, and how many states that can make.

An open tour is a cycle through an apex that is joined to its permitted ends (`cpsat_tour.core.reduction`). On a
bipartite graph with as many vertices of one colour as of the other the two ends differ in colour; the apex then becomes
two, joined by a required edge, each of them joined to the ends of one colour. So the graph stays bipartite, and a state
has balanced degrees by itself.

Vertices are taken in the order, among sweeps of the layout and a greedy one with a narrow frontier
(`cpsat_tour.frontier.tree`), that bounds the number of states best. The bound of a frontier counts its degrees, none
above the number of neighbours taken and balanced where the graph is bipartite, and all pairings of the ends. Where the
sweep is that of a line over a plane drawing, as on a grid, paths don't cross, and there are as many pairings as there
are ways to nest pairs of parentheses (Jacobsen 2007 counts the cycles of grids so).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, permutations, product
from math import comb, prod

import numpy as np

from cpsat_tour.core.limits import Clock
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.space import Ints
from cpsat_tour.frontier.states import MOST_PLACES, Places, SweepStep, SweptGraph, step_at, swept_graph_of
from cpsat_tour.frontier.tree import narrow_order

FEW_STATES = 1_000_000  # no fewer than these, if the bound allows them, are expected


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
    return swept_graph_of(cycle, clock)


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
            once = {v for v in frontier if self._reached[v] == 1}
            self.bounds.append(self.bound(taken, once, crossing=line is None))
            closed = swept.apex is None
            self.expected.append(expected_states(self.bounds[-1], taken, len(frontier), closed=closed))
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
        turn = self.position.__getitem__
        near = self.swept.neighbours[vertex].difference(*(edge for edge in self.swept.begun if vertex in edge))
        return sorted((head for head in near if turn(head) > turn(vertex)), key=turn)

    def steps(
        self, taken: int, boundary: Collection[int] = (), chosen_at: Iterable[int] = ()
    ) -> tuple[list[SweepStep], list[int]]:
        """Return the steps that take ``taken`` vertices and then choose, at each vertex of ``chosen_at``, edges to
        later vertices of the ``boundary``; and the frontier that they reach, in order. `StoppedEarly` when the time is
        over."""
        moves = [(tail, [head], False) for tail, head in self._begun]
        moves += [(vertex, self.later_neighbours(vertex), True) for vertex in self.vertices[:taken]]
        moves += [
            (vertex, [head for head in self.later_neighbours(vertex) if head in boundary], False)
            for vertex in chosen_at
        ]
        places, steps = Places(), []
        for vertex, heads, leaves in moves:
            self.clock.check()
            step, places = step_at(self.swept, places, vertex, heads, leaves=leaves)
            steps.append(step)
        return steps, list(places.swept)


def best_plan(swept: SweptGraph, coordinates: Ints | None, order: int, clock: Clock) -> FrontierPlan | None:
    """Return the plan with the least bound on the number of states among sweeps of the layout, by columns, by rows and
    so on, and a narrow order; None if every frontier is too wide for a state.

    The vertices from ``order`` on, which stand for ends, come last. `StoppedEarly` when the time is over.
    """
    orders = [] if coordinates is None else [np.lexsort(axes).tolist() for axes in permutations(coordinates.T)]
    graph = swept.graph.subgraph(np.arange(order, dtype=np.int32))
    orders.append(narrow_order(graph, MOST_PLACES - 1, clock)[0].tolist())
    ends = range(order, len(swept.neighbours))
    plans = [FrontierPlan(swept, [*vertices, *ends], clock) for vertices in orders if len(vertices) == order]
    fitting = [plan for plan in plans if plan.width <= MOST_PLACES - swept.odd]
    return min(fitting, key=lambda plan: (max(plan.bounds), sum(plan.bounds)), default=None)


def expected_states(bound: int, taken: int, width: int, *, closed: bool) -> int:
    """Return an estimate of the number of states of a frontier of ``width`` vertices after ``taken`` ones, at most the
    bound; ``closed`` for a sweep without an apex.

    A rule of thumb, true within a factor of 4 or so for what it was measured on, knight's boards of 6 to 8 rows: the
    part of the bound that is reached grows with a power of the vertices taken, until those are twice the frontier.
    """
    reached = min(1.0, taken / max(1, 2 * width)) ** (6 if closed else 3)
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
