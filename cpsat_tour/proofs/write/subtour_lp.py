"""The subtour linear program (Dantzig, Fulkerson & Johnson 1954): if it is infeasible, there is no tour; and branch and
bound over it, for a proof that no tour is better.

One variable ``0 <= x <= 1`` per edge, degree 2 at each vertex, and for vertex sets S ``x(δ(S)) >= 2``, added as they
turn out to be violated. The program is *elastic*: each row may be missed at a price of 1. It always has an optimum;
where that is positive, the dual values are Farkas multipliers, at most 1 in absolute value, of a contradiction. GLOP
solves it and goes on from its last basis when rows are added.

The first cut sets come from the *free support*, the edges that any solution of the degree rows can use: if these don't
connect the graph, a few cut sets finish (on 4 x n boards this is Pósa's argument). After that, the components of the
support of each solution, or minimum cuts. An edge of weight 1 never has to cross a violated cut, so paths of such edges
are contracted first (Padberg & Rinaldi 1990). Then each vertex is parted from the first ones by a maximum flow, and
joined to them: a violated cut that is left to be found does not part these.

Given the rows of an infeasible program, a second one asks for multipliers of least sum with gain 1; its basic solutions
have few terms and small denominators. Limits: what floating point proposes is a refutation only after exact evaluation;
cuts are not sought among more than `MAX_CONTRACTED` contracted vertices.

Branch and bound (Land & Doig 1960) solves linear programs, exact at each leaf. Each has a variable for each edge and
each pair of moves in line, the rows of the formula, rivals (`tree`), and cut sets as they turn out violated. Without
rivals it would take half of each edge and half of each pair. It is elastic too: the rows of vertices and cut sets may
be missed, at a price that no pairs pay.

At a node some edges are decided. If the optimum is no better than the best, the dual values, as fractions, are the
multipliers of a sum of rows: a leaf. What it says stays true when a better tour is found. If the first branch at an
edge does without it, the second is left out. Which edge promises most shows in trials of both sides, two for each edge
(reliability branching; Achterberg, Koch & Martin 2005).

Limits: there are rivals only where the tour is to have many pairs, with a common vertex, as for few turns; of
crossings the program sees little. The tree grows with the distance between the root's optimum and the best.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from math import ceil, prod
from operator import sub
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python.max_flow import SimpleMaxFlow
from ortools.linear_solver import pywraplp

from cpsat_tour.core.errors import BackendFault, StoppedEarly
from cpsat_tour.core.limits import Clock
from cpsat_tour.core.run import Watch, no_heartbeat, run_on_thread, second_thread
from cpsat_tour.core.space import Floats, Ints
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.models.loop.subtours import CutSet, cutting_planes
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.worth import BestClaim
from cpsat_tour.proofs.write.clauses import solution_step, values_of
from cpsat_tour.proofs.write.combination import Combination, refutation
from cpsat_tour.proofs.write.plain import components
from cpsat_tour.proofs.write.support import EPSILON, free_support
from cpsat_tour.proofs.write.tree import Clause, TreeProof, rivals_of, sum_of
from cpsat_tour.proofs.write.veripb import CycleRows, ProofStep, TourEdges, Vertices

PRICE_OF_A_BOUND = 0.01
"""What a multiplier of ``x <= 1`` costs beside one of a row, when they are to be few."""

ENOUGH_CUT_SETS_TO_DROP = 60
"""With more cut sets than this in a refutation they are not dropped one by one."""

MAX_CONTRACTED = 3000

UNIT = 10**6
"""What a weight of 1 is as a capacity, which is a whole number."""

_value = pywraplp.Variable.solution_value

Terms = Iterable[tuple[pywraplp.Variable, float]]


def run_program(
    cycle: CycleRows, known: list[Vertices], watch: Watch, rounds: int | None = None
) -> tuple[Combination | NDArray[np.int64] | None, bool]:
    """Return a pair: the refutation, or the edges of a cycle if the solution is one, or None; and True if the program
    was finished within the rounds allowed.

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
    return shorten_refutation(cycle, *program.multipliers(), watch.clock), True


class Program:
    """A linear program that GLOP minimises, from its last basis, with these parameters of its own."""

    def __init__(self, parameters: str = "") -> None:
        self._solver = pywraplp.Solver.CreateSolver("GLOP")
        self._solver.SuppressOutput()
        self._solver.SetSolverSpecificParametersAsString(parameters)
        self._objective = self._solver.Objective()
        self._objective.SetMinimization()
        self.infinity: float = self._solver.infinity()

    def variable(self, price: float, least: float = 0.0, most: float | None = None) -> pywraplp.Variable:
        """Return a new variable, which costs this price, without an upper bound unless one is given."""
        added = self._solver.NumVar(least, self.infinity if most is None else most, "")
        if price:
            self._objective.SetCoefficient(added, price)
        return added

    def row(self, least: float, most: float, terms: Terms) -> pywraplp.Constraint:
        """Return a new row of the program, the sum of the terms within the bounds. No variable may come twice."""
        added = self._solver.Constraint(least, most)
        for variable, coefficient in terms:
            added.SetCoefficient(variable, coefficient)
        return added

    def optimum(self, seconds: float | None) -> float | None:
        """Return the least cost, found in the background; None if no optimum was found in time."""
        if seconds is not None:
            self._solver.SetTimeLimit(max(1, int(1000 * seconds)))
        parameters = pywraplp.MPSolverParameters()
        parameters.SetIntegerParam(parameters.INCREMENTALITY, parameters.INCREMENTALITY_ON)
        with second_thread() as thread:
            status = run_on_thread(
                thread, lambda: self._solver.Solve(parameters), no_heartbeat, self._solver.InterruptSolve
            )
        return self._objective.Value() if status == self._solver.OPTIMAL else None


class ElasticProgram:
    """The elastic subtour program with the cut sets added so far, as a relaxation whose solutions are fractional.

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
        """Add these cut sets."""
        for cut_set in cut_sets:
            terms = [(self._edges[edge], 1) for edge in cut_set.edges.tolist()]
            row = self._program.row(2, self._program.infinity, [*terms, (self._program.variable(1), 1)])
            self.cut_sets[tuple(cut_set.shore.tolist())] = row

    def block(self, point: Floats) -> None:
        """Raise: no linear program can exclude one point, so that only the first solution may be asked for."""
        raise NotImplementedError

    def solve(self) -> Floats | None:
        """Return the edges' values in an optimum, found from the last basis; None if it misses a row, so that the dual
        values refute the rows. `StoppedEarly` when the time is over."""
        self._watch.heartbeat()
        if (missed := self._program.optimum(self._watch.clock.left)) is None:
            raise StoppedEarly("time")
        return np.array(list(map(_value, self._edges))) if missed <= EPSILON else None

    def violated(self, point: Floats) -> list[CutSet]:
        """Return the new cut sets that the point violates: those that part the free support, if none were found so far;
        else, or if there are none, those that the point's own edges show."""
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

    def multipliers(self) -> tuple[dict[int, float], dict[Vertices, float]]:
        """Return the dual values of the degree rows, by vertex, and of the cut sets, by shore."""
        dual = pywraplp.Constraint.dual_value
        cut_sets = zip(self.cut_sets, map(dual, self.cut_sets.values()), strict=True)
        return dict(enumerate(map(dual, self._degrees))), dict(cut_sets)


# --- short multipliers ---


def shorten_refutation(
    cycle: CycleRows, vertices: dict[int, float], cut_sets: dict[Vertices, float], clock: Clock
) -> Combination | None:
    """Return a refutation with few and small multipliers from the rows that these multipliers refute, evaluated
    exactly; None if rounding them gives none.

    Cut sets are dropped one by one, the largest first, as long as that makes it no longer. One stays: the program had a
    solution before there was any.
    """
    best = _rounded_refutation(cycle, vertices, cut_sets)
    if best is None:
        return None
    best = shorter(cycle, best, clock, list(cut_sets))
    if len(best.cut_sets) > ENOUGH_CUT_SETS_TO_DROP:
        return best
    for shore in sorted(best.cut_sets, key=len, reverse=True):
        if shore in best.cut_sets and len(best.cut_sets) > 1 and not clock.expired:
            without = find_short_multipliers(cycle, [other for other in best.cut_sets if other != shore], clock.left)
            if without is not None and _reading_effort(without) <= _reading_effort(best):
                best = without
    return best


def shorter(cycle: CycleRows, found: Combination, clock: Clock, shores: Sequence[Vertices] = ()) -> Combination:
    """Return the refutation, or one that is shorter, from the degree rows and these cut sets, if it is found before the
    time is over."""
    least = None if clock.expired else find_short_multipliers(cycle, shores, clock.left)
    return found if least is None else min(found, least, key=_reading_effort)


def _reading_effort(combination: Combination) -> tuple[int, int]:
    """Return how much people have to read, rows and bounds and the vertices of each shore; and the gain, for ties."""
    return combination.term_count + sum(map(len, combination.cut_sets)), combination.gain


def find_short_multipliers(
    cycle: CycleRows, shores: Sequence[Vertices], seconds: float | None = None
) -> Combination | None:
    """Return the refutation of gain 1 whose multipliers have the least sum, from the degree rows and these cut sets;
    None if there is none, or none was found in so many ``seconds``.

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
    if program.optimum(seconds) is None:
        return None
    vertices = dict(enumerate(map(sub, map(_value, plus), map(_value, minus))))
    return _rounded_refutation(cycle, vertices, dict(zip(shores, map(_value, cuts), strict=True)))


def _rounded_refutation(
    cycle: CycleRows, vertices: dict[int, float], cut_sets: dict[Vertices, float]
) -> Combination | None:
    """Return the refutation with the fractions nearest to these multipliers, of the least denominators that give one;
    else None."""
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
    """Return the vertices of each shore whose cut set is found to weigh less than 2: components of the support if there
    are several, else shores of minimum cuts. The list is empty if there are none, or the graph is too large.

    ``tick`` is called after each flow.
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


def shores_of(parts: Ints) -> list[list[int]]:
    """Return the vertices of each part, given the number of each vertex's part; of two parts, whose cut sets are one,
    only those of part 0; of one part, an empty list."""
    count = int(parts.max()) + 1
    return [np.flatnonzero(parts == part).tolist() for part in range(1 if count == 2 else count if count > 2 else 0)]


Leaf = tuple[Mapping[int, int], Mapping[int, bool]]
"""The multipliers of rows, and the decided edges."""

SCALES = (1, 2, 12, 120, 2520, 10**5, 10**7)
"""The denominators of multipliers, of which the first that proves something is taken."""

FROM_THE_LAST_BASIS = "use_preprocessing: false use_dual_simplex: true"
"""Parameters of GLOP: after a change of bounds it takes a tenth of the iterations that it takes without them."""

TRIED, RELIABLE = 6, 2
"""So many edges of a node are tried, each at so many nodes."""

MOST_GAIN, LEAST_GAIN = 3.0, 1e-3
"""Between these the gains of two sides are multiplied."""


def refute_by_bounds(
    cycle: CycleRows,
    best: TourEdges,
    claim: BestClaim,
    watch: Watch,
    better: Callable[[Ints], object],
    bound: Callable[[int], object],
) -> TreeProof:
    """Return the proof that no tour is better than ``best``, given by its edges, or than the last of those that
    ``better`` is called with, as vertices, each better than the one before; ``bound`` is called with what the first
    program says. If the claim is that of a bound without a tour, the first program has to prove it.

    `StoppedEarly` at a limit; `BackendFault` if a tour is better than such a bound.
    """
    search = _BranchAndBound(cycle, best, claim, watch, better, bound)
    search.refute({})
    shown = [solution_step("soli", values_of(cycle, search.best))] if claim.shown else []
    return TreeProof(tuple(search.shores), (*shown, *search.rivals), search.words(), search.claim)


class _BranchAndBound:
    """The program with its ``rows`` so far as constraints, row 0 that a tour is better than the ``best`` of the
    ``claim`` and not in the program; the steps that derive its ``rivals``, the ``shores`` of its cut sets, and the
    ``sums`` so far: multipliers and decided edges of a leaf, or the words that add two sums up."""

    def __init__(
        self,
        cycle: CycleRows,
        best: TourEdges,
        claim: BestClaim,
        watch: Watch,
        better: Callable[[Ints], object],
        bound: Callable[[int], object],
    ) -> None:
        worth = cycle.stated.worth
        assert worth is not None
        self._cycle, self._watch, self._better, self._bound = cycle, watch, better, bound
        self.best, self.claim = best, claim
        self._program, self._price = Program(FROM_THE_LAST_BASIS), len(worth.pairs) + 1
        self._variables = [self._program.variable(0, 0, 1) for _ in range(cycle.size)]
        self._variables += [self._program.variable(worth.weight, 0, 1) for _ in worth.pairs]
        self._duals, self._gains = list[pywraplp.Constraint](), defaultdict[tuple[int, int], list[float]](list)
        self.rows, self.rivals = [worth.better_than(claim.sign * claim.value)], list[ProofStep]()
        self.shores, self.sums = dict[Vertices, None](), list[Leaf | str]()
        for row in cycle.stated.rows:
            self._state(row.constraint(at_most=False), signs=(1, -1) if row.relation == "=" else ())
        self._equal = sum(row.relation == "=" for row in cycle.stated.rows)  # these come first
        for step, rival in rivals_of(cycle, worth).values():
            self.rivals.append(step)
            self._state(rival)

    def _state(self, row: Constraint, signs: tuple[int, ...] = ()) -> None:
        """Add a row to the program, an ``=`` if it may be missed by either sign; `StoppedEarly` if the time is over."""
        self._watch.clock.check()
        terms = [(self._variables[variable - 1], number) for variable, number in row.terms.items()]
        terms += [(self._program.variable(self._price), sign) for sign in signs]
        most = row.bound if len(signs) == 2 else self._program.infinity
        self._duals.append(self._program.row(row.bound, most, terms))
        self.rows.append(row)

    def _optimum(self) -> float:
        """Return the least cost of the program; `StoppedEarly` when the time is over."""
        self._watch.heartbeat()
        if (least := self._program.optimum(self._watch.clock.left)) is None:
            raise StoppedEarly("time")
        return least

    def refute(self, decided: dict[int, bool]) -> Clause:
        """Return the clause, which the last of the sums derives, that one of the decided edges is otherwise in each
        tour that is better than the best, and than those that are found meanwhile."""
        cycle = self._cycle
        self._watch.work["nodes"] = self._watch.work.get("nodes", 0) + 1
        while True:
            least = self._optimum()
            if least + self.rows[0].bound > EPSILON and (clause := self._leaf(decided)) is not None:
                return clause
            point = np.array([edge.solution_value() for edge in self._variables[: cycle.size]])
            shores = violated_shores(cycle.order, cycle.tails, cycle.heads, point, self._watch.clock.check)
            new = dict.fromkeys(shore for shore in map(cycle.shore, shores) if shore not in self.shores)
            self.shores |= new
            for shore in new:
                self._state(cycle.stated.cut_row(shore).constraint(at_most=False), signs=(1,))
            if new:
                continue
            if not decided:
                self._bound(self.claim.value + self.claim.sign * (ceil(least - EPSILON) + self.rows[0].bound - 1))
            if (edge := self._edge_to_decide(point, least)) is not None:
                break
            self._take(np.flatnonzero(point > 0.5), round(least))
        sides = []
        for value in sorted((0, 1), key=lambda value: abs(value - point[edge])):
            self._variables[edge].SetBounds(value, value)
            clause = self.refute(decided | {edge + 1: bool(value)})
            self._variables[edge].SetBounds(0, 1)
            literal = -edge - 1 if value else edge + 1
            if literal not in clause:
                return clause
            sides.append((len(self.sums) - 1, clause - {literal}))
        (first, one), (second, other) = sides
        self.sums.append(f"s{first} s{second} + s")
        return one | other

    def _take(self, edges: NDArray[np.int64], worth: int) -> None:
        """Take these edges for the best tour; `BackendFault` if it is no better than the last."""
        cycle, gain = self._cycle, 1 - worth - self.rows[0].bound
        if gain <= 0 or not self.claim.shown:
            fault = "no multipliers of a program are exact enough" if gain <= 0 else "a tour is better than the bound"
            raise BackendFault(f"branch and bound: {fault}")
        self.rows[0] = replace(self.rows[0], bound=1 - worth)
        self.best = tuple(edges.tolist())
        self.claim = replace(self.claim, value=self.claim.value - self.claim.sign * gain)
        (found,) = two_factor_cycles(cycle.order, cycle.tails[edges], cycle.heads[edges], directed=False)
        self._better(cycle.tour(found))

    def words(self) -> tuple[str, ...]:
        """Return the words of all sums, those of a leaf by what row 0 says now."""
        shown, words = self.claim.shown, list[str]()
        for found in self.sums:
            completed = (found, ()) if isinstance(found, str) else sum_of(self.rows, *found, shown=shown)
            assert completed is not None, "row 0 says more now than when the leaf was found"
            words.append(completed[0])
        return tuple(words)

    def _leaf(self, decided: Mapping[int, bool]) -> Clause | None:
        """Add the sum of rows by their dual values, and return its clause; None if rounding them gives none."""
        duals = [row.dual_value() for row in self._duals]
        for scale in SCALES:
            whole = ((row, round(scale * dual)) for row, dual in enumerate(duals, start=1))
            multipliers = {row: number for row, number in whole if number > 0 or (number and row <= self._equal)}
            leaf = ({0: scale} | multipliers, decided)
            if found := sum_of(self.rows, *leaf, shown=self.claim.shown):
                self.sums.append(leaf)
                return found[1]
        return None

    def _edge_to_decide(self, point: Floats, least: float) -> int | None:
        """Return the edge of those that are fractional whose two sides raise the optimum most, as far as trials have
        shown; None if there is none."""

        def promise(edge: int) -> float:
            gains = (fmean(self._gains[edge, value] or [1]) * abs(value - point[edge]) for value in (0, 1))
            return prod(max(LEAST_GAIN, gain) for gain in gains)

        fractional = np.flatnonzero(np.minimum(point, 1 - point) > EPSILON).tolist()
        edges = sorted(fractional, key=promise, reverse=True)[:TRIED]
        for edge, value in product(edges, (0, 1)):
            if len(gains := self._gains[edge, value]) < RELIABLE:
                self._variables[edge].SetBounds(value, value)
                gains.append(min(MOST_GAIN, self._optimum() - least) / abs(value - point[edge]))
                self._variables[edge].SetBounds(0, 1)
        return max(edges, key=promise, default=None)
