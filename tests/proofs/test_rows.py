"""The rows of the checker, held against rows made here from the definition of each family, on drawn problems and
small boards; and the sum that is to be least, held against the value of each tour by hand.

Nothing here looks at how the checker makes a row: an edge is a set of two vertices, a row the constraints that
`certificate_judge` reads in its text. That no tour breaks a row, as `test_check` says, shows only rows that are too
strong; a row that is missing or too weak shows here.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise, product
from math import gcd
from typing import Any

import pytest
from brute_force import brute_force, moves_of, random_problem
from certificate_judge import Normal, normal, read_sides, rows_of
from product_best import cross, value_by_hand
from products import as_python, draw_problem

from cpsat_tour import BadInput, Board, Graph, Problem, graph_of, problem_of
from cpsat_tour.proofs.check.claim import BestClaim, Claim

Edge = frozenset[int]
Sides = tuple[tuple[frozenset[tuple[int, int]], int], ...]
"""The constraints that a row states, one or two."""


class Stated:
    """What a tour of a problem is, as a cycle: its ``edges`` in the order of their variables, among them those that are
    ``required`` and ``forbidden``. A directed problem is one of in-vertices 2v and out-vertices 2v + 1."""

    def __init__(self, problem: Problem) -> None:
        order, directed = problem.graph.order, problem.graph.directed
        arcs = list(zip(problem.graph.tails.tolist(), problem.graph.indices.tolist(), strict=True))
        required: list[tuple[Any, Any]] = [*problem.require]
        self.apex = None if problem.closed or directed else order
        if not problem.closed:
            arcs += [pair for vertex in range(order) for pair in ((order, vertex), (vertex, order))]
            required += [] if problem.start is None else [(order, problem.start)]
            required += [] if problem.end is None else [(problem.end, order)]
            order += 1
        elif problem.start is not None and (problem.end, problem.start) in arcs:
            required.append((problem.end, problem.start))
        self.order = 2 * order if directed else order
        own = [frozenset((2 * vertex, 2 * vertex + 1)) for vertex in range(order)] if directed else []

        def edges(moves: Any) -> set[Edge]:
            return {frozenset((2 * tail + 1, 2 * head) if directed else (tail, head)) for tail, head in moves}

        self.edges = sorted(edges(arcs).union(own), key=lambda edge: (self.apex in edge, sorted(edge)))
        self.required, self.forbidden = edges(required).union(own), edges(problem.forbid)


def hashable(sides: list[Normal]) -> Sides:
    return tuple((frozenset(terms.items()), degree) for terms, degree in sides)


def expected_rows(claim: Claim, families: Counter[str]) -> Iterator[Sides]:
    """Yield each row of a formula, and count the families of rows."""
    problem, stated = claim.problem, Stated(claim.problem)
    number = {edge: x for x, edge in enumerate(stated.edges, start=1)}

    def row(family: str, terms: list[tuple[int, int]], relation: str, bound: int) -> Sides:
        families[family] += 1
        sides = [normal(terms, bound), normal([(-a, x) for a, x in terms], -bound)]
        return hashable(sides if relation == "=" else sides[:1])

    for vertex in range(stated.order):
        yield row("degree", [(1, x) for edge, x in number.items() if vertex in edge], "=", 2)
    for family, edges, used in (("required", stated.required, 1), ("forbidden", stated.forbidden, 0)):
        yield from (row(family, [(1, number[edge])], "=", used) for edge in edges)
    if contradicted_by_ends(problem) or contradicted_by_symmetry(problem):
        yield row("contradiction", [], "=", 1)
    yield from symmetry_rows(problem, number, row)
    if claim.best is not None:
        worse = (claim.best.objective == "turns") == claim.best.maximize  # the sum grows where both moves are made
        for x, (first, second) in enumerate(pairs_by_hand(problem, stated.edges, claim.best), len(number) + 1):
            if worse:
                yield row("pair", [(1, x), (-1, first), (-1, second)], ">=", -1)
            else:
                yield from (row("pair", [(1, edge), (-1, x)], ">=", 0) for edge in (first, second))
    for shore in claim.cut_sets:
        yield row("cut set", [(1, x) for edge, x in number.items() if len(edge.intersection(shore)) == 1], ">=", 2)


def contradicted_by_ends(problem: Problem) -> bool:
    """Whether there is no vertex, or the ends that are asked for can't be those of a tour."""
    start, end = problem.start, problem.end
    if start is None or end is None or not problem.graph.order:
        return not problem.graph.order
    return not moves_of(problem.graph)[end] >> start & 1 if problem.closed else start == end and problem.graph.order > 1


def fixed_places(problem: Problem) -> tuple[set[int], int, list[Edge]]:
    """How many fixed places a tour with this symmetry may have, how many vertices are fixed, and which edges are turned
    round."""
    assert problem.symmetry is not None
    images = problem.symmetry.images.tolist()
    fixed = sum(vertex == image for vertex, image in enumerate(images))
    edges = map(frozenset, zip(*(ends.tolist() for ends in problem.graph.edges()), strict=True))
    turned = [edge for edge in edges if all({vertex, images[vertex]} == edge for vertex in edge)]
    kinds = {"along": {0}, "over": {2}, "either": {0, 2}}[problem.symmetry.turning] if problem.closed else {1}
    return kinds - {0} if fixed and len(kinds) > 1 else kinds, fixed, turned


def contradicted_by_symmetry(problem: Problem) -> bool:
    """Whether no tour has as many fixed places as the symmetry needs, or, of those that it moves along themselves, the
    right colours."""
    if problem.symmetry is None or problem.symmetry.is_identity:
        return False
    kinds, fixed, turned = fixed_places(problem)
    possible = {places for places in kinds if fixed <= places <= fixed + len(turned)}
    if possible != {0} or problem.graph.colours is None:
        return not possible
    colours, images, times, order = problem.graph.colours, problem.symmetry.images.tolist(), 1, problem.graph.order
    vertex = images[0]
    while vertex:
        vertex, times = images[vertex], times + 1
    # A rotation by so many moves has orbits of as many vertices, and keeps the colours if the number is even.
    moved = [moves for moves in range(1, order) if order // gcd(order, moves) == times]
    changed = colours[0] != colours[images[0]]
    return times % 2 == 0 and bool(moved) and not any(moves % 2 == changed for moves in moved)


def symmetry_rows(problem: Problem, number: dict[Edge, int], row: Callable[..., Sides]) -> Iterator[Sides]:
    """Yield the row of the edges turned round, if it is known how many a tour makes of those that there are, and for
    each edge and its image, that both are made or neither."""
    if problem.symmetry is None or problem.symmetry.is_identity:
        return
    kinds, fixed, turned = fixed_places(problem)
    made = sum(kinds) - fixed
    if len(kinds) == 1 and turned and 0 <= made <= len(turned):
        yield row("turned", [(1, number[edge]) for edge in turned], "=", made)
    images = [*problem.symmetry.images.tolist(), problem.graph.order]
    ties = {(x, number[frozenset(images[vertex] for vertex in edge)]) for edge, x in number.items()}
    for edge, image in ties:
        if edge < image or (edge > image and (image, edge) not in ties):
            yield row("tied", [(1, edge), (-1, image)], "=", 0)


def pairs_by_hand(problem: Problem, edges: list[Edge], best: BestClaim) -> list[tuple[int, int]]:
    """The pairs of edges, by their numbers from 1, that are one step made twice, or that cross."""
    points = [tuple(point) for point in problem.graph.space.points().tolist()]
    numbered = [(x, sorted(edge)) for x, edge in enumerate(edges, start=1) if problem.graph.order not in edge]

    def counts(first: list[int], second: list[int]) -> bool:
        if best.objective == "crossings":
            return cross(*((points[tail], points[head]) for tail, head in (first, second)))
        middle = set(first) & set(second)
        ends = sorted(set(first) ^ set(second))
        return len(middle) == 1 and all(
            x + y == 2 * z for x, y, z in zip(points[ends[0]], points[ends[1]], points[middle.pop()], strict=True)
        )

    return [(x, y) for (x, first), (y, second) in combinations(numbered, 2) if counts(first, second)]


def symmetric_boards() -> Iterator[Problem]:
    """Open and closed problems of boards with each of their symmetries by name."""
    for text in ("3x3", "3x4", "4x4", "4x5", "5x5", "5x6", "5x8", "6x6", "6x7", "7x8", "torus:4x5", "torus:2x6"):
        space = graph_of(text)
        for name, closed in product(
            (*space.space.named_symmetries(), "rot180-eulerian", "rot180-bergholtian"), (True, False)
        ):
            try:
                yield problem_of(space, symmetry=name, closed=closed)
            except BadInput:
                continue


def problems() -> Iterator[Problem]:
    yield from (draw_problem(random.Random(number)) for number in range(150))
    yield from (random_problem(random.Random(number), 6) for number in range(150))
    yield from symmetric_boards()
    for leaper in ((0, 2), (0, 3), (1, 2)):  # some moves end inside others, or lie along them
        yield from [Problem(Board(3, 5, leaper=leaper).graph, closed=True)] * 3
    yield Problem(Graph.from_edges(0, []), closed=True)


def test_the_rows_are_those_that_are_documented() -> None:
    rng, families = random.Random(1), Counter[str]()
    for problem in problems():
        if problem.timed or (problem.graph.order == 1 and not problem.closed):
            continue
        order = Stated(problem).order
        cut_sets = [rng.sample(range(order), size) for size in {1, order // 2, order - 1} if 0 < size < order]
        best = BestClaim(rng.choice(("turns", "crossings")), rng.random() < 0.5, 0)
        flat = type(problem.graph.space) is Board and order < 20
        claim = Claim(problem, "clausal", cut_sets, None, best if flat else None)
        made = Counter(hashable(read_sides(row.tokens()[:-1])) for row in rows_of(claim)[1])
        assert made == Counter(expected_rows(claim, families)), as_python(problem)
    assert len(families) == 8, families
    assert min(families.values()) > 20, families


@pytest.mark.parametrize("text", ["3x4", "4x4"])
@pytest.mark.parametrize(("objective", "maximize"), [*product(("turns", "crossings"), (False, True))])
def test_the_sum_that_is_to_be_least_is_the_value_by_hand_and_better_is_less(
    text: str, objective: str, maximize: bool
) -> None:
    for closed in (False, True):
        problem = problem_of(graph_of(text, (), "1,2" if text == "3x4" and not closed else "0,1"), closed=closed)
        points, apex = [tuple(point) for point in problem.graph.space.points().tolist()], problem.graph.order
        cycle, _ = rows_of(Claim(problem, "clausal", [], None, BestClaim(objective, maximize, 0)))
        worth = cycle.worth
        assert worth is not None
        words = worth.objective_line().split()[1:-1]
        for tour in brute_force(problem):
            value = value_by_hand(objective, [points[vertex] for vertex in tour], closed) * (-1 if maximize else 1)
            moves = set(map(frozenset, pairwise((*tour, tour[0]) if closed else (apex, *tour, apex))))
            made = [False, *(frozenset(ends) in moves for ends in cycle.ends)]
            made += [made[first] and made[second] for first, second in worth.pairs]
            terms = sum(int(a) * made[int(x[1:])] for a, x in zip(words[::2], words[1::2], strict=False))
            assert terms + (int(words[-1]) if len(words) % 2 else 0) == worth.value_of(made) == value
            for bound in (value - 1, value, value + 1):
                better = worth.better_than(bound)
                assert (sum(a * made[x] for x, a in better.terms.items()) >= better.bound) == (value < bound)
            assert not worth.pairs or worth.value_of([*made[:-1], not made[-1]]) is None
