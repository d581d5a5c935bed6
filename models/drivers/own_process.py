"""Solvers of sums in processes of their own, as relaxations: for those that keep no limit, crash, or clash with other
libraries.

A worker is a module beside this one that imports its solver and little of ours. Its messages are dictionaries:
``{"columns": n, "required": […], "seed": s}`` begins a program of n binary columns; ``{"rows": [(columns, least, most),
…]}`` adds sums within bounds, None for none, where ``-1 - c`` stands for column c with a minus; ``{"solve": work}``
asks for a solution within this work, None for any. A worker answers with ``{"work": {…}}``, the counters so far; its
last answer also has ``end``: ``found``, with the columns that are 1 as ``chosen``, ``none``, or ``work``. It serves one
run after the other, is killed when a run is broken off in a solve, and ends when whoever asked has ended, however that
came about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from cpsat_tour.core.errors import BackendFault, StoppedEarly
from cpsat_tour.core.processes import Child
from cpsat_tour.core.run import HEARTBEAT, Run, Watch
from cpsat_tour.models.numbering import number_edges
from cpsat_tour.models.subtours import CutSet, EdgeNumbers

Row = tuple[EdgeNumbers, int | None, int | None]

ROWS_AT_A_TIME = 1 << 10
"""Degree equations written out between two looks at the clock."""


class Sums:
    """The degree equations and cut sets in a worker; column ``k`` is edge ``edges[k]``,
    ``counter`` the unit of work."""

    def __init__(self, worker: Worker, run: Run, counter: str) -> None:
        self._run: Watch
        self._worker, self._run, self._counter = worker, run, counter
        cycle, numbering = run.cycle, number_edges(run.cycle, run.limits.seed)
        self._edges, self._columns = numbering.edges, numbering.variables - 1
        worker.say(
            {
                "columns": cycle.size,
                "required": self._columns[cycle.required].tolist(),
                "seed": run.limits.seed,
            }
        )
        indptr, incident = cycle.incidence
        vertices = np.split(incident, indptr[1:-1])
        for begin in range(0, len(vertices), ROWS_AT_A_TIME):
            self._add((edges, 2, 2) for edges in vertices[begin : begin + ROWS_AT_A_TIME])
            run.heartbeat()
        self._rows(([one, -1 - other], 0, 0) for one, other in self._columns[cycle.pairs].tolist())

    def solve(self) -> list[EdgeNumbers]:
        """The 2-factor of a solution."""
        left = self._run.work_left(self._counter)
        if left == 0:
            raise StoppedEarly("work")
        self._worker.say({"solve": left})
        told = self._worker.hear(self._run)
        if told["end"] == "work":
            raise StoppedEarly("work")
        return [self._edges[told["chosen"]]] if told["end"] == "found" else []

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """A sum for each: at least two of its edges."""
        self._add((cut_set.edges, 2, None) for cut_set in cut_sets)

    def block(self, edges: EdgeNumbers) -> None:
        """A sum: not all of them."""
        self._add([(edges, None, len(edges) - 1)])

    def _add(self, rows: Iterable[Row]) -> None:
        self._rows((self._columns[edges].tolist(), least, most) for edges, least, most in rows)

    def _rows(self, rows: Iterable[tuple[list[int], int | None, int | None]]) -> None:
        """Sums over columns, ``-1 - c`` for column c with a minus."""
        self._worker.say({"rows": list(rows)})


class Worker:
    """A process with a solver; ``at_rest`` when it has answered all that was asked. What is said waits, ``unsent``, for
    the next `hear`."""

    def __init__(self, name: str) -> None:
        self.at_rest = True
        self.unsent: list[dict[str, Any]] = []
        self._child = Child("-m", f"cpsat_tour.models.drivers.{name}")

    def say(self, data: dict[str, Any]) -> None:
        """Put a message among those to send."""
        self.unsent.append(data)

    def hear(self, run: Watch) -> dict[str, Any]:
        """Send what is unsent; return the last message of the answer, waited for while the heart beats."""
        self.at_rest = False
        connection = self._child.connection
        try:
            while self.unsent:
                connection.send(self.unsent.pop(0))
                run.heartbeat()
            while True:
                while not connection.poll(HEARTBEAT):
                    run.heartbeat()
                told: dict[str, Any] = connection.recv()
                run.work.update(told["work"])
                if "end" in told:
                    self.at_rest = True
                    return told
        except (EOFError, ConnectionError) as fault:
            raise BackendFault(f"the solver's process ended with status {self.end()}") from fault

    def end(self) -> int:
        """Kill the process; its exit status."""
        return self._child.end()


_idle: defaultdict[str, list[Worker]] = defaultdict(list)


@contextmanager
def worker(name: str) -> Iterator[Worker]:
    """A process that is idle, or a new one; after a run that was not broken off in a solve it is idle again."""
    process = _idle[name].pop() if _idle[name] else Worker(name)
    process.unsent.clear()
    try:
        yield process
    finally:
        if process.at_rest:
            _idle[name].append(process)
        else:
            process.end()
