"""The best tour by CP-SAT: degree equations, a Boolean for each pair of moves that counts, and cut sets between solves.

The cutting-plane loop of Dantzig, Fulkerson & Johnson (1954), which minimised lengths: each round has the best 2-factor
that no cut set so far rules out, so its value is a bound, and the first round whose 2-factor is a tour has the best
tour. Until then each is merged into a tour, where that goes, to have one. Of a pair whose Boolean the solver would
rather have true, the Boolean implies either move; of one that it would rather have false, both moves imply the Boolean.
The linear relaxation of CP-SAT at level 2 does the rest, on one thread: two share out its strategies, and are worse.
The bound is a claim. Against a circuit constraint over arcs with the same Booleans: as fast for turns of 6x6 to 8x9, or
up to twice as fast, and 17 s where that proved nothing in 100 s for crossings of 6x7.

Cost, beside that of `cpsat_tour.models.lazy_cpsat`: one Boolean for each pair, and two clauses or one sum.
"""

from __future__ import annotations

from ortools.sat.python import cp_model

from cpsat_tour.backends.best_goals import PairGoal
from cpsat_tour.backends.best_run import BestRun, Settled
from cpsat_tour.core.run import paced
from cpsat_tour.models.cutsets import cut_sets
from cpsat_tour.models.drivers.cpsat import CpSat
from cpsat_tour.models.lazy_cpsat import TwoFactorModel
from cpsat_tour.models.merging import Merging
from cpsat_tour.models.subtours import CutSet, EdgeNumbers, cutting_planes


def improve_two_factors(run: BestRun[PairGoal]) -> Settled:
    """Solve to the optimum and cut off, round by round; work is counted in ``conflicts`` of all rounds together."""
    rounds = _BestTwoFactors(run)
    for _ in cutting_planes(rounds, rounds.violated, run.goal.cycle, run):
        break
    cuts = run.work["cut_sets"]
    return Settled("claimed", f"CP-SAT reports that the degree constraints and {cuts} cut sets have no better solution")


class _BestTwoFactors:
    """The relaxation whose solution is the best 2-factor; each is merged, and a tour that comes of it handed to the
    run."""

    def __init__(self, run: BestRun[PairGoal]) -> None:
        self._run, cycle = run, run.goal.cycle
        self._two_factors = TwoFactorModel(cycle, run.limits.seed, run.heartbeat)
        self._merging = Merging(cycle)
        self._state_the_value()
        self.cut, self.block = self._two_factors.cut, self._two_factors.block
        if run.best is not None:
            self._two_factors.hint(cycle.chosen(run.best))

    def _state_the_value(self) -> None:
        """A Boolean for each pair, and the value as the objective."""
        goal, model = self._run.goal, self._two_factors.model
        literals = dict(zip(self._two_factors.edges.tolist(), self._two_factors.literals, strict=True))
        wanted = goal.maximize == (goal.sum.weight > 0)
        both = []
        for pair in paced(goal.sum.in_cycle(goal.cycle).tolist(), self._run.heartbeat):
            both.append(model.new_bool_var(""))
            if wanted:
                for edge in pair:
                    model.add_implication(both[-1], literals[edge])
            else:
                model.add_bool_or([both[-1], *(literals[edge].negated() for edge in pair)])
        value = goal.sum.constant + goal.sum.weight * cp_model.LinearExpr.sum(both)
        (model.maximize if goal.maximize else model.minimize)(value)

    def solve(self) -> list[EdgeNumbers]:
        """The best 2-factor that is left."""
        solver = CpSat(linearization=2).solver(self._run)
        solver.parameters.cp_model_probing_level = solver.parameters.symmetry_level = 2
        found = self._two_factors.solved(solver, self._run)
        if found:
            self._run.bounded(round(solver.objective_value), "claimed")
        return found

    def violated(self, edges: EdgeNumbers) -> list[CutSet]:
        """The cut sets of its cycles, merged as far as that goes; none of a tour."""
        cycle = self._run.goal.cycle
        cycles = cycle.cycles(edges)
        merged = cycle.cycles(self._merging.merge(edges, self._run.tell)) if len(cycles) > 1 else cycles
        if len(merged) == 1:
            self._run.found(cycle.tour(merged[0]))
        if len(cycles) == 1:
            return []
        return [CutSet(shore, cut) for shore, cut in zip(cycles, cut_sets(cycle, cycles), strict=False)]
