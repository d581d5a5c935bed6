"""CP-SAT with cut sets added between solves, for the best tour and the best routes: the 2-factors of `lazy_cpsat`, and
for a tour a sum over pairs of moves as the objective.

    maximize or minimize c + w * sum of both[e, f] over the pairs e, f that count, w = 1 or -1
    both[e, f] => x[e], both[e, f] => x[f]      if the objective is the better the more of them are true
    x[e] and x[f] => both[e, f]                 if it is the better the fewer of them are true
    at most one of x[e] and both[f, g]          in the first case, for each edge e at v and all pairs there without e

Each round has the best 2-factor that no cut set so far rules out. Its value is a bound, and the first 2-factor that is
a tour is a best tour. The cycles of the others are merged, which often gives a tour, though not the best. Without the
rule "at most one" the linear relaxation would take half of each edge and half of each pair.

CP-SAT's linear relaxation at level 2 does the rest, on one thread: two share out its strategies, and are worse. The
bound is a claim. Against a circuit constraint over arcs with the same Booleans: as fast for turns of 6x6 to 8x9, or up
to twice as fast, and 17 s where that proved nothing in 100 s for crossings of 6x7.

Cost: that of `lazy_cpsat`, one Boolean for each pair, and two clauses or one; with two also an at-most-one for each
edge at each vertex where pairs meet.

For the fewest paths, the fewest closed tours, and the longest of either, the 2-factors have a price instead:

    minimise the sum of x[i] over the items i that have a price
    sum of x[e] over the edges e at v = 2               for each vertex v, a loop counted twice
    sum of x[e] over the edges e that leave S + 2 * sum of x[i] over items i >= 2       for each cut, by `loop.routes`

Each round has the best solution that no cut so far rules out. Its value is a bound, and the first that needs no cut is
a best one. The bound is a claim.

Cost, for n vertices and m edges: m Booleans and up to 2n for those with a price, n equations, and the cuts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.best_search import BestSearch, Conclusion, Goal, RoutesGoal, begin_with_a_tour
from cpsat_tour.formats.describe import plural
from cpsat_tour.models.drivers.cpsat import CpSat
from cpsat_tour.models.lazy_cpsat import TwoFactorModel
from cpsat_tour.models.loop.merging import Merging
from cpsat_tour.models.loop.routes import FewestCycles, FewestPaths, Longest, PricedRoutes
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, cut_sets, cutting_planes


def improve_two_factors(run: BestSearch[Goal]) -> Conclusion:
    """Find better and better tours by cutting off the best 2-factor, round by round, until it is a tour; return the
    `Conclusion` that no tour is better.

    `StoppedEarly` at a limit. Work is counted in ``conflicts`` of all rounds together.
    """
    if (none := begin_with_a_tour(run)) is not None:
        return none
    rounds = _BestTwoFactors(run)
    for _, violated in cutting_planes(rounds, rounds.violated, run.goal.cycle, run):
        if not violated:  # it is a tour
            break
    cuts = run.work["cut_sets"]
    return Conclusion(
        "claimed", f"CP-SAT reports that the degree constraints and {cuts} cut sets have no better solution"
    )


class _Optimum(TwoFactorModel):
    """A relaxation with an objective: a solution is a best one, and its value bounds all others."""

    @abstractmethod
    def offer_bound(self, value: int) -> None:
        """Offer the run the bound that follows from the value of a best solution."""

    def solve(self) -> EdgeNumbers | None:
        """Return the chosen items of a best solution, None if there is none; `StoppedEarly` at a limit."""
        solver = self.options.solver(self.run)
        solver.parameters.cp_model_probing_level = solver.parameters.symmetry_level = 2
        found = self.solve_by(solver)
        if found is not None:
            self.offer_bound(round(solver.objective_value))
        return found


class _BestTwoFactors(_Optimum):
    """A relaxation whose solution is the best 2-factor; if merging its cycles gives a tour, the run is offered this
    tour."""

    def __init__(self, run: BestSearch[Goal]) -> None:
        cycle = run.goal.cycle
        super().__init__(cycle, CpSat(linearization=2), run)
        self._best, self._merging = run, Merging(cycle)
        goal, model, pairs = run.goal, self.model, run.goal.pair_sum.pairs_in(cycle)
        both = [model.new_bool_var("") for _ in with_heartbeats(pairs, run.heartbeat)]
        value = goal.pair_sum.constant + goal.pair_sum.weight * cp_model.LinearExpr.sum(both)
        (model.maximize if goal.maximize else model.minimize)(value)
        more_is_better = goal.maximize == (goal.pair_sum.weight > 0)
        for (e, f), both_ef in with_heartbeats([*zip(pairs.tolist(), both, strict=True)], run.heartbeat):
            if more_is_better:
                model.add_implication(both_ef, self.x[e])
                model.add_implication(both_ef, self.x[f])
            else:
                model.add_bool_or([~self.x[e], ~self.x[f], both_ef])
        if more_is_better:
            self._state_rivals(cycle, pairs, both)
        if run.best is not None:
            self.begin_at(cycle.edges_of(run.best))

    def _state_rivals(self, cycle: CycleProblem, pairs: Ints, both: Sequence[cp_model.IntVar]) -> None:
        """State for each edge at a vertex that of this edge and the pairs of other edges there at most one is used."""
        at_vertex = defaultdict[int, list[tuple[list[int], cp_model.IntVar]]](list)
        ends = np.stack([cycle.tails[pairs], cycle.heads[pairs]], axis=2).tolist()
        for pair, both_of_it, (ends_of_one, ends_of_other) in with_heartbeats(
            [*zip(pairs.tolist(), both, ends, strict=True)], self.run.heartbeat
        ):
            for vertex in {*ends_of_one} & {*ends_of_other}:
                at_vertex[vertex].append((pair, both_of_it))
        indptr, incident = cycle.incidence
        for vertex, here in with_heartbeats([*at_vertex.items()], self.run.heartbeat):
            for e in incident[indptr[vertex] : indptr[vertex + 1]].tolist():
                self.model.add_at_most_one(self.x[e], *(both_of_it for pair, both_of_it in here if e not in pair))

    def offer_bound(self, value: int) -> None:
        """Offer the run the value of the best 2-factor as a bound; CP-SAT claims it."""
        self._best.offer_bound(value, "claimed")

    def violated(self, edges: EdgeNumbers) -> list[CutSet]:
        """Return the cut sets of the cycles of a 2-factor, an empty list if it is a tour; offer the run the tour that
        its cycles merge into, if they do."""
        cycle = self._best.goal.cycle
        cycles = cycle.cycles(edges)
        merged = cycle.cycles(self._merging.merge(edges)) if len(cycles) > 1 else cycles
        if len(merged) == 1:
            self._best.offer(cycle.tour(merged[0]))
        if len(cycles) == 1:
            return []
        return [CutSet(shore, cut) for shore, cut in zip(cycles, cut_sets(cycle, cycles), strict=False)]


class _PricedModel(_Optimum):
    """A relaxation whose solution has the least price; the Boolean ``x[i]`` says that item i is chosen."""

    def __init__(self, routes: PricedRoutes) -> None:
        super().__init__(routes.cycle, CpSat(linearization=2), routes.run, routes.open_at)
        self.x += [self.model.new_bool_var("") for _ in range(routes.others)]
        self._routes, total = routes, self.sum_over(routes.priced)
        self.model.add_linear_constraint(total, routes.least, routes.most)
        self.model.minimize(total)

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """State for each cut set that two of its edges are used, or one of the items ``unless`` is chosen."""
        for row in cut_sets:
            self.model.add(self.sum_over(row.edges.tolist()) + 2 * self.sum_over(row.unless) >= 2)

    def offer_bound(self, value: int) -> None:
        """Offer the run the bound that follows from the least price."""
        self._routes.offer_bound(value)


def improve_routes(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Find better and better routes by cutting off the best solution, round by round, until it needs no cut; return the
    `Conclusion` that nothing is better.

    `StoppedEarly` at a limit. Work is counted in ``conflicts`` of all rounds together.
    """
    routes = (Longest if run.goal.maximize else FewestCycles if run.goal.problem.closed else FewestPaths)(run)
    if run.bound is not None:
        routes.least = max(routes.least, routes.price(run.bound))
    for _ in cutting_planes(_PricedModel(routes), routes.violated, routes.cycle, run):
        if run.value is not None and run.value == run.bound:
            break
    cuts, solution = plural(run.work["cut_sets"], "cut set"), "solution" if run.best is None else "better solution"
    return Conclusion("claimed", f"CP-SAT reports that the degree constraints and {cuts} have no {solution}")
