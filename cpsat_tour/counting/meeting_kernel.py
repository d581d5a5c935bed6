"""The compiled half of meeting in the middle: states of the two halves, joined at the frontier between them.

A state from the front and one from the back make cycles if the degrees of each place add up to two; their paths then
have the same ends, and make *one* cycle if going along the paths of either in turn leads round all ends. The states
from the back are laid out by the degrees that they need from the front, so that those that fit a state stand together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import compiled, inlined
from cpsat_tour.counting.frontier_kernel import add
from cpsat_tour.counting.packed_states import EMPTY, ONE, Words, least, size, unpack

LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


class Back(NamedTuple):
    """The states from the back, those that need the same degrees together."""

    groups: Words
    """A hash table with linear probing of rows ``(degrees, first state, last state + 1)``; `EMPTY` degrees where there
    is none."""
    mates: NDArray[np.uint8]
    """For each state the mates of its ends, in places of the front, ``(states, width)``."""
    counts: Words
    """For each state the limbs of its count."""


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
