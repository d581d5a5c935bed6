"""The edges of the graphs that have names (`families`), on the vertices 0, 1, …"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, combinations, product

Edges = list[tuple[int, int]]


def petersen(n: int, k: int) -> Edges:
    """Return the edges of GP(n,k): the outer ring is 0 to n - 1, and vertex i has the spoke to n + i."""
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
    """Return the edges of J(k): stars around a ring, whose other ends form one ring of twice the length."""
    edges = []
    for petal in range(petals):
        centre, following = 4 * petal, 4 * ((petal + 1) % petals)
        turn = following == 0
        edges += [(centre, centre + 1), (centre, centre + 2), (centre, centre + 3), (centre + 1, following + 1)]
        edges += [(centre + 2, following + (3 if turn else 2)), (centre + 3, following + (2 if turn else 3))]
    return edges


def sheehan(order: int) -> Iterator[tuple[int, int]]:
    """Yield the edges of a ring, and those of every second vertex to all after its successor: those between have
    degree 2, and force the ring."""
    yield from ((vertex, (vertex + 1) % order) for vertex in range(order))
    yield from ((vertex, other) for vertex in range(1, order, 2) for other in range(vertex + 2, order))


def kneser(n: int, k: int) -> Iterator[tuple[int, int]]:
    """Yield the edges between disjoint subsets of k of n things."""
    number = {subset: vertex for vertex, subset in enumerate(combinations(range(n), k))}
    for subset, vertex in number.items():
        rest = (thing for thing in range(n) if thing not in subset)
        yield from ((vertex, number[other]) for other in combinations(rest, k) if subset < other)


def _disjoint_pairs(sets: list[frozenset[int]]) -> Edges:
    """Return the pairs of disjoint sets, by their places in the list."""
    return [(one, other) for one, other in combinations(range(len(sets)), 2) if not sets[one] & sets[other]]


def hypercube(dimension: int) -> Edges:
    """Return the edges between numbers below ``2 ** dimension`` that differ in one binary digit."""
    vertices = range(1 << dimension)
    return [(vertex, vertex | 1 << bit) for vertex in vertices for bit in range(dimension) if not vertex >> bit & 1]


def cayley(m: int, d: int) -> Iterator[tuple[int, int]]:
    """Yield the arcs from each vector of d numbers modulo m to those with one number greater by 1; a vector is a number
    with d digits in base m."""
    for vertex, place in product(range(m**d), (m**power for power in reversed(range(d)))):
        yield vertex, vertex + (place if vertex // place % m < m - 1 else (1 - m) * place)


def coxeter() -> Edges:
    """Return the edges between disjoint triples of seven points that are not lines of the Fano plane (Tutte 1960)."""
    lines = {frozenset((point, (point + 1) % 7, (point + 3) % 7)) for point in range(7)}
    return _disjoint_pairs([triple for triple in map(frozenset, combinations(range(7), 3)) if triple not in lines])


# --- random graphs that are hard ---


def xor9(copies: int, seed: int) -> Edges:
    """Return the edges of copies of a path 1 to 9 with the chords 1-6 and 4-9, joined by their vertices 1, 3, 7, 9:
    each of these vertices has 2 or 3 edges to other copies, 10 a copy.

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
    """Return the edges of a hidden cycle and 0.4 n more among half of its n vertices, drawn at random; the others keep
    degree 2, and force the edges at them."""
    rng, cycle = _hidden_cycle(order, seed)
    inner = rng.sample(cycle, order // 2)
    return _around(cycle, [rng.sample(inner, 2) for _ in range(2 * order // 5)])


def planted(order: int, seed: int) -> Edges:
    """Return the edges of a hidden cycle and 0.625 n more between vertices that are at most 100 apart on it.

    Most degrees are 3 or 4, and many short cycles, of which a 2-factor may be made, pass through each neighbourhood.
    """
    rng, cycle = _hidden_cycle(order, seed)
    places = [rng.randrange(order) for _ in range(5 * order // 8)]
    return _around(cycle, [[cycle[place], cycle[(place + rng.randint(2, 100)) % order]] for place in places])


def hubs(order: int, seed: int) -> Edges:
    """Return the edges of a hidden cycle, from one vertex in 100 to a twentieth of all, and 0.1 n more at random."""
    rng, cycle = _hidden_cycle(order, seed)
    drawn = [
        [hub, other] for hub in rng.sample(cycle, max(1, order // 100)) for other in rng.sample(cycle, order // 20)
    ]
    return _around(cycle, drawn + [rng.sample(cycle, 2) for _ in range(order // 10)])


def chains(order: int, seed: int) -> Edges:
    """Return the edges of a hidden cycle, and of a matching of some nine tenths of its vertices, each with one that is
    at most 30 places on: a long, narrow graph of degrees 2 and 3."""
    rng, cycle = _hidden_cycle(order, seed)
    places, drawn = rng.sample(range(order), 9 * order // 10), list[list[int]]()
    free = set(places)
    for place in places:
        near = [other for ahead in range(2, 31) if (other := (place + ahead) % order) in free]
        if place in free and near:
            drawn.append([cycle[place], cycle[chosen := rng.choice(near)]])
            free -= {place, chosen}
    return _around(cycle, drawn)


def gadgets(count: int, seed: int) -> Edges:
    """Return the edges of gadgets of 21 vertices, which a hidden cycle passes in one of four ways each, and of two more
    edges from each of their four exits to entries of others, two at each."""
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
    """Return the edges of a gadget on 21 vertices from ``first`` on: a directed graph of seven vertices, each of which
    became a path of three. Its ports are 0 to 3, and a cycle that enters at port ``i`` leaves at ``i + 2`` modulo 4."""
    arcs = [(4 + i, i + step) for i in range(3) for step in (0, 1)] + [(3, 4), (2, 4), (2, 5), (1, 5), (1, 6), (0, 6)]
    paths = [(first + 3 * v + part, first + 3 * v + part + 1) for v in range(7) for part in (0, 1)]
    return paths + [(first + 3 * tail + 2, first + 3 * head) for tail, head in arcs]


def _hidden_cycle(order: int, seed: int) -> tuple[random.Random, list[int]]:
    """Return a generator of random numbers, and all vertices in an order that it drew."""
    rng = random.Random(seed)
    return rng, rng.sample(range(order), order)


def _around(cycle: list[int], drawn: list[list[int]]) -> Edges:
    """Return the edges of the cycle and those drawn, without loops and repeats."""
    edges = [*zip(cycle, cycle[1:] + cycle[:1], strict=True), *drawn]
    return sorted({(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]})


# --- graphs of degree 3 without a Hamiltonian cycle, though they are 3-connected ---


TUTTE = (
    "1 2 3,4 26,10 11,18 19,5 33,6 29,7 27,8 14,9 38,10 37,39,12 39,13 35,14 15,34,16 22,17 44,18 43,45,20 "
    "45,21 41,22 23,40,24 27,25 32,"
    "26 31,33,28,29 32,30,31 33,32,,,35 38,36,37 39,38,,,41 44,42,43 45,44"
)
ELLINGHAM_HORTON = {
    54: (
        "1 11 15,2 47,3 13,4 8,5 15,6 10,7 30,8 12,9,10 29,11,12,13,14,15 48,,17 21 28,24 29,19 23 30,20 "
        "31,21 32,33,23 27 28,29,25 30,26 31,"
        "27 32,33,31,,,,52,53,35 39 46,42 47,37 41 48,38 49,39 50,51,41 45 46,47,43 48,44 49,45 50,51,49,,,,52,53,53"
    ),
    78: (
        "1 5 60,2 12,3 7,4 14,5 9,6,7 11,15,9 13 22,10,11 72,12,13,14,72,16 20,17 27,18 22,19 29,20 24,21,22 "
        "26,,24 28 72,25,26 71,27,28,29,69,"
        "31 35 52,32 42,33 37,34 43,35 39,36,41 63,65 66,39 59 74,40,41 44,42,74,44 74,45,46 50,47 57,48 "
        "52,49 75,50 54,51,52 56,,54 58 73,55,"
        "56 59,57,58,75,75,61 64,62 71,63 77,67,65 69,77,70 73,68 73,69 76,,71 76,,,,,,77"
    ),
}
HORTON = (
    "1 2 21,3 14,6 8,4 5,6 15,8 26,7,10 12,9,12 14,11 31,14 15,13,15 16,,,17 18,19 29,22 24,20 21,22 30,"
    "24,23,26 28,25,28 29,27,29 30,33,,32,44 75,64 95,62 93,35 36 55,37 48,40 42,38 39,40 49,42 60,41,"
    "44 46,43,46 48,45,48 49,47,49 50,,,51 52,53 63,56 58,54 55,56 64,58,57,60 62,59,62 63,61,63 64,,,,"
    "66 67 86,68 79,71 73,69 70,71 80,73 91,72,75 77,74,77 79,76,79 80,78,80 81,,,82 83,84 94,87 89,85 86,"
    "87 95,89,88,91 93,90,93 94,92,94 95"
)


def star_product(one: Edges, other: Edges) -> Edges:
    """Return the edges of two graphs, each less its first vertex of degree 3: the neighbours of the one are joined
    to those of the other. A Hamiltonian cycle would give one of each graph."""
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
    """Return the edges of the star product of Tutte's graph and the prism over a ring of n: it has no cycle, and is
    planar, cubic and 3-connected as they are."""
    ring = [(i, (i + 1) % n) for i in range(n)]
    return star_product(
        written_out(TUTTE), [*ring, *((n + i, n + j) for i, j in ring), *((i, n + i) for i in range(n))]
    )


def with_petersen(hidden: Callable[[int, int], Edges]) -> Callable[[int, int], Edges]:
    """Return the function that gives the star product of Petersen's graph and a member of a family: it has no cycle."""
    return lambda size, seed: star_product(petersen(5, 2), hidden(size, seed))


def written_out(neighbours: str) -> Edges:
    """Return the edges of a graph from the neighbours of vertex 0, 1 and so on that have greater numbers."""
    return [(vertex, int(other)) for vertex, others in enumerate(neighbours.split(",")) for other in others.split()]
