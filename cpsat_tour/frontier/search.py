"""The frontier method as a search for one tour, or a proof that there is none: a narrow graph of any length is decided
in time linear in its vertices.

The states are those of `cpsat_tour.frontier.sweep` without their counts. The states of a vertex follow from those of
the parts below it in an elimination tree (`cpsat_tour.frontier.tree`), which are joined if there are several. All are
kept, and once a cycle through all vertices has closed it is read off backwards, each state from those that it comes
from (Sekine, Imai & Tani 1995; Held & Karp 1962 for the way back).

If a part has too many states, some drawn at random are kept: a *beam* (Lowerre 1976), which may find a tour but refutes
nothing. If it fails, the next beam is `WIDER` times as wide, until all states are kept, or they would take more than
`MAX_BYTES`. Where few states are expected at a vertex a beam would save little, and the first is the widest.

Limits: undirected graphs whose frontiers have at most 24 vertices, and where states are lost at more than 21 no
refutation; one tour, no lists.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Edge
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Bytes, Flags, Ints, Longs
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.frontier.states import (
    CLOSED,
    LOST,
    MOST_IN_SEARCH,
    MOST_PLACES,
    Places,
    TooLarge,
    Words,
    frontier_expand,
    new_buffers,
    renumbered,
    step_at,
    swept_graph_of,
)
from cpsat_tour.frontier.tree import TreePlan, best_elimination

FIRST_BEAM, FULL_BEAM = 1 << 10, 1 << 18
WIDER = 8
MAX_BYTES = 1 << 30

FEW_STATES, FEW_AT_HUBS = 500, 3000
"""With at most so many states to be expected at a vertex, the first beam is `FULL_BEAM`. The second number is for
graphs that are not sparse: with hubs a narrow beam takes nearly as long as all states, and seldom finds a tour."""

MAX_STATES = 5 * 10**11  # with more to be expected than these, which take hours, nothing is begun

MAX_ROWS, MAX_PAIRS = 1 << 16, 1 << 24
"""Successors that a call of the kernel has room for, and pairs that it looks at: some hundredths of a second."""


@dataclass(frozen=True)
class Frontier:
    """The backend ``frontier``: one tour, or a refutation, by the frontier method along a tree."""

    takes: ClassVar[frozenset[str]] = frozenset()
    unit: ClassVar[str] = "states"

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield one Hamiltonian cycle and then raise `StoppedEarly`, as at a limit, or return the `Refutation` if there
        is none. Work is counted in states."""
        run.work = {"states": 0, "sweeps": 0}
        plan, states = tree_plan(run)
        few = FEW_STATES if plan.swept.graph.is_sparse else FEW_AT_HUBS
        beam = FULL_BEAM if states <= few * run.cycle.order else FIRST_BEAM
        while True:
            run.work["sweeps"] += 1
            sweep = Sweep(run, plan, beam)
            if (closed := sweep.run()) is not None:
                tails, heads = np.array(sweep.edges(closed), dtype=np.int32).T
                yield two_factor_cycles(run.cycle.order, tails, heads, directed=False)[-1][None, :]
                raise StoppedEarly("the backend finds one tour and lists no others")
            if sweep.whole and sweep.lost:
                raise TooLarge(f"the frontier is too wide to refute: it has more than {MOST_PLACES} vertices at once")
            if sweep.whole:
                return Refutation("exhausted", f"the frontier method went through all states: {run.work['states']:,}")
            beam *= WIDER


def tree_plan(run: Run, places: int = MOST_IN_SEARCH) -> tuple[TreePlan, float]:
    """Return the plan with the fewest states found, and an estimate of their number. `TooLarge` if every plan has too
    many.

    Steps have at most ``places`` places. `StoppedEarly` if the limit on work is below the states, and on a sparse graph
    also below those of the first beam.
    """
    swept = swept_graph_of(run.cycle, run.clock)
    run.heartbeat()
    work, beam = run.limits.work, FIRST_BEAM * run.cycle.order
    most = MAX_STATES if work is None or (swept.graph.is_sparse and beam <= work) else min(MAX_STATES, work)
    separators, states = best_elimination(swept, most, places, run.clock)
    if separators is not None:
        return TreePlan(swept, separators), states
    if states < MAX_STATES:
        raise StoppedEarly("work")
    raise TooLarge(f"the frontier is too wide for the frontier method: it has about {places} vertices at once, or more")


@dataclass(frozen=True, eq=False)
class Table:
    """The states of a part of the graph over the places that it leaves, in increasing order, and the step or join that
    derived them.

    The price of a state is the number of vertices that it leaves out, where that may be.
    """

    places: Places = field(default_factory=Places)
    states: Words = field(default_factory=lambda: np.zeros(1, dtype=np.uint64))
    way: VertexStep | PartsJoin | None = None
    prices: Longs = field(default_factory=lambda: np.zeros(1, dtype=np.int64))

    @property
    def is_open(self) -> bool:
        """True if there are states, and no cycle has closed."""
        return len(self.states) > 0 and self.states[-1] != CLOSED


class VertexStep:
    """Derives the states after a vertex is taken from those before it."""

    def __init__(self, plan: TreePlan, before: Table, vertex: int) -> None:
        self._before, self._vertex = before, vertex
        self._heads = sorted(plan.separators[vertex] & plan.swept.neighbours[vertex])
        self._step, self.places = step_at(plan.swept, before.places, vertex, self._heads)

    def batches(self) -> Iterator[tuple[Words, Longs]]:
        """Yield batches of derived states, with repeats, as pairs of arrays: the states, and for each a number that
        says where it comes from, for `trace_back`."""
        states, each = self._before.states, self._step.number
        some = max(1, MAX_ROWS // max(1, each))
        buffers, begin = new_buffers(1, min(some, len(states)) * each, 1, search=True), 0
        while begin < len(states):
            begin = frontier_expand(self._step, states, begin, min(begin + some, len(states)), 1, buffers)
            written, buffers.fill[0] = int(buffers.fill[0]), 0
            yield buffers.buffers[0, :written, 0], buffers.ways[:written]

    def prices(self, ways: Longs) -> Longs:
        """Return the price of each derived state, one more than before if no edge is chosen at the vertex in all, so
        that it is left out."""
        row, choice = np.divmod(ways, self._step.number)
        place, states, touched = self._step.vertex, self._before.states[row].astype(np.int64), np.zeros(1, np.int64)
        if place < self._step.before:
            touched = (states >> place | states >> self._step.before + place) & 1
        return np.asarray(self._before.prices[row] + ((self._step.choices[choice, 0] == 0) & (touched == 0)))

    def trace_back(self, origin: int) -> tuple[list[Edge], list[tuple[Table, np.uint64]]]:
        """Return the edges chosen to make a state, and a list of the one state that it comes from, with its table."""
        row, choice = divmod(origin, self._step.number)
        chosen = int(self._step.choices[choice, 0])
        places = dict.fromkeys([*self._before.places.swept, self._vertex, *self._heads])
        edges = [(self._vertex, head) for place, head in enumerate(places) if chosen >> place & 1]
        return edges, [(self._before, self._before.states[row])]


class Parts(Record):
    """The states of two parts of the graph that are to be joined. The *joint* places are those of the left part, then
    those that only the right part has."""

    width: int  # the number of places on the left
    joint: int
    others: int  # the number of states on the right
    last: bool  # whether a cycle may close: every vertex is in a place or was eliminated, or some may be left out
    tights: int
    free: int  # the joint places that may be left out
    tight: Annotated[Words, "3*tights"]  # see `Places.tight`
    needy: Annotated[Words, "2"]  # two sets: the places that lack a required edge or two, and those that lack two
    left: Words
    done: Annotated[Words, "others"]  # of the states on the right, in joint places
    ends: Annotated[Words, "others"]
    mates: Annotated[Bytes, "others*joint"]
    turns: Longs  # the states on the left in an order in which those of the same degrees are in a row
    fitting: Annotated[Longs, "others"]  # scratch space
    turn: Annotated[Longs, "1"]  # where to go on


@kernel
def frontier_join(parts: Parts, end: int, fresh: Words, ways: Longs, room: int) -> int:
    """Join states of two parts, write the new ones to ``fresh`` and return their number.

    For each, ``ways`` gets the row of the left one, times the number of right ones, plus the row of the right one.
    """


class PartsJoin:
    """Joins the states of two parts of the graph; the part with fewer states is on the right."""

    def __init__(self, plan: TreePlan, first: Table, second: Table) -> None:
        self._swept = plan.swept
        self._left, self._right = sorted((first, second), key=lambda table: len(table.states), reverse=True)
        self.places = self._left.places + self._right.places

    def batches(self) -> Iterator[tuple[Words, Longs]]:
        """Yield batches of joined states as pairs of arrays: the states, and for each the number of the pair that it
        comes from, for `trace_back`.

        Left states of the same degrees are joined one after the other.
        """
        graph, left, joint = self._swept, self._left.states, [*self.places.swept]
        width, others = len(self._left.places.swept), len(self._right.states)
        done, ends, mates = renumbered(self._right.states[:, np.newaxis], [*self._right.places.swept], joint)
        left_ends = left >> width & ((1 << width) - 1)
        tight, lacks_two = self.places.tight(graph), self.places.lacking(graph, 2)
        parts = Parts(
            width=width,
            joint=len(joint),
            others=others,
            last=self.places.may_close(graph),
            tights=len(tight),
            free=self.places.optional(graph),
            tight=tight,
            needy=np.array([self.places.lacking(graph, 1) | lacks_two, lacks_two], dtype=np.uint64),
            left=left,
            turns=np.argsort(left_ends << width | left & ((1 << width) - 1) & ~left_ends),
            done=done,
            ends=ends,
            mates=mates,
            fitting=np.empty(others, dtype=np.int64),
            turn=np.zeros(1, dtype=np.int64),
        )
        room, some = max(MAX_ROWS, others), max(1, MAX_PAIRS // others)
        fresh, ways = np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.int64)
        while (begin := int(parts.turn[0])) < len(left):
            written = frontier_join(parts, min(begin + some, len(left)), fresh, ways, room)
            yield fresh[:written], ways[:written]

    def prices(self, ways: Longs) -> Longs:
        """Return the price of each joined state: the sum of the prices of the pair."""
        row, other = np.divmod(ways, len(self._right.states))
        return np.asarray(self._left.prices[row] + self._right.prices[other])

    def trace_back(self, origin: int) -> tuple[list[Edge], list[tuple[Table, np.uint64]]]:
        """Return an empty list of edges, and the two states of a pair, each with its table."""
        row, other = divmod(origin, len(self._right.states))
        return [], [(self._left, self._left.states[row]), (self._right, self._right.states[other])]


class Sweep:
    """One run through the tree. ``whole`` is False once the beam has left states out, ``lost`` is True once a state
    didn't fit into a number."""

    def __init__(self, run: Run, plan: TreePlan, beam: int) -> None:
        self._run, self._plan, self._beam = run, plan, beam
        self._chance = np.random.default_rng(run.limits.seed)
        self._bytes = 0
        self.whole, self.lost = True, False

    def run(self) -> Table | None:
        """Return the table in which a cycle through all vertices closes, or None if no states are left; `TooLarge` or
        `StoppedEarly` at a limit."""
        tables: dict[int, Table] = {}
        for vertex, below in self._plan.below.items():
            parts = sorted((tables.pop(lower) for lower in below), key=lambda part: len(part.states)) or [Table()]
            table = parts[0]
            for part in parts[1:]:
                if table.is_open:
                    table = self._derive_table(PartsJoin(self._plan, table, part))
            if table.is_open:
                table = self._derive_table(VertexStep(self._plan, table, vertex))
            if not table.is_open:
                return table if len(table.states) else None
            tables[vertex] = table
        return None

    def _derive_table(self, way: VertexStep | PartsJoin) -> Table:
        """Return the table of the states that a step or a join derives; `TooLarge` or `StoppedEarly` at a limit.

        It is cut to the beam's width unless a cycle has closed.
        """
        found = [_distinct(fresh) for fresh, _ in self._derived(way)]
        states: Words = found[0] if len(found) == 1 else _distinct(np.concatenate(found))
        table = Table(way.places, states, way)
        if len(states) > self._beam and table.is_open:
            self.whole = False
            table = Table(way.places, np.sort(self._chance.choice(states, self._beam, replace=False)), way)
        self._take_room(table.states.nbytes)
        return table

    def _derived(self, way: VertexStep | PartsJoin) -> Iterator[tuple[Words, Longs]]:
        """Yield the batches of states that a step or a join derives, and add their number to the work. `StoppedEarly`
        at a limit."""
        for fresh, ways in way.batches():
            self._run.heartbeat()
            left = self._run.work_left("states")
            self._run.work["states"] += len(fresh)
            if left is not None and left < len(fresh):
                raise StoppedEarly("work")
            kept = fresh != LOST
            self.lost |= not kept.all()
            yield fresh[kept], ways[kept]

    def _take_room(self, room: int) -> None:
        """Add ``room`` bytes to the memory in use; `TooLarge` if that is too much."""
        self._bytes += room
        if self._bytes > MAX_BYTES:
            raise TooLarge(f"the frontier method needs more than {MAX_BYTES >> 20} MiB")

    def edges(self, closed: Table) -> list[Edge]:
        """Return the edges of a cycle that closes in the table ``closed``, found by going back through the tables."""
        edges: list[Edge] = []
        waiting = [(closed, CLOSED)]
        while waiting:
            table, wanted = waiting.pop()
            if table.way is None:
                continue
            for fresh, ways in table.way.batches():
                self._run.heartbeat()
                if len(here := np.flatnonzero(self._is_wanted(table, wanted, fresh, ways))):
                    chosen, sources = table.way.trace_back(int(ways[here[0]]))
                    edges += chosen
                    waiting += sources
                    break
        return edges

    def _is_wanted(self, _table: Table, wanted: np.uint64, fresh: Words, _ways: Longs) -> Flags:
        """Return a flag for each state in ``fresh``: True if it is the ``wanted`` one."""
        return np.asarray(fresh == wanted)


def _distinct(states: Words) -> Words:
    """Return the states in increasing order without repeats.

    `numpy.unique`, which hashes them first, takes three times as long.
    """
    ordered = np.sort(states)
    new = np.ones(len(ordered), dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]
