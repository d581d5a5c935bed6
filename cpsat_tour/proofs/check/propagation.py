"""The live constraints of a proof as unit propagation sees them, and reverse unit propagation on them.

A constraint follows by *reverse unit propagation* (Goldberg & Novikov 2003 for clauses) where its negation and unit propagation over the
live constraints end in a conflict. Clauses, most of a proof, are watched; all others, such as degree rows, are counted.

*Data and invariant.* The arrays are those of `check_kernel`; slots of deleted constraints are used again, and arenas are compacted when
more than half of them is garbage, so that memory follows the live constraints. The first ``ROOT`` literals of the trail hold for good:
they are the unit consequences of the live constraints, and are found once instead of at each step. Deleting a constraint that one of
them rests on takes all of them back and propagates anew. In between steps nothing else is assigned, everything on the trail is
propagated unless there is a conflict, and a watched literal is false only if the clause's other watched literal is true.

*Limit.* A constraint whose weights add up to 2**60 or more takes no part in propagation and is not implied by it: no formulation needs
it, and leaving constraints out can only lead to the refusal of a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.proofs.check import kernel
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.kernel import DONE, NONE, ROOT, SIZE

MOST_WEIGHT = 1 << 60

LEAST_GARBAGE = 1 << 16
"""Arenas with fewer dead entries are not worth compacting."""

Literals = NDArray[np.int32]


class Propagator:
    """Constraints come and go; `implies_clause` and `implies` test others against those that are there.

    A handle names a constraint that was added: ``2 * slot`` for a clause, ``2 * slot + 1`` for a counter.
    """

    def __init__(self, variables: int) -> None:
        self._values = kernel.Assignment(_zeros(2, np.int8), _zeros(1, np.int32), _zeros(1, np.int64), np.zeros(3, dtype=np.int64))
        self._clauses = kernel.Clauses(_zeros(1, np.int64), _zeros(1, np.int32), _zeros(1, np.int32), _nones(2), _nones(2), _nones(2))
        shape = (_zeros(1, np.int64), _zeros(1, np.int32), _zeros(1, np.int64), _zeros(1, np.int64))
        entries = (_zeros(1, np.int32), _zeros(1, np.int64), _zeros(1, np.int32), _zeros(1, np.int32))
        self._counters = kernel.Counters(*shape, *entries, _nones(2))
        self._free_clauses: list[int] = []
        self._free_counters: list[int] = []
        self._clause_slots = self._counter_slots = 0
        self._arena_end = self._arena_dead = 0
        self._entry_end = self._entry_dead = 0
        self._degree: dict[int, int] = {}
        self._short: set[int] = set()
        self._conflict = False
        self._stale = False
        self._variables = 0
        self.reserve_variables(variables)

    # --- the test ---

    def implies_clause(self, literals: Literals) -> bool:
        """Whether the clause follows by reverse unit propagation."""
        self._refresh()
        return self._conflict or kernel.implied_clause(self._values, self._clauses, self._counters, literals)

    def implies(self, constraint: Constraint) -> bool:
        """Whether a constraint of any form follows by reverse unit propagation."""
        literals, weights, degree = _normal(constraint)
        if degree <= 0:
            return True
        if sum(weights) >= MOST_WEIGHT:
            return False
        if all(weight == degree for weight in weights):
            return self.implies_clause(np.array(literals, dtype=np.int32))
        self._refresh()
        if self._conflict:
            return True
        begin = self._entry_end
        opposite = [literal ^ 1 for literal in literals]
        counter = self._place_counter(opposite, weights, sum(weights) - degree + 1)
        conflict = kernel.propagate_counter(self._values, self._counters, counter) or self._propagate()
        kernel.retract(self._values, self._counters)
        kernel.unlink_last_entries(self._counters, begin, self._entry_end)
        self._entry_end = begin
        self._free_counter(counter)
        return conflict

    # --- adding and removing ---

    def learn_clause(self, literals: Sequence[int]) -> int | None:
        """Add a clause of distinct variables if it follows by reverse unit propagation; its handle, None where it does not follow."""
        clause = np.array(literals, dtype=np.int32)
        return self.add_clause(clause) if self.implies_clause(clause) else None

    def add_clause(self, literals: Literals) -> int:
        """Add a clause of distinct variables; its handle."""
        self._reserve_clause(len(literals))
        slot = self._free_clauses.pop() if self._free_clauses else self._clause_slots
        self._clause_slots = max(self._clause_slots, slot + 1)
        conflict = kernel.add_clause(self._values, self._clauses, slot, self._arena_end, literals)
        self._arena_end += len(literals)
        if len(literals) < 2:
            self._short.add(slot)
        self._settle(conflict)
        return 2 * slot

    def add(self, constraint: Constraint) -> int | None:
        """Add a constraint of any form; its handle, None where it takes no part in propagation."""
        literals, weights, degree = _normal(constraint)
        if degree <= 0 or sum(weights) >= MOST_WEIGHT:
            return None
        if all(weight == degree for weight in weights):
            return self.add_clause(np.array(literals, dtype=np.int32))
        counter = self._place_counter(literals, weights, degree)
        self._settle(kernel.propagate_counter(self._values, self._counters, counter))
        return 2 * counter + 1

    def remove(self, handle: int) -> None:
        """Remove a constraint that was added."""
        slot = handle >> 1
        held = self._bury_counter(slot) if handle & 1 else self._bury_clause(slot)
        self._stale = self._stale or self._conflict or held

    def clause(self, handle: int) -> list[int]:
        """The literals of a clause that was added."""
        start = int(self._clauses.start[handle >> 1])
        literals: list[int] = self._clauses.arena[start : start + int(self._clauses.length[handle >> 1])].tolist()
        return literals

    # --- literals that hold for good ---

    def _propagate(self) -> bool:
        return kernel.propagate(self._values, self._clauses, self._counters)

    def _settle(self, conflict: bool) -> None:
        """Keep what follows from a constraint that was added."""
        if self._conflict or self._stale:
            return
        state = self._values.state
        self._conflict = conflict or (bool(state[DONE] < state[SIZE]) and self._propagate())
        state[ROOT] = state[SIZE]

    def _refresh(self) -> None:
        """After the loss of a reason, find anew what holds for good."""
        if not self._stale:
            return
        values, counters = self._values, self._counters
        values.state[ROOT] = 0
        kernel.retract(values, counters)
        self._stale = False
        self._conflict = False
        for slot in sorted(self._short):
            self._conflict = self._conflict or self._assign_short(slot)
        for slot in sorted(self._degree):
            self._conflict = self._conflict or kernel.propagate_counter(values, counters, slot)
        self._conflict = self._conflict or self._propagate()
        values.state[ROOT] = values.state[SIZE]

    def _assign_short(self, slot: int) -> bool:
        """Make a unit clause true; whether that, or the empty clause, is a conflict."""
        literals = self.clause(2 * slot)
        if literals and self._values.value[literals[0]] == 0:
            kernel.assign(self._values, literals[0], slot)
        return not literals or bool(self._values.value[literals[0]] == -1)

    # --- slots and room ---

    def _place_counter(self, literals: Sequence[int], weights: Sequence[int], degree: int) -> int:
        self._reserve_counter(len(literals))
        slot = self._free_counters.pop() if self._free_counters else self._counter_slots
        self._counter_slots = max(self._counter_slots, slot + 1)
        counters, begin, end = self._counters, self._entry_end, self._entry_end + len(literals)
        counters.start[slot] = begin
        counters.length[slot] = len(literals)
        counters.literal[begin:end] = literals
        counters.weight[begin:end] = weights
        counters.owner[begin:end] = slot
        # Only what was propagated counts as false: the rest of the trail is still to be subtracted.
        pending = self._values.trail[int(self._values.state[DONE]) : int(self._values.state[SIZE])] ^ 1
        false = (self._values.value[counters.literal[begin:end]] == -1) & ~np.isin(counters.literal[begin:end], pending)
        counters.slack[slot] = sum(weights) - degree - int(counters.weight[begin:end][false].sum())
        counters.widest[slot] = max(weights, default=0)
        kernel.link_entries(counters, begin, end)
        self._entry_end = end
        self._degree[slot] = degree
        return slot

    def _free_counter(self, slot: int) -> None:
        """Entries of its former counters may still be linked to a slot: it must be in no conflict and propagate nothing."""
        self._counters.length[slot] = self._counters.slack[slot] = self._counters.widest[slot] = 0
        del self._degree[slot]
        self._free_counters.append(slot)

    def _bury_counter(self, slot: int) -> bool:
        """Remove a counter; whether a literal rested on it. Entries stay linked until the next compaction, without weight."""
        counters = self._counters
        start, length = int(counters.start[slot]), int(counters.length[slot])
        literals = counters.literal[start : start + length]
        held = bool(((self._values.value[literals] == 1) & (self._values.reason[literals >> 1] == -2 - slot)).any())
        counters.weight[start : start + length] = 0
        self._entry_dead += length
        self._free_counter(slot)
        if self._entry_dead > max(LEAST_GARBAGE, self._entry_end // 2):
            live = np.array(sorted(self._degree, key=counters.start.__getitem__), dtype=np.int64)
            self._entry_end, self._entry_dead = kernel.compact_counters(counters, live), 0
        return held

    def _bury_clause(self, slot: int) -> bool:
        """Remove a clause; whether a literal rested on it."""
        clauses = self._clauses
        length = int(clauses.length[slot])
        held = kernel.remove_clause(self._values, clauses, slot)
        self._short.discard(slot)
        self._free_clauses.append(slot)
        self._arena_dead += length
        if self._arena_dead > max(LEAST_GARBAGE, self._arena_end // 2):
            live = np.flatnonzero(clauses.length[: self._clause_slots])
            live = live[np.argsort(clauses.start[live])]
            self._arena_end, self._arena_dead = kernel.compact_clauses(clauses, live), 0
        return held

    def reserve_variables(self, variables: int) -> None:
        """Make room for variables up to this number."""
        if variables <= self._variables:
            return
        self._variables = max(variables, 2 * self._variables)
        literals = 2 * self._variables + 2
        values, reasons = _grown(self._values.value, literals, 0), _grown(self._values.reason, self._variables + 1, 0)
        self._values = self._values._replace(value=values, reason=reasons, trail=_grown(self._values.trail, self._variables + 1, 0))
        self._clauses = self._clauses._replace(head=_grown(self._clauses.head, literals, NONE))
        self._counters = self._counters._replace(head=_grown(self._counters.head, literals, NONE))

    def _reserve_clause(self, length: int) -> None:
        clauses = self._clauses
        if self._arena_end + length > len(clauses.arena):
            self._clauses = clauses = clauses._replace(arena=_grown(clauses.arena, 2 * (self._arena_end + length), 0))
        if not self._free_clauses and self._clause_slots == len(clauses.start):
            slots = 2 * self._clause_slots
            self._clauses = clauses._replace(
                start=_grown(clauses.start, slots, 0),
                length=_grown(clauses.length, slots, 0),
                after=_grown(clauses.after, 2 * slots, NONE),
                before=_grown(clauses.before, 2 * slots, NONE),
            )

    def _reserve_counter(self, length: int) -> None:
        counters = self._counters
        if self._entry_end + length > len(counters.literal):
            room = 2 * (self._entry_end + length)
            names = ("literal", "weight", "owner", "after")
            self._counters = counters = counters._replace(**{name: _grown(getattr(counters, name), room, 0) for name in names})
        if not self._free_counters and self._counter_slots == len(counters.start):
            names = ("start", "length", "slack", "widest")
            self._counters = counters._replace(**{name: _grown(getattr(counters, name), 2 * self._counter_slots, 0) for name in names})


def _normal(constraint: Constraint) -> tuple[list[int], list[int], int]:
    """Literals, weights and degree of the saturated normal form; of a constraint that can't be met, the empty clause."""
    terms, degree = constraint.saturated().terms, constraint.degree
    weights = [abs(coefficient) for coefficient in terms.values()]
    if degree > sum(weights):
        return [], [], 1
    return [2 * variable + (coefficient < 0) for variable, coefficient in terms.items()], weights, degree


def _zeros(length: int, kind: type) -> NDArray[Any]:
    return np.zeros(length, dtype=kind)


def _nones(length: int) -> Literals:
    return np.full(length, NONE, dtype=np.int32)


def _grown(array: NDArray[Any], length: int, fill: int) -> NDArray[Any]:
    """The array with room for more."""
    return np.concatenate([array, np.full(max(0, length - len(array)), fill, dtype=array.dtype)])
