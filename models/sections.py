"""Waypoints as clauses: the stops of a cycle cut it into sections, and each vertex between two stops is told its
section.

For stops ``0..k-1`` that a cycle visits in this cyclic order, a variable for each section ``j``, which leads from stop
``j`` to stop ``j + 1`` modulo ``k``, and each vertex ``v`` that is not a stop:

    move[u, v] => section[u, j] = section[v, j]              for u and v between stops
    move[s, v] => section[v, s - 1] or section[v, s]         for stop s, and no other section
    not move[s, t]                                           unless the stops s and t follow each other

On a Hamiltonian cycle the sections of the vertices between two stops are all the same, so that two stops that come
after each other are neighbours in the order; the cycle thus visits all stops in this order, or in reverse. Of a
directed graph an arc out of stop ``s`` leads into section ``s``, and one into it comes from section ``s - 1``.

Cost, for n vertices, m moves and k stops: (n - k) k variables, about 2 m k clauses.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.formats.formula import Clauses


def section_variables(cycle: CycleProblem) -> int:
    """Return the number of variables that the sections need."""
    return (cycle.order - len(cycle.stops)) * len(cycle.stops)


def stops_in_order(cycle: CycleProblem, tails: Ints, heads: Ints, moves: Ints, first: int) -> Iterator[Clauses]:
    """Yield the clauses that let a cycle visit the stops in their order: ``moves`` are the variables of the edges or
    arcs between ``tails`` and ``heads``, and those of the sections are numbered from ``first``."""
    stops, stop = len(cycle.stops), np.full(cycle.order, -1)
    stop[[*cycle.stops]] = np.arange(stops)
    if not stops:
        return
    section = first + stops * (np.cumsum(stop < 0) - 1)[:, None] + np.arange(stops)
    between = (stop[tails] < 0) & (stop[heads] < 0)
    move, tail, head = -moves[between][:, None], section[tails[between]], section[heads[between]]
    for signs in (1, -1):
        clauses = np.stack(np.broadcast_arrays(move, -signs * tail, signs * head), axis=-1)
        yield clauses.reshape(-1, 3).astype(np.int32)
    after = (stop[heads] - stop[tails]) % stops
    follow = (after == 1) | ((after == stops - 1) & (not cycle.directed))
    yield -moves[(stop[tails] >= 0) & (stop[heads] >= 0) & ~follow][:, None]
    for ends, others, leaving in ((tails, heads, True), (heads, tails, False)):
        beside = np.flatnonzero((stop[ends] >= 0) & (stop[others] < 0))
        there, move = section[others[beside]], -moves[beside]
        steps = [0 if leaving else -1] if cycle.directed else [0, -1]
        near = np.stack([(stop[ends[beside]] + step) % stops for step in steps], axis=1)
        yield np.concatenate([move[:, None], np.take_along_axis(there, near, axis=1)], axis=1).astype(np.int32)
        far = np.ones(there.shape, dtype=bool)
        np.put_along_axis(far, near, False, axis=1)
        yield np.stack([np.repeat(move, far.sum(axis=1)), -there[far]], axis=1).astype(np.int32)
