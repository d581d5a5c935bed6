"""Elimination orders for the frontier method as a search: vertices are eliminated one by one, and where parts of the
graph meet, their states are joined.

Eliminating a vertex joins its neighbours to each other; those that it has then are its *separator*. The parent of a
vertex in the *elimination tree* is the vertex of its separator that is eliminated first (Rose 1970; Liu 1990 for the
tree). The subtree of a vertex touches the rest of the graph in its separator alone, so the states of the frontier
method over the separators decide the graph (Arnborg & Proskurowski 1989).

Two kinds of orders are tried. A *sweep* is a tree without branches: the next vertex is the one in the frontier that
brings the fewest new vertices in (as in King 1970, for the profile of matrices), or a vertex from elsewhere if each of
them brings in several, as hubs do. Hubs make every sweep wide in which many parts of the graph are open at a time; a
tree by least fill, the edges that eliminations add (Tinney & Walker 1967), finishes one part after the other. On cubic
graphs with chains such a tree has a tenth of the work of one by least degrees, and less than those of nested dissection
(METIS) and of minimum cuts (FlowCutter). The work grows exponentially with the width, so the best order is the one with
the least sum of such exponentials. Ties are broken by chance: the best of a thousand sweeps has a tenth of the work of
a typical one. Twenty times as many save 2 % more, and moving single vertices as long as that helps 7 % (medians of 17
graphs), so neither is done.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from cpsat_tour.core.graph import Graph, row_starts
from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.runs import Clock
from cpsat_tour.core.space import Floats, Ints
from cpsat_tour.frontier.states import MOST_IN_SEARCH, SweptGraph

MOST_ORDERS, LEAST_ORDERS, MOST_VERTICES = 3000, 32, 1_000_000
"""Bounds on the orders tried, and on the vertices of all of them: some tenths of a second."""

VERTICES_A_STATE = 2
"""Vertices of the orders tried, at most, for each state to be expected: trying must not take longer than it saves."""

MANY = 2  # new vertices from which on a vertex outside the frontier may be better

STATES_A_PLACE = 2.5
STATES_REACHED = 10.0
"""The factor by which one more vertex in the frontier multiplies the possible states, and the number of these of which
one is reached: 5 to 20 on sparse graphs."""

DENSE_STATES = 50  # by how much more edges than in a sparse graph multiply the states: by 15 to 200

FAR_TOO_WIDE = 100
"""Wider separators count as if they had as many places: too many states already, and a thousand would overflow."""

MOST_TRIES = 4
STATES_A_VERTEX = 100
"""States that take as long as one vertex of an order by least fill."""

Separators = Mapping[int, frozenset[int]]  # the separator of each vertex, in the order in which they go


def eliminate_by_fill(neighbours: Sequence[Iterable[int]], seed: int) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield each vertex with its separator in the order of least fill: the next vertex is one whose elimination adds
    the fewest edges, less those that it removes.

    Ties are broken by chance.

    Edges are counted anew only for the neighbours of the last vertex, and pairs of neighbours that are joined already
    only where a separator has room for them: hubs would take quadratic time.
    """
    beside = [set(near) for near in neighbours]
    chance = random.Random(seed).random

    def entry(vertex: int) -> tuple[int, float, int]:
        """Return twice the difference of edges, what breaks ties, and the vertex."""
        near = beside[vertex]
        joined = (
            sum(map(len, map(near.intersection, map(beside.__getitem__, near)))) if len(near) < MOST_IN_SEARCH else 0
        )
        return len(near) * (len(near) - 3) - joined, chance(), vertex

    entries: dict[int, tuple[int, float, int]] = {vertex: entry(vertex) for vertex in range(len(beside))}
    waiting = list(entries.values())
    heapq.heapify(waiting)
    while waiting:
        first = heapq.heappop(waiting)
        vertex = first[2]
        if entries.get(vertex) is first:
            del entries[vertex]
            separator = _eliminate(vertex, beside)
            yield vertex, separator
            for neighbour in separator:
                entries[neighbour] = entry(neighbour)
                heapq.heappush(waiting, entries[neighbour])


def _eliminate(vertex: int, beside: Sequence[set[int]]) -> frozenset[int]:
    """Remove a vertex, join its neighbours to each other and return them."""
    separator = frozenset(beside[vertex])
    for neighbour in separator:
        beside[neighbour] |= separator
        beside[neighbour] -= {neighbour, vertex}
    return separator


@dataclass(frozen=True)
class TreePlan:
    """An elimination tree of a graph: ``separators`` has the neighbours that each vertex had when it was eliminated."""

    swept: SweptGraph
    separators: Separators

    @cached_property
    def below(self) -> dict[int, list[int]]:
        """The children of each vertex in the tree; the keys come subtree by subtree, each vertex after all below it."""
        turn = {vertex: number for number, vertex in enumerate(self.separators)}
        below: dict[int, list[int]] = {vertex: [] for vertex in self.separators}
        waiting, order = list[int](), list[int]()
        for vertex, separator in self.separators.items():
            siblings = below[min(separator, key=turn.__getitem__)] if separator else waiting
            siblings.append(vertex)
        while waiting:
            order.append(waiting.pop())
            waiting += below[order[-1]]
        return {vertex: below[vertex] for vertex in reversed(order)}


def best_elimination(swept: SweptGraph, most: float, places: int, clock: Clock) -> tuple[Separators | None, float]:
    """Return the separators of the best elimination order found, and an estimate of its number of states;
    `StoppedEarly` when the time is over.

    The separators are None if it has more than ``most`` states, or a step more than ``places``.

    Sweeps are tried first, then least fill until one is no better or has more than ``most`` states, as long as trying
    takes less time than it may save.
    """
    denser = 1 if swept.graph.is_sparse else DENSE_STATES
    sweep, states = narrow_order(swept.graph, places - 1, clock)
    states *= denser
    best: Separators | None = None
    for seed in range(MOST_TRIES):
        if (seed + 1) * len(swept.neighbours) * STATES_A_VERTEX >= states:
            break
        separators, cost, limit, fits = {}, 0.0, min(states, most), True
        for vertex, separator in eliminate_by_fill(swept.neighbours, seed):
            clock.check()
            separators[vertex] = separator
            fits &= len(separator) < places
            cost += denser * STATES_A_PLACE ** min(len(separator), FAR_TOO_WIDE) / STATES_REACHED
            if cost >= limit:
                break
        if cost >= limit:
            break
        if fits:
            best, states = separators, cost
    if best is None and states <= most:
        beside = [set(near) for near in swept.neighbours]
        best = {vertex: _eliminate(vertex, beside) for vertex in sweep.tolist()}
    return best, states


class GreedyOrder(Record):
    """The search for an order of vertices, as `frontier.c` describes it."""

    order: int
    most: int  # places of a frontier
    many: int
    first: Annotated[Ints, "order+1"]
    heads: Ints
    states: Annotated[Floats, "most+1"]  # about how many for each width of a frontier
    least: Annotated[Floats, "1"]  # the cost of the best order so far
    vertices: Annotated[Ints, "order"]
    fresh: Annotated[Ints, "order"]
    frontier: Annotated[Ints, "order"]
    sorted: Annotated[Ints, "order"]
    position: Annotated[Ints, "order"]
    bins: Annotated[Ints, "3"]


@kernel
def frontier_order(greedy: GreedyOrder, root: int, seed: int) -> int:
    """Make a greedy order from a root, in ``vertices``; return 1 if it is the best so far, 0 if it can't be."""


@kernel
def frontier_order_fault(greedy: GreedyOrder) -> int:
    """Return 0 while the state satisfies the invariant of the search for an order in `frontier.c`, else the number of
    the first condition that fails."""


def greedy_order(graph: Graph, most: int) -> GreedyOrder:
    """Return an unstarted search for an order of the vertices whose frontiers have at most ``most`` vertices."""
    degrees = np.diff(graph.indptr)
    by_degree = np.argsort(degrees, kind="stable").astype(np.int32)
    position = np.empty_like(by_degree)
    position[by_degree] = np.arange(graph.order)
    return GreedyOrder(
        order=graph.order,
        most=most,
        many=MANY,
        first=graph.indptr,
        heads=graph.indices,
        states=np.array([STATES_A_PLACE**size for size in range(most + 1)]),
        least=np.array([np.inf]),
        vertices=np.empty(graph.order, dtype=np.int32),
        fresh=degrees,
        frontier=np.empty(graph.order, dtype=np.int32),
        sorted=by_degree,
        position=position,
        bins=row_starts(np.bincount(degrees + 1, minlength=1)),
    )


def narrow_order(graph: Graph, most: int, clock: Clock) -> tuple[Ints, float]:
    """Return the best order of the vertices found, and an estimate of its number of states; an empty order and infinity
    if every order has a frontier of more than ``most`` vertices.

    `StoppedEarly` when the time is over.
    """
    order, greedy = graph.order, greedy_order(graph, most)
    written = greedy.fresh, greedy.sorted, greedy.position, greedy.bins
    unstarted, best = [array.copy() for array in written], greedy.vertices[:0]
    tries = max(LEAST_ORDERS, min(MOST_ORDERS, MOST_VERTICES // order))
    for attempt in range(tries):
        if attempt >= LEAST_ORDERS and attempt * order > VERTICES_A_STATE * greedy.least[0] / STATES_REACHED:
            break
        clock.check()
        for array, values in zip(written, unstarted, strict=True):
            array[:] = values
        root = attempt % order if order < tries else attempt * order // tries
        if frontier_order(greedy, root, attempt):
            best = greedy.vertices.copy()
    return best, float(greedy.least[0]) / STATES_REACHED
