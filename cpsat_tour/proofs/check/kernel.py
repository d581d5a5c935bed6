"""Unit propagation, compiled: clauses by two watched literals, other constraints by counters.

The data is what `check_propagation` describes; the functions here work on it in place and know nothing of proofs. A literal is
``2 * variable``, plus 1 if negated; ``literal ^ 1`` is its opposite.

Watched literals: Moskewicz, Madigan, Zhao, Zhang & Malik 2001 (Chaff). Counters for pseudo-Boolean constraints: Chai & Kuehlmann 2003.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

NONE = -1
NO_REASON = -1

SIZE, DONE, ROOT = 0, 1, 2
"""Places in ``Assignment.state``: literals on the trail, those of them that were propagated, those that hold for good."""


class Assignment(NamedTuple):
    """``value[literal]`` is 1, -1 or 0 (open); ``trail`` holds the true literals in order; ``reason[variable]`` says what made it so.

    A reason is a clause's slot ``c``, ``-2 - k`` for a counter's slot ``k``, or `NO_REASON` for an assumption.
    """

    value: NDArray[np.int8]
    trail: NDArray[np.int32]
    reason: NDArray[np.int64]
    state: NDArray[np.int64]


class Clauses(NamedTuple):
    """Clause ``c`` has the literals ``arena[start[c] : start[c] + length[c]]`` and watches the first two of them.

    Watch ``2 * c + side`` is in the doubly linked list of its literal, which begins at ``head[literal]``; before the first stands ``-2
    - literal``.
    """

    start: NDArray[np.int64]
    length: NDArray[np.int32]
    arena: NDArray[np.int32]
    head: NDArray[np.int32]
    after: NDArray[np.int32]
    before: NDArray[np.int32]


class Counters(NamedTuple):
    """Counter ``k`` is the sum of ``weight * literal`` over its entries ``start[k] : start[k] + length[k]``, to be at least its degree.

    ``slack[k]`` is what its literals that are not false (among those propagated) weigh beyond the degree; ``widest[k]`` is its largest
    weight. The entries of one literal are linked from ``head[literal]`` through ``after``.
    """

    start: NDArray[np.int64]
    length: NDArray[np.int32]
    slack: NDArray[np.int64]
    widest: NDArray[np.int64]
    literal: NDArray[np.int32]
    weight: NDArray[np.int64]
    owner: NDArray[np.int32]
    after: NDArray[np.int32]
    head: NDArray[np.int32]


def compiled(function: F) -> F:
    """Numba's compiler, with the function's type kept."""
    return cast(F, njit(cache=True)(function))


@compiled
def assign(assignment: Assignment, literal: int, reason: int) -> None:
    """Make an open literal true."""
    value, trail, reasons, state = assignment
    value[literal] = 1
    value[literal ^ 1] = -1
    trail[state[SIZE]] = literal
    reasons[literal >> 1] = reason
    state[SIZE] += 1


@compiled
def link(clauses: Clauses, watch: int, literal: int) -> None:
    """Put a watch at the front of its literal's list."""
    first = clauses.head[literal]
    clauses.after[watch] = first
    clauses.before[watch] = -2 - literal
    clauses.head[literal] = watch
    if first != NONE:
        clauses.before[first] = watch


@compiled
def unlink(clauses: Clauses, watch: int) -> None:
    """Take a watch out of its list."""
    before, after = clauses.before[watch], clauses.after[watch]
    if before >= 0:
        clauses.after[before] = after
    else:
        clauses.head[-2 - before] = after
    if after != NONE:
        clauses.before[after] = before


@compiled
def propagate_counter(assignment: Assignment, counters: Counters, counter: int) -> bool:
    """Make true what the counter can't do without; whether it is in conflict."""
    slack = counters.slack[counter]
    if slack < 0:
        return True
    if slack < counters.widest[counter]:
        for entry in range(counters.start[counter], counters.start[counter] + counters.length[counter]):
            literal = counters.literal[entry]
            if counters.weight[entry] > slack and assignment.value[literal] == 0:
                assign(assignment, literal, -2 - counter)
    return False


@compiled
def propagate(assignment: Assignment, clauses: Clauses, counters: Counters) -> bool:
    """Draw all conclusions from the literals on the trail; whether they end in a conflict."""
    value, state = assignment.value, assignment.state
    start, length, arena = clauses.start, clauses.length, clauses.arena
    while state[DONE] < state[SIZE]:
        false = assignment.trail[state[DONE]] ^ 1
        # All counters first, so that taking a literal back can restore all of them, conflict or not.
        entry = counters.head[false]
        while entry != NONE:
            counters.slack[counters.owner[entry]] -= counters.weight[entry]
            entry = counters.after[entry]
        state[DONE] += 1
        entry = counters.head[false]
        while entry != NONE:
            if propagate_counter(assignment, counters, counters.owner[entry]):
                return True
            entry = counters.after[entry]
        watch = clauses.head[false]
        while watch != NONE:
            following = clauses.after[watch]
            clause, side = watch >> 1, watch & 1
            first = start[clause]
            other = arena[first + 1 - side]
            if value[other] != 1:
                for place in range(first + 2, first + length[clause]):
                    candidate = arena[place]
                    if value[candidate] != -1:
                        arena[place] = false
                        arena[first + side] = candidate
                        unlink(clauses, watch)
                        link(clauses, watch, candidate)
                        break
                else:
                    if value[other] == -1:
                        return True
                    assign(assignment, other, clause)
            watch = following
    return False


@compiled
def retract(assignment: Assignment, counters: Counters) -> None:
    """Take back all literals but those that hold for good."""
    value, trail, _reasons, state = assignment
    for place in range(state[SIZE] - 1, state[ROOT] - 1, -1):
        literal = trail[place]
        value[literal] = value[literal ^ 1] = 0
        if place < state[DONE]:
            entry = counters.head[literal ^ 1]
            while entry != NONE:
                counters.slack[counters.owner[entry]] += counters.weight[entry]
                entry = counters.after[entry]
    state[SIZE] = state[ROOT]
    state[DONE] = min(state[DONE], state[ROOT])


@compiled
def implied_clause(assignment: Assignment, clauses: Clauses, counters: Counters, literals: NDArray[np.int32]) -> bool:
    """Whether assuming all literals false ends in a conflict; nothing is left assigned but what held before."""
    conflict = False
    for literal in literals:
        if assignment.value[literal] == 1:
            conflict = True
            break
        if assignment.value[literal] == 0:
            assign(assignment, literal ^ 1, NO_REASON)
    if not conflict:
        conflict = propagate(assignment, clauses, counters)
    retract(assignment, counters)
    return conflict


@compiled
def add_clause(assignment: Assignment, clauses: Clauses, clause: int, begin: int, literals: NDArray[np.int32]) -> bool:
    """Write a clause at ``arena[begin:]``, watch it, and assign its last open literal if it has but one; whether it is in conflict."""
    arena, value = clauses.arena, assignment.value
    count = len(literals)
    clauses.start[clause] = begin
    clauses.length[clause] = count
    free = 0
    for place in range(count):
        literal = literals[place]
        arena[begin + place] = literal
        if value[literal] != -1:
            arena[begin + place] = arena[begin + free]
            arena[begin + free] = literal
            free += 1
    if count > 1:
        link(clauses, 2 * clause, arena[begin])
        link(clauses, 2 * clause + 1, arena[begin + 1])
    if free == 1 and value[arena[begin]] == 0:
        assign(assignment, arena[begin], clause)
    elif free == 1 and count == 1:
        # The unit clause itself is the better reason: others may be deleted.
        assignment.reason[arena[begin] >> 1] = clause
    return free == 0


@compiled
def remove_clause(assignment: Assignment, clauses: Clauses, clause: int) -> bool:
    """Unwatch and empty a clause; whether it is the reason of a true literal, which can only be one of the two it watches."""
    count = clauses.length[clause]
    held = False
    for side in range(min(count, 2)):
        literal = clauses.arena[clauses.start[clause] + side]
        held = held or (assignment.value[literal] == 1 and assignment.reason[literal >> 1] == clause)
        if count > 1:
            unlink(clauses, 2 * clause + side)
    clauses.length[clause] = 0
    return held


@compiled
def compact_clauses(clauses: Clauses, order: NDArray[np.int64]) -> int:
    """Move the live clauses, given in the order of their starts, together; the end of the arena in use."""
    end = 0
    for clause in order:
        begin = clauses.start[clause]
        clauses.start[clause] = end
        for place in range(clauses.length[clause]):
            clauses.arena[end] = clauses.arena[begin + place]
            end += 1
    return end


@compiled
def link_entries(counters: Counters, begin: int, end: int) -> None:
    """Put these entries at the front of their literals' lists."""
    for entry in range(begin, end):
        literal = counters.literal[entry]
        counters.after[entry] = counters.head[literal]
        counters.head[literal] = entry


@compiled
def unlink_last_entries(counters: Counters, begin: int, end: int) -> None:
    """Take out the entries that were linked last."""
    for entry in range(end - 1, begin - 1, -1):
        counters.head[counters.literal[entry]] = counters.after[entry]


@compiled
def compact_counters(counters: Counters, order: NDArray[np.int64]) -> int:
    """Move the entries of the live counters, given in the order of their starts, together and link them anew; the end in use."""
    end = 0
    for counter in order:
        begin = counters.start[counter]
        counters.start[counter] = end
        for entry in range(begin, begin + counters.length[counter]):
            counters.literal[end] = counters.literal[entry]
            counters.weight[end] = counters.weight[entry]
            counters.owner[end] = counter
            end += 1
    counters.head[:] = NONE
    link_entries(counters, 0, end)
    return end
