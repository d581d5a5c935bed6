"""Symmetries of spaces, classes of tours under them, and symmetric tours: against brute force, by sums over the
symmetries, and why there are none."""

from collections.abc import Callable
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from brute_force import Vertices, brute_force, is_symmetric
from certificate_judge import certified
from commands import Command, needed
from products import all_tours

from cpsat_tour import BadInput, Board, Graph, Limits, Problem, TourFault, graph_of, load, problem_of, solve, verify
from cpsat_tour.core.orbits import Symmetry, Turning, are_symmetric
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import TourRows
from cpsat_tour.engines.counts import exact_count
from cpsat_tour.formats.typed import symmetry_of
from cpsat_tour.native.edges import FOLLOWED, TRAIL, new_edge_search
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.symmetry import TourClasses, symmetry_groups, symmetry_named, tour_kind
from cpsat_tour.spaces.theorems import why_not_symmetric


def tours_of(problem: Problem) -> Ints:
    """All tours, by the edge search."""
    return np.array(list(all_tours(problem, load("edges"))), dtype=np.int32).reshape(-1, problem.graph.order)


def orbit(problem: Problem, tour: Vertices, symmetries: Ints) -> set[Vertices]:
    """The images of a tour, each begun at every vertex that it may begin at, both ways."""
    images = [tuple(symmetry[vertex] for vertex in tour) for symmetry in symmetries.tolist()]
    begun = [image[first:] + image[:first] for image in images for first in range(len(tour) if problem.closed else 1)]
    return {*begun, *(tour[::-1] for tour in begun)}


@pytest.mark.parametrize(
    ("board", "closed", "tours", "classes"),
    [
        (Board(3, 4), False, 8, 3),
        (Board(5), False, 864, 112),
        (Board(5, 6), True, 8, 3),
        (Board(3, 10), True, 16, 6),
        (Board(4, 5), False, 82, 22),
        (Board(4, leaper=(0, 1)), True, 6, 2),
        (Board(4, 5, leaper=(0, 1), holes=["a1", "e4"]), False, 127, 68),
        (Board(5, leaper=(0, 1), holes=["a1"]), True, 20, 10),
    ],
)
def test_classes_are_orbits(board: Board, closed: bool, tours: int, classes: int) -> None:
    problem = Problem(board.graph, closed)
    found = sorted(brute_force(problem))
    rows = np.array(found, dtype=np.int32)
    seen = TourClasses(problem)
    orbits = [orbit(problem, found[row], board.symmetries()) for row in np.flatnonzero(seen.are_new(rows))]
    assert set().union(*orbits) >= set(found)
    assert sum(map(len, orbits)) == len(set().union(*orbits))
    assert (len(found), len(orbits), len(seen)) == (tours, classes, classes)
    assert not seen.are_new(rows[:, ::-1]).any()
    assert not (closed and seen.are_new(np.roll(rows, 7, axis=1)).any())


def test_directed_tours_keep_their_direction() -> None:
    graph = Graph.from_edges(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)], directed=True)
    both = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0]], dtype=np.int32)
    assert TourClasses(Problem(graph, True)).are_new(both).tolist() == [True, True, False]
    assert TourClasses(Problem(graph, False)).are_new(both).tolist() == [True, True, True]


@pytest.mark.parametrize(
    "text", ["3x4", "torus:2x4", "torus:3x3", "cylinder:3x3", "mobius:3x3", "mobius:2x5", "klein:2x4"]
)
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_every_symmetry_of_a_small_space_against_brute_force(text: str, closed: bool) -> None:
    graph = graph_of(text)
    for turn in graph.space.symmetries()[1:]:
        problem = Problem(graph, closed, symmetry=Symmetry("the permutation", turn))
        known = brute_force(problem)
        assert {tuple(tour) for tour in tours_of(problem).tolist()} == known
        assert exact_count(problem, None, Limits()).number == len(known)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize("order", [4, 5])
def test_every_permutation_turns_each_tour_of_a_complete_graph_as_brute_force_sees(order: int, closed: bool) -> None:
    """Each symmetric tour has the fixed places that are known, and is a cycle of the reduced problem, which is refused
    only where a tour makes some of the moves that are turned round."""
    graph = Graph.from_edges(order, list(combinations(range(order), 2)))
    tours = np.array(sorted(brute_force(Problem(graph, closed))))
    kinds: list[Turning] = ["either", "along", "over"] if closed else ["either"]
    for images, turning in product([*permutations(range(order))][1:], kinds):
        symmetry = Symmetry("the permutation", np.array(images), turning)
        problem = Problem(graph, closed, symmetry=symmetry)
        symmetric = [is_symmetric(problem, tuple(tour)) for tour in tours.tolist()]
        assert are_symmetric(symmetry, tours, closed=closed).tolist() == symmetric
        fixed = sum(image == vertex for vertex, image in enumerate(images))
        turned = {(v, u) for v, u in enumerate(images) if images[u] == v != u}
        asked = symmetry.fixed_places(closed=closed)
        for tour in tours[symmetric].tolist():
            made = turned.intersection(zip(tour, tour[1:] + tour[: int(closed)], strict=False))
            assert asked in (None, fixed + len(made))
        if not any(symmetric):
            continue
        assert symmetry.why_wrong_fixed_places(fixed, len(turned) // 2, closed=closed) is None
        try:
            cycle = to_cycle(problem)
        except BadInput:
            assert 0 < 2 - fixed < len(turned) // 2
            continue
        required = set(np.flatnonzero(cycle.required).tolist())
        for tour in tours[symmetric]:
            chosen = cycle.edges_of(tour).tolist()
            assert len(chosen) == cycle.order
            assert required <= {*chosen}


@pytest.mark.parametrize(
    ("board", "closed", "tours", "classes"),
    [
        ("5x6", True, 8, 3),
        ("6x6", True, 9862, 1245),
        ("3x10", True, 16, 6),
        ("3x12", True, 176, 44),
        ("3x14", True, 1536, 396),
        ("6x7", True, 1067638, 267183),
        ("4x5", False, 82, 22),
        ("5x5", False, 864, 112),
    ],
)
def test_the_number_of_classes_is_that_of_burnside(board: str, closed: bool, tours: int, classes: int) -> None:
    """Burnside 1897: the classes of tours are as many as symmetries leave tours where they are, on average. All
    symmetries of a tour are the powers of one, and `any` asks for the largest group that there is."""
    graph = graph_of(board)
    turns = graph.space.named_symmetries()
    kept = {name: tours_of(Problem(graph, closed, symmetry=Symmetry(name, turns[name]))) for name in turns}
    groups = {group for found in kept.values() for group in symmetry_groups(graph, found, closed=closed)}
    largest = max((len(group) for group in groups), default=0)
    assert not groups or symmetry_of(graph, "any", closed=closed).name in {
        name for group in groups if len(group) == largest for name in group
    }
    # A quarter turn and its inverse keep the same tours, and one of the two has a name.
    fixed = tours + sum(len(found) * (2 if name == "rot90" else 1) for name, found in kept.items())
    assert fixed == classes * len(graph.space.symmetries())


def test_the_theorem_on_symmetric_boards_says_what_the_condition_says() -> None:
    for rows, cols in product(range(3, 13), range(3, 13)):
        graph = Board(rows, cols).graph
        for name in (*graph.space.named_symmetries(), "rot180-eulerian"):
            said = why_not_symmetric(graph.space, name, closed=True)
            violated = violated_condition(Problem(graph, True, symmetry=symmetry_named(graph, name)))
            assert (violated is not None) or not said, (rows, cols, name)
            if "diagonal" not in name and rows * cols % 2 == 0:
                assert (violated is not None) == bool(said), (rows, cols, name)


@pytest.mark.parametrize(
    ("board", "name", "why"),
    [
        (
            "8x8",
            "rot90",
            "rot90 exchanges the two colours of the squares, and moves a closed tour along itself by an odd multiple "
            "of 16 moves, an even number",
        ),
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
    problem = problem_of(board, closed=True, symmetry=name)
    assert why in certified(prove(problem), tmp_path / "proof").refutation.reason
    another = check(tmp_path / "proof", expected=Problem(problem.graph, True))
    assert another.fault is not None
    assert "this is about" in another.fault.reason


@pytest.mark.parametrize(
    ("board", "closed", "name"),
    [
        ("6x6", True, "rot90"),
        ("8x8", True, "rot180"),
        ("6x7", True, "axial-rows"),
        ("5x5", False, "rot180"),
        ("klein:4x4", True, "axial-rows"),
    ],
)
def test_any_is_the_largest_symmetry_that_a_tour_can_have(board: str, closed: bool, name: str) -> None:
    assert symmetry_of(graph_of(board), "any", closed=closed).name == name


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
        pytest.param("102x102", "rot90", None, marks=pytest.mark.slow),
        pytest.param("100x100", "rot180", "Eulerian", marks=pytest.mark.slow),
        pytest.param("502x502", "rot90", None, marks=pytest.mark.slow),
        pytest.param("500x500", "rot180", "Eulerian", marks=pytest.mark.slow),
    ],
)
def test_large_boards_have_symmetric_tours(board: str, name: str, kind: str | None) -> None:
    tour = needed(solve(board, closed=True, symmetry=name).tour)
    assert tour_kind(symmetry_named(tour.graph, name), tour.vertices, closed=True) == kind


def test_the_edge_search_follows_no_orbit_ahead_of_its_trail() -> None:
    for board, name, closed in (("6x6", "rot180", True), ("6x7", "axial", True), ("4x5", "rot180", False)):
        state = new_edge_search(to_cycle(problem_of(board, closed=closed, symmetry=name)))
        rows = np.empty((1, state.order), dtype=np.uint32)
        for _ in range(50):
            state.search(rows, 1)
            assert state.counters[FOLLOWED] <= state.counters[TRAIL]


def test_a_permutation_of_a_file_is_a_symmetry(tmp_path: Path, command: Command) -> None:
    turn = tmp_path / "turn.txt"
    turn.write_text("".join(f"{v} {(v + 1) % 10}\n{v + 10} {(v + 1) % 10 + 10}\n" for v in range(10)))
    command(f"solve GP(10,3) --closed --symmetry {turn}", 20)


@pytest.mark.parametrize("verify_tour", [verify, lambda problem, tour: TourRows(problem).verify(tour[None, :])])
@pytest.mark.parametrize(
    ("board", "found", "wanted", "fault"),
    [
        ("6x6", None, "rot180", r"rot180 takes the move .* which the tour does not make"),
        ("6x7", "rot180-eulerian", "rot180-bergholtian", "is to turn the tour over, and turns it along"),
    ],
)
def test_a_tour_without_the_symmetry_is_a_fault(
    board: str, found: str | None, wanted: str, fault: str, verify_tour: Callable[[Problem, Ints], None]
) -> None:
    tour = needed(solve(board, closed=True, symmetry=found).tour)
    with pytest.raises(TourFault, match=fault):
        verify_tour(problem_of(board, closed=True, symmetry=wanted), tour.vertices)
