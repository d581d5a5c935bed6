"""The worker of `milp`; see `own_process`. The library of HiGHS and the copy of it that OR-Tools brings can't be in one
process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any

import highspy
import numpy as np
from highspy import Highs, HighsModelStatus

from cpsat_tour.core.processes import connect_to_parent

OPTIONS: dict[str, str | bool | int] = {
    "presolve": "off",
    "mip_heuristic_run_feasibility_jump": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_rens": False,
}
"""There is little to presolve, and the heuristics look for better solutions where any is good: a third of the time of a
small round."""


class BinaryProgram:
    """A program of binary columns, and the work done on it."""

    def __init__(self, columns: int, required: list[int], seed: int) -> None:
        self.work = {"nodes": 0, "iterations": 0}
        self._highs = Highs()
        self._highs.silent()
        for option, value in {**OPTIONS, "random_seed": seed, "threads": 1}.items():
            self._highs.setOptionValue(option, value)
        least = np.zeros(columns)
        least[required] = 1
        self._highs.addVars(columns, least, np.ones(columns))
        self._highs.changeColsIntegrality(columns, np.arange(columns, dtype=np.int32), np.ones(columns, dtype=np.uint8))

    def add(self, columns: list[int], least: int | None, most: int | None) -> None:
        """Add a sum within bounds, of columns and, as -1 - c, of columns with a minus."""
        low, high = -highspy.kHighsInf if least is None else least, highspy.kHighsInf if most is None else most
        given = np.array(columns, dtype=np.int32)
        self._highs.addRow(
            low, high, len(given), np.where(given < 0, -1 - given, given), np.where(given < 0, -1.0, 1.0)
        )

    def solve(self, nodes: int | None) -> dict[str, Any]:
        """What to answer."""
        self._highs.setOptionValue(
            "mip_max_nodes", highspy.kHighsIInf if nodes is None else min(nodes, highspy.kHighsIInf)
        )
        self._highs.run()
        info, status = self._highs.getInfo(), self._highs.getModelStatus()
        self.work["nodes"] += info.mip_node_count
        self.work["iterations"] += max(0, info.simplex_iteration_count)
        if status == HighsModelStatus.kOptimal:
            return {
                "work": self.work,
                "end": "found",
                "chosen": np.flatnonzero(np.array(self._highs.getSolution().col_value) > 0.5).tolist(),
            }
        if status in (HighsModelStatus.kInfeasible, HighsModelStatus.kSolutionLimit):
            return {"work": self.work, "end": "none" if status == HighsModelStatus.kInfeasible else "work"}
        raise RuntimeError(f"HiGHS ended with the status {self._highs.modelStatusToString(status)!r}")


def _messages(parent: Connection) -> Iterator[dict[str, Any]]:
    """The messages of the parent; when it has ended the process ends, also in the middle of a solve."""
    waiting: SimpleQueue[dict[str, Any]] = SimpleQueue()

    def read() -> None:
        with suppress(EOFError, ConnectionError):
            while True:
                waiting.put(parent.recv())
        os._exit(0)

    Thread(target=read, daemon=True).start()
    while True:
        yield waiting.get()


def main() -> None:
    """Serve until the parent has ended."""
    parent = connect_to_parent()
    program = BinaryProgram(0, [], 0)
    for asked in _messages(parent):
        if "columns" in asked:
            program = BinaryProgram(asked["columns"], asked["required"], asked["seed"])
        for columns, least, most in asked.get("rows", ()):
            program.add(columns, least, most)
        if "solve" in asked:
            parent.send(program.solve(asked["solve"]))


if __name__ == "__main__":
    main()
