"""What all runs of the frontier method share: the graph that is swept, its states as numbers, tables of them, and the
steps that make new states of old ones.

A state says of each vertex of the frontier how many of its edges are chosen and, where that is one, which vertex of the
frontier is the other end of its path, its *mate*. It is packed into 64 bits as `frontier.c` says; over more than
`MOST_PLACES` vertices those of many paths don't fit, and a search loses them.

A table has rows ``(state, limb 0, limb 1, ...)``: the limbs of the state's count, least first.

A step chooses the edges from one vertex to later ones. The vertex then leaves the frontier, and those that the edges
lead to have entered it. So a graph is swept vertex by vertex, or in parts that are joined later: a part knows only the
frontier that it leaves, its `Places`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations, pairwise, product
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Edge, Graph
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Clock
from cpsat_tour.core.space import Bytes, Longs

Words = NDArray[np.uint64]

MOST_PLACES, MOST_IN_SEARCH = 21, 24

EMPTY = CLOSED = np.uint64(2**64 - 1)
"""The number in place of a state in an unused row of a table, and where a cycle through all vertices closes, less the
number of places that it leaves out."""
LOST = np.uint64(2**64 - 64)  # in place of a state that doesn't fit; no state is as large


class TooLarge(StoppedEarly):
    """Raised if the frontier method needs, or may need, more memory than it is given."""


# --- graphs and frontiers ---


@dataclass(frozen=True)
class SweptGraph:
    """The graph whose Hamiltonian cycles through all required edges are counted or sought.

    Where several edges may join two vertices, ``parallel`` has the parity of each by their ends, the lesser first. If
    ``odd``, only the cycles whose parities add up to an odd number count, and states keep the parity.
    """

    graph: Graph
    neighbours: Sequence[set[int]]
    required: Mapping[int, set[int]]  # for each vertex the other ends of its required edges
    apex: int | None = None
    parallel: Mapping[Edge, tuple[int, ...]] = field(default_factory=dict)
    odd: bool = False
    optional: Collection[int] = ()  # the vertices that a cycle may leave out

    @cached_property
    def begun(self) -> list[Edge]:
        """The required edges of the extra vertex that joins the ends of open tours (the apex).

        A sweep chooses them first, and sees a cycle that closes too early at once.
        """
        return [] if self.apex is None else [(self.apex, end) for end in sorted(self.required[self.apex])]

    @cached_property
    def colours(self) -> list[int]:
        """The colour of each vertex of a connected bipartite graph, 1 or -1; empty for other graphs."""
        colours, components = self.graph.colours, self.graph.components
        return [] if colours is None or components.any() else (1 - 2 * colours).tolist()


def swept_graph_of(cycle: CycleProblem, clock: Clock) -> SweptGraph:
    """Return the graph to be swept for an undirected cycle problem; `StoppedEarly` when the time is over."""
    graph = Graph.from_edges(cycle.order, np.stack([cycle.tails, cycle.heads], axis=1))
    neighbours = []
    for begin, end in pairwise(graph.indptr.tolist()):
        clock.check()
        neighbours.append(set(graph.indices[begin:end].tolist()))
    required: Mapping[int, set[int]] = defaultdict(set)
    ends = (cycle.tails[cycle.required].tolist(), cycle.heads[cycle.required].tolist())
    for tail, head in zip(*ends, strict=True):
        required[tail].add(head)
        required[head].add(tail)
    return SweptGraph(graph, neighbours, required, cycle.apex)


@dataclass(frozen=True)
class Places:
    """The frontier between a part of the graph that is swept and the rest: its vertices, in the order of their places.

    ``swept`` has for each of them how many of its neighbours left the frontier, ``chosen`` how many of its required
    edges are chosen; ``gone`` vertices left in all, ``needed`` of them such as no cycle may leave out.
    """

    swept: dict[int, int] = field(default_factory=dict)
    chosen: dict[int, int] = field(default_factory=dict)
    gone: int = 0
    needed: int = 0

    def __add__(self, other: Places) -> Places:
        """Return the frontier of both parts together, which have no vertex in common that is gone."""
        swept, chosen = (
            {vertex: one.get(vertex, 0) + two.get(vertex, 0) for vertex in [*one, *two]}
            for one, two in ((self.swept, other.swept), (self.chosen, other.chosen))
        )
        return Places(swept, chosen, self.gone + other.gone, self.needed + other.needed)

    def to_come(self, graph: SweptGraph) -> tuple[int, int]:
        """Return how many vertices the sweep has not met yet, and how many of these no cycle may leave out."""
        needed = sum(vertex not in graph.optional for vertex in self.swept)
        order = len(graph.neighbours)
        return order - self.gone - len(self.swept), order - len(graph.optional) - self.needed - needed

    def may_close(self, graph: SweptGraph) -> bool:
        """Return True if a cycle may close here: all vertices were met, or some may be left out."""
        return bool(graph.optional) or self.to_come(graph)[0] == 0

    def lacking(self, graph: SweptGraph, required: int) -> int:
        """Return, as bits, the places whose vertices still lack exactly ``required`` of their required edges."""
        lack = (len(graph.required[vertex]) - chosen == required for vertex, chosen in self.chosen.items())
        return bits(lack)

    def optional(self, graph: SweptGraph) -> int:
        """Return, as bits, the places whose vertices a cycle may leave out."""
        return bits(vertex in graph.optional for vertex in self.swept)

    def tight(self, graph: SweptGraph, leaving: int | None = None) -> Words:
        """Return an array of the places that may run out of edges: a row for each vertex with fewer than two neighbours
        that the sweep has not met.

        A row has the place, the set of places of its neighbours in the frontier, and the number of those not met.
        Vertices that may be left out, and ``leaving``, which is about to go, have none.
        """
        rows = []
        for place, (vertex, swept) in enumerate(self.swept.items()):
            if vertex != leaving and vertex not in graph.optional:
                near = graph.neighbours[vertex]
                inside = bits(other != leaving and other in near for other in self.swept)
                if (outside := len(near) - swept - inside.bit_count()) < 2:
                    rows.append((place, inside, outside))
        return np.array(rows, dtype=np.uint64).reshape(-1, 3)


def bits(flags: Iterable[bool]) -> int:
    """Return the places whose flags are true, as bits of a number."""
    return sum(flag << place for place, flag in enumerate(flags))


# --- tables ---


class StateTable(Record):
    """A hash table with linear probing, at most ``most`` of its rows in use."""

    capacity: int
    columns: int
    most: int
    rows: Annotated[Words, "capacity*columns"]
    used: Annotated[Longs, "1"]


def empty_table(capacity: int, columns: int, most: int) -> StateTable:
    """Return an empty hash table with ``capacity`` rows, of which at most ``most`` may be used."""
    rows = np.full((capacity, columns), EMPTY, dtype=np.uint64)
    return StateTable(capacity=capacity, columns=columns, most=most, rows=rows, used=np.zeros(1, dtype=np.int64))


@kernel
def frontier_merge(table: StateTable, rows: Words, begin: int, end: int) -> int:
    """Add the states in rows ``begin`` to ``end`` to the hash table; return ``end``, or the row to go on from if the
    table is full."""


@kernel
def frontier_renumber(
    rows: Words, end: int, columns: int, width: int, number: Words, joint: int, done: Words, ends: Words, mates: Bytes
) -> int:
    """Translate the states in ``rows`` to the numbers of the joint places, and write their ``done`` places, ``ends``
    and ``mates``; return the number of rows."""


def renumbered(rows: Words, places: Sequence[int], joint: Sequence[int]) -> tuple[Words, Words, Bytes]:
    """Unpack the states in ``rows`` from the numbering of their own ``places`` to that of the larger set ``joint``.

    Return three arrays: the places that are done and the ends of paths, both as bits, and the mate of each end."""
    states, columns = rows.shape
    done, ends = np.zeros((2, states), dtype=np.uint64)
    mates = np.zeros((states, len(joint)), dtype=np.uint8)
    number: Words = np.array([joint.index(place) for place in places], dtype=np.uint64)
    frontier_renumber(rows, states, columns, len(places), number, len(joint), done, ends, mates)
    return done, ends, mates


@kernel
def frontier_fault(table: StateTable, width: int, odd: int) -> int:
    """Return 0 while the table and its states satisfy the invariants in `frontier.c`, else the number of the first
    condition that fails."""


# --- steps ---


class SweepStep(Record):
    """One step of the dynamic program. Its places are the vertices of the frontier before it, then those that enter;
    sets of places are bits of a number."""

    before: int  # the number of places before the step
    width: int  # the same with the vertices that enter
    vertex: int  # the place of the vertex whose edges are chosen
    leaves: bool  # whether it then leaves the frontier, its two edges chosen; if not, it may have fewer
    last: bool  # whether a cycle may close: all vertices to come are in the frontier, or some may be left out
    odd: bool  # whether the top bit of a state is the parity of the edges chosen, and only odd cycles count
    number: int  # how many choices there are
    tights: int
    roomy: int  # the places where two edges may be chosen by the end of the step
    narrow: int  # the places where one may: a required edge to come keeps the other's room free
    free: int  # the places that may be left out: untouched when they leave
    choices: Annotated[Words, "4*number"]
    """The edges that may be chosen, as rows ``(places of the other ends, first of them, last of them, parity in the top
    bit)``, by number of edges."""
    tight: Annotated[Words, "3*tights"]  # see `Places.tight`
    offsets: Annotated[Longs, "4"]  # for each number of edges the first of its rows, and the number of all rows


def step_at(
    graph: SweptGraph, before: Places, vertex: int, heads: Collection[int], *, leaves: bool = True
) -> tuple[SweepStep, Places]:
    """Return the step that chooses edges from a vertex to ``heads``, and the frontier after it.

    The vertex leaves the frontier unless ``leaves`` is False.
    """
    places = list(dict.fromkeys([*before.swept, vertex, *heads]))
    near, wanted = graph.neighbours[vertex] if leaves else (), graph.required[vertex].intersection(heads)
    after = Places(
        {place: before.swept.get(place, 0) + (place in near) for place in places},
        {place: before.chosen.get(place, 0) + (place in wanted) for place in places},
        before.gone,
        before.needed,
    )
    after.chosen[vertex] += len(wanted)
    edges = ((head, (min(vertex, head), max(vertex, head))) for head in heads)
    choices, offsets = _choices(
        tuple(sorted((places.index(head), graph.parallel.get(edge, (0,))) for head, edge in edges)),
        frozenset(map(places.index, wanted)),
    )
    tight = after.tight(graph, vertex) if leaves else np.empty((0, 3), dtype=np.uint64)
    step = SweepStep(
        before=len(before.swept),
        width=len(places),
        vertex=places.index(vertex),
        leaves=leaves,
        last=leaves and after.may_close(graph),
        odd=graph.odd,
        roomy=after.lacking(graph, 0),
        narrow=after.lacking(graph, 1),
        free=after.optional(graph),
        number=len(choices),
        tights=len(tight),
        choices=choices,
        offsets=offsets,
        tight=tight,
    )
    if not leaves:
        return step, after
    del after.swept[vertex], after.chosen[vertex]
    return step, replace(after, gone=after.gone + 1, needed=after.needed + (vertex not in graph.optional))


@lru_cache(maxsize=1 << 12)
def _choices(heads: tuple[tuple[int, tuple[int, ...]], ...], wanted: frozenset[int]) -> tuple[Words, Longs]:
    """Return the arrays `SweepStep.choices` and `SweepStep.offsets` for a vertex with these heads, of which the
    ``wanted`` ones are chosen.

    A choice has at most two edges; of several edges to a place, given by their parities, each is a choice. The offsets
    say where the choices of 0, 1 and 2 edges begin.
    """
    rows, offsets = [], [0]
    for number in range(3):
        for chosen in combinations(heads, number):
            places = [place for place, _ in chosen]
            if wanted <= set(places):
                first, last = (places[0], places[-1]) if places else (0, 0)
                for parities in product(*(parities for _, parities in chosen)):
                    rows.append(((1 << first | 1 << last) * bool(places), first, last, sum(parities) % 2 << 63))
        offsets.append(len(rows))
    return np.array(rows, dtype=np.uint64).reshape(-1, 4), np.array(offsets, dtype=np.int64)


class Buffers(Record):
    """New states before they are merged into tables: each shard has ``rows`` rows, of which ``fill`` are in use, with
    counts or with `ways`."""

    rows: int
    columns: int
    search: bool
    buffers: Annotated[Words, "rows*columns"]
    total: Annotated[Words, "columns"]  # the number of cycles through all vertices that closed; a search keeps states
    fill: Annotated[Longs, "1"]
    ways: Longs
    """Of a search, for each state the row that it comes from, times the number of choices, plus the choice."""


def new_buffers(shards: int, rows: int, columns: int, *, search: bool = False) -> Buffers:
    """Return empty buffers with ``rows`` rows for each of the shards."""
    return Buffers(
        rows=rows,
        columns=columns,
        search=search,
        buffers=np.empty((shards, rows, columns), dtype=np.uint64),
        total=np.zeros(columns, dtype=np.uint64),
        fill=np.zeros(shards, dtype=np.int64),
        ways=np.empty(rows * search, dtype=np.int64),
    )


@kernel
def frontier_expand(step: SweepStep, table: Words, begin: int, end: int, shards: int, buffers: Buffers) -> int:
    """Write the successors of the states in rows ``begin`` to ``end`` into the buffers; return ``end``, or the row to
    go on from if a buffer is nearly full."""
