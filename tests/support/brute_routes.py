"""The fewest routes and the longest one of a small graph, found by trying everything: the oracle for
`engines.best`.

It shares no code with the package: of a problem it reads the arcs and the fields. All paths, or cycles, are listed by
the set of their vertices, each with what it uses, and sets are put together by dynamic programming.
"""

from collections.abc import Iterator

from cpsat_tour.core.problem import Problem

Route = tuple[int, ...]


def all_routes(problem: Problem) -> Iterator[Route]:
    """Every path of the graph, or every cycle from its least vertex, in each direction."""
    graph = problem.graph
    arcs = {(tail, head) for tail, head in zip(graph.tails.tolist(), graph.indices.tolist(), strict=True)}
    arcs -= {*problem.forbid} | (set() if graph.directed else {(head, tail) for tail, head in problem.forbid})
    least = 1 if not problem.closed else 2 if graph.directed else 3

    def extended(route: Route) -> Iterator[Route]:
        if len(route) >= least and (not problem.closed or (route[-1], route[0]) in arcs):
            yield route
        for vertex in range(graph.order):
            if vertex not in route and (route[-1], vertex) in arcs and not (problem.closed and vertex < route[0]):
                yield from extended((*route, vertex))

    for first in range(graph.order):
        yield from extended((first,))


def is_apt(problem: Problem, route: Route) -> bool:
    """True if a route can be one of several that keep to the problem: it makes each required move at its vertices, and
    begins and ends where it has to."""
    moves = set(zip(route, route[1:] + route[: problem.closed], strict=False))
    moves |= set() if problem.graph.directed else {(head, tail) for tail, head in moves}
    if any(not {*move}.isdisjoint(route) and move not in moves for move in problem.require):
        return False
    if problem.closed:
        both = problem.start is not None and problem.end is not None
        return not both or problem.start not in route or (problem.end, problem.start) in moves
    if problem.graph.directed:
        return (problem.start not in route or route[0] == problem.start) and (
            problem.end not in route or route[-1] == problem.end
        )
    return all(vertex not in route or vertex in (route[0], route[-1]) for vertex in (problem.start, problem.end))


def fewest_routes(problem: Problem) -> int | None:
    """The fewest routes that visit each vertex once, None if none do."""
    sets = {sum(1 << vertex for vertex in route) for route in all_routes(problem) if is_apt(problem, route)}
    fewest = {0: 0}
    for visited in range(1, 1 << problem.graph.order):
        lowest = visited & -visited
        counts = [
            fewest[visited ^ one] for one in sets if one & lowest and one & visited == one and visited ^ one in fewest
        ]
        if counts:
            fewest[visited] = 1 + min(counts)
    return fewest.get((1 << problem.graph.order) - 1)


def longest_route(problem: Problem, optional: frozenset[int]) -> int | None:
    """The vertices of the longest route that visits all but the optional vertices, None if there is none."""
    ends = {problem.start, problem.end} - {None}
    needed = {*range(problem.graph.order)} - optional | ends | {v for move in problem.require for v in move}
    return max(
        (len(route) for route in all_routes(problem) if needed <= {*route} and is_apt(problem, route)), default=None
    )
