"""The cutting-plane loop: solve a relaxation, find the cycles of its solution, cut off those that are no tour, solve again.

It is the loop of Dantzig, Fulkerson & Johnson (1954). A relaxation has the degree constraints and the cut sets added so far, so its solutions
are 2-factors. A 2-factor of one cycle is Hamiltonian; of any other, each cycle is a shore whose cut set it violates. A cycle that was found
is blocked, and the loop goes on to the next. Everything that cuts subtours off between solves, for one cycle, for all of them or for a
proof, is driven from here. A *separation* says which cut sets a solution violates: a linear program, whose solutions are fractional, comes
with one of its own. Limit: on boards from about 100x100 on the number of rounds has a heavy tail, for each round is solved without
regard to the cycles that it closes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.events import CutSetAdded, Event, Progress, TwoFactorFound
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import two_factor_cycles
from cpsat_tour.models.cutsets import EdgeList, cut_sets

EdgeNumbers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class CutSet:
    """The vertices of a shore, and the edges with exactly one end among them."""

    shore: Ints
    edges: Ints


Point = TypeVar("Point")
"""A solution of a relaxation: the numbers of a 2-factor's edges, or a value for each edge where the relaxation is fractional."""


class Relaxation(Protocol[Point]):
    """The degree constraints and some cut sets in a solver: one small class for each solver family."""

    def solve(self) -> Sequence[Point]:
        """At least one solution of all constraints so far; none where none is left.

        `StoppedEarly` when a limit is met first.
        """

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """From now on, at least two edges of each of these (one, which is as good where all degrees are two)."""

    def block(self, point: Point) -> None:
        """From now on, not this solution: not all of these edges."""


Separation = Callable[[Point], Sequence[CutSet]]
"""The cut sets that a solution violates, or some of them; none where it violates none."""


class Listener(Protocol):
    """Who keeps the counters of a run and hears of its events: a `cpsat_tour.core.run.Run`, or a prover's."""

    @property
    def work(self) -> dict[str, int]: ...
    def tell(self, event: Event) -> None:
        """Hear an event."""


def uncut(relaxation: Relaxation[Point], separation: Separation[Point], graph: EdgeList, run: Listener) -> Iterator[Point]:
    """The solutions of the relaxation in which the separation finds no violated cut set, each once.

    ``work`` counts the rounds and the cut sets.
    """
    run.work.update(rounds=0, cut_sets=0)
    while points := relaxation.solve():
        run.work["rounds"] += 1
        for point in points:
            if violated := separation(point):
                relaxation.cut(violated)
                run.work["cut_sets"] += len(violated)
                for cut_set in violated:
                    run.tell(CutSetAdded(len(cut_set.shore), _told(cut_set.shore, graph)))
            else:
                yield point
                relaxation.block(point)
            run.tell(Progress(dict(run.work)))


def hamiltonian_cycles(relaxation: Relaxation[EdgeNumbers], graph: EdgeList, run: Listener) -> Iterator[Ints]:
    """The Hamiltonian cycles that the relaxation allows, each once, as their vertices in order.

    ``work`` counts the rounds, the cut sets, and the cycles of the last 2-factor.
    """
    run.work["cycles"] = 0
    cycles: list[Ints] = []

    def around_each_cycle(edges: EdgeNumbers) -> list[CutSet]:
        cycles[:] = two_factor_cycles(graph.order, graph.tails[edges], graph.heads[edges], directed=False)
        run.work["cycles"] = len(cycles)
        run.tell(TwoFactorFound(len(cycles), tuple(_told(cycle, graph) for cycle in cycles)))
        return [] if len(cycles) == 1 else [CutSet(cycle, cut) for cycle, cut in zip(cycles, cut_sets(graph, cycles), strict=False)]

    for _ in uncut(relaxation, around_each_cycle, graph, run):
        yield cycles[0]


def _told(vertices: Ints, graph: EdgeList) -> tuple[int, ...]:
    """The vertices as events have them."""
    return tuple(-1 if vertex == graph.apex else vertex for vertex in vertices.tolist())
