"""Bits of words of 64, against the integers of Python."""

from __future__ import annotations

import random

import numpy as np

from cpsat_tour.core.bits import lowest_bit, popcount


def test_bits_are_those_of_an_integer() -> None:
    """No bit, each bit alone, all bits from one on and up to one, and words at random."""
    chance, every = random.Random(0), 2**64 - 1
    words = [0, *(1 << bit for bit in range(64)), *(every << bit & every for bit in range(64)), every >> 1]
    for word in (*words, *(chance.getrandbits(64) & chance.getrandbits(64) for _ in range(100))):
        assert int(popcount(np.uint64(word))) == word.bit_count()
        assert int(lowest_bit(np.uint64(word))) == ((word & -word).bit_length() - 1 if word else 64)
