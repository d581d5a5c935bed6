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

Cost: at most a variable for each mode and each edge between gadgets; 1 + k(k-1)/2 clauses for a gadget of k modes,
j + e + e(e-1)/2 for a port with j modes and e edges; two for each cut set and each of its images. Other graphs go to
`lazy_arcs`.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Run, with_heartbeats
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.models.drivers.sat import MAX_SLICE, SatFormulation, SatSolver
from cpsat_tour.models.lazy_arcs import LazyArcs
from cpsat_tour.presolve.gadgets import Gadgets, find_gadgets, symmetries

TURN = 2000
"""The conflicts of a first turn; each turn is twice as long as the one before."""


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
            searches = [
                GadgetSearch(gadgets, orbits, images, stack.enter_context(SatSolver(self.solver, run)), run)
                for orbits in (*ties.values(), untied)
            ]
            for search, cycle in in_turns(searches, run):
                if cycle is not None:
                    yield cycle[None, :]
                if search is searches[-1]:
                    break
        return self.claim(run, "one mode of each gadget")


def in_turns(searches: Sequence[GadgetSearch], run: Run) -> Iterator[tuple[GadgetSearch, Ints | None]]:
    """Yield each search that ends, with its cycle or None. All take turns; the first of those left has twice as much
    time as the others together. `StoppedEarly` at a limit of the run."""
    left = [*searches]
    for turn in itertools.count():
        for search in tuple(left):
            share = max(1, 2 * len(left) - 2) if search is left[0] else 1
            try:
                cycle = search.cycle(share * TURN << turn)
            except StoppedEarly:
                if run.clock.expired or run.work_left("conflicts") == 0:
                    raise
            else:
                yield search, cycle
                left.remove(search)


class GadgetSearch:
    """A search for Hamiltonian cycles that use all edges and modes of each orbit or none, by a SAT solver of its own,
    which keeps its clauses from one turn to the next.

    ``edge`` and ``mode`` are the variables of the edges between gadgets and of the modes: one for each orbit. Edge k
    leaves gadget ``ends[0, k]`` and enters gadget ``ends[1, k]``. ``images`` has a row for each symmetry, the identity
    first: the image of each gadget.
    """

    def __init__(self, gadgets: Gadgets, orbits: Ints, images: Sequence[Ints], solver: SatSolver, run: Run) -> None:
        self.gadgets, self.images, self.solver, self.run = gadgets, images, solver, run
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
            true = np.zeros(1 + max(self.edge.max(), self.mode.max()), dtype=bool)
            true[1 + self.solver.true_among(len(true) - 1)] = True
            cycles = two_factor_cycles(self.gadgets.count, *self.ends[:, true[self.edge]], directed=True)
            if len(cycles) == 1:
                paths = [self.gadgets.paths[mode] for mode in np.flatnonzero(true[self.mode])]
                path_through = {int(self.gadgets.gadget[path[0]]): path for path in paths}
                return np.concatenate([path_through[gadget] for gadget in cycles[0].tolist()]).astype(np.int32)
            for shore in cycles[:-1]:
                self._cut(shore)
        return None

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


def at_most_one(variables: Sequence[int]) -> Iterator[list[int]]:
    """Yield the clauses that at most one of these variables is true, pair by pair."""
    return ([-one, -other] for one, other in itertools.combinations(variables, 2))
