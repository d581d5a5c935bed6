"""CP-SAT formulations over arc literals: one tour, or all of them by CP-SAT's own enumeration, and the model as a
formula."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Queue

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import HEARTBEAT, Heartbeat, Run, detached, no_heartbeat, with_heartbeats
from cpsat_tour.core.verify import cycle_along
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.drivers.cpsat import CpFormula, CpSat, faults_of_cpsat, has_solution, solve
from cpsat_tour.models.loop.numbering import ArcNumbering

AHEAD = 1000
"""The tours that an enumeration may find ahead of whoever reads them."""


@dataclass(frozen=True)
class ArcModel(CpSat, ABC):
    """A CP-SAT formulation whose solutions are the arcs of one cycle."""

    @abstractmethod
    def model(self, cycle: CycleProblem, seed: int, heartbeat: Heartbeat) -> tuple[cp_model.CpModel, ModelArcs]:
        """Return the model of a cycle problem, and its arcs; ``heartbeat`` is called while it is built."""

    @abstractmethod
    def gives_both_directions(self, cycle: CycleProblem) -> bool:
        """Return True if an undirected cycle is two solutions, one for either direction."""

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield one Hamiltonian cycle, or all by CP-SAT's own enumeration; return the `Refutation` when there are no
        more. Work: ``conflicts`` (the unit of its limit), ``branches``, ``propagations``."""
        model, arcs = self.model(run.cycle, run.limits.seed, run.heartbeat)
        if run.every:
            yield from self._every_cycle(run, model, arcs)
        else:
            solver = self.solver(run)
            if solve(solver, model, run):
                yield arcs.used_cycle(solver.boolean_value)
        return Refutation("claimed", f"CP-SAT reports that the model of {self.name} has no solution")

    def _every_cycle(self, run: Run, model: cp_model.CpModel, arcs: ModelArcs) -> Iterator[Ints]:
        """Yield all cycles, each as its vertices in order, of the two directions of an undirected one only one;
        `StoppedEarly` at a limit."""
        solver, gives_both_directions = self.solver(run), self.gives_both_directions(run.cycle)
        solver.parameters.num_workers = 1
        solver.parameters.enumerate_all_solutions = True
        collector = _CycleCollector(arcs, run)

        @faults_of_cpsat
        def enumerate_all() -> None:
            try:
                solver.solve(model, collector)
            finally:
                collector.found.put(None)

        enumerating = detached(enumerate_all)
        try:
            while (vertices := collector.next_cycle()) is not None:
                if not gives_both_directions or vertices[1] < vertices[-1]:
                    yield vertices
        finally:
            while not enumerating.done():
                solver.stop_search()
                with suppress(Empty):  # it may wait for room in the queue
                    collector.found.get(timeout=HEARTBEAT)
        enumerating.result()
        has_solution(solver, run)

    def formula(self, cycle: CycleProblem, seed: int = 0) -> CpFormula:
        """Return the model of a problem, each arc named by its move."""
        model, arcs = self.model(cycle, seed, no_heartbeat)
        for literal, arc in zip(arcs.literals, arcs.arcs.tolist(), strict=True):
            name = f"{cycle.name(int(arcs.tails[arc]))}-{cycle.name(int(arcs.heads[arc]))}"
            model.proto.variables[literal.index].name = name
        return CpFormula(model)

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Return the number of variables, constraints and literals of the model."""
        return CpFormula(self.model(cycle, 0, no_heartbeat)[0]).sizes


class ModelArcs(ArcNumbering):
    """The arcs of a model: ``literals[v - 1]`` says that the cycle goes along arc ``arcs[v - 1]``."""

    def __init__(self, model: cp_model.CpModel, cycle: CycleProblem, seed: int, heartbeat: Heartbeat) -> None:
        super().__init__(cycle, seed)
        self.literals = [model.new_bool_var("") for _ in with_heartbeats(self.arcs, heartbeat)]

    def state_required_and_tied_edges(self, model: cp_model.CpModel, heartbeat: Heartbeat) -> None:
        """State that required edges are used in a direction, and those that a symmetry ties together both or not."""
        for literals in with_heartbeats(self._literals_along(np.flatnonzero(self.cycle.required)), heartbeat):
            model.add_bool_or(literals)
        tied = zip(*(self._literals_along(edges) for edges in self.cycle.tied_pairs.T), strict=True)
        for first, second in with_heartbeats(tied, heartbeat):
            model.add(sum(first) == sum(second))

    def _literals_along(self, edges: NDArray[np.integer]) -> list[list[cp_model.IntVar]]:
        """Return the literals of the arcs along each of the edges."""
        return [[self.literals[variable - 1] for variable in row] for row in self.variables[self.along(edges)].tolist()]

    def used_cycle(self, is_true: Callable[[cp_model.IntVar], bool]) -> Ints:
        """Return the vertices of the one cycle that the arcs with true literals form, from vertex 0."""
        used = self.arcs[np.array([is_true(literal) for literal in self.literals], dtype=bool)]
        return cycle_along(self.tails[used], self.heads[used])


class _CycleCollector(cp_model.CpSolverSolutionCallback):
    """Puts the cycle of every solution on the queue ``found``, and ends the search once the conflicts have reached the
    limit on work, which CP-SAT applies to each solution anew."""

    def __init__(self, arcs: ModelArcs, run: Run) -> None:
        super().__init__()
        self._arcs, self._run = arcs, run
        self.found: Queue[Ints | None] = Queue(AHEAD)
        self.solutions = 0

    def on_solution_callback(self) -> None:
        self.solutions += 1
        self.found.put(self._arcs.used_cycle(self.boolean_value))
        if self._run.limits.after(self.num_conflicts).work == 0:
            self.stop_search()

    def next_cycle(self) -> Ints | None:
        """Return the next cycle found, waited for with heartbeats of the run; None at the end of the enumeration."""
        while True:
            self._run.work["solutions"] = self.solutions
            self._run.heartbeat()
            with suppress(Empty):
                return self.found.get(timeout=HEARTBEAT)
