"""Exact counts by the frontier method: a dynamic program over the states of a moving frontier.

Sekine, Imai & Tani (1995) swept a graph so, Knuth's Simpath (2009, The Art of Computer Programming 4A, exercise
7.1.4-225) with the mates of path ends, and Kawahara, Inoue, Iwashita & Minato (2017) made the method general; along the
columns of a board it is a transfer matrix. Time and memory grow with the number of states, exponential in the width of
the frontier (twice the short side of a board and one more): `forecast` says beforehand what is out of reach. Short
boards are swept from both ends (`cpsat_tour.counting.meeting`).

States lie in shards, by their hash, each a hash table of its own (`cpsat_tour.counting.frontier_kernel`). A step works
in rounds: each thread expands states into buffers, one for each shard, until one is full; then each shard takes in what
the buffers hold for it. No two threads write to one table. A table is given back as soon as its states are expanded, so
that two whole generations of states are never in memory. Where numbers grow too long for their limbs, all rows get one
limb more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np

from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.compiled import announced
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.split_vertices import undirected
from cpsat_tour.counting.frontier_kernel import ABSORBED, FULL, SweepStep, absorb, expand, gather
from cpsat_tour.counting.meeting import LAID_OUT_BYTES, join_sides, lay_out_back, sides
from cpsat_tour.counting.packed_states import EMPTY, MOST_PLACES, Words
from cpsat_tour.counting.plan import FrontierPlan, best_plans

Item = TypeVar("Item")
Result = TypeVar("Result")

BEGINNING = [[0, 1]]
"""The one state before the first step, an empty frontier or one of untouched vertices, comes about in one way."""
SHARDS = 64
BUFFER_ROWS = 4096
LEAST_ROWS = 256
ROW_BYTES = 3 * 8
FEW_ROWS = 1 << 12
"""With no more states than this a step is not worth a second thread."""
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
    """Half of the memory that is free, in bytes, or a quarter of all where the system doesn't say what is free; at most
    `MAX_DEFAULT_MEMORY`."""
    try:
        said = Path("/proc/meminfo")
        if said.exists():
            free = int(said.read_text().split("MemAvailable:")[1].split()[0]) << 10
        else:
            free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (OSError, ValueError, IndexError, AttributeError):
        return MAX_DEFAULT_MEMORY
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
        return _CountingSweep(pool, threads, clock, memory, on_event).run(plan.steps())
    tables: list[list[Words]] = []
    frontiers: list[list[int]] = []
    for side in met:
        sweep = _CountingSweep(
            pool, threads, clock, memory - sum(table.nbytes for done in tables for table in done), on_event
        )
        steps, reached = side.course()
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

    def widen(self) -> None:
        """Make room for one more limb."""
        self.buffers, self.table = _wider(self.buffers), _wider(self.table)
        self.total = np.append(self.total, np.uint64(0))

    def drained(self) -> int:
        """The closed ways since the last time, as one number."""
        number = sum(int(limb) << 64 * place for place, limb in enumerate(self.total))
        self.total[:] = 0
        return number


class _Shard:
    """One hash table; ``read`` is how far it has taken in the buffer of each worker."""

    def __init__(self, rows: int, columns: int, workers: int) -> None:
        self.table = np.full((rows, columns), EMPTY, dtype=np.uint64)
        self.used = 0
        self.read = [0] * workers

    def take_in(self, number: int, workers: Sequence[_Worker], may_grow: Callable[[int], None]) -> bool:
        """Merge what the workers have for this shard; False where a count first needs another limb."""
        for which, worker in enumerate(workers):
            outcome = FULL
            while outcome == FULL:
                rows = worker.buffers[number]
                most = int(len(self.table) * LOAD)
                outcome, self.read[which], self.used = absorb(
                    rows, self.read[which], worker.fill[number], self.table, self.used, most
                )
                if outcome == FULL:
                    self._grow(may_grow)
            if outcome != ABSORBED:
                return False
        self.read = [0] * len(workers)
        return True

    def _grow(self, may_grow: Callable[[int], None]) -> None:
        rows = int(len(self.table) * GROWTH)
        may_grow(rows * self.table.shape[1] * 8)
        table = np.full((rows, self.table.shape[1]), EMPTY, dtype=np.uint64)
        absorb(self.packed(), 0, self.used, table, 0, rows)
        self.table = table

    def packed(self) -> Words:
        """The rows in use alone; the table is used up."""
        gather(self.table)
        self.table.resize((self.used, self.table.shape[1]), refcheck=False)
        return self.table


class _CountingSweep:
    """A run of the dynamic program. Between rounds, ``tables`` and the workers hold the states that are still to be
    expanded."""

    def __init__(
        self, pool: ThreadPoolExecutor, threads: int, clock: Clock, memory: int, on_event: OnEvent | None
    ) -> None:
        self._pool = pool
        self._on_event = on_event
        self._clock = clock
        self._memory = memory
        self._columns = 2
        self._workers = [_Worker(self._columns) for _ in range(threads)]
        self._shards: list[_Shard] = []
        self.tables: list[Words] = [np.array(BEGINNING, dtype=np.uint64)]

    def run(self, steps: Sequence[SweepStep]) -> int:
        """The number of cycles through all vertices that close; the states that are left are in ``tables``."""
        total, peak = 0, 1
        for number, step in enumerate(steps, 1):
            total += self._step(step)
            states = sum(map(len, self.tables))
            peak = max(peak, states)
            if self._on_event is not None:
                work = {
                    "steps": number,
                    "of": len(steps),
                    "states": states,
                    "peak_states": peak,
                    "limbs": self._columns - 1,
                }
                self._on_event(Progress(work))
        return total

    def _step(self, step: SweepStep) -> int:
        """Replace the states by their successors; the number of ways in which a cycle through all vertices closes."""
        rows = sum(map(len, self.tables))
        workers = self._workers if rows > FEW_ROWS else self._workers[:1]
        capacity = max(LEAST_ROWS, int(rows / SHARDS / LOAD))
        self._may_grow(capacity * SHARDS * self._columns * 8)
        self._shards = [_Shard(capacity, self._columns, len(workers)) for _ in range(SHARDS)]
        total = 0
        while self.tables or any(worker.row < len(worker.table) for worker in workers):
            self._clock.check()
            self._each(workers, lambda worker: worker.expand(step, self.tables))
            pending = list(range(SHARDS))
            while pending := self._take_in(pending, workers):
                self._widen()
            for worker in workers:
                worker.fill[:] = 0
                total += worker.drained()
        for worker in workers:
            worker.table, worker.row = worker.table[:0], 0
        self.tables = [shard.packed() for shard in self._shards if shard.used]
        self._shards = []
        return total

    def _take_in(self, numbers: list[int], workers: list[_Worker]) -> list[int]:
        """Let the shards take in the buffers; those that could not for want of a limb."""
        whole = self._each(
            numbers, lambda number: self._shards[number].take_in(number, workers, self._may_grow), len(workers) > 1
        )
        return [number for number, done in zip(numbers, whole, strict=True) if not done]

    def _each(self, items: list[Item], task: Callable[[Item], Result], threaded: bool = True) -> list[Result]:
        return list(self._pool.map(task, items) if threaded and len(items) > 1 else map(task, items))

    def _widen(self) -> None:
        """Give every row one more limb."""
        self._columns += 1
        for worker in self._workers:
            worker.widen()
        self.tables[:] = [_wider(table) for table in self.tables]
        for shard in self._shards:
            shard.table = _wider(shard.table)

    def _may_grow(self, fresh: int) -> None:
        """Raise `TooLarge` if so many bytes more would be too many."""
        tables = [*self.tables, *(shard.table for shard in self._shards), *(worker.table for worker in self._workers)]
        if sum(table.nbytes for table in tables) + fresh > self._memory:
            raise TooLarge(f"the states need more than the {self._memory / GIB:.3g} GiB that they are given")


def _wider(rows: Words) -> Words:
    """The rows with a limb of 0 at the end of each."""
    return np.concatenate([rows, np.zeros((*rows.shape[:-1], 1), dtype=np.uint64)], axis=-1)
