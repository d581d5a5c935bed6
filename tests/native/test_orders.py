"""The move orders of the native engine: the candidates of a traced search against each definition, and the figures of
the literature."""

from collections.abc import Callable
from itertools import islice

import pytest

from cpsat_tour import Board, Graph, Limits, Problem
from cpsat_tour.core.runs import Backtrack, Step
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.orders import Order, octants_of_arcs
from cpsat_tour.native.trace import trace

CLOCKWISE = {1: (-2, 1), 2: (-1, 2), 3: (1, 2), 4: (2, 1), 5: (2, -1), 6: (1, -2), 7: (-1, -2), 8: (-2, -1)}

Key = Callable[[int, int, set[int]], tuple[int, ...]]


def exits(graph: Graph, vertex: int, visited: set[int]) -> int:
    return len(set(graph.neighbours(vertex).tolist()) - visited)


def test_octants_of_leapers_of_few_directions() -> None:
    """Those of the knight are what `test_an_order_is_its_definition` looks at."""
    for leaper, directions in (((0, 1), [1, 3, 5, 7]), ((1, 1), [2, 4, 6, 8]), ((1, 4), [*range(1, 9)])):
        graph = Board(9, leaper=leaper).graph
        assert sorted(octants_of_arcs(graph)[graph.indptr[40] : graph.indptr[41]].tolist()) == directions


def reference_key(graph: Graph, order: str, root: int) -> Key:
    where = graph.space.coordinates
    assert where is not None

    def from_point(vertex: int, row: float, col: float) -> int:
        return -int(4 * (where[vertex][0] - row) ** 2 + 4 * (where[vertex][1] - col) ** 2)

    middle = (where.max(axis=0) + where.min(axis=0)) / 2
    direction = {move: digit for digit, move in CLOCKWISE.items()}

    def key(head: int, vertex: int, visited: set[int]) -> tuple[int, ...]:
        warnsdorff = exits(graph, vertex, visited)
        rule, _, digits = order.partition(":")
        if rule == "plain":
            return (vertex,)
        if rule == "fixed":
            move = tuple((where[vertex] - where[head]).tolist())
            return warnsdorff, digits.index(str(direction[move]))
        if rule == "pohl":
            return (
                warnsdorff,
                sum(exits(graph, far, visited) for far in graph.neighbours(vertex).tolist() if far not in visited),
                vertex,
            )
        point = where[root] if rule == "start" else middle
        return warnsdorff, from_point(vertex, point[0], point[1]), vertex

    return key


@pytest.mark.parametrize("order", ["plain", "fixed:48172635", "fixed:71354268", "pohl", "centre", "start"])
@pytest.mark.parametrize(("size", "start"), [((5, 5), 12), ((5, 6), 7), ((3, 7), 1), ((4, 5), 2), ((3, 4), 0)])
def test_an_order_is_its_definition(order: str, size: tuple[int, int], start: int) -> None:
    """Each entry offers all unvisited vertices around, sorted by the key."""
    graph = Board(*size).graph
    key, path = reference_key(graph, order, start), list[int]()
    for event in islice(trace(Problem(graph, False, start), Dfs(order=order, prune="none")), 5000):
        if isinstance(event, Backtrack):
            path.pop()
        if isinstance(event, Step):
            path.append(event.vertex)
            moves = set(graph.neighbours(event.vertex).tolist()) - set(path)
            offered = sorted(moves, key=lambda vertex, head=event.vertex: key(head, vertex, set(path)))  # type: ignore[misc]
            assert [candidate.vertex for candidate in event.candidates] == offered


@pytest.mark.parametrize(
    ("directions", "stuck"),
    [("45362718", {(1, 6): None, (4, 4): None, (4, 7): None}), ("12345678", {(5, 4): 60}), ("48172635", {})],
)
def test_the_pure_rule_is_stuck_where_the_literature_says(
    directions: str, stuck: dict[tuple[int, int], int | None]
) -> None:
    dfs = Dfs(order=f"fixed:{directions}", prune="none", backtrack=False)
    dead_ends = {}
    for start in range(64):
        answer = dfs.solve(Problem(Board(8).graph, False, start), Limits())
        if answer.tour is None:
            dead_ends[divmod(start, 8)] = answer.stopped_by
    assert dead_ends.keys() == stuck.keys()
    for square, squares in stuck.items():
        if squares is not None:
            assert dead_ends[square] == f"dead end after {squares} squares"


def test_the_default_order_depends_on_the_layout() -> None:
    cycle = Graph.from_edges(5, [(v, (v + 1) % 5) for v in range(5)])
    assert Order.parse("default").for_problem(Problem(cycle, True)) == Order("pohl")
    assert Order.parse("default").for_problem(Problem(Board(6).graph, True)) == Order("start")
