"""Graphs of degree 3 that are known for having no Hamiltonian cycle, though nothing plain rules one out: they are
3-connected.

Tutte's graph of 46 vertices (1946) refuted Tait's conjecture on polyhedra, the others Tutte's own conjecture on
bipartite graphs: Horton's of 96 vertices (in Bondy & Murty 1976), and those of 78 and of 54 vertices by Ellingham
(1981) and Ellingham & Horton (1983).
"""

from __future__ import annotations

Edges = list[tuple[int, int]]

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
"""The neighbours of vertex 0, 1 and so on that have greater numbers."""

HORTON_ORDER = 96


def written_out(neighbours: str) -> Edges:
    """The edges of a graph that is written as above."""
    return [(vertex, int(other)) for vertex, others in enumerate(neighbours.split(",")) for other in others.split()]


def horton_edges() -> Edges:
    """Three pairs of parts, and three vertices each joined to all pairs.

    A part is the ring of 16 vertices with the chords from each even ``i`` to ``i + 5``, less the edges 15-0 and 7-8;
    the second part of a pair has no vertex 15.
    """
    inner = [
        edge
        for i in range(16)
        for edge in [(i, (i + 1) % 16), *[(i, (i + 5) % 16)] * (i % 2 == 0)]
        if edge not in ((15, 0), (7, 8))
    ]
    number: dict[tuple[int, int], int] = {}
    edges = []
    for pair in range(3):
        one, other = 2 * pair, 2 * pair + 1
        edges += [((one, a), (one, b)) for a, b in inner]
        edges += [((other, a), (other, b)) for a, b in inner if 15 not in (a, b)]
        edges += [((one, 0), (other, 7)), ((one, 7), (other, 8)), ((one, 15), (other, 0))]
        edges += [((one, 8), (6, 1)), ((other, 14), (6, 2)), ((other, 10), (6, 0))]
    for edge in edges:
        for end in edge:
            number.setdefault(end, len(number))
    return [(number[one], number[other]) for one, other in edges]
