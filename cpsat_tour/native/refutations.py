"""Refutations of a position: rules by which no tour goes on from a path whose head has just been visited.

That a path can't be completed where too few edges are left at a vertex is Rubin's (1974). Each rule is a pruning with
its own switch:

================  ====================================================================================================
``applet-start``  the last unvisited vertex that a tour can end at (beside the start, if it is closed) is for the
                  last move alone
``applet-exits``  no unvisited vertex may be left without exits unless it is the last one
``degree``        the local degree rule: each unvisited vertex needs two edges among the unvisited vertices, the
                  head and the end
``colour``        the unvisited vertices of both colours must match: on a bipartite graph this is decided at the root
``connected``     the unvisited part must hang together
``reversal``      once all closed tours over an edge at the root are tried, none is sought that comes back over
                  it; nor an open one that ends at a root already done
================  ====================================================================================================

``applet`` is the first two, the rules of an applet of 1999. All are sound: none refuses a position from which a tour
goes on. On directed graphs ``applet-exits`` and ``reversal`` are not, and are left off there.
"""

from __future__ import annotations

from cpsat_tour.core.compiled import allocation_free, inlined
from cpsat_tour.core.errors import BadInput
from cpsat_tour.native import state
from cpsat_tour.native.state import CONNECTED, DEGREE, ENDS, EXITS, REVERSAL, Bytes, Naturals, State, Vertex

COLOUR = 1 << 8
"""Beside the flags of the search, which need not know."""

FLAGS = {
    "applet-start": ENDS,
    "applet-exits": EXITS,
    "degree": DEGREE,
    "colour": COLOUR,
    "connected": CONNECTED,
    "reversal": REVERSAL,
}

GROUPS = {
    "none": (),
    "applet": ("applet-start", "applet-exits"),
    "default": ("applet-start", "degree", "colour", "reversal"),
    "all": tuple(FLAGS),
}


def parse_prunings(names: str) -> int:
    """The bit flags of a comma list of prunings, or of groups of them; `BadInput` for a name that is not there."""
    flags = 0
    for name in names.split(","):
        for member in GROUPS.get(name.strip(), (name.strip(),)):
            if member not in FLAGS:
                raise BadInput(f"there is no pruning {member!r}: choose from {', '.join([*GROUPS, *FLAGS])}")
            flags |= FLAGS[member]
    return flags


@inlined
def refutation(s: State, prune: int, head: Vertex, left: int) -> tuple[int, int]:
    """The first pruning that refutes the position, or 0, and how many vertices were gone through; ``left`` is how many
    are unvisited."""
    c = s.counters
    if left == 0:
        return 0, 0
    if prune & state.ENDS and c[state.ENDS_LEFT] == 0:
        return state.ENDS, 0
    if prune & state.EXITS and left > 1 and c[state.NO_EXIT] + c[state.NO_EXIT_END] > 0:
        return state.EXITS, 0
    if (
        prune & state.DEGREE
        and left > 1
        and (_degrees_refute_directed(s, head) if c[state.DIRECTED] else _degrees_refute_undirected(s, head))
    ):
        return state.DEGREE, 0
    if prune & state.CONNECTED:
        hangs_together, size = _connectivity(s, head, left)
        return 0 if hangs_together else state.CONNECTED, size
    return 0, 0


@inlined
def _degrees_refute_undirected(s: State, head: Vertex) -> bool:
    """With two or more vertices left, none may be without exits, and one with a single exit has to follow the head or
    be the end."""
    c = s.counters
    if (
        c[state.NO_EXIT] + c[state.NO_EXIT_END] > 0
        or c[state.ONE_EXIT] > 1
        or c[state.ONE_EXIT] + c[state.ONE_EXIT_END] > 2
    ):
        return True
    if c[state.ONE_EXIT] + c[state.ONE_EXIT_END] == 0:
        return False
    beside, beside_end = 0, 0
    for place in range(s.indptr[head], s.indptr[head + 1]):
        other = s.indices[place]
        if not s.visited[other] and s.exits[other] == 1:
            beside += not s.may_end[other]
            beside_end += s.may_end[other]
    return bool(c[state.ONE_EXIT] > beside or c[state.ONE_EXIT_END] > beside_end + 1)


@inlined
def _degrees_refute_directed(s: State, head: Vertex) -> bool:
    """A vertex that no unvisited one enters has to follow the head, one that enters no unvisited one has to be the
    end."""
    c = s.counters
    if c[state.NO_EXIT] > 0 or c[state.NO_EXIT_END] > 1 or c[state.NO_ENTRY] > 1:
        return True
    beside = 0
    for place in range(s.indptr[head], s.indptr[head + 1]):
        other = s.indices[place]
        beside += not s.visited[other] and s.entries[other] == 0
    return bool(c[state.NO_ENTRY] > beside)


@inlined
def _connectivity(s: State, head: Vertex, left: int) -> tuple[bool, int]:
    """Whether the unvisited part is connected, and within the head's reach; and how many vertices that took.

    It was connected with the head in it, so it still is if the head's neighbours are connected with each other: the
    search ends when it has met them all. At the root, where nothing is known before, it goes through everything.
    """
    c, directed, at_root = s.counters, s.counters[state.DIRECTED], s.counters[state.DEPTH] == 0
    c[state.STAMP] += 2
    beside, reached = c[state.STAMP] - 1, c[state.STAMP]
    goal, _ = _queue_unvisited(s.indptr, s.indices, s.visited, s.marks, s.queue, beside, 0, head, 0, 0)
    if directed and goal:
        goal, _ = _queue_unvisited(s.in_indptr, s.in_indices, s.visited, s.marks, s.queue, beside, 0, head, goal, 0)
    if goal <= 1 and not at_root:
        return goal == 1, 1
    length = min(goal, 1)
    wanted, goal = (0, left) if at_root else (beside, goal)
    s.marks[s.queue[0]] = reached
    met, done = length, 0
    while done < length and met < goal:
        vertex = s.queue[done]
        length, met = _queue_unvisited(
            s.indptr, s.indices, s.visited, s.marks, s.queue, reached, wanted, vertex, length, met
        )
        if directed:
            length, met = _queue_unvisited(
                s.in_indptr, s.in_indices, s.visited, s.marks, s.queue, reached, wanted, vertex, length, met
            )
        done += 1
    return met >= goal, length


@allocation_free
def _queue_unvisited(
    indptr: Naturals,
    indices: Naturals,
    visited: Bytes,
    marks: Naturals,
    queue: Naturals,
    mark: int,
    wanted: int,
    vertex: Vertex,
    length: int,
    met: int,
) -> tuple[int, int]:
    """Queue the unvisited vertices that the arcs of a vertex enter and that don't have this mark yet, and mark them.

    Returns the new length of the queue, and ``met`` with those added that had the mark that is ``wanted``, any mark if
    that is 0.
    """
    for place in range(indptr[vertex], indptr[vertex + 1]):
        other = indices[place]
        if not visited[other] and marks[other] != mark:
            met += wanted == 0 or marks[other] == wanted
            marks[other] = mark
            queue[length] = other
            length += 1
    return length, met
