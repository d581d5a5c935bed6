"""The frame of the CP-SAT models that are stated at once: a Boolean for each arc, whose solutions are the arcs of one
cycle.

A model is a subclass of `EagerCpSat` that states on an `EagerModel` that the arcs form one cycle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from ortools.sat.python import cp_model

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Heartbeat, Run, no_heartbeat, with_heartbeats
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.drivers.cpsat import CpFormula, CpSat, IsTrue, all_cycles, solve
from cpsat_tour.models.sections import section_variables, stops_in_order


@dataclass(frozen=True)
class EagerCpSat(CpSat, ABC):
    """A CP-SAT formulation over arcs, stated at once; one that uses the ``colours`` of a bipartite graph says so."""

    colours: ClassVar[bool] = False

    @abstractmethod
    def state(self, model: EagerModel) -> None:
        """State that the arcs form one cycle."""

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield one Hamiltonian cycle, or all by CP-SAT's own enumeration, of the two directions of an undirected one
        only one; return the `Refutation` when there are no more. Work: ``conflicts`` (the unit of its limit),
        ``branches``, ``propagations``."""
        model, solver = self.model(run.cycle, run.limits.seed, run.heartbeat), self.solver(run)
        if run.every:
            for vertices in all_cycles(solver, model, model.used_cycle, run):
                if not model.both_directions or vertices[1] < vertices[-1]:
                    yield vertices[None, :]
        elif solve(solver, model, run):
            yield model.used_cycle(solver.boolean_value)[None, :]
        return Refutation("claimed", f"CP-SAT reports that the model of {self.name} has no solution")

    def model(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> EagerModel:
        """Return the model of a cycle problem; ``heartbeat`` is called while it is built."""
        model = EagerModel(Arcs(cycle, seed, colours=self.colours), heartbeat)
        self.state(model)
        return model

    def formula(self, cycle: CycleProblem, seed: int = 0) -> CpFormula:
        """Return the model of a problem, each arc named by its move."""
        model = self.model(cycle, seed)
        for tail, head, literal in model.triples():
            model.proto.variables[literal.index].name = f"{cycle.name(tail)}-{cycle.name(head)}"
        return CpFormula(model)

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Return the number of variables, constraints and literals of the model."""
        return CpFormula(self.model(cycle)).sizes


class EagerModel(cp_model.CpModel):
    """A CP-SAT model in the making: ``literals[v]`` says that the cycle goes from ``tails[v]`` to ``heads[v]``, along
    arc ``arcs.by_variable[v]``; ``both_directions`` is True if an undirected cycle is two solutions."""

    def __init__(self, arcs: Arcs, heartbeat: Heartbeat) -> None:
        super().__init__()
        self.arcs, self.heartbeat = arcs, heartbeat
        self.tails, self.heads = arcs.tails[arcs.by_variable], arcs.heads[arcs.by_variable]
        self.both_directions = arcs.direction_free
        self.literals = [self.new_bool_var("") for _ in with_heartbeats(arcs.by_variable, heartbeat)]

    def triples(self) -> Iterator[tuple[int, int, cp_model.IntVar]]:
        """Yield the tail, the head and the literal of each arc, with heartbeats."""
        triples = zip(self.tails.tolist(), self.heads.tolist(), self.literals, strict=True)
        return with_heartbeats(triples, self.heartbeat)

    def state_one_arc_from_and_to_each_vertex(self) -> None:
        """State that exactly one arc leads from each vertex, and exactly one to it."""
        for ends in (self.tails, self.heads):
            first = np.cumsum(np.bincount(ends, minlength=self.arcs.order))[:-1]
            for arcs in with_heartbeats(np.split(np.argsort(ends, kind="stable"), first), self.heartbeat):
                self.add_exactly_one(self.literals[arc] for arc in arcs.tolist())

    def state_required_and_tied_edges(self) -> None:
        """State that required edges are used in a direction, the one between fixed ends from the end to the start, and
        those that a symmetry ties together both or not."""
        cycle, required = self.arcs.cycle, self._literals_along(np.flatnonzero(self.arcs.cycle.required))
        if self.arcs.required is not None:  # it is the last edge
            required[-1] = [self.literals[self.arcs.variables[self.arcs.required] - 1]]
        for literals in with_heartbeats(required, self.heartbeat):
            self.add_bool_or(literals)
        tied = zip(*(self._literals_along(edges) for edges in cycle.tied_pairs.T), strict=True)
        for first, second in with_heartbeats(tied, self.heartbeat):
            self.add(sum(first) == sum(second))

    def state_sections(self) -> None:
        """State that the cycle visits the stops in their order, if there are waypoints."""
        arcs = self.arcs
        variables = [*self.literals, *(self.new_bool_var("") for _ in range(section_variables(arcs.cycle)))]
        for block in stops_in_order(arcs.cycle, arcs.tails, arcs.heads, arcs.variables, len(self.literals) + 1):
            for clause in with_heartbeats(block.tolist(), self.heartbeat):
                literals = (variables[abs(literal) - 1] for literal in clause)
                self.add_bool_or(v if literal > 0 else ~v for v, literal in zip(literals, clause, strict=True))

    def _literals_along(self, edges: NDArray[np.integer]) -> list[list[cp_model.IntVar]]:
        """Return the literals of the arcs along each of the edges."""
        rows = self.arcs.variables[self.arcs.along(edges)].tolist()
        return [[self.literals[variable - 1] for variable in row] for row in rows]

    def used_cycle(self, is_true: IsTrue) -> Ints:
        """Return the vertices of the one cycle that the arcs with true literals form, from vertex 0."""
        used = np.array([is_true(literal) for literal in self.literals], dtype=bool)
        return two_factor_cycles(self.arcs.order, self.tails[used], self.heads[used], directed=True)[0]
