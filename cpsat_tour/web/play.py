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
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from cpsat_tour.backends.registry import load
from cpsat_tour.backends.runner import run
from cpsat_tour.core.answer import Answer, Clock, Limits
from cpsat_tour.core.conditions import known_of_tours
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import Event
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.tour import verify
from cpsat_tour.web.whys import UNEXPLAINED, Rest, Why

VERDICT_SECONDS, REASON_SECONDS = 2.0, 3.0
"""Within these a walk is judged, and then the reason found."""

QUICK_POSITIONS = 2000
"""So many positions of the native search come before the SAT solver."""

REMEMBERED = 256

Kind = Literal["closed", "open"]
Verdicts = dict[Kind, dict[str, Any]]
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
    graph, dark = problem.graph, problem.graph.space.dark()
    inner = walk[1:-1] if problem.closed else walk[:-1]
    kept = np.setdiff1d(np.arange(graph.order, dtype=np.int32), np.array(inner, dtype=np.int32))
    number = {vertex: place for place, vertex in enumerate(kept.tolist())}
    made = {frozenset(move) for move in pairwise(walk)}
    required = [move for move in _required(problem) if frozenset(move) not in made]
    # While other vertices are left, a move from the last one back to the first would close the tour too early.
    early = {walk[-1], walk[0]} if problem.closed and len(walk) > 1 and len(kept) > 2 else None
    lost = [move for move in required if {*move} == early or not number.keys() >= {*move}]
    if why := _passed_by(problem, walk, lost):
        return why
    forbidden = [move for move in problem.forbid if {*move} != early and number.keys() >= {*move}]
    require, forbid = (tuple((number[tail], number[head]) for tail, head in moves) for moves in (required, forbidden))
    left = graph.among(kept)
    if early and graph.has_arc(walk[-1], walk[0]):
        left = left.without([(number[walk[-1]], number[walk[0]])])
    whole = len(walk) <= problem.closed
    if whole:
        start, end = walk[0] if walk else problem.start, None if problem.closed else problem.end
        givens = problem.givens
    else:
        start, end = number[walk[-1]], walk[0] if problem.closed else problem.end
        end = None if end is None else number[end]
        givens = tuple((number[vertex], visit - len(walk) + 1) for vertex, visit in problem.givens if visit > len(walk))
    asked = Problem(left, whole and problem.closed, start, end, require, forbid, givens=givens)
    return Rest(asked, kept.tolist(), problem.closed, bool(walk), None if dark is None else dark.tolist())


def _required(problem: Problem) -> list[Move]:
    """The required moves; of a closed tour with an end, that from there to the start as well."""
    if not problem.closed or problem.start is None or problem.end is None:
        return [*problem.require]
    return [*problem.require, (problem.end, problem.start)]


def _passed_by(problem: Problem, walk: Walk, lost: list[Move]) -> Why | None:
    """What was asked for and can't be had after the walk: an end entered too early, one of the moves that are lost, a
    given number."""
    name = problem.graph.name
    if not problem.closed and problem.end is not None and problem.end in walk[: problem.graph.order - 1]:
        return Why("end", f"{name(problem.end)}, which is to be the last, is visited already", [problem.end])
    for tail, head in lost:
        move = f"the move {name(tail)}-{name(head)}"
        return Why("required", f"{move} is required, and can't be made any more", [tail, head])
    for vertex, visit in problem.givens:
        if walk[visit - 1 : visit] not in ((), (vertex,)) or vertex in walk[: visit - 1]:
            return Why("given", f"{name(vertex)} is to be number {visit}", [vertex])
    return None


def _hopeless(problem: Problem) -> Why | None:
    """Why there is no tour whatever the walk, where that is seen without a search."""
    known = known_of_tours(problem)
    refutation = known.refutation if known is not None else None
    return None if refutation is None else Why("board", refutation.reason)


@dataclass
class _Known:
    """What is remembered of one kind of tour: tours, and walks that are dead."""

    tours: deque[Walk] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    dead: deque[Walk] = field(default_factory=lambda: deque(maxlen=REMEMBERED))


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
        self._hopeless = {kind: _hopeless(asked) for kind, asked in self._problems.items()}
        self._known = {kind: _Known() for kind in self._problems}

    def verdicts(self, walk: Walk, seconds: float = VERDICT_SECONDS) -> Verdicts:
        """Whether the walk can become a closed tour, and an open one: ``can`` is true, false, or None where it is not
        settled in time.

        With it go the ``tour``, or ``why`` not, as far as that is seen at once.
        """
        clock = Limits(seconds=seconds).clock()
        return {kind: self._verdict(kind, walk, clock) for kind in self._problems}

    def reasons(self, walk: Walk, verdicts: Verdicts, seconds: float = REASON_SECONDS) -> Verdicts:
        """The verdicts with why not, and how many squares of the walk can stay (``keep``), where the time is enough."""
        clock = Limits(seconds=seconds).clock()
        return {
            kind: self._reasoned(kind, walk, verdict, clock) if verdict["can"] is False else verdict
            for kind, verdict in verdicts.items()
        }

    def _verdict(self, kind: Kind, walk: Walk, clock: Clock) -> dict[str, Any]:
        tour, why = self._judged(kind, walk, clock)
        if tour is not None:
            return {"can": True, "tour": list(tour)}
        if why is None:
            return {"can": None}
        verdict = {"can": False, "why": why.data() if why.sentence else None}
        return verdict if self._hopeless[kind] is None else {**verdict, "keep": -1}

    def _reasoned(self, kind: Kind, walk: Walk, verdict: dict[str, Any], clock: Clock) -> dict[str, Any]:
        keep = self._longest_alive(kind, walk, clock)
        why = verdict.get("why")
        if why is None:
            question = rest(self._problems[kind], walk)
            why = (question if isinstance(question, Why) else question.explained(clock, self._listen)).data()
        return {**verdict, "why": why, "keep": keep}

    def _longest_alive(self, kind: Kind, walk: Walk, clock: Clock) -> int | None:
        """Return the length of the longest beginning of the walk that can be completed.

        0: only the empty one; -1: there is no tour; None: not settled in time.
        """
        alive, dead = -1, len(walk)
        while dead - alive > 1:
            # One step back is where most walks have gone wrong, so it is asked first.
            middle = dead - 1 if dead == len(walk) else (alive + dead) // 2
            tour, why = self._judged(kind, walk[:middle], clock)
            if tour is not None:
                alive = middle
            elif why is not None:
                dead = middle
            else:
                return None
        return alive

    def _judged(self, kind: Kind, walk: Walk, clock: Clock) -> tuple[Walk | None, Why | None]:
        """A tour that begins with the walk; or why there is none, without words where it takes a search to know; or
        neither."""
        known, length = self._known[kind], len(walk)
        closed_too = kind == "open" and self._problems["open"].end is None
        for tour in (*known.tours, *(self._known["closed"].tours if closed_too else ())):
            if tour[:length] == walk:
                return tour, None
        found = self._found(kind, walk, clock)
        if isinstance(found, tuple):
            known.tours.appendleft(found)
            return found, None
        if found is not None:
            known.dead.appendleft(walk)
        return None, found

    def _found(self, kind: Kind, walk: Walk, clock: Clock) -> Walk | Why | None:
        self._listen()
        problem = self._problems[kind]
        if self._hopeless[kind] is not None:
            return self._hopeless[kind]
        question = rest(problem, walk)
        if isinstance(question, Why):
            return question
        if why := question.why_not():
            return why
        if any(walk[: len(dead)] == dead for dead in self._known[kind].dead):
            return UNEXPLAINED
        answer = self._answer(question.left, clock)
        if answer.tour is None:
            return UNEXPLAINED if answer.none else None
        onward = [question.vertices[vertex] for vertex in answer.tour.vertices.tolist()]
        tour = self._joined(problem, walk, onward)
        verify(problem, tour)
        return tour

    @staticmethod
    def _joined(problem: Problem, walk: Walk, onward: list[int]) -> Walk:
        """The walk and what follows it, which begins with the walk's last vertex and, if the tour is closed, ends with
        the first."""
        if len(walk) <= problem.closed:
            place = onward.index(walk[0]) if walk else 0
            return (*onward[place:], *onward[:place])
        return (*walk, *(onward[1:-1] if problem.closed else onward[1:]))

    def _answer(self, problem: Problem, clock: Clock) -> Answer:
        answer = run(problem, load("dfs"), Limits(seconds=clock.left, work=QUICK_POSITIONS), self._listen)
        second = "numbers" if problem.givens else "sat"
        return run(problem, load(second), Limits(seconds=clock.left), self._listen) if answer.unknown else answer

    def _listen(self, _event: Event | None = None) -> None:
        if self._overtaken():
            raise Overtaken
