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
from cpsat_tour.native import path_state as state
from cpsat_tour.native.path_state import CONNECTED, DEGREE, ENDS, EXITS, REVERSAL, State, Vertex

COLOUR = 1 << 8  # decided at the roots; not a flag of the kernel

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
    """Return the bit flags of a comma list of prunings and groups of prunings. `BadInput` for an unknown name."""
    flags = 0
    for name in names.split(","):
        for member in GROUPS.get(name.strip(), (name.strip(),)):
            if member not in FLAGS:
                raise BadInput(f"there is no pruning {member!r}: choose from {', '.join([*GROUPS, *FLAGS])}")
            flags |= FLAGS[member]
    return flags


@inlined
def find_refutation(s: State, prune: int, head: Vertex, left: int) -> tuple[int, int]:
    """Return a pair: the flag of the first pruning that refutes the position, or 0, and the number of vertices gone
    through; ``left`` vertices are unvisited."""
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
        hangs_together, size = _check_connection(s, head, left)
        return 0 if hangs_together else state.CONNECTED, size
    return 0, 0


@inlined
def _degrees_refute_undirected(s: State, head: Vertex) -> bool:
    """Return True if two or more vertices are left, and one has no exit, or too many have one: such a vertex has to
    follow the head or be the end."""
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
    for arc in range(s.indptr[head], s.indptr[head + 1]):
        neighbour = s.indices[arc]
        if not s.visited[neighbour] and s.exits[neighbour] == 1:
            beside += not s.may_end[neighbour]
            beside_end += s.may_end[neighbour]
    return bool(c[state.ONE_EXIT] > beside or c[state.ONE_EXIT_END] > beside_end + 1)


@inlined
def _degrees_refute_directed(s: State, head: Vertex) -> bool:
    """Return True if too many unvisited vertices have no way in, as only the one after the head may, or no way out, as
    only the end may."""
    c = s.counters
    if c[state.NO_EXIT] > 0 or c[state.NO_EXIT_END] > 1 or c[state.NO_ENTRY] > 1:
        return True
    beside = 0
    for arc in range(s.indptr[head], s.indptr[head + 1]):
        neighbour = s.indices[arc]
        beside += not s.visited[neighbour] and s.entries[neighbour] == 0
    return bool(c[state.NO_ENTRY] > beside)


@inlined
def _check_connection(s: State, head: Vertex, left: int) -> tuple[bool, int]:
    """Return a pair: True if the unvisited part is connected and in the head's reach, and how many vertices were looked
    at.

    It was connected with the head in it, so it still is if the head's neighbours are connected with each other: a
    breadth-first search from one of them ends when it has met them all. At the root, where nothing is known before, it
    goes through everything.
    """
    c, at_root = s.counters, s.counters[state.DEPTH] == 0
    c[state.STAMP] += 2
    beside, reached = c[state.STAMP] - 1, c[state.STAMP]
    goal, _ = _queue_unvisited(s, head, beside, 0)
    if goal == 0 or (goal == 1 and not at_root):
        return goal == 1, 1
    s.marks[s.queue[0]] = reached
    length, met, done = 1, 1, 0
    while done < length and (at_root or met < goal):
        length, more = _queue_unvisited(s, s.queue[done], reached, length)
        met += more
        done += 1
    return length == left if at_root else met == goal, length


@allocation_free
def _queue_unvisited(s: State, vertex: Vertex, mark: int, length: int) -> tuple[int, int]:
    """Queue and mark the unvisited neighbours of a vertex, over arcs either way, that do not have this mark yet; return
    the new length of the queue, and how many of those queued had the mark before this one."""
    met = 0
    for way in range(1 + s.counters[state.DIRECTED]):
        indptr, indices = (s.in_indptr, s.in_indices) if way else (s.indptr, s.indices)
        for arc in range(indptr[vertex], indptr[vertex + 1]):
            neighbour = indices[arc]
            if not s.visited[neighbour] and s.marks[neighbour] != mark:
                met += s.marks[neighbour] == mark - 1
                s.marks[neighbour] = mark
                s.queue[length] = neighbour
                length += 1
    return length, met
