"""What the SAT formulations share: the solver by name, and the sentence in which it claims that there is no tour."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.run import Run
from cpsat_tour.models.drivers.sat import check_solver


@dataclass(frozen=True)
class SatFormulation(ABC):
    """A formulation on a SAT solver of PySAT; ``solvers`` names those that it runs on."""

    solver: str = "cadical195"

    takes: ClassVar[Features] = frozenset({"every", "symmetry"})
    solvers: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        check_solver(self.solver, self.solvers)

    @abstractmethod
    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """The Hamiltonian cycles; see `cpsat_tour.backends.protocols.Formulation`. Work is counted in conflicts."""

    def claim(self, run: Run, constraints: str = "the degree constraints") -> Refutation:
        """That the solver found no cycle, which is no evidence."""
        cuts = run.work["cut_sets"]
        return Refutation("claimed", f"the SAT solver {self.solver} reports that {constraints} and {cuts} cut sets are unsatisfiable")
