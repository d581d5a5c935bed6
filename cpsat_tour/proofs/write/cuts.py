"""Cut sets that a fractional point with degree 2 at each vertex violates, and what the degrees leave free.

*Violated cuts* are the components of the point's support; where that is connected, minimum cuts. An edge of weight 1
never crosses a violated cut that has to: moving one of its ends over leaves the cut as small. So paths of such edges
are contracted first (Padberg & Rinaldi 1990). Then one vertex after the other is parted from the first ones by a
maximum flow (Ford & Fulkerson 1956), and joined to them: a violated cut that is left to be found does not part these.

*Free* is an edge that is positive at some point. Split every vertex ``v`` into ``v`` and ``v + order``, and every edge
``uv`` into ``u -> v + order`` and ``v -> u + order``: a point with degree 2 at each vertex becomes a flow through a
bipartite graph, in which the usual argument holds: an edge's flow can change exactly if its ends lie in one strongly
connected component of the residual graph (Régin 1994 for all-different, after Dulmage & Mendelsohn 1958). Flow forth
and back averaged is a point again. So an edge is in the free support if the given point uses it or could be changed to.

Limits: violated cuts are not sought among more than `MAX_CONTRACTED` contracted vertices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python.max_flow import SimpleMaxFlow

from cpsat_tour.core.graph import Ints
from cpsat_tour.proofs.write.plain import components
from cpsat_tour.proofs.write.rows import CycleRows

Floats = NDArray[np.float64]

EPSILON = 1e-6

MAX_CONTRACTED = 3000

UNIT = 10**6
"""What a weight of 1 is as a capacity, which is a whole number."""


def violated_cuts(
    order: int, tails: Ints, heads: Ints, weights: Floats, tick: Callable[[], None] = lambda: None
) -> list[list[int]]:
    """Vertex sets whose cut sets weigh less than 2: the components of the support if there are several, else what
    minimum cuts show.

    ``tick`` is called after each flow.
    """
    support = weights > EPSILON
    tails, heads, weights = tails[support], heads[support], weights[support]
    parts = components(order, tails, heads)
    if parts.any():
        return shores_of(parts)
    ones = weights > 1 - EPSILON
    groups = components(order, tails[ones], heads[ones])
    if int(groups.max()) >= MAX_CONTRACTED:
        return []
    between = groups[tails] != groups[heads]
    capacities = np.rint(UNIT * weights[between]).astype(np.int64)
    members = _members(groups)
    return [
        [vertex for group in shore for vertex in members[group]]
        for shore in _cuts_below_two(len(members), groups[tails[between]], groups[heads[between]], capacities, tick)
    ]


def _cuts_below_two(
    order: int, tails: Ints, heads: Ints, capacities: NDArray[np.int64], tick: Callable[[], None]
) -> Iterator[list[int]]:
    network, others = SimpleMaxFlow(), np.arange(1, order, dtype=np.int32)
    network.add_arcs_with_capacity(tails, heads, capacities)
    network.add_arcs_with_capacity(heads, tails, capacities)
    from_first = network.add_arcs_with_capacity(np.zeros_like(others), others, np.zeros(order - 1, dtype=np.int64))
    for vertex, arc in zip(others.tolist(), from_first.tolist(), strict=True):
        network.solve(0, vertex)
        if network.optimal_flow() < 2 * UNIT - 10:
            yield network.get_sink_side_min_cut()
        network.set_arc_capacity(arc, 2 * UNIT)
        tick()


def shores_of(parts: Ints) -> list[list[int]]:
    """The vertices of each part; of two parts, whose cut sets are one, only the first."""
    shores = _members(parts)
    return shores[:1] if len(shores) == 2 else shores


def _members(groups: Ints) -> list[list[int]]:
    """The vertices of each group."""
    members: list[list[int]] = [[] for _ in range(int(groups.max()) + 1)]
    for vertex, group in enumerate(groups.tolist()):
        members[group].append(vertex)
    return members


def free_support(cycle: CycleRows, point: Floats) -> NDArray[np.bool_]:
    """Which edges are positive at some point with degree 2 at each vertex, this point being one."""
    edges = np.flatnonzero(cycle.undecided)
    lefts = np.concatenate([cycle.tails[edges], cycle.heads[edges]])
    rights = np.concatenate([cycle.heads[edges], cycle.tails[edges]]) + cycle.order
    value = np.tile(point[edges], 2)
    rises, falls = value < 1 - EPSILON, value > EPSILON
    arcs = np.concatenate([np.stack([lefts[rises], rights[rises]]), np.stack([rights[falls], lefts[falls]])], axis=1)
    component = strong_components(2 * cycle.order, arcs[0], arcs[1])
    support = point > EPSILON
    support[edges] |= component[cycle.tails[edges]] == component[cycle.heads[edges] + cycle.order]
    return support


def strong_components(order: int, tails: NDArray[np.integer], heads: NDArray[np.integer]) -> NDArray[np.int64]:
    """For each vertex the number of its strongly connected component (Sharir 1981): a depth-first search along the arcs
    leaves the vertices in an order, and one against them, from those left last, finds the components."""
    along, against = ([list[int]() for _ in range(order)] for _ in range(2))
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        along[tail].append(head)
        against[head].append(tail)
    seen = [False] * order
    left = [vertex for root in range(order) for vertex in _depth_first(along, root, seen)]
    component, seen = np.zeros(order, dtype=np.int64), [False] * order
    for number, root in enumerate(reversed(left)):
        component[_depth_first(against, root, seen)] = number
    return component


def _depth_first(targets: list[list[int]], root: int, seen: list[bool]) -> list[int]:
    """The vertices that the root leads to and that were not seen before, in the order in which the search leaves
    them."""
    if seen[root]:
        return []
    seen[root] = True
    left, path = [], [(root, iter(targets[root]))]
    while path:
        vertex, to_try = path[-1]
        following = next((target for target in to_try if not seen[target]), None)
        if following is None:
            left.append(vertex)
            path.pop()
        else:
            seen[following] = True
            path.append((following, iter(targets[following])))
    return left
