"""What is sought where the best is sought, the run towards it, and the ways that list all tours and sweep all states.

A *way* is a function of a run: it hands each better tour, which the run verifies, and each better bound to the run,
until the best is known.

The goal is a tour with the least or the greatest value of an objective, or a set of routes:

- *paths*: the fewest open tours, or the fewest closed ones, that together visit each vertex once. A single vertex is an
  open tour, so that there always are some. That k open ones do not suffice says that the graph with k universal
  vertices has no Hamiltonian cycle.
- *length*: the longest path or cycle that visits at least the vertices that are not ``optional``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np

from cpsat_tour.core.errors import BackendFault, BadInput, StoppedEarly, TourFault
from cpsat_tour.core.problem import Problem, RefutationKind
from cpsat_tour.core.reduction import CycleProblem, cycle_of_one_route, to_cycle
from cpsat_tour.core.runs import Event, Heartbeat, Limits, Progress, Run, Watch
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import routes_of, verify, verify_routes
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import Listing, run as ask
from cpsat_tour.formats.formula import Cnf
from cpsat_tour.frontier.longest import longest_cycle
from cpsat_tour.native.edges import Edges
from cpsat_tour.spaces.joined import Joined
from cpsat_tour.spaces.objectives import OBJECTIVES, PairSum


@dataclass(frozen=True, eq=False)
class Goal:
    """The goal of finding the greatest value of an objective among a problem's tours if ``maximize``, else the
    least."""

    problem: Problem
    objective: str
    maximize: bool
    stated: PairSum | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The goal in words, such as ``fewest turns``."""
        return f"{'most' if self.maximize else 'fewest'} {OBJECTIVES[self.objective].nouns[1]}"

    def words(self, value: int) -> str:
        """Return a value of the objective in words, such as ``32 turns``."""
        return OBJECTIVES[self.objective].words(value)

    def with_pairs(self, heartbeat: Heartbeat) -> Goal:
        """Return the goal with its pairs of edges listed, which takes a while on a large board."""
        if self.stated is not None:
            return self
        return replace(self, stated=OBJECTIVES[self.objective].pair_sum(self.problem, heartbeat))

    @cached_property
    def pair_sum(self) -> PairSum:
        """The objective as a sum over pairs of a tour's edges."""
        return self.stated or OBJECTIVES[self.objective].pair_sum(self.problem)

    @cached_property
    def cycle(self) -> CycleProblem:
        """The cycle problem of the goal's problem, not simplified."""
        return to_cycle(self.problem)

    def value(self, vertices: Ints) -> int:
        """Verify a tour and return its value; `TourFault` names the tour's first fault."""
        verify(self.problem, vertices)
        return int(self.pair_sum.values(np.asarray(vertices, dtype=np.int32)[None, :])[0])

    def stated_in(self, formula: Cnf) -> Cnf:
        """Return the formula with the goal added: a variable for each pair of edges that counts, and a soft clause that
        it is true (to maximize) or false.

        A pair that is wanted implies its two edges, they imply one that is not.
        """
        pairs = self.pair_sum.pairs_in(formula.cycle)
        both = formula.variables + np.arange(1, len(pairs) + 1, dtype=np.int32)
        first, second = (np.argsort(formula.moves)[pairs].astype(np.int32) + 1).T
        wanted = self.maximize == (self.pair_sum.weight > 0)
        columns = [(-both, first), (-both, second)] if wanted else [(both, -first, -second)]
        blocks = [*formula.blocks, *(np.stack(column, axis=1) for column in columns)]
        soft = both if wanted else -both
        ends = (part[pairs[:, side]] for side in (0, 1) for part in (formula.cycle.tails, formula.cycle.heads))
        named, variables = [*formula.named, ("both", tuple(ends), 4)], formula.variables + len(pairs)
        return replace(formula, variables=variables, blocks=blocks, named=named, soft=soft, goal=self.name)


def goal_of(problem: Problem, minimize: str | None = None, maximize: str | None = None) -> Goal:
    """Return the goal that ``minimize`` or ``maximize`` names; `BadInput` unless exactly one is given and the space has
    such a goal."""
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


@dataclass(frozen=True, eq=False)
class RoutesGoal:
    """The goal of finding the fewest routes through all vertices, or the longest route, which may leave out the
    ``optional`` vertices."""

    problem: Problem
    objective: str
    optional: frozenset[int] = frozenset()

    @property
    def maximize(self) -> bool:
        """True if greater values are better."""
        return self.objective == "length"

    @property
    def name(self) -> str:
        """The goal in words, such as ``fewest paths``."""
        kind = "closed tour" if self.problem.closed else "path"
        return f"longest {kind}" if self.maximize else f"fewest {kind}s"

    def words(self, value: int) -> str:
        """Return a value of the goal in words, such as ``2 paths`` or ``24 squares``."""
        if self.maximize:
            return f"{value:,} {self.problem.graph.nouns[value != 1]}"
        return f"{value:,} {'closed tour' if self.problem.closed else 'path'}{'s' * (value != 1)}"

    def value(self, routes: Sequence[Ints]) -> int:
        """Verify routes and return their value; `TourFault` names their first fault."""
        verify_routes(self.problem, routes, self.optional)
        if self.maximize and len(routes) != 1:
            raise BadInput(f"{len(routes)} routes are not the longest one")
        return len(routes[0]) if self.maximize else len(routes)

    @property
    def ideal(self) -> int:
        """The value of one route through all vertices, which nothing surpasses."""
        return self.problem.graph.order if self.maximize else 1

    def problem_of_better(self, value: int) -> Problem | None:
        """Return a problem that has a tour exactly if some routes are better than ``value``; None if there is no such
        problem here."""
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
    """Return the goal of fewest routes or of the longest one; `BadInput` if there is no such goal.

    All vertices are optional for the longest route unless some are given, but never an end or a vertex of a required
    move.
    """
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


AnyGoal = TypeVar("AnyGoal", Goal, RoutesGoal)


@dataclass(eq=False)
class BestSearch(Watch, Generic[AnyGoal]):
    """A run towards a goal, with the best so far, its ``value``, and a ``bound`` that no value exceeds; each is None at
    first.

    ``work`` has them too. ``most`` is the work after which the present ``way`` gives up, None for no limit.
    """

    goal: AnyGoal = field(kw_only=True)
    way: str = "auto"
    most: int | None = None
    best: Any = None
    value: int | None = None
    bound: int | None = None
    known: RefutationKind | None = None

    @property
    def budget(self) -> int | None:
        """The limit on the work of the present way: the lesser of ``most`` and the limit of the run, None for no
        limit."""
        if self.most is None or self.limits.work is None:
            return self.most if self.limits.work is None else self.limits.work
        return min(self.most, self.limits.work)

    def offer(self, found: Any) -> None:
        """Verify a tour, or routes, and keep them if they are better; `BackendFault` if they are wrong."""
        try:
            value = self.goal.value(found)
        except TourFault as fault:
            raise BackendFault(f"the search for the {self.goal.name} came to a wrong result: {fault}") from fault
        if self.value is None or self.better(value, self.value):
            self.best, self.value = found, value
            self.work["value"] = value
            self.tell(Progress(dict(self.work)))

    def offer_bound(self, bound: int, known: RefutationKind) -> None:
        """Keep the bound if it is better than the last, or equal to it but known for another reason."""
        if self.bound is None or self.better(self.bound, bound) or (bound == self.bound and known != self.known):
            self.bound, self.known = bound, known
            self.work["bound"] = bound
            self.tell(Progress(dict(self.work)))

    def better(self, value: int, other: int) -> bool:
        """Return True if the first value is better than the second."""
        return value > other if self.goal.maximize else value < other


@dataclass(frozen=True)
class Conclusion:
    """The reason why nothing is better, or why there is no tour, with the number of best tours and a certificate if the
    way has them.

    A limit raises `StoppedEarly` instead.
    """

    known: RefutationKind
    reason: str
    attained: int | None = None
    certificate: Any = None


def begin_with_a_tour(run: BestSearch[Goal]) -> Conclusion | None:
    """Unless the run has a tour, offer it one that `auto` finds; return the `Conclusion` that there is none, else None.
    `StoppedEarly` at a limit."""
    if run.best is not None:
        return None
    answer = ask(run.goal.problem, load("auto"), Limits(run.clock.left, cancel=run.clock.cancel), run.tell, "auto")
    if answer.tour is not None:
        run.offer(answer.tour.vertices)
    elif answer.refutation is not None:
        return Conclusion(answer.refutation.kind, answer.refutation.reason)
    else:
        raise StoppedEarly(answer.stopped_by or "time")
    return None


def list_all(run: BestSearch[Goal]) -> Conclusion:
    """List all tours and keep the best; return the `Conclusion` that none is better, with the number of the best.
    `StoppedEarly` at a limit.

    The work is counted in ``branchings``.
    """

    def listen(event: Event) -> None:
        if isinstance(event, Progress):
            run.work.update(event.work)
            run.tell(Progress(dict(run.work)))

    limits = replace(run.limits, seconds=run.clock.left, work=run.budget)
    attained, counted, run.work["tours"] = 0, run.value, 0
    for tours in Listing(run.goal.problem, Edges(), limits, on_event=listen, name="edges"):
        values = run.goal.pair_sum.values(tours)
        run.work["tours"] += len(tours)
        place = int(values.argmax() if run.goal.maximize else values.argmin())
        if run.value is None or run.better(int(values[place]), run.value):
            run.offer(tours[place])
            attained, counted = 0, run.value
        attained += int((values == counted).sum())
    return Conclusion(
        "exhausted",
        "the search over edges found no tour"
        if run.value is None
        else f"all {run.work['tours']:,} tours were listed by the search over edges",
        attained,
    )


def sweep_states(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Find the longest route by the frontier method; return the `Conclusion` that nothing is better. `StoppedEarly` at
    a limit.

    Work is counted in ``states``.
    """
    goal, order = run.goal, run.goal.problem.graph.order
    inner = Run(run.limits, run.clock, run.hear, cycle=cycle_of_one_route(goal.problem))
    most = order - max(run.value or 0, 2 if goal.problem.closed else 1) - 1  # more leave too few for a better one
    edges = longest_cycle(inner, goal.optional, most, lambda least: run.offer_bound(order - least, "exhausted"))
    if edges:
        moves = [move for move in edges if max(move) < order]
        run.offer([max(chain(*routes_of(order, moves, directed=False)), key=len)])
    return Conclusion("exhausted", f"the frontier method went through all states: {inner.work['states']:,}")
