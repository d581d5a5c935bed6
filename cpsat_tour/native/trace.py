"""The events of the path search, step by step, that ``cpsat-tour trace`` and the page show.

The search is that of `Dfs.solve`, with its turns between roots and its restarts, and the same kernel. It writes its
steps to a ring of records and waits when that is full, so a slow reader slows the search, and memory stays flat. The
order of the candidates and their numbers of exits are the kernel's own; a replay of the path adds where a candidate
leads to, what is undone and why. Vertices are numbered as in the graph of the problem.

The stream begins with `SearchBegun` unless the answer needs no search, and ends with one of `TourFound`, `NoTour` and
`SearchStopped`. An open problem with only its end fixed is searched from there, backwards, but its tour is shown
forwards.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Generator, Iterator
from typing import Any

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import (
    UNLIMITED,
    Backtrack,
    Candidate,
    Limits,
    MoveRefused,
    NoTour,
    SearchBegun,
    SearchStopped,
    Step,
    TourFound,
    TraceEvent,
    Why,
)
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.paths import (
    BACK,
    CANDIDATE,
    FLAGS,
    RECORD,
    REFUSED,
    RING,
    ROOT,
    STEP,
    TOUR,
    PathSearch,
)
from cpsat_tour.spaces.problem_data import problem_data
from cpsat_tour.tour import Answer, decide_degenerate

_PRUNINGS = {flag: name for name, flag in FLAGS.items()}


def trace(problem: Problem, dfs: Dfs, limits: Limits = UNLIMITED) -> Generator[TraceEvent, None, Answer]:
    """Yield the events of ``dfs.solve``; return its verified answer. `BadInput` for a symmetry or givens."""
    if problem.symmetry is not None:
        raise BadInput(
            f"dfs does not take symmetric tours, so there is no search to follow: leave out {problem.symmetry.name}"
        )
    if problem.givens:
        raise BadInput("a search with given numbers can't be traced: leave them out")
    clock = limits.clock()
    answer = decide_degenerate(problem)
    if answer is None:
        answer = yield from _search_events(problem, dfs, limits)
    answer = dataclasses.replace(answer, seconds=clock.seconds, backend="dfs").verified(problem)
    positions = answer.work.get("positions", 0)
    if answer.tour is not None:
        yield TourFound(tuple(answer.tour.vertices.tolist()), positions)
    elif answer.refutation is not None:
        yield NoTour(answer.refutation.kind, answer.refutation.reason, positions)
    else:
        yield SearchStopped(answer.stopped_by or "", positions)
    return answer


def opening_data(problem: Problem, dfs: Dfs) -> dict[str, Any]:
    """Return the JSON object that a reader of the events needs first: the problem, the options, and the place of each
    vertex."""
    return {
        "event": "problem",
        **problem_data(problem),
        "order": dfs.order,
        "prune": dfs.prune,
        "backtrack": dfs.backtrack,
        "places": problem.graph.space.all_vertex_data(),
    }


def _search_events(problem: Problem, dfs: Dfs, limits: Limits) -> Generator[TraceEvent, None, Answer]:
    """Yield the events of all searches; return the answer."""
    search = dfs.states(problem, limits, traced=True)
    replay: _Replay | None = None
    while True:
        try:
            state = next(search)
        except StopIteration as rest:
            answer: Answer = rest.value
            return answer
        if replay is None or replay.state is not state:
            yield SearchBegun(int(state.counters[ROOT]), gave_up=replay is not None and bool(replay.path))
            replay = _Replay(state)
        yield from replay.events()


class _Replay:
    """A search whose recorded events are turned into the stream of `trace`.

    ``path`` is the kernel's path up to the record that was read last, ``visited`` its vertices; for each vertex on it
    ``refusals`` has the prunings that spoke against its candidates and ``entered`` the number of those that were
    entered.
    """

    def __init__(self, state: PathSearch) -> None:
        self.state = state
        self.path: list[int] = []
        self._visited = bytearray(len(state.path))
        self._refusals: list[list[str]] = []
        self._entered: list[int] = []
        indptr, indices = state.indptr.tolist(), state.indices.tolist()
        self._moves = [indices[first:end] for first, end in itertools.pairwise(indptr)]

    def events(self) -> Iterator[TraceEvent]:
        """Yield the events recorded since the last call, up to a tour, and empty the buffer."""
        counters = self.state.counters
        records = self.state.ring[: counters[RING]].reshape(-1, RECORD).tolist()
        counters[RING] = 0
        for row, (kind, vertex, number) in enumerate(records):
            if kind == STEP:
                candidates = itertools.takewhile(
                    lambda record: record[0] == CANDIDATE, records[row + 1 : row + 1 + len(self._moves[vertex])]
                )
                yield self._step(vertex, [(head, exits) for _, head, exits in candidates])
            elif kind == REFUSED:
                pruning = _PRUNINGS[number]
                if self._refusals and pruning not in self._refusals[-1]:
                    self._refusals[-1].append(pruning)
                yield MoveRefused(vertex, len(self.path) + 1, pruning)
            elif kind == BACK:
                yield self._backtrack()
            elif kind == TOUR:
                return

    def _step(self, vertex: int, candidates: list[tuple[int, int]]) -> Step:
        """Append the vertex to the path and return the event of this step; ``candidates`` come with their numbers of
        exits."""
        if self._entered:
            self._entered[-1] += 1
        self.path.append(vertex)
        self._visited[vertex] = 1
        self._entered.append(0)
        self._refusals.append([])
        offered = []
        for head, exits in candidates:
            onward = sorted(beyond for beyond in self._moves[head] if not self._visited[beyond])
            offered.append(Candidate(head, exits, tuple(onward)))
        return Step(vertex, len(self.path), tuple(offered))

    def _backtrack(self) -> Backtrack:
        """Remove the last vertex from the path and return the event of this step back, with its reason."""
        visit = len(self.path)
        vertex, entered, prunings = self.path.pop(), self._entered.pop(), tuple(self._refusals.pop())
        self._visited[vertex] = 0
        why: Why = "tried" if entered else "refused" if prunings else "full" if visit == len(self._visited) else "stuck"
        return Backtrack(vertex, visit, self.path[-1] if self.path else None, why, prunings)
