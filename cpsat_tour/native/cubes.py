"""The edge search split into cubes, so that several threads, processes or machines share it, and what is done need not
be done again.

A cube is a set of edges taken and dropped: what the search has decided at a node of its tree. The tree is walked
breadth first until there are enough nodes, which share out the cycles among them: each cycle is in exactly one. Cube
and conquer (Heule, Kullmann, Wieringa & Biere 2011) splits formulas like this. The cubes stand in the order in which
one search would come to them, so a list by many threads, put together in their order, is the list by one.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Event

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import HEARTBEAT, Heartbeat, Run, unwatched
from cpsat_tour.native.edge_kernel import TOOK, EdgeState, Naturals, search
from cpsat_tour.native.edge_state import SLICE_WORK, begun_anew, finished, new_state

CUBES = 100
"""The cubes of a list by threads, at least: enough to keep them busy to the end, and few enough that splitting costs
little."""

BATCH = 1 << 12
"""Cycles handed over at a time, at most."""

AHEAD_BYTES = 1 << 25
"""Cycles of a cube that are kept until it is its turn, at most."""

Found = tuple[Ints, int]
"""Cycles, a row each, and the branchings that they took."""


def cubes_of(cycle: CycleProblem, least: int, heartbeat: Heartbeat = unwatched) -> list[Naturals]:
    """At least so many cubes, or one for each cycle: edges, with the flag `TOOK` on those taken; none where there is no
    cycle."""
    whole = new_state(cycle)
    level = [np.empty(0, dtype=np.uint32)]
    splitting = True
    while splitting and len(level) < least:
        branches = []
        for cube in level:
            heartbeat()
            branches.append(_branches(whole, cube))
        splitting = any(len(parts) == 2 for parts in branches)
        level = list(itertools.chain.from_iterable(branches))
    return level


def _branches(whole: EdgeState, cube: Naturals) -> tuple[Naturals, ...]:
    """The two cubes that the search would split this one into; itself where that is one cycle, nothing where there is
    none."""
    state = begun_anew(whole, cube)
    found, branchings = search(*state, np.empty((1, len(state.used)), dtype=np.uint32), 1)
    if not branchings:
        return (cube,) if found else ()
    edge = state.decisions[0]
    return np.append(cube, edge | TOOK), np.append(cube, edge)


def cycles_by_threads(run: Run, threads: int) -> Iterator[Ints]:
    """The Hamiltonian cycles of all cubes, in the order of the cubes, found by so many threads; work is counted in
    branchings."""
    whole = new_state(run.cycle)
    cubes = iter(cubes_of(run.cycle, CUBES, run.heartbeat))
    batches_ahead = max(1, AHEAD_BYTES // (BATCH * run.cycle.order * 4))
    stopped = Event()
    going: deque[tuple[Queue[Found | None], Future[None]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                for cube in itertools.islice(cubes, 2 * threads - len(going)):
                    queue: Queue[Found | None] = Queue(batches_ahead)
                    going.append((queue, pool.submit(_work, begun_anew(whole, cube), queue, stopped)))
                if not going:
                    return
                queue, future = going.popleft()
                run.work["searches"] += 1
                for rows, branchings in _taken(queue, run.heartbeat):
                    run.work["branchings"] += branchings
                    if len(rows):
                        yield rows
                future.result()
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _work(state: EdgeState, queue: Queue[Found | None], stopped: Event) -> None:
    """Put the cycles of a search into the queue, then None."""
    try:
        order = len(state.used)
        rows = np.empty((BATCH, order), dtype=np.uint32)
        while not (finished(state) or stopped.is_set()):
            found, branchings = search(*state, rows, max(1, SLICE_WORK // order))
            _put(queue, (rows[:found].astype(np.int32), branchings), stopped)
    finally:
        _put(queue, None, stopped)


def _put(queue: Queue[Found | None], found: Found | None, stopped: Event) -> None:
    """Wait for room in the queue, unless nobody wants it any more."""
    while not stopped.is_set():
        with suppress(Full):
            queue.put(found, timeout=HEARTBEAT)
            return


def _taken(queue: Queue[Found | None], heartbeat: Heartbeat) -> Iterator[Found]:
    """What comes out of the queue until it ends; meanwhile the heart beats."""
    while True:
        heartbeat()
        with suppress(Empty):
            found = queue.get(timeout=HEARTBEAT)
            if found is None:
                return
            yield found
