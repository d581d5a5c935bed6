"""Steps of the search: the candidates of a new head, in the order in which they are tried.

Warnsdorff's rule (von Warnsdorff 1823): fewest exits first. Ties go by the order of the arcs, or by the exits of the
exits (Pohl 1967), at random, or by direction orders that switch at given vertices (Squirrel & Cull 1996). A handful of
candidates is sorted by insertion.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free, inlined
from cpsat_tour.native.state import AT_RANDOM, BY_EXITS, BY_PHASE, State, Vertex


@inlined
def offer_none(s: State, head: Vertex) -> None:
    """The path is full: the head has no candidates."""
    s.cursor[head] = s.indptr[head]
    s.stop[head] = s.indptr[head]


@inlined
def offer_by_exits(s: State, head: Vertex) -> None:
    """Visit the head in the eyes of its neighbours, one exit less for each, and on the way put its candidates in order
    by exits."""
    s.cursor[head] = s.indptr[head]
    s.stop[head] = _gather(s, head, True, 1)


@inlined
def offer(s: State, head: Vertex, depth: int, key: int) -> None:
    """Write the candidates of the head of a path of this depth into its row, in order: what must follow alone, else by
    the key."""
    must_follow = s.must[head]
    s.cursor[head] = s.indptr[head]
    if must_follow < s.path.size and not s.visited[must_follow]:
        s.candidates[s.indptr[head]] = must_follow
        s.stop[head] = s.indptr[head] + 1
    elif key <= BY_EXITS:
        s.stop[head] = _gather(s, head, key == BY_EXITS, 0)
    else:
        s.stop[head] = _gather_by_key(s, head, depth, key)


@inlined
def _phase(s: State, head: Vertex, depth: int) -> int:
    """The phase at the head: that of the vertex before it, or the next one if its switch is the head."""
    before = s.phase[s.path[depth - 2]] if depth > 1 else 0
    now = before + (s.switches[before] == head)
    s.phase[head] = now
    return int(now)


@inlined
def _gather(s: State, head: Vertex, by_exits: bool, one_less: int) -> np.int64:
    """Put the candidates in order by exits, if asked for, equal ones as the arcs come; returns where they stop.

    ``one_less`` is 1 to take the head off the exits of its neighbours on the way.
    """
    exits, candidates = s.exits, s.candidates
    first = np.int64(s.indptr[head])
    end = first
    for place in range(s.indptr[head], s.indptr[head + 1]):
        vertex = s.indices[place]
        fewest = exits[vertex] - np.uint32(one_less)
        exits[vertex] = fewest
        if s.visited[vertex]:
            continue
        spot = end
        if by_exits:
            while spot > first and exits[candidates[spot - 1]] > fewest:
                candidates[spot] = candidates[spot - 1]
                spot -= 1
        candidates[spot] = vertex
        end += 1
    return end


@inlined
def _gather_by_key(s: State, head: Vertex, depth: int, kind: int) -> np.int64:
    """Put the candidates in order by exits and what breaks ties; returns where they stop."""
    keys, candidates = s.keys, s.candidates
    phase = _phase(s, head, depth) if kind == BY_PHASE else 0
    first = np.int64(s.indptr[head])
    end = first
    for place in range(s.indptr[head], s.indptr[head + 1]):
        vertex = s.indices[place]
        if s.visited[vertex]:
            continue
        key = np.int64(s.exits[vertex]) << 40
        if kind == BY_PHASE:
            key += s.phase_ranks[phase, s.octants[place]]
        elif kind == AT_RANDOM:
            key += random_bits(s.random)
        else:
            key += _second_level(s, vertex)
        spot = end
        while spot > first and keys[spot - first - 1] > key:
            candidates[spot] = candidates[spot - 1]
            keys[spot - first] = keys[spot - first - 1]
            spot -= 1
        keys[spot - first] = key
        candidates[spot] = vertex
        end += 1
    return end


@allocation_free
def random_bits(random: NDArray[np.uint64]) -> np.int64:
    """The next 32 bits of a xorshift generator (Marsaglia 2003)."""
    bits = random[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    random[0] = bits
    return np.int64(bits >> np.uint64(32))


@inlined
def _second_level(s: State, vertex: Vertex) -> np.int64:
    """The exits of a vertex's exits, added up."""
    total = np.int64(0)
    for place in range(s.indptr[vertex], s.indptr[vertex + 1]):
        other = s.indices[place]
        if not s.visited[other]:
            total += np.int64(s.exits[other])
    return total
