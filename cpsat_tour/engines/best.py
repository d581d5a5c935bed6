"""Finds the best tour, the fewest paths or closed tours, or the longest; or the best so far when a limit or Ctrl-C ends
the run, and the reason why none is better.

``auto`` lists tours first, for about a second: if the list ends by then, the best is known by exhaustion, and how many
tours attain it. Then it proves the fewest turns by branch and bound, and asks CP-SAT for other goals. A new way is one
function and one row of `WAYS`.

Where the fewest paths or closed tours are sought that visit each vertex once, or the longest one, `auto` comes first,
for a share of the time: one tour of everything is best of all, and the reason that there is none is
the first bound. Then CP-SAT closes the gap between what it finds and what it knows. What it says beyond is a claim,
until a certificate shows it: see `RoutesGoal.problem_of_better`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pkgutil import resolve_name
from typing import Any, Generic

import numpy as np

from cpsat_tour.core.errors import BadInput, StoppedEarly, TourFault, require, suggest
from cpsat_tour.core.problem import Problem, RefutationKind
from cpsat_tour.core.runs import UNLIMITED, Limits, OnEvent, PartAtWork
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import canonical
from cpsat_tour.engines.best_search import AnyGoal, BestSearch, Conclusion, Goal, RoutesGoal
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import answer_without_search, conclude, run as ask
from cpsat_tour.tour import Answer, Routes, in_short

WAYS = {
    "edges": ("cpsat_tour.engines.best_search:list_all", ""),
    "cpsat:lazy": ("cpsat_tour.models.best_cpsat:improve_two_factors", "ortools"),
    "bounds": ("cpsat_tour.proofs.write.tour_certificates:improve_by_bounds", "ortools"),
}
"""The ways to the best tour by name: the function of a `BestSearch`, and the module that it needs."""

WAYS_TO_ROUTES = {
    "cpsat:lazy": ("cpsat_tour.models.best_cpsat:improve_routes", "ortools"),
    "frontier": ("cpsat_tour.engines.best_search:sweep_states", ""),
}
"""The ways to the fewest routes or the longest. ``frontier`` takes the longest one of an undirected graph alone."""

LISTED = 2_000_000
"""The branchings of ``edges`` after which ``auto`` goes another way."""


@dataclass(frozen=True, kw_only=True)
class Optimum(Generic[AnyGoal]):
    """The value of the best that was found, and what is known of better ones; true if something was found."""

    goal: AnyGoal
    value: int | None = None
    bound: int | None = None
    known: RefutationKind | None = None
    reason: str | None = None

    def __bool__(self) -> bool:
        return self.value is not None

    @property
    def optimal(self) -> bool:
        """True if nothing is better, as far as ``known`` says."""
        return self.value is not None and self.value == self.bound

    def described(self, nothing: object, more: str = "") -> str:
        """Return the repr, which has the value and how it is known, or what there is in place of one."""
        known = f"({self.known})" if self.optimal else "so far" if self.bound is None else f"so far, bound {self.bound}"
        found = nothing if self.value is None else f"{self.goal.words(self.value)} {known}{more}"
        return f"<{type(self).__name__}: {self.goal.name}: {found}>"


@dataclass(frozen=True, kw_only=True, repr=False)
class Best(Optimum[Goal]):
    """The best tour found, with its value and a bound that no tour exceeds; true if a tour was found.

    - ``goal`` (a goal): what is sought.
    - ``answer`` (`Answer`): has the verified tour, or why there is none.
    - ``value`` (int, or None): the value of the tour.
    - ``bound`` (int, or None): no tour has a better value.
    - ``known`` (str, or None): how the bound is known: ``exhausted``, ``condition``, ``lp`` or ``clausal``
      (proved), or ``claimed`` (by a solver).
    - ``reason`` (str, or None): the same in words.
    - ``attained`` (int, or None): how many tours have the best value, if all were listed.
    - ``certificate`` (`Certificate`, or None): proves that no tour is better, if the method was ``bounds``.
    """

    answer: Answer
    attained: int | None = None
    certificate: Any = None

    def __repr__(self) -> str:
        return self.described(self.answer, "" if self.attained is None else f", attained by {self.attained:,} in all")

    def _repr_html_(self) -> str | None:
        """Return the answer with the value, as notebooks show it."""
        shown = self.answer._repr_html_()
        return shown if self.value is None else f"{shown}<p>{self.goal.name}: {self.value}</p>"


def optimise(
    goal: Goal,
    way: str = "auto",
    limits: Limits = UNLIMITED,
    on_event: OnEvent | None = None,
    hint: Sequence[int] | Ints | None = None,
) -> Best:
    """Return the `Best` tour that this way finds within the limits, beginning at the ``hint`` if there is one.

    `BadInput` if the way is unknown, or the hint is not a tour as the goal asks; on Ctrl-C `Interrupted` with the
    `Best` so far.
    """
    few_turns = goal.objective == "turns" and not goal.maximize and goal.problem.symmetry is None
    in_turn = (("edges", LISTED), ("bounds" if few_turns else "cpsat:lazy", None))  # each with a limit on its work
    plan = in_turn if way == "auto" else ((way, None),)
    for name, _ in plan:
        _check_way(name, WAYS, "the best tour")
    run = BestSearch(limits, limits.clock(), on_event, goal=goal, way=way)
    if hint is not None:
        try:
            goal.value(np.asarray(hint, dtype=np.int32))
        except TourFault as fault:
            raise BadInput(f"the search can't begin with the hint: {fault}") from fault
        run.offer(np.asarray(hint, dtype=np.int32))
    return conclude(run, partial(_search_tour, run, plan), partial(_best_of, run))


def _search_tour(run: BestSearch[Goal], plan: Sequence[tuple[str, int | None]]) -> Conclusion:
    """Search for better and better tours, way by way; return the `Conclusion` that none is better, or that there is
    none. `StoppedEarly` at a limit."""
    if (decided := answer_without_search(run.goal.problem, run.limits)) is not None:
        if decided.refutation is not None:
            return Conclusion(decided.refutation.kind, decided.refutation.reason)
        run.offer(decided.tour and decided.tour.vertices)
        return Conclusion("exhausted", "there is no other", 1)
    for run.way, run.most in plan:
        run.tell(PartAtWork(run.way))
        try:
            run.goal = run.goal.with_pairs(run.heartbeat)
            concluded: Conclusion = resolve_name(WAYS[run.way][0])(run)
            return concluded
        except StoppedEarly:
            spent = run.limits.work is not None and run.budget == run.limits.work
            if run.clock.expired or spent or run.way == plan[-1][0]:
                raise
    raise AssertionError("the last way concludes or meets a limit")


def _check_way(name: str, ways: Mapping[str, tuple[str, str]], what: str) -> None:
    """Raise `BadInput` unless ``name`` is a way to ``what`` and the module that it needs is installed."""
    if name not in ways:
        raise BadInput(f"there is no method {name!r:.40} for {what}: {suggest(str(name), ('auto', *ways))}")
    if module := ways[name][1]:
        require(f"backend {name}", module)


def _best_of(run: BestSearch[Goal], ended: Conclusion | str) -> Best:
    """Return the `Best` of a run that ended with a conclusion, or at the limit named by ``ended``."""
    settled, stopped_by = (None, ended) if isinstance(ended, str) else (ended, None)
    if settled is not None and run.value is not None:
        run.offer_bound(run.value, settled.known)
    answer = Answer("unknown", work=dict(run.work))
    if run.best is not None:
        answer = Answer.with_tour(run.goal.problem, canonical(run.goal.problem, run.best), answer.work)
    elif settled is not None:
        answer = Answer.without_tour(settled.known, settled.reason, answer.work)
    answer = replace(answer, stopped_by=stopped_by, seconds=run.clock.seconds, backend=run.way)
    found = Best(goal=run.goal, answer=answer, value=run.value, bound=run.bound, known=run.known)
    if settled is None or run.best is None:
        return found
    return replace(found, reason=settled.reason, attained=settled.attained, certificate=settled.certificate)


FIRST_SECONDS = 10.0
"""The most seconds in which `auto` first looks for one route through all vertices."""


@dataclass(frozen=True, kw_only=True, repr=False)
class BestRoutes(Optimum[RoutesGoal]):
    """The best set of routes found, with its bound, ``known`` and ``reason`` as in `Best`; true if there is one.

    - ``goal`` (a goal): what is sought.
    - ``routes`` (`Routes`): the verified routes, none if there are none.
    - ``value`` (int, or None): how many routes there are, or how many squares the longest visits.
    - ``bound`` (int, or None): as in `Best`.
    - ``known`` (str, or None): as in `Best`.
    - ``reason`` (str, or None): as in `Best`.
    - ``stopped_by`` (str, or None): the limit that ended the search first.
    - ``seconds`` (float): the wall time.
    """

    routes: Routes
    stopped_by: str | None = None
    seconds: float = 0.0

    def __repr__(self) -> str:
        return self.described("unknown" if self.stopped_by else in_short(f"none, {self.known}: {self.reason}"))

    @property
    def none(self) -> bool:
        """True if it is known that there are no such routes."""
        return self.value is None and self.stopped_by is None


def optimise_routes(
    goal: RoutesGoal, limits: Limits = UNLIMITED, on_event: OnEvent | None = None, way: str = "auto"
) -> BestRoutes:
    """Return the `BestRoutes` that this way finds within the limits; Ctrl-C raises `Interrupted` with the best so far.

    `BadInput` if the way is unknown, or does not take the goal.
    """
    way = "cpsat:lazy" if way == "auto" else way
    _check_way(way, WAYS_TO_ROUTES, "this")
    several, directed = not goal.maximize, goal.problem.graph.directed
    if way == "frontier" and (several or directed):
        beyond = "directed graphs" if directed else "several closed tours" if goal.problem.closed else "several paths"
        raise BadInput(f"backend {way} does not take {beyond}: choose cpsat:lazy")
    run = BestSearch(limits, limits.clock(), on_event, goal=goal, way=way)
    return conclude(run, partial(_search_routes, run), partial(_best_routes_of, run))


def _search_routes(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Search for better and better routes; return the `Conclusion` that nothing is better. `StoppedEarly` at a
    limit."""
    goal, problem = run.goal, run.goal.problem
    needed = {*range(problem.graph.order)} - goal.optional
    if goal.maximize and not problem.closed and goal.optional and len(needed) <= 1:
        run.offer([np.array([*needed] or [0], dtype=np.int32)])
    seconds = FIRST_SECONDS if run.clock.left is None else min(FIRST_SECONDS, run.clock.left / 3)
    answer = ask(problem, load("auto"), replace(run.limits, seconds=seconds), run.hear, "auto")
    if answer.tour is not None:
        run.offer([answer.tour.vertices])
        return Conclusion("exhausted", "one tour visits everything")
    first = answer.refutation
    if first is not None:
        run.offer_bound(goal.ideal - 1 if goal.maximize else 2, first.kind)
    impossible = {*problem.require} & {*problem.forbid} or (goal.maximize and not goal.optional)
    if not problem.graph.order or (first is not None and impossible):
        return Conclusion(first.kind if first else "condition", first.reason if first else "")
    run.tell(PartAtWork(run.way))
    concluded: Conclusion = resolve_name(WAYS_TO_ROUTES[run.way][0])(run)
    if first is not None and run.value is not None and goal.problem_of_better(run.value) is problem:
        return Conclusion(first.kind, first.reason)
    return concluded


def _best_routes_of(run: BestSearch[RoutesGoal], ended: Conclusion | str) -> BestRoutes:
    """Return the `BestRoutes` of a run that ended with a conclusion, or at the limit named by ``ended``."""
    problem = run.goal.problem
    in_order = sorted((_canonical(problem, route) for route in run.best or ()), key=lambda route: int(route[0]))
    routes = Routes(problem.graph, problem.closed, tuple(in_order))
    found = BestRoutes(goal=run.goal, routes=routes, value=run.value, seconds=run.clock.seconds)
    if isinstance(ended, str):
        return replace(found, bound=run.bound, known=run.known, stopped_by=ended)
    return replace(found, bound=run.value, known=ended.known, reason=ended.reason)


def _canonical(problem: Problem, route: Ints) -> Ints:
    """Return the route in the canonical form of tours, from the start or to the end if the problem has one."""
    start, end, directed = problem.start, problem.end, problem.graph.directed
    if problem.closed:
        turned = np.roll(route, -int(route.argmin()))
        return np.roll(turned[::-1], 1) if turned[-1] < turned[1] and not directed else turned
    if directed or route[0] == start or route[-1] == end:
        return route
    return route[::-1] if route[-1] == start or route[0] == end or route[-1] < route[0] else route
