"""Verifies tours, naming the first fault, and writes them in canonical form, one or many at once.

`TourRows` verifies many tours, the rows of an array, by a kernel in C (`native/rows.c`). It accepts the rows that
`verify` accepts, which names the fault of a wrong one. A million tours of the chessboard take a sixth of a second. Arcs
are looked up in a matrix if the graph is small, else by binary search in the sorted rows of the graph.

Routes are disjoint paths or cycles that together visit each vertex once, or all but some.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput, TourFault, quoted
from cpsat_tour.core.graph import Graph, edge_keys
from cpsat_tour.core.kernels import kernel
from cpsat_tour.core.orbits import are_symmetric, turning_of
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.space import Flags, Ints


def moves_of(visits: list[Any], *, closed: bool) -> list[tuple[Any, Any]]:
    """Return the pairs of consecutive visits; of a closed tour also the last with the first."""
    return list(zip(visits, visits[1:] + visits[:closed], strict=False))


def verify(problem: Problem, vertices: Sequence[int] | Ints) -> None:
    """Raise `TourFault`, naming the first fault, unless the vertices are a tour that solves the problem. `Tour.load`
    verifies those of a file.

    - ``problem`` (`Problem`, needed): the problem.
    - ``vertices`` (ints, needed): the numbers of the vertices in order.
    """
    if not isinstance(problem, Problem):
        raise BadInput(
            f"a tour can't be verified against {quoted(problem)}: give a Problem, such as Problem(graph, closed=True)"
        )
    graph, name = problem.graph, problem.graph.name
    try:
        tour = np.asarray(vertices)
    except ValueError:  # rows of several lengths
        tour = np.zeros((0, 0))
    if tour.ndim != 1 or (tour.size and not np.issubdtype(tour.dtype, np.integer)):
        raise TourFault("a tour is a sequence of vertex numbers, which this is not")
    outside = np.flatnonzero((tour < 0) | (tour >= graph.order))
    if outside.size:
        raise TourFault(f"visit {outside[0] + 1} is at {tour[outside[0]]}, which is not a vertex")
    _, first_visits = np.unique(tour, return_index=True)
    if len(first_visits) < len(tour):
        again = np.setdiff1d(np.arange(len(tour)), first_visits)[0]
        raise TourFault(f"visit {again + 1} is at {name(tour[again])}, which was visited before")
    check_moves(graph, tour, problem.closed)
    if len(tour) < graph.order:
        missing = np.setdiff1d(np.arange(graph.order), tour)[0]
        raise TourFault(f"{name(int(missing))} is never visited: the tour has {len(tour)} of {graph.order} visits")
    if not graph.order:
        raise TourFault("a graph without vertices has no tour")
    if problem.closed and graph.order < (2 if graph.directed else 3):
        raise TourFault(
            f"a closed tour needs at least {2 if graph.directed else 3} vertices, and the graph has {graph.order}"
        )
    for verb, visited, wanted in (("starts", tour[0], problem.start), ("ends", tour[-1], problem.end)):
        if wanted is not None and visited != wanted:
            raise TourFault(f"the tour {verb} at {name(visited)}, not at {name(wanted)}")
    if problem.require or problem.forbid:
        check_required_and_forbidden(problem, set(moves_of(tour.tolist(), closed=problem.closed)))
    for vertex, number in problem.givens:
        if tour[number - 1] != vertex:
            raise TourFault(f"visit {number} is at {name(tour[number - 1])}, and {name(vertex)} is given that number")
    if problem.waypoints and not visits_in_order(problem.waypoints, tour[None, :])[0]:
        visits = [vertex for vertex in tour.tolist() if vertex in problem.waypoints]
        wrong, due = next(pair for pair in zip(visits, problem.waypoints, strict=True) if pair[0] != pair[1])
        raise TourFault(f"the waypoint {name(wrong)} is visited before {name(due)}, and is to come after it")
    if (symmetry := problem.symmetry) is None:
        return
    found = turning_of(symmetry, tour, closed=problem.closed)
    moves = dict(moves_of(tour.tolist(), closed=problem.closed)) if found is None else {}
    for tail, head in moves.items():
        there = [int(symmetry.images[vertex]) for vertex in (tail, head)]
        if moves.get(there[0]) != there[1] and moves.get(there[1]) != there[0]:
            ends = "-".join(map(name, there))
            raise TourFault(
                f"{symmetry.name} takes the move {name(tail)}-{name(head)} to {ends}, which the tour does not make"
            )
    if symmetry.turning not in ("either", found):
        raise TourFault(f"{symmetry.name} is to turn the tour {symmetry.turning}, and turns it {found}")


def verify_disjoint(graph: Graph, cycles: Sequence[Ints], *, whole: bool) -> None:
    """Raise `TourFault` unless each cycle is a closed tour and no two share a move; with ``whole`` they have to make
    all moves. The fault names the first that is wrong."""
    made = np.zeros(0, dtype=np.int64)
    for number, cycle in enumerate(cycles, start=1):
        try:
            verify(Problem(graph, closed=True), cycle)
        except TourFault as fault:
            raise TourFault(f"tour {number}: {fault}") from None
        made = np.append(made, edge_keys(graph.order, cycle, np.roll(cycle, -1), directed=graph.directed))
    moves, times = np.unique(made, return_counts=True)
    every = edge_keys(graph.order, *graph.edges(), directed=graph.directed) if whole else moves
    for wrong, how in ((moves[times > 1], "by two tours"), (np.setdiff1d(every, moves), "by no tour")):
        if len(wrong):
            raise TourFault(f"the move {'-'.join(map(graph.name, divmod(int(wrong[0]), graph.order)))} is made {how}")


def check_moves(graph: Graph, tour: Ints, closed: bool) -> None:
    """Raise `TourFault` for the first move that is not an arc of the graph."""
    heads = np.roll(tour, -1) if closed else tour[1:]
    tails = tour if closed else tour[:-1]
    arcs = edge_keys(graph.order, graph.tails, graph.indices, directed=True)
    moves = edge_keys(graph.order, tails, heads, directed=True)
    found = arcs.take(np.searchsorted(arcs, moves), mode="clip") if len(arcs) else np.full(len(moves), -1)
    wrong = np.flatnonzero(found != moves)
    if wrong.size:
        move = int(wrong[0])
        ends = f"from {graph.name(int(tails[move]))} to {graph.name(int(heads[move]))}"
        raise TourFault(f"move {move + 1}, {ends}, is not a move here")


def check_required_and_forbidden(problem: Problem, made: set[Move]) -> None:
    """Raise `TourFault` if a required move is not among the moves made, in either direction, or a forbidden one is."""
    if not problem.graph.directed:
        made = made | {(head, tail) for tail, head in made}
    for word, moves in (("required", set(problem.require) - made), ("forbidden", set(problem.forbid) & made)):
        for tail, head in sorted(moves):
            fault = "not made" if word == "required" else "made"
            raise TourFault(f"the {word} move {problem.graph.name(tail)}-{problem.graph.name(head)} is {fault}")


def canonical(problem: Problem, vertices: Sequence[int] | Ints) -> Ints:
    """Return the tour in canonical form (see `canonical_rows`)."""
    return np.asarray(canonical_rows(problem, np.asarray(vertices, dtype=np.int32)[None, :])[0])


# --- many at once: a row of an array for each ---


def canonical_rows(problem: Problem, tours: Ints) -> Ints:
    """Return the tours (a row each) rotated and turned into canonical form.

    A tour begins at the start if that is given, else at the least vertex that it can begin at; a closed undirected tour
    without a fixed end has its second vertex smaller than its last. With givens a tour stays as it is, and so does the
    direction in which it visits waypoints.
    """
    start, end = problem.start, problem.end
    if problem.givens or problem.waypoints or not tours.size:
        return tours
    if problem.closed:
        tours = cycles_rotated_to(tours, 0 if start is None else start)
        backwards = tours[:, -1] < tours[:, 1] if end is None else tours[:, -1] != end
    else:
        backwards = (tours[:, -1] < tours[:, 0]) & (start is end is None)
    if problem.graph.directed or not backwards.any():
        return tours
    turned = tours[backwards]
    tours = tours.copy()
    tours[backwards] = reversed_cycles(turned) if problem.closed else turned[:, ::-1]
    return tours


def are_as_asked(problem: Problem, tours: Ints) -> Flags:
    """Return a flag for each tour (a row), True if it has the problem's ends and given numbers, and visits the
    waypoints in order."""
    right = visits_in_order(problem.waypoints, tours)
    for vertex, number in ((problem.start, 1), (problem.end, 0), *problem.givens):
        if vertex is not None:
            right &= tours[:, number - 1] == vertex
    return right


def visits_in_order(waypoints: Sequence[int], tours: Ints) -> Flags:
    """Return a flag for each tour (a row), True if it visits the waypoints in their order."""
    if not waypoints:
        return np.ones(len(tours), dtype=bool)
    places = np.argsort(tours, axis=1)[:, [*waypoints]]
    return np.asarray((np.diff(places, axis=1) > 0).all(axis=1))


def cycles_rotated_to(cycles: Ints, vertex: int) -> Ints:
    """Return each cycle (a row) rotated to begin at this vertex."""
    if (cycles[:, 0] == vertex).all():
        return cycles
    shift, order = (cycles == vertex).argmax(axis=1), cycles.shape[1]
    return np.take_along_axis(cycles, (np.arange(order) + shift[:, None]) % order, axis=1)


def reversed_cycles(cycles: Ints) -> Ints:
    """Return each cycle (a row) reversed, from the same first vertex."""
    return np.concatenate([cycles[:, :1], cycles[:, :0:-1]], axis=1)


def two_factor_cycles(order: int, tails: Ints, heads: Ints, *, directed: bool) -> list[Ints]:
    """Return the cycles that the edges (arcs, if directed) of a 2-factor form, as vertices in order, the longest
    last."""
    if not directed:  # each edge both ways
        tails, heads = np.concatenate([tails, heads]), np.concatenate([heads, tails])
    return sorted(routes_of(order, zip(tails.tolist(), heads.tolist(), strict=True), directed=True)[1], key=len)


Marks = NDArray[np.uint8]

NO_ARC, ARC, REQUIRED = range(3)

MAX_IN_MATRIX = 1 << 11
"""The largest order for which arcs are looked up in a matrix."""


class TourRows:
    """Verifies many tours of one problem, which has three or more vertices."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        graph = problem.graph
        self._marks = np.full(len(graph.indices), ARC, dtype=np.uint8)
        for mark, moves in ((REQUIRED, problem.require), (NO_ARC, problem.forbid)):
            for tail, head in moves:
                self._marks[graph.arc(tail, head)] = mark
                if not graph.directed:
                    self._marks[graph.arc(head, tail)] = mark
        side = graph.order if graph.order <= MAX_IN_MATRIX else 0
        self._matrix: Marks = np.zeros((side, side), dtype=np.uint8)
        if side:
            self._matrix[graph.tails, graph.indices] = self._marks

    def verify(self, tours: Ints) -> None:
        """Raise `TourFault` for the first row that is not a tour of the problem."""
        problem, graph, fault = self._problem, self._problem.graph, 0
        if tours.shape == (len(tours), graph.order):
            required, seen = len(problem.require), np.full(graph.order, -1, dtype=np.int32)
            rows, arcs = np.ascontiguousarray(tours, dtype=np.int32), (graph.indptr, graph.indices, self._marks)
            in_matrix = len(self._matrix) > 0
            fault = first_fault(
                rows, len(rows), graph.order, *arcs, self._matrix, in_matrix, seen, problem.closed, required
            )
            right = are_as_asked(problem, tours[:fault])
            if problem.symmetry is not None:
                right &= are_symmetric(problem.symmetry, tours[:fault], closed=problem.closed)
            fault = fault if right.all() else int(right.argmin())
        if fault < len(tours):
            verify(problem, tours[fault])
            raise AssertionError(f"the two ways to verify a tour differ on {tours[fault].tolist()}")


@kernel
def first_fault(
    tours: Annotated[Ints, "rows*order"],
    rows: int,
    order: int,
    indptr: Annotated[Ints, "order+1"],
    indices: Ints,
    marks: Marks,
    matrix: Marks,
    in_matrix: bool,
    seen: Annotated[Ints, "order"],
    closed: bool,
    required: int,
) -> int:
    """Return the index of the first row that is not a tour, or the number of rows if all are.

    ``marks`` has a mark for each arc, like ``indices``; ``matrix``, if arcs are looked up there, the same by tail and
    head. ``seen`` is scratch, one entry per vertex, initialised to -1. ``required`` is the number of required edges
    (arcs, if directed).
    """


def verify_routes(problem: Problem, routes: Sequence[Ints], optional: Collection[int] = ()) -> None:
    """Raise `TourFault` unless the routes together visit each vertex once and obey the problem: all closed or all open,
    with its start, end, and required and forbidden moves. Vertices in ``optional`` may be left out."""
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


def routes_of(order: int, moves: Iterable[tuple[int, int]], *, directed: bool) -> tuple[list[Ints], list[Ints]]:
    """Return the paths and the cycles that the moves form, as two lists of vertices in order. No vertex may have more
    than two edges, or more than one arc in and one out; a vertex without moves is a path."""
    beside: list[list[int]] = [[] for _ in range(order)]
    missing = [1 if directed else 2] * order  # ways into each vertex
    for tail, head in moves:
        beside[tail].append(head)
        missing[head] -= 1
        if not directed:
            beside[head].append(tail)
            missing[tail] -= 1
    seen = bytearray(order)

    def follow(vertex: int) -> Ints:
        route = []
        while not seen[vertex]:
            seen[vertex] = 1
            route.append(vertex)
            for other in beside[vertex]:
                if not seen[other]:
                    vertex = other
                    break
        return np.array(route, dtype=np.int32)

    paths = [follow(vertex) for vertex in range(order) if missing[vertex] > 0 and not seen[vertex]]
    return paths, [follow(vertex) for vertex in range(order) if not seen[vertex]]
