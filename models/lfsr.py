"""Linear-feedback shift register: the position as the state of a register that shifts along each arc (Johnson 2014;
Zhou 2020).

    not all bits of s[v] are 0         for each vertex v
    s[root] = 1
    arc[u, v] => s[v] = next(s[u])     for v other than the root
    arc[u, root] => s[u] = the state n - 1 steps after 1
    next(s)[0] = s[k - 1] xor s[tap], next(s)[i + 1] = s[i]

With a suitable tap the 2^k - 1 states of k bits other than zero follow each other in one cycle (Golomb 1967), which is
the period of `eager`; the state zero, which follows itself, is forbidden. Registers whose length has no such tap (8,
12, 13, 14, 16, 19, 24) are passed over. A step costs less than an addition, but two states far apart look alike: no
order guides the solver. The period is odd and no bit is the parity: on a bipartite graph only the arcs into the root
know of colours.

Cost, for n vertices, m edges, d arcs into the root, k bits: n (k + 1) variables; 5n clauses for the feedback and
against zero, 2k for each of the 2m - d other arcs, k for each arc into the root, k for the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cpsat_tour.engines.registry import Features
from cpsat_tour.models.adder import binary_digits, state_exclusive_or
from cpsat_tour.models.eager import Eager, EagerFormula

TAPS = {2: 0, 3: 0, 4: 0, 5: 1, 6: 0, 7: 0, 9: 3, 10: 2, 11: 1, 15: 0, 17: 2, 18: 6, 20: 2, 21: 1, 22: 0, 23: 4, 25: 2}
"""For each length of a register the lowest tap with which it runs through all states but zero; longer ones have more
than 2**24 vertices."""


@dataclass(frozen=True)
class Lfsr(Eager):
    """The position of each vertex as the state of a shift register."""

    name: ClassVar[str] = "sat:lfsr"
    takes: ClassVar[Features] = Eager.with_givens

    def state(self, formula: EagerFormula) -> None:
        """State that each vertex has a register: 1 at the root, shifted by one along each arc."""
        arcs = formula.arcs
        bits = register_length(arcs.order if arcs.cycle.positions else arcs.order - 2)
        s = formula.new(arcs.order, bits)
        formula.add(*s.T)  # not zero
        states = [1]
        while len(states) < arcs.order:
            states.append(state_after(states[-1], bits))
        for vertex, position in arcs.positions:
            formula.fix(s[vertex], binary_digits(states[position], bits))
        fed_back = formula.new(arcs.order)
        state_exclusive_or(formula, fed_back, s[:, -1], s[:, TAPS[bits]])
        formula.equate_along_arcs(fed_back, s[:, 0])
        for bit in range(bits - 1):
            formula.equate_along_arcs(s[:, bit], s[:, bit + 1])
        formula.fix_before_the_root(s, binary_digits(states[-1], bits))


def register_length(period: int) -> int:
    """Return the length of the shortest register that runs through at least ``period`` states."""
    return next(bits for bits in TAPS if 2**bits > period)


def state_after(state: int, bits: int) -> int:
    """Return the next state of a shift register of ``bits`` bits."""
    fed_back = (state >> (bits - 1) ^ state >> TAPS[bits]) & 1
    return state << 1 & (1 << bits) - 1 | fed_back
