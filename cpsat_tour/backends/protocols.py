"""The protocols of a backend: what a class needs to have so that the runner can ask it.

There are two kinds. A *search* takes the problem itself and answers it. A *formulation* takes the cycle problem to
which the runner has reduced the problem, and gives Hamiltonian cycles, one after the other; the runner maps them back.
What is directed is made undirected for those that don't take ``directed``, unless numbers are given, too. Either is a
frozen dataclass whose fields are its options, and ``takes`` names the features of problems that it can handle, of those
that not every backend can (`FEATURES`). A backend that finds tours and never refutes, as local search, says so by
``refutes = False``: where there is no tour it ends at a limit alone. A backend for knight's boards without holes, where
no ends are given and no moves required or forbidden, says so by ``boards_only = True``; one for tours with given
numbers alone by ``givens_only = True``.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Answer, Limits, Refutation
from cpsat_tour.core.events import OnEvent
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Run
from cpsat_tour.formats.formula import Formula, Sizes

Features: TypeAlias = frozenset[str]

FEATURES: Mapping[str, str] = {
    "directed": "directed graphs",
    "every": "lists of all tours",
    "symmetry": "symmetric tours",
    "givens": "given numbers",
}
"""What may be asked that not every backend takes, each in words."""

NO_LIMIT = 1 << 62


@runtime_checkable
class Search(Protocol):
    """A backend that takes the problem itself."""

    takes: ClassVar[Features]

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """One tour of a problem that the reduction leaves open, or why there is none, or unknown."""


@runtime_checkable
class ListingSearch(Search, Protocol):
    """A search that lists tours in batches and counts its calls, as `cpsat_tour.native.dfs.Dfs` does."""

    def batches(
        self, problem: Problem, limits: Limits, on_event: OnEvent | None = None, most: int = NO_LIMIT
    ) -> Generator[tuple[Ints, NDArray[np.int64]], None, int]:
        """The first ``most`` tours, each once, a row each, with the number of calls when each was found; returns the
        number at its end.

        `StoppedEarly`, with the name of the limit, when a limit ends the list before it is whole.
        """


@runtime_checkable
class Formulation(Protocol):
    """A backend that takes the cycle problem."""

    takes: ClassVar[Features]

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """The Hamiltonian cycles, each once, as their vertices in order in either direction; returns why there are no
        more.

        They come one by one, or several at a time as the rows of an array; a formulation that does not take ``every``
        is asked for one. `StoppedEarly`, with the name of the limit, when a limit ends the run first.
        """


@runtime_checkable
class Formulated(Formulation, Protocol):
    """A formulation whose formula can be written to a file, and counted without being kept."""

    def formula(self, cycle: CycleProblem, seed: int = 0) -> Formula:
        """The formula of a cycle problem; `BadInput` if it is too large to be built."""

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Its variables, clauses and literals."""


Backend: TypeAlias = Search | Formulation


def beyond_it(backend: Backend | type[Backend], features: Features) -> Features:
    """Return those of the features that a backend does not take; any formulation takes directed problems without
    givens, on split vertices."""
    splits = hasattr(backend, "cycles") and "givens" not in features
    return features - backend.takes - ({"directed"} if splits else set())
