"""Judges a walk on the page: can it become a tour and, if not, why, and how many of its squares can stay?

The squares that a walk has not visited, with its last one (and its first, if the tour is to be closed), are a smaller
problem of the same kind, which `remaining_problem` states: an open tour from the last square, to the first one or to
anywhere. Conditions that a person would look for are tried first, then the native search for a moment, then
the SAT solver or, for a puzzle, the search over numbers, within a limit of time.

If a walk can be completed, so can all its beginnings. So the longest beginning that can be completed is found by
bisection, and the tours found and the dead walks are remembered, as they settle other walks.

Reasons that people can see are vertices without enough exits, vertices cut off, colours that don't balance. Each is a
necessary condition of the problem that the walk leaves. An exit of a vertex is a neighbour that a move can still lead
to or come from.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.runs import Clock, Limits
from cpsat_tour.core.verify import verify
from cpsat_tour.engines.registry import load
from cpsat_tour.engines.runner import run
from cpsat_tour.formats.describe import listed
from cpsat_tour.web.protocol import Walk, as_sentence, known_reason

MAX_NAMED = 6


@dataclass(frozen=True)
class Why:
    """The reason why a walk can't be completed: its kind, a sentence without full stop, and vertices of the graph to be
    marked."""

    kind: str
    sentence: str = ""
    vertices: Sequence[int] = ()


@dataclass(frozen=True)
class RemainingProblem:
    """The problem ``left`` after a walk: to complete it to a tour. ``vertices`` has the whole graph's number of each of
    its vertices.

    ``closed`` is the kind of the whole tour; ``dark`` tells which vertices of ``left`` are dark squares, and is None if
    a move may keep the shade.
    """

    left: Problem
    vertices: Sequence[int]
    closed: bool
    walked: bool
    dark: Sequence[bool] | None

    def why_not(self) -> Why | None:
        """Return the reason why the walk can't be completed, by the first necessary condition that fails; None if all
        hold."""
        if self.left.graph.directed or self.left.graph.order < 2:
            return None
        checks = (
            self.why_no_exit,
            self.why_too_few_exits,
            self.why_cut_off,
            self.why_crowded,
            self.why_unbalanced_colours,
        )
        return next((why for check in checks if (why := check()) is not None), None)

    def why_no_exit(self) -> Why | None:
        """Return the reason that a vertex has no exit left; None if each has one."""
        stuck, start, end = self._with_exits(0), self.left.start, self.left.end
        if not stuck:
            return None
        name, around = self.left.graph.name, f"every {self.left.graph.nouns[0]} a move away"
        if self.walked and start in stuck:
            return self._why("stuck", f"there is no way on from {name(start)}: {around} is visited", [start])
        if self.walked and end in stuck:
            back = "back to" if self.closed else "to"
            return self._why("exits", f"there is no way {back} {name(end)}: {around} is visited", [end])
        gone = "visited" if self.walked else "missing"
        return self._why("exits", f"{self._names_with_verb(stuck)} out of exits: {around} is {gone}", stuck)

    def why_too_few_exits(self) -> Why | None:
        """Return the reason that too many vertices have a single exit, where a tour could only start or end; None if
        not."""
        single = [vertex for vertex in self._with_exits(1) if vertex not in self._fixed_ends]
        if len(single) <= self._free_end_count:
            return None
        exits = f"{self._names_with_verb(single, 'has', 'have')} one exit left{' each' * (len(single) > 1)}"
        can = (
            "must come in and go out again",
            f"can only {'start' if self.left.start is None else 'end'} on one of them",
            "can only start and end on two of them",
        )
        return self._why("exits", f"{exits}, and a tour {can[self._free_end_count]}", single)

    def why_cut_off(self) -> Why | None:
        """Return the reason that unvisited vertices can't be reached; None if all can."""
        component = self.left.graph.components
        beyond = np.flatnonzero(component != component[self.left.start or 0]).tolist()
        over = f"no way leads there over unvisited {self.left.graph.nouns[1]}"
        return self._why("cut off", f"{self._names_with_verb(beyond)} cut off: {over}", beyond) if beyond else None

    def why_crowded(self) -> Why | None:
        """Return the reason that too many vertices depend on one and the same neighbour; None if not."""
        needed_by: dict[int, list[int]] = defaultdict(list)
        for exits in (1, 2):
            for vertex in self._with_exits(exits):
                if (vertex in self._fixed_ends) == (exits == 1):
                    for other in self.left.graph.neighbours(vertex).tolist():
                        needed_by[other].append(vertex)
        for vertex, needing in needed_by.items():
            serves = 1 if vertex in self._fixed_ends else 2
            if len(needing) > serves + self._free_end_count:
                can = f"can serve {('one', 'two')[serves - 1]} of them"
                without = f"too few exits left to do without {self.left.graph.name(vertex)}"
                return self._why(
                    "exits", f"{self._names_with_verb(needing, 'has', 'have')} {without}, which {can}", needing
                )
        return None

    def why_unbalanced_colours(self) -> Why | None:
        """Return the reason that the colours of the unvisited vertices don't balance; None if they do.

        Moves change colour. So a closed tour has as many vertices of each, an open one that has both ends of one colour
        has one more of it.
        """
        colours = self.left.graph.colours if self.dark is None else np.array(self.dark)
        if colours is None:
            return None
        ends = [bool(colours[vertex]) for vertex in self._fixed_ends]
        least, most = (0, 0) if self.left.closed else (ends.count(True) - 1, 1 - ends.count(False))
        if least <= 2 * np.count_nonzero(colours) - len(colours) <= most:
            return None
        passed = self._fixed_ends if self.walked else []
        sides = {
            shade: [vertex for vertex in np.flatnonzero(colours == shade).tolist() if vertex not in passed]
            for shade in (False, True)
        }
        more = len(sides[True]) > len(sides[False])
        words = (
            {more: "of one colour", not more: "of the other"} if self.dark is None else {False: "light", True: "dark"}
        )
        left = f"{len(sides[more])} {words[more]} but {len(sides[not more])} {words[not more]}"
        here = f", {self.left.graph.name(passed[0])} is {words[ends[0]]}" if passed and self.dark is not None else ""
        sentence = f"every move changes colour{here}, and {left} {self.left.graph.nouns[1]} are left"
        return self._why("colours", sentence, sides[more])

    def why_search_fails(self) -> Why:
        """Return the reason that a search found no way to complete the walk."""
        over = f"over all {self.left.graph.nouns[1]} that are left"
        return Why(
            "search", f"a search finds no way on {over}{' and meets the given numbers' * bool(self.left.givens)}"
        )

    @property
    def _fixed_ends(self) -> list[int]:
        """The start and the end of the remaining problem, those that are fixed."""
        return [vertex for vertex in (self.left.start, self.left.end) if vertex is not None and not self.left.closed]

    @property
    def _free_end_count(self) -> int:
        """The number of ends that are not fixed, 0 to 2."""
        return 0 if self.left.closed else 2 - len(self._fixed_ends)

    def _with_exits(self, exits: int) -> list[int]:
        """Return the unvisited vertices that have this number of exits."""
        found: list[int] = np.flatnonzero(self.left.graph.degrees == exits).tolist()
        return found

    def _names_with_verb(self, vertices: Sequence[int], one: str = "is", several: str = "are") -> str:
        """Return the names of the vertices and the verb that goes with them: ``a1 and b3 are``."""
        return f"{listed(map(self.left.graph.name, vertices), MAX_NAMED)} {one if len(vertices) == 1 else several}"

    def _why(self, kind: str, sentence: str, vertices: Sequence[int]) -> Why:
        """Return a `Why` of this kind, with the vertices renumbered for the whole board."""
        return Why(kind, sentence, [self.vertices[vertex] for vertex in vertices])


VERDICT_SECONDS, KEEP_SECONDS = 2.0, 3.0
"""The time limits for judging a walk, and for finding how many of its squares can stay."""

QUICK_POSITIONS = 2000
"""The work limit of the native search, which is tried before the SAT solver."""

REMEMBERED = 256

Kind = Literal["closed", "open"]
KINDS: dict[Kind, bool] = {"closed": True, "open": False}
Verdicts = dict[str, dict[str, Any]]


def check_walk(problem: Problem, walk: Walk) -> Walk:
    """Return the walk unchanged; `BadInput` if it is not a walk on this board."""
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
    if walk and problem.givens:
        raise BadInput("a puzzle has no walk: give the numbers that are filled in as givens")
    if walk and problem.start is not None and walk[0] != problem.start:
        raise BadInput(f"this tour starts at {problem.graph.name(problem.start)}")
    return walk


def remaining_problem(problem: Problem, walk: Walk) -> RemainingProblem | Why:
    """Return the problem of completing the walk, or the reason why that is impossible: the walk enters the end too
    early."""
    graph, end = problem.graph, problem.end
    if end is not None and end in walk[: graph.order - 1]:
        return Why("end", f"{graph.name(end)}, which is to be the last, is visited already", [end])
    inner = walk[1:-1] if problem.closed else walk[:-1]
    kept = np.setdiff1d(np.arange(graph.order, dtype=np.int32), np.array(inner, dtype=np.int32))
    number = {vertex: place for place, vertex in enumerate(kept.tolist())}
    left = graph.subgraph(kept)
    if problem.closed and len(walk) > 1 and len(kept) > 2 and graph.has_arc(walk[-1], walk[0]):
        left = left.without([(number[walk[-1]], number[walk[0]])])  # it would close the tour too early
    start = walk[0] if walk else problem.start
    require: tuple[Move, ...] = ()
    begun = len(walk) > problem.closed
    if begun:
        if problem.closed and end is not None:
            require = ((number[end], number[walk[0]]),)
        last = walk[0] if problem.closed else end
        start, end = number[walk[-1]], None if last is None else number[last]
    asked = Problem(left, problem.closed and not begun, start, end, require, givens=problem.givens)
    dark = layout.dark if (layout := graph.space.layout) else None
    if dark is not None and (dark[graph.tails] == dark[graph.indices]).any():
        dark = None
    return RemainingProblem(
        asked, kept.tolist(), problem.closed, bool(walk), None if dark is None else dark[kept].tolist()
    )


class Judge:
    """Judges whether walks on one board can become tours. It calls a heartbeat, which may raise an exception when a
    newer walk waits."""

    def __init__(self, problem: Problem, heartbeat: Callable[..., None]) -> None:
        self.problem, self._heartbeat = problem, heartbeat
        other = replace(problem, closed=not problem.closed, end=None)
        self._problems: dict[Kind, Problem] = {
            kind: problem if closed == problem.closed else other
            for kind, closed in KINDS.items()
            if closed == problem.closed or not problem.givens
        }
        reasons = {kind: known_reason(asked) for kind, asked in self._problems.items()}
        self._hopeless = {kind: Why("board", reason) for kind, reason in reasons.items() if reason is not None}
        self._tours: dict[Kind, deque[Walk]] = {kind: deque(maxlen=REMEMBERED) for kind in self._problems}
        self._dead: dict[Kind, deque[Walk]] = {kind: deque(maxlen=REMEMBERED) for kind in self._problems}

    def verdicts(self, walk: Walk, seconds: float = VERDICT_SECONDS) -> Verdicts:
        """Return for closed and for open tours whether the walk can become one. Each verdict has ``can``: True with the
        ``tour``, False with the reason ``why``, or None if the time was too short. With givens there is one only for
        the kind asked for."""
        clock = Limits(seconds=seconds).clock()
        verdicts: Verdicts = {}
        for kind in self._problems:
            found = self._complete(kind, walk, clock)
            if isinstance(found, Why):
                verdicts[kind] = {"can": False, "why": asdict(found) | {"sentence": as_sentence(found.sentence)}}
                if kind in self._hopeless:
                    verdicts[kind]["keep"] = -1
            else:
                verdicts[kind] = {"can": None} if found is None else {"can": True, "tour": list(found)}
        return verdicts

    def add_lengths_to_keep(self, walk: Walk, verdicts: Verdicts, seconds: float = KEEP_SECONDS) -> Verdicts:
        """Return the verdicts with a member ``keep`` added where the walk can't become a tour: how much of its
        beginning can."""
        clock = Limits(seconds=seconds).clock()
        for kind in self._problems:
            if verdicts[kind]["can"] is False:
                verdicts[kind]["keep"] = self._longest_alive(kind, walk, clock)
        return verdicts

    def _longest_alive(self, kind: Kind, walk: Walk, clock: Clock) -> int | None:
        """Return the length of the longest beginning of the walk that can become a tour; -1 if there is no tour at all,
        None if the time was too short."""
        alive, dead = -1, len(walk)
        while dead - alive > 1:
            # One step back is where most walks have gone wrong, so it is asked first.
            middle = dead - 1 if dead == len(walk) else (alive + dead) // 2
            found = self._complete(kind, walk[:middle], clock)
            if found is None:
                return None
            alive, dead = (alive, middle) if isinstance(found, Why) else (middle, dead)
        return alive

    def _complete(self, kind: Kind, walk: Walk, clock: Clock) -> Walk | Why | None:
        """Return a tour that begins with the walk, or the reason why there is none; None if the time was too short."""
        self._heartbeat()
        if kind in self._hopeless:
            return self._hopeless[kind]
        ends_anywhere = kind == "open" and self._problems["open"].end is None
        for tour in [*self._tours[kind], *(self._tours.get("closed", deque[Walk]()) if ends_anywhere else [])]:
            if tour[: len(walk)] == walk:
                return tour
        problem = self._problems[kind]
        question = remaining_problem(problem, walk)
        if isinstance(question, Why):
            return question
        if why := question.why_not():
            return why
        if any(walk[: len(dead)] == dead for dead in self._dead[kind]):
            return question.why_search_fails()
        answer = run(question.left, load("dfs"), Limits(seconds=clock.left, work=QUICK_POSITIONS), self._heartbeat)
        if answer.unknown:
            second = load("numbers" if question.left.givens else "sat")
            answer = run(question.left, second, Limits(seconds=clock.left), self._heartbeat)
        if answer.none:
            self._dead[kind].appendleft(walk)
            return question.why_search_fails()
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
