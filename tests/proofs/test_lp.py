"""The subtour linear program: its cut sets and multipliers, and the refutations by degrees alone."""

import random
from itertools import combinations
from unittest.mock import Mock

import numpy as np
import pytest
from brute_force import random_problem
from commands import needed
from numpy.typing import NDArray

from cpsat_tour import Board, Certificate, Graph, Limits, Problem, StoppedEarly, run
from cpsat_tour.core.runs import Clock, CutSetAdded, Event, PartAtWork, Watch
from cpsat_tour.engines.auto import Auto
from cpsat_tour.proofs.write.combination import Combination, refutation_by_degrees, refutation_by_hand
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.proofs.write.subtour_lp import find_short_multipliers, run_program, violated_shores
from cpsat_tour.proofs.write.veripb import CycleRows, Vertices
from cpsat_tour.spaces.families import Member


def rows_of(board: Board) -> CycleRows:
    return CycleRows(Problem(board.graph, closed=True))


def refuted(cycle: CycleRows) -> Combination | None:
    """The refutation that the linear program finds; None if it finds none."""
    found, _ = run_program(cycle, [], Watch(Limits(), Clock(None)))
    return found if isinstance(found, Combination) else None


def mean_of_two_factors(rng: random.Random, order: int) -> NDArray[np.float64]:
    """The mean of some random 2-factors of the complete graph: in general no vertex of the polytope."""
    numbers = {pair: number for number, pair in enumerate(combinations(range(order), 2))}
    point = np.zeros(len(numbers))
    count = rng.randint(1, 5)
    for _ in range(count):
        vertices = rng.sample(range(order), order)
        split = rng.choice([0, *range(3, order - 2)])
        for cycle in filter(None, (vertices[:split], vertices[split:])):
            for tail, head in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                point[numbers[min(tail, head), max(tail, head)]] += 1 / count
    return point


def test_the_search_for_cuts_stops_at_its_limit() -> None:
    """On the Petersen graph with 2/3 on each edge the least cuts are the vertices, and the search has many rounds."""
    tick = Mock(side_effect=[None, None, StoppedEarly("time")])
    with pytest.raises(StoppedEarly):
        violated_shores(10, *Member.parse("GP(5,2)").graph.edges(), np.full(15, 2 / 3), tick)


def test_a_cut_below_two_is_found_if_there_is_one() -> None:
    rng = random.Random(4)
    seen = {False: 0, True: 0}
    for _ in range(300):
        order = rng.randint(6, 9)
        point = mean_of_two_factors(rng, order)
        complete = CycleRows(Problem(Graph.from_edges(order, combinations(range(order), 2)), True))
        shores = [shore for size in range(1, order) for shore in combinations(range(order), size)]
        least = min(point[complete.cut_set(shore)].sum() for shore in shores)
        found = violated_shores(order, complete.tails, complete.heads, point)
        assert bool(found) == (least < 2 - 1e-4)
        assert all(point[complete.cut_set(shore)].sum() < 2 - 1e-6 for shore in found)
        seen[bool(found)] += 1
    assert min(seen.values()) > 20


@pytest.mark.parametrize("cols", [5, 8, 100])
def test_four_rows_are_refuted_by_posas_argument(cols: int) -> None:
    cycle = rows_of(Board(4, cols))
    watch = Watch(Limits(), Clock(None))
    run_program(cycle, [], watch)
    assert watch.work == {"rounds": 1, "cut_sets": 1}


def test_short_multipliers_use_one_cut_set_on_3x4() -> None:
    """Without a cut set there is no refutation."""
    cycle = rows_of(Board(3, 4))
    assert find_short_multipliers(cycle, [], Clock(None)) is None
    found = needed(refuted(cycle))
    assert len(found.cut_sets) == 1
    assert found.term_count <= 8


# --- what the degrees alone refute ---


def apart(hubs: int, degree: int) -> Problem:
    """The closed tour of a graph of hubs, joined in pairs, and one vertex more than hubs, joined to some hubs alone."""
    pairs = [(hub, hub + 1) for hub in range(0, hubs, 2)]
    edges = pairs + [
        (hubs + number, (number + 37 * step * step) % hubs) for number in range(hubs + 1) for step in range(degree)
    ]
    return Problem(Graph.from_edges(2 * hubs + 1, edges), closed=True)


def test_the_flow_and_the_linear_program_without_cut_sets_refute_the_same() -> None:
    rng = random.Random(5)
    counts = {True: 0, False: 0}
    while min(counts.values()) < 40:
        problem = random_problem(rng, 12)
        if problem.graph.directed or problem.graph.order < 3:
            continue
        cycle = CycleRows(problem)
        if refutation_by_hand(cycle) is None:
            found, least = refutation_by_degrees(cycle), find_short_multipliers(cycle, (), Clock(None))
            assert (found is None) == (least is None), problem
            assert found is None or found.gain > 0
            counts[found is None] += 1


def test_large_graphs_need_no_search() -> None:
    certificate = prove(apart(4000, 5), limits=Limits(work=0))
    assert isinstance(certificate, Certificate)
    assert certificate.refutation.reason.startswith("the 4001 vertices 4000, 4001, ")
    assert ": a closed tour needs one of these after each of those, 4001 in all" in certificate.refutation.reason


@pytest.mark.parametrize("problem", [apart(400, 3), apart(200, 6), apart(1000, 17)])
def test_auto_refutes_by_degrees_after_a_glance(problem: Problem) -> None:
    turns: list[Event] = []
    refutation = needed(run(problem, Auto(), Limits(), turns.append).refutation)
    parts = [event.part for event in turns if isinstance(event, PartAtWork)]
    assert (refutation.kind, parts) == ("lp", ["rotations", "proof"])


# --- limits, events and answers ---


def test_the_program_keeps_limits_and_tells_of_cut_sets() -> None:
    cycle = rows_of(Board(3, 8))
    known: list[Vertices] = []
    watch = Watch(Limits(), Clock(None))
    assert run_program(cycle, known, watch, rounds=1) == (None, False)
    assert watch.work["rounds"] == 1
    with pytest.raises(StoppedEarly, match="time"):
        run_program(cycle, [], Watch(Limits(), Clock(0.0)))
    before = list(known)
    events: list[Event] = []
    assert isinstance(run_program(cycle, known, Watch(Limits(), Clock(None), events.append))[0], Combination)
    assert known[: len(before)] == before
    added = known[len(before) :]
    assert added
    assert [event for event in events if isinstance(event, CutSetAdded)] == [
        CutSetAdded(len(shore), shore) for shore in added
    ]


def test_a_tour_that_solves_the_program_is_returned() -> None:
    hexagon = Graph.from_edges(6, [(v, (v + 1) % 6) for v in range(6)])
    edges, _ = run_program(CycleRows(Problem(hexagon, True)), [], Watch(Limits(), Clock(None)))
    assert isinstance(edges, np.ndarray)
    assert edges.tolist() == [0, 1, 2, 3, 4, 5]
