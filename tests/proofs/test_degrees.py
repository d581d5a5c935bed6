"""What the degrees alone refute: the same as the linear program without cut sets, and at once on graphs of any size."""

from __future__ import annotations

import random

import pytest
from brute_force import random_problem

from cpsat_tour.backends.auto import Auto, kind
from cpsat_tour.backends.runner import run
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.events import Event, PartAtWork
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.plain import refutation_by_degrees, refutation_by_hand
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.proofs.write.rows import CycleRows
from cpsat_tour.proofs.write.subtour_lp import short_multipliers


def apart(hubs: int, degree: int) -> Problem:
    """Hubs joined in pairs, and one vertex more than there are hubs, each joined to so many hubs only."""
    pairs = [(hub, hub + 1) for hub in range(0, hubs, 2)]
    edges = pairs + [
        (hubs + number, (number + 37 * step * step) % hubs) for number in range(hubs + 1) for step in range(degree)
    ]
    return Problem(Graph.from_edges(2 * hubs + 1, edges), closed=True)


def test_the_flow_and_the_linear_program_refute_the_same() -> None:
    rng = random.Random(5)
    counts = {True: 0, False: 0}
    while min(counts.values()) < 40:
        problem = random_problem(rng, 12)
        if problem.graph.directed or problem.graph.order < 3:
            continue
        cycle = CycleRows(problem)
        if refutation_by_hand(cycle) is None:
            found, least = refutation_by_degrees(cycle), short_multipliers(cycle, ())
            assert (found is None) == (least is None), problem
            assert found is None or found.gain > 0
            counts[found is None] += 1


def test_it_takes_no_search_on_large_graphs() -> None:
    certificate = prove(apart(4000, 5), limits=Limits(work=0))
    assert isinstance(certificate, Certificate)
    assert certificate.refutation.reason.startswith("the 4001 vertices 4000, 4001, ")
    assert ": a closed tour needs one of these after each of those, 4001 in all" in certificate.refutation.reason


@pytest.mark.parametrize(
    ("problem", "kind_of_graph"), [(apart(400, 3), "sparse"), (apart(200, 6), "dense"), (apart(1000, 17), "dense")]
)
def test_auto_says_so_before_it_searches(problem: Problem, kind_of_graph: str) -> None:
    turns: list[Event] = []
    answer = run(problem, Auto(), Limits(), turns.append)
    assert kind(problem) == kind_of_graph
    assert answer.refutation is not None
    assert answer.refutation.kind == "lp"
    assert [event.part for event in turns if isinstance(event, PartAtWork)] == ["proof"]
