"""Certificates that show tours: how many tours there are, and that none is better than the one shown.

*How many*: the proof shows and excludes each tour, and refutes by clauses that one is left. The edge search lists the
tours, which is fast and needs no trust: the cutting-plane loop begins from the list, would find any tour that it lacks,
and collects the cut sets that refute the rest (`clausal`). The checker sees for itself that each is a tour and none
comes twice. Enumeration with a proof is VeriPB's (Gocht, McCreesh & Nordström, *Subgraph isomorphism meets cutting
planes*, 2020). Limits: each tour takes a line as long as there are edges, and a proof has at most `MAX_LITERALS` in
such lines.

*The best*: the proof shows the best tour, and refutes that one is better by `subtour_lp`. The value of a tour is
a sum over pairs of its moves, and the formula has a variable for each pair. Bounds with a proof are VeriPB's (Gocht &
Nordström 2021). Limits: undirected graphs, goals that are sums over pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from cpsat_tour.backends.best_search import BestSearch, Conclusion, Goal, begin_with_a_tour
from cpsat_tour.backends.runner import Listing
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.limits import UNLIMITED, Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Watch
from cpsat_tour.core.space import Ints
from cpsat_tour.native.edges import Edges
from cpsat_tour.proofs.check.worth import BestClaim
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.clausal import TOO_MANY, refute_other_tours
from cpsat_tour.proofs.write.subtour_lp import refute_by_bounds
from cpsat_tour.proofs.write.veripb import CycleRows, TourEdges

MAX_LITERALS = 1 << 22
"""Of all tours together; the checker keeps twice as many."""


def prove_count(problem: Problem, limits: Limits = UNLIMITED, on_event: OnEvent | None = None) -> Certificate | None:
    """Return a certificate that the problem has exactly so many tours; None if it has none, which other proofs show.

    `BadInput` for an open tour of a single vertex; `StoppedEarly` at a limit.
    """
    clock = limits.clock()
    cycle = CycleRows(problem)
    if problem.graph.order == 1 and not problem.closed:
        raise BadInput("the one tour of a single vertex has no edge, so that no certificate can count it")
    most = MAX_LITERALS // max(1, cycle.size)
    if cycle.stated.contradiction or not (tours := find_tours(cycle, most, replace(limits, work=None), on_event)):
        return None
    return Certificate(cycle, refute_other_tours(cycle, tours, most, Watch(limits, clock, on_event)))


def find_tours(cycle: CycleRows, most: int, limits: Limits, on_event: OnEvent | None = None) -> list[TourEdges]:
    """Return the edges of each tour, found by the edge search; `StoppedEarly` at a limit, or if there are more than
    ``most``."""
    found: list[TourEdges] = []
    for tours in Listing(cycle.problem, Edges(), limits, most=most + 1, on_event=on_event):
        found += map(tuple, cycle.edges_of(tours).tolist())
    if len(found) > most:
        raise StoppedEarly(TOO_MANY.format(most))
    return found


def prove_best(goal: Goal, tour: Ints, limits: Limits = UNLIMITED, on_event: OnEvent | None = None) -> Certificate:
    """Return a certificate that nothing is better than this tour.

    `BackendFault` if something is better; `BadInput` for a directed graph, and for an open tour of a single vertex;
    `StoppedEarly` at a limit.
    """
    if goal.problem.graph.directed:
        raise BadInput("the best is proved of undirected graphs only, and this one has arcs")
    if goal.problem.graph.order == 1:
        raise BadInput("the one tour of a single vertex has no edge, so that no certificate can show it")

    def fault(better: Ints) -> None:
        said = f"{goal.words(goal.value(tour))} were said to be the {goal.name}"
        raise BackendFault(f"{said}, and there is a tour with {goal.value(better):,}")

    return _prove_none_better(goal, tour, Watch(limits, limits.clock(), on_event), fault, lambda _: None)


def improve_by_bounds(run: BestSearch[Goal]) -> Conclusion:
    """Find better and better tours by branch and bound, until no tour is better; return the `Conclusion`, with the
    certificate. `StoppedEarly` at a limit. Work is counted in ``nodes``."""
    if (none := begin_with_a_tour(run)) is not None:
        return none
    bound = partial(run.offer_bound, known="claimed")
    certificate = _prove_none_better(run.goal, run.best, run, run.offer, bound)
    return Conclusion("lp", certificate.refutation.reason, certificate=certificate)


def _prove_none_better(
    goal: Goal, tour: Ints, watch: Watch, better: Callable[[Ints], None], bound: Callable[[int], None]
) -> Certificate:
    """Return a certificate that nothing is better than the tour, or than the last of those that ``better`` is called
    with. `StoppedEarly` at a limit."""
    claim = BestClaim(goal.objective, goal.maximize, goal.value(tour))
    cycle = CycleRows(goal.problem, claim)
    (edges,) = cycle.edges_of(np.asarray(tour, dtype=np.int32)[None, :]).tolist()
    proof = refute_by_bounds(cycle, tuple(edges), claim, watch, better, bound)
    return Certificate(cycle if proof.best == claim else CycleRows(goal.problem, proof.best), proof)
