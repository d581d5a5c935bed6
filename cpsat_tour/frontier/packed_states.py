"""States of the frontier method as numbers: which places of the frontier have their edges, and how paths join them.

A state says of each vertex of the frontier how many of its edges are chosen and, where that is one, which vertex of the
frontier is the other end of its path, its *mate*. A place in the frontier is a bit, and a state is three sets of bits
and the array of mates: ``done`` (both edges chosen), ``opens`` and ``closes`` (the lesser and the greater end of a
path); what is in none of them is untouched. `pack` makes one uint64 of it: the planes ``done | closes`` and ``opens |
closes``, a bit for each place, and above them, in mixed radix, which of the paths then open each closing end closes.
For 21 places that is 42 bits and a number below 10!, 64 bits at most. Of 22 to 24 places those with at most
`MOST_PATHS` paths fit, and a search loses the others. All places closing is no state: `EMPTY` marks an empty row of a
table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.bits import ONE, TWO, lowest_bit, popcount
from cpsat_tour.core.compiled import allocation_free, inlined

Words = NDArray[np.uint64]

MOST_PLACES, MOST_IN_SEARCH, MOST_PATHS = 21, 24, 8
EMPTY = np.uint64(2**64 - 1)
LOST = np.uint64(2**64 - 64)
"""In place of a state that doesn't fit. No state is as large: of its places all but six would be closing."""

ZERO = np.uint64(0)


@inlined
def fits(opens: np.uint64, width: np.uint64) -> bool:
    """Return True if a state over ``width`` places, at most `MOST_IN_SEARCH`, with the paths that open at ``opens`` is
    a number of 64 bits."""
    return bool(width <= MOST_PLACES or popcount(opens) <= MOST_PATHS)


@allocation_free
def pack(done: np.uint64, opens: np.uint64, closes: np.uint64, mate: Words, width: np.uint64) -> np.uint64:
    """Return a state over ``width`` places as one number."""
    return done | closes | (opens | closes) << width | _rank(opens, closes, mate) << TWO * width


@inlined
def pack_without(
    done: np.uint64, opens: np.uint64, closes: np.uint64, mate: Words, width: np.uint64, gone: np.uint64
) -> np.uint64:
    """Return a state as one number after the place ``gone``, whose two edges are chosen, is removed."""
    planes = _without(done | closes, gone) | _without(opens | closes, gone) << (width - ONE)
    return planes | _rank(opens, closes, mate) << TWO * (width - ONE)


@allocation_free
def _rank(opens: np.uint64, closes: np.uint64, mate: Words) -> np.uint64:
    """Return in mixed radix which of the paths then open each closing end closes; only the mates of closing ends are
    read."""
    rank, radix, unclosed, rest = ZERO, ONE, opens, closes
    while rest:
        place = lowest_bit(rest)
        rest &= rest - ONE
        still = unclosed & ((ONE << place) - ONE)
        other = ONE << mate[place]
        rank += radix * popcount(still & (other - ONE))
        radix *= popcount(still)
        unclosed ^= other
    return rank


@allocation_free
def _without(places: np.uint64, vertex: np.uint64) -> np.uint64:
    """Return the set of places after one is removed and those above it move down."""
    below = (ONE << vertex) - ONE
    return (places & below) | ((places >> ONE) & ~below)


@allocation_free
def unpack(state: np.uint64, width: np.uint64, mate: Words) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the sets ``done``, ``opens`` and ``closes`` of a packed state over ``width`` places, and write the mates
    of the ends."""
    every = (ONE << width) - ONE
    low, high, rank = state & every, (state >> width) & every, state >> TWO * width
    closes = low & high
    opens = high ^ closes
    unclosed, rest = opens, closes
    while rest:
        place = lowest_bit(rest)
        rest &= rest - ONE
        still = unclosed & ((ONE << place) - ONE)
        choices = popcount(still)
        which = rank % choices
        rank //= choices
        while which:
            still &= still - ONE
            which -= ONE
        mate[place] = lowest_bit(still)
        mate[lowest_bit(still)] = place
        unclosed ^= ONE << lowest_bit(still)
    return low ^ closes, opens, closes


@allocation_free
def join_ends(
    done: np.uint64, opens: np.uint64, closes: np.uint64, mate: Words, tail: np.uint64, head: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, bool]:
    """Choose the edge between two places with room for it; return the new ``done``, ``opens`` and ``closes``, and True
    if it closes a cycle. The mates are updated."""
    tail_end, head_end = tail, head
    if (opens | closes) >> tail & ONE:
        tail_end = mate[tail]
        done |= ONE << tail
    if (opens | closes) >> head & ONE:
        head_end = mate[head]
        done |= ONE << head
    closed = tail_end == head
    opens &= ~(ONE << tail | ONE << head | ONE << tail_end | ONE << head_end)
    closes &= ~(ONE << tail | ONE << head | ONE << tail_end | ONE << head_end)
    if not closed:
        opens |= ONE << min(tail_end, head_end)
        closes |= ONE << max(tail_end, head_end)
        mate[tail_end] = head_end
        mate[head_end] = tail_end
    return done, opens, closes, closed
