"""The formula that the lazy SAT formulations begin with: the degree constraints, whose models are the 2-factors. It is a relaxation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.formats.formula import Clauses, Cnf, Sizes
from cpsat_tour.models.degree import auxiliary_variables, exactly_two_edges_at_each_vertex, required_edges, tied_edges
from cpsat_tour.models.numbering import Numbering, number_edges
from cpsat_tour.models.stated import StatedClauses


def degree_constraints(cycle: CycleProblem, numbering: Numbering) -> Iterator[Clauses]:
    """The clauses of the degree constraints and the required edges, in batches."""
    yield from exactly_two_edges_at_each_vertex(cycle, numbering)
    yield required_edges(cycle, numbering)


def two_factor_clauses(cycle: CycleProblem, numbering: Numbering) -> Iterator[Clauses]:
    """The same, and the edges that a symmetry ties together."""
    yield from degree_constraints(cycle, numbering)
    yield tied_edges(cycle, numbering)


def state_degree_constraints(stated: StatedClauses, cycle: CycleProblem, numbering: Numbering) -> None:
    """Take the variables of the edges and of the degree constraints, and state these and the required edges."""
    stated.take(cycle.size + auxiliary_variables(cycle))
    for clauses in degree_constraints(cycle, numbering):
        stated.add(clauses)


class TwoFactorFormula:
    """A formulation, called ``name`` in its files, that states the degree constraints first and cuts off subtours later."""

    name: ClassVar[str]

    def formula(self, cycle: CycleProblem, seed: int = 0) -> Cnf:
        """The degree constraints and required edges."""
        numbering = number_edges(cycle, seed)
        stated = StatedClauses(self.name, most=math.inf)
        state_degree_constraints(stated, cycle, numbering)
        variables, tied = stated.sizes.variables, [tied_edges(cycle, numbering)]
        return Cnf(cycle, numbering.edges, variables, variables - cycle.size, stated.blocks, tied, backend=self.name, relaxed=True)

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Their variables, clauses and literals, without keeping them."""
        stated = StatedClauses(self.name, kept=False)
        numbering = number_edges(cycle, 0)
        state_degree_constraints(stated, cycle, numbering)
        stated.add(tied_edges(cycle, numbering))
        return stated.sizes
