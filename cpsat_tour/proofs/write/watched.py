"""Unit propagation over clauses by two watched literals (Moskewicz, Madigan, Zhao, Zhang & Malik 2001, Chaff), with the
reason of each literal; compiled for large proofs.

The functions work in place on the clauses that `hints` keeps. A literal is ``2 * variable``, plus 1 if negated;
``literal ^ 1`` is its opposite. The trail begins with the consequences of the clauses alone, to which `attach` adds
those of each new clause; `conflict_reasons` goes on from there, and undoes what it assigned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

NONE = -1

CONFLICT = -1
"""In place of the size of the trail."""


class Clauses(NamedTuple):
    """Clause ``c`` has the literals ``literal[start[c] : start[c + 1]]``; ``dead`` marks deleted clauses.

    A list of places for each literal begins at ``head[literal]`` and goes on by ``after``: those among the first two of
    a clause that hold it. ``owner`` has the clause of each place.
    """

    start: NDArray[np.int32]
    dead: NDArray[np.bool_]
    literal: NDArray[np.int32]
    owner: NDArray[np.int32]
    after: NDArray[np.int32]
    head: NDArray[np.int32]


class Assignment(NamedTuple):
    """``value[literal]`` is 1, -1 or 0 (open); ``trail`` has the true literals in order, ``reason[variable]`` the
    clause that made one true."""

    value: NDArray[np.int8]
    trail: NDArray[np.int32]
    reason: NDArray[np.int32]


_plain: list[Callable[..., Any]] = []


def compiled(function: F) -> F:
    """Return the function as it is, until `compile_all` puts a compiled one in its place."""
    _plain.append(function)
    return function


def compile_all() -> None:
    """Compile the functions of this module. Numba takes half a second to load."""
    if _plain:
        from numba import njit

        globals().update((function.__name__, njit(cache=True)(function)) for function in _plain)
        _plain.clear()


def empty(clauses: int, places: int, variables: int) -> tuple[Clauses, Assignment]:
    """Return empty `Clauses` and an `Assignment`, with room for so many clauses and literals together."""
    start, dead = np.zeros(clauses + 1, dtype=np.int32), np.zeros(clauses, dtype=np.bool_)
    literal, owner, after = (np.zeros(places, dtype=np.int32) for _ in range(3))
    head, value = np.full(2 * variables + 2, NONE, dtype=np.int32), np.zeros(2 * variables + 2, dtype=np.int8)
    trail, reason = (np.zeros(variables + 1, dtype=np.int32) for _ in range(2))
    return Clauses(start, dead, literal, owner, after, head), Assignment(value, trail, reason)


@compiled
def assign(assignment: Assignment, size: int, literal: int, clause: int) -> int:
    """Make a literal true because of a clause; return the size of the trail then, or `CONFLICT` if the literal is
    false."""
    value = assignment.value
    if value[literal] == 0:
        value[literal] = 1
        value[literal ^ 1] = -1
        assignment.trail[size] = literal
        assignment.reason[literal >> 1] = clause
        return size + 1
    return size if value[literal] > 0 else CONFLICT


@compiled
def propagate(clauses: Clauses, assignment: Assignment, done: int, size: int) -> tuple[int, int]:
    """Draw all conclusions from the true literals after the first ``done``; return the size of the trail, and a clause
    that can't be met, or `NONE`."""
    value, trail, _ = assignment
    while done < size:
        false = trail[done] ^ 1
        done += 1
        before, place = NONE, clauses.head[false]
        while place != NONE:
            following, clause, stays = (
                clauses.after[place],
                clauses.owner[place],
                not clauses.dead[clauses.owner[place]],
            )
            begin = clauses.start[clause]
            other = clauses.literal[2 * begin + 1 - place]
            if stays and value[other] <= 0:
                for candidate in range(begin + 2, clauses.start[clause + 1]):
                    literal = clauses.literal[candidate]
                    if value[literal] >= 0:
                        clauses.literal[candidate] = false
                        clauses.literal[place] = literal
                        clauses.after[place] = clauses.head[literal]
                        clauses.head[literal] = place
                        stays = False
                        break
                if stays:
                    more = assign(assignment, size, other, clause)
                    if more == CONFLICT:
                        return size, clause
                    size = more
            if stays:
                before = place
            elif before == NONE:
                clauses.head[false] = following
            else:
                clauses.after[before] = following
            place = following
    return size, NONE


@compiled
def unassign(assignment: Assignment, root: int, size: int) -> None:
    """Undo the assignments after the first ``root`` literals of the trail."""
    for place in range(root, size):
        literal = assignment.trail[place]
        assignment.value[literal] = assignment.value[literal ^ 1] = 0


@compiled
def attach(clauses: Clauses, assignment: Assignment, root: int, clause: int) -> int:
    """Add a new clause, and draw what follows for good; return the size of the trail then, or `CONFLICT`, with nothing
    newly assigned, at a conflict.

    A clause of one literal that is true already becomes the reason of it.
    """
    size, found = root, 0
    begin, end = clauses.start[clause], clauses.start[clause + 1]
    for place in range(begin, end):  # up to two literals that are not false come first
        literal = clauses.literal[place]
        if assignment.value[literal] >= 0 and found < 2:
            clauses.literal[place] = clauses.literal[begin + found]
            clauses.literal[begin + found] = literal
            found += 1
    for place in range(begin, begin + 2 if end - begin > 1 else begin):
        literal = clauses.literal[place]
        clauses.after[place] = clauses.head[literal]
        clauses.head[literal] = place
    if found == 0:
        return CONFLICT
    if found == 1:
        literal = clauses.literal[begin]
        size = assign(assignment, size, literal, clause)
        if end - begin == 1:
            assignment.reason[literal >> 1] = clause
    size, conflict = propagate(clauses, assignment, root, size)
    if conflict == NONE:
        return size
    unassign(assignment, root, size)
    return CONFLICT


@compiled
def conflict_reasons(
    clauses: Clauses,
    assignment: Assignment,
    root: int,
    assumed: NDArray[np.int32],
    needed: NDArray[np.bool_],
    found: NDArray[np.int64],
) -> int:
    """Fill ``found`` with the clauses by which the assumed literals lead to a conflict, last first. Return how many
    they are, or `NONE` if there is no conflict.

    ``needed``, all false, has a place for each variable. Assignments after the first ``root`` literals are undone.
    """
    size, conflict, clash, count = root, NONE, NONE, 0
    for literal in assumed:
        more = assign(assignment, size, literal, NONE)
        if more == CONFLICT:
            clash = literal >> 1
            needed[clash] = True
            break
        size = more
    if clash == NONE:
        size, conflict = propagate(clauses, assignment, root, size)
        if conflict != NONE:
            found[0] = conflict
            count = 1
            for place in range(clauses.start[conflict], clauses.start[conflict + 1]):
                needed[clauses.literal[place] >> 1] = True
    for place in range(size - 1, -1, -1):
        variable = assignment.trail[place] >> 1
        if needed[variable]:
            reason = assignment.reason[variable]
            if reason != NONE:
                found[count] = reason
                count += 1
                for other in range(clauses.start[reason], clauses.start[reason + 1]):
                    needed[clauses.literal[other] >> 1] = True
            needed[variable] = False
    unassign(assignment, root, size)
    return count if clash != NONE or conflict != NONE else NONE
