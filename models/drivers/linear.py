"""Solvers of linear constraints: mixed-integer programming by HiGHS (Huangfu & Hall 2018), and pseudo-Boolean solving
by ``exact`` (Elffers & Nordström 2018; Devriendt, Gleixner & Nordström 2021).

Both run the cutting-plane loop (`subtours`) over degree equations, in its oldest form, that of Dantzig, Fulkerson &
Johnson (1954). HiGHS begins each round anew, with branch and bound for what is fractional; it computes in floating
point, so its ``none`` is a claim. ``exact`` reasons with cutting planes in exact arithmetic and learns from conflicts:
where clauses need exponentially many steps to see that a board of odd size has no closed tour, it adds up the degree
equations, and 11x11 takes milliseconds.

Each solver works on one thread of a process of its own (`linear_worker`): one keeps no limit, the other clashes with
the copy of it that OR-Tools brings. A process serves one run after the other, is killed when a run is broken off in a
solve, and ends when whoever asked has ended, however that came about.

Cost, for n vertices and m edges: m binary columns, n equations with 2m entries in all, and a row for each cut set as it
is met.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.errors import BackendFault, StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.processes import Child
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import HEARTBEAT, Run, Watch
from cpsat_tour.core.verify import cycle_along
from cpsat_tour.models.loop.numbering import ArcNumbering, number_edges
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, hamiltonian_cycles


class DegreeEquations:
    """The degree equations and cut sets in a worker, as a relaxation; column ``k`` is edge ``edges[k]``."""

    def __init__(self, worker: Worker, run: Run, counter: str) -> None:
        cycle, numbering = run.cycle, number_edges(run.cycle, run.limits.seed)
        self._worker, self._run, self._counter = worker, run, counter
        self._edges, self._columns = numbering.edges, numbering.variables - 1
        worker.begin(run, np.ones(cycle.size), cycle.size)
        indptr, incident = cycle.incidence
        self._worker.add(self._columns[incident], np.diff(indptr), 2, 2)
        required = self._columns[cycle.required]
        self._worker.add(required, np.ones_like(required), 1, 1)
        pairs = self._columns[cycle.tied_pairs]
        self._worker.add(pairs, np.full(len(pairs), 2), 0, 0, np.tile([1.0, -1.0], len(pairs)))

    def solve(self) -> EdgeNumbers | None:
        """Return the edges of a solution, a 2-factor, None if there is none; `StoppedEarly` at a limit."""
        chosen = self._worker.solve(self._run, self._counter)
        return None if chosen is None else self._edges[chosen]

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a row for each cut set: at least two of its edges."""
        edges = np.concatenate([cut_set.edges for cut_set in cut_sets])
        lengths = np.array([len(cut_set.edges) for cut_set in cut_sets])
        self._worker.add(self._columns[edges], lengths, 2, np.inf)

    def block(self, edges: EdgeNumbers) -> None:
        """Add a row: not all of these edges."""
        self._worker.add(self._columns[edges], np.array([len(edges)]), -np.inf, len(edges) - 1)


@dataclass(frozen=True)
class Milp:
    """Degree equations and cut sets, by HiGHS. It does not list tours: every one blocked is a dense row, and 5x5 open
    would take minutes. Work: ``nodes`` (the unit of its limit), ``iterations`` of the simplex method."""

    solver: ClassVar[str] = "HiGHS"
    library: ClassVar[str] = "highspy"
    unit: ClassVar[str] = "nodes"
    takes: ClassVar[Features] = frozenset({"symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, found in rounds of solving and cutting off; return the `Refutation` when there
        are no more."""
        with worker(self.library) as process:
            yield from hamiltonian_cycles(DegreeEquations(process, run, self.unit), run.cycle, run)
        equations = f"the degree equations and {run.work['cut_sets']} cut sets"
        return Refutation("claimed", f"{self.solver} reports that {equations} have no integer solution")


@dataclass(frozen=True)
class PseudoBoolean(Milp):
    """Degree equations and cut sets, by exact. Work is counted in ``conflicts``."""

    solver: ClassVar[str] = "exact"
    library: ClassVar[str] = "exact"
    unit: ClassVar[str] = "conflicts"
    takes: ClassVar[Features] = frozenset({"every", "symmetry"})


@dataclass(frozen=True)
class ArcProgram(ABC):
    """A mixed-integer program for HiGHS whose solutions are the arcs of one cycle: those of an undirected edge are two.

    For each vertex one arc leaves it and one enters it; a subclass states, over columns of its own, that there is one
    cycle.
    """

    name: ClassVar[str]
    takes: ClassVar[Features] = frozenset({"directed", "symmetry"})
    unit: ClassVar[str] = "nodes"

    @abstractmethod
    def upper(self, arcs: ArcNumbering) -> NDArray[np.float64]:
        """Return the upper bound of each column that comes after the arcs."""

    @abstractmethod
    def state(self, worker: Worker, arcs: ArcNumbering) -> None:
        """State that there is one cycle; ``arcs.variables[k] - 1`` is the column of arc ``k``."""

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield one Hamiltonian cycle, from a solution of the whole program, or return the `Refutation` if there is
        none. Work: ``nodes`` (the unit of its limit), ``iterations`` of the simplex method."""
        with worker("highspy") as process:
            arcs = self.build(process, run)
            if (columns := process.solve(run, self.unit)) is not None:
                chosen = arcs.arcs[columns]
                yield cycle_along(arcs.tails[chosen], arcs.heads[chosen])
        return Refutation("claimed", f"HiGHS reports that the program of {self.name} has no solution")

    def build(self, worker: Worker, run: Run) -> ArcNumbering:
        """State the whole program; return the arcs that its first columns stand for."""
        cycle, arcs = run.cycle, ArcNumbering(run.cycle, run.limits.seed)
        number = len(arcs.arcs)
        worker.begin(run, np.concatenate([np.ones(number), self.upper(arcs)]), number)
        x = arcs.variables - 1
        for ends in (arcs.tails, arcs.heads):
            worker.add(x[np.argsort(ends, kind="stable")], np.bincount(ends, minlength=cycle.order), 1, 1)
        required = x[arcs.along(np.flatnonzero(cycle.required))]
        worker.add(required, np.full(len(required), required.shape[1]), 1, 1)
        tied = x[np.concatenate([arcs.along(cycle.tied_pairs[:, 0]), arcs.along(cycle.tied_pairs[:, 1])], axis=1)]
        worker.add(tied, np.full(len(tied), 4), 0, 0, np.tile([1.0, 1.0, -1.0, -1.0], len(tied)))
        self.state(worker, arcs)
        return arcs


class Worker:
    """A process with a solver; ``at_rest`` when it has answered all that was asked. Messages wait, ``unsent``, for the
    next `hear`."""

    def __init__(self, library: str) -> None:
        self.library, self.at_rest = library, True
        self.unsent: list[tuple[Any, ...]] = []
        self.child = Child("-m", "cpsat_tour.models.drivers.linear_worker", library)

    def begin(self, run: Run, upper: NDArray[np.float64], binary: int) -> None:
        """Begin a program of columns between 0 and their ``upper`` bounds, the first ``binary`` of which are integer;
        `add` beats the heart of this run."""
        self._heartbeat = run.heartbeat
        self.unsent = [("begin", upper.tolist(), binary, run.limits.seed)]

    def add(
        self,
        columns: NDArray[np.integer],
        lengths: NDArray[np.integer],
        least: float,
        most: float,
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        """Add rows: ``least`` <= the sum of columns, each with its weight (default: 1), <= ``most``.

        The first row has the first ``lengths[0]`` of the columns, the next row those after them, and so on.
        """
        weights = np.ones(columns.size) if weights is None else weights
        row_data = columns.ravel().tolist(), lengths.tolist(), weights.ravel().tolist()
        self.unsent.append(("add", *row_data, least, most))
        self._heartbeat()

    def hear(self, run: Watch) -> dict[str, Any]:
        """Send the messages that wait; return the last message of the answer, and beat the heart until it comes.
        `BackendFault` if the process ends first, `StoppedEarly` when the time is over."""
        self.at_rest = False
        connection = self.child.connection
        try:
            while self.unsent:
                connection.send(self.unsent.pop(0))
                run.heartbeat()
            while True:
                while not connection.poll(HEARTBEAT):
                    run.heartbeat()
                answer: dict[str, Any] = connection.recv()
                run.work.update(answer["work"])
                if "end" in answer:
                    self.at_rest = True
                    return answer
        except (EOFError, ConnectionError) as fault:
            status = self.child.end()
            raise BackendFault(
                f"the process of {self.library} ended with status {status}{self.child.last_words}"
            ) from fault

    def solve(self, run: Run, counter: str) -> Ints | None:
        """Return the numbers of the binary columns that are 1 in a solution, None if there is none; `StoppedEarly` at a
        limit. Work is counted in ``counter``."""
        if (left := run.work_left(counter)) == 0:
            raise StoppedEarly("work")
        self.unsent.append(("solve", left))
        answer = self.hear(run)
        if answer["end"] == "work":
            raise StoppedEarly("work")
        return np.array(answer["chosen"], dtype=np.int32) if answer["end"] == "found" else None


_idle: defaultdict[str, list[Worker]] = defaultdict(list)


@contextmanager
def worker(library: str) -> Iterator[Worker]:
    """Lend a process that is idle, or a new one; after a run that was not broken off in a solve it is idle again."""
    process = _idle_worker(library) or Worker(library)
    try:
        yield process
    finally:
        if process.at_rest:
            _idle[library].append(process)
        else:
            process.child.end()


def _idle_worker(library: str) -> Worker | None:
    """Return an idle process that is alive; None if there is none."""
    with suppress(IndexError):  # also where another thread took the last one
        while True:
            process = _idle[library].pop()
            if process.child.process.poll() is None:
                return process
            process.child.end()
    return None
