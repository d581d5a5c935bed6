"""The frame of the mixed-integer programs that are stated at once: one arc leaves each vertex, and one enters it.

A program is a subclass of `EagerMilp` that states, over columns of its own, that there is one cycle (`mtz`, `flow`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Run
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.drivers.linear import Worker, worker


@dataclass(frozen=True)
class EagerMilp(ABC):
    """A mixed-integer program for HiGHS whose solutions are the arcs of one cycle: those of an undirected edge are two.

    For each vertex one arc leaves it and one enters it; a subclass states, over columns of its own, that there is one
    cycle.
    """

    name: ClassVar[str]
    takes: ClassVar[Features] = frozenset({"directed", "symmetry"})
    unit: ClassVar[str] = "nodes"

    @abstractmethod
    def own_column_bounds(self, arcs: Arcs) -> NDArray[np.float64]:
        """Return the upper bound of each column that comes after the arcs."""

    @abstractmethod
    def state(self, worker: Worker, arcs: Arcs) -> None:
        """State that there is one cycle; ``arcs.variables[k] - 1`` is the column of arc ``k``."""

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield one Hamiltonian cycle, from a solution of the whole program, or return the `Refutation` if there is
        none. Work: ``nodes`` (the unit of its limit), ``iterations`` of the simplex method."""
        with worker("highspy") as process:
            arcs = self.build(process, run)
            if (columns := process.solve(run, self.unit)) is not None:
                chosen = arcs.by_variable[columns]
                cycles = two_factor_cycles(arcs.order, arcs.tails[chosen], arcs.heads[chosen], directed=True)
                yield cycles[0][None, :]
        return Refutation("claimed", f"HiGHS reports that the program of {self.name} has no solution")

    def build(self, worker: Worker, run: Run) -> Arcs:
        """State the whole program; return the arcs that its first columns stand for."""
        cycle, arcs = run.cycle, Arcs(run.cycle, run.limits.seed)
        number = len(arcs.tails)
        worker.begin(run, np.concatenate([np.ones(number), self.own_column_bounds(arcs)]), number)
        x = arcs.variables - 1
        for ends in (arcs.tails, arcs.heads):
            worker.add(x[np.argsort(ends, kind="stable")], np.bincount(ends, minlength=cycle.order), 1, 1)
        required = x[arcs.along(np.flatnonzero(cycle.required))]
        worker.add(required, np.full(len(required), required.shape[1]), 1, 1)
        tied = x[np.concatenate([arcs.along(cycle.tied_pairs[:, 0]), arcs.along(cycle.tied_pairs[:, 1])], axis=1)]
        worker.add(tied, np.full(len(tied), 4), 0, 0, np.tile([1.0, 1.0, -1.0, -1.0], len(tied)))
        self.state(worker, arcs)
        return arcs
