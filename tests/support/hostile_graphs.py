"""Graphs drawn with a seed to break a backend: sparse, with many vertices of degree 2, bridges, cut vertices, several
components.

Each family is a function of a random generator and an approximate order. It returns the edges, and whether there is a
closed tour: a planted cycle is one; a bridge, a cut vertex and a second component forbid it, and the flower snarks have
none (Isaacs 1975). None if that is not known; `brute_force` answers for the smallest graphs.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from brute_force import brute_force

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.spaces.families import flower

Edges = list[tuple[int, int]]

MAX_COUNTED = 9
"""Vertices of the largest graph that is asked by brute force for a tour."""


@dataclass(frozen=True, eq=False)
class HostileGraph:
    """A graph of a family, and whether it has a closed and an open tour; None if that is not known."""

    family: str
    graph: Graph
    closed: bool | None
    open: bool | None

    def has_tour(self, *, closed: bool) -> bool | None:
        """Return whether there is a tour of this kind; None if that is not known."""
        return self.closed if closed else self.open


def draw_graph(rng: random.Random, most: int) -> HostileGraph:
    """A graph of a family drawn at random, its vertices in random order; one in three is so small that brute force has
    the last word."""
    family = rng.choice(list(FAMILIES))
    order = rng.randint(4, MAX_COUNTED) if rng.random() < 1 / 3 else round(20 * (most / 20) ** rng.random())
    edges, closed = FAMILIES[family](rng, order)
    vertices = 1 + max(max(edge) for edge in edges)
    places = rng.sample(range(vertices), vertices)
    graph = Graph.from_edges(vertices, [(places[tail], places[head]) for tail, head in edges])
    if vertices <= MAX_COUNTED:
        return HostileGraph(family, graph, *(bool(brute_force(Problem(graph, closed))) for closed in (True, False)))
    return HostileGraph(family, graph, closed, False if family == "apart" else closed or None)


def _planted(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """A cycle and chords, most of them short, at a random share of the vertices."""
    edges = _cycle(order)
    span = rng.choice((2, 3, 8, 40, order))
    for _ in range(round(order * rng.uniform(0.1, 1.2))):
        tail = rng.randrange(order)
        edges.append((tail, (tail + rng.randint(2, max(2, min(span, order - 2)))) % order))
    return edges, True


def _ears(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """A planted cycle with chords past one vertex of degree 2 each: edges that no tour can use, which follows before
    any decision."""
    edges, ends = _cycle(order), list(range(0, order - 2, 4))
    edges += [(end, end + 2) for end in ends if rng.random() < 0.7]
    edges += [(rng.choice(ends), rng.choice(ends) + 2) for _ in range(round(order * rng.uniform(0, 0.4)))]
    return [edge for edge in edges if edge[0] != edge[1]], True


def _cubic(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """Random pairs of three points a vertex (Bollobás 1980), less loops: a nearly cubic graph."""
    points = [vertex for vertex in range(order) for _ in range(3)]
    rng.shuffle(points)
    return [(tail, head) for tail, head in zip(points[::2], points[1::2], strict=False) if tail != head], None


def _subdivided(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """A near-cubic graph with a vertex of degree 2 put on some of its edges."""
    edges, _ = _cubic(rng, max(4, 2 * order // 3))
    share, following, found = rng.uniform(0.02, 0.4), 1 + max(map(max, edges)), []
    for tail, head in edges:
        if rng.random() < share:
            found += [(tail, following), (following, head)]
            following += 1
        else:
            found.append((tail, head))
    return found, None


def _sparse(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """Edges between random pairs, two to four at a vertex on average: often with loose ends, sometimes in parts."""
    pairs = (rng.sample(range(order), 2) for _ in range(round(order * rng.uniform(1.0, 2.2))))
    return [(tail, head) for tail, head in pairs], None


def _bridge(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """Two graphs with a cycle each, and one edge between them."""
    edges, half = _apart_halves(rng, order)
    return [*edges, (rng.randrange(half), half + rng.randrange(order - half))], False


def _cut_vertex(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """Two graphs with a cycle each that share a vertex."""
    edges, half = _apart_halves(rng, order + 1)
    return [(tail - (tail >= half), head - (head >= half)) for tail, head in edges], False


def _apart(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """Two graphs with a cycle each, and no edge between them."""
    return _apart_halves(rng, order)[0], False


def _apart_halves(rng: random.Random, order: int) -> tuple[Edges, int]:
    half = max(3, min(order - 3, rng.randint(order // 3, 2 * order // 3)))
    rest = max(3, order - half)
    return _planted(rng, half)[0] + [(half + tail, half + head) for tail, head in _planted(rng, rest)[0]], half


def _snark(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """A flower snark (Isaacs 1975), in one case of two with an edge or two more, of which nothing is known."""
    petals = max(5, order // 4 | 1)
    edges = flower(petals)
    extra = rng.choice((0, 0, 1, 2))
    edges += [(tail, head) for tail, head in (rng.sample(range(4 * petals), 2) for _ in range(extra))]
    return edges, None if extra else False


def _necklace(rng: random.Random, order: int) -> tuple[Edges, bool | None]:
    """Snarks less a vertex and an edge each, strung into a ring by single edges: hard beads, and a tour has to pass
    each."""
    edges: Edges = []
    links: list[tuple[int, int]] = []
    first = 0
    while first < order or len(links) < 2:
        petals = rng.choice((5, 5, 7, 9))
        gone = rng.randrange(4 * petals)
        bead = [
            (tail - (tail > gone), head - (head > gone)) for tail, head in flower(petals) if gone not in (tail, head)
        ]
        left, right = bead.pop(rng.randrange(len(bead)))
        edges += [(first + tail, first + head) for tail, head in bead]
        links.append((first + left, first + right))
        first += 4 * petals - 1
    return edges + [(right, left) for (_, right), (left, _) in zip(links, links[1:] + links[:1], strict=True)], None


def _cycle(order: int) -> Edges:
    return [(vertex, (vertex + 1) % order) for vertex in range(order)]


FAMILIES: Mapping[str, Callable[[random.Random, int], tuple[Edges, bool | None]]] = {
    "planted": _planted,
    "ears": _ears,
    "cubic": _cubic,
    "subdivided": _subdivided,
    "sparse": _sparse,
    "bridge": _bridge,
    "cut vertex": _cut_vertex,
    "apart": _apart,
    "snark": _snark,
    "necklace": _necklace,
}
"""The families by name: edges on the vertices from 0, for a generator and an order, and whether there is a closed
tour."""
