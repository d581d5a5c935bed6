"""How many tours there are, with a certificate: each is shown and excluded, and that none is left is refuted by
clauses.

The edge search lists the tours, which is fast and needs no trust: the cutting-plane loop begins from what was listed,
would find any tour that was left out, and collects the cut sets that refute the rest (`clausal`). The checker sees for
itself that each is a tour and none comes twice. Enumeration with a proof is that of VeriPB (Gocht, McCreesh &
Nordström, *Subgraph isomorphism meets cutting planes*, 2020).

Limits: a tour takes a line as long as there are edges, and a proof has at most `MAX_LITERALS` in such lines; clauses
refute no odd board of any size, so a count of none is left to the other proofs.
"""

from __future__ import annotations

from cpsat_tour.backends.listing import Listing
from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.problem import Problem
from cpsat_tour.native.edges import Edges as EdgeSearch
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.clausal import exhaust
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.proofs.write.rows import CycleRows, Edges

MAX_LITERALS = 1 << 22
"""Of all tours together; the checker keeps twice as many."""


def prove_count(
    problem: Problem, limits: Limits | None = None, on_event: OnEvent | None = None
) -> Certificate | Answer:
    """A certificate that the problem has exactly so many tours, or that it has none; an answer, unknown, where a limit
    is met.

    `BadInput` for an open tour of a single vertex.
    """
    limits = limits or Limits()
    clock = limits.clock()
    cycle = CycleRows.of(problem)
    if problem.graph.order == 1 and not problem.closed:
        raise BadInput("the one tour of a single vertex has no edge, so that no certificate can count it")
    try:
        tours = (
            []
            if cycle.contradiction
            else _listed(cycle, Limits(clock.left, None, limits.threads, limits.seed), on_event)
        )
        if tours:
            return Certificate(cycle, exhaust(cycle, clock, tours, _most(cycle), limits.work, on_event))
    except StoppedEarly as stopped:
        return Answer.stopped(str(stopped))
    return _none(problem, limits, clock, on_event)


def _none(problem: Problem, limits: Limits, clock: Clock, on_event: OnEvent | None) -> Certificate | Answer:
    """A certificate that there is no tour."""
    return prove(problem, "auto", Limits(clock.left, limits.work, limits.threads, limits.seed), on_event)


def _listed(cycle: CycleRows, limits: Limits, on_event: OnEvent | None) -> list[Edges]:
    """The edges of each tour, as the edge search finds them; `StoppedEarly` where there are more than a certificate can
    show."""
    most = _most(cycle)
    found: list[Edges] = []
    for batch in Listing(cycle.problem, EdgeSearch(), limits, most=most + 1, on_event=on_event):
        found += map(tuple, cycle.edges_of(batch.tours).tolist())
    if len(found) > most:
        raise StoppedEarly(f"more than {most:,} tours")
    return found


def _most(cycle: CycleRows) -> int:
    return MAX_LITERALS // max(1, cycle.size)
