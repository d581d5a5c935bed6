"""Meeting in the middle: the frontier method from both ends of a board at once.

The frontier after some vertices separates those from the vertices beyond it. Both sides are swept towards it, the edges
within it are chosen half on either side, and the two generations of states are joined: the number of cycles is the sum,
over the pairs of states that make one cycle, of the products of their counts. Horowitz & Sahni (1974) met in the middle
so; McKay (1997) counted the tours of 8x8 from halves of the board.

The states of a frontier grow in number until about two columns' worth of vertices more than it is wide have been taken.
On a board not much longer than that from end to end neither side comes so far; on a longer one the join costs more than
a sweep from end to end. It is memory that this saves above all: by `forecast` the closed tours of 8x8 need 17 GiB so,
and 81 in one sweep, the open ones of 7x7 2 and 17.

A state from the front and one from the back make cycles if the degrees of each place add up to two; their paths then
have the same ends, and make *one* cycle if going along the paths of either in turn leads round all ends. The states
from the back are laid out by the degrees that they need from the front, so that those that fit a state stand together.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Sequence
from concurrent.futures import Executor
from threading import Event
from typing import NamedTuple

import numpy as np

from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.limits import Clock
from cpsat_tour.core.space import Bytes
from cpsat_tour.frontier.plan import FrontierPlan, expected_states
from cpsat_tour.frontier.states import StateTable, Words, empty_table, frontier_merge, frontier_renumber

MOST_TAKEN = 2.0  # vertices that a side takes, at most, for each place of the widest frontier
JOINED_AT_ONCE = 1 << 14
LAID_OUT_BYTES = 96  # for each state from the back, while it is being laid out


class Side(NamedTuple):
    """One of the two sweeps: its plan, the number of vertices that it takes, the vertices between the sides (the
    boundary), those of them where it then chooses edges to others, and for each frontier the number of states to be
    expected."""

    plan: FrontierPlan
    taken: int
    boundary: list[int]
    chosen_at: list[int]
    expected: list[int]


def sides(plan: FrontierPlan) -> tuple[Side, Side] | None:
    """Return the front and the back that meet with the fewest states, or None if no two sides of a useful size meet, or
    if several edges may join two vertices."""
    most, best, fewest = int(MOST_TAKEN * plan.width), None, math.inf
    for taken in range(1, 0 if plan.swept.parallel else min(most, len(plan.vertices) - 1) + 1):
        boundary = sorted(plan.frontiers[taken], key=plan.position.__getitem__)
        beyond = [vertex for vertex in reversed(plan.vertices[taken:]) if vertex not in boundary]
        if not 0 < len(beyond) <= most:
            continue
        vertices = [*beyond, *boundary, *plan.vertices[:taken]]
        back = FrontierPlan(plan.swept, vertices, plan.clock, begins=False)
        if len(back.frontiers) <= len(beyond):
            continue
        edges, chosen_at, so_far = 0, [], []
        for place, vertex in enumerate(boundary, start=1):
            if near := plan.swept.neighbours[vertex].intersection(boundary[place:]):
                edges += len(near)
                chosen_at.append(vertex)
                so_far.append(edges)
        half = bisect(so_far, edges // 2)
        pair = _side(plan, taken, boundary, chosen_at[:half]), _side(back, len(beyond), boundary, chosen_at[half:])
        states = max(pair[0].expected + pair[1].expected)
        if states < fewest:
            best, fewest = pair, states
    return best


def _side(plan: FrontierPlan, taken: int, boundary: list[int], chosen_at: list[int]) -> Side:
    """Return one side, with the states to be expected; an edge within the boundary counts for half the vertex where it
    is chosen."""
    last = expected_states(plan.bound(taken), taken + len(chosen_at) // 2, len(plan.frontiers[taken]))
    return Side(plan, taken, boundary, chosen_at, [*plan.expected[: taken + 1], last])


class Back(Record):
    """The states of the back, sorted by the degrees that they need from the front."""

    width: int  # the number of places of the front
    front_columns: int
    sum_limbs: int  # of a sum of counts of the back: one more than of a count
    groups: StateTable  # rows ``(degrees, first state, last state + 1)``
    mates: Bytes  # for each state the mates of its ends, in places of the front, ``(states, width)``
    counts: Words  # for each state the limbs of its count


@kernel
def frontier_meet(back: Back, table: Words, end: int, total: Words, sum_of_counts: Words) -> int:
    """Return the number of rows of the table, after the cycles that they make with the back are added to the total."""


def index_back(tables: Sequence[Words], places: list[int], front_places: list[int], front_columns: int) -> Back:
    """Return the states of the back by the degrees that they need from the front, ready to be joined.

    ``places`` and ``front_places`` are the vertices of the two frontiers; the front's has all of the back's.
    """
    rows, width = np.concatenate(tables), len(front_places)
    states, columns = rows.shape
    number: Words = np.array(list(map(front_places.index, places)), dtype=np.uint64)
    done, ends = np.zeros(states, dtype=np.uint64), np.zeros(states, dtype=np.uint64)
    mates = np.zeros((states, width), dtype=np.uint8)
    frontier_renumber(rows, states, columns, len(places), number, width, done, ends, mates)
    needed = ~(done | ends) & ((1 << width) - 1) | ends << width
    del done, ends
    order = np.argsort(needed)
    needed = needed[order]
    begins = np.flatnonzero(np.append(True, needed[1:] != needed[:-1]))
    groups = np.stack([needed[begins], begins, np.append(begins[1:], states)], axis=1).astype(np.uint64)
    index = empty_table(2 * len(groups), 3, len(groups))
    frontier_merge(index, groups, 0, len(groups))
    counts = np.ascontiguousarray(rows[order, 1:])
    return Back(
        width=width, front_columns=front_columns, sum_limbs=columns, groups=index, mates=mates[order], counts=counts
    )


def join_sides(front: Sequence[Words], back: Back, pool: Executor, clock: Clock) -> int:
    """Return the number of cycles that states of the front and the back make together. `StoppedEarly` when the time is
    over."""
    given_up = Event()

    def cycles_with(table: Words) -> int:
        """Return how many cycles the states of a table make with those of the other side."""
        total, scratch = np.zeros(back.front_columns + back.sum_limbs, np.uint64), np.empty(back.sum_limbs, np.uint64)
        for begin in range(0, len(table), JOINED_AT_ONCE):
            if given_up.is_set():
                break
            clock.check()
            piece = table[begin : begin + JOINED_AT_ONCE]
            frontier_meet(back, piece, len(piece), total, scratch)
        return int.from_bytes(total.tobytes(), "little")

    try:
        return sum(pool.map(cycles_with, front))
    finally:
        given_up.set()
