"""CP-SAT with cut sets added between solves: the degree constraints as equations, and subtours cut off as they come out.

The cutting-plane loop (`subtours`) with a solver that knows sums. CP-SAT starts anew each time; what it is given of the last round is the
2-factor that was cut off, as a hint, so that only what the cut sets touch is found again.

Where all cycles are wanted a round enumerates 2-factors, up to so many, twice as many in each round; a round that meets fewer was the last.

Cost, for n vertices and m edges of which r are required: m Booleans, n equations, r units, and one sum for each cut set as it is met.
"""

from __future__ import annotations

import operator
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Heartbeat, Run, paced, unwatched
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.drivers.cpsat import SOLVED, CpFormula, CpSat, limit_met, solve
from cpsat_tour.models.numbering import number_edges
from cpsat_tour.models.subtours import CutSet, EdgeNumbers, hamiltonian_cycles

FIRST_ROUND = 64
"""The 2-factors that end the first round of an enumeration."""


@dataclass(frozen=True)
class LazyCpSat(CpSat):
    """Degree equations, and cut sets added between the runs of CP-SAT."""

    name: ClassVar[str] = "cpsat:lazy"

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Rounds of solving and cutting off; the limit on work is counted in conflicts of all rounds together."""
        model = TwoFactorModel(run.cycle, run.limits.seed, run.heartbeat)
        yield from hamiltonian_cycles(_Enumerating(self, model, run) if run.every else _Hinted(self, model, run), run.cycle, run)
        cuts = run.work["cut_sets"]
        return Refutation("claimed", f"CP-SAT reports that the degree constraints and {cuts} cut sets have no solution")

    def formula(self, cycle: CycleProblem, seed: int = 0) -> CpFormula:
        """The degree constraints, a relaxation: the model says so in its name."""
        two_factors = TwoFactorModel(cycle, seed, unwatched)
        model = two_factors.model
        model.name = "relaxation: shorter cycles satisfy this model too"
        for edge, literal in zip(two_factors.edges.tolist(), two_factors.literals, strict=True):
            ends = (int(cycle.tails[edge]), int(cycle.heads[edge]))
            model.proto.variables[literal.index].name = "-".join(map(cycle.name, ends))
        return CpFormula(model)

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Variables, constraints and literals of that model."""
        return CpFormula(TwoFactorModel(cycle, 0, unwatched).model).sizes


class TwoFactorModel:
    """The model whose solutions are the 2-factors that no cut set added so far rules out; ``literals[k]`` stands for ``edges[k]``."""

    def __init__(self, cycle: CycleProblem, seed: int, heartbeat: Heartbeat) -> None:
        self.model = cp_model.CpModel()
        numbering = number_edges(cycle, seed)
        self.edges = numbering.edges
        self.literals = [self.model.new_bool_var("") for _ in paced(self.edges, heartbeat)]
        self._place = numbering.variables - 1
        indptr, incident = cycle.incidence
        for edges in paced(np.split(incident, indptr[1:-1]), heartbeat):
            self.model.add(cp_model.LinearExpr.sum(self._of(edges)) == 2)
        for literal in self._of(np.flatnonzero(cycle.required)):
            self.model.add_bool_or([literal])
        for one, other in cycle.pairs.tolist():
            self.model.add(operator.eq(*self._of(np.array([one, other]))))

    def _of(self, edges: EdgeNumbers) -> list[cp_model.IntVar]:
        return [self.literals[place] for place in self._place[edges].tolist()]

    def chosen(self, solution: cp_model.CpSolver | cp_model.CpSolverSolutionCallback) -> EdgeNumbers:
        """The edges of the 2-factor that a solver or a callback has found."""
        return self.edges[np.flatnonzero([solution.boolean_value(literal) for literal in self.literals])]

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """A sum for each."""
        for cut_set in cut_sets:
            self.model.add(cp_model.LinearExpr.sum(self._of(cut_set.edges)) >= 2)

    def block(self, edges: EdgeNumbers) -> None:
        """A clause."""
        self.model.add_bool_or([literal.negated() for literal in self._of(edges)])

    def hint(self, edges: EdgeNumbers) -> None:
        """Begin the next solve at this 2-factor."""
        self.model.clear_hints()
        used = np.zeros(len(self.literals), dtype=bool)
        used[self._place[edges]] = True
        for literal, value in zip(self.literals, used.tolist(), strict=True):
            self.model.add_hint(literal, value)


class _Rounds:
    """What the two relaxations share: the model, and the options and the run to solve it with."""

    def __init__(self, options: CpSat, two_factors: TwoFactorModel, run: Run) -> None:
        self._options, self._two_factors, self._run = options, two_factors, run
        self.cut, self.block = two_factors.cut, two_factors.block


class _Hinted(_Rounds):
    """One 2-factor in each round, near the one before."""

    def solve(self) -> list[EdgeNumbers]:
        """The next one."""
        if self._run.work_left("conflicts") == 0:
            raise limit_met(self._run)
        solver = self._options.solver(self._run)
        status = solve(solver, self._two_factors.model, self._run)
        if status == cp_model.INFEASIBLE:
            return []
        if status not in SOLVED:
            raise limit_met(self._run)
        found = self._two_factors.chosen(solver)
        self._two_factors.hint(found)
        return [found]


class _Enumerating(_Rounds):
    """All 2-factors that are left, or so many of them, in each round."""

    _most = FIRST_ROUND
    _ended = False

    def solve(self) -> list[EdgeNumbers]:
        """The next ones."""
        if self._ended:
            return []
        collector = _TwoFactorCollector(self._two_factors, self._most)
        status = solve(self._options.enumerator(self._run), self._two_factors.model, self._run, collector)
        self._ended = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
        if not self._ended and len(collector.found) < self._most:
            raise limit_met(self._run)
        self._most *= 2
        return collector.found


class _TwoFactorCollector(cp_model.CpSolverSolutionCallback):
    """The 2-factors that an enumeration meets, until there are ``most``."""

    def __init__(self, two_factors: TwoFactorModel, most: int) -> None:
        super().__init__()
        self._two_factors, self._most = two_factors, most
        self.found: list[EdgeNumbers] = []

    def on_solution_callback(self) -> None:
        self.found.append(self._two_factors.chosen(self))
        if len(self.found) >= self._most:
            self.stop_search()
