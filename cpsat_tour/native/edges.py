"""The backend ``edges``: Hamiltonian cycles of any undirected graph, found, listed or refuted by choosing edges.

The search itself is `cpsat_tour.native.edge_kernel`, called in slices short enough for limits, progress and Ctrl-C. One
tour is sought with restarts, each on the vertices in a new random numbering, with budgets of branchings by Luby's
sequence (Luby, Sinclair & Zuckerman 1993): a problem that is hard in one numbering is often easy in another. The
budgets grow without bound, so given time each problem is decided.

All tours are listed in constant memory by one search, or by several threads that share out *cubes*: sets of edges taken
and dropped, the decisions at a node of the search tree. The tree is walked breadth first until there are enough nodes;
each cycle is in exactly one (cube and conquer: Heule, Kullmann, Wieringa & Biere 2011). The cubes are in the order in
which one search meets them, so threads list the tours in the same order as one search.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Full, Queue
from threading import Event
from typing import ClassVar

import numpy as np

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.limits import NO_LIMIT
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Refutation, Work
from cpsat_tour.core.run import HEARTBEAT, Heartbeat, Run, no_heartbeat
from cpsat_tour.core.space import Naturals
from cpsat_tour.native.edge_kernel import TOOK, EdgeState, search
from cpsat_tour.native.edge_state import SLICE_WORK, finished, fresh_copy, new_edge_state
from cpsat_tour.native.restarts import luby

RESTART_BRANCHINGS = 300  # the budget of the first search; the others have Luby's multiples of it

BATCH = 1 << 12  # tours listed at a time, at most, and within `AHEAD_BYTES`

MIN_CUBES = 100
"""The cubes of a list by threads: enough to keep them busy to the end, and few enough that splitting costs little."""

AHEAD_BYTES = 1 << 25  # cycles of a cube that are kept until it is its turn, at most

Batches = Queue[tuple[Ints, int] | None]  # cycles, a row each, and the branchings that they took; None ends them


@dataclass(frozen=True)
class Edges:
    """The backend ``edges``: depth-first search over edges for a tour, all of them, or a refutation."""

    takes: ClassVar[frozenset[str]] = frozenset({"every", "symmetry", "waypoints"})
    unit: ClassVar[str] = "branchings"

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles in arrays, a row of vertices each; return the `Refutation` when there are no
        more. `StoppedEarly` at a limit. Work is counted in branchings. Waypoints filter the cycles found."""
        run.work = {"branchings": 0, "searches": 0}
        threads = run.limits.threads or 1
        if run.every and threads > 1 and run.limits.work is None:
            found = _cycles_by_threads(run, threads)
        else:
            found = _cycles_by_search(run)
        if run.cycle.stops:
            found = (met for rows in found if len(met := rows[run.cycle.visit_stops(rows)]))
        yield from found
        return exhausted(run.work)


def exhausted(work: Work) -> Refutation:
    """Return the reason of a search that came to its end."""
    branchings = work["branchings"]
    tried = f"tried every possibility: {branchings:,} branching{'s' * (branchings != 1)}"
    return Refutation(
        "exhausted", f"the search over edges {tried if branchings else 'followed forced moves to dead ends'}"
    )


def _cycles_by_search(run: Run) -> Iterator[Ints]:
    """Yield arrays of all cycles by one search if the run asks for every cycle; else an array of one, by the first
    search that finds one. `StoppedEarly` at a limit.

    Each search for one has its own numbering and budget; one that comes to its end is the last.
    """
    restarts = not (run.every or run.cycle.stops)
    numberings = np.random.default_rng(run.limits.seed)
    rows = np.empty((1, run.cycle.order), dtype=np.uint32) if restarts else room_for_tours(run.cycle.order)
    most = max(1, SLICE_WORK // run.cycle.order)
    for attempt in itertools.count(1):
        numbering = numberings.permutation(run.cycle.order) if restarts else None
        state = new_edge_state(run.cycle, numbering)
        run.work["searches"] = attempt
        budget = RESTART_BRANCHINGS * luby(attempt) if restarts else NO_LIMIT
        while budget and not finished(state):
            left = run.work_left("branchings")
            if left == 0:
                raise StoppedEarly("work")
            found, branchings = search(state, rows, min(most, budget, NO_LIMIT if left is None else left))
            run.work["branchings"] += int(branchings)
            if found:
                yield (
                    rows[:found].astype(np.int32) if numbering is None else np.argsort(numbering).astype(np.int32)[rows]
                )
            if found and restarts:
                return
            budget -= int(branchings)
            run.heartbeat()
        if finished(state):
            return


def room_for_tours(order: int) -> Naturals:
    """Return an empty array with a row for each of the tours of this many vertices that are listed at a time."""
    return np.empty((max(1, min(BATCH, AHEAD_BYTES // (4 * order))), order), dtype=np.uint32)


def cubes_of(cycle: CycleProblem, least: int, heartbeat: Heartbeat = no_heartbeat) -> list[Naturals]:
    """Return at least ``least`` cubes that share out all cycles, or one for each cycle if there are fewer: arrays of
    edges, with the flag `TOOK` on those taken."""
    whole = new_edge_state(cycle)
    level = [np.empty(0, dtype=np.uint32)]
    splitting = True
    while splitting and len(level) < least:
        branches = []
        for cube in level:
            heartbeat()
            branches.append(_split_cube(whole, cube))
        splitting = any(len(parts) == 2 for parts in branches)
        level = list(itertools.chain.from_iterable(branches))
    return level


def _split_cube(whole: EdgeState, cube: Naturals) -> tuple[Naturals, ...]:
    """Return the two cubes that the search splits this one into; only the cube itself if it is one cycle, an empty
    tuple if it has none."""
    state = fresh_copy(whole, cube)
    found, branchings = search(state, np.empty((1, len(state.used)), dtype=np.uint32), 1)
    if not branchings:
        return (cube,) if found else ()
    edge = state.decisions[0]
    return np.append(cube, edge | TOOK), np.append(cube, edge)


def _cycles_by_threads(run: Run, threads: int) -> Iterator[Ints]:
    """Yield arrays of the cycles of all cubes, found by several threads, in the order of the cubes."""
    whole = new_edge_state(run.cycle)
    cubes = iter(cubes_of(run.cycle, MIN_CUBES, run.heartbeat))
    batches_ahead = AHEAD_BYTES // room_for_tours(run.cycle.order).nbytes or 1
    stopped = Event()
    going: deque[tuple[Batches, Future[None]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                for cube in itertools.islice(cubes, 2 * threads - len(going)):
                    queue: Batches = Queue(batches_ahead)
                    going.append((queue, pool.submit(_search_cube, fresh_copy(whole, cube), queue, stopped)))
                if not going:
                    return
                queue, future = going.popleft()
                run.work["searches"] += 1
                for rows, branchings in _batches_until_none(queue, run.heartbeat):
                    run.work["branchings"] += branchings
                    if len(rows):
                        yield rows
                future.result()
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _search_cube(state: EdgeState, queue: Batches, stopped: Event) -> None:
    """Put the cycles of a search into the queue in batches, then None."""

    def put(batch: tuple[Ints, int] | None) -> None:
        """Queue the batch when there is room, unless the search is stopped."""
        while not stopped.is_set():
            with suppress(Full):
                queue.put(batch, timeout=HEARTBEAT)
                return

    try:
        order = len(state.used)
        rows = room_for_tours(order)
        while not (finished(state) or stopped.is_set()):
            found, branchings = search(state, rows, max(1, SLICE_WORK // order))
            put((rows[:found].astype(np.int32), branchings))
    finally:
        put(None)


def _batches_until_none(queue: Batches, heartbeat: Heartbeat) -> Iterator[tuple[Ints, int]]:
    """Yield the batches of a queue, cycles and the branchings that they took, until the queue has None; the heart beats
    again and again."""
    while True:
        heartbeat()
        with suppress(Empty):
            batch = queue.get(timeout=HEARTBEAT)
            if batch is None:
                return
            yield batch
