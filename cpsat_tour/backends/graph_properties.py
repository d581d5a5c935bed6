"""Properties that speak of Hamiltonian cycles after vertices are deleted, for graphs that the kernel of streams leaves:
`auto` is asked about each of the smaller graphs, one after the other, until the property is decided. The circumference
is the length of the longest closed tour that may leave vertices out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from cpsat_tour.backends.best import optimise_routes
from cpsat_tour.backends.best_search import routes_goal
from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.native.bits import CIRCUMFERENCE, HYPOHAMILTONIAN, K2


def has_property(graph: Graph, asked: int, length: int, limits: Limits) -> bool:
    """Return True if the graph has the property that is asked for, as `batch_kernel` numbers them; ``length`` is the
    circumference. `StoppedEarly` if the limits, those of all searches together, leave it open."""
    if asked == CIRCUMFERENCE:
        longest = optimise_routes(routes_goal(Problem(graph, closed=True), "length"), limits)
        least, most = longest.value or 0, 0 if longest.none else longest.bound
        if least <= length and (most is None or most >= length) and least != most:
            raise StoppedEarly(longest.stopped_by or "")
        return least == length
    clock = limits.clock()

    def has_cycle(vertices: tuple[int, ...]) -> bool:
        if len(vertices) < 2:
            return False
        smaller = Problem(graph.subgraph(np.array(vertices, dtype=np.int32)), closed=True)
        answer = run(smaller, load("auto"), replace(limits, seconds=clock.left), None, "auto")
        if answer.unknown:
            raise StoppedEarly(answer.stopped_by or "")
        return bool(answer)

    def without(number: int, *, adjacent: bool = False) -> Iterator[bool]:
        for deleted in combinations(range(graph.order), number):
            if not adjacent or graph.has_arc(*deleted) or graph.has_arc(*deleted[::-1]):
                yield has_cycle(tuple(v for v in range(graph.order) if v not in deleted))

    if asked == HYPOHAMILTONIAN and any(without(0)):
        return False
    return all(without(2, adjacent=True) if asked == K2 else without(1))
