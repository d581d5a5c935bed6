"""Lists of tours: the first few or all, from any backend that enumerates, verified and in canonical form, in batches.

The tours come as the backend meets them and are not kept, so memory stays flat however many there are; only the classes
met so far are kept where tours are wanted up to symmetry. The native engine gives thousands at a time, with its count
of *calls* (positions) when each was found; the edge search too, without calls; the solvers give them one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.backends.protocols import NO_LIMIT, Backend, Formulation, ListingSearch
from cpsat_tour.backends.runner import FormulationRun, refuse
from cpsat_tour.core.answer import Limits
from cpsat_tour.core.conditions import decide_degenerate
from cpsat_tour.core.errors import BackendFault, StoppedEarly, TourFault
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.timetable import much_is_given
from cpsat_tour.spaces.symmetry import TourClasses

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some tours, a row each, and the calls made by the time each was found, if the backend counts them."""

    tours: Ints
    calls: Longs | None


class Listing:
    """The first ``most`` tours of a problem, or of the classes not met before: batches, to be gone through once.

    ``count`` tours have come so far. ``calls`` is the number made by the time the last of them was found, and at the
    end of a list that is whole the number made in all; None with a backend that doesn't count. Going through raises
    `StoppedEarly` when a limit ends the list and `BackendFault` on a wrong tour; `BadInput` at once where the backend
    can't list these tours.
    """

    def __init__(
        self,
        problem: Problem,
        backend: Backend,
        limits: Limits | None = None,
        *,
        most: int = NO_LIMIT,
        classes: TourClasses | None = None,
        on_event: OnEvent | None = None,
        name: str = "",
    ) -> None:
        self.count = 0
        self.calls: int | None = 0 if isinstance(backend, ListingSearch) else None
        self._name = name or type(backend).__name__.lower()
        refuse(problem, backend, self._name, every=True)
        self._problem, self._backend, self._limits, self._most = problem, backend, limits or Limits(), most
        self._classes, self._on_event = classes, on_event

    def __iter__(self) -> Iterator[Batch]:
        from cpsat_tour.core.tour_rows import TourRows  # a compiler takes a while to load

        rows = TourRows(self._problem)
        for given, calls in self._found():
            try:
                rows.verify(given)
            except TourFault as fault:
                raise BackendFault(f"backend {self._name} returned a wrong tour: {fault}") from fault
            tours, wanted = rows.canonical(given), np.arange(len(given))
            if self._classes is not None:
                wanted = np.flatnonzero(self._classes.new(tours))
            wanted = wanted[: self._most - self.count]
            self.count += len(wanted)
            if calls is not None and wanted.size:
                self.calls = int(calls[wanted[-1]])
            yield Batch(tours[wanted], None if calls is None else calls[wanted])
            if self.count == self._most:
                break

    def _found(self) -> Iterator[tuple[Ints, Longs | None]]:
        """The tours as the backend gives them, with its calls."""
        problem, backend, limits, on_event = self._problem, self._backend, self._limits, self._on_event
        decided = decide_degenerate(problem)
        if decided is not None:
            if decided.tour is not None:
                yield decided.tour.vertices[None, :], None if self.calls is None else np.zeros(1, dtype=np.int64)
        elif isinstance(backend, ListingSearch):
            most = self._most if self._classes is None else NO_LIMIT
            self.calls = yield from backend.batches(problem, limits, on_event, most)
        else:
            assert isinstance(backend, Formulation)
            clock = limits.clock()
            with closing(FormulationRun(problem, backend, limits, clock, on_event, every=True).tours()) as found:
                for tours in found:
                    yield tours, None
                    if clock.expired:  # a solver that finds one tour after the other may not look at it
                        raise StoppedEarly("time")


def lister_with_givens(problem: Problem) -> str:
    """The backend that lists the tours of a problem with givens if none is named."""
    return "numbers" if problem.symmetry is not None or much_is_given(problem) else "dfs"


class CallCounts:
    """The calls that one search makes until it has found n tours, ``until[n]`` for n = 1, 2, 5, 10, 20, 50, …

    A course report tabulates them over all starts of the chessboard. A call is one entry of a square, the start
    included; dead ends and full boards count.
    """

    def __init__(self) -> None:
        self.until: dict[int, int] = {}
        self._count, self._next_number = 0, 1

    def add(self, batch: Batch) -> None:
        """Take the next tours into account."""
        assert batch.calls is not None
        while (number := self._next_number) <= self._count + len(batch.calls):
            self.until[number] = int(batch.calls[number - self._count - 1])
            self._next_number = number * 5 // 2 if str(number).startswith("2") else number * 2
        self._count += len(batch.calls)


def curve(searches: Iterable[CallCounts]) -> dict[int, Longs]:
    """For every n that all searches have reached the calls that each of them made."""
    counted = [search.until for search in searches]
    shared = min(counted, key=len, default={})
    return {n: np.array([until[n] for until in counted], dtype=np.int64) for n in shared}
