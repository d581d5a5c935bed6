"""Solvers of linear constraints in processes of their own: HiGHS (Huangfu & Hall 2018) and ``exact`` (Elffers &
Nordström 2018; Devriendt, Gleixner & Nordström 2021).

Each works on one thread (`linear_worker`): one keeps no limit, the other clashes with the copy of it that OR-Tools
brings. A process serves one run after the other, is killed when a run is broken off in a solve, and ends when whoever
asked has ended, however that came about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import isfinite
from typing import Any

import numpy as np

from cpsat_tour.core.errors import BackendFault, StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.processes import Child
from cpsat_tour.core.run import HEARTBEAT, Watch
from cpsat_tour.core.space import Floats
from cpsat_tour.models.drivers.linear_program import LinearProgram
from cpsat_tour.models.drivers.linear_rows import Rows


class Worker:
    """A process with a solver; ``at_rest`` when it has answered all that was asked. Messages wait, ``unsent``, for the
    next `hear`."""

    def __init__(self, library: str) -> None:
        self.library, self.at_rest = library, True
        self.unsent: list[tuple[Any, ...]] = []
        self.child = Child("-m", "cpsat_tour.models.drivers.linear_worker", library)

    def begin(
        self,
        run: Watch,
        program: LinearProgram,
        costs: Sequence[float] = (),
        on_bound: Callable[[float], None] | None = None,
    ) -> None:
        """Begin this program, in HiGHS under these costs of its columns, of whose sum ``on_bound`` gets better and
        better bounds; `add` beats the heart of this run."""
        self._heartbeat, self._whole, self._on_bound = run.heartbeat, program.whole, on_bound
        self.unsent = [("begin", program.upper, program.whole, run.limits.seed, *([costs] if costs else []))]
        for rows in program.rows:
            self.add(rows)

    def add(self, rows: Rows) -> None:
        """Add rows to the program that was begun."""
        sums = rows.sums
        parts = (sums.columns, sums.lengths, sums.weights, *rows.bounds)
        self.unsent.append(("add", *(part.tolist() for part in parts)))
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
                if self._on_bound is not None and isfinite(answer["bound"]):
                    self._on_bound(answer["bound"])
                if "end" in answer:
                    self.at_rest = True
                    return answer
        except (EOFError, ConnectionError) as fault:
            status = self.child.end()
            raise BackendFault(
                f"the process of {self.library} ended with status {status}{self.child.last_words}"
            ) from fault

    def solve(self, run: Watch, counter: str) -> Ints | None:
        """Return the numbers of the binary columns that are 1 in a solution; the rest as in `values`."""
        values = self.values(run, counter)
        return None if values is None else np.flatnonzero(values[: self._whole] > 0.5).astype(np.int32)

    def values(self, run: Watch, counter: str) -> Floats | None:
        """Return the value of each column in a solution, None if there is none; `StoppedEarly` at a limit. Work is
        counted in ``counter``."""
        if (left := run.work_left(counter)) == 0:
            raise StoppedEarly("work")
        self.unsent.append(("solve", left))
        answer = self.hear(run)
        if answer["end"] == "work":
            raise StoppedEarly("work")
        return np.array(answer["values"], dtype=np.float64) if answer["end"] == "found" else None


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
