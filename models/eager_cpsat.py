"""The frame of the CP-SAT models that are stated at once: a Boolean for each arc, whose solutions are the arcs of one
cycle.

A model is a subclass of `EagerCpSat` that states on an `EagerModel` that the arcs form one cycle:

    class Circuit(EagerCpSat):
        def state(self, model):
            model.add_circuit(list(model.triples()))

What the problem has besides is stated after that, of those that there are:

    arc[u, v] or arc[v, u]                            for each required edge
    arc[end, start]                                   between fixed ends
    arc[u, v] + arc[v, u] = arc[s, t] + arc[t, s]     for tied edges uv and st
    the stops in their order                          where there are waypoints
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, Run, no_heartbeat, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.engines.registry import Formulated
from cpsat_tour.formats.circuit_files import CircuitFormula
from cpsat_tour.formats.formula import Formula
from cpsat_tour.models.arcs import Arcs, section_variables, stops_in_order
from cpsat_tour.models.drivers.cpsat import CpFormula, CpSat, ValueOf, all_cycles, solve


@dataclass(frozen=True)
class EagerCpSat(CpSat, Formulated):
    """A CP-SAT formulation over arcs that is stated at once; ``colours`` says whether it uses those of a bipartite
    graph. ``minizinc`` names its model in MiniZinc (`circuit_files`), if it has one."""

    colours: ClassVar[bool] = False
    minizinc: ClassVar[str] = ""

    def has_booleans(self, cycle: CycleProblem) -> bool:
        """Return True if the model of a cycle problem has a Boolean for each arc."""
        return cycle.size > 0

    @abstractmethod
    def state(self, model: EagerModel) -> None:
        """State that the arcs form one cycle; each formulation has its own constraints for that."""

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield one Hamiltonian cycle, or all by CP-SAT's own enumeration; return the `Refutation` when there are no
        more.

        Of the two directions of an undirected cycle one is yielded. Work: ``conflicts`` (the unit of its limit),
        ``branches``, ``propagations``.
        """
        model, solver = self.model(run.cycle, run.limits.seed, run.heartbeat), self.solver(run)
        if run.every:
            for vertices in all_cycles(solver, model, model.used_cycle, run):
                if not model.both_directions or vertices[1] < vertices[-1]:
                    yield vertices[None, :]
        elif solve(solver, model, run):
            yield model.used_cycle(solver.value)[None, :]
        return Refutation("claimed", f"CP-SAT reports that the model of {self.name} has no solution")

    def model(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> EagerModel:
        """Return the CP-SAT model of a cycle problem; ``heartbeat`` is called while it is built."""
        model = EagerModel(Arcs(cycle, seed, colours=self.colours), heartbeat, booleans=self.has_booleans(cycle))
        self.state(model)
        model.required_edges_are_used()
        model.tied_edges_are_used_together()
        if cycle.source.waypoints:
            model.stops_are_visited_in_order()
        return model

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Formula:
        """Return the model of a cycle problem as a formula that can be written; each arc has the name of its move."""
        made = CpFormula(self.model(cycle, seed, heartbeat))
        return CircuitFormula(cycle, self.name, made, self.minizinc) if self.minizinc else made


class EagerModel(cp_model.CpModel):
    """A CP-SAT model in the making: the Boolean ``arc[k]``, called by its move, says that the cycle uses arc k of
    ``arcs``; there is none without ``booleans``.

    ``both_directions`` is True if an undirected cycle is two solutions. Where ``successors`` has the variable of each
    vertex for the next one, these tell the cycle, not the arcs.
    """

    def __init__(self, arcs: Arcs, heartbeat: Heartbeat, *, booleans: bool = True) -> None:
        super().__init__()
        self.arcs, self.heartbeat = arcs, heartbeat
        self.both_directions, self.successors = arcs.direction_free, list[cp_model.IntVar]()
        names, ends = list(map(arcs.cycle.name, range(arcs.order))), (arcs.tails, arcs.heads)
        moves = zip(*(part[arcs.by_variable].tolist() for part in ends), strict=True) if booleans else ()
        made = [self.new_bool_var(f"{names[u]}-{names[v]}") for u, v in with_heartbeats(moves, heartbeat)]
        self.arc = [made[variable - 1] for variable in arcs.arc_variables.tolist()] if booleans else []

    def triples(self) -> Iterator[tuple[int, int, cp_model.IntVar]]:
        """Return ``(u, v, Boolean)`` for each arc from u to v, in the order in which CP-SAT decides the arcs."""
        k = self.arcs.by_variable
        tails, heads, arcs = self.arcs.tails[k].tolist(), self.arcs.heads[k].tolist(), map(self.arc.__getitem__, k)
        return with_heartbeats(zip(tails, heads, arcs, strict=True), self.heartbeat)

    def exactly_one_arc_from_and_to_each_vertex(self) -> None:
        """State that exactly one arc leads from each vertex, and exactly one to it."""
        leaving, entering = ([list[cp_model.IntVar]() for _ in range(self.arcs.order)] for _ in range(2))
        for u, v, arc in self.triples():
            leaving[u].append(arc)
            entering[v].append(arc)
        for arcs in with_heartbeats([*leaving, *entering], self.heartbeat):
            self.add_exactly_one(arcs)

    def required_edges_are_used(self) -> None:
        """State that each required edge is used in one of its directions.

        The one between fixed ends is used from the end to the start.
        """
        required = np.flatnonzero(self.arcs.cycle.required)
        others = required[required != self.arcs.cycle.edge_between_ends]
        for arcs in with_heartbeats(self._arcs_along(others), self.heartbeat):
            self.add_bool_or(arcs)
        if self.arcs.required is not None:
            self.add_bool_or(self.arc[self.arcs.required])

    def tied_edges_are_used_together(self) -> None:
        """State that two edges that a symmetry ties together are both used, or neither."""
        tied = zip(*map(self._arcs_along, self.arcs.cycle.tied_pairs.T), strict=True)
        for first, second in with_heartbeats(tied, self.heartbeat):
            self.add(sum(first) == sum(second))

    def stops_are_visited_in_order(self) -> None:
        """State that the cycle visits the stops in their order, by the clauses of `stops_in_order`."""
        arcs, first = self.arcs, len(self.arc) + 1
        variables = [*self.arc, *(self.new_bool_var("") for _ in range(section_variables(arcs.cycle)))]
        moves = np.arange(1, first, dtype=np.int32)
        for block in stops_in_order(arcs.cycle, arcs.tails, arcs.heads, moves, first):
            for clause in with_heartbeats(block.tolist(), self.heartbeat):
                self.add_bool_or(variables[k - 1] if k > 0 else ~variables[-k - 1] for k in clause)

    def _arcs_along(self, edges: NDArray[np.integer]) -> list[list[cp_model.IntVar]]:
        """Return the Booleans of the arcs along each of the edges."""
        return [[self.arc[k] for k in arcs] for arcs in self.arcs.along(edges).tolist()]

    def used_cycle(self, value_of: ValueOf) -> Ints:
        """Return the vertices of the one cycle of a solution, from vertex 0 on; `BackendFault` if its arcs don't lead
        from and to each vertex."""
        tails = np.arange(self.arcs.order, dtype=np.int32)
        heads = np.array(list(map(value_of, self.successors)), dtype=np.int32)
        if not self.successors:
            used = np.array(list(map(value_of, self.arc)), dtype=bool)
            tails, heads = self.arcs.tails[used], self.arcs.heads[used]
        for ends, way in ((tails, "from"), (heads, "to")):
            number = np.bincount(ends, minlength=self.arcs.order)
            for vertex in np.flatnonzero(number != 1).tolist():
                raise BackendFault(
                    f"the solution has {number[vertex]} arcs {way} {self.arcs.cycle.name(vertex)}, and it needs one"
                )
        return two_factor_cycles(self.arcs.order, tails, heads, directed=True)[0]
