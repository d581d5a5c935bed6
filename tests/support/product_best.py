"""Problems for `best` on tiny spaces, with all else that can be asked of them, and their answers by trying everything.

The answers share no code with the package but the problem and the names of things: tours come from `brute_force`, turns
and crossings from their definition.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise, product

from brute_force import Vertices, closed_visits, open_visits, rotations, solves, written
from products import as_python, board, box, digraph, draw_symmetry, graph, some_of, wrapped

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.engines.best_search import Goal, RoutesGoal, goal_of, routes_goal
from cpsat_tour.formats.typed import graph_of
from cpsat_tour.spaces.objectives import OBJECTIVES

Point = tuple[int, ...]
Segment = tuple[Point, Point]

KNIGHT, STEP = "1,2", "0,1"

SPACES = {
    False: [*product(("3x2", "3x3", "3x4", "4x4"), [STEP]), *product(("3x4", "3x7", "4x5"), [KNIGHT])],
    True: [*product(("3x2", "3x4", "4x4", "2x5"), [STEP]), *product(("3x10", "5x6"), [KNIGHT])],
}
"""Boards with some open tours, and with closed ones: of the knight, and of a leaper of one step."""

GOALS = (*product(("minimize", "maximize"), OBJECTIVES),)


ROUTES = (("minimize", "paths"), ("maximize", "length"))

TINY = [*product(("1x1", "1x2", "2x1", "1x3", "2x2", "2x2x2"), [STEP]), ("3x3", KNIGHT)]

MOST = 9
"""Vertices of the largest graph whose routes are all tried."""


@dataclass(frozen=True)
class Case:
    """A problem and its goal, as `goal_of` takes it."""

    problem: Problem
    goal: tuple[str, str]

    def __str__(self) -> str:
        return f"{' '.join(self.goal)}: {as_python(self.problem)}"


@lru_cache
def cached_graph(text: str, leaper: str) -> Graph:
    """The graph of a board, the same each time, so that its visits are found once."""
    return graph_of(text, (), leaper)


@lru_cache
def visits(graph: Graph, closed: bool) -> list[Vertices]:
    """All Hamiltonian cycles or paths of the graph."""
    return closed_visits(graph) if closed else open_visits(graph)


def answers(case: Case) -> tuple[int | None, set[Vertices]]:
    """The value of the best, and all that attain it in canonical form."""
    problem, (how, what) = case.problem, case.goal
    points = [tuple(point) for point in problem.graph.space.points().tolist()]
    tours = {canonical(problem, tour) for tour in numberings(problem)}
    values = {tour: value_by_hand(what, [points[vertex] for vertex in tour], problem.closed) for tour in tours}
    if not values:
        return None, set()
    best = (min if how == "minimize" else max)(values.values())
    return best, {tour for tour, value in values.items() if value == best}


def canonical(problem: Problem, tour: Vertices) -> Vertices:
    """The tour from its start or its least vertex, in the one direction that is written."""
    first = tour.index(min(tour)) if problem.closed and problem.start is None else 0
    return written(problem, tour[first:] + tour[:first])


def numberings(problem: Problem) -> Iterator[Vertices]:
    """All tours of the problem, in both directions and a closed one without a start from each vertex."""
    for visit in visits(problem.graph, problem.closed):
        anywhere = problem.closed and problem.start is None
        begun = [visit[k:] + visit[:k] for k in range(len(visit))] if anywhere else rotations(problem, visit)
        yield from (tour for tour in begun if solves(problem, tour))


def cross(first: Segment, second: Segment) -> bool:
    """Whether two segments in the plane meet inside both, by fractions: the one is cut by the line of the other, or
    they lie on one line."""
    (p, q), (r, s) = first, second
    u, v, w = ((b[0] - a[0], b[1] - a[1]) for a, b in ((p, q), (r, s), (p, r)))
    area = u[0] * v[1] - u[1] * v[0]
    if area:
        return all(0 < Fraction(w[0] * x[1] - w[1] * x[0], area) < 1 for x in (v, u))
    if u[0] * w[1] - u[1] * w[0]:
        return False
    places = [Fraction(x[0] - p[0], u[0]) if u[0] else Fraction(x[1] - p[1], u[1]) for x in (r, s)]
    return max(Fraction(0), min(places)) < min(Fraction(1), max(places))


def value_by_hand(objective: str, points: list[Point], closed: bool) -> int:
    """The value of a tour through these points, from the definition of the objective."""
    return BY_HAND[objective](list(pairwise([*points, points[0]] if closed else points)), closed)


def turns(moves: list[Segment], closed: bool) -> int:
    """How often two moves in a row are not in line."""
    steps = [tuple(y - x for x, y in zip(*move, strict=True)) for move in moves]
    return sum(step != following for step, following in pairwise([*steps, *steps[: int(closed)]]))


def crossings(moves: list[Segment], _closed: bool) -> int:
    """How many pairs of moves cross; steps of one in a box never do."""
    return sum(cross(*pair) for pair in combinations(moves, 2) if len(pair[0][0]) == 2)


BY_HAND: dict[str, Callable[[list[Segment], bool], int]] = {"turns": turns, "crossings": crossings}
"""The definition of each objective: the value of the moves of a tour, which may be closed."""


def draw(rng: random.Random) -> Goal | RoutesGoal:
    """A goal, and a problem with none to four choices; `BadInput` if they are refused together."""
    (how, what), closed = asked = rng.choice([*GOALS, *ROUTES * 2]), rng.random() < 0.5
    routes = asked[0] in ROUTES
    space = cached_graph(*rng.choice([*SPACES[closed], *TINY]))
    while routes and (space.order > MOST or rng.random() < 0.3):
        space, _ = rng.choice([digraph, graph, board, wrapped, box])(rng)
    start = end = symmetry = optional = None
    require, forbid, moves = list[Move](), list[Move](), space.pairs()
    for choice in rng.choices(["start", "end", "require", "forbid", "both", "other"], k=rng.randint(0, 4)):
        move = rng.sample(moves, min(1, len(moves)))
        require += move if choice in ("require", "both") else []
        forbid += move if choice in ("forbid", "both") else []
        start = rng.randrange(space.order) if choice == "start" else start
        end = rng.randrange(space.order) if choice == "end" and not (routes and closed) else end
        if choice == "other" and not routes:
            symmetry = draw_symmetry(rng, space, closed, space.space.symmetries().tolist())
        elif choice == "other" and what == "length":
            optional = some_of(rng, range(space.order), range(space.order + 1))
    problem = Problem(space, closed, start, end, tuple(require), tuple(forbid), symmetry)
    return routes_goal(problem, what, optional) if routes else goal_of(problem, **{how: what})


def draws(seed: str, number: int) -> Iterator[Goal | RoutesGoal]:
    """So many goals that are not refused, for an end without a start or routes with equal ends."""
    rng = random.Random(seed)
    while number:
        with suppress(BadInput):
            goal = draw(rng)
            number -= 1
            yield goal
