"""Longest uncrossed paths and cycles by the frontier method: a dynamic program along the long side of a narrow board.

The vertices are swept in the lexicographic order of their coordinates, the long axis first. A state is what the choices
so far leave to those to come: which edges are used that lead from a swept vertex to one that is not (a *slot* each, a
bit), and which of them are ends of one piece of the path, a label for two, 0 where the other end of the piece is an end
of the path. Of all ways to come to a state the one of most moves is kept. An edge that begins at a vertex can cross
only those that lead over it: of two moves of which one ends before the other begins, every point of the one comes
before every point of the other in that order. So a state knows all that may be crossed.

It is the method of Sekine, Imai & Tani (1995) and of Knuth's Simpath (2009), with maxima instead of counts. Where the
sweep is begun in the first column alone, and a column ends with the states of an earlier one, each with as many moves
more, everything repeats from there with that period: a max-plus system (Cuninghame-Green 1979). Limits: at most 64
slots and 16 used ones, so narrow boards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from cpsat_tour.core.compiled import announced
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Watch
from cpsat_tour.counting.uncrossed_kernel import (
    CLOSED,
    FORCED,
    INCOMING,
    KEPT,
    MAX_SLOTS,
    MAY_BE_END,
    MAY_BEGIN,
    MAY_FINISH,
    MUST_BE_END,
    NOTHING,
    OUTS,
    REQUIRED,
    States,
    Step,
    empty_states,
    expand,
)
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.segments import pairs_that_cross

FIRST_TABLE = 1 << 10

SLICE = 1 << 16
"""States expanded between two looks at the clock."""

MAX_BYTES = 3 << 30
"""States that are kept to read the path from them, at most."""


class TooWide(StoppedEarly):
    """The frontier has more slots, or more used ones, than a state has room for, or the states more than memory."""


@dataclass(frozen=True, eq=False)
class _AtVertex:
    """The step at a vertex, and the ``slots`` behind it, by the numbers of their edges."""

    vertex: int
    step: Step
    slots: Ints


@dataclass(frozen=True, eq=False)
class Swept:
    """A vertex was swept: ``longest`` is the most moves of what is finished by now, None if nothing is; ``states`` are
    those behind it."""

    vertex: int
    longest: int | None
    states: States


class UncrossedSweep:
    """A sweep for the longest uncrossed path or cycle of a problem whose edges cross in these ``pairs``.

    With ``begin_by`` the path has a vertex among so many first ones. `TooWide` where a state has no room for the
    frontier.
    """

    def __init__(self, problem: Problem, pairs: Ints, begin_by: int | None = None, *, kept: bool = True) -> None:
        self._problem, self._kept = problem, kept
        points = problem.graph.space.points()
        long_first = np.argsort(-(points.max(axis=0) - points.min(axis=0)), kind="stable")
        self._order = np.lexsort(points.T[long_first[::-1]]).astype(np.int32)
        self._steps = list(_steps(problem, self._order, pairs, len(self._order) if begin_by is None else begin_by))
        self._generations: list[States] = []
        self._finished: tuple[int, int] | None = None

    def run(self, watch: Watch | None = None) -> Iterator[Swept]:
        """Go from vertex to vertex; work is counted in ``states``."""
        states = empty_states(1)
        states.values[0] = 0
        self._generations = [states]
        longest, size, label, spent = -1, FIRST_TABLE, np.zeros(MAX_SLOTS, dtype=np.int32), 0
        for number, at in enumerate(self._steps):
            done = np.array([longest, -1], dtype=np.int64)
            size = max(FIRST_TABLE, 1 << (4 * len(states.masks)).bit_length())
            begin, count, table = 0, 0, empty_states(size)
            while begin < len(states.masks):
                with announced(watch.tell if watch else None):
                    count = expand(states, begin, begin + SLICE, at.step, table, count, label, done)
                if count == -2:
                    raise TooWide("work")
                begin += SLICE
                if count == -1:
                    begin, count, size = 0, 0, 4 * size
                    table = empty_states(size)
                if watch is not None:
                    watch.heartbeat()
            if done[0] > longest:
                longest, self._finished = int(done[0]), (number, int(done[1]))
            there = np.flatnonzero(table.values != NOTHING)
            states = States(table.masks[there], table.labels[there], table.values[there], table.parents[there])
            if self._kept:
                self._generations.append(states)
                spent += 24 * len(there)
                if spent > MAX_BYTES:
                    raise TooWide("work")
            if watch is not None:
                watch.work["vertices"] = number + 1
                watch.work["states"] = watch.work.get("states", 0) + len(there)
            yield Swept(at.vertex, None if longest < 0 else longest, states)

    def longest(self) -> Ints | None:
        """The vertices of the longest that a run to its end has found; None where it found nothing."""
        if self._finished is None:
            return None
        number, state = self._finished
        used: set[int] = set()
        for place in range(number - 1, -1, -1):
            generation = self._generations[place + 1]
            slots = np.unpackbits(generation.masks[state : state + 1].view(np.uint8), bitorder="little")
            used.update(self._steps[place].slots[np.flatnonzero(slots)].tolist())
            state = int(generation.parents[state])
        tails, heads = (ends[sorted(used)] for ends in self._problem.graph.edges())
        return _in_order(tails.tolist(), heads.tolist())


def _in_order(tails: list[int], heads: list[int]) -> Ints:
    """The vertices of a path or a cycle that these edges form."""
    beside: dict[int, list[int]] = {}
    for tail, head in zip(tails, heads, strict=True):
        beside.setdefault(tail, []).append(head)
        beside.setdefault(head, []).append(tail)
    vertex: int | None = min(beside, key=lambda vertex: (len(beside[vertex]), vertex))
    path: list[int] = []
    while vertex is not None:
        path.append(vertex)
        vertex = next((other for other in beside[vertex] if other not in path[-2:] and other not in path[:1]), None)
    return np.array(path, dtype=np.int32)


def _steps(problem: Problem, order: Ints, pairs: Ints, begin_by: int) -> Iterator[_AtVertex]:
    """The steps of the sweep in this order."""
    graph = problem.graph
    place = np.empty(graph.order, dtype=np.int64)
    place[order] = np.arange(graph.order)
    tails, heads = graph.edges()
    first, last = np.minimum(place[tails], place[heads]), np.maximum(place[tails], place[heads])
    moves = list(zip(tails.tolist(), heads.tolist(), strict=True))
    allowed = np.array([move not in set(problem.forbid) for move in moves], dtype=bool)
    required = np.array([move in set(problem.require) for move in moves], dtype=bool)
    crossing: list[set[int]] = [set() for _ in moves]
    for one, other in pairs.tolist():
        crossing[one].add(other)
        crossing[other].add(one)
    by_place = np.lexsort([last, first])
    by_place = by_place[allowed[by_place]]
    ends = {vertex for vertex in (problem.start, problem.end) if vertex is not None}
    free_ends = not problem.closed and len(ends) < 2
    forced = ends | {vertex for move in problem.require for vertex in move}
    last_forced = max((int(place[vertex]) for vertex in forced), default=-1)
    over: list[int] = []
    beginning = np.searchsorted(first[by_place], np.arange(graph.order + 1))
    for number, vertex in enumerate(order.tolist()):
        out = by_place[beginning[number] : beginning[number + 1]].tolist()
        stay = [edge for edge in over if last[edge] > number]
        after = [*stay, *out]
        if len(after) > MAX_SLOTS:
            raise TooWide("work")
        facts = np.zeros(10, dtype=np.uint64)
        facts[INCOMING] = _bits(slot for slot, edge in enumerate(over) if last[edge] == number)
        facts[KEPT], facts[OUTS], facts[CLOSED] = len(stay), len(out), problem.closed
        facts[MUST_BE_END], facts[MAY_BE_END] = vertex in ends and not problem.closed, free_ends
        facts[FORCED], facts[MAY_BEGIN], facts[MAY_FINISH] = vertex in forced, number < begin_by, number >= last_forced
        facts[REQUIRED] = _bits(at for at, edge in enumerate(out) if required[edge])
        places = {edge: slot for slot, edge in enumerate(stay)}
        against = [_bits(slot for slot, edge in enumerate(over) if edge in crossing[mine]) for mine in out]
        beside = [_bits(slot for slot, edge in enumerate(over) if last[edge] == last[mine]) for mine in out]
        goes_to = np.array([places.get(edge, -1) for edge in over] + [-1], dtype=np.int32)
        step = Step(facts, goes_to, np.array(against, dtype=np.uint64), np.array(beside, dtype=np.uint64))
        yield _AtVertex(vertex, step, np.array(after, dtype=np.int32))
        over = after


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


@dataclass(frozen=True)
class Period:
    """How the longest uncrossed cycles of ``rows`` x n go on: ``lengths[n - 1]`` for the n that were swept, 0 where
    there is none.

    For each n from ``since`` on, the longest of ``rows x (n + columns)`` has ``moves`` more than that of ``rows x n``.
    """

    rows: int
    lengths: tuple[int, ...]
    since: int
    columns: int
    moves: int


def uncrossed_period(rows: int, watch: Watch | None = None, *, closed: bool = True, most: int = 400) -> Period:
    """Sweep a long knight's board until the states behind a column are those behind an earlier one, each with as many
    moves more.

    From then on each column does as the one a period before it did, so that this is a proof. The sweep begins in the
    first column: a path that does not can be shifted. `TooWide` where nothing repeats within ``most`` columns, or there
    is no room.
    """
    problem = Problem(Board(rows, most + 4).graph, closed)
    sweep = UncrossedSweep(problem, pairs_that_cross(problem.graph), rows, kept=False)
    lengths: list[int] = []
    met: dict[bytes, tuple[int, int]] = {}
    for number, swept in enumerate(sweep.run(watch), start=1):
        if number % rows:
            continue
        lengths.append(swept.longest or 0)
        alive = np.flatnonzero(swept.states.masks)
        if not len(alive):
            continue
        alive = alive[np.lexsort([swept.states.labels[alive], swept.states.masks[alive]])]
        values = swept.states.values[alive]
        digest = blake2b(
            swept.states.masks[alive].tobytes()
            + swept.states.labels[alive].tobytes()
            + (values - values.max()).tobytes()
        ).digest()
        column, greatest = met.setdefault(digest, (len(lengths), int(values.max())))
        if column < len(lengths) and lengths[-1] > lengths[column - 1]:
            return Period(rows, tuple(lengths), len(lengths), len(lengths) - column, int(values.max()) - greatest)
        if len(lengths) == most:
            break
    raise TooWide("work")
