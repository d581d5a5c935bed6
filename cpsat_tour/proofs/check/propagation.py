"""The live constraints of a proof as unit propagation sees them, and reverse unit propagation on them.

A constraint follows by *reverse unit propagation* (Goldberg & Novikov 2003 for clauses) where its negation and unit
propagation over the live constraints end in a conflict.

*Data and invariant.* The rows of `kernel` stand in the order of their ids. A row that is removed is only marked; when
the arrays are full, the live rows are copied to new ones with as much room again, so that memory follows the live
constraints. In between tests what follows from the rows by propagation is assigned, and nothing else. Where a row goes
that is the reason of some of that, or the arrays are new, it is *stale*: the next test begins with nothing, and
attaches all rows again.

*Compilation.* The first tests run as they stand in Python, since to load a compiler takes longer than few and small
ones.

*Limit.* A constraint with a weight of 2**31 or more takes no part in propagation and is not implied by it: no
formulation needs it, and leaving constraints out can only lead to the refusal of a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.proofs.check import kernel
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.kernel import CLAUSE, CONFLICT, DEAD, NONE, Assignment, Rows
from cpsat_tour.proofs.check.text import Wrong

MAX_WEIGHT = (1 << 31) - 1

MAX_PLACES = 1 << 25
"""Literals of all live constraints together."""

MAX_PLAIN = 1 << 20
"""Literals that may be looked at, all of them in each step, before the functions of `kernel` are compiled."""

MIN_ROOM = 1 << 10
"""Rows, places and literals that there is room for at first."""


class Propagator:
    """Constraints come and go by their ids, which must come in increasing order; `implies` tests others against those
    that are there.

    ``compile_all`` is called once there is so much to do that it pays.
    """

    def __init__(self, compile_all: Callable[[], None] = kernel.compile_all) -> None:
        self._compile_all = compile_all
        self._plain_left = MAX_PLAIN
        self._rows, self._assignment = _room(0, 0, 0)
        self._ids: NDArray[np.int64] = np.zeros(len(self._rows.full), dtype=np.int64)
        self._count = 0
        self._root = 0
        self._stale = False

    def implies_clause(self, literals: Sequence[int]) -> bool:
        """Whether the clause follows by reverse unit propagation."""
        self._make_room(0, max(literals, default=0))
        return self._contradicts(np.array(literals, dtype=np.int32) ^ 1, NONE)

    def implies(self, number: int, constraint: Constraint) -> bool:
        """Whether a constraint of any form, of which the id is to be this one, follows by reverse unit propagation."""
        literals, weights, degree = _normal(constraint)
        if degree <= 0:
            return True
        if max(weights, default=0) > MAX_WEIGHT:
            return False
        if all(weight == degree for weight in weights):
            return self.implies_clause(literals)
        row = self._place(number, [literal ^ 1 for literal in literals], weights, degree - 1)
        implied = self._contradicts(np.zeros(0, dtype=np.int32), row)
        self.remove(number)
        return implied

    def _contradicts(self, assumed: NDArray[np.int32], extra: int) -> bool:
        """Whether the assumed literals, and a row that was placed but not attached, lead to a conflict."""
        self._work()
        self._settle(self._count if extra == NONE else extra)
        return self._root == CONFLICT or kernel.contradicts(self._rows, self._assignment, self._root, assumed, extra)

    def _work(self) -> None:
        """All literals may have to be looked at."""
        if self._plain_left > 0:
            self._plain_left -= int(self._rows.start[self._count])
            if self._plain_left <= 0:
                self._compile_all()

    def _settle(self, count: int) -> None:
        """See to it that what follows from the first so many rows is assigned."""
        if self._stale:
            self._root = kernel.attach_all(self._rows, self._assignment, count)
            self._stale = False

    def add_clause(self, number: int, literals: Sequence[int]) -> None:
        """Add a clause of distinct variables."""
        self._attach(self._place(number, literals, 1, CLAUSE))

    def add(self, number: int, constraint: Constraint) -> None:
        """Add a constraint of any form, unless it can take no part in propagation."""
        literals, weights, degree = _normal(constraint)
        if degree <= 0 or max(weights, default=0) > MAX_WEIGHT:
            return
        if all(weight == degree for weight in weights):
            self.add_clause(number, literals)
        else:
            self._attach(self._place(number, literals, weights, sum(weights) - degree))

    def _attach(self, row: int) -> None:
        """A row that was placed takes part from now on."""
        if not self._stale and self._root != CONFLICT:
            self._work()
            self._root = kernel.attach(self._rows, self._assignment, self._root, row)

    def _place(self, number: int, literals: Sequence[int], weights: Sequence[int] | int, full: int) -> int:
        """Give a row its place in the arrays."""
        self._make_room(len(literals), max(literals, default=0))
        rows, row = self._rows, self._count
        begin, end = int(rows.start[row]), int(rows.start[row]) + len(literals)
        rows.literal[begin:end] = literals
        rows.weight[begin:end] = weights
        rows.owner[begin:end] = row
        rows.start[row + 1] = end
        rows.full[row] = full
        self._ids[row] = number
        self._count += 1
        return row

    def remove(self, number: int) -> None:
        """Remove a constraint if it is there."""
        row = self._row(number)
        if row is not None:
            if not self._stale:
                self._stale = self._root == CONFLICT or kernel.is_reason(self._rows, self._assignment, row)
            self._rows.full[row] = DEAD

    def clause(self, number: int) -> list[int] | None:
        """The literals of a clause that is there; None if none is."""
        row = self._row(number)
        if row is None or self._rows.full[row] != CLAUSE:
            return None
        literals: list[int] = self._rows.literal[self._rows.start[row] : self._rows.start[row + 1]].tolist()
        return literals

    def _row(self, number: int) -> int | None:
        """The row of this id; of two of one id, one of which must be dead, the later one."""
        row = int(self._ids[: self._count].searchsorted(number, side="right")) - 1
        return row if row >= 0 and self._ids[row] == number and self._rows.full[row] != DEAD else None

    def _make_room(self, places: int, highest: int) -> None:
        """Where a row of so many places, with literals up to the highest, has no room, copy the live rows to where it
        has."""
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
        self._stale = True


def _room(rows: int, places: int, literals: int) -> tuple[Rows, Assignment]:
    """Empty arrays with room for twice as much."""
    rows, places, literals = (2 * max(number, MIN_ROOM) for number in (rows, places, literals))
    empty = Rows(
        np.zeros(rows + 1, dtype=np.int32),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.zeros(places, dtype=np.int32),
        np.zeros(places, dtype=np.int32),
        np.zeros(places, dtype=np.int32),
        np.zeros(places, dtype=np.int32),
        np.full(literals, NONE, dtype=np.int32),
    )
    trail, reason = (np.zeros(literals // 2, dtype=np.int32) for _ in range(2))
    return empty, Assignment(np.zeros(literals, dtype=np.int8), trail, reason, np.zeros(rows, dtype=np.int64))


def _normal(constraint: Constraint) -> tuple[list[int], list[int], int]:
    """Literals, weights and degree of the saturated normal form; of a constraint that can't be met, the empty
    clause."""
    terms, degree = constraint.saturated().terms, constraint.degree
    weights = [abs(coefficient) for coefficient in terms.values()]
    if degree > sum(weights):
        return [], [], 1
    return [2 * variable + (coefficient < 0) for variable, coefficient in terms.items()], weights, degree
