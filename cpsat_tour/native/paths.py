"""The path search as Python sees it: from a problem to paths from a root to a permitted end, which is all that is
searched; the prunings; and the state of a search in C (`paths.c`). The same search in plain Python, to be read, is
`tests/support/plain_search.py`.

A closed tour through a root is a path from it to a vertex with an arc back. Required arcs of a directed graph rule
other arcs out: those that leave the same tail or enter the same head. A vertex with two required edges loses its
others; one with a single required edge *must* go on over it unless the path came over it. At the root of a closed tour,
which may be left and returned to over either of its required edges, the tour is read so that it returns over the first.
An open tour with only its end fixed is sought backwards from there. With givens a closed tour is sought from the given
of the least number, and each depth of the path has only the vertices that may have its number.

Candidates follow Warnsdorff's rule (von Warnsdorff 1823): fewest exits first. Ties go by the order of the arcs, by the
exits of the exits (Pohl 1967), or at random.

A pruning refutes a position: it is a rule by which no tour goes on from a path whose head has just been visited. That a
path can't be completed where too few edges are left at a vertex is Rubin's (1974). Each has its own switch:

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

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.problem import Problem, timetable
from cpsat_tour.core.space import Bytes, Flags, Floats, Ints, Longs, Naturals

# How candidates are compared: not at all, by exits, and what breaks ties between equal exits (else the order of the
# arcs).
AS_THEY_COME, BY_EXITS, BY_SECOND_LEVEL, AT_RANDOM = range(4)

# Prunings that look at every position, as bit flags; each is the code of its event. The last is decided at the roots.
ENDS, EXITS, DEGREE, CONNECTED, REVERSAL, COLOUR = 1, 2, 4, 8, 16, 1 << 8

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


# Settings and counters of a search, as places in `State.counters`.
ROOT, KEY, PRUNE, BACKTRACK, DIRECTED, TRACING, PLAIN = range(7)
DEPTH, POSITIONS, BACKTRACKS, BEGUN, TOURS, RING, STAMP = range(7, 14)
ENDS_LEFT, NO_EXIT, NO_EXIT_END, ONE_EXIT, ONE_EXIT_END, NO_ENTRY = range(14, 20)
COUNTERS = 20

# Records in the ring: the kind, the vertex, and a third number: the exits of a candidate, the pruning that refused a
# move, else 0. A step is followed by its candidates in the order in which they are tried.
STEP, CANDIDATE, REFUSED, BACK, TOUR = range(1, 6)
RECORD = 3
RING_RECORDS = 1 << 12

PAUSED, FOUND, EXHAUSTED, DEAD_END, RING_FULL = range(5)  # what `paths_search` returns


@dataclass(frozen=True, eq=False)
class RootedProblem:
    """The Hamiltonian paths of ``graph`` from ``root`` to a vertex in ``may_end``; a vertex ``must[v] >= 0`` follows v,
    unless it was visited before v.

    ``reversible`` says that each closed tour is met in both directions. With givens ``possible`` flags the vertices at
    each depth of the path; else it is empty. With waypoints ``before`` has for each the one before, -1 for none.
    """

    graph: Graph
    root: int
    may_end: Flags
    must: Ints
    reversible: bool
    possible: Flags
    before: Ints


class Roots:
    """The roots from which a problem on three or more vertices is searched.

    A closed problem is settled by any one root, an open one only by all of them. With ``colours`` the roots and ends
    are those that alternating colours allow, if the graph is bipartite; with ``as_numbered`` they are tried by number.
    """

    def __init__(self, problem: Problem, *, colours: bool = False, as_numbered: bool = False) -> None:
        self.backwards = not (problem.closed or problem.timed) and problem.start is None and problem.end is not None
        if self.backwards:
            require, forbid = (tuple(move[::-1] for move in moves) for moves in (problem.require, problem.forbid))
            problem = Problem(problem.graph.reversed, False, problem.end, None, require, forbid)
        self.problem = problem
        self._colours = self.problem.graph.colours if colours else None
        self._as_numbered = as_numbered
        self.graph, self._required, self._may_fit = _enforce_conditions(self.problem)

    @property
    def each_way(self) -> bool:
        """True if each open tour is found twice, from both of its ends."""
        return not (self.problem.closed or self.graph.directed or self.problem.start is not None or self.problem.timed)

    @cached_property
    def vertices(self) -> Ints:
        """The vertices that a search can begin at, none if the required edges can't be met.

        They are in the order of their numbers, or else those with the fewest neighbours come first, since a corner
        leaves the search the least choice.
        """
        if not self._may_fit:
            return np.zeros(0, dtype=np.int32)
        order, closed = self.graph.order, self.problem.closed
        allowed = closed | self._free_ends[0]
        if self._colours is not None:  # the colours of a path alternate, so that its first vertex says how many of each
            ones = int(self._colours.sum())
            fits = np.array([order - ones, ones]) == (order + 1) // 2
            allowed &= fits[self._colours] & (not (closed and order % 2))
        if self.problem.givens:
            allowed &= self._possible_by_depth[0]
        if self.problem.start is not None:
            return np.array([self.problem.start], dtype=np.int32)[allowed[[self.problem.start]]]
        candidates = np.flatnonzero(allowed).astype(np.int32)
        by_degree = candidates[np.argsort(self.graph.degrees[candidates], kind="stable")]
        return candidates if self._as_numbered else by_degree

    def rooted_problem(self, root: int) -> RootedProblem:
        """Return the problem of finding a path from this root: the graph, where the path may end and which moves it
        must make."""
        problem, graph = self.problem, self.graph
        must = np.full(graph.order, -1, dtype=np.int32)
        for vertex, partners in self._required.items():
            if len(partners) == 1:
                must[vertex] = partners[0]
        may_end = np.zeros(graph.order, dtype=np.bool_)
        reversible = False
        if not problem.closed:
            may_end[:] = self._free_ends[1]
        else:
            may_end[graph.reversed.neighbours(root)] = True
            partners = [] if problem.timed else self._required.get(root, [])
            if problem.end is None and partners and not graph.directed:
                may_end[:] = np.arange(graph.order) == partners[0]
                partners = partners[1:]
            reversible = not (graph.directed or problem.timed) and problem.end is None and not self._required.get(root)
            onward = [partner for partner in partners if partner != problem.end]
            must[root] = onward[0] if onward else -1
            may_end &= len(onward) < 2
        if problem.end is not None:
            may_end &= np.arange(graph.order) == problem.end
        may_end[root] = False
        if self._colours is not None:
            may_end &= (self._colours == self._colours[root]) == bool(graph.order % 2)
        possible = np.zeros((0, 0), dtype=np.bool_)
        first_or_last = self._required.get(root, []) if problem.closed else []
        if problem.givens or (problem.waypoints and first_or_last):
            possible = self._possible_by_depth.copy()
            possible[2:-1, first_or_last] = False  # the required moves at the root of a closed tour
        before = np.full(graph.order if problem.waypoints else 0, -1, dtype=np.int32)
        before[[*problem.waypoints[1:]]] = problem.waypoints[:-1]
        return RootedProblem(graph, root, may_end, must, reversible, possible, before)

    def tours_of(self, paths: NDArray[np.uint32]) -> Ints:
        """Return the tours that found paths stand for, a row each.

        They are reversed if the search ran backwards from the end, and rotated to visit number 1 if a closed tour was
        sought from a given.
        """
        tours = paths.astype(np.int32)
        if self.problem.givens and self.problem.closed:
            return np.roll(tours, self.problem.givens[0][1] - 1, axis=1)
        return tours[:, ::-1] if self.backwards else tours

    @cached_property
    def _possible_by_depth(self) -> Flags:
        """For problems with givens or waypoints, an array with a row for each depth of the path: a flag for each
        vertex, True if it can be there."""
        if not self.problem.givens:
            return np.ones((self.graph.order, self.graph.order), dtype=np.bool_)
        possible = timetable(self.problem).possible
        return np.roll(possible, 1 - self.problem.givens[0][1], axis=0) if self.problem.closed else possible

    @cached_property
    def _free_ends(self) -> tuple[Flags, Flags]:
        """Two arrays with a flag for each vertex: True if an open tour may begin at it, or end at it, as far as
        required edges say."""
        may_begin, may_end = np.ones((2, self.graph.order), dtype=np.bool_)
        if self.graph.directed:
            may_begin[[head for _, head in self.problem.require]] = False
            may_end[[tail for tail, _ in self.problem.require]] = False
        else:
            taken = [vertex for vertex, partners in self._required.items() if len(partners) == 2]
            may_begin[taken] = may_end[taken] = False
        return may_begin, may_end


def _enforce_conditions(problem: Problem) -> tuple[Graph, dict[int, list[int]], bool]:
    """Return the graph without the edges that are forbidden or ruled out by required ones, the required neighbours of
    each vertex of an undirected graph, and False if the required edges surely don't fit.

    True does not promise that the required edges fit into a tour.
    """
    graph = problem.allowed
    required: dict[int, list[int]] = {}
    if not problem.require:
        return graph, required, True
    tails, heads = (np.array(ends, dtype=np.int32) for ends in zip(*problem.require, strict=True))
    keys = tails.astype(np.int64) * graph.order + heads
    arcs_tails, arcs_heads = graph.edges()
    spare = ~np.isin(arcs_tails.astype(np.int64) * graph.order + arcs_heads, keys)
    if graph.directed:
        may_fit = len(set(tails.tolist())) == len(tails) == len(set(heads.tolist()))
        spare &= np.isin(arcs_tails, tails) | np.isin(arcs_heads, heads)
    else:
        for tail, head in problem.require:
            required.setdefault(tail, []).append(head)
            required.setdefault(head, []).append(tail)
        may_fit = all(len(partners) <= 2 for partners in required.values())
        full = [vertex for vertex, partners in required.items() if len(partners) == 2]
        spare &= np.isin(arcs_tails, full) | np.isin(arcs_heads, full)
    graph = graph.without(zip(arcs_tails[spare].tolist(), arcs_heads[spare].tolist(), strict=True))
    return graph, required, may_fit and all(graph.has_arc(*move) for move in problem.require)


# --- the search in C ---


@dataclass(frozen=True, eq=False)
class TieOrder:
    """The arcs of a graph, each row in the order in which ties are tried, and the key by which candidates are
    compared."""

    indices: Ints
    key: int


class PathSearch(Record):
    """A search under way, as `paths.c` describes it; memory is linear in vertices and arcs."""

    order: int
    longest_row: int
    tour_rows: int
    ring_size: int
    times: int
    waypoints: int
    indptr: Annotated[Naturals, "order+1"]
    indices: Naturals
    in_indptr: Annotated[Naturals, "order+1"]
    in_indices: Naturals
    may_end: Annotated[Bytes, "order"]
    possible: Annotated[Bytes, "times*order"]
    before: Annotated[Naturals, "waypoints"]
    must: Annotated[Naturals, "order"]
    path: Annotated[Naturals, "order"]
    visited: Annotated[Bytes, "order"]
    exits: Annotated[Naturals, "order"]
    entries: Annotated[Naturals, "order"]
    candidates: Naturals
    cursor: Annotated[Naturals, "order"]
    stop: Annotated[Naturals, "order"]
    keys: Annotated[Longs, "longest_row+1"]
    marks: Naturals
    queue: Naturals
    random: Annotated[NDArray[np.uint64], "1"]
    counters: Annotated[Longs, "20"]
    tours: Annotated[Naturals, "tour_rows*order"]
    found_at: Annotated[Longs, "tour_rows"]
    ring: Annotated[Ints, "ring_size"]

    def with_rows(self, rows: int) -> PathSearch:
        """Return the same search with room for ``rows`` tours at a time."""
        tours, found_at = np.empty((rows, self.order), dtype=np.uint32), np.zeros(rows, dtype=np.int64)
        return self.replace(tour_rows=rows, tours=tours, found_at=found_at)


@kernel
def paths_search(search: PathSearch, budget: int, most_positions: int) -> int:
    """Search until the rows of tours or the buffer of events are full, a limit is met or nothing is left; return a code
    for the reason.

    ``budget`` bounds the moves tried (and the vertices gone through for connectivity) in this call, ``most_positions``
    the positions of the whole search. `PAUSED`, `FOUND` and `RING_FULL` go on at the next call, after tours and ring
    are emptied.
    """


@kernel
def paths_probe(
    scratch: PathSearch,
    even: PathSearch,
    odd: PathSearch,
    colours: Annotated[Bytes, "turns"],
    roots: Annotated[Naturals, "turns"],
    turns: int,
    apart: bool,
    weights: Annotated[Floats, "probes"],
    probes: int,
) -> int:
    """Walk ``probes`` random paths from the roots in turn, and write the logarithm of the weight of each, minus
    infinity if it is no tour.

    ``even`` and ``odd`` are unstarted searches from a root of either colour, ``scratch`` another. ``apart`` says that
    no two neighbours of a vertex are neighbours: the graph is undirected and bipartite.
    """


@kernel
def paths_fault(search: PathSearch) -> int:
    """Return 0 while the state satisfies the invariant in `paths.c`, else the number of the first condition that
    fails."""


def new_path_search(
    rooted: RootedProblem,
    ties: TieOrder,
    *,
    prune: int,
    backtrack: bool = True,
    traced: bool = False,
    random: NDArray[np.uint64] | None = None,
) -> PathSearch:
    """Return an unstarted search for the paths of a rooted problem, with these prunings and this order of ties.

    ``prune`` is a sum of the bit flags above; with ``traced`` it fills the ring of events. ``random`` is the one-word
    state of the random order, shared by searches that continue each other's sequence.
    """
    graph, order, directed = rooted.graph, rooted.graph.order, rooted.graph.directed
    # Unsound prunings are left off: a tour can be read backwards only if its two directions are alike.
    prune &= ~(EXITS * directed | REVERSAL * (not rooted.reversible))
    exits = graph.degrees.astype(np.uint32)
    most_exits = int(exits.max(initial=0))
    incoming = graph.reversed
    indptr, indices = graph.indptr.view(np.uint32), ties.indices.view(np.uint32)
    search = PathSearch(
        order=order,
        longest_row=most_exits,
        tour_rows=1,
        ring_size=(RING_RECORDS + most_exits) * RECORD if traced else 0,
        times=len(rooted.possible),
        waypoints=len(rooted.before),
        indptr=indptr,
        indices=indices,
        in_indptr=incoming.indptr.view(np.uint32) if directed else indptr,
        in_indices=incoming.indices.view(np.uint32) if directed else indices,
        may_end=rooted.may_end.astype(np.uint8),
        possible=np.ascontiguousarray(rooted.possible).view(np.uint8),
        before=_none_as_order(rooted.before, order),
        must=_none_as_order(rooted.must, order),
        path=np.zeros(order, dtype=np.uint32),
        visited=np.zeros(order, dtype=np.uint8),
        exits=exits,
        entries=incoming.degrees.astype(np.uint32) if directed else exits,
        candidates=np.empty(len(graph.indices), dtype=np.uint32),
        cursor=np.zeros(order, dtype=np.uint32),
        stop=np.zeros(order, dtype=np.uint32),
        keys=np.zeros(most_exits + 1, dtype=np.int64),
        marks=np.zeros(order if prune & CONNECTED else 0, dtype=np.uint32),
        queue=np.zeros(order if prune & CONNECTED else 0, dtype=np.uint32),
        random=np.ones(1, dtype=np.uint64) if random is None else random,
        counters=np.zeros(COUNTERS, dtype=np.int64),
        tours=np.empty((1, order), dtype=np.uint32),
        found_at=np.zeros(1, dtype=np.int64),
        ring=np.empty((RING_RECORDS + most_exits) * RECORD if traced else 0, dtype=np.int32),
    )
    counters = search.counters
    counters[ROOT], counters[KEY], counters[PRUNE], counters[BACKTRACK] = rooted.root, ties.key, prune, backtrack
    counters[DIRECTED], counters[TRACING] = directed, traced
    told_apart = directed or traced or rooted.possible.size or rooted.before.size or (rooted.must >= 0).any()
    counters[PLAIN] = ties.key == BY_EXITS and prune == 0 and backtrack and not told_apart
    end, entries = rooted.may_end, search.entries
    counters[ENDS_LEFT], counters[NO_ENTRY] = end.sum(), (entries == 0).sum()
    counters[NO_EXIT], counters[NO_EXIT_END] = (~end & (exits == 0)).sum(), (end & (exits == 0)).sum()
    counters[ONE_EXIT], counters[ONE_EXIT_END] = (~end & (exits == 1)).sum(), (end & (exits == 1)).sum()
    return search


def _none_as_order(vertices: Ints, order: int) -> Naturals:
    """Return a copy of the vertices in which ``order`` stands for none in place of -1."""
    return np.where(vertices < 0, order, vertices).astype(np.uint32)
