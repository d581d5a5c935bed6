"""What a formulation is asked: the cycle problem that a problem is reduced to, simplified, and part by part where it
falls into parts.

What the formulation says of a part is brought back to the whole: its cycles, the events on the way, and why there is
none. A formulation that does not take directed problems is asked about the halves of one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np

from cpsat_tour.backends.protocols import Formulation
from cpsat_tour.core.answer import Clock, Limits, Refutation
from cpsat_tour.core.errors import BackendFault, StoppedEarly, TourFault
from cpsat_tour.core.events import CutSetAdded, Event, OnEvent, ProblemSimplified, TwoFactorFound
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.halves import Halves
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.run import Run
from cpsat_tour.core.simplified import Remnant, Simplified, promising, unchanged


class Question:
    """A problem that `decide_degenerate` leaves open, put to a formulation; with ``every`` all tours are wanted,
    otherwise one.

    ``work`` counts what was done for all parts together; the limit on work holds for each of them.
    """

    def __init__(
        self,
        problem: Problem,
        formulation: Formulation,
        limits: Limits,
        clock: Clock,
        on_event: OnEvent | None = None,
        *,
        every: bool = False,
    ) -> None:
        self._halves = Halves(problem) if problem.graph.directed and "directed" not in formulation.takes else None
        if self._halves is not None:
            problem, on_event = self._halves.problem, translated_listener(on_event, self._halves.vertices)
        self._problem, self._formulation, self._limits, self._clock = problem, formulation, limits, clock
        self._on_event, self._every = on_event, every
        self._counted: dict[str, int] = {}
        self._runs: list[Run] = []

    @property
    def work(self) -> dict[str, int]:
        """What is left of a simplified problem, and the counters of the formulation, added up."""
        work = dict(self._counted)
        for run in self._runs:
            for counter, number in run.work.items():
                work[counter] = work.get(counter, 0) + number
        return work

    def tours(self) -> Generator[Ints, None, Refutation]:
        """The tours, some at a time, a row each; returns why there are no more."""
        if self._halves is None:
            return (yield from self._tours())
        if reason := to_cycle(self._halves.source).dead_end():
            return Refutation("condition", reason)
        with closing(self._tours()) as tours:
            while True:
                try:
                    cycles = next(tours)
                except StopIteration as end:
                    return self._halves.why(end.value)
                yield self._halves.tours(cycles)

    def _tours(self) -> Generator[Ints, None, Refutation]:
        """The tours of the problem that is not directed, or that the formulation takes."""
        found = simplified(self._problem, self._limits, every=self._every)
        cycle = found.whole
        if reason := found.why_none:
            return Refutation("condition", reason)
        if found.changed:
            self._tell(found)
        if not found.parts:
            yield cycle.tours(found.cycles([]))
            return Refutation("condition", "the moves that have to be used are a tour, and leave room for no other")
        first: list[Ints] = []
        for part in found.parts[:-1]:
            with closing(self._cycles(part, found)) as cycles:
                try:
                    first.append(next(cycles)[:1])
                except StopIteration as end:
                    return of_the_piece(end.value, part)
        with closing(self._cycles(found.parts[-1], found)) as cycles:
            while True:
                try:
                    rows = next(cycles)
                except StopIteration as end:
                    return (
                        of_the_piece(end.value, found.parts[-1])
                        if first
                        else _of_what_is_left(end.value)
                        if found.changed
                        else end.value
                    )
                try:
                    cycles_of_the_whole = found.cycles([*(row.repeat(len(rows), axis=0) for row in first), rows])
                except TourFault as fault:
                    raise BackendFault(f"{self._called} returned a wrong cycle: {fault}") from fault
                yield cycle.tours(cycles_of_the_whole)

    def _tell(self, found: Simplified) -> None:
        """Say what is left."""
        left = what_is_left(found)
        self._counted = {"vertices_left": left.vertices, "edges_left": left.edges, "parts": left.parts}
        if self._on_event is not None:
            self._on_event(left)

    def _cycles(self, part: Remnant, found: Simplified) -> Generator[Ints, None, Refutation]:
        """The cycles of a part, some at a time, a row each; returns why there are no more."""
        if reason := part.cycle.dead_end():
            return Refutation("condition", reason)
        listener = for_piece(self._on_event, part, found) if found.changed else self._on_event
        run = Run(part.cycle, self._limits, self._clock, listener, every=self._every)
        self._runs.append(run)
        given = self._formulation.cycles(run)
        if not isinstance(given, Generator):
            raise BackendFault(f"{self._called}.cycles must be a generator, and gave a {type(given).__name__}")
        with closing(given) as cycles:
            while True:
                try:
                    rows = np.atleast_2d(next(cycles))
                except StopIteration as end:
                    if not isinstance(end.value, Refutation):
                        raise BackendFault(f"{self._called} gave no reason why there are no more cycles") from None
                    return end.value
                if rows.shape[1] != part.cycle.order:
                    raise BackendFault(
                        f"{self._called} returned a cycle of {rows.shape[1]} vertices, not of {part.cycle.order}"
                    )
                yield rows

    @property
    def _called(self) -> str:
        return type(self._formulation).__name__


def simplified(problem: Problem, limits: Limits, *, every: bool = False) -> Simplified:
    """What is left of the problem; of the last one it is kept, for several backends may be asked in turn.

    Nothing is simplified where the limits say so, half the time given does not suffice, a symmetry ties the edges, or
    vertices have numbers.
    """
    if not limits.simplify or problem.symmetry is not None or problem.givens:
        return unchanged(to_cycle(problem))
    key = (problem, every)
    found = _last.get(key)
    if found is None:
        found = unchanged(to_cycle(problem))
        if promising(found.whole):
            from cpsat_tour.core.simplify import simplify  # it takes as long to load as a board to solve

            half = replace(limits, seconds=None if limits.seconds is None else limits.seconds / 2).clock()
            try:
                found = simplify(found.whole, split=not every, heartbeat=half.check)
            except StoppedEarly:
                return found
        _last.clear()
        _last[key] = found
    return found


_last: dict[tuple[Problem, bool], Simplified] = {}
"""What is left of the last problem that was asked about, by the problem and whether all its tours were wanted."""


def what_is_left(found: Simplified) -> ProblemSimplified:
    """The event that says how much is left."""
    cycles = [part.cycle for part in found.parts]
    order, size = sum(cycle.order for cycle in cycles), sum(cycle.size for cycle in cycles)
    return ProblemSimplified(order, size, len(cycles), found.whole.order, found.whole.size)


def for_piece(on_event: OnEvent | None, part: Remnant, found: Simplified) -> OnEvent | None:
    """Return a listener for the events of a part, which passes them on with the vertices of the whole."""
    return translated_listener(
        on_event, [-1 if vertex == found.whole.apex else vertex for vertex in part.vertices.tolist()]
    )


def translated_listener(on_event: OnEvent | None, vertices: Sequence[int]) -> OnEvent | None:
    """Return a listener for the events of another problem, which passes them on with these vertices for its own; -1
    stands for the apex in both."""
    if on_event is None:
        return None
    number = [*vertices, -1]
    return lambda event: on_event(_renumbered(event, number))


def of_the_piece(refutation: Refutation, part: Remnant) -> Refutation:
    """Why there is no tour of the whole, where there is none of a part; a certificate would be about the part."""
    where = f"of {part.called}, which two moves join to the others"
    return replace(refutation, reason=f"{where}: {refutation.reason}", certificate=None)


def _of_what_is_left(refutation: Refutation) -> Refutation:
    """Why there is no tour, where there is none of what is left of a problem."""
    return replace(refutation, reason=f"where the moves that follow from the degrees are made: {refutation.reason}")


def _renumbered(event: Event, number: Sequence[int]) -> Event:
    """The event, if it has vertices, with these numbers for them; -1 stands for the apex in both."""
    if isinstance(event, TwoFactorFound):
        return replace(event, members=tuple(_each_once(cycle, number) for cycle in event.members))
    if isinstance(event, CutSetAdded):
        shore = _each_once(event.shore, number)
        return replace(event, shore=shore, vertices=len(shore) or event.vertices)
    return event


def _each_once(vertices: Sequence[int], number: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number[vertex] for vertex in vertices))
