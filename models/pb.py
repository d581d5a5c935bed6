"""A pseudo-Boolean formula, cut sets added between solves, by ``exact`` (Elffers & Nordström 2018; Devriendt, Gleixner
& Nordström 2021).

    sum of x[e] over the edges e at v = 2       for each vertex v
    x[e] = 1                                    for each required edge e
    x[e] = x[f]                                 for edges e and f that a symmetry ties together
    sum of x[e] over the edges e of a cut >= 2  for the cut set of one cycle or several of a solution

The rows are those of `milp`. ``exact`` reasons with cutting planes in exact arithmetic and learns from conflicts: where
clauses do not see that a board of odd size has no closed tour (`lazy` has no answer on 7x7 in 30 s), it adds up the
degree equations, and 11x11 takes milliseconds.

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

    name: ClassVar[str] = "pb"
    solver: ClassVar[str] = "exact"
    library: ClassVar[str] = "exact"
    unit: ClassVar[str] = "conflicts"
    takes: ClassVar[Features] = frozenset({"every", "symmetry"})
