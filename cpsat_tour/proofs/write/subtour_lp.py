"""The subtour linear program (Dantzig, Fulkerson & Johnson 1954), asked whether it is infeasible: then there is no
tour.

One variable ``0 <= x <= 1`` per edge, degree 2 at each vertex, and for vertex sets S ``x(δ(S)) >= 2``, added as they
turn out to be violated. The program is *elastic*: each row may be missed at a price of 1. It always has an optimum;
where that is positive, the dual values are Farkas multipliers, at most 1 in absolute value, of a contradiction. GLOP
solves it and goes on from its last basis when rows are added.

Which cut sets: a basic solution has small support, and the cycles it falls into are accidents. So the first cut sets
come from the
*free support*, the edges that any solution of the degree rows can use at all: where these edges don't connect the
graph, the degrees alone forbid what would, and a few cut sets finish (on 4 x n boards this is Pósa's argument). After
that, components of the support and minimum cuts in rounds.

Short multipliers: given the rows of an infeasible program, a second one asks for multipliers of least sum with gain 1;
its basic solutions have few terms and small denominators. Limits: floating point proposes; what it proposes is a
refutation only after exact evaluation.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from ortools.linear_solver import pywraplp

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.run import Watch, awaited, second_thread, unwatched
from cpsat_tour.models.subtours import CutSet, cutting_planes
from cpsat_tour.proofs.write.combination import Combination, refutation
from cpsat_tour.proofs.write.cuts import EPSILON, Floats, free_support, shores_of, violated_cuts
from cpsat_tour.proofs.write.plain import components
from cpsat_tour.proofs.write.rows import CycleRows, Vertices

PRICE_OF_A_BOUND = 0.01
"""What a multiplier of ``x <= 1`` costs beside one of a row, when they are to be few."""

ENOUGH_CUT_SETS_TO_DROP = 60
"""Above so many cut sets in a refutation they are not dropped one by one."""


def ask_program(
    cycle: CycleRows, known: list[Vertices], watch: Watch, rounds: int | None = None
) -> tuple[Combination | NDArray[np.int64] | None, bool]:
    """Add violated cut sets to those that are known until the program is infeasible, none is violated, or they were
    added so many times.

    Return the refutation, or a cycle's edges, where the solution is one, or None, also where no exact refutation was
    found; and False where the rounds did not suffice. `StoppedEarly` at a limit.
    """
    program = ElasticProgram(cycle, watch, rounds)
    for shore in known:
        program.add(shore, cycle.cut(shore))
    try:
        point = next(cutting_planes(program, program.violated, cycle, watch), None)
    except _RoundsOver:
        return None, False
    finally:
        known[:] = program.cut_sets
    if point is None:
        return short_refutation(cycle, program, watch.clock), True
    return np.flatnonzero(point > 0.5) if bool((np.minimum(point, 1 - point) < EPSILON).all()) else None, True


class _RoundsOver(Exception):
    """Cut sets were added as often as they may be."""


class ElasticProgram:
    """The elastic subtour program with the cut sets added so far, as a relaxation whose solutions are fractional.

    ``cut_sets`` has the edges of each by its shore. `StoppedEarly` if the time is over before the program is built.
    """

    def __init__(self, cycle: CycleRows, watch: Watch, rounds: int | None = None) -> None:
        self.cut_sets: dict[Vertices, Ints] = {}
        self._cycle, self._watch, self._rounds = cycle, watch, rounds
        self._cut_rows: dict[Vertices, pywraplp.Constraint] = {}
        self._solver = _glop()
        self._solver.Objective().SetMinimization()
        least, most = np.zeros(cycle.size), np.ones(cycle.size)
        least[cycle.required] = 1
        most[cycle.forbidden] = 0
        self._edges = [
            self._solver.NumVar(low, high, "") for low, high in zip(least.tolist(), most.tolist(), strict=True)
        ]
        self._degrees = [self._solver.Constraint(2, 2) for _ in range(cycle.order)]
        for row, edges in zip(self._degrees, cycle.incidence, strict=True):
            for edge in edges:
                row.SetCoefficient(self._edges[edge], 1)
            self._may_be_missed(row, 1)
            self._may_be_missed(row, -1)
            watch.clock.check()

    def _may_be_missed(self, row: pywraplp.Constraint, sign: int) -> None:
        slack = self._solver.NumVar(0, self._solver.infinity(), "")
        row.SetCoefficient(slack, sign)
        self._solver.Objective().SetCoefficient(slack, 1)

    def add(self, shore: Vertices, edges: Ints) -> None:
        """Add the cut set of this shore, which has these edges."""
        self.cut_sets[shore] = edges
        row = self._cut_rows[shore] = self._solver.Constraint(2, self._solver.infinity())
        for edge in edges.tolist():
            row.SetCoefficient(self._edges[edge], 1)
        self._may_be_missed(row, 1)

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add these cut sets."""
        for cut_set in cut_sets:
            self.add(tuple(cut_set.shore.tolist()), cut_set.edges)

    def block(self, point: Floats) -> None:
        """No linear program can exclude one point: of this relaxation only the first solution may be asked for."""
        raise NotImplementedError

    def solve(self) -> list[Floats]:
        """The edges' values in an optimum, found from the last basis; none where the optimum misses a row, so that a
        dual refutes the rows."""
        self._watch.heartbeat()
        if self._watch.work.get("rounds", 0) == self._rounds:
            raise _RoundsOver
        if not _solved(self._solver, self._watch.clock.left):
            raise StoppedEarly("time")
        return [self.point] if self._solver.Objective().Value() <= EPSILON else []

    def violated(self, point: Floats) -> list[CutSet]:
        """Cut sets that the point violates: while there are none, those that part the free support; then those that
        orderings show."""
        found: dict[Vertices, CutSet] = {}
        for vertices in self._violated_shores(point):
            shore = self._cycle.shore(vertices)
            if shore not in self.cut_sets:
                found[shore] = CutSet(np.array(shore, dtype=np.int32), self._cycle.cut(shore))
            self._watch.clock.check()
        return list(found.values())

    def _violated_shores(self, point: Floats) -> list[list[int]]:
        cycle = self._cycle
        if not self.cut_sets:
            support = free_support(cycle, point)
            parts = components(cycle.order, cycle.tails[support], cycle.heads[support])
            if parts.any():
                return shores_of(parts)
        return violated_cuts(cycle.order, cycle.tails, cycle.heads, point, self._watch.clock.check)

    @property
    def point(self) -> Floats:
        """The edges' values."""
        return np.array([edge.solution_value() for edge in self._edges])

    @property
    def multipliers(self) -> tuple[dict[int, float], dict[Vertices, float]]:
        """The dual values of the degree rows and of the cut sets."""
        return (
            {vertex: row.dual_value() for vertex, row in enumerate(self._degrees)},
            {shore: row.dual_value() for shore, row in self._cut_rows.items()},
        )


def short_refutation(cycle: CycleRows, program: ElasticProgram, clock: Clock) -> Combination | None:
    """A refutation with few and small multipliers from the rows of an infeasible program, evaluated exactly."""
    vertices, cut_sets = program.multipliers
    best = _rational(cycle, vertices, cut_sets)
    return (
        None if best is None else _without_needless_cut_sets(cycle, shorter(cycle, best, clock, list(cut_sets)), clock)
    )


def shorter(cycle: CycleRows, found: Combination, clock: Clock, shores: Sequence[Vertices] = ()) -> Combination:
    """The refutation, or one from the degree rows and these cut sets that is shorter."""
    least = None if clock.expired else short_multipliers(cycle, shores, clock.left)
    return found if least is None else min(found, least, key=_length)


def _without_needless_cut_sets(cycle: CycleRows, best: Combination, clock: Clock) -> Combination:
    """Drop one cut set after the other, the largest first, as long as what remains is refuted no longer than before.

    One stays: the program had a solution before there was any.
    """
    if len(best.cut_sets) > ENOUGH_CUT_SETS_TO_DROP:
        return best
    for shore in sorted(best.cut_sets, key=len, reverse=True):
        if shore in best.cut_sets and len(best.cut_sets) > 1 and not clock.expired:
            shorter = short_multipliers(cycle, [other for other in best.cut_sets if other != shore], clock.left)
            if shorter is not None and _length(shorter) <= _length(best):
                best = shorter
    return best


def _length(combination: Combination) -> tuple[int, int]:
    """How much there is to read: rows and bounds, a cut set counting for its shore."""
    return combination.terms + sum(map(len, combination.cut_sets)), combination.gain


def short_multipliers(cycle: CycleRows, shores: Sequence[Vertices], seconds: float | None = None) -> Combination | None:
    """The refutation of gain 1 whose multipliers have the least sum, from the degree rows and these cut sets; None if
    there is none.

    The coefficient of a free edge in the sum of rows is at most its ``rise``, the multiplier of ``x <= 1``; a required
    edge takes its coefficient from the gain.
    """
    solver = _glop()
    infinity = solver.infinity()
    solver.Objective().SetMinimization()
    plus, minus, cuts = (_priced(solver, count) for count in (cycle.order, cycle.order, len(shores)))
    sums = {edge: solver.Constraint(-infinity, 0) for edge in np.flatnonzero(cycle.undecided).tolist()}
    gain = solver.Constraint(1, infinity)
    required = set(cycle.required.tolist())
    rows = [(edges, [(plus[vertex], 1), (minus[vertex], -1)]) for vertex, edges in enumerate(cycle.incidence)]
    rows += [(cycle.cut(shore).tolist(), [(variable, 1)]) for shore, variable in zip(shores, cuts, strict=True)]
    for edges, terms in rows:
        for variable, sign in terms:
            gain.SetCoefficient(variable, sign * (2 - len(required.intersection(edges))))
            for edge in edges:
                if edge in sums:
                    sums[edge].SetCoefficient(variable, sign)
    for rise, row in zip(_priced(solver, len(sums), PRICE_OF_A_BOUND), sums.values(), strict=True):
        row.SetCoefficient(rise, -1)
        gain.SetCoefficient(rise, -1)
    if not _solved(solver, seconds):
        return None
    vertices = {vertex: plus[vertex].solution_value() - minus[vertex].solution_value() for vertex in range(cycle.order)}
    return _rational(
        cycle, vertices, {shore: variable.solution_value() for shore, variable in zip(shores, cuts, strict=True)}
    )


def _priced(solver: pywraplp.Solver, count: int, price: float = 1.0) -> list[pywraplp.Variable]:
    variables = [solver.NumVar(0, solver.infinity(), "") for _ in range(count)]
    for variable in variables:
        solver.Objective().SetCoefficient(variable, price)
    return variables


def _rational(cycle: CycleRows, vertices: dict[int, float], cut_sets: dict[Vertices, float]) -> Combination | None:
    """The refutation with the fractions nearest to these multipliers, of the least denominators that make it one."""
    for most in (2, 12, 120, 2520):
        found = refutation(
            cycle,
            {
                vertex: Fraction(value).limit_denominator(most)
                for vertex, value in vertices.items()
                if abs(value) > EPSILON
            },
            {shore: Fraction(value).limit_denominator(most) for shore, value in cut_sets.items() if value > EPSILON},
        )
        if found is not None:
            return found
    return None


def _glop() -> pywraplp.Solver:
    solver = pywraplp.Solver.CreateSolver("GLOP")
    solver.SuppressOutput()
    return solver


def _solved(solver: pywraplp.Solver, seconds: float | None) -> bool:
    """Solve within the time, in the background; False where there is no optimum or the time did not suffice."""
    if seconds is not None:
        solver.SetTimeLimit(max(1, int(1000 * seconds)))
    parameters = pywraplp.MPSolverParameters()
    parameters.SetIntegerParam(parameters.INCREMENTALITY, parameters.INCREMENTALITY_ON)
    with second_thread() as thread:
        status = awaited(thread, lambda: solver.Solve(parameters), unwatched, solver.InterruptSolve)
    return bool(status == solver.OPTIMAL)
