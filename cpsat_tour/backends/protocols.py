"""The protocols of a backend, a frozen dataclass whose fields are its options.

A *search* takes the problem itself and answers it. A *formulation* takes the cycle problem to which the runner has
reduced the problem, and yields Hamiltonian cycles, which the runner maps back; without ``directed`` it gets undirected
problems. ``takes`` names those `FEATURES` that it can handle, and ``unit`` the counter of its work that the limit on
work bounds, whatever its rounds, restarts and pieces. A backend that never refutes, as local search, has ``refutes =
False``; one for knight's boards without holes, fixed ends, required or forbidden moves has ``boards_only = True``, and
one only for tours with given numbers ``givens_only = True``.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.limits import NO_LIMIT, Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.refutation import Refutation
from cpsat_tour.core.run import Heartbeat, Run, no_heartbeat
from cpsat_tour.formats.formula import Formula, Sizes
from cpsat_tour.tour import Answer

Features: TypeAlias = frozenset[str]

FEATURES: Mapping[str, str] = {
    "directed": "directed graphs",
    "every": "lists of all tours",
    "symmetry": "symmetric tours",
    "givens": "given numbers",
    "waypoints": "waypoints",
}
"""The features of problems that not every backend takes, in words."""


@runtime_checkable
class Search(Protocol):
    """A backend that takes the problem itself."""

    takes: ClassVar[Features]

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """Return the `Answer` to a problem that `decide_degenerate` leaves open: a tour, a refutation, or
        ``unknown``."""


@runtime_checkable
class ListingSearch(Search, Protocol):
    """A search that lists tours in batches and counts its calls, such as `cpsat_tour.native.dfs.Dfs`."""

    def batches(
        self, problem: Problem, limits: Limits, on_event: OnEvent | None = None, most: int = NO_LIMIT
    ) -> Generator[tuple[Ints, NDArray[np.int64]], None, int]:
        """Yield pairs of arrays: some of the first ``most`` tours, each once, a row each, and the calls made when each
        was found; return the calls of the whole list. `StoppedEarly` names the limit that ends it before."""


@runtime_checkable
class Formulation(Protocol):
    """A backend that takes the cycle problem."""

    takes: ClassVar[Features]

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, each once in either direction, in arrays with a row of vertices for each cycle;
        return the `Refutation` when there are no more.

        A formulation that does not take ``every`` is asked for one. `StoppedEarly` names the limit that ends the run.
        """


@runtime_checkable
class Formulated(Formulation, Protocol):
    """A formulation whose formula can be written to a file, and counted without being kept."""

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Formula:
        """Return the formula of a cycle problem, stated while ``heartbeat`` is called; `BadInput` if it is too large to
        be built."""

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Return the numbers of variables, clauses and literals of the formula."""
        return self.formula(cycle).sizes


Backend: TypeAlias = Search | Formulation


def unsupported_features(backend: Backend | type[Backend], features: Features) -> Features:
    """Return those of the features that a backend does not take; any formulation takes directed problems without
    givens and waypoints, on split vertices."""
    splits = hasattr(backend, "cycles") and features.isdisjoint({"givens", "waypoints"})
    return features - backend.takes - ({"directed"} if splits else set())
