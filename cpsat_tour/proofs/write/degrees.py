"""What the degrees alone refute: a graph without a fractional 2-factor has no tour.

Split every vertex and every edge as `cpsat_tour.proofs.write.free_support` does: a point with degree 2 at each vertex
becomes a flow of 2 through each, and such a flow, forth and back averaged, a point. Where no flow is that large, a
minimum cut (Ford & Fulkerson 1956) has the vertices A, and those split off from B, on the source's side, and the degree
rows of A less those of B contradict each other: the moves at A have more ends than B and the edges from A to the others
can take.

The subtour linear program begins with the same question, but on thousands of vertices the flow takes milliseconds and
the program seconds. Limits: the flow can't be interrupted, so graphs of more than `MAX_EDGES` edges are not asked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python.max_flow import SimpleMaxFlow

from cpsat_tour.proofs.write.combination import Combination, refutation
from cpsat_tour.proofs.write.rows import CycleRows

MAX_EDGES = 500_000


def refutation_by_degrees(cycle: CycleRows) -> Combination | None:
    """Degree rows that contradict each other; None where there is a fractional 2-factor that has the required edges.

    No vertex may have more than two of these: that is refuted by hand.
    """
    if cycle.size > MAX_EDGES:
        return None
    shore = _source_side(cycle)
    if shore is None:
        return None
    multipliers = shore[: cycle.order].astype(np.int64) - shore[cycle.order :]
    return refutation(cycle, {vertex: number for vertex, number in enumerate(multipliers.tolist()) if number}, {})


def _source_side(cycle: CycleRows) -> NDArray[np.bool_] | None:
    """The source's side of a minimum cut, a mark for each vertex and then for each that is split off; None where all
    degrees can be 2."""
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
    return shore[: 2 * order]
