"""Graphs by name: families that test a formulation where no sweep of a board helps it.

``GP(17,2)`` is the generalised Petersen graph of Watkins 1969: an outer ring of n vertices, n inner ones each joined to those k places on, and
spokes between the two. Its Hamiltonian members are known (Robertson 1968, Alspach 1983). ``cubic(100,3)`` is a random graph of so many
vertices, each with three neighbours, drawn with a seed, 3 here: pairs of points are drawn until no two join the same vertices (Bollobás
1980). Nearly all of these are Hamiltonian (Robinson & Wormald 1992).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.space import Numbered


@dataclass(frozen=True)
class Member(Numbered, Source):
    """The space of a member of a family: its vertices are numbered."""

    family: str
    parameters: tuple[int, int]

    @classmethod
    def parse(cls, name: str) -> Member:
        """The member of this name; `BadInput` where the family has no such member."""
        match = MEMBER.fullmatch(name)
        if match is None:
            raise BadInput(f"{name!r} is not a member of a family: write its name and two numbers, such as GP(17,2)")
        family, parameters = match[1], (int(match[2]), int(match[3]))
        return cls(FAMILIES[family].order(*parameters), family, parameters)

    def __str__(self) -> str:
        return f"{self.family}({self.parameters[0]},{self.parameters[1]})"

    def called(self, _directed: bool = False) -> str:
        return f"the graph {self}"

    @cached_property
    def graph(self) -> Graph:
        """The graph of this name."""
        return Graph.from_edges(self.order, FAMILIES[self.family].edges(*self.parameters), space=self)


@dataclass(frozen=True)
class Family:
    """The members of a family by two numbers: how many vertices one has, `BadInput` where there is none, and its edges."""

    order: Callable[[int, int], int]
    edges: Callable[[int, int], list[tuple[int, int]]]


def petersen_order(n: int, k: int) -> int:
    """GP(n,k) has 2n vertices."""
    if not 1 <= k < n / 2:
        raise BadInput(f"there is no graph GP({n},{k}): in GP(n,k) k is at least 1 and less than n/2")
    return 2 * n


def petersen_edges(n: int, k: int) -> list[tuple[int, int]]:
    """GP(n,k): the outer ring is 0 to n - 1, and vertex i has the spoke to n + i."""
    outer = [(i, (i + 1) % n) for i in range(n)]
    inner = [(n + i, n + (i + k) % n) for i in range(n)]
    return [*outer, *((i, n + i) for i in range(n)), *inner]


def cubic_order(order: int, seed: int) -> int:
    """A cubic graph has an even number of vertices."""
    if order < 4 or order % 2:
        raise BadInput(f"there is no graph cubic({order},{seed}): a cubic graph has an even number of vertices, at least 4")
    return order


def cubic_edges(order: int, seed: int) -> list[tuple[int, int]]:
    """A random graph in which each vertex has three neighbours."""
    points = [vertex for vertex in range(order) for _ in range(3)]
    rng = random.Random(seed)
    while True:
        rng.shuffle(points)
        edges = {(min(pair), max(pair)) for pair in zip(points[::2], points[1::2], strict=True) if pair[0] != pair[1]}
        if 2 * len(edges) == 3 * order:
            return sorted(edges)


FAMILIES: Mapping[str, Family] = {"GP": Family(petersen_order, petersen_edges), "cubic": Family(cubic_order, cubic_edges)}
"""The families by name."""

MEMBER = re.compile(rf"({'|'.join(FAMILIES)})\(([0-9]{{1,6}}),([0-9]{{1,6}})\)")
