"""Walking a tour of one's own: whether a walk can still be completed, and if not, why and how far back one has to go.

The squares that a walk has not visited, with its last one (and, of a closed tour, its first), are a smaller problem of
the same kind: an open tour from the last square, to the first one or to anywhere. `rest` states it. What a person would
look for is tried first (`whys`), then the native search for a moment, then the SAT solver or, of a puzzle, the search
over numbers, within a limit of time; so an answer is yes with a tour, no, or not known.

If a walk can be completed, so can all its beginnings. Therefore the longest beginning that can be is found by
bisection, and what is known of some walks settles others: tours found and dead walks are remembered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.answer import Clock, Limits
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import Event
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.tour import verify
from cpsat_tour.web.messages import known_reason
from cpsat_tour.web.whys import Rest, Why

VERDICT_SECONDS, REASON_SECONDS = 2.0, 3.0
"""Within these a walk is judged, and then how far back one has to go."""

QUICK_POSITIONS = 2000
"""So many positions of the native search come before the SAT solver."""

REMEMBERED = 256

Kind = Literal["closed", "open"]
Verdicts = dict[str, dict[str, Any]]
Walk = tuple[int, ...]


class Overtaken(Exception):
    """A newer walk is to be judged."""


def check_walk(problem: Problem, walk: Walk) -> Walk:
    """Return the walk that a page sends; `BadInput` where it is not one on this board."""
    order = problem.graph.order
    if problem.symmetry is not None:
        raise BadInput(f"a walk can't be asked to have the symmetry {problem.symmetry.name}: leave it out")
    if not all(0 <= vertex < order for vertex in walk):
        raise BadInput(f"a walk is a list of vertices from 0 to {order - 1}, and this is not")
    if len(set(walk)) < len(walk):
        raise BadInput(f"a walk enters no {problem.graph.nouns[0]} twice")
    for tail, head in pairwise(walk):
        if not problem.graph.has_arc(tail, head):
            raise BadInput(f"{problem.graph.name(tail)}-{problem.graph.name(head)} is not a move here")
    if walk and problem.start is not None and walk[0] != problem.start:
        raise BadInput(f"this tour starts at {problem.graph.name(problem.start)}")
    return walk


def rest(problem: Problem, walk: Walk) -> Rest | Why:
    """Return what is left to be found when the walk is the beginning of a tour.

    Or why there is nothing to be found, where the walk has passed by something that was asked for.
    """
    if why := _passed_by(problem, walk):
        return why
    graph = problem.graph
    inner = walk[1:-1] if problem.closed else walk[:-1]
    kept = np.setdiff1d(np.arange(graph.order, dtype=np.int32), np.array(inner, dtype=np.int32))
    number = {vertex: place for place, vertex in enumerate(kept.tolist())}
    left = graph.among(kept)
    if problem.closed and len(walk) > 1 and len(kept) > 2 and graph.has_arc(walk[-1], walk[0]):
        left = left.without([(number[walk[-1]], number[walk[0]])])  # it would close the tour too early
    start, end, givens = walk[0] if walk else problem.start, problem.end, problem.givens
    require: tuple[Move, ...] = ()
    begun = len(walk) > problem.closed
    if begun:
        if problem.closed and end is not None:
            require = ((number[end], number[walk[0]]),)
        last = walk[0] if problem.closed else end
        start, end = number[walk[-1]], None if last is None else number[last]
        givens = tuple((number[vertex], visit - len(walk) + 1) for vertex, visit in problem.givens if visit > len(walk))
    asked = Problem(left, problem.closed and not begun, start, end, require, givens=givens)
    dark = graph.space.dark()
    if dark is not None and (dark[graph.tails] == dark[graph.indices]).any():
        dark = None
    return Rest(asked, kept.tolist(), problem.closed, bool(walk), None if dark is None else dark[kept].tolist())


def _passed_by(problem: Problem, walk: Walk) -> Why | None:
    """What was asked for and can't be had after the walk: the end, entered too early, or a given number."""
    name, end = problem.graph.name, problem.end
    if end is not None and end in walk[: problem.graph.order - 1]:
        return Why("end", f"{name(end)}, which is to be the last, is visited already", [end])
    for vertex, visit in problem.givens:
        if walk[visit - 1 : visit] not in ((), (vertex,)) or vertex in walk[: visit - 1]:
            return Why("given", f"{name(vertex)} is to be number {visit}", [vertex])
    return None


class Judge:
    """Judges walks on one board. ``overtaken`` is asked several times a second whether a newer walk waits: then
    `Overtaken` is raised."""

    def __init__(self, problem: Problem, overtaken: Callable[[], bool]) -> None:
        self.problem = problem
        self._overtaken = overtaken
        other = replace(problem, closed=not problem.closed, end=None)
        self._problems: dict[Kind, Problem] = {
            "closed": problem if problem.closed else other,
            "open": other if problem.closed else problem,
        }
        self._hopeless: dict[Kind, Why] = {}
        """Of each kind of tour that there is none of, whatever the walk, why."""
        for kind, asked in self._problems.items():
            if (reason := known_reason(asked)) is not None:
                self._hopeless[kind] = Why("board", reason)
        self._tours: dict[Kind, deque[Walk]] = {kind: deque(maxlen=REMEMBERED) for kind in self._problems}
        self._dead: dict[Kind, deque[Walk]] = {kind: deque(maxlen=REMEMBERED) for kind in self._problems}

    def verdicts(self, walk: Walk, seconds: float = VERDICT_SECONDS) -> Verdicts:
        """Whether the walk can become a closed tour, and an open one: ``can`` is true, false, or None where it is not
        settled in time. With it go the ``tour``, or ``why`` not."""
        clock = Limits(seconds=seconds).clock()
        verdicts: Verdicts = {}
        for kind in self._problems:
            found = self._judged(kind, walk, clock)
            if isinstance(found, Why):
                verdicts[kind] = {"can": False, "why": found.data()}
                if kind in self._hopeless:
                    verdicts[kind]["keep"] = -1
            else:
                verdicts[kind] = {"can": None} if found is None else {"can": True, "tour": list(found)}
        return verdicts

    def reasons(self, walk: Walk, verdicts: Verdicts, seconds: float = REASON_SECONDS) -> Verdicts:
        """The verdicts with how many squares of the walk can stay (``keep``), where the time is enough."""
        clock = Limits(seconds=seconds).clock()
        for kind in self._problems:
            if verdicts[kind]["can"] is False:
                verdicts[kind]["keep"] = self._longest_alive(kind, walk, clock)
        return verdicts

    def _longest_alive(self, kind: Kind, walk: Walk, clock: Clock) -> int | None:
        """Return the length of the longest beginning of the walk that can be completed.

        0: only the empty one; -1: there is no tour; None: not settled in time.
        """
        alive, dead = -1, len(walk)
        while dead - alive > 1:
            # One step back is where most walks have gone wrong, so it is asked first.
            middle = dead - 1 if dead == len(walk) else (alive + dead) // 2
            found = self._judged(kind, walk[:middle], clock)
            if found is None:
                return None
            alive, dead = (alive, middle) if isinstance(found, Why) else (middle, dead)
        return alive

    def _judged(self, kind: Kind, walk: Walk, clock: Clock) -> Walk | Why | None:
        """Return a tour that begins with the walk, or why there is none; None where the time is not enough."""
        self._listen()
        if kind in self._hopeless:
            return self._hopeless[kind]
        known = [*self._tours[kind]]
        if kind == "open" and self._problems["open"].end is None:
            known += self._tours["closed"]
        for tour in known:
            if tour[: len(walk)] == walk:
                return tour
        problem = self._problems[kind]
        question = rest(problem, walk)
        if isinstance(question, Why):
            return question
        if why := question.why_not():
            return why
        if any(walk[: len(dead)] == dead for dead in self._dead[kind]):
            return question.by_search()
        answer = run(question.left, load("dfs"), Limits(seconds=clock.left, work=QUICK_POSITIONS), self._listen)
        if answer.unknown:
            second = load("numbers" if question.left.givens else "sat")
            answer = run(question.left, second, Limits(seconds=clock.left), self._listen)
        if answer.none:
            self._dead[kind].appendleft(walk)
            return question.by_search()
        if answer.tour is None:
            return None
        onward = [question.vertices[vertex] for vertex in answer.tour.vertices.tolist()]
        found: Walk = (*walk, *(onward[1:-1] if problem.closed else onward[1:]))  # from the walk's last to its first
        if len(walk) <= problem.closed:
            place = onward.index(walk[0]) if walk else 0
            found = (*onward[place:], *onward[:place])
        verify(problem, found)
        self._tours[kind].appendleft(found)
        return found

    def _listen(self, _event: Event | None = None) -> None:
        if self._overtaken():
            raise Overtaken
