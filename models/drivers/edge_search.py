"""The frame of the SAT backends whose variables are the edges: degree constraints now, cut sets later, tours out of it one by one.

The formula has one variable for each undirected edge and, where `degree` says so, two for a vertex. Its models are the 2-factors that
use the required edges; how subtours are cut off is what the formulations differ in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

import numpy as np

from cpsat_tour.core.answer import Limits
from cpsat_tour.core.events import Event, OnEvent, Progress
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import HamiltonProblem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.models.degree import exactly_two_edges_at_each_vertex, required_edges
from cpsat_tour.models.drivers.sat import LimitReached, Oracle
from cpsat_tour.models.numbering import number_edges


class EdgeSearch(ABC):
    """A search for Hamiltonian cycles as models over edge variables, which gives them one after the other.

    ``work`` holds the counters of the formulation; those of the solver are added when it has come to rest. ``constraints`` says what is
    stated at the beginning.
    """

    constraints = "the degree constraints"

    def __init__(self, problem: HamiltonProblem, oracle: Oracle, limits: Limits, on_event: OnEvent | None) -> None:
        self.clock = limits.clock()
        self.problem: CycleProblem = to_cycle(problem)
        self.oracle = oracle
        self.oracle.conflicts_left = limits.work
        self.on_event = on_event
        self.work: dict[str, int] = {"cut_sets": 0}
        self.seed = limits.seed
        self.numbering = number_edges(self.problem, limits.seed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        self.oracle.close()

    @abstractmethod
    def next_cycle(self) -> Ints | None:
        """The next Hamiltonian cycle as its vertices in order, None when there is no other; `LimitReached` when a limit is met."""

    def state_the_constraints(self) -> None:
        """Give the solver what it is to know at first: degree constraints and required edges; looks at the clock after each batch."""
        for clauses in exactly_two_edges_at_each_vertex(self.problem, self.numbering):
            self.oracle.add(clauses)
            self.heartbeat()
        self.oracle.add(required_edges(self.problem, self.numbering))

    def block(self, cycle: Ints) -> None:
        """Forbid this cycle: not all of its edges. One with fewer of them does not exist."""
        source = self.problem.tour(cycle)
        self.oracle.add(-self.numbering.variables[self.problem.chosen(source)][None, :])

    def heartbeat(self) -> None:
        """Tell how far the search is; `LimitReached` if its time is over."""
        self.tell(Progress(dict(self.work)))
        if self.clock.expired:
            raise LimitReached("time")

    def tell(self, event: Event) -> None:
        """Hand the event to whoever listens."""
        if self.on_event is not None:
            self.on_event(event)

    @property
    def total_work(self) -> dict[str, int]:
        """All counters, the solver's own among them."""
        return {**self.oracle.work, **self.work}

    def vertex_without_two_edges(self) -> str | None:
        """The degree constraint that no choice of edges can meet, in words; None if each has its edges."""
        degrees = np.diff(self.problem.incidence[0])
        poor = np.flatnonzero(degrees < 2)
        if not len(poor):
            return None
        vertex = int(poor[0])
        if vertex == self.problem.apex:
            return "there are no two squares that a tour could end at"
        name = self.problem.source.graph.name(vertex)
        return f"{name} has fewer than two moves" + ("" if self.problem.source.closed else " and can't be an end")
