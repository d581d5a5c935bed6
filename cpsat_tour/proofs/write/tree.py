"""Proofs that no tour is better by branch and bound (Land & Doig 1960): a tree of linear programs, exact at each leaf.

The program has a variable for each edge and each pair of moves in line, the rows of the formula, and cut sets as they
turn out violated. *Rivals* are an edge at a vertex and the pairs there without it, of which at most one is used: a pair
takes two edges, so that half of the degree row says that, rounded (Gomory 1958). Without rivals the program takes half
of each. It is elastic, as `subtour_lp`: the rows of vertices and cut sets may be missed, at a price that no pairs pay.

At a node some edges are decided. If the optimum is no better than the best, the dual values, as fractions, multiply the
rows; then each variable cancels but decided edges, and what is left says that one of these is otherwise, a clause. Two
clauses that differ in an edge add up to one without it, so that the root's is empty. If the first branch at an edge
does without it, the second is left out. Which edge promises most shows in trials of both sides, two for each edge
(reliability branching; Achterberg, Koch & Martin 2005).

In a sum ``r5`` is the row 5, in the order of the program, row 0 says that a tour is better, ``n5`` is the other half of
an ``=``, and ``s5`` is the sum 5: ids are known when all cut sets are.

Limits: there are rivals only where the tour is to have many pairs, with a common vertex, as for few turns; of
crossings the program sees little. The tree grows with the distance between the root's optimum and the best.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from statistics import fmean
from typing import ClassVar

import numpy as np
from ortools.linear_solver import pywraplp

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.refutation import RefutationKind
from cpsat_tour.core.run import Watch
from cpsat_tour.core.space import Floats
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.worth import BestClaim, Worth
from cpsat_tour.proofs.write.clauses import solution_step, values_of
from cpsat_tour.proofs.write.combination import added
from cpsat_tour.proofs.write.cycle_rows import CycleRows, TourEdges, Vertices
from cpsat_tour.proofs.write.subtour_lp import Program, violated_shores
from cpsat_tour.proofs.write.support import EPSILON
from cpsat_tour.proofs.write.veripb import ProofStep, RowFormula

SCALES = (1, 2, 12, 120, 2520, 10**5, 10**7)
"""The denominators of multipliers, of which the first that proves something is taken."""

FROM_THE_LAST_BASIS = "use_preprocessing: false use_dual_simplex: true"
"""Parameters of GLOP: after a change of bounds it takes a tenth of the iterations that it takes without them."""

TRIED, RELIABLE = 6, 2
"""So many edges of a node are tried, each at so many nodes."""

MOST_GAIN, LEAST_GAIN = 3.0, 1e-3
"""Between these the gains of two sides are multiplied."""

Clause = frozenset[int]


@dataclass(frozen=True, eq=False)
class TreeProof:
    """The proof that nothing is better than ``best``: the shores of cut sets, the steps that show the best tour and
    derive the rivals, and the sums, the last of which is a contradiction, or the bound if no tour is shown."""

    cut_sets: tuple[Vertices, ...]
    derived: tuple[ProofStep, ...]
    sums: tuple[str, ...]
    best: BestClaim

    method: ClassVar[RefutationKind] = "lp"
    tours: ClassVar = None

    @property
    def length(self) -> int:
        """The number of constraints that the proof derives."""
        return len(self.derived) + len(self.sums)

    def steps(self, formula: RowFormula) -> Iterator[ProofStep]:
        """Yield the steps of the proof from the formula's rows."""
        yield from self.derived
        stated, first = len(formula.cycle.stated.rows), formula.ids + 1
        last = first + len(self.derived)
        ids = [first, *formula.row_ids[:stated], *range(first + self.best.shown, last), *formula.row_ids[stated:]]
        named = {"r": ids, "n": [number + 1 for number in ids], "s": range(last, last + len(self.sums))}
        for words in self.sums:
            yield ProofStep("pol", (re.sub(r"([rns])(\d+)", lambda name: str(named[name[1]][int(name[2])]), words),))


def sum_of(
    rows: Sequence[Constraint], multipliers: Mapping[int, int], decided: Mapping[int, bool], *, shown: bool = True
) -> tuple[str, Clause] | None:
    """Return the sum with these multipliers, completed and evaluated exactly, and the clause that it says: one of the
    decided variables has another value; None if it says nothing. If no tour is ``shown``, row 0 is left out of the sum,
    which says in its place that no tour is so good."""
    terms = [(f"{'r' if number > 0 else 'n'}{row}", abs(number)) for row, number in multipliers.items() if row or shown]
    total, clause = Constraint({}, 0), set[int]()
    for row, number in multipliers.items():
        total = total.plus(rows[row].times(number))
    gain = total.bound
    for variable, coefficient in total.terms.items():
        kept = decided.get(variable) is (coefficient < 0)
        gain -= coefficient if kept is (coefficient < 0) else 0
        if kept:
            clause.add(variable if coefficient > 0 else -variable)
        else:
            terms.append((f"{'~' * (coefficient > 0)}x{variable}", abs(coefficient)))
    return (f"{added(terms)} {gain if shown else multipliers[0]} d s", frozenset(clause)) if gain > 0 else None


def rivals_of(cycle: CycleRows, worth: Worth) -> dict[tuple[int, int], tuple[ProofStep, Constraint]]:
    """Return by vertex and variable of an edge there the row that at most one is used of it and the pairs there without
    it, and the step that derives it, where the tour is to have many pairs and there are such."""
    ids, rivals = RowFormula(cycle).row_ids, dict[tuple[int, int], tuple[ProofStep, Constraint]]()
    places = {pair: place for place, pair in enumerate(worth.pairs if worth.weight < 0 else ())}
    for vertex, edges in enumerate(cycle.stated.incidence):
        here = [pair for pair in combinations(edges, 2) if pair in places]
        for edge in edges:
            if pairs := [pair for pair in here if edge not in pair]:
                rows = (2 * (places[pair] - len(places)) + side - 1 for pair in pairs for side in (0, 1))
                others = sorted({*edges}.difference([edge], *pairs))
                terms = [str(ids[vertex] + 1), *(str(ids[row]) for row in rows), *(f"x{other}" for other in others)]
                variables = [edge, *(worth.variables[places[pair]] for pair in pairs)]
                step = ProofStep("pol", (f"{added((term, 1) for term in terms)} 2 d",))
                rivals[vertex, edge] = step, Constraint(dict.fromkeys(variables, -1), -1)
    return rivals


def refute_by_bounds(cycle: CycleRows, best: TourEdges, claim: BestClaim, watch: Watch) -> TreeProof | Ints:
    """Return the proof that no tour is better than ``best``, given by its edges, or the vertices of a better one. If
    the claim is that of a bound without a tour, the first program has to prove it.

    `StoppedEarly` at a limit.
    """
    search = _BranchAndBound(cycle, claim, watch)
    search.refute({})
    if search.tour is not None:
        return search.tour
    shown = [solution_step("soli", values_of(cycle, best))] if claim.shown else []
    return TreeProof(tuple(search.shores), (*shown, *search.rivals), tuple(search.sums), claim)


class _BranchAndBound:
    """The program with its ``rows`` so far as constraints, row 0 that a tour is better and not in the program; the
    steps that derive its ``rivals``, the ``shores`` of its cut sets, and the ``sums`` so far; ``tour`` is a better
    tour, if one was found."""

    def __init__(self, cycle: CycleRows, claim: BestClaim, watch: Watch) -> None:
        worth = cycle.stated.worth
        assert worth is not None
        self._cycle, self._watch, self._shown = cycle, watch, claim.shown
        self._program, self._price = Program(FROM_THE_LAST_BASIS), len(worth.pairs) + 1
        self._variables = [self._program.variable(0, 0, 1) for _ in range(cycle.size)]
        self._variables += [self._program.variable(worth.weight, 0, 1) for _ in worth.pairs]
        self._duals, self._gains = list[pywraplp.Constraint](), defaultdict[tuple[int, int], list[float]](list)
        self.rows, self.rivals = [worth.better_than(claim.sign * claim.value)], list[ProofStep]()
        self.shores, self.sums = dict[Vertices, None](), list[str]()
        self.tour: Ints | None = None
        for row in cycle.stated.rows:
            self._state(row.constraint(at_most=False), signs=(1, -1) if row.relation == "=" else ())
        self._equal = sum(row.relation == "=" for row in cycle.stated.rows)  # these come first
        for step, rival in rivals_of(cycle, worth).values():
            self.rivals.append(step)
            self._state(rival)

    def _state(self, row: Constraint, signs: tuple[int, ...] = ()) -> None:
        """Add a row to the program, an ``=`` if it may be missed by either sign."""
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
        better tour. If there is one, keep it and return an empty clause."""
        cycle = self._cycle
        self._watch.work["nodes"] = self._watch.work.get("nodes", 0) + 1
        while True:
            least = self._optimum()
            if least + self.rows[0].bound > EPSILON and (clause := self._leaf(decided)) is not None:
                return clause
            point = np.array([edge.solution_value() for edge in self._variables[: cycle.size]])
            shores = violated_shores(cycle.order, cycle.tails, cycle.heads, point, self._watch.clock.check)
            new = dict.fromkeys(shore for shore in map(cycle.shore, shores) if shore not in self.shores)
            if not new:
                break
            self.shores |= new
            for shore in new:
                self._state(cycle.stated.cut_row(shore).constraint(at_most=False), signs=(1,))
        edge = self._edge_to_decide(point, least)
        if edge is None:
            used = point > 0.5
            (found,) = two_factor_cycles(cycle.order, cycle.tails[used], cycle.heads[used], directed=False)
            self.tour = cycle.tour(found)
            return frozenset()
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

    def _leaf(self, decided: Mapping[int, bool]) -> Clause | None:
        """Add the sum of rows by their dual values, and return its clause; None if rounding them gives none."""
        duals = [row.dual_value() for row in self._duals]
        for scale in SCALES:
            whole = ((row, round(scale * dual)) for row, dual in enumerate(duals, start=1))
            multipliers = {row: number for row, number in whole if number > 0 or (number and row <= self._equal)}
            if found := sum_of(self.rows, {0: scale} | multipliers, decided, shown=self._shown):
                self.sums.append(found[0])
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
