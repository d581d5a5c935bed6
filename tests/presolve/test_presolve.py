"""Simplified problems have the cycles and the tours of the whole problem, and give true reasons if there are none. Each
necessary condition is found where it alone is violated; `test_reduction` checks that none is ever wrong."""

import random
import re
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, ClassVar

import networkx as nx
import numpy as np
import pytest
from brute_force import Vertices, brute_force, hamiltonian_cycles, rotations, solves, written
from products import all_tours, sorted_tours

from cpsat_tour import BackendFault, Board, Graph, Limits, Problem, load, run
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.runs import UNLIMITED, CutSetAdded, Event, ProblemSimplified, Run, TwoFactorFound
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.runner import simplified
from cpsat_tour.presolve import conditions, simplify as steps
from cpsat_tour.presolve.conditions import CutClass, ForcedEdges, find_cut_classes, parts_beside, violated_condition
from cpsat_tour.presolve.simplify import Simplified, simplify
from cpsat_tour.tour import decide_degenerate

Edges = list[tuple[int, int]]


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has small problems simplified too, however little is gained."""
    monkeypatch.setattr("cpsat_tour.engines.runner.MAX_SPARSE", 100)
    monkeypatch.setattr(steps, "MIN_GAIN", 10**9)


def scattered(rng: random.Random) -> Edges:
    """The edges of a cycle with chords, or random edges alone; sometimes of a bipartite graph."""
    order = rng.randint(3, 9)
    around = list(range(order))
    rng.shuffle(around)
    edges = list(zip(around, around[1:] + around[:1], strict=True)) if rng.random() < 0.8 else []
    edges += [(rng.randrange(order), rng.randrange(order)) for _ in range(rng.randint(0, order))]
    side = [rng.random() < 0.5 for _ in range(order)]
    return [(tail, head) for tail, head in edges if side[tail] != side[head]] if rng.random() < 0.25 else edges


def ring_of_blocks(rng: random.Random) -> Edges:
    """The edges of two or three nearly complete graphs, joined in a ring by an edge each, seldom by two."""
    sizes = [rng.choice((1, 3, 4, 4, 5)) for _ in range(rng.choice((2, 2, 3)))]
    blocks = [range(sum(sizes[:number]), sum(sizes[: number + 1])) for number in range(len(sizes))]
    edges = [pair for block in blocks for pair in combinations(block, 2) if rng.random() < 0.85]
    for block, following in zip(blocks, [*blocks[1:], blocks[0]], strict=True):
        edges += [(rng.choice(block), rng.choice(following)) for _ in range(1 + (rng.random() < 0.15))]
    return edges


def sparse_problem(seed: int) -> Problem:
    """A problem with few edges for each vertex: with ends, required and forbidden moves at random."""
    rng = random.Random(seed)
    edges = [edge for edge in rng.choice((scattered, ring_of_blocks))(rng) if edge[0] != edge[1]]
    order = max(3, 1 + max((vertex for edge in edges for vertex in edge), default=0))
    names = list(range(order))
    rng.shuffle(names)
    edges = list({(names[tail], names[head]) for tail, head in edges})
    closed = rng.random() < 0.75
    start = rng.randrange(order) if rng.random() < 0.3 else None
    end = rng.randrange(order) if rng.random() < 0.3 and not (closed and start is None) else None
    require, forbid = (tuple(rng.sample(edges, min(len(edges), rng.choice((0, 0, 0, 1, 2))))) for _ in range(2))
    return Problem(Graph.from_edges(order, edges), closed, start, end, require, forbid)


def cycles_of(found: Simplified) -> list[Vertices]:
    """The cycles of the whole problem that combinations of cycles of the parts stand for."""
    if found.taken is None:
        return hamiltonian_cycles(found.whole)
    parts = [hamiltonian_cycles(part.cycle) for part in found.pieces]
    if len(parts) == 1:
        return [tuple(row) for row in found.cycles([np.array(parts[0], dtype=np.int32)]).tolist()] if parts[0] else []
    rows = [found.cycles([np.array([cycle], dtype=np.int32) for cycle in chosen]) for chosen in product(*parts)]
    return [tuple(row) for some in rows for row in some.tolist()]


def as_edges(cycles: list[Vertices]) -> Counter[frozenset[frozenset[int]]]:
    return Counter(
        frozenset(frozenset(step) for step in zip(cycle, cycle[1:] + cycle[:1], strict=True)) for cycle in cycles
    )


def check_against_brute_force(problem: Problem, split: bool) -> Simplified | None:
    """The simplified problem, whose cycles must be those of the whole and give all tours; None if it is degenerate."""
    if decide_degenerate(problem) is not None:
        return None
    cycle, tours = to_cycle(problem), brute_force(problem)
    found = simplify(cycle, split=split)
    if found.why_none is not None:
        assert not tours, (problem, found.why_none)
        return found
    assert split or len(found.pieces) <= 1
    whole = cycles_of(found)
    assert as_edges(whole) == as_edges(hamiltonian_cycles(cycle)), problem
    written_ones = [tuple(tour) for tour in cycle.tours(np.array(whole, dtype=np.int32)).tolist()] if whole else []
    turned = [(tour, turn) for tour in written_ones for turn in rotations(problem, tour)]
    assert {written(problem, turn) for _, turn in turned if solves(problem, turn)} == tours, problem
    return found


@pytest.mark.parametrize("seeds", [range(200), pytest.param(range(200, 5200), marks=pytest.mark.slow)])
@pytest.mark.usefixtures("eager")
def test_simplified_problems_have_the_tours_of_the_whole(seeds: range) -> None:
    seen: Counter[str] = Counter()
    for seed, split in product(seeds, (False, True)):
        if found := check_against_brute_force(sparse_problem(seed), split):
            seen["refuted" if found.why_none else f"{len(found.pieces)} parts"] += 1
            seen["smaller"] += bool(found.pieces and found.pieces[0].cycle.order < found.whole.order)
    assert min(seen[what] for what in ("refuted", "0 parts", "1 parts", "2 parts", "smaller")) > 0, seen


@pytest.mark.parametrize("backend", ["edges", "sat:lazy", "sat:adder", "cpsat"])
@pytest.mark.usefixtures("eager")
def test_backends_list_the_same_tours_with_and_without_simplification(backend: str) -> None:
    for seed in range(40):
        problem = sparse_problem(seed)
        tours = brute_force(problem)
        for first in (False, True):
            limits = Limits(simplify=first)
            assert sorted_tours(problem, load(backend), limits) == sorted(tours), problem
            assert run(problem, load(backend), limits).status == ("tour" if tours else "none"), problem


def test_a_false_two_edge_cut_is_not_believed() -> None:
    """Two edges of a complete graph are taken for a cut, as if their random labels were equal."""
    ends = list(combinations(range(5), 2))
    assert find_cut_classes(ForcedEdges(5, ends, str)) == []
    false = CutClass([ends.index((0, 1)), ends.index((2, 3))], [(1, 2), (0, 3)])
    assert parts_beside(5, ends, [false], range(len(ends))) is None


def ladder_of_blocks(count: int) -> Graph:
    """Complete graphs of five vertices, joined in a ring by single edges."""
    edges = [(5 * block + tail, 5 * block + head) for block in range(count) for tail, head in combinations(range(5), 2)]
    edges += [(5 * block + 4, 5 * ((block + 1) % count)) for block in range(count)]
    return Graph.from_edges(5 * count, edges)


def test_a_ring_of_blocks_falls_into_its_blocks() -> None:
    found = simplify(to_cycle(Problem(ladder_of_blocks(300), True)))
    assert [part.cycle.order for part in found.pieces] == [5] * 300
    assert all(part.cycle.required.sum() == 1 for part in found.pieces)
    answer = run(Problem(ladder_of_blocks(300), True), load("edges"))
    assert (answer.status, answer.work["parts"], answer.work["vertices_left"]) == ("tour", 300, 1500)


def test_without_time_only_a_known_simplification_is_used() -> None:
    problem = Problem(ladder_of_blocks(3000), True)
    briefly, long = Limits(seconds=0), Limits(seconds=300)
    assert simplified(problem, briefly).taken is None
    assert simplified(problem, long).taken is not None
    assert simplified(problem, briefly).taken is not None


def test_a_long_cycle_is_simplified_to_nothing_under_a_heartbeat() -> None:
    order = 20_001
    problem = Problem(Graph.from_edges(order, [(vertex, (vertex + 1) % order) for vertex in range(order)]), True)
    beats: list[None] = []
    assert not simplify(to_cycle(problem), heartbeat=lambda: beats.append(None)).pieces
    assert len(beats) >= 4
    assert run(problem, load("auto")).status == "tour"


OF_ANOTHER = " returned a wrong cycle: it makes a move that is not among the 5 vertices about 10"
NOT_TWO = " returned a wrong cycle: it does not make two moves at 0"


@dataclass
class Wrong:
    """A formulation that gives the same of every part: a list, or arrays one after the other."""

    given: Any
    takes: ClassVar[frozenset[str]] = frozenset()

    def cycles(self, run: Run) -> Any:
        """What is given."""

        def one_array() -> Generator[Ints, None, Refutation]:
            yield self.given.astype(np.int32)
            return Refutation("exhausted", f"there is one cycle of {run.cycle.order} vertices")

        return self.given if isinstance(self.given, list) else one_array()


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (np.array([[0, 1, 2, 3, 5]]), OF_ANOTHER),
        (np.array([[0, 1, 2, 3, -1]]), OF_ANOTHER),
        (np.array([[0, 1, 2, 0, 1]]), NOT_TWO),
        (np.array([[0, 1, 4, 2, 3]]), NOT_TWO),
        (np.array([[0, 3, 2]]), ": the solution has a cycle 10-13-12 of 3 of the 5 vertices"),
        *(
            (np.zeros(shape, int), f" gave cycles in the shape {shape}: give arrays of rows, each of 5 vertices")
            for shape in ((5,), (1, 4), (1, 1, 5))
        ),
        ([np.arange(5)], ".cycles must be a generator, and gave a list"),
    ],
)
def test_a_wrong_cycle_of_a_part_is_a_fault_of_the_backend(given: Any, fault: str) -> None:
    """Moves that are no edges, a vertex visited twice, a cycle without the required edge 0-4, and no rows of all
    vertices."""
    with pytest.raises(BackendFault, match=f"^{re.escape(f'Wrong{fault}')}$"):
        run(Problem(ladder_of_blocks(3), True), Wrong(given))


@pytest.mark.parametrize(
    ("edges", "closed", "reason"),
    [
        (
            [(0, 1), (0, 2), (1, 3), (2, 3), (0, 4), (3, 4)],
            True,
            "4 is left with fewer than two moves that a tour can use, since 1-3 and 2-3 have to be used",
        ),
        (
            [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)],
            True,
            "2-3 is the only move between two parts, and a tour goes there and comes back",
        ),
        (
            [*combinations(range(4), 2), (3, 4), *combinations(range(4, 8), 2)],
            True,
            "3-4 is the only move between two parts, and a tour goes there and comes back",
        ),
        (
            [*combinations(range(4), 2), *combinations(range(3, 7), 2)],
            True,
            "every way from 2 to 4 leads through 3, which a tour visits once",
        ),
        (
            [*combinations(range(4), 2), *combinations((0, 4, 5, 6), 2)],
            True,
            "every way from 1 to 4 leads through 0, which a tour visits once",
        ),
        ([*combinations(range(4), 2), *combinations(range(4, 8), 2)], True, "no moves lead from 0 to 4"),
        (
            [*combinations(range(4), 2), *combinations(range(4, 8), 2)],
            False,
            "every way from 3 to 4 leads through the apex (it joins the ends of a tour), which a tour visits once",
        ),
    ],
)
def test_reasons_can_be_checked_by_hand(edges: Edges, closed: bool, reason: str) -> None:
    answer = run(Problem(Graph.from_edges(1 + max(map(max, edges)), edges), closed), load("edges"))
    assert answer.refutation is not None
    assert (answer.refutation.kind, answer.refutation.reason) == ("condition", reason)


def follows_by_hand(graph: nx.Graph, reason: str) -> bool:
    """True if the reason is true of the graph, and each of its moves is forced by those before it.

    A move is forced if an end of it has no more than two moves left, or if only it and one other join two parts.
    """
    what, _, moves = reason.partition(", since ")
    left, used = graph.copy(), nx.Graph()
    used.add_nodes_from(graph)
    for move in re.findall(r"(\d+)-(\d+)", moves):
        tail, head = map(int, move)
        without = nx.restricted_view(left, [], [(tail, head)])
        if min(left.degree(tail), left.degree(head)) > 2 and nx.is_connected(without) and not nx.has_bridges(without):
            return False
        used.add_edge(tail, head)
        for one, other in list(left.edges):
            full = max(used.degree(one), used.degree(other)) == 2 and not used.has_edge(one, other)
            closes = nx.has_path(used, one, other) and used.size() < len(graph) - 1 and not used.has_edge(one, other)
            if full or closes:
                left.remove_edge(one, other)
    first, *others = (int(number) for number in re.findall(r"\d+", what))
    if "is left with" in what:
        return bool(left.degree(first) < 2)
    if "is the only move" in what:
        left.remove_edge(first, others[0])
    elif "leads through" in what:
        left.remove_node(others[1])
    else:
        assert "no moves lead from" in what
    return not nx.has_path(left, first, others[0])


def test_each_reason_follows_from_the_moves_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "MOST_MOVES", 99)
    rings = [nx.Graph(ring_of_blocks(random.Random(seed))) for seed in (*range(400), 1275, 9852)]
    told = 0
    for graph in map(nx.convert_node_labels_to_integers, [*nx.graph_atlas_g()[4:], *rings]):
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        if len(graph) > 2 and (
            reason := simplify(to_cycle(Problem(Graph.from_edges(len(graph), graph.edges), True))).why_none
        ):
            told += " since " in reason
            assert follows_by_hand(graph, reason), (nx.to_graph6_bytes(graph), reason)
    assert told > 80


def test_a_reason_of_many_moves_tells_their_number() -> None:
    """The path 0-1-…-10 leaves no room for 0-10, so 0-11 has to be used, and 11 has no room for both 12 and 13."""
    edges = [*nx.cycle_graph(11).edges, (0, 11), (11, 12), (11, 13), (12, 14), (13, 15), (10, 16)]
    edges += combinations(range(14, 18), 2)
    reason = simplify(to_cycle(Problem(Graph.from_edges(18, edges), True))).why_none
    assert reason == "13 is left with fewer than two moves that a tour can use, since 14 moves have to be used"


def test_boards_are_not_simplified() -> None:
    for board, closed in ((Board(8), True), (Board(8), False), (Board(20), True), (Board(6), True)):
        assert simplified(Problem(board.graph, closed), UNLIMITED).taken is None


@pytest.mark.parametrize(
    ("ends", "inner", "left"), [(((0, 1), (6, 7)), 2, 8), (((0, 1), (6, 7)), 4, 8), (((0, 3), (1, 2)), 3, 10)]
)
def test_a_path_keeps_its_parity_in_a_bipartite_graph(ends: Edges, inner: int, left: int) -> None:
    """On a cube, an edge stands for a path between two colours, and two edges for a path between equal colours."""
    cube = [(vertex, vertex ^ bit) for vertex in range(8) for bit in (1, 2, 4) if vertex < vertex ^ bit]
    edges, order = [edge for edge in cube if edge not in ends], 8
    for tail, head in ends:
        between = list(range(order, order + inner))
        order += inner
        edges += list(zip([tail, *between], [*between, head], strict=True))
    problem = Problem(Graph.from_edges(order, edges), True)
    (part,) = simplify(to_cycle(problem)).pieces
    assert part.cycle.order == left
    assert problem.graph.colours is not None
    assert part.cycle.source.graph.colours is not None
    assert len(list(all_tours(problem, load("sat:adder")))) == len(brute_force(problem)) > 0


def test_events_have_the_vertices_of_the_whole() -> None:
    graph = ladder_of_blocks(3)
    events: list[Event] = []
    assert run(Problem(graph, True), load("sat:lazy"), on_event=events.append).status == "tour"
    assert events[0] == ProblemSimplified(15, 30, 3, 15)
    shown = [set(cycle) for event in events if isinstance(event, TwoFactorFound) for cycle in event.members]
    shown += [set(event.shore) for event in events if isinstance(event, CutSetAdded)]
    assert set().union(*shown) == set(range(15))
    assert all(len({vertex // 5 for vertex in vertices}) == 1 for vertices in shown)


# --- necessary conditions ---


def path(order: int) -> Graph:
    return Graph.from_edges(order, [(vertex, vertex + 1) for vertex in range(order - 1)])


COMPLETE = [(tail, head) for tail in range(4) for head in range(4) if tail != head]
ARCS = Graph.from_edges(4, COMPLETE, directed=True)
TWO_ROUNDS = [(first + tail, first + (tail + 1) % 3) for first in (0, 3) for tail in range(3)]
BOWTIE = Graph.from_edges(7, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (5, 6), (3, 6)])
TWO_TRIANGLES = Graph.from_edges(
    5, [(v, u) for part in ((0, 1, 2), (2, 3, 4)) for v in part for u in part], directed=True
)
STAR = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3)]

VIOLATED = [
    *(
        (Problem(ARCS, closed, require=require), f"2 required moves lead {way} 2, and a tour makes one")
        for closed in (True, False)
        for require, way in ((((0, 2), (1, 2)), "to"), (((2, 0), (2, 1)), "from"))
    ),
    (
        Problem(ARCS, False, 0, 1, ((1, 2),)),
        "the tour ends at 1, and 1 required move there leaves no room for that",
    ),
    (
        Problem(ARCS, False, 0, 1, ((2, 0),)),
        "the tour starts at 0, and 1 required move there leaves no room for that",
    ),
    (
        Problem(Graph.from_edges(4, COMPLETE), False, 0, 1, ((0, 2), (0, 3))),
        "the tour starts at 0, and 2 required moves there leave no room for that",
    ),
    *(
        (
            Problem(Graph.from_edges(6, [*TWO_ROUNDS, (last + 1, first + 1)], directed=True), True),
            f"no way leads from {first} to {last}",
        )
        for first, last in ((0, 3), (3, 0))
    ),
    (Problem(TWO_TRIANGLES, True), "every way from 1 to 3 leads through 2, which a tour visits once"),
    (Problem(TWO_TRIANGLES, False, 0, 1), "every way from"),
    (Problem(path(4), True), "0 has fewer than two moves"),
    (
        Problem(Graph.from_edges(5, [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)]), True),
        "3 has fewer than two moves",
    ),
    (Problem(Graph.from_edges(4, [(0, 1), (0, 2), (0, 3)]), False), "1, 2, 3 each have fewer than two moves"),
    (Problem(path(4), False, 1, 3), "0 has fewer than two moves and is not an end"),
    (Problem(path(3), False, forbid=((0, 1),)), "0, 1, 2 each have fewer than two moves"),
    (Problem(Graph.from_edges(4, STAR), False, require=((0, 1), (0, 2), (0, 3))), "3 required moves meet at 0"),
    (Problem(BOWTIE, False), "no moves lead from 0 to 3"),
    (Problem(Board(3, leaper=(0, 1)).graph, True), "every move changes colour"),
    (
        Problem(Board(8, holes=["a1", "h8"]).graph, False),
        "every move changes colour, and the 62 squares are 32 light and 30 dark",
    ),
    (
        Problem(Board(5).graph, False, start=1),
        "every move changes colour, and the 25 squares are 13 dark and 12 light",
    ),
    (
        Problem(Board(6).graph, False, 0, 2),
        "every move changes colour, and the 36 squares are 18 light and 18 dark",
    ),
]


@pytest.mark.parametrize(("problem", "reason"), VIOLATED, ids=[reason for _, reason in VIOLATED])
def test_each_condition_names_its_witness(problem: Problem, reason: str) -> None:
    refutation = violated_condition(problem)
    assert refutation is not None
    assert refutation.reason.startswith(reason)
