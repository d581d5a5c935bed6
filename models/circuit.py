"""CP-SAT with the circuit constraint: one Boolean per arc, and the chosen arcs form one cycle through all vertices.

The constraint is the ``circuit`` of Laurière 1978, over arc literals (OR-Tools' ``add_circuit``). An undirected edge is two arcs; a
required edge asks for one of them. Cost: 2m Booleans for m edges (m for m arcs), one circuit constraint, and one clause for each required
edge.

CP-SAT's own log of proofs does not cover the circuit constraint, so a ``none`` of this backend is a claim.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from cpsat_tour.answer import Answer, Limits
from cpsat_tour.errors import BadInput
from cpsat_tour.events import OnEvent, Progress
from cpsat_tour.graph import Ints
from cpsat_tour.problem import HamiltonProblem
from cpsat_tour.reduction import CycleProblem, to_cycle
from cpsat_tour.registry import StoppedEarly

from .numbering import number_edges

TICK = 0.1
"""Seconds between two chances for Ctrl-C and for progress."""

AHEAD = 1000
"""The tours that an enumeration may find ahead of whoever reads them."""


@dataclass(frozen=True)
class Circuit:
    """CP-SAT's circuit constraint.

    ``linearization`` is CP-SAT's level of linear relaxation. Level 0 has none and is the fastest where a tour exists (by a factor of up to
    1.5 at closed 50x50), but needs 42,000 conflicts to refute closed 7x7; level 1, the default, needs 2; level 2 adds subtour cuts and
    is too slow beyond 30x30. Probing and symmetry detection are off: without them closed 50x50 takes half the time. ``log`` writes the
    solver's own log to stderr.
    """

    linearization: int = 1
    log: bool = False

    takes_directed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.linearization not in (0, 1, 2):
            raise BadInput(f"option linearization of backend cpsat can't be {self.linearization}: choose 0, 1 or 2")

    def solve(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """A tour, a claimed ``none``, or unknown at the limit. Work: ``conflicts`` (the unit of its limit), ``branches``, ``propagations``."""
        clock = limits.clock()
        cycle = to_cycle(problem)
        model, arcs = circuit_model(cycle, limits.seed)
        solver = self._solver(limits, clock.left)
        status = _run_in_a_thread(solver, model, on_event)
        work = _work(solver)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Answer.found(
                problem, cycle.tour(arcs.cycle(np.array([solver.boolean_value(literal) for literal in arcs.literals], dtype=bool))), work
            )
        if status == cp_model.INFEASIBLE:
            return Answer.none("claimed", "CP-SAT reports that the circuit constraint can't be met", work)
        return Answer.unknown("time" if clock.expired else "work", work)

    def tours(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Iterator[Ints]:
        """All tours by CP-SAT's own enumeration; of the two directions of an undirected cycle only one is handed on."""
        cycle = to_cycle(problem)
        model, arcs = circuit_model(cycle, limits.seed)
        solver = self._solver(limits, limits.seconds)
        solver.parameters.num_workers = 1
        solver.parameters.enumerate_all_solutions = True
        collector = _Collector(arcs)
        thread = threading.Thread(target=collector.enumerate, args=(solver, model), daemon=True)
        thread.start()
        try:
            while (vertices := collector.next()) is not None:
                if cycle.directed or vertices[1] < vertices[-1]:
                    yield cycle.tour(vertices)
                if on_event is not None:
                    on_event(Progress({"solutions": collector.count}))
        finally:
            collector.ended.set()
            thread.join()
        if collector.status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
            raise StoppedEarly

    def _solver(self, limits: Limits, seconds: float | None) -> cp_model.CpSolver:
        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = limits.threads or 1
        parameters.linearization_level = self.linearization
        parameters.cp_model_probing_level = 0
        parameters.symmetry_level = 0
        parameters.random_seed = limits.seed
        parameters.catch_sigint_signal = False
        parameters.log_search_progress = self.log
        parameters.log_to_stdout = False
        solver.log_callback = lambda line: print(line, file=sys.stderr)
        if seconds is not None:
            parameters.max_time_in_seconds = max(seconds, 1e-3)
        if limits.work is not None:
            parameters.max_number_of_conflicts = limits.work
        return solver


@dataclass(frozen=True, eq=False)
class Arcs:
    """The arcs of the circuit, an undirected edge twice: ``literals[k]`` says that the cycle goes from ``tails[k]`` to ``heads[k]``."""

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


def circuit_model(cycle: CycleProblem, seed: int = 0) -> tuple[cp_model.CpModel, Arcs]:
    """The CP-SAT model of a cycle problem, and its arcs, in the order of the edges that the seed stands for."""
    model = cp_model.CpModel()
    edges = number_edges(cycle, seed).edges
    tails, heads, required = cycle.tails[edges], cycle.heads[edges], cycle.required[edges]
    if not cycle.directed:
        tails, heads = np.concatenate([tails, heads]), np.concatenate([heads, tails])
    literals = [model.new_bool_var("") for _ in range(len(tails))]
    if not _every_vertex_has_an_arc(cycle.order, tails, heads):
        model.add_bool_or([])
    model.add_circuit(zip(tails.tolist(), heads.tolist(), literals, strict=True))
    for edge in np.flatnonzero(required).tolist():
        model.add_bool_or([literals[edge]] if cycle.directed else [literals[edge], literals[edge + cycle.size]])
    return model, Arcs(tails, heads, literals)


def _every_vertex_has_an_arc(order: int, tails: Ints, heads: Ints) -> bool:
    """Whether each vertex can be entered and left; the circuit constraint passes over vertices that no arc names."""
    return len(np.unique(tails)) == len(np.unique(heads)) == order


class _Collector(cp_model.CpSolverSolutionCallback):
    """Puts the cycle of every solution on a queue, and stops the search once ``ended`` is set."""

    def __init__(self, arcs: Arcs) -> None:
        super().__init__()
        self._arcs = arcs
        self._found: SimpleQueue[Ints | None] = SimpleQueue()
        self._room = threading.Semaphore(AHEAD)
        self.count = 0
        self.status: int = cp_model.UNKNOWN
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


def _run_in_a_thread(solver: cp_model.CpSolver, model: cp_model.CpModel, on_event: OnEvent | None) -> int:
    """Solve in a thread of its own, so that Ctrl-C reaches this one; what was done by then is told before the interrupt goes on."""
    outcome: list[int] = []
    thread = threading.Thread(target=lambda: outcome.append(solver.solve(model)), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(TICK)
            if on_event is not None:
                on_event(Progress({}))
    except KeyboardInterrupt:
        solver.stop_search()
        thread.join(5 * TICK)
        if outcome and on_event is not None:
            on_event(Progress(_work(solver)))
        raise
    return outcome[0]


def _work(solver: cp_model.CpSolver) -> dict[str, int]:
    return {"conflicts": solver.num_conflicts, "branches": solver.num_branches, "propagations": solver.num_binary_propagations}
