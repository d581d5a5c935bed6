"""The compiled step of `narrow_search`: the successors of states, without counts, and where each comes from."""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.compiled import compiled
from cpsat_tour.counting.frontier_kernel import (
    EMPTY,
    MOST_PLACES,
    Longs,
    SweepStep,
    Words,
    can_be_completed,
    choices_of_state,
    choose,
    passes_through_all,
    places_with_room,
    state_after,
    unpack,
)

CLOSED = EMPTY
"""What follows where a cycle through all vertices closes, instead of a state."""


@compiled
def successors(step: SweepStep, states: Words, fresh: Words, ways: Longs) -> int:
    """Write the successors of the states, some more than once, and `CLOSED` for cycles; how many there are.

    ``ways`` says of each the row of the state that it comes from, times the number of choices, and the choice. Both have room for as many
    as there are choices, for each state.
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
