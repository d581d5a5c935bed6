"""The path search to be read: in plain Python, a depth-first search for a Hamiltonian path by Warnsdorff's rule with
all prunings and move orders; and the stream of its events, step by step, that ``cpsat-tour trace`` and the page show.

The plain search takes the positions of the kernel (`paths.c`) one by one, and a test holds each to the
other. Only the path and the set of unvisited vertices are kept up to date: exits are counted anew where they are
needed, a thousand times slower.

The search of the stream is that of `Dfs.solve`, with its turns between roots and its restarts, and the same kernel. It
writes its steps to a ring of records and waits when that is full, so a slow reader slows the search, and memory stays
flat. The order of the candidates and their numbers of exits are the kernel's own; a replay of the path adds where a
candidate leads to, what is undone and why. Vertices are numbered as in the graph of the problem.

The stream begins with `SearchBegun` unless the answer needs no search, and ends with one of `TourFound`, `NoTour` and
`SearchStopped`. An open problem with only its end fixed is searched from there, backwards, but its tour is shown
forwards.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Generator, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from cpsat_tour.native import paths as state
from cpsat_tour.native.dfs import Dfs
from cpsat_tour.native.paths import (
    BACK,
    CANDIDATE,
    DEAD_END,
    EXHAUSTED,
    FLAGS,
    FOUND,
    PAUSED,
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


class PlainSearch:
    """A search for one path in plain Python; an unstarted `PathSearch` says what is sought and gets counters and
    path."""

    def __init__(self, s: PathSearch) -> None:
        self.s, self.settings, self.must = s, s.counters.tolist(), s.must.tolist()
        self.out, self.into = (
            [arcs[first:end] for first, end in pairwise(indptr.tolist())]
            for indptr, arcs in ((s.indptr, s.indices.tolist()), (s.in_indptr, s.in_indices.tolist()))
        )
        self.ends = set(s.may_end.nonzero()[0].tolist())
        self.path, self.unvisited = list[int](), set(range(len(s.path)))

    def run(self, most_positions: int) -> int:
        """Search until a path is found, nothing is left, or ``most_positions`` positions were entered; return a code
        for the reason."""
        path, counters, possible, before = self.path, self.s.counters, self.s.possible, self.s.before
        prune, backtrack = self.settings[state.PRUNE], self.settings[state.BACKTRACK]
        untried, tried = [[self.settings[state.ROOT]]], None
        while untried[-1] or path:
            if prune & state.REVERSAL and len(path) == 1:
                self.ends.discard(tried)  # all closed tours over the edge to it are found
            if not untried[-1]:
                counters[state.DEPTH] = len(path)
                if not backtrack:
                    return DEAD_END
                untried.pop()
                self.unvisited.add(path.pop())
                counters[state.BACKTRACKS] += 1
                continue
            if path and counters[state.POSITIONS] >= most_positions:
                return PAUSED
            vertex = untried[-1].pop(0)
            tried = vertex if len(path) == 1 else tried
            if possible.size and not possible[len(path), vertex]:
                continue
            if before.size and before[vertex] in self.unvisited:
                continue
            self.unvisited.remove(vertex)
            if self.is_refuted(vertex):
                self.unvisited.add(vertex)
                continue
            path.append(vertex)
            counters[state.POSITIONS] += 1
            leaf = backtrack and not prune and not self.exits(vertex)  # it is left at once
            if not self.unvisited and vertex in self.ends:
                self.s.tours[0] = np.array(path)
                counters[state.BACKTRACKS] += leaf
                return FOUND
            untried.append([] if leaf else self.candidates(vertex))
        return EXHAUSTED

    def exits(self, vertex: int) -> int:
        """Return the number of unvisited vertices that can be reached from this one in a move."""
        return sum(other in self.unvisited for other in self.out[vertex])

    def candidates(self, head: int) -> list[int]:
        """Return the unvisited vertices that may follow the head, in the order in which they are tried.

        Those with the fewest exits come first, which is Warnsdorff's rule; the move order breaks ties.
        """
        if self.must[head] in self.unvisited:
            return [self.must[head]]
        free, ties = [vertex for vertex in self.out[head] if vertex in self.unvisited], dict[int, int]()
        match self.settings[state.KEY]:
            case state.AS_THEY_COME:
                return free
            case state.BY_SECOND_LEVEL:  # Pohl 1967
                ties = {v: sum(self.exits(other) for other in self.out[v] if other in self.unvisited) for v in free}
            case state.AT_RANDOM:
                ties = {v: random_bits(self.s.random) for v in free}
        return sorted(free, key=lambda vertex: (self.exits(vertex), ties.get(vertex, 0)))

    def is_refuted(self, head: int) -> bool:
        """Return True if a pruning shows that no path goes on from this head to a permitted end."""
        left, prune = self.unvisited, self.settings[state.PRUNE]
        return bool(left) and bool(
            (prune & state.ENDS and not left & self.ends)
            or (prune & state.EXITS and len(left) > 1 and not all(map(self.exits, left)))
            or (prune & state.DEGREE and len(left) > 1 and self.degrees_refute(head))
            or (prune & state.CONNECTED and not self.hangs_together(head))
        )

    def degrees_refute(self, head: int) -> bool:
        """Return True if the degrees of the unvisited vertices show that no path through them all goes on from the
        head.

        That is so if a vertex has no exit, or more have a single one than can follow the head or be the end; of a
        directed graph, if more vertices than the end have no exit, or more than the one after the head no entry.
        """
        left, after = self.unvisited, set(self.out[head])
        stuck = {vertex for vertex in left if not self.exits(vertex)}
        if self.settings[state.DIRECTED]:
            unreached = {vertex for vertex in left if left.isdisjoint(self.into[vertex])}
            return bool(stuck - self.ends or unreached - after) or len(stuck) > 1 or len(unreached) > 1
        single = {vertex for vertex in left if self.exits(vertex) == 1}
        inner, far = single - self.ends, single - after
        return bool(stuck or inner & far) or len(inner) > 1 or len(far) > 1 or len(single) > 2

    def hangs_together(self, head: int) -> bool:
        """Return True if the unvisited vertices are connected, and one of them is next to the head."""
        fresh = set([*({*self.out[head], *self.into[head]} & self.unvisited)][:1])
        reached = set(fresh)
        while fresh:
            beside = {other for vertex in fresh for other in (*self.out[vertex], *self.into[vertex])}
            fresh = beside & self.unvisited - reached
            reached |= fresh
        return reached == self.unvisited


def random_bits(random: NDArray[np.uint64]) -> int:
    """Return the next 32 bits of a xorshift generator (Marsaglia 2003)."""
    bits = int(random[0])
    bits ^= bits << 13 & (1 << 64) - 1
    bits ^= bits >> 7
    bits ^= bits << 17 & (1 << 64) - 1
    random[0] = bits
    return bits >> 32


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
