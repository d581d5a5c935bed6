"""All tours of a small graph, found by trying everything: the oracle that the tests hold the package against.

It shares no code with the package: of a graph it reads the CSR arrays, of a problem the fields. Every path is extended
by every unvisited neighbour, and given up only where, in an undirected graph, too many unvisited vertices have fewer
than two neighbours left to be entered from and left to. Ends, required and forbidden moves, the symmetry and given
numbers are looked at only when a tour is whole. `plain_brute_force` tries all permutations of the vertices, and the
tests hold the one against the other.

>>> spokes = [(i, i + 5) for i in range(5)]
>>> rims = [*((i, (i + 1) % 5) for i in range(5)), *((i + 5, (i + 2) % 5 + 5) for i in range(5))]
>>> petersen = Graph.from_edges(10, [*spokes, *rims])
>>> len(brute_force(Problem(petersen, closed=True))), len(brute_force(Problem(petersen, closed=False)))
(0, 120)
"""

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice, permutations, product

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.tour import decide_degenerate

Vertices = tuple[int, ...]


def brute_force(problem: Problem) -> set[Vertices]:
    """All tours of the problem, each in canonical form and once."""
    visits = closed_visits(problem.graph) if problem.closed else open_visits(problem.graph)
    return {written(problem, tour) for visit in visits for tour in rotations(problem, visit) if solves(problem, tour)}


def hamiltonian_cycles(cycle: CycleProblem) -> list[Vertices]:
    """The Hamiltonian cycles that use every required edge, each once; of an undirected problem, each in one
    direction."""
    edges = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))
    graph = Graph.from_edges(cycle.order, edges, directed=cycle.directed)
    assert graph.size == len(edges) == cycle.size, "an edge stands there twice"
    required = {edge for edge, flag in zip(edges, cycle.required.tolist(), strict=True) if flag}
    found = []
    for visit in closed_visits(graph):
        used = set(zip(visit, visit[1:] + visit[:1], strict=True))
        used |= set() if cycle.directed else {(head, tail) for tail, head in used}
        if required <= used and (cycle.directed or visit[1] < visit[-1]):
            found.append(visit)
    return found


@lru_cache(maxsize=32)
def open_visits(graph: Graph, most: int | None = None) -> list[Vertices]:
    """All Hamiltonian paths of the graph, or the first of them; of an undirected one, each both ways."""
    order = len(graph.indptr) - 1
    everything = (1 << order) - 1
    moves = moves_of(graph)
    visits = (
        visit
        for first in range(order)
        for visit in extensions(moves, (first,), everything & ~(1 << first), 0, graph.directed)
    )
    return list(islice(visits, most))


@lru_cache(maxsize=32)
def closed_visits(graph: Graph, most: int | None = None) -> list[Vertices]:
    """All Hamiltonian cycles of the graph, or the first of them, written from vertex 0; of an undirected one, each both
    ways."""
    order = len(graph.indptr) - 1
    if order < (2 if graph.directed else 3):
        return []
    moves = moves_of(graph)
    visits = (visit for visit in extensions(moves, (0,), (1 << order) - 2, 1, graph.directed) if moves[visit[-1]] & 1)
    return list(islice(visits, most))


def moves_of(graph: Graph) -> list[int]:
    """For each vertex the set of vertices that its arcs lead to, as the bits of an int."""
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    return [
        sum(1 << head for head in indices[indptr[vertex] : indptr[vertex + 1]]) for vertex in range(len(indptr) - 1)
    ]


def members(vertices: int) -> Iterator[int]:
    """The vertices of a set given as the bits of an int, in increasing order."""
    while vertices:
        yield (vertices & -vertices).bit_length() - 1
        vertices &= vertices - 1


def extensions(
    moves: list[int], path: Vertices, unvisited: int, first: int, directed: bool, narrow: int = 0
) -> Iterator[Vertices]:
    """All ways to extend the path over all unvisited vertices; `first` is the set of the first vertex if it is to be
    entered again, and `narrow` of those that had fewer than two neighbours left before the last move, at which a path
    can only end."""
    if not unvisited:
        yield path
        return
    if not directed:
        free, lost_one = unvisited | first | 1 << path[-1], unvisited & (moves[path[-2]] if len(path) > 1 else -1)
        narrow |= sum(1 << v for v in members(lost_one) if (moves[v] & free).bit_count() < 2)
        if narrow.bit_count() > (0 if first else 1):
            return
    for following in members(moves[path[-1]] & unvisited):
        yield from extensions(moves, (*path, following), unvisited & ~(1 << following), first, directed, narrow)


def plain_brute_force(problem: Problem) -> set[Vertices]:
    """All tours by trying all permutations of the vertices, which are at most 7."""
    graph = problem.graph
    moves = moves_of(graph)
    tours = set()
    for tour in permutations(range(len(moves))):
        steps = list(zip(tour, tour[1:] + tour[:1] if problem.closed else tour[1:], strict=False))
        visited = len(tour) >= ((2 if graph.directed else 3) if problem.closed else 1)
        if visited and all(moves[tail] >> head & 1 for tail, head in steps):
            tours |= {written(problem, turned) for turned in rotations(problem, tour) if solves(problem, turned)}
    return tours


def rotations(problem: Problem, visit: Vertices) -> list[Vertices]:
    """The visit as it may be written: a closed tour with given numbers may begin anywhere."""
    if not problem.closed:
        return [visit]
    if problem.givens:
        return [visit[first:] + visit[:first] for first in range(len(visit))]
    first = visit.index(0 if problem.start is None else problem.start)
    return [visit[first:] + visit[:first]]


def solves(problem: Problem, tour: Vertices) -> bool:
    """Whether a Hamiltonian path or cycle has the ends and numbers that the problem fixes, makes the required moves and
    none of the forbidden, visits the waypoints in order, and is symmetric as asked."""
    made = set(zip(tour, tour[1:] + tour[:1] if problem.closed else tour[1:], strict=False))
    if not problem.graph.directed:
        made |= {(head, tail) for tail, head in made}
    return (
        (problem.start is None or tour[0] == problem.start)
        and (problem.end is None or tour[-1] == problem.end)
        and all(move in made for move in problem.require)
        and not any(move in made for move in problem.forbid)
        and all(tour[number - 1] == vertex for vertex, number in problem.givens)
        and [vertex for vertex in tour if vertex in problem.waypoints] == list(problem.waypoints)
        and is_symmetric(problem, tour)
    )


def is_symmetric(problem: Problem, tour: Vertices) -> bool:
    """Whether the symmetry takes the tour to itself, and if that is asked along itself, without a change of direction,
    or over."""
    if problem.symmetry is None:
        return True
    image = tuple(problem.symmetry.images.tolist()[vertex] for vertex in tour)
    first = image.index(tour[0])
    along = (image[first:] + image[:first] if problem.closed else image) == tour
    back = image[::-1]
    first = back.index(tour[0])
    over = (back[first:] + back[:first] if problem.closed else back) == tour
    return {"either": along or over, "along": along, "over": over}[problem.symmetry.turning]


def written(problem: Problem, tour: Vertices) -> Vertices:
    """The tour in canonical form: an undirected one is written the way that begins, or after its start goes on, at the
    lesser vertex."""
    if problem.graph.directed or problem.end is not None or problem.givens or problem.waypoints:
        return tour
    if problem.closed:
        return min(tour, tour[:1] + tour[:0:-1])
    return min(tour, tour[::-1]) if problem.start is None else tour


def small_graphs(most: int = 4, *, directed: bool = False) -> Iterator[Graph]:
    """All labelled graphs of 0 to `most` vertices: 76 undirected ones of at most 4, 70 directed ones of at most 3."""
    for order in range(most + 1):
        pairs = list(permutations(range(order), 2) if directed else combinations(range(order), 2))
        for chosen in product((False, True), repeat=len(pairs)):
            edges = [pair for pair, taken in zip(pairs, chosen, strict=True) if taken]
            yield Graph.from_edges(order, edges, directed=directed)


def random_problem(rng: random.Random, most: int = 8) -> Problem:
    """A problem on a graph of 1 to `most` vertices, directed or not, sometimes bipartite, with ends, required and
    forbidden moves at random."""
    order, directed, closed = rng.randint(1, most), rng.random() < 0.4, rng.random() < 0.5
    density = rng.choice((0.3, 0.5, 0.7, 0.9))
    pairs = list(permutations(range(order), 2) if directed else combinations(range(order), 2))
    if rng.random() < 0.4:
        side = [rng.random() < 0.5 for _ in range(order)]
        pairs = [(tail, head) for tail, head in pairs if side[tail] != side[head]]
    edges = [pair for pair in pairs if rng.random() < density]
    graph = Graph.from_edges(order, edges, directed=directed)
    start = rng.randrange(order) if rng.random() < 0.4 else None
    end = rng.randrange(order) if rng.random() < 0.4 and not (closed and start is None) else None
    require = tuple(rng.sample(edges, min(len(edges), rng.choice((0, 0, 1, 2)))))
    forbid = tuple(rng.sample(edges, min(len(edges), rng.choice((0, 0, 1, 2)))))
    return Problem(graph, closed, start, end, require, forbid)


def cycle_problems(number: int) -> Iterator[Problem]:
    """Random problems on undirected graphs that need a search: of so many, those that are not degenerate."""
    problems = (random_problem(random.Random(seed)) for seed in range(number))
    return (problem for problem in problems if not problem.graph.directed and decide_degenerate(problem) is None)


def every_ending(graph: Graph) -> Iterator[Problem]:
    """The open and closed problems of a graph with all choices of start and end, the ends left free included."""
    ends = [None, *range(len(graph.indptr) - 1)]
    for closed, start, end in product((False, True), ends, ends):
        if not (closed and start is None and end is not None):
            yield Problem(graph, closed, start, end)
