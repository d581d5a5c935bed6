"""Graphs that are no boards, by name: families that test a formulation where no sweep of a board helps it.

``GP(17,2)`` is the generalised Petersen graph of Watkins 1969: an outer ring of n vertices, n inner ones each joined to those k places on, and
spokes between the two. Its Hamiltonian members are known (Robertson 1968, Alspach 1983). ``cubic(100,3)`` is a random graph of so many
vertices, each with three neighbours, drawn with a seed, 3 here: pairs of points are drawn until no two join the same vertices (Bollobás
1980). Nearly all of these are Hamiltonian (Robinson & Wormald 1992).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph


def member(name: str) -> Graph | None:
    """The graph of this name; None where it is no name of a family, `BadInput` where the family has no such member."""
    match = _MEMBER.fullmatch(name)
    return None if match is None else FAMILIES[match[1]](int(match[2]), int(match[3]))


def is_hamiltonian(name: str) -> bool | None:
    """Whether a theorem says that the graph of this name has a Hamiltonian cycle; None where none speaks of it.

    A generalised Petersen graph has one unless it is GP(n,2), n = 5 modulo 6, also in the form GP(n,(n-1)/2) (Alspach 1983).
    """
    match = _MEMBER.fullmatch(name)
    if match is None or match[1] != "GP":
        return None
    n, k = int(match[2]), int(match[3])
    return n % 6 != 5 or k not in (2, (n - 1) // 2)


def generalised_petersen(n: int, k: int) -> Graph:
    """GP(n,k): the outer ring is 0 to n - 1, and vertex i has the spoke to n + i."""
    if not 1 <= k < n / 2:
        raise BadInput(f"there is no graph GP({n},{k}): in GP(n,k) k is at least 1 and less than n/2")
    outer = [(i, (i + 1) % n) for i in range(n)]
    inner = [(n + i, n + (i + k) % n) for i in range(n)]
    return Graph.from_edges(2 * n, [*outer, *((i, n + i) for i in range(n)), *inner])


def random_cubic(order: int, seed: int) -> Graph:
    """A random graph in which each vertex has three neighbours."""
    if order < 4 or order % 2:
        raise BadInput(f"there is no graph cubic({order},{seed}): a cubic graph has an even number of vertices, at least 4")
    points = [vertex for vertex in range(order) for _ in range(3)]
    rng = random.Random(seed)
    while True:
        rng.shuffle(points)
        graph = Graph.from_edges(order, zip(points[::2], points[1::2], strict=True))
        if 2 * graph.size == 3 * order:
            return graph


FAMILIES: Mapping[str, Callable[[int, int], Graph]] = {"GP": generalised_petersen, "cubic": random_cubic}
"""The families by name, each with two numbers to its members."""

_MEMBER = re.compile(rf"({'|'.join(FAMILIES)})\(([0-9]{{1,6}}),([0-9]{{1,6}})\)")
