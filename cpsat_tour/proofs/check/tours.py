"""The tours that a proof shows: each where it proves how many there are, the best where it proves that none is better.

``solx`` names the value of every variable of the formula. Accepted is what is a tour of the problem and was not shown
before; then a clause says that some variable has another value. So every tour that was not shown still meets all
constraints, with some values of the fresh variables, and a contradiction in the end leaves none. ``soli`` shows the
best tour, once; from then on a solution must be better (`goals`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.proofs.check.arithmetic import Clause, Constraint
from cpsat_tour.proofs.check.rows import TrueRows
from cpsat_tour.proofs.check.text import Budget, Wrong

BYTES_OF_A_TOUR = 160
"""What it takes to remember a tour, besides a bit for each variable."""


class Tours:
    """The tours shown so far, each by the variables that are true; ``best`` is what the best is worth, where that is
    sought."""

    def __init__(self, cycle: TrueRows, budget: Budget) -> None:
        self._cycle, self._budget = cycle, budget
        self._shown: set[bytes] = set()
        self.best: int | None = None
        self._rows = [*cycle.required_rows(), *cycle.forbidden_rows(), *cycle.symmetry_rows()]

    @property
    def ranked(self) -> bool:
        """Whether the best is sought."""
        return self._cycle.worth is not None

    def __len__(self) -> int:
        return len(self._shown)

    def excluded(self, literals: list[int]) -> Clause:
        """The clause that excludes the tour of these literals; `Wrong` where they are no tour, or one that was shown
        before."""
        key = np.packbits(self._tour(literals)).tobytes()
        if key in self._shown:
            raise Wrong("this tour was shown before")
        self._budget.hold(len(key) + BYTES_OF_A_TOUR)
        self._shown.add(key)
        return tuple(-number for number in literals)

    def surpassed(self, literals: list[int]) -> Constraint:
        """The constraint that a solution is better than this tour; `Wrong` where it is no tour, or not the first."""
        used, worth = self._tour(literals), self._cycle.worth
        value = None if worth is None else worth.of(used)
        if worth is None or value is None:
            raise Wrong("the variable of a pair of moves must be true where both are made, and false where not")
        if self.best is not None:
            raise Wrong("the best tour was shown before")
        self.best = value
        return worth.better_than(value)

    def _tour(self, literals: list[int]) -> NDArray[np.bool_]:
        """Which variables are true, from 0 on; `Wrong` where the literals are no tour."""
        count = self._cycle.variables
        self._budget.work(len(literals) + count)
        if sorted(map(abs, literals)) != list(range(1, count + 1)):
            raise Wrong(f"a tour is shown by a literal of each of the variables x1 to x{count}, and of no other")
        used = np.zeros(count + 1, dtype=np.bool_)
        used[[number for number in literals if number > 0]] = True
        self._must_be_a_tour(used)
        return used

    def _must_be_a_tour(self, used: NDArray[np.bool_]) -> None:
        """The used edges are a cycle through all vertices, with those required and without those forbidden."""
        for row in self._rows:
            if used[row.variables].sum() != row.bound + (row.less is not None and used[row.less]):
                raise Wrong(f"this is not a tour as the problem asks for it: {row.meaning}")
        incidence = self._cycle.incidence
        for vertex, variables in enumerate(incidence):
            if used[variables].sum() != 2:
                raise Wrong(f"this is not a tour: it must have two edges at {self._cycle.name(vertex)}")
        at, edge, length = 0, 0, 0
        while length == 0 or at != 0:
            edge = next(int(other) for other in incidence[at] if used[other] and other != edge)
            at = sum(self._cycle.ends(edge)) - at
            length += 1
        if length != len(incidence):
            raise Wrong(f"this is not one tour: a cycle comes back after {length} of the {len(incidence)} vertices")
