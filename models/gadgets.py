"""SAT over gadgets: how each is passed, the edges between them, and cut sets added between solves; symmetric cycles
are sought first.

    exactly one of mode[g, k] over k                  for each gadget g and its modes k
    mode[g, k] => one of the edges at p               for both ports p between which mode k leads
    edge e => one of the modes that lead to p         for both ports p that e joins
    not e or not f                                    for edges e and f at one port
    one of the edges that leave S                     for the gadgets S of a cycle, once a solution has it
    one of the edges that enter S                     and for the images of S under each symmetry

A gadget (`presolve.gadgets`) is a part of the graph that every Hamiltonian cycle passes once, from one of its ports to
another, in one of a few modes. So the chosen edges and modes are cycles of gadgets, and cycles that are too short are
cut off as in `lazy_arcs`. A solver over edges would learn anew for each gadget through which ports a cycle can pass it.

A cycle that a symmetry maps to itself is determined by a half of it or less, and is found in a fraction of the time if
there is one: peals of bells are sought in parts for that reason (Haythorpe & Johnson 2019). So there is a solver for
each symmetry, in which the edges and modes of an orbit share a variable, and one for all cycles, which alone can
refute. They take turns that get longer (`in_turns`).

Where there is no symmetry, or no cover has it, a solver may come to no model at all. Then another begins at patterns to
which a walk over modes comes (`native.mode_walk`), in which a few ports lack: it keeps the modes of a fifth of the
gadgets, far from those, and is free in the others, a *window* (large neighbourhood search, Shaw 1998). From a cover it
goes on to the next, in windows that may be anywhere and widen until there is one. Cut sets stay, so each joins cycles
of those before it.

Cost: at most a variable for each mode and each edge between gadgets; 1 + k(k-1)/2 clauses for a gadget of k modes,
j + e + e(e-1)/2 for a port with j modes and e edges; two for each cut set and each of its images. Other graphs go to
`lazy_arcs`.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Run, with_heartbeats
from cpsat_tour.core.space import Ints, Longs
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.models.drivers.sat import MAX_SLICE, SatFormulation, SatSolver
from cpsat_tour.models.lazy_arcs import LazyArcs
from cpsat_tour.native.mode_walk import ModeWalk, begin, lacking_gadgets, new_walk, walk
from cpsat_tour.presolve.gadgets import Gadgets, find_gadgets, symmetries

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


@dataclass(frozen=True)
class SatGadgets(SatFormulation):
    """Modes of gadgets, edges between them, and cut sets added between the runs of SAT solvers."""

    solver: str = "cadical195"

    solvers: ClassVar[tuple[str, ...]] = ("cadical153", "cadical195", "minisat22")
    takes: ClassVar[Features] = frozenset()

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield a Hamiltonian cycle, or return the `Refutation` that there is none; `StoppedEarly` at a limit."""
        gadgets = find_gadgets(run.cycle)
        if gadgets is None:
            return (yield from LazyArcs(self.solver).cycles(run))
        found = symmetries(gadgets)
        ties = {orbits.tobytes(): orbits for orbits in (each.orbits for each in found)}
        untied = np.arange(len(gadgets.edges) + len(gadgets.modes), dtype=np.int32)
        run.work = {"gadgets": gadgets.count, "symmetries": len(ties), "conflicts": 0, "cut_sets": 0}
        images = [np.arange(gadgets.count, dtype=np.int32), *(each.gadgets for each in found)]
        with ExitStack() as stack:

            def new_search(orbits: Ints) -> GadgetSearch:
                """Return a search for cycles that use all of each orbit or nothing, with a solver of its own."""
                return GadgetSearch(gadgets, orbits, images, stack.enter_context(SatSolver(self.solver, run)), run)

            symmetric, every = [new_search(orbits) for orbits in ties.values()], new_search(untied)
            begun = new_walk(gadgets)
            walks = [] if begun is None else [WindowSearch(begun, symmetric, partial(new_search, untied), run)]
            for search, cycle in in_turns([*symmetric, *walks, every], run):
                if cycle is not None:
                    yield cycle[None, :]
                if search is every:
                    break
        return self.claim(run, "one mode of each gadget")


def in_turns(
    searches: Sequence[GadgetSearch | WindowSearch], run: Run
) -> Iterator[tuple[GadgetSearch | WindowSearch, Ints | None]]:
    """Yield each search that ends, with its cycle or None. All take turns; the first of those left has twice as much
    time as the others together. `StoppedEarly` at a limit of the run."""
    left = [*searches]
    for turn in itertools.count():
        for search in tuple(left):
            share = max(1, 2 * len(left) - 2) if search is left[0] else 1
            try:
                cycle = search.cycle(share * TURN << turn)
            except StoppedEarly:
                if at_a_limit(run):
                    raise
            else:
                yield search, cycle
                left.remove(search)


class GadgetSearch:
    """A search for Hamiltonian cycles that use all edges and modes of each orbit or none, by a SAT solver of its own,
    which keeps its clauses from one turn to the next.

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
        solver.add_each(with_heartbeats(self._modes_and_edges(), run.heartbeat))

    def _modes_and_edges(self) -> Iterator[list[int]]:
        """Yield the clauses: one mode of each gadget, one edge at each of its two ports, and none at others."""
        modes_of, modes_at, edges_at = (defaultdict[int, list[int]](list) for _ in range(3))
        for mode, ports in zip(self.mode.tolist(), self.gadgets.modes.tolist(), strict=True):
            modes_of[self.gadgets.gadget[ports[0]]].append(mode)
            for port in ports:
                modes_at[port].append(mode)
        for edge, ports in zip(self.edge.tolist(), self.gadgets.arcs.tolist(), strict=True):
            for port in ports:
                edges_at[port].append(edge)
        for modes in modes_of.values():
            yield modes
            yield from at_most_one(modes)
        for port in {**modes_at, **edges_at}:
            yield from ([-mode, *edges_at[port]] for mode in modes_at[port])
            yield from ([-edge, *modes_at[port]] for edge in edges_at[port])
            yield from at_most_one(edges_at[port])

    def cycle(self, conflicts: int) -> Ints | None:
        """Return a Hamiltonian cycle, None if there is none; `StoppedEarly` after so many conflicts or at a limit of
        the run. The last slice before a model is not counted: a search that finds models goes on, and graphs of the
        FHCP challenge take a fifth of the time."""
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
        """Return the mode of each gadget in a model, and its cycles of gadgets, cut off if there are several."""
        true = np.zeros(1 + max(self.edge.max(), self.mode.max()), dtype=bool)
        true[1 + self.solver.true_among(len(true) - 1)] = True
        self.covered = True
        cycles = two_factor_cycles(self.gadgets.count, *self.ends[:, true[self.edge]], directed=True)
        for shore in cycles[:-1]:
            self._cut(shore)
        return np.flatnonzero(true[self.mode]), cycles

    def vertices_along(self, cycle: Ints, modes: Longs) -> Ints:
        """Return the vertices along a cycle of gadgets, each passed in its mode of these, which are in their order."""
        return np.concatenate([self.gadgets.paths[mode] for mode in modes[cycle].tolist()]).astype(np.int32)

    def _cut(self, shore: Ints) -> None:
        """Add two clauses for each image of these gadgets: an edge leaves them, and one enters them."""
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
    """A search for Hamiltonian cycles near the patterns to which a walk over modes comes, as long as none of the
    symmetric searches has covered the gadgets. Its own search in the windows is made for its first turn."""

    def __init__(
        self, begun: ModeWalk, symmetric: Sequence[GadgetSearch], new_search: Callable[[], GadgetSearch], run: Run
    ) -> None:
        self._walk, self._symmetric, self._new_search, self._run = begun, symmetric, new_search, run
        self._random, self._drawn, self._turns = random.Random(run.limits.seed), PATIENCE, 0

    @cached_property
    def _search(self) -> GadgetSearch:
        """The search whose solver keeps all cut sets from one window to the next."""
        return self._new_search()

    @cached_property
    def _beside(self) -> list[list[int]]:
        """The neighbours of each gadget."""
        joined = Graph.from_edges(self._search.gadgets.count, self._search.ends.T)
        return [joined.neighbours(gadget).tolist() for gadget in range(joined.order)]

    def cycle(self, conflicts: int) -> Ints | None:
        """Return a Hamiltonian cycle, None once a symmetric search has a cover; `StoppedEarly` after `DRAWN` modes for
        each of these conflicts, at once in the first `WAITS` turns, or at a limit of the run."""
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
        """Return a Hamiltonian cycle that windows lead to from the pattern of the walk, one after the other; None if
        too many lead nowhere. After a cover the walk is to begin anew."""
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
        """Return True if the solver finds a cover with these modes outside a window, False if there is none;
        `StoppedEarly` after too many conflicts or at a limit of the run."""
        solver, kept = self._search.solver, [mode for mode in modes.tolist() if self._walk.home[mode] not in window]
        return solver.solve(until=solver.conflicts + CONFLICTS, given=self._search.mode[kept].tolist())

    def _window(self, first: Sequence[int], share: float) -> set[int]:
        """Return this share of the gadgets, but not all: these, their neighbours, and so on; without any, those around
        one."""
        waiting = deque(self._random.sample(first, len(first)) or [self._random.randrange(len(self._beside))])
        window, size = set(waiting), min(round(share * len(self._beside)), len(self._beside) - 1)
        while waiting and len(window) < size:
            beside = self._beside[waiting.popleft()]
            new = [gadget for gadget in self._random.sample(beside, len(beside)) if gadget not in window]
            window.update(new[: size - len(window)])
            waiting.extend(new)
        return window


def at_a_limit(run: Run) -> bool:
    """Return True if the run has met its limit of time or of work; False if only a search met that of its turn."""
    return run.clock.expired or run.work_left("conflicts") == 0


def at_most_one(variables: Sequence[int]) -> Iterator[list[int]]:
    """Yield the clauses that at most one of these variables is true, pair by pair."""
    return ([-one, -other] for one, other in itertools.combinations(variables, 2))
