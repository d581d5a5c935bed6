"""The frame of the eager encodings as backends: a formula stated at once, a SAT solver, and tours out of it one by one.

An encoding is a subclass of `Eager` that states its clauses on an `ArcFormula`.

*Counters.* Most encodings count along the arcs: the root has the number 0, an arc that does not enter the root adds 1,
and an arc into the root comes from the number n - 1, all modulo some period P. Then the cycle of the root has a length
of n modulo P, and every other cycle one that P divides. As no cycle is shorter than 3, P >= n - 2 leaves but one cycle.
Tours that were found are forbidden by clauses over the edges.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.errors import BackendFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Heartbeat, Run, no_heartbeat
from cpsat_tour.formats.formula import Cnf, Sizes
from cpsat_tour.models.arcs import ArcFormula, Arcs
from cpsat_tour.models.drivers.sat import SatFormulation, SatRelaxation, SatSolver
from cpsat_tour.models.lazy import SOLVERS
from cpsat_tour.models.loop.subtours import CutSet, hamiltonian_cycles

OPTIONS = {"phase": 0, "reverse": 1, "rephase": 0, "stabilizeonly": 1, "ilb": 0, "lucky": 0}
"""CaDiCaL's: decide the edges in the order of their numbers, before arcs and counters, and leave each out at first, so
that paths grow along the sweep; then restart seldom and keep to the largest assignment that had no conflict (the stable
mode with target phases of Biere & Fleury 2020), never resetting it, so that what is wrong is mended and not begun anew.
By its own settings CaDiCaL decides the last counter first: then `adder` took 5 to 15 s for closed 20x20, and
`elimination` and `relative` did not find it in a minute. These settings bring all three to a second."""

MANY_CLAUSES = 1 << 23
"""Clauses from which CaDiCaL no longer simplifies them while it searches: of ten million (`elimination` on 40x40) that
took up to half a minute at a time, in which it can't be stopped, and slowed it down."""


@dataclass(frozen=True)
class Eager(SatFormulation):
    """An eager encoding. ``colours`` states that colours alternate on a bipartite graph; see `arcs`."""

    colours: bool = True

    solvers: ClassVar[tuple[str, ...]] = SOLVERS
    name: ClassVar[str]

    with_givens: ClassVar[Features] = SatFormulation.takes | {"givens"}
    """What an encoding takes that states the position of each vertex, and not only its remainder."""

    @abstractmethod
    def state(self, formula: ArcFormula) -> None:
        """State that the arcs form one cycle."""

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, those of the models of the whole formula; return the `Refutation` when there
        are no more."""
        formula = self.formula(run.cycle, run.limits.seed, run.heartbeat)
        options = OPTIONS | {"inprocessing": int(formula.sizes.clauses < MANY_CLAUSES)}
        with SatSolver(self.solver, run, options if self.solver.startswith("cadical") else None) as solver:
            solver.state(formula.clauses)
            yield from hamiltonian_cycles(_CompleteFormula(solver, formula.edges), run.cycle, run)
        return self.claim(run, f"the formula of {self.name}")

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Return variables, clauses and literals of the formula, without keeping it."""
        formula = ArcFormula(self.name, Arcs(cycle, colours=self.colours), 0, kept=False)
        self.state(formula)
        return formula.sizes

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Cnf:
        """Return the formula of a cycle problem, stated while ``heartbeat`` is called; `BadInput` if it is too large
        to be built."""
        arcs = Arcs(cycle, colours=self.colours)
        formula = ArcFormula(self.name, arcs, seed, heartbeat)
        self.state(formula)
        return Cnf(
            cycle,
            formula.edges,
            formula.sizes.variables,
            formula.auxiliary,
            formula.blocks[: formula.degree_blocks],
            formula.blocks[formula.degree_blocks :],
            backend=self.name,
            relaxed=False,
        )


class _CompleteFormula(SatRelaxation):
    """A formula all of whose models have to be tours: a cut would hide a fault of it."""

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Raise `BackendFault`: a complete formula lets no shorter cycles through, so that there is nothing to cut
        off."""
        raise BackendFault(f"the formula let {len(cut_sets)} cycles through, and has to have no models but tours")
