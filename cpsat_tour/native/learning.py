"""The backend ``learning``: a Hamiltonian cycle of any undirected graph, found or refuted by choosing edges, with a
clause learned from each dead end.

The search is `cpsat_tour.native.learning_kernel`, called in restarts by Luby's sequence (Luby, Sinclair & Zuckerman
1993), in slices short enough for limits, progress and Ctrl-C.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from cpsat_tour.core.answer import NO_LIMIT, Refutation
from cpsat_tour.core.compiled import announce_compiling
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Run
from cpsat_tour.native.edge_state import SLICE_WORK
from cpsat_tour.native.learning_kernel import (
    CONFLICTS,
    COUNTERS,
    FOUND,
    FULL,
    HEADER,
    HEAP,
    MOST,
    OPEN,
    REFUTED,
    SEARCHING,
    STATUS,
    TRAIL,
    LearningState,
    forget,
    return_to,
    search,
)
from cpsat_tour.native.local_search import luby

RESTART = 300  # conflicts of the shortest search; the others have Luby's multiples

ROOM = 1 << 20  # numbers that clauses may take before there is more room

FORGET, FORGET_MORE = 2000, 300  # conflicts before clauses are forgotten, and how many more each next time


@dataclass(frozen=True)
class Learning:
    """The backend ``learning``: a search over edges that learns clauses, for a tour or a refutation."""

    takes: ClassVar[frozenset[str]] = frozenset()

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield a Hamiltonian cycle, or return the `Refutation` if there is none; `StoppedEarly` at a limit. Work is
        counted in conflicts."""
        run.work = {"conflicts": 0, "restarts": 0}
        chance = np.random.default_rng(run.limits.seed)
        state = new_learning_state(run.cycle, chance)
        arena = np.empty(max(ROOM, 2 * (HEADER + run.cycle.size)), dtype=np.int32)
        counters, forgotten, due = state.counters, 0, FORGET
        most = max(1, SLICE_WORK // run.cycle.order)
        with announce_compiling(run.on_event):
            for restart in itertools.count(1):
                run.work["restarts"] = restart
                end = int(counters[CONFLICTS]) + RESTART * luby(restart)
                while counters[STATUS] == SEARCHING and counters[CONFLICTS] < end:
                    left = run.work_left("conflicts")
                    if left == 0:
                        raise StoppedEarly("work")
                    search(state, arena, min(most, end - int(counters[CONFLICTS]), NO_LIMIT if left is None else left))
                    run.work["conflicts"] = int(counters[CONFLICTS])
                    run.heartbeat()
                if counters[STATUS] == FOUND:
                    yield np.array([_cycle(state)], dtype=np.int32)
                if counters[STATUS] in (FOUND, REFUTED):
                    break
                return_to(state, 0)
                if counters[STATUS] == FULL or counters[CONFLICTS] >= due:
                    forgotten += 1
                    due = int(counters[CONFLICTS]) + FORGET + FORGET_MORE * forgotten
                    forget(state, arena)
                    if counters[STATUS] == FULL:
                        arena = np.concatenate([arena, np.empty_like(arena)])
                    _set_phases(state, forgotten, chance)
                    counters[STATUS] = SEARCHING
        conflicts = run.work["conflicts"]
        return Refutation("exhausted", f"the search that learns clauses came to its end: {conflicts:,} conflicts")


def new_learning_state(cycle: CycleProblem, chance: np.random.Generator) -> LearningState:
    """Return an unstarted search that chooses edges in a random order as long as none is active; those that are
    required, or one of two at a vertex, are taken."""
    order, size = cycle.order, cycle.size
    first, edges = cycle.incidence
    ends, degrees = np.stack([cycle.tails, cycle.heads], axis=1), np.diff(first)
    given = np.flatnonzero(cycle.required | (degrees[ends] == 2).any(axis=1))
    truth, place, trail = np.zeros((size, 2), dtype=np.int8), np.zeros(size), np.zeros(size)
    truth[given], place[given], trail[: len(given)] = (1, -1), np.arange(len(given)), 2 * given
    heap = chance.permutation(size)
    counters = np.zeros(COUNTERS, dtype=np.int64)
    counters[TRAIL], counters[HEAP], counters[STATUS] = len(given), size, REFUTED if degrees.min() < 2 else SEARCHING
    numbers = {
        "first": first,
        "heads": ends.sum(axis=1)[edges] - np.repeat(np.arange(order), degrees),
        "edges": edges,
        "ends": ends,
        "used": np.zeros(order),
        "left": degrees,
        "mate": np.arange(order),
        "trail": trail,
        "place": place,
        "level": np.zeros(size),
        "reason": np.zeros(size),
        "marks": np.zeros(size + 1),
        "watch": np.full(2 * size, -1),
        "heap": heap,
        "rank": np.argsort(heap),
        "because": np.zeros(max(size, order) + 2),
        "learned": np.zeros(4 * size + 4),
    }
    arrays: dict[str, Any] = {name: array.astype(np.int32) for name, array in numbers.items()}
    arrays |= {name: np.zeros(size, dtype=np.uint8) for name in ("kind", "phase", "seen")}
    return LearningState(
        **arrays,
        truth=truth.ravel(),
        target=np.full(size, OPEN, dtype=np.uint8),
        activity=np.append(np.zeros(size), 1.0),
        stamp=np.zeros(size + 1, dtype=np.int64),
        counters=counters,
    )


def _set_phases(state: LearningState, turn: int, chance: np.random.Generator) -> None:
    """Let choices begin anew, in turns: at the best target so far, at random, with every edge taken, with each
    dropped."""
    phases = (np.where(state.target == OPEN, state.phase, state.target), chance.integers(0, 2, len(state.phase)), 0, 1)
    state.phase[:] = phases[turn % 4]
    state.target[:] = OPEN
    state.counters[MOST] = 0


def _cycle(state: LearningState) -> list[int]:
    """Return the vertices of the cycle that was found, in their order."""
    taken = state.ends[state.truth[::2] == 1]
    beside: list[list[int]] = [[] for _ in state.used]
    for v, u in taken.tolist():
        beside[v].append(u)
        beside[u].append(v)
    path = [0, beside[0][0]]
    while len(path) < len(beside):
        one, other = beside[path[-1]]
        path.append(other if one == path[-2] else one)
    return path
