"""Families of graphs by name, such as ``GP(17,2)``. Unlike boards, their vertices come in no helpful order.

``GP(17,2)`` is the generalised Petersen graph of Watkins 1969: an outer ring of n vertices, n inner ones each joined to
those k places on, and spokes between the two. Its Hamiltonian members are known (Robertson 1968, Alspach 1983).
``cubic(100,3)`` is a random graph of 100 vertices, each with three neighbours, drawn with the seed 3: pairs of
points are drawn until no two join the same vertices (Bollobás 1980). Nearly all of these are Hamiltonian (Robinson &
Wormald 1992).

``strings(1000,1)``, ``planted(1000,1)``, ``hubs(1000,1)``, ``chains(1000,1)`` and ``gadgets(47,1)`` are random graphs
around a hidden cycle, hard for different reasons; ``strings-none(1000,1)`` and so on have Petersen's graph in place of
a vertex of degree 3, eight vertices more, and no cycle.

``Tutte`` is Tutte's graph of 46 vertices (1946), which refuted Tait's conjecture on polyhedra, and ``TuttePrism(10)``
has a prism in place of one of them; ``Horton`` (Bondy & Murty 1976) and ``EllinghamHorton(78)`` and ``(54)``
(Ellingham 1981, Ellingham & Horton 1983) refuted Tutte's own on bipartite graphs.

``J(5)`` is the flower snark of Isaacs 1975, ``Sheehan(10)`` the graph of most edges that has exactly one Hamiltonian
cycle (Sheehan 1977), ``Kneser(7,2)`` joins disjoint subsets (Kneser 1955), ``Q(4)`` is a hypercube, ``K(6)`` complete,
``C(8)`` a ring. ``Petersen`` and ``Coxeter`` are the two graphs of that name; ``Heawood``, ``Desargues`` and others of
`LCF` are rings with chords (Frucht 1977). ``xor9(20,1)`` strings 20 copies of a nine-vertex gadget together at random,
with seed 1 (Stertenbrink 2023): hard from some 20 copies on.

``Z(5,3)`` is directed: from each vector of 3 numbers modulo 5 an arc leads to those with one number greater by 1, as in
the Cayley digraph of a power of a cyclic group. Knuth's note "Claude's Cycles" (2026) decomposes Z(m,3) for odd m.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, combinations, product
from math import comb
from typing import Any, ClassVar

import numpy as np

from cpsat_tour.core.errors import BadInput, suggest
from cpsat_tour.core.graph import MAX_VERTICES, Graph, Source
from cpsat_tour.core.space import Numbered, VertexLike
from cpsat_tour.spaces.lattice import KNIGHT, read_leaper

Edges = list[tuple[int, int]]


def petersen(n: int, k: int) -> Edges:
    """Return the edges of the generalised Petersen graph GP(n,k): the outer ring is 0 to n - 1, and n + i is joined to
    i."""
    outer = [(i, (i + 1) % n) for i in range(n)]
    inner = [(n + i, n + (i + k) % n) for i in range(n)]
    return [*outer, *((i, n + i) for i in range(n)), *inner]


def cubic(order: int, seed: int) -> Edges:
    """Return the edges of a random graph in which each vertex has three neighbours."""
    points = [vertex for vertex in range(order) for _ in range(3)]
    rng = random.Random(seed)
    while True:
        rng.shuffle(points)
        edges = {(min(pair), max(pair)) for pair in zip(points[::2], points[1::2], strict=True) if pair[0] != pair[1]}
        if 2 * len(edges) == 3 * order:
            return sorted(edges)


def flower(petals: int) -> Edges:
    """Return the edges of the flower snark J(k): k stars, whose ends form a ring of k vertices and one of 2 k."""
    edges = []
    for petal in range(petals):
        centre, following = 4 * petal, 4 * ((petal + 1) % petals)
        turn = following == 0
        edges += [(centre, centre + 1), (centre, centre + 2), (centre, centre + 3), (centre + 1, following + 1)]
        edges += [(centre + 2, following + (3 if turn else 2)), (centre + 3, following + (2 if turn else 3))]
    return edges


def sheehan(order: int) -> Iterator[tuple[int, int]]:
    """Yield the edges of Sheehan's graph, which has one Hamiltonian cycle: a ring, with more edges at every second
    vertex."""
    yield from ((vertex, (vertex + 1) % order) for vertex in range(order))
    yield from ((vertex, other) for vertex in range(1, order, 2) for other in range(vertex + 2, order))


def kneser(n: int, k: int) -> Iterator[tuple[int, int]]:
    """Yield the edges of the Kneser graph: vertices are subsets of k of n things, and disjoint ones are joined."""
    number = {subset: vertex for vertex, subset in enumerate(combinations(range(n), k))}
    for subset, vertex in number.items():
        rest = (thing for thing in range(n) if thing not in subset)
        yield from ((vertex, number[other]) for other in combinations(rest, k) if subset < other)


def hypercube(dimension: int) -> Edges:
    """Return the edges of the hypercube: numbers that differ in one binary digit are joined."""
    vertices = range(1 << dimension)
    return [(vertex, vertex | 1 << bit) for vertex in vertices for bit in range(dimension) if not vertex >> bit & 1]


def cayley(m: int, d: int) -> Iterator[tuple[int, int]]:
    """Yield the arcs of a Cayley graph: its vertices are vectors of d numbers modulo m, and each arc adds 1 to one of
    the numbers. A vector is numbered by its digits in base m."""
    for vertex, place in product(range(m**d), (m**power for power in reversed(range(d)))):
        yield vertex, vertex + (place if vertex // place % m < m - 1 else (1 - m) * place)


def coxeter() -> Edges:
    """Return the edges of the Coxeter graph: disjoint triples of seven points, lines of the Fano plane left out (Tutte
    1960)."""
    lines = {frozenset((point, (point + 1) % 7, (point + 3) % 7)) for point in range(7)}
    triples = [triple for triple in map(frozenset, combinations(range(7), 3)) if triple not in lines]
    return [(one, other) for one, other in combinations(range(len(triples)), 2) if not triples[one] & triples[other]]


# --- random graphs that are hard ---


def xor9(copies: int, seed: int) -> Edges:
    """Return the edges of a random graph of ``copies`` of a 9-vertex gadget. A gadget is a path 1 to 9 with the chords
    1-6 and 4-9; its vertices 1, 3, 7, 9 have 2 or 3 edges to other gadgets each, 10 together.

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


def strings(order: int, seed: int) -> Edges:
    """Return the edges of a random cycle and 0.4 n more among half of its n vertices. The others keep degree 2, which
    forces their edges."""
    rng, cycle = _hidden_cycle(order, seed)
    inner = rng.sample(cycle, order // 2)
    return _with_cycle(cycle, [rng.sample(inner, 2) for _ in range(2 * order // 5)])


def planted(order: int, seed: int) -> Edges:
    """Return the edges of a random cycle and 0.625 n more, between vertices at most 100 apart on it.

    Most degrees are 3 or 4, and many short cycles, of which a 2-factor may be made, pass through each neighbourhood.
    """
    rng, cycle = _hidden_cycle(order, seed)
    places = [rng.randrange(order) for _ in range(5 * order // 8)]
    return _with_cycle(cycle, [[cycle[place], cycle[(place + rng.randint(2, 100)) % order]] for place in places])


def hubs(order: int, seed: int) -> Edges:
    """Return the edges of a random cycle and more: one vertex in 100 is joined to a twentieth of all, and 0.1 n random
    edges."""
    rng, cycle = _hidden_cycle(order, seed)
    drawn = [
        [hub, other] for hub in rng.sample(cycle, max(1, order // 100)) for other in rng.sample(cycle, order // 20)
    ]
    return _with_cycle(cycle, drawn + [rng.sample(cycle, 2) for _ in range(order // 10)])


def chains(order: int, seed: int) -> Edges:
    """Return the edges of a random cycle and of a matching of about nine tenths of its vertices. Partners are at most
    30 apart on the cycle, so the graph is long and narrow, with degrees 2 and 3."""
    rng, cycle = _hidden_cycle(order, seed)
    places, drawn = rng.sample(range(order), 9 * order // 10), list[list[int]]()
    free = set(places)
    for place in places:
        near = [other for ahead in range(2, 31) if (other := (place + ahead) % order) in free]
        if place in free and near:
            drawn.append([cycle[place], cycle[chosen := rng.choice(near)]])
            free -= {place, chosen}
    return _with_cycle(cycle, drawn)


def gadgets(count: int, seed: int) -> Edges:
    """Return the edges of a random graph of ``count`` gadgets, each a copy of `in_out_gadget`, with a hidden
    Hamiltonian cycle. Each of the four exits of a gadget has two more edges to entries of others, each of which takes
    two."""
    rng, label = _hidden_cycle(21 * count, seed)
    ways = [rng.randrange(4) for _ in range(count)]
    pairs = list[tuple[int, int]]()
    for number, (way, onward) in enumerate(zip(ways, ways[1:] + ways[:1], strict=True)):
        first, following = 21 * number, 21 * ((number + 1) % count)
        pairs += in_out_gadget(first)
        pairs.append((first + 3 * ((way + 2) % 4) + 2, following + 3 * onward))
    for number, ahead in product(range(count), rng.sample(range(2, count), 2)):
        first, other = 21 * number, 21 * ((number + ahead) % count)
        pairs += [(first + 3 * port + 2, other + 3 * way) for port, way in enumerate(rng.sample(range(4), 4))]
    return [(label[tail], label[head]) for tail, head in pairs]


def in_out_gadget(first: int) -> Edges:
    """Return the edges of a gadget on the 21 vertices from ``first`` on. A Hamiltonian cycle that enters at port i
    leaves at port i + 2 modulo 4; the ports are the vertices 0 to 3. It is a directed graph of seven vertices, each of
    which became a path of three."""
    arcs = [(4 + i, i + step) for i in range(3) for step in (0, 1)] + [(3, 4), (2, 4), (2, 5), (1, 5), (1, 6), (0, 6)]
    paths = [(first + 3 * v + part, first + 3 * v + part + 1) for v in range(7) for part in (0, 1)]
    return paths + [(first + 3 * tail + 2, first + 3 * head) for tail, head in arcs]


def _hidden_cycle(order: int, seed: int) -> tuple[random.Random, list[int]]:
    """Return a seeded random generator, and all vertices in a random order, the cycle to be hidden."""
    rng = random.Random(seed)
    return rng, rng.sample(range(order), order)


def _with_cycle(cycle: list[int], drawn: list[list[int]]) -> Edges:
    """Return the edges of the cycle together with those drawn, without loops and repeats."""
    edges = [*zip(cycle, cycle[1:] + cycle[:1], strict=True), *drawn]
    return sorted({(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]})


# --- graphs of degree 3 without a Hamiltonian cycle, though they are 3-connected ---

WRITTEN_OUT = {
    "Tutte": (
        "1 2 3,4 26,10 11,18 19,5 33,6 29,7 27,8 14,9 38,10 37,39,12 39,13 35,14 15,34,16 22,17 44,18 43,45,20 "
        "45,21 41,22 23,40,24 27,25 32,"
        "26 31,33,28,29 32,30,31 33,32,,,35 38,36,37 39,38,,,41 44,42,43 45,44"
    ),
    "EllinghamHorton(54)": (
        "1 11 15,2 47,3 13,4 8,5 15,6 10,7 30,8 12,9,10 29,11,12,13,14,15 48,,17 21 28,24 29,19 23 30,20 "
        "31,21 32,33,23 27 28,29,25 30,26 31,"
        "27 32,33,31,,,,52,53,35 39 46,42 47,37 41 48,38 49,39 50,51,41 45 46,47,43 48,44 49,45 50,51,49,,,,52,53,53"
    ),
    "EllinghamHorton(78)": (
        "1 5 60,2 12,3 7,4 14,5 9,6,7 11,15,9 13 22,10,11 72,12,13,14,72,16 20,17 27,18 22,19 29,20 24,21,22 "
        "26,,24 28 72,25,26 71,27,28,29,69,"
        "31 35 52,32 42,33 37,34 43,35 39,36,41 63,65 66,39 59 74,40,41 44,42,74,44 74,45,46 50,47 57,48 "
        "52,49 75,50 54,51,52 56,,54 58 73,55,"
        "56 59,57,58,75,75,61 64,62 71,63 77,67,65 69,77,70 73,68 73,69 76,,71 76,,,,,,77"
    ),
    "Horton": (
        "1 2 21,3 14,6 8,4 5,6 15,8 26,7,10 12,9,12 14,11 31,14 15,13,15 16,,,17 18,19 29,22 24,20 21,22 30,"
        "24,23,26 28,25,28 29,27,29 30,33,,32,44 75,64 95,62 93,35 36 55,37 48,40 42,38 39,40 49,42 60,41,"
        "44 46,43,46 48,45,48 49,47,49 50,,,51 52,53 63,56 58,54 55,56 64,58,57,60 62,59,62 63,61,63 64,,,,"
        "66 67 86,68 79,71 73,69 70,71 80,73 91,72,75 77,74,77 79,76,79 80,78,80 81,,,82 83,84 94,87 89,85 86,"
        "87 95,89,88,91 93,90,93 94,92,94 95"
    ),
}
"""Named graphs as lists: for each vertex, from 0 on, its neighbours with greater numbers."""


def written_out(name: str) -> Edges:
    """Return the edges of the graph of this name in `WRITTEN_OUT`."""
    beside = enumerate(WRITTEN_OUT[name].split(","))
    return [(vertex, int(other)) for vertex, others in beside for other in others.split()]


LCF: Mapping[str, tuple[int, ...]] = {
    "TruncatedTetrahedron": (12, 2, 6, -2),
    "Franklin": (12, 5, -5),
    "Frucht": (12, -5, -2, -4, 2, 5, -2, 2, 5, -2, -5, 4, 2),
    "Heawood": (14, 5, -5),
    "MoebiusKantor": (16, 5, -5),
    "Pappus": (18, 5, 7, -7, 7, -7, -5),
    "Desargues": (20, 5, -5, 9, -9),
    "Dodecahedron": (20, 10, 7, 4, -4, -7, 10, -4, 7, -7, 4),
    "McGee": (24, 12, 7, -7),
    "Nauru": (24, 5, -9, 7, -7, 9, -5),
    "F26A": (26, -7, 7),
    "TutteCoxeter": (30, -13, -9, 7, -7, 9, 13),
    "Dyck": (32, 5, -5, 13, -13),
    "Gray": (54, -25, 7, -7, 13, -13, 25),
    "Foster": (90, 17, -9, 37, -37, 9, -17),
}
"""Graphs of degree 3 in the notation of Lederberg, Coxeter and Frucht: the number of vertices, and how many places on
along a ring the chord of each vertex leads, over and over."""


def ring_with_chords(order: int, *chords: int) -> Edges:
    """Return the edges of a ring, and of the chord that each vertex has by `LCF`."""
    return [(i, (i + step) % order) for i in range(order) for step in (1, chords[i % len(chords)])]


def star_product(one: Edges, other: Edges) -> Edges:
    """Return the edges of the star product of two graphs: each loses its first vertex of degree 3, and the neighbours
    of the two are joined in pairs. A Hamiltonian cycle would give one of each graph."""
    parts, moved = list[Edges](), 0
    for edges in (one, other):
        degrees = Counter(chain.from_iterable(edges))
        lost = min(vertex for vertex, degree in degrees.items() if degree == 3)
        place = {vertex: moved + vertex - (vertex > lost) for vertex in degrees if vertex != lost}
        place[lost] = -1
        parts.append([(place[tail], place[head]) for tail, head in edges])
        moved += len(degrees) - 1
    ends = [sorted(max(edge) for edge in edges if -1 in edge) for edges in parts]
    return [edge for edges in parts for edge in edges if -1 not in edge] + [*zip(*ends, strict=True)]


def tutte_prism(n: int) -> Edges:
    """Return the edges of the star product of Tutte's graph and the prism over a ring of n vertices. It is planar,
    cubic and 3-connected, and has no Hamiltonian cycle."""
    ring = [(i, (i + 1) % n) for i in range(n)]
    return star_product(
        written_out("Tutte"), [*ring, *((n + i, n + j) for i, j in ring), *((i, n + i) for i in range(n))]
    )


# --- the families ---


@dataclass(frozen=True)
class Family:
    """A family of graphs, whose members have parameters: an example of a name, and functions of the parameters for the
    number of vertices, the edges, whether they are allowed, and a bound on the average degree. Where vertices are
    vectors, ``sides`` has the range of each of their numbers, and the edges are arcs."""

    example: str
    order: Callable[..., int]
    edges: Callable[..., Iterable[tuple[int, int]]]
    rule: str = ""
    allowed: Callable[..., bool] = lambda *_: True
    degree: Callable[..., int] = lambda *_: 4
    sides: Callable[..., tuple[int, ...]] = lambda *_: ()


MIN_HIDDEN = 20

TOO_MANY = 2 * MAX_VERTICES
"""A number of vertices, or of neighbours, that no graph has."""

_HALF = "k is at least 1 and less than n/2"


def _hidden_families(
    name: str, edges: Callable[[int, int], Edges], unit: int = 1, least: int = MIN_HIDDEN, dense: int = 0
) -> dict[str, Family]:
    """Return two families for the table: graphs around a hidden cycle, and their star products with Petersen's graph,
    which have no cycle. A member has n units of vertices, and an average degree of at most 4, and n / ``dense`` more if
    that is given."""
    most, none = 1000 // unit, f"{name}-none"
    rest = f"n is at least {least}", lambda n, _: n >= least, lambda n, _: 4 + (n // dense if dense else 0)
    return {
        name: Family(f"{name}({most},1)", lambda n, _: unit * n, edges, *rest),
        none: Family(
            f"{none}({most},1)",
            lambda n, _: unit * n + 8,
            lambda n, seed: star_product(petersen(5, 2), edges(n, seed)),
            *rest,
        ),
    }


def _subsets(n: int, k: int) -> int:
    """Return the number of subsets of k of n things; `TOO_MANY` if it is greater, as for 13 of 27."""
    return min(comb(n, min(k, n - k, 13)), TOO_MANY)


FAMILIES: Mapping[str, Family] = {
    "GP": Family("GP(17,2)", lambda n, _: 2 * n, petersen, _HALF, lambda n, k: 1 <= k < n / 2),
    "cubic": Family(
        "cubic(100,3)", lambda n, _: n, cubic, "n is even and at least 4", lambda n, _: n >= 4 and n % 2 == 0
    ),
    "J": Family("J(5)", lambda k: 4 * k, flower, "k is odd and at least 5", lambda k: k >= 5 and k % 2 == 1),
    "Sheehan": Family("Sheehan(10)", lambda n: n, sheehan, "n is at least 4", lambda n: n >= 4, lambda n: n // 2 + 2),
    "Kneser": Family(
        "Kneser(7,2)", _subsets, kneser, _HALF, lambda n, k: 1 <= k < n / 2, lambda n, k: _subsets(n - k, k)
    ),
    "Q": Family("Q(4)", lambda n: 1 << n, hypercube, "n is 1 to 16", lambda n: 1 <= n <= 16, lambda n: n),
    "K": Family(
        "K(6)",
        lambda n: n,
        lambda n: combinations(range(n), 2),
        "n is at least 1",
        lambda n: n >= 1,
        lambda n: n,
    ),
    "C": Family(
        "C(8)",
        lambda n: n,
        lambda n: ((i, (i + 1) % n) for i in range(n)),
        "n is at least 3",
        lambda n: n >= 3,
    ),
    **{name: Family(name, partial(int, ring[0]), partial(ring_with_chords, *ring)) for name, ring in LCF.items()},
    "Petersen": Family("Petersen", lambda: 10, lambda: petersen(5, 2)),
    "Coxeter": Family("Coxeter", lambda: 28, coxeter),
    "Tutte": Family("Tutte", lambda: 46, lambda: written_out("Tutte")),
    "TuttePrism": Family("TuttePrism(10)", lambda n: 44 + 2 * n, tutte_prism, "n is at least 3", lambda n: n >= 3),
    "EllinghamHorton": Family(
        "EllinghamHorton(54)",
        lambda n: n,
        lambda n: written_out(f"EllinghamHorton({n})"),
        "n is 54 or 78",
        lambda n: n in (54, 78),
    ),
    "Horton": Family("Horton", lambda: 96, lambda: written_out("Horton")),
    "xor9": Family("xor9(20,1)", lambda k, _: 9 * k, xor9, "there are at least 16 copies", lambda k, _: k >= 16),
    "Z": Family(
        "Z(5,3)",
        lambda m, d: min(m**d, TOO_MANY),
        cayley,
        "m is at least 2 and d is 1 to 24",
        lambda m, d: m >= 2 and 1 <= d <= 24,
        lambda _, d: 2 * d,
        lambda m, d: (m,) * d,
    ),
    **_hidden_families("strings", strings),
    **_hidden_families("planted", planted),
    **_hidden_families("hubs", hubs, dense=1000),
    **_hidden_families("chains", chains),
    **_hidden_families("gadgets", gadgets, 21, 4),
}
"""The families by name."""


@dataclass(frozen=True)
class Member(Numbered, Source):
    """A member of a family as a space: its vertices are numbered."""

    family: str
    parameters: tuple[int, ...]

    members: ClassVar[dict[str, Any]] = {"family": str}
    written: ClassVar[re.Pattern[str]] = re.compile(
        rf"({'|'.join(FAMILIES)})(?:\(([0-9]{{1,18}}(?:,[0-9]{{1,18}})?)\))?", re.IGNORECASE
    )

    @classmethod
    def parse(cls, name: str, holes: Sequence[str] = (), leaper: str | None = None) -> Member:
        """Return the member of this name; `BadInput` if there is none, or holes or a leaper are given."""
        if holes or (leaper is not None and read_leaper(leaper) != KNIGHT):
            raise BadInput(f"{name} is a graph, not a board: it takes no {'holes' if holes else 'leaper'}")
        match = cls.written.fullmatch(name)
        family = next((known for known in FAMILIES if match and known.lower() == match[1].lower()), "")
        parameters = tuple(map(int, match[2].split(","))) if match and match[2] else ()
        if match is None:
            shown = [known for known in FAMILIES if not known.endswith("-none") and known not in LCF]
            examples = ", ".join(FAMILIES[known].example for known in shown)
            hint = suggest(name.partition("(")[0], FAMILIES)
            write = hint if hint.startswith("did") else f"write rows x cols, such as 8x8, or one of {examples}"
            raise BadInput(f"{name[:80]!r} is not a board, a file or a graph of a family: {write}")
        if len(parameters) != len(re.findall(r"[(,]", FAMILIES[family].example)):
            raise BadInput(f"{name!r} is not a member of a family: write one such as {FAMILIES[family].example}")
        if max(parameters, default=0) >= 10**6:
            raise BadInput(f"{name} is too large: give numbers of at most six digits")
        if not FAMILIES[family].allowed(*parameters):
            raise BadInput(f"there is no graph {name}: {FAMILIES[family].rule}, as in {FAMILIES[family].example}")
        member = cls(FAMILIES[family].order(*parameters), family, parameters)
        member.check_size()
        return member

    @classmethod
    def from_members(cls, **members: Any) -> Member:
        """Return the graph of a family from the members of its JSON object."""
        return cls.parse(members["family"])

    def data(self) -> dict[str, Any]:
        """Return the JSON object with the name of the family and the parameters."""
        return {"family": str(self)}

    def __str__(self) -> str:
        return f"{self.family}({','.join(map(str, self.parameters))})" if self.parameters else self.family

    def called(self, _directed: bool = False) -> str:
        """Return the graph in words: ``the graph GP(17,2)``."""
        return f"the {'directed ' * bool(self._sides)}graph {self}"

    @property
    def _sides(self) -> tuple[int, ...]:
        """The range of each number of a vertex that is a vector; empty if vertices are single numbers."""
        return FAMILIES[self.family].sides(*self.parameters)

    def name(self, vertex: int) -> str:
        """Return the number of the vertex, or the numbers of its vector."""
        return ",".join(map(str, np.unravel_index(vertex, self._sides))) if self._sides else super().name(vertex)

    def find(self, which: VertexLike) -> int:
        """Return the vertex with this number or vector; `BadInput` if there is none."""
        if not self._sides:
            return super().find(which)
        with suppress(TypeError, ValueError, OverflowError):
            numbers: Any = which.split(",") if isinstance(which, str) else which
            return int(np.ravel_multi_index(tuple(map(int, numbers)), self._sides))
        first, last = self.name(0), self.name(self.order - 1)
        raise BadInput(f"{which!r:.40} is not a vertex of {self.called()}: its vertices are {first} to {last}")

    @property
    def edge_bound(self) -> int:
        """An upper bound on the number of edges, from the average degree of the family."""
        return self.order * FAMILIES[self.family].degree(*self.parameters) // 2

    @cached_property
    def graph(self) -> Graph:
        """The member's graph."""
        family = FAMILIES[self.family]
        ends = np.fromiter(chain.from_iterable(family.edges(*self.parameters)), dtype=np.int32)
        return Graph.from_edges(self.order, ends.reshape(-1, 2), directed=bool(self._sides), space=self)
