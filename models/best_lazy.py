"""The best tour by CP-SAT over edges: degree constraints, an objective, and cut sets added between solves.

A second formulation beside `cpsat_tour.models.best_circuit`, with neither its variables nor its constraint. The
cutting-plane loop of Dantzig, Fulkerson & Johnson (1954), which minimised lengths: each round has the best 2-factor
that no cut set so far rules out, so its value is a bound, and the first round whose 2-factor is a tour has the best
tour. Until then each is merged into a tour, where that goes, to have one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.backends.best_run import BestRun, PairGoal, Settled
from cpsat_tour.models.best_circuit import add_objective, optimiser
from cpsat_tour.models.cutsets import cut_sets
from cpsat_tour.models.lazy_cpsat import TwoFactorModel
from cpsat_tour.models.merging import Merging
from cpsat_tour.models.subtours import CutSet, EdgeNumbers, cutting_planes
from cpsat_tour.spaces.objectives import OBJECTIVES


@dataclass(frozen=True)
class BestLazy:
    """Degree equations with an objective, and cut sets between the runs of CP-SAT."""

    takes: ClassVar[frozenset[str]] = frozenset(OBJECTIVES)

    def improve(self, run: BestRun[PairGoal]) -> Settled:
        """Rounds of solving to the optimum and cutting off; the limit on work is counted in conflicts of all rounds
        together."""
        rounds = _BestTwoFactors(run)
        for _ in cutting_planes(rounds, rounds.violated, run.goal.cycle, run):
            break
        cuts = run.work["cut_sets"]
        return Settled(
            "claimed", f"CP-SAT reports that the degree constraints and {cuts} cut sets have no better solution"
        )


class _BestTwoFactors:
    """The relaxation whose solution is the best 2-factor; each is merged, and a tour that comes of it handed to the
    run."""

    def __init__(self, run: BestRun[PairGoal]) -> None:
        self._run, cycle = run, run.goal.cycle
        self._two_factors = TwoFactorModel(cycle, run.limits.seed, run.heartbeat)
        self._merging = Merging(cycle)
        literals = dict(zip(self._two_factors.edges.tolist(), self._two_factors.literals, strict=True))
        add_objective(self._two_factors.model, run, [(literals[edge],) for edge in range(cycle.size)])
        self.cut, self.block = self._two_factors.cut, self._two_factors.block
        if run.best is not None:
            self._two_factors.hint(cycle.chosen(run.best))

    def solve(self) -> list[EdgeNumbers]:
        """The best 2-factor that is left."""
        solver = optimiser(self._run)
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
