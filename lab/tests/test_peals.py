"""Graphs of peals: as many gadgets as said, each with six modes, and two edges at each port."""

import numpy as np
import peals
import pytest

from cpsat_tour import Graph, Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.presolve.gadgets import find_gadgets


@pytest.mark.parametrize(
    ("count", "number"), [(count, n) for count, groups in peals.GROUPS.items() for n in range(len(groups))]
)
def test_a_part_of_a_peal_has_its_sixes_as_gadgets(count: int, number: int) -> None:
    inside, between = peals.peal(peals.GROUPS[count][number])
    graph = Graph.from_edges(33 * count, [*inside, *between])
    found = find_gadgets(to_cycle(Problem(graph, closed=True)))
    assert found is not None
    assert np.bincount(found.gadget[found.modes[:, 0]]).tolist() == [6] * count
    assert len(between) == 12 * count  # two from each exit
    assert len(found.edges) == len(between) - sum(a // 33 == b // 33 for a, b in between)
