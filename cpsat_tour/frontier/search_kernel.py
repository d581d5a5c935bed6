"""The compiled steps of `narrow_search`: the successors of states, without counts, states joined to others, and where
each comes from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cpsat_tour.core.bits import ONE, lowest_bit, popcount
from cpsat_tour.core.compiled import compiled, inlined
from cpsat_tour.core.space import Longs
from cpsat_tour.frontier.packed_states import (
    EMPTY,
    LOST,
    MOST_IN_SEARCH,
    ZERO,
    Words,
    fits,
    join_ends,
    pack,
    unpack,
)
from cpsat_tour.frontier.sweep_kernel import (
    SweepStep,
    can_be_completed,
    choices_of_state,
    choose,
    passes_through_all,
    places_to_come,
    places_with_room,
    state_after,
)

CLOSED = EMPTY
"""What follows where a cycle through all vertices closes, instead of a state; less the number of places that the cycle
leaves out, where it may. No state is as large, and `LOST` is less."""


@compiled
def successors(step: SweepStep, states: Words, fresh: Words, ways: Longs) -> int:
    """Write the successors of the states, with repeats, and `CLOSED` for each cycle through all vertices; return how
    many. A vertex that is free may leave untouched.

    ``ways`` gets for each the row of the state that it comes from, times the number of choices, plus the choice. Both
    arrays have room for all choices of all states.
    """
    written = 0
    before = np.zeros(MOST_IN_SEARCH + 1, np.uint64)
    mate = np.zeros(MOST_IN_SEARCH + 1, np.uint64)
    for row in range(len(states)):
        done, opens, closes = unpack(states[row], step.before, before)
        free = places_with_room(step, done, opens | closes)
        first, end = choices_of_state(step, done, opens | closes)
        left_out = step.free & ~(done | opens | closes) & (ONE << step.vertex)
        for choice in range(0 if left_out else first, end):
            if step.choices[choice, 0] & ~free or (left_out and 0 < choice < first):
                continue
            mate[:] = before
            done_now, opens_now, closes_now, cycle = choose(step, choice, done, opens, closes, mate)
            if cycle:
                if not passes_through_all(step, done_now, opens_now | closes_now):
                    continue
                fresh[written] = CLOSED - popcount(places_to_come(step) & ~done_now)
            elif can_be_completed(done_now, opens_now | closes_now, step.tight):
                fresh[written] = LOST
                if fits(opens_now, step.width):
                    fresh[written] = state_after(step, done_now, opens_now, closes_now, mate)
            else:
                continue
            ways[written] = row * len(step.choices) + choice
            written += 1
    return written


class PartJoin(NamedTuple):
    """How the states of two parts are joined. The *joint* places are those of the left part, then those that only the
    right part has."""

    left: np.uint64  # the number of places on the left
    right: np.uint64
    joint: np.uint64
    number: Words  # for each place on the right its joint number
    free: np.uint64  # the joint places that may be left out
    last: bool  # whether a cycle may close: every vertex is in a place or was eliminated, or some may be left out
    tight: Words  # see `SweepStep`
    needy: Words  # two sets: the places that lack a required edge or two, and those that lack two


@compiled
def join_parts(
    join: PartJoin, left: Words, rows: Longs, right: Words, begin: int, end: int, fresh: Words, ways: Longs
) -> tuple[int, int]:
    """Write the states that the left ones make with all right ones, from ``begin`` to ``end`` in the order of ``rows``;
    return where to go on from and how many were written.

    ``ways`` gets for each the left row, times the number of right ones, plus the right row. Pairs that leave a needy
    place no room for its required edges are left out. Which right ones fit is found once for left ones in a row that
    have the same degrees. The arrays have room for at least one left row with all right ones.
    """
    done_right, ends_right, paths, sizes = _unpack_into_joint_places(right, join.right, join.number)
    mate, before = np.zeros(MOST_IN_SEARCH + 1, np.uint64), np.zeros(MOST_IN_SEARCH + 1, np.uint64)
    needy, tight, every, written = join.needy, join.tight, (ONE << join.joint) - ONE, 0
    fitting, partners, done_before, ends_before = np.empty(len(right), np.int64), 0, EMPTY, EMPTY
    for turn in range(begin, end):
        row = rows[turn]
        done_left, opens_left, closes_left = unpack(left[row], join.left, before)
        ends_left = opens_left | closes_left
        if done_left != done_before or ends_left != ends_before:
            done_before, ends_before, partners = done_left, ends_left, 0
            for other in range(len(right)):
                if done_left & (done_right[other] | ends_right[other]) or ends_left & done_right[other]:
                    continue
                done_both = done_left | done_right[other] | (ends_left & ends_right[other])
                ends_both = ends_left ^ ends_right[other]
                if not (done_both & needy[0] or ends_both & needy[1]) and can_be_completed(done_both, ends_both, tight):
                    fitting[partners] = other
                    partners += 1
        if written + partners > len(fresh):
            return turn, written
        for other in fitting[:partners]:
            done, opens, closes, cycle = done_left | done_right[other], opens_left, closes_left, False
            mate[:] = before
            for path in range(sizes[other]):
                if not cycle:
                    done, opens, closes, cycle = join_ends(
                        done, opens, closes, mate, paths[other, path, 0], paths[other, path, 1]
                    )
            if not cycle:
                fresh[written] = LOST
                if fits(opens, join.joint):
                    fresh[written] = pack(done, opens, closes, mate, join.joint)
            elif join.last and not every & ~done & ~(join.free & ~(opens | closes)):
                fresh[written] = CLOSED - popcount(every & ~done)
            else:
                continue
            ways[written] = row * len(right) + other
            written += 1
    return end, written


@compiled
def _unpack_into_joint_places(states: Words, width: np.uint64, number: Words) -> tuple[Words, Words, Words, Longs]:
    """Return, in joint places, for each state: the set of vertices that are done, the set of path ends, these ends in
    pairs, and the number of paths."""
    done, ends = np.empty(len(states), np.uint64), np.empty(len(states), np.uint64)
    paths, sizes = np.zeros((len(states), MOST_IN_SEARCH // 2, 2), np.uint64), np.zeros(len(states), np.int64)
    mate = np.zeros(MOST_IN_SEARCH + 1, np.uint64)
    for row in range(len(states)):
        here, opens, closes = unpack(states[row], width, mate)
        done[row], ends[row] = _renumber(here, number), _renumber(opens | closes, number)
        while closes:
            place = lowest_bit(closes)
            closes &= closes - ONE
            paths[row, sizes[row], 0], paths[row, sizes[row], 1] = number[mate[place]], number[place]
            sizes[row] += 1
    return done, ends, paths, sizes


@inlined
def _renumber(places: np.uint64, number: Words) -> np.uint64:
    """Return the set of places, each replaced by its joint place."""
    moved = ZERO
    while places:
        moved |= ONE << number[lowest_bit(places)]
        places &= places - ONE
    return moved
