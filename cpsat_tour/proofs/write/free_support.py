"""The edges that the degrees leave free: those which some fractional 2-factor uses, found from any one of them.

Split every vertex ``v`` into ``v`` and ``v + order``, and every edge ``uv`` into ``u -> v + order`` and ``v -> u +
order``: a point with degree 2 at each vertex becomes a flow through a bipartite graph, in which the usual argument
holds: an edge's flow can change exactly if its ends lie in one strongly connected component of the residual graph
(Régin 1994 for all-different, after Dulmage & Mendelsohn 1958). Flow forth and back averaged is a point again.
Components are Tarjan's (1972), without recursion.

So an edge is in the free support if the given point uses it or could be changed to. Time is linear in the number of
edges.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.proofs.write.min_cut import EPSILON, Floats
from cpsat_tour.proofs.write.rows import CycleRows


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
    """For each vertex the number of its strongly connected component."""
    by_tail = np.argsort(tails, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=order))]).tolist()
    targets = heads[by_tail].tolist()
    cursor = first[:-1]
    # low[v] is the least entry number known to be reached from v; once v's component is complete it is `order`.
    entered, low, component = [-1] * order, [0] * order, [-1] * order
    clock = found = 0
    for root in range(order):
        if entered[root] >= 0:
            continue
        path, open_vertices = [root], [root]
        entered[root] = low[root] = clock
        clock += 1
        while path:
            vertex = path[-1]
            if cursor[vertex] < first[vertex + 1]:
                target = targets[cursor[vertex]]
                cursor[vertex] += 1
                if entered[target] < 0:
                    entered[target] = low[target] = clock
                    clock += 1
                    path.append(target)
                    open_vertices.append(target)
                elif low[target] < low[vertex]:
                    low[vertex] = low[target]
                continue
            path.pop()
            if low[vertex] == entered[vertex]:
                while True:
                    member = open_vertices.pop()
                    component[member] = found
                    low[member] = order
                    if member == vertex:
                        break
                found += 1
            elif low[vertex] < low[path[-1]]:
                low[path[-1]] = low[vertex]
    return np.array(component, dtype=np.int64)
