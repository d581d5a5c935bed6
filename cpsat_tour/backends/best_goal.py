"""The goal of a search for the best tour: the least or the greatest value of an objective."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.run import Heartbeat
from cpsat_tour.core.verify import verify
from cpsat_tour.formats.formula import Cnf
from cpsat_tour.spaces.objectives import OBJECTIVES, PairSum


@dataclass(frozen=True, eq=False)
class Goal:
    """The greatest value of an objective of `OBJECTIVES` among the tours of a problem if ``maximize``, else the
    least."""

    problem: Problem
    objective: str
    maximize: bool
    stated: PairSum | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The goal in words: ``fewest turns``."""
        return f"{'most' if self.maximize else 'fewest'} {OBJECTIVES[self.objective].nouns[1]}"

    def words(self, value: int) -> str:
        """Return a value in words: ``32 turns``."""
        return OBJECTIVES[self.objective].words(value)

    def with_pairs(self, heartbeat: Heartbeat) -> Goal:
        """Return the goal with its pairs of edges, which take a while on a large board."""
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
        """Return the value of a tour, verified; `TourFault` names its first fault."""
        verify(self.problem, vertices)
        return int(self.pair_sum.values(np.asarray(vertices, dtype=np.int32)[None, :])[0])

    def stated_in(self, formula: Cnf) -> Cnf:
        """Return the formula of the problem with the goal: a variable for each pair of edges that counts, and it, or
        its negation, as a soft clause. A pair that is wanted implies its two edges, they imply one that is not."""
        pairs = self.pair_sum.pairs_in(formula.cycle)
        both = formula.variables + np.arange(1, len(pairs) + 1, dtype=np.int32)
        first, second = (np.argsort(formula.edges)[pairs].astype(np.int32) + 1).T
        wanted = self.maximize == (self.pair_sum.weight > 0)
        columns = [(-both, first), (-both, second)] if wanted else [(both, -first, -second)]
        blocks = [*formula.blocks, *(np.stack(column, axis=1) for column in columns)]
        soft = both if wanted else -both
        return replace(formula, variables=formula.variables + len(pairs), blocks=blocks, soft=soft, goal=self.name)


def goal_of(problem: Problem, minimize: str | None = None, maximize: str | None = None) -> Goal:
    """Return the goal that one of these arguments names; `BadInput` if none or both do, or the space has no such
    goal."""
    given = [name for name in (minimize, maximize) if name is not None]
    if len(given) != 1:
        many = "2 goals are" if given else "no goal is"
        raise BadInput(f"{many} given: minimize or maximize one of {', '.join(OBJECTIVES)}")
    if not isinstance(given[0], str):
        raise BadInput(f"a goal can't be {given[0]!r:.80}: give its name, such as 'turns'")
    if given[0] not in OBJECTIVES:
        others = "; the others are longest_path, longest_cycle and fewest_paths"
        raise BadInput(f"{given[0]!r:.40} is not an objective: choose {' or '.join(OBJECTIVES)}{others}")
    if problem.timed:
        raise BadInput(f"the best tour is sought without {problem.timed}: leave them out")
    if problem.graph.directed:
        raise BadInput(f"the best tour is sought on undirected graphs, and {problem.graph.called} has arcs")
    problem.graph.space.points()
    return Goal(problem, given[0], maximize is not None)
