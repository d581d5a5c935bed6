"""Lists the first few tours, or all, by any backend that enumerates, verified and in canonical form, in batches.

Tours are not kept, so memory stays flat; only classes are, where tours are wanted up to symmetry. The path search gives
thousands at a time, with the number of its *calls* (positions) when each was found; the edge search too, without calls;
solvers give one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from cpsat_tour.backends.protocols import Backend, Formulation, ListingSearch
from cpsat_tour.backends.runner import FormulationTours, check_takes
from cpsat_tour.core.errors import BackendFault, TourFault
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.limits import NO_LIMIT, Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.space import Longs
from cpsat_tour.core.verify import TourRows, canonical_rows
from cpsat_tour.interface.degenerate import decide_degenerate
from cpsat_tour.spaces.symmetry import TourClasses

MANY_GIVENS = 1 / 8
"""The share of given vertices above which a search over numbers is faster than one along the path."""


@dataclass(eq=False)
class Listing:
    """An iterator, usable once, over the first ``most`` tours of a problem, or of new classes of tours, in arrays
    with a row each.

    ``count`` is the number of tours so far; ``calls`` the number made when the last was found, at the end of a whole
    list all calls, None if the backend doesn't count them. The iteration raises `StoppedEarly` at a limit and
    `BackendFault` on a wrong tour; the constructor `BadInput` if the backend can't list these tours.
    """

    problem: Problem
    backend: Backend
    limits: Limits = field(default_factory=Limits)
    _: KW_ONLY
    most: int = NO_LIMIT
    classes: TourClasses | None = None
    on_event: OnEvent | None = None
    name: str = ""
    count: int = field(default=0, init=False)
    calls: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.name = self.name or type(self.backend).__name__.lower()
        check_takes(self.problem, self.backend, self.name, every=True)
        if isinstance(self.backend, ListingSearch):
            self.calls = 0

    def __iter__(self) -> Iterator[Ints]:
        rows = TourRows(self.problem)
        for given, calls in self._tours_with_calls():
            if not len(given):
                continue
            try:
                rows.verify(given)
            except TourFault as fault:
                raise BackendFault(f"backend {self.name} returned a wrong tour: {fault}") from fault
            tours = canonical_rows(self.problem, given)
            wanted = np.arange(len(given))
            if self.classes is not None:
                wanted = np.flatnonzero(self.classes.are_new(tours))
            wanted = wanted[: self.most - self.count]
            self.count += len(wanted)
            if calls is not None and wanted.size:
                self.calls = int(calls[wanted[-1]])
            yield tours[wanted]
            if self.count == self.most:
                break

    def _tours_with_calls(self) -> Iterator[tuple[Ints, Longs | None]]:
        """Yield pairs: an array with some of the backend's tours, a row each, and the calls made when each was found,
        None if they are not counted. `StoppedEarly` at a limit."""
        problem, backend, limits, on_event = self.problem, self.backend, self.limits, self.on_event
        if (decided := decide_degenerate(problem)) is not None:
            if decided.tour is not None:
                yield decided.tour.vertices[None, :], None if self.calls is None else np.zeros(1, dtype=np.int64)
        elif isinstance(backend, ListingSearch):
            most = self.most if self.classes is None else NO_LIMIT
            self.calls = yield from backend.batches(problem, limits, on_event, most)
        else:
            assert isinstance(backend, Formulation)
            clock = limits.clock()
            with closing(FormulationTours(problem, backend, limits, clock, on_event, every=True).tours()) as found:
                for tours in found:
                    yield tours, None
                    clock.check()  # a solver that finds one tour after the other may not look at it


def default_lister(problem: Problem, *, everything: bool) -> str:
    """Return the name of the default backend for the list of the first tours, or of all."""
    if problem.waypoints:
        return "dfs" if problem.graph.directed else "sat"
    if problem.givens:
        many = len(problem.givens) >= MANY_GIVENS * problem.graph.order
        return "numbers" if problem.symmetry is not None or many else "dfs"
    return "edges" if everything or problem.symmetry is not None else "dfs"
