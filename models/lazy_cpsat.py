"""CP-SAT with cut sets added between solves: a Boolean for each edge, and subtours cut off as they come out.

    sum of x[e] over the edges e at v = 2               for each vertex v
    x[e] = 1                                            for each required edge e
    x[e] = x[f]                                         for edges e and f that a symmetry ties together
    sum of x[e] over the edges e that leave S >= 2      for the vertices S of one cycle or several of a solution

It is the method of Dantzig, Fulkerson & Johnson (1954), by the loop of `subtours`, with a solver that knows sums and
decides over Booleans. CP-SAT starts anew in each round. The 2-factor that was cut off is its hint, so that it finds
again only what the cut sets touch.

Cost, for n vertices and m edges of which r are required: m Booleans, n equations for the vertices, r for the required
edges, one for each tied pair, and one sum for each cut set as it is met.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Clock, Heartbeat, Limits, Run, Watch, no_heartbeat, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features, Formulated
from cpsat_tour.models.drivers.cpsat import CpFormula, CpSat, EdgeModel
from cpsat_tour.models.loop.numbering import Numbering
from cpsat_tour.models.loop.subtours import hamiltonian_cycles


@dataclass(frozen=True)
class LazyCpSat(CpSat, Formulated):
    """The degree equations in CP-SAT, with cut sets added between its runs. It does not list tours: each would take a
    run of its own."""

    name: ClassVar[str] = "cpsat:lazy"
    takes: ClassVar[Features] = frozenset({"symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield a Hamiltonian cycle, found in rounds of solving and cutting off, or return the `Refutation` if there is
        none.

        The limit on work is counted in conflicts of all rounds together.
        """
        yield from hamiltonian_cycles(TwoFactorModel(run.cycle, self, run), run.cycle, run)
        cuts = run.work["cut_sets"]
        return Refutation("claimed", f"CP-SAT reports that the degree constraints and {cuts} cut sets have no solution")

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> CpFormula:
        """Return the model of the degree constraints alone.

        It is a relaxation, as its name says.
        """
        two_factors = TwoFactorModel(cycle, self, Watch(Limits(seed=seed), Clock(None)))
        two_factors.model.name = "relaxation: shorter cycles satisfy this model too"
        named = zip(cycle.tails.tolist(), cycle.heads.tolist(), two_factors.x, strict=True)
        for u, v, x in with_heartbeats(named, heartbeat):
            two_factors.model.proto.variables[x.index].name = f"{cycle.name(u)}-{cycle.name(v)}"
        return CpFormula(two_factors.model)


class TwoFactorModel(EdgeModel):
    """A CP-SAT model as a relaxation: its solutions are the 2-factors that satisfy the cut sets added so far.

    At the vertex ``open_at`` any number of edges is used.
    """

    def __init__(self, cycle: CycleProblem, options: CpSat, run: Watch, open_at: int | None = None) -> None:
        super().__init__(Numbering(cycle, run.limits.seed), options, run)
        indptr, incident = cycle.incidence
        for vertex, at_vertex in enumerate(with_heartbeats(np.split(incident, indptr[1:-1]), run.heartbeat)):
            if vertex != open_at:
                self.model.add(self.sum_over(at_vertex.tolist()) == 2)
        for e in np.flatnonzero(cycle.required).tolist():
            self.model.add(self.x[e] == 1)
        for e, f in cycle.tied_pairs.tolist():
            self.model.add(self.x[e] == self.x[f])
