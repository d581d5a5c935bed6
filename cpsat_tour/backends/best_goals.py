"""Goals: the least or the greatest sum over pairs of moves, the longest uncrossed path.

A *goal* gives a tour its value, and says whether more is better. An uncrossed path need not visit every vertex; no
two of its moves meet inside both. The knight's on square boards are due to Yarbrough (1968) and, by computer, to
Jelliss, Fischer and others (A003192 and A157416 in the On-Line Encyclopedia of Integer Sequences).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cpsat_tour.core.answer import Answer
from cpsat_tour.core.conditions import decide_by_conditions
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.run import Heartbeat
from cpsat_tour.core.tour import check_moves, check_required_and_forbidden_moves, verify
from cpsat_tour.spaces.objectives import OBJECTIVES, PairSum, crossing_moves, pairs_that_cross

MAX_UNCROSSED = 64
"""Vertices of the largest graph for uncrossed paths: a set of vertices is one machine word."""


class Goal(ABC):
    """A goal for tours of a problem: the greatest value if ``maximize``, else the least."""

    problem: Problem
    objective: str
    maximize: bool
    noun = "tour"

    @property
    @abstractmethod
    def name(self) -> str:
        """The goal in words: ``fewest turns``, ``longest uncrossed path``."""

    @property
    def sought(self) -> str:
        """The words for what has such a value: ``closed tour``, ``uncrossed path on the 8x8 board``."""
        return f"{self.problem.kind} tour"

    @abstractmethod
    def words(self, value: int) -> str:
        """Return a value in words: ``32 turns``, ``24 moves``."""

    def answer_without_search(self) -> Answer | None:
        """Return the answer if no search is needed: the only tour, or a refutation; else None."""
        if (known := decide_by_conditions(self.problem)) is not None:
            return known
        reason = to_cycle(self.problem).dead_end_reason()
        return None if reason is None else Answer.without_tour("condition", reason)

    def with_tables(self, heartbeat: Heartbeat) -> Goal:  # noqa: ARG002
        """Return the goal with the tables that every way needs; the heartbeats are for large boards."""
        return self

    @abstractmethod
    def value(self, vertices: Ints) -> int:
        """Return the value of a tour, verified; `TourFault` names its first fault."""


@dataclass(frozen=True, eq=False)
class PairGoal(Goal):
    """The least or the greatest value of an objective of `OBJECTIVES`."""

    problem: Problem
    objective: str
    maximize: bool
    stated: PairSum | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        return f"{'most' if self.maximize else 'fewest'} {OBJECTIVES[self.objective].nouns[1]}"

    def words(self, value: int) -> str:
        return OBJECTIVES[self.objective].words(value)

    def with_tables(self, heartbeat: Heartbeat) -> PairGoal:
        if self.stated is not None:
            return self
        return replace(self, stated=OBJECTIVES[self.objective].pair_sum(self.problem, heartbeat))

    @cached_property
    def pair_sum(self) -> PairSum:
        """The value of a tour as a sum over pairs of its edges."""
        return self.stated or OBJECTIVES[self.objective].pair_sum(self.problem)

    @cached_property
    def cycle(self) -> CycleProblem:
        """The cycle problem, without simplification."""
        return to_cycle(self.problem)

    def value(self, vertices: Ints) -> int:
        verify(self.problem, vertices)
        return int(self.pair_sum.values(np.asarray(vertices, dtype=np.int32)[None, :])[0])


@dataclass(frozen=True, eq=False)
class LongestUncrossed(Goal):
    """The longest uncrossed path, or if the problem is closed cycle, with its ends, required and forbidden moves.

    `BadInput` for a symmetry, the end of a cycle, one square as both ends, and too many squares.
    """

    problem: Problem

    objective = "uncrossed"
    maximize = True

    def __post_init__(self) -> None:
        problem, graph = self.problem, self.problem.graph
        if problem.symmetry is not None:
            raise BadInput(f"the {self.name} can't be asked to have the symmetry {problem.symmetry.name}: leave it out")
        if problem.end is not None and (problem.closed or problem.end == problem.start):
            what = "a cycle has no end" if problem.closed else "it is the start as well"
            raise BadInput(f"the {self.name} can't end at {graph.name(problem.end)}: {what}")
        if graph.order > MAX_UNCROSSED:
            raise BadInput(
                f"the {self.name} is sought on at most {MAX_UNCROSSED} {graph.nouns[1]}, and {graph.called} has "
                f"{graph.order:,}: choose a smaller board"
            )

    @property
    def noun(self) -> str:  # type: ignore[override]
        return "cycle" if self.problem.closed else "path"

    @property
    def sought(self) -> str:
        return f"uncrossed {self.noun} on {self.problem.graph.called}"

    @property
    def name(self) -> str:
        return f"longest uncrossed {self.noun}"

    @cached_property
    def pairs(self) -> Ints:
        """The pairs of edges that cross."""
        return pairs_that_cross(self.problem.graph)

    def words(self, value: int) -> str:
        return f"{value:,} move{'s' * (value != 1)}"

    def answer_without_search(self) -> Answer | None:
        """Return a refutation if a move is required and forbidden, or the path on a single square; else None."""
        problem, name = self.problem, self.problem.graph.name
        if both := set(problem.require) & set(problem.forbid):
            reason = "the move {}-{} is both required and forbidden".format(*map(name, min(both)))
            return Answer.without_tour("condition", reason)
        return Answer.with_tour(problem, [0]) if problem.graph.order == 1 and not problem.closed else None

    def value(self, vertices: Ints) -> int:
        """Return the number of moves; `TourFault` if two cross, or the path breaks the problem otherwise than by
        leaving out vertices."""
        problem, name, path = self.problem, self.problem.graph.name, np.asarray(vertices)
        least = 3 if problem.closed else 1
        if len(path) < least:
            raise TourFault(f"a {self.noun} has at least {least} vertices, and this has {len(path)}")
        if len(np.unique(path)) < len(path) or path.min() < 0 or path.max() >= problem.graph.order:
            raise TourFault("a vertex is visited twice, or is not in the graph")
        check_moves(problem.graph, path, problem.closed)
        check_required_and_forbidden_moves(problem, path)
        for end, wanted in ((path[0], problem.start), (path[-1], problem.end)):
            if wanted is not None and end != wanted:
                raise TourFault(f"the path ends at {name(end)}, not at {name(wanted)}")
        if len(crossed := crossing_moves(problem.graph.space.points(), path, closed=problem.closed)):
            a, b, c, d = (name(path[place % len(path)]) for move in crossed[0].tolist() for place in (move, move + 1))
            raise TourFault(f"the moves {a}-{b} and {c}-{d} cross")
        return len(path) - (not problem.closed)

    def oriented(self, path: Ints) -> Ints:
        """Return the path or cycle from the start, or to the end, of the problem."""
        problem = self.problem
        if problem.closed:
            return path if problem.start is None else np.roll(path, -int(np.flatnonzero(path == problem.start)[0]))
        backwards = problem.start == path[-1] if problem.start is not None else problem.end == path[0]
        return path[::-1].copy() if backwards else path
