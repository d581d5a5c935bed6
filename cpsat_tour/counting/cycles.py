"""The cycles that the frontier method counts: those of a graph, with an apex or two for open tours, or of a quotient
graph.

An open tour is a cycle through an apex that is joined to its permitted ends (`cpsat_tour.core.reduction`). On a
bipartite graph with as many vertices of one colour as of the other the two ends differ in colour; the apex then becomes
two, joined by a required edge, each of them joined to the ends of one colour. So the graph stays bipartite, and a state
has balanced degrees by itself. The required edges of an apex are chosen before all others: a cycle that would close too
early is seen at once.

Symmetric tours are cycles of the *quotient graph*, which has a vertex for each orbit of vertices and an edge for each
orbit of edges. A symmetry that is not the identity takes a cycle to itself as a rotation, or as a reflection, and is
then its own inverse.

*Over.* Of a reflection two places stay where they are, vertices or edges that are turned round. The half of the cycle
from the one to the other passes each orbit of vertices once: it is a Hamiltonian path of the quotient between two
orbits that have such a place, and lifts to one cycle. An apex joins these orbits. An open tour is the half from an end
to its middle: any orbit of pairs may be the end.

*Along.* Of a rotation all orbits of vertices have d members, and d steps round the quotient lead once round the cycle.
Each edge of the quotient has a *voltage*, by how many images the orbit's numbering is passed on (Gross 1974); a
Hamiltonian cycle of the quotient lifts to one cycle exactly where its voltages add up to a number prime to d. Here d is
a power of two, so that they must add up to an odd number: states keep the parity.

Two edges of the quotient may join the same orbits; each is a choice of its own. Limits: no ends, required or forbidden
moves.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle

Edge = tuple[int, int]

CHECK_EVERY = 1 << 12


@dataclass(frozen=True)
class Cycles:
    """The Hamiltonian cycles of a graph on ``0..order-1`` that use all required edges; an ``apex`` that stands for
    the ends of paths has those of its required edges chosen first.

    Where there may be several edges between two vertices, ``parallel`` has the parities of all of them by their ends,
    the lesser first. If only the cycles whose parities add up to an ``odd`` number count, states keep the parity.
    """

    order: int
    neighbours: tuple[frozenset[int], ...]
    required: frozenset[Edge]
    apex: int | None = None
    parallel: Mapping[Edge, tuple[int, ...]] = field(default_factory=dict)
    odd: bool = False

    def parities(self, one: int, other: int) -> tuple[int, ...]:
        """Of each edge between two vertices its parity."""
        return self.parallel.get((min(one, other), max(one, other)), (0,))

    @cached_property
    def required_at(self) -> Mapping[int, set[int]]:
        """For each vertex the other ends of its required edges."""
        ends: Mapping[int, set[int]] = defaultdict(set)
        for tail, head in self.required:
            ends[tail].add(head)
            ends[head].add(tail)
        return ends

    @cached_property
    def begun(self) -> list[Edge]:
        """The required edges at the apex, from there on."""
        return [] if self.apex is None else [(self.apex, other) for other in sorted(self.required_at[self.apex])]

    @cached_property
    def colours(self) -> list[int] | None:
        """1 and -1 for the two colours of a connected bipartite graph, else None."""
        edges = [(vertex, other) for vertex, near in enumerate(self.neighbours) for other in near]
        graph = Graph.from_edges(self.order, edges)
        if graph.colours is None or graph.components.any():
            return None
        signs: list[int] = (1 - 2 * graph.colours).tolist()
        return signs


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
    neighbours = _neighbours_by(order, edges, clock)
    return Cycles(order, neighbours, frozenset(required), apex)


def cycles_in(cycle: CycleProblem, clock: Clock) -> Cycles:
    """The cycles of an undirected cycle problem, an apex being a vertex like others. `StoppedEarly` when the time is
    over."""
    edges = list(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True))
    required = frozenset(itertools.compress(edges, cycle.required.tolist()))
    return Cycles(cycle.order, _neighbours_by(cycle.order, edges, clock), required)


def _neighbours_by(order: int, edges: Iterable[Edge], clock: Clock) -> tuple[frozenset[int], ...]:
    """The neighbours of each vertex. `StoppedEarly` when the time is over."""
    neighbours: list[set[int]] = [set() for _ in range(order)]
    for number, (tail, head) in enumerate(edges):
        if number % CHECK_EVERY == 0:
            clock.check()
        neighbours[tail].add(head)
        neighbours[head].add(tail)
    return tuple(map(frozenset, neighbours))


# --- symmetric tours ---

Orbits = list[list[int]]


def quotient_cycles(problem: Problem, clock: Clock) -> list[tuple[Cycles, list[int]]]:
    """Cycles of the quotient that stand for the symmetric tours, one for one, in one or two parts; with each the least
    vertex of each orbit.

    `BadInput` where there is a `refusal`; `StoppedEarly` when the time is over.
    """
    if (refused := refusal(problem)) is not None:
        raise BadInput(refused)
    assert problem.symmetry is not None
    orbits = _orbits(problem.symmetry.images)
    reflects, rotates = _kinds(problem, orbits)
    over = _over(problem, orbits, clock) if reflects else None
    along = None
    if rotates:
        joined = _quotient(problem.graph, orbits, clock)
        neighbours = _neighbours_by(len(orbits), joined, clock)
        along = Cycles(len(orbits), neighbours, frozenset(), parallel=joined, odd=True)
    representatives = [orbit[0] for orbit in orbits]
    return [(cycles, representatives) for cycles in (over, along) if cycles is not None]


def refusal(problem: Problem) -> str | None:
    """Why symmetric tours can't be counted so, in a sentence; None where they can."""
    if problem.symmetry is None or problem.symmetry.is_identity:
        return None
    asks, instead = "the frontier method counts symmetric tours", "count these by listing, such as with backend edges"
    if problem.start is not None or problem.end is not None or problem.require or problem.forbid:
        return f"{asks} without ends, required and forbidden moves: {instead}"
    orbits = _orbits(problem.symmetry.images)
    times = max(map(len, orbits))
    if _kinds(problem, orbits)[1] and (times & (times - 1) or len(orbits) < 3):
        return (
            f"{asks} of at least 3 orbits, of 2, 4, 8 … vertices each, and here are {len(orbits)} of {times}: {instead}"
        )
    return None


def _kinds(problem: Problem, orbits: Orbits) -> tuple[bool, bool]:
    """Whether the symmetry may turn a tour over, and whether it may move one along itself."""
    symmetry, sizes = problem.symmetry, set(map(len, orbits))
    assert symmetry is not None
    reflects = symmetry.turning != "along" and max(sizes) == 2
    return reflects, problem.closed and symmetry.turning != "over" and len(sizes) == 1


def _orbits(images: Ints) -> Orbits:
    """The orbits, each from its least vertex on in the order in which the permutation goes through it."""
    orbits, seen = [], bytearray(len(images))
    for least in range(len(images)):
        orbit, vertex = [], least
        while not seen[vertex]:
            seen[vertex] = 1
            orbit.append(vertex)
            vertex = int(images[vertex])
        if orbit:
            orbits.append(orbit)
    return orbits


def _quotient(graph: Graph, orbits: Orbits, clock: Clock) -> dict[Edge, tuple[int, ...]]:
    """The parities of the voltages of the edges between each two orbits."""
    orbit_of, phase = np.empty(graph.order, dtype=np.int64), np.empty(graph.order, dtype=np.int64)
    for number, orbit in enumerate(orbits):
        orbit_of[orbit], phase[orbit] = number, np.arange(len(orbit))
    joined: dict[Edge, tuple[int, ...]] = {}
    for number, orbit in enumerate(orbits):
        clock.check()
        for other in graph.neighbours(orbit[0]).tolist():
            there = int(orbit_of[other])
            # The edges of an orbit of edges are as many as the larger orbit of vertices, one at each vertex of it.
            if (len(orbit), number) > (len(orbits[there]), there):
                joined[there, number] = (*joined.get((there, number), ()), int(phase[other]) % 2)
    return joined


def _over(problem: Problem, orbits: Orbits, clock: Clock) -> Cycles | None:
    """The paths through all orbits between two that have a place that stays, or from any orbit to one that has; None
    where there is none."""
    graph, order = problem.graph, len(orbits)
    stay = [number for number, orbit in enumerate(orbits) if len(orbit) == 1 or graph.has_arc(*orbit)]
    joined = {edge: (0,) * len(parities) for edge, parities in _quotient(graph, orbits, clock).items()}
    apex = order if problem.closed else order + 1
    joined |= {(number, apex): (0,) for number in stay}
    # A vertex that stays is where the half begins or ends: it has one edge in the quotient and one to the apex.
    required = {(number, apex) for number in stay if len(orbits[number]) == 1}
    if not len(required) <= (2 if problem.closed else 1) <= len(stay) or (problem.closed and order == 1):
        return None
    if not problem.closed:
        joined |= {(number, order): (0,) for number, orbit in enumerate(orbits) if len(orbit) == 2}
        joined[order, apex] = (0,)
        required.add((order, apex))
    return Cycles(apex + 1, _neighbours_by(apex + 1, joined, clock), frozenset(required), apex, joined)
