"""Exact counts by the frontier method: a dynamic program over the states of a moving frontier.

Sekine, Imai & Tani (1995) swept a graph so, Knuth's Simpath (2009, The Art of Computer Programming 4A, exercise
7.1.4-225) with the mates of path ends, and Kawahara, Inoue, Iwashita & Minato (2017) made the method general; along the
columns of a board it is a transfer matrix. Time and memory grow with the number of states, exponential in the width of
the frontier (twice the short side of a board and one more): `forecast` says beforehand what is out of reach.

*Meeting in the middle.* The frontier after some vertices separates those from the vertices beyond it. Both sides are
swept towards it, the edges within it are chosen half on either side, and the two generations of states are joined: the
number of cycles is the sum, over the pairs of states that make one cycle, of the products of their counts. Horowitz &
Sahni (1974) met in the middle so; McKay (1997) counted the tours of 8x8 from halves of the board. The states of a
frontier grow in number until about two columns' worth of vertices more than it is wide have been taken. On a board not
much longer than that from end to end neither side comes so far; on a longer one the join costs more than a sweep from
end to end. It is memory that this saves above all: by `forecast` the closed tours of 8x8 need 14 GiB so, and 20 in one
sweep.

States lie in shards, by their hash, each a hash table of its own (`cpsat_tour.frontier.states`). A step works in
rounds: each thread expands states into buffers, one for each shard, until one is full; then each shard takes in what
the buffers hold for it. No two threads write to one table. A table is given back as soon as its states are expanded, so
that two whole generations of states are never in memory. Before a step after which numbers could be too long for their
limbs, all rows get one limb more.
"""

from __future__ import annotations

import math
import os
from bisect import bisect
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, pairwise, repeat
from threading import Event
from typing import NamedTuple

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import undirected
from cpsat_tour.core.runs import UNLIMITED, Clock, Limits, OnEvent, Progress
from cpsat_tour.core.space import Bytes
from cpsat_tour.frontier.plan import (
    FrontierPlan,
    best_plan,
    expected_states,
    swept_graph_for_tours,
    symmetric_swept_graphs,
)
from cpsat_tour.frontier.states import (
    EMPTY,
    MOST_PLACES,
    StateTable,
    SweepStep,
    TooLarge,
    Words,
    empty_table,
    frontier_expand,
    frontier_merge,
    new_buffers,
    renumbered,
)

BEGINNING = [[0, 1]]
"""The one state before the first step, with the count 1: no edge is chosen."""
SHARDS = 32
BUFFER_ROWS = 8192
LEAST_ROWS = 256
ROW_BYTES = 3 * 8
FEW_ROWS = 1 << 14  # with no more states than this a step is not worth a second thread
LOAD = 0.7
GROWTH = 1.5
GIB = 1 << 30
MAX_DEFAULT_MEMORY = 12 * GIB
MOST_TAKEN = 2.0  # vertices that a side takes, at most, for each place of the widest frontier
JOINED_AT_ONCE = 1 << 14
LAID_OUT_BYTES = 96  # for each state from the back, while it is being laid out


@dataclass(frozen=True)
class Forecast:
    """The expected needs of a count: vertices in the frontier, states at once, and bytes."""

    width: int
    states: int
    bytes: int

    def __str__(self) -> str:
        return f"memory for about {float(f'{self.states:.2g}'):,.0f} states at once, {self.bytes / GIB:.2g} GiB"


class Side(NamedTuple):
    """One of the two sweeps that meet: its plan, the number of vertices that it takes, and the vertices between the two
    sides (the boundary).

    At the vertices ``chosen_at`` of the boundary it then chooses edges to others; ``expected`` has the number of states
    of each frontier.
    """

    plan: FrontierPlan
    taken: int
    boundary: list[int]
    chosen_at: list[int]
    expected: list[int]

    @classmethod
    def of(cls, plan: FrontierPlan, taken: int, boundary: list[int], chosen_at: list[int]) -> Side:
        """Return the side that takes ``taken`` vertices of a plan, with its expected numbers of states.

        An edge within the boundary counts for half the vertex where it is chosen.
        """
        so_far, width, closed = taken + len(chosen_at) // 2, len(plan.frontiers[taken]), plan.swept.apex is None
        last = expected_states(plan.bound(taken), so_far, width, closed=closed)
        return cls(plan, taken, boundary, chosen_at, [*plan.expected[: taken + 1], last])


def sides(plan: FrontierPlan) -> tuple[Side, Side] | None:
    """Return the front and the back side that meet with the fewest states; None if meeting doesn't help.

    That is so if no two sides have a useful size, if several edges may join two vertices, or if a sweep from end to end
    needs less memory.
    """
    most, best, fewest = int(MOST_TAKEN * plan.width), None, math.inf
    for taken in range(1, 0 if plan.swept.parallel else min(most, len(plan.vertices) - 1) + 1):
        boundary = sorted(plan.frontiers[taken], key=plan.position.__getitem__)
        beyond = [vertex for vertex in reversed(plan.vertices[taken:]) if vertex not in boundary]
        if not 0 < len(beyond) <= most:
            continue
        vertices = [*beyond, *boundary, *plan.vertices[:taken]]
        back = FrontierPlan(plan.swept, vertices, plan.clock, begins=False)
        if len(back.frontiers) <= len(beyond):
            continue
        edges, chosen_at, so_far = 0, [], []
        for place, vertex in enumerate(boundary, start=1):
            if near := plan.swept.neighbours[vertex].intersection(boundary[place:]):
                edges += len(near)
                chosen_at.append(vertex)
                so_far.append(edges)
        half = bisect(so_far, edges // 2)
        pair = (
            Side.of(plan, taken, boundary, chosen_at[:half]),
            Side.of(back, len(beyond), boundary, chosen_at[half:]),
        )
        states = max(pair[0].expected + pair[1].expected)
        if states < fewest:
            best, fewest = pair, states
    return best if forecast(plan, best).bytes <= forecast(plan, None).bytes else None


def forecast(plan: FrontierPlan, met: tuple[Side, Side] | None) -> Forecast:
    """Return how much memory and how many states a sweep by this plan needs, from end to end or from the two sides
    ``met``.

    It counts a generation of states in tables that have just grown, the one before it, and the states that the other
    side left.
    """
    most = peak = kept = 0
    for states in [plan.expected] if met is None else [met[0].expected, met[1].expected]:
        most = max(most, *states)
        for before, after in pairwise([0, *states]):
            peak = max(peak, kept + before + int(after * GROWTH / LOAD))
        kept += states[-1]
    joined = kept * ROW_BYTES + met[1].expected[-1] * LAID_OUT_BYTES if met is not None else 0
    return Forecast(plan.width, most, max(peak * ROW_BYTES + SHARDS * BUFFER_ROWS * ROW_BYTES, joined))


def default_memory() -> int:
    """Return half of the free memory in bytes, at most `MAX_DEFAULT_MEMORY`."""
    import psutil  # counts within a given memory don't need it

    free: int = psutil.virtual_memory().available
    return min(MAX_DEFAULT_MEMORY, free // 2)


def count_by_frontier(
    problem: Problem,
    limits: Limits = UNLIMITED,
    on_event: OnEvent | None = None,
    *,
    memory: int | None = None,
    clock: Clock | None = None,
    on_forecast: Callable[[Forecast], None] | None = None,
) -> int:
    """Return the number of tours of a connected problem that `decide_degenerate` leaves open.

    ``memory`` is in bytes, by default `default_memory`; another thread may stop the ``clock``. `TooLarge` if the
    forecast, which ``on_forecast`` gets, or later the tables are above the memory; `StoppedEarly` when the time is
    over; `BadInput` for given numbers and for symmetric tours with a `cpsat_tour.frontier.plan.refusal`.
    """
    if problem.timed:
        how = "list them, such as with backend dfs"
        raise BadInput(f"the frontier method can't count tours with {problem.timed}: {how}")
    clock, memory = clock or limits.clock(), default_memory() if memory is None else memory
    symmetry = problem.symmetry
    if symmetry is not None and not symmetry.is_identity:
        parts, vertices = symmetric_swept_graphs(problem, symmetry, clock)
    else:
        problem = undirected(problem) if problem.graph.directed else replace(problem, symmetry=None)
        parts, vertices = [swept_graph_for_tours(problem, clock)], list(range(problem.graph.order))
    where, plans = problem.graph.space.coordinates, []
    for swept in parts:
        plan = best_plan(swept, None if where is None else where[vertices], len(vertices), clock)
        if plan is None:
            raise TooLarge(
                f"the frontier is too wide for the frontier method: it has more than {MOST_PLACES} vertices at once"
            )
        plans.append((plan, sides(plan)))
    if plans:
        needs = max((forecast(plan, met) for plan, met in plans), key=lambda needs: needs.bytes)
        if on_forecast is not None:
            on_forecast(needs)
        if needs.bytes > memory:
            raise TooLarge(f"the frontier method needs {needs}, and may use {memory / GIB:.3g} GiB")
    counts = [
        [plan.steps(len(plan.vertices))]
        if met is None
        else [side.plan.steps(side.taken, side.boundary, side.chosen_at) for side in met]
        for plan, met in plans
    ]
    expected = [states for sweeps in counts for _, expected, _ in sweeps for states in expected]
    threads = limits.threads or os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        sweep = _CountingSweep(pool, threads, clock, memory, expected, on_event)
        return sum(sweep.run(sweeps[0][0]) if len(sweeps) == 1 else sweep.join(sweeps) for sweeps in counts)


class _Scratch:
    """The table and the buffers that one thread works with."""

    def __init__(self, columns: int) -> None:
        self.buffers = new_buffers(SHARDS, BUFFER_ROWS, columns)
        self.table = np.empty((0, columns), dtype=np.uint64)
        self.row = 0

    def expand(self, step: SweepStep, tables: list[Words], shards: int) -> bool:
        """Write successors of the states in ``tables`` into the buffers. Return True when a buffer is full and must be
        emptied, False when all states are done."""
        while True:
            if self.row == len(self.table):
                try:
                    self.table, self.row = tables.pop(), 0
                except IndexError:
                    self.table, self.row = self.table[:0], 0
                    return False
            self.row = frontier_expand(step, self.table, self.row, len(self.table), shards, self.buffers)
            if self.row < len(self.table):
                return True


class _CountingSweep:
    """A run of the dynamic program. Between steps ``tables`` hold the states; during one, the buffers of the threads
    and the shards do too. ``expected`` has an estimate of the states after each step of all sweeps."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        threads: int,
        clock: Clock,
        memory: int,
        expected: Sequence[int],
        on_event: OnEvent | None,
    ) -> None:
        self._pool, self._threads, self._clock, self._memory = pool, threads, clock, memory
        self._expected, self._on_event = expected, on_event
        self._taken, self._passed, self._peak = 0, 1, 1  # steps, the sum of the states after them, and the most
        self._left, self._rate = sum(expected), 1.0  # states expected from now on; how many came about for each
        self._scratch: list[_Scratch] = []
        self._shards: list[StateTable] = []
        self.tables: list[Words] = []

    def join(self, met: Sequence[tuple[list[SweepStep], list[int], list[int]]]) -> int:
        """Take the steps from both sides and return the number of cycles, each made of a part on either side.

        `TooLarge` if the tables need too much memory, `StoppedEarly` when the time is over.
        """
        memory, tables, places = self._memory, [], []
        for steps, _, reached in met:
            self.run(steps)
            self._memory -= sum(table.nbytes for table in self.tables)
            tables.append(self.tables)
            places.append(reached)
        self._memory = memory
        if not all(tables):
            return 0
        back = index_back(tables[1], places[1], places[0], tables[0][0].shape[1])
        tables[1].clear()
        return join_sides(tables[0], back, self._pool, self._clock)

    def run(self, steps: Sequence[SweepStep]) -> int:
        """Take the steps and return the number of cycles through all vertices that closed; the remaining states are in
        ``tables``.

        `TooLarge` if these need too much memory, `StoppedEarly` when the time is over.

        Before a step after which a count could need it, every row gets one limb more: no count after a step is above
        the sum of all counts before it, times the choices of the step.
        """
        total, columns = 0, 2
        self.tables = [np.array(BEGINNING, dtype=np.uint64)]
        self._scratch.clear()
        for step in steps:
            most = sum(float(table[:, -1].sum(dtype=np.float64)) + len(table) for table in self.tables)
            if most * len(step.choices) >= 2.0**63:
                columns += 1
                self.tables = [np.pad(table, ((0, 0), (0, 1))) for table in self.tables]
                self._scratch.clear()
            if not self._scratch:
                self._scratch = [_Scratch(columns) for _ in range(self._threads)]
            total += self._take_step(step, columns)
            states = sum(map(len, self.tables))
            self._rate = states / self._expected[self._taken]
            self._left -= self._expected[self._taken]
            self._taken, self._passed, self._peak = self._taken + 1, self._passed + states, max(self._peak, states)
            self._tell(states, columns)
        return total

    def _tell(self, states: int, columns: int, expanded: float = 0.0) -> None:
        """Tell the listener of the steps taken, the states after the last, and the share of all work that is done.

        Of these states, ``expanded`` is the share from which the next step has gone on. The work is the sum of the
        states after each step; those expected are scaled as the last step shows.
        """
        if self._on_event is not None:
            now = expanded and expanded * self._expected[self._taken]
            done, left = self._passed + self._rate * now, self._rate * (self._left - now)
            work = {"steps": self._taken, "of": len(self._expected), "states": states, "peak_states": self._peak}
            self._on_event(Progress(work | {"limbs": columns - 1}, done / (done + left)))

    def _take_step(self, step: SweepStep, columns: int) -> int:
        """Replace the states by their successors, and return the number of cycles through all vertices that closed.
        `TooLarge` or `StoppedEarly` at a limit."""
        rows = sum(map(len, self.tables))
        many = rows > FEW_ROWS
        scratches, shards = (self._scratch, SHARDS) if many else (self._scratch[:1], 1)
        capacity = max(LEAST_ROWS, int(rows / shards / LOAD))
        self._check_memory(capacity * shards * columns * 8)
        self._shards = [empty_table(capacity, columns, int(capacity * LOAD)) for _ in range(shards)]
        each = self._pool.map if many and len(scratches) > 1 else map
        full = True
        while full:
            self._clock.check()
            full = any([*each(_Scratch.expand, scratches, repeat(step), repeat(self.tables), repeat(shards))])
            list(each(self._merge_buffers, range(shards), repeat(scratches)))
            if full:
                ahead = sum(map(len, self.tables)) + sum(len(scratch.table) - scratch.row for scratch in scratches)
                self._tell(rows, columns, 1 - ahead / rows)
        total = 0
        for scratch in scratches:
            total += int.from_bytes(scratch.buffers.total.tobytes(), "little")
            scratch.buffers.total[:] = 0
        self.tables = []
        while self._shards:
            rows_in_use = _rows_in_use(self._shards.pop())
            if len(rows_in_use):
                self.tables.append(rows_in_use)
        return total

    def _merge_buffers(self, shard: int, scratches: Sequence[_Scratch]) -> None:
        """Merge the states that all threads have for one shard into its table, which grows if it must."""
        for scratch in scratches:
            rows, read, end = scratch.buffers.buffers[shard], 0, int(scratch.buffers.fill[shard])
            while (read := frontier_merge(self._shards[shard], rows, read, end)) < end:
                table = self._shards[shard]
                capacity = int(table.capacity * GROWTH)
                self._check_memory(capacity * table.columns * 8)
                larger = empty_table(capacity, table.columns, int(capacity * LOAD))
                frontier_merge(larger, table.rows, 0, table.capacity)
                self._shards[shard] = larger
            scratch.buffers.fill[shard] = 0

    def _check_memory(self, needed: int) -> None:
        """Raise `TooLarge` if another ``needed`` bytes exceed the memory allowed."""
        shards, expanding = (table.rows for table in self._shards), (scratch.table for scratch in self._scratch)
        needed += sum(rows.nbytes for rows in chain(self.tables, shards, expanding))
        if needed > self._memory:
            raise TooLarge(f"the frontier method needs more than the {self._memory / GIB:.3g} GiB that it may use")


def _rows_in_use(table: StateTable) -> Words:
    """Return the used rows of a table, moved together in its memory; the rest of the memory is given back."""
    rows, used = table.rows, int(table.used[0])
    rows[:used] = rows[rows[:, 0] != EMPTY]
    rows.resize((used, table.columns), refcheck=False)
    return rows


# --- the join of two sides ---

# A state from the front and one from the back make cycles if the degrees of each place add up to two; their paths then
# have the same ends, and make *one* cycle if going along the paths of either in turn leads round all ends. The states
# from the back are laid out by the degrees that they need from the front: those that fit a state stand together.


class Back(Record):
    """The states that the back sweep reached, sorted by the degrees that they need from the front."""

    width: int  # the number of places of the front
    front_columns: int
    sum_limbs: int  # of a sum of counts of the back: one more than of a count
    groups: StateTable  # rows ``(degrees, first state, last state + 1)``
    mates: Bytes  # for each state the mates of its ends, in places of the front, ``(states, width)``
    counts: Words  # for each state the limbs of its count


@kernel
def frontier_meet(back: Back, table: Words, end: int, total: Words, sum_of_counts: Words) -> int:
    """Add to ``total`` the number of cycles that the states in ``table`` make with those of the back; return the number
    of rows."""


def index_back(tables: Sequence[Words], places: list[int], front_places: list[int], front_columns: int) -> Back:
    """Return the states of the back sweep, sorted by the degrees that they need from the front.

    ``places`` and ``front_places`` are the vertices of the two frontiers; the front's has all of the back's.
    """
    rows, width = np.concatenate(tables), len(front_places)
    states, columns = rows.shape
    done, ends, mates = renumbered(rows, places, front_places)
    needed = ~(done | ends) & ((1 << width) - 1) | ends << width
    del done, ends
    order = np.argsort(needed)
    needed = needed[order]
    begins = np.flatnonzero(np.append(True, needed[1:] != needed[:-1]))
    groups = np.stack([needed[begins], begins, np.append(begins[1:], states)], axis=1).astype(np.uint64)
    index = empty_table(2 * len(groups), 3, len(groups))
    frontier_merge(index, groups, 0, len(groups))
    counts = np.ascontiguousarray(rows[order, 1:])
    return Back(
        width=width, front_columns=front_columns, sum_limbs=columns, groups=index, mates=mates[order], counts=counts
    )


def join_sides(front: Sequence[Words], back: Back, pool: Executor, clock: Clock) -> int:
    """Return the number of cycles made of a state of the front and one of the back. `StoppedEarly` when the time is
    over."""
    given_up = Event()

    def cycles_with(table: Words) -> int:
        """Return how many cycles the states of a table make with those of the other side."""
        total, scratch = np.zeros(back.front_columns + back.sum_limbs, np.uint64), np.empty(back.sum_limbs, np.uint64)
        for begin in range(0, len(table), JOINED_AT_ONCE):
            if given_up.is_set():
                break
            clock.check()
            piece = table[begin : begin + JOINED_AT_ONCE]
            frontier_meet(back, piece, len(piece), total, scratch)
        return int.from_bytes(total.tobytes(), "little")

    try:
        return sum(pool.map(cycles_with, front))
    finally:
        given_up.set()
