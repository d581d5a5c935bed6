"""Runs a formulation on a problem: every step from the question to what the formulation is asked, and the way back.

Down: a directed problem becomes an undirected one where the formulation doesn't take arcs (`SplitVertices`); any
problem becomes a Hamiltonian cycle with required edges, by a universal vertex if it is open (`CycleProblem`); that is
simplified and may fall into pieces (`Simplified`), for each of which the formulation gives cycles. Up, in the opposite
order: cycles by ``cycles`` and ``tours`` of these objects, reasons by ``why`` and `of_the_piece`, and the vertices of
events by `translated_listener`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np

from cpsat_tour.backends.protocols import Formulation
from cpsat_tour.core.answer import Clock, Limits, Refutation
from cpsat_tour.core.errors import BackendFault, StoppedEarly, TourFault
from cpsat_tour.core.events import CutSetAdded, Event, OnEvent, ProblemSimplified, TwoFactorFound
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.run import Run
from cpsat_tour.core.simplified import Remnant, Simplified, promising, unchanged
from cpsat_tour.core.split_vertices import SplitVertices

Rows = Generator[Ints, None, Refutation]
"""Cycles or tours, some at a time, a row each; returns why there are no more."""


class FormulationRun:
    """A formulation at work on a problem that `decide_degenerate` leaves open; with ``every`` all tours are wanted,
    otherwise one.

    ``work`` counts what was done for all pieces together; the limit on work holds for each of them.
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

    def tours(self) -> Rows:
        """The tours of the problem."""
        if not self._problem.graph.directed or "directed" in self._formulation.takes:
            return (yield from self._by_cycles(self._problem))
        if reason := to_cycle(self._problem).dead_end():
            return Refutation("condition", reason)
        split = SplitVertices(self._problem)
        self._on_event = translated_listener(self._on_event, split.vertices)
        return (yield from _translated(self._by_cycles(split.problem), split.tours, split.why))

    def _by_cycles(self, problem: Problem) -> Rows:
        """The tours of a problem that the formulation takes once it is a cycle problem."""
        found = simplified(problem, self._limits, every=self._every)
        if reason := found.why_none:
            return Refutation("condition", reason)
        if found.changed:
            left = what_is_left(found)
            self._counted = {"vertices_left": left.vertices, "edges_left": left.edges, "parts": left.parts}
            if self._on_event is not None:
                self._on_event(left)
        return (yield from _translated(self._by_pieces(found), found.whole.tours))

    def _by_pieces(self, found: Simplified) -> Rows:
        """The cycles of a simplified problem: one of each piece but the last, and of that as many as are wanted."""
        if not found.parts:
            yield found.cycles([])
            return Refutation("condition", "the moves that have to be used are a tour, and leave room for no other")
        chosen: list[Ints] = []
        for piece in found.parts[:-1]:
            with closing(self._cycles(piece, found)) as cycles:
                try:
                    chosen.append(next(cycles)[:1])
                except StopIteration as end:
                    return of_the_piece(end.value, piece)

        def together(rows: Ints) -> Ints:
            try:
                return found.cycles([*(cycle.repeat(len(rows), axis=0) for cycle in chosen), rows])
            except TourFault as fault:
                raise BackendFault(f"{self._called} returned a wrong cycle: {fault}") from fault

        last = found.parts[-1]
        why = partial(of_the_piece, piece=last) if chosen else _of_what_is_left if found.changed else None
        return (yield from _translated(self._cycles(last, found), together, why))

    def _cycles(self, piece: Remnant, found: Simplified) -> Rows:
        """The cycles of a piece, as the formulation gives them."""
        if reason := piece.cycle.dead_end():
            return Refutation("condition", reason)
        listener = for_piece(self._on_event, piece, found) if found.changed else self._on_event
        run = Run(piece.cycle, self._limits, self._clock, listener, every=self._every)
        self._runs.append(run)
        given = self._formulation.cycles(run)
        if not isinstance(given, Generator):
            raise BackendFault(f"{self._called}.cycles must be a generator, and gave a {type(given).__name__}")
        return (yield from _translated(given, partial(self._checked, piece.cycle), self._checked_reason))

    def _checked(self, cycle: CycleProblem, given: Ints) -> Ints:
        rows = np.atleast_2d(given)
        if rows.shape[1] != cycle.order:
            raise BackendFault(f"{self._called} returned a cycle of {rows.shape[1]} vertices, not of {cycle.order}")
        return rows

    def _checked_reason(self, reason: object) -> Refutation:
        if not isinstance(reason, Refutation):
            raise BackendFault(f"{self._called} gave no reason why there are no more cycles")
        return reason

    @property
    def _called(self) -> str:
        return type(self._formulation).__name__


def _translated(
    found: Rows, rows: Callable[[Ints], Ints], why: Callable[[Refutation], Refutation] | None = None
) -> Rows:
    """What is found for one problem, as tours of another and as the reason why that has no more."""
    with closing(found):
        while True:
            try:
                given = next(found)
            except StopIteration as end:
                return end.value if why is None else why(end.value)
            yield rows(given)


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


def for_piece(on_event: OnEvent | None, piece: Remnant, found: Simplified) -> OnEvent | None:
    """Return a listener for the events of a piece, which passes them on with the vertices of the whole."""
    return translated_listener(
        on_event, [-1 if vertex == found.whole.apex else vertex for vertex in piece.vertices.tolist()]
    )


def translated_listener(on_event: OnEvent | None, vertices: Sequence[int]) -> OnEvent | None:
    """Return a listener for the events of another problem, which passes them on with these vertices for its own; -1
    stands for the apex in both."""
    if on_event is None:
        return None
    number = [*vertices, -1]
    return lambda event: on_event(_renumbered(event, number))


def of_the_piece(refutation: Refutation, piece: Remnant) -> Refutation:
    """Why there is no tour of the whole, where there is none of a piece; a certificate would be about the piece."""
    where = f"of {piece.called}, which two moves join to the others"
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
