"""The quotient graph of a symmetry, whose cycles stand for the symmetric tours: a half or a quarter of the board.

The quotient graph has a vertex for each orbit of vertices and an edge for each orbit of edges. A symmetry that is not
the identity takes a tour to itself as a rotation (the tour moves along itself) or as a reflection (it is reversed), and
is then its own inverse.

*Reversed.* A reflection of a cycle fixes two places, vertices or edges whose ends change places. The half of the tour
from one to the other passes each orbit of vertices once: it is a Hamiltonian path of the quotient between two orbits
that have such a place, and each such path lifts to one cycle. An apex joins these orbits. An open tour is the half from
an end to its middle; any orbit of two vertices may be the end.

*Moved along.* All orbits of vertices then have d members, and d rounds of the quotient are one round of the tour. Each
edge of the quotient has a *voltage*, by how many images the numbering of the orbit is passed on (Gross 1974); a
Hamiltonian cycle of the quotient lifts to one cycle exactly where its voltages add up to a number prime to d. Here d is
a power of two, so that they must add up to an odd number: the frontier method keeps the parity in its states.

Two edges of the quotient may join the same orbits; each is a choice of its own. Limits: no ends, required or forbidden
moves.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Edge
from cpsat_tour.core.limits import Clock
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints
from cpsat_tour.frontier.states import SweptGraph, swept_graph_of

Parities = dict[Edge, tuple[int, ...]]


def symmetric_swept_graphs(problem: Problem, symmetry: Symmetry, clock: Clock) -> tuple[list[SweptGraph], list[int]]:
    """Return at most two graphs whose cycles together stand for the symmetric tours, one for one; and the least vertex
    of each orbit, the orbits in this order.

    `BadInput` where `refusal` has a reason; `StoppedEarly` when the time is over.
    """
    if refused := refusal(problem, symmetry):
        raise BadInput(refused)
    orbits = symmetry.orbits
    joined = _quotient_edges(problem, orbits, clock)
    may_reverse = symmetry.turning != "along" and max(map(len, orbits)) == 2
    parts = [_reversed_swept_graph(problem, orbits, joined, clock)] if may_reverse else []
    if _may_move_along(problem, symmetry):
        parts.append(replace(_swept_graph(problem, len(orbits), joined, (), None, clock), odd=True))
    return [part for part in parts if part is not None], [orbit[0] for orbit in orbits]


def refusal(problem: Problem, symmetry: Symmetry) -> str | None:
    """Return a sentence that says why the quotient graph can't count symmetric tours; None if it can, and for the
    identity."""
    start, listing = "the frontier method counts symmetric tours", "count these by listing, such as with backend edges"
    if symmetry.is_identity:
        return None
    if problem.start is not None or problem.end is not None or problem.require or problem.forbid:
        return f"{start} without ends, required and forbidden moves: {listing}"
    number, size = len(symmetry.orbits), max(map(len, symmetry.orbits))
    if _may_move_along(problem, symmetry) and (size & (size - 1) or number < 3):
        return f"{start} of at least 3 orbits of 2, 4, 8 … vertices each, and here are {number} of {size}: {listing}"
    return None


def _may_move_along(problem: Problem, symmetry: Symmetry) -> bool:
    """Return True if the symmetry may move a closed tour along itself: its orbits are all of one size."""
    return problem.closed and symmetry.turning != "over" and len(set(map(len, symmetry.orbits))) == 1


def _quotient_edges(problem: Problem, orbits: list[list[int]], clock: Clock) -> Parities:
    """Return for each two orbits that edges join, the lesser first, the parity of the voltage of each orbit of edges
    between them."""
    orbit_of, place = np.empty((2, problem.graph.order), dtype=np.int64)
    for number, orbit in enumerate(orbits):
        orbit_of[orbit], place[orbit] = number, np.arange(len(orbit))
    joined: Parities = {}
    for number, orbit in enumerate(orbits):
        clock.check()
        for neighbour in problem.graph.neighbours(orbit[0]).tolist():
            other = int(orbit_of[neighbour])
            # An orbit of edges has as many edges as the larger of the two orbits has vertices, one at each of these.
            if (len(orbit), number) > (len(orbits[other]), other):
                ends = min(number, other), max(number, other)
                joined[ends] = (*joined.get(ends, ()), int(place[neighbour]) % 2)
    return joined


def _reversed_swept_graph(
    problem: Problem, orbits: list[list[int]], joined: Parities, clock: Clock
) -> SweptGraph | None:
    """Return the graph whose cycles stand for the paths through all orbits between two that have a fixed place (of open
    tours: from any orbit of two vertices to one that has); None where there are none."""
    order, closed, has_arc = len(orbits), problem.closed, problem.graph.has_arc
    fixed = [number for number, orbit in enumerate(orbits) if len(orbit) == 1 or has_arc(orbit[0], orbit[1])]
    apex = order if closed else order + 1
    # A half of the tour begins or ends at a fixed vertex, which has one edge in the quotient and one to the apex.
    required = [(number, apex) for number in fixed if len(orbits[number]) == 1]
    if not len(required) <= (2 if closed else 1) <= len(fixed) or (closed and order == 1):
        return None
    edges = {ends: (0,) * len(parities) for ends, parities in joined.items()} | {(each, apex): (0,) for each in fixed}
    if not closed:
        edges |= {(number, order): (0,) for number, orbit in enumerate(orbits) if len(orbit) == 2}
        edges[order, apex] = (0,)
        required.append((order, apex))
    return _swept_graph(problem, apex + 1, edges, required, apex, clock)


def _swept_graph(
    problem: Problem, order: int, joined: Parities, required: Collection[Edge], apex: int | None, clock: Clock
) -> SweptGraph:
    """Return the graph to be swept that has these edges, some of them required."""
    ends: Ints = np.array(list(joined), dtype=np.int32).reshape(-1, 2)
    flags = np.array([edge in required for edge in joined], dtype=bool)
    cycle = CycleProblem(problem, order, ends[:, 0], ends[:, 1], flags, apex)
    return replace(swept_graph_of(cycle, clock), parallel=joined)
