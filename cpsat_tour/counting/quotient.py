"""Symmetric tours as cycles of the quotient graph, which has a vertex for each orbit of vertices and an edge for each
orbit of edges.

A symmetry that is not the identity takes a cycle to itself as a rotation, or as a reflection, and is then its own
inverse.

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

from collections.abc import Collection, Sequence

import numpy as np

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph, Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.counting.cycles import Cycles, Edge, neighbours_by

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
    along = _cycles(_quotient(problem.graph, orbits, clock), len(orbits), (), (), clock, odd=True) if rotates else None
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
    fixed = [number for number in stay if len(orbits[number]) == 1]
    required, begun = {(number, apex) for number in fixed}, [(apex, number) for number in fixed]
    if not len(fixed) <= (2 if problem.closed else 1) <= len(stay) or (problem.closed and order == 1):
        return None
    if not problem.closed:
        joined |= {(number, order): (0,) for number, orbit in enumerate(orbits) if len(orbit) == 2} | {
            (order, apex): (0,)
        }
        required, begun = required | {(order, apex)}, [(order, apex), *begun]
    return _cycles(joined, apex + 1, required, begun, clock, odd=False)


def _cycles(
    joined: dict[Edge, tuple[int, ...]],
    order: int,
    required: Collection[Edge],
    begun: Sequence[Edge],
    clock: Clock,
    *,
    odd: bool,
) -> Cycles:
    return Cycles(order, neighbours_by(order, joined, clock), frozenset(required), tuple(begun), joined, odd)
