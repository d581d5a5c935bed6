"""Decompositions: as many disjoint closed tours as brute force finds, on tori, on Cayley digraphs, and at a limit."""

import random
from collections.abc import Sequence
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from brute_force import brute_force

from cpsat_tour import BackendFault, BadInput, Board, Limits, decompose, graph_of
from cpsat_tour.core.graph import Graph, edge_keys
from cpsat_tour.core.problem import Problem, Refutation
from cpsat_tour.core.runs import Event, Progress, Run
from cpsat_tour.core.verify import verify_disjoint
from cpsat_tour.engines.decompose import disjoint_tours
from cpsat_tour.models.disjoint import DisjointCycles
from cpsat_tour.tour import Interrupted

SEARCH = "cpsat_tour.models.disjoint.DisjointCycles.find"


def most_disjoint(graph: Graph) -> int:
    """The most disjoint closed tours, by trying all sets of them."""
    tours = [
        frozenset(edge_keys(graph.order, np.array(tour), np.roll(tour, -1), directed=graph.directed).tolist())
        for tour in brute_force(Problem(graph, closed=True))
    ]

    def most(tours: Sequence[frozenset[int]]) -> int:
        return max(
            (1 + most([tour for tour in tours[at:] if not tour & tours[at]]) for at in range(len(tours))), default=0
        )

    return most(tours)


def some_graphs() -> list[Graph]:
    """Random graphs of up to 7 vertices, directed ones of up to 5, and regular ones, which may have a decomposition."""
    rng, graphs = random.Random(1), [Graph.from_edges(order, []) for order in range(3)]
    for _ in range(60):
        order, directed = rng.randint(3, 7), rng.random() < 0.4
        order -= 2 * (directed and order > 5)
        pairs = [*(permutations if directed else combinations)(range(order), 2)]
        graphs.append(Graph.from_edges(order, rng.sample(pairs, rng.randint(order, len(pairs))), directed=directed))
    for seed in range(20):
        graphs.append(Graph.from_networkx(nx.random_regular_graph(4, 6 + seed % 3, seed=seed)))
        order, arcs = 6, set[tuple[int, int]]()
        while len(arcs) < 2 * order:
            turned = [rng.sample(range(order), order) for _ in range(2)]
            arcs = {(tail, turn[tail]) for turn in turned for tail in range(order) if turn[tail] != tail}
        graphs.append(Graph.from_edges(order, sorted(arcs), directed=True))
    return graphs


def test_brute_force_finds_no_more_and_no_fewer() -> None:
    whole, claimed = 0, 0
    for graph in some_graphs():
        wanted, found = most_disjoint(graph), decompose(graph, most=True)
        assert (found.bound, len(found.tours), found.stopped_by) == (wanted, wanted, None), graph.pairs()
        assert found.refutation is not None
        verify_disjoint(graph, found.tours.routes, whole=False)
        all_moves = decompose(graph)
        assert bool(all_moves) == (all_moves.refutation is None) == (0 < graph.size == wanted * graph.order)
        whole += bool(all_moves)
        claimed += all_moves.refutation is not None and all_moves.refutation.kind == "claimed"
    assert min(whole, claimed) > 10, (whole, claimed)


@pytest.mark.parametrize(
    ("space", "number"),
    [
        *((f"torus:{side}x{side}", 4) for side in (5, 6, 8)),
        *((f"Z({m},3)", 3) for m in (3, 4, 5, 6)),
        pytest.param("torus:12x12", 4, marks=pytest.mark.slow),
        *(pytest.param(f"Z({m},3)", 3, marks=pytest.mark.slow) for m in (7, 8, 9, 10)),
    ],
)
def test_all_moves_of_tori_and_of_the_cayley_digraphs_of_knuths_note_are_in_tours(space: str, number: int) -> None:
    found = decompose(space)
    assert (found.status, len(found.tours)) == ("tours", number)
    verify_disjoint(graph_of(space), found.tours.routes, whole=True)


def test_what_has_no_decomposition_has_a_reason() -> None:
    assert most_disjoint(graph_of("Z(2,3)")) == 2
    for space, most, bound in (("Z(2,3)", False, 2), ("Petersen", True, 0)):
        found = decompose(space, most=most)
        assert (found.status, found.bound) == ("none", bound)
        assert found.refutation is not None
        assert (found.refutation.kind == "claimed") == (space == "Z(2,3)")


@pytest.mark.parametrize(
    ("space", "reason"),
    [
        ("8x8", "a8 has 2 moves and c6 has 8 moves, and each closed tour makes two of either"),
        ("Petersen", "0 has 3 moves, and a closed tour needs two"),
        ("1x1", "a closed tour needs at least 3 squares, and there is 1"),
        ("torus:4x4", None),
    ],
)
def test_necessary_conditions_come_first(space: str, reason: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason is not None:
        monkeypatch.setattr(SEARCH, None)
    found = decompose(space)
    assert found.refutation == (reason and Refutation("condition", reason))


def test_the_degrees_of_a_directed_graph_are_told_in_words() -> None:
    found = decompose(Graph.from_edges(3, [(0, 1), (1, 2), (2, 0), (0, 2)], directed=True))
    reason = "1 has 1 move out of it and 0 has 2 moves out of it, and each closed tour makes one of either"
    assert str(found.refutation) == f"condition: {reason}"


def test_the_same_seed_gives_the_same_tours() -> None:
    one, again, other = (decompose("torus:5x5", seed=seed) for seed in (1, 1, 2))
    assert list(one.tours) == list(again.tours) != list(other.tours)


def test_a_limit_leaves_what_is_found() -> None:
    heard: list[Event] = []
    assert disjoint_tours(Problem(graph_of("torus:5x5"), closed=True), on_event=heard.append).work["rounds"] >= 1
    assert any(isinstance(event, Progress) and "rounds" in event.work for event in heard)
    found = disjoint_tours(Problem(graph_of("Z(3,3)"), closed=True), Limits(work=0))
    assert (found.status, len(found.tours), found.bound, found.stopped_by) == ("unknown", 0, 3, "work")
    assert repr(found) == "<Decomposition: none found of the directed graph Z(3,3), stopped by work>"


def test_ctrl_c_leaves_the_tours_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_and_no_more(sought: DisjointCycles, run: Run) -> object:
        if sought.number > 1:
            raise KeyboardInterrupt
        return find(sought, run)

    find = DisjointCycles.find
    monkeypatch.setattr(SEARCH, one_and_no_more)
    with pytest.raises(Interrupted) as interrupted:
        decompose("torus:5x5", most=True)
    found = interrupted.value.known
    assert (found.status, len(found.tours), found.bound, found.stopped_by) == ("unknown", 1, 4, "interrupt")
    assert found.words == "1 disjoint closed tour of at most 4 of the 5x5 torus"


def test_wrong_tours_are_a_fault_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = np.arange(5, dtype=np.int32)
    monkeypatch.setattr(SEARCH, lambda sought, _run: [ring] * sought.number)
    with pytest.raises(BackendFault, match="the move 0-1 is made by two tours"):
        decompose(nx.complete_graph(5))


def test_conditions_on_tours_and_too_many_moves_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="the 8x8 board is decomposed as it is: leave out starts"):
        decompose(Problem(Board(8, 8).graph, closed=True, start=3))
    monkeypatch.setattr("cpsat_tour.engines.decompose.MAX_COLOURED", 399)
    with pytest.raises(BadInput, match="too large: 100 moves in up to 4 tours"):
        decompose("torus:5x5")
