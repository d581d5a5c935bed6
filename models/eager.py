"""The frame of the eager encodings as backends: a formula stated at once, a SAT solver, and tours out of it one by one.

An encoding is a subclass of `Eager` that states its clauses on an `ArcFormula` and says beforehand what they cost.

*Counters.* Most encodings count along the arcs: the root has the number 0, an arc that does not enter the root adds 1, and an arc
into the root comes from the number n - 1, all modulo some period P. Then the cycle of the root has a length of n modulo P, and every
other cycle one that P divides. As no cycle is shorter than 3, P >= n - 2 leaves but one cycle; a smaller P is a relaxation. Cycles that
a relaxation lets through are cut off by their cut sets, as in `lazy`. Tours that were found are forbidden by clauses over the edges.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BackendFault, BadInput
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.formats.formula import Cnf, Sizes
from cpsat_tour.models.arcs import ArcFormula, Arcs
from cpsat_tour.models.degree import BATCH
from cpsat_tour.models.drivers.sat import Oracle
from cpsat_tour.models.drivers.sat_backend import SatBackend
from cpsat_tour.models.lazy import SOLVERS, LazySearch

MOST_CLAUSES = 40_000_000
"""Larger formulas are not built: these take some 2 GB as arrays and in the solver."""


OPTIONS = {"phase": 0, "reverse": 1, "rephase": 0, "stabilizeonly": 1, "ilb": 0, "lucky": 0}
"""CaDiCaL's: decide the edges in the order of their numbers, before arcs and counters, and leave each out at first, so that paths grow
along the sweep; then restart seldom and keep to the largest assignment that had no conflict (the stable mode with target phases of
Biere & Fleury 2020), never resetting it, so that what is wrong is mended and not begun anew. By its own settings CaDiCaL decides the last
counter first: then `adder` took 5 to 15 s for closed 20x20, and `elimination` and `relative` did not find it in a minute. These settings
bring all three to a second."""


@dataclass(frozen=True)
class Eager(SatBackend):
    """An eager encoding. ``colours`` states that colours alternate on a bipartite graph; see `arcs`."""

    colours: bool = True

    solvers: ClassVar[tuple[str, ...]] = SOLVERS
    name: ClassVar[str]

    @abstractmethod
    def state(self, formula: ArcFormula) -> None:
        """State that the arcs form one cycle."""

    @abstractmethod
    def cost(self, arcs: Arcs) -> Sizes:
        """The variables, clauses and literals of `state`, by the formula in the docstring of the module."""

    def relaxed(self, arcs: Arcs) -> bool:  # noqa: ARG002
        """Whether shorter cycles satisfy the formula too."""
        return False

    def formula(self, problem: HamiltonProblem, seed: int = 0) -> Cnf:
        """The formula of a problem; `BadInput` if it is too large to be built."""
        return self.formula_of(to_cycle(problem), seed)

    def formula_of(self, cycle: CycleProblem, seed: int) -> Cnf:
        """The formula of a cycle problem."""
        arcs = Arcs(cycle, colours=self.colours)
        clauses = (arcs.sizes() + self.cost(arcs)).clauses
        if clauses > MOST_CLAUSES:
            raise BadInput(f"the formula of {self.name} has {clauses:,} clauses here, more than {MOST_CLAUSES:,}: choose sat, or another board")
        made = ArcFormula(arcs, seed)
        self.state(made)
        return Cnf(cycle, made.edges, made.variables, made.auxiliary, made.degrees, made.blocks, backend=self.name, relaxed=self.relaxed(arcs))

    def sizes(self, problem: HamiltonProblem) -> Sizes:
        """Variables, clauses and literals of the formula, without building it."""
        arcs = Arcs(to_cycle(problem), colours=self.colours)
        return arcs.sizes() + self.cost(arcs)

    def search(self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None) -> _EagerSearch:
        """The run with the whole formula."""
        return _EagerSearch(self, problem, limits, on_event)


class _EagerSearch(LazySearch):
    """The search with the whole encoding stated at the beginning; what it then has in common with `lazy` repairs a relaxation."""

    def __init__(self, encoding: Eager, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None) -> None:
        options = OPTIONS if encoding.solver.startswith("cadical") else None
        super().__init__(problem, Oracle(encoding.solver, options), limits, on_event)
        self.encoding = encoding
        self.constraints = f"the formula of {encoding.name}"
        self.relaxed = False

    def state_the_constraints(self) -> None:
        """Give the solver the formula; looks at the clock after each batch."""
        self.heartbeat()
        formula = self.encoding.formula_of(self.problem, self.seed)
        self.relaxed = formula.relaxed
        for block in formula.clauses:
            for begin in range(0, len(block), BATCH):
                self.oracle.add(block[begin : begin + BATCH])
                self.heartbeat()

    def _cut_off(self, cycles: list[Ints]) -> None:
        """Repair a relaxation; where there is nothing to repair, say so rather than hide what is wrong."""
        if not self.relaxed:
            raise BackendFault(f"the formula of {self.encoding.name} let {len(cycles)} cycles through, and has to have no models but tours")
        super()._cut_off(cycles)
