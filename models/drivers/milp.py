"""Mixed-integer programming by HiGHS (Huangfu & Hall 2018): degree rows over binary edges, and cut sets added between
solves.

The cutting-plane loop (`subtours`) in its oldest form, that of Dantzig, Fulkerson & Johnson (1954), with branch and
bound for what is fractional. HiGHS begins each round anew. It computes in floating point, so its ``none`` is a claim.
It works in a process of its own (`own_process`) on one thread.

Cost, for n vertices and m edges: m binary columns, n rows with 2m entries in all, and a row for each cut set as it is
met.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.answer import Refutation
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.run import Run
from cpsat_tour.models.drivers.own_process import Sums, worker
from cpsat_tour.models.subtours import hamiltonian_cycles


@dataclass(frozen=True)
class Milp:
    """Degree rows and cut sets. It does not list tours: every one blocked is a dense row, and 5x5 open would take
    minutes."""

    takes: ClassVar[Features] = frozenset({"symmetry"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Rounds of solving and cutting off. Work: ``nodes`` (the unit of its limit), ``iterations`` of the simplex
        method."""
        with worker("highs_worker") as process:
            yield from hamiltonian_cycles(Sums(process, run, "nodes"), run.cycle, run)
        return Refutation(
            "claimed",
            f"HiGHS reports that the degree rows and {run.work['cut_sets']} cut sets have no integer solution",
        )
