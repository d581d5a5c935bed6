"""What the CP-SAT formulations share: the solver's parameters, running it so that it can be interrupted, for one
solution, for all or in rounds, and its model as a file.

CP-SAT's own log of proofs does not cover what these formulations use, so a ``none`` of theirs is a claim.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, Queue, SimpleQueue
from typing import BinaryIO, ClassVar, Literal

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.core.errors import NoAnswer, StoppedEarly, faults_of
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import HEARTBEAT, LogLine, Progress, Watch, await_result, detached, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features, Registered
from cpsat_tour.formats.formula import TITLE, Sizes
from cpsat_tour.models.loop.numbering import Numbering
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers


@dataclass(frozen=True)
class CpSat(Registered):
    """The options of all CP-SAT formulations: CP-SAT's level of linear relaxation, 0 to 2, and whether its log goes to
    stderr."""

    linearization: Literal[0, 1, 2] = 1
    log: bool = False

    takes: ClassVar[Features] = frozenset({"every", "symmetry"})
    unit: ClassVar[str] = "conflicts"

    def solver(self, run: Watch) -> cp_model.CpSolver:
        """Return a CP-SAT solver with the options and the limits of the run.

        Probing and symmetry detection are off, for they took half the time of closed 50x50.
        """
        solver = cp_model.CpSolver()
        parameters = solver.parameters
        settings = {
            # Several workers go on beyond a limit on conflicts.
            "num_workers": (run.limits.threads or 1) if run.limits.work is None else 1,
            "linearization_level": self.linearization,
            "cp_model_probing_level": 0,
            "symmetry_level": 0,
            "random_seed": run.limits.seed,
            "catch_sigint_signal": False,
            "log_search_progress": self.log,
            "log_to_stdout": False,
        }
        for name, value in settings.items():
            setattr(parameters, name, value)
        solver.log_callback = lambda line: print(line, file=sys.stderr)
        if run.clock.left is not None:
            parameters.max_time_in_seconds = max(run.clock.left, 1e-3)
        if (conflicts := run.work_left("conflicts")) is not None:
            parameters.max_number_of_conflicts = conflicts
        return solver


BY_RELAXATION = CpSat(linearization=2)
"""The options for an objective: the linear relaxation does most, on one thread; two share out its strategies, and are
worse."""

faults_of_cpsat = faults_of("CP-SAT")

ValueOf = Callable[[cp_model.IntVar], int]
"""Returns the value of a variable in a solution, 1 of a literal that is true."""


def solve(solver: cp_model.CpSolver, model: cp_model.CpModel, run: Watch) -> bool:
    """Solve a model on a second thread, so that Ctrl-C reaches this one; return True if there is a solution, the best
    one if there is an objective. `StoppedEarly` at a limit.

    The solver's log goes, on this thread, to whoever listens, who may interrupt too, by an exception.
    """
    log: SimpleQueue[str] = SimpleQueue()
    if run.on_event is not None:
        solver.log_callback = log.put

    def heartbeat() -> None:
        while not log.empty():
            run.tell(LogLine(log.get()))
        run.tell(Progress(dict(run.work)))
        if run.clock.expired:
            solver.stop_search()

    solving = detached(partial(faults_of_cpsat(solver.solve), model))
    try:
        with run.timed("solve"):
            await_result(solving, heartbeat)
        heartbeat()
    except BaseException as ended:
        solver.stop_search()
        if wait([solving], 5 * HEARTBEAT).done and isinstance(ended, KeyboardInterrupt):
            _add_counters(solver, run)
            run.tell(Progress(dict(run.work)))
        raise
    return has_solution(solver, run)


AHEAD = 1000
"""The number of solutions that an enumeration may find before they are read."""


def all_cycles(
    solver: cp_model.CpSolver, model: cp_model.CpModel, cycle_of: Callable[[ValueOf], Ints], run: Watch
) -> Iterator[Ints]:
    """Yield the cycle of every solution, by CP-SAT's own enumeration on one thread; `StoppedEarly` at a limit.

    ``cycle_of`` reads the cycle off a function that returns the values of variables.
    """
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    collector = _Collector(cycle_of, run)

    @faults_of_cpsat
    def enumerate_all() -> None:
        try:
            solver.solve(model, collector)
        finally:
            collector.found.put(None)

    enumerating = detached(enumerate_all)
    try:
        while (cycle := collector.next_cycle()) is not None:
            yield cycle
    finally:
        while not enumerating.done():
            solver.stop_search()
            with suppress(Empty):  # it may wait for room in the queue
                collector.found.get(timeout=HEARTBEAT)
    enumerating.result()
    has_solution(solver, run)


class _Collector(cp_model.CpSolverSolutionCallback):
    """A callback that puts the cycle of every solution on the queue ``found``, and ends the search once the conflicts
    have reached the limit on work.

    CP-SAT itself applies that limit to each solution anew.
    """

    def __init__(self, cycle_of: Callable[[ValueOf], Ints], run: Watch) -> None:
        super().__init__()
        self._cycle_of, self._run = cycle_of, run
        self.found: Queue[Ints | None] = Queue(AHEAD)
        self.solutions = 0

    def on_solution_callback(self) -> None:
        """Put the cycle of a solution that CP-SAT has found on the queue, while its search waits."""
        self.solutions += 1
        self.found.put(self._cycle_of(self.value))
        if self._run.limits.after(self.num_conflicts).work == 0:
            self.stop_search()

    def next_cycle(self) -> Ints | None:
        """Wait with heartbeats for the next cycle and return it; None at the end of the enumeration."""
        while True:
            self._run.work["solutions"] = self.solutions
            self._run.heartbeat()
            with suppress(Empty):
                return self.found.get(timeout=HEARTBEAT)


def has_solution(solver: cp_model.CpSolver, run: Watch) -> bool:
    """Return True if the solver has a solution, False if it showed that there is none; add its counters to those of the
    run.

    `StoppedEarly` names the limit that it met; `NoAnswer` has any other status.
    """
    _add_counters(solver, run)
    status, limit = solver.response_proto.status.name, solver.parameters.max_time_in_seconds
    if status in ("OPTIMAL", "INFEASIBLE"):
        return bool(status == "OPTIMAL")
    if status in ("FEASIBLE", "UNKNOWN"):
        if run.work_left("conflicts") == 0:
            raise StoppedEarly("work")
        if run.clock.expired or solver.wall_time >= min(FAST_CLOCK * limit, limit - MOMENT):
            raise StoppedEarly(run.clock.stopped_by or "time")
    raise NoAnswer(f"CP-SAT ended with the status {status}: {solver.solution_info() or 'it met no limit'}")


FAST_CLOCK, MOMENT = 0.8, 1.0
"""A limit on time ends CP-SAT a little early: by up to a tenth, or by its longest time between two looks at the clock,
which is a part of a second on a busy machine."""


def _add_counters(solver: cp_model.CpSolver, run: Watch) -> None:
    """Add the solver's counters to those of the run."""
    counters = {
        "conflicts": solver.num_conflicts,
        "branches": solver.num_branches,
        "propagations": solver.num_binary_propagations,
    }
    run.work.update({name: run.work.get(name, 0) + number for name, number in counters.items()})


class EdgeModel(cp_model.CpModel):
    """A CP-SAT model over edges, solved again and again as a relaxation: the Boolean ``x[e]`` says that edge e is used.

    Each solve begins at the solution before, so that it finds again only what is new. If there is an objective, the
    solution is a best one, and ``offer_bound`` is called with its value. At the vertex ``open_at`` any number of edges
    is used.
    """

    offer_bound: Callable[[int], None] | None = None

    def __init__(self, cycle: CycleProblem, options: CpSat, run: Watch, open_at: int | None = None) -> None:
        super().__init__()
        self.cycle, self.options, self.run, self.open_at = cycle, options, run, open_at
        numbering = Numbering(cycle, run.limits.seed)
        booleans = [self.new_bool_var("") for _ in with_heartbeats(numbering.edges, run.heartbeat)]
        self.x = [booleans[variable - 1] for variable in numbering.variables.tolist()]

    def sum_over(self, edges: Iterable[int]) -> cp_model.LinearExpr:
        """Return the sum of x[e] over these edges."""
        return cp_model.LinearExpr.sum([self.x[e] for e in edges])

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """State for each cut set that two of its edges are used, or one of the items ``unless`` is chosen."""
        for row in cut_sets:
            self.add(self.sum_over(row.edges.tolist()) + 2 * self.sum_over(row.unless) >= 2)

    def block(self, edges: EdgeNumbers) -> None:
        """State that not all of these edges are used."""
        self.add(self.sum_over(edges.tolist()) <= len(edges) - 1)

    def solve(self) -> EdgeNumbers | None:
        """Return the chosen items of a solution near the one before, None if there is none; `StoppedEarly` at a
        limit."""
        if self.run.work_left("conflicts") == 0:
            raise StoppedEarly("work")
        solver = self.options.solver(self.run)
        if self.offer_bound is not None:
            solver.parameters.cp_model_probing_level = solver.parameters.symmetry_level = 2
        if not solve(solver, self, self.run):
            return None
        used = np.flatnonzero([solver.boolean_value(x) for x in self.x])
        self.begin_at(used)
        if self.offer_bound is not None:
            self.offer_bound(round(solver.objective_value))
        return used

    def begin_at(self, edges: EdgeNumbers) -> None:
        """Give the next solve these edges as a hint to begin at."""
        self.proto.clear_solution_hint()
        used = np.isin(np.arange(len(self.x)), edges)
        for x, value in zip(self.x, used.tolist(), strict=True):
            self.add_hint(x, value)


MEMBERS = {
    **dict.fromkeys(("bool_or", "exactly_one", "circuit"), "literals"),
    "linear": "vars",
    "all_diff": "exprs",
    "element": "exprs",
}
"""The constraints that our models have, and where their literals or integers are."""


@dataclass(frozen=True, eq=False)
class CpFormula:
    """A CP-SAT model as a formula that can be written: the protocol buffer ``CpModelProto``. It is ``relaxed`` if
    shorter cycles satisfy it too."""

    model: cp_model.CpModel
    relaxed: bool = False

    forms: ClassVar[Mapping[str, str]] = {"pb": "CP-SAT model, binary", "pbtxt": "CP-SAT model, text"}

    @property
    def sizes(self) -> Sizes:
        """The number of variables, of constraints, and of literals and integer variables in the constraints."""
        proto, literals = self.model.proto, 0
        for constraint in proto.constraints:
            # To ask for a kind that the constraint is not would turn it into that.
            kind, members = next(row for row in MEMBERS.items() if getattr(constraint, f"has_{row[0]}")())
            literals += len(constraint.enforcement_literal) + len(getattr(getattr(constraint, kind), members))
            literals += 2 * (kind == "element")  # its index and its target
        return Sizes(len(proto.variables), len(proto.constraints), literals)

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the model to a file, in binary or as text by the suffix, and return its size."""
        from tempfile import NamedTemporaryFile  # only to write

        # OR-Tools tells the form by the suffix as well, but writes only to files.
        with NamedTemporaryFile(suffix=".txt" if suffix == "pbtxt" else ".pb") as written:
            self.model.name = f"{TITLE}; relaxation: shorter cycles satisfy this model too" if self.relaxed else TITLE
            self.model.export_to_file(written.name)
            file.write(written.read())
        return self.sizes
