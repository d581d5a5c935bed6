"""The formula that the lazy SAT formulations begin with: the degree constraints, whose models are the 2-factors. It is a relaxation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.formats.formula import Clauses, Cnf, Sizes
from cpsat_tour.models.arcs import degree_sizes
from cpsat_tour.models.degree import exactly_two_edges_at_each_vertex, formula_size, required_edges
from cpsat_tour.models.numbering import Numbering, number_edges


def degree_constraints(cycle: CycleProblem, numbering: Numbering) -> Iterator[Clauses]:
    """The clauses of the degree constraints and the required edges, in batches."""
    yield from exactly_two_edges_at_each_vertex(cycle, numbering)
    yield required_edges(cycle, numbering)


class TwoFactorFormula:
    """A formulation, called ``name`` in its files, that states the degree constraints first and cuts off subtours later."""

    name: ClassVar[str]

    def formula(self, cycle: CycleProblem, seed: int = 0) -> Cnf:
        """The degree constraints and required edges."""
        numbering = number_edges(cycle, seed)
        variables, _ = formula_size(cycle)
        degrees = list(degree_constraints(cycle, numbering))
        return Cnf(cycle, numbering.edges, variables, variables - cycle.size, degrees, [], backend=self.name, relaxed=True)

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Their variables, clauses and literals, without building them."""
        return degree_sizes(cycle)
