"""The subtour linear program (Dantzig, Fulkerson & Johnson 1954): if it is infeasible, there is no tour.

One variable ``0 <= x <= 1`` per edge, degree 2 at each vertex, and for vertex sets S ``x(δ(S)) >= 2``, added as they
turn out to be violated. The program is *elastic*: each row may be missed at a price of 1. It always has an optimum;
where that is positive, the dual values are Farkas multipliers, at most 1 in absolute value, of a contradiction. GLOP
solves it and goes on from its last basis when rows are added.

The first cut sets come from the *free support*, the edges that any solution of the degree rows can use: if these don't
connect the graph, a few cut sets finish (on 4 x n boards this is Pósa's argument). A solution is a flow of 2 through
each vertex, split as in `combination`, and the flow of an edge can change exactly if its ends lie in one strongly
connected component of the residual graph (Régin 1994 for all-different, after Dulmage & Mendelsohn 1958). After that,
the components of the support of each solution, or minimum cuts. An edge of weight 1 never has to cross a violated cut,
so paths of such edges are contracted first (Padberg & Rinaldi 1990). Then each vertex is parted from the first ones by
a maximum flow, and joined to them: a violated cut that is left to be found does not part these.

Given the rows of an infeasible program, a second one asks for multipliers of least sum with gain 1; its basic solutions
have few terms and small denominators. Limits: what floating point proposes is a refutation only after exact evaluation;
cuts are not sought among more than `MAX_CONTRACTED` contracted vertices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import islice
from operator import sub

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python.max_flow import SimpleMaxFlow
from ortools.linear_solver import pywraplp

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.runs import Clock, Watch, run_on_thread, second_thread
from cpsat_tour.core.space import Flags, Floats, Ints, Longs
from cpsat_tour.models.loop.subtours import CutSet, cutting_planes
from cpsat_tour.proofs.write.combination import Combination, components, refutation
from cpsat_tour.proofs.write.veripb import CycleRows, Vertices

EPSILON = 1e-6

PRICE_OF_A_BOUND = 0.01
"""The price of a multiplier of ``x <= 1``, compared with one of a row, when few multipliers are sought."""

ENOUGH_CUT_SETS_TO_DROP = 60
"""The most cut sets in a refutation that are tried to be dropped, one by one."""

MAX_CONTRACTED = 3000

UNIT = 10**6
"""The capacity, a whole number, that stands for a weight of 1."""

_value = pywraplp.Variable.solution_value

Terms = Iterable[tuple[pywraplp.Variable, float]]


def run_program(
    cycle: CycleRows, known: list[Vertices], watch: Watch, rounds: int | None = None
) -> tuple[Combination | NDArray[np.int64] | None, bool]:
    """Solve the subtour program in rounds; return the refutation, or the edges of a cycle if the solution is one, or
    None, and True if the program was finished within the rounds allowed.

    The cut sets that it adds come to those that are known. `StoppedEarly` at a limit.
    """
    program = ElasticProgram(cycle, watch)
    if known:
        program.cut([CutSet(np.array(shore, dtype=np.int32), cycle.cut_set(shore)) for shore in known])
    try:
        for point, violated in islice(cutting_planes(program, program.violated, cycle.for_cutting, watch), rounds):
            if not violated:
                whole = bool((np.minimum(point, 1 - point) < EPSILON).all())
                return np.flatnonzero(point > 0.5) if whole else None, True
    finally:
        known[:] = program.cut_sets
    if watch.work["rounds"] == rounds:
        return None, False
    found = program.refutation()
    return found and shorten(cycle, found, watch.clock, list(program.cut_sets)), True


class Program:
    """A linear program that GLOP minimises, beginning at its last basis, with parameters of its own."""

    def __init__(self, parameters: str = "") -> None:
        self._solver = pywraplp.Solver.CreateSolver("GLOP")
        self._solver.SuppressOutput()
        self._solver.SetSolverSpecificParametersAsString(parameters)
        self._objective = self._solver.Objective()
        self._objective.SetMinimization()
        self.infinity: float = self._solver.infinity()

    def variable(self, price: float, least: float = 0.0, most: float | None = None) -> pywraplp.Variable:
        """Add a variable with this price and return it; it has no upper bound unless one is given."""
        added = self._solver.NumVar(least, self.infinity if most is None else most, "")
        if price:
            self._objective.SetCoefficient(added, price)
        return added

    def row(self, least: float, most: float, terms: Terms) -> pywraplp.Constraint:
        """Add a row, the sum of the terms between its two bounds, and return it. No variable may come twice."""
        added = self._solver.Constraint(least, most)
        for variable, coefficient in terms:
            added.SetCoefficient(variable, coefficient)
        return added

    def optimum(self, clock: Clock) -> float | None:
        """Solve the program on another thread and return the least cost; None if no optimum was found in time."""
        if (seconds := clock.left) is not None:
            self._solver.SetTimeLimit(max(1, int(1000 * seconds)))
        parameters = pywraplp.MPSolverParameters()
        parameters.SetIntegerParam(parameters.INCREMENTALITY, parameters.INCREMENTALITY_ON)
        with second_thread() as thread:
            status = run_on_thread(
                thread, lambda: self._solver.Solve(parameters), clock.check, self._solver.InterruptSolve
            )
        return self._objective.Value() if status == self._solver.OPTIMAL else None


class ElasticProgram:
    """The subtour program in which rows may be missed at a price, with the cut sets added so far: a relaxation whose
    solutions are fractional.

    ``cut_sets`` has the row of each by its shore. `StoppedEarly` if the time is over before the program is built.
    """

    def __init__(self, cycle: CycleRows, watch: Watch) -> None:
        self.cut_sets: dict[Vertices, pywraplp.Constraint] = {}
        self._cycle, self._watch = cycle, watch
        self._program = program = Program()
        least, most = np.zeros(cycle.size), np.ones(cycle.size)
        least[cycle.required] = 1
        most[cycle.forbidden] = 0
        self._edges = list(map(program.variable, [0.0] * cycle.size, least.tolist(), most.tolist()))
        self._degrees = []
        for edges in cycle.incidence:
            missed = [(program.variable(1), 1), (program.variable(1), -1)]
            self._degrees.append(program.row(2, 2, [*((self._edges[edge], 1) for edge in edges), *missed]))
            watch.clock.check()

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a row for each of these cut sets."""
        for cut_set in cut_sets:
            terms = [(self._edges[edge], 1) for edge in cut_set.edges.tolist()]
            row = self._program.row(2, self._program.infinity, [*terms, (self._program.variable(1), 1)])
            self.cut_sets[tuple(cut_set.shore.tolist())] = row

    def block(self, point: Floats) -> None:
        """Raise an error: no linear program can exclude one point, so that only the first solution may be asked for."""
        raise NotImplementedError

    def solve(self) -> Floats | None:
        """Return the value of each edge in an optimum; None if the optimum misses a row: no values satisfy all rows,
        as the dual values prove. `StoppedEarly` when the time is over."""
        self._watch.heartbeat()
        if (missed := self._program.optimum(self._watch.clock)) is None:
            raise StoppedEarly(self._watch.clock.stopped_by or "time")
        return np.array(list(map(_value, self._edges))) if missed <= EPSILON else None

    def violated(self, point: Floats) -> list[CutSet]:
        """Return the new cut sets that the point violates.

        In the first round they are those between the parts of the free support, if it has several; else those that the
        point's own edges show.
        """
        cycle, shores = self._cycle, []
        if not self.cut_sets:
            support = free_support(cycle, point)
            shores = shores_of(components(cycle.order, cycle.tails[support], cycle.heads[support]))
        if not shores:
            shores = violated_shores(cycle.order, cycle.tails, cycle.heads, point, self._watch.clock.check)
        found = dict.fromkeys(map(cycle.shore, shores))
        return [
            CutSet(np.array(shore, dtype=np.int32), cycle.cut_set(shore))
            for shore in found
            if shore not in self.cut_sets
        ]

    def refutation(self) -> Combination | None:
        """Return the refutation whose multipliers are the rounded dual values of the rows; None if they give none."""
        dual = pywraplp.Constraint.dual_value
        vertices = dict(enumerate(map(dual, self._degrees)))
        return _rounded_refutation(self._cycle, vertices, {shore: dual(row) for shore, row in self.cut_sets.items()})


# --- short multipliers ---


def shorten(cycle: CycleRows, best: Combination, clock: Clock, shores: Sequence[Vertices] = ()) -> Combination:
    """Return a shorter refutation from the degree rows and these cut sets if one is found in time, else the given one.

    Cut sets are dropped one by one, the largest first, as long as that makes it no longer. One stays: the program had a
    solution before there was any.
    """
    found = None if clock.expired else find_short_multipliers(cycle, shores, clock)
    best = best if found is None else min(best, found, key=_reading_effort)
    if len(best.cut_sets) > ENOUGH_CUT_SETS_TO_DROP:
        return best
    for shore in sorted(best.cut_sets, key=len, reverse=True):
        if shore in best.cut_sets and len(best.cut_sets) > 1 and not clock.expired:
            found = find_short_multipliers(cycle, [other for other in best.cut_sets if other != shore], clock)
            if found is not None and _reading_effort(found) <= _reading_effort(best):
                best = found
    return best


def _reading_effort(combination: Combination) -> tuple[int, int]:
    """Return a key by which refutations that are easier to read come first: the number of rows, bounds and vertices of
    shores, then the gain."""
    return combination.term_count + sum(map(len, combination.cut_sets)), combination.gain


def find_short_multipliers(cycle: CycleRows, shores: Sequence[Vertices], clock: Clock) -> Combination | None:
    """Return the refutation of gain 1 from the degree rows and these cut sets that has the least sum of multipliers;
    None if there is none, or none was found in time.

    The coefficient of a free edge in the sum of rows is at most its ``rise``, the multiplier of ``x <= 1``; a required
    edge takes its coefficient from the gain.
    """
    program = Program()
    plus, minus, cuts = (
        [program.variable(1) for _ in range(count)] for count in (cycle.order, cycle.order, len(shores))
    )
    rows = [([(plus[v], 1), (minus[v], -1)], edges) for v, edges in enumerate(cycle.incidence)]
    rows += [([(cut, 1)], cycle.cut_set(shore).tolist()) for cut, shore in zip(cuts, shores, strict=True)]
    terms_of: list[list[tuple[pywraplp.Variable, int]]] = [[] for _ in range(cycle.size)]
    required, gain = set(cycle.required.tolist()), []
    for terms, edges in rows:
        gain += [(variable, sign * (2 - len(required.intersection(edges)))) for variable, sign in terms]
        for edge in edges:
            terms_of[edge] += terms
    for edge in np.flatnonzero(cycle.undecided).tolist():
        rise = (program.variable(PRICE_OF_A_BOUND), -1)
        gain.append(rise)
        program.row(-program.infinity, 0, [*terms_of[edge], rise])
    program.row(1, program.infinity, gain)
    if program.optimum(clock) is None:
        return None
    vertices = dict(enumerate(map(sub, map(_value, plus), map(_value, minus))))
    return _rounded_refutation(cycle, vertices, dict(zip(shores, map(_value, cuts), strict=True)))


def _rounded_refutation(
    cycle: CycleRows, vertices: dict[int, float], cut_sets: dict[Vertices, float]
) -> Combination | None:
    """Return a refutation with the multipliers rounded to fractions of the least denominator that gives one; None if
    none does."""
    for most in (2, 12, 120, 2520):
        found = refutation(
            cycle,
            {v: Fraction(value).limit_denominator(most) for v, value in vertices.items() if abs(value) > EPSILON},
            {shore: Fraction(value).limit_denominator(most) for shore, value in cut_sets.items() if value > EPSILON},
        )
        if found is not None:
            return found
    return None


# --- violated cuts ---


def violated_shores(
    order: int, tails: Ints, heads: Ints, weights: Floats, tick: Callable[[], None] = lambda: None
) -> list[list[int]]:
    """Return the shores, as lists of vertices, whose cut sets are found to weigh less than 2.

    They are the components of the support if there are several, else shores of minimum cuts. The list is empty if there
    are none, or the graph is too large. ``tick`` is called after each flow.
    """
    support = weights > EPSILON
    tails, heads, weights = tails[support], heads[support], weights[support]
    if shores := shores_of(components(order, tails, heads)):
        return shores
    ones = weights > 1 - EPSILON
    groups = components(order, tails[ones], heads[ones])
    if int(groups.max()) >= MAX_CONTRACTED:
        return []
    between = groups[tails] != groups[heads]
    capacities = np.rint(UNIT * weights[between]).astype(np.int64)
    count, found = int(groups.max()) + 1, []
    network, others = SimpleMaxFlow(), np.arange(1, count, dtype=np.int32)
    network.add_arcs_with_capacity(groups[tails[between]], groups[heads[between]], capacities)
    network.add_arcs_with_capacity(groups[heads[between]], groups[tails[between]], capacities)
    from_first = network.add_arcs_with_capacity(np.zeros_like(others), others, np.zeros(count - 1, dtype=np.int64))
    for group, arc in zip(others.tolist(), from_first.tolist(), strict=True):
        network.solve(0, group)
        if network.optimal_flow() < 2 * UNIT - 10:
            found.append(np.flatnonzero(np.isin(groups, network.get_sink_side_min_cut())).tolist())
        network.set_arc_capacity(arc, 2 * UNIT)
        tick()
    return found


def violated_cuts_of_route(cycle: CycleRows, point: Floats, tick: Callable[[], None]) -> list[Vertices]:
    """Return cut sets, each after a vertex outside, that a route violates which may leave vertices out; ``point`` has
    the values of all variables.

    The vertex outside is the apex, or the one that is visited most. From it a minimum cut parts each other vertex that
    none so far does, those visited most first. ``tick`` is called after each flow.
    """
    visits, edges = np.ones(cycle.order), np.rint(UNIT * point[: cycle.size]).astype(np.int64)
    visits[list(cycle.stated.left_out)] -= point[cycle.size :]
    outside = int(visits.argmax()) if cycle.apex is None else cycle.apex
    network, found, parted = SimpleMaxFlow(), list[Vertices](), {outside}
    both = np.concatenate([[cycle.tails, cycle.heads], [cycle.heads, cycle.tails]], axis=1)
    network.add_arcs_with_capacity(*both, np.tile(edges, 2))
    for vertex in np.argsort(-visits, kind="stable").tolist():
        if vertex not in parted and (least := 2 * UNIT * (visits[vertex] + visits[outside] - 1) - 10) > 0:
            network.solve(outside, vertex)
            if network.optimal_flow() < least:
                inside = {*network.get_sink_side_min_cut()}
                found.append((outside, vertex, *sorted(inside - {vertex})))
                parted |= inside
            tick()
    return found


def shores_of(parts: Ints) -> list[list[int]]:
    """Return the vertices of each part, given the number of each vertex's part, such that no two shores have the same
    cut set.

    Of two parts, which share one, only part 0 is returned; of a single part, nothing.
    """
    count = int(parts.max()) + 1
    return [np.flatnonzero(parts == part).tolist() for part in range(1 if count == 2 else count if count > 2 else 0)]


# --- the free support ---


def free_support(cycle: CycleRows, point: Floats) -> Flags:
    """Return a flag for each edge: True if it is positive at some point with degree 2 at each vertex.

    ``point`` is one such point.
    """
    edges = np.flatnonzero(cycle.undecided)
    lefts = np.concatenate([cycle.tails[edges], cycle.heads[edges]])
    rights = np.concatenate([cycle.heads[edges], cycle.tails[edges]]) + cycle.order
    value = np.tile(point[edges], 2)
    rises, falls = value < 1 - EPSILON, value > EPSILON
    arcs = np.concatenate([np.stack([lefts[rises], rights[rises]]), np.stack([rights[falls], lefts[falls]])], axis=1)
    component = strong_components(2 * cycle.order, arcs[0], arcs[1])
    support = point > EPSILON
    support[edges] |= component[cycle.tails[edges]] == component[cycle.heads[edges] + cycle.order]
    return support


def strong_components(order: int, tails: NDArray[np.integer], heads: NDArray[np.integer]) -> Longs:
    """Return the number of each vertex's strongly connected component (Sharir 1981).

    A depth-first search along the arcs leaves the vertices in an order, and one against them, from those left last,
    finds the components.
    """
    along, against = ([list[int]() for _ in range(order)] for _ in range(2))
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        along[tail].append(head)
        against[head].append(tail)
    seen = [False] * order
    left = [vertex for root in range(order) for vertex in _depth_first(along, root, seen)]
    component, seen = np.zeros(order, dtype=np.int64), [False] * order
    for number, root in enumerate(reversed(left)):
        component[_depth_first(against, root, seen)] = number
    return component


def _depth_first(targets: list[list[int]], root: int, seen: list[bool]) -> list[int]:
    """Mark the unseen vertices that can be reached from the root, and return them in the order in which a depth-first
    search leaves them."""
    if seen[root]:
        return []
    seen[root] = True
    left, path = [], [(root, iter(targets[root]))]
    while path:
        vertex, to_try = path[-1]
        following = next((target for target in to_try if not seen[target]), None)
        if following is None:
            left.append(vertex)
            path.pop()
        else:
            seen[following] = True
            path.append((following, iter(targets[following])))
    return left
