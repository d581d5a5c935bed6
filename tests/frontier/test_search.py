"""The frontier method as a search: graphs of any length, beams that leave states out and refute nothing, limits."""

import math
import random

import numpy as np
import pytest
from brute_force import brute_force, cycle_problems

from cpsat_tour import Graph, Limits, Problem, graph_of, load, run
from cpsat_tour.frontier import search as narrow_search, tree
from cpsat_tour.frontier.search import Parts, PartsJoin, Table, VertexStep, frontier_join
from cpsat_tour.frontier.states import CLOSED, MOST_PLACES, empty_table, frontier_fault, frontier_merge
from cpsat_tour.spaces.theorems import has_tour

FRONTIER = load("frontier")


def test_petersen_graphs_of_any_length_against_the_theorem() -> None:
    for n in (5, 6, 11, 12, 23, 60, 401, 600):
        problem = Problem(graph_of(f"GP({n},2)"), closed=True)
        answer = run(problem, FRONTIER)
        assert answer.status == ("tour" if has_tour(problem.graph.space, closed=True) else "none"), n
        if answer.refutation is not None:
            assert answer.refutation.kind == "exhausted"


@pytest.mark.parametrize(("beam", "sweeps"), [(1, True), (2, True), (1 << 12, True), (2, False), (1 << 12, False)])
def test_a_beam_says_none_only_where_there_is_none(beam: int, sweeps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without reductions, on problems with ends, required and forbidden moves; each beam as wide as the one
    before it and one more."""
    if not sweeps:
        trees_alone(monkeypatch)
    monkeypatch.setattr(narrow_search, "FIRST_BEAM", beam)
    monkeypatch.setattr(narrow_search, "WIDER", 2)
    for problem in cycle_problems(300):
        tours = brute_force(problem)
        for simplify in (False, True):
            answer = run(problem, FRONTIER, Limits(simplify=simplify))
            assert answer.status == ("tour" if tours else "none"), problem
            assert answer.tour is None or tuple(answer.tour.vertices.tolist()) in tours


def test_where_states_are_lost_none_is_never_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The states of one path between two places are taken for lost, as are those of many paths in wide frontiers."""
    monkeypatch.setattr(narrow_search, "LOST", np.uint64(0b1110))
    stopped = 0
    for problem in cycle_problems(300):
        answer = run(problem, FRONTIER, Limits(simplify=False))
        assert answer.status in ("unknown", "tour" if brute_force(problem) else "none"), problem
        stopped += answer.stopped_by == "the frontier is too wide to refute: it has more than 21 vertices at once"
    assert stopped > 10


def test_the_invariant_holds_of_every_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of steps and of joins: as many closing ends as opening ones in every state, and each is packed as it was."""
    checked: set[type] = set()
    derive = narrow_search.Sweep._derive_table

    def checking(sweep: narrow_search.Sweep, way: VertexStep | PartsJoin) -> Table:
        table = derive(sweep, way)
        states = table.states[table.states != CLOSED]
        hashed = empty_table(2 * len(states) + 1, 1, len(states))
        assert frontier_merge(hashed, states, 0, len(states)) == len(states)
        assert frontier_fault(hashed, len(table.places.swept), 0) == 0
        if len(states) > 2 and len(table.places.swept) < MOST_PLACES:
            checked.add(type(way))
        return table

    monkeypatch.setattr(narrow_search.Sweep, "_derive_table", checking)
    trees_alone(monkeypatch)
    for problem in cycle_problems(150):
        run(problem, FRONTIER, Limits(simplify=False))
    ring = pieces_at_hubs(random.Random(1), pieces=5, hubs=3, ring=True)
    assert run(Problem(ring, closed=True), FRONTIER).status == "tour"
    assert checked == {VertexStep, PartsJoin}


@pytest.mark.parametrize(("paths", "written"), [(0b0011, [CLOSED - np.uint64(2)]), (0b1111, [])])
def test_a_cycle_that_closes_beside_another_path_is_none(paths: int, written: list[np.uint64]) -> None:
    """Four places that may be left out: a path between the first two on the left, one or two paths on the right."""
    one = np.zeros(1, dtype=np.int64)
    parts = Parts(
        width=4,
        joint=4,
        others=1,
        last=True,
        tights=0,
        free=0b1111,
        tight=np.zeros(0, dtype=np.uint64),
        needy=np.zeros(2, dtype=np.uint64),
        left=np.array([0b0011_0010], dtype=np.uint64),
        done=np.zeros(1, dtype=np.uint64),
        ends=np.array([paths], dtype=np.uint64),
        mates=np.array([1, 0, 3, 2], dtype=np.uint8),
        turns=one.copy(),
        fitting=one.copy(),
        turn=one.copy(),
    )
    fresh = np.zeros(1, dtype=np.uint64)
    assert frontier_join(parts, 1, fresh, one, 1) == len(written)
    assert fresh[: len(written)].tolist() == written


def trees_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no sweep be narrow, so that parts are joined wherever least fill has several meet."""
    monkeypatch.setattr(tree, "narrow_order", lambda *_: (np.zeros(0), math.inf))


@pytest.mark.parametrize("room", [64, 1 << 16])
def test_parts_are_joined_at_hubs(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces around a cycle, each joined to all hubs; and pieces at the hubs alone, of which there is one more than
    hubs."""
    monkeypatch.setattr(narrow_search, "MAX_ROWS", room)
    for seed in range(2):
        ring = pieces_at_hubs(random.Random(seed), pieces=12, hubs=3, ring=True)
        assert run(Problem(ring, closed=True), FRONTIER).status == "tour"
        loose = pieces_at_hubs(random.Random(seed), pieces=5, hubs=4, ring=False)
        assert run(Problem(loose, closed=True), FRONTIER).status == "none"


def test_required_edges_between_hubs_are_made_where_parts_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cycle closes in a join before the hubs' own steps, which choose the edges between them."""
    trees_alone(monkeypatch)
    for seed in range(12):
        ring = pieces_at_hubs(random.Random(seed), pieces=3, hubs=3, ring=True)
        graph = Graph.from_edges(ring.order, np.array([*zip(*ring.edges(), strict=True), (0, 1), (1, 2)]))
        required = ((0, 1), (1, 2))[: 1 + seed % 2]
        assert run(Problem(graph, closed=True, require=required), FRONTIER, Limits(simplify=False)).status == "tour"


def pieces_at_hubs(chance: random.Random, pieces: int, hubs: int, *, ring: bool) -> Graph:
    """Pieces of ten vertices, random cubic graphs, two vertices of each joined to each hub."""
    edges, order = [], hubs
    for _ in range(pieces):
        edges += [
            (order + int(one), order + int(other))
            for one, other in zip(*graph_of(f"cubic(10,{chance.randrange(100)})").edges(), strict=True)
        ]
        edges += [(hub, order + chance.randrange(10)) for hub in range(hubs) for _ in range(2)]
        order += 10
    if ring:
        for piece in range(pieces):
            here, beyond = (hubs + 10 * (number % pieces) for number in (piece, piece + 1))
            edges += [(here + chance.randrange(10), beyond + chance.randrange(10)) for _ in range(3)]
    return Graph.from_edges(order, np.array(sorted({(min(edge), max(edge)) for edge in edges})))


def test_what_does_not_fit_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = run(Problem(graph_of("Q(8)"), closed=True), FRONTIER)
    assert answer.status == "unknown"
    assert (
        answer.stopped_by
        == "the frontier is too wide for the frontier method: it has about 24 vertices at once, or more"
    )
    monkeypatch.setattr(narrow_search, "MAX_BYTES", 1 << 10)
    answer = run(Problem(graph_of("GP(100,3)"), closed=True), FRONTIER)
    assert answer.stopped_by == "the frontier method needs more than 0 MiB"
