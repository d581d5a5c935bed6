"""The edge search: published counts, its invariant, limits; and the cubes that share it out among threads."""

import random
from itertools import pairwise

import numpy as np
import pytest
from brute_force import cycle_problems

from cpsat_tour import Board, Graph, Limits, Problem, StoppedEarly, graph_of, problem_of
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Backend
from cpsat_tour.engines.runner import Listing
from cpsat_tour.native import edges
from cpsat_tour.native.edges import TOOK, Edges, cubes_of, edges_fault, new_edge_search

Chosen = frozenset[int]


def schwenk(n: int) -> int:
    """How many Hamiltonian cycles GP(n,2) has, by Schwenk 1989."""
    if n % 6 in (1, 3, 5):
        return {1: n, 3: 3, 5: 0}[n % 6]
    lucas = [2, 1]
    while len(lucas) <= n // 2:
        lucas.append(lucas[-1] + lucas[-2])
    return 2 * (lucas[n // 2] - 1) + (n if n % 6 == 4 else 0)


@pytest.mark.parametrize(
    ("graph", "cycles"),
    [
        *((f"GP({n},2)", schwenk(n)) for n in range(5, 31)),
        *(("Q(2)", 1), ("Q(3)", 6), ("Q(4)", 1344), ("J(5)", 0), ("Coxeter", 0), ("Petersen", 0)),
    ],
)
def test_cubic_graphs_and_hypercubes_have_as_many_cycles_as_published(graph: str, cycles: int) -> None:
    assert len(list_tours(Problem(graph_of(graph), True), Edges())) == cycles


def plain_search(cycle: CycleProblem, following: list[int]) -> tuple[list[Chosen], int]:
    """The cycles that the search meets, as sets of edges, and its branchings, by the rules of the kernel's docstring
    alone: each is applied to all vertices until nothing follows, and nothing is undone but copied."""
    ends = [*zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)]
    beside = [sorted((sum(ends[e]) - v, e) for e in range(len(ends)) if v in ends[e]) for v in range(cycle.order)]
    found, branchings = list[Chosen](), 0

    def closes_too_early(taken: set[int], edge: int) -> bool:
        """True if a path of the other edges taken joins the ends of an edge and is not all but one edge of a tour."""
        (v, last), path = ends[edge], {edge}
        while further := [e for _, e in beside[v] if e in taken - path]:
            path.add(further[0])
            v = sum(ends[further[0]]) - v
        return v == last and len(path) < cycle.order

    def is_settled(taken: set[int], left: set[int]) -> bool:
        """Decide what follows of the edges taken and those not dropped; False at a contradiction."""
        before = None
        while before != (before := (len(taken), len(left))):
            for here in ([e for _, e in row] for row in beside):
                if len(left.intersection(here)) == 2:
                    taken |= left.intersection(here)
                if len(taken.intersection(here)) == 2:
                    left -= set(here) - taken
                if len(left.intersection(here)) < 2 or len(taken.intersection(here)) > 2:
                    return False
            left -= {e for e in left if closes_too_early(taken - {e}, e)}
            for edge, other in enumerate(following):
                if edge in taken:
                    taken.add(other)
                if edge not in left:
                    left.discard(other)
            if not taken <= left:
                return False
        return True

    def search_on(taken: set[int], left: set[int]) -> None:
        """Decide what follows, then branch on an edge."""
        nonlocal branchings
        if not is_settled(taken, left):
            return
        if len(taken) == cycle.order:
            found.append(frozenset(taken))
            return
        rows = [[e for _, e in row if e in left] for row in beside]
        open_rows = [[row for row in rows if len(taken.intersection(row)) == number] for number in (1, 0)]
        branchings += 1
        chosen = next(e for e in min(open_rows[0] or open_rows[1], key=len) if e not in taken)
        search_on(taken | {chosen}, left.copy())
        search_on(taken.copy(), left - {chosen})

    search_on(set(np.flatnonzero(cycle.required).tolist()), set(range(len(ends))))
    return found, branchings


SYMMETRIC = [("6x6", "rot90"), ("3x10", "axial"), ("5x6", "axial"), ("torus:4x4", "rot180"), ("3x10", "rot180")]


@pytest.mark.usefixtures("kernels_in_guards")
def test_the_kernel_takes_the_branchings_of_the_plain_search() -> None:
    """However many branchings it may take, and room it has for tours, at a time; with a symmetry and without."""
    rng, branched = random.Random(1), 0
    symmetric = [problem_of(text, closed=True, symmetry=name) for text, name in SYMMETRIC]
    cubic = [
        Problem(graph_of(text), True) for text in ("Q(3)", "GP(5,1)", "GP(7,2)", *(f"cubic(14,{k})" for k in range(8)))
    ]
    for problem in (*symmetric, *cubic, *cycle_problems(60), Problem(Board(4, 5).graph, False, 0)):
        cycle = to_cycle(problem)
        if cycle.dead_end_reason() is not None:
            continue
        ends = zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)
        number = {frozenset(pair): edge for edge, pair in enumerate(ends)}
        expected = plain_search(cycle, new_edge_search(cycle).following.tolist())
        for every in (1, 3, 1 << 20):
            search, met, spent = new_edge_search(cycle), list[Chosen](), 0
            while not search.finished:
                budget, tours = rng.randint(1, every), np.empty((rng.randint(1, every) % 7 + 1, cycle.order), np.uint32)
                found, branchings = search.search(tours, budget)
                assert branchings <= budget
                spent += branchings
                for tour in tours[:found].tolist():
                    met.append(frozenset(number[frozenset(pair)] for pair in pairwise([*tour, tour[0]])))
            assert (met, spent) == expected, (every, problem)
        branched += spent
    assert branched > 200


def test_tours_listed_at_a_time_take_no_more_memory_the_longer_they_are() -> None:
    assert [len(edges.room_for_tours(order)) for order in (36, 1 << 11, 1 << 13, 1 << 24)] == [4096, 4096, 1024, 1]


def test_an_edge_decided_against_the_rules_ends_the_search() -> None:
    """Where two edges are left both must be taken, so that dropping one of them leaves nothing."""
    cycle = to_cycle(Problem(Graph.from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)]), closed=True))
    for flags, found in ((np.uint32(0), 0), (TOOK, 1)):
        search = new_edge_search(cycle).with_decided(np.array([flags], dtype=np.uint32))
        assert search.search(np.empty((2, 4), dtype=np.uint32), 100)[0] == found
        assert search.finished


def test_the_invariant_holds_after_every_branching() -> None:
    for problem in [CLOSED_6X6, *cycle_problems(100)]:
        search = new_edge_search(to_cycle(problem))
        for _ in range(200):
            search.search(np.empty((1, search.order), dtype=np.uint32), 1)
            assert edges_fault(search) == 0
    search.mate[0], search.mate[1] = 1, 1
    assert edges_fault(search)


def test_a_limit_on_work_is_kept_to_the_branching() -> None:
    listing = Listing(Problem(Board(6, 6).graph, closed=True), Edges(), Limits(work=500))
    with pytest.raises(StoppedEarly, match="work"):
        for _ in listing:
            pass
    assert 0 < listing.count < 9862


CLOSED_6X6 = Problem(Board(6).graph, closed=True)
OPEN_5X5 = Problem(Board(5).graph, closed=False)


def list_tours(problem: Problem, backend: Backend, number: int | None = None) -> Ints:
    """The tours of a list, in its order."""
    batches = Listing(problem, backend, Limits(threads=number, simplify=False))
    return np.concatenate([np.zeros((0, problem.graph.order), dtype=np.int32), *batches])


def test_the_cubes_share_out_the_tours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put together in their order, the cubes' tours are the list of one search, whatever their number."""
    assert cubes_of(to_cycle(Problem(Board(4, 5).graph, closed=True)), 1000) == []
    for problem in cycle_problems(150):
        whole = list_tours(problem, Edges())
        for least in (1, 3, 20):
            assert len(cubes_of(to_cycle(problem), least)) >= min(least, len(whole)), problem
            monkeypatch.setattr(edges, "MIN_CUBES", least)
            assert list_tours(problem, Edges(), 2).tolist() == whole.tolist(), problem


@pytest.mark.parametrize("problem", [CLOSED_6X6, OPEN_5X5, Problem(Board(4, 5).graph, closed=True)])
def test_threads_list_what_one_search_lists_in_its_order(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edges, "BATCH", 256)
    monkeypatch.setattr(edges, "AHEAD_BYTES", 1 << 16)
    assert list_tours(problem, Edges(), 3).tolist() == list_tours(problem, Edges()).tolist()


def test_a_list_by_threads_may_be_left_before_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edges, "BATCH", 256)
    monkeypatch.setattr(edges, "AHEAD_BYTES", 1 << 16)
    assert sum(map(len, Listing(CLOSED_6X6, Edges(), Limits(threads=2), most=100))) == 100
    with pytest.raises(StoppedEarly, match="time"):
        list(Listing(CLOSED_6X6, Edges(), Limits(threads=2, seconds=0)))
