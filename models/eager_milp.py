"""The frame of the mixed-integer programs that are stated at once: one arc leaves each vertex, and one enters it.

    sum of x[u, v] over v = 1                for each vertex u
    sum of x[u, v] over u = 1                for each vertex v
    x[u, v] + x[v, u] = 1                    for each required edge uv
    x[u, v] + x[v, u] = x[s, t] + x[t, s]    for tied edges uv and st

The edge between fixed ends is one of those required; either direction of it gives the same tours.

A program is a subclass of `EagerMilp` that states on an `ArcProgram`, over columns of its own, that there is one cycle.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, Run, no_heartbeat
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.engines.registry import Features, Formulated, Registered
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.drivers.linear import LinearProgram, Sums, sum_at, worker


class ArcProgram(LinearProgram):
    """A linear program in the making over the arcs of a cycle problem: one arc leaves each vertex, and one enters it.

    ``x`` has the binary column of each arc, ``tails`` and ``heads`` its ends. ``others`` are the vertices but the
    ``root``.
    """

    over_arcs: ClassVar[bool] = True
    relaxed: ClassVar[bool] = False

    def __init__(self, name: str, arcs: Arcs, heartbeat: Heartbeat) -> None:
        cycle, self.arcs = arcs.cycle, arcs
        super().__init__(name, cycle, arcs.by_variable, heartbeat)
        self.order, self.tails, self.heads = arcs.order, arcs.tails, arcs.heads
        self.root, self.others = arcs.root, np.delete(np.arange(arcs.order), arcs.root)
        self.x = x = self.along_arcs("x", whole=True)
        self.add(self.leaving(x) == 1, "out", np.arange(arcs.order))
        self.add(self.entering(x) == 1, "in", np.arange(arcs.order))
        self.used = sum_at(np.arange(len(self.tails)) % cycle.size, x, cycle.size)
        self.add_fixed()

    def along_arcs(self, letter: str, *of: int, most: float = 1.0, whole: bool = False) -> Sums:
        """Add columns between 0 and ``most``, one for each arc, in the order that the seed stands for, and return them.

        Their names begin with the letter and the vertices that they are ``of``.
        """
        ends = self.tails[self.moves], self.heads[self.moves]
        subscripts = (*(np.full(len(ends[0]), vertex) for vertex in of), *ends)
        return self.columns(letter, *subscripts, most=most, whole=whole)[self.arcs.arc_variables - 1]

    def leaving(self, y: Sums) -> Sums:
        """Return for each vertex u the sum of y[u, v] over the arcs that leave it."""
        return sum_at(self.tails, y, self.order)

    def entering(self, y: Sums) -> Sums:
        """Return for each vertex v the sum of y[u, v] over the arcs that enter it."""
        return sum_at(self.heads, y, self.order)

    def opposite(self, y: Sums) -> Sums:
        """Return y[v, u] for each arc uv, an empty sum where there is no arc vu."""
        forth, back = (u * self.order + v for u, v in ((self.tails, self.heads), (self.heads, self.tails)))
        _, arcs, opposite = np.intersect1d(forth.astype(np.int64), back, return_indices=True)
        return sum_at(opposite, y[arcs], len(self.tails))


@dataclass(frozen=True)
class EagerMilp(Registered, Formulated):
    """A mixed-integer program for HiGHS, stated at once, whose solutions are the arcs of one cycle.

    An undirected edge has two arcs.
    """

    colours: ClassVar[bool] = False
    takes: ClassVar[Features] = frozenset({"directed", "symmetry"})
    unit: ClassVar[str] = "nodes"

    @abstractmethod
    def state(self, program: ArcProgram) -> None:
        """State that the arcs form one cycle; each formulation has its own rows for that."""

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield one Hamiltonian cycle, a solution of the whole program, or return the `Refutation` if there is none.

        Work: ``nodes`` (the unit of its limit), ``iterations`` of the simplex method.
        """
        with worker("highspy") as process:
            program = self.formula(run.cycle, run.limits.seed, run.heartbeat)
            process.begin(run, program)
            if (columns := process.solve(run, self.unit)) is not None:
                chosen = program.moves[columns]
                cycles = two_factor_cycles(program.order, program.tails[chosen], program.heads[chosen], directed=True)
                yield cycles[0][None, :]
        return Refutation("claimed", f"HiGHS reports that the program of {self.name} has no solution")

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> ArcProgram:
        """Return the program of a cycle problem, stated while ``heartbeat`` is called; `BadInput` if it is too
        large."""
        program = ArcProgram(self.name, Arcs(cycle, seed, colours=self.colours), heartbeat)
        self.state(program)
        return program
