"""The path search as Python sees it: the state of a search in C (`paths.c`), and the prunings.

A closed tour is a path whose permitted ends are the vertices with an arc to the root. Candidates follow Warnsdorff's
rule (von Warnsdorff 1823): fewest exits first. Ties go by the order of the arcs, by the exits of the exits (Pohl 1967),
at random, or by direction orders that switch at given vertices (Squirrel & Cull 1996).

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
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.space import Bytes, Floats, Ints, Longs, Naturals
from cpsat_tour.native.rooted import RootedProblem

# How candidates are compared: not at all, by exits, and what breaks ties between equal exits (else the order of the
# arcs).
AS_THEY_COME, BY_EXITS, BY_SECOND_LEVEL, AT_RANDOM, BY_PHASE = range(5)

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
class TieOrder:
    """The arcs of a graph, each row in the order in which ties are tried, and the key by which candidates are
    compared."""

    indices: Ints
    key: int
    octants: Bytes
    phase_ranks: Bytes
    switches: Ints


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
    octants: Bytes
    phase_ranks: Bytes
    switches: Naturals
    path: Annotated[Naturals, "order"]
    visited: Annotated[Bytes, "order"]
    exits: Annotated[Naturals, "order"]
    entries: Annotated[Naturals, "order"]
    candidates: Naturals
    cursor: Annotated[Naturals, "order"]
    stop: Annotated[Naturals, "order"]
    phase: Bytes
    keys: Annotated[Longs, "longest_row+1"]
    marks: Naturals
    queue: Naturals
    random: Annotated[NDArray[np.uint64], "1"]
    counters: Annotated[Longs, "20"]
    tours: Annotated[Naturals, "tour_rows*order"]
    found_at: Annotated[Longs, "tour_rows"]
    ring: Annotated[Ints, "ring_size"]

    def with_rows(self, rows: int) -> PathSearch:
        """Return the same search with room for so many tours at a time."""
        tours, found_at = np.empty((rows, self.order), dtype=np.uint32), np.zeros(rows, dtype=np.int64)
        return self.replace(tour_rows=rows, tours=tours, found_at=found_at)


@kernel
def paths_search(search: PathSearch, budget: int, most_positions: int) -> int:
    """Search until the rows of tours or the ring are full, a limit is met or nothing is left; return which.

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
    """Run so many probes, their roots taking turns, and write the logarithm of the weight of each.

    ``even`` and ``odd`` are unstarted searches from a root of either colour, ``scratch`` another. ``apart`` says that
    no two neighbours of a vertex are neighbours: the graph is undirected and bipartite.
    """


@kernel
def paths_fault(search: PathSearch) -> int:
    """Return the number of a broken sentence of the invariant, or 0."""


def new_path_search(
    rooted: RootedProblem,
    ties: TieOrder,
    *,
    prune: int,
    backtrack: bool = True,
    traced: bool = False,
    random: NDArray[np.uint64] | None = None,
) -> PathSearch:
    """Return an unstarted search.

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
        octants=ties.octants,
        phase_ranks=ties.phase_ranks,
        switches=_none_as_order(ties.switches, order),
        path=np.zeros(order, dtype=np.uint32),
        visited=np.zeros(order, dtype=np.uint8),
        exits=exits,
        entries=incoming.degrees.astype(np.uint32) if directed else exits,
        candidates=np.empty(len(graph.indices), dtype=np.uint32),
        cursor=np.zeros(order, dtype=np.uint32),
        stop=np.zeros(order, dtype=np.uint32),
        phase=np.zeros(order if ties.key == BY_PHASE else 0, dtype=np.uint8),
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
    """Return the vertices with -1, which stands for none, replaced by the order of the graph."""
    return np.where(vertices < 0, order, vertices).astype(np.uint32)
