"""The longest uncrossed path or cycle: no two of its moves meet inside both, and it need not visit every vertex.

The squares were solved for the knight by Yarbrough (1968) and, by computer, by Jelliss, Fischer and others; the numbers
of moves are A003192 (open) and A157416 (closed) in the On-Line Encyclopedia of Integer Sequences.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cpsat_tour.backends.best_run import BestRun, Goal, Settled
from cpsat_tour.core.answer import Answer
from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import every_move_is_an_arc, required_and_forbidden_moves
from cpsat_tour.spaces.segments import crossing_moves, pairs_that_cross

MAX_VERTICES = 64
"""A set of vertices is one word."""


@dataclass(frozen=True, eq=False)
class LongestUncrossed(Goal):
    """The uncrossed path of most moves, or if the problem is a closed one cycle, with its ends, required and forbidden
    moves.

    `BadInput` for what such a path can't be asked: a symmetry, the end of a cycle, one square as both ends, too many
    squares.
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
        if graph.order > MAX_VERTICES:
            raise BadInput(
                f"the {self.name} is sought on at most {MAX_VERTICES} {graph.nouns[1]}, and {graph.called} has "
                f"{graph.order:,}: choose a smaller board"
            )

    @property
    def noun(self) -> str:
        """``path`` or ``cycle``."""
        return "cycle" if self.problem.closed else "path"

    @property
    def sought(self) -> str:
        """``uncrossed path on the 8x8 board``."""
        return f"uncrossed {self.noun} on {self.problem.graph.called}"

    @property
    def name(self) -> str:
        """``longest uncrossed path``."""
        return f"longest uncrossed {self.noun}"

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
            reason = "the move {}-{} is both required and forbidden".format(*map(name, min(both)))
            return Answer.without_tour("condition", reason)
        return Answer.with_tour(problem, [0]) if problem.graph.order == 1 and not problem.closed else None

    def value(self, vertices: Ints) -> int:
        """The number of moves; `TourFault` where two cross, or the path is not as asked but for vertices left out."""
        problem, name, path = self.problem, self.problem.graph.name, np.asarray(vertices)
        least = 3 if problem.closed else 1
        if len(path) < least:
            raise TourFault(f"a {self.noun} has at least {least} vertices, and this has {len(path)}")
        if len(np.unique(path)) < len(path) or path.min() < 0 or path.max() >= problem.graph.order:
            raise TourFault("a vertex is visited twice, or is none")
        every_move_is_an_arc(problem.graph, path, problem.closed)
        required_and_forbidden_moves(problem, path)
        for end, wanted in ((path[0], problem.start), (path[-1], problem.end)):
            if wanted is not None and end != wanted:
                raise TourFault(f"the path ends at {name(end)}, not at {name(wanted)}")
        if len(crossed := crossing_moves(problem.graph.space.points(), path, closed=problem.closed)):
            a, b, c, d = (name(path[place % len(path)]) for move in crossed[0].tolist() for place in (move, move + 1))
            raise TourFault(f"the moves {a}-{b} and {c}-{d} cross")
        return len(path) - (not problem.closed)

    def oriented(self, path: Ints) -> Ints:
        """The path or cycle from its start, to its end, as the problem asks."""
        problem = self.problem
        if problem.closed:
            return path if problem.start is None else np.roll(path, -int(np.flatnonzero(path == problem.start)[0]))
        backwards = problem.start == path[-1] if problem.start is not None else problem.end == path[0]
        return path[::-1].copy() if backwards else path


def grow_paths(run: BestRun[LongestUncrossed]) -> Settled:
    """Grow all paths that could be as long as the longest so far; work is counted in ``moves``."""
    from cpsat_tour.counting.uncrossed_paths import PathSearch  # a compiler takes a while to load

    goal, problem = run.goal, run.goal.problem
    if run.best is None and not (problem.closed or problem.require or None not in (problem.start, problem.end)):
        run.found([problem.start or problem.end or 0])
    search = PathSearch(problem, goal.pairs, run.value)
    for path in search.run(run, run.budget):
        run.found(goal.oriented(path))
        if len(path) == problem.graph.order:
            return Settled("exhausted", f"it visits every one of the {len(path)} {problem.graph.nouns[1]}")
    return Settled("exhausted", f"all that could be as long were grown: {run.work['moves']:,} moves", search.attained)
