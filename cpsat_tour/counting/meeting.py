"""Meeting in the middle: the frontier method from both ends of a board at once.

The frontier after some vertices separates those from the vertices beyond it. Both sides are swept towards it, the edges
within it are chosen half on either side, and the two generations of states are joined: the number of cycles is the sum,
over the pairs of states that make one cycle, of the products of their counts. Horowitz & Sahni (1974) met in the middle
so; McKay (1997) counted the tours of 8x8 from halves of the board.

The states of a frontier grow in number until about two columns' worth of vertices more than it is wide have been taken.
On a board not much longer than that from end to end neither side comes so far; on a longer one the join costs more than
a sweep from end to end.

A state from the front and one from the back make cycles if the degrees of each place add up to two; their paths then
have the same ends, and make *one* cycle if going along the paths of either in turn leads round all ends. The states
from the back are laid out by the degrees that they need from the front, so that those that fit a state stand together.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Sequence
from concurrent.futures import Executor
from threading import Event
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Clock
from cpsat_tour.core.compiled import compiled, inlined
from cpsat_tour.counting.frontier_kernel import add
from cpsat_tour.counting.packed_states import EMPTY, ONE, Words, least, size, unpack
from cpsat_tour.counting.plan import FrontierPlan, expected_states

MOST_TAKEN = 2.0  # a side takes at most so many times as many vertices as the frontier has places
JOINED_AT_ONCE = 1 << 14
LAID_OUT_BYTES = 96  # for each state from the back, while it is being laid out


class Side(NamedTuple):
    """One of the two sweeps: its plan, how many vertices it takes, at which of those between the sides it chooses the
    edges there, and for each frontier how many states there may well be.

    The edges between the sides count for half the vertices they are chosen at.
    """

    plan: FrontierPlan
    taken: int
    between: list[int]
    within: list[int]
    expected: list[int]


def sides(plan: FrontierPlan) -> tuple[Side, Side] | None:
    """The front and the back with the fewest states that meet within a plan; None if no two sides meet, and where
    several edges may join two vertices."""
    most, best, fewest = int(MOST_TAKEN * plan.width), None, math.inf
    for taken in range(1, 0 if plan.cycles.parallel else min(most, len(plan.vertices) - 1) + 1):
        between = sorted(plan.frontiers[taken], key=plan.position.__getitem__)
        beyond = [vertex for vertex in reversed(plan.vertices[taken:]) if vertex not in between]
        if not 0 < len(beyond) <= most:
            continue
        vertices = [*beyond, *between, *plan.vertices[:taken]]
        back = FrontierPlan(plan.cycles, vertices, plan.clock, begins=False)
        if len(back.frontiers) <= len(beyond):
            continue
        edges, within, so_far = 0, [], []
        for place, vertex in enumerate(between, start=1):
            if near := plan.cycles.neighbours[vertex].intersection(between[place:]):
                edges += len(near)
                within.append(vertex)
                so_far.append(edges)
        half = bisect(so_far, edges // 2)
        pair = _side(plan, taken, between, within[:half]), _side(back, len(beyond), between, within[half:])
        states = max(pair[0].expected + pair[1].expected)
        if states < fewest:
            best, fewest = pair, states
    return best


def _side(plan: FrontierPlan, taken: int, between: list[int], within: list[int]) -> Side:
    """The sweep of one side, with the states to be expected."""
    last = expected_states(plan.bounds[taken], taken + len(within) // 2, len(plan.frontiers[taken]))
    return Side(plan, taken, between, within, [*plan.expected[: taken + 1], last])


def lay_out_back(tables: Sequence[Words], places: list[int], front_places: list[int]) -> Back:
    """The tables of states from the back, ready to be joined.

    The places are the vertices of either frontier; the front's has all of the back's.
    """
    table, width = np.concatenate(tables), len(front_places)
    number: Words = np.array(list(map(front_places.index, places)), dtype=np.uint64)
    needed: Words = np.empty(len(table), dtype=np.uint64)
    mates: NDArray[np.uint8] = np.empty((len(table), width), dtype=np.uint8)
    lay_out(table, number, np.uint64(width), needed, mates)
    order = np.argsort(needed)
    needed = needed[order]
    groups = 1 + int((needed[1:] != needed[:-1]).sum())
    index = np.full((1 << (2 * groups).bit_length(), 3), EMPTY, dtype=np.uint64)
    build_index(needed, index)
    return Back(index, mates[order], table[order, 1:])


def join_sides(front: Sequence[Words], places: list[int], back: Back, pool: Executor, clock: Clock) -> int:
    """The number of cycles that states from the front and the back make. `StoppedEarly` when the time is over."""
    width = np.uint64(len(places))
    digits = 2 * (front[0].shape[1] + back.counts.shape[1]) + 2

    given_up = Event()

    def part(table: Words) -> int:
        total = np.zeros(digits, dtype=np.uint64)
        for begin in range(0, len(table), JOINED_AT_ONCE):
            if given_up.is_set():
                break
            clock.check()
            join(table[begin : begin + JOINED_AT_ONCE], width, back, total)
        return int.from_bytes(total.astype("<u4").tobytes(), "little")

    try:
        return sum(pool.map(part, front))
    finally:
        given_up.set()


# --- the compiled half ---

LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


class Back(NamedTuple):
    """The states from the back, those that need the same degrees together."""

    groups: Words
    """A hash table with linear probing of rows ``(degrees, first state, last state + 1)``; `EMPTY` degrees where there
    is none."""
    mates: NDArray[np.uint8]  # for each state the mates of its ends, in places of the front, ``(states, width)``
    counts: Words  # for each state the limbs of its count


@compiled
def lay_out(table: Words, places: Words, width: np.uint64, needed: Words, mates: NDArray[np.uint8]) -> None:
    """Write for each state from the back the degrees that it needs from the front, and its mates in places of the
    front.

    ``places`` has for each place of the back its place in the front, which is ``width`` wide.
    """
    mate = np.zeros(64, np.uint64)
    for row in range(len(table)):
        done, opens, closes = unpack(table[row, 0], np.uint64(len(places)), mate)
        untouched, ends = (ONE << width) - ONE, np.uint64(0)
        for place in range(len(places)):
            bit = ONE << places[place]
            if (done | opens | closes) >> np.uint64(place) & ONE:
                untouched ^= bit
            if (opens | closes) >> np.uint64(place) & ONE:
                ends |= bit
                mates[row, places[place]] = places[mate[place]]
        needed[row] = untouched | ends << width


@compiled
def build_index(needed: Words, index: Words) -> None:
    """Fill the index from the degrees needed, which are sorted."""
    begin = 0
    for row in range(1, len(needed) + 1):
        if row == len(needed) or needed[row] != needed[begin]:
            slot = _slot(index, needed[begin])
            index[slot, 0], index[slot, 1], index[slot, 2] = needed[begin], begin, row
            begin = row


@compiled
def _slot(index: Words, degrees: np.uint64) -> np.int64:
    """The row of the index with these degrees, or the empty one where they belong; the number of rows is a power of
    two."""
    slot = (degrees * np.uint64(0x9E3779B97F4A7C15)) >> HALF
    while True:
        slot &= np.uint64(len(index) - 1)
        if index[slot, 0] == degrees or index[slot, 0] == EMPTY:
            return np.int64(slot)
        slot += ONE


@compiled
def join(table: Words, width: np.uint64, back: Back, total: Words) -> None:
    """Add the cycles through all vertices that states from the front make to ``total``, in 32-bit digits."""
    mate = np.zeros(64, np.uint64)
    matching = np.zeros(back.counts.shape[1] + 1, np.uint64)
    for row in range(len(table)):
        done, opens, closes = unpack(table[row, 0], width, mate)
        ends = opens | closes
        slot = _slot(back.groups, done | ends << width)
        if not ends or back.groups[slot, 0] == EMPTY:
            continue
        matching[:] = 0
        found = False
        for other in range(back.groups[slot, 1], back.groups[slot, 2]):
            if _make_one_cycle(mate, back.mates, other, least(ends), size(opens)):
                found = True
                add(matching, back.counts[other])
        if found:
            _add_product(total, table[row, 1:], matching)


@inlined
def _make_one_cycle(mate: Words, mates: NDArray[np.uint8], other: int, first: np.uint64, paths: np.uint64) -> bool:
    """Whether going along paths of the front and of a state from the back in turn leads through all paths before it is
    back at the first."""
    place = mate[first]
    seen = ONE
    while np.uint64(mates[other, place]) != first:
        place = mate[np.uint64(mates[other, place])]
        seen += ONE
    return bool(seen == paths)


@compiled
def _add_product(total: Words, one: Words, other: Words) -> None:
    """Add the product of two numbers, in 64-bit limbs, to one in 32-bit digits that has room for it (Knuth 1969,
    algorithm 4.3.1M)."""
    for i in range(2 * len(one)):
        digit = one[i // 2] >> HALF if i % 2 else one[i // 2] & LOW
        if not digit:
            continue
        carry = np.uint64(0)
        for j in range(2 * len(other)):
            factor = other[j // 2] >> HALF if j % 2 else other[j // 2] & LOW
            carry += digit * factor + total[i + j]
            total[i + j] = carry & LOW
            carry >>= HALF
        place = i + 2 * len(other)
        while carry:
            carry += total[place]
            total[place] = carry & LOW
            carry >>= HALF
            place += 1
