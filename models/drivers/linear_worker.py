"""The worker of `linear`: HiGHS or ``exact`` in a process of its own.

The messages that come are tuples. ``("begin", upper, whole, seed)`` starts a program of columns from 0 to ``upper``,
the first ``whole`` of which are integer; for HiGHS a list may follow, of the columns' costs, whose sum is to be least.
``("add", columns, lengths, weights, least, most)``, with a list for each, adds rows; ``("solve", work)`` asks for a
solution within this work, None for any. The worker answers with dictionaries: ``work`` has the counters so far; the
last answer also has ``end``, which is ``found``, ``none`` or ``work``, and ``values``, those of the columns if a
solution was found.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import accumulate, pairwise
from math import isfinite
from queue import SimpleQueue
from threading import Thread
from typing import Any

from cpsat_tour.core.processes import connect_to_parent

ROUND_OPTIONS = {
    "presolve": "off",
    "mip_heuristic_run_feasibility_jump": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_rens": False,
}
"""HiGHS's options for rounds of cutting planes, whose columns are all binary: there is little to presolve, and the
heuristics take a third of the time of a small round.

On a program that is stated at once both pay.
"""

EXACT_OPTIONS = [("verbosity", "0"), ("var-weight", "0")]
EXACT_OPTIONS += [("inp-atmostone", "0"), ("inp-probing", "0"), ("inp-dombreaklim", "0"), ("inp-basetime", "0")]
"""Variables in a fixed order: so the sums of rows that refute an odd board come soonest.

Off is what takes seconds on boards. With ``bits-learned`` at 1, when all that is learned has coefficients of 1, the
solver may learn the same constraint for ever.
"""


PAUSES = ("INPROCESSED", "PAUSED", "TIMEOUT")
"""The states in which ``exact`` has not come to its end."""


class HighsProgram:
    """A program in HiGHS, and counters of the work done on it."""

    def __init__(self, highspy: Any, upper: list[float], whole: int, seed: int, costs: Sequence[float] = ()) -> None:
        self._library, self._highs = highspy, highspy.Highs()
        self._work = {"nodes": 0, "iterations": 0}
        options = ROUND_OPTIONS if len(upper) == whole else {}
        for option, value in {**options, "output_flag": False, "random_seed": seed, "threads": 1}.items():
            self._call("setOptionValue", option, value)
        self._call("addVars", len(upper), [0.0] * len(upper), upper)
        self._call("changeColsCost", len(costs), [*range(len(costs))], costs)
        integer = [highspy.HighsVarType.kInteger] * whole
        self._call("changeColsIntegrality", whole, [*range(whole)], integer)

    def _call(self, method: str, *arguments: Any) -> None:
        """Call a method of HiGHS; raise an error if it fails."""
        if getattr(self._highs, method)(*arguments) == self._library.HighsStatus.kError:
            raise RuntimeError(f"HiGHS refused a call of {method}")

    def add(self, columns: list[int], lengths: list[int], weights: list[float], *bounds: list[float]) -> None:
        """Add a row for each of the ``lengths``: a weighted sum of that many of the next columns, within the least and
        the most of the ``bounds``."""
        starts = [*accumulate(lengths, initial=0)][:-1]
        self._call("addRows", len(lengths), *bounds, len(columns), starts, columns, weights)

    def solve(self, nodes: int | None) -> Iterator[dict[str, Any]]:
        """Solve the program and yield dictionaries: the counters twice a second, then the answer, with ``end`` and
        ``values``."""
        most = self._library.kHighsIInf
        self._call("setOptionValue", "mip_max_nodes", most if nodes is None else min(nodes, most))
        running = Thread(target=self._highs.run, daemon=True)
        running.start()
        while running.is_alive():
            running.join(0.5)
            yield {"work": self._work}
        info, status = self._highs.getInfo(), self._highs.getModelStatus()
        self._work["nodes"] += info.mip_node_count
        self._work["iterations"] += max(0, info.simplex_iteration_count)
        statuses = self._library.HighsModelStatus
        ends = {statuses.kOptimal: "found", statuses.kInfeasible: "none"}
        ends[statuses.kUnboundedOrInfeasible] = "none"  # all columns are bounded
        if nodes is not None:
            ends[statuses.kSolutionLimit] = "work"
        if status not in ends:
            raise RuntimeError(f"HiGHS ended with the status {self._highs.modelStatusToString(status)!r}")
        values = list(self._highs.getSolution().col_value)
        yield {"work": self._work, "end": ends[status], "values": values}


class ExactProgram:
    """A program of integer columns in ``exact``.

    While it searches it looks at no clock for seconds, and lets no other thread of Python run.
    """

    def __init__(self, exact: Any, upper: list[float], whole: int, seed: int) -> None:
        assert len(upper) == whole
        self._solver = exact.Exact([*EXACT_OPTIONS, ("seed", str(seed % (2**31 - 1) + 1))])
        self._names = [f"x{column}" for column in range(whole)]
        for name in self._names:
            self._solver.addVariable(name)

    def add(self, columns: list[int], lengths: list[int], weights: list[float], *bounds: list[float]) -> None:
        """Add a row for each of the ``lengths``: a weighted sum of that many of the next columns, within the least and
        the most of the ``bounds``."""
        terms = [(int(weight), self._names[column]) for column, weight in zip(columns, weights, strict=True)]
        for (begin, end), *row in zip(pairwise(accumulate(lengths, initial=0)), *bounds, strict=True):
            low, high = ((isfinite(bound), int(bound) if isfinite(bound) else 0) for bound in row)
            self._solver.addConstraint(terms[begin:end], *low, *high)

    def solve(self, work: int | None) -> Iterator[dict[str, Any]]:
        """Solve the program and yield dictionaries: the counters, ``work``, at each of the solver's pauses, then the
        answer.

        The first pause may come within a second, the later ones after two.
        """
        before = self._conflicts
        while (state := self._solver.runOnce()) not in ("SAT", "UNSAT"):
            if state not in PAUSES:
                raise RuntimeError(f"exact ended with the state {state}")
            if work is not None and self._conflicts - before >= work:
                break
            yield {"work": {"conflicts": self._conflicts}}
        values = self._solver.getLastSolutionFor(self._names) if state == "SAT" else []
        end = {"SAT": "found", "UNSAT": "none"}.get(state, "work")
        yield {"work": {"conflicts": self._conflicts}, "end": end, "values": list(values)}

    @property
    def _conflicts(self) -> int:
        """The number of conflicts so far."""
        return int(dict(self._solver.getStats())["conflicts"])


PROGRAMS = {"highspy": HighsProgram, "exact": ExactProgram}


def main(library: str) -> None:
    """Solve the programs that the parent sends with ``library``, ``highspy`` or ``exact``.

    The process ends when the parent has ended, also in the middle of a solve.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the parent has ended, as the next pause of the solver shows
    parent = connect_to_parent()
    module = import_module(library)
    waiting: SimpleQueue[tuple[Any, ...]] = SimpleQueue()

    def read() -> None:
        with suppress(EOFError, ConnectionError):
            while True:
                waiting.put(parent.recv())
        os._exit(0)

    Thread(target=read, daemon=True).start()
    program: Any = None
    while True:
        request, *arguments = waiting.get()
        if request == "begin":
            program = PROGRAMS[library](module, *arguments)
        elif request == "solve":
            for answer in program.solve(*arguments):
                parent.send(answer)
        else:
            getattr(program, request)(*arguments)


if __name__ == "__main__":
    main(sys.argv[1])
