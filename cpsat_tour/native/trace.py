"""The native search step by step: the one stream of events behind ``cpsat-tour trace``, the page and whoever else
watches.

The search is that of `Dfs.solve`, with its turns between roots and its restarts, and the same kernel, which writes what
it does to a ring of records and waits when that is full: whoever reads the events slowly slows the search, and memory
stays flat. What stands in an event is the kernel's own, the order of the candidates and their numbers of exits too; a
replay of the path adds what a reader wants beside it: where a candidate leads to, what is undone and why. Vertices are
numbered as in the graph of the problem.

The stream begins with `SearchBegun` unless the answer needs no search, and ends with one of `TourFound`, `NoTour` and
`SearchStopped`. An open problem of which only the end is fixed is searched from there, backwards; its tour is told
forwards.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from cpsat_tour.core.answer import Answer, Limits
from cpsat_tour.core.conditions import decide_degenerate
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import (
    Backtrack,
    Candidate,
    MoveRefused,
    NoTour,
    SearchBegun,
    SearchStopped,
    Step,
    TourFound,
    TraceEvent,
    Why,
)
from cpsat_tour.core.problem import Problem
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.refutations import FLAGS
from cpsat_tour.native.state import BACK, CANDIDATE, RECORD, REFUSED, RING, ROOT, STEP, State
from cpsat_tour.spaces.problem_data import problem_data

_PRUNINGS = {flag: name for name, flag in FLAGS.items()}


def trace(problem: Problem, dfs: Dfs, limits: Limits | None = None) -> Generator[TraceEvent, None, Answer]:
    """The events of ``dfs.solve``, one after the other as they are asked for; the generator returns the answer, its
    tour verified."""
    if problem.symmetry is not None:
        raise BadInput(
            f"dfs does not take symmetric tours, so there is no search to follow: leave out {problem.symmetry.name}"
        )
    if problem.givens:
        raise BadInput("a search with given numbers is not traced: leave them out")
    limits = limits or Limits()
    clock = limits.clock()
    answer = decide_degenerate(problem)
    if answer is None:
        answer = yield from _searched(problem, dfs, limits)
    answer = dataclasses.replace(answer, seconds=clock.seconds, backend="dfs").verified(problem)
    yield _ending(answer)
    return answer


def opening(problem: Problem, dfs: Dfs) -> dict[str, Any]:
    """What a reader of the events has to know first, as JSON: the problem, the options, and the place of each
    vertex."""
    return {
        "event": "problem",
        **problem_data(problem),
        "order": dfs.order,
        "prune": dfs.prune,
        "backtrack": dfs.backtrack,
        "places": problem.graph.space.places(),
    }


def _searched(problem: Problem, dfs: Dfs, limits: Limits) -> Generator[TraceEvent, None, Answer]:
    """The events of all searches, up to the answer."""
    search = dfs.searching(problem, limits, traced=True)
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


def _ending(answer: Answer) -> TraceEvent:
    positions = answer.work.get("positions", 0)
    if answer.tour is not None:
        return TourFound(tuple(answer.tour.vertices.tolist()), positions)
    if answer.refutation is not None:
        return NoTour(answer.refutation.kind, answer.refutation.reason, positions)
    return SearchStopped(answer.stopped_by or "", positions)


class _Replay:
    """A search followed by its records.

    ``path`` is the kernel's path up to the record that was read last, ``visited`` its vertices; for each vertex on it
    ``refusals`` has the prunings that spoke against its candidates and ``entered`` the number of those that were
    entered.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.path: list[int] = []
        self._visited = bytearray(len(state.path))
        self._refusals: list[list[str]] = []
        self._entered: list[int] = []
        indptr, indices = state.indptr.tolist(), state.indices.tolist()
        self._moves = [indices[first:end] for first, end in itertools.pairwise(indptr)]

    def events(self) -> Iterator[TraceEvent]:
        """The events since the ring was emptied last; empties it. They end with a tour, which the caller tells."""
        counters = self.state.counters
        records = self.state.ring[: counters[RING]].reshape(-1, RECORD).tolist()
        counters[RING] = 0
        offered = np.array([kind for kind, _, _ in records] + [0], dtype=np.int32) == CANDIDATE
        place = 0
        while place < len(records):
            kind, vertex, number = records[place]
            place += 1
            if kind == STEP:
                end = place + int(np.argmin(offered[place:]))
                yield self._step(vertex, records[place:end])
                place = end
            elif kind == REFUSED:
                yield self._refuse(vertex, _PRUNINGS[number])
            elif kind == BACK:
                yield self._backtrack()
            else:
                return

    def _step(self, vertex: int, records: list[list[int]]) -> Step:
        if self._entered:
            self._entered[-1] += 1
        self.path.append(vertex)
        self._visited[vertex] = 1
        self._entered.append(0)
        self._refusals.append([])
        return Step(
            vertex, len(self.path), tuple(Candidate(head, exits, self._onward(head)) for _, head, exits in records)
        )

    def _onward(self, vertex: int) -> tuple[int, ...]:
        """The unvisited vertices that a move leads to, in increasing order."""
        return tuple(sorted(head for head in self._moves[vertex] if not self._visited[head]))

    def _refuse(self, vertex: int, pruning: str) -> MoveRefused:
        if self._refusals and pruning not in self._refusals[-1]:
            self._refusals[-1].append(pruning)
        return MoveRefused(vertex, len(self.path) + 1, pruning)

    def _backtrack(self) -> Backtrack:
        visit = len(self.path)
        vertex, entered, prunings = self.path.pop(), self._entered.pop(), tuple(self._refusals.pop())
        self._visited[vertex] = 0
        why: Why = "tried" if entered else "refused" if prunings else "full" if visit == len(self._visited) else "stuck"
        return Backtrack(vertex, visit, self.path[-1] if self.path else None, why, prunings)
