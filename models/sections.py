"""Waypoints as clauses: the stops of a cycle cut it into sections, and each vertex between two stops is told its
section.

For stops ``0..k-1`` that a cycle visits in this cyclic order, a variable for each section ``j``, which leads from stop
``j`` to stop ``j + 1`` modulo ``k``, and each vertex ``v`` that is not a stop:

    move[u, v] => section[u, j] = section[v, j]          for u and v between stops, and each j
    not move[s, t]                                       for stops s and t that don't follow each other
    move[s, v] => section[v, s - 1] or section[v, s]     for stop s and v between stops
    move[s, v] => not section[v, j]                      for every other j

and of a directed graph instead of the last two:

    move[s, v] => section[v, s], not section[v, j]       for every other j
    move[v, s] => section[v, s - 1], not section[v, j]   for every other j

On a Hamiltonian cycle the sections of the vertices between two stops are all the same, so that two stops that come
after each other are neighbours in the order; the cycle thus visits all stops in this order, or in reverse.

Cost, for n vertices and k stops: (n - k) k variables; 2k clauses for each move between vertices that are no stops,
k - 1 for each between one and a stop (k if directed), 1 for each between stops that don't follow each other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints
from cpsat_tour.formats.formula import Clauses


def section_variables(cycle: CycleProblem) -> int:
    """Return the number of variables that the sections need."""
    return (cycle.order - len(cycle.stops)) * len(cycle.stops)


def stops_in_order(cycle: CycleProblem, tails: Ints, heads: Ints, moves: Ints, first: int) -> Iterator[Clauses]:
    """Yield the clauses that let a cycle visit its stops, of which there are some, in their order: ``moves`` are the
    variables of the edges or arcs between ``tails`` and ``heads``, and those of the sections are numbered from
    ``first``."""
    stops, stop = len(cycle.stops), np.full(cycle.order, -1)
    stop[[*cycle.stops]] = np.arange(stops)
    section = first + stops * (np.cumsum(stop < 0) - 1)[:, None] + np.arange(stops)
    # move[u, v] => section[u, j] = section[v, j]
    between = (stop[tails] < 0) & (stop[heads] < 0)
    move, section_u, section_v = moves[between][:, None], section[tails[between]], section[heads[between]]
    for sign in (1, -1):
        clauses = np.stack(np.broadcast_arrays(-move, -sign * section_u, sign * section_v), axis=-1)
        yield clauses.reshape(-1, 3).astype(np.int32)
    # Not move[s, t] unless they follow each other.
    steps = (stop[heads] - stop[tails]) % stops
    follow = (steps == 1) | ((steps == stops - 1) & (not cycle.directed))
    yield -moves[(stop[tails] >= 0) & (stop[heads] >= 0) & ~follow][:, None]
    # move[s, v] => section[v, s - 1] or section[v, s], and no other; arcs out of s are in section s, into it in s - 1.
    for ends, others, out_of in ((tails, heads, True), (heads, tails, False)):
        at_stop = np.flatnonzero((stop[ends] >= 0) & (stop[others] < 0))
        move, section_v = moves[at_stop][:, None], section[others[at_stop]]
        beside = [-1, 0] if not cycle.directed else [0] if out_of else [-1]
        near = (stop[ends[at_stop]][:, None] + np.array(beside)) % stops
        yield np.concatenate([-move, np.take_along_axis(section_v, near, axis=1)], axis=1).astype(np.int32)
        far = np.ones(section_v.shape, dtype=bool)
        np.put_along_axis(far, near, False, axis=1)
        yield np.stack([np.repeat(-move, far.sum(axis=1)), -section_v[far]], axis=1).astype(np.int32)
