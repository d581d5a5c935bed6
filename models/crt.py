"""Chinese remainder encoding: the position modulo several coprime numbers, each counted by itself (Heule 2021).

    exactly one of r[v, 0], …, r[v, q - 1]                          for each vertex v and odd modulus q
    r[v, j mod q]                                                    for the root, j = 0, and each given number j
    arc[u, v] and r[u, i] => r[v, (i + 1) mod q]                     for v other than the root
    arc[u, root] => r[u, (n - 1) mod q]

Two and four are counted in binary (`adder`), which costs less; on a bipartite graph the factor two is the parity and
costs nothing. The counters agree after as many steps as the product of their moduli, the period of `eager`: small
counters make a long one. Of the sets from `PRIME_POWERS` whose product suffices, the one with the fewest clauses along
an arc is taken. Residues are one-hot: a clause says of which residue the next one follows.

Where numbers are given the product is at least the order, so that it tells all positions apart. A ``period`` of one's
own is the product instead; below n - 2 some shorter cycles remain, and cut sets rule them out.

*As printed* in Heule 2021, section 4 (``printed``): over the arcs of the frame alone, split at-most-ones, a period of
420 unless another is given, and binary states for each factor:

    2^k                  each bit flips if and only if all lower ones are set
    3 and 7              a shift register (`lfsr`) of 2 and 3 bits
    5, not 5, 6, 7       y0 = not x0 and not x2, y1 = x0 xor x1, y2 = x0 and x1

The paper does not forbid both ways along an edge, which the frame does: but for that, closed 20x20 has the paper's
7,888 variables and all but two of its 96,077 clauses.

Cost, for n vertices, m edges, d arcs into the root: for each odd modulus q, nq variables and n (1 + q(q-1)/2) clauses,
q for each of the 2m - d arcs that don't enter the root, 1 for each arc into it, 1 for the root; for 2 and 4 what
`adder` states with 1 and 2 bits, without bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import gcd, prod
from typing import ClassVar

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features
from cpsat_tour.models.adder import binary_digits, bits_for, state_binary_counter, state_even
from cpsat_tour.models.degree import exactly_one_split
from cpsat_tour.models.eager import EagerFormula, Printed
from cpsat_tour.models.lfsr import state_after, state_shift

PRIME_POWERS = ((2, 4), (3, 9), (5, 25), (7,), (11,), (13,), (17,), (19,))
"""The moduli: at most one of each row, so that they are coprime. They suffice for any order. Larger powers of two would
cost less a bit than all but 3, and lead back to `adder`."""


PRINTED_PERIOD, MAX_POWER = 420, 20
"""The period of the paper's best runs, and the greatest exponent of a prime in a period."""


@dataclass(frozen=True)
class Crt(Printed):
    """The position of each vertex modulo small coprime numbers, whose product, the ``period``, rules out other cycles;
    by default the product is just large enough. ``printed`` as by Heule."""

    period: int = 0

    takes: ClassVar[Features] = Printed.with_givens

    printed_rule = staticmethod(exactly_one_split)

    def moduli(self, cycle: CycleProblem, *, parity_known: bool = False) -> tuple[int, ...]:
        """Return the coprime moduli by which positions are counted, the power of two first if there is one; `BadInput`
        for a period that has none."""
        if not (self.printed or self.period):
            return cheapest_moduli(cycle.order if cycle.positions else cycle.order - 2, parity_known)
        left, found = self.period or PRINTED_PERIOD, list[int]()
        for prime in (2, 3, 5, 7) if self.printed else (2, 3, 5, 7, 11, 13, 17, 19):
            power = gcd(left, prime ** (MAX_POWER if prime == 2 or not self.printed else 1))
            found, left = [*found, power], left // power
        if left != 1:
            raise BadInput(
                f"the period can't be {self.period}: give a product of powers of 2 and of 3, 5 and 7, as 420"
            )
        if cycle.positions and prod(found) < cycle.order:
            raise BadInput(f"a period of {prod(found)} does not tell {cycle.order} positions apart: give a longer one")
        return tuple(power for power in found if power > 1)

    def state(self, formula: EagerFormula) -> None:
        """State one counter for each modulus."""
        arcs = formula.arcs
        moduli = self.moduli(arcs.cycle, parity_known=arcs.parity is not None)
        formula.relaxed = prod(moduli) < arcs.order - 2
        for q in moduli:
            if self.printed:
                state_printed_remainder(formula, q)
            elif q % 2 == 0:
                state_binary_counter(formula, q.bit_length() - 1)
            else:
                state_remainder(formula, q)


def state_printed_remainder(formula: EagerFormula, q: int) -> None:
    """State a counter modulo q for each vertex, in binary, as Heule prints it for 5, 3, 7 and powers of two."""
    arcs, bits = formula.arcs, bits_for(q)
    p = formula.new(f"p{q}", formula.vertices, np.arange(bits))
    arc, u, v = formula.arc[arcs.inner], arcs.tails[arcs.inner], arcs.heads[arcs.inner]
    x, y, given = p[u], p[v], [-arc]
    states = list(range(q))
    if q == 5:
        formula.add(-p[:, 2], -p[:, 0])  # not 5, 7
        formula.add(-p[:, 2], -p[:, 1])  # not 6, 7
        state_and(formula, y[:, 0], -x[:, 0], -x[:, 2], given)
        state_even(formula, y[:, 1], x[:, 0], x[:, 1], given=given)
        state_and(formula, y[:, 2], x[:, 0], x[:, 1], given)
    elif q % 2:
        formula.add(*p.T)  # not zero
        state_shift(formula, x, y, given)
        states = [1]
        while len(states) < q:
            states.append(state_after(states[-1], bits))
    else:
        for bit in range(bits):
            lower = x[:, :bit].T
            state_even(formula, y[:, bit], -x[:, bit], given=[*given, *-lower])
            for other in lower:
                state_even(formula, y[:, bit], x[:, bit], given=[*given, other])
    for vertex, position in arcs.positions:
        formula.fix(p[vertex], binary_digits(states[position % q], bits))
    formula.fix_before_the_root(p, binary_digits(states[(arcs.order - 1) % q], bits))


def state_and(formula: EagerFormula, result: Ints, a: Ints, b: Ints, given: Sequence[Ints]) -> None:
    """State that the result is a and b, or else one of the literals ``given`` is true."""
    formula.add(*given, -result, a)
    formula.add(*given, -result, b)
    formula.add(*given, result, -a, -b)


def state_remainder(formula: EagerFormula, q: int) -> None:
    """State a counter modulo q for each vertex: exactly one of its q variables is true, and along an arc the next one
    is."""
    arcs = formula.arcs
    r = formula.new(f"r{q}", formula.vertices, np.arange(q))
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
