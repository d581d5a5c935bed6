"""Moves as straight lines between points with whole coordinates: which two are in line, and which cross.

Two moves at a vertex are *in line* if they are one step made twice. Two moves *cross* if they meet inside both: in a
point that is an end of neither, or along a piece. Everything is computed in whole numbers, in any number of dimensions:
of ``p + s u`` and ``q + t v`` the point where they come nearest has ``s`` and ``t`` over one denominator, the Gram
determinant of u and v (which is 0 for parallel lines), so that nothing is rounded. Candidates are found by a sweep
along the first axis (Shamos & Hoey 1976). Limits: steps of at most `MAX_STEP`, `MAX_PAIRS` crossings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints, edge_keys
from cpsat_tour.core.run import Heartbeat, unwatched

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

MAX_STEP = 1 << 10
"""The longest step along an axis: products of five such lengths fit into 64 bits."""

MAX_PAIRS = 1 << 24

CANDIDATES = 1 << 18
"""Pairs of moves that are looked at together, more or less."""


def edge_numbers(graph: Graph) -> Ints:
    """For each arc of an undirected graph, as ``indices`` has them, the number of its edge, as `Graph.edges` has
    them."""
    _, numbers = np.unique(edge_keys(graph.order, graph.tails, graph.indices), return_inverse=True)
    return numbers.astype(np.int32)


def pairs_in_line(graph: Graph) -> Ints:
    """The pairs of edges that pass a vertex straight, an array ``(k, 2)`` of edge numbers, the lesser first."""
    points = graph.space.points()
    numbers, tails = edge_numbers(graph), graph.tails.astype(np.int64)
    steps = points[graph.indices] - points[tails]
    kinds, kind = np.unique(np.concatenate([steps, -steps]), axis=0, return_inverse=True)
    forth, back = kind.reshape(2, -1) + tails * len(kinds)
    place = np.argsort(forth)
    other = place[np.minimum(np.searchsorted(forth, back, sorter=place), max(0, len(forth) - 1))]
    pairs = np.stack([numbers, numbers[other]], axis=1)[forth[other] == back]
    in_order: Ints = pairs[pairs[:, 0] < pairs[:, 1]]
    return in_order


def pairs_that_cross(graph: Graph, heartbeat: Heartbeat = unwatched, most: int = MAX_PAIRS) -> Ints:
    """The pairs of edges that meet inside both, an array ``(k, 2)`` of edge numbers, the lesser first; the heart beats
    meanwhile.

    `BadInput` where steps are too long or there are more such pairs than ``most``.
    """
    points = graph.space.points()
    tails, heads = graph.edges()
    return _crossing(points[tails].astype(np.int64), points[heads].astype(np.int64), heartbeat, most)


def crossing_moves(points: Ints, vertices: Ints, *, closed: bool) -> Ints:
    """The pairs of moves of a path through vertices at these points that meet inside both, by their numbers in the
    path, the lesser first."""
    course = points[np.append(vertices, vertices[:1]) if closed else vertices].astype(np.int64)
    return _crossing(course[:-1], course[1:])


def _crossing(begin: Longs, end: Longs, heartbeat: Heartbeat = unwatched, most: int = MAX_PAIRS) -> Ints:
    step = end - begin
    if step.size and (longest := int(np.abs(step).max())) > MAX_STEP:
        raise BadInput(
            f"crossings of moves as long as {longest} are not counted: choose a leaper of at most {MAX_STEP}"
        )
    low, high = np.minimum(begin, begin + step), np.maximum(begin, begin + step)
    order = np.argsort(low[:, :1].ravel(), kind="stable")
    counts = np.searchsorted(low[order, 0], high[order, 0], side="right") - np.arange(1, len(order) + 1)
    ends = np.cumsum(counts)
    found: list[Ints] = []
    number = 0
    for some in np.split(
        np.arange(len(order)), np.searchsorted(ends, np.arange(CANDIDATES, int(counts.sum()), CANDIDATES))
    ):
        heartbeat()
        one = np.repeat(some, counts[some])  # each move of the sweep with as many that follow it
        other = np.arange(len(one)) - np.repeat(np.cumsum(counts[some]) - counts[some], counts[some]) + one + 1
        pairs = np.stack([order[one], order[other]], axis=1).astype(np.int32)
        near = ((low[pairs[:, 0]] <= high[pairs[:, 1]]) & (low[pairs[:, 1]] <= high[pairs[:, 0]])).all(axis=1)
        pairs = pairs[near]
        pairs = pairs[meet_inside(begin[pairs[:, 1]] - begin[pairs[:, 0]], step[pairs[:, 0]], step[pairs[:, 1]])]
        found.append(np.sort(pairs, axis=1))
        if (number := number + len(pairs)) > most:
            raise BadInput(f"there are more than {most:,} crossings of moves: choose a smaller board")
    return np.concatenate(found) if found else np.zeros((0, 2), dtype=np.int32)


def meet_inside(between: Longs, one: Longs, other: Longs) -> Flags:
    """For each row whether the steps ``one`` and ``other``, of which the second begins by ``between`` after the first,
    meet inside both."""

    def dot(left: Longs, right: Longs) -> Longs:
        product: Longs = (left * right).sum(axis=1)
        return product

    u, v, both = dot(one, one), dot(other, other), dot(one, other)
    along_one, along_other = dot(between, one), dot(between, other)
    gram = u * v - both * both
    s, t = along_one * v - along_other * both, along_one * both - along_other * u
    at_one_point = (s[:, None] * one - t[:, None] * other == gram[:, None] * between).all(axis=1)
    cross = at_one_point & (s > 0) & (s < gram) & (t > 0) & (t < gram)
    in_line = (gram == 0) & (along_one * along_one == u * dot(between, between))
    lie_over = np.maximum(0, np.minimum(along_one, along_one + both)) < np.minimum(
        u, np.maximum(along_one, along_one + both)
    )
    meet: Flags = np.where(gram > 0, cross, in_line & lie_over)
    return meet
