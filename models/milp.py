"""A mixed-integer program, cut sets added between solves, by HiGHS (Huangfu & Hall 2018).

    sum of x[e] over the edges e at v = 2       for each vertex v
    x[e] = 1                                    for each required edge e
    x[e] = x[f]                                 for tied edges e and f
    sum of x[e] over the edges e of a cut >= 2  for the cut set of one cycle or several of a solution

As printed in Dantzig, Fulkerson & Johnson 1954, who cut linear programs by hand; whole programs solved again after each
cut are Martin's (1966) and Miliotis's (1976). Differs in having no objective, and in required and tied edges. HiGHS
begins each round anew, with branch and bound for what is fractional; it computes in floating point, so its ``none`` is
a claim.

Cost, for n vertices and m edges of which r are required: m binary columns, n equations with 2m entries in all, r rows
of one, a row of two for each tied pair, and a row for each cut set as it is met.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, Run, no_heartbeat
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features, Formulated, Registered
from cpsat_tour.models.drivers.linear import LinearProgram, LinearRelaxation, sum_at, worker
from cpsat_tour.models.loop.numbering import Numbering
from cpsat_tour.models.loop.subtours import hamiltonian_cycles


class EdgeProgram(LinearProgram):
    """The degree equations of a cycle problem as a linear program with a binary column for each edge."""

    forms: ClassVar[Mapping[str, str]] = {"opb": "OPB", **LinearProgram.forms}
    over_arcs: ClassVar[bool] = False
    relaxed: ClassVar[bool] = True

    def __init__(self, name: str, cycle: CycleProblem, seed: int, heartbeat: Heartbeat) -> None:
        numbering, u, v = Numbering(cycle, seed), cycle.tails, cycle.heads
        super().__init__(name, cycle, numbering.edges, heartbeat)
        self.used = x = self.columns("x", u[self.moves], v[self.moves], whole=True)[numbering.variables - 1]
        self.add(sum_at(v, x, cycle.order) + sum_at(u, x, cycle.order) == 2, "degree", np.arange(cycle.order))
        self.add_fixed()

    def cut(self, cut_sets: Sequence[Ints]) -> None:
        """Add a row for each cut set: at least two of its edges are used."""
        for cut_set in cut_sets:
            self.add(self.used.over([cut_set]) >= 2, f"cut_{len(self.rows) - 2}")


@dataclass(frozen=True)
class Milp(Registered, Formulated):
    """The degree equations in HiGHS, with cut sets added between its runs. It does not list tours: every one blocked is
    a dense row, and 5x5 open would take minutes. Work: ``nodes`` (the unit of its limit), ``iterations`` of the simplex
    method."""

    solver: ClassVar[str] = "HiGHS"
    library: ClassVar[str] = "highspy"
    unit: ClassVar[str] = "nodes"
    takes: ClassVar[Features] = frozenset({"symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, found in rounds of solving and cutting off; return the `Refutation` when there
        are no more."""
        with worker(self.library) as process:
            program = self.formula(run.cycle, run.limits.seed, run.heartbeat)
            yield from hamiltonian_cycles(LinearRelaxation(process, run, program, self.unit), run.cycle, run)
        equations = f"the degree equations and {run.work['cut_sets']} cut sets"
        return Refutation("claimed", f"{self.solver} reports that {equations} have no integer solution")

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> EdgeProgram:
        """Return the program of the degree equations, a relaxation; ``heartbeat`` is called meanwhile."""
        return EdgeProgram(self.name, cycle, seed, heartbeat)
