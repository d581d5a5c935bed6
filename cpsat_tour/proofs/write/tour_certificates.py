"""Certificates that show tours: how many tours there are, and that none is better than the one shown.

*How many*: the proof shows and excludes each tour, and refutes by clauses that one is left. The edge search lists the
tours, which is fast and needs no trust: the cutting-plane loop begins from the list, would find any tour that it lacks,
and collects the cut sets that refute the rest (`clausal`). The checker sees for itself that each is a tour and none
comes twice. Enumeration with a proof is VeriPB's (Gocht, McCreesh & Nordström, *Subgraph isomorphism meets cutting
planes*, 2020). Limits: each tour takes a line as long as there are edges, and a proof has at most `MAX_LITERALS` in
such lines.

*The best*: the proof shows the best tour, and refutes that one is better. The value of a tour is a sum over pairs of
its moves, and the formula has a variable for each pair. Bounds with a proof are VeriPB's (Gocht & Nordström 2021).
Limits: undirected graphs, goals that are sums over pairs.

Branch and bound (Land & Doig 1960) solves linear programs, exact at each leaf. Each has a variable for each edge and
each pair of moves in line, the rows of the formula, rivals (`combination`), and cut sets as they turn out violated.
Without rivals it would take half of each edge and half of each pair. It is elastic too: the rows of vertices and cut
sets may be missed, at a price that no pairs pay.

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
from functools import partial
from itertools import product
from math import ceil, prod
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from ortools.linear_solver import pywraplp

from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import UNLIMITED, Limits, OnEvent, Watch
from cpsat_tour.core.space import Floats, Ints
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.engines.best_search import BestSearch, Conclusion, Goal, RoutesGoal, begin_with_a_tour
from cpsat_tour.engines.runner import Listing
from cpsat_tour.native.edges import Edges
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.claim import BestClaim
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.clausal import TOO_MANY, refute_other_tours
from cpsat_tour.proofs.write.combination import Clause, TreeProof, rivals_of, rivals_of_loops, sum_of
from cpsat_tour.proofs.write.subtour_lp import EPSILON, Program, violated_cuts_of_route, violated_shores
from cpsat_tour.proofs.write.veripb import CycleRows, ProofStep, TourEdges, Vertices, show_tour

MAX_LITERALS = 1 << 22
"""The most literals of all tours together; the checker keeps twice as many."""


def prove_count(problem: Problem, limits: Limits = UNLIMITED, on_event: OnEvent | None = None) -> Certificate | None:
    """Return a certificate of the number of the problem's tours; None if it has none, which other proofs show.

    `BadInput` for an open tour of a single vertex; `StoppedEarly` at a limit.
    """
    clock = limits.clock()
    cycle = CycleRows(problem, heartbeat=clock.check)
    if problem.graph.order == 1 and not problem.closed:
        raise BadInput("the one tour of a single vertex has no edge, so that no certificate can count it")
    most = MAX_LITERALS // max(1, cycle.size)
    if cycle.stated.contradiction or not (tours := find_tours(cycle, most, replace(limits, work=None), on_event)):
        return None
    return Certificate(cycle, refute_other_tours(cycle, tours, most, Watch(limits, clock, on_event)))


def find_tours(cycle: CycleRows, most: int, limits: Limits, on_event: OnEvent | None = None) -> list[TourEdges]:
    """Return all tours, each as its edges, by the edge search; `StoppedEarly` at a limit, or if there are more than
    ``most``."""
    listing = Listing(cycle.problem, Edges(), limits, most=most + 1, on_event=on_event)
    found = [tuple(edges) for tours in listing for edges in cycle.edges_of(tours).tolist()]
    if len(found) > most:
        raise StoppedEarly(TOO_MANY.format(most))
    return found


def prove_best(goal: Goal, tour: Ints, limits: Limits = UNLIMITED, on_event: OnEvent | None = None) -> Certificate:
    """Return a certificate that no tour is better than this one.

    `BackendFault` if something is better; `BadInput` for a directed graph, and for an open tour of a single vertex;
    `StoppedEarly` at a limit.
    """
    if goal.problem.graph.directed:
        raise BadInput("the best is proved of undirected graphs only, and this one has arcs")
    if goal.problem.graph.order == 1:
        raise BadInput("the one tour of a single vertex has no edge, so that no certificate can show it")

    def fault(better: Ints) -> None:
        said = f"{goal.words(goal.value(tour))} were said to be the {goal.name}"
        raise BackendFault(f"{said}, and there is a tour with {goal.value(better):,}")

    claim = BestClaim(goal.objective, goal.maximize, goal.value(tour))
    return _prove_none_better(goal.problem, claim, tour, Watch(limits, limits.clock(), on_event), fault, lambda _: None)


def prove_longest(
    goal: RoutesGoal, route: Ints, limits: Limits = UNLIMITED, on_event: OnEvent | None = None
) -> Certificate:
    """Return a certificate that no route is longer than this one, of two vertices or more in an undirected graph.

    `BackendFault` if one is; `StoppedEarly` at a limit.
    """
    graph, watch = goal.problem.graph, Watch(limits, limits.clock(), on_event)
    claim = BestClaim("length", True, len(route), optional=[graph.name(vertex) for vertex in sorted(goal.optional)])
    return _prove_none_better(goal.problem, claim, route, watch, lambda _: None, lambda _: None)


def improve_by_bounds(run: BestSearch[Goal]) -> Conclusion:
    """Find better and better tours by branch and bound; return the `Conclusion` that no tour is better, with its
    certificate. `StoppedEarly` at a limit.

    Work is counted in ``nodes``.
    """
    if (none := begin_with_a_tour(run)) is not None:
        return none
    bound = partial(run.offer_bound, known="claimed")
    claim = BestClaim(run.goal.objective, run.goal.maximize, run.goal.value(run.best))
    certificate = _prove_none_better(run.goal.problem, claim, run.best, run, run.offer, bound)
    return Conclusion("lp", certificate.refutation.reason, certificate=certificate)


def _prove_none_better(
    problem: Problem,
    claim: BestClaim,
    tour: Ints,
    watch: Watch,
    better: Callable[[Ints], None],
    bound: Callable[[int], None],
) -> Certificate:
    """Return a certificate that no tour is better than this one, or than the last that the search finds. `StoppedEarly`
    at a limit.

    ``better`` is called with each better tour, ``bound`` with the bound of the first program.
    """
    cycle = CycleRows(problem, claim, watch.heartbeat)
    (edges,) = cycle.edges_of(np.asarray(tour, dtype=np.int32)[None, :]).tolist()
    proof = refute_by_bounds(cycle, tuple(edges), claim, watch, better, bound)
    return Certificate(cycle if proof.best == claim else CycleRows(problem, proof.best), proof)


# --- branch and bound ---

Leaf = tuple[Mapping[int, int], Mapping[int, bool]]
"""The multipliers of rows, and the decided edges with their values."""

SCALES = (1, 2, 12, 120, 2520, 10**5, 10**7)
"""The denominators of multipliers, tried in turn until one proves something."""

FROM_THE_LAST_BASIS = "use_preprocessing: false use_dual_simplex: true"
"""Parameters of GLOP: after a change of bounds it takes a tenth of the iterations that it takes without them."""

TRIED, RELIABLE = 6, 2
"""The numbers of edges that are tried at a node, and of nodes at which an edge is tried."""

MOST_GAIN, LEAST_GAIN = 3.0, 1e-3
"""The bounds between which the gains of an edge's two sides are multiplied."""


def refute_by_bounds(
    cycle: CycleRows,
    best: TourEdges,
    claim: BestClaim,
    watch: Watch,
    better: Callable[[Ints], object],
    bound: Callable[[int], object],
) -> TreeProof:
    """Return the proof that no tour is better than ``best``, given by its edges, or than the last that the search
    finds.

    ``better`` is called with each better tour, as vertices, and ``bound`` with the bound of the first program. If the
    claim is that of a bound without a tour, the first program has to prove it. `StoppedEarly` at a limit;
    `BackendFault` if a tour is better than such a bound.
    """
    search = _BranchAndBound(cycle, best, claim, watch, better, bound)
    search.refute({})
    shown = [show_tour("soli", cycle, search.best)] if claim.shown else []
    return TreeProof(tuple(search.shores), (*shown, *search.rivals), search.sum_texts(), search.claim)


class _BranchAndBound:
    """A branch and bound search that records the sums of its proof.

    It has the program's ``rows`` as constraints, and before them as row 0, which is not in the program, that a tour is
    better than the ``best`` of the ``claim``; the steps that derive its ``rivals``, the ``shores`` of its cut sets, and
    the ``sums`` so far: multipliers and decided edges of a leaf, or the text that adds two sums up.
    """

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
        self._program, self._price = Program(FROM_THE_LAST_BASIS), len(worth.variables) + 1
        self._variables = [self._program.variable(0, 0, 1) for _ in range(cycle.size)]
        self._variables += [self._program.variable(worth.weight, 0, 1) for _ in worth.variables]
        self._duals, self._gains = list[pywraplp.Constraint](), defaultdict[tuple[int, int], list[float]](list)
        self.rows, self.rivals = [worth.better_than(claim.sign * claim.value)], list[ProofStep]()
        self.shores, self.sums = dict[Vertices, None](), list[Leaf | str]()
        for row in cycle.stated.rows:
            self._add_row(row.constraint(at_most=False), signs=(1, -1) if row.relation == "=" else ())
        self._equal = sum(row.relation == "=" for row in cycle.stated.rows)  # these come first
        for step, rival in (*rivals_of(cycle, worth).values(), *rivals_of_loops(cycle)):
            self.rivals.append(step)
            self._add_row(rival)

    def _add_row(self, row: Constraint, signs: tuple[int, ...] = ()) -> None:
        """Add a row to the program; `StoppedEarly` if the time is over.

        Each of the ``signs`` lets the row be missed that way, at a price.
        """
        self._watch.clock.check()
        terms = [(self._variables[variable - 1], number) for variable, number in row.terms.items()]
        terms += [(self._program.variable(self._price), sign) for sign in signs]
        most = row.bound if len(signs) == 2 else self._program.infinity
        self._duals.append(self._program.row(row.bound, most, terms))
        self.rows.append(row)

    def _optimum(self) -> float:
        """Solve the program and return its least cost; `StoppedEarly` when the time is over."""
        self._watch.heartbeat()
        if (least := self._program.optimum(self._watch.clock)) is None:
            raise StoppedEarly(self._watch.clock.stopped_by or "time")
        return least

    def refute(self, decided: dict[int, bool]) -> Clause:
        """Search the tours with these decided edges; return a clause that a better tour than the best satisfies: one of
        the decided edges is otherwise.

        The last of the sums derives it. Better tours that are found become the best.
        """
        cycle, loops, check = self._cycle, len(self._cycle.stated.left_out), self._watch.clock.check
        self._watch.work["nodes"] = self._watch.work.get("nodes", 0) + 1
        while True:
            least = self._optimum()
            if least + self.rows[0].bound > EPSILON and (clause := self._leaf(decided)) is not None:
                return clause
            point = np.array([variable.solution_value() for variable in self._variables[: cycle.size + loops]])
            shores: Iterable[Vertices] = (
                violated_cuts_of_route(cycle, point, check)
                if loops
                else map(cycle.shore, violated_shores(cycle.order, cycle.tails, cycle.heads, point, check))
            )
            new = dict.fromkeys(shore for shore in shores if shore not in self.shores)
            self.shores |= new
            for shore in new:
                self._add_row(cycle.stated.cut_row(shore).constraint(at_most=False), signs=(1,))
            if new:
                continue
            if not decided:
                self._bound(self.claim.value + self.claim.sign * (ceil(least - EPSILON) + self.rows[0].bound - 1))
            if (edge := most_promising(point, least, self._gains, self._variables, self._optimum)) is not None:
                break
            self._take_as_best(np.flatnonzero(point > 0.5), round(least))
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

    def _take_as_best(self, edges: NDArray[np.int64], worth: int) -> None:
        """Take the tour with these edges as the best; `BackendFault` if it is no better than the last."""
        cycle, gain = self._cycle, 1 - worth - self.rows[0].bound
        if gain <= 0 or not self.claim.shown or self.claim.objective == "length":
            fault = "no multipliers of a program are exact enough" if gain <= 0 else "a tour is better than the bound"
            raise BackendFault(f"branch and bound: {fault}")
        self.rows[0] = replace(self.rows[0], bound=1 - worth)
        self.best = tuple(edges.tolist())
        self.claim = replace(self.claim, value=self.claim.value - self.claim.sign * gain)
        (found,) = two_factor_cycles(cycle.order, cycle.tails[edges], cycle.heads[edges], directed=False)
        self._better(cycle.tour(found))

    def sum_texts(self) -> tuple[str, ...]:
        """Return the text of each sum, computed for the best tour known now."""
        shown, words = self.claim.shown, list[str]()
        for found in self.sums:
            completed = (found, ()) if isinstance(found, str) else sum_of(self.rows, *found, shown=shown)
            assert completed is not None, "row 0 says more now than when the leaf was found"
            words.append(completed[0])
        return tuple(words)

    def _leaf(self, decided: Mapping[int, bool]) -> Clause | None:
        """Add the sum of rows with their rounded dual values as multipliers, and return its clause; None if they give
        none."""
        duals = [row.dual_value() for row in self._duals]
        for scale in SCALES:
            whole = ((row, round(scale * dual)) for row, dual in enumerate(duals, start=1))
            multipliers = {row: number for row, number in whole if number > 0 or (number and row <= self._equal)}
            leaf = ({0: scale} | multipliers, decided)
            if found := sum_of(self.rows, *leaf, shown=self.claim.shown):
                self.sums.append(leaf)
                return found[1]
        return None


def most_promising(
    point: Floats,
    least: float,
    all_gains: Mapping[tuple[int, int], list[float]],
    variables: Sequence[pywraplp.Variable],
    optimum: Callable[[], float],
) -> int | None:
    """Return the fractional variable that is expected to raise the optimum most, whichever way it is decided, by
    reliability branching (Achterberg, Koch & Martin 2005); None if none is fractional.

    The gains are those seen so far, by variable and value; the first are measured here, by asking for the optimum.
    """

    def promise(place: int) -> float:
        gains = (fmean(all_gains[place, value] or [1]) * abs(value - point[place]) for value in (0, 1))
        return prod(max(LEAST_GAIN, gain) for gain in gains)

    fractional = np.flatnonzero(np.minimum(point, 1 - point) > EPSILON).tolist()
    places = sorted(fractional, key=promise, reverse=True)[:TRIED]
    for place, value in product(places, (0, 1)):
        if len(gains := all_gains[place, value]) < RELIABLE:
            variables[place].SetBounds(value, value)
            gains.append(min(MOST_GAIN, optimum() - least) / abs(value - point[place]))
            variables[place].SetBounds(0, 1)
    return max(places, key=promise, default=None)
