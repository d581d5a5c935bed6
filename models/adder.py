"""Binary adder counter: the position from the root as a number of k bits, one more along each arc (Zhou 2020).

The number after a vertex's own is computed once for the vertex, by a chain of half adders, and not for each arc. With
2^k >= n the positions 0 to n - 1 all have a number; that sums wrap round costs nothing, for the period of `eager` is
long enough. On a bipartite graph the lowest bit is the parity: it is fixed and needs no clauses along the arcs.

Cost, for n vertices, m edges, d arcs into the root, k = ceil(log2 n) bits: n (3k - 3) variables; the clauses are 7n (k
- 2) + 4n for the sums (k >= 2), 2 for each of k bits (k - 1 where the parity is known) and each of the 2m - d other
arcs, k for each arc into the root, k for the root, and n for known parities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.graph import Ints
from cpsat_tour.models.arcs import ArcFormula
from cpsat_tour.models.eager import Eager


@dataclass(frozen=True)
class Adder(Eager):
    """The position as a binary number."""

    name: ClassVar[str] = "sat:adder"
    takes: ClassVar[Features] = Eager.with_givens

    def state(self, formula: ArcFormula) -> None:
        """Numbers from 0 at the root to n - 1 before it."""
        state_binary_counter(formula, bits_for(formula.arcs.order))


def bits_for(values: int) -> int:
    """The number of bits that so many values need, at least 1."""
    return max(1, (values - 1).bit_length())


def binary_digits(number: int, bits: int) -> list[int]:
    """The bits of a number, the lowest first."""
    return [number >> bit & 1 for bit in range(bits)]


def state_binary_counter(formula: ArcFormula, bits: int) -> None:
    """A counter modulo 2^bits for each vertex: 0 at the root, one more along each arc, n - 1 before the root."""
    arcs = formula.arcs
    number = formula.new(arcs.order, bits)
    for vertex, position in arcs.positions:
        formula.fix(number[vertex], binary_digits(position % 2**bits, bits))
    if arcs.parity is not None:
        formula.fix(number[:, 0], arcs.parity)
    else:
        formula.carry_over(-number[:, 0], number[:, 0])
    carry = number[:, 0]
    for bit in range(1, bits):
        carry = _next_bit(formula, number[:, bit], carry, last=bit == bits - 1)
    formula.last_before_the_root(number, binary_digits((arcs.order - 1) % 2**bits, bits))


def _next_bit(formula: ArcFormula, bit: Ints, carry: Ints, *, last: bool) -> Ints:
    """A half adder at each vertex, its sum carried along the arcs; the next carry."""
    after = formula.new(len(bit))
    state_exclusive_or(formula, after, bit, carry)
    formula.carry_over(after, bit)
    if last:
        return carry
    following = formula.new(len(bit))
    formula.add(-following, bit)
    formula.add(-following, carry)
    formula.add(following, -bit, -carry)
    return following


def state_exclusive_or(formula: ArcFormula, result: Ints, one: Ints, other: Ints) -> None:
    """The result is the exclusive or of the two: four clauses."""
    formula.add(-result, one, other)
    formula.add(-result, -one, -other)
    formula.add(result, -one, other)
    formula.add(result, one, -other)
