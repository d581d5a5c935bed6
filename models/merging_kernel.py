"""The compiled part of `merging`: exchanges of two and of three edges that join cycles of a 2-factor, over edges and
over arcs.

A 2-factor over edges is the two neighbours of each vertex, ``beside[v]``; over arcs the vertex after and the vertex
before each, in the same array. ``label[v]`` says which cycle the vertex is in, with the labels of cycles that were
joined since joined as well (``parent``, disjoint sets by Galler & Fischer 1964). ``indptr`` and ``heads`` are the free
edges at each vertex (the free arcs out of it), heads increasing.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.compiled import compiled
from cpsat_tour.core.graph import Ints


@compiled
def look(indptr: Ints, heads: Ints, tail: int, head: int) -> int:
    """The place of a free edge (arc) among the heads, by bisection; -1 where there is none."""
    low, high = indptr[tail], indptr[tail + 1]
    while low < high:
        middle = (low + high) >> 1
        if heads[middle] < head:
            low = middle + 1
        else:
            high = middle
    return low if low < indptr[tail + 1] and heads[low] == head else -1


@compiled
def find(parent: Ints, cycle: int) -> int:
    """The label that stands for a cycle and those joined to it."""
    while parent[cycle] != cycle:
        parent[cycle] = parent[parent[cycle]]
        cycle = parent[cycle]
    return cycle


@compiled
def replace(beside: Ints, vertex: int, old: int, new: int) -> None:
    """The vertex lies beside a new one in place of an old one."""
    if beside[vertex, 0] == old:
        beside[vertex, 0] = new
    else:
        beside[vertex, 1] = new


@compiled
def walk(beside: Ints, directed: bool, vertices: Ints, place: Ints, label: Ints, parent: Ints, bounds: Ints) -> int:
    """Number the cycles and the places of their vertices; cycle k is ``vertices[bounds[k]:bounds[k + 1]]``. Returns how
    many there are."""
    label[:] = -1
    cycles = walked = 0
    bounds[0] = 0
    for root in range(len(label)):
        if label[root] >= 0:
            continue
        before, vertex = -1, root
        while label[vertex] < 0:
            label[vertex] = cycles
            place[vertex] = walked
            vertices[walked] = vertex
            walked += 1
            following = beside[vertex, 0] if directed or beside[vertex, 0] != before else beside[vertex, 1]
            before, vertex = vertex, following
        parent[cycles] = cycles
        cycles += 1
        bounds[cycles] = walked
    return cycles


@compiled
def largest(bounds: Ints, cycles: int) -> int:
    """The label of a cycle of the most vertices."""
    best = 0
    for cycle in range(cycles):
        if bounds[cycle + 1] - bounds[cycle] > bounds[best + 1] - bounds[best]:
            best = cycle
    return best


@compiled
def join_by_two_edges(a: int, indptr: Ints, heads: Ints, beside: Ints, label: Ints, parent: Ints) -> bool:
    """Exchange an edge a-b, and c-d of another cycle, for a-c and b-d, if any are free."""
    mine = find(parent, label[a])
    for b in (beside[a, 0], beside[a, 1]):
        if look(indptr, heads, a, b) < 0:
            continue
        for c in heads[indptr[a] : indptr[a + 1]]:
            other = find(parent, label[c])
            if other == mine:
                continue
            for d in (beside[c, 0], beside[c, 1]):
                if look(indptr, heads, b, d) >= 0 and look(indptr, heads, c, d) >= 0:
                    replace(beside, a, b, c)
                    replace(beside, b, a, d)
                    replace(beside, c, d, a)
                    replace(beside, d, c, b)
                    parent[other] = mine
                    return True
    return False


@compiled
def join_by_two_arcs(a: int, indptr: Ints, heads: Ints, beside: Ints, label: Ints, parent: Ints) -> bool:
    """Exchange an arc a->b, and c->d of another cycle, for a->d and c->b, if all are free."""
    mine, b = find(parent, label[a]), beside[a, 0]
    if look(indptr, heads, a, b) < 0:
        return False
    for d in heads[indptr[a] : indptr[a + 1]]:
        other, c = find(parent, label[d]), beside[d, 1]
        if other != mine and look(indptr, heads, c, b) >= 0 and look(indptr, heads, c, d) >= 0:
            beside[a, 0], beside[d, 1] = d, a
            beside[c, 0], beside[b, 1] = b, c
            parent[other] = mine
            return True
    return False


@compiled
def join_by_three_edges(
    a: int, indptr: Ints, heads: Ints, beside: Ints, vertices: Ints, place: Ints, label: Ints, bounds: Ints, looks: int
) -> tuple[bool, int]:
    """Exchange a-b, e-f and x-y, e in another cycle, for b-e, f-x and y-a, if all are free and one cycle comes of it;
    and the looks left."""
    for b in (beside[a, 0], beside[a, 1]):
        looks -= 1
        if look(indptr, heads, a, b) < 0:
            continue
        for e in heads[indptr[b] : indptr[b + 1]]:
            if label[e] == label[a]:
                continue
            for f in (beside[e, 0], beside[e, 1]):
                looks -= 1
                if look(indptr, heads, e, f) < 0:
                    continue
                for x in heads[indptr[f] : indptr[f + 1]]:
                    for y in (beside[x, 0], beside[x, 1]):
                        # One must come from y over x, in the cycle that they are in, to the end that stays: a or e.
                        if label[x] == label[a] and not follows(x, y, b, a, vertices, place, label, bounds):
                            continue
                        if label[x] == label[e] and not follows(x, y, f, e, vertices, place, label, bounds):
                            continue
                        looks -= 1
                        if look(indptr, heads, y, a) >= 0 and look(indptr, heads, x, y) >= 0:
                            replace(beside, a, b, y)
                            replace(beside, b, a, e)
                            replace(beside, e, f, b)
                            replace(beside, f, e, x)
                            replace(beside, x, y, f)
                            replace(beside, y, x, a)
                            return True, looks
                if looks < 0:
                    return False, looks
    return False, looks


@compiled
def follows(x: int, y: int, first: int, last: int, vertices: Ints, place: Ints, label: Ints, bounds: Ints) -> bool:
    """Whether x comes just after y on the way around a cycle from ``first`` to its neighbour ``last``, y not first and
    x not last."""
    begin, end = bounds[label[x]], bounds[label[x] + 1]
    forwards = place[first] == place[last] + 1 or (place[first] == begin and place[last] == end - 1)
    at = place[y] + (1 if forwards else -1)
    after = vertices[begin if at == end else end - 1 if at < begin else at]
    if x != after or y == last:
        return False
    return y != first and x != last


@compiled
def join_by_three_arcs(a: int, indptr: Ints, heads: Ints, beside: Ints, label: Ints, looks: int) -> tuple[bool, int]:
    """Exchange a->b, c->d and e->f of three cycles for a->d, c->f and e->b, if all are free; and the looks left."""
    b = beside[a, 0]
    looks -= 1
    if look(indptr, heads, a, b) < 0:
        return False, looks
    for d in heads[indptr[a] : indptr[a + 1]]:
        c = beside[d, 1]
        looks -= 1
        if label[d] == label[a] or look(indptr, heads, c, d) < 0:
            continue
        for f in heads[indptr[c] : indptr[c + 1]]:
            e = beside[f, 1]
            looks -= 1
            if (
                label[f] == label[a]
                or label[f] == label[c]
                or look(indptr, heads, e, b) < 0
                or look(indptr, heads, e, f) < 0
            ):
                continue
            beside[a, 0], beside[d, 1] = d, a
            beside[c, 0], beside[f, 1] = f, c
            beside[e, 0], beside[b, 1] = b, e
            return True, looks
        if looks < 0:
            return False, looks
    return False, looks


@compiled
def join_all_by_two(
    directed: bool, indptr: Ints, heads: Ints, beside: Ints, label: Ints, parent: Ints, most: int
) -> None:
    """Join cycles by exchanges of two until none is left, from each vertex that is not in the cycle ``most``, or joined
    to it."""
    joined = True
    while joined:
        joined = False
        for vertex in range(len(label)):
            while find(parent, label[vertex]) != find(parent, most):
                if directed:
                    once = join_by_two_arcs(vertex, indptr, heads, beside, label, parent)
                else:
                    once = join_by_two_edges(vertex, indptr, heads, beside, label, parent)
                if not once:
                    break
                joined = True


@compiled
def join_cycles(directed: bool, indptr: Ints, heads: Ints, beside: Ints, looks: int) -> int:
    """Join cycles by exchanges of two, and where there are none of three, as long as there are any and looks are left;
    how many stay."""
    order = len(beside)
    vertices, place, label = (
        np.empty(order, dtype=np.int32),
        np.empty(order, dtype=np.int32),
        np.empty(order, dtype=np.int32),
    )
    parent, bounds = np.empty(order, dtype=np.int32), np.empty(order + 1, dtype=np.int32)
    cycles = walk(beside, directed, vertices, place, label, parent, bounds)
    join_all_by_two(directed, indptr, heads, beside, label, parent, largest(bounds, cycles))
    cycles = walk(beside, directed, vertices, place, label, parent, bounds)
    most = largest(bounds, cycles)
    vertex = tried = 0
    while cycles > 1 and tried < order and looks >= 0:
        joined = False
        if label[vertex] != most:
            if directed:
                joined, looks = join_by_three_arcs(vertex, indptr, heads, beside, label, looks)
            else:
                joined, looks = join_by_three_edges(
                    vertex, indptr, heads, beside, vertices, place, label, bounds, looks
                )
        if joined:
            walk(beside, directed, vertices, place, label, parent, bounds)
            join_all_by_two(directed, indptr, heads, beside, label, parent, label[vertex])
            cycles = walk(beside, directed, vertices, place, label, parent, bounds)
            most = largest(bounds, cycles)
            tried = 0
        else:
            vertex = (vertex + 1) % order
            tried += 1
    return cycles
