"""Lists of tours: the first few or all, from any backend that enumerates, verified and in canonical form, in batches.

The tours come as the backend meets them and are not kept, so memory stays flat however many there are; only the classes met so far are
kept where tours are wanted up to symmetry. The native engine gives thousands at a time, with its count of *calls* (positions) when each was
found; the solvers give them one by one.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.answer import Limits
from cpsat_tour.errors import BackendFault, TourFault
from cpsat_tour.events import OnEvent
from cpsat_tour.graph import Ints
from cpsat_tour.problem import HamiltonProblem
from cpsat_tour.reduction import decide_degenerate
from cpsat_tour.registry import Backend
from cpsat_tour.runner import enumerator_for
from cpsat_tour.symmetry import TourClasses
from cpsat_tour.tour_rows import TourRows

Longs = NDArray[np.int64]

NO_LIMIT = 1 << 62


@dataclass(frozen=True, eq=False)
class Batch:
    """Some tours, a row each, and the calls made by the time each was found, if the backend counts them."""

    tours: Ints
    calls: Longs | None


@runtime_checkable
class CountingEnumerator(Protocol):
    """A backend that lists tours in batches and counts its calls: `cpsat_tour.native.dfs.Dfs`."""

    def batches(
        self, problem: HamiltonProblem, limits: Limits, on_event: OnEvent | None = None, most: int = NO_LIMIT
    ) -> Generator[tuple[Ints, Longs], None, int]:
        """The first ``most`` tours with the number of calls when each was found; returns the number of calls at its end."""


def listing(
    problem: HamiltonProblem,
    backend: Backend,
    limits: Limits | None = None,
    *,
    most: int = NO_LIMIT,
    classes: TourClasses | None = None,
    on_event: OnEvent | None = None,
    name: str = "",
) -> Generator[Batch, None, int | None]:
    """The first ``most`` tours of the problem, or of the classes not met before; returns the calls made, if they are counted.

    `StoppedEarly` when a limit ends the list, `BadInput` where the backend can't list these tours, `BackendFault` on a wrong one.
    """
    limits = limits or Limits()
    name = name or type(backend).__name__.lower()
    found = _found(problem, backend, limits, most if classes is None else NO_LIMIT, on_event, name)
    rows = TourRows(problem)
    while most > 0:
        try:
            batch = next(found)
        except StopIteration as end:
            calls: int | None = end.value
            return calls
        try:
            rows.verify(batch.tours)
        except TourFault as fault:
            raise BackendFault(f"backend {name} returned a wrong tour: {fault}") from fault
        tours, calls_then = rows.canonical(batch.tours), batch.calls
        if classes is not None:
            new = np.flatnonzero(classes.new(tours))
            tours, calls_then = tours[new], None if calls_then is None else calls_then[new]
        if len(tours) >= most:
            found.close()
            tours, calls_then = tours[:most], None if calls_then is None else calls_then[:most]
        most -= len(tours)
        yield Batch(tours, calls_then)
    return None if calls_then is None else int(calls_then[-1])


def _found(
    problem: HamiltonProblem, backend: Backend, limits: Limits, most: int, on_event: OnEvent | None, name: str
) -> Generator[Batch, None, int | None]:
    """The tours as the backend gives them; returns the calls made, if they are counted."""
    enumerator = enumerator_for(problem, backend, name)
    counting = isinstance(backend, CountingEnumerator)
    decided = decide_degenerate(problem)
    if decided is not None:
        if decided.tour is not None:
            yield Batch(decided.tour.vertices[None, :], np.zeros(1, dtype=np.int64) if counting else None)
        return 0 if counting else None
    if isinstance(backend, CountingEnumerator):
        batches = backend.batches(problem, limits, on_event, most)
        while True:
            try:
                tours, calls = next(batches)
            except StopIteration as end:
                return int(end.value)
            yield Batch(tours, calls)
    for tour in enumerator.tours(problem, limits, on_event):
        yield Batch(tour[None, :], None)
    return None
