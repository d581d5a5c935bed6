"""The longest uncrossed path or cycle by CP-SAT over edges: degree equations, a loop for each vertex left out, and cut
sets as they are met.

Of edges that all cross each other at most one is used; such cliques are found greedily, and their linear relaxation is
far better than that of pairs. A path is a cycle through one more vertex, the apex. Asked is always what is longer than
all that is known. Of a solution that is several cycles each is handed over, if it is as the problem asks, and then has
a cut set: what is longer leaves its vertices, if it visits any of them, and so does a path, on its way to the apex (the
generalised subtour constraints; Fischetti, Salazar & Toth 1997).

A second method beside the frontier's, for any width. Cost, for m edges and n vertices: m + n Booleans and n equations,
n more Booleans for a path, and for each cycle that is cut off a sum for each of its vertices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.best_run import BestRun, Settled
from cpsat_tour.backends.best_uncrossed import LongestUncrossed
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.run import paced
from cpsat_tour.core.turning import two_factor_cycles
from cpsat_tour.models.best_circuit import optimised

Arc = tuple[int, int]


@dataclass(frozen=True)
class BestUncrossed:
    """Edges, loops and cut sets."""

    takes: ClassVar[frozenset[str]] = frozenset({"uncrossed"})

    def improve(self, run: BestRun[LongestUncrossed]) -> Settled:
        """Longer and longer paths. Work: ``conflicts`` (the unit of its limit) of all rounds, ``branches``,
        ``propagations``."""
        run.goal.begin(run)
        stated = _Stated(run)
        run.work["cut_sets"] = 0
        while True:
            if run.value is not None:
                stated.model.add(stated.moves > run.value)
            try:
                return optimised(run, stated.model, stated.read)
            except _SeveralCyclesError as several:
                run.work["cut_sets"] += len(several.shores)
                for shore in several.shores:
                    stated.cut(shore)


class _SeveralCyclesError(Exception):
    """A solution of several cycles, none of which is in what is longer than all that was found; ``shores`` are their
    vertices."""

    def __init__(self, shores: list[Ints]) -> None:
        super().__init__()
        self.shores = shores


class _Stated:
    """The model of a goal; ``moves`` is how many there are."""

    def __init__(self, run: BestRun[LongestUncrossed]) -> None:
        self._run, problem, order = run, run.goal.problem, run.goal.problem.graph.order
        self.model, self._apex = cp_model.CpModel(), None if problem.closed else order
        edges = np.stack(problem.graph.edges(), axis=1)
        size, to_apex = len(edges), [(vertex, order) for vertex in range(0 if problem.closed else order)]
        self._ends = np.array(
            [*edges.tolist(), *to_apex, *((vertex, vertex) for vertex in range(order))], dtype=np.int32
        )
        self._chosen = [self.model.new_bool_var("") for _ in paced(self._ends, run.heartbeat)]
        self.moves = cp_model.LinearExpr.sum(self._chosen[:size])
        at: list[list[cp_model.IntVar]] = [[] for _ in range(order + (not problem.closed))]
        for literal, (one, other) in zip(self._chosen, self._ends.tolist(), strict=True):
            at[one].append(literal)
            at[other].append(literal)
        for literals in paced(at, run.heartbeat):
            self.model.add(cp_model.LinearExpr.sum(literals) == 2)
        self._forced = {
            vertex
            for move in (*problem.require, (problem.start,), (problem.end,))
            for vertex in move
            if vertex is not None
        }
        number = {
            (tail, head): literal for (tail, head), literal in zip(self._ends.tolist(), self._chosen, strict=True)
        }
        needed = [
            *problem.require,
            *((end, order) for end in (problem.start, problem.end) if end is not None and not problem.closed),
        ]
        self.model.add_bool_and([number[move] for move in needed])
        self.model.add_bool_and(
            [number[move].negated() for move in (*problem.forbid, *((vertex, vertex) for vertex in self._forced))]
        )
        for clique in paced(cliques(size, run.goal.pairs), run.heartbeat):
            self.model.add_at_most_one(self._chosen[edge] for edge in clique)
        self.model.add(self.moves >= 1)
        self.model.maximize(self.moves)

    def read(self, solution: cp_model.CpSolverSolutionCallback) -> Ints:
        """The one path or cycle of a solution; of several each is handed to the run that is as the problem asks, and
        all are raised."""
        edges = self._ends[[solution.boolean_value(literal) for literal in self._chosen]]
        cycles = [
            cycle for cycle in two_factor_cycles(int(edges.max()) + 1, *edges.T, directed=False) if len(cycle) > 1
        ]
        asked = [
            cycle for cycle in cycles if self._forced <= set(cycle.tolist()) and self._apex in (None, *cycle.tolist())
        ]
        if len(cycles) == 1:
            return self._course(asked[0])
        for cycle in asked:
            self._run.found(self._course(cycle))
        raise _SeveralCyclesError([cycle for cycle in cycles if self._apex not in cycle])

    def _course(self, cycle: Ints) -> Ints:
        """The cycle as the goal has it, or the path that it is without the apex."""
        if self._apex is not None:
            cycle = np.roll(cycle, -int(np.flatnonzero(cycle == self._apex)[0]))[1:]
        return self._run.goal.oriented(cycle)

    def cut(self, shore: Ints) -> None:
        """What visits a vertex of the shore leaves it."""
        leaving = [self._chosen[edge] for edge in np.flatnonzero(np.isin(self._ends, shore).sum(axis=1) == 1).tolist()]
        loops = self._chosen[len(self._ends) - self._run.goal.problem.graph.order :]
        for vertex in shore.tolist():
            self._run.heartbeat()
            self.model.add(cp_model.LinearExpr.sum([*leaving, loops[vertex], loops[vertex]]) >= 2)


def cliques(edges: int, pairs: Ints) -> Iterator[list[int]]:
    """Sets of edges that all cross each other, so that each pair is in one; an edge that crosses no other is one by
    itself."""
    crossing: list[set[int]] = [set() for _ in range(edges)]
    for one, other in pairs.tolist():
        crossing[one].add(other)
        crossing[other].add(one)
    covered: set[Arc] = set()
    yield from ([edge] for edge in range(edges) if not crossing[edge])
    for one, other in pairs.tolist():
        if (one, other) in covered:
            continue
        clique, common = [one, other], crossing[one] & crossing[other]
        while common:
            clique.append(max(common, key=lambda edge: len(common & crossing[edge])))
            common &= crossing[clique[-1]]
        covered.update((min(a, b), max(a, b)) for a in clique for b in clique if a != b)
        yield clique
