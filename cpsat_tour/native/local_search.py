"""The backend ``rotations``: a Hamiltonian cycle by rotations and extensions of paths, which finds and never refutes.

The vertices stand on a circle. Two neighbours on it that no edge joins are a *gap*, so the order is a set of paths, and
without gaps it is a Hamiltonian cycle. At a gap a | b a *rotation* takes an edge from a to some c, whose successor is
d, and turns the vertices from b to c round: then a c and b d stand side by side. The gap is closed if b d is an edge,
otherwise it is now there; if c | d was a gap two paths have become one. So the number of gaps never grows. On one path
this is the rotation of Pósa (1976); on a circle with several gaps it is the 2-opt move of Croes (1958), and paths are
extended and joined by the same move. Of the rotations at a gap, on either side, the search takes one that leaves the
fewest gaps, and among these the one whose new end was an end the longest time ago, which keeps it from turning in a
small circle. A required edge is never opened.

The search itself is `rotations.c`, called in slices. It restarts from other paths, with budgets of
rotations by Luby's sequence (Luby, Sinclair & Zuckerman 1993). On dense graphs its time is nearly linear in the number
of vertices: random graphs have Hamiltonian cycles that rotations find (Pósa 1976, Angluin & Valiant 1979). Limits:
without a cycle, and without a limit, it never ends; on sparse graphs with few cycles it rarely finds one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Graph, row_starts
from cpsat_tour.core.kernels import Record, kernel, random_state
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Flags, Ints, Longs, Naturals
from cpsat_tour.native.edges import luby

RESTART_ROTATIONS = 10  # the budget of the first search for each vertex; the others have Luby's multiples of it

SLICE_WORK = 20_000_000  # vertices turned round between two heartbeats, at most

NO_VERTEX = np.uint32(0xFFFFFFFF)

GAPS, STEPS, GAP, COUNTERS = range(4)
"""The counters of a search: its gaps, the rotations so far, and the place of the gap at work, which is before its
second end."""

MAX_UNVISITED = 1000  # a path with more unvisited vertices is not mended
MAX_MENDING = 60_000  # rotations at most


class Circle(Record):
    """A local search under way, as `rotations.c` describes it."""

    order: int
    first: Annotated[Naturals, "order+1"]
    heads: Naturals
    required: Annotated[Naturals, "2*order"]
    tour: Annotated[Naturals, "order"]
    place: Annotated[Naturals, "order"]
    last: Annotated[Longs, "order"]
    counters: Annotated[Longs, "3"]
    random: Annotated[NDArray[np.uint64], "1"]


@kernel
def rotations_restart(circle: Circle) -> int:
    """Put the vertices in a new random order and return 1; return 0 if the required edges close a cycle, so that no
    order joins the ends of each."""


@kernel
def rotations_rotate(circle: Circle, budget: int) -> int:
    """Rotate until no gap (two neighbours on the circle without an edge) is left, or none can be rotated, at most
    ``budget`` times; return the number of rotations."""


@kernel
def rotations_count_gaps(circle: Circle) -> int:
    """Count the gaps, the neighbours on the circle without an edge; set the counter and return it."""


@kernel
def rotations_fault(circle: Circle) -> int:
    """Return 0 while the state satisfies the invariant in `rotations.c`, else the number of the first condition that
    fails."""


@dataclass(frozen=True)
class Rotations:
    """The backend ``rotations``: a tour by local search, or unknown."""

    takes: ClassVar[frozenset[str]] = frozenset()
    unit: ClassVar[str] = "rotations"
    refutes: ClassVar[bool] = False

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield one Hamiltonian cycle and then raise `StoppedEarly`, as at a limit, or without a cycle if there can be
        none: this search never refutes.

        Work is counted in rotations.
        """
        run.work = {"rotations": 0, "searches": 0, "gaps": 0}
        ends = np.concatenate([run.cycle.tails[run.cycle.required], run.cycle.heads[run.cycle.required]])
        if np.bincount(ends, minlength=1).max() > 2:
            raise StoppedEarly("three required moves at a vertex")
        circle = new_circle(run.cycle, run.limits.seed)
        slice_rotations = max(16, SLICE_WORK // run.cycle.order)
        attempt = 0
        while True:
            attempt += 1
            run.work["searches"] += 1
            if not rotations_restart(circle):
                raise StoppedEarly("required moves that close a cycle")
            budget = RESTART_ROTATIONS * run.cycle.order * luby(attempt)
            while budget > 0:
                left = run.work_left("rotations")
                if circle.counters[GAPS] and left == 0:
                    raise StoppedEarly("work")
                rotations = rotations_rotate(circle, min(slice_rotations, budget, budget if left is None else left))
                run.work["rotations"] += max(1, rotations)  # a look that finds no rotation is work too
                run.work["gaps"] = int(circle.counters[GAPS])
                if not circle.counters[GAPS]:
                    yield circle.tour.astype(np.int32)[None, :]
                    raise StoppedEarly("the backend finds one tour and lists no others")
                run.heartbeat()
                budget -= max(1, rotations)
                if not rotations:
                    break


def mended_path(
    graph: Graph, path: Naturals, may_end: Flags, seed: int, check_time: Callable[[], None]
) -> tuple[Naturals | None, int]:
    """Return a path through all vertices of an undirected graph, made of this one by rotations, or None if they find
    none; and the number of rotations.

    The new path begins at the same vertex and ends at a permitted one.

    The few vertices that a search leaves unvisited on a large board are far from the end of its path. An apex that is
    joined to the first vertex and to the permitted ends makes the path a circle, with gaps at the unvisited vertices.
    ``check_time`` is called every now and then, and may raise.
    """
    unvisited = np.setdiff1d(np.arange(graph.order, dtype=np.uint32), path)
    if len(unvisited) > MAX_UNVISITED:
        return None, 0
    circle, rotations = _circle_of_path(graph, path, unvisited, may_end, seed), 0
    while circle.counters[GAPS] and rotations < MAX_MENDING:
        made = rotations_rotate(circle, max(16, SLICE_WORK // graph.order))
        rotations += made
        check_time()
        if not made:
            break
    if circle.counters[GAPS]:
        return None, rotations
    around = np.roll(circle.tour, -int(circle.place[graph.order]))
    return (around if around[1] == path[0] else np.roll(around[::-1], 1))[1:], rotations


def _circle_of_path(graph: Graph, path: Naturals, unvisited: Naturals, may_end: Flags, seed: int) -> Circle:
    """Return the circle of an extra vertex, the path and the unvisited vertices; a required edge joins the extra vertex
    to the first of the path."""
    apex, root = graph.order, int(path[0])
    joined = may_end.copy()
    joined[root] = True
    beside = np.flatnonzero(joined)
    first = row_starts(np.append(graph.degrees + joined, len(beside)))
    heads = np.append(np.insert(graph.indices, graph.indptr[beside + 1], apex), beside)
    circle = _new_circle(first, heads, [(apex, root)], np.concatenate([[apex], path, unvisited]), seed)
    rotations_count_gaps(circle)
    circle.counters[GAP] = len(path)
    return circle


def new_circle(cycle: CycleProblem, seed: int) -> Circle:
    """Return the circle of an unstarted search; the cycle problem has at most two required edges at each vertex."""
    edges = np.stack([cycle.tails, cycle.heads], axis=1)
    graph = Graph.from_edges(cycle.order, edges)
    return _new_circle(graph.indptr, graph.indices, edges[cycle.required].tolist(), np.arange(cycle.order), seed)


def _new_circle(
    first: NDArray[Any], heads: NDArray[Any], required: list[tuple[int, int]], tour: NDArray[Any], seed: int
) -> Circle:
    """Return the circle with the vertices in the order of ``tour``; ``heads[first[v]:first[v + 1]]`` are the neighbours
    of v."""
    partners = np.full((len(tour), 2), NO_VERTEX, dtype=np.uint32)
    for edge in required:
        for v, u in (edge, reversed(edge)):
            partners[v, int(partners[v, 0] != NO_VERTEX)] = u
    return Circle(
        order=len(tour),
        first=first.astype(np.uint32),
        heads=heads.astype(np.uint32),
        required=partners,
        tour=tour.astype(np.uint32),
        place=np.argsort(tour).astype(np.uint32),
        last=np.zeros(len(tour), dtype=np.int64),
        counters=np.zeros(COUNTERS, dtype=np.int64),
        random=random_state(seed),
    )
