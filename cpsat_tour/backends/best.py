"""The best tour: which way finds it, the best so far where a limit or Ctrl-C ends that, and how it is known that there
is none better.

``auto`` lists tours first, for about a second: where the list ends by then, the best is known by exhaustion, and how
many tours attain it. Then it asks CP-SAT. A new way is one module and one row of `WAYS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from cpsat_tour.backends.best_magic import MagicGoal
from cpsat_tour.backends.best_run import BestRun, Goal, Known, PairGoal, Settled, Way
from cpsat_tour.backends.best_uncrossed import LongestUncrossed
from cpsat_tour.backends.registry import Entry, load_class
from cpsat_tour.core.answer import Answer, Limits, Refutation, Status
from cpsat_tour.core.errors import BadInput, StoppedEarly, TourFault
from cpsat_tour.core.events import OnEvent, PartAtWork
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.interrupts import Interrupted
from cpsat_tour.core.libraries import require
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import VertexLike
from cpsat_tour.core.tour import Tour
from cpsat_tour.formats.notebook import progress_in_notebook
from cpsat_tour.formats.spaces import ProblemParts, Where, problem_of
from cpsat_tour.spaces.magic import Magic
from cpsat_tour.spaces.objectives import OBJECTIVES

WAYS = {
    "edges": Entry("cpsat_tour.backends.best_listed:Listed", "lists all tours", ("numba",)),
    "cpsat": Entry("cpsat_tour.models.best_circuit:BestCircuit", "CP-SAT with a circuit constraint", ("ortools",)),
    "paths": Entry(
        "cpsat_tour.backends.best_uncrossed:UncrossedByPaths", "grows all paths, for uncrossed ones", ("numba",)
    ),
    "frontier": Entry(
        "cpsat_tour.backends.best_uncrossed:UncrossedByFrontier", "the frontier method, for uncrossed paths", ("numba",)
    ),
    "cpsat:uncrossed": Entry(
        "cpsat_tour.models.best_uncrossed:BestUncrossed", "CP-SAT, for uncrossed paths", ("ortools",)
    ),
    "cpsat:lazy": Entry(
        "cpsat_tour.models.best_lazy:BestLazy", "CP-SAT, cut sets added between solves", ("ortools", "numba")
    ),
    "pb": Entry("cpsat_tour.models.best_pb:BestPseudoBoolean", "pseudo-Boolean, by exact", ("exact", "numba")),
    "dfs": Entry("cpsat_tour.backends.best_magic_listed:MagicListed", "lists all tours, for magic ones", ("numba",)),
    "rings": Entry(
        "cpsat_tour.backends.best_magic_rings:MagicRings", "squares and diamonds, for semimagic tours", ("numba",)
    ),
    "cpsat:positions": Entry(
        "cpsat_tour.models.best_magic:MagicPositions", "CP-SAT with positions, for magic tours", ("ortools",)
    ),
}
"""The ways by name."""

PLANS: dict[str, tuple[tuple[str, dict[str, int]], ...]] = {
    "turns": (("edges", {"most": 2_000_000}), ("cpsat", {})),
    "crossings": (("edges", {"most": 2_000_000}), ("cpsat", {})),
    "uncrossed": (
        ("paths", {"most": 50_000_000}),
        ("frontier", {"most": 5_000_000}),
        ("paths", {"most": 1_000_000_000}),
        ("frontier", {}),
        ("cpsat:uncrossed", {}),
    ),
    "magic": (("dfs", {"most": 2_000_000}), ("rings", {"most": 20_000_000}), ("cpsat:positions", {})),
}
"""For each objective the ways that ``auto`` tries, with their options: the next where one gives up, by a limit on
work."""


LONGEST = ("uncrossed",)


@dataclass(frozen=True)
class Best:
    """The best tour that was found, its ``value`` and a ``bound`` that none is beyond.

    The answer has the tour, verified, or why there is none. The tour is ``optimal`` if its value is the bound;
    ``known`` says how the bound is known, and ``attained`` how many tours have that value, where all were listed.
    """

    goal: Goal
    answer: Answer
    value: int | None = None
    bound: int | None = None
    known: Known | None = None
    reason: str | None = None
    attained: int | None = None

    def __repr__(self) -> str:
        known = f"known, {self.known}" if self.optimal else "the best so far"
        found = self.answer if self.value is None else f"{self.value}, {known}"
        return f"<Best: {self.goal.name}: {found}>"

    def _repr_html_(self) -> str | None:
        return (
            f"{self.answer._repr_html_()}<p>{self.goal.name}: {self.value}</p>"
            if self.value is not None
            else self.answer._repr_html_()
        )

    @property
    def optimal(self) -> bool:
        """Whether it is known that nothing is better."""
        return self.value is not None and self.value == self.bound


def optimise(
    goal: Goal,
    way: str = "auto",
    limits: Limits | None = None,
    on_event: OnEvent | None = None,
    hint: Sequence[int] | Ints | None = None,
) -> Best:
    """The best that this way finds within the limits, beginning at the ``hint`` if there is one.

    `BadInput` where there is no such way or it does not know such a goal, or the hint is not what is sought;
    `Interrupted` on Ctrl-C, with the `Best` so far.
    """
    plan = PLANS[goal.objective] if way == "auto" else ((way, {}),)
    parts = [(name, _way(name, goal, options)) for name, options in plan]
    limits = limits or Limits()
    run = BestRun(goal, limits, limits.clock(), on_event)
    if hint is not None:
        _begin_at(run, hint)
    name = way
    try:
        if (decided := goal.decided()) is not None:
            return _decided(run, way, decided)
        for name, part in parts:
            run.tell(PartAtWork(name))
            try:
                goal.prepare(run.heartbeat)
                return _settled(run, name, part.improve(run))
            except StoppedEarly as limit:
                stopped = "time" if run.clock.expired else str(limit)
            if stopped == "time" or run.work_left("branchings") == 0:
                break
        return _so_far(run, name, stopped)
    except KeyboardInterrupt:
        raise Interrupted(_so_far(run, name, "interrupt")) from None


def _way(name: str, goal: Goal, options: Mapping[str, int]) -> Way:
    if name not in WAYS:
        raise BadInput(f"there is no way {name!r:.40} to the best: choose one of auto, {', '.join(WAYS)}")
    row = WAYS[name]
    require(f"backend {name}", *row.needs)
    kind = load_class(row.target)
    if goal.objective not in kind.takes:
        able = [other for other, row in WAYS.items() if goal.objective in load_class(row.target).takes]
        raise BadInput(f"backend {name} does not know the {goal.name}: choose one of {', '.join(able)}")
    way: Way = kind(**options)
    return way


def _begin_at(run: BestRun[Goal], hint: Sequence[int] | Ints) -> None:
    try:
        run.goal.value(np.asarray(hint))
    except TourFault as fault:
        raise BadInput(f"the hint is no {run.goal.sought} to begin with: {fault}") from fault
    run.found(hint)


def _decided(run: BestRun[Goal], name: str, decided: Answer) -> Best:
    """The one tour there is, or none."""
    if decided.tour is None:
        return Best(run.goal, replace(decided, seconds=run.clock.seconds, backend=name))
    run.found(decided.tour.vertices)
    return _settled(run, name, Settled("exhausted", "there is no other", 1))


def _settled(run: BestRun[Goal], name: str, settled: Settled) -> Best:
    """The best there is; where nothing was found there is nothing."""
    if run.best is None:
        refutation = Refutation(settled.known, settled.reason)
        return Best(
            run.goal, Answer("none", refutation=refutation, work=run.work, seconds=run.clock.seconds, backend=name)
        )
    run.settled(settled.known)
    return replace(_so_far(run, name, None), reason=settled.reason, attained=settled.attained)


def _so_far(run: BestRun[Goal], name: str, stopped_by: str | None) -> Best:
    """What is known by now."""
    tour = (
        None
        if run.best is None
        else Tour(run.goal.problem.graph, run.goal.problem.closed, run.goal.canonical(run.best))
    )
    status: Status = "unknown" if tour is None else "tour"
    answer = Answer(status, tour, work=dict(run.work), stopped_by=stopped_by, seconds=run.clock.seconds, backend=name)
    return Best(run.goal, answer, run.value, run.bound, run.known)


def best(
    where: Where,
    *,
    minimize: str | None = None,
    maximize: str | None = None,
    longest: str | None = None,
    magic: str | None = None,
    backend: str = "auto",
    hint: Sequence[VertexLike] | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    **parts: Unpack[ProblemParts],
) -> Best:
    """The tour with the least, or the greatest, value of an objective: ``best("6x6", minimize="turns",
    closed=True).value``.

    With ``longest="uncrossed"`` the longest path, or if closed cycle, no two moves of which cross; it need not visit
    every vertex. With ``magic`` a tour whose rows, columns, both (``semi``) or these and the diagonals (``full``) add
    up alike.

    The arguments that say which tours are meant are those of `solve`. ``hint`` is a tour to begin at. `BadInput` says
    what is wrong with an argument.
    """
    problem = problem_of(where, **parts)
    goal = goal_of(problem, minimize, maximize, longest, magic)
    if isinstance(hint, str) or not isinstance(hint, Iterable | None):
        raise BadInput(f"the hint can't be {hint!r:.80}: give squares in the order of the visit, such as ['a1', 'b3']")
    vertices = None if hint is None else [problem.graph.space.vertex(vertex) for vertex in hint]
    with progress_in_notebook(f"seeking the {goal.name}") as listen:
        return optimise(goal, backend, Limits(seconds=seconds, seed=seed, threads=threads), listen, vertices)


def goal_of(
    problem: Problem,
    minimize: str | None = None,
    maximize: str | None = None,
    longest: str | None = None,
    magic: str | None = None,
) -> Goal:
    """The goal that one of these names; `BadInput` where it is not one, or the space has no such goal."""
    given = [name for name in (minimize, maximize, longest, magic) if name is not None]
    if len(given) != 1:
        many = f"{len(given)} goals are" if given else "no goal is"
        raise BadInput(
            f"{many} given: minimize or maximize one of {', '.join(OBJECTIVES)}, or the longest uncrossed, or magic"
        )
    if not isinstance(given[0], str):
        raise BadInput(f"a goal can't be {given[0]!r:.80}: give its name, such as 'turns'")
    if problem.givens:
        raise BadInput("the best tour is sought without given numbers: leave them out")
    if magic is not None:
        return MagicGoal(problem, Magic(problem, magic))
    known = OBJECTIVES if longest is None else LONGEST
    if given[0] not in known:
        raise BadInput(
            f"{given[0]!r:.40} is nothing that a tour {'has' if longest is None else 'can be'}: choose "
            f"{' or '.join(known)}"
        )
    problem.graph.space.points()
    return PairGoal(problem, given[0], maximize is not None) if longest is None else LongestUncrossed(problem)
