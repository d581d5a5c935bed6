"""The backend ``edges``: Hamiltonian cycles of any undirected graph, found, listed or refuted by choosing edges.

A Hamiltonian cycle takes two edges at each vertex. Every edge is undecided, taken or dropped, and after each decision
three rules run until nothing follows: where two edges are taken, the others are dropped; where two edges are left, both
are taken; an edge that would close a cycle too early is dropped. Under a symmetry there is a fourth: the edges of an
orbit are decided alike. The search then branches on an edge at the vertex of fewest edges left, an end of a path if
there is one: it takes the edge first and drops it later. Selby (1970) and Martello (1983) chose edges like this; the
mates of path ends are those of Knuth's SSHAM (The Art of Computer Programming, fascicle 8a, 2024), whose sparse sets
are not needed where rows are short.

The search itself is `edges.c`, called in slices short enough for limits, progress and Ctrl-C. One
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
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import row_starts
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.problem import Refutation, Work
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import NO_LIMIT, Heartbeat, Run, no_heartbeat
from cpsat_tour.core.space import Bytes, Ints, Longs, Naturals

RESTART_BRANCHINGS = 300  # the budget of the first search; the others have Luby's multiples of it

BATCH = 1 << 12  # tours listed at a time, at most, and within `AHEAD_BYTES`

MIN_CUBES = 100
"""The least number of cubes by which threads share a list: enough to keep them busy to the end, and few enough that
splitting costs little."""

AHEAD_BYTES = 1 << 25  # cycles of a cube that are kept until it is its turn, at most

SLICE_WORK = 2_000_000  # vertices looked at between two heartbeats, at most: some hundredths of a second

TOOK = np.uint32(1 << 31)  # marks an edge as taken

TRAIL, EDGES, DEPTH, FORCED, PHASE, FOLLOWED, COUNTERS = range(7)
FINISHED = 3  # the last phase

APART = 128  # bytes: a cache line, and the one that is fetched along with it

POLL = 0.01  # seconds that a thread waits for another before it looks again

Batches = deque[tuple[Ints, int]]  # cycles, a row each, and the branchings that they took


class EdgeSearch(Record):
    """A search under way, as `edges.c` describes it."""

    order: int
    size: int
    given_edges: int
    followed_edges: int
    first: Annotated[Naturals, "order+1"]
    heads: Annotated[Naturals, "2*size"]
    edges: Annotated[Naturals, "2*size"]
    ends: Annotated[Naturals, "2*size"]
    given: Annotated[Naturals, "given_edges"]
    following: Annotated[Naturals, "followed_edges"]
    state: Annotated[Bytes, "size"]
    used: Annotated[Naturals, "order"]
    left: Annotated[Naturals, "order"]
    mate: Annotated[Naturals, "order"]
    link: Annotated[Naturals, "order"]
    trail: Annotated[Naturals, "size"]
    forced: Annotated[Naturals, "order"]
    decisions: Annotated[Naturals, "order"]
    marks: Annotated[Naturals, "order"]
    counters: Annotated[Naturals, "6"]
    branchings: Annotated[Longs, "1"]

    @property
    def finished(self) -> bool:
        """True if the search is complete."""
        return bool(self.counters[PHASE] == FINISHED)

    def search(self, tours: Naturals, budget: int) -> tuple[int, int]:
        """Search until ``tours`` is full, ``budget`` branchings are spent or nothing is left; return how many tours
        were written and how many branchings were made.

        Each tour is a row of vertices from vertex 0 on.
        """
        before = int(self.branchings[0])
        found = edges_search(self, tours, len(tours), budget)
        return found, int(self.branchings[0]) - before

    def with_decided(self, decided: Naturals) -> EdgeSearch:
        """Return a copy of an unstarted search with more edges decided: taken if they have the flag `TOOK`, else
        dropped. Read-only arrays are shared."""
        given = np.concatenate([self.given, decided])
        written = _on_own_cache_lines({name: getattr(self, name) for name in WRITTEN})
        return self.replace(given=given, given_edges=len(given), **written)


WRITTEN = ("state", "used", "left", "mate", "link", "trail", "forced", "decisions", "marks", "counters", "branchings")
"""The names of the arrays that a search writes to."""


@kernel
def edges_search(search: EdgeSearch, tours: Annotated[Naturals, "most*search.order"], most: int, budget: int) -> int:
    """Search for up to ``most`` tours within ``budget`` branchings, write them and return their number."""


@kernel
def edges_fault(search: EdgeSearch) -> int:
    """Return 0 while the state satisfies the invariant in `edges.c`, else the number of the first condition that
    fails."""


def new_edge_search(cycle: CycleProblem, numbering: NDArray[np.integer] | None = None) -> EdgeSearch:
    """Return an unstarted search on the vertices renumbered by ``numbering``, a permutation; it takes the required
    edges first."""
    order, size = cycle.order, cycle.size
    ends: NDArray[np.integer] = np.stack([cycle.tails, cycle.heads], axis=1)
    if numbering is not None:
        ends = numbering[ends]
    tails, heads = ends.T.ravel(), ends[:, ::-1].T.ravel()
    place = np.lexsort((heads, tails))
    degrees = np.bincount(tails, minlength=order)

    # For each edge the next one of its orbit, after the last the first; empty if no symmetry is asked for.
    following = np.arange(size if cycle.orbits is not None else 0)
    if cycle.orbits is not None:
        earlier, later = cycle.tied_pairs.T
        firsts, lasts = (np.setdiff1d(following, others) for others in (later, earlier))
        following[earlier] = later
        following[lasts[np.argsort(cycle.orbits[lasts])]] = firsts[np.argsort(cycle.orbits[firsts])]
    given = np.flatnonzero(cycle.required).astype(np.uint32) | TOOK
    zeros = np.zeros(order)
    arrays: dict[str, Any] = {
        "first": row_starts(degrees),
        "heads": heads[place],
        "edges": np.tile(np.arange(size), 2)[place],
        "ends": ends,
        "given": given,
        "following": following,
        "left": degrees,
        "mate": np.arange(order),
        "trail": np.zeros(size),
        "counters": np.zeros(COUNTERS),
        **dict.fromkeys(("used", "link", "decisions", "marks", "forced"), zeros),
    }
    arrays = {name: array.astype(np.uint32) for name, array in arrays.items()}
    arrays |= {"state": np.zeros(size, dtype=np.uint8), "branchings": np.zeros(1, dtype=np.int64)}
    arrays |= _on_own_cache_lines({name: arrays[name] for name in WRITTEN})
    return EdgeSearch(order=order, size=size, given_edges=len(given), followed_edges=len(following), **arrays)


def _on_own_cache_lines(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return copies of the arrays that share no cache line with other data: threads that write to one line wait for
    each other."""
    copies = {}
    for name, array in arrays.items():
        block = np.empty(array.nbytes + 2 * APART, dtype=np.uint8)
        begin = -block.ctypes.data % APART
        copies[name] = block[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
        copies[name][...] = array
    return copies


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
    """Return the `Refutation` of a search that tried every possibility."""
    branchings = work["branchings"]
    tried = f"tried every possibility: {branchings:,} branching{'s' * (branchings != 1)}"
    return Refutation(
        "exhausted", f"the search over edges {tried if branchings else 'followed forced moves to dead ends'}"
    )


def _cycles_by_search(run: Run) -> Iterator[Ints]:
    """Yield arrays of all cycles, found by one search, if the run asks for every cycle; else one array with the first
    cycle. `StoppedEarly` at a limit.

    Each search for one has its own numbering and budget; one that comes to its end is the last.
    """
    restarts = not (run.every or run.cycle.stops)
    numberings = np.random.default_rng(run.limits.seed)
    rows = np.empty((1, run.cycle.order), dtype=np.uint32) if restarts else room_for_tours(run.cycle.order)
    most = max(1, SLICE_WORK // run.cycle.order)
    for attempt in itertools.count(1):
        numbering = numberings.permutation(run.cycle.order) if restarts else None
        state = new_edge_search(run.cycle, numbering)
        run.work["searches"] = attempt
        budget = RESTART_BRANCHINGS * luby(attempt) if restarts else NO_LIMIT
        while budget and not state.finished:
            left = run.work_left("branchings")
            if left == 0:
                raise StoppedEarly("work")
            found, branchings = state.search(rows, min(most, budget, NO_LIMIT if left is None else left))
            run.work["branchings"] += branchings
            if found:
                yield (
                    rows[:found].astype(np.int32) if numbering is None else np.argsort(numbering).astype(np.int32)[rows]
                )
            if found and restarts:
                return
            budget -= branchings
            run.heartbeat()
        if state.finished:
            return


def room_for_tours(order: int) -> Naturals:
    """Return an empty array with room for one batch of tours, a row for each and a column for each vertex."""
    return np.empty((max(1, min(BATCH, AHEAD_BYTES // (4 * order))), order), dtype=np.uint32)


def cubes_of(cycle: CycleProblem, least: int, heartbeat: Heartbeat = no_heartbeat) -> list[Naturals]:
    """Split the search into at least ``least`` cubes, fewer only if there are fewer cycles; each cycle belongs to
    exactly one cube.

    A cube is an array of decided edges, those taken with the flag `TOOK`.
    """
    whole = new_edge_search(cycle)
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


def _split_cube(whole: EdgeSearch, cube: Naturals) -> tuple[Naturals, ...]:
    """Return the two cubes that this one is split into by deciding one more edge; the cube alone if it has one cycle,
    and nothing if it has none."""
    state = whole.with_decided(cube)
    found, branchings = state.search(np.empty((1, state.order), dtype=np.uint32), 1)
    if not branchings:
        return (cube,) if found else ()
    edge = state.decisions[0]
    return np.append(cube, edge | TOOK), np.append(cube, edge)


def _cycles_by_threads(run: Run, threads: int) -> Iterator[Ints]:
    """Yield arrays of the cycles of all cubes, cube by cube; several threads search them."""
    whole = new_edge_search(run.cycle)
    cubes = iter(cubes_of(run.cycle, MIN_CUBES, run.heartbeat))
    stopped = Event()
    going: deque[tuple[Batches, Future[None]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                for cube in itertools.islice(cubes, 2 * threads - len(going)):
                    ahead: Batches = deque()
                    going.append((ahead, pool.submit(_search_cube, whole.with_decided(cube), ahead, stopped)))
                if not going:
                    return
                batches, future = going.popleft()
                run.work["searches"] += 1
                while not future.done() or batches:
                    run.heartbeat()
                    if not batches:
                        wait([future], POLL)
                        continue
                    rows, branchings = batches.popleft()
                    run.work["branchings"] += branchings
                    if len(rows):
                        yield rows
                future.result()
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _search_cube(state: EdgeSearch, batches: Batches, stopped: Event) -> None:
    """Search a cube to its end and append its cycles to ``batches``; wait while these are full."""
    rows = room_for_tours(state.order)
    most = AHEAD_BYTES // rows.nbytes or 1
    while not (state.finished or stopped.is_set()):
        if len(batches) < most:
            found, branchings = state.search(rows, max(1, SLICE_WORK // state.order))
            batches.append((rows[:found].astype(np.int32), branchings))
        else:
            stopped.wait(POLL)


def luby(attempt: int) -> int:
    """Return the term of Luby's sequence 1 1 2 1 1 2 4 … for this attempt, counted from 1: how long a search runs
    before it restarts."""
    while attempt & (attempt + 1):
        attempt -= (1 << (attempt.bit_length() - 1)) - 1
    return (attempt + 1) // 2
