"""Exact counts by the frontier method: a dynamic program over the states of a moving frontier.

Sekine, Imai & Tani (1995) swept a graph so, Knuth's Simpath (2009, The Art of Computer Programming 4A, exercise
7.1.4-225) with the mates of path ends, and Kawahara, Inoue, Iwashita & Minato (2017) made the method general; along the
columns of a board it is a transfer matrix. Time and memory grow with the number of states, exponential in the width of
the frontier (twice the short side of a board and one more): `forecast` says beforehand what is out of reach. Short
boards are swept from both ends (`cpsat_tour.counting.meeting`).

States lie in shards, by their hash, each a hash table of its own (`cpsat_tour.counting.frontier_kernel`). A step works
in rounds: each thread expands states into buffers, one for each shard, until one is full; then each shard takes in what
the buffers hold for it. No two threads write to one table. A table is given back as soon as its states are expanded, so
that two whole generations of states are never in memory. Before a step after which numbers could be too long for their
limbs, all rows get one limb more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.compiled import announced
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.split_vertices import undirected
from cpsat_tour.counting.frontier_kernel import SweepStep, absorb, expand, gather
from cpsat_tour.counting.meeting import LAID_OUT_BYTES, join_sides, lay_out_back, sides
from cpsat_tour.counting.packed_states import EMPTY, MOST_PLACES, Words
from cpsat_tour.counting.plan import FrontierPlan, best_plans

BEGINNING = [[0, 1]]
"""The one state before the first step, an empty frontier or one of untouched vertices, comes about in one way."""
SHARDS = 64
BUFFER_ROWS = 4096
LEAST_ROWS = 256
ROW_BYTES = 3 * 8
FEW_ROWS = 1 << 12  # with no more states than this a step is not worth a second thread
LOAD = 0.7
GROWTH = 1.5
GIB = 1 << 30
MAX_DEFAULT_MEMORY = 12 * GIB


@dataclass(frozen=True)
class Forecast:
    """What the frontier method is expected to need for a problem: places in the frontier, states at once, and bytes."""

    width: int
    states: int
    bytes: int

    def __str__(self) -> str:
        return f"about {self.states:.2g} states of {self.width} vertices in {self.bytes / GIB:.2g} GiB"


class TooLarge(StoppedEarly):
    """The frontier method may not fit into the memory that it is given, or did not fit."""


def forecast(plan: FrontierPlan) -> Forecast:
    """The forecast for a plan: a generation of states in tables that have just grown, the one before it, and what the
    other side left."""
    met = sides(plan)
    most = peak = kept = 0
    for states in [plan.expected] if met is None else [side.expected for side in met]:
        most = max(most, *states)
        peak = max(peak, *(kept + before + int(after * GROWTH / LOAD) for before, after in pairwise([0, *states])))
        kept += states[-1]
    joined = kept * ROW_BYTES + met[1].expected[-1] * LAID_OUT_BYTES if met is not None else 0
    return Forecast(plan.width, most, max(peak * ROW_BYTES + SHARDS * BUFFER_ROWS * ROW_BYTES, joined))


def default_memory() -> int:
    """Half of the memory that is free, in bytes; at most `MAX_DEFAULT_MEMORY`."""
    import psutil  # counts within a given memory don't need it

    free: int = psutil.virtual_memory().available
    return min(MAX_DEFAULT_MEMORY, free // 2)


def count_by_frontier(
    problem: Problem,
    limits: Limits | None = None,
    on_event: OnEvent | None = None,
    *,
    memory: int | None = None,
    clock: Clock | None = None,
    on_forecast: Callable[[Forecast], None] | None = None,
) -> int:
    """The number of tours of a connected problem that the reduction leaves open.

    ``memory`` is in bytes, by default `default_memory`; a ``clock`` that has begun may be given, so that another thread
    can stop it; ``on_forecast`` is told the forecast. `TooLarge` before the run where the forecast is above the memory,
    and during the run should the tables reach it; `StoppedEarly` when the time is over; `BadInput` on symmetric tours
    that `quotient_cycles` can't count.
    """
    if problem.givens:
        raise BadInput(
            "the frontier method knows no numbers: count tours with givens by listing them, such as with backend dfs"
        )
    problem = undirected(problem)
    limits = limits or Limits()
    clock, memory = clock or limits.clock(), default_memory() if memory is None else memory
    plans = best_plans(problem, clock)
    if plans is None:
        raise TooLarge(
            f"the frontier is too wide for the frontier method here: it has more than {MOST_PLACES} vertices at once"
        )
    if plans:
        needs = max(map(forecast, plans), key=lambda needs: needs.bytes)
        if on_forecast is not None:
            on_forecast(needs)
        if needs.bytes > memory:
            raise TooLarge(f"the frontier method needs {needs} here, and is given {memory / GIB:.3g} GiB")
    threads = limits.threads or os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool, announced(on_event):
        return sum(_counted(plan, pool, threads, clock, memory, on_event) for plan in plans)


def _counted(
    plan: FrontierPlan, pool: ThreadPoolExecutor, threads: int, clock: Clock, memory: int, on_event: OnEvent | None
) -> int:
    """The number of cycles of a plan, swept from end to end or from both ends."""
    met = sides(plan)
    if met is None:
        return _CountingSweep(pool, threads, clock, memory, on_event).run(plan.course(len(plan.vertices))[0])
    tables: list[list[Words]] = []
    frontiers: list[list[int]] = []
    for side in met:
        sweep = _CountingSweep(
            pool, threads, clock, memory - sum(table.nbytes for done in tables for table in done), on_event
        )
        steps, reached = side.plan.course(side.taken, side.between, side.within)
        sweep.run(steps)
        tables.append(sweep.tables)
        frontiers.append(reached)
    front, back = tables
    if not (front and back):
        return 0
    laid_out = lay_out_back(back, frontiers[1], frontiers[0])
    back.clear()
    return join_sides(front, frontiers[0], laid_out, pool, clock)


class _Worker:
    """What one thread expands into: a buffer for each shard, and the ways in which a cycle through all vertices
    closed."""

    def __init__(self, columns: int) -> None:
        self.buffers = np.empty((SHARDS, BUFFER_ROWS, columns), dtype=np.uint64)
        self.fill = np.zeros(SHARDS, dtype=np.int64)
        self.mates = np.zeros((2, MOST_PLACES + 1), dtype=np.uint64)
        self.table = np.empty((0, columns), dtype=np.uint64)
        self.row = 0
        self.total = np.zeros(columns, dtype=np.uint64)

    def expand(self, step: SweepStep, tables: list[Words]) -> None:
        """Expand states, from one table after the other, until a buffer is full or no states are left."""
        while self.row < len(self.table) or tables:
            if self.row == len(self.table):
                try:
                    self.table, self.row = tables.pop(), 0
                except IndexError:
                    return
            self.row = expand(step, self.table, self.row, self.buffers, self.fill, self.total, self.mates)
            if self.row < len(self.table):
                return


class _Shard:
    """One hash table."""

    def __init__(self, rows: int, columns: int) -> None:
        self.table = np.full((rows, columns), EMPTY, dtype=np.uint64)
        self.used = 0

    def take_in(self, number: int, workers: Sequence[_Worker], may_grow: Callable[[int], None]) -> None:
        """Merge what the workers have for this shard."""
        for worker in workers:
            rows, read = worker.buffers[number, : worker.fill[number]], 0
            while read < len(rows):
                read, self.used = absorb(rows, read, self.table, self.used, int(len(self.table) * LOAD))
                if read < len(rows):
                    self._grow(may_grow)

    def _grow(self, may_grow: Callable[[int], None]) -> None:
        rows = int(len(self.table) * GROWTH)
        may_grow(rows * self.table.shape[1] * 8)
        table = np.full((rows, self.table.shape[1]), EMPTY, dtype=np.uint64)
        absorb(self.packed(), 0, table, 0, rows)
        self.table = table

    def packed(self) -> Words:
        """The rows in use alone; the table is used up."""
        gather(self.table)
        self.table.resize((self.used, self.table.shape[1]), refcheck=False)
        return self.table


class _CountingSweep:
    """A run of the dynamic program. Between steps ``tables`` hold the states; during one, the workers and the shards
    too."""

    def __init__(
        self, pool: ThreadPoolExecutor, threads: int, clock: Clock, memory: int, on_event: OnEvent | None
    ) -> None:
        self._pool, self._threads, self._clock, self._memory = pool, threads, clock, memory
        self._on_event = on_event
        self._workers: list[_Worker] = []
        self._shards: list[_Shard] = []
        self.tables: list[Words] = [np.array(BEGINNING, dtype=np.uint64)]

    def run(self, steps: Sequence[SweepStep]) -> int:
        """The number of cycles through all vertices that close; the states that are left are in ``tables``."""
        total, peak = 0, 1
        for number, step in enumerate(steps, 1):
            columns = self._widen(step)
            total += self._step(step, columns)
            states = sum(map(len, self.tables))
            peak = max(peak, states)
            if self._on_event is not None:
                work = {"steps": number, "of": len(steps), "states": states, "peak_states": peak, "limbs": columns - 1}
                self._on_event(Progress(work))
        return total

    def _widen(self, step: SweepStep) -> int:
        """Give every row one more limb if a count could need it after the step; return the columns of a row then.

        No count after it is above the sum of all counts before it, times the choices of the step.
        """
        columns = max((table.shape[1] for table in self.tables), default=2)
        most = sum(float(table[:, -1].sum(dtype=np.float64)) + len(table) for table in self.tables)
        if most * len(step.choices) >= 2.0**63:
            columns += 1
            self.tables[:] = [
                np.concatenate([table, np.zeros((len(table), 1), dtype=np.uint64)], axis=1) for table in self.tables
            ]
        if not self._workers or len(self._workers[0].total) != columns:
            self._workers = [_Worker(columns) for _ in range(self._threads)]
        return columns

    def _step(self, step: SweepStep, columns: int) -> int:
        """Replace the states by their successors; the number of ways in which a cycle through all vertices closes."""
        rows = sum(map(len, self.tables))
        workers = self._workers if rows > FEW_ROWS else self._workers[:1]
        capacity = max(LEAST_ROWS, int(rows / SHARDS / LOAD))
        self._may_grow(capacity * SHARDS * columns * 8)
        self._shards = [_Shard(capacity, columns) for _ in range(SHARDS)]
        each = self._pool.map if len(workers) > 1 else map
        while self.tables or any(worker.row < len(worker.table) for worker in workers):
            self._clock.check()
            list(each(lambda worker: worker.expand(step, self.tables), workers))
            list(each(lambda number: self._shards[number].take_in(number, workers, self._may_grow), range(SHARDS)))
            for worker in workers:
                worker.fill[:] = 0
        total = 0
        for worker in workers:
            total += sum(int(limb) << 64 * place for place, limb in enumerate(worker.total))
            worker.total[:] = 0
            worker.table, worker.row = worker.table[:0], 0
        self.tables = [shard.packed() for shard in self._shards if shard.used]
        self._shards = []
        return total

    def _may_grow(self, fresh: int) -> None:
        """Raise `TooLarge` if so many bytes more would be too many."""
        tables = [*self.tables, *(shard.table for shard in self._shards), *(worker.table for worker in self._workers)]
        if sum(table.nbytes for table in tables) + fresh > self._memory:
            raise TooLarge(f"the states need more than the {self._memory / GIB:.3g} GiB that they are given")
