"""Chinese remainder encoding: the position modulo several coprime numbers, each counted by itself (Heule 2021).

    exactly one of r[v, 0], …, r[v, q - 1]                          for each vertex v and odd modulus q
    r[root, 0]
    arc[u, v] and r[u, i] => r[v, (i + 1) mod q]                     for v other than the root
    arc[u, root] => r[u, (n - 1) mod q]

Two and four are counted in binary (`adder`), which costs less; on a bipartite graph the factor two is the parity and
costs nothing. The counters agree after as many steps as the product of their moduli, the period of `eager`: small
counters make a long one. Of all sets of coprime prime powers whose product suffices, the one with the fewest clauses
along an arc is taken.

Where numbers are given the product is at least the order, so that it tells all positions apart.

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

from cpsat_tour.engines.registry import Features
from cpsat_tour.models.adder import state_binary_counter
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.eager import Eager, EagerFormula

PRIME_POWERS = ((2, 4), (3, 9), (5, 25), (7,), (11,), (13,), (17,), (19,))
"""The moduli: at most one of each row, so that they are coprime. They suffice for any order. Larger powers of two would
cost less a bit than all but 3, and lead back to `adder`."""


@dataclass(frozen=True)
class Crt(Eager):
    """The position of each vertex modulo small coprime numbers, whose product rules out all shorter cycles."""

    name: ClassVar[str] = "sat:crt"
    takes: ClassVar[Features] = Eager.with_givens

    def moduli(self, arcs: Arcs) -> tuple[int, ...]:
        """Return the coprime moduli by which positions are counted, the power of two first if there is one."""
        return cheapest_moduli(arcs.order if arcs.cycle.positions else arcs.order - 2, arcs.parity is not None)

    def state(self, formula: EagerFormula) -> None:
        """State one counter for each modulus."""
        for modulus in self.moduli(formula.arcs):
            if modulus % 2 == 0:
                state_binary_counter(formula, modulus.bit_length() - 1)
            else:
                state_remainder(formula, modulus)


def state_remainder(formula: EagerFormula, q: int) -> None:
    """State a counter modulo q for each vertex: exactly one of its q variables is true, and along an arc the next one
    is."""
    arcs = formula.arcs
    r = formula.new(arcs.order, q)
    formula.add(*r.T)
    i, j = np.triu_indices(q, 1)
    formula.add(-r[:, i], -r[:, j])
    for vertex, position in arcs.positions:
        formula.add(r[vertex, [position % q]])
    arc, u, v = formula.arc[arcs.inner, None], arcs.tails[arcs.inner], arcs.heads[arcs.inner]
    formula.add(-arc, -r[u], np.roll(r, -1, axis=1)[v])  # arc[u, v] and r[u, i] => r[v, i + 1]
    formula.add(-formula.arc[arcs.into_root], r[arcs.tails[arcs.into_root], (arcs.order - 1) % q])


@cache
def cheapest_moduli(period: int, parity_known: bool) -> tuple[int, ...]:
    """Return coprime prime powers whose product is at least the period, with the fewest clauses along an arc.

    Of equal ones it returns those with the least product. A power of two comes first.
    """

    def cost(moduli: tuple[int, ...]) -> tuple[int, int]:
        clauses = [q if q % 2 else 2 * (q.bit_length() - 1 - parity_known) for q in moduli]
        return sum(clauses), prod(moduli)

    choices = product(*((1, *powers) for powers in PRIME_POWERS))
    candidates = (tuple(q for q in choice if q > 1) for choice in choices if prod(choice) >= max(period, 2))
    return min(candidates, key=cost)
