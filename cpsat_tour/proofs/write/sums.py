"""A refutation by sums of rows and of sums, from the log of a pseudo-Boolean solver: what ``exact`` derived, over the
rows of a certificate.

The cutting-plane loop runs as for `pb`, but the solver is given the rows of the certificate, in their order, and writes
down each constraint that it learns as a sum in reverse Polish notation of those before it, in VeriPB's format 1.1
(Elffers, Gocht, McCreesh & Nordström 2020; for this solver Devriendt, Gleixner & Nordström 2021). The rows have the
same ids there and here. From the contradiction back, all that is not needed is left out, cut sets too; the rest is
numbered anew.

The log is not believed: whoever reads the proof adds up. Limits: techniques of the solver that it logs as unit
propagation are turned off; the log is read as a whole.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.libraries import require
from cpsat_tour.core.run import Watch
from cpsat_tour.models.drivers.own_process import ROWS_AT_A_TIME, Sums, Worker, worker
from cpsat_tour.models.subtours import CutSet, hamiltonian_cycles
from cpsat_tour.proofs.write.combination import SummedProof, terms_of, told_apart
from cpsat_tour.proofs.write.formula import RowFormula
from cpsat_tour.proofs.write.rows import CycleRows, Vertices

LINES_BETWEEN_TICKS = 4096


def summed_refutation(cycle: CycleRows, watch: Watch) -> SummedProof | Ints:
    """The proof that there is no cycle, or a cycle's vertices in order. `StoppedEarly` at a limit; `BadInput` without
    the solver."""
    require("a proof by pb", "exact")
    with worker("exact_worker") as process, tempfile.TemporaryDirectory(prefix="cpsat-tour-") as folder:
        log = Path(folder) / "log"
        relaxation = _Logged(process, cycle, watch, log)
        found = next(hamiltonian_cycles(relaxation, cycle, watch), None)
        if found is not None:
            return found
        with log.with_suffix(".proof").open(encoding="ascii") as file:
            return read_log(file, cycle, relaxation.shores, watch)


class _Logged(Sums):
    """The rows of a cycle, and cut sets by their ``shores``, in a worker that logs what it derives."""

    def __init__(self, process: Worker, cycle: CycleRows, watch: Watch, log: Path) -> None:
        self.shores: list[Vertices] = []
        self._cycle = cycle
        self._worker, self._run, self._counter = process, watch, "conflicts"
        self._edges = self._columns = np.arange(cycle.size, dtype=np.int32)
        process.say({"columns": cycle.size, "required": [], "seed": 0, "log": str(log)})
        rows = RowFormula(cycle).rows()
        while some := list(islice(rows, ROWS_AT_A_TIME)):
            signed = ([*row.edges, *(() if row.less is None else (-1 - row.less,))] for row in some)
            process.say({"rows": [[columns, row.bound, row.bound] for columns, row in zip(signed, some, strict=True)]})
            watch.heartbeat()

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """A row for each, of which the shore is remembered."""
        self.shores += (self._cycle.shore(cut_set.shore.tolist()) for cut_set in cut_sets)
        super().cut(cut_sets)


def read_log(lines: Iterable[str], cycle: CycleRows, shores: Sequence[Vertices], watch: Watch) -> SummedProof:
    """The proof that a log writes, from the rows of the cycle and the cut sets of these shores.

    ``l 7`` takes row 7, ``pol`` a sum: each has the next id, from 1. The first line derives nothing that is used.
    `BackendFault` where there is anything else, or no contradiction.
    """
    origins: list[int | tuple[str, ...]] = []
    for number, line in enumerate(lines):
        if not number % LINES_BETWEEN_TICKS:
            watch.heartbeat()
        keyword, *tokens = line.split() or [""]
        if keyword == "c":
            return _needed(origins, int(tokens[0]), RowFormula(cycle).ids, shores)
        if keyword == "l":
            origins.append(int(tokens[0]))
        elif keyword == "pol" or (keyword == "rup" and tokens == [">=", "0", ";"]):
            origins.append(tuple(tokens) if keyword == "pol" else ())
        elif number:
            raise BackendFault(f"the solver's log has a step that is not a sum: {line.strip()[:60]}")
    raise BackendFault("the solver's log does not end in a contradiction")


def _needed(origins: Sequence[int | tuple[str, ...]], last: int, rows: int, shores: Sequence[Vertices]) -> SummedProof:
    """The sums that the last one needs, numbered after the rows, of which there are so many, and the cut sets that
    these need."""
    needed = {last}
    for place in range(last, 0, -1):
        if place in needed and not isinstance(tokens := origins[place - 1], int):
            needed.update(terms_of(tokens))
    taken = [(place, origins[place - 1]) for place in sorted(needed)]
    cuts = sorted({origin for _, origin in taken if isinstance(origin, int) and origin > rows})
    row_ids = {row: number for number, row in enumerate(cuts, start=rows + 1)}
    ids: dict[int, int] = {}
    sums: list[tuple[str, ...]] = []
    for place, origin in taken:
        if isinstance(origin, int):
            ids[place] = row_ids.get(origin, origin)
        else:
            sums.append(
                tuple(str(ids[int(token)]) if token_is_id else token for token, token_is_id in told_apart(origin))
            )
            ids[place] = rows + len(cuts) + len(sums)
    return SummedProof(tuple(shores[row - rows - 1] for row in cuts), tuple(sums) or ((str(ids[last]),),))
