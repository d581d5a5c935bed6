"""Unit propagation, compiled where there is much of it: clauses by two watched literals, other constraints by counters.

The functions work in place on the rows that `propagation` keeps, and know nothing of proofs. A literal is ``2 *
variable``, plus 1 if negated; ``literal ^ 1`` is its opposite. The trail begins with what holds for good, the
consequences of the rows alone, in which `attach` keeps up with every row that comes; a test goes on from there, and
takes back what it assigned.

Watched literals: Moskewicz, Madigan, Zhao, Zhang & Malik 2001 (Chaff). Counters for pseudo-Boolean constraints: Chai &
Kuehlmann 2003.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

NONE = -1

CLAUSE, DEAD = -1, -2
"""In place of ``full``: the row is a clause, or is gone."""

CONFLICT = -1
"""In place of the size of the trail."""


class Rows(NamedTuple):
    """The constraints: row ``r`` has the places ``start[r] : start[r + 1]``, each with a literal and its weight.

    ``full[r]`` is what the literals of a sum weigh beyond its degree, ``slack[r]`` what those that are not false do,
    ``base[r]`` what those do that are not false for good. The places of a sum, and the first two of a clause, are in
    the list of their literal, which begins at ``head[literal]`` and goes on by ``after``.
    """

    start: NDArray[np.int32]
    full: NDArray[np.int64]
    base: NDArray[np.int64]
    slack: NDArray[np.int64]
    literal: NDArray[np.int32]
    weight: NDArray[np.int32]
    owner: NDArray[np.int32]
    after: NDArray[np.int32]
    head: NDArray[np.int32]


class Assignment(NamedTuple):
    """``value[literal]`` is 1, -1 or 0 (open); ``trail`` has the true literals in order, ``reason[variable]`` the row
    that made one true.

    ``touched`` has the sums whose slack is not that for good.
    """

    value: NDArray[np.int8]
    trail: NDArray[np.int32]
    reason: NDArray[np.int32]
    touched: NDArray[np.int64]


_plain: list[Callable[..., Any]] = []


def compiled(function: F) -> F:
    """The function as it stands, until `compile_all` puts a compiled one in its place."""
    _plain.append(function)
    return function


def compile_all() -> None:
    """Compile the functions of this module. Numba takes half a second to load; `ModuleNotFoundError` without it."""
    if _plain:
        from numba import njit

        globals().update((function.__name__, njit(cache=True)(function)) for function in _plain)
        _plain.clear()


@compiled
def link(rows: Rows, row: int) -> None:
    """Put the places of a row into the lists of their literals: all of a sum, two of a clause, none of a clause of one
    literal."""
    begin, end = rows.start[row], rows.start[row + 1]
    if rows.full[row] == CLAUSE:
        end = min(end, begin + 2) if end - begin > 1 else begin
    for place in range(begin, end):
        literal = rows.literal[place]
        rows.after[place] = rows.head[literal]
        rows.head[literal] = place


@compiled
def copy(rows: Rows, live: NDArray[np.int64], fresh: Rows) -> None:
    """Copy the live rows to empty ones."""
    end = 0
    for number, row in enumerate(live):
        fresh.start[number] = end
        for place in range(rows.start[row], rows.start[row + 1]):
            fresh.literal[end] = rows.literal[place]
            fresh.weight[end] = rows.weight[place]
            fresh.owner[end] = number
            end += 1
        fresh.start[number + 1] = end
        fresh.full[number] = rows.full[row]


@compiled
def assign(assignment: Assignment, size: int, literal: int, row: int) -> int:
    """Make a literal true, as a row demands; the size of the trail then, or `CONFLICT` where it is false."""
    value = assignment.value
    if value[literal] == 0:
        value[literal] = 1
        value[literal ^ 1] = -1
        assignment.trail[size] = literal
        assignment.reason[literal >> 1] = row
        return size + 1
    return size if value[literal] > 0 else CONFLICT


@compiled
def enforce(rows: Rows, assignment: Assignment, size: int, row: int) -> int:
    """Make true what a sum can't do without; the size of the trail then, or `CONFLICT`."""
    slack = rows.slack[row]
    if slack < 0:
        return CONFLICT
    for place in range(rows.start[row], rows.start[row + 1]):
        if rows.weight[place] > slack and assignment.value[rows.literal[place]] == 0:
            size = assign(assignment, size, rows.literal[place], row)
    return size


@compiled
def spread(rows: Rows, assignment: Assignment, done: int, size: int) -> tuple[int, int, int]:
    """Draw all conclusions from the true literals after the first ``done``: the sizes of the trail and of ``touched``,
    and a row that can't be met, or `NONE`."""
    value, trail, _, touched = assignment
    count = 0
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
                        more = assign(assignment, size, other, row)
            else:
                if rows.slack[row] == rows.base[row]:
                    touched[count] = row
                    count += 1
                rows.slack[row] -= rows.weight[place]
                more = enforce(rows, assignment, size, row)
            if more == CONFLICT:
                return size, count, row
            size = more
            if stays:
                before = place
            elif before == NONE:
                rows.head[false] = following
            else:
                rows.after[before] = following
            place = following
    return size, count, NONE


@compiled
def weigh(rows: Rows, assignment: Assignment, row: int) -> None:
    """Set the slack of a sum by what is false for good."""
    slack = rows.full[row]
    for place in range(rows.start[row], rows.start[row + 1]):
        if assignment.value[rows.literal[place]] < 0:
            slack -= rows.weight[place]
    rows.base[row] = rows.slack[row] = slack


@compiled
def watch(rows: Rows, assignment: Assignment, row: int) -> int:
    """Put up to two literals of a clause that are not false before the others; how many there are."""
    begin, found = rows.start[row], 0
    for place in range(begin, rows.start[row + 1]):
        literal = rows.literal[place]
        if assignment.value[literal] >= 0 and found < 2:
            rows.literal[place] = rows.literal[begin + found]
            rows.literal[begin + found] = literal
            found += 1
    return found


@compiled
def attach(rows: Rows, assignment: Assignment, size: int, row: int) -> int:
    """Link a new row, and draw what follows for good; the size of the trail then, or `CONFLICT`.

    A clause of one literal that is true already is the reason of it from now on: so the reasons may go that it had.
    """
    done = size
    if rows.full[row] == CLAUSE:
        found = watch(rows, assignment, row)
        link(rows, row)
        if found == 0:
            return CONFLICT
        if found == 1:
            literal = rows.literal[rows.start[row]]
            size = assign(assignment, size, literal, row)
            if rows.start[row + 1] - rows.start[row] == 1:
                assignment.reason[literal >> 1] = row
    else:
        link(rows, row)
        weigh(rows, assignment, row)
        size = enforce(rows, assignment, size, row)
        if size == CONFLICT:
            return CONFLICT
    size, count, conflict = spread(rows, assignment, done, size)
    for other in assignment.touched[:count]:
        rows.base[other] = rows.slack[other]
    return size if conflict == NONE else CONFLICT


@compiled
def attach_all(rows: Rows, assignment: Assignment, count: int) -> int:
    """Begin anew, with nothing assigned, and attach so many rows; the size of the trail then, or `CONFLICT`."""
    assignment.value[:] = 0
    rows.head[:] = NONE
    size = 0
    for row in range(count):
        if rows.full[row] != DEAD:
            size = attach(rows, assignment, size, row)
            if size == CONFLICT:
                return CONFLICT
    return size


@compiled
def is_reason(rows: Rows, assignment: Assignment, row: int) -> bool:
    """Whether the row is the reason of a literal that is true for good."""
    for place in range(rows.start[row], rows.start[row + 1]):
        literal = rows.literal[place]
        if assignment.value[literal] > 0 and assignment.reason[literal >> 1] == row:
            return True
    return False


@compiled
def retract(rows: Rows, assignment: Assignment, root: int, size: int, count: int) -> None:
    """Take back what was assigned after the first ``root`` literals."""
    for literal in assignment.trail[root:size]:
        assignment.value[literal] = assignment.value[literal ^ 1] = 0
    for row in assignment.touched[:count]:
        rows.slack[row] = rows.base[row]


@compiled
def contradicts(rows: Rows, assignment: Assignment, root: int, assumed: NDArray[np.int32], extra: int) -> bool:
    """Whether the assumed literals, what holds for good, ``root`` literals of the trail, and propagation end in a
    conflict.

    ``extra`` is a sum that takes part in this test alone, or `NONE`.
    """
    size, count, conflict = root, 0, False
    for literal in assumed:
        more = assign(assignment, size, literal, NONE)
        conflict = conflict or more == CONFLICT
        size = max(size, more)
    if extra != NONE and not conflict:
        link(rows, extra)
        weigh(rows, assignment, extra)
        more = enforce(rows, assignment, size, extra)
        conflict = more == CONFLICT
        size = max(size, more)
    if not conflict:
        size, count, row = spread(rows, assignment, root, size)
        conflict = row != NONE
    retract(rows, assignment, root, size, count)
    return conflict
