"""A mixed-integer program, cut sets added between solves, by HiGHS (Huangfu & Hall 2018).

    sum of x[e] over the edges e at v = 2       for each vertex v
    x[e] = 1                                    for each required edge e
    sum of x[e] over the edges e of a cut >= 2  for the cut set of a cycle, once a solution has it

It is the cutting-plane loop (`subtours`) in its oldest form, that of Dantzig, Fulkerson & Johnson (1954). HiGHS begins
each round anew, with branch and bound for what is fractional; it computes in floating point, so its ``none`` is a
claim.

Cost, for n vertices and m edges: m binary columns, n equations with 2m entries in all, and a row for each cut set as it
is met.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Run
from cpsat_tour.models.drivers.linear import Worker, worker
from cpsat_tour.models.loop.numbering import number_edges
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, hamiltonian_cycles


class DegreeEquations:
    """The degree equations and cut sets in a worker, as a relaxation; column ``k`` is edge ``edges[k]``."""

    def __init__(self, worker: Worker, run: Run, counter: str) -> None:
        cycle, numbering = run.cycle, number_edges(run.cycle, run.limits.seed)
        self._worker, self._run, self._counter = worker, run, counter
        self._edges, self._columns = numbering.edges, numbering.variables - 1
        worker.begin(run, np.ones(cycle.size), cycle.size)
        indptr, incident = cycle.incidence
        self._worker.add(self._columns[incident], np.diff(indptr), 2, 2)
        required = self._columns[cycle.required]
        self._worker.add(required, np.ones_like(required), 1, 1)
        pairs = self._columns[cycle.tied_pairs]
        self._worker.add(pairs, np.full(len(pairs), 2), 0, 0, np.tile([1.0, -1.0], len(pairs)))

    def solve(self) -> EdgeNumbers | None:
        """Return the edges of a solution, a 2-factor, None if there is none; `StoppedEarly` at a limit."""
        chosen = self._worker.solve(self._run, self._counter)
        return None if chosen is None else self._edges[chosen]

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a row for each cut set: at least two of its edges."""
        edges = np.concatenate([cut_set.edges for cut_set in cut_sets])
        lengths = np.array([len(cut_set.edges) for cut_set in cut_sets])
        self._worker.add(self._columns[edges], lengths, 2, np.inf)

    def block(self, edges: EdgeNumbers) -> None:
        """Add a row: not all of these edges."""
        self._worker.add(self._columns[edges], np.array([len(edges)]), -np.inf, len(edges) - 1)


@dataclass(frozen=True)
class Milp:
    """Degree equations and cut sets, by HiGHS. It does not list tours: every one blocked is a dense row, and 5x5 open
    would take minutes. Work: ``nodes`` (the unit of its limit), ``iterations`` of the simplex method."""

    solver: ClassVar[str] = "HiGHS"
    library: ClassVar[str] = "highspy"
    unit: ClassVar[str] = "nodes"
    takes: ClassVar[Features] = frozenset({"symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, found in rounds of solving and cutting off; return the `Refutation` when there
        are no more."""
        with worker(self.library) as process:
            yield from hamiltonian_cycles(DegreeEquations(process, run, self.unit), run.cycle, run)
        equations = f"the degree equations and {run.work['cut_sets']} cut sets"
        return Refutation("claimed", f"{self.solver} reports that {equations} have no integer solution")
