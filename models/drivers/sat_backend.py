"""What the SAT backends over edge variables share: the solver by name, one tour, or all of them one after the other.

A formulation is a subclass that makes its `EdgeSearch`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.models.drivers.edge_search import EdgeSearch
from cpsat_tour.models.drivers.sat import LimitReached, check_solver


@dataclass(frozen=True)
class SatBackend(ABC):
    """A formulation on a SAT solver of PySAT; ``solvers`` names those that it runs on."""

    solver: str = "cadical195"

    takes_directed: ClassVar[bool] = False
    solvers: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        check_solver(self.solver, self.solvers)

    @abstractmethod
    def search(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None) -> EdgeSearch:
        """The search of this formulation for the tours of a problem."""

    def solve(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """One tour, that there is none, or unknown. Work is counted in conflicts."""
        with self.search(problem, limits, on_event) as search:
            if reason := search.vertex_without_two_edges():
                return Answer.none("condition", reason)
            try:
                search.state_the_constraints()
                cycle = search.next_cycle()
            except LimitReached as reached:
                return Answer.unknown(reached.limit, search.total_work)
            if cycle is None:
                cuts = search.work["cut_sets"]
                reason = f"the SAT solver {self.solver} reports that {search.constraints} and {cuts} cut sets are unsatisfiable"
                return Answer.none("claimed", reason, search.total_work)
            return Answer.found(problem, search.problem.tour(cycle), search.total_work)

    def tours(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None) -> Iterator[Ints]:
        """Every tour once, the ones found forbidden by clauses over the edges; `StoppedEarly` when a limit is met."""
        with self.search(problem, limits, on_event) as search:
            if search.vertex_without_two_edges():
                return
            try:
                search.state_the_constraints()
                while (cycle := search.next_cycle()) is not None:
                    yield search.problem.tour(cycle)
                    search.block(cycle)
                    search.heartbeat()
            except LimitReached as reached:
                raise StoppedEarly(f"the limit on {reached.limit} ended the list of tours") from None
