"""Cut sets that a fractional point violates: components of its support, then minimum cuts by maximum-adjacency
orderings.

In a maximum-adjacency ordering each next vertex is the one with the most weight to those before it. That weight is the
connectivity of the vertex and its predecessor among the vertices so far (Stoer & Wagner 1997, Frank 1994), so pairs
with a weight of 2 or more are never parted by a violated cut and are contracted, all of one ordering at once
(Nagamochi, Ono & Ibaraki 1994); the last vertex alone is a minimum cut between itself and its predecessor, so these two
are contracted in any case. What a subtour constraint forbids is a cut below 2; every one found on the way is kept, not
the least alone.

The point has degree 2 at every vertex. An edge of weight 1 then never crosses a violated cut that has to: moving one of
its ends over leaves the cut as small. So paths of such edges are contracted first (Padberg & Rinaldi 1990).

Data: a dense symmetric matrix of the contracted graph, whose vertices are lists of the original ones. Limits: time
grows with the square of the number of contracted vertices, and more than `MAX_CONTRACTED` are not tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints
from cpsat_tour.proofs.write.by_hand import components

Floats = NDArray[np.float64]

EPSILON = 1e-6
MAX_CONTRACTED = 3000


def violated_cuts(
    order: int, tails: Ints, heads: Ints, weights: Floats, tick: Callable[[], None] = lambda: None
) -> list[list[int]]:
    """Vertex sets whose cut sets weigh less than 2: the components of the support if there are several, else what
    orderings show.

    ``tick`` is called after each contraction.
    """
    support = weights > EPSILON
    tails, heads, weights = tails[support], heads[support], weights[support]
    parts = components(order, tails, heads)
    if parts.any():
        return shores_of(parts)
    ones = weights > 1 - EPSILON
    groups = components(order, tails[ones], heads[ones])
    count = int(groups.max()) + 1
    if not 1 < count <= MAX_CONTRACTED:
        return []
    matrix = np.zeros((count, count))
    np.add.at(matrix, (groups[tails], groups[heads]), weights)
    matrix += matrix.T
    np.fill_diagonal(matrix, 0)
    return list(_below_two(matrix, _members(groups), tick))


def shores_of(parts: Ints) -> list[list[int]]:
    """The vertices of each part; of two parts, whose cut sets are one, only the first."""
    shores = _members(parts)
    return shores[:1] if len(shores) == 2 else shores


def _members(groups: Ints) -> list[list[int]]:
    """The vertices of each group."""
    members: list[list[int]] = [[] for _ in range(int(groups.max()) + 1)]
    for vertex, group in enumerate(groups.tolist()):
        members[group].append(vertex)
    return members


def _below_two(matrix: Floats, members: list[list[int]], tick: Callable[[], None]) -> Iterator[list[int]]:
    """Contract until one vertex is left; every contracted vertex whose cut set weighs less than 2 is a violated cut."""
    seen = set()
    while len(members) > 1:
        for vertex in np.flatnonzero(matrix.sum(axis=1) < 2 - 10 * EPSILON).tolist():
            shore = tuple(sorted(members[vertex]))
            if shore not in seen:
                seen.add(shore)
                yield list(shore)
        groups = _never_parted(matrix)
        count = int(groups.max()) + 1
        matrix = _summed(_summed(matrix, groups).T, groups)
        np.fill_diagonal(matrix, 0)
        joined: list[list[int]] = [[] for _ in range(count)]
        for group, vertices in zip(groups.tolist(), members, strict=True):
            joined[group] += vertices
        members = joined
        tick()


def _summed(matrix: Floats, groups: Ints) -> Floats:
    """The rows of each group added up."""
    by_group = np.argsort(groups, kind="stable")
    first = np.flatnonzero(np.diff(groups[by_group], prepend=-1))
    sums: Floats = np.add.reduceat(matrix[by_group], first, axis=0)
    return sums


def _never_parted(matrix: Floats) -> Ints:
    """The groups that one maximum-adjacency ordering shows not to be parted by a violated cut, and its last two
    vertices as one."""
    count = len(matrix)
    attachment = np.zeros(count)
    ordering, pairs = [0], []
    attachment[0] = -np.inf
    attachment += matrix[0]
    for _ in range(count - 1):
        following = int(attachment.argmax())
        if attachment[following] >= 2 - EPSILON or len(ordering) == count - 1:
            pairs.append((ordering[-1], following))
        ordering.append(following)
        attachment[following] = -np.inf
        attachment += matrix[following]
    ends = np.array(pairs, dtype=np.int32)
    return components(count, ends[:, 0], ends[:, 1])
