"""A pseudo-Boolean formula, cut sets added between solves, by ``exact`` (Elffers & Nordström 2018; Devriendt, Gleixner
& Nordström 2021).

    sum of x[e] over the edges e at v = 2       for each vertex v
    x[e] = 1                                    for each required edge e
    x[e] = x[f]                                 for tied edges e and f
    sum of x[e] over the edges e of a cut >= 2  for the cut set of one cycle or several of a solution

As printed in Miliotis 1976 (`milp`), in integer rounds; differs in having no objective, and in required and tied
edges. ``exact`` reasons with cutting planes in exact arithmetic and learns from conflicts: that a board of odd size has
no closed tour it sees by adding up the degree equations, and 11x11 takes milliseconds. By resolution pigeonholes need
exponentially many steps (Haken 1985); of knights on odd boards nothing like it is proved, but solvers of clauses had no
answer for 7x7 in 30 s.

Cost: as `milp`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.engines.registry import Features
from cpsat_tour.models.milp import Milp


@dataclass(frozen=True)
class PseudoBoolean(Milp):
    """The degree equations in ``exact``, with cut sets added between its runs. Work is counted in ``conflicts``."""

    solver: ClassVar[str] = "exact"
    library: ClassVar[str] = "exact"
    unit: ClassVar[str] = "conflicts"
    takes: ClassVar[Features] = frozenset({"every", "symmetry"})
