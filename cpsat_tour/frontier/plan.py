"""What a count sweeps: the quotient graph of a symmetry, whose cycles stand for the symmetric tours, or the whole
graph; the order in which vertices are taken, and how many states that can make.

The quotient graph has a vertex for each orbit of vertices and an edge for each orbit of edges. A symmetry that is not
the identity takes a tour to itself as a rotation (the tour moves along itself) or as a reflection (it is reversed), and
is then its own inverse.

*Reversed.* A reflection of a cycle fixes two places, vertices or edges whose ends change places. The half of the tour
from one to the other passes each orbit of vertices once: it is a Hamiltonian path of the quotient between two orbits
that have such a place, and each such path lifts to one cycle. An apex joins these orbits. An open tour is the half from
an end to its middle; any orbit of two vertices may be the end.

*Moved along.* All orbits of vertices then have d members, and d rounds of the quotient are one round of the tour. Each
edge of the quotient has a *voltage*, by how many images the numbering of the orbit is passed on (Gross 1974); a
Hamiltonian cycle of the quotient lifts to one cycle exactly where its voltages add up to a number prime to d. Here d is
a power of two, so that they must add up to an odd number: the frontier method keeps the parity in its states.

Two edges of the quotient may join the same orbits; each is a choice of its own. Limits: no ends, required or forbidden
moves.

An open tour is a cycle through an apex that is joined to its permitted ends (`cpsat_tour.core.reduction`). On a
bipartite graph with as many vertices of one colour as of the other the two ends differ in colour; the apex then becomes
two, joined by a required edge, each of them joined to the ends of one colour. So the graph stays bipartite, and a state
has balanced degrees by itself.

Vertices are taken in the order, among sweeps of the layout and a greedy one with a narrow frontier
(`cpsat_tour.frontier.tree`), that bounds the number of states best. The bound of a frontier counts its degrees, none
above the number of neighbours taken and balanced where the graph is bipartite, and all pairings of the ends. Where the
sweep is that of a line over a plane drawing, as on a grid, paths don't cross, and there are as many pairings as there
are ways to nest pairs of parentheses (Jacobsen 2007 counts the cycles of grids so); on an open tour two ends at most
are paired beyond the drawing, through the apex.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, permutations, product
from math import comb, prod
from operator import mul

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Edge
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.runs import Clock
from cpsat_tour.core.space import Ints
from cpsat_tour.frontier.states import MOST_PLACES, Places, SweepStep, SweptGraph, step_at, swept_graph_of
from cpsat_tour.frontier.tree import narrow_order

Parities = dict[Edge, tuple[int, ...]]


def symmetric_swept_graphs(problem: Problem, symmetry: Symmetry, clock: Clock) -> tuple[list[SweptGraph], list[int]]:
    """Return one or two graphs, or none, whose cycles together correspond one to one to the symmetric tours; and the
    least vertex of each orbit, in the order of the graphs' vertices.

    `BadInput` where `refusal` has a reason; `StoppedEarly` when the time is over.
    """
    if refused := refusal(problem, symmetry):
        raise BadInput(refused)
    orbits = symmetry.orbits
    joined = _quotient_edges(problem, orbits, clock)
    may_reverse = symmetry.turning != "along" and max(map(len, orbits)) == 2
    parts = [_reversed_swept_graph(problem, orbits, joined, clock)] if may_reverse else []
    if _may_move_along(problem, symmetry):
        parts.append(replace(_swept_graph(problem, len(orbits), joined, (), None, clock), odd=True))
    return [part for part in parts if part is not None], [orbit[0] for orbit in orbits]


def refusal(problem: Problem, symmetry: Symmetry) -> str | None:
    """Return a sentence that says why the quotient graph can't count the symmetric tours, or None if nothing stands in
    the way."""
    start, listing = "the frontier method counts symmetric tours", "count these by listing, such as with backend edges"
    if symmetry.is_identity:
        return None
    if problem.start is not None or problem.end is not None or problem.require or problem.forbid:
        return f"{start} without ends, required and forbidden moves: {listing}"
    number, size = len(symmetry.orbits), max(map(len, symmetry.orbits))
    if _may_move_along(problem, symmetry) and (size & (size - 1) or number < 3):
        return f"{start} of at least 3 orbits of 2, 4, 8 … vertices each, and here are {number} of {size}: {listing}"
    return None


def _may_move_along(problem: Problem, symmetry: Symmetry) -> bool:
    """Return True if the symmetry may shift a closed tour along itself: all its orbits have the same size."""
    return problem.closed and symmetry.turning != "over" and len(set(map(len, symmetry.orbits))) == 1


def _quotient_edges(problem: Problem, orbits: list[list[int]], clock: Clock) -> Parities:
    """Return the edges of the quotient graph: for each pair of joined orbits, the lesser first, a parity for each of
    the edges between them.

    The parity is that of the edge's voltage.
    """
    orbit_of, place = np.empty((2, problem.graph.order), dtype=np.int64)
    for number, orbit in enumerate(orbits):
        orbit_of[orbit], place[orbit] = number, np.arange(len(orbit))
    joined: Parities = {}
    for number, orbit in enumerate(orbits):
        clock.check()
        for neighbour in problem.graph.neighbours(orbit[0]).tolist():
            other = int(orbit_of[neighbour])
            # An orbit of edges has as many edges as the larger of the two orbits has vertices, one at each of these.
            if (len(orbit), number) > (len(orbits[other]), other):
                ends = min(number, other), max(number, other)
                joined[ends] = (*joined.get(ends, ()), int(place[neighbour]) % 2)
    return joined


def _reversed_swept_graph(
    problem: Problem, orbits: list[list[int]], joined: Parities, clock: Clock
) -> SweptGraph | None:
    """Return a graph whose cycles stand for the tours that the symmetry reverses; None if there can't be any.

    Such a tour is a path through all orbits between two that have a fixed place (of open tours: from any orbit of two
    vertices to one that has).
    """
    order, closed, has_arc = len(orbits), problem.closed, problem.graph.has_arc
    fixed = [number for number, orbit in enumerate(orbits) if len(orbit) == 1 or has_arc(orbit[0], orbit[1])]
    apex = order if closed else order + 1
    # A half of the tour begins or ends at a fixed vertex, which has one edge in the quotient and one to the apex.
    required = [(number, apex) for number in fixed if len(orbits[number]) == 1]
    if not len(required) <= (2 if closed else 1) <= len(fixed) or (closed and order == 1):
        return None
    edges = {ends: (0,) * len(parities) for ends, parities in joined.items()} | {(each, apex): (0,) for each in fixed}
    if not closed:
        edges |= {(number, order): (0,) for number, orbit in enumerate(orbits) if len(orbit) == 2}
        edges[order, apex] = (0,)
        required.append((order, apex))
    return _swept_graph(problem, apex + 1, edges, required, apex, clock)


def _swept_graph(
    problem: Problem, order: int, joined: Parities, required: Collection[Edge], apex: int | None, clock: Clock
) -> SweptGraph:
    """Return the graph to be swept that has these edges, with the ``required`` ones among them."""
    ends: Ints = np.array(list(joined), dtype=np.int32).reshape(-1, 2)
    flags = np.array([edge in required for edge in joined], dtype=bool)
    cycle = CycleProblem(problem, order, ends[:, 0], ends[:, 1], flags, apex)
    return replace(swept_graph_of(cycle, clock), parallel=joined)


FEW_STATES = 1_000_000  # no fewer than these, if the bound allows them, are expected


def swept_graph_for_tours(problem: Problem, clock: Clock) -> SweptGraph:
    """Return a graph whose cycles correspond one to one to the tours of an undirected problem. `StoppedEarly` when the
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
    """An order in which a sweep takes the vertices, with the frontier after each of them.

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
        self._ends = frozenset(() if swept.parallel or swept.apex is None else range(swept.apex, len(swept.neighbours)))
        line: list[int] | None = None if swept.begun and (swept.parallel or not begins) else []
        for taken, vertex in enumerate(vertices, start=1):
            clock.check()
            later = self.later_neighbours(vertex)
            line = None if line is None else next_line(line, vertex, [v for v in later if v not in self._ends])
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
        """Return an upper bound on the number of states after ``taken`` vertices.

        At most one edge is chosen at the vertices ``once``; ``crossing`` is False if paths can't cross, but for those
        that lead to the vertices for ends: each of these has up to two, or one beside its required edge.
        """
        colours, frontier = self.swept.colours, self.frontiers[taken]
        apart = [] if crossing else [v for v in frontier if v in self._ends]
        kinds = Counter((v in once, colours[v] if colours else 1) for v in frontier if v not in apart)
        numbers, most = tuple(kinds[few, colour] for few in (True, False) for colour in (1, -1)), 0
        for paths in product(range(3 - (len(self._ends) == 2)), repeat=len(apart)):
            balance = self._balances[taken] - sum(map(mul, paths, (colours[v] for v in apart))) if colours else None
            most += max_states(numbers, balance, None if crossing else sum(paths))
        return most << self.swept.odd

    def later_neighbours(self, vertex: int) -> list[int]:
        """Return the neighbours of a vertex that are taken after it, in order, without those along edges chosen before
        the sweep."""
        turn = self.position.__getitem__
        near = self.swept.neighbours[vertex].difference(*(edge for edge in self.swept.begun if vertex in edge))
        return sorted((head for head in near if turn(head) > turn(vertex)), key=turn)

    def steps(
        self, taken: int, boundary: Collection[int] = (), chosen_at: Iterable[int] = ()
    ) -> tuple[list[SweepStep], list[int], list[int]]:
        """Return the steps of a sweep that takes ``taken`` vertices, an estimate of the states after each, and the
        frontier that it reaches, in order. `StoppedEarly` when the time is over.

        At the end the sweep chooses, at each vertex of ``chosen_at``, edges to later vertices of the ``boundary``.
        """
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
        last = len(moves) - len(self._begun) - taken
        expected = [1] * len(self._begun) + self.expected[1 : taken + 1] + self.expected[taken : taken + 1] * last
        return steps, [max(1, states) for states in expected], list(places.swept)


def best_plan(swept: SweptGraph, coordinates: Ints | None, order: int, clock: Clock) -> FrontierPlan | None:
    """Return the plan with the least bound on the number of states; None if every frontier is too wide for a state.

    It tries sweeps of the layout, by columns, by rows and so on, and a narrow order. The vertices from ``order`` on,
    which stand for ends, come last. `StoppedEarly` when the time is over.
    """
    orders = [] if coordinates is None else [np.lexsort(axes).tolist() for axes in permutations(coordinates.T)]
    graph = swept.graph.subgraph(np.arange(order, dtype=np.int32))
    orders.append(narrow_order(graph, MOST_PLACES - 1, clock)[0].tolist())
    ends = range(order, len(swept.neighbours))
    plans = [FrontierPlan(swept, [*vertices, *ends], clock) for vertices in orders if len(vertices) == order]
    fitting = [plan for plan in plans if plan.width <= MOST_PLACES - swept.odd]
    return min(fitting, key=lambda plan: (max(plan.bounds), sum(plan.bounds)), default=None)


def expected_states(bound: int, taken: int, width: int, *, closed: bool) -> int:
    """Return an estimate, at most ``bound``, of how many states a sweep has after it has taken ``taken`` vertices.

    Its frontier has ``width`` vertices then. ``closed`` is True for a sweep without an apex.

    A rule of thumb, true within a factor of 4 or so for what it was measured on, knight's boards of 6 to 8 rows: the
    part of the bound that is reached grows with a power of the vertices taken, until those are twice the frontier.
    """
    reached = min(1.0, taken / max(1, 2 * width)) ** (6 if closed else 3)
    return min(bound, max(FEW_STATES, int(bound * reached)))


def next_line(line: Sequence[int], vertex: int, later: Sequence[int]) -> list[int] | None:
    """Return the frontier after ``vertex`` is taken, in the order along the line that sweeps a plane drawing; None if
    an edge would cross another one.

    The vertex makes place for those that enter, the last to be taken first; others are joined to it beside it.
    """
    place = line.index(vertex) if vertex in line else len(line)
    before, after = [*line[:place]], [*line[place + 1 :]]
    joined = {v for v in later if v in line}
    entering = [v for v in reversed(later) if v not in joined]
    return [*before, *entering, *after] if joined <= {*before[-1:], *after[:1]} else None


@lru_cache(maxsize=1 << 12)
def max_states(numbers: tuple[int, ...], balance: int | None, apart: int | None) -> int:
    """Return the greatest number of states that a frontier can have.

    No paths cross but the ``apart`` ones that lead from the frontier elsewhere; if that is None, all may.

    ``numbers`` counts its light and its dark vertices with at most one edge, then those with up to two. If ``balance``
    is given, only states whose degrees, dark less light, add up to it are counted.
    """
    most = 0
    for ends in product(*(range(number + 1) for number in numbers)):
        both, free = sum(ends), numbers[2] + numbers[3] - ends[2] - ends[3]
        inside, odd = divmod(both - (apart or 0), 2)
        if odd or inside < 0:
            continue
        done = 2**free
        if balance is not None:
            half, odd = divmod(balance - ends[0] - ends[2] + ends[1] + ends[3], 2)
            chosen = numbers[3] - ends[3] + half
            done = 0 if odd or chosen < 0 else comb(free, chosen)
        pairings = (
            prod(range(1, both, 2)) if apart is None else comb(both, apart) * comb(2 * inside, inside) // (inside + 1)
        )
        most += prod(map(comb, numbers, ends)) * done * pairings
    return most
