"""The edges that some fractional 2-factor uses, from one of them.

A fractional 2-factor is a flow of 2 through each vertex, split as in `plain`. The flow of an edge can change exactly if
its ends lie in one strongly connected component of the residual graph (Régin 1994 for all-different, after Dulmage &
Mendelsohn 1958).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.space import Flags, Floats, Longs
from cpsat_tour.proofs.write.veripb import CycleRows

EPSILON = 1e-6


def free_support(cycle: CycleRows, point: Floats) -> Flags:
    """Return a flag for each edge, True if it is positive at some point with degree 2 at each vertex, given one such
    point."""
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


def strong_components(order: int, tails: NDArray[np.integer], heads: NDArray[np.integer]) -> Longs:
    """Return the number of each vertex's strongly connected component (Sharir 1981): a depth-first search along the
    arcs leaves the vertices in an order, and one against them, from those left last, finds the components."""
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
    """Return the unseen vertices that the root leads to, in the order in which a depth-first search leaves them."""
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
