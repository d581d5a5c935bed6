"""What is sought among sets of routes: the fewest that together visit each vertex once, or the longest one.

- *paths*: the fewest open tours, or the fewest closed ones, that together visit each vertex once. A single vertex is an
  open tour, so that there always are some. That k open ones do not suffice says that the graph with k universal
  vertices has no Hamiltonian cycle.
- *length*: the longest path or cycle that visits at least the vertices that are not ``optional``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.verify import verify_routes
from cpsat_tour.spaces.joined import Joined


@dataclass(frozen=True, eq=False)
class RoutesGoal:
    """The fewest routes, or the longest one, which may leave out the ``optional`` vertices."""

    problem: Problem
    objective: str
    optional: frozenset[int] = frozenset()

    @property
    def maximize(self) -> bool:
        """True if more is better."""
        return self.objective == "length"

    @property
    def name(self) -> str:
        """The goal in words: ``fewest paths``."""
        kind = "closed tour" if self.problem.closed else "path"
        return f"longest {kind}" if self.maximize else f"fewest {kind}s"

    @property
    def features(self) -> frozenset[str]:
        """What the goal asks for that not every way takes, in words."""
        several = {"several closed tours" if self.problem.closed else "several paths"} if not self.maximize else set()
        return frozenset(several | ({"directed graphs"} if self.problem.graph.directed else set()))

    def words(self, value: int) -> str:
        """Return a value in words: ``2 paths``, ``24 squares``."""
        if self.maximize:
            return f"{value:,} {self.problem.graph.nouns[value != 1]}"
        return f"{value:,} {'closed tour' if self.problem.closed else 'path'}{'s' * (value != 1)}"

    def value(self, routes: Sequence[Ints]) -> int:
        """Return the value of routes, verified; `TourFault` names their first fault."""
        verify_routes(self.problem, routes, self.optional)
        if self.maximize and len(routes) != 1:
            raise BadInput(f"{len(routes)} routes are not the longest one")
        return len(routes[0]) if self.maximize else len(routes)

    @property
    def ideal(self) -> int:
        """The value that nothing surpasses: one route of all vertices."""
        return self.problem.graph.order if self.maximize else 1

    def problem_of_better(self, value: int) -> Problem | None:
        """Return the problem that has a closed tour, or for the ``ideal`` a tour, exactly if something is better than
        the value; None if there is no such problem here."""
        problem, better = self.problem, value + (1 if self.maximize else -1)
        if better == self.ideal:
            return problem
        if self.maximize or problem.closed or value <= self.ideal:
            return None
        joined = Joined(problem.graph, better)
        graph, first, second = joined.graph, problem.graph.order, problem.graph.order + 1
        start, end, directed = problem.start, problem.end, problem.graph.directed
        require, forbid = [*problem.require], [*problem.forbid]
        if directed:  # a path begins where only a universal vertex leads to
            forbid += (
                [(v, start) for v in problem.graph.reversed.neighbours(start).tolist()] if start is not None else []
            )
            forbid += [(end, v) for v in problem.graph.neighbours(end).tolist()] if end is not None else []
        else:
            require += [(v, to) for v, to in ((start, first), (end, second)) if v is not None]
        return Problem(graph, True, require=tuple(require), forbid=tuple(forbid))


ROUTES_OBJECTIVES: Mapping[str, bool] = {"paths": False, "length": True}
"""The objectives by name, each with whether more is better."""


def routes_goal(
    problem: Problem, objective: str, optional: Iterable[int] | None = None, *, maximize: bool | None = None
) -> RoutesGoal:
    """Return the goal; all vertices are optional for the longest route unless some are given, but never an end or a
    vertex of a required move. `BadInput` if there is no such goal."""
    if maximize not in (None, ROUTES_OBJECTIVES[objective]):
        raise BadInput("ask for the fewest paths, or for the greatest length: minimize paths, or maximize length")
    if problem.timed or problem.symmetry is not None:
        without = problem.timed or "a symmetry"
        raise BadInput(f"the {RoutesGoal(problem, objective).name} is sought without {without}: leave it out")
    if problem.closed and problem.end is not None:
        raise BadInput("closed tours have no end here: leave it out, and require the move from it instead")
    if problem.start is not None and problem.start == problem.end:
        raise BadInput(
            f"the start and the end can't both be {problem.graph.name(problem.start)}: leave one of them out"
        )
    if optional is not None and objective == "paths":
        raise BadInput("paths visit every square: optional squares are for the longest path or closed tour")
    everything = range(problem.graph.order)
    needed = {problem.start, problem.end, *(vertex for move in problem.require for vertex in move)}
    free = frozenset() if objective == "paths" else frozenset(everything if optional is None else optional) - needed
    return RoutesGoal(problem, objective, free)
