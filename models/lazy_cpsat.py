"""CP-SAT with cut sets added between solves: the degree constraints as equations, and subtours cut off as they come out.

The loop of Dantzig, Fulkerson & Johnson (1954), as in `lazy`, with a solver that knows sums. CP-SAT starts anew each time; what it is
given of the last round is the assignment that was cut off, as a hint, so that only what the cut sets touch is found again.

All tours are listed in passes. A pass enumerates the 2-factors that are left, collecting tours and the cut sets of the others. One that comes
to its end is the last; otherwise it is ended after so many 2-factors that are no tours, twice as many in each pass, and the next one
begins with their cut sets added and the tours found forbidden.

Cost, for n vertices and m edges of which r are required: m Booleans, n equations, r units, and one sum for each cut set as it is met.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import CutSetAdded, OnEvent, Progress, TwoFactorFound
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.cutsets import cut_sets
from cpsat_tour.models.drivers.cpsat import CpFormula, CpSat, limit_met, run_in_a_thread, vertex_name, work_of
from cpsat_tour.models.numbering import number_edges

Numbers = NDArray[np.integer]

FIRST_PASS = 64
"""The 2-factors without being tours that end the first pass of an enumeration."""


@dataclass(frozen=True)
class LazyCpSat(CpSat):
    """Degree equations, and cut sets added between the runs of CP-SAT."""

    name: ClassVar[str] = "cpsat:lazy"
    takes_directed: ClassVar[bool] = False

    def solve(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour, a claimed ``none``, or unknown at the limit, which is counted in conflicts of all rounds together."""
        clock = limits.clock()
        rounds = TwoFactors(to_cycle(problem), limits.seed)
        work = {"conflicts": 0, "branches": 0, "propagations": 0, "cut_sets": 0, "rounds": 0, "cycles": 0}
        while limits.work is None or work["conflicts"] < limits.work:
            solver = self.solver(limits, clock.left, None if limits.work is None else limits.work - work["conflicts"])
            status = run_in_a_thread(solver, rounds.model, on_event)
            for counter, count in work_of(solver).items():
                work[counter] += count
            if status == cp_model.INFEASIBLE:
                reason = f"CP-SAT reports that the degree constraints and {work['cut_sets']} cut sets have no solution"
                return Answer.none("claimed", reason, work)
            if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
                return Answer.unknown(limit_met(limits, work["conflicts"]), work)
            chosen = np.flatnonzero([solver.boolean_value(literal) for literal in rounds.literals])
            cycles = rounds.cycles(chosen)
            if len(cycles) == 1:
                return Answer.found(problem, rounds.cycle.tour(cycles[0]), work)
            cuts = cut_sets(rounds.cycle, cycles)
            rounds.cut_off(cuts)
            rounds.hint(chosen)
            work |= {"cut_sets": work["cut_sets"] + len(cuts), "rounds": work["rounds"] + 1, "cycles": len(cycles)}
            if on_event is not None:
                on_event(TwoFactorFound(len(cycles)))
                for cycle, _ in zip(cycles, cuts, strict=False):
                    on_event(CutSetAdded(len(cycle)))
                on_event(Progress(dict(work)))
        return Answer.unknown("work", work)

    def tours(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Iterator[Ints]:
        """All tours, in passes as the module says."""
        clock = limits.clock()
        rounds = TwoFactors(to_cycle(problem), limits.seed)
        enough, conflicts = FIRST_PASS, 0
        while True:
            solver = self.solver(limits, clock.left, None if limits.work is None else max(0, limits.work - conflicts))
            solver.parameters.num_workers = 1
            solver.parameters.enumerate_all_solutions = True
            found = _Pass(rounds, enough)
            status = run_in_a_thread(solver, rounds.model, on_event, found)
            conflicts += solver.num_conflicts
            for tour in found.tours:
                yield rounds.cycle.tour(tour)
            if status in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
                return
            if len(found.others) < enough:
                raise StoppedEarly(f"the limit on {limit_met(limits, conflicts)} ended the list of tours")
            for chosen in found.chosen:
                rounds.forbid(chosen)
            for cycles in found.others:
                rounds.cut_off(cut_sets(rounds.cycle, cycles))
            enough *= 2

    def formula(self, problem: HamiltonProblem, seed: int = 0) -> CpFormula:
        """The degree constraints, a relaxation: the model says so in its name."""
        rounds = TwoFactors(to_cycle(problem), seed)
        cycle = rounds.cycle
        rounds.model.name = "relaxation: shorter cycles satisfy this model too"
        for edge, literal in zip(rounds.edges.tolist(), rounds.literals, strict=True):
            ends = (int(cycle.tails[edge]), int(cycle.heads[edge]))
            rounds.model.proto.variables[literal.index].name = "-".join(vertex_name(cycle, end) for end in ends)
        return CpFormula(rounds.model)

    def sizes(self, problem: HamiltonProblem) -> Sizes:
        """The formula of the module, without cut sets."""
        cycle = to_cycle(problem)
        required = int(cycle.required.sum())
        return Sizes(cycle.size, cycle.order + required, 2 * cycle.size + required)


class TwoFactors:
    """The model whose solutions are the 2-factors that no cut set added so far rules out; ``literals[k]`` stands for ``edges[k]``."""

    def __init__(self, cycle: CycleProblem, seed: int) -> None:
        self.cycle = cycle
        self.model = cp_model.CpModel()
        numbering = number_edges(cycle, seed)
        self.edges = numbering.edges
        self.literals = [self.model.new_bool_var("") for _ in self.edges]
        self._place = numbering.variables - 1
        indptr, incident = cycle.incidence
        for edges in np.split(incident, indptr[1:-1]):
            self.model.add(cp_model.LinearExpr.sum(self._of(edges)) == 2)
        for literal in self._of(np.flatnonzero(cycle.required)):
            self.model.add_bool_or([literal])

    def _of(self, edges: Numbers) -> list[cp_model.IntVar]:
        return [self.literals[place] for place in self._place[edges].tolist()]

    def cycles(self, chosen: Numbers) -> list[Ints]:
        """The cycles of the 2-factor given by the numbers of its literals."""
        return self.cycle.cycles(self.edges[chosen])

    def cut_off(self, cuts: list[Ints]) -> None:
        """At least two edges of each cut set."""
        for cut in cuts:
            self.model.add(cp_model.LinearExpr.sum(self._of(cut)) >= 2)

    def forbid(self, chosen: Numbers) -> None:
        """Not all of these literals."""
        self.model.add_bool_or([self.literals[literal].negated() for literal in chosen.tolist()])

    def hint(self, chosen: Numbers) -> None:
        """Begin the next solve where the last one ended."""
        self.model.clear_hints()
        used = np.zeros(len(self.literals), dtype=bool)
        used[chosen] = True
        for literal, value in zip(self.literals, used.tolist(), strict=True):
            self.model.add_hint(literal, value)


class _Pass(cp_model.CpSolverSolutionCallback):
    """What one pass of the enumeration met: the tours, as cycles and as chosen literals, and the 2-factors that are no tours."""

    def __init__(self, rounds: TwoFactors, enough: int) -> None:
        super().__init__()
        self._rounds = rounds
        self._enough = enough
        self.tours: list[Ints] = []
        self.chosen: list[Numbers] = []
        self.others: list[list[Ints]] = []

    def on_solution_callback(self) -> None:
        chosen = np.flatnonzero([self.boolean_value(literal) for literal in self._rounds.literals])
        cycles = self._rounds.cycles(chosen)
        if len(cycles) == 1:
            self.tours.append(cycles[0])
            self.chosen.append(chosen)
        else:
            self.others.append(cycles)
            if len(self.others) >= self._enough:
                self.stop_search()
