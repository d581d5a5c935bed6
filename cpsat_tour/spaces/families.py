"""Graphs by name: families that test a formulation where no sweep of a board helps it.

``GP(17,2)`` is the generalised Petersen graph of Watkins 1969: an outer ring of n vertices, n inner ones each joined to
those k places on, and spokes between the two. Its Hamiltonian members are known (Robertson 1968, Alspach 1983).
``cubic(100,3)`` is a random graph of so many vertices, each with three neighbours, drawn with a seed, 3 here: pairs of
points are drawn until no two join the same vertices (Bollobás 1980). Nearly all of these are Hamiltonian (Robinson &
Wormald 1992).

``strings(1000,1)``, ``planted(1000,1)`` and ``hubs(1000,1)`` are random graphs around a hidden cycle (`hidden_cycles`);
``Tutte``, ``Horton``, ``EllinghamHorton(54)`` and ``EllinghamHorton(78)`` are the graphs of `tourless_graphs`.

``J(5)`` is the flower snark of Isaacs 1975, ``Sheehan(10)`` the graph of most edges that has exactly one Hamiltonian
cycle (Sheehan 1977), ``Kneser(7,2)`` joins disjoint subsets (Kneser 1955), ``Q(4)`` is a hypercube, ``Petersen`` and
``Coxeter`` are the two graphs of that name. ``xor9(20,1)`` strings 20 copies of a nine-vertex gadget together at
random, with seed 1 (Stertenbrink 2023): hard from some 20 copies on.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Source
from cpsat_tour.core.space import Numbered
from cpsat_tour.spaces.data import Fields
from cpsat_tour.spaces.hidden_cycles import MIN_HIDDEN, hubs, planted, strings
from cpsat_tour.spaces.lattice import KNIGHT, read_leaper
from cpsat_tour.spaces.tourless_graphs import ELLINGHAM_HORTON, HORTON_ORDER, TUTTE, Edges, horton_edges, written_out


@dataclass(frozen=True)
class Family:
    """The members of a family by some numbers: how many vertices one has, its edges, and which numbers there are, in
    words and as a test."""

    example: str
    parameters: int
    order: Callable[..., int]
    edges: Callable[..., Edges]
    rule: str = ""
    there_is: Callable[..., bool] = lambda *_: True


def petersen_edges(n: int, k: int) -> list[tuple[int, int]]:
    """GP(n,k): the outer ring is 0 to n - 1, and vertex i has the spoke to n + i."""
    outer = [(i, (i + 1) % n) for i in range(n)]
    inner = [(n + i, n + (i + k) % n) for i in range(n)]
    return [*outer, *((i, n + i) for i in range(n)), *inner]


def cubic_edges(order: int, seed: int) -> list[tuple[int, int]]:
    """A random graph in which each vertex has three neighbours."""
    points = [vertex for vertex in range(order) for _ in range(3)]
    rng = random.Random(seed)
    while True:
        rng.shuffle(points)
        edges = {(min(pair), max(pair)) for pair in zip(points[::2], points[1::2], strict=True) if pair[0] != pair[1]}
        if 2 * len(edges) == 3 * order:
            return sorted(edges)


def flower(petals: int) -> Edges:
    """J(k): stars around a ring, whose other ends form one ring of twice the length."""
    edges = []
    for petal in range(petals):
        centre, following = 4 * petal, 4 * ((petal + 1) % petals)
        turn = following == 0
        edges += [(centre, centre + 1), (centre, centre + 2), (centre, centre + 3), (centre + 1, following + 1)]
        edges += [(centre + 2, following + (3 if turn else 2)), (centre + 3, following + (2 if turn else 3))]
    return edges


def sheehan_edges(order: int) -> Edges:
    """A ring, and of every second vertex the edges to all that come after its successor: those between have degree 2,
    and force the ring."""
    ring = [(vertex, (vertex + 1) % order) for vertex in range(order)]
    return ring + [(vertex, other) for vertex in range(1, order, 2) for other in range(vertex + 2, order)]


def kneser_edges(n: int, k: int) -> Edges:
    """Subsets that have nothing in common are joined."""
    subsets = [frozenset(subset) for subset in itertools.combinations(range(n), k)]
    return _disjoint(subsets)


def _disjoint(sets: list[frozenset[int]]) -> Edges:
    return [(one, other) for one, other in itertools.combinations(range(len(sets)), 2) if not sets[one] & sets[other]]


def cube_edges(dimension: int) -> Edges:
    """Numbers that differ in one binary digit are joined."""
    return [
        (vertex, vertex | 1 << bit)
        for vertex in range(1 << dimension)
        for bit in range(dimension)
        if not vertex >> bit & 1
    ]


def coxeter_edges() -> Edges:
    """The triples of seven points that are no line of the Fano plane, joined where they are disjoint (Tutte 1960)."""
    lines = {frozenset((point, (point + 1) % 7, (point + 3) % 7)) for point in range(7)}
    return _disjoint([triple for triple in map(frozenset, itertools.combinations(range(7), 3)) if triple not in lines])


def xor9_edges(copies: int, seed: int) -> Edges:
    """Copies of the path 1 to 9 with the chords 1-6 and 4-9, whose vertices 1, 3, 7, 9 have 2 or 3 edges to other
    copies: 10 a copy.

    The ends of these edges are paired at random, and pairs within a copy, or a second pair between two copies, swapped
    with others until there are none.
    """
    rng = random.Random(seed)
    inner = [(place, place + 1) for place in range(8)] + [(0, 5), (3, 8)]
    ends = []
    for copy in range(copies):
        outer = [0, 2, 6, 8]
        ends += [9 * copy + place for place in outer + rng.sample(outer, 2) + outer]
    rng.shuffle(ends)
    pairs = [list(pair) for pair in zip(ends[::2], ends[1::2], strict=True)]
    while True:
        met: set[tuple[int, ...]] = set()
        clashes = []
        for number, pair in enumerate(pairs):
            between = tuple(sorted(end // 9 for end in pair))
            if between[0] == between[1] or between in met:
                clashes.append(number)
            met.add(between)
        if not clashes:
            paths = [(9 * copy + tail, 9 * copy + head) for copy in range(copies) for tail, head in inner]
            return paths + [(one, other) for one, other in pairs]
        for number in clashes:
            other = rng.randrange(len(pairs))
            pairs[number][1], pairs[other][1] = pairs[other][1], pairs[number][1]


MAX_SUBSETS = 10_000
MAX_DIMENSION = 16
MIN_COPIES = 16

_HIDDEN = f"such a graph has at least {MIN_HIDDEN} vertices"

FAMILIES: Mapping[str, Family] = {
    "GP": Family(
        "GP(17,2)",
        2,
        lambda n, _: 2 * n,
        petersen_edges,
        "in GP(n,k) k is at least 1 and less than n/2",
        lambda n, k: 1 <= k < n / 2,
    ),
    "cubic": Family(
        "cubic(100,3)",
        2,
        lambda n, _: n,
        cubic_edges,
        "a cubic graph has an even number of vertices, at least 4",
        lambda n, _: n >= 4 and n % 2 == 0,
    ),
    "J": Family("J(5)", 1, lambda k: 4 * k, flower, "in J(k) k is odd and at least 5", lambda k: k >= 5 and k % 2 == 1),
    "Sheehan": Family(
        "Sheehan(10)", 1, lambda n: n, sheehan_edges, "such a graph has at least 4 vertices", lambda n: n >= 4
    ),
    "Kneser": Family(
        "Kneser(7,2)",
        2,
        math.comb,
        kneser_edges,
        f"k is at least 1 and less than n/2, and there are at most {MAX_SUBSETS:,} subsets",
        lambda n, k: 1 <= k < n / 2 and math.comb(n, k) <= MAX_SUBSETS,
    ),
    "Q": Family(
        "Q(4)",
        1,
        lambda n: 1 << n,
        cube_edges,
        f"its dimension is 1 to {MAX_DIMENSION}",
        lambda n: 1 <= n <= MAX_DIMENSION,
    ),
    "Petersen": Family("Petersen", 0, lambda: 10, lambda: petersen_edges(5, 2)),
    "Coxeter": Family("Coxeter", 0, lambda: 28, coxeter_edges),
    "Tutte": Family("Tutte", 0, lambda: 46, lambda: written_out(TUTTE)),
    "EllinghamHorton": Family(
        "EllinghamHorton(54)",
        1,
        lambda n: n,
        lambda n: written_out(ELLINGHAM_HORTON[n]),
        f"such a graph has {' or '.join(map(str, ELLINGHAM_HORTON))} vertices",
        lambda n: n in ELLINGHAM_HORTON,
    ),
    "Horton": Family("Horton", 0, lambda: HORTON_ORDER, horton_edges),
    "strings": Family("strings(1000,1)", 2, lambda n, _: n, strings, _HIDDEN, lambda n, _: n >= MIN_HIDDEN),
    "planted": Family("planted(1000,1)", 2, lambda n, _: n, planted, _HIDDEN, lambda n, _: n >= MIN_HIDDEN),
    "hubs": Family("hubs(1000,1)", 2, lambda n, _: n, hubs, _HIDDEN, lambda n, _: n >= MIN_HIDDEN),
    "xor9": Family(
        "xor9(20,1)",
        2,
        lambda k, _: 9 * k,
        xor9_edges,
        f"such a graph has at least {MIN_COPIES} copies",
        lambda k, _: k >= MIN_COPIES,
    ),
}
"""The families by name, a row each."""


@dataclass(frozen=True)
class Member(Numbered, Source):
    """The space of a member of a family: its vertices are numbered."""

    family: str
    parameters: tuple[int, ...]

    written: ClassVar[re.Pattern[str]] = re.compile(
        rf"({'|'.join(FAMILIES)})(?:\(([0-9]{{1,18}}(?:,[0-9]{{1,18}})?)\))?"
    )

    @classmethod
    def parse(cls, name: str, holes: Sequence[str] = (), leaper: str = "1,2") -> Member:
        """The member of this name; `BadInput` where the family has no such member, and for holes and another leaper,
        which boards have."""
        if holes or read_leaper(leaper) != KNIGHT:
            raise BadInput(f"{name} is a graph: it takes no {'holes' if holes else 'leaper'}")
        match = cls.written.fullmatch(name)
        family = match[1] if match else ""
        parameters = tuple(map(int, match[2].split(","))) if match and match[2] else ()
        if match is None or len(parameters) != FAMILIES[family].parameters:
            examples = ", ".join(known.example for known in FAMILIES.values())
            raise BadInput(f"{name!r} is not a member of a family: write one such as {examples}")
        if max(parameters, default=0) >= 10**6:
            raise BadInput(f"{name} is too large: give numbers of at most six digits")
        if not FAMILIES[family].there_is(*parameters):
            raise BadInput(f"there is no graph {name}: {FAMILIES[family].rule}")
        return cls(FAMILIES[family].order(*parameters), family, parameters)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Member:
        """The member that `data` describes; `WrongData` where it is none."""
        known = Fields(data, ("family",))
        return known.made(cls.parse, known.typed(known.member("family"), ("family",), str))

    def data(self) -> dict[str, Any]:
        return {"family": str(self)}

    def __str__(self) -> str:
        return f"{self.family}({','.join(map(str, self.parameters))})" if self.parameters else self.family

    def called(self, _directed: bool = False) -> str:
        return f"the graph {self}"

    @cached_property
    def graph(self) -> Graph:
        """The graph of this name."""
        return Graph.from_edges(self.order, FAMILIES[self.family].edges(*self.parameters), space=self)
