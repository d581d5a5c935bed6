"""The positions of CP-SAT's models: the domain of each is as long to write as an interval."""

from __future__ import annotations

import pytest

from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.models.eager_cpsat import EagerCpSat
from cpsat_tour.models.positions import Positions
from cpsat_tour.models.successor import Successor


@pytest.mark.parametrize("formulation", [Positions(), Successor()], ids=lambda formulation: formulation.name)
@pytest.mark.parametrize(("space", "closed"), [("8x8", True), ("5x6", False), ("GP(9,2)", True)])
def test_the_values_of_an_integer_are_an_interval(formulation: EagerCpSat, space: str, closed: bool) -> None:
    """The successors of a vertex are its neighbours; all other integers are positions, with or without parity."""
    cycle = to_cycle(Problem(graph_of(space), closed))
    domains = [variable.domain for variable in formulation.model(cycle).proto.variables]
    positions = domains[-cycle.order :]
    assert all(len(domain) == 2 for domain in positions)
    assert sorted(domain[1] for domain in positions)[0] == 0  # the root
