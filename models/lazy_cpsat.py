"""CP-SAT with cut sets added between solves: the degree constraints as equations, and subtours cut off as they come
out.

    sum of x[e] over the edges e at v = 2       for each vertex v
    x[e]                                        for each required edge e
    sum of x[e] over the edges e of a cut >= 2  for the cut set of a cycle, once a solution has it

The cutting-plane loop (`subtours`) with a solver that knows sums. CP-SAT starts anew each time; what it is given of the
last round is the 2-factor that was cut off, as a hint, so that only what the cut sets touch is found again.

Cost, for n vertices and m edges of which r are required: m Booleans, n equations, r units, and one sum for each cut set
as it is met.
"""

from __future__ import annotations

import operator
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.limits import Clock, Limits
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Run, Watch, with_heartbeats
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.drivers.cpsat import CpFormula, CpSat, solve
from cpsat_tour.models.loop.numbering import number_edges
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, hamiltonian_cycles


@dataclass(frozen=True)
class LazyCpSat(CpSat):
    """Degree equations, and cut sets added between the runs of CP-SAT. It does not list tours: each would take a run of
    its own."""

    name: ClassVar[str] = "cpsat:lazy"
    takes: ClassVar[Features] = frozenset({"symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield a Hamiltonian cycle, found in rounds of solving and cutting off, or return the `Refutation` if there is
        none; the limit on work is counted in conflicts of all rounds together."""
        yield from hamiltonian_cycles(TwoFactorModel(run.cycle, self, run), run.cycle, run)
        cuts = run.work["cut_sets"]
        return Refutation("claimed", f"CP-SAT reports that the degree constraints and {cuts} cut sets have no solution")

    def formula(self, cycle: CycleProblem, seed: int = 0) -> CpFormula:
        """Return the model of the degree constraints alone, and so a relaxation, which its name says."""
        two_factors = TwoFactorModel(cycle, self, Watch(Limits(seed=seed), Clock(None)))
        model = two_factors.model
        model.name = "relaxation: shorter cycles satisfy this model too"
        for edge, literal in zip(two_factors.edges.tolist(), two_factors.literals, strict=True):
            ends = (int(cycle.tails[edge]), int(cycle.heads[edge]))
            model.proto.variables[literal.index].name = "-".join(map(cycle.name, ends))
        return CpFormula(model)

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Return the number of variables, constraints and literals of that model."""
        return self.formula(cycle).sizes


class TwoFactorModel:
    """The model whose solutions are the 2-factors that no cut set added so far rules out, as a relaxation;
    ``literals[k]`` stands for ``edges[k]``."""

    def __init__(self, cycle: CycleProblem, options: CpSat, run: Watch) -> None:
        self.model = cp_model.CpModel()
        self.options, self.run, heartbeat = options, run, run.heartbeat
        numbering = number_edges(cycle, run.limits.seed)
        self.edges = numbering.edges
        self.literals = [self.model.new_bool_var("") for _ in with_heartbeats(self.edges, heartbeat)]
        self._index = numbering.variables - 1
        indptr, incident = cycle.incidence
        for edges in with_heartbeats(np.split(incident, indptr[1:-1]), heartbeat):
            self.model.add(cp_model.LinearExpr.sum(self._literals_of(edges)) == 2)
        for literal in self._literals_of(np.flatnonzero(cycle.required)):
            self.model.add_bool_or([literal])
        for pair in cycle.tied_pairs:
            self.model.add(operator.eq(*self._literals_of(pair)))

    def _literals_of(self, edges: EdgeNumbers) -> list[cp_model.IntVar]:
        """Return the literals of these edges."""
        return [self.literals[index] for index in self._index[edges].tolist()]

    def solve(self) -> EdgeNumbers | None:
        """Return the edges of a 2-factor, near the one before, or None if none is left; `StoppedEarly` at a limit."""
        return self.solve_by(self.options.solver(self.run))

    def solve_by(self, solver: cp_model.CpSolver) -> EdgeNumbers | None:
        """Return the edges of the 2-factor that the solver finds, the best if there is an objective, None if there is
        none; the next solve begins at it. `StoppedEarly` at a limit."""
        if self.run.work_left("conflicts") == 0:
            raise StoppedEarly("work")
        if not solve(solver, self.model, self.run):
            return None
        chosen = self.edges[np.flatnonzero([solver.boolean_value(literal) for literal in self.literals])]
        self.hint(chosen)
        return chosen

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a sum for each cut set: at least two of its edges."""
        for cut_set in cut_sets:
            self.model.add(cp_model.LinearExpr.sum(self._literals_of(cut_set.edges)) >= 2)

    def block(self, edges: EdgeNumbers) -> None:
        """Add a clause: not all of these edges."""
        self.model.add_bool_or([literal.negated() for literal in self._literals_of(edges)])

    def hint(self, edges: EdgeNumbers) -> None:
        """Let the next solve begin at this 2-factor."""
        self.model.clear_hints()
        used = np.zeros(len(self.literals), dtype=bool)
        used[self._index[edges]] = True
        for literal, value in zip(self.literals, used.tolist(), strict=True):
            self.model.add_hint(literal, value)
