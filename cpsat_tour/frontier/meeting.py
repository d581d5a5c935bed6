"""Meeting in the middle: the frontier method from both ends of a board at once.

The frontier after some vertices separates those from the vertices beyond it. Both sides are swept towards it, the edges
within it are chosen half on either side, and the two generations of states are joined: the number of cycles is the sum,
over the pairs of states that make one cycle, of the products of their counts. Horowitz & Sahni (1974) met in the middle
so; McKay (1997) counted the tours of 8x8 from halves of the board.

The states of a frontier grow in number until about two columns' worth of vertices more than it is wide have been taken.
On a board not much longer than that from end to end neither side comes so far; on a longer one the join costs more than
a sweep from end to end. It is memory that this saves above all: by `forecast` the closed tours of 8x8 need 17 GiB so,
and 81 in one sweep, the open ones of 7x7 2 and 17.

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

from cpsat_tour.core.bits import ONE, lowest_bit, popcount
from cpsat_tour.core.compiled import compiled, inlined
from cpsat_tour.core.limits import Clock
from cpsat_tour.frontier.packed_states import EMPTY, Words, unpack
from cpsat_tour.frontier.plan import FrontierPlan, expected_states
from cpsat_tour.frontier.sweep_kernel import add

MOST_TAKEN = 2.0  # vertices that a side takes, at most, for each place of the widest frontier
JOINED_AT_ONCE = 1 << 14
LAID_OUT_BYTES = 96  # for each state from the back, while it is being laid out


class Side(NamedTuple):
    """One of the two sweeps: its plan, the number of vertices that it takes, the vertices between the sides (the
    boundary), those of them where it then chooses edges to others, and for each frontier the number of states to be
    expected."""

    plan: FrontierPlan
    taken: int
    boundary: list[int]
    chosen_at: list[int]
    expected: list[int]


def sides(plan: FrontierPlan) -> tuple[Side, Side] | None:
    """Return the front and the back that meet with the fewest states, or None if no two sides of a useful size meet, or
    if several edges may join two vertices."""
    most, best, fewest = int(MOST_TAKEN * plan.width), None, math.inf
    for taken in range(1, 0 if plan.swept.parallel else min(most, len(plan.vertices) - 1) + 1):
        boundary = sorted(plan.frontiers[taken], key=plan.position.__getitem__)
        beyond = [vertex for vertex in reversed(plan.vertices[taken:]) if vertex not in boundary]
        if not 0 < len(beyond) <= most:
            continue
        vertices = [*beyond, *boundary, *plan.vertices[:taken]]
        back = FrontierPlan(plan.swept, vertices, plan.clock, begins=False)
        if len(back.frontiers) <= len(beyond):
            continue
        edges, chosen_at, so_far = 0, [], []
        for place, vertex in enumerate(boundary, start=1):
            if near := plan.swept.neighbours[vertex].intersection(boundary[place:]):
                edges += len(near)
                chosen_at.append(vertex)
                so_far.append(edges)
        half = bisect(so_far, edges // 2)
        pair = _side(plan, taken, boundary, chosen_at[:half]), _side(back, len(beyond), boundary, chosen_at[half:])
        states = max(pair[0].expected + pair[1].expected)
        if states < fewest:
            best, fewest = pair, states
    return best


def _side(plan: FrontierPlan, taken: int, boundary: list[int], chosen_at: list[int]) -> Side:
    """Return one side, with the states to be expected; an edge within the boundary counts for half the vertex where it
    is chosen."""
    last = expected_states(plan.bound(taken), taken + len(chosen_at) // 2, len(plan.frontiers[taken]))
    return Side(plan, taken, boundary, chosen_at, [*plan.expected[: taken + 1], last])


def index_back(tables: Sequence[Words], places: list[int], front_places: list[int]) -> Back:
    """Return the states of the back by the degrees that they need from the front, ready to be joined.

    ``places`` and ``front_places`` are the vertices of the two frontiers; the front's has all of the back's.
    """
    table, width = np.concatenate(tables), len(front_places)
    number: Words = np.array(list(map(front_places.index, places)), dtype=np.uint64)
    needed: Words = np.empty(len(table), dtype=np.uint64)
    mates: NDArray[np.uint8] = np.empty((len(table), width), dtype=np.uint8)
    unpack_back(table, number, np.uint64(width), needed, mates)
    order = np.argsort(needed)
    needed = needed[order]
    groups = 1 + int((needed[1:] != needed[:-1]).sum())
    index = np.full((1 << (2 * groups).bit_length(), 3), EMPTY, dtype=np.uint64)
    build_index(needed, index)
    return Back(index, mates[order], table[order, 1:])


def join_sides(front: Sequence[Words], places: list[int], back: Back, pool: Executor, clock: Clock) -> int:
    """Return the number of cycles that states of the front and the back make together. `StoppedEarly` when the time is
    over."""
    width = np.uint64(len(places))
    digits = 2 * (front[0].shape[1] + back.counts.shape[1]) + 2

    given_up = Event()

    def cycles_with(table: Words) -> int:
        """Return how many cycles the states of a table make with those of the other side."""
        total = np.zeros(digits, dtype=np.uint64)
        for begin in range(0, len(table), JOINED_AT_ONCE):
            if given_up.is_set():
                break
            clock.check()
            join(table[begin : begin + JOINED_AT_ONCE], width, back, total)
        return int.from_bytes(total.astype("<u4").tobytes(), "little")

    try:
        return sum(pool.map(cycles_with, front))
    finally:
        given_up.set()


# --- the compiled half ---

LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


class Back(NamedTuple):
    """The states of the back, sorted by the degrees that they need from the front."""

    groups: Words
    """A hash table with linear probing of rows ``(degrees, first state, last state + 1)``; `EMPTY` degrees where there
    is none."""
    mates: NDArray[np.uint8]  # for each state the mates of its ends, in places of the front, ``(states, width)``
    counts: Words  # for each state the limbs of its count


@compiled
def unpack_back(table: Words, places: Words, width: np.uint64, needed: Words, mates: NDArray[np.uint8]) -> None:
    """Write for each state of the back the degrees that it needs from the front, and its mates in places of the front.

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
    """Fill the index of groups from the degrees needed, which are sorted."""
    begin = 0
    for row in range(1, len(needed) + 1):
        if row == len(needed) or needed[row] != needed[begin]:
            slot = _slot(index, needed[begin])
            index[slot, 0], index[slot, 1], index[slot, 2] = needed[begin], begin, row
            begin = row


@compiled
def _slot(index: Words, degrees: np.uint64) -> np.int64:
    """Return the number of the row of the index that has these degrees, or of the empty one where they belong; there
    are as many rows as a power of two."""
    slot = (degrees * np.uint64(0x9E3779B97F4A7C15)) >> HALF
    while True:
        slot &= np.uint64(len(index) - 1)
        if index[slot, 0] == degrees or index[slot, 0] == EMPTY:
            return np.int64(slot)
        slot += ONE


@compiled
def join(table: Words, width: np.uint64, back: Back, total: Words) -> None:
    """Add to ``total``, in 32-bit digits, the number of cycles through all vertices that these states of the front make
    with the back."""
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
            if _is_one_cycle(mate, back.mates, other, lowest_bit(ends), popcount(opens)):
                found = True
                add(matching, back.counts[other])
        if found:
            _add_product(total, table[row, 1:], matching)


@inlined
def _is_one_cycle(mate: Words, mates: NDArray[np.uint8], row: int, first: np.uint64, paths: np.uint64) -> bool:
    """Return True if going along paths of the front and of a state of the back in turn leads through all ``paths``
    before it is back at the first."""
    place = mate[first]
    seen = ONE
    while np.uint64(mates[row, place]) != first:
        place = mate[np.uint64(mates[row, place])]
        seen += ONE
    return bool(seen == paths)


@compiled
def _add_product(total: Words, factor: Words, multiplier: Words) -> None:
    """Add the product of two numbers in 64-bit limbs to ``total``, in 32-bit digits (Knuth 1969, algorithm 4.3.1M)."""
    for i in range(2 * len(factor)):
        digit = factor[i // 2] >> HALF if i % 2 else factor[i // 2] & LOW
        if not digit:
            continue
        carry = np.uint64(0)
        for j in range(2 * len(multiplier)):
            second = multiplier[j // 2] >> HALF if j % 2 else multiplier[j // 2] & LOW
            carry += digit * second + total[i + j]
            total[i + j] = carry & LOW
            carry >>= HALF
        place = i + 2 * len(multiplier)
        while carry:
            carry += total[place]
            total[place] = carry & LOW
            carry >>= HALF
            place += 1
