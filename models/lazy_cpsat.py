"""CP-SAT with cut sets added between solves: a Boolean for each edge, and subtours cut off as they come out.

    sum of x[e] over the edges e at v = 2               for each vertex v
    x[e] = 1                                            for each required edge e
    x[e] = x[f]                                         for tied edges e and f
    sum of x[e] over the edges e that leave S >= 2      for the vertices S of one cycle or several of a solution

It has the inequalities of Dantzig, Fulkerson & Johnson (1954), in rounds of integer solutions as those of Miliotis
(1976), by the loop of `subtours`. CP-SAT starts anew in each round, near the 2-factor that was cut off.

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
from cpsat_tour.models.loop.subtours import hamiltonian_cycles


def state_two_factors(model: EdgeModel) -> None:
    """State that two edges are used at each vertex but ``open_at``, and each required edge, and of tied edges both or
    none."""
    indptr, incident = model.cycle.incidence
    for vertex, edges in enumerate(with_heartbeats(np.split(incident, indptr[1:-1]), model.run.heartbeat)):
        if vertex != model.open_at:
            model.add(model.sum_over(edges.tolist()) == 2)
    for e in np.flatnonzero(model.cycle.required).tolist():
        model.add(model.x[e] == 1)
    for e, f in model.cycle.tied_pairs.tolist():
        model.add(model.x[e] == model.x[f])


@dataclass(frozen=True)
class LazyCpSat(CpSat, Formulated):
    """The degree equations in CP-SAT, with cut sets added between its runs. It does not list tours: each would take a
    run of its own."""

    takes: ClassVar[Features] = frozenset({"symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield a Hamiltonian cycle, found in rounds of solving and cutting off, or return the `Refutation` if there is
        none.

        The limit on work is counted in conflicts of all rounds together.
        """
        model = EdgeModel(run.cycle, self, run)
        state_two_factors(model)
        yield from hamiltonian_cycles(model, run.cycle, run)
        constraints = f"the degree constraints and {run.work['cut_sets']} cut sets"
        return Refutation("claimed", f"CP-SAT reports that {constraints} have no solution")

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> CpFormula:
        """Return the model of the degree constraints alone.

        It is a relaxation, as its name says.
        """
        model = EdgeModel(cycle, self, Watch(Limits(seed=seed), Clock(None)))
        state_two_factors(model)
        moves = zip(cycle.tails.tolist(), cycle.heads.tolist(), model.x, strict=True)
        for u, v, x in with_heartbeats(moves, heartbeat):
            model.proto.variables[x.index].name = f"{cycle.name(u)}-{cycle.name(v)}"
        return CpFormula(model, relaxed=True)
