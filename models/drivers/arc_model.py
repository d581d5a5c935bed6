"""CP-SAT formulations over arc literals: one tour, or all of them by CP-SAT's own enumeration, and the model as a formula."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.drivers.cpsat import TICK, CpFormula, CpSat, limit_met, run_in_a_thread, vertex_name, work_of

AHEAD = 1000
"""The tours that an enumeration may find ahead of whoever reads them."""


@dataclass(frozen=True)
class ArcModel(CpSat, ABC):
    """A CP-SAT formulation whose solutions are the arcs of one cycle."""

    @abstractmethod
    def model(self, cycle: CycleProblem, seed: int) -> tuple[cp_model.CpModel, ModelArcs]:
        """The model of a cycle problem, and its arcs."""

    @abstractmethod
    def cost(self, cycle: CycleProblem) -> Sizes:
        """The sizes of the model, without building it."""

    @abstractmethod
    def both_ways(self, cycle: CycleProblem) -> bool:
        """Whether an undirected cycle is two solutions, one for either direction."""

    def solve(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour, a claimed ``none``, or unknown at the limit. Work: ``conflicts`` (the unit of its limit), ``branches``, ``propagations``."""
        clock = limits.clock()
        cycle = to_cycle(problem)
        model, arcs = self.model(cycle, limits.seed)
        solver = self.solver(limits, clock.left, limits.work)
        status = run_in_a_thread(solver, model, on_event)
        work = work_of(solver)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Answer.found(
                problem, cycle.tour(arcs.cycle(np.array([solver.boolean_value(literal) for literal in arcs.literals], dtype=bool))), work
            )
        if status == cp_model.INFEASIBLE:
            return Answer.none("claimed", f"CP-SAT reports that the model of {self.name} has no solution", work)
        return Answer.unknown(limit_met(limits, work["conflicts"]), work)

    def tours(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Iterator[Ints]:
        """All tours by CP-SAT's own enumeration; of the two directions of an undirected cycle only one is handed on."""
        cycle = to_cycle(problem)
        model, arcs = self.model(cycle, limits.seed)
        solver = self.solver(limits, limits.seconds, limits.work)
        both_ways = self.both_ways(cycle)
        solver.parameters.num_workers = 1
        solver.parameters.enumerate_all_solutions = True
        collector = _Collector(arcs)
        thread = threading.Thread(target=collector.enumerate, args=(solver, model), daemon=True)
        thread.start()
        try:
            while (vertices := collector.next()) is not None:
                if not both_ways or vertices[1] < vertices[-1]:
                    yield cycle.tour(vertices)
                if on_event is not None:
                    on_event(Progress({"solutions": collector.count}))
        finally:
            collector.ended.set()
            thread.join()
        if collector.status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
            raise StoppedEarly(f"the limit on {limit_met(limits, solver.num_conflicts)} ended the list of tours")

    def formula(self, problem: HamiltonProblem, seed: int = 0) -> CpFormula:
        """The model of a problem, each arc named by its move."""
        cycle = to_cycle(problem)
        model, arcs = self.model(cycle, seed)
        for literal, tail, head in zip(arcs.literals, arcs.tails.tolist(), arcs.heads.tolist(), strict=True):
            model.proto.variables[literal.index].name = f"{vertex_name(cycle, tail)}-{vertex_name(cycle, head)}"
        return CpFormula(model)

    def sizes(self, problem: HamiltonProblem) -> Sizes:
        """Variables, constraints and literals of the model, without building it."""
        return self.cost(to_cycle(problem))


@dataclass(frozen=True, eq=False)
class ModelArcs:
    """The arcs of a model, an undirected edge twice: ``literals[k]`` says that the cycle goes from ``tails[k]`` to ``heads[k]``."""

    tails: Ints
    heads: Ints
    literals: list[cp_model.IntVar]

    def cycle(self, used: NDArray[np.bool_]) -> Ints:
        """The vertices of the one cycle that the used arcs form, from vertex 0."""
        following = np.zeros(int(used.sum()), dtype=np.int32)
        following[self.tails[used]] = self.heads[used]
        steps = following.tolist()
        vertices = [0]
        while (vertex := steps[vertices[-1]]) != 0:
            vertices.append(vertex)
        return np.array(vertices, dtype=np.int32)


class _Collector(cp_model.CpSolverSolutionCallback):
    """Puts the cycle of every solution on a queue, and stops the search once ``ended`` is set."""

    def __init__(self, arcs: ModelArcs) -> None:
        super().__init__()
        self._arcs = arcs
        self._found: SimpleQueue[Ints | None] = SimpleQueue()
        self._room = threading.Semaphore(AHEAD)
        self.count = 0
        self.status: cp_model.CpSolverStatus = cp_model.UNKNOWN
        self.ended = threading.Event()

    def enumerate(self, solver: cp_model.CpSolver, model: cp_model.CpModel) -> None:
        """Find all solutions; to be run in a thread of its own."""
        try:
            self.status = solver.solve(model, self)
        finally:
            self._found.put(None)

    def next(self) -> Ints | None:
        """The next cycle, waited for; None when the search is over."""
        while True:
            try:
                cycle = self._found.get(timeout=TICK)
            except Empty:
                continue
            self._room.release()
            return cycle

    def on_solution_callback(self) -> None:
        while not self._room.acquire(timeout=TICK):
            if self.ended.is_set():
                break
        if self.ended.is_set():
            self.stop_search()
            return
        self.count += 1
        self._found.put(self._arcs.cycle(np.array([self.boolean_value(literal) for literal in self._arcs.literals], dtype=bool)))
