"""One step of the frontier method for uncrossed paths and cycles, compiled by Numba; `cpsat_tour.counting.uncrossed`
says what a state is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free

Words = NDArray[np.uint64]
Longs = NDArray[np.int64]
Numbers = NDArray[np.int32]

MAX_SLOTS = 64
MAX_USED = 16
"""Labels of four bits in one word."""

NEW = 15
"""The label of a piece that begins at this vertex; the others have lesser ones."""

NOTHING = -1
"""A value that stands for an empty entry of a table."""

INCOMING, KEPT, OUTS, CLOSED, MUST_BE_END, MAY_BE_END, FORCED, MAY_BEGIN, MAY_FINISH, REQUIRED = range(10)
"""The facts of a step: which slots end here, as bits; how many stay; how many edges go on; and what may be, or must be,
here."""

ONE = np.uint64(1)


class Step(NamedTuple):
    """What may happen at a vertex.

    ``goes_to`` has the place of each slot after the step, ``against`` and ``beside`` for each edge that goes on the
    slots that cross it, and those that lead to its head.
    """

    facts: Words
    goes_to: Numbers
    against: Words
    beside: Words


class States(NamedTuple):
    """States, or a hash table of them: used slots, labels, the most moves, and the state before the vertex that each
    comes from."""

    masks: Words
    labels: Words
    values: Numbers
    parents: Numbers


def empty_states(size: int) -> States:
    """A table of so many empty entries, a power of two."""
    columns = np.zeros((2, size), dtype=np.uint64), np.full((2, size), NOTHING, dtype=np.int32)
    return States(columns[0][0], columns[0][1], columns[1][0], columns[1][1])


@allocation_free
def expand(
    states: States, begin: int, end: int, step: Step, table: States, count: int, label: Numbers, done: Longs
) -> int:
    """Put what follows from some of the states into the table of ``count`` entries; their count then, -1 if it is full,
    -2 if a state is.

    ``label`` has room for a number of each slot. ``done`` takes the greatest value of what is finished here, and its
    state.
    """
    masks, labels, values, facts = states.masks, states.labels, states.values, step.facts
    incoming, outs = facts[INCOMING], np.int64(facts[OUTS])
    for state in range(begin, min(end, len(masks))):
        mask, kept = masks[state], masks[state] & ~incoming
        zeros, one, other, slot, place = 0, -1, -1, 0, np.uint64(0)
        rest = mask
        while rest:
            if rest & ONE:
                label[slot] = np.int32((labels[state] >> (np.uint64(4) * place)) & np.uint64(15))
                place += ONE
                zeros += label[slot] == 0
                if (incoming >> np.uint64(slot)) & ONE:
                    one, other = slot, one
            rest >>= ONE
            slot += 1
        value = values[state]
        if other >= 0:
            if facts[MUST_BE_END] or facts[REQUIRED]:
                continue
            low, high = min(label[one], label[other]), max(label[one], label[other])
            if low == high:
                if (low > 0) == bool(facts[CLOSED]) and facts[MAY_FINISH] and not kept and value > done[0]:
                    done[0], done[1] = value, state
                continue
            count = _put(step, table, label, kept, high, low, -1, 0, -1, 0, value, state, count)
        elif one >= 0:
            here = label[one]
            if not facts[REQUIRED] and (facts[MUST_BE_END] or facts[MAY_BE_END]):
                if here == 0:
                    if facts[MAY_FINISH] and not kept and value > done[0]:
                        done[0], done[1] = value, state
                elif zeros < 2:
                    count = _put(step, table, label, kept, here, 0, -1, 0, -1, 0, value, state, count)
            if not facts[MUST_BE_END]:
                for out in range(outs):
                    if _may_go(mask, step, out) and not (facts[REQUIRED] & ~(ONE << np.uint64(out))):
                        count = _put(step, table, label, kept, -1, 0, out, here, -1, 0, value + 1, state, count)
        else:
            if not (facts[FORCED] or facts[MUST_BE_END]):
                count = _put(step, table, label, kept, -1, 0, -1, 0, -1, 0, value, state, count)
            if not mask and not facts[MAY_BEGIN]:
                continue
            for out in range(outs):
                if not _may_go(mask, step, out):
                    continue
                bit = ONE << np.uint64(out)
                if zeros < 2 and (facts[MUST_BE_END] or facts[MAY_BE_END]) and not (facts[REQUIRED] & ~bit):
                    count = _put(step, table, label, kept, -1, 0, out, 0, -1, 0, value + 1, state, count)
                if facts[MUST_BE_END]:
                    continue
                for second in range(out + 1, outs):
                    if _may_go(mask, step, second) and not (facts[REQUIRED] & ~(bit | (ONE << np.uint64(second)))):
                        count = _put(step, table, label, kept, -1, 0, out, NEW, second, NEW, value + 2, state, count)
        if count < 0:
            return count
    return count


@allocation_free
def _may_go(mask: np.uint64, step: Step, out: int) -> bool:
    """Whether this edge crosses no used one, and its head has fewer than two used ones."""
    there = mask & step.beside[out]
    return not (mask & step.against[out]) and not (there & (there - ONE))


@allocation_free
def _put(
    step: Step,
    table: States,
    label: Numbers,
    kept: np.uint64,
    old: int,
    new: int,
    out: int,
    out_label: int,
    second: int,
    second_label: int,
    value: int,
    state: int,
    count: int,
) -> int:
    """Put the state with the kept slots, the one label instead of the other, and these edges that go on; the entries of
    the table by then."""
    if count < 0:
        return count
    mask, labels, place = np.uint64(0), np.uint64(0), np.uint64(0)
    renamed, names = np.uint64(0), np.uint64(0)
    slot, rest = 0, kept
    for _ in range(MAX_SLOTS + 2):
        if rest:
            used = rest & ONE
            its, to = label[slot], np.uint64(max(0, step.goes_to[slot]))
            its = new if its == old else its
            rest >>= ONE
            slot += 1
        elif out >= 0:
            used, its, to = ONE, out_label, step.facts[KEPT] + np.uint64(out)
            out, out_label, second = second, second_label, -1
        else:
            break
        if not used:
            continue
        if place == MAX_USED:
            return -2
        if its:
            shift = np.uint64(4 * its)
            if not (renamed >> shift) & np.uint64(15):
                names += ONE
                renamed |= names << shift
            labels |= ((renamed >> shift) & np.uint64(15)) << (np.uint64(4) * place)
        mask |= ONE << to
        place += ONE
    size = np.uint64(len(table.masks))
    at = (mask * np.uint64(0x9E3779B97F4A7C15)) ^ (labels * np.uint64(0xC2B2AE3D27D4EB4F))
    at = (at ^ (at >> np.uint64(29))) & (size - ONE)
    while table.values[at] != NOTHING and (table.masks[at] != mask or table.labels[at] != labels):
        at = (at + ONE) & (size - ONE)
    if table.values[at] == NOTHING:
        if 2 * count >= len(table.masks):
            return -1
        table.masks[at], table.labels[at] = mask, labels
        count += 1
    if value > table.values[at]:
        table.values[at], table.parents[at] = value, state
    return count
