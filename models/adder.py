"""Binary adder counter: the position of each vertex as a number of k bits, one more along each arc (Zhou 2020; his
distance encoding of 2024).

    p[root] = 0
    arc[u, v] => p[v] = p[u] + 1     for v other than the root
    arc[u, root] => p[u] = n - 1

The sum s[u] = p[u] + 1 is computed once for each vertex and not for each arc, by a chain of half adders with carries c:

    s[u, 0] = not p[u, 0], c[u, 0] = p[u, 0]
    s[u, i] = p[u, i] xor c[u, i - 1], c[u, i] = p[u, i] and c[u, i - 1]
    arc[u, v] => p[v, i] = s[u, i]

With 2^k >= n the positions 0 to n - 1 all have a number; that sums wrap round costs nothing, for the period of `eager`
is long enough. On a bipartite graph the lowest bit is the parity: it is fixed and needs no clauses along the arcs.

Cost, for n vertices, m edges, d arcs into the root, k = ceil(log2 n) bits: n (3k - 3) variables (n for k = 1); the
clauses are 7n (k - 2) + 4n for the sums (k >= 2), 2 for each of k bits (k - 1 where the parity is known) and each of
the 2m - d other arcs, k for each arc into the root, k for the root, and n for known parities.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features
from cpsat_tour.models.eager import Eager, EagerFormula


@dataclass(frozen=True)
class Adder(Eager):
    """The position of each vertex as a binary number."""

    name: ClassVar[str] = "sat:adder"
    takes: ClassVar[Features] = Eager.with_givens

    def state(self, formula: EagerFormula) -> None:
        """State that positions count from 0 at the root to n - 1 along the cycle."""
        state_binary_counter(formula, bits_for(formula.arcs.order))


def bits_for(values: int) -> int:
    """Return the number of bits that are needed for this many values, at least 1."""
    return max(1, (values - 1).bit_length())


def binary_digits(number: int, bits: int) -> list[int]:
    """Return the bits of a number, the lowest first."""
    return [number >> bit & 1 for bit in range(bits)]


def state_binary_counter(formula: EagerFormula, bits: int) -> None:
    """State a counter modulo 2^bits for each vertex: 0 at the root, one more along each arc, n - 1 before the root."""
    arcs = formula.arcs
    p = formula.new(arcs.order, bits)
    for vertex, position in arcs.positions:
        formula.fix(p[vertex], binary_digits(position % 2**bits, bits))
    for bit, following in enumerate(successors(formula, p)):
        if bit == 0 and arcs.parity is not None:
            formula.fix(p[:, 0], arcs.parity)
        else:
            formula.equate_along_arcs(following, p[:, bit])
    formula.fix_before_the_root(p, binary_digits((arcs.order - 1) % 2**bits, bits))


def successors(formula: EagerFormula, p: Ints) -> Iterator[Ints]:
    """State s = p + 1 for the number in each row of p, and yield the bits of s, the lowest first, a column each."""
    carry = p[:, 0]
    yield -carry
    bits = p.shape[1]
    for bit in range(1, bits):
        total = formula.new(len(p))
        state_exclusive_or(formula, total, p[:, bit], carry)
        yield total
        if bit < bits - 1:
            following = formula.new(len(p))
            formula.add(-following, p[:, bit])
            formula.add(-following, carry)
            formula.add(following, -p[:, bit], -carry)
            carry = following


def state_exclusive_or(formula: EagerFormula, result: Ints, a: Ints, b: Ints) -> None:
    """State result = a xor b, in four clauses."""
    formula.add(-result, a, b)
    formula.add(-result, -a, -b)
    formula.add(result, -a, b)
    formula.add(result, a, -b)
