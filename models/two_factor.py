"""The formula that the lazy SAT backends begin with: the degree constraints, whose models are the 2-factors. It is a relaxation."""

from __future__ import annotations

from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.formats.formula import Cnf, Sizes
from cpsat_tour.models.arcs import degree_sizes
from cpsat_tour.models.degree import exactly_two_edges_at_each_vertex, formula_size, required_edges
from cpsat_tour.models.numbering import number_edges


class TwoFactorFormula:
    """A backend that states the degree constraints first and cuts off subtours later."""

    def formula(self, problem: HamiltonProblem, seed: int = 0) -> Cnf:
        """The degree constraints and required edges."""
        cycle = to_cycle(problem)
        numbering = number_edges(cycle, seed)
        variables, _ = formula_size(cycle)
        degrees = [*exactly_two_edges_at_each_vertex(cycle, numbering), required_edges(cycle, numbering)]
        return Cnf(cycle, numbering.edges, variables, variables - cycle.size, degrees, [], backend="sat:lazy", relaxed=True)

    def sizes(self, problem: HamiltonProblem) -> Sizes:
        """Their variables, clauses and literals, without building them."""
        return degree_sizes(to_cycle(problem))
