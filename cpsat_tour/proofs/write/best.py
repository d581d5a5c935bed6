"""That no tour is better than the best, with a certificate: the best is shown, and that anything is better is refuted
by clauses.

The value of a tour is a sum over pairs of its moves, and the formula has a variable for each pair. That the sum is less
than that of the best becomes clauses by a tree of totals (`totals`); then the cutting-plane loop seeks a better tour,
and collects the cut sets that refute it (`clausal`). Who said that there is none is not believed: if a better one comes
up, that is an error of theirs. Bounds with a proof are those of VeriPB (Gocht & Nordström 2021).

Limits: undirected graphs, goals that are sums over pairs. Clauses see little of a sum, so that the proof may take much
longer than the search.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.backends.best_goals import PairGoal
from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.clausal import surpass
from cpsat_tour.proofs.write.clauses import ClausalProof
from cpsat_tour.proofs.write.formula import RowFormula
from cpsat_tour.proofs.write.rows import CycleRows


def prove_best(
    goal: PairGoal, tour: Ints, limits: Limits | None = None, on_event: OnEvent | None = None
) -> Certificate | Answer:
    """A certificate that nothing is better than this tour; an answer, unknown, where a limit is met.

    `BackendFault` where there is something better. `BadInput` on directed graphs, and for an open tour of a single
    vertex.
    """
    limits = limits or Limits()
    if goal.problem.graph.directed:
        raise BadInput("the best is proved of undirected graphs only, and this one has arcs")
    if goal.problem.graph.order == 1:
        raise BadInput("the one tour of a single vertex has no edge, so that no certificate can show it")
    cycle = CycleRows.of(goal.problem)
    value = goal.value(tour)
    (edges,) = cycle.edges_of(np.asarray(tour, dtype=np.int32)[None, :]).tolist()
    try:
        found = surpass(RowFormula(cycle, goal=goal), tuple(edges), value, limits.clock(), limits.work, on_event)
    except StoppedEarly as stopped:
        return Answer.stopped(str(stopped))
    if not isinstance(found, ClausalProof):
        raise BackendFault(
            f"{goal.words(value)} were said to be the {goal.name}, and there is a tour with "
            f"{goal.value(cycle.tour(found)):,}"
        )
    return Certificate(cycle, found)
