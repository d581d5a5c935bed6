"""Symmetric tours: what brute force leaves of all tours, for every backend; published counts; sums over symmetry
classes; sizes; sentences."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from brute_force import Vertices, brute_force

from cpsat_tour.backends.api import count as count_of
from cpsat_tour.backends.api import exact_count
from cpsat_tour.backends.listing import Listing
from cpsat_tour.backends.protocols import Backend
from cpsat_tour.backends.registry import BACKENDS, load, only_for
from cpsat_tour.backends.runner import run, solve
from cpsat_tour.cli.main import status
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.conditions import decide_degenerate, violated_condition
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.orbits import Symmetry, Turning
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.tour import verify
from cpsat_tour.core.tour_rows import TourRows
from cpsat_tour.counting.count import count
from cpsat_tour.counting.frontier import count_by_frontier
from cpsat_tour.counting.quotient import refusal
from cpsat_tour.formats.spaces import graph_of, problem_of, symmetry_of
from cpsat_tour.native.edge_kernel import FOLLOWED, TRAIL, search
from cpsat_tour.native.edge_state import fault, new_state
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.check.rows import TrueRows
from cpsat_tour.proofs.check.text import Budget
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.counting import prove_count
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.box import Box
from cpsat_tour.spaces.problem_data import ASKED, problem_data, read_asked
from cpsat_tour.spaces.symmetry import TourClasses, plain, symmetry_groups
from cpsat_tour.spaces.theorems import symmetric
from cpsat_tour.spaces.turns import kind_of, symmetry_named

ABLE = [name for name in BACKENDS if "symmetry" in load(name).takes and only_for(name) is None]

PUBLISHED = [
    ("6x6", "rot90", 10),
    ("6x6", "rot180", 78),
    ("6x7", "rot180-eulerian", 526),
    ("6x7", "rot180-bergholtian", 38),
    ("6x7", "axial", 530),
    ("6x8", "rot180", 5634),
    ("7x8", "rot180-bergholtian", 21968),
    ("3x10", "rot180-bergholtian", 4),
    ("3x10", "axial", 4),
    ("3x14", "rot180-eulerian", 16),
    ("3x14", "rot180-bergholtian", 8),
    ("3x14", "axial", 24),
    ("3x18", "rot180-eulerian", 124),
    ("3x18", "rot180-bergholtian", 152),
    ("3x18", "axial", 276),
    ("5x6", "axial", 4),
    ("7x8", "rot180-eulerian", 0),
]
"""Numbers of symmetric closed tours."""


Known = list[tuple[Problem, set[Vertices]]]


def asked(board: str, name: str, *, closed: bool = True) -> Problem:
    graph = graph_of(board)
    return Problem(graph, closed, symmetry=symmetry_named(graph, name))


def listed(problem: Problem, backend: str) -> Ints:
    return np.concatenate(
        [
            np.zeros((0, problem.graph.order), dtype=np.int32),
            *(batch.tours for batch in Listing(problem, load(backend))),
        ]
    )


def number_of(problem: Problem, backend: str) -> int:
    return sum(len(batch.tours) for batch in Listing(problem, load(backend)))


def image(problem: Problem, tour: Vertices) -> frozenset[frozenset[int]]:
    assert problem.symmetry is not None
    images = problem.symmetry.images.tolist()
    return moves(problem, tuple(images[vertex] for vertex in tour))


def moves(problem: Problem, tour: Vertices) -> frozenset[frozenset[int]]:
    return frozenset(map(frozenset, zip(tour, tour[1:] + tour[: problem.closed], strict=False)))


def symmetric_graph(rng: random.Random) -> tuple[Graph, Symmetry]:
    """A graph on at most 9 vertices that a random permutation keeps, dense enough to have tours."""
    order = rng.randint(3, 8)
    images = list(range(order))
    for _ in range(rng.randint(1, 3)):
        cycle = rng.sample(range(order), rng.randint(2, min(4, order)))
        if all(images[vertex] == vertex for vertex in cycle):
            for vertex, following in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                images[vertex] = following
    edges: set[tuple[int, int]] = set()
    for _ in range(rng.randint(order, 3 * order)):
        one, other = rng.sample(range(order), 2)
        while (one, other) not in edges:
            edges |= {(one, other)}
            one, other = images[one], images[other]
    return Graph.from_edges(order, sorted(edges)), Symmetry("the permutation", np.array(images, dtype=np.int32))


def problems() -> Iterator[tuple[Problem, set[Vertices]]]:
    """Boards and random graphs with their symmetries, ends and moves, and the tours that brute force leaves."""
    rng = random.Random(14)
    boards = (
        ("3x4", "rot180"),
        ("3x4", "axial-rows"),
        ("4x4", "diagonal"),
        ("4x5", "rot180"),
        ("torus:2x4", "rot180"),
        ("mobius:3x3", "axial-cols"),
    )
    asks = [asked(board, name, closed=closed) for board, name in boards for closed in (True, False)]
    boxed = Box(2, 3, 3, holes=["b2.2", "b1.2"]).graph
    for graph in (boxed, graph_of("klein:2x4"), graph_of("cylinder:2x5"), graph_of("torus:3x3")):
        turns = graph.space.symmetries()[1:]
        asks += [
            Problem(graph, closed, symmetry=Symmetry("the permutation", rng.choice(turns))) for closed in (True, False)
        ]
    asks += [asked("5x6", "axial"), asked("cylinder:3x4", "rot180-eulerian"), asked("mobius:2x5", "rot180-bergholtian")]
    for _ in range(60):
        graph, symmetry = symmetric_graph(rng)
        edges = list(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
        closed = rng.random() < 0.5
        start = rng.choice([None, None, None, rng.randrange(graph.order)])
        end = rng.choice([None, rng.randrange(graph.order)]) if start is not None else None
        require, forbid = (tuple(rng.sample(edges, min(len(edges), rng.choice((0, 0, 0, 1))))) for _ in range(2))
        asks.append(Problem(graph, closed, start, end, require, forbid, symmetry))
    for problem in asks:
        assert problem.symmetry is not None
        tours = {tour for tour in brute_force(problem) if image(problem, tour) == moves(problem, tour)}
        if problem.symmetry.turning != "either":
            word = {"along": "Eulerian", "over": "Bergholtian"}[problem.symmetry.turning]
            tours = {tour for tour in tours if kind_of(problem.symmetry, np.array(tour), closed=True) == word}
        yield problem, tours


@pytest.fixture(scope="module", name="known")
def known_problems() -> Known:
    known = list(problems())
    with_tours = sum(bool(tours) for _, tours in known)
    assert 12 < with_tours < len(known) - 12
    return known


@pytest.mark.parametrize("name", ABLE)
def test_every_backend_against_brute_force(name: str, known: Known) -> None:
    backend: Backend = load(name)
    for problem, tours in known:
        answer = run(problem, backend)
        assert answer.status == ("tour" if tours else "none"), problem_data(problem)
        if "every" in backend.takes:
            listed = [tuple(tour) for batch in Listing(problem, backend) for tour in batch.tours.tolist()]
            assert len(set(listed)) == len(listed)
            assert set(listed) == tours, problem_data(problem)


@pytest.mark.parametrize(
    "text", ["3x4", "torus:2x4", "torus:3x3", "cylinder:3x3", "mobius:3x3", "mobius:2x5", "klein:2x4"]
)
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_every_symmetry_of_a_small_space_against_brute_force(text: str, closed: bool) -> None:
    graph = graph_of(text)
    every = np.array(sorted(brute_force(Problem(graph, closed))), dtype=np.int32).reshape(-1, graph.order)
    for turn in graph.space.symmetries()[1:]:
        problem = Problem(graph, closed, symmetry=Symmetry("the permutation", turn))
        kept = (plain(turn[every], closed=closed, directed=False) == plain(every, closed=closed, directed=False)).all(
            axis=1
        )
        assert {tuple(tour) for tour in listed(problem, "edges").tolist()} == {
            tuple(tour) for tour in every[kept].tolist()
        }
        assert run(problem, load("sat:lazy")).status == ("tour" if kept.any() else "none")


def test_conditions_speak_only_where_there_is_none(known: Known) -> None:
    for problem, tours in known:
        assert not (tours and violated_condition(problem))
    for board, name in (("8x8", "rot90"), ("7x8", "rot180-eulerian"), ("6x6", "axial-rows"), ("8x8", "diagonal")):
        assert violated_condition(asked(board, name)) is not None
    reason = violated_condition(asked("8x8", "rot90"))
    assert reason is not None
    assert reason.reason == (
        "rot90 exchanges the two colours of the squares, and moves a closed tour along itself by an odd "
        "multiple of 16 moves, an even number"
    )
    assert violated_condition(asked("10x10", "rot90")) is None


def test_the_theorem_on_symmetric_boards_says_what_the_condition_says() -> None:
    for rows, cols in product(range(3, 13), range(3, 13)):
        graph = Board(rows, cols).graph
        for name in (*graph.space.turns(), "rot180-eulerian"):
            said = symmetric(graph.space, name, closed=True)
            violated = violated_condition(Problem(graph, True, symmetry=symmetry_named(graph, name)))
            assert (violated is not None) or not said, (rows, cols, name)
            if "diagonal" not in name and rows * cols % 2 == 0:
                assert (violated is not None) == bool(said), (rows, cols, name)


def test_certificates_agree_with_brute_force(known: Known, tmp_path: Path) -> None:
    """Of none where there is none, and of how many; the checker accepts them, and rebuilds no row that a symmetric tour
    breaks."""
    for problem, tours in known:
        if problem.graph.order < 2:
            continue
        proved = prove(problem)
        assert isinstance(proved, Answer) == bool(tours), problem_data(problem)
        if isinstance(proved, Certificate):
            proved.write(tmp_path / "none", version="3.0", force=True)
            verdict = check(tmp_path / "none", expected=proved.problem)
            assert verdict.valid, verdict.fault
        else:
            counted = prove_count(problem)
            assert isinstance(counted, Certificate)
            assert (counted.tours or 0) == len(tours), problem_data(problem)
            assert counted.check().valid
        cycle = TrueRows(problem, Budget())
        edges = {frozenset(cycle.ends(variable)): variable for variable in range(1, cycle.variables + 1)}
        for tour in tours:
            used = {edges[frozenset(move)] for move in moves(problem, tour)}
            if not problem.closed:
                used |= {edges[frozenset((end, problem.graph.order))] for end in (tour[0], tour[-1])}
            for row in (*cycle.required_rows(), *cycle.forbidden_rows(), *cycle.symmetry_rows()):
                assert len(used.intersection(row.variables.tolist())) - (row.less in used) == row.bound, row.meaning


@pytest.mark.parametrize(
    ("board", "name", "why"),
    [
        ("8x8", "rot90", "rot90 exchanges the two colours of the squares"),
        ("12x12", "rot90", "by an odd multiple of 36 moves, an even number"),
        ("7x8", "rot180-eulerian", "moves a closed tour along itself by 28 moves, an even number"),
        ("6x6", "diagonal", "keeps 6 of the squares and 0 of the moves in place"),
        (
            "8x8",
            "rot180-bergholtian",
            "keeps 0 of the squares and 0 of the moves in place, and a closed tour that it turns over has two",
        ),
        ("3x10", "rot180-eulerian", "a clausal proof"),
        ("4x6", "rot180", "touch only the 6 dark squares of the inner rows"),
    ],
)
def test_refuted_symmetries_have_certificates(board: str, name: str, why: str, tmp_path: Path) -> None:
    certificate = prove(asked(board, name))
    assert isinstance(certificate, Certificate)
    assert why in certificate.refutation.reason
    certificate.write(tmp_path / "proof")
    assert check(tmp_path / "proof", expected=asked(board, name)).valid
    other = check(tmp_path / "proof", expected=Problem(graph_of(board), True))
    assert other.fault is not None
    assert "this is about" in other.fault.reason


@pytest.mark.parametrize(
    ("board", "name", "why"),
    [
        (
            "5x7",
            "rot180-eulerian",
            (
                "keeps 1 of the vertices and 0 of the moves in place, and a closed tour that it moves along "
                "itself has no such"
            ),
        ),
        (
            "8x8",
            "rot180-bergholtian",
            "keeps 0 of the vertices and 0 of the moves in place, and a closed tour that it turns over has two such",
        ),
    ],
)
def test_the_reduction_says_what_is_against_a_kind_of_symmetry(board: str, name: str, why: str) -> None:
    assert why in (to_cycle(asked(board, name)).contradiction or "")


def test_published_counts_have_certificates() -> None:
    for board, name, number in (("6x6", "rot90", 10), ("3x14", "axial", 24), ("6x7", "rot180-bergholtian", 38)):
        certificate = prove_count(asked(board, name))
        assert isinstance(certificate, Certificate)
        assert certificate.tours == number
        assert certificate.check().valid


def test_any_is_the_largest_symmetry_that_a_tour_can_have() -> None:
    for board, closed, name in (
        ("6x6", True, "rot90"),
        ("8x8", True, "rot180"),
        ("6x7", True, "axial-rows"),
        ("5x5", False, "rot180"),
        ("klein:4x4", True, "axial-rows"),
    ):
        assert symmetry_of(graph_of(board), "any", closed=closed).name == name, board
    for board, closed, called in (
        ("8x8", False, "an open tour"),
        ("5x5", True, "a closed tour"),
        ("GP(5,2)", True, "a closed tour"),
    ):
        with pytest.raises(BadInput, match=f"can take {called} to itself"):
            symmetry_of(graph_of(board), "any", closed=closed)


def test_a_tour_of_a_board_with_a_hole_may_have_symmetries_that_are_not_the_powers_of_one() -> None:
    answer = solve(Board(3, holes=["b2"]), closed=True, symmetry="any")
    assert answer.tour is not None
    (group,) = symmetry_groups(Board(3, holes=["b2"]).graph, answer.tour.vertices[None, :], closed=True)
    assert set(group) == set(Board(3).turns())


@pytest.mark.parametrize(
    ("board", "start", "end", "givens"),
    [("torus:1x5", "b1", "a1", {}), ("6x6", "a1", "b3", {}), ("torus:1x5", None, None, {"b1": 1, "a1": 5, "c1": 3})],
)
def test_ends_that_are_a_move_apart_are_taken_to_each_other(
    board: str, start: str | None, end: str | None, givens: dict[str, int]
) -> None:
    """The move between them is not made, though the symmetry takes it to another move of the graph."""
    answer = solve(board, symmetry="rot180", start=start, end=end, givens=givens)
    assert answer.refutation is not None
    assert answer.refutation.kind == "condition"
    contradiction = to_cycle(problem_of(board, symmetry="rot180", start=start, end=end, givens=givens)).contradiction
    assert contradiction == "rot180 does not take the two ends to each other or to themselves"
    assert count_of(board, symmetry="rot180", start=start, end=end, givens=givens) == 0


def test_the_identity_turns_no_tour_over() -> None:
    graph = Graph.from_edges(5, [(tail, head) for tail in range(5) for head in range(tail)])
    numbers: dict[Turning, int] = {"either": 12, "along": 12, "over": 0}
    for turning, number in numbers.items():
        problem = Problem(graph, True, symmetry=Symmetry("nothing", np.arange(5, dtype=np.int32), turning))
        assert count_of(problem) == count_of(problem, backend="edges") == number
        assert solve(problem).status == ("tour" if number else "none")


def test_the_verifier_names_the_move_that_is_not_mapped() -> None:
    problem = asked("6x6", "rot180")
    answer = solve("6x6", closed=True)
    assert answer.tour is not None
    with pytest.raises(TourFault, match=r"rot180 takes the move .* which the tour does not make"):
        verify(problem, answer.tour.vertices)
    with pytest.raises(TourFault, match="which the tour does not make"):
        TourRows(problem).verify(answer.tour.vertices[None, :])
    eulerian = solve("6x7", closed=True, symmetry="rot180-eulerian").tour
    assert eulerian is not None
    for verified in (verify, lambda problem, tour: TourRows(problem).verify(tour[None, :])):
        with pytest.raises(TourFault, match="is to turn the tour over, and turns it along"):
            verified(asked("6x7", "rot180-bergholtian"), eulerian.vertices)


@pytest.mark.parametrize(("board", "name", "number"), PUBLISHED)
def test_published_counts_by_listing(board: str, name: str, number: int) -> None:
    assert number_of(asked(board, name), "edges") == number


@pytest.mark.parametrize(
    ("board", "name", "number"), [*PUBLISHED, ("8x8", "rot180", 2432932), ("10x10", "rot90", 831804)]
)
def test_published_counts_in_the_quotient(board: str, name: str, number: int) -> None:
    assert count_by_frontier(asked(board, name)) == number


def test_counts_in_the_quotient_against_brute_force(known: Known) -> None:
    counted = 0
    for problem, tours in known:
        if decide_degenerate(problem) is None and violated_condition(problem) is None and refusal(problem) is None:
            assert count_by_frontier(problem) == len(tours), problem_data(problem)
            counted += 1
    assert counted > 15
    rng = random.Random(5)
    asks = [
        Problem(graph, closed, symmetry=turn)
        for graph, turn in (symmetric_graph(rng) for _ in range(150))
        for closed in (True, False)
    ]
    asks = [
        ask
        for ask in asks
        if decide_degenerate(ask) is None and violated_condition(ask) is None and refusal(ask) is None
    ]
    numbers = [count_by_frontier(ask) for ask in asks]
    assert sum(map(bool, numbers)) > 20
    assert numbers == [number_of(ask, "edges") for ask in asks]
    with pytest.raises(BadInput, match="without ends, required and forbidden moves: count these by listing"):
        count_by_frontier(
            Problem(graph_of("6x6"), True, require=((0, 8),), symmetry=symmetry_named(graph_of("6x6"), "rot180"))
        )


@pytest.mark.parametrize(("order", "times"), [(9, 3), (18, 6), (15, 5), (24, 4), (24, 8)])
def test_voltages_are_read_by_their_parity_only_where_orbits_have_a_power_of_two(order: int, times: int) -> None:
    """A generator of the turns is an odd number where orbits have 2, 4, 8 … vertices; of 6 vertices 3 is odd too, and
    generates nothing."""
    step = order // times
    edges = {(vertex, (vertex + jump) % order) for vertex in range(order) for jump in (1, step - 1 or 2)}
    graph = Graph.from_edges(order, sorted(edges))
    turn = Symmetry("the turn", ((np.arange(order) + step) % order).astype(np.int32))
    problem = Problem(graph, True, symmetry=turn)
    every = map(tuple, listed(Problem(graph, True), "edges").tolist())
    tours = sum(moves(problem, tour) == image(problem, tour) for tour in every)
    assert tours
    assert exact_count(problem, None, Limits()).number == tours == number_of(problem, "edges")
    assert (refusal(problem) is None) == (times & (times - 1) == 0)


@pytest.mark.parametrize(("board", "name", "number"), [row for row in PUBLISHED if 0 < row[2] <= 160])
def test_published_counts_by_a_solver(board: str, name: str, number: int) -> None:
    assert number_of(asked(board, name), "sat:lazy") == number


@pytest.mark.slow
@pytest.mark.parametrize(("board", "name", "number"), [("8x8", "rot180", 2432932), ("10x10", "rot90", 831804)])
def test_the_large_published_counts(board: str, name: str, number: int) -> None:
    assert number_of(asked(board, name), "edges") == number


@pytest.mark.parametrize(
    ("board", "closed", "tours"),
    [
        ("5x6", True, 8),
        ("6x6", True, 9862),
        ("3x10", True, 16),
        ("3x12", True, 176),
        ("3x14", True, 1536),
        ("6x7", True, 1067638),
        ("4x5", False, 82),
        ("5x5", False, 864),
    ],
)
def test_symmetric_and_other_classes_add_up(board: str, closed: bool, tours: int) -> None:
    """Burnside 1897: the classes of tours are as many as symmetries leave tours where they are, on average.

    All symmetries of a tour are the powers of one, and `any` asks for the largest group that there is.
    """
    graph = graph_of(board)
    every = Problem(graph, closed)
    names = graph.space.turns()
    tours_of = {name: listed(Problem(graph, closed, symmetry=Symmetry(name, names[name])), "edges") for name in names}
    groups = {group for some in tours_of.values() for group in symmetry_groups(graph, some, closed=closed)}
    powers = {name: {images.tobytes(), images[images].tobytes()} for name, images in names.items()}
    generated = {name: tuple(other for other in names if names[other].tobytes() in powers[name]) for name in names}
    assert groups <= set(generated.values())
    largest = generated[symmetry_of(graph, "any", closed=closed).name]
    assert not groups or (largest in groups and len(largest) == max(map(len, groups)))
    assert bool(groups) == (board != "3x12")
    left = {name: len(some) for name, some in tours_of.items()}
    if "rot90" in left:
        left["rot270"] = left["rot90"]
    assert count(every).number == tours
    classes, rest = divmod(tours + sum(left.values()), len(left) + 1)
    assert rest == 0
    assert classes == {"6x6": 1245}.get(board, classes)
    if tours < 10_000:
        seen = TourClasses(every)
        for batch in Listing(every, load("edges")):
            seen.new(batch.tours)
        assert len(seen) == classes


@pytest.mark.parametrize(
    ("board", "name", "kind"),
    [
        ("10x10", "rot90", None),
        ("50x50", "rot90", None),
        ("8x8", "rot180", "Eulerian"),
        ("6x7", "axial", "Sulian"),
        ("7x8", "rot180-bergholtian", "Bergholtian"),
        ("51x50", "rot180-bergholtian", "Bergholtian"),
        ("50x51", "axial", "Sulian"),
        ("102x102", "rot90", None),
        ("100x100", "rot180", "Eulerian"),
        pytest.param("502x502", "rot90", None, marks=pytest.mark.slow),
        pytest.param("500x500", "rot180", "Eulerian", marks=pytest.mark.slow),
    ],
)
def test_large_boards_have_symmetric_tours(board: str, name: str, kind: str | None) -> None:
    problem = asked(board, name)
    answer = run(problem, load("auto"))
    assert answer.tour is not None
    assert problem.symmetry is not None
    assert kind_of(problem.symmetry, answer.tour.vertices, closed=True) == kind


def test_the_invariant_of_the_edge_search_holds_with_orbits() -> None:
    for problem in (asked("6x6", "rot180"), asked("6x7", "axial"), asked("4x5", "rot180", closed=False)):
        state = new_state(to_cycle(problem))
        rows = np.empty((1, len(state.used)), dtype=np.uint32)
        for _ in range(50):
            search(*state, rows, 1)
            assert fault(state) is None
            assert state.counters[FOLLOWED] <= state.counters[TRAIL]


def test_problems_come_back_from_json(known: Known) -> None:
    for problem, _ in known:
        written = json.loads(json.dumps(problem_data(problem)))
        again = read_asked(problem.graph, {key: written[key] for key in (*ASKED, "symmetry")})
        assert problem_data(again) == problem_data(problem)
        assert again.symmetry is not None
        assert problem.symmetry is not None
        assert again.symmetry.images.tolist() == problem.symmetry.images.tolist()


@pytest.mark.parametrize(
    ("board", "name", "reason"),
    [
        ("6x7", "rot90", "'rot90' is not a symmetry of the 6x7 board, which has rot180, axial-rows, axial-cols"),
        ("8x8", "axial", "axial is not one mirror of the 8x8 board: choose one of axial-rows, axial-cols"),
        ("8x8", "turn", "'turn' is not a symmetry"),
        ("cylinder:4x4", "rot90", "rot90 is not a symmetry of the 4x4 cylinder: it takes the move"),
        ("GP(5,2)", "rot180", "none with a name: give a file"),
    ],
)
def test_symmetries_that_are_none(board: str, name: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["solve", board, "--closed", "--symmetry", name]) == 2
    told = capsys.readouterr().err
    assert reason in told
    assert told.count("\n") == 1


def test_what_else_is_refused() -> None:
    with pytest.raises(BadInput, match="kind of closed tour"):
        asked("6x7", "rot180-eulerian", closed=False)
    with pytest.raises(BadInput, match="not a permutation"):
        Problem(Board(3, 4).graph, True, symmetry=Symmetry("it", np.zeros(12, dtype=np.int32)))
    with pytest.raises(BadInput, match="does not take symmetric tours: choose one of auto"):
        run(asked("6x6", "rot180"), load("dfs"))
    with pytest.raises(BadInput, match="directed"):
        Problem(
            Graph.from_edges(2, [(0, 1), (1, 0)], directed=True),
            True,
            symmetry=Symmetry("it", np.array([1, 0], dtype=np.int32)),
        )


def test_commands_take_a_symmetry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turn = tmp_path / "turn.txt"
    turn.write_text(
        "".join(f"{vertex} {(vertex + 1) % 10 if vertex < 10 else 10 + (vertex - 9) % 10}\n" for vertex in range(20))
    )
    for call, expected in (
        ("count 6x7 --closed --symmetry axial", "530"),
        ("count 5x5 --symmetry rot180", None),
        ("tours 6x6 --closed --symmetry rot90 --all --distinct --json", None),
        (f"solve GP(10,3) --closed --symmetry {turn}", None),
        (f"export 6x6 --closed --symmetry rot180 --backend sat -o {tmp_path / 'f.opb'}", None),
    ):
        code = status(call.split())
        told = capsys.readouterr()
        assert code in ((0, 20) if "GP" in call else (0,)), (call, told)
        assert expected is None or told.out.strip() == expected
    assert status(["solve", "6x7", "--closed", "--symmetry", "rot180-eulerian"]) == 0
    assert "Eulerian closed tour of the 6x7 board with symmetry rot180-eulerian" in capsys.readouterr().err
    for call in (
        "count --estimate",
        "solve --backend dfs",
        "trace",
        "count --backend proof",
    ):
        command, *options = call.split()
        assert status([command, "10x10", "--closed", "--symmetry", "rot90", *options]) == 2, call
        assert capsys.readouterr().err.count("\n") == 1
