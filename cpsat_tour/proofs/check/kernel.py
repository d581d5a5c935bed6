"""Unit propagation, compiled: clauses by two watched literals, other constraints by counters.

The functions work in place on the rows that `propagation` keeps, and know nothing of proofs. A literal is ``2 * variable``, plus 1 if
negated; ``literal ^ 1`` is its opposite. Every test begins and ends with nothing assigned, so watched literals need no care when
constraints come and go: any two will do.

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

CLAUSE, DEAD = -1, -2
"""In place of ``full``: the row is a clause, or is gone."""

CONFLICT = -1


class Rows(NamedTuple):
    """The constraints: row ``r`` has the places ``start[r] : start[r + 1]``, each with a literal and its weight.

    ``full[r]`` is what the literals of a sum weigh beyond its degree, ``slack[r]`` what those that are not false do. The places of a
    sum, and the first two of a clause, are in the list of their literal, which begins at ``head[literal]`` and goes on by ``after``.
    """

    start: NDArray[np.int32]
    full: NDArray[np.int64]
    slack: NDArray[np.int64]
    literal: NDArray[np.int32]
    weight: NDArray[np.int32]
    owner: NDArray[np.int32]
    after: NDArray[np.int32]
    head: NDArray[np.int32]


class Assignment(NamedTuple):
    """``value[literal]`` is 1, -1 or 0 (open); ``trail`` has the true literals in order, ``touched`` the sums with a false literal."""

    value: NDArray[np.int8]
    trail: NDArray[np.int32]
    touched: NDArray[np.int64]


def compiled(function: F) -> F:
    """Numba's compiler, with the function's type kept."""
    return cast(F, njit(cache=True)(function))


@compiled
def link(rows: Rows, row: int) -> None:
    """Put the places of a row into the lists of their literals: all of a sum, two of a clause, none of a clause of one literal."""
    begin, end = rows.start[row], rows.start[row + 1]
    if rows.full[row] == CLAUSE:
        end = min(end, begin + 2) if end - begin > 1 else begin
    for place in range(begin, end):
        literal = rows.literal[place]
        rows.after[place] = rows.head[literal]
        rows.head[literal] = place


@compiled
def copy(rows: Rows, live: NDArray[np.int64], fresh: Rows) -> None:
    """Copy the live rows to empty ones, and link them."""
    end = 0
    for number, row in enumerate(live):
        fresh.start[number] = end
        for place in range(rows.start[row], rows.start[row + 1]):
            fresh.literal[end] = rows.literal[place]
            fresh.weight[end] = rows.weight[place]
            fresh.owner[end] = number
            end += 1
        fresh.start[number + 1] = end
        fresh.full[number] = fresh.slack[number] = rows.full[row]
        link(fresh, number)


@compiled
def assign(assignment: Assignment, size: int, literal: int) -> int:
    """Make a literal true; the size of the trail then, or `CONFLICT` where it is false."""
    value = assignment.value
    if value[literal] == 0:
        value[literal] = 1
        value[literal ^ 1] = -1
        assignment.trail[size] = literal
        return size + 1
    return size if value[literal] > 0 else CONFLICT


@compiled
def enforce(rows: Rows, assignment: Assignment, size: int, row: int) -> int:
    """Make true what a sum, or a clause of at most one literal, can't do without; the size of the trail then, or `CONFLICT`."""
    begin, end = rows.start[row], rows.start[row + 1]
    if rows.full[row] == CLAUSE:
        return assign(assignment, size, rows.literal[begin]) if begin < end else CONFLICT
    slack = rows.slack[row]
    if slack < 0:
        return CONFLICT
    for place in range(begin, end):
        if rows.weight[place] > slack and assignment.value[rows.literal[place]] == 0:
            size = assign(assignment, size, rows.literal[place])
    return size


@compiled
def spread(rows: Rows, assignment: Assignment, size: int) -> tuple[int, int, bool]:
    """Draw all conclusions from the true literals: the size of the trail, the number of touched sums, and whether there is a conflict."""
    value, trail, touched = assignment
    done = count = 0
    while done < size:
        false = trail[done] ^ 1
        done += 1
        before, place = NONE, rows.head[false]
        while place != NONE:
            following, row, stays, more = rows.after[place], rows.owner[place], True, size
            if rows.full[row] == DEAD:
                stays = False
            elif rows.full[row] == CLAUSE:
                begin = rows.start[row]
                other = rows.literal[2 * begin + 1 - place]
                if value[other] <= 0:
                    for candidate in range(begin + 2, rows.start[row + 1]):
                        literal = rows.literal[candidate]
                        if value[literal] >= 0:
                            rows.literal[candidate] = false
                            rows.literal[place] = literal
                            rows.after[place] = rows.head[literal]
                            rows.head[literal] = place
                            stays = False
                            break
                    if stays:
                        more = assign(assignment, size, other)
            else:
                if rows.slack[row] == rows.full[row]:
                    touched[count] = row
                    count += 1
                rows.slack[row] -= rows.weight[place]
                more = enforce(rows, assignment, size, row)
            if more == CONFLICT:
                return size, count, True
            size = more
            if stays:
                before = place
            elif before == NONE:
                rows.head[false] = following
            else:
                rows.after[before] = following
            place = following
    return size, count, False


@compiled
def contradicts(rows: Rows, assignment: Assignment, eager: NDArray[np.int64], assumed: NDArray[np.int32]) -> bool:
    """Whether the assumed literals and unit propagation end in a conflict; ``eager`` are the rows that demand something at once."""
    size = count = 0
    conflict = False
    for literal in assumed:
        more = assign(assignment, size, literal)
        conflict = conflict or more == CONFLICT
        size = max(size, more)
    for row in eager:
        more = size if conflict else enforce(rows, assignment, size, row)
        conflict = conflict or more == CONFLICT
        size = max(size, more)
    if not conflict:
        size, count, conflict = spread(rows, assignment, size)
    for literal in assignment.trail[:size]:
        assignment.value[literal] = assignment.value[literal ^ 1] = 0
    for row in assignment.touched[:count]:
        rows.slack[row] = rows.full[row]
    return conflict
