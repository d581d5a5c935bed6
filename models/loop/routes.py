"""Several routes, or one that leaves vertices out, as 2-factors with a price: the items and the cuts of `best_cpsat`.

The fewest paths, the fewest closed tours, and the longest of either are 2-factors of a graph with more edges, where
some of the *items*, the edges and what else may be chosen, have the price 1; the best routes have the least price.

    minimise the sum of x[i] over the items i that have a price
    sum of x[e] over the edges e at v = 2               for each vertex v, a loop counted twice

*Fewest paths.* A vertex more, at which any number of edges is used, is joined twice to each vertex of the graph; these
edges have the price: two of them for each path, whose ends they are.

    sum of x[e] over the edges e that leave S >= 2      for the vertices S of a cycle

*Longest route.* Each vertex that may be left out has a loop, the price of leaving it out; the ends of a path are joined
to a vertex more, which no path leaves out. With u in S, and w a vertex outside, which is not needed where one outside
can't be left out (generalised subtour elimination: Fischetti, Salazar González & Toth 1998):

    sum of x[e] over the edges e that leave S >= 2 - 2 x[loop of u] - 2 x[loop of w]

*Fewest cycles.* Each cycle has a root, an item that is no edge; the roots have the price.

    sum of x[e] over the edges e that leave S + 2 * sum of root[v] over v in S >= 2

Each solution's cycles are merged before they are cut off, by which vertices left out are inserted too, and what comes
of them may be the best, as the longest closed tour of 31x31 is in the second round. Directed graphs have split
vertices, where a vertex is left out by a second edge between its halves.

All degrees but that of a path's vertex more are two, and each cut set is of vertices without it: so an even number of
its edges is used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from cpsat_tour.core.problem import Move
from cpsat_tour.core.reduction import CycleProblem, cycle_of_one_route, to_cycle, undirected, with_edges, with_hub
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import routes_of
from cpsat_tour.engines.best_search import BestSearch, RoutesGoal
from cpsat_tour.models.loop.merging import Merging
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, cut_set

MOST_ROWS = 16
"""The most rows that are stated for one cycle, each about another vertex of it."""


class PricedRoutes(ABC):
    """A goal about routes as items with prices, and the rows that a choice of items violates.

    Edge ``e`` of the ``cycle`` problem is item ``e``; items that are no edges, ``others`` in number, come after them.
    The ``priced`` items have the price 1; ``least`` and ``most`` bound how many of them are chosen. At the vertex
    ``open_at``, the last one, any number of edges is used. ``parts`` is the number of vertices that stand for one of
    the graph, ``each`` the price of one of several routes.
    """

    least, others, each = 0, 0, 1
    open_at: int | None = None

    def __init__(self, run: BestSearch[RoutesGoal], cycle: CycleProblem, priced: range) -> None:
        self.run, self.goal, self.cycle, self.priced, self.most = run, run.goal, cycle, priced, len(priced)
        self.graph, self.parts = run.goal.problem.graph, 2 if run.goal.problem.graph.directed else 1
        self._merging = Merging(cycle)
        if run.bound is not None:
            known = self.graph.order - run.bound if self.goal.maximize else self.each * run.bound
            self.least = max(self.least, known)

    @abstractmethod
    def violated(self, chosen: EdgeNumbers) -> list[CutSet]:
        """Return the rows that the chosen items violate, and offer the run the routes found among them."""

    def offer_bound(self, least: int) -> None:
        """Offer the run the bound that follows from a least price; CP-SAT claims it."""
        self.run.offer_bound(self.graph.order - least if self.goal.maximize else -(-least // self.each), "claimed")

    def routes(self, edges: EdgeNumbers) -> tuple[list[Ints], list[Ints]]:
        """Return the paths and the cycles of the graph that a solution's edges form.

        A vertex left out is a path.
        """
        ends = np.stack([self.cycle.tails[edges], self.cycle.heads[edges]], axis=1)
        if self.graph.directed:
            ends = np.where((ends[:, :1] % 2 == 1), ends, ends[:, ::-1]) // 2  # from the half that is left
        ends = ends[(ends[:, 0] != ends[:, 1]) & (ends < self.graph.order).all(axis=1)]
        return routes_of(self.graph.order, list(map(tuple, ends.tolist())), directed=self.graph.directed)

    def shore(self, vertices: Ints) -> tuple[Ints, Ints]:
        """Return the vertices of the cycle problem that stand for these vertices of the graph, and the cut set of the
        former."""
        shore = (self.parts * vertices[:, None] + np.arange(self.parts)).ravel()
        return shore, cut_set(self.cycle, shore.tolist())


class FewestPaths(PricedRoutes):
    """The items of the goal of fewest paths: the last vertex joins the paths, which pay for two ends each."""

    each = 2

    def __init__(self, run: BestSearch[RoutesGoal]) -> None:
        edges = 1 if run.goal.problem.graph.directed else 2
        cycle = with_hub(run.goal.problem, edges)
        self.open_at = cycle.order - 1
        super().__init__(run, cycle, range(cycle.size - edges * self.open_at, cycle.size))

    def violated(self, chosen: EdgeNumbers) -> list[CutSet]:
        """Return the cut sets of a solution's cycles, and offer the run its paths.

        Each cycle is cut open to a path at a move that is not required.
        """
        (paths, cycles), needed = self.routes(chosen), {*self.goal.problem.require}
        opened = [route for cycle in cycles if (route := _cut_open(cycle, needed)) is not None]
        if len(opened) == len(cycles):
            self.run.offer(paths + opened)
        return [CutSet(*self.shore(cycle)) for cycle in cycles]


class FewestCycles(PricedRoutes):
    """The items of the goal of fewest cycles: each cycle pays for a root."""

    least = 1

    def __init__(self, run: BestSearch[RoutesGoal]) -> None:
        cycle, self.others = to_cycle(undirected(run.goal.problem)), run.goal.problem.graph.order
        super().__init__(run, cycle, range(cycle.size, cycle.size + self.others))

    def violated(self, chosen: EdgeNumbers) -> list[CutSet]:
        """Return the cut sets of those cycles of a solution that no root pays for, and offer the run all cycles as
        routes.

        Merging joins cycles first, as far as that goes.
        """
        size = self.cycle.size
        edges, roots = chosen[chosen < size], {*(chosen[chosen >= size] - size).tolist()}
        (_, cycles), (_, merged) = self.routes(edges), self.routes(self._merging.merge(edges))
        self.run.offer(merged)
        rootless = [[cycle for cycle in some if roots.isdisjoint(cycle.tolist())] for some in (merged, cycles)]
        return [
            CutSet(*self.shore(cycle), unless=[size + vertex for vertex in cycle.tolist()])
            for cycle in rootless[0] or rootless[1]
        ]


class Longest(PricedRoutes):
    """The items of the goal of a longest route: a loop at each vertex that may be left out has a price."""

    def __init__(self, run: BestSearch[RoutesGoal]) -> None:
        problem = run.goal.problem
        cycle = cycle_of_one_route(problem)
        self._optional, parts = sorted(run.goal.optional), 2 if problem.graph.directed else 1
        loops = parts * np.array(self._optional, dtype=np.int32)
        priced = range(cycle.size, cycle.size + len(loops))
        super().__init__(run, with_edges(cycle, loops, loops + parts - 1, np.zeros(len(loops), dtype=bool)), priced)
        self._loops = dict(zip(self._optional, priced, strict=True))
        self.most = min(self.most, problem.graph.order - (1 if not problem.closed else 2 if self.parts == 2 else 3))
        self._anchored = not problem.closed or len(loops) < problem.graph.order

    def violated(self, chosen: EdgeNumbers) -> list[CutSet]:
        """Return the rows that cut off all cycles but the main route, and offer the run this route if it visits all
        that can't be left out.

        Merging joins cycles first, as far as that goes.
        """
        first, rows = self.priced.start, list[CutSet]()
        left = {self._optional[loop] for loop in (chosen[chosen >= first] - first).tolist()}
        main, others = self._main_and_others(chosen, left)
        if self.parts == 1:  # merging does not tell a loop of split vertices from the edge beside it
            merged = self._merging.merge(chosen)
            loops = self.cycle.tails[merged][self.cycle.tails[merged] == self.cycle.heads[merged]]
            rows = self._rows(*self._main_and_others(merged, {*loops.tolist()}), left)
        return rows or self._rows(main, others, left)

    def _main_and_others(self, edges: EdgeNumbers, left: set[int]) -> tuple[Ints, list[Ints]]:
        """Return the main route of a solution and its other cycles; offer the run the main route if it visits all that
        can't be left out.

        The main route of open ones is the path.
        """
        paths, cycles = self.routes(edges)
        needed = {*range(self.graph.order)} - self.goal.optional
        routes = cycles if self.goal.problem.closed else [path for path in paths if path[0] not in left]
        main = max(routes, key=lambda route: (not needed.isdisjoint(route.tolist()), len(route)))
        if needed <= {*main.tolist()}:
            self.run.offer([main])
        return main, [cycle for cycle in cycles if cycle is not main]

    def _rows(self, main: Ints, others: Sequence[Ints], left: set[int]) -> list[CutSet]:
        """Return rows that cut off the other cycles: two edges leave such a cycle, unless one of its vertices, or one
        that the main route visits now, is left out.

        There are some for each cycle, about several of its vertices. Merging makes cycles of vertices left out too,
        which violate nothing.
        """
        visited, rows = [vertex for vertex in main.tolist() if vertex not in left], list[CutSet]()
        for cycle in others if visited else []:
            shore, edges = self.shore(cycle)
            inside = sorted(vertex for vertex in cycle.tolist() if vertex not in left)
            needed = [vertex for vertex in inside if vertex not in self._loops]
            for number, vertex in enumerate(needed[:1] or inside[:: 1 + len(inside) // MOST_ROWS]):
                unless = [self._loops[vertex]] if vertex in self._loops else []
                if not self._anchored:
                    unless.append(self._loops[visited[number * len(visited) // MOST_ROWS]])
                rows.append(CutSet(shore, edges, unless))
        return rows


def _cut_open(cycle: Ints, needed: set[Move]) -> Ints | None:
    """Return a cycle as a path, without one of the moves that are not needed; None if all are needed."""
    moves = zip(np.roll(cycle, 1).tolist(), cycle.tolist(), strict=True)
    free = (shift for shift, (tail, head) in enumerate(moves) if {(tail, head), (head, tail)}.isdisjoint(needed))
    return next((np.roll(cycle, -shift) for shift in free), None)
