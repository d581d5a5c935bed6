"""States of the frontier method as numbers: which places of the frontier have their edges, and how paths join them.

A state says of each vertex of the frontier how many of its edges are chosen and, where that is one, which vertex of the
frontier is the other end of its path, its *mate*. A place in the frontier is a bit, and a state is three sets of bits
and the array of mates: ``done`` (both edges chosen), ``opens`` and ``closes`` (the lesser and the greater end of a
path); what is in none of them is untouched. `pack` makes one uint64 of it: the planes ``done | closes`` and ``opens |
closes``, a bit for each place, and above them, in mixed radix, which of the paths then open each closing end closes.
For 21 places that is 42 bits and a number below 10!, 64 bits at most. All places closing is no state: `EMPTY` marks an
empty row of a table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free, inlined

Words = NDArray[np.uint64]

MOST_PLACES = 21
EMPTY = np.uint64(2**64 - 1)

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


SECONDS, PAIRS, NIBBLES, BYTES = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)
FOUR, TOP = np.uint64(4), np.uint64(56)


@inlined
def size(places: np.uint64) -> np.uint64:
    """The number of bits set, counted in parallel; the compiler makes one machine instruction of it."""
    places = places - ((places >> ONE) & SECONDS)
    places = (places & PAIRS) + ((places >> TWO) & PAIRS)
    return (((places + (places >> FOUR)) & NIBBLES) * BYTES) >> TOP


@inlined
def least(places: np.uint64) -> np.uint64:
    """The lowest bit set; 64 if there is none."""
    return size(~places & (places - ONE))


@allocation_free
def pack(done: np.uint64, opens: np.uint64, closes: np.uint64, mate: Words, width: np.uint64) -> np.uint64:
    """The state over that many places as one number."""
    return done | closes | (opens | closes) << width | _rank(opens, closes, mate) << TWO * width


@inlined
def pack_without(
    done: np.uint64, opens: np.uint64, closes: np.uint64, mate: Words, width: np.uint64, gone: np.uint64
) -> np.uint64:
    """The same without one of the places, both of whose edges are chosen."""
    planes = _without(done | closes, gone) | _without(opens | closes, gone) << (width - ONE)
    return planes | _rank(opens, closes, mate) << TWO * (width - ONE)


@allocation_free
def _rank(opens: np.uint64, closes: np.uint64, mate: Words) -> np.uint64:
    """Which of the paths then open each closing end closes, in mixed radix; the mates of closing ends are read."""
    rank, radix, unclosed, rest = ZERO, ONE, opens, closes
    while rest:
        place = least(rest)
        rest &= rest - ONE
        still = unclosed & ((ONE << place) - ONE)
        other = ONE << mate[place]
        rank += radix * size(still & (other - ONE))
        radix *= size(still)
        unclosed ^= other
    return rank


@allocation_free
def _without(places: np.uint64, vertex: np.uint64) -> np.uint64:
    """The set of places once a place is taken away and those above it move down."""
    below = (ONE << vertex) - ONE
    return (places & below) | ((places >> ONE) & ~below)


@allocation_free
def unpack(state: np.uint64, width: np.uint64, mate: Words) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The sets ``done``, ``opens`` and ``closes`` of a packed state over that many places; the mates of the ends are
    written."""
    every = (ONE << width) - ONE
    low, high, rank = state & every, (state >> width) & every, state >> TWO * width
    closes = low & high
    opens = high ^ closes
    unclosed, rest = opens, closes
    while rest:
        place = least(rest)
        rest &= rest - ONE
        still = unclosed & ((ONE << place) - ONE)
        choices = size(still)
        which = rank % choices
        rank //= choices
        while which:
            still &= still - ONE
            which -= ONE
        mate[place] = least(still)
        mate[least(still)] = place
        unclosed ^= ONE << least(still)
    return low ^ closes, opens, closes


@allocation_free
def join_ends(
    done: np.uint64, opens: np.uint64, closes: np.uint64, mate: Words, tail: np.uint64, head: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, bool]:
    """Choose the edge between two places with room for it: the new sets, and whether it closes a cycle; the mates are
    updated."""
    one, other = tail, head
    if (opens | closes) >> tail & ONE:
        one = mate[tail]
        done |= ONE << tail
    if (opens | closes) >> head & ONE:
        other = mate[head]
        done |= ONE << head
    closed = one == head
    opens &= ~(ONE << tail | ONE << head | ONE << one | ONE << other)
    closes &= ~(ONE << tail | ONE << head | ONE << one | ONE << other)
    if not closed:
        opens |= ONE << min(one, other)
        closes |= ONE << max(one, other)
        mate[one] = other
        mate[other] = one
    return done, opens, closes, closed
