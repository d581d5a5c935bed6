"""The contract that every backend of the registry meets, unmodified: true answers, whole sets of tours, limits, seeds.

A new formulation is picked up by itself, here and in the product test (test_products.py), which asks what can be asked
at once of tiny spaces. The oracles are brute force, the theorems on rectangles, and the runner, which verifies each
tour. A backend may leave a problem unknown within its limit; it may never be wrong.
"""

from collections import deque
from collections.abc import Iterable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from brute_force import brute_force, small_graphs
from products import all_tours, sorted_tours

from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import MAX_SECONDS, MAX_SEED, NO_LIMIT, Limits
from cpsat_tour.engines.registry import (
    Backend,
    Formulation,
    load,
    missing_modules,
    names,
    restriction_of,
    unsupported_features,
)
from cpsat_tour.engines.runner import FormulationTours, run
from cpsat_tour.formats.describe import a_tour_sought
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.families import Member
from cpsat_tour.spaces.theorems import has_tour
from cpsat_tour.tour import Answer

ANSWERS_ALL = {"auto", "cpsat"}
"""The backends that answer every board up to 8x8; the others may leave some without a tour unknown."""

WORK = Limits(work=2000)
"""For a backend that never refutes: enough to find a tour of any problem here."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Ask each backend of the registry, or the one of ``--backend``; one for some problems alone has tests of its
    own."""
    if "name" in metafunc.fixturenames:
        own = metafunc.config.getoption("backend")
        asked = [own] if own else [name for name in names() if missing_modules(name) or restriction_of(name) is None]
        metafunc.parametrize("name", asked, scope="module", indirect=True)


@pytest.fixture(scope="module")
def name(request: pytest.FixtureRequest) -> str:
    """Each name in turn."""
    if absent := missing_modules(request.param):
        pytest.skip(f"backend {request.param} needs {', '.join(absent)}")
    return str(request.param)


@pytest.fixture(scope="module")
def backend(name: str) -> Backend:
    """The backend of each name."""
    return load(name)


def refutes(backend: Backend) -> bool:
    """Whether the backend says that there is no tour where there is none."""
    return getattr(backend, "refutes", True)


def unlike(problem: Problem, answer: Answer, expected: set[str]) -> str:
    """What is wrong with an answer, in words, with the moves of a small graph."""
    name, ends = problem.graph.name, zip(*problem.graph.edges(), strict=True)
    moves = " with the moves " + " ".join(f"{name(u)}-{name(v)}" for u, v in ends) if problem.graph.order < 5 else ""
    what = f"{a_tour_sought(problem)}{moves}"
    return f"asked for {what}, {answer.backend} says {answer.status}, not {' or '.join(sorted(expected))}"


def rooted(graphs: Iterable[Graph]) -> list[Graph]:
    """The graphs, one of those that differ by the names of the vertices but 0, where a cycle begins."""
    ones: dict[tuple[int, frozenset[frozenset[tuple[int, int]]]], Graph] = {}
    for graph in graphs:
        arcs = list(zip(graph.tails.tolist(), graph.indices.tolist(), strict=True))
        names = [[0, *others] for others in permutations(range(1, graph.order))]
        alike = frozenset(frozenset((name[tail], name[head]) for tail, head in arcs) for name in names)
        ones.setdefault((graph.order, alike), graph)
    return [*ones.values()]


@pytest.mark.parametrize(("rows", "cols", "closed"), [(3, 4, False), (4, 5, False), (5, 6, True), (3, 10, True)])
def test_backends_list_all_tours_of_a_board(name: str, backend: Backend, rows: int, cols: int, closed: bool) -> None:
    if "every" not in backend.takes:
        pytest.skip("this backend does not list tours")
    problem = Problem(Board(rows, cols).graph, closed)
    listed, tours = sorted_tours(problem, backend), sorted(brute_force(problem))
    missed = "-".join(map(problem.graph.name, next((tour for tour in tours if tour not in listed), ())))
    first = f", the first that it misses is {missed}" * bool(missed)
    kind, found = "closed" if closed else "open", len(listed)
    assert listed == tours, f"{name} lists {found} {kind} tours of {rows}x{cols}; brute force finds {len(tours)}{first}"


def test_a_formulation_is_called_as_the_registry_calls_it(name: str, backend: Backend) -> None:
    assert name.startswith("py:") or getattr(backend, "name", name) == name


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_answers_on_all_graphs_of_a_few_vertices_are_right(backend: Backend, closed: bool) -> None:
    """On graphs this small the answer is never unknown, but for a backend that never refutes."""
    for graph in (*rooted(small_graphs(4)), *rooted(small_graphs(3, directed=True))):
        problem = Problem(graph, closed)
        if graph.directed and unsupported_features(backend, frozenset({"directed"})):
            with pytest.raises(BadInput, match=r"does not take directed graphs: choose one of auto, dfs, "):
                run(problem, backend)
            continue
        tours = brute_force(problem)
        answer = run(problem, backend, Limits() if refutes(backend) else WORK)
        expected = {"tour"} if tours else {"none"} if refutes(backend) else {"none", "unknown"}
        assert answer.status in expected, unlike(problem, answer, expected)
        assert answer.tour is None or tuple(answer.tour.vertices.tolist()) in tours, problem
        assert answer.status != "none" or (answer.refutation is not None and answer.refutation.reason)


@pytest.mark.parametrize("most", [6, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize("leaper", [(1, 2), (0, 1)], ids=["knight", "grid"])
def test_answers_on_boards_agree_with_the_theorems(
    name: str, backend: Backend, leaper: tuple[int, int], closed: bool, most: int
) -> None:
    for rows in range(1, most + 1):
        for cols in range(1 if most == 8 else rows, most + 1):
            board = Board(rows, cols, leaper=leaper)
            exists = has_tour(board, closed=closed)
            answers = name in ANSWERS_ALL and leaper == (1, 2)
            problem, expected = Problem(board.graph, closed), {"tour"} if exists else {"none"}
            answer = run(problem, backend, Limits() if exists or answers else WORK)
            expected |= set() if exists or answers else {"unknown"}
            assert answer.status in expected, unlike(problem, answer, expected)


def test_the_petersen_graph_has_no_cycle_and_the_dodecahedron_has_thirty(backend: Backend) -> None:
    """The one has Hamiltonian paths, but no cycle; the other is GP(10,2), Hamilton's own puzzle of 1857."""
    petersen, dodecahedron = Member.parse("GP(5,2)").graph, Member.parse("GP(10,2)").graph
    answer = run(Problem(petersen, True), backend, Limits() if refutes(backend) else WORK)
    assert answer.status == ("none" if refutes(backend) else "unknown")
    assert run(Problem(petersen, False), backend).status == "tour"
    assert run(Problem(dodecahedron, True), backend).status == "tour"
    if "every" in backend.takes:
        assert len(list(all_tours(Problem(dodecahedron, True), backend))) == 30


def test_a_limit_gives_unknown_or_an_answer_and_no_error(backend: Backend) -> None:
    for limits in (Limits(seconds=1e-6), Limits(seconds=0.05), Limits(work=1)):
        answer = run(Problem(Board(8).graph, True), backend, limits)
        assert answer.status in ("tour", "unknown")
        assert (answer.stopped_by is not None) == (answer.status == "unknown")


OVER = 20
"""What a solver may do beyond a limit before it looks at it again: CaDiCaL has some conflicts between two decisions,
and CP-SAT comes to its next solution."""


def test_the_limit_on_work_holds_for_all_rounds_together(backend: Backend) -> None:
    """A Petersen graph without a cycle takes several times the limit. The limit holds on two threads as on one."""
    if not (unit := getattr(backend, "unit", "")):
        pytest.skip("each part of the portfolio has a unit of its own")
    most = 10 if unit == "nodes" else 50  # a node is a linear program, and takes as long as a thousand conflicts
    answer = run(Problem(Member.parse("GP(17,2)").graph, True), backend, Limits(work=most, threads=2))
    assert (answer.status, answer.stopped_by) == ("unknown", "work")
    assert answer.work[unit] <= most + OVER


def test_the_limit_on_work_holds_for_all_pieces_together(backend: Backend) -> None:
    """Six pieces alike: half the work that they take would do for three. One linear program settles a piece."""
    unit, ring = getattr(backend, "unit", ""), ring_of_pieces("GP(14,2)", 6)
    if (
        unit in ("", "nodes")
        or not isinstance(backend, Formulation)
        or (whole := run(ring, backend).work[unit]) <= 3 * OVER
    ):
        pytest.skip("this backend has no pieces or no unit of work, or a few units suffice for all")
    answer = run(ring, backend, Limits(work=whole // 2))
    assert (answer.status, answer.stopped_by) == ("unknown", "work")
    assert answer.work[unit] <= whole // 2 + OVER


def ring_of_pieces(member: str, copies: int) -> Problem:
    """Return copies of a graph less an edge each, joined to a ring by an edge from each to the next."""
    graph = Member.parse(member).graph
    (one, other), *edges = np.stack(graph.edges(), axis=1).tolist()
    pieces = [(graph.order * copy + a, graph.order * copy + b) for copy in range(copies) for a, b in edges]
    joints = [(graph.order * copy + one, graph.order * ((copy + 1) % copies) + other) for copy in range(copies)]
    return Problem(Graph.from_edges(graph.order * copies, [*pieces, *joints]), closed=True)


def test_the_limit_on_work_holds_for_a_whole_list(backend: Backend) -> None:
    """Each of 9,862 tours may need a search of its own."""
    if "every" not in backend.takes or not isinstance(backend, Formulation) or not hasattr(backend, "unit"):
        pytest.skip("this backend does not list tours, counts while it lists, or has no unit of work")
    limits = Limits(work=100)
    listing = FormulationTours(Problem(Board(6).graph, True), backend, limits, limits.clock(), every=True)
    with pytest.raises(StoppedEarly, match="work"):
        deque(listing.tours(), maxlen=0)
    assert listing.work[backend.unit] <= 100 + OVER


@pytest.mark.parametrize(
    "limits",
    [
        {"work": NO_LIMIT},
        {"work": np.int64(2**40)},
        {"seconds": MAX_SECONDS},
        {"seed": np.int64(MAX_SEED), "threads": 4},
    ],
    ids=" and ".join,
)
def test_the_largest_limits_are_taken(backend: Backend, limits: dict[str, Any]) -> None:
    assert run(Problem(Board(3, 4).graph, False), backend, Limits(**limits)).status == "tour"


def test_the_same_seed_gives_the_same_answer(backend: Backend) -> None:
    problem = Problem(Board(6).graph, True)
    for seed in (0, 1):
        first, second = (run(problem, backend, Limits(seed=seed)) for _ in range(2))
        assert first.tour is not None
        assert second.tour is not None
        assert first.tour.vertices.tolist() == second.tour.vertices.tolist()
        assert dict(first.work) == dict(second.work)
