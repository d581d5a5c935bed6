"""Cycles and paths as arrays of vertices: those of a 2-factor, and rows of an array, all turned at once to another
vertex or round."""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.graph import Ints


def from_vertex(cycles: Ints, vertex: int) -> Ints:
    """Each cycle (a row) read from this vertex."""
    shift = (cycles == vertex).argmax(axis=1)
    if not shift.any():
        return cycles
    order = cycles.shape[1]
    return np.take_along_axis(cycles, (np.arange(order) + shift[:, None]) % order, axis=1)


def cycles_backwards(cycles: Ints) -> Ints:
    """Each cycle read backwards from its first vertex."""
    return np.concatenate([cycles[:, :1], cycles[:, :0:-1]], axis=1)


def cycles_the_lesser_way(cycles: Ints) -> Ints:
    """Each cycle from its first vertex in the direction of the lesser second vertex."""
    return np.where((cycles[:, 1] < cycles[:, -1])[:, None], cycles, cycles_backwards(cycles))


def the_lesser_way(paths: Ints) -> Ints:
    """Each path from the lesser of its ends."""
    return np.where((paths[:, 0] < paths[:, -1])[:, None], paths, paths[:, ::-1])


def two_factor_cycles(order: int, tails: Ints, heads: Ints, *, directed: bool) -> list[Ints]:
    """The disjoint cycles that the edges (arcs, if directed) of a 2-factor form, each as its vertices in order, longest
    last."""
    ends, others = (tails, heads) if directed else (np.concatenate([tails, heads]), np.concatenate([heads, tails]))
    beside = others[np.argsort(ends, kind="stable")].reshape(order, -1).tolist()
    seen = bytearray(order)
    cycles = []
    for root in range(order):
        cycle, vertex = [], root
        while not seen[vertex]:
            seen[vertex] = 1
            cycle.append(vertex)
            near = beside[vertex]
            vertex = near[-1] if seen[near[0]] else near[0]
        if cycle:
            cycles.append(np.array(cycle, dtype=np.int32))
    return sorted(cycles, key=len)
