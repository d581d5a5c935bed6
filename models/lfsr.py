"""Linear-feedback shift register: the position as the state of a register that shifts along each arc (Johnson 2014; Zhou 2020).

A register of k bits with one tap shifts its bits up by one and feeds the exclusive or of the highest and of the tapped bit back into
the lowest. With a suitable tap its 2^k - 1 states other than zero follow each other in one cycle (Golomb 1967), which is the period
of `eager`; the state zero, which follows itself, is forbidden. The root has state 1. Registers whose length has no such tap (8, 12, 13,
14, 16) are passed over. A step costs less than an addition, but two states far apart look alike: no order guides the solver.

The period is odd and no bit is the parity: on a bipartite graph only the arcs into the root know of colours.

Cost, for n vertices, m edges, d arcs into the root, k bits: n (k + 1) variables; 5n clauses for the feedback and against zero, 2k for each of
the 2m - d other arcs, k for each arc into the root, k for the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from cpsat_tour.backends.protocols import Features
from cpsat_tour.models.adder import binary_digits, state_exclusive_or
from cpsat_tour.models.arcs import ArcFormula
from cpsat_tour.models.eager import Eager


@dataclass(frozen=True)
class Register:
    """A shift register of so many bits, fed back from the highest and from the one at the tap."""

    bits: int
    tap: int

    def after(self, state: int) -> int:
        """The state that follows."""
        fed_back = (state >> (self.bits - 1) ^ state >> self.tap) & 1
        return state << 1 & (1 << self.bits) - 1 | fed_back

    @property
    def period(self) -> int:
        """The number of states until 1 comes round."""
        state, steps = self.after(1), 1
        while state != 1:
            state, steps = self.after(state), steps + 1
        return steps


@cache
def register_for(period: int) -> Register:
    """The shortest register that runs through all states but zero, at least so many."""
    bits = max(2, period.bit_length())
    while True:
        for tap in range(bits - 1):
            # A tap below the highest bit makes the step one-to-one, so state 1 comes round.
            register = Register(bits, tap)
            if 2**bits - 1 >= period and register.period == 2**bits - 1:
                return register
        bits += 1


@dataclass(frozen=True)
class Lfsr(Eager):
    """The position as the state of a shift register."""

    name: ClassVar[str] = "sat:lfsr"
    takes: ClassVar[Features] = Eager.with_givens

    def state(self, formula: ArcFormula) -> None:
        """States from 1 at the root, shifted along each arc."""
        arcs = formula.arcs
        register = register_for(arcs.order if arcs.cycle.positions else arcs.order - 2)
        state = formula.new(arcs.order, register.bits)
        formula.stated.add(state)
        states = [1]
        while len(states) < arcs.order:
            states.append(register.after(states[-1]))
        for vertex, position in arcs.positions:
            formula.fix(state[vertex], binary_digits(states[position], register.bits))
        fed_back = formula.new(arcs.order)
        state_exclusive_or(formula, fed_back, state[:, -1], state[:, register.tap])
        formula.carry_over(fed_back, state[:, 0])
        for bit in range(register.bits - 1):
            formula.carry_over(state[:, bit], state[:, bit + 1])
        formula.last_before_the_root(state, binary_digits(states[-1], register.bits))
