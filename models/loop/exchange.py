"""Joins the cycles of several disjoint 2-factors into one cycle each, by exchanging edges between two of them.

A factor is a permutation, the vertex that follows each vertex; those of an undirected graph are walked either way.
Between the places that are left and those that are entered a factor is a perfect matching, and two of them are disjoint
cycles that alternate between the two: *chains*. To exchange the edges of one chain gives two factors again (Kempe 1879,
for colours). Random chains of a factor with several cycles are exchanged where that leaves no more cycles than before,
and now and then where it leaves some (Metropolis et al. 1953); an undirected factor is also turned round now and then,
which makes other chains.

An exchange multiplies both permutations by a cycle of the same length, so the parity of the number of all cycles never
changes, and factors of the wrong parity are left alone. Limits: a local search, which may get stuck.
"""

from __future__ import annotations

from random import Random

import numpy as np

from cpsat_tour.core.orbits import orbit_numbers
from cpsat_tour.core.run import Heartbeat
from cpsat_tour.core.space import Ints

MAX_IDLE, IDLE = 4000, 16
"""Exchanges without a new least number of cycles before the search gives up, and as many for each vertex of a small
graph."""

UPHILL = 0.01
"""The probability that an exchange is kept that leaves two more cycles; for four more its square, and so on."""


def joined(factors: list[Ints], rng: Random, heartbeat: Heartbeat, *, directed: bool) -> list[Ints] | None:
    """Return factors with the same edges that are one cycle each; None if the search finds none."""
    number, order, factors = len(factors), len(factors[0]), [*factors]
    cycles = [*map(_number_of_cycles, factors)]
    idle, least = 0, sum(cycles)
    if number == 1 or (least - number) % 2:
        return factors if least == number else None
    while least > number and idle < min(MAX_IDLE, IDLE * order):
        heartbeat()
        one = rng.choice([factor for factor in range(number) if cycles[factor] > 1])
        other = (one + rng.randrange(1, number)) % number
        if not directed and rng.random() < 0.5:
            factors[one] = np.argsort(factors[one]).astype(np.int32)  # the inverse
        chains = orbit_numbers(np.argsort(factors[other])[factors[one]])
        chain = chains == chains[rng.randrange(order)]
        pair = [np.where(chain, factors[there], factors[here]) for here, there in ((one, other), (other, one))]
        counts = [*map(_number_of_cycles, pair)]
        if (more := sum(counts) - cycles[one] - cycles[other]) <= 0 or rng.random() < UPHILL ** (more / 2):
            (factors[one], factors[other]), (cycles[one], cycles[other]) = pair, counts
        idle, least = (idle + 1, least) if sum(cycles) >= least else (0, sum(cycles))
    return factors if least == number else None


def _number_of_cycles(factor: Ints) -> int:
    """Return the number of cycles of a permutation."""
    return int((orbit_numbers(factor) == np.arange(len(factor))).sum())
