"""The compiled steps of `narrow_search`: the successors of states, without counts, states joined to others, and where
each comes from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cpsat_tour.core.compiled import compiled, inlined
from cpsat_tour.counting.frontier_kernel import (
    Longs,
    SweepStep,
    can_be_completed,
    choices_of_state,
    choose,
    passes_through_all,
    places_with_room,
    state_after,
)
from cpsat_tour.counting.packed_states import EMPTY, MOST_PLACES, ONE, ZERO, Words, join_ends, least, pack, unpack

CLOSED = EMPTY  # what follows where a cycle through all vertices closes, instead of a state


@compiled
def successors(step: SweepStep, states: Words, fresh: Words, ways: Longs) -> int:
    """Write the successors of the states, some more than once, and `CLOSED` for cycles; how many there are.

    ``ways`` says of each the row of the state that it comes from, times the number of choices, and the choice. Both
    have room for as many as there are choices, for each state.
    """
    written = 0
    before = np.zeros(MOST_PLACES + 1, np.uint64)
    mate = np.zeros(MOST_PLACES + 1, np.uint64)
    for row in range(len(states)):
        done, opens, closes = unpack(states[row], step.before, before)
        free = places_with_room(step, done, opens | closes)
        first, end = choices_of_state(step, done, opens | closes)
        for choice in range(first, end):
            if step.choices[choice, 0] & ~free:
                continue
            mate[:] = before
            done_now, opens_now, closes_now, cycle = choose(step, choice, done, opens, closes, mate)
            if cycle:
                if not passes_through_all(step, done_now):
                    continue
                fresh[written] = CLOSED
            elif can_be_completed(done_now, opens_now | closes_now, step.tight):
                fresh[written] = state_after(step, done_now, opens_now, closes_now, mate)
            else:
                continue
            ways[written] = row * len(step.choices) + choice
            written += 1
    return written


class PartJoin(NamedTuple):
    """How the states of two parts are joined; the *joint* places are those on the left, then what the right adds."""

    left: np.uint64  # the number of places on the left
    right: np.uint64
    joint: np.uint64
    number: Words  # for each place on the right its joint number
    last: bool  # whether all vertices are in the places or have gone
    tight: Words  # see `SweepStep`
    needy: Words  # the places that need a required edge more, and those that need two


@compiled
def join_parts(
    join: PartJoin, left: Words, right: Words, begin: int, end: int, fresh: Words, ways: Longs
) -> tuple[int, int]:
    """Write what the states on the left, from ``begin`` to ``end``, and those on the right make; return the row come to
    and how many they are.

    ``ways`` gets the row on the left, times the number of those on the right, and the row there. A pair that leaves the
    needy places no room for their required edges is passed over. There is room for as many as there are states on the
    right, and more.
    """
    done_right, ends_right, paths, sizes = _laid_out(right, join.right, join.number)
    mate, before = np.zeros(MOST_PLACES + 1, np.uint64), np.zeros(MOST_PLACES + 1, np.uint64)
    needy, tight, every, written = join.needy, join.tight, (ONE << join.joint) - ONE, 0
    for row in range(begin, end):
        if written + len(right) > len(fresh):
            return row, written
        done_left, opens_left, closes_left = unpack(left[row], join.left, before)
        ends_left = opens_left | closes_left
        for other in range(len(right)):
            if done_left & (done_right[other] | ends_right[other]) or ends_left & done_right[other]:
                continue
            done_both = done_left | done_right[other] | (ends_left & ends_right[other])
            ends_both = ends_left ^ ends_right[other]
            if done_both & needy[0] or ends_both & needy[1] or not can_be_completed(done_both, ends_both, tight):
                continue
            done, opens, closes, cycle = done_left | done_right[other], opens_left, closes_left, False
            mate[:] = before
            for path in range(sizes[other]):
                if not cycle:
                    done, opens, closes, cycle = join_ends(
                        done, opens, closes, mate, paths[other, path, 0], paths[other, path, 1]
                    )
            if not cycle:
                fresh[written] = pack(done, opens, closes, mate, join.joint)
            elif join.last and done == every:
                fresh[written] = CLOSED
            else:
                continue
            ways[written] = row * len(right) + other
            written += 1
    return end, written


@compiled
def _laid_out(states: Words, width: np.uint64, number: Words) -> tuple[Words, Words, Words, Longs]:
    """In joint places: the vertices that are done in each state, the ends of its paths, these in pairs, and how many
    paths there are."""
    done, ends = np.empty(len(states), np.uint64), np.empty(len(states), np.uint64)
    paths, sizes = np.zeros((len(states), MOST_PLACES // 2, 2), np.uint64), np.zeros(len(states), np.int64)
    mate = np.zeros(MOST_PLACES + 1, np.uint64)
    for row in range(len(states)):
        here, opens, closes = unpack(states[row], width, mate)
        done[row], ends[row] = _moved(here, number), _moved(opens | closes, number)
        while closes:
            place = least(closes)
            closes &= closes - ONE
            paths[row, sizes[row], 0], paths[row, sizes[row], 1] = number[mate[place]], number[place]
            sizes[row] += 1
    return done, ends, paths, sizes


@inlined
def _moved(places: np.uint64, number: Words) -> np.uint64:
    """The set of places, each moved to where it is."""
    moved = ZERO
    while places:
        moved |= ONE << number[least(places)]
        places &= places - ONE
    return moved
