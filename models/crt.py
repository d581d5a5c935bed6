"""Chinese remainder encoding: the position modulo several coprime numbers, each counted by itself (Heule 2021).

The counters agree after as many steps as the product of their moduli, the period of `eager`: small counters make a long
one. Two and four are counted in binary (`adder`), another prime power q by q variables of which one is true. Of all
sets of coprime prime powers whose product suffices the one with the fewest clauses along the arcs is taken; on a
bipartite graph the factor two is the parity and costs none.

``period`` asks for another product, at least this. Below n - 2 the formula is a relaxation: it lets through cycles
whose lengths the product divides, and they are cut off as they are met. Where numbers are given the product is at least
the order, so that it tells all positions apart.

Cost, for n vertices, m edges, d arcs into the root: for each odd modulus q, nq variables and n (1 + q(q-1)/2) clauses,
q for each of the 2m - d arcs that don't enter the root, 1 for each arc into it, 1 for the root; for 2 and 4 what
`adder` states with 1 and 2 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.errors import BadInput
from cpsat_tour.models.adder import state_binary_counter
from cpsat_tour.models.arcs import ArcFormula, Arcs
from cpsat_tour.models.eager import Eager

PRIMES = (3, 5, 7, 11, 13, 17, 19)
"""The odd primes that serve as moduli; together with their squares and a power of two they make up for any order."""

MAX_BINARY = 4
"""The largest power of two: with larger ones the encoding would be `adder`."""


@dataclass(frozen=True)
class Crt(Eager):
    """The position modulo small coprime numbers; their product is at least ``period``, 0 standing for as much as rules
    out all other cycles."""

    period: int = 0

    name: ClassVar[str] = "sat:crt"
    takes: ClassVar[Features] = Eager.with_givens

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period < 0:
            raise BadInput(
                f"option period of backend sat:crt can't be {self.period}: it is a length of cycles, or 0 for "
                "longer than any tour"
            )

    def moduli(self, arcs: Arcs) -> tuple[int, ...]:
        """The moduli, a power of two first if there is one."""
        least = arcs.order if arcs.cycle.positions else self.period or arcs.order - 2
        return cheapest_moduli(least, arcs.parity is not None)

    def relaxed(self, arcs: Arcs) -> bool:
        """Whether the product is too small."""
        return prod(self.moduli(arcs)) < arcs.order - 2

    def state(self, formula: ArcFormula) -> None:
        """One counter for each modulus."""
        for modulus in self.moduli(formula.arcs):
            if modulus % 2 == 0:
                state_binary_counter(formula, modulus.bit_length() - 1)
            else:
                state_remainder(formula, modulus)


def state_remainder(formula: ArcFormula, modulus: int) -> None:
    """A counter modulo any number for each vertex: exactly one of its variables is true, the next one along an arc."""
    arcs = formula.arcs
    remainder = formula.new(arcs.order, modulus)
    formula.add(*remainder.T)
    one, other = np.triu_indices(modulus, 1)
    formula.add(-remainder[:, one], -remainder[:, other])
    for vertex, position in arcs.positions:
        formula.add(remainder[vertex, position % modulus : position % modulus + 1])
    arc, u, v = formula.arc[arcs.inner, None], arcs.tails[arcs.inner], arcs.heads[arcs.inner]
    formula.add(-arc, -remainder[u], np.roll(remainder, -1, axis=1)[v])
    formula.add(-formula.arc[arcs.into_root], remainder[arcs.tails[arcs.into_root], (arcs.order - 1) % modulus])


@cache
def cheapest_moduli(period: int, parity_known: bool) -> tuple[int, ...]:
    """Return coprime prime powers whose product is at least the period, with the fewest clauses along an arc; a power
    of two first."""

    def clauses(moduli: tuple[int, ...]) -> tuple[int, int]:
        binary = sum(2 * (q.bit_length() - 1 - parity_known) for q in moduli if q % 2 == 0)
        return binary + sum(q for q in moduli if q % 2), prod(moduli)

    powers = [(1, prime, prime**2) if prime <= 5 else (1, prime) for prime in PRIMES]
    candidates = [tuple(q for q in moduli if q > 1) for moduli in product((1, 2, MAX_BINARY), *powers)]
    return min((moduli for moduli in candidates if moduli and prod(moduli) >= period), key=clauses)
