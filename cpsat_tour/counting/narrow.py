"""Orders of the vertices with narrow frontiers: a greedy choice, from many vertices to begin at, equal ones told apart
by chance.

The *frontier* is what is beside the vertices taken so far. Next comes the vertex of it that brings the fewest new ones
in (as in King 1970, for the profile of matrices); or, where each of them brings in several, as hubs do, a vertex from
outside that brings in fewer. What a method along the frontier takes grows with an exponential of its width, so of all
orders tried that one is best whose sum of such exponentials is the least. Chance matters: among some thousand orders
one has a tenth of the work of a usual one.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.compiled import compiled
from cpsat_tour.core.graph import Ints

MOST_ORDERS, LEAST_ORDERS, MOST_VERTICES = 3000, 32, 1_000_000
"""So many orders are tried, or as many as have so many vertices in all: some tenths of a second."""

VERTICES_A_STATE = 2
"""Orders tried have no more than so many vertices for each state that is to be expected, lest trying takes longer than
it saves."""

MANY = 2
"""So many new vertices or more are worth a look for a vertex outside the frontier."""

STATES_A_PLACE = 2.5
STATES_REACHED = 10.0
"""What one more vertex in the frontier multiplies the states by, and the part of these that is reached: one in 5 to 20
on sparse graphs."""


def narrow_order(indptr: Ints, heads: Ints, most: int, clock: Clock) -> tuple[Ints, float]:
    """The best order found of the vertices of a graph as CSR arrays, and about how many states it has.

    These are infinitely many where all orders have frontiers of more than ``most`` vertices. `StoppedEarly` when the
    time is over.
    """
    order = len(indptr) - 1
    vertices, best = np.empty(order, dtype=np.int32), np.empty(order, dtype=np.int32)
    least = np.inf
    tries = max(LEAST_ORDERS, min(MOST_ORDERS, MOST_VERTICES // order))
    for attempt in range(tries):
        if attempt >= LEAST_ORDERS and attempt * order > VERTICES_A_STATE * least / STATES_REACHED:
            break
        clock.check()
        root = attempt % order if order < tries else attempt * order // tries
        cost = greedy_order(indptr, heads, root, most, least, attempt, vertices)
        if cost < least:
            least, vertices, best = cost, best, vertices
    return best, least / STATES_REACHED


@compiled
def greedy_order(indptr: Ints, heads: Ints, root: int, most: int, least: float, seed: int, vertices: Ints) -> float:
    """Write the order from a root on; its cost, infinite where that meets the ``least`` or the frontier has more than
    ``most`` vertices."""
    np.random.seed(seed)
    order = len(vertices)
    fresh = np.diff(indptr)  # neighbours of each vertex that are neither taken nor in the frontier
    reached = np.zeros(order, dtype=np.bool_)
    frontier = np.empty(order, dtype=np.int32)
    size, cost = 0, 0.0
    for place in range(order):
        chosen, fewest = -1, np.inf
        for number in range(size):
            new = fresh[frontier[number]] + np.random.random()
            if new < fewest:
                chosen, fewest = number, new
        vertex = root if place == 0 else -1
        if place and fewest > MANY:
            for other in range(order):
                if not reached[other] and fresh[other] + 1 < fewest:
                    vertex, fewest = other, fresh[other] + 1
        if vertex >= 0:
            reached[vertex] = True
            for head in heads[indptr[vertex] : indptr[vertex + 1]]:
                fresh[head] -= 1
        else:
            vertex = frontier[chosen]
            size -= 1
            frontier[chosen] = frontier[size]
        vertices[place] = vertex
        for head in heads[indptr[vertex] : indptr[vertex + 1]]:
            if not reached[head]:
                reached[head] = True
                frontier[size] = head
                size += 1
                for beyond in heads[indptr[head] : indptr[head + 1]]:
                    fresh[beyond] -= 1
        cost += STATES_A_PLACE**size
        if size > most or cost >= least:
            return np.inf
    return cost
