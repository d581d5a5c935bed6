"""CP-SAT with cut sets added between solves, for the best tour: the 2-factors of `lazy_cpsat`, and a sum over pairs of
moves as the objective.

A Boolean for each pair of moves that counts, and their sum as the objective. Each round has the best
2-factor that no cut set so far rules out, so its value is a bound, and the first round whose 2-factor is a tour has the
best tour. Until then each is merged into a tour, where that goes, to have one. Of a pair whose Boolean the solver would
rather have true, the Boolean implies either move, and of an edge at a vertex and the pairs there without it at most one
is true, without which the relaxation is weak; of one that it would rather have false, both moves imply the Boolean.
The linear relaxation of CP-SAT at level 2 does the rest, on one thread: two share out its strategies, and are worse.
The bound is a claim. Against a circuit constraint over arcs with the same Booleans: as fast for turns of 6x6 to 8x9, or
up to twice as fast, and 17 s where that proved nothing in 100 s for crossings of 6x7.

Cost: that of `lazy_cpsat`, one Boolean more for each pair, and two clauses or one sum.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.best_search import BestSearch, Conclusion
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.models.drivers.cpsat import CpSat
from cpsat_tour.models.lazy_cpsat import TwoFactorModel
from cpsat_tour.models.loop.cutsets import cut_sets
from cpsat_tour.models.loop.merging import Merging
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, cutting_planes


def improve_two_factors(run: BestSearch) -> Conclusion:
    """Solve to the optimum and cut off, round by round, until the best 2-factor is a tour; return the `Conclusion` that
    no tour is better. `StoppedEarly` at a limit. Work is counted in ``conflicts`` of all rounds together."""
    rounds = _BestTwoFactors(run)
    all(violated for _, violated in cutting_planes(rounds, rounds.violated, run.goal.cycle, run))  # up to a tour
    cuts = run.work["cut_sets"]
    return Conclusion(
        "claimed", f"CP-SAT reports that the degree constraints and {cuts} cut sets have no better solution"
    )


class _BestTwoFactors(TwoFactorModel):
    """The relaxation whose solution is the best 2-factor. Each is merged, and a tour that comes of it is handed to the
    run."""

    def __init__(self, run: BestSearch) -> None:
        cycle = run.goal.cycle
        super().__init__(cycle, CpSat(linearization=2), run)
        self._best, self._merging = run, Merging(cycle)
        if run.best is not None:
            self.hint(cycle.edges_of(run.best))
        goal, model, pairs = run.goal, self.model, run.goal.pair_sum.pairs_in(cycle)
        wanted = goal.maximize == (goal.pair_sum.weight > 0)
        both = [model.new_bool_var("") for _ in with_heartbeats(pairs, run.heartbeat)]
        for literal, pair in with_heartbeats([*zip(both, pairs, strict=True)], run.heartbeat):
            edges = self._literals_of(pair)
            if wanted:
                for edge in edges:
                    model.add_implication(literal, edge)
            else:
                model.add_bool_or([literal, *(edge.negated() for edge in edges)])
        if wanted:
            self._add_rivals(cycle, pairs, both)
        value = goal.pair_sum.constant + goal.pair_sum.weight * cp_model.LinearExpr.sum(both)
        (model.maximize if goal.maximize else model.minimize)(value)

    def _add_rivals(self, cycle: CycleProblem, pairs: Ints, both: Sequence[cp_model.IntVar]) -> None:
        """For each vertex and each edge at it, add: at most one of the edge and the pairs through the vertex without
        it; the linear relaxation would take half of each."""
        through = defaultdict[int, list[tuple[cp_model.IntVar, list[int]]]](list)
        ends = np.stack([cycle.tails[pairs], cycle.heads[pairs]], axis=2).tolist()
        for literal, pair, (one, other) in with_heartbeats(
            [*zip(both, pairs.tolist(), ends, strict=True)], self.run.heartbeat
        ):
            for vertex in {*one} & {*other}:
                through[vertex].append((literal, pair))
        indptr, incident = cycle.incidence
        for vertex, here in with_heartbeats([*through.items()], self.run.heartbeat):
            for edge in incident[indptr[vertex] : indptr[vertex + 1]].tolist():
                rivals = [literal for literal, pair in here if edge not in pair]
                self.model.add_at_most_one(*self._literals_of(np.array([edge])), *rivals)

    def solve(self) -> EdgeNumbers | None:
        """Return the edges of the best 2-factor that the cut sets allow, None if there is none; `StoppedEarly` at a
        limit."""
        solver = self.options.solver(self.run)
        solver.parameters.cp_model_probing_level = solver.parameters.symmetry_level = 2
        found = self.solve_by(solver)
        if found is not None:
            self._best.offer_bound(round(solver.objective_value), "claimed")
        return found

    def violated(self, edges: EdgeNumbers) -> list[CutSet]:
        """Return the cut sets of the cycles of a 2-factor, an empty list if it is a tour; tell the run of a tour that
        its cycles merge into."""
        cycle = self._best.goal.cycle
        cycles = cycle.cycles(edges)
        merged = cycle.cycles(self._merging.merge(edges)) if len(cycles) > 1 else cycles
        if len(merged) == 1:
            self._best.offer(cycle.tour(merged[0]))
        if len(cycles) == 1:
            return []
        return [CutSet(shore, cut) for shore, cut in zip(cycles, cut_sets(cycle, cycles), strict=False)]
