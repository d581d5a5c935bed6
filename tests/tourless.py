"""Random problems, most of them without a tour: disconnected graphs, cut vertices, bridges, unequal colours,
contradictory ends and moves."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.families import Member

Edges = list[tuple[int, int]]

LEAPERS = ((1, 2), (1, 3), (0, 1), (1, 1), (2, 2), (1, 4), (2, 3), (0, 2), (2, 4), (3, 3))


def random_problem(rng: random.Random) -> Problem:
    """A graph of one of the kinds below, open or closed, with ends, required and forbidden moves now and then."""
    graph = rng.choice([sparse, parts, blocks, two_sides, board, board, cubic])(rng)
    closed = rng.random() < 0.5
    vertices = range(graph.order)
    start = rng.choice(vertices) if graph.order and rng.random() < 0.3 else None
    end = (
        rng.choice([start, *vertices] if start is not None else vertices)
        if graph.order and rng.random() < 0.3
        else None
    )
    if closed and start is None:
        end = None
    tails, heads = graph.edges()
    moves = list(zip(tails.tolist(), heads.tolist(), strict=True))
    require, forbid = (tuple(rng.sample(moves, min(len(moves), rng.choice([0, 0, 0, 1, 2])))) for _ in range(2))
    return Problem(graph, closed, start, end, require, forbid)


def sparse(rng: random.Random) -> Graph:
    """Up to nine vertices, none at all among the orders."""
    order, dense = rng.randrange(10), rng.choice([0.3, 0.5, 0.8])
    return Graph.from_edges(order, [pair for pair in combinations(range(order), 2) if rng.random() < dense])


def parts(rng: random.Random) -> Graph:
    """Two to four cycles or cliques beside each other: every degree is 2 or more, and nothing joins them."""
    edges: Edges = []
    order = 0
    for _ in range(rng.randint(2, 4)):
        edges += block(rng, order, size := rng.randint(3, 7))
        order += size
    return shuffled(rng, order, edges)


def blocks(rng: random.Random) -> Graph:
    """Cycles or cliques in a chain or a star, each joined to an earlier one by a bridge, or sharing a vertex with
    it."""
    edges: Edges = []
    order = 0
    for place in range(rng.randint(2, 5)):
        other = rng.randrange(order) if place else 0
        shares = place > 0 and rng.random() < 0.5
        first, size = order - shares, rng.randint(3, 6)
        new = block(rng, first, size)
        edges += [
            (other if shares and one == first else one, other if shares and two == first else two) for one, two in new
        ]
        # A shared vertex takes the place of the block's first, whose number is that of the last vertex before.
        order = first + size
        if place and not shares:
            edges.append((other, first))
    return shuffled(rng, order, [(one, two) for one, two in edges if one != two])


def block(rng: random.Random, first: int, size: int) -> Edges:
    """A cycle, or a clique."""
    members = range(first, first + size)
    return list(combinations(members, 2)) if rng.random() < 0.3 else [*pairwise(members), (first, first + size - 1)]


def two_sides(rng: random.Random) -> Graph:
    """A bipartite graph with sides of sizes that differ by up to three."""
    left = rng.randint(2, 6)
    right = left + rng.randint(0, 3)
    dense = rng.choice([0.6, 0.8, 1.0])
    return shuffled(
        rng, left + right, [(a, left + b) for a in range(left) for b in range(right) if rng.random() < dense]
    )


def board(rng: random.Random) -> Graph:
    """A small board with some holes, for a knight or for another leaper, which often can't reach every square."""
    rows, cols = rng.randint(1, 6), rng.randint(1, 6)
    holes = rng.sample(range(rows * cols), min(rows * cols - 1, rng.choice([0, 0, 1, 2, 3])))
    return Board(rows, cols, holes, rng.choice(LEAPERS)).graph


def cubic(rng: random.Random) -> Graph:
    """A generalised Petersen graph, less an edge now and then: those that need clauses."""
    graph = Member.parse(f"GP({rng.randint(5, 11)},2)").graph
    tails, heads = graph.edges()
    edges = list(zip(tails.tolist(), heads.tolist(), strict=True))
    rng.shuffle(edges)
    return shuffled(rng, graph.order, edges[rng.choice([0, 0, 1]) :])


def shuffled(rng: random.Random, order: int, edges: Edges) -> Graph:
    """The graph with its vertices numbered anew."""
    numbers = list(range(order))
    rng.shuffle(numbers)
    return Graph.from_edges(order, [(numbers[one], numbers[two]) for one, two in edges])
