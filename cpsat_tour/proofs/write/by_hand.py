"""The refutations that a person would try first: one vertex, one part of the graph, the two colours. No solver is
asked.

Each is a combination of rows like any other, evaluated exactly; the linear program is there for what is not so plain.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.proofs.write.combination import Combination, refutation
from cpsat_tour.proofs.write.rows import CycleRows


def refutation_by_hand(cycle: CycleRows, tick: Callable[[], None] = lambda: None) -> Combination | None:
    """The first plain refutation there is; None where it takes more. ``tick`` is called between two kinds."""
    for kind in (contradicting_rows, one_vertex, one_part, two_colours):
        if found := kind(cycle):
            return found
        tick()
    return None


def contradicting_rows(cycle: CycleRows) -> Combination | None:
    """The row ``0 = 1``, or an edge both required and forbidden: no other refutation may be sought where there is
    one."""
    if cycle.contradiction is not None:
        return Combination({}, {}, {}, {}, {}, {}, gain=1, contradiction=1)
    for edge in np.intersect1d(cycle.required, cycle.forbidden).tolist():
        return Combination({}, {}, {edge: 1}, {edge: -1}, {}, {}, gain=1)
    return None


def one_vertex(cycle: CycleRows) -> Combination | None:
    """A vertex with fewer than two edges that are not forbidden, or with more than two required ones."""
    for edges, sign in ((np.flatnonzero(cycle.allowed), 1), (cycle.required, -1)):
        ends = np.concatenate([cycle.tails[edges], cycle.heads[edges]])
        degrees = np.bincount(ends, minlength=cycle.order)
        wrong = np.flatnonzero(degrees < 2 if sign > 0 else degrees > 2)
        if wrong.size:
            worst = wrong[np.argmin(sign * degrees[wrong])]
            return refutation(cycle, {int(worst): sign}, {})
    return None


def one_part(cycle: CycleRows) -> Combination | None:
    """A part of the vertices that no edge leaves."""
    if cycle.order < 2:
        return None
    parts = components(cycle.order, cycle.tails[cycle.allowed], cycle.heads[cycle.allowed])
    sizes = np.bincount(parts)
    if len(sizes) == 1:
        return None
    return refutation(cycle, {}, {cycle.shore(np.flatnonzero(parts == int(np.argmin(sizes))).tolist()): 1})


def two_colours(cycle: CycleRows) -> Combination | None:
    """The parity argument: on a bipartite graph a tour alternates, and here the two colours are not as many as that
    asks for."""
    graph = cycle.problem.graph.without(cycle.problem.forbid)
    colours = graph.colours
    if colours is None:
        return None
    signs = 1 - 2 * colours.astype(np.int64)
    for more in (signs, -signs):
        multipliers = dict(enumerate(more.tolist()))
        if cycle.apex is not None:
            multipliers[cycle.apex] = -1
        if found := refutation(cycle, multipliers, {}):
            return found
    return None


def components(order: int, tails: Ints, heads: Ints) -> Ints:
    """For each vertex the number of its component under these edges."""
    return Graph.from_edges(order, np.stack([tails, heads], axis=1)).components
