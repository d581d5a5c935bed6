"""Searches over modes of gadgets that take turns: SAT solvers, and windows around what a random walk comes to.

The ports that edges between gadgets join, one way and another, are a *block*. Each gadget has one mode at a time, and
chooses the two ports of it. A block lacks the chosen ports that no matching of its edges covers; where no block lacks
any, the modes are a *cover*: disjoint cycles through all gadgets.

In peals of bells a block is a hexagon, and a SAT solver finds no cover of 140 gadgets in minutes. Covers are regular
patterns there, as crystals are, which form below a certain temperature and melt above it. So the walk is that of a
physical system (Metropolis et al. 1953) just below that temperature: a mode is drawn, and the change to it made if no
more ports lack then, else with the probability of its temperature. Where few ports lack, most of the pattern has
formed, and a solver looks for the rest.

Limits: it never refutes. Blocks of more than `MAX_PORTS` ports have no table: where ports have edges at random the
blocks are large, and a SAT solver is quick. Cost: some 30 nanoseconds a mode drawn.

A solver may come to no model at all, where the gadgets have no symmetry, or no cover has it. Then another begins at
patterns to which the walk comes, in which a few ports lack: it keeps the modes of a fifth
of the gadgets, far from those, and is free in the others, a *window* (large neighbourhood search, Shaw 1998). From a
cover it goes on to the next, in windows that may be anywhere and widen until there is one. Cut sets stay, so each joins
cycles of those before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
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

LEAST, MOST, FEW = 30_000, 300_000, 12
"""The modes that are drawn from one pattern to the next, and how few ports lack of one, if that is come to."""

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


def lacking_gadgets(w: ModeWalk) -> Longs:
    """Return the gadgets, in ascending order, at blocks in which no matching covers all chosen ports."""
    return np.unique(w.gadget[(w.lacking[w.kind, w.mask] > 0)[w.block]])


def walk(w: ModeWalk, seed: int) -> int:
    """Continue the walk and return the number of modes that it drew: `LEAST`, then up to `MOST` until at most `FEW`
    ports lack."""
    w.random[:] = random_state(seed)
    return modes_walk(w, LEAST, MOST, FEW)


@kernel
def modes_walk(walk: ModeWalk, least: int, most: int, few: int) -> int:
    """Continue the walk and return the number of modes that it drew: ``least``, then up to ``most`` until at most
    ``few`` ports lack."""


@kernel
def modes_fault(walk: ModeWalk) -> int:
    """Return 0 while the walk satisfies the invariant in `modes.c`, else the number of the first condition that
    fails."""


WITH_TURNS = ("cadical153", "cadical195", "minisat22")  # each goes on where it was

TURN = 2000
"""The conflicts of a first turn; each turn is twice as long as the one before."""

WAITS = 2
"""The turns before a walk takes part: most graphs are answered in these."""

DRAWN = 10_000
"""The modes that are drawn for each conflict of a turn. The walk and its solver take about a millisecond for them, ten
times as long as another search for a conflict: where they help, no other does."""

PATIENCE = 30_000_000
"""The modes that are drawn before the walk begins anew."""

CONFLICTS = 250
"""The most conflicts of the solver in a window. Most covers in windows are found within as many."""

WINDOW, STEP = 0.8, 0.02
"""The share of the gadgets in which the solver is free, and by how much the next window is wider where there was no
other cover, narrower where the conflicts were too few."""

WINDOWS = 30
"""How many windows may fail at a cover; twice as many if the number of its cycles is odd, as one is: a window seldom
changes that."""


def cycles_in_turns(
    solver_name: str, gadgets: Gadgets, clauses: Callable[[Gadgets, Longs, Longs], Iterator[list[int]]], run: Run
) -> Iterator[Ints]:
    """Yield a Hamiltonian cycle, if there is one. `StoppedEarly` at a limit of the run.

    ``clauses`` states gadgets over the variables of their modes and edges. There is a solver for each symmetry, one for
    all cycles, which alone can refute, and a search in windows. They take turns; the first of those left has twice as
    much time as the others together.
    """
    found = symmetries(gadgets)
    ties = {orbits.tobytes(): orbits for orbits in (each.orbits for each in found)}
    untied = np.arange(len(gadgets.edges) + len(gadgets.modes), dtype=np.int32)
    run.work = {"gadgets": gadgets.count, "symmetries": len(ties), "conflicts": 0, "cut_sets": 0}
    images = [np.arange(gadgets.count, dtype=np.int32), *(each.gadgets for each in found)]
    with ExitStack() as stack:

        def new_search(orbits: Ints) -> GadgetSearch:
            """Return a search for cycles that use all of each orbit or nothing, with a solver of its own."""
            solver = stack.enter_context(SatSolver(solver_name, run))
            search = GadgetSearch(gadgets, orbits, images, solver, run)
            solver.add_each(with_heartbeats(clauses(gadgets, search.mode, search.edge), run.heartbeat))
            return search

        symmetric, every = [new_search(orbits) for orbits in ties.values()], new_search(untied)
        begun = new_walk(gadgets)
        walks = [] if begun is None else [WindowSearch(begun, symmetric, partial(new_search, untied), run)]
        left: list[GadgetSearch | WindowSearch] = [*symmetric, *walks, every]
        for turn in count():
            for search in tuple(left):
                share = max(1, 2 * len(left) - 2) if search is left[0] else 1
                try:
                    cycle = search.cycle(share * TURN << turn)
                except StoppedEarly:
                    if at_a_limit(run):
                        raise
                    continue
                if cycle is not None:
                    yield cycle[None, :]
                if search is every:
                    return
                left.remove(search)


class GadgetSearch:
    """A SAT search for Hamiltonian cycles that use all edges and modes of each orbit or none.

    Its own solver has the clauses on modes and edges, and keeps its cut sets from one turn to the next.

    ``edge`` and ``mode`` are the variables of the edges between gadgets and of the modes: one for each orbit. Edge k
    leaves gadget ``ends[0, k]`` and enters gadget ``ends[1, k]``. ``images`` has a row for each symmetry, the identity
    first: the image of each gadget. ``covered`` is True once there was a model.
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


class WindowSearch:
    """A search for Hamiltonian cycles near the patterns that a walk over modes finds: the SAT solver is free in a
    window of the gadgets alone.

    It ends once a symmetric search has covered the gadgets. Its own search in the windows is made for its first turn.
    """

    def __init__(
        self, begun: ModeWalk, symmetric: Sequence[GadgetSearch], new_search: Callable[[], GadgetSearch], run: Run
    ) -> None:
        self._walk, self._symmetric, self._new_search, self._run = begun, symmetric, new_search, run
        self._random, self._drawn, self._turns = Random(run.limits.seed), PATIENCE, 0

    @cached_property
    def _search(self) -> GadgetSearch:
        """The search whose solver keeps all cut sets from one window to the next."""
        return self._new_search()

    @cached_property
    def _beside(self) -> list[list[int]]:
        """A list of the neighbours of each gadget."""
        joined = Graph.from_edges(self._search.gadgets.count, self._search.ends.T)
        return [joined.neighbours(gadget).tolist() for gadget in range(joined.order)]

    def cycle(self, conflicts: int) -> Ints | None:
        """Walk and search windows for a turn; return a Hamiltonian cycle, or None once a symmetric search has a cover;
        `StoppedEarly` without an answer, or at a limit of the run.

        A turn has `DRAWN` modes for each of the ``conflicts``, and none in the first `WAITS` turns.
        """
        if any(search.covered for search in self._symmetric):
            return None
        self._turns += 1
        left = DRAWN * conflicts if self._turns > WAITS else 0
        while left > 0:
            self._run.heartbeat()
            if self._drawn >= PATIENCE:
                begin(self._walk, self._random.getrandbits(32))
                self._drawn = 0
            drawn = walk(self._walk, self._random.getrandbits(32))
            left, self._drawn = left - drawn, self._drawn + drawn
            if (cycle := self.cycle_near()) is not None:
                return cycle
        raise StoppedEarly("work")

    def cycle_near(self) -> Ints | None:
        """Search windows around the walk's pattern, one after the other, and return a Hamiltonian cycle; None if too
        many fail.

        After a cover the walk is to begin anew.
        """
        modes, around = self._walk.chosen, lacking_gadgets(self._walk).tolist()
        share, left = WINDOW, 1
        if not around:
            self._drawn = PATIENCE
        while left:
            left -= 1
            try:
                covered = self._covers(modes, self._window(around, share))
            except StoppedEarly:
                if at_a_limit(self._run):
                    raise
                share -= STEP
                continue
            if covered:
                modes, cycles = self._search.read_model()
                if len(cycles) == 1:
                    return self._search.vertices_along(cycles[0], modes)
                around, left, self._drawn = [], WINDOWS << len(cycles) % 2, PATIENCE
            else:
                share += STEP
        return None

    def _covers(self, modes: Longs, window: set[int]) -> bool:
        """Return True if the solver finds a cover that has these modes outside the window, False if there is none;
        `StoppedEarly` after too many conflicts or at a limit of the run."""
        solver, kept = self._search.solver, [mode for mode in modes.tolist() if self._walk.home[mode] not in window]
        return solver.solve(until=solver.conflicts + CONFLICTS, given=self._search.mode[kept].tolist())

    def _window(self, first: Sequence[int], share: float) -> set[int]:
        """Return a set with this share of the gadgets, but not all: the ``first`` ones, their neighbours, and so on.

        Without any, it grows around a random gadget.
        """
        waiting = deque(self._random.sample(first, len(first)) or [self._random.randrange(len(self._beside))])
        window, size = set(waiting), min(round(share * len(self._beside)), len(self._beside) - 1)
        while waiting and len(window) < size:
            beside = self._beside[waiting.popleft()]
            new = [gadget for gadget in self._random.sample(beside, len(beside)) if gadget not in window]
            window.update(new[: size - len(window)])
            waiting.extend(new)
        return window


def at_a_limit(run: Run) -> bool:
    """Return True if the run has met its limit of time or of work, False if only a turn is over."""
    return run.clock.expired or run.work_left("conflicts") == 0
