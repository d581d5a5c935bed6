"""The live constraints of a proof as unit propagation sees them, and reverse unit propagation on them.

A constraint follows by *reverse unit propagation* (Goldberg & Novikov 2003 for clauses) where its negation and unit propagation over the
live constraints end in a conflict.

*Data and invariant.* The rows of `kernel` stand in the order of their ids. A row that is removed is only marked; when the arrays are full,
the live rows are copied to new ones with as much room again, so that memory follows the live constraints. In between tests nothing is
assigned. *Eager* are the rows that demand something before anything is assigned: clauses of at most one literal, sums that can't do
without some literal.

*Limit.* A constraint with a weight of 2**31 or more takes no part in propagation and is not implied by it: no formulation needs it, and
leaving constraints out can only lead to the refusal of a proof.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.proofs.check import kernel
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.kernel import CLAUSE, DEAD, NONE, Assignment, Rows
from cpsat_tour.proofs.check.text import Wrong

MAX_WEIGHT = (1 << 31) - 1

MAX_PLACES = 1 << 25
"""Literals of all live constraints together."""

MIN_ROOM = 1 << 10
"""Rows, places and literals that there is room for at first."""


class Propagator:
    """Constraints come and go by their ids, which must come in increasing order; `implies` tests others against those that are there."""

    def __init__(self) -> None:
        self._rows, self._assignment = _room(0, 0, 0)
        self._ids: NDArray[np.int64] = np.zeros(len(self._rows.full), dtype=np.int64)
        self._count = 0
        self._eager: set[int] = set()
        self._eager_rows: NDArray[np.int64] | None = None

    def implies_clause(self, literals: Sequence[int]) -> bool:
        """Whether the clause follows by reverse unit propagation."""
        self._make_room(0, max(literals, default=0))
        if self._eager_rows is None:
            self._eager_rows = self._find(np.array(sorted(self._eager), dtype=np.int64))
        return kernel.contradicts(self._rows, self._assignment, self._eager_rows, np.array(literals, dtype=np.int32) ^ 1)

    def implies(self, number: int, constraint: Constraint) -> bool:
        """Whether a constraint of any form, of which the id is to be this one, follows by reverse unit propagation."""
        literals, weights, degree = _normal(constraint)
        if degree <= 0:
            return True
        if max(weights, default=0) > MAX_WEIGHT:
            return False
        if all(weight == degree for weight in weights):
            return self.implies_clause(literals)
        self._add_sum(number, [literal ^ 1 for literal in literals], weights, sum(weights) - degree + 1)
        implied = self.implies_clause([])
        self.remove(number)
        return implied

    def add_clause(self, number: int, literals: Sequence[int]) -> None:
        """Add a clause of distinct variables."""
        self._append(number, literals, 1, CLAUSE, len(literals) < 2)

    def add(self, number: int, constraint: Constraint) -> None:
        """Add a constraint of any form, unless it can take no part in propagation."""
        literals, weights, degree = _normal(constraint)
        if degree <= 0 or max(weights, default=0) > MAX_WEIGHT:
            return
        if all(weight == degree for weight in weights):
            self.add_clause(number, literals)
        else:
            self._add_sum(number, literals, weights, degree)

    def _add_sum(self, number: int, literals: Sequence[int], weights: Sequence[int], degree: int) -> None:
        full = sum(weights) - degree
        self._append(number, literals, weights, full, full < max(weights))

    def _append(self, number: int, literals: Sequence[int], weights: Sequence[int] | int, full: int, eager: bool) -> None:
        self._make_room(len(literals), max(literals, default=0))
        rows, row = self._rows, self._count
        begin, end = int(rows.start[row]), int(rows.start[row]) + len(literals)
        rows.literal[begin:end] = literals
        rows.weight[begin:end] = weights
        rows.owner[begin:end] = row
        rows.start[row + 1] = end
        rows.full[row] = rows.slack[row] = full
        self._ids[row] = number
        self._count += 1
        kernel.link(rows, row)
        if eager:
            self._eager.add(number)
            self._eager_rows = None

    def remove(self, number: int) -> None:
        """Remove a constraint if it is there."""
        row = self._row(number)
        if row is not None:
            self._rows.full[row] = DEAD
            if number in self._eager:
                self._eager.remove(number)
                self._eager_rows = None

    def clause(self, number: int) -> list[int] | None:
        """The literals of a clause that is there; None if none is."""
        row = self._row(number)
        if row is None or self._rows.full[row] != CLAUSE:
            return None
        literals: list[int] = self._rows.literal[self._rows.start[row] : self._rows.start[row + 1]].tolist()
        return literals

    def _find(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of these ids; of two of one id, one of which must be dead, the later one."""
        return np.searchsorted(self._ids[: self._count], numbers, side="right") - 1

    def _row(self, number: int) -> int | None:
        row = int(self._ids[: self._count].searchsorted(number, side="right")) - 1
        return row if row >= 0 and self._ids[row] == number and self._rows.full[row] != DEAD else None

    def _make_room(self, places: int, highest: int) -> None:
        """Where a row of so many places, with literals up to the highest, has no room, copy the live rows to where it has."""
        rows = self._rows
        end = int(rows.start[self._count]) + places
        if self._count < len(rows.full) and end <= len(rows.literal) and highest < len(rows.head) - 1:
            return
        live = np.flatnonzero(rows.full[: self._count] != DEAD)
        needed = int((rows.start[live + 1] - rows.start[live]).sum()) + places
        if needed > MAX_PLACES:
            raise Wrong(f"the live constraints have more than {MAX_PLACES} literals together: delete some earlier")
        self._rows, self._assignment = _room(len(live), needed, max(len(rows.head) // 2, highest + 1))
        kernel.copy(rows, live, self._rows)
        ids = self._ids[live]
        self._ids = np.zeros(len(self._rows.full), dtype=np.int64)
        self._ids[: len(live)] = ids
        self._count = len(live)
        self._eager_rows = None


def _room(rows: int, places: int, literals: int) -> tuple[Rows, Assignment]:
    """Empty arrays with room for twice as much."""
    rows, places, literals = (2 * max(number, MIN_ROOM) for number in (rows, places, literals))
    empty = Rows(
        np.zeros(rows + 1, dtype=np.int32),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.zeros(places, dtype=np.int32),
        np.zeros(places, dtype=np.int32),
        np.zeros(places, dtype=np.int32),
        np.zeros(places, dtype=np.int32),
        np.full(literals, NONE, dtype=np.int32),
    )
    return empty, Assignment(np.zeros(literals, dtype=np.int8), np.zeros(literals // 2, dtype=np.int32), np.zeros(rows, dtype=np.int64))


def _normal(constraint: Constraint) -> tuple[list[int], list[int], int]:
    """Literals, weights and degree of the saturated normal form; of a constraint that can't be met, the empty clause."""
    terms, degree = constraint.saturated().terms, constraint.degree
    weights = [abs(coefficient) for coefficient in terms.values()]
    if degree > sum(weights):
        return [], [], 1
    return [2 * variable + (coefficient < 0) for variable, coefficient in terms.items()], weights, degree
