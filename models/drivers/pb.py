"""Pseudo-Boolean solving by ``exact`` (Elffers & Nordström 2018; Devriendt, Gleixner & Nordström 2021), which reasons
with cutting planes.

The cutting-plane loop (`subtours`) with sums as in `milp`, in exact arithmetic and with learning from conflicts. Where
clauses need exponentially many steps to see that a board of odd size has no closed tour, it adds up the degree rows:
11x11 takes milliseconds. It works in a process of its own (`own_process`).

Cost, for n vertices and m edges of which r are required: m variables, n equations, r units, and one sum for each cut
set as it is met.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.run import Run
from cpsat_tour.models.drivers.own_process import Sums, worker
from cpsat_tour.models.subtours import hamiltonian_cycles


@dataclass(frozen=True)
class PseudoBoolean:
    """Degree equations and cut sets."""

    takes: ClassVar[Features] = frozenset({"every", "symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Rounds of solving and cutting off. Work is counted in ``conflicts``."""
        with worker("exact_worker") as process:
            yield from hamiltonian_cycles(Sums(process, run, "conflicts"), run.cycle, run)
        return Refutation(
            "claimed", f"exact reports that the degree equations and {run.work['cut_sets']} cut sets are unsatisfiable"
        )
