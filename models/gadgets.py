"""SAT over gadgets: how each is passed, the edges between them, and cut sets added between solves; symmetric cycles
are sought first.

A gadget (`presolve.gadgets`) is a part of the graph that every Hamiltonian cycle passes once, from one of its ports to
another, in one of a few modes. So the chosen edges and modes are cycles of gadgets, and cycles that are too short are
cut off as in `lazy_arcs`. A solver over edges would learn anew for each gadget through which ports a cycle can pass it.

    exactly one of mode[g, k] over k                  for each gadget g and its modes k
    mode[g, k] => one of the edges at p               for both ports p between which mode k leads
    edge e => one of the modes that lead to p         for both ports p that e joins
    not e or not f                                    for edges e and f at one port
    one of the edges that leave S                     for the gadgets S of a cycle, once a solution has it
    one of the edges that enter S                     and for the images of S under each symmetry

A cycle that a symmetry maps to itself is determined by a half of it or less, and is found in a fraction of the time if
there is one: peals of bells are sought in parts for that reason (Haythorpe & Johnson 2019). For each symmetry there is
the formula in which the edges and modes of an orbit share a variable, besides that of all cycles, which alone can
refute (`drivers.gadgets`).

Cost: at most a variable for each mode and each edge between gadgets; 1 + k(k-1)/2 clauses for a gadget of k modes,
j + e + e(e-1)/2 for a port with j modes and e edges; two for each cut set and each of its images. Other graphs go to
`lazy_arcs`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Ints, Longs
from cpsat_tour.engines.registry import Features
from cpsat_tour.models.drivers.gadgets import WITH_TURNS, cycles_in_turns
from cpsat_tour.models.drivers.sat import SatFormulation
from cpsat_tour.models.lazy_arcs import LazyArcs
from cpsat_tour.presolve.gadgets import Gadgets, find_gadgets


@dataclass(frozen=True)
class SatGadgets(SatFormulation):
    """A SAT formulation over the gadgets of a graph: their modes, the edges between them, and cut sets added between
    the runs of solvers."""

    solvers: ClassVar[tuple[str, ...]] = WITH_TURNS
    takes: ClassVar[Features] = frozenset()

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield one Hamiltonian cycle, or return the `Refutation` that there is none; `StoppedEarly` at a limit."""
        gadgets = find_gadgets(run.cycle)
        if gadgets is None:
            return (yield from LazyArcs(self.solver).cycles(run))
        yield from cycles_in_turns(self.solver, gadgets, one_mode_of_each_gadget_and_its_edges, run)
        return self.claim(run, "one mode of each gadget")


def one_mode_of_each_gadget_and_its_edges(gadgets: Gadgets, mode: Longs, edge: Longs) -> Iterator[list[int]]:
    """Yield the clauses that choose one mode (a way through) for each gadget, and one edge at each port where that way
    enters or leaves.

    There is no edge at other ports. ``mode`` and ``edge`` are the variables.
    """
    modes_of, modes_at, edges_at = (defaultdict[int, list[int]](list) for _ in range(3))
    for variable, ports in zip(mode.tolist(), gadgets.modes.tolist(), strict=True):
        modes_of[gadgets.gadget[ports[0]]].append(variable)
        for port in ports:
            modes_at[port].append(variable)
    for variable, ports in zip(edge.tolist(), gadgets.arcs.tolist(), strict=True):
        for port in ports:
            edges_at[port].append(variable)
    for modes in modes_of.values():
        yield modes
        yield from at_most_one(modes)
    for port in {**modes_at, **edges_at}:
        yield from ([-variable, *edges_at[port]] for variable in modes_at[port])
        yield from ([-variable, *modes_at[port]] for variable in edges_at[port])
        yield from at_most_one(edges_at[port])


def at_most_one(variables: Sequence[int]) -> Iterator[list[int]]:
    """Yield a clause for each pair of these variables: at most one of all is true."""
    return ([-one, -other] for one, other in combinations(variables, 2))
