"""Subtours cut off while solving: degree constraints as clauses, and an external propagator that keeps paths from
closing.

    exactly two of the edges at v     for each vertex v, by the clauses of degree
    e                                 for each required edge e
    e <=> f                           for tied edges e and f
    the stops in their order          where there are waypoints
    not all edges of P, or not f      for a path P whose ends f joins, of fewer than n - 1 edges, once it is chosen
    one of the edges that leave S     for the vertices S of a cycle that unit propagation closed

The last two are clauses of the `Propagator`, over the interface IPASIR-UP (Fazekas, Niemetz, Preiner, Kirchweger,
Szeider & Biere 2023); that each end of a path knows the other is how Knuth's SSHAM keeps paths. CaDiCaL walks along the
numbering of the edges, and since a path that would close is steered away from at once, boards that have a tour need
next to no conflicts in any sweep, up to the million squares measured; a random numbering needs thousands. It runs on
the solvers that have this interface in PySAT.

Cost, for m edges: m variables and those of `degree` and `arcs`; the clauses of these, one for each required edge
and two for each tied pair. The clause of a path is a reason, asked for if a conflict needs it.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar, Literal

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Ints
from cpsat_tour.models.degree import TwoFactorFormula, two_factor_clauses
from cpsat_tour.models.drivers.propagator import WITH_PROPAGATORS, Propagator
from cpsat_tour.models.drivers.sat import SatFormulation
from cpsat_tour.models.loop.numbering import Numbering


@dataclass(frozen=True)
class Propagated(TwoFactorFormula, SatFormulation):
    """The degree constraints in a SAT solver; a propagator cuts off subtours while it runs.

    ``propagation`` is what the propagator looks at: closed cycles alone, or also paths about to close.
    """

    propagation: Literal["cuts", "paths"] = "paths"

    solvers: ClassVar[tuple[str, ...]] = WITH_PROPAGATORS

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, one after each run of the solver; return the `Refutation` when there are no
        more."""
        numbering = Numbering(run.cycle, run.limits.seed)
        propagator = Propagator(numbering, run.limits.work, prevents=self.propagation == "paths")
        yield from propagator.cycles(self.solver, two_factor_clauses(numbering), run)
        return self.claim(run)
