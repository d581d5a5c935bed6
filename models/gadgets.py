"""A mode for each gadget, edges between gadgets, and cut sets added between the solves, some of which seek symmetric
cycles.

    exactly one of mode[g, k] over k                        for each gadget g
    one of the edges at p <=> one of the modes through p    for each port p
    at most one of the edges at p
    one of the edges that leave S, one that enter S         for the gadgets S of a cycle, once a solution has it

Where a graph consists of gadgets (`core.gadgets`), a Hamiltonian cycle chooses a mode for each of them and an edge out
of it and into it, and these edges are one cycle of gadgets. So a solver no longer learns anew for every gadget through
which ports a cycle can pass it. Cycles are cut off as in `lazy_arcs`, together with their images under the symmetries
of the gadgets.

A cycle that a symmetry maps to itself is determined by a half of it or less, and is found in a fraction of the time if
there is one: peals of bells are sought in parts for that reason (Haythorpe & Johnson 2019). So solvers take turns: one
for each symmetry, whose orbits are tied to one variable, and one for all cycles, which alone can refute. The first of
those left has twice as much time as the others together, and turns get longer.

Cost, for k modes and m edges between gadgets: at most k + m variables; for each gadget and each port the clauses that
one of them is chosen, pair by pair; two for each cut set and each of its images. Other graphs go to `lazy_arcs`.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
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

TURN = 2000  # conflicts of the first turns; the next are twice as long


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
        run.work = {"gadgets": gadgets.count, "symmetries": len(ties), "conflicts": 0, "cut_sets": 0}
        images = [each.gadgets for each in found]
        everything = np.arange(len(gadgets.edges) + len(gadgets.modes), dtype=np.int32)
        with ExitStack() as stack:
            searches = []
            for orbits in [*ties.values(), everything]:
                solver = stack.enter_context(SatSolver(self.solver, run))
                searches.append(_Search(gadgets, orbits, images, solver, run))
            whole = searches[-1]
            for turn in itertools.count():
                for search in tuple(searches):
                    ahead = max(1, 2 * len(searches) - 2) if search is searches[0] else 1
                    try:
                        cycle = search.cycle(ahead * TURN << turn)
                    except StoppedEarly:
                        if run.clock.expired or run.work_left("conflicts") == 0:
                            raise
                        continue
                    if cycle is not None:
                        yield cycle[None, :]
                    if search is whole:
                        return self.claim(run, "one mode of each gadget")
                    searches.remove(search)
        raise AssertionError("the search for all cycles is the last to go")


class _Search:
    """A search for Hamiltonian cycles that use all edges and modes of each orbit or none, by a SAT solver of its own,
    whose clauses it keeps from one turn to the next."""

    def __init__(self, gadgets: Gadgets, orbits: Ints, images: list[Ints], solver: SatSolver, run: Run) -> None:
        self._gadgets, self._solver, self._run = gadgets, solver, run
        self._images: list[Ints] = [np.arange(gadgets.count, dtype=np.int32), *images]
        self._ends = gadgets.gadget[gadgets.arcs].T  # the gadgets that each edge leaves and enters
        count = len(gadgets.arcs)
        number = np.unique(orbits, return_inverse=True)[1]
        variables = 1 + np.random.default_rng(run.limits.seed).permutation(number.max() + 1)[number]
        self._edges, self._modes = variables[:count], variables[count:]
        solver.add_each(with_heartbeats(self._clauses(), run.heartbeat))

    def _clauses(self) -> Iterator[list[int]]:
        """Yield the clauses: one mode of each gadget, one edge at each of its two ports, and none at others."""
        edges, modes = self._edges.tolist(), self._modes.tolist()
        of_gadget: dict[int, list[int]] = {}
        of_port: dict[int, tuple[list[int], list[int]]] = {}
        for mode, ports in zip(modes, self._gadgets.modes.tolist(), strict=True):
            of_gadget.setdefault(self._gadgets.gadget[ports[0]], []).append(mode)
            for port in ports:
                of_port.setdefault(port, ([], []))[0].append(mode)
        for edge, ports in zip(edges, self._gadgets.arcs.tolist(), strict=True):
            for port in ports:
                of_port.setdefault(port, ([], []))[1].append(edge)
        for ways in of_gadget.values():
            yield ways
            yield from ([-one, -other] for one, other in itertools.combinations(ways, 2))
        for inside, outside in of_port.values():
            yield from ([-mode, *outside] for mode in inside)
            yield from ([-edge, *inside] for edge in outside)
            yield from ([-one, -other] for one, other in itertools.combinations(outside, 2))

    def cycle(self, conflicts: int) -> Ints | None:
        """Return a Hamiltonian cycle, None if there is none; `StoppedEarly` after so many conflicts or at a limit of
        the run. The last slice before a model is not counted: a search that finds models goes on, and graphs of the
        FHCP challenge take a fifth of the time."""
        before = self._solver.conflicts
        until = before + conflicts
        while self._solver.solve(until=until):
            until += (self._solver.conflicts - before) % MAX_SLICE
            before = self._solver.conflicts
            true = np.zeros(1 + max(self._edges.max(), self._modes.max()), dtype=bool)
            true[1 + self._solver.true_among(len(true) - 1)] = True
            chosen = np.flatnonzero(true[self._edges])
            cycles = two_factor_cycles(self._gadgets.count, *self._ends[:, chosen], directed=True)
            if len(cycles) == 1:
                paths = [self._gadgets.paths[mode] for mode in np.flatnonzero(true[self._modes])]
                by_gadget = {int(self._gadgets.gadget[path[0]]): path for path in paths}
                order = [by_gadget[gadget] for gadget in cycles[0].tolist()]
                return np.concatenate(order).astype(np.int32)
            for shore in cycles[:-1]:
                self._cut(shore)
        return None

    def _cut(self, shore: Ints) -> None:
        """Add two clauses for these gadgets, and for each of their images: an edge leaves them, and one enters them."""
        clauses = set[tuple[int, ...]]()
        for image in self._images:
            inside = np.zeros(self._gadgets.count, dtype=bool)
            inside[image[shore]] = True
            left, entered = inside[self._ends]
            for crossing in (entered & ~left, left & ~entered):
                clauses.add(tuple(np.unique(self._edges[crossing]).tolist()))
        self._run.work["cut_sets"] += len(clauses)
        self._solver.add_each(list(clause) for clause in clauses)
