"""CP-SAT with cut sets added between solves: the degree constraints as equations, and subtours cut off as they come
out.

The cutting-plane loop (`subtours`) with a solver that knows sums. CP-SAT starts anew each time; what it is given of the
last round is the 2-factor that was cut off, as a hint, so that only what the cut sets touch is found again.

*The best tour.* A Boolean for each pair of moves that counts, and their sum as the objective. Each round has the best
2-factor that no cut set so far rules out, so its value is a bound, and the first round whose 2-factor is a tour has the
best tour. Until then each is merged into a tour, where that goes, to have one. Of a pair whose Boolean the solver would
rather have true, the Boolean implies either move, and of an edge at a vertex and the pairs there without it at most one
is true, without which the relaxation is weak; of one that it would rather have false, both moves imply the Boolean.
The linear relaxation of CP-SAT at level 2 does the rest, on one thread: two share out its strategies, and are worse.
The bound is a claim. Against a circuit constraint over arcs with the same Booleans: as fast for turns of 6x6 to 8x9, or
up to twice as fast, and 17 s where that proved nothing in 100 s for crossings of 6x7.

Cost, for n vertices and m edges of which r are required: m Booleans, n equations, r units, and one sum for each cut set
as it is met; for the best tour one Boolean more for each pair, and two clauses or one sum.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

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
from cpsat_tour.models.loop.cutsets import cut_sets
from cpsat_tour.models.loop.numbering import number_edges
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, cutting_planes, hamiltonian_cycles

if TYPE_CHECKING:
    from cpsat_tour.backends.best_run import BestRun, Conclusion


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


def improve_two_factors(run: BestRun) -> Conclusion:
    """Solve to the optimum and cut off, round by round, until the best 2-factor is a tour; return the `Conclusion` that
    no tour is better. `StoppedEarly` at a limit. Work is counted in ``conflicts`` of all rounds together."""
    from cpsat_tour.backends.best_run import Conclusion  # loads a compiler

    rounds = _BestTwoFactors(run)
    all(violated for _, violated in cutting_planes(rounds, rounds.violated, run.goal.cycle, run))  # up to a tour
    cuts = run.work["cut_sets"]
    return Conclusion(
        "claimed", f"CP-SAT reports that the degree constraints and {cuts} cut sets have no better solution"
    )


class _BestTwoFactors(TwoFactorModel):
    """The relaxation whose solution is the best 2-factor. Each is merged, and a tour that comes of it is handed to the
    run."""

    def __init__(self, run: BestRun) -> None:
        from cpsat_tour.models.loop.merging import Merging  # loads a compiler

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
        """Add that of an edge at a vertex, and the pairs there without it, at most one is used: the linear relaxation
        would take half of each."""
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
