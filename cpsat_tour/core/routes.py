"""Sets of disjoint routes: the paths or the cycles that together visit each vertex once, or all but some.

Each is verified here, whoever found it, as tours are by `verify`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from cpsat_tour.core.errors import TourFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.verify import check_moves, check_required_and_forbidden, moves_of


def verify_routes(problem: Problem, routes: Sequence[Ints], optional: Collection[int] = ()) -> None:
    """Raise `TourFault`, naming the first fault, unless the routes together visit each vertex once, but that those
    ``optional`` may be left out, and move as the problem says: each closed or each open, one from the start, one to the
    end, with all required moves and no forbidden one."""
    graph, name = problem.graph, problem.graph.name
    visits = np.concatenate([np.zeros(0, dtype=np.int64), *routes])
    outside = np.flatnonzero((visits < 0) | (visits >= graph.order))
    if outside.size:
        raise TourFault(f"{visits[outside[0]]} is visited, which is not a vertex")
    vertices, counts = np.unique(visits, return_counts=True)
    if (counts > 1).any():
        raise TourFault(f"{name(int(vertices[counts > 1][0]))} is visited more than once")
    missing = set(range(graph.order)) - {*vertices.tolist()} - {*optional}
    if missing:
        raise TourFault(f"{name(min(missing))} is never visited")
    made, ends = set[tuple[int, int]](), [set[int](), set[int]()]
    for route in routes:
        if not len(route) or (problem.closed and len(route) < (2 if graph.directed else 3)):
            raise TourFault(
                f"a route of {len(route)} vertices is not {'a closed' if problem.closed else 'an open'} one"
            )
        check_moves(graph, route, problem.closed)
        made.update(moves_of(route.tolist(), closed=problem.closed))
        for side, reached in enumerate(ends):
            reached.update(route[[0, -1]].tolist() if not graph.directed else [int(route[-side])])
    check_required_and_forbidden(problem, made)
    if problem.closed:
        return
    for verb, reached, wanted in zip(("starts", "ends"), ends, (problem.start, problem.end), strict=True):
        if wanted is not None and wanted not in reached:
            raise TourFault(f"no route {verb} at {name(wanted)}")


def routes_of(order: int, moves: Sequence[tuple[int, int]], *, directed: bool) -> tuple[list[Ints], list[Ints]]:
    """Return the paths and the cycles that these moves form, as vertices in order, where no vertex has more than two
    edges, or more than one arc in and one out; a vertex without moves is a path."""
    beside: list[list[int]] = [[] for _ in range(order)]
    entered = set[int]()
    for tail, head in moves:
        beside[tail].append(head)
        entered.add(head)
        if not directed:
            beside[head].append(tail)
    seen = bytearray(order)

    def follow(vertex: int) -> Ints:
        route = []
        while not seen[vertex]:
            seen[vertex] = 1
            route.append(vertex)
            vertex = next((other for other in beside[vertex] if not seen[other]), vertex)
        return np.array(route, dtype=np.int32)

    first = [v for v in range(order) if (v not in entered if directed else len(beside[v]) < 2)]
    paths = [follow(vertex) for vertex in first if not seen[vertex]]
    return paths, [follow(vertex) for vertex in range(order) if not seen[vertex]]
