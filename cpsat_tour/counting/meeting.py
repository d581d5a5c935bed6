"""Meeting in the middle: the frontier method from both ends of a board at once.

The frontier after some vertices separates those from the vertices beyond it. Both sides are swept towards it, the edges
within it are chosen half on either side, and the two generations of states are joined: the number of cycles is the sum,
over the pairs of states that make one cycle, of the products of their counts. Horowitz & Sahni (1974) met in the middle
so; McKay (1997) counted the tours of 8x8 from halves of the board.

The states of a frontier grow in number until about two columns' worth of vertices more than it is wide have been taken.
On a board not much longer than that from end to end neither side comes so far; on a longer one the join costs more than
a sweep from end to end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import accumulate
from threading import Event

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.answer import Clock
from cpsat_tour.counting.frontier_kernel import SweepStep
from cpsat_tour.counting.meeting_kernel import Back, build_index, join, lay_out
from cpsat_tour.counting.packed_states import EMPTY, Words
from cpsat_tour.counting.plan import FrontierPlan, expected_states

MOST_TAKEN = 2.0
"""A side takes at most so many times as many vertices as the frontier has places."""
JOINED_AT_ONCE = 1 << 14
LAID_OUT_BYTES = 96
"""For each state from the back, while it is being laid out."""


@dataclass(frozen=True)
class Side:
    """One of the two sweeps: its plan, how many vertices it takes, and at which of those between the sides it chooses
    the edges there."""

    plan: FrontierPlan
    taken: int
    between: tuple[int, ...]
    within: tuple[int, ...]

    def course(self) -> tuple[list[SweepStep], list[int]]:
        """Its steps, and the frontier that they reach."""
        return self.plan.course(self.taken, self.between, self.within)

    @property
    def expected(self) -> list[int]:
        """For each frontier how many states there may well be; the edges between the sides count for half the vertices
        they are chosen at."""
        plan, taken = self.plan, self.taken
        return [
            *plan.expected[: taken + 1],
            expected_states(plan.bounds[taken], taken + len(self.within) // 2, plan.widths[taken]),
        ]


def sides(plan: FrontierPlan) -> tuple[Side, Side] | None:
    """The front and the back with the fewest states that meet within a plan; None where it is better swept from end to
    end.

    That is so too where states keep a parity, and where there are several edges between two vertices.
    """
    met = [] if plan.cycles.parallel else list(_meetings(plan))
    return min(met, key=lambda pair: max(pair[0].expected + pair[1].expected), default=None)


def _meetings(plan: FrontierPlan) -> Iterator[tuple[Side, Side]]:
    most = int(MOST_TAKEN * plan.width)
    vertices = plan.vertices
    for taken in range(1, min(most, len(vertices) - 1) + 1):
        if len(vertices) - taken - plan.widths[taken] > most:
            continue
        between = tuple(sorted(plan.frontiers[taken], key=plan.position.__getitem__))
        beyond = tuple(vertex for vertex in reversed(vertices[taken:]) if vertex not in between)
        if not beyond:
            continue
        inner = [
            len(plan.cycles.neighbours[vertex].intersection(between[place + 1 :]))
            for place, vertex in enumerate(between)
        ]
        half = sum(2 * so_far <= sum(inner) for so_far in accumulate(inner))
        first, second = (
            tuple(between[place] for place in part if inner[place]) for part in (range(half), range(half, len(between)))
        )
        back = FrontierPlan(plan.cycles, (*beyond, *between, *vertices[:taken]), begins=False, clock=plan.clock)
        yield Side(plan, taken, between, first), Side(back, len(beyond), between, second)


def lay_out_back(tables: Sequence[Words], places: list[int], front_places: list[int]) -> Back:
    """The tables of states from the back, ready to be joined.

    The places are the vertices of either frontier; the front's has all of the back's.
    """
    table = np.concatenate(tables)
    width = len(front_places)
    needed: Words = np.empty(len(table), dtype=np.uint64)
    mates: NDArray[np.uint8] = np.empty((len(table), width), dtype=np.uint8)
    lay_out(
        table,
        np.array([front_places.index(vertex) for vertex in places], dtype=np.uint64),
        np.uint64(width),
        needed,
        mates,
    )
    order = np.argsort(needed)
    needed = needed[order]
    groups = 1 + int((needed[1:] != needed[:-1]).sum())
    index = np.full((1 << (2 * groups).bit_length(), 3), EMPTY, dtype=np.uint64)
    build_index(needed, index)
    return Back(index, mates[order], table[order, 1:])


def join_sides(front: Sequence[Words], places: list[int], back: Back, pool: Executor, clock: Clock) -> int:
    """The number of cycles that states from the front and the back make. `StoppedEarly` when the time is over."""
    width = np.uint64(len(places))
    digits = 2 * (front[0].shape[1] + back.counts.shape[1]) + 2

    given_up = Event()

    def part(table: Words) -> int:
        total = np.zeros(digits, dtype=np.uint64)
        for begin in range(0, len(table), JOINED_AT_ONCE):
            if given_up.is_set():
                break
            clock.check()
            join(table[begin : begin + JOINED_AT_ONCE], width, back, total)
        return sum(int(digit) << 32 * place for place, digit in enumerate(total))

    try:
        return sum(pool.map(part, front))
    finally:
        given_up.set()
