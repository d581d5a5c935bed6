"""The fewest paths and closed tours, and the longest: against brute force, published circumferences, certificates."""

import json
import random
from collections.abc import Iterator
from itertools import pairwise, product, zip_longest
from pathlib import Path

import networkx
import numpy as np
import pytest
from brute_routes import all_routes, fewest_routes, longest_route
from certificate_judge import certified
from certificate_samples import Sample
from commands import Command, needed
from product_best import draws

from cpsat_tour import (
    Answer,
    BackendFault,
    BadInput,
    Graph,
    Limits,
    Problem,
    TourFault,
    fewest_paths,
    longest_cycle,
    longest_path,
    problem_of,
)
from cpsat_tour.core.verify import verify_routes
from cpsat_tour.engines.best import WAYS_TO_ROUTES, optimise_routes
from cpsat_tour.engines.best_search import RoutesGoal, routes_goal
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.proofs.write.tour_certificates import prove_longest


def is_right(goal: RoutesGoal, way: str = "auto") -> bool:
    """True if the answer has the value that trying everything has, and says that it is best."""
    found = optimise_routes(goal, way=way)
    wanted = longest_route(goal.problem, goal.optional) if goal.maximize else fewest_routes(goal.problem)
    return (found.value, found.none, found.stopped_by) == (wanted, wanted is None, None) and found.optimal != found.none


def connected_graphs(orders: range) -> Iterator[Graph]:
    for drawn in networkx.graph_atlas_g():
        if drawn.order() in orders and networkx.is_connected(drawn):
            yield Graph.from_networkx(drawn)


def test_all_small_graphs() -> None:
    goals = [
        routes_goal(Problem(graph, closed), objective)
        for graph in connected_graphs(range(1, 6))
        for closed in (False, True)
        for objective in ("paths", "length")
    ]
    assert all(map(is_right, goals))
    assert len(goals) == 4 * 31


def takes(way: str, goal: RoutesGoal) -> bool:
    return way != "frontier" or (goal.maximize and not goal.problem.graph.directed)


@pytest.mark.parametrize("way", WAYS_TO_ROUTES)
def test_each_way_answers_alone_where_auto_knows_nothing(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpsat_tour.engines.best.ask", lambda *_: Answer("unknown"))
    drawn = [goal for goal in draws("alone", 150) if isinstance(goal, RoutesGoal) and goal.problem.graph.order >= 3]
    goals = [goal for goal in drawn if takes(way, goal) and {*goal.problem.require}.isdisjoint(goal.problem.forbid)]
    assert len(goals) >= 20
    triangle = Graph.from_edges(3, [(0, 1), (0, 2), (1, 2)])
    goals.append(routes_goal(Problem(triangle, True, require=((0, 1), (0, 2))), "length"))
    cycles = [*pairwise([0, 1, 2, 3, 0]), *pairwise([4, 5, 6, 4]), *pairwise([7, 8, 9, 7])]
    three_cycles = Graph.from_edges(10, [*cycles, (2, 4), (0, 5)])  # the last is left out of the best cycle
    goals.append(routes_goal(Problem(three_cycles, True), "length", range(1, 10)))
    nothing_optional = [routes_goal(problem_of(board, closed=True), "length", []) for board in ("4x4", "6x6")]
    assert all(is_right(goal, way) for goal in goals)
    assert [optimise_routes(goal, way=way).value for goal in nothing_optional] == [None, 36]


@pytest.mark.slow
def test_all_graphs_of_seven_vertices() -> None:
    for graph in connected_graphs(range(6, 8)):
        for closed in (False, True):
            assert is_right(routes_goal(Problem(graph, closed), "paths"))
            assert is_right(routes_goal(Problem(graph, closed), "length"))


@pytest.mark.parametrize(
    ("text", "circumference"), [("Petersen", 9), ("Coxeter", 27), ("J(5)", 19), ("GP(11,2)", 21), ("4x4", 14)]
)
def test_circumferences(text: str, circumference: int) -> None:
    """Hypohamiltonian graphs miss one vertex: Petersen's and GP(n, 2) for n = 5 mod 6 (Bondy 1972), Coxeter's, and
    flower snarks (Fiorini 1983)."""
    found = longest_cycle(text)
    assert (found.value, found.optimal, len(found.routes[0])) == (circumference, True, circumference)
    by_states = optimise_routes(found.goal, way="frontier")
    assert (by_states.value, by_states.bound) == (circumference, circumference)
    assert by_states.known != "claimed"


def test_the_frontier_method_knows_its_bound() -> None:
    """The longest closed tours of narrow boards: beyond what `auto` knows, that there is none of all squares."""
    for board, squares in (("4x6", 22), ("3x8", 22), ("4x8", 30)):
        found = optimise_routes(routes_goal(problem_of(board, closed=True), "length"), way="frontier")
        assert (found.value, found.known) == (squares, "exhausted")
    wide = routes_goal(problem_of("4,5:20x20"), "length")
    assert "too wide" in str(optimise_routes(wide, Limits(work=10**5), way="frontier").stopped_by)


def test_the_ways_agree_on_larger_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sparse ones, whose parts are joined along the tree, and which need cuts about vertices left out."""
    monkeypatch.setattr("cpsat_tour.engines.best.ask", lambda *_: Answer("unknown"))
    rng = random.Random(1)
    for seed in range(16):
        graph = Graph.from_networkx(networkx.gnm_random_graph(20, rng.randint(20, 30), seed=seed))
        optional = None if seed % 2 else [v for v in range(20) if rng.random() < 0.8]
        goal = routes_goal(Problem(graph, closed=seed % 4 > 1), "length", optional)
        found = [optimise_routes(goal, way=way) for way in WAYS_TO_ROUTES]
        assert len({(each.value, each.none) for each in found}) == 1


def test_nodes_of_networkx() -> None:
    star = networkx.star_graph(["hub", "a", "b", "c"])
    longest, longest_of_arcs = longest_path(star, start="a"), longest_path(networkx.DiGraph(star), end="hub")
    assert (longest.value, longest.routes[0][0], len(longest_of_arcs.routes[0])) == (3, "a", 2)
    assert longest_cycle(star).none
    assert fewest_paths(star).value == 2
    for wrong in (1, "hub"):
        with pytest.raises(BadInput, match="give a list of them"):
            longest_path(star, optional=wrong)  # type: ignore[arg-type]


def test_a_limit_leaves_what_is_known() -> None:
    goal = routes_goal(problem_of("4,5:20x20"), "length")
    found = optimise_routes(goal, Limits(seconds=1e-9))
    assert (found.stopped_by, found.none) == ("time", False)
    assert "so far" in repr(found) or "unknown" in repr(found)


def test_certificates_that_fewer_paths_do_not_suffice(tmp_path: Path, command: Command) -> None:
    found = command(f"best 2x9 --minimize paths --certificate {tmp_path}/proof")
    assert "4 paths, the fewest (lp: " in found.out
    sentence = "no closed tour of the 2x9 board and 3 universal vertices: 3 paths can't visit every square"
    assert command(f"check {tmp_path}/proof").out == f"valid: {sentence} (lp, 1 step)\n"
    command(f"check {tmp_path}/proof 2x9+3 --closed")
    command(f"check {tmp_path}/proof 2x9+4 --closed", 1)
    sample = Sample.read(tmp_path / "proof")
    sample.description["problem"]["universal"] = 4  # four paths suffice
    assert not check(sample.write(tmp_path / "forged")).valid
    for wrong in (-1, 0, 10**9, "3"):
        sample.description["problem"]["universal"] = wrong
        assert not check(sample.write(tmp_path / "forged")).valid


def heavy_hex(rows: list[range], connectors: list[range]) -> Graph:
    """The coupling map of a quantum processor: rows of qubits, by columns, and the qubits that join a row to the
    next."""
    lines = [line for pair in zip_longest(rows, connectors, fillvalue=range(0)) for line in pair]
    places = [(number, column) for number, line in enumerate(lines) for column in line]
    moves = [(place, (place[0], place[1] + 1)) for place in places if place[0] % 2 == 0]
    moves += [(place, (place[0] + 1, place[1])) for place in places]
    return Graph.from_edges(len(places), [(places.index(a), places.index(b)) for a, b in moves if b in places])


EVEN, ODD, LEFT, RIGHT = range(0, 15, 4), range(2, 15, 4), range(1, 16, 4), range(3, 16, 4)

PROCESSORS = {
    "Eagle": (heavy_hex([range(14), *[range(15)] * 5, range(1, 15)], [EVEN, ODD] * 3), 127, 109, 104),
    "Heron r1": (heavy_hex([range(15)] * 7, [*[EVEN, ODD] * 3, EVEN]), 133, 112, 104),
    "Heron r2": (heavy_hex([range(16)] * 8, [*[RIGHT, LEFT] * 3, RIGHT]), 156, 129, 124),
}
"""The graph of each processor, its qubits, and those of its longest path and cycle."""


@pytest.mark.parametrize(("graph", "qubits", "path", "cycle"), PROCESSORS.values(), ids=PROCESSORS)
def test_longest_lines_of_qubits_are_certified(
    graph: Graph, qubits: int, path: int, cycle: int, tmp_path: Path
) -> None:
    assert graph.order == qubits
    for longest, value in ((longest_path, path), (longest_cycle, cycle)):
        found = longest(graph)
        certificate = prove_longest(found.goal, found.routes.routes[0])
        assert found.value == needed(certificate.proof.best).value == value
        assert certified(certificate, tmp_path).steps < 600


def test_all_small_graphs_have_certificates_of_their_longest_routes(tmp_path: Path) -> None:
    """What is shorter is not the longest, which the program finds."""
    some = [graph for number, graph in enumerate(connected_graphs(range(3, 7))) if number % 4 == 0]
    proved, longer = 0, "a tour is better than the bound"
    for graph, closed in product(some, (False, True)):
        goal = routes_goal(Problem(graph, closed), "length")
        routes = sorted(all_routes(goal.problem), key=len)
        if not routes:
            continue
        longest = np.array(routes[-1], dtype=np.int32)
        assert needed(certified(prove_longest(goal, longest), tmp_path).proof.best).value == len(longest)
        proved += 1
        shorter = [route for route in routes if 1 < len(route) < len(longest)]
        if shorter:
            with pytest.raises(BackendFault, match=longer):
                prove_longest(goal, np.array(shorter[-1], dtype=np.int32))
    assert proved > 60


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("4x4 --closed", "no closed tour within the 4x4 board has more than 14 squares"),
        ("2,3:8x8", "no path within the 8x8 board by a zebra (2,3) has more than 55 squares"),
        (
            "3x4 --closed --optional d2 --optional b3 --optional a2",
            "no closed tour within the 3x4 board, leaving out only b3, a2, d2, has more than 10 squares",
        ),
        (
            "3x5 --start b2 --require b2-d1",
            "no path within the 3x5 board from b2, using b2-d1, leaving out only a3, b3, c3, d3, e3, a2, c2, d2 and 5",
        ),
    ],
)
def test_the_command_certifies_longest_routes(asked: str, words: str, tmp_path: Path, command: Command) -> None:
    found = command(f"best {asked} --maximize length --certificate {tmp_path}/proof")
    assert ", the longest (lp: a tour with " in found.out
    said = command(f"check {tmp_path}/proof").out
    assert words in said
    assert ", and one has as many (lp, " in said
    assert words in " ".join((tmp_path / "proof" / "why.txt").read_text().split())[:300].replace("No ", "no ", 1)


def test_the_problem_of_fewer_paths_has_no_tour_and_that_of_as_many_has() -> None:
    for goal in draws("fewer", 100):
        if not isinstance(goal, RoutesGoal) or goal.maximize or goal.problem.closed:
            continue
        if (fewest := fewest_routes(goal.problem)) is None:
            continue
        for value, tour in ((fewest, False), (fewest + 1, True)):
            problem = goal.problem_of_better(value)
            if problem is not None and value <= goal.problem.graph.order:
                answer = prove(problem)
                assert (getattr(answer, "tour", None) is not None) == tour


def test_several_routes_are_verified() -> None:
    problem = Problem(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)]), False, start=0, forbid=((1, 2),))
    verify_routes(problem, [np.array([0, 1]), np.array([3, 2])])
    for routes, fault in (
        ([[0, 1]], "2 is never visited"),
        ([[0, 1], [1], [2, 3]], "1 is visited more than once"),
        ([[0, 1, 2, 3]], "the forbidden move 1-2 is made"),
        ([[0, 2], [1], [3]], "move 1, from 0 to 2, is not a move here"),
        ([[0, 1], [2, 3, 4]], "4 is visited, which is not a vertex"),
        ([[0, 1], [], [2, 3]], "a route of 0 vertices is not an open one"),
    ):
        with pytest.raises(TourFault, match=fault):
            verify_routes(problem, [np.array(route, dtype=np.int32) for route in routes])
    start_inside = Problem(problem.graph, False, start=1)
    with pytest.raises(TourFault, match="no route starts at 1"):
        verify_routes(start_inside, [np.array([0, 1, 2, 3])])
    verify_routes(start_inside, [np.array([0]), np.array([3, 2, 1])])


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("5x5 --maximize paths", "'paths' is not one of 'turns', 'crossings', 'length'"),
        ("4x4 --maximize length --minimize turns", "--minimize can't go with --maximize"),
        ("4x4 --minimize paths --maximize crossings", "--minimize can't go with --maximize"),
        ("4x4 --maximize length --minimize paths", "--minimize can't go with --maximize"),
        ("4x4 --minimize path", "'path' is not one of 'turns', 'crossings', 'paths'"),
        ("5x5 --minimize paths --optional a1", "paths visit every square"),
        ("5x5 --minimize turns --optional a1", "--optional is for --maximize length"),
        ("5x5 --minimize paths --symmetry rot180", "without a symmetry"),
        ("5x5 --maximize length --order a1,b3,c5", "best does not take --order: leave it out"),
        ("5x5 --minimize paths --start a1 --end a1", "can't both be a1"),
        ("6x6 --minimize paths --closed --start a1 --end b3", "have no end"),
        ("5x5 --minimize paths --backend edges", "there is no method 'edges' for this"),
        ("5x5 --minimize paths --backend frontier", "frontier does not take several paths: choose cpsat:lazy"),
        ("5x5 --minimize paths --hint x.json", "--hint is for turns and crossings"),
        ("5x5 --minimize paths -o x.gif", "give it one of the suffixes"),
        ("5x5+0 --minimize paths", "universal vertices"),
        ("5x5+x --minimize paths", "after + comes a number of universal vertices, such as 5x5+2"),
    ],
)
def test_what_does_not_go_together_is_said(asked: str, sentence: str, command: Command) -> None:
    assert sentence in command(f"best {asked}", 2).err


def test_routes_are_written_and_shown(tmp_path: Path, command: Command) -> None:
    found = command(f"best 4x6 --closed --minimize paths -o {tmp_path}/two.json")
    assert found.out.startswith("2 closed tours, the fewest (")
    told = json.loads((tmp_path / "two.json").read_text())
    assert [len(route) for route in told["routes"]] == [12, 12]
    none = command("best 5x5 --closed --minimize paths", 20)
    assert none.out.startswith("There is no set of closed tours that visits each square once (")
    with pytest.raises(BadInput, match="is sought without"):
        fewest_paths("5x5", givens={"a1": 3})
