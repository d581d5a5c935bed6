"""Linear-feedback shift register: the position as the state of a register that shifts along each arc (Johnson 2014;
Zhou 2020).

    not all bits of s[v] are 0         for each vertex v
    s[v] = the state j steps after 1   for the root, j = 0, and each given number j
    arc[u, v] => s[v] = next(s[u])     for v other than the root
    arc[u, root] => s[u] = the state n - 1 steps after 1
    next(s)[0] = s[k - 1] xor s[tap] for each other tap, next(s)[i + 1] = s[i]

With suitable taps the 2^k - 1 states of k bits other than zero follow each other in one cycle (Golomb 1967), which is
the period of `eager`; the state zero, which follows itself, is forbidden. Where no one tap does, there are three. A
step costs less than an addition, but two states far apart look alike: no order guides the solver. The period is odd and
no bit is the parity: on a bipartite graph only the arcs into the root know of colours.

*As printed* in Zhou 2020, section 4 (``printed``): over the arcs of the frame alone, at-most-ones by products, 2^k > n,
no feedback variable (what is fed back is stated for each arc: ours is smaller), the arcs out of the root fix a state,
and as preprocessing no vertex has a state that its distances rule out (``bounds=false`` leaves that out). What parity
rules out, half of all states, is not stated: with it the formula would be far larger than the paper's. Still ours has
15 to 51 per cent fewer clauses than its tables, which the paper does not explain.

Cost, for n vertices, m edges, d arcs into the root, k bits, 2t taps: n (k + 1) variables; (4^t + 1) n clauses for the
feedback and against zero, 2k for each of the 2m - d other arcs, k for each arc into the root, k for the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features
from cpsat_tour.models.adder import binary_digits, state_even
from cpsat_tour.models.eager import EagerFormula, Printed

TAPS = {
    **{2: (0,), 3: (0,), 4: (0,), 5: (1,), 6: (0,), 7: (0,), 8: (3, 4, 5), 9: (3,), 10: (2,), 11: (1,), 12: (0, 3, 5)},
    **{13: (0, 2, 3), 14: (0, 2, 4), 15: (0,), 16: (3, 12, 14), 17: (2,), 18: (6,), 19: (0, 1, 5), 20: (2,), 21: (1,)},
    **{22: (0,), 23: (4,), 24: (0, 1, 6), 25: (2,)},
}
"""For each length of a register the taps, besides its last bit, with which it runs through all states but zero; longer
ones have more than 2**24 vertices."""


@dataclass(frozen=True)
class Lfsr(Printed):
    """The position of each vertex as the state of a shift register; ``printed`` as by Zhou, with his ``bounds``."""

    bounds: bool = True

    takes: ClassVar[Features] = Printed.with_givens

    def state(self, formula: EagerFormula) -> None:
        """State that each vertex has a register: 1 at the root, shifted by one along each arc."""
        arcs = formula.arcs
        bits = register_length(arcs.order if self.printed or arcs.cycle.positions else arcs.order - 2)
        s = formula.new("s", formula.vertices, np.arange(bits))
        formula.add(*s.T)  # not zero
        states = [1]
        while len(states) < arcs.order:
            states.append(state_after(states[-1], bits))
        for vertex, position in arcs.positions:
            formula.fix(s[vertex], binary_digits(states[position], bits))
        if self.printed:
            arc, u, v = formula.arc[arcs.away], arcs.tails[arcs.away], arcs.heads[arcs.away]
            state_shift(formula, s[u], s[v], [-arc])
            formula.fix_after_the_root(s, binary_digits(states[1], bits))
        else:
            fed_back = formula.new("next", formula.vertices[:, 0])
            state_even(formula, fed_back, s[:, -1], *s[:, TAPS[bits]].T)
            formula.equate_along_arcs(fed_back, s[:, 0])
            for bit in range(bits - 1):
                formula.equate_along_arcs(s[:, bit], s[:, bit + 1])
        formula.fix_before_the_root(s, binary_digits(states[-1], bits))
        if self.printed and self.bounds:
            positions, (low, high) = np.arange(arcs.order), arcs.bounds
            vertices, too_near = np.nonzero((positions < low[:, None]) | (positions > high[:, None]))
            true = (np.array(states)[too_near, None] >> np.arange(bits) & 1) == 1
            formula.add(*np.where(true, -s[vertices], s[vertices]).T)


def state_shift(formula: EagerFormula, s: Ints, t: Ints, given: Sequence[Ints]) -> None:
    """State that the register in each row of t follows that of s, or else one of the literals ``given`` is true."""
    bits = s.shape[1]
    state_even(formula, t[:, 0], s[:, -1], *s[:, TAPS[bits]].T, given=given)
    for bit in range(bits - 1):
        state_even(formula, t[:, bit + 1], s[:, bit], given=given)


def register_length(period: int) -> int:
    """Return the length of the shortest register that runs through at least ``period`` states."""
    return next(bits for bits in TAPS if 2**bits > period)


def state_after(state: int, bits: int) -> int:
    """Return the next state of a shift register of ``bits`` bits."""
    fed_back = sum(state >> tap & 1 for tap in (bits - 1, *TAPS[bits])) & 1
    return state << 1 & (1 << bits) - 1 | fed_back
