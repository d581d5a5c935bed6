"""The best tour by CP-SAT: the circuit constraint, and a Boolean for each pair of moves that counts.

The model is that of `cpsat_tour.models.circuit`. Of a pair whose Boolean the solver would rather have true, the Boolean
implies either move; of one that it would rather have false, both moves imply the Boolean. CP-SAT's linear relaxation
does the rest: at level 2, with its subtour cuts, and on one thread it proves the 45 turns of closed 8x8 in seconds,
where two threads, which share out its strategies, do not in minutes. The bound is a claim: CP-SAT's log of proofs does
not cover the circuit. Cost: one Boolean for each pair, and two clauses or one sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.best_run import BestRun, PairGoal, Settled
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.run import Watch, paced
from cpsat_tour.models.circuit import Circuit
from cpsat_tour.models.drivers.cpsat import limit_met, solve
from cpsat_tour.spaces.objectives import OBJECTIVES

Read = Callable[[cp_model.CpSolverSolutionCallback], Ints]
"""The vertices in order that a solution stands for."""


@dataclass(frozen=True)
class BestCircuit:
    """The circuit constraint with an objective."""

    takes: ClassVar[frozenset[str]] = frozenset(OBJECTIVES)

    def improve(self, run: BestRun[PairGoal]) -> Settled:
        """Each better tour as CP-SAT finds it. Work: ``conflicts`` (the unit of its limit), ``branches``,
        ``propagations``."""
        cycle = run.goal.cycle
        model, arcs = Circuit().model(cycle, run.limits.seed, run.heartbeat)
        literals = dict(zip(zip(arcs.tails.tolist(), arcs.heads.tolist(), strict=True), arcs.literals, strict=True))
        ways = [
            (literals[one, other], literals[other, one])
            for one, other in zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)
        ]
        add_objective(model, run, ways)
        if run.best is not None:
            course = run.best if cycle.apex is None else np.append(run.best, np.int32(cycle.apex))
            made = set(zip(course.tolist(), np.roll(course, -1).tolist(), strict=True))
            for move, literal in literals.items():
                model.add_hint(literal, move in made)

        def tour(solution: cp_model.CpSolverSolutionCallback) -> Ints:
            return cycle.tour(
                arcs.cycle(np.array([solution.boolean_value(literal) for literal in arcs.literals], dtype=bool))
            )

        return optimised(run, model, tour)


def add_objective(model: cp_model.CpModel, run: BestRun[PairGoal], ways: Sequence[Sequence[cp_model.IntVar]]) -> None:
    """The value of the tour that has those edges of the cycle problem of which one of the ``ways``, the arcs of each,
    is used."""
    goal = run.goal
    wanted = goal.maximize == (goal.sum.weight > 0)
    both = []
    for one, other in paced(goal.sum.in_cycle(goal.cycle).tolist(), run.heartbeat):
        both.append(model.new_bool_var(""))
        if wanted:
            model.add_bool_or([both[-1].negated(), *ways[one]])
            model.add_bool_or([both[-1].negated(), *ways[other]])
        else:
            model.add(cp_model.LinearExpr.sum([*ways[one], *ways[other]]) - both[-1] <= 1)
    value = goal.sum.constant + goal.sum.weight * cp_model.LinearExpr.sum(both)
    (model.maximize if goal.maximize else model.minimize)(value)


def optimiser(run: Watch) -> cp_model.CpSolver:
    """A solver within the limits of the run: at level 2 of the linear relaxation, and with all that CP-SAT does before
    it begins."""
    solver = Circuit(linearization=2).solver(run)
    solver.parameters.cp_model_probing_level = solver.parameters.symmetry_level = 2
    return solver


def optimised(run: BestRun[Any], model: cp_model.CpModel, read: Read) -> Settled:
    """Solve the model, whose objective is the value, to its end; each solution is ``read`` and handed to the run."""
    solver, told = optimiser(run), _Told(run, read)
    solver.best_bound_callback = told.bound
    status = solve(solver, model, run, told)
    if told.fault is not None:
        raise told.fault
    if status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        raise limit_met(run)
    return Settled("claimed", "CP-SAT reports that the model has no better solution")


class _Told(cp_model.CpSolverSolutionCallback):
    """Hands what each solution stands for, and each bound, to the run; the ``fault`` of a wrong one stops the
    search."""

    def __init__(self, run: BestRun[Any], read: Read) -> None:
        super().__init__()
        self._run, self._read = run, read
        self.fault: Exception | None = None

    def on_solution_callback(self) -> None:
        try:
            self._run.found(self._read(self))
        except Exception as fault:
            self.fault = fault
            self.stop_search()

    def bound(self, bound: float) -> None:
        """Take a bound."""
        self._run.bounded(round(bound), "claimed")
