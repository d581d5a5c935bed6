"""The compiled half of the frontier method: one step of the dynamic program, and tables of counts.

A *step* chooses edges between one vertex of the frontier and later vertices, and takes states (`packed_states`) to
states.

A table is an array of rows ``(state, limb 0, limb 1, ...)`` of uint64: the limbs of the state's count, least
first. There are limbs enough for the sums of a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cpsat_tour.core.bits import ONE, TWO, popcount
from cpsat_tour.core.compiled import allocation_free, inlined
from cpsat_tour.core.space import Longs
from cpsat_tour.frontier.packed_states import EMPTY, ZERO, Words, join_ends, pack, pack_without, unpack

SHIFT, HALF = np.uint64(33), np.uint64(32)
FIRST_FACTOR, SECOND_FACTOR = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)


class SweepStep(NamedTuple):
    """One step of the dynamic program. Its places are the vertices of the frontier before it, then those that enter;
    sets of places are bits of a uint64."""

    before: np.uint64  # the number of places before the step
    width: np.uint64  # the same with the vertices that enter
    vertex: np.uint64  # the place of the vertex whose edges are chosen
    leaves: bool  # whether it then leaves the frontier, its two edges chosen; if not, it may have fewer
    choices: Words
    """What may be chosen, as rows ``(places of the other ends, first of them, last of them, parity in the top bit)``,
    by number of edges."""
    offsets: Longs  # for each number of edges the first of its rows, and the number of all rows
    roomy: np.uint64  # the places where two edges may be chosen by the end of the step
    narrow: np.uint64  # the places where one may: a required edge to come keeps the other's room free
    free: np.uint64  # the places that may be left out: untouched when they leave
    last: bool  # whether a cycle may close: all vertices to come are in the frontier, or some may be left out
    tight: Words
    """The rows ``(place, neighbours to come in the frontier, number of those outside)`` of the places with fewer than
    two outside."""
    parity: np.uint64
    """The top bit where states have in it the parity of the edges chosen, and only cycles with an odd one count; else
    nothing."""


@inlined
def _hash(state: np.uint64) -> np.uint64:
    """Return the bits of a state well mixed, by the finaliser of MurmurHash3 (Appleby 2011)."""
    state = (state ^ (state >> SHIFT)) * FIRST_FACTOR
    state = (state ^ (state >> SHIFT)) * SECOND_FACTOR
    return state ^ (state >> SHIFT)


@allocation_free
def can_be_completed(done: np.uint64, ends: np.uint64, tight: Words) -> bool:
    """Return False if a tight vertex has fewer neighbours with room for an edge than it lacks edges."""
    for row in tight:
        place = row[0]
        if done >> place & ONE:
            continue
        lacking = TWO - (ends >> place & ONE)
        if popcount(row[1] & ~done) + row[2] < lacking:
            return False
    return True


@allocation_free
def expand(step: SweepStep, table: Words, begin: int, buffers: Words, fill: Longs, total: Words, mates: Words) -> int:
    """Write the successors of the rows from ``begin`` on into the shards' buffers; return the row to go on from once a
    buffer is nearly full, or the number of rows.

    ``buffers`` is ``(shards, rows, 1 + limbs)`` with ``fill`` rows of each in use; the number of shards is a power of
    two. The ways in which a cycle through all vertices closes are added to ``total``. ``mates`` is scratch space, two
    rows.
    """
    brim = buffers.shape[1] - len(step.choices)
    before, mate = mates[0], mates[1]
    full = False
    for row in range(begin, len(table)):
        if table[row, 0] == EMPTY:
            continue
        parity = table[row, 0] & step.parity
        done, opens, closes = unpack(table[row, 0] ^ parity, step.before, before)
        free = places_with_room(step, done, opens | closes)
        first, end = choices_of_state(step, done, opens | closes)
        for choice in range(first, end):
            if step.choices[choice, 0] & ~free:
                continue
            for place in range(len(mate)):
                mate[place] = before[place]
            done_now, opens_now, closes_now, cycle = choose(step, choice, done, opens, closes, mate)
            if cycle:
                if (
                    passes_through_all(step, done_now, opens_now | closes_now)
                    and (parity ^ step.choices[choice, 3]) & step.parity == step.parity
                ):
                    add(total, table[row, 1:])
            elif can_be_completed(done_now, opens_now | closes_now, step.tight):
                state = state_after(step, done_now, opens_now, closes_now, mate)
                full |= (
                    _write(state ^ parity ^ (step.choices[choice, 3] & step.parity), table, row, buffers, fill) > brim
                )
        if full:
            return row + 1
    return len(table)


@inlined
def places_with_room(step: SweepStep, done: np.uint64, ends: np.uint64) -> np.uint64:
    """Return the set of places where one more edge may be chosen, with room kept for required edges to come."""
    return ~done & (step.roomy | (step.narrow & ~ends))


@inlined
def choices_of_state(step: SweepStep, done: np.uint64, ends: np.uint64) -> tuple[int, int]:
    """Return the first and the end row of the choices for whose number of edges the vertex has room; all the edges that
    it lacks, if it leaves."""
    here = ONE << step.vertex
    room = 2 if step.roomy & here else 1 if step.narrow & here else 0
    most = 0 if done & here else room - (1 if ends & here else 0)
    return step.offsets[most if step.leaves else 0], step.offsets[most + 1]


@inlined
def choose(
    step: SweepStep, choice: int, done: np.uint64, opens: np.uint64, closes: np.uint64, mate: Words
) -> tuple[np.uint64, np.uint64, np.uint64, bool]:
    """Choose the edges of a choice, none, one or two; return the new ``done``, ``opens`` and ``closes``, and True if
    the last edge closes a cycle. The mates are updated."""
    cycle = False
    if choice >= step.offsets[1]:
        done, opens, closes, cycle = join_ends(done, opens, closes, mate, step.vertex, step.choices[choice, 1])
    if choice >= step.offsets[2]:
        done, opens, closes, cycle = join_ends(done, opens, closes, mate, step.vertex, step.choices[choice, 2])
    return done, opens, closes, cycle


@inlined
def passes_through_all(step: SweepStep, done: np.uint64, ends: np.uint64) -> bool:
    """Return True if a cycle that has just closed passes through all vertices but those that may be left out: none is
    to come, and every place but one that leaves is done, or untouched and free."""
    return step.last and not places_to_come(step) & ~done & ~(step.free & ~ends)


@inlined
def places_to_come(step: SweepStep) -> np.uint64:
    """Return the set of places that remain after the step."""
    every = (ONE << step.width) - ONE
    return every & ~(ONE << step.vertex) if step.leaves else every


@inlined
def state_after(step: SweepStep, done: np.uint64, opens: np.uint64, closes: np.uint64, mate: Words) -> np.uint64:
    """Return the packed state over the places that remain after the step."""
    if step.leaves:
        return pack_without(done, opens, closes, mate, step.width, step.vertex)
    return pack(done, opens, closes, mate, step.width)


@inlined
def _write(state: np.uint64, table: Words, row: int, buffers: Words, fill: Longs) -> int:
    """Write a state with the count of a row of the table into the buffer of its shard; return the number of rows in use
    there."""
    shard = np.int64(_hash(state) & np.uint64(buffers.shape[0] - 1))
    target = int(fill[shard])
    buffers[shard, target, 0] = state
    for column in range(1, table.shape[1]):
        buffers[shard, target, column] = table[row, column]
    fill[shard] = target + 1
    return target + 1


@allocation_free
def add(total: Words, limbs: Words) -> None:
    """Add a number to ``total``, which has limbs enough for the sum."""
    carry = ZERO
    for limb in range(len(total)):
        here = limbs[limb] if limb < len(limbs) else ZERO
        added = total[limb] + here
        over = np.uint64(added < here)
        total[limb] = added + carry
        carry = over | np.uint64(total[limb] < carry)


@allocation_free
def merge_rows(buffer: Words, begin: int, table: Words, used: int, most: int) -> tuple[int, int]:
    """Merge the rows of a buffer from ``begin`` on into a hash table with linear probing, until ``most`` rows are in
    use; return the row to go on from and the number of rows in use."""
    capacity = np.uint64(len(table))
    for row in range(begin, len(buffer)):
        state = buffer[row, 0]
        slot = ((_hash(state) >> HALF) * capacity) >> HALF
        while table[slot, 0] != EMPTY and table[slot, 0] != state:
            slot += ONE
            if slot == capacity:
                slot = ZERO
        if table[slot, 0] == EMPTY:
            if used >= most:
                return row, used
            used += 1
            for column in range(table.shape[1]):
                table[slot, column] = buffer[row, column]
        elif table.shape[1] == 2:
            table[slot, 1] += buffer[row, 1]
        else:
            add(table[slot, 1:], buffer[row, 1:])
    return len(buffer), used


@allocation_free
def compact(table: Words) -> int:
    """Move the rows in use to the front of the table, and return their number."""
    used = 0
    for row in range(len(table)):
        if table[row, 0] != EMPTY:
            for column in range(table.shape[1]):
                table[used, column] = table[row, column]
            used += 1
    return used
