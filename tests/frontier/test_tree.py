"""Orders of vertices for the frontier method: each vertex once, a narrow frontier, linear time at a star."""

import math

import numpy as np
import pytest

from cpsat_tour import Graph, graph_of
from cpsat_tour.core.runs import Clock
from cpsat_tour.frontier.tree import (
    STATES_A_PLACE,
    frontier_order,
    frontier_order_fault,
    greedy_order,
    narrow_order,
)


def test_a_star_has_an_order_in_linear_time() -> None:
    """The next leaf is none of the neighbours in the frontier: to look at all vertices for each would take hours."""
    order = 1_000_000
    star = Graph.from_edges(order, np.stack([np.zeros(order - 1, dtype=np.int32), np.arange(1, order)], axis=1))
    greedy = greedy_order(star, 2)
    assert frontier_order(greedy, 1, 0)
    assert np.isfinite(greedy.least[0])
    assert len(np.unique(greedy.vertices)) == order


@pytest.mark.parametrize("text", ["GP(40,3)", "6x6", "cubic(60,1)", "Q(5)", "4x4x4", "J(7)"])
def test_the_invariant_holds_of_whole_orders_and_of_those_that_are_given_up(text: str) -> None:
    graph = graph_of(text)
    for most, whole in ((graph.order, 1), (3, 0)):
        for seed in range(20):
            greedy = greedy_order(graph, most)
            assert (frontier_order(greedy, seed, seed), frontier_order_fault(greedy)) == (whole, 0)
            assert whole == 0 or sorted(greedy.vertices.tolist()) == list(range(graph.order))
    greedy.fresh[0] += 1
    assert frontier_order_fault(greedy)


def test_an_order_is_that_of_its_seed_and_has_the_width_and_cost_that_are_said() -> None:
    graph, orders = graph_of("GP(40,3)"), list[list[int]]()
    for seed in (0, 1, 0):
        greedy = greedy_order(graph, 99)
        assert frontier_order(greedy, 7, seed)
        cost = greedy.least[0]
        orders.append(greedy.vertices.tolist())
        taken, beside, widths = set[int](), set[int](), list[int]()
        for vertex in orders[-1]:
            taken.add(vertex)
            beside = (beside | set(graph.neighbours(vertex).tolist())) - taken
            widths.append(len(beside))
        assert cost == sum(STATES_A_PLACE**width for width in widths)
        for most, least, fits in ((0, np.inf, True), (-1, np.inf, False), (0, cost, False), (0, 1.001 * cost, True)):
            again = greedy_order(graph, max(widths) + most)
            again.least[0] = least
            assert frontier_order(again, 7, seed) == fits
            assert again.least[0] == (cost if fits else least)
            assert not fits or again.vertices.tolist() == orders[-1]
    assert orders[0] == orders[2] != orders[1]
    assert orders[0][0] == 7
    vertices, states = narrow_order(graph, 8, Clock(None))
    assert 0 < states < 100_000
    assert sorted(vertices.tolist()) == [*range(80)]
    assert narrow_order(graph_of("6x6"), 4, Clock(None))[1] == math.inf
