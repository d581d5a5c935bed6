"""Problems drawn from the product of what can be asked: a tiny space of any kind, open or closed, with ends, required
and forbidden moves, a symmetry, and given numbers or waypoints, each as often met with the others as alone.

Most are drawn about one of the tours that the space has, so that many of them have a tour. `draw_problem` goes with
`brute_force`, which gives all tours of what is drawn.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from typing import TypeVar

import numpy as np
from brute_force import Vertices, closed_visits, is_symmetric, open_visits

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry, Turning
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.runs import Limits
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Backend
from cpsat_tour.engines.runner import Listing
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.spaces.symmetry import NAMES, TWOFOLD, symmetry_named

Permutations = list[list[int]]
Item = TypeVar("Item")

MAX_VISITS = 400
"""A graph with more Hamiltonian paths or cycles, each both ways, is not drawn: lists of its tours take long."""

LEAPERS = ("1,2", "1,2", "0,1", "1,1", "1,3", "0,2", "king", "0,1+0,2")


def all_tours(problem: Problem, backend: Backend, limits: Limits | None = None) -> Iterator[Ints]:
    """All tours of the problem that the backend lists, each verified and in canonical form."""
    for batch in Listing(problem, backend, limits or Limits()):
        yield from batch


def sorted_tours(problem: Problem, backend: Backend, limits: Limits | None = None) -> list[Vertices]:
    """All tours of the problem that the backend lists, in order, so that one that comes twice is seen."""
    return sorted(tuple(tour.tolist()) for tour in all_tours(problem, backend, limits))


def draw_problem(rng: random.Random, *, directed: bool | None = None, plain: bool = False) -> Problem:
    """A problem on a graph of 1 to 12 vertices, directed or not if that is wanted; a plain one has no symmetry, no
    given numbers and no waypoints."""
    while True:
        arcs = rng.random() < 0.3 if directed is None else directed
        kinds: list[Callable[[random.Random], tuple[Graph, Permutations]]]
        kinds = [digraph] if arcs else [graph, orbits, board, wrapped, box]
        space, symmetries = rng.choice(kinds)(rng)
        closed = rng.random() < 0.5
        symmetries = [] if plain else symmetries
        visits = (closed_visits if closed else open_visits)(space, MAX_VISITS + 1)
        first = rng.randrange(space.order) if closed else 0
        visits = [visit[first:] + visit[:first] for visit in visits]
        if len(visits) <= MAX_VISITS and (
            problem := draw_question(rng, space, closed, symmetries, visits, givens=not plain)
        ):
            return problem


def draw_question(
    rng: random.Random,
    space: Graph,
    closed: bool,
    symmetries: Permutations,
    tours: Sequence[Vertices],
    *,
    givens: bool = True,
) -> Problem | None:
    """A question about a graph, mostly one that one of the tours answers; None if it contradicts itself openly."""
    symmetry, fitting = None, tours
    for _ in range(6 if symmetries and rng.random() < 0.6 else 0):
        symmetry = draw_symmetry(rng, space, closed, symmetries)
        fitting = [tour for tour in tours if is_symmetric(Problem(space, closed, symmetry=symmetry), tour)]
        if fitting:
            break
    tour = rng.choice(fitting) if fitting and rng.random() < 0.85 else ()
    start, end = draw_ends(rng, space, tour)
    edges = [(int(tail), int(head)) for tail, head in zip(*space.edges(), strict=True)]
    made = set(zip(tour, tour[1:] + tour[: int(closed)], strict=False))
    used = [move for move in edges if move in made or (not space.directed and move[::-1] in made)]
    unused = [move for move in edges if move not in used]
    require = some_of(rng, used if tour else edges, (0, 0, 1, 2))
    forbid = some_of(rng, unused if tour else edges, (0, 0, 1, 2))
    numbers: list[tuple[int, int]] = []
    if givens and rng.random() < 0.35:
        visits = tour or tuple(rng.sample(range(space.order), space.order))
        numbers = [(visits[at], at + 1) for at in some_of(rng, range(space.order), (1, 1, 2, 3, space.order))]
        if rng.random() < 0.1:
            numbers[0] = (rng.randrange(space.order), numbers[0][1])
    waypoints: list[int] = []
    if givens and not numbers and rng.random() < 0.3:
        waypoints = some_of(rng, range(space.order), (2, 3, 3, 4, space.order))
        waypoints.sort(key=(tour or [*range(space.order)]).index)
    try:
        asked = (start, end, tuple(require), tuple(forbid), symmetry, tuple(numbers), tuple(waypoints))
        return Problem(space, closed, *asked)
    except BadInput:
        return None


def some_of(rng: random.Random, items: Sequence[Item], counts: Sequence[int]) -> list[Item]:
    """A sample of the items, as large as one of the counts, or all of them."""
    return rng.sample(items, min(len(items), rng.choice(counts)))


def draw_ends(rng: random.Random, space: Graph, tour: Vertices) -> tuple[int | None, int | None]:
    """No ends, a start, an end, both, or two that are a move apart: those of the tour if there is one."""
    first, last = (tour[0], tour[-1]) if tour else (rng.randrange(space.order), rng.randrange(space.order))
    kind = rng.choice(("none", "none", "start", "end", "both", "adjacent"))
    if kind == "adjacent" and len(space.neighbours(first)):
        last = int(rng.choice(space.neighbours(first)))
    return None if kind in ("none", "end") else first, None if kind in ("none", "start") else last


def draw_symmetry(rng: random.Random, space: Graph, closed: bool, symmetries: Permutations) -> Symmetry | None:
    """A symmetry of the graph, the identity now and then, by name or as a permutation; of closed tours perhaps one that
    moves them along themselves, or turns them over."""
    images = list(range(space.order)) if rng.random() < 0.1 else rng.choice(symmetries)
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


def can_be_written(problem: Problem) -> bool:
    """Whether JSON can state the problem: it says how a symmetry turns a tour by the name of the symmetry alone."""
    symmetry = problem.symmetry
    return symmetry is None or symmetry.turning == "either" or symmetry.name in TWOFOLD


def can_be_proved(problem: Problem) -> bool:
    """Whether certificates take the problem: all that can be written but given numbers and waypoints."""
    return can_be_written(problem) and not problem.timed


def graph(rng: random.Random) -> tuple[Graph, Permutations]:
    """A graph of 1 to 8 vertices, sometimes bipartite."""
    order = rng.randint(1, 8)
    return Graph.from_edges(order, draw_edges(rng, order, list(combinations(range(order), 2)))), []


def digraph(rng: random.Random) -> tuple[Graph, Permutations]:
    """A directed graph of 1 to 7 vertices, sometimes bipartite."""
    order = rng.randint(1, 7)
    return Graph.from_edges(order, draw_edges(rng, order, list(permutations(range(order), 2))), directed=True), []


def draw_edges(rng: random.Random, order: int, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Some of the pairs, in one case of three those between two sides alone, and often those of a cycle."""
    density = rng.choice((0.2, 0.4, 0.6, 0.8))
    if rng.random() < 0.33:
        side = [rng.random() < 0.5 for _ in range(order)]
        pairs = [(tail, head) for tail, head in pairs if side[tail] != side[head]]
    around = rng.sample(range(order), order) if rng.random() < 0.5 else []
    chosen = [pair for pair in pairs if rng.random() < density]
    return chosen + [(around[place - 1], around[place]) for place in range(1 - (order > 2), len(around))]


def orbits(rng: random.Random) -> tuple[Graph, Permutations]:
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
        tail, head = rng.sample(range(order), 2)
        while (tail, head) not in edges:
            edges.add((tail, head))
            tail, head = images[tail], images[head]
    powers = [images]
    while powers[-1] != list(range(order)):
        powers.append([images[vertex] for vertex in powers[-1]])
    return Graph.from_edges(order, sorted(edges)), powers[:-1]


def board(rng: random.Random) -> tuple[Graph, Permutations]:
    """A board of at most 12 squares, perhaps with holes, for the knight or another leaper."""
    rows, cols = rng.choice([(1, 1), (1, 2), (1, 5), (2, 2), (2, 3), (2, 4), (3, 3), (3, 3), (3, 4), (3, 4), (4, 3)])
    holes = rng.sample(range(rows * cols), min(rows * cols - 1, rng.choice((0, 0, 1, 2))))
    names = [f"{'abcd'[hole % cols]}{rows - hole // cols}" for hole in holes if cols < 5]
    return with_symmetries(graph_of(f"{rows}x{cols}", names, rng.choice(LEAPERS)))


def wrapped(rng: random.Random) -> tuple[Graph, Permutations]:
    """A torus, cylinder, Möbius strip or Klein bottle of at most 10 squares."""
    shape = rng.choice(("torus", "cylinder", "mobius", "klein"))
    size = rng.choice(("1x3", "1x5", "1x6", "1x8", "2x3", "2x4", "2x5", "3x3"))
    return with_symmetries(graph_of(f"{shape}:{size}", (), rng.choice(LEAPERS)))


def box(rng: random.Random) -> tuple[Graph, Permutations]:
    """A box of at most 12 cells."""
    return with_symmetries(graph_of(rng.choice(("2x2x2", "1x3x3", "2x2x3", "1x3x4", "2x3x2")), (), rng.choice(LEAPERS)))


def with_symmetries(space: Graph) -> tuple[Graph, Permutations]:
    """The graph of a space and the permutations that are symmetries of the space."""
    return space, space.space.symmetries().tolist()


def as_python(problem: Problem) -> str:
    """A problem as Python that makes it anew, for the message of a test."""
    tails, heads = problem.graph.edges()
    edges = list(zip(tails.tolist(), heads.tolist(), strict=True))
    symmetry, asked = problem.symmetry, (problem.closed, problem.start, problem.end, problem.require, problem.forbid)
    turn = symmetry and f'Symmetry("{symmetry.name}", np.array({symmetry.images.tolist()}), "{symmetry.turning}")'
    graph = f"Graph.from_edges({problem.graph.order}, {edges}, directed={problem.graph.directed})"
    timed = f"{problem.givens}, {problem.waypoints}"
    return f"Problem({graph}, {', '.join(map(str, asked))}, {turn}, {timed})  # {problem.graph.called}"
