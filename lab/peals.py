"""Graphs of gadgets as those of the FHCP challenge that come from bell ringing: ``python lab/peals.py FOLDER`` writes
20 with 140, 168 and 210 gadgets each. The same seed gives the same graph. It needs the extra ``graphs``.

A peal of Stedman Triples rings the 5,040 orders of seven bells, its rows, once each, in sixes: six rows, the first one
even, after which the front three bells have been rung in every order. A six is rung quick or slow in turn, and a plain
lead or a bob leads to the next. So a six is a gadget with six modes: which of its even rows comes first, and how it is
rung. Where the bells are renamed by a group of order 4, 5 or 6 and the peal has as many equal parts, a cycle through
the sixes of a part is sought (Haythorpe & Johnson 2019). A gadget is that of Glynn, Haythorpe & Moeini (2018) for six
modes. In all graphs but the first of each group a cubic graph takes the place of an edge, so that there are two pieces.
Vertices are numbered at random.
"""

import random
import sys
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path

import networkx as nx

Row = tuple[int, ...]

ONE, THREE = (0, 2, 1, 4, 3, 6, 5), (1, 0, 2, 4, 3, 6, 5)
CALLS = (1, 0, 3, 2, 5, 4, 6), (1, 0, 3, 2, 4, 6, 5)  # a plain lead and a bob
WAYS = {"quick": (ONE, THREE, ONE, THREE, ONE), "slow": (THREE, ONE, THREE, ONE, THREE)}

ARCS = [
    (v, u)
    for v, others in enumerate(("45", "39", "49", "1a", "02", "28", "5", "0a", "7", "16", "37"))
    for u in (int(c, 16) for c in others)
]
"""The arcs of a directed graph of eleven vertices, of which each became a path of three to make a gadget."""

PORTS = ((0, 1), (1, 8), (2, 6), (6, 10), (8, 0), (10, 2))
"""For each mode the vertex that a cycle enters first, and the last; it passes all others between."""

GROUPS = {
    140: [[(1, 2, 0, 4, 5, 3, 6), (1, 0, 2, 4, 3, 5, 6)]],
    168: [[(1, 2, 3, 4, 0, 5, 6)]],
    210: [[(1, 2, 3, 0, 5, 4, 6)], [(1, 0, 3, 2, 4, 5, 6), (2, 3, 0, 1, 4, 5, 6)]],
}
"""For each number of gadgets permutations of the bells that generate the group of a part."""


def after(row: Row, places: Row) -> Row:
    """Return the row that comes of a row by a change of places, or of a permutation, by one before it."""
    return tuple(row[place] for place in places)


def six(first: Row, way: str = "quick") -> list[Row]:
    """Return the rows of a six."""
    rows = [first]
    for change in WAYS[way]:
        rows.append(after(rows[-1], change))
    return rows


def group_of(generators: Sequence[Row]) -> list[Row]:
    """Return all products of these permutations."""
    found = [tuple(range(7))]
    for one in found:
        found += {after(generator, one) for generator in generators} - {*found}
    return found


def peal(generators: Sequence[Row]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the edges within the gadgets of a part, and those between them."""
    group = group_of(generators)
    even = [row for row in permutations(range(7)) if sum(a > b for i, b in enumerate(row) for a in row[:i]) % 2 == 0]
    first = {row: min(after(name, row) for name in group) for row in even}
    home = {row: min(first[other] for other in six(row) if other in first) for row in even}
    modes = sorted(product({*first.values()}, WAYS), key=lambda mode: home[mode[0]])
    ahead = {
        (row, way): [(first[after(six(row, way)[-1], call)], {"quick": "slow", "slow": "quick"}[way]) for call in CALLS]
        for row, way in modes
    }
    ports = dict[tuple[Row, str], tuple[int, int, int]]()
    for gadget in range(len(modes) // 6):
        of_gadget = modes[6 * gadget : 6 * gadget + 6]
        for pairs in permutations(PORTS):
            own = dict(zip(of_gadget, pairs, strict=True))
            back = [(own[mode][1], own[other][0]) for mode in own for other in ahead[mode] if other in own]
            if not {*back} & {*ARCS, *((v, v) for v in range(11))}:  # these edges are not among those within
                break
        ports |= {mode: (33 * gadget, *pair) for mode, pair in own.items()}
    between = {
        (ports[mode][0] + 3 * ports[mode][2] + 2, ports[other][0] + 3 * ports[other][1])
        for mode, others in ahead.items()
        for other in others
    }
    inside = [(3 * v + part, 3 * v + part + 1) for v in range(11) for part in (0, 1)]
    inside += [(3 * tail + 2, 3 * head) for tail, head in ARCS]
    return [(33 * g + a, 33 * g + b) for g in range(len(modes) // 6) for a, b in inside], sorted(between)


if __name__ == "__main__":
    for gadgets, groups in GROUPS.items():
        for seed in range(20):
            rng = random.Random(f"{gadgets} {seed}")
            inside, between = peal(groups[seed % len(groups)])
            graph = nx.Graph([*inside, *between])
            if seed >= len(groups):
                tail, head = rng.choice([(a, b) for a, b in inside if a % 3 == 0 and b == a + 1])
                graph.remove_edge(tail, head)
                cubic = nx.random_regular_graph(3, rng.choice((200, 400, 800)), seed=rng.getrandbits(32))
                order, (one, other) = len(graph), rng.choice([*cubic.edges])
                cubic.remove_edge(one, other)
                graph.add_edges_from((order + a, order + b) for a, b in cubic.edges)
                graph.add_edges_from([(tail, order + one), (order + other, head)])
            names = rng.sample(range(1, len(graph) + 1), len(graph))
            number = dict(zip(graph, names, strict=True))
            lines = [f"e {number[a]} {number[b]}" for a, b in rng.sample([*graph.edges], graph.number_of_edges())]
            text = "\n".join([f"p edge {len(graph)} {len(lines)}", *lines, ""])
            (Path(sys.argv[1]) / f"peal{gadgets}-{seed}.edge").write_text(text, encoding="utf-8")
