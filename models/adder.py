"""Binary adder counter: the position of each vertex as a number of k bits, one more along each arc (Zhou 2020; his
distance encoding of 2024).

    p[v] = j                         for the root, j = 0, and each given number j
    arc[u, v] => p[v] = p[u] + 1     for v other than the root
    arc[u, root] => p[u] = n - 1
    low[v] <= p[v] <= high[v]        by the distances from the root and to it, by parities and given numbers

The sum s[u] = p[u] + 1 is computed once for each vertex and not for each arc, by a chain of half adders with carries c:

    s[u, 0] = not p[u, 0], c[u, 0] = p[u, 0]
    s[u, i] = p[u, i] xor c[u, i - 1], c[u, i] = p[u, i] and c[u, i - 1]
    arc[u, v] => p[v, i] = s[u, i]

With 2^k >= n the positions 0 to n - 1 all have a number; that sums wrap round costs nothing, for the period of `eager`
is long enough. On a bipartite graph the lowest bit is the parity: it is fixed and needs no clauses along the arcs.

*As printed* in Zhou 2020, sections 4 and 5 (``printed``): over the arcs of the frame alone, positions from 1 to n,
at-most-ones by products, and an incrementor for each arc without carries:

    p[v, 0] = not p[u, 0], p[v, 1] = p[u, 1] xor p[u, 0]
    p[v, i] = p[u, i] xor (p[u, i - 1] and not p[v, i - 1])     for i > 1
    arc[root, v] => p[v] = 2

The paper has two bits, and the top four, minimised together: 11 clauses for 12, and 21 for 24. Its preprocessing makes
a formula smaller, ours states bounds and the known lowest bit; ``bounds=false`` leaves that out, without which the
paper's program fails from 12x12 on. Tests hold the sizes that it prints: from 12x12 on clauses differ by at most 8 per
cent, and variables by up to 31, since its at-most-ones take fewer.

Cost, for n vertices, m edges, d arcs into the root, k = ceil(log2 n) bits: n (3k - 3) variables (n for k = 1); the
clauses are 7n (k - 2) + 4n for the sums (k >= 2), 2 for each of k bits (k - 1 where the parity is known) and each of
the 2m - d other arcs, k for each arc into the root, k for the root, n for known parities, and for the bounds of a
vertex one for each 1 in its low and each 0 in its high.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np

from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features
from cpsat_tour.models.eager import EagerFormula, Printed


@dataclass(frozen=True)
class Adder(Printed):
    """The position of each vertex as a binary number, within ``bounds`` by its distances; ``printed`` as by Zhou."""

    bounds: bool = True

    takes: ClassVar[Features] = Printed.with_givens

    def state(self, formula: EagerFormula) -> None:
        """State that positions count from 0 at the root to n - 1 along the cycle."""
        bits = bits_for(formula.arcs.order + self.printed)
        p = state_printed_adder(formula, bits, self.bounds) if self.printed else state_binary_counter(formula, bits)
        if self.bounds:
            state_bounds(formula, p, *(bound + self.printed for bound in formula.arcs.bounds))


def bits_for(values: int) -> int:
    """Return the number of bits that are needed for this many values, at least 1."""
    return max(1, (values - 1).bit_length())


def binary_digits(number: int, bits: int) -> list[int]:
    """Return the bits of a number, the lowest first."""
    return [number >> bit & 1 for bit in range(bits)]


def state_binary_counter(formula: EagerFormula, bits: int) -> Ints:
    """State a counter modulo 2^bits for each vertex: 0 at the root, one more along each arc, n - 1 before the root.
    Return its variables, a row for each vertex."""
    arcs = formula.arcs
    p = formula.new("p", formula.vertices, np.arange(bits))
    for vertex, position in arcs.positions:
        formula.fix(p[vertex], binary_digits(position % 2**bits, bits))
    for bit, following in enumerate(successors(formula, p)):
        if bit == 0 and arcs.parity is not None:
            formula.fix(p[:, 0], arcs.parity)
        else:
            formula.equate_along_arcs(following, p[:, bit])
    formula.fix_before_the_root(p, binary_digits((arcs.order - 1) % 2**bits, bits))
    return p


def successors(formula: EagerFormula, p: Ints) -> Iterator[Ints]:
    """State s = p + 1 for the number in each row of p, and yield the bits of s, the lowest first, a column each."""
    carry, vertices = p[:, 0], formula.vertices[: len(p), 0]
    yield -carry
    bits = p.shape[1]
    for bit in range(1, bits):
        total = formula.new(f"s{bit}", vertices)
        state_even(formula, total, p[:, bit], carry)
        yield total
        if bit < bits - 1:
            following = formula.new(f"c{bit}", vertices)
            formula.add(-following, p[:, bit])
            formula.add(-following, carry)
            formula.add(following, -p[:, bit], -carry)
            carry = following


def state_even(formula: EagerFormula, *literals: Ints, given: Sequence[Ints] = ()) -> None:
    """State that an even number of k literals is true, in 2^(k-1) clauses; or else one of those ``given`` is true."""
    for signs in product((1, -1), repeat=len(literals)):
        if prod(signs) < 0:
            formula.add(*given, *(sign * literal for sign, literal in zip(signs, literals, strict=True)))


def state_printed_adder(formula: EagerFormula, bits: int, parity_known: bool) -> Ints:
    """State the positions from 1 at the root to n along the cycle as Zhou prints them; return their variables."""
    arcs = formula.arcs
    parity = arcs.parity if parity_known else None
    p = formula.new("p", formula.vertices, np.arange(bits))
    if parity is not None:
        formula.fix(p[:, 0], 1 - parity)
    for vertex, position in arcs.positions:
        formula.fix(p[vertex], binary_digits(position + 1, bits))
    arc, u, v = formula.arc[arcs.away], arcs.tails[arcs.away], arcs.heads[arcs.away]
    state_next(formula, p[u], p[v], [-arc], begin=parity is not None)
    formula.fix_before_the_root(p, binary_digits(arcs.order, bits))
    formula.fix_after_the_root(p, binary_digits(2, bits))
    return p


def state_next(formula: EagerFormula, p: Ints, q: Ints, given: Sequence[Ints], begin: int = 0) -> None:
    """State q = p + 1 for the numbers in the rows of p and q, from this bit on, or else one of the literals ``given``
    is true; no carries are needed."""
    for bit in range(begin, p.shape[1]):
        if bit == 0:
            state_even(formula, q[:, 0], -p[:, 0], given=given)
        elif bit == 1:
            state_even(formula, q[:, 1], p[:, 1], p[:, 0], given=given)
        else:
            carry = (-p[:, bit - 1], q[:, bit - 1])
            state_even(formula, q[:, bit], -p[:, bit], given=[*given, *carry])
            for no_carry in carry:
                state_even(formula, q[:, bit], p[:, bit], given=[*given, -no_carry])


def state_bounds(formula: EagerFormula, p: Ints, low: Ints, high: Ints) -> None:
    """State that the numbers in the rows of p lie between these bounds: where a bit of ``low`` is 1, that of p is, or
    a higher one that is 0 in ``low``; and so for ``high`` with 0 and 1 exchanged."""
    for bound, kind in ((low, 1), (high, 0)):
        for value in np.unique(bound).tolist():
            digits, rows = binary_digits(value, p.shape[1]), p[bound == value]
            for bit in np.flatnonzero(np.array(digits) == kind).tolist():
                deciding = [bit, *(above for above in range(bit + 1, len(digits)) if digits[above] != kind)]
                formula.add(*(rows if kind else -rows)[:, deciding].T)
