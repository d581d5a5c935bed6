"""Runs a formulation on a problem: every step from the question to what the formulation is asked, and the way back.

Three steps lead down, each an object that also leads back up:

| step                                     | down                | tours up         | reasons up |
|------------------------------------------|---------------------|------------------|------------|
| a directed problem becomes an undirected | `SplitVertices`     | ``split.tours``  | ``why``    |
| a problem becomes a Hamiltonian cycle    | `to_cycle`          | ``whole.tours``  | as it is   |
| what follows at once is taken, pieces    | `simplified`        | ``found.cycles`` | ``why``    |

The first is left out where the formulation takes arcs. Events are told with the vertices of the problem, by
`translated_listener`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np

from cpsat_tour.backends.protocols import Formulation
from cpsat_tour.core.answer import Clock, Limits, Refutation
from cpsat_tour.core.errors import BackendFault, StoppedEarly, TourFault
from cpsat_tour.core.events import CutSetAdded, Event, OnEvent, TwoFactorFound
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.core.run import Run
from cpsat_tour.core.simplified import Component, Simplified, unchanged, worth_simplifying
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
        self._left: dict[str, int] = {}
        self._runs: list[Run] = []

    @property
    def work(self) -> dict[str, int]:
        """What is left of a simplified problem, and the counters of the formulation, added up."""
        work = dict(self._left)
        for run in self._runs:
            for counter, number in run.work.items():
                work[counter] = work.get(counter, 0) + number
        return work

    def tours(self) -> Rows:
        """The tours of the problem."""
        if not self._problem.graph.directed or "directed" in self._formulation.takes:
            return (yield from self._by_cycles(self._problem, None))
        if reason := to_cycle(self._problem).dead_end():
            return Refutation("condition", reason)
        split = SplitVertices(self._problem)
        self._on_event = translated_listener(self._on_event, split.vertices)
        return split.why((yield from self._by_cycles(split.problem, split)))

    def _by_cycles(self, problem: Problem, split: SplitVertices | None) -> Rows:
        """The tours, by the cycles of each piece of what is left of the problem: one of every piece but the last, and
        of that as many as are wanted. The reason is about the problem on split vertices."""
        found = simplified(problem, self._limits, every=self._every)
        if reason := found.why_none:
            return Refutation("condition", reason)
        if found.changed:
            left = found.left
            self._left = {"vertices_left": left.vertices, "edges_left": left.edges, "parts": left.parts}
            if self._on_event is not None:
                self._on_event(left)
        if not found.parts:
            yield self._tours_of([], found, split)
            return Refutation("condition", "the moves that have to be used are a tour, and leave room for no other")
        chosen: list[Ints] = []
        for piece in found.parts[:-1]:
            with closing(self._cycles(piece, found)) as cycles:
                try:
                    chosen.append(next(cycles)[:1])
                except StopIteration as end:
                    return found.why(end.value, piece)
        last = found.parts[-1]
        with closing(self._cycles(last, found)) as cycles:
            while True:
                try:
                    rows = next(cycles)
                except StopIteration as end:
                    return found.why(end.value, last)
                yield self._tours_of([*(cycle.repeat(len(rows), axis=0) for cycle in chosen), rows], found, split)

    def _tours_of(self, rows: list[Ints], found: Simplified, split: SplitVertices | None) -> Ints:
        """The tours of the problem that cycles of the pieces stand for, as many of each piece."""
        try:
            cycles = found.cycles(rows)
        except TourFault as fault:
            raise BackendFault(f"{type(self._formulation).__name__} returned a wrong cycle: {fault}") from fault
        tours = found.whole.tours(cycles)
        return tours if split is None else split.tours(tours)

    def _cycles(self, piece: Component, found: Simplified) -> Rows:
        """The cycles of a piece, as the formulation gives them; `BackendFault` where they have not its form."""
        if found.changed and (reason := piece.cycle.dead_end()):
            return Refutation("condition", reason)
        listener = translated_listener(self._on_event, piece.sources) if found.changed else self._on_event
        run = Run(piece.cycle, self._limits, self._clock, listener, every=self._every)
        self._runs.append(run)
        called, given = type(self._formulation).__name__, self._formulation.cycles(run)
        if not isinstance(given, Generator):
            raise BackendFault(f"{called}.cycles must be a generator, and gave a {type(given).__name__}")
        with closing(given):
            while True:
                try:
                    rows = np.atleast_2d(next(given))
                except StopIteration as end:
                    if not isinstance(end.value, Refutation):
                        raise BackendFault(f"{called} gave no reason why there are no more cycles") from None
                    return end.value
                if rows.shape[1] != piece.cycle.order:
                    order = piece.cycle.order
                    raise BackendFault(f"{called} returned a cycle of {rows.shape[1]} vertices, not of {order}")
                yield rows


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
        if worth_simplifying(found.whole):
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


def translated_listener(on_event: OnEvent | None, vertices: Sequence[int]) -> OnEvent | None:
    """Return a listener for the events of another problem, which passes them on with these vertices for its own; -1
    stands for the universal vertex in both."""
    if on_event is None:
        return None
    number = [*vertices, -1]

    def translated(cycle: Sequence[int]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(number[vertex] for vertex in cycle))

    def listen(event: Event) -> None:
        if isinstance(event, TwoFactorFound):
            event = replace(event, members=tuple(translated(cycle) for cycle in event.members))
        elif isinstance(event, CutSetAdded):
            shore = translated(event.shore)
            event = replace(event, shore=shore, vertices=len(shore) or event.vertices)
        on_event(event)

    return listen
