"""The cycles that the frontier method counts: those of a graph, with an apex or two for open tours, or of a quotient
graph.

An open tour is a cycle through an apex that is joined to its permitted ends (`cpsat_tour.core.reduction`). On a
bipartite graph with as many vertices of one colour as of the other the two ends differ in colour; the apex then becomes
two, joined by a required edge, each of them joined to the ends of one colour. So the graph stays bipartite, and a state
has balanced degrees by itself. The required edges of an apex are chosen before all others: a cycle that would close too
early is seen at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle

Edge = tuple[int, int]

CHECK_EVERY = 1 << 12


@dataclass(frozen=True)
class Cycles:
    """The Hamiltonian cycles of a graph on ``0..order-1`` that use all required edges; ``begun`` are those of them at
    an apex.

    Where there may be several edges between two vertices, ``parallel`` has the parities of all of them by their ends,
    the lesser first. If only the cycles whose parities add up to an ``odd`` number count, states keep the parity.
    """

    order: int
    neighbours: tuple[frozenset[int], ...]
    required: frozenset[Edge]
    begun: tuple[Edge, ...]
    parallel: Mapping[Edge, tuple[int, ...]] = field(default_factory=dict)
    odd: bool = False

    def parities(self, one: int, other: int) -> tuple[int, ...]:
        """Of each edge between two vertices its parity."""
        return self.parallel.get((min(one, other), max(one, other)), (0,))

    def required_to(self, vertex: int, heads: Iterable[int]) -> set[int]:
        """Those of the heads to which a vertex has a required edge."""
        return {head for head in heads if (vertex, head) in self.required or (head, vertex) in self.required}

    @cached_property
    def colours(self) -> list[int] | None:
        """1 and -1 for the two colours of a connected bipartite graph, else None."""
        colours = [0] * self.order
        colours[0], queue = 1, [0]
        for vertex in queue:
            for other in self.neighbours[vertex]:
                if colours[other] == colours[vertex]:
                    return None
                if not colours[other]:
                    colours[other] = -colours[vertex]
                    queue.append(other)
        return colours if len(queue) == self.order else None


def cycles_of(problem: Problem, clock: Clock) -> Cycles:
    """The cycles that stand for the tours of an undirected problem, one for one. `StoppedEarly` when the time is
    over."""
    cycle = to_cycle(problem)
    order, apex, colours = cycle.order, cycle.apex, problem.graph.colours
    edges = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))
    required = {edge for edge, wanted in zip(edges, cycle.required.tolist(), strict=True) if wanted}
    fixed = problem.start is not None or problem.end is not None
    if apex is not None and not fixed and colours is not None and 2 * int(colours.sum()) == len(colours):
        edges = [(tail, head + int(head == apex and colours[tail])) for tail, head in edges] + [(apex, apex + 1)]
        required.add((apex, apex + 1))
        order += 1
    neighbours = neighbours_by(order, edges, clock)
    begun = (
        []
        if apex is None
        else [(head, tail) if head == apex else (tail, head) for tail, head in required if apex in (tail, head)]
    )
    return Cycles(order, neighbours, frozenset(required), tuple(begun))


def cycles_in(cycle: CycleProblem, clock: Clock) -> Cycles:
    """The cycles of an undirected cycle problem, an apex being a vertex like others. `StoppedEarly` when the time is
    over."""
    edges = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))
    required = frozenset(itertools.compress(edges, cycle.required.tolist()))
    return Cycles(cycle.order, neighbours_by(cycle.order, edges, clock), required, ())


def neighbours_by(order: int, edges: Iterable[Edge], clock: Clock) -> tuple[frozenset[int], ...]:
    """The neighbours of each vertex. `StoppedEarly` when the time is over."""
    neighbours: list[set[int]] = [set() for _ in range(order)]
    for number, (tail, head) in enumerate(edges):
        if number % CHECK_EVERY == 0:
            clock.check()
        neighbours[tail].add(head)
        neighbours[head].add(tail)
    return tuple(map(frozenset, neighbours))
