"""The contract that every backend of the registry meets, unmodified: true answers, whole sets of tours, limits and
refusals.

A new formulation is picked up by itself. The oracles are brute force (sets of tours), the theorems on rectangles, and
the runner, which verifies each tour. A backend may leave a problem unknown within its limit; it may never be wrong.
"""

from __future__ import annotations

import pytest
from brute_force import brute_force, every_ending, small_graphs

from cpsat_tour.backends.listing import all_tours
from cpsat_tour.backends.protocols import Backend, beyond_it
from cpsat_tour.backends.registry import load, missing, names, only_for
from cpsat_tour.backends.runner import run, solve
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.formats.spaces import graph_of
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.box import Box
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.theorems import has_tour

SIDES = range(1, 9)

ANSWERS_ALL = {"auto", "cpsat"}
"""The backends that answer every board up to 8x8; the others may leave some without a tour unknown."""


@pytest.fixture(params=[name for name in names() if missing(name) or only_for(name) is None], scope="module")
def name(request: pytest.FixtureRequest) -> str:
    """Each name of the registry in turn; a backend for some problems alone has tests of its own."""
    if absent := missing(request.param):
        pytest.skip(f"backend {request.param} needs {', '.join(absent)}")
    return str(request.param)


@pytest.fixture(scope="module")
def backend(name: str) -> Backend:
    """The backend of each name."""
    return load(name)


WORK = Limits(work=2000)
"""For a backend that never refutes: enough to find a tour of any problem here."""


def refutes(backend: Backend) -> bool:
    """Whether the backend says that there is no tour where there is none."""
    return getattr(backend, "refutes", True)


def holds(problem: Problem, backend: Backend, tours: set[tuple[int, ...]]) -> None:
    """The answer is true where all tours are known; on graphs this small it is never unknown, but for a backend that
    never refutes."""
    answer = run(problem, backend, Limits() if refutes(backend) else WORK)
    asked = (problem.graph.indptr.tolist(), problem.graph.indices.tolist(), problem)
    if not (tours or refutes(backend)) and answer.status == "unknown":
        return
    assert answer.status == ("tour" if tours else "none"), asked
    if answer.tour is not None:
        assert tuple(answer.tour.vertices.tolist()) in tours, asked
    else:
        assert answer.refutation is not None
        assert answer.refutation.reason


def test_every_undirected_graph_of_at_most_four_vertices(backend: Backend) -> None:
    for graph in small_graphs(4):
        for closed in (False, True):
            problem = Problem(graph, closed)
            holds(problem, backend, brute_force(problem))


def test_every_directed_graph_of_at_most_three_vertices(backend: Backend) -> None:
    for graph in small_graphs(3, directed=True):
        for closed in (False, True):
            problem = Problem(graph, closed)
            if not beyond_it(backend, frozenset({"directed"})):
                holds(problem, backend, brute_force(problem))
            else:
                with pytest.raises(BadInput, match=r"does not take directed graphs: choose one of auto, dfs, "):
                    run(problem, backend)


def test_every_pair_of_ends_on_small_graphs(backend: Backend) -> None:
    for graph in small_graphs(3):
        for problem in every_ending(graph):
            holds(problem, backend, brute_force(problem))
    for problem in every_ending(Board(3, 4).graph):
        holds(problem, backend, brute_force(problem))


@pytest.mark.parametrize(("rows", "cols", "closed"), [(3, 4, False), (5, 5, False), (5, 6, True), (3, 10, True)])
def test_all_tours_of_a_board(backend: Backend, rows: int, cols: int, closed: bool) -> None:
    if "every" not in backend.takes:
        pytest.skip("this backend does not list tours")
    problem = Problem(Board(rows, cols).graph, closed)
    listed = [tuple(tour.tolist()) for tour in all_tours(problem, backend)]
    assert len(listed) == len(set(listed))
    assert set(listed) == brute_force(problem)


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_every_board_up_to_8x8_against_the_theorems(name: str, backend: Backend, closed: bool) -> None:
    unknown = []
    for rows in SIDES:
        for cols in SIDES:
            board = Board(rows, cols)
            exists = has_tour(board, closed=closed)
            limits = Limits() if exists or name in ANSWERS_ALL else Limits(seconds=1.0) if refutes(backend) else WORK
            answer = run(Problem(board.graph, closed), backend, limits)
            if answer.status == "unknown" and not exists:
                unknown.append(str(board))
            else:
                assert answer.status == ("tour" if exists else "none"), str(board)
    if name in ANSWERS_ALL:
        assert unknown == []


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_grid_graphs_up_to_8x8_against_their_theorem(backend: Backend, closed: bool) -> None:
    for rows in SIDES:
        for cols in range(rows, 9):
            board = Board(rows, cols, leaper=(0, 1))
            exists = has_tour(board, closed=closed)
            limits = Limits() if exists else Limits(seconds=1.0) if refutes(backend) else WORK
            answer = run(Problem(board.graph, closed), backend, limits)
            assert answer.status in (("tour",) if exists else ("none", "unknown")), str(board)


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_small_boxes(backend: Backend, closed: bool) -> None:
    """With holes and without, against brute force; on boxes with closed tours only, by the theorem, too."""
    for box in (Box(2, 2, 3), Box(1, 3, 4), Box(2, 3, 3), Box(2, 3, 3, holes=["b2.2", "b1.2"])):
        problem = Problem(box.graph, closed)
        holds(problem, backend, brute_force(problem))
    if closed:
        assert run(Problem(Box(2, 3, 4).graph, True), backend).status == "tour"


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_small_wrapped_boards(backend: Backend, closed: bool) -> None:
    for text in ("torus:1x3", "cylinder:2x4", "mobius:3x4", "mobius:2x5", "klein:2x4"):
        problem = Problem(graph_of(text, ["a1"] if text == "mobius:2x5" else ()), closed)
        holds(problem, backend, brute_force(problem))


def test_the_petersen_graph_and_the_dodecahedron(backend: Backend) -> None:
    """The one has Hamiltonian paths, but no cycle; the other is GP(10,2), Hamilton's own puzzle of 1857."""
    petersen, dodecahedron = Member.parse("GP(5,2)").graph, Member.parse("GP(10,2)").graph
    holds(Problem(petersen, True), backend, set())
    assert run(Problem(petersen, False), backend).status == "tour"
    assert run(Problem(dodecahedron, True), backend).status == "tour"
    if "every" in backend.takes:
        assert len(list(all_tours(Problem(dodecahedron, True), backend))) == 30


def test_required_and_forbidden_moves_on_5x5(backend: Backend) -> None:
    board = Board(5)
    moves = [("a1", "b3"), ("c3", "d5"), ("e5", "c4")]
    pairs = [(board.vertex(tail), board.vertex(head)) for tail, head in moves]
    for require, forbid in ((pairs[:1], pairs[1:]), (pairs, []), ([], pairs), (pairs[1:], pairs[:1])):
        problem = Problem(board.graph, False, require=tuple(require), forbid=tuple(forbid))
        holds(problem, backend, brute_force(problem))


def test_a_limit_gives_unknown_or_an_answer_but_no_error(backend: Backend) -> None:
    for limits in (Limits(seconds=1e-6), Limits(seconds=0.05), Limits(work=1)):
        answer = run(Problem(Board(20).graph, True), backend, limits)
        assert answer.status in ("tour", "unknown")
        assert (answer.stopped_by is not None) == (answer.status == "unknown")


def test_the_same_seed_gives_the_same_answer(backend: Backend) -> None:
    problem = Problem(Board(6).graph, True)
    for seed in (0, 1, 2):
        first, second = (run(problem, backend, Limits(seed=seed)) for _ in range(2))
        assert first.tour is not None
        assert second.tour is not None
        assert first.tour.vertices.tolist() == second.tour.vertices.tolist()
        assert dict(first.work) == dict(second.work)


def test_solve_takes_a_board_or_a_graph() -> None:
    assert solve("4x3", closed=False).tour is not None
    with pytest.raises(BadInput, match=r"can't solve 8: give a Board or a Graph, such as Board\(8, 8\)"):
        solve(8)  # type: ignore[arg-type]
