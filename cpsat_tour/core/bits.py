"""Bits of words of 64, in compiled functions: how many are set, and which is the lowest (Warren 2012)."""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.compiled import inlined

ONE, TWO, FOUR, TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)

SECONDS, PAIRS, NIBBLES, BYTES = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)


@inlined
def popcount(word: np.uint64) -> np.uint64:
    """Return the number of bits set; the compiler makes one machine instruction of it."""
    word = word - ((word >> ONE) & SECONDS)
    word = (word & PAIRS) + ((word >> TWO) & PAIRS)
    return (((word + (word >> FOUR)) & NIBBLES) * BYTES) >> TOP


@inlined
def lowest_bit(word: np.uint64) -> np.uint64:
    """Return the number of the lowest bit set, 64 if there is none."""
    return popcount(~word & (word - ONE))
