"""The backend ``dfs``, a depth-first search by Warnsdorff's rule, with prunings, on any graph.

The search itself is `paths.c`, called in slices short enough for limits, progress and Ctrl-C. If the problem leaves the
root open, roots take turns with a budget of positions that grows from round to round; if ties are broken at random, the
search restarts with budgets by Luby's sequence (Luby, Sinclair & Zuckerman 1993). Every search is run to its end if
need be, so given time each problem is decided. On a large graph a search that has stepped back too often first has its
path mended by rotations (`cpsat_tour.native.local_search`)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput, StoppedEarly
from cpsat_tour.core.kernels import random_state
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import NO_LIMIT, Limits, OnEvent, Progress, Result, Watch, run_detached
from cpsat_tour.core.space import Flags, Ints
from cpsat_tour.native.edges import luby
from cpsat_tour.native.local_search import mended_path
from cpsat_tour.native.orders import NAMES, Order
from cpsat_tour.native.paths import (
    BACKTRACKS,
    COLOUR,
    DEAD_END,
    DEPTH,
    FLAGS,
    FOUND,
    GROUPS,
    PAUSED,
    POSITIONS,
    PRUNE,
    REVERSAL,
    RING_FULL,
    ROOT,
    TOURS,
    TRACING,
    PathSearch,
    Roots,
    TieOrder,
    new_path_search,
    parse_prunings,
    paths_search,
)
from cpsat_tour.presolve.conditions import violated_condition
from cpsat_tour.tour import Answer

SLICE_WORK = 1 << 20  # arcs looked at between two looks at the clock, about: some hundredths of a second
PROGRESS_SECONDS = 0.25
LARGE = 1 << 12
"""The number of vertices from which on a graph is large: rotations complete a path that is nearly full, and a search is
prepared on a thread of its own."""
SPARE = 32  # the part of its vertices that the search may step back over before that
MOST_ROWS = 1 << 10
ROOT_FACTOR = 4
RESTART_FACTOR = 8  # budgets begin at this many positions for each vertex


@dataclass(frozen=True)
class Dfs:
    """The backend ``dfs``: the first tour in the given order, all of them, or a refutation.

    ``order`` and ``prune`` are names from `cpsat_tour.native.orders` and `cpsat_tour.native.paths`. Without
    ``backtrack`` the search stops at its first dead end; ``restarts`` is for the order ``random`` alone.
    """

    order: str = field(default="default", metadata={"values": NAMES})
    prune: str = field(default="default", metadata={"values": (*GROUPS, *FLAGS, "or several, with commas")})
    backtrack: bool = True
    restarts: bool = True

    takes: ClassVar[frozenset[str]] = frozenset({"directed", "every", "givens", "waypoints"})
    unit: ClassVar[str] = "positions"

    def __post_init__(self) -> None:
        Order.parse(self.order)
        parse_prunings(self.prune)

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """Return a tour, ``none`` once all positions were tried, or ``unknown`` after a limit or, without backtracking,
        a dead end."""
        search = self.states(problem, limits, on_event)
        while True:
            try:
                next(search)
            except StopIteration as rest:
                answer: Answer = rest.value
                return answer

    def states(
        self,
        problem: Problem,
        limits: Limits,
        on_event: OnEvent | None = None,
        *,
        traced: bool = False,
    ) -> Generator[PathSearch, None, Answer]:
        """Search as `solve` does, and yield the search's state whenever its buffer of events is full or it pauses;
        return the answer.

        Each search from another root, or with a larger budget, has a state of its own. A tracer must empty the ring.
        """
        run = _Run(self, problem, limits, on_event)
        state: PathSearch | None = None
        try:
            waiting = run.in_time(lambda: run.roots.vertices).tolist()
            for budget in run.budgets(len(waiting)):
                stuck = []
                for root in waiting:
                    state = run.in_time(partial(run.state_from, root, traced=traced))
                    patience, status = run.positions_before_mending(state), RING_FULL
                    while status == RING_FULL:
                        status = run.advance(state, min(budget, patience))
                        yield state
                    if status == PAUSED and state.counters[POSITIONS] == patience < budget:
                        if run.mend(state):
                            status = FOUND
                        else:
                            status = run.advance(state, budget)
                            yield state
                    if status == FOUND:
                        return Answer.with_tour(problem, run.roots.tours_of(state.tours)[0], run.work)
                    if status == DEAD_END:
                        depth = int(state.counters[DEPTH])
                        full = ", the last of which is not a permitted end" if depth == problem.graph.order else ""
                        return Answer.stopped(f"dead end after {'all ' if full else ''}{depth} squares{full}", run.work)
                    if status == PAUSED:
                        stuck.append(root)
                    elif problem.closed:
                        return run.none_answer()
                    else:
                        run.done[root] = True
                waiting = stuck
                if not stuck:
                    break
        except StoppedEarly as limit:
            if state is not None:
                yield state
            return Answer.stopped(limit.limit, run.work)
        return run.none_answer()

    def batches(
        self, problem: Problem, limits: Limits, on_event: OnEvent | None = None, most: int = NO_LIMIT
    ) -> Generator[tuple[Ints, NDArray[np.int64]], None, int]:
        """Yield all tours, or the first ``most``, as pairs of arrays: the tours, a row each, and the number of
        positions entered when each was found. Return the number of positions in the end.

        Of a tour that is met in both directions the one with the lesser second vertex (of open tours, the lesser first
        vertex) is kept.
        """
        if not self.backtrack:
            raise BadInput("without backtracking a search finds at most one tour: leave out backtrack=no to list tours")
        run = _Run(self, problem, limits, on_event)
        order = problem.graph.order
        needed = run.in_time(lambda: run.roots.vertices)[: 1 if problem.closed else None]
        for root in needed.tolist():
            state = run.in_time(partial(run.state_from, root))
            rows, status, limit = 1, FOUND, None
            while status == FOUND and most > 0:
                rows = min(2 * rows, MOST_ROWS, max(1, (1 << 22) // order), most)
                state = state.with_rows(rows)
                before = run.work["positions"] - int(state.counters[POSITIONS])
                try:
                    status = run.advance(state)
                except StoppedEarly as met:
                    status, limit = PAUSED, met
                found = int(state.counters[TOURS])
                state.counters[TOURS] = 0
                tours, found_at = run.roots.tours_of(state.tours[:found]), state.found_at[:found] + before
                kept = run.counted_once(state, tours)
                most -= int(kept.sum())
                yield tours[kept], found_at[kept]
                if limit is not None:
                    raise StoppedEarly(limit.limit)
            if most <= 0:
                break
            run.done[root] = True
        return run.work["positions"]


class _Run(Watch):
    """One run of the backend: the totals of the searches from all roots, and the roots that are done."""

    def __init__(self, dfs: Dfs, problem: Problem, limits: Limits, on_event: OnEvent | None) -> None:
        super().__init__(limits, limits.clock(), on_event)
        self.work |= {"positions": 0, "backtracks": 0}
        self._dfs, self._problem = dfs, problem
        self._order = Order.parse(dfs.order).for_problem(problem)
        self._prune = parse_prunings(dfs.prune)
        self.roots = Roots(problem, colours=bool(self._prune & COLOUR), as_numbered=self._order.rule == "plain")
        self._ties: TieOrder | None = None
        self.done: Flags = np.zeros(problem.graph.order, dtype=np.bool_)
        self._random = random_state(limits.seed)
        self._told = 0.0
        self._slice = max(1 << 8, SLICE_WORK // (1 + len(problem.graph.indices) // problem.graph.order))

    def budgets(self, roots: int) -> Iterator[int]:
        """Yield the number of positions that a search may enter in each round.

        A search that restarts, or one of several roots, has rounds without end; any other has one, without limit.
        """
        order, dfs = self._problem.graph.order, self._dfs
        if dfs.backtrack and dfs.restarts and dfs.order == "random":
            yield from (RESTART_FACTOR * order * luby(attempt) for attempt in itertools.count(1))
        elif roots > 1:
            yield from (ROOT_FACTOR * order * 4**attempt for attempt in itertools.count())
        yield NO_LIMIT

    def in_time(self, task: Callable[[], Result]) -> Result:
        """Return the result of the task; raise `StoppedEarly` if the time limit comes first.

        The task of a large graph runs on a thread, which the time limit and Ctrl-C leave behind.
        """
        self.clock.check()
        return run_detached(task, self.clock.check) if self._problem.graph.order >= LARGE else task()

    def state_from(self, root: int, *, traced: bool = False) -> PathSearch:
        """Return the state of an unstarted search from a root."""
        rooted = self.roots.rooted_problem(root)
        if self._prune & REVERSAL and self.roots.each_way:
            rooted = replace(rooted, may_end=rooted.may_end & ~self.done)
        if self._ties is None or self._order.rule == "start":
            self._ties = self._order.tie_order(rooted.graph, root)
            self.clock.check()
        return new_path_search(
            rooted, self._ties, prune=self._prune, backtrack=self._dfs.backtrack, traced=traced, random=self._random
        )

    def positions_before_mending(self, state: PathSearch) -> int:
        """Return the number of positions that a search may enter before rotations try to complete its path; `NO_LIMIT`
        if they can't.

        On a large graph these are a few more than its vertices.
        """
        order, graph = self._problem.graph.order, self.roots.graph
        no_mending = state.counters[TRACING] or order < LARGE or not self._dfs.backtrack
        if no_mending or graph.directed or self._problem.require or self._problem.timed:
            return NO_LIMIT
        return order + order // SPARE

    def mend(self, state: PathSearch) -> bool:
        """Turn the path of a search into its first tour by rotations, through all vertices to a permitted end; return
        False if that fails."""
        path = state.path[: state.counters[DEPTH]]
        tour, rotations = mended_path(self.roots.graph, path, state.may_end != 0, self.limits.seed, self.clock.check)
        if rotations:
            self.work["rotations"] = self.work.get("rotations", 0) + rotations
        if tour is not None:
            state.tours[0] = tour
        return tour is not None

    def advance(self, state: PathSearch, budget: int = NO_LIMIT) -> int:
        """Continue a search and return the kernel's status, `PAUSED` once it has entered ``budget`` positions.
        `StoppedEarly` at a limit of the run."""
        counters = state.counters
        while True:
            left = self.work_left("positions")
            if left == 0:
                raise StoppedEarly("work")
            self.clock.check()
            positions, backtracks = int(counters[POSITIONS]), int(counters[BACKTRACKS])
            most = budget if left is None else min(budget, positions + left)
            status = paths_search(state, self._slice, most)
            self.work["positions"] += int(counters[POSITIONS]) - positions
            self.work["backtracks"] += int(counters[BACKTRACKS]) - backtracks
            if self.clock.seconds - self._told > PROGRESS_SECONDS:
                self._told = self.clock.seconds
                self.tell(Progress(dict(self.work)))
            if status != PAUSED or counters[POSITIONS] >= budget:
                return status

    def counted_once(self, state: PathSearch, tours: Ints) -> Flags:
        """Return a flag for each found tour: False if its reverse is the one that is kept."""
        if self._problem.closed:
            reversible = self.roots.rooted_problem(int(state.counters[ROOT])).reversible
            first, twice = 1, reversible and not state.counters[PRUNE] & REVERSAL
        else:
            first, twice = 0, self.roots.each_way and not self._prune & REVERSAL
        return tours[:, first] < tours[:, -1] if twice else np.ones(len(tours), dtype=np.bool_)

    def none_answer(self) -> Answer:
        """Return the answer ``none``, by a condition if no search was needed, else because every position was tried."""
        if not self.work["positions"] and (refutation := violated_condition(self._problem)):
            return Answer("none", refutation=refutation, work=self.work)
        named = "the default prunings" if self._dfs.prune == "default" else f"the prunings {self._dfs.prune}"
        prunings = named if self._prune else "no prunings"
        return Answer.without_tour(
            "exhausted",
            f"the search tried every possibility in {self.work['positions']} positions, with {prunings}",
            self.work,
        )
