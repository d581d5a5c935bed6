"""The longest uncrossed path or cycle: what is asked, and two ways to it, all paths of a small board and the frontier
method."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from cpsat_tour.backends.best_run import BestRun, Settled
from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.run import Heartbeat
from cpsat_tour.core.tour import canonical
from cpsat_tour.counting.uncrossed import UncrossedSweep
from cpsat_tour.counting.uncrossed_paths import PathSearch
from cpsat_tour.spaces.segments import pairs_that_cross
from cpsat_tour.spaces.uncrossed import verify_uncrossed


@dataclass(frozen=True, eq=False)
class LongestUncrossed:
    """The uncrossed path of most moves, or if the problem is a closed one cycle, with its ends, required and forbidden
    moves.

    `BadInput` for what such a path can't be asked: a symmetry, the end of a cycle, one square as both ends, a directed
    graph.
    """

    problem: Problem

    objective: ClassVar[str] = "uncrossed"
    maximize: ClassVar[bool] = True

    def __post_init__(self) -> None:
        problem = self.problem
        if problem.graph.directed:
            raise BadInput(f"paths of {problem.graph.called} have no crossings: choose an undirected graph")
        if problem.symmetry is not None:
            raise BadInput(f"the {self.name} can't be asked to have the symmetry {problem.symmetry.name}: leave it out")
        if problem.end is not None and (problem.closed or problem.end == problem.start):
            what = "a cycle has no end" if problem.closed else "it is the start as well"
            raise BadInput(f"the {self.name} can't end at {problem.graph.name(problem.end)}: {what}")

    @property
    def sought(self) -> str:
        """``uncrossed path on the 8x8 board``, or ``cycle``."""
        return f"uncrossed {'cycle' if self.problem.closed else 'path'} on {self.problem.graph.called}"

    @property
    def name(self) -> str:
        """``longest uncrossed path``, or ``cycle``."""
        return f"longest uncrossed {'cycle' if self.problem.closed else 'path'}"

    def prepare(self, heartbeat: Heartbeat) -> None:
        """Find the pairs."""
        if "pairs" not in vars(self):
            object.__setattr__(self, "pairs", pairs_that_cross(self.problem.graph, heartbeat))

    @cached_property
    def pairs(self) -> Ints:
        """The edges that can't both be used."""
        return pairs_that_cross(self.problem.graph)

    def words(self, value: int) -> str:
        """``24 moves``."""
        return f"{value:,} move{'s' * (value != 1)}"

    def decided(self) -> Answer | None:
        """That a move is required and forbidden, or that there is a single square."""
        problem, name = self.problem, self.problem.graph.name
        if both := set(problem.require) & set(problem.forbid):
            tail, head = min(both)
            return Answer.without_tour(
                "condition", f"the move {name(tail)}-{name(head)} is both required and forbidden"
            )
        return Answer.with_tour(problem, [0]) if problem.graph.order == 1 and not problem.closed else None

    def value(self, vertices: Ints) -> int:
        """The number of moves."""
        verify_uncrossed(self.problem, vertices)
        return len(vertices) - (not self.problem.closed)

    def canonical(self, vertices: Ints) -> Ints:
        """From the start if that is given, else from the least vertex or the lesser end."""
        return canonical(self.problem, vertices)

    def begin(self, run: BestRun[Any]) -> None:
        """Hand over a path of no move, where there is one."""
        problem = self.problem
        if run.best is None and not (problem.closed or problem.require or None not in (problem.start, problem.end)):
            run.found([problem.start or problem.end or 0])

    def oriented(self, path: Ints) -> Ints:
        """The path or cycle from its start, to its end, as the problem asks."""
        problem = self.problem
        if problem.closed:
            return path if problem.start is None else np.roll(path, -int(np.flatnonzero(path == problem.start)[0]))
        backwards = problem.start == path[-1] if problem.start is not None else problem.end == path[0]
        return path[::-1].copy() if backwards else path


@dataclass(frozen=True)
class UncrossedByPaths:
    """All paths, for boards of at most 64 squares; given up after ``most`` moves, 0 for no such limit."""

    most: int = 0

    takes: ClassVar[frozenset[str]] = frozenset({"uncrossed"})

    def improve(self, run: BestRun[LongestUncrossed]) -> Settled:
        """Longer and longer paths; work is counted in moves."""
        goal = run.goal
        goal.begin(run)
        search = PathSearch(goal.problem, goal.pairs, run.value)
        for path in search.run(run, self.most):
            run.found(goal.oriented(path))
        return Settled(
            "exhausted", f"all that could be as long were grown: {run.work['moves']:,} moves", search.attained
        )


@dataclass(frozen=True)
class UncrossedByFrontier:
    """The frontier method, for narrow boards; wider ones it gives up by a limit on work, or after ``most`` states, 0
    for no such limit."""

    most: int = 0

    takes: ClassVar[frozenset[str]] = frozenset({"uncrossed"})

    def improve(self, run: BestRun[LongestUncrossed]) -> Settled:
        """One sweep; work is counted in states."""
        goal, states = run.goal, 0
        goal.begin(run)
        sweep = UncrossedSweep(goal.problem, goal.pairs, kept=True)
        for swept in sweep.run(run):
            states += len(swept.states.masks)
            if self.most and states > self.most:
                raise StoppedEarly("work")
        if (path := sweep.longest()) is not None:
            run.found(goal.oriented(path))
        return Settled("exhausted", f"the frontier method went through all of them: {states:,} states")
