"""A compiled kernel that answers lines of graph6 by the thousand: which graphs have a Hamiltonian cycle or path, or
another property that searches for Hamiltonian cycles decide.

A line of graph6 (McKay 1998) has the number of vertices, then the upper triangle of the adjacency matrix, column by
column, six bits a character. It becomes a bit set of neighbours for each vertex, on which the search of
`cpsat_tour.native.bit_kernel` runs. An open tour is a closed one through a universal vertex, which comes before all
others here. The other properties speak of what is left when some vertices are deleted, which are bits of a mask: one
vertex (K1-hamiltonian), two adjacent ones (K2-hamiltonian; Zamfirescu 2021), and for the circumference as many as it
takes until a cycle is left.

Limits: 3 to 64 vertices, 63 for open tours. What is larger, is not a line of graph6, or takes more branchings than
`BUDGET`, or for other properties more branchings and searches than `PROPERTY_BUDGET`, is `LEFT`.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.bits import ONE, TWO, lowest_bit
from cpsat_tour.core.compiled import allocation_free, standalone
from cpsat_tour.core.space import Bytes, Longs
from cpsat_tour.native.bit_kernel import EMPTY, LEFT, MAX_ORDER, NONE, TOUR, BitSets, Levels, find_cycle

CLOSED, OPEN, HYPOHAMILTONIAN, K1, K2, CIRCUMFERENCE = range(6)  # what is asked of a graph: a tour first

HEADS, TAILS = (ends.astype(np.uint64) for ends in np.tril_indices(MAX_ORDER, -1))  # the edge of each bit of a line

BUDGET = 3000  # branchings of a search, at most: some milliseconds

PROPERTY_BUDGET = 1 << 16  # the same for all searches of one graph, of which each counts as one more branching


@standalone
def answer_lines(
    text: Bytes,
    starts: Longs,
    asked: int,
    length: int,
    levels: Levels,
    neighbours: BitSets,
    verdicts: Bytes,
    branchings: Longs,
    tours: Bytes,
) -> None:
    """Write the verdict on each line, its branchings and its tour, if one is asked for, into the last three arrays: on
    line ``i``, which is ``text[starts[i]:starts[i + 1] - 1]``, into row ``i``.

    ``asked`` says which property makes a graph one of verdict `TOUR`; ``length`` is the circumference that is asked
    for. The arrays of ``levels`` and ``neighbours`` are overwritten.
    """
    apex = int(asked == OPEN)
    for line in range(len(verdicts)):
        order = _read_neighbours(text, starts[line], starts[line + 1] - 1, apex, neighbours)
        if order:
            tour = tours[line]
            if asked <= OPEN:
                found = find_cycle(neighbours, ~EMPTY >> np.uint64(MAX_ORDER - order), levels, tour, BUDGET)
                if found[0] == TOUR and not _is_cycle(neighbours, tour[:order]):
                    found = LEFT, found[1]
                for place in range(order - apex):
                    tour[place] = tour[place + apex] - apex
            else:
                found = _verdict_on_property(asked, length, neighbours, order, levels, tour)
            verdicts[line], branchings[line] = found


@allocation_free
def _read_neighbours(text: Bytes, start: int, stop: int, apex: int, neighbours: BitSets) -> int:
    """Write the neighbours of each vertex of a line of graph6, after those of a universal vertex if ``apex`` is 1;
    return the number of vertices with that one, 0 if the line is not graph6, or has too few or too many vertices."""
    order, begin = np.int64(text[start]) - 63, start + 1
    if order == 63 and stop - start > 4:
        for digit in text[begin : begin + 3]:
            if digit < 63 or digit > 126:
                return 0
        order = 4096 * np.int64(text[begin]) + 64 * np.int64(text[begin + 1]) + np.int64(text[begin + 2]) - 63 * 4161
        begin += 3
    if (
        text[start] > 126
        or order < 3
        or order > MAX_ORDER - apex
        or stop - begin != (order * (order - 1) // 2 + 5) // 6
    ):
        return 0
    for v in range(order + apex):
        neighbours[v] = ONE & np.uint64(-apex)
    neighbours[0] = (~EMPTY >> np.uint64(MAX_ORDER - order)) << ONE & np.uint64(-apex)
    for part in range(begin, stop, 10):
        word, end = EMPTY, min(part + 10, stop)
        for place in range(part, end):
            digit = np.uint64(text[place]) - np.uint64(63)
            if digit > np.uint64(63):
                return 0
            word = word << np.uint64(6) | digit
        last = np.uint64(6 * (end - begin) - 1)
        while word:
            edge = last - lowest_bit(word)
            word &= word - ONE
            u, v = HEADS[edge] + np.uint64(apex), TAILS[edge] + np.uint64(apex)
            if u < np.uint64(order + apex):
                neighbours[v] |= ONE << u
                neighbours[u] |= ONE << v
    return int(order) + apex


@allocation_free
def _verdict_on_property(
    asked: int, length: int, neighbours: BitSets, order: int, levels: Levels, cycle: Bytes
) -> tuple[int, int]:
    """Return the verdict on a property that speaks of deleted vertices, and the number of branchings and searches."""
    verdict, spent = NONE, 0
    if asked == CIRCUMFERENCE:
        for number in range(order - length + 1):
            verdict, spent = _verdict_without(number, False, neighbours, order, levels, cycle, spent)
            if verdict != NONE:
                return NONE if verdict == TOUR and order - number > length else verdict, spent
        return NONE, spent
    if asked == HYPOHAMILTONIAN:
        verdict, spent = _verdict_without(0, True, neighbours, order, levels, cycle, spent)
        if verdict != NONE:
            return NONE if verdict == TOUR else LEFT, spent
    return _verdict_without(2 if asked == K2 else 1, True, neighbours, order, levels, cycle, spent)


@allocation_free
def _verdict_without(
    number: int, every: bool, neighbours: BitSets, order: int, levels: Levels, cycle: Bytes, spent: int
) -> tuple[int, int]:
    """Return the verdict on the graph with ``number`` of its vertices deleted, and what is spent then: with ``every``,
    whether each set of vertices, of pairs each adjacent one, leaves a Hamiltonian cycle; else whether one does."""
    whole, sets = ~EMPTY >> np.uint64(MAX_ORDER - order), 1
    for k in range(min(number, order - number)):
        sets = min(sets * (order - k) // (k + 1), PROPERTY_BUDGET)
    verdict, deleted = TOUR if every else NONE, (ONE << np.uint64(number)) - ONE
    for _ in range(sets):
        if not every or number != 2 or neighbours[lowest_bit(deleted)] & deleted:
            found, work = find_cycle(neighbours, whole & ~deleted, levels, cycle, PROPERTY_BUDGET - spent)
            spent += work + 1
            if spent >= PROPERTY_BUDGET:
                found = LEFT
            if found != verdict:
                return found, spent
        step = deleted & (~deleted + ONE)  # from here to the next set of as many vertices (Gosper, HAKMEM 175)
        above = deleted + step
        deleted = above | (above ^ deleted) >> lowest_bit(step) >> TWO
    return verdict, spent


@allocation_free
def _is_cycle(neighbours: BitSets, cycle: Bytes) -> bool:
    """Return True if all vertices of the cycle are different, and each is joined to the next and the last to the
    first."""
    seen = EMPTY
    for place in range(len(cycle)):
        v, u = np.uint64(cycle[place - 1]), np.uint64(cycle[place])
        if seen >> u & ONE or not neighbours[v] >> u & ONE:
            return False
        seen |= ONE << u
    return True
