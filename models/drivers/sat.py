"""PySAT solvers driven so that they can be stopped: by the clock, by work, by Ctrl-C.

Three facts about PySAT shape this module. Most of its solvers can't be interrupted while they solve. On the main thread
it answers SIGINT by a long jump out of the solver, which leaves locks held and, in a propagator's callback, the Python
interpreter itself torn. And during a call the other Python threads stand still, but for callbacks. So the calls are
made on a second thread, where PySAT leaves signals alone, while the calling thread waits, beats a heart a few times a
second and takes Ctrl-C; and a call is cut into slices of a conflict budget. The slices are a function of the formula's
size alone, so that a run does the same work each time. After an interruption a solver is dropped: nothing may be asked
of it any more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import ClassVar

import numpy as np
import pysolvers
from pysat.solvers import NoSuchSolverError, Solver

from cpsat_tour.core.errors import BadInput, StoppedEarly, faults_of
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.runs import NO_LIMIT, Run, Watch, run_on_thread, second_thread
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features, Registered
from cpsat_tour.formats.formula import Clauses
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers

MIN_SLICE, MAX_SLICE, SLICE_CLAUSES = 100, 2000, 100_000_000
"""A slice is this many conflicts, and within these bounds inversely proportional to the clauses: a fraction of a
second.

Where the solver keeps its trail (``ilb``), so that a slice is no restart, there is no lower bound but one.
"""

BATCH = 1 << 14
"""The number of clauses, about, that are made and added at a time: it bounds the memory, and the time between two looks
at the clock."""

LISTS = 1 << 9
"""The clauses that are lists at a time: too few for Python to look for garbage among them, which took a third of the
time of adding."""

UNSLICED = 2**31 - 1
"""The conflicts of a call that can be interrupted otherwise."""

DECISIONS_PER_SLICE = 100_000
"""The decisions of a slice.

Before its first conflict a solver decides without end on a large formula; CaDiCaL alone can be cut off there.
"""


SOLVERS = (
    *("cadical195", "cadical103", "cadical153", "cadical300", "ergo", "gluecard3", "gluecard4", "glucose3", "glucose4"),
    *("glucose42", "maplechrono", "maplecm", "maplesat", "mergesat3", "minicard", "minisat22"),
)
"""The solvers of PySAT that are incremental and keep a conflict budget; Lingeling and Kissat, which can't be stopped,
are not among them."""

IN_ROUNDS = {
    "cadical153": {"reverse": 1},
    "cadical195": {"reverse": 1, "ilb": 0},
    "cadical300": {"reverse": 1, "ilb": 0},
}
"""The solvers' settings for rounds of cut sets.

CaDiCaL decides from the last variable down, the other solvers from the first up; and where it keeps the trail from one
round to the next (``ilb``), it clings to the cycles that a cut set is to break up: closed 100x100 by diagonals then
took minutes, not seconds.
"""

AT_ONCE = {"phase": 0, "reverse": 1, "rephase": 0, "stabilizeonly": 1, "lucky": 0}
"""CaDiCaL's settings for a whole encoding: decide the edges in the order of their numbers, before arcs and counters,
and leave each out at first, so that paths grow along the sweep; then restart seldom and keep to the largest assignment
that had no conflict (the stable mode with target phases of Biere & Fleury 2020), never resetting it, so that what is
wrong is mended and not begun anew. By its own settings CaDiCaL decides the last counter first: then `adder` took 5 to
15 s for closed 20x20, and `elimination` and `relative` did not find it in a minute. These bring all three to a
second."""

MANY_CLAUSES = 1 << 23
"""Clauses from which CaDiCaL no longer simplifies a whole encoding while it searches, nor moves its clauses: of ten
million (`elimination` on 40x40) that took up to half a minute at a time, in which it can't be stopped, and slowed it
down.

From there on it also keeps its trail from slice to slice (``ilb``). Otherwise each slice is a restart, and of so many
clauses the slices are short: a hundred conflicts did not do for 40x40 in a thousand slices, where thirty do now.
"""


@dataclass(frozen=True)
class SatFormulation(Registered, ABC):
    """A formulation that a SAT solver of PySAT solves; ``solvers`` names those that it runs on. Its files are ``plain``
    if edges come first there and aren't negated."""

    solver: str = "cadical195"
    plain: bool = False

    takes: ClassVar[Features] = frozenset({"every", "symmetry", "waypoints"})
    unit: ClassVar[str] = "conflicts"
    solvers: ClassVar[tuple[str, ...]] = SOLVERS

    def __post_init__(self) -> None:
        if self.solver not in self.solvers:
            raise BadInput(
                f"there is no program and no solver of PySAT {self.solver.partition(' ')[0]!r} for this backend: "
                f"give the path of a program, or choose one of {', '.join(self.solvers)}"
            )

    @abstractmethod
    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles; return the `Refutation` when there are no more. Work is counted in
        conflicts."""

    def at_once(self, run: Watch, clauses: int) -> SatSolver:
        """Return a solver with the settings for a whole encoding of this many clauses."""
        many = int(clauses >= MANY_CLAUSES)
        settings = AT_ONCE | {"inprocessing": 1 - many, "arena": 1 - many, "ilb": many}
        return SatSolver(self.solver, run, settings if self.solver.startswith("cadical") else None)

    def claim(self, run: Run, constraints: str = "the degree constraints") -> Refutation:
        """Return the refutation that the solver found no cycle: a claim, since its word is no evidence."""
        cuts = run.work["cut_sets"]
        return Refutation(
            "claimed", f"the SAT solver {self.solver} reports that {constraints} and {cuts} cut sets are unsatisfiable"
        )


class SatSolver(AbstractContextManager["SatSolver"]):
    """A PySAT solver with the clauses given to it so far; to be used in a ``with`` statement.

    It keeps to the limits of the run, work being counted in conflicts, and adds its own counters to those of the run:
    the limit is one for all calls, and for all solvers of a run. ``conflicts`` are its own when it last came back;
    ``clauses`` were given in arrays. Glucose looks at a budget only when it restarts.
    """

    def __init__(self, name: str, run: Watch, options: Mapping[str, int] | None = None) -> None:
        try:
            self.solver = Solver(name)
        except NoSuchSolverError:
            raise BadInput(
                f"the SAT solver {name} is not in the installed version of PySAT: upgrade python-sat or choose another"
            ) from None
        if options:
            self.solver.configure(dict(options))
        self.clauses = self.conflicts = 0
        self._run, self._name = run, name
        self._least = 1 if (options or {}).get("ilb") else MIN_SLICE
        self._counted = Counter[str]()
        # CaDiCaL's own function in C takes half the time of the method around it.
        handle = getattr(self.solver.solver, "cadical", None)
        in_c = getattr(pysolvers, f"{name}_add_cl", None)
        self._add = self.solver.add_clause if handle is None or in_c is None else partial(in_c, handle)
        self._stopped = Event()
        self._at_rest = True
        self._second_thread = second_thread()

    def __exit__(self, *ended: object) -> None:
        """Free the solver's memory, once a call that is still under way has ended.

        That is done on the second thread, where no Ctrl-C can come between freeing the solver and forgetting it: it
        would be freed again.
        """
        self._second_thread.submit(self._free_memory)
        self._second_thread.shutdown()

    def _free_memory(self) -> None:
        """Free the solver's memory.

        A CaDiCaL that was broken off in a callback forbids that.
        """
        if not self._at_rest and hasattr(self.solver.solver, "cadical"):
            self.solver.solver.cadical = None
        self.solver.delete()

    def add(self, clauses: Clauses) -> None:
        """Add clauses of one length, the rows of an array of literals."""
        for begin in range(0, len(clauses), LISTS):
            self.add_each(clauses[begin : begin + LISTS].tolist())
        self.clauses += len(clauses)

    def add_each(self, clauses: Iterable[list[int]]) -> None:
        """Add clauses of any lengths, without a step of Python for each.

        CaDiCaL tells a propagator meanwhile what it takes back: a Ctrl-C in that callback comes out of C as a
        `SystemError`, and is raised as itself.
        """
        try:
            deque(map(self._add, clauses), maxlen=0)
        except SystemError as fault:
            raise fault.__cause__ or fault from None

    def state(self, blocks: Iterable[Clauses]) -> None:
        """Add blocks of clauses, and look at the clock after each batch."""
        for block in blocks:
            for begin in range(0, len(block), BATCH):
                self.add(block[begin : begin + BATCH])
                self._run.heartbeat()

    def connect(self, propagator: object, observed: int) -> None:
        """Connect a propagator that observes the first ``observed`` variables."""
        self.solver.connect_propagator(propagator)
        deque(map(self.solver.solver.observe, range(1, observed + 1)), maxlen=0)

    def solve(
        self,
        stop: Callable[[], None] | None = None,
        heartbeat: Callable[[], None] | None = None,
        until: int = NO_LIMIT,
        given: Sequence[int] = (),
    ) -> bool:
        """Return True if the clauses are satisfiable with the ``given`` literals true, False if not; `StoppedEarly` at
        a limit of the run, or after ``until`` conflicts of this solver.

        If ``stop`` can interrupt a call, as a propagator can, the call is not cut into slices. The
        heartbeat is that of the run unless another is given.
        """
        task = faults_of(self._name)(partial(self._solve_within_limits, until, given, sliced=stop is None))
        try:
            with self._run.timed("solve"):
                verdict = run_on_thread(
                    self._second_thread, task, heartbeat or self._run.heartbeat, stop or self._stopped.set
                )
        except BaseException:
            # After a slice the solver has come back in good order; made to return from a callback it stands in the
            # middle of its work.
            self._at_rest = stop is None
            if self._at_rest:
                self._count()
            raise
        self._count()
        if verdict is None:
            raise StoppedEarly(self._run.clock.stopped_by or "work")
        return verdict

    def true_among(self, variables: int) -> Ints:
        """Return the indices, from 0, of the variables that are true in the model, of the first ``variables`` ones."""
        return np.flatnonzero(np.array(self.solver.get_model()[:variables], dtype=np.int32) > 0).astype(np.int32)

    def _count(self) -> None:
        """Add the solver's work since the last call to the counters of the run.

        To ask for its counters while it works aborts the process.
        """
        counters = Counter[str](self.solver.accum_stats())
        for name, number in counters.items():
            self._run.work[name] = self._run.work.get(name, 0) + number - self._counted[name]
        self._counted, self.conflicts = counters, counters["conflicts"]

    def _solve_within_limits(self, until: int, given: Sequence[int], *, sliced: bool) -> bool | None:
        """Return True if the clauses are satisfiable, False if not, None if a limit was met or the run stopped.

        The calls of the solver are of limited work if ``sliced``, else there is one.
        """
        conflicts = min(MAX_SLICE, max(self._least, SLICE_CLAUSES // max(1, self.clauses))) if sliced else UNSLICED
        decisions = DECISIONS_PER_SLICE
        while not (self._stopped.is_set() or self._run.clock.expired):
            before, left = self.conflicts, self._run.work_left(SatFormulation.unit)
            budget = min(conflicts, until - before, NO_LIMIT if left is None else left)
            if budget <= 0:
                break
            self.solver.conf_budget(budget)
            with suppress(NotImplementedError):
                self.solver.dec_budget(decisions if sliced else -1)
            verdict: bool | None = self.solver.solve_limited(given)
            if verdict is not None:
                return verdict
            self._count()
            if self.conflicts == before:
                decisions *= 2  # it decides anew each time
        return None


class SatRelaxation:
    """A formula about edges as a relaxation that gives one 2-factor at a time; variable ``v`` stands for edge ``edges[v
    - 1]``."""

    def __init__(self, solver: SatSolver, edges: Ints) -> None:
        self._solver, self._edges = solver, edges
        self._variables = np.empty_like(edges)
        self._variables[edges] = np.arange(1, len(edges) + 1, dtype=edges.dtype)

    def solve(self) -> EdgeNumbers | None:
        """Return the edges of a 2-factor, a model of the formula, None if there is none; `StoppedEarly` at a limit."""
        return self._edges[self._solver.true_among(len(self._edges))] if self._solver.solve() else None

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a clause for each cut set: one of its edges is used."""
        self._solver.add_each(self._variables[cut_set.edges].tolist() for cut_set in cut_sets)

    def block(self, edges: EdgeNumbers) -> None:
        """Add a clause that excludes the solution: not all of these edges are used."""
        self._solver.add(-self._variables[edges][None, :])
