"""The cutting-plane loop: solve a relaxation, find the cycles of its solution, merge what can be merged, cut off the
rest, solve again.

Every Hamiltonian cycle uses at least two edges of each cut set δ(S); as all degrees are two, one edge is as good as
two, and a cut set is one clause (Dantzig, Fulkerson & Johnson 1954 for the inequality; lazily in SAT: Zhou 2020, §6,
over the arcs that leave, and Ohashi et al. 2025).

It is the loop of Dantzig, Fulkerson & Johnson (1954). A relaxation has the degree constraints and the cut sets added so
far, so its solutions are 2-factors. A 2-factor of one cycle is Hamiltonian; of any other, each cycle is a shore whose
cut set it violates, and so is each union of cycles. Cycles are merged by exchanging edges before they are cut off
(`merging`; Ohashi et al. 2025): often a tour comes of it, and if not, the cut sets of what can't be merged are few, and
the ones that matter. The first rounds do without (`MERGE_FROM`), and what is easy needs no more. A cycle that was found
is blocked, and the loop goes on to the next. Everything that cuts subtours off between solves, for one cycle, for all
of them or for a proof, is driven from here. A *separation* says which cut sets a solution violates: a linear program,
whose solutions are fractional, comes with one of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import CutSetAdded, Progress, TwoFactorFound, Watch
from cpsat_tour.core.space import Ints
from cpsat_tour.models.loop.merging import Merging


def cut_sets(graph: CycleProblem, cycles: list[Ints]) -> list[Ints]:
    """Return the cut set of each cycle of a 2-factor, the edges that leave it.

    Two cycles have one between them, which is returned once. The time is linear in the edges (and a sort of those that
    leave a cycle).
    """
    label = np.empty(graph.order, dtype=np.int32)
    label[np.concatenate(cycles)] = np.repeat(np.arange(len(cycles), dtype=np.int32), [len(cycle) for cycle in cycles])
    tails, heads = label[graph.tails], label[graph.heads]
    leaving = np.flatnonzero(tails != heads).astype(np.int32)
    ends = np.concatenate([tails[leaving], heads[leaving]])
    edges = np.tile(leaving, 2)[np.argsort(ends, kind="stable")]
    cuts = np.split(edges, np.cumsum(np.bincount(ends, minlength=len(cycles)))[:-1])
    return cuts[:1] if len(cycles) == 2 else cuts


def cut_set(problem: CycleProblem, vertices: list[int]) -> Ints:
    """Return the edges with exactly one end among the vertices.

    It takes time linear in the degrees of these vertices.
    """
    indptr, incident = problem.incidence
    inside = np.array(vertices)
    starts = indptr[inside].astype(np.int64)
    counts = indptr[inside + 1] - starts
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    edges = np.sort(incident[np.repeat(starts, counts) + offsets])
    # An edge within the set was listed from both ends, an edge that leaves it once.
    twice = edges[1:] == edges[:-1]
    lonely = np.ones(len(edges), dtype=bool)
    lonely[1:] &= ~twice
    lonely[:-1] &= ~twice
    return edges[lonely]


EdgeNumbers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class CutSet:
    """A shore's vertices, and the edges with exactly one end among them.

    One of the items ``unless``, of routes, stands for two of the edges.
    """

    shore: Ints
    edges: Ints
    unless: Sequence[int] = ()


MERGE_FROM = 200_000
"""The edges of all 2-factors so far from which on cycles are merged.

To load what merges takes as long as the rounds before.
"""

Point = TypeVar("Point")
"""A solution of a relaxation: the numbers of a 2-factor's edges, or a value for each edge where the relaxation is
fractional."""


class Relaxation(Protocol[Point]):
    """The degree constraints and some cut sets in a solver; each family of solvers has a small class for it."""

    def solve(self) -> Point | None:
        """Return a solution of all constraints so far, None if there is none; `StoppedEarly` when a limit is met
        first."""

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add the constraints that at least two edges of each cut set are used.

        One, where all degrees are two, is as good.
        """

    def block(self, point: Point) -> None:
        """Exclude this solution from now on: not all of these edges are used."""


Separation = Callable[[Point], Sequence[CutSet]]
"""The cut sets that a solution violates, or some of them; none where it violates none."""


def cutting_planes(
    relaxation: Relaxation[Point], separation: Separation[Point], graph: CycleProblem, run: Watch
) -> Iterator[tuple[Point, Sequence[CutSet]]]:
    """Solve the relaxation again and again; yield each solution with the cut sets that it violates. `StoppedEarly` at a
    limit.

    The cut sets are added; a solution that violates none is blocked. ``work`` counts the rounds and the cut sets.
    """
    run.work.update(rounds=0, cut_sets=0)
    while (point := relaxation.solve()) is not None:
        run.work["rounds"] += 1
        if violated := separation(point):
            relaxation.cut(violated)
            run.work["cut_sets"] += len(violated)
            for cut_set in violated:
                run.tell(CutSetAdded(len(cut_set.shore), _vertices_for_events(cut_set.shore, graph)))
        yield point, violated
        if not violated:
            relaxation.block(point)
        run.tell(Progress(dict(run.work)))


def hamiltonian_cycles(relaxation: Relaxation[EdgeNumbers], graph: CycleProblem, run: Watch) -> Iterator[Ints]:
    """Yield the Hamiltonian cycles that satisfy the relaxation, each once, as an array of one row with the vertices in
    order; `StoppedEarly` at a limit.

    ``work`` counts the rounds, the cut sets, and the cycles of the last 2-factor: those of the solver, and those left
    after merging. A 2-factor is cut off even where it merges into a tour, and that tour is blocked.
    """
    run.work.update(cycles=0, merged=0)
    separation, given = _MergingSeparation(graph, run), set[bytes]()
    for _, violated in cutting_planes(relaxation, separation.violated, graph, run):
        if len(separation.left) == 1 and (tour := np.sort(separation.merged).tobytes()) not in given:
            given.add(tour)
            yield separation.left[0][None, :]
            if violated:
                relaxation.block(separation.merged)


class _MergingSeparation:
    """Finds the cut sets that 2-factors violate, after merging their cycles.

    ``merged`` has the edges of the last 2-factor after merging, and ``left`` their cycles.
    """

    def __init__(self, graph: CycleProblem, run: Watch) -> None:
        self._graph, self._run = graph, run
        self._seen = 0

    def violated(self, edges: EdgeNumbers) -> list[CutSet]:
        """Return cut sets that a 2-factor violates, none if it is one cycle, after merging its cycles where that pays.

        They are those of the cycles left, or of the shortest cycle before if one is left. Nothing is merged in the
        first rounds, nor where there are waypoints. Two shores that together are
        all vertices have one cut set.
        """
        cycles = shores = self.left = self._cycles(edges)
        self.merged = edges
        self._seen += len(edges)
        if len(cycles) > 1 and self._seen >= MERGE_FROM and not self._graph.stops:  # merging disregards waypoints
            self.merged = self._merging.merge(edges)
            shores = self.left = self._cycles(self.merged)
        self._run.work.update(cycles=len(cycles), merged=len(self.left))
        if len(cycles) == 1:
            return []
        if len(shores) == 1:
            shores = [cycles[0], np.concatenate(cycles[1:])]
        return [CutSet(shore, cut) for shore, cut in zip(shores, cut_sets(self._graph, shores), strict=False)]

    def _cycles(self, edges: EdgeNumbers) -> list[Ints]:
        """Return the cycles of a 2-factor, and tell the run's listener of them."""
        cycles = self._graph.cycles(edges)
        members = tuple(_vertices_for_events(cycle, self._graph) for cycle in cycles)
        self._run.tell(TwoFactorFound(len(cycles), members))
        return cycles

    @cached_property
    def _merging(self) -> Merging:
        """The `Merging` of the graph's cycles; it is made when it is first needed."""
        return Merging(self._graph)


def _vertices_for_events(vertices: Ints, graph: CycleProblem) -> tuple[int, ...]:
    """Return the vertices as events name them, the apex as -1."""
    return tuple(-1 if vertex == graph.apex else vertex for vertex in vertices.tolist())
