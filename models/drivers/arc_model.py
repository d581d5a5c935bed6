"""CP-SAT formulations over arc literals: one tour, or all of them by CP-SAT's own enumeration, and the model as a
formula."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from queue import Full, Queue

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.events import Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Heartbeat, Run, no_heartbeat
from cpsat_tour.core.tour import cycle_along
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.drivers.cpsat import SOLVED, TICK, CpFormula, CpSat, count, limit_met, solve

AHEAD = 1000
"""The tours that an enumeration may find ahead of whoever reads them."""


@dataclass(frozen=True)
class ArcModel(CpSat, ABC):
    """A CP-SAT formulation whose solutions are the arcs of one cycle."""

    @abstractmethod
    def model(self, cycle: CycleProblem, seed: int, heartbeat: Heartbeat) -> tuple[cp_model.CpModel, ModelArcs]:
        """The model of a cycle problem, and its arcs; the heart beats while it is built."""

    @abstractmethod
    def both_ways(self, cycle: CycleProblem) -> bool:
        """Whether an undirected cycle is two solutions, one for either direction."""

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """One cycle, or all by CP-SAT's own enumeration. Work: ``conflicts`` (the unit of its limit), ``branches``,
        ``propagations``."""
        model, arcs = self.model(run.cycle, run.limits.seed, run.heartbeat)
        if run.every:
            yield from self._every_cycle(run, model, arcs)
        else:
            solver = self.solver(run)
            status = solve(solver, model, run)
            if status in SOLVED:
                yield arcs.cycle(solver.boolean_value)
            elif status != cp_model.INFEASIBLE:
                raise limit_met(run)
        return Refutation("claimed", f"CP-SAT reports that the model of {self.name} has no solution")

    def _every_cycle(self, run: Run, model: cp_model.CpModel, arcs: ModelArcs) -> Iterator[Ints]:
        """Yield all cycles; of the two directions of an undirected one only one."""
        solver, both_ways = self.solver(run), self.both_ways(run.cycle)
        solver.parameters.num_workers = 1
        solver.parameters.enumerate_all_solutions = True
        collector = _CycleCollector(arcs)
        thread = threading.Thread(target=collector.enumerate, args=(solver, model), daemon=True)
        thread.start()
        try:
            while (vertices := collector.found.get()) is not None:
                if not both_ways or vertices[1] < vertices[-1]:
                    yield vertices
                run.work["solutions"] = collector.solutions
                run.tell(Progress(dict(run.work)))
        finally:
            collector.ended = True
            thread.join()
        count(solver, run)
        if collector.status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
            raise limit_met(run)

    def formula(self, cycle: CycleProblem, seed: int = 0) -> CpFormula:
        """The model of a problem, each arc named by its move."""
        model, arcs = self.model(cycle, seed, no_heartbeat)
        for literal, tail, head in zip(arcs.literals, arcs.tails.tolist(), arcs.heads.tolist(), strict=True):
            model.proto.variables[literal.index].name = f"{cycle.name(tail)}-{cycle.name(head)}"
        return CpFormula(model)

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Variables, constraints and literals of the model, without names."""
        return CpFormula(self.model(cycle, 0, no_heartbeat)[0]).sizes


def required_and_tied_edges(
    model: cp_model.CpModel, cycle: CycleProblem, literals: list[cp_model.IntVar], edges: Ints
) -> None:
    """Required edges are used in a direction, those of an orbit together; the arcs are those of the edges forth, then
    back, if undirected."""
    for edge in np.flatnonzero(cycle.required[edges]).tolist():
        model.add_bool_or(literals[edge :: cycle.size])
    place = np.argsort(edges)
    for one, other in place[cycle.pairs].tolist():
        model.add(literals[one] + literals[one + cycle.size] == literals[other] + literals[other + cycle.size])


@dataclass(frozen=True, eq=False)
class ModelArcs:
    """The arcs of a model, an undirected edge twice: ``literals[k]`` says that the cycle goes from ``tails[k]`` to
    ``heads[k]``."""

    tails: Ints
    heads: Ints
    literals: list[cp_model.IntVar]

    def cycle(self, is_true: Callable[[cp_model.IntVar], bool]) -> Ints:
        """Return the vertices of the one cycle that the arcs with true literals form, from vertex 0."""
        used = np.array([is_true(literal) for literal in self.literals], dtype=bool)
        return cycle_along(self.tails[used], self.heads[used])


class _CycleCollector(cp_model.CpSolverSolutionCallback):
    """Puts the cycle of every solution on a queue, None after the last, and stops the search once ``ended`` is set."""

    def __init__(self, arcs: ModelArcs) -> None:
        super().__init__()
        self._arcs = arcs
        self.found: Queue[Ints | None] = Queue(AHEAD)
        self.solutions = 0
        self.status: cp_model.CpSolverStatus = cp_model.UNKNOWN
        self.ended = False

    def enumerate(self, solver: cp_model.CpSolver, model: cp_model.CpModel) -> None:
        """Find all solutions; to be run in a thread of its own."""
        try:
            self.status = solver.solve(model, self)
        finally:
            self._put(None)

    def on_solution_callback(self) -> None:
        self.solutions += 1
        self._put(self._arcs.cycle(self.boolean_value))
        if self.ended:
            self.stop_search()

    def _put(self, cycle: Ints | None) -> None:
        while not self.ended:
            with suppress(Full):
                self.found.put(cycle, timeout=TICK)
                return
