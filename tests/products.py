"""Problems drawn from the product of what can be asked: a tiny space of any kind, open or closed, with ends, required
and forbidden moves, a symmetry and given numbers, each as often met with the others as alone.

Most are drawn about one of the tours that the space has, so that many of them have a tour. `drawn` goes with
`brute_force`, which gives all tours of what is drawn.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
from brute_force import Vertices, closed_visits, is_symmetric, open_visits

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry, Turning
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.formats.spaces import graph_of
from cpsat_tour.spaces.turns import NAMES, TWOFOLD, symmetry_named

Drawn = tuple[Graph, list[list[int]]]
"""A graph, and permutations of its vertices that keep its edges."""

MAX_VISITS = 400
"""A graph with more Hamiltonian paths or cycles, each both ways, is not drawn: lists of its tours take long."""

LEAPERS = ("1,2", "1,2", "0,1", "1,1", "1,3", "0,2")


def drawn(rng: random.Random, *, directed: bool | None = None) -> Problem:
    """A problem on a graph of 1 to 12 vertices; on a digraph or not if that is wanted."""
    while True:
        arcs = rng.random() < 0.3 if directed is None else directed
        kinds: list[Callable[[random.Random], Drawn]] = [digraph] if arcs else [graph, orbits, board, wrapped, box]
        space, turns = rng.choice(kinds)(rng)
        closed = rng.random() < 0.5
        visits = closed_visits(space) if closed else open_visits(space)
        if len(visits) <= MAX_VISITS and (problem := asked(rng, space, closed, turns, visits)) is not None:
            return problem


def asked(
    rng: random.Random, space: Graph, closed: bool, turns: list[list[int]], visits: list[Vertices]
) -> Problem | None:
    """What may be asked of a graph, about one of its tours or at random; None where it contradicts itself in so many
    words."""
    symmetry, fitting = None, visits
    for _ in range(6 if turns and rng.random() < 0.6 else 0):
        symmetry = turn(rng, space, closed, turns)
        fitting = [visit for visit in visits if is_symmetric(Problem(space, closed, symmetry=symmetry), visit)]
        if fitting:
            break
    tour = rng.choice(fitting) if fitting and rng.random() < 0.85 else None
    if tour is not None and closed:
        first = rng.randrange(len(tour))
        tour = tour[first:] + tour[:first]
    start, end = ends(rng, space, closed, tour)
    edges = [(int(tail), int(head)) for tail, head in zip(*space.edges(), strict=True)]
    made = set(zip(tour, tour[1:] + tour[: 1 if closed else 0], strict=False)) if tour else set()
    used = [move for move in edges if move in made or (not space.directed and move[::-1] in made)]
    left = [move for move in edges if move not in used]
    few = (0, 0, 1, 2)
    require = rng.sample(used if tour else edges, min(len(used if tour else edges), rng.choice(few)))
    forbid = rng.sample(left if tour else edges, min(len(left if tour else edges), rng.choice(few)))
    givens: list[tuple[int, int]] = []
    if space.order and rng.random() < 0.35:
        numbers = rng.sample(range(1, space.order + 1), min(space.order, rng.choice((1, 1, 2, 3, space.order))))
        visits_of = tour or rng.sample(range(space.order), space.order)
        givens = [(visits_of[number - 1], number) for number in numbers]
        if rng.random() < 0.1:
            givens[0] = (rng.randrange(space.order), givens[0][1])
    try:
        return Problem(space, closed, start, end, tuple(require), tuple(forbid), symmetry, tuple(givens))
    except BadInput:
        return None


def ends(rng: random.Random, space: Graph, closed: bool, tour: Vertices | None) -> tuple[int | None, int | None]:
    """No ends, a start, an end, both, or two that are a move apart; mostly those of the tour."""
    if not space.order:
        return None, None
    first, last = (tour[0], tour[-1]) if tour else (rng.randrange(space.order), rng.randrange(space.order))
    kind = rng.choice(("none", "none", "start", "end", "both", "adjacent"))
    if kind == "adjacent" and len(space.neighbours(first)):
        last = int(rng.choice(space.neighbours(first)))
    start = None if kind in ("none", "end") and not (closed and kind == "end") else first
    return start, None if kind in ("none", "start") else last


def turn(rng: random.Random, space: Graph, closed: bool, turns: list[list[int]]) -> Symmetry | None:
    """A symmetry of the graph, the identity now and then, by name or as a permutation; of closed tours perhaps one that
    moves them along themselves, or turns them over."""
    images = list(range(space.order)) if rng.random() < 0.1 else rng.choice(turns)
    kinds: list[Turning] = ["either", "either", "along", "over"] if closed else ["either"]
    symmetry = Symmetry("the permutation", np.array(images, dtype=np.int32), rng.choice(kinds))
    try:
        symmetry.check(space)
        named = symmetry_named(space, rng.choice(NAMES)) if rng.random() < 0.3 else symmetry
        problem = Problem(space, closed, symmetry=named)
        if space.order > 2:
            to_cycle(problem)  # which of three moves are turned round may be left open
    except BadInput:
        return None
    return named


def provable(problem: Problem) -> bool:
    """Whether a certificate can state the problem: without given numbers, and how a tour is turned by the name of the
    symmetry alone."""
    symmetry = problem.symmetry
    return not problem.givens and (symmetry is None or symmetry.turning == "either" or symmetry.name in TWOFOLD)


def graph(rng: random.Random) -> Drawn:
    """A graph of 1 to 8 vertices, sometimes bipartite."""
    order = rng.randint(1, 8)
    return Graph.from_edges(order, edges_among(rng, order, list(combinations(range(order), 2)))), []


def digraph(rng: random.Random) -> Drawn:
    """A directed graph of 1 to 7 vertices, sometimes bipartite."""
    order = rng.randint(1, 7)
    return Graph.from_edges(order, edges_among(rng, order, list(permutations(range(order), 2))), directed=True), []


def edges_among(rng: random.Random, order: int, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Some of the pairs, in one case of three those between two sides alone, and often those of a cycle."""
    density = rng.choice((0.2, 0.4, 0.6, 0.8))
    if rng.random() < 0.33:
        side = [rng.random() < 0.5 for _ in range(order)]
        pairs = [(tail, head) for tail, head in pairs if side[tail] != side[head]]
    around = rng.sample(range(order), order) if rng.random() < 0.5 else []
    chosen = [pair for pair in pairs if rng.random() < density]
    return chosen + [(around[place - 1], around[place]) for place in range(1 - (order > 2), len(around))]


def orbits(rng: random.Random) -> Drawn:
    """A graph that a random permutation keeps, of any order: its cycles have 1 to 9 vertices, alike or not."""
    lengths = rng.choice(
        [[2] * 3, [2] * 4, [3] * 3, [6], [3, 3], [4, 4], [5], [6, 6], [9], [2, 2, 1, 1], [2, 3], [4, 2, 1]]
    )
    order = sum(lengths)
    images, first = list(range(order)), 0
    for length in lengths:
        for place in range(length):
            images[first + place] = first + (place + 1) % length
        first += length
    edges: set[tuple[int, int]] = set()
    for _ in range(rng.randint(1, 5)):
        one, other = rng.sample(range(order), 2)
        while (one, other) not in edges:
            edges.add((one, other))
            one, other = images[one], images[other]
    powers = [images]
    while powers[-1] != list(range(order)):
        powers.append([images[vertex] for vertex in powers[-1]])
    return Graph.from_edges(order, sorted(edges)), powers[:-1]


def board(rng: random.Random) -> Drawn:
    """A board of at most 12 squares, perhaps with holes, for the knight or another leaper."""
    rows, cols = rng.choice([(1, 1), (1, 2), (1, 5), (2, 2), (2, 3), (2, 4), (3, 3), (3, 3), (3, 4), (3, 4), (4, 3)])
    holes = rng.sample(range(rows * cols), min(rows * cols - 1, rng.choice((0, 0, 1, 2))))
    return placed(f"{rows}x{cols}", [f"{'abcd'[hole % cols]}{rows - hole // cols}" for hole in holes if cols < 5], rng)


def wrapped(rng: random.Random) -> Drawn:
    """A torus, cylinder, Möbius strip or Klein bottle of at most 10 squares."""
    shape = rng.choice(("torus", "cylinder", "mobius", "klein"))
    return placed(f"{shape}:{rng.choice(('1x3', '1x5', '1x6', '1x8', '2x3', '2x4', '2x5', '3x3'))}", [], rng)


def box(rng: random.Random) -> Drawn:
    """A box of at most 12 cells."""
    return placed(rng.choice(("2x2x2", "1x3x3", "2x2x3", "1x3x4", "2x3x2")), [], rng)


def placed(text: str, holes: list[str], rng: random.Random) -> Drawn:
    """The graph of a space as people type it, and its symmetries."""
    space = graph_of(text, holes, rng.choice(LEAPERS))
    return space, space.space.symmetries().tolist()


def told(problem: Problem) -> str:
    """A problem as Python that makes it anew, for the message of a test."""
    tails, heads = problem.graph.edges()
    edges = list(zip(tails.tolist(), heads.tolist(), strict=True))
    symmetry, asks = problem.symmetry, (problem.closed, problem.start, problem.end, problem.require, problem.forbid)
    turn = symmetry and f'Symmetry("{symmetry.name}", np.array({symmetry.images.tolist()}), "{symmetry.turning}")'
    graph = f"Graph.from_edges({problem.graph.order}, {edges}, directed={problem.graph.directed})"
    return f"Problem({graph}, {', '.join(map(str, asks))}, {turn}, {problem.givens})  # {problem.graph.called}"
