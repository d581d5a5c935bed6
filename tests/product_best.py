"""Problems for `best` on tiny spaces, every part of a problem with every other, and their answers by trying everything.

The answers share no code with the package but the problem and the names of things: tours come from `brute_force`, turns
and crossings from their definition, the sums of lines from the numbers in the squares.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise, product

from brute_force import Vertices, closed_visits, moves_of, open_visits, rotations, solves, written

from cpsat_tour.core.graph import Graph
from cpsat_tour.core.orbits import Symmetry
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.spaces import graph_of, symmetry_of

Point = tuple[int, ...]
Segment = tuple[Point, Point]

KNIGHT, STEP = "1,2", "0,1"

SPACES = {
    False: [*product(("3x2", "3x3", "3x4", "4x4"), [STEP]), *product(("3x4", "3x7", "4x5"), [KNIGHT])],
    True: [*product(("3x2", "3x4", "4x4", "2x5"), [STEP]), *product(("3x10", "5x6"), [KNIGHT])],
}
"""Boards with some open tours, and with closed ones: of the knight, and of a leaper of one step."""

ENDS = ("free", "start", "end", "both", "adjacent", "any two")
MOVES = ("free", "required", "forbidden", "both")
GOALS = (
    ("minimize", "turns"),
    ("maximize", "turns"),
    ("minimize", "crossings"),
    ("maximize", "crossings"),
    ("longest", "uncrossed"),
    ("magic", "rows"),
    ("magic", "columns"),
    ("magic", "semi"),
    ("magic", "full"),
)


@dataclass(frozen=True)
class Case:
    """A problem and its goal as `goal_of` takes it, with the words for both."""

    problem: Problem
    goal: tuple[str, str]
    words: str


def cases(rounds: int = 1, stride: int = 1) -> Iterator[Case]:
    """So many draws for every product of the parts, or of them the first of each ``stride``."""
    parts = product(range(rounds), (False, True), ENDS, MOVES, (False, True), GOALS)
    for number, (_, closed, ends, moves, symmetric, goal) in enumerate(parts):
        uncrossed = goal[0] == "longest"
        senseless = (closed and ends in ("end", "both")) or (
            uncrossed and (symmetric or (closed and ends in ("adjacent", "any two")))
        )
        if number % stride or senseless:
            continue
        rng = random.Random(number)
        text, leaper = _space(rng, closed, goal)
        problem = _problem(rng, (_graph(text, leaper), closed, ends, moves, symmetric), goal)
        symmetry = "" if problem.symmetry is None else problem.symmetry.name
        words = f"{number} {text} {leaper} {problem.kind} {ends} {moves} {symmetry}"
        yield Case(problem, goal, f"{' '.join(words.split())} {goal[1]}")


@lru_cache
def _graph(text: str, leaper: str) -> Graph:
    return graph_of(text, (), leaper)


def _space(rng: random.Random, closed: bool, goal: tuple[str, str]) -> tuple[str, str]:
    if goal[1] == "full":
        return ("4x4" if closed else rng.choice(("3x3", "4x4")), STEP)
    if goal[0] == "longest":
        return rng.choice((("3x2", STEP), ("3x3", STEP), ("3x4", KNIGHT), ("4x3", KNIGHT), ("3x4", "1,1")))
    return rng.choice((*SPACES[closed], ("2x2x2", STEP)) if goal[0] in ("minimize", "maximize") else SPACES[closed])


@lru_cache
def _visits(graph: Graph, closed: bool) -> list[Vertices]:
    return closed_visits(graph) if closed else open_visits(graph)


def _problem(rng: random.Random, parts: tuple[Graph, bool, str, str, bool], goal: tuple[str, str]) -> Problem:
    """A problem with these parts, three times in four those of a tour, of one that is sought where there is one."""
    graph, closed, ends, moves, symmetric = parts
    names = sorted({*graph.space.turns()} & {"rot180", "rot90", "axial-rows", "axial-cols", "diagonal", "antidiagonal"})
    named = [symmetry_of(graph, name, closed=closed) for name in rng.sample(names, len(names) * symmetric)]
    symmetries: list[Symmetry | None] = [*named] or [None]
    symmetry, tours = symmetries[0], list(_visits(graph, closed))
    if rng.random() < 0.75:
        for asked in symmetries:
            if fitting := list(numberings(Problem(graph, closed, symmetry=asked))):
                symmetry, tours = asked, fitting
                break
    if goal[0] == "magic":
        cells = graph.space.layers()[0].cells.tolist()
        tours = [tour for tour in tours if sums_alike(cells, tour, goal[1])] or tours
    edges = [edge for edge in combinations(range(graph.order), 2) if moves_of(graph)[edge[0]] >> edge[1] & 1]
    if ends == "adjacent":
        tours = [tour for tour in tours if (min(tour[0], tour[-1]), max(tour[0], tour[-1])) in edges] or tours
    tour = rng.choice(tours) if tours else ()
    first, last = (tour[0], tour[-1]) if tour and ends != "any two" else rng.sample(range(graph.order), 2)
    made = [(min(move), max(move)) for move in pairwise(tour)] or edges
    others = [edge for edge in edges if edge not in made] or edges
    return Problem(
        graph,
        closed,
        first if ends not in ("free", "end") else None,
        last if ends not in ("free", "start") else None,
        tuple(rng.sample(made, rng.choice((1, 2)))) if moves in ("required", "both") else (),
        tuple(rng.sample(others, min(len(others), rng.choice((1, 2))))) if moves in ("forbidden", "both") else (),
        symmetry,
    )


def answers(case: Case) -> tuple[int | None, set[Vertices]]:
    """The value of the best, and all that attain it in canonical form; magic ones as numberings, all worth 0."""
    problem, (how, what) = case.problem, case.goal
    points = [tuple(point) for point in problem.graph.space.points().tolist()]
    if how == "longest":
        values = {canonical(problem, path): len(path) - (not problem.closed) for path in uncrossed_paths(problem)}
    elif how == "magic":
        cells = problem.graph.space.layers()[0].cells.tolist()
        values = {tour: 0 for tour in numberings(problem) if sums_alike(cells, tour, what)}
    else:
        tours = {canonical(problem, tour) for tour in numberings(problem)}
        values = {tour: value_by_hand(what, [points[vertex] for vertex in tour], problem.closed) for tour in tours}
    if not values:
        return None, set()
    best = (min if how in ("minimize", "magic") else max)(values.values())
    return best, {tour for tour, value in values.items() if value == best}


def canonical(problem: Problem, tour: Vertices) -> Vertices:
    """The tour, or the path, from its start or its least vertex, in the one direction that is written."""
    first = tour.index(min(tour)) if problem.closed and problem.start is None else 0
    return written(problem, tour[first:] + tour[:first])


def numberings(problem: Problem) -> Iterator[Vertices]:
    """All tours of the problem, in both directions and a closed one without a start from each vertex."""
    for visit in _visits(problem.graph, problem.closed):
        anywhere = problem.closed and problem.start is None
        written_so = [visit[k:] + visit[:k] for k in range(len(visit))] if anywhere else rotations(problem, visit)
        yield from (tour for tour in written_so if solves(problem, tour) and maps_to_itself(problem, tour))


def maps_to_itself(problem: Problem, tour: Vertices) -> bool:
    """Whether the symmetry that is asked for takes the moves of the tour to themselves."""
    if problem.symmetry is None:
        return True
    moves = {frozenset(move) for move in zip(tour, tour[1:] + tour[: problem.closed], strict=False)}
    images = problem.symmetry.images.tolist()
    return {frozenset(images[vertex] for vertex in move) for move in moves} == moves


def sums_alike(cells: list[list[int]], tour: Vertices, kind: str) -> bool:
    """Whether the lines of this kind add up alike, each to its share of all numbers."""
    number = {vertex: count for count, vertex in enumerate(tour, start=1)}
    rows = [[number[vertex] for vertex in row] for row in cells]
    columns = [list(column) for column in zip(*rows, strict=True)]
    asked = {"rows": [rows], "columns": [columns], "semi": [rows, columns], "full": [rows, columns]}[kind]
    alike = all(len({sum(line) for line in lines}) == 1 for lines in asked)
    if kind != "full" or not alike:
        return alike
    diagonals = [[row[place] for place, row in enumerate(turned)] for turned in (rows, rows[::-1])]
    return all(sum(line) == sum(rows[0]) for line in diagonals)


def cross(one: Segment, other: Segment) -> bool:
    """Whether two segments in the plane meet inside both, by fractions: the one is cut by the line of the other, or
    they lie on one line."""
    (p, q), (r, s) = one, other
    u, v, w = ((b[0] - a[0], b[1] - a[1]) for a, b in ((p, q), (r, s), (p, r)))
    area = u[0] * v[1] - u[1] * v[0]
    if area:
        along_one, along_other = (Fraction(w[0] * x[1] - w[1] * x[0], area) for x in (v, u))
        return 0 < along_one < 1 and 0 < along_other < 1
    if u[0] * w[1] - u[1] * w[0]:
        return False
    places = [Fraction(x[0] - p[0], u[0]) if u[0] else Fraction(x[1] - p[1], u[1]) for x in (r, s)]
    return max(Fraction(0), min(places)) < min(Fraction(1), max(places))


def value_by_hand(objective: str, points: list[Point], closed: bool) -> int:
    """The turns or crossings of a tour through these points, from their definition; steps of one in a box never
    cross."""
    moves = list(pairwise([*points, points[0]] if closed else points))
    if objective == "crossings":
        return sum(cross((a, b), (c, d)) for (a, b), (c, d) in combinations(moves, 2)) if len(points[0]) == 2 else 0
    steps = [tuple(y - x for x, y in zip(*move, strict=True)) for move in moves]
    return sum(one != other for one, other in zip(steps, steps[1:] + steps[:1] if closed else steps[1:], strict=False))


def uncrossed_paths(problem: Problem) -> Iterator[Vertices]:
    """All uncrossed paths, or cycles, of a problem with its ends and moves, by trying everything."""
    points = [tuple(point) for point in problem.graph.space.points().tolist()]
    moves = moves_of(problem.graph)

    def extend(path: Vertices) -> Iterator[Vertices]:
        yield path
        for following in range(len(moves)):
            move = (points[path[-1]], points[following])
            if following in path or not moves[path[-1]] >> following & 1:
                continue
            if not any(cross(move, (points[a], points[b])) for a, b in pairwise(path)):
                yield from extend((*path, following))

    for first in range(len(moves)) if problem.start is None else [problem.start]:
        for path in extend((first,)):
            if problem.closed:
                closing = (points[path[-1]], points[path[0]])
                if len(path) < 3 or not moves[path[-1]] >> path[0] & 1:
                    continue
                if any(cross(closing, (points[a], points[b])) for a, b in pairwise(path)):
                    continue
            if solves(problem, path):
                yield path
