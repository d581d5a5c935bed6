"""CP-SAT with cut sets added between solves, for the fewest paths, the fewest closed tours, and the longest of either:
the 2-factors of `lazy_cpsat`, with edges of a price.

    minimise the sum of x[e] over the edges e that have a price
    sum of x[e] over the edges e at v = 2               for each vertex v, a loop counted twice

*Fewest paths.* A vertex more, at which any number of edges is used, is joined twice to each vertex of the graph; these
edges have the price: two of them for each path, whose ends they are.

    sum of x[e] over the edges e that leave S >= 2      for the vertices S of a cycle

*Longest route.* Each vertex that may be left out has a loop, the price of leaving it out; the ends of a path are joined
to a vertex more, which no path leaves out. With u in S, and w a vertex outside, which is not needed where one outside
can't be left out (generalised subtour elimination: Fischetti, Salazar González & Toth 1998):

    sum of x[e] over the edges e that leave S >= 2 - 2 x[loop of u] - 2 x[loop of w]

*Fewest cycles.* Each cycle has a root; the roots have the price.

    sum of x[e] over the edges e that leave S + 2 * sum of root[v] over v in S >= 2

Each round has the best solution that no cut so far rules out. Its value is a bound, and the first that needs no cut is
a best one. Its cycles are merged before they are cut off, by which vertices left out are inserted too, and what comes
of them may be the best, as the longest closed tour of 31x31 is in the second round. Directed graphs have split
vertices, where a vertex is left out by a second edge between its halves. The bound is a claim.

Cost, for n vertices and m edges: m Booleans and up to 2n for those with a price, n equations, and the cuts.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.best_search import BestSearch, Conclusion
from cpsat_tour.backends.routes_goal import RoutesGoal
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.problem import Move, Problem
from cpsat_tour.core.reduction import CycleProblem, to_cycle
from cpsat_tour.core.routes import routes_of
from cpsat_tour.core.split_vertices import undirected
from cpsat_tour.formats.describe import plural
from cpsat_tour.models.drivers.cpsat import CpSat
from cpsat_tour.models.lazy_cpsat import TwoFactorModel
from cpsat_tour.models.loop.cutsets import cut_set
from cpsat_tour.models.loop.merging import Merging
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, cutting_planes

MOST_ROWS = 16
"""Rows that are stated for one cycle, each about another vertex of it."""


def improve_routes(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Solve to the optimum and cut off, round by round, until the best solution needs no cut; return the `Conclusion`
    that nothing is better. `StoppedEarly` at a limit. Work is counted in ``conflicts`` of all rounds together."""
    goal = run.goal
    kind = _Longest if goal.maximize else _FewestCycles if goal.problem.closed else _FewestPaths
    rounds = kind(goal, run)
    for _, violated in cutting_planes(rounds, rounds.violated, rounds.cycle, run):
        if not violated or run.value == run.bound:
            break
    cuts = plural(run.work["cut_sets"], "cut set")
    better = "" if run.best is None else "better "
    return Conclusion("claimed", f"CP-SAT reports that the degree constraints and {cuts} have no {better}solution")


class _Routes(TwoFactorModel):
    """The relaxation whose solution has the least price. ``priced`` has the literals of price 1, ``paid`` the places
    of those that are true in the last; ``parts`` is the number of vertices that stand for one of the graph."""

    priced: Sequence[cp_model.IntVar]
    paid: set[int]

    def __init__(
        self, goal: RoutesGoal, cycle: CycleProblem, run: BestSearch[RoutesGoal], open_at: int | None = None
    ) -> None:
        super().__init__(cycle, CpSat(linearization=2), run, open_at)
        self.goal, self.cycle, self.best, self.merging = goal, cycle, run, Merging(cycle)
        self.parts = 2 if goal.problem.graph.directed else 1

    @abstractmethod
    def price(self, value: int) -> int:
        """Return the price of routes of this value."""

    @abstractmethod
    def bound(self, price: int) -> int:
        """Return the bound on values that a least price says."""

    def set_prices(self, priced: Sequence[cp_model.IntVar]) -> None:
        """Minimise the sum of these literals, which is at least the price of what is known to be the bound."""
        self.priced, total = priced, cp_model.LinearExpr.sum(priced)
        self.model.minimize(total)
        if self.best.bound is not None:
            self.model.add(total >= self.price(self.best.bound))

    def solve(self) -> EdgeNumbers | None:
        """Return the edges of a solution of the least price, None if there is none; `StoppedEarly` at a limit."""
        solver = self.options.solver(self.run)
        solver.parameters.cp_model_probing_level = solver.parameters.symmetry_level = 2
        found = self.solve_by(solver)
        if found is not None:
            self.best.offer_bound(self.bound(round(solver.objective_value)), "claimed")
            self.paid = {number for number, literal in enumerate(self.priced) if solver.boolean_value(literal)}
        return found

    def routes(self, edges: EdgeNumbers) -> tuple[list[Ints], list[Ints]]:
        """Return the paths and the cycles of the graph that a solution has; a vertex left out is a path."""
        graph = self.goal.problem.graph
        ends = np.stack([self.cycle.tails[edges], self.cycle.heads[edges]], axis=1)
        if graph.directed:
            ends = np.where((ends[:, :1] % 2 == 1), ends, ends[:, ::-1]) // 2  # from the half that is left
        ends = ends[(ends[:, 0] != ends[:, 1]) & (ends < graph.order).all(axis=1)]
        return routes_of(graph.order, list(map(tuple, ends.tolist())), directed=graph.directed)

    def cut_sets_of(self, cycles: Sequence[Ints]) -> list[CutSet]:
        """Return the cut sets of cycles of the graph."""
        shores = [(self.parts * cycle[:, None] + np.arange(self.parts)).ravel() for cycle in cycles]
        return [CutSet(shore, cut_set(self.cycle, shore.tolist())) for shore in shores]


class _FewestPaths(_Routes):
    """The relaxation of the fewest paths; the last vertex joins their ends."""

    def __init__(self, goal: RoutesGoal, run: BestSearch[RoutesGoal]) -> None:
        cycle = _without_ends(goal.problem)
        hub, problem = cycle.order, goal.problem
        ends = np.tile(np.arange(hub, dtype=np.int32), 1 if problem.graph.directed else 2)
        super().__init__(goal, _with_hub(cycle, problem, ends), run, open_at=hub)
        self.set_prices(self.x[cycle.size :])

    def price(self, value: int) -> int:
        """Return the number of ends of so many paths."""
        return 2 * value

    def bound(self, price: int) -> int:
        """Return the number of paths that so many ends belong to."""
        return -(-price // 2)

    def violated(self, edges: EdgeNumbers) -> list[CutSet]:
        """Return the cut sets of the cycles; hand the run the paths, with each cycle cut open at a move that is not
        required."""
        (paths, cycles), needed = self.routes(edges), {*self.goal.problem.require}
        opened = [route for cycle in cycles if (route := _cut_open(cycle, needed)) is not None]
        if len(opened) == len(cycles):
            self.best.offer(paths + opened)
        return self.cut_sets_of(cycles)


class _FewestCycles(_Routes):
    """The relaxation of the fewest cycles, each with a root."""

    def __init__(self, goal: RoutesGoal, run: BestSearch[RoutesGoal]) -> None:
        super().__init__(goal, to_cycle(undirected(goal.problem)), run)
        self.set_prices([self.model.new_bool_var("") for _ in range(goal.problem.graph.order)])
        self.model.add_bool_or(self.priced)

    def price(self, value: int) -> int:
        """Return the number of roots of so many cycles."""
        return value

    def bound(self, price: int) -> int:
        """Return the number of cycles that so many roots are of."""
        return price

    def violated(self, edges: EdgeNumbers) -> list[CutSet]:
        """Return the cut sets of the cycles without a root, merged as far as that goes; hand the run all cycles."""
        (_, cycles), (_, merged) = self.routes(edges), self.routes(self.merging.merge(edges))
        self.best.offer(merged)
        rootless = [[cycle for cycle in some if self.paid.isdisjoint(cycle.tolist())] for some in (merged, cycles)]
        return self.cut_sets_of(rootless[0] or rootless[1])

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """State for each cut set that two of its edges are used or its shore has a root."""
        for found in cut_sets:
            roots = [self.priced[vertex] for vertex in np.unique(found.shore // self.parts).tolist()]
            self.model.add(self.sum_over(found.edges) + 2 * cp_model.LinearExpr.sum(roots) >= 2)


class _Longest(_Routes):
    """The relaxation of the longest route, with a loop at each vertex that may be left out."""

    def __init__(self, goal: RoutesGoal, run: BestSearch[RoutesGoal]) -> None:
        problem = goal.problem
        if problem.graph.directed or problem.closed:
            cycle = to_cycle(undirected(problem))
        else:
            cycle = _without_ends(problem)
            cycle = _with_hub(cycle, problem, np.arange(cycle.order, dtype=np.int32))
        self.left_out = sorted(goal.optional)
        parts = 2 if problem.graph.directed else 1
        loops = parts * np.array(self.left_out, dtype=np.int32)
        super().__init__(goal, _with_edges(cycle, loops, loops + parts - 1), run)
        self.set_prices(self.x[cycle.size :])
        self.loops = dict(zip(self.left_out, self.priced, strict=True))
        least = 1 if not problem.closed else 2 if problem.graph.directed else 3
        self.model.add(cp_model.LinearExpr.sum(self.priced) <= problem.graph.order - least)
        self.anchored = not problem.closed or len(self.loops) < problem.graph.order
        self.main, self.left = list[int](), set[int]()

    def price(self, value: int) -> int:
        """Return the number of vertices that are left out."""
        return self.goal.problem.graph.order - value

    def bound(self, price: int) -> int:
        """Return the number of vertices that are not left out."""
        return self.goal.problem.graph.order - price

    def violated(self, edges: EdgeNumbers) -> list[CutSet]:
        """Return the cut sets of all cycles but one, merged as far as that goes; hand the run that one, or the path, if
        it visits all that can't be left out."""
        self.left = {self.left_out[number] for number in self.paid}
        others = self._others(edges, self.left)
        if self.parts > 1:  # merging does not tell a loop of split vertices from the edge beside it
            return self.cut_sets_of(others)
        merged = self.merging.merge(edges)
        loops = self.cycle.tails[merged][self.cycle.tails[merged] == self.cycle.heads[merged]]
        return self.cut_sets_of(self._others(merged, {*loops.tolist()}) or others)

    def _others(self, edges: EdgeNumbers, left: set[int]) -> list[Ints]:
        """Return the cycles of a solution but the ``main`` one, handed to the run if it visits all that can't be left
        out; open routes have a path for it."""
        paths, cycles = self.routes(edges)
        needed = {*range(self.goal.problem.graph.order)} - self.goal.optional
        routes = cycles if self.goal.problem.closed else [path for path in paths if path[0] not in left]
        main = max(routes, key=lambda route: (not needed.isdisjoint(route.tolist()), len(route)))
        if needed <= {*main.tolist()}:
            self.best.offer([main])
        self.main = [vertex for vertex in main.tolist() if vertex not in self.left]
        return [cycle for cycle in cycles if cycle is not main]

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """State for each cut set that two of its edges are used, unless a vertex of the shore is left out, or one that
        the main route visits now; for several vertices."""
        for found in cut_sets:
            inside = [vertex for vertex in np.unique(found.shore // self.parts).tolist() if vertex not in self.left]
            needed = [vertex for vertex in inside if vertex not in self.loops]
            for number, vertex in enumerate(needed[:1] or inside[:: -(-len(inside) // MOST_ROWS)]):
                unless = [self.loops[vertex]] if vertex in self.loops else []
                if not self.anchored:
                    unless.append(self.loops[self.main[number * len(self.main) // MOST_ROWS]])
                self.model.add(self.sum_over(found.edges) + 2 * cp_model.LinearExpr.sum(unless) >= 2)


def _without_ends(problem: Problem) -> CycleProblem:
    """Return the cycle problem of a closed tour, whatever the ends of the problem are."""
    closed = Problem(problem.graph, True, require=problem.require, forbid=problem.forbid)
    return to_cycle(undirected(closed))


def _with_hub(cycle: CycleProblem, problem: Problem, ends: Ints) -> CycleProblem:
    """Return the cycle problem with a vertex more, joined to these vertices, and to the ends of the problem by required
    edges."""
    hub, directed = cycle.order, problem.graph.directed
    fixed = [] if problem.start is None else [2 * problem.start if directed else problem.start]
    fixed += [] if problem.end is None else [2 * problem.end + 1 if directed else problem.end]
    joined = _with_edges(replace(cycle, order=hub + 1, apex=hub), ends, np.full(len(ends), hub, dtype=np.int32))
    required = joined.required.copy()
    required[cycle.size + np.array(fixed, dtype=np.int64)] = True
    return replace(joined, required=required)


def _with_edges(cycle: CycleProblem, tails: Ints, heads: Ints) -> CycleProblem:
    """Return the cycle problem with these edges too."""
    return replace(
        cycle,
        tails=np.concatenate([cycle.tails, tails]).astype(np.int32),
        heads=np.concatenate([cycle.heads, heads]).astype(np.int32),
        required=np.concatenate([cycle.required, np.zeros(len(tails), dtype=bool)]),
    )


def _cut_open(cycle: Ints, needed: set[Move]) -> Ints | None:
    """Return a cycle as a path, without a move that is not needed; None if all are."""
    for shift in range(len(cycle)):
        route = np.roll(cycle, shift)
        if {(int(route[-1]), int(route[0])), (int(route[0]), int(route[-1]))}.isdisjoint(needed):
            return route
    return None
