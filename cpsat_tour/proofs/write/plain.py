"""The refutations that a person would try first: one vertex, one component, the two colours; and the degrees alone.

No linear program is solved; each refutation is a combination of rows, evaluated exactly.

A graph without a fractional 2-factor has no tour. Split every vertex ``v`` into ``v`` and ``v + order``, and every edge
``uv`` into ``u -> v + order`` and ``v -> u + order``: a point with degree 2 at each vertex becomes a flow of 2 through
each, and the mean of such a flow and its reverse is a point. If no flow is that large, a minimum cut (Ford & Fulkerson
1956) has the vertices A, and those split off from B, on the source's side, and the degree rows of A minus those of B
contradict each other: the moves at A have more ends than B and the edges from A to the others can take. On thousands of
vertices the flow takes milliseconds where the linear program takes seconds.

Limits: the flow can't be interrupted, so it is not asked about graphs of more than `MAX_EDGES` edges.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.space import Ints
from cpsat_tour.proofs.write.combination import Combination, refutation
from cpsat_tour.proofs.write.veripb import CycleRows

MAX_EDGES = 500_000


def refutation_by_hand(cycle: CycleRows, tick: Callable[[], None] = lambda: None) -> Combination | None:
    """Return the first plain refutation there is, or None. ``tick`` is called between two kinds."""
    for seek in (_contradiction_refutation, _vertex_refutation, _component_refutation, _parity_refutation):
        if found := seek(cycle):
            return found
        tick()
    return None


def _contradiction_refutation(cycle: CycleRows) -> Combination | None:
    """Return the refutation by the row ``0 = 1`` or by an edge both required and forbidden, or None. No other may be
    sought if there is one."""
    if cycle.stated.contradiction is not None:
        return Combination({}, {}, {}, {}, {}, {}, gain=1, contradiction=1)
    for edge in np.intersect1d(cycle.required, cycle.forbidden).tolist():
        return Combination({}, {}, {edge: 1}, {edge: -1}, {}, {}, gain=1)
    return None


def _vertex_refutation(cycle: CycleRows) -> Combination | None:
    """Return the refutation by a vertex with fewer than two allowed edges, or more than two required ones, or None."""
    for edges, sign in ((np.flatnonzero(cycle.allowed), 1), (cycle.required, -1)):
        ends = np.concatenate([cycle.tails[edges], cycle.heads[edges]])
        surplus = sign * (np.bincount(ends, minlength=cycle.order) - 2)
        if (surplus < 0).any():
            return refutation(cycle, {int(surplus.argmin()): sign}, {})
    return None


def _component_refutation(cycle: CycleRows) -> Combination | None:
    """Return the refutation by a set of vertices that no allowed edge leaves; None if the graph is connected."""
    parts = components(cycle.order, cycle.tails[cycle.allowed], cycle.heads[cycle.allowed])
    if not parts.any():
        return None
    smallest = np.flatnonzero(parts == np.bincount(parts).argmin())
    return refutation(cycle, {}, {cycle.shore(smallest.tolist()): 1})


def _parity_refutation(cycle: CycleRows) -> Combination | None:
    """Return the refutation by colours, None if they refute nothing: on a bipartite graph a tour alternates, and there
    are too many vertices of one colour."""
    colours = cycle.problem.graph.without(cycle.problem.forbid).colours
    if colours is None:
        return None
    for signs in (1 - 2 * colours, 2 * colours - 1):
        multipliers = dict(enumerate(signs.tolist()))
        if cycle.apex is not None:
            multipliers[cycle.apex] = -1
        if found := refutation(cycle, multipliers, {}):
            return found
    return None


def components(order: int, tails: Ints, heads: Ints) -> Ints:
    """Return the number of each vertex's component under these edges."""
    return Graph.from_edges(order, np.stack([tails, heads], axis=1)).components


# --- the degrees alone ---


def refutation_by_degrees(cycle: CycleRows) -> Combination | None:
    """Return the refutation by degree rows; None if a fractional 2-factor has the required edges, or if there are more
    than `MAX_EDGES`.

    No vertex may have more than two of these: that is refuted by hand.
    """
    if cycle.size > MAX_EDGES:
        return None
    from ortools.graph.python.max_flow import SimpleMaxFlow  # OR-Tools takes a while to load

    order, (source, sink) = cycle.order, (2 * cycle.order, 2 * cycle.order + 1)
    ends = np.stack([cycle.tails, cycle.heads])
    tails, heads = ends[:, cycle.undecided]
    lacking = 2 - np.bincount(ends[:, cycle.required].ravel(), minlength=order)
    vertices = np.arange(order)
    network = SimpleMaxFlow()
    network.add_arcs_with_capacity(
        np.concatenate([tails, heads, np.full(order, source), vertices + order]).astype(np.int32),
        np.concatenate([heads + order, tails + order, vertices, np.full(order, sink)]).astype(np.int32),
        np.concatenate([np.ones(2 * len(tails), dtype=np.int64), lacking, lacking]),
    )
    network.solve(source, sink)
    if network.optimal_flow() == lacking.sum():
        return None
    shore = np.zeros(2 * order + 2, dtype=bool)
    shore[network.get_source_side_min_cut()] = True
    multipliers = shore[:order].astype(np.int64) - shore[order : 2 * order]
    return refutation(cycle, {vertex: number for vertex, number in enumerate(multipliers.tolist()) if number}, {})
