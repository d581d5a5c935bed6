"""The learning search's kernel: a Hamiltonian cycle by choosing edges, with a clause learned from each dead end.

Conflict-driven clause learning (Marques-Silva & Sakallah 1999; watched literals and activities as in Moskewicz,
Madigan, Zhao, Zhang & Malik 2001) without clauses to begin with: that each vertex has two edges and that no cycle
closes too early are rules, those of `cpsat_tour.native.edge_kernel`, and what follows from them is explained only where
a conflict asks for it. The literal ``2 e`` says that edge ``e`` is taken, ``2 e + 1`` that it is dropped.

The state is flat arrays. ``trail`` holds the literals decided, in order; the rules have followed those before
counters[FOLLOWED], and ``used``, ``left`` and ``mate`` count those alone. A learned clause lies in ``arena``: its size,
its number of levels (Audemard & Simon 2009), the next clauses that watch its first and its second literal, and its
literals, of which those two come first. Clauses with many levels are forgotten again and again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.compiled import allocation_free
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.space import Bytes, Longs

CHOSEN, CLAUSE, DEGREE, PATH = range(4)
"""Why an edge is decided: by choice; a clause; the other edges at a vertex; a path, which it would have closed."""

SIZE, LEVELS, NEXT, HEADER = 0, 1, 2, 4

TRAIL, FOLLOWED, LEVEL, TAKEN, HEAP, ARENA, CONFLICTS, STATUS, MOST, COUNTERS = range(10)
SEARCHING, FOUND, REFUTED, FULL = range(4)

OPEN = 2  # an edge without a target

DECAY, LARGE = 0.95, 1e100

MOST_STEPS = 100  # edges that are looked at to leave out a literal


class LearningState(NamedTuple):
    """A search under way on ``n`` vertices and ``m`` edges."""

    first: Ints  # (n + 1): the edges at v are edges[first[v]:first[v + 1]]
    heads: Ints  # beside ``edges``, their other ends
    edges: Ints
    ends: Ints  # (m, 2): the two ends of each edge
    truth: NDArray[np.int8]  # (2 m): 1 for a literal that holds, -1 for one that does not, 0 where it is open
    used: Ints
    left: Ints
    mate: Ints
    trail: Ints
    place: Ints  # (m): of each edge in the trail
    level: Ints
    kind: Bytes
    reason: Ints  # (m): the clause, the vertex, or the place in the trail of the last edge of the path
    marks: Ints  # the length of the trail before each choice
    watch: Ints  # (2 m): the first clause that watches each literal, twice its place and which of the two; or -1
    activity: NDArray[np.float64]  # (m + 1): of each edge, and what the next conflict adds
    heap: Ints  # edges, the most active first
    rank: Ints  # (m): of each edge in the heap, or -1
    phase: Bytes  # (m): 1 if the edge was dropped when it was decided last
    target: Bytes  # (m): 1 if the edge was dropped when most edges were decided without a conflict, 2 if undecided
    seen: Bytes
    stamp: Longs  # for each level the last conflict that it was counted in
    because: Ints  # the edges that explain another, or a conflict
    learned: Ints  # (4 (m + 1)): literals of the clause that is being learned, then edges
    counters: Longs


@allocation_free
def search(s: LearningState, arena: Ints, conflicts: int) -> None:
    """Search until a cycle is found, none is left, so many conflicts are met, or the arena is full; counters[STATUS]
    says which."""
    c = s.counters
    end = c[CONFLICTS] + conflicts
    while c[STATUS] == SEARCHING:
        if c[ARENA] + HEADER + len(s.place) > len(arena):
            c[STATUS] = FULL
            break
        count = _follow(s, arena)
        if count >= 0:
            c[CONFLICTS] += 1
            if c[LEVEL]:
                _keep_target(s)
                _learn(s, arena, count)
            else:
                c[STATUS] = REFUTED
        elif c[TAKEN] == len(s.used):
            c[STATUS] = FOUND
        elif c[CONFLICTS] >= end:
            break
        else:
            edge = _pop(s)
            while s.truth[2 * edge]:
                edge = _pop(s)
            s.marks[c[LEVEL]] = c[TRAIL]
            c[LEVEL] += 1
            _hold(s, 2 * edge + (s.phase[edge] if s.target[edge] == OPEN else s.target[edge]), CHOSEN, 0)


@allocation_free
def _keep_target(s: LearningState) -> None:
    """Keep how the edges were decided before the last choice, if these are more than ever: choices aim at that (Biere &
    Fleury 2020)."""
    sound = s.marks[s.counters[LEVEL] - 1]
    if sound > s.counters[MOST]:
        s.counters[MOST] = sound
        for index in range(sound):
            s.target[s.trail[index] >> 1] = s.trail[index] & 1


@allocation_free
def _hold(s: LearningState, literal: int, kind: int, reason: int) -> None:
    """Decide an edge as the literal says."""
    edge, c = literal >> 1, s.counters
    s.truth[literal], s.truth[literal ^ 1] = 1, -1
    s.place[edge], s.level[edge], s.kind[edge], s.reason[edge] = c[TRAIL], c[LEVEL], kind, reason
    s.trail[c[TRAIL]] = literal
    c[TRAIL] += 1


@allocation_free
def _follow(s: LearningState, arena: Ints) -> int:
    """Decide all that follows from what is decided; return how many edges, in ``because``, explain a contradiction, or
    -1 if there is none."""
    c = s.counters
    while c[FOLLOWED] < c[TRAIL]:
        literal = s.trail[c[FOLLOWED]]
        count = _follow_dropped(s, literal >> 1) if literal & 1 else _follow_taken(s, literal >> 1)
        if count < 0:
            count = _follow_clauses(s, arena, literal ^ 1)
        if count >= 0:
            return count
    return -1


@allocation_free
def _follow_taken(s: LearningState, edge: int) -> int:
    """Drop the edges that can't be taken beside this one; return as `_follow` does."""
    c, place, order = s.counters, s.counters[FOLLOWED], len(s.used)
    v, u = s.ends[edge]
    s.because[0] = edge
    for end in (v, u):
        if s.used[end] == 2:
            return _gather(s, 1, end, 0, place, 2)
    if s.mate[v] == u and c[TAKEN] + 1 < order:
        return _walk(s, 1, v, u, place)
    c[FOLLOWED] += 1
    c[TAKEN] += 1
    v_end, u_end = s.mate[v], s.mate[u]
    s.mate[v_end], s.mate[u_end] = u_end, v_end
    for end in (v, u):
        s.used[end] += 1
        if s.used[end] == 2:
            for index in range(s.first[end], s.first[end + 1]):
                other = s.edges[index]
                if s.truth[2 * other] == 0:
                    _hold(s, 2 * other + 1, DEGREE, end)
    if c[TAKEN] + 1 < order:
        for index in range(s.first[v_end], s.first[v_end + 1]):
            other = s.edges[index]
            if s.heads[index] == u_end and s.truth[2 * other] == 0:
                _hold(s, 2 * other + 1, PATH, place)
    return -1


@allocation_free
def _follow_dropped(s: LearningState, edge: int) -> int:
    """Take the edges that have to be taken without this one; return as `_follow` does."""
    c, place = s.counters, s.counters[FOLLOWED]
    for end in s.ends[edge]:
        if s.left[end] == 2:
            s.because[0] = edge
            return _gather(s, 1, end, 1, place, s.first[end + 1] - s.first[end])
    c[FOLLOWED] += 1
    for end in s.ends[edge]:
        s.left[end] -= 1
        if s.left[end] == 2:
            for index in range(s.first[end], s.first[end + 1]):
                other = s.edges[index]
                if s.truth[2 * other] == 0:
                    _hold(s, 2 * other, DEGREE, end)
    return -1


@allocation_free
def _follow_clauses(s: LearningState, arena: Ints, literal: int) -> int:
    """Look at the clauses that watch a literal which no longer holds; return as `_follow` does."""
    watcher, count = s.watch[literal], -1
    s.watch[literal] = -1
    while watcher >= 0:
        clause, which = watcher >> 1, watcher & 1
        following, to = arena[clause + NEXT + which], literal
        other = arena[clause + HEADER + 1 - which]
        if count < 0 and s.truth[other] != 1:
            for index in range(clause + HEADER + 2, clause + HEADER + arena[clause + SIZE]):
                if s.truth[arena[index]] >= 0:
                    to = arena[index]
                    arena[index], arena[clause + HEADER + which] = literal, to
                    break
            if to == literal and s.truth[other] == 0:
                _hold(s, other, CLAUSE, clause)
            elif to == literal:
                count = _gather_clause(s, arena, clause, -1)
        arena[clause + NEXT + which] = s.watch[to]
        s.watch[to] = watcher
        watcher = following
    return count


@allocation_free
def _gather(s: LearningState, count: int, vertex: int, dropped: int, before: int, most: int) -> int:
    """Add to ``because`` at most so many edges at a vertex that were taken, or dropped, before a place of the trail;
    return its length."""
    end = count + most
    for index in range(s.first[vertex], s.first[vertex + 1]):
        edge = s.edges[index]
        if count < end and s.truth[2 * edge + dropped] == 1 and s.place[edge] < before:
            s.because[count] = edge
            count += 1
    return count


@allocation_free
def _gather_clause(s: LearningState, arena: Ints, clause: int, but: int) -> int:
    """Write the edges of a clause, but one, to ``because``; return how many these are."""
    count = 0
    for index in range(clause + HEADER, clause + HEADER + arena[clause + SIZE]):
        edge = arena[index] >> 1
        if edge != but:
            s.because[count] = edge
            count += 1
    return count


@allocation_free
def _walk(s: LearningState, count: int, start: int, goal: int, before: int) -> int:
    """Add to ``because`` the edges of the path between two vertices that was there before a place of the trail; return
    its length."""
    last, vertex = -1, start
    while vertex != goal:
        for index in range(s.first[vertex], s.first[vertex + 1]):
            edge = s.edges[index]
            if edge != last and s.truth[2 * edge] == 1 and s.place[edge] < before:
                s.because[count] = edge
                count += 1
                last, vertex = edge, s.heads[index]
                break
    return count


@allocation_free
def _explain(s: LearningState, arena: Ints, edge: int) -> int:
    """Write the edges to ``because`` from which it follows that this one is decided as it is; return how many these
    are."""
    kind, reason = s.kind[edge], s.reason[edge]
    if kind == CLAUSE:
        return _gather_clause(s, arena, reason, edge)
    if kind == PATH:
        return _walk(s, 0, s.ends[edge, 0], s.ends[edge, 1], reason + 1)
    taken = s.truth[2 * edge] == 1
    most = s.first[reason + 1] - s.first[reason] - 2 if taken else 2
    return _gather(s, 0, reason, 1 if taken else 0, s.place[edge], most)


@allocation_free
def _learn(s: LearningState, arena: Ints, count: int) -> None:
    """Learn a clause from the ``count`` edges that explain a contradiction, of which one at the present level is left
    (the first unique implication point); go back to where it decides that one."""
    c, learned = s.counters, s.learned
    size, pending, at = 1, 0, c[TRAIL] - 1
    while True:
        for index in range(count):
            edge = s.because[index]
            if not s.seen[edge] and s.level[edge] > 0:
                s.seen[edge] = 1
                _bump(s, edge)
                if s.level[edge] == c[LEVEL]:
                    pending += 1
                else:
                    learned[size] = s.trail[s.place[edge]] ^ 1
                    size += 1
        while not s.seen[s.trail[at] >> 1]:
            at -= 1
        edge = s.trail[at] >> 1
        s.seen[edge] = 0
        pending -= 1
        if pending == 0:
            break
        count = _explain(s, arena, edge)
    learned[0] = s.trail[at] ^ 1
    s.activity[-1] /= DECAY
    for index in range(1, size):
        s.stamp[s.level[learned[index] >> 1]] = -c[CONFLICTS]
    size = _shorten(s, arena, size)
    levels, back = 1, 0
    for index in range(1, size):
        level = s.level[learned[index] >> 1]
        if s.stamp[level] != c[CONFLICTS]:
            s.stamp[level] = c[CONFLICTS]
            levels += 1
        if level > back:
            back = level
            learned[1], learned[index] = learned[index], learned[1]
    return_to(s, back)
    clause = c[ARENA]
    if size > 1:
        arena[clause + SIZE], arena[clause + LEVELS] = size, levels
        for index in range(size):
            arena[clause + HEADER + index] = learned[index]
        _watch(s, arena, clause)
        c[ARENA] += HEADER + size
    _hold(s, learned[0], CLAUSE if size > 1 else CHOSEN, clause)


@allocation_free
def _watch(s: LearningState, arena: Ints, clause: int) -> None:
    """Let a clause watch its first two literals."""
    for which in range(2):
        literal = arena[clause + HEADER + which]
        arena[clause + NEXT + which] = s.watch[literal]
        s.watch[literal] = 2 * clause + which


@allocation_free
def _shorten(s: LearningState, arena: Ints, size: int) -> int:
    """Leave out the learned literals that follow from others of the clause (Sörensson & Biere 2009); return how many
    are left.

    The second half of ``learned`` notes the edges that are ``seen``: those of the clause, and those that follow.
    """
    learned, kept, noted, half = s.learned, 1, size, len(s.learned) // 2
    for index in range(1, size):
        learned[half + index] = learned[index] >> 1
    for index in range(1, size):
        edge = learned[index] >> 1
        before, todo, follows = noted, noted - 1, s.kind[edge] != CHOSEN
        count = _explain(s, arena, edge) if follows else 0
        while follows:
            for place in range(count):
                other = s.because[place]
                if s.level[other] and not s.seen[other]:
                    known_level = s.stamp[s.level[other]] == -s.counters[CONFLICTS]
                    follows = follows and known_level and s.kind[other] != CHOSEN and noted < before + MOST_STEPS
                    if follows:
                        s.seen[other] = 1
                        learned[half + noted] = other
                        noted += 1
            todo += 1
            if todo == noted:
                break
            count = _explain(s, arena, learned[half + todo])
        if not follows:
            while noted > before:
                noted -= 1
                s.seen[learned[half + noted]] = 0
            learned[kept] = learned[index]
            kept += 1
    for index in range(1, noted):
        s.seen[learned[half + index]] = 0
    return kept


@allocation_free
def return_to(s: LearningState, level: int) -> None:
    """Undo all decisions above a level, 0 for those that follow from no choice."""
    c = s.counters
    while c[LEVEL] > level and c[TRAIL] > s.marks[level]:
        c[TRAIL] -= 1
        literal = s.trail[c[TRAIL]]
        edge = literal >> 1
        s.truth[literal], s.truth[literal ^ 1] = 0, 0
        s.phase[edge] = literal & 1
        if s.rank[edge] < 0:
            _push(s, edge)
        if c[TRAIL] < c[FOLLOWED]:
            _forsake(s, edge, literal & 1)
    c[FOLLOWED] = min(c[FOLLOWED], c[TRAIL])
    c[LEVEL] = min(c[LEVEL], level)


@allocation_free
def _forsake(s: LearningState, edge: int, dropped: int) -> None:
    """Undo what the rules counted for an edge that is no longer decided, the last of those that they followed."""
    v, u = s.ends[edge]
    if dropped:
        s.left[v] += 1
        s.left[u] += 1
    else:
        s.counters[TAKEN] -= 1
        s.used[v] -= 1
        s.used[u] -= 1
        v_end = s.mate[v] if s.used[v] else v
        u_end = s.mate[u] if s.used[u] else u
        s.mate[v_end], s.mate[u_end] = v, u


@allocation_free
def _bump(s: LearningState, edge: int) -> None:
    """Make an edge more active."""
    s.activity[edge] += s.activity[-1]
    if s.activity[edge] > LARGE:
        for index in range(len(s.activity)):
            s.activity[index] /= LARGE
    if s.rank[edge] >= 0:
        _rise(s, s.rank[edge])


@allocation_free
def _push(s: LearningState, edge: int) -> None:
    """Put an edge into the heap."""
    place = s.counters[HEAP]
    s.counters[HEAP] += 1
    s.heap[place], s.rank[edge] = edge, place
    _rise(s, place)


@allocation_free
def _rise(s: LearningState, place: int) -> None:
    """Move an entry of the heap up to where it belongs."""
    edge = s.heap[place]
    while place > 0:
        parent = (place - 1) >> 1
        if s.activity[s.heap[parent]] >= s.activity[edge]:
            break
        s.heap[place] = s.heap[parent]
        s.rank[s.heap[place]] = place
        place = parent
    s.heap[place], s.rank[edge] = edge, place


@allocation_free
def _pop(s: LearningState) -> int:
    """Return the most active edge of the heap, and take it out."""
    s.counters[HEAP] -= 1
    size, top = s.counters[HEAP], s.heap[0]
    s.rank[top] = -1
    if size:
        edge, place = s.heap[size], 0
        while 2 * place + 1 < size:
            child = 2 * place + 1
            if child + 1 < size and s.activity[s.heap[child + 1]] > s.activity[s.heap[child]]:
                child += 1
            if s.activity[s.heap[child]] <= s.activity[edge]:
                break
            s.heap[place] = s.heap[child]
            s.rank[s.heap[place]] = place
            place = child
        s.heap[place], s.rank[edge] = edge, place
    return int(top)


@allocation_free
def forget(s: LearningState, arena: Ints) -> None:
    """Keep the clauses of at most two levels, and of the others the half with the fewest levels; leave out those that
    hold already. The search has to be at its beginning."""
    c = s.counters
    tally = s.because  # how many clauses have each number of levels
    tally[:] = 0
    clause, many = 0, 0
    while clause < c[ARENA]:
        levels = min(arena[clause + LEVELS], len(tally) - 1)
        tally[levels] += 1
        many += levels > 2
        clause += HEADER + arena[clause + SIZE]
    limit, kept = 2, 0
    while limit + 1 < len(tally) and kept + tally[limit + 1] <= many // 2:
        limit += 1
        kept += tally[limit]
    s.watch[:] = -1
    clause, to = 0, 0
    while clause < c[ARENA]:
        size = arena[clause + SIZE]
        following = clause + HEADER + size
        keep = arena[clause + LEVELS] <= limit
        for index in range(clause + HEADER, following):
            keep = keep and s.truth[arena[index]] != 1
        if keep:
            for index in range(HEADER + size):
                arena[to + index] = arena[clause + index]
            _watch(s, arena, to)
            to += HEADER + size
        clause = following
    c[ARENA] = to
