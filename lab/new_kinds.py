"""A thousand graphs of five kinds that no plan of `auto` was made for: ``python lab/new_kinds.py FOLDER`` writes them,
200 of each kind, drawn with 100 to 5,000 vertices. The same seed gives the same graph. It needs the extra ``graphs``.

Of a drawn graph the largest 2-connected part is kept, with its vertices numbered at random.
"""

import random
import sys
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
from scipy.spatial import ConvexHull, cKDTree


def disk(n: int, rng: random.Random) -> nx.Graph:
    """Return the graph of random points in a square, near ones joined: up to the distance at which each has two
    neighbours, or a little less."""
    points = np.array([(rng.random(), rng.random()) for _ in range(n)])
    tree = cKDTree(points)
    near = tree.query(points, 3)[0][:, 2].max() * rng.choice([1.0, 0.9, 0.8])
    return nx.Graph(list(tree.query_pairs(near)))


def bottlenecks(n: int, rng: random.Random) -> nx.Graph:
    """Return a ring of bipartite blocks of degree 3 or 4, with one to three edges, or pairs of edges, between
    neighbours. Every third has none: its blocks are left from one colour only."""
    side, degree, none = rng.randint(10, 60), rng.choice([3, 4]), rng.random() < 1 / 3
    blocks, graph = max(2, n // (4 * side)) * 2, nx.Graph()
    ones, others = ([[(colour, b, i) for i in range(side)] for b in range(blocks)] for colour in (0, 1))
    for one, other in zip(ones, others, strict=True):
        for _ in range(degree):
            graph.add_edges_from(zip(one, rng.sample(other, side), strict=True))
    for b in range(blocks):
        for _ in range(rng.randint(1, 3)):
            ends = (ones, others) if b % 2 == 0 or not none else (others, ones)
            graph.add_edge(rng.choice(ends[0][b]), rng.choice(ends[1][(b + 1) % blocks]))
            if not none:
                graph.add_edge(rng.choice(others[b]), rng.choice(ones[(b + 1) % blocks]))
    return graph


def snarks(n: int, rng: random.Random) -> nx.Graph:
    """Return cubic graphs of 10 to 60 vertices joined by cuts of two edges in a ring, or of three edges in a tree. In
    half of them up to three are snarks, and there is no cycle."""
    pieces, tree = list[nx.Graph](), rng.random() < 0.5
    while sum(map(len, pieces)) < n:
        pieces.append(nx.random_regular_graph(3, 2 * rng.randint(5, 30), seed=rng.getrandbits(32)))
    for _ in range(rng.choice([0, 0, 0, 1, 2, 3])):
        pieces[rng.randrange(len(pieces))] = rng.choice([nx.petersen_graph(), flower(5), flower(7), flower(9)])
    graph, ends = nx.disjoint_union_all(pieces), list[int]()
    for first, piece in zip(np.cumsum([0, *map(len, pieces)]).tolist(), pieces, strict=False):
        if not tree:
            tail, head = rng.choice([*piece.edges])
            graph.remove_edge(first + tail, first + head)
            ends += [first + tail, first + head]
        elif first:
            lost, other = rng.choice([v for v in range(first) if v in graph]), first + rng.randrange(len(piece))
            graph.add_edges_from(zip(rng.sample([*graph[lost]], 3), [*graph[other]], strict=True))
            graph.remove_nodes_from([lost, other])
    graph.add_edges_from(zip(ends[1::2], [*ends[2::2], *ends[:1]], strict=True))
    return graph


def flower(petals: int) -> nx.Graph:
    """Return the flower snark."""
    ring = [*range(petals)]
    graph = nx.Graph([((0, i), (k, i)) for i in ring for k in (1, 2, 3)])
    graph.add_edges_from(((1, i), (1, (i + 1) % petals)) for i in ring)
    nx.add_cycle(graph, [*((2, i) for i in ring), *((3, i) for i in ring)])
    return nx.convert_node_labels_to_integers(graph)


def planar(n: int, rng: random.Random) -> nx.Graph:
    """Return one of four planar graphs: the cells of random points on a sphere, the line graph of their corners, the
    corners themselves, or cells with one more vertex in some faces (where faces outnumber cells, there is no cycle)."""
    form = rng.randrange(4)
    gauss = np.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range((n, n // 3, n // 2, n // 2)[form])])
    hull = ConvexHull(gauss / np.linalg.norm(gauss, axis=1, keepdims=True))
    corners = nx.Graph([(face, int(other)) for face, others in enumerate(hull.neighbors) for other in others])
    if form in (1, 2):
        return nx.line_graph(corners) if form == 1 else corners
    cells = nx.Graph([edge for a, b, c in hull.simplices.tolist() for edge in ((a, b), (b, c), (a, c))])
    for face in hull.simplices.tolist() if form == 3 else ():
        if rng.random() < 0.52:
            cells.add_edges_from((("face", *face), corner) for corner in face)
    return cells


def holes(n: int, rng: random.Random) -> nx.Graph:
    """Return a product graph less up to a seventh of its vertices: a hypercube, the squares of a rook, a wrapped grid
    of two or three dimensions, or a graph of steps in a semidirect product of Z(m) and Z(3). Three of four bipartite
    ones are balanced."""
    form = rng.randrange(5)
    if form == 0:
        graph = nx.hypercube_graph(max(7, min(12, round(np.log2(n)))))
    elif form == 1:
        graph = nx.cartesian_product(*[nx.complete_graph(max(10, min(36, round(n**0.5)) + d)) for d in (0, 3)])
    elif form < 4:
        a = round(n ** (1 / form))
        graph = nx.grid_graph([a + rng.randint(-1, 1) for _ in range(form)], periodic=True)
    else:
        m, twist = next((m, t) for m in range(max(n // 3, 40), 9999) for t in range(2, m) if t**3 % m == 1)
        steps = [(1, 0), (0, 1), (rng.randrange(2, m), rng.randrange(3))]
        graph = nx.Graph(
            ((x, y), ((x + dx * pow(twist, y, m)) % m, (y + dy) % 3))
            for x, y in product(range(m), range(3))
            for dx, dy in steps
        )
    colours = nx.bipartite.color(graph) if nx.is_bipartite(graph) else None
    share = rng.uniform(0.0, 0.14)
    gone = rng.sample(sorted(graph), int(share * len(graph)))
    graph.remove_nodes_from(gone)
    if colours is not None and rng.random() < 0.75:
        graph = largest_part(graph)
        sides = [sorted(v for v in graph if colours[v] == colour) for colour in (0, 1)]
        more = max(sides, key=len)
        graph.remove_nodes_from(rng.sample(more, 2 * len(more) - len(graph)))
    return graph


KINDS = (disk, bottlenecks, snarks, planar, holes)
SIZES = (100, 200, 400, 800, 1500, 2500, 4000, 5000)


def largest_part(graph: nx.Graph) -> nx.Graph:
    """Return the largest 2-connected part of a graph."""
    return graph.subgraph(max(nx.biconnected_components(graph), key=len)).copy()


if __name__ == "__main__":
    for kind, seed in product(KINDS, range(1, 201)):
        rng = random.Random(f"{kind.__name__} {seed}")
        graph = nx.convert_node_labels_to_integers(largest_part(kind(SIZES[seed % len(SIZES)], rng)), 1)
        names = [*range(1, len(graph) + 1)]
        rng.shuffle(names)
        lines = [f"e {names[tail - 1]} {names[head - 1]}" for tail, head in graph.edges]
        text = "\n".join([f"p edge {len(graph)} {len(lines)}", *lines, ""])
        (Path(sys.argv[1]) / f"{kind.__name__}-{seed}.edge").write_text(text, encoding="utf-8")
