"""Subtours cut off while solving: degree constraints as clauses, and an external propagator that keeps paths from
closing.

    exactly two of the edges at v     for each vertex v, by the clauses of degree
    e                                 for each required edge e
    e <=> f                           for edges e and f that a symmetry ties together
    the stops in their order          where there are waypoints, by the clauses of sections
    not all edges of P, or not f      for a path P whose ends f joins, of fewer than n - 1 edges, once it is chosen
    one of the edges that leave S     for the vertices S of a cycle that unit propagation closed

The last two are clauses of the `Propagator`, over the interface IPASIR-UP (Fazekas, Niemetz, Preiner, Kirchweger,
Szeider & Biere 2023); that each end of a path knows the other is how Knuth's SSHAM keeps paths. CaDiCaL walks along the
numbering of the edges, and since a path that would close is steered away from at once, boards that have a tour need
next to no conflicts in any sweep, up to the million squares measured; a random numbering needs thousands. It runs on
the solvers that have this interface in PySAT.

Cost, for m edges: m variables and those of `degree` and `sections`; the clauses of these, one for each required edge
and two for each tied pair. The clause of a path is a reason, asked for if a conflict needs it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import ClassVar, Literal

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.events import CutSetAdded
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Run
from cpsat_tour.core.space import Ints
from cpsat_tour.models.degree import TwoFactorFormula, two_factor_clauses
from cpsat_tour.models.drivers.propagator import Propagator
from cpsat_tour.models.drivers.sat import SatFormulation, SatSolver
from cpsat_tour.models.loop.numbering import number_edges

OPTIONS = {"chrono": 0, "lucky": 0}
"""Without chronological backtracking the trail is a stack, and a search for lucky phases costs more than the solution
of a board."""

ON_A_SWEEP = {"reverse": 1}
"""In reverse CaDiCaL decides the first variable first: the edges along the sweep, before the counts of `degree`."""

WITHOUT_A_SWEEP = {"otfs": 0, "reverse": 0}
"""On other graphs no edge is the first. What conflicts strengthen on the fly (``otfs``) are for the most part clauses
about one path, and without it long searches ended twice as soon: graphs of hubs, and those that stand for a directed
cycle."""


@dataclass(frozen=True)
class Propagated(TwoFactorFormula, SatFormulation):
    """Degree constraints, and subtours cut off while the SAT solver runs.

    ``propagation`` is what the propagator looks at: closed cycles alone, or also paths about to close.
    """

    propagation: Literal["cuts", "paths"] = "paths"

    name: ClassVar[str] = "sat"
    solvers: ClassVar[tuple[str, ...]] = ("cadical195", "cadical300")

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, one after each run of the solver; return the `Refutation` when there are no
        more. ``work`` also counts the closing edges kept out.

        The limit on work holds for the conflicts that CaDiCaL counts and for the cut sets handed over, each of which is
        one that it doesn't.
        """
        run.work["cut_sets"] = 0
        numbering = number_edges(run.cycle, run.limits.seed)
        order = WITHOUT_A_SWEEP if run.cycle.source.graph.space.coordinates is None else ON_A_SWEEP
        with SatSolver(self.solver, run, OPTIONS | order) as solver:
            solver.state(two_factor_clauses(run.cycle, numbering))
            propagator = Propagator(run.cycle, numbering, run.limits.work, prevents=self.propagation == "paths")
            solver.solver.connect_propagator(propagator)
            deque(map(solver.solver.solver.observe, range(1, run.cycle.size + 1)), maxlen=0)

            def heartbeat() -> None:
                _report_counters(propagator, run)
                run.heartbeat()

            while self._finds_next_tour(solver, propagator, heartbeat, run):
                assert propagator.cycle is not None
                yield propagator.cycle[None, :]
                edges = numbering.edges[solver.true_among(run.cycle.size)]
                solver.add(-numbering.variables[edges][None, :])
        return self.claim(run)

    def _finds_next_tour(
        self, solver: SatSolver, propagator: Propagator, heartbeat: Callable[[], None], run: Run
    ) -> bool:
        """Return True if there is one more tour; raise `StoppedEarly` if the propagator was stopped first."""
        try:
            satisfiable = solver.solve(propagator.stop, heartbeat)
        finally:
            _report_counters(propagator, run)
        if propagator.stopped and not satisfiable:
            raise StoppedEarly("work")
        return satisfiable


def _report_counters(propagator: Propagator, run: Run) -> None:
    """Bring the counters of the run up to date, and tell its listener of the cut sets since the last time."""
    run.work["prevented"] = propagator.prevented
    run.work["joined"] = len(propagator.trail)
    new = propagator.cut_sizes[run.work["cut_sets"] :]
    run.work["cut_sets"] += len(new)
    for size in new:
        run.tell(CutSetAdded(size))
