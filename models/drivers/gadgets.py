"""Searches over modes of gadgets that take turns: SAT solvers, and a random walk; and windows around what they come to.

The ports that edges between gadgets join, one way and another, are a *block*. Each gadget has one mode at a time, and
chooses the two ports of it. A block lacks the chosen ports that no matching of its edges covers; where no block lacks
any, the modes are a *cover*: disjoint cycles through all gadgets.

In peals of bells a block is a hexagon, and a SAT solver finds no cover of 140 gadgets in minutes. Covers are regular
patterns there, as crystals are, which form below a certain temperature and melt above it. So the walk is that of a
physical system (Metropolis et al. 1953) just below that temperature: a mode is drawn, and the change to it made if no
more ports lack then, else with the probability of its temperature. It comes to a cover in some 20 million draws.

From a cover a solver goes on to others: it keeps the modes of the quarter of the gadgets farthest from a random one,
and is free in the rest, a *window* (large neighbourhood search, Shaw 1998), but has none of the cycles of the covers
before. One window in eight has another cover, with about a third of the modes changed and often fewer cycles; in most,
their number stays even or odd. A cover is left once a number of windows in a row had no other, more of them where it
has an odd number of cycles, as a single cycle is. Then the walk begins anew, and the next cover has cut sets of its
own.

Limits: it never refutes. Blocks of more than `MAX_PORTS` ports have no table: where ports have edges at random the
blocks are large, and a SAT solver is quick. Cost: some 10 nanoseconds a mode drawn, 2 milliseconds a window.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property, partial
from itertools import count, permutations
from random import Random
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Graph, row_starts
from cpsat_tour.core.kernels import Record, kernel, random_state
from cpsat_tour.core.runs import Run, with_heartbeats
from cpsat_tour.core.space import Flags, Floats, Ints, Longs
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.models.drivers.sat import MAX_SLICE, SatSolver
from cpsat_tour.presolve.gadgets import Gadgets, symmetries

MAX_PORTS = 8
"""The most ports of a block, of whose subsets there is a table."""

TEMPERATURE = 0.39
"""The temperature, in ports that lack; hexagons of peals melt at about 0.45."""

MOST = 300_000
"""The most modes that are drawn between two heartbeats."""

FARTHEST = 4
"""A change of one mode takes two ports out and puts two in, so at most this many ports more lack."""


class ModeWalk(Record):
    """A walk over the modes of gadgets, as `modes.c` describes it: what it walks on and, last, where it is."""

    gadgets: int
    mode_count: int
    port_count: int
    blocks: int
    subsets: int
    modes: Annotated[Longs, "2*mode_count"]
    home: Annotated[Longs, "mode_count"]
    apart: Annotated[Flags, "gadgets"]
    block: Annotated[Longs, "port_count"]
    bit: Annotated[Longs, "port_count"]
    starts: Annotated[Longs, "blocks+1"]
    ports: Annotated[Longs, "port_count"]
    kind: Annotated[Longs, "blocks"]
    lacking: Longs
    probability: Annotated[Floats, "5"]
    chosen: Annotated[Longs, "gadgets"]
    mask: Annotated[Longs, "blocks"]
    more: Annotated[Longs, "port_count"]
    random: Annotated[NDArray[np.uint64], "1"]
    first: Annotated[Longs, "gadgets+1"]
    gadget: Annotated[Longs, "port_count"]


def new_walk(gadgets: Gadgets) -> ModeWalk | None:
    """Return a walk on these gadgets that has not begun; None if a block has too many ports."""
    names, modes = np.unique(gadgets.modes, return_inverse=True)
    links = np.searchsorted(names, gadgets.arcs[np.isin(gadgets.arcs, names).all(axis=1)])
    block = Graph.from_edges(len(names), links).components.astype(np.int64)
    sizes = np.bincount(block)
    if sizes.max() > MAX_PORTS:
        return None
    starts = row_starts(sizes).astype(np.int64)
    ports = np.lexsort([~np.isin(np.arange(len(names)), links[:, 0]), block])  # those that are left come first
    place = np.empty_like(block)
    place[ports] = np.arange(len(names)) - starts[block[ports]]
    edges: list[list[tuple[int, int]]] = [[] for _ in sizes]
    for leave, enter in links.tolist():
        edges[block[leave]].append((int(place[leave]), int(place[enter])))
    kinds = dict[tuple[tuple[int, int], ...], int]()
    kind = np.array([kinds.setdefault(tuple(sorted(each)), len(kinds)) for each in edges])
    home, gadget = (gadgets.gadget[each].astype(np.int64) for each in (gadgets.modes[:, 0], names))
    return ModeWalk(
        gadgets=gadgets.count,
        mode_count=len(gadgets.modes),
        port_count=len(names),
        blocks=len(sizes),
        subsets=1 << MAX_PORTS,
        modes=np.ascontiguousarray(modes.reshape(-1, 2)),
        home=home,
        first=row_starts(np.bincount(home)).astype(np.int64),
        apart=np.bincount(gadget) == np.bincount(np.unique(np.stack([gadget, block]), axis=1)[0]),
        gadget=gadget,
        block=block,
        bit=1 << place,
        starts=starts,
        ports=ports,
        kind=kind,
        lacking=np.array([_lacking_of_each_subset(frozenset(each)) for each in kinds]),
        probability=np.exp(-np.arange(FARTHEST + 1) / TEMPERATURE),
        chosen=np.zeros(gadgets.count, dtype=np.int64),
        mask=np.zeros(len(sizes), dtype=np.int64),
        more=np.zeros(len(names), dtype=np.int64),
        random=np.ones(1, dtype=np.uint64),
    )


def _lacking_of_each_subset(edges: frozenset[tuple[int, int]]) -> Longs:
    """Return, for each subset of a block's ports, how many of them no matching by these edges covers.

    The index of a subset has a bit for each port.
    """
    lacking = np.zeros(1 << MAX_PORTS, dtype=np.int64)
    leaves = {leave for leave, _ in edges}
    for mask in range(1, 1 << MAX_PORTS):
        bits = [bit for bit in range(MAX_PORTS) if mask >> bit & 1]
        left, entered = [bit for bit in bits if bit in leaves], [bit for bit in bits if bit not in leaves]
        every = permutations(entered) if len(left) == len(entered) else ()
        if not any(edges.issuperset(zip(left, each, strict=True)) for each in every):
            lacking[mask] = 1 + min(lacking[mask ^ (1 << bit)] for bit in bits)
    return lacking


def begin(w: ModeWalk, seed: int) -> None:
    """Draw a random mode for each gadget, from which the walk begins, or begins anew."""
    w.chosen[:] = np.random.default_rng(seed).integers(w.first[:-1], w.first[1:])
    ports = w.modes[w.chosen].ravel()
    w.mask[:] = 0
    np.bitwise_or.at(w.mask, w.block[ports], w.bit[ports])
    kind, mask = w.kind[w.block], w.mask[w.block]
    w.more[:] = w.lacking[kind, mask ^ w.bit] - w.lacking[kind, mask]


def at_cover(w: ModeWalk) -> bool:
    """Return True if the chosen modes are a cover: no port lacks."""
    return not w.lacking[w.kind, w.mask].any()


def walk(w: ModeWalk, seed: int) -> int:
    """Continue the walk until it comes to a cover, and return the number of modes that it drew, at most `MOST`."""
    w.random[:] = random_state(seed)
    return modes_walk(w, MOST)


@kernel
def modes_walk(walk: ModeWalk, most: int) -> int:
    """Continue the walk and return the number of modes that it drew: fewer than ``most`` if it came to a cover."""


@kernel
def modes_fault(walk: ModeWalk) -> int:
    """Return 0 while the walk satisfies the invariant in `modes.c`, else the number of the first condition that
    fails."""


WITH_TURNS = ("cadical153", "cadical195", "minisat22")  # each goes on where it was

TURN = 2000
"""The conflicts of a first turn; each turn is twice as long as the one before."""

WAITS = 2
"""The turns before the walk takes part, if no solver came to a cover in them: most graphs are answered in these."""

DRAWN = 10_000
"""The modes that are drawn for each conflict of a turn. The walk takes about a tenth of a millisecond for them, three
times as long as another search for a conflict: where it helps, no other does."""

PATIENCE = 40_000_000
"""The modes that are drawn before the walk begins anew."""

CONFLICTS = 100
"""The most conflicts of the solver in a window. Most covers in windows are found within as many."""

WINDOW = 0.75
"""The share of the gadgets in which the solver is free. In wider windows the conflicts are too few, and more of them
take too long; narrower ones seldom lead to a cover with fewer cycles."""

WINDOWS = 150
"""How many windows in a row may fail; four times as many if the number of cycles is odd, as one is."""


def cycles_in_turns(
    solver_name: str, gadgets: Gadgets, clauses: Callable[[Gadgets, Longs, Longs], Iterator[list[int]]], run: Run
) -> Iterator[Ints]:
    """Yield a Hamiltonian cycle, if there is one. `StoppedEarly` at a limit of the run.

    ``clauses`` states gadgets over the variables of their modes and edges. There is a solver for each symmetry, one for
    all cycles, which alone can refute, and the walk. They take turns; the first of those left has more than twice as
    much time as the others together.
    """
    found = symmetries(gadgets)
    ties = {orbits.tobytes(): orbits for orbits in (each.orbits for each in found)}
    untied = np.arange(len(gadgets.edges) + len(gadgets.modes), dtype=np.int32)
    run.work = {"gadgets": gadgets.count, "symmetries": len(ties), "conflicts": 0, "cut_sets": 0}
    images = [np.arange(gadgets.count, dtype=np.int32), *(each.gadgets for each in found)]

    @contextmanager
    def new_search(orbits: Ints) -> Iterator[GadgetSearch]:
        """Yield a search for cycles that use all of each orbit or nothing, with a solver of its own."""
        with SatSolver(solver_name, run) as solver:
            search = GadgetSearch(gadgets, orbits, images, solver, run)
            solver.add_each(with_heartbeats(clauses(gadgets, search.mode, search.edge), run.heartbeat))
            yield search

    with ExitStack() as stack:
        *symmetric, every = (stack.enter_context(new_search(orbits)) for orbits in (*ties.values(), untied))
        solvers = [*symmetric, every]
        left: list[GadgetSearch | WalkSearch] = [*solvers]
        for turn in count():
            uncovered = not any(search.covered for search in solvers)
            if turn == WAITS and uncovered and (begun := new_walk(gadgets)) is not None:
                left.insert(0, WalkSearch(begun, Windows(gadgets, partial(new_search, untied), run), run))
            for each in tuple(left):
                share = 2 * len(left) if each is left[0] else 1
                try:
                    cycle = each.cycle(share * TURN << turn)
                except StoppedEarly:
                    if at_a_limit(run):
                        raise
                    continue
                if cycle is not None:
                    yield cycle[None, :]
                if each is every:
                    return
                left.remove(each)


class GadgetSearch:
    """A SAT search for Hamiltonian cycles that use all edges and modes of each orbit or none.

    Its own solver has the clauses on modes and edges, and keeps its cut sets from one turn to the next.

    ``edge`` and ``mode`` are the variables of the edges between gadgets and of the modes: one for each orbit. Edge k
    leaves gadget ``ends[0, k]`` and enters gadget ``ends[1, k]``. ``images`` has a row for each symmetry, the identity
    first: the image of each gadget. ``covered`` is True once there was a model, a cover.
    """

    def __init__(self, gadgets: Gadgets, orbits: Ints, images: Sequence[Ints], solver: SatSolver, run: Run) -> None:
        self.gadgets, self.images, self.solver, self.run = gadgets, images, solver, run
        self.covered = False
        self.ends = gadgets.gadget[gadgets.arcs].T
        number = np.unique(orbits, return_inverse=True)[1]
        variables = 1 + np.random.default_rng(run.limits.seed).permutation(number.max() + 1)[number]
        self.edge, self.mode = np.split(variables, [len(gadgets.arcs)])

    def cycle(self, conflicts: int) -> Ints | None:
        """Search for ``conflicts`` conflicts and return a Hamiltonian cycle, None if there is none; `StoppedEarly`
        without an answer, or at a limit of the run.

        The last slice before a model is not counted: a search that finds models goes on, and graphs of the FHCP
        challenge take a fifth of the time.
        """
        before = self.solver.conflicts
        until = before + conflicts
        while self.solver.solve(until=until):
            until += (self.solver.conflicts - before) % MAX_SLICE
            before = self.solver.conflicts
            modes, cycles = self.read_model()
            if len(cycles) == 1:
                return self.vertices_along(cycles[0], modes)
        return None

    def read_model(self) -> tuple[Longs, list[Ints]]:
        """Return the mode of each gadget in the solver's model, and the cycles of gadgets that it has.

        If there are several, they are cut off.
        """
        true = np.zeros(1 + max(self.edge.max(), self.mode.max()), dtype=bool)
        true[1 + self.solver.true_among(len(true) - 1)] = True
        self.covered = True
        cycles = two_factor_cycles(self.gadgets.count, *self.ends[:, true[self.edge]], directed=True)
        for shore in cycles[:-1]:
            self._cut(shore)
        return np.flatnonzero(true[self.mode]), cycles

    def vertices_along(self, cycle: Ints, modes: Longs) -> Ints:
        """Return the vertices along a cycle of gadgets, each passed in its mode; ``modes`` has the mode of each
        gadget."""
        return np.concatenate([self.gadgets.paths[mode] for mode in modes[cycle].tolist()]).astype(np.int32)

    def _cut(self, shore: Ints) -> None:
        """Add the clauses that an edge leaves and an edge enters these gadgets, and each of their images."""
        clauses = set[tuple[int, ...]]()
        for image in self.images:
            inside = np.zeros(self.gadgets.count, dtype=bool)
            inside[image[shore]] = True
            tail_inside, head_inside = inside[self.ends]
            for crossing in (head_inside & ~tail_inside, tail_inside & ~head_inside):
                clauses.add(tuple(np.unique(self.edge[crossing]).tolist()))
        self.run.work["cut_sets"] += len(clauses)
        self.solver.add_each(list(clause) for clause in clauses)


class WalkSearch:
    """A search for Hamiltonian cycles near the covers to which a walk over modes comes."""

    def __init__(self, begun: ModeWalk, near: Windows, run: Run) -> None:
        self._walk, self._near, self._run = begun, near, run
        self._random, self._drawn = Random(run.limits.seed), PATIENCE

    def cycle(self, conflicts: int) -> Ints | None:
        """Walk for a turn and return a Hamiltonian cycle; `StoppedEarly` without one, or at a limit of the run.

        A turn has `DRAWN` modes for each of the ``conflicts``, fewer by those of a third of the conflicts of windows.
        After a cover the walk begins anew.
        """
        left = DRAWN * conflicts
        while left > 0:
            self._run.heartbeat()
            if self._drawn >= PATIENCE:
                begin(self._walk, self._random.getrandbits(32))
                self._drawn = 0
            drawn = walk(self._walk, self._random.getrandbits(32))
            left, self._drawn = left - drawn, self._drawn + drawn
            if at_cover(self._walk):
                self._drawn = PATIENCE
                left -= DRAWN * WINDOWS * CONFLICTS // 3
                if (cycle := self._near.cycle(self._walk.chosen)) is not None:
                    return cycle
        raise StoppedEarly("work")


class Windows:
    """A search for Hamiltonian cycles near a cover: a SAT solver is free in a window of the gadgets alone."""

    def __init__(
        self, gadgets: Gadgets, new_search: Callable[[], AbstractContextManager[GadgetSearch]], run: Run
    ) -> None:
        self._gadgets, self._new_search, self._run = gadgets, new_search, run
        self._random = Random(run.limits.seed)

    @cached_property
    def _beside(self) -> list[list[int]]:
        """A list of the neighbours of each gadget."""
        joined = Graph.from_edges(self._gadgets.count, self._gadgets.gadget[self._gadgets.arcs])
        return [joined.neighbours(gadget).tolist() for gadget in range(joined.order)]

    def cycle(self, modes: Longs) -> Ints | None:
        """Search windows at the cover with these modes, at each cover that comes of it, and so on; return a Hamiltonian
        cycle, or None once too many windows in a row had no other cover. `StoppedEarly` at a limit of the run."""
        window, left = set[int](), 1
        with self._new_search() as search:
            while left:
                left -= 1
                try:
                    if self._covers(search, modes, window):
                        modes, cycles = search.read_model()
                        if len(cycles) == 1:
                            return search.vertices_along(cycles[0], modes)
                        left = WINDOWS << 2 * (len(cycles) % 2)
                except StoppedEarly:
                    if at_a_limit(self._run):
                        raise
                window = self._window()
        return None

    def _covers(self, search: GadgetSearch, modes: Longs, window: set[int]) -> bool:
        """Return True if the solver finds a cover that has these modes outside the window, False if there is none;
        `StoppedEarly` after too many conflicts or at a limit of the run."""
        kept = np.delete(modes, [*window])
        return search.solver.solve(until=search.solver.conflicts + CONFLICTS, given=search.mode[kept].tolist())

    def _window(self) -> set[int]:
        """Return the gadgets of a random window, in which the solver is free: one, its neighbours, and so on."""
        size, waiting = round(WINDOW * len(self._beside)), deque([self._random.randrange(len(self._beside))])
        window = set(waiting)
        while waiting and len(window) < size:
            beside = self._beside[waiting.popleft()]
            new = [gadget for gadget in self._random.sample(beside, len(beside)) if gadget not in window]
            window.update(new[: size - len(window)])
            waiting.extend(new)
        return window


def at_a_limit(run: Run) -> bool:
    """Return True if the run has met its limit of time or of work, False if only a turn is over."""
    return run.clock.expired or run.work_left("conflicts") == 0
