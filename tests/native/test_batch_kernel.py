"""The kernel for streams of graphs: each verdict against brute force and against the edge search."""

import random
from math import comb

import numpy as np
import pytest
from nauty import nauty, random_graph

from cpsat_tour import Board, Graph, Limits, Problem, filter_graphs, graph_of, solve, verify
from cpsat_tour.engines.graph_stream import (
    BUDGET,
    CIRCUMFERENCE,
    CLOSED,
    HYPOHAMILTONIAN,
    K1,
    K2,
    LEFT,
    LEVEL_WORDS,
    MAX_ORDER,
    NONE,
    OPEN,
    PROPERTY_BUDGET,
    TOUR,
    Batch,
    bits_fault,
    bits_is_cycle,
    has_property,
)
from cpsat_tour.formats.graph_lines import graph6_line, graph_of_line
from cpsat_tour.presolve.conditions import violated_condition

SIZES = [*range(1, 8), pytest.param(8, marks=pytest.mark.slow)]


PROPERTIES = {"hypohamiltonian": HYPOHAMILTONIAN, "k1": K1, "k2": K2} | dict.fromkeys(range(3, 9), CIRCUMFERENCE)


def cycle_sets(graph: Graph) -> set[int]:
    """The sets of vertices that the cycles of a graph visit, by dynamic programming over the ends of paths (Held & Karp
    1962)."""
    heads = [sum(1 << int(u) for u in graph.neighbours(v)) for v in range(graph.order)]
    ends = {1 << v: 1 << v for v in range(graph.order)}  # for each set the ends of paths from its first vertex
    for visited in range(1, 1 << graph.order):
        first = visited & -visited
        for v in range(graph.order):
            if ends.get(visited, 0) >> v & 1:
                for u in range(graph.order):
                    if heads[v] >> u & 1 and 1 << u > first and not visited >> u & 1:
                        ends[visited | 1 << u] = ends.get(visited | 1 << u, 0) | 1 << u
    return {
        visited
        for visited, last in ends.items()
        if visited.bit_count() > 2 and any(last >> v & 1 and heads[v] & visited & -visited for v in range(graph.order))
    }


def has_tour(line: str, *, closed: bool) -> bool:
    """True if a cycle visits all vertices; for an open tour, all and one more that is joined to each."""
    graph = graph_of_line(line.encode())
    if not closed:
        joined = [(graph.order, v) for v in range(graph.order)]
        graph = Graph.from_edges(graph.order + 1, [*zip(*graph.edges(), strict=True), *joined])
    return (1 << graph.order) - 1 in cycle_sets(graph) or (graph.order == 2 and not closed)


def properties(line: str) -> set[str | int]:
    """The properties of a graph by the sets of vertices that its cycles visit: its circumference and three names."""
    graph = graph_of_line(line.encode())
    heads = [sum(1 << int(u) for u in graph.neighbours(v)) for v in range(graph.order)]
    cycles, whole = cycle_sets(graph), (1 << graph.order) - 1
    k1 = all(whole ^ 1 << v in cycles for v in range(graph.order))
    k2 = all(whole ^ 1 << v ^ 1 << u in cycles for v in range(graph.order) for u in range(v) if heads[v] >> u & 1)
    named = {"k1": k1, "k2": k2, "hypohamiltonian": k1 and whole not in cycles}
    return {max((s.bit_count() for s in cycles), default=0), *(name for name, true in named.items() if true)}


@pytest.mark.parametrize("order", SIZES)
def test_brute_force_agrees_on_deleted_vertices_in_all_connected_graphs(order: int) -> None:
    """The kernel, and for small ones `auto`."""
    lines = nauty("geng", "-cq", str(order))
    expected, text = [properties(line) for line in lines], "".join(line + "\n" for line in lines).encode()
    for name, asked in PROPERTIES.items():
        length = name if isinstance(name, int) else 0
        if order > 2:
            answered = Batch.of(text, asked, length).search().verdicts
            assert [*answered] == [TOUR if name in has else NONE for has in expected]
        if order < 6:
            asked_singly = [has_property(graph_of_line(line.encode()), asked, length, Limits()) for line in lines]
            assert asked_singly == [name in has for has in expected]


HYPOHAMILTONIAN_FAMILIES = [*(f"GP({6 * k + 5},2)" for k in range(5)), *(f"J({k})" for k in range(5, 16, 2)), "Coxeter"]


def test_families_are_hypohamiltonian_as_published() -> None:
    """Of generalised Petersen graphs those of Bondy 1972, the flower snarks (Clark & Entringer 1983), Coxeter's graph;
    and three that have a closed tour."""
    for names, verdict in ((HYPOHAMILTONIAN_FAMILIES, TOUR), (("GP(7,2)", "GP(31,2)", "Q(4)"), NONE)):
        text = b"".join(graph6_line(graph_of(name)) + b"\n" for name in names)
        assert [*Batch.of(text, HYPOHAMILTONIAN).search().verdicts] == [verdict] * len(names)


def test_a_circumference_that_takes_too_many_sets_of_vertices_is_left() -> None:
    """Deleting 20 of 40 vertices of a star, which has no cycle, takes 137,846,528,820 sets; of 14, 3,432."""
    for leaves, verdict in ((40, LEFT), (14, NONE)):
        star = graph6_line(Graph.from_edges(leaves, [(0, leaf) for leaf in range(1, leaves)]))
        answered = Batch.of(star + b"\n", CIRCUMFERENCE, leaves // 2).search()
        assert answered.verdicts == [verdict]
        assert answered.branchings == [min(PROPERTY_BUDGET, sum(comb(leaves, k) for k in range(leaves // 2 + 1)))]


def test_a_cycle_is_verified_at_each_place() -> None:
    """Around a ring of any size, an edge left out or a vertex twice at any place is seen."""
    for order in (3, 4, 63, 64):
        ring = [1 << (v - 1) % order | 1 << (v + 1) % order for v in range(order)]
        around = np.arange(order, dtype=np.uint8)
        assert bits_is_cycle(np.array(ring, dtype=np.uint64), around, order)
        for v in range(order):
            apart, twice = ring.copy(), around.copy()
            apart[v] &= ~(1 << (v + 1) % order)
            apart[(v + 1) % order] &= ~(1 << v)
            twice[v] = twice[v - 2]
            assert not bits_is_cycle(np.array(apart, dtype=np.uint64), around, order)
            assert not bits_is_cycle(np.full(order, ~np.uint64(0)), twice, order)


def verdicts(lines: list[str], *, closed: bool = True) -> list[bool]:
    return [bool(answer) for answer in filter_graphs(lines, closed=closed)]


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize("order", SIZES)
def test_brute_force_agrees_on_all_connected_graphs(order: int, closed: bool) -> None:
    lines = nauty("geng", "-cq", str(order))
    assert verdicts(lines, closed=closed) == [has_tour(line, closed=closed) for line in lines]


@pytest.mark.parametrize("order", [4, pytest.param(5, marks=pytest.mark.slow)])
def test_brute_force_agrees_on_digraphs(order: int) -> None:
    lines = nauty("directg", "-q", given="\n".join(nauty("geng", "-cqd2", str(order))))[:: 1 if order < 5 else 40]
    assert verdicts(lines) == [has_tour(line, closed=True) for line in lines]


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
def test_edges_agrees_on_random_graphs_of_all_sizes(closed: bool) -> None:
    graphs = [random_graph(order, 3.5 / order, order) for order in (1, 2, 3, 12, 20, 61, 62, 63, 64, 65)]
    for graph, answer in zip(graphs, filter_graphs(graphs, closed=closed), strict=True):
        assert answer.status == solve(graph, closed=closed, backend="edges").status
        if answer.tour is not None:
            verify(Problem(graph, closed), answer.tour.vertices)
        elif graph.order > 2 and violated_condition(Problem(graph, closed)):
            assert answer.refutation is not None
            assert answer.refutation.kind == "condition"


def test_a_search_that_ends_at_its_budget_answers_nothing() -> None:
    """The kernel tries its budget of branchings on each of these boards, which have tours."""
    boards = [Board(3, 20).graph, Board(4, 14).graph]
    answered = Batch.of(b"".join(graph6_line(board) + b"\n" for board in boards), OPEN).search()
    assert [*answered.verdicts, *answered.branchings] == [LEFT, LEFT, BUDGET, BUDGET]
    found = [*filter_graphs(boards, closed=False)]
    assert [(answer.status, answer.backend) for answer in found] == [("tour", "auto")] * 2


def test_rotations_find_most_cycles_before_the_search_branches() -> None:
    """Of the cubic graphs of 14 vertices that have a cycle, one in ten takes branchings."""
    lines = nauty("geng", "-cqd3D3", "14")
    answered = Batch.of("".join(line + "\n" for line in lines).encode(), CLOSED).search()
    assert np.count_nonzero(answered.branchings[answered.verdicts == TOUR]) * 10 < len(lines)


def test_the_kernel_answers_no_line_that_is_not_a_graph() -> None:
    """Lines of graphs with a byte changed, lost or added: what the kernel answers is read as a graph."""
    chance, answered = random.Random(0), 0
    for size in (b"~??\x7f", b"~?\x7f?", b"~\x7f??", b"\x7f", b"~??>", b"~??\xff"):
        assert Batch.of(size + 336 * b"~" + b"\n", CLOSED).search().verdicts == [LEFT], size
    lines = [b"D~{", b"C~", b"~??D~{", b"G?zTb_", *(graph6_line(random_graph(order, 0.5, 1)) for order in (63, 64))]
    for _ in range(600):
        line, place = bytearray(chance.choice(lines)), chance.randrange(4)
        line[place : place + chance.randrange(2)] = bytes(chance.sample(range(11, 256), chance.choice([0, 1, 1, 2])))
        if Batch.of(bytes(line) + b"\n", CLOSED).search().verdicts[0] != LEFT:
            assert graph_of_line(bytes(line)).order >= 3
            answered += 1
    assert answered > 60


def test_the_invariant_checker_of_a_level_sees_each_broken_sentence() -> None:
    """Of a path 0-1-2 taken on a ring of five vertices, whose other edges are undecided."""
    level = np.zeros(LEVEL_WORDS, dtype=np.uint64)
    left, taken, mate = level[: 3 * MAX_ORDER].reshape(3, MAX_ORDER)
    left[:5] = [1 << (v - 1) % 5 | 1 << (v + 1) % 5 for v in range(5)]
    taken[:3], mate[:5], level[-2:] = [0b10, 0b101, 0b10], [2, 1, 0, 3, 4], [0b101, 2]
    assert bits_fault(level, 0b11111) == 0
    for place, wrong, fault in (
        (0, 0b10, 1),  # an edge dropped at one end
        (3, 0b110100, 1),  # an edge out of the set of vertices
        (MAX_ORDER, 0b10010, 1),  # an edge taken at one end
        (2 * MAX_ORDER, 4, 2),
        (2 * MAX_ORDER + 3, 0, 2),
        (LEVEL_WORDS - 2, 0b1, 3),
        (LEVEL_WORDS - 1, 3, 3),
    ):
        broken = level.copy()
        broken[place] = wrong
        assert bits_fault(broken, 0b11111) == fault, (place, wrong)
