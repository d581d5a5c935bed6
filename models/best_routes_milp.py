"""A mixed-integer program with cut sets added between solves, for the fewest paths, the fewest closed tours, and the
longest of either: the rows of `milp`, with a price.

    minimise the sum of x[i] over the items i that have a price
    sum of x[e] over the edges e at v = 2               for each vertex v, a loop counted twice
    sum of x[e] over the edges e that leave S + 2 * sum of x[i] over items i >= 2       for each cut, by `loop.routes`

As in `best_routes` each round has the best solution that no cut so far rules out. HiGHS computes in floating point, so
its bound, which is told while a round goes on, is a claim.

Cost: as `best_routes`, in binary columns and rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.backends.best_search import BestSearch, Conclusion
from cpsat_tour.backends.routes_goal import RoutesGoal
from cpsat_tour.models.drivers.linear import Worker, worker
from cpsat_tour.models.drivers.linear_rows import Sums
from cpsat_tour.models.loop.routes import PricedRoutes, improve, priced_routes
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers
from cpsat_tour.models.milp import EdgeProgram, Milp


def improve_program(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Solve to the optimum and cut off, round by round, until the best solution needs no cut; return the `Conclusion`
    that nothing is better. `StoppedEarly` at a limit. Work is counted in ``nodes``."""
    routes = priced_routes(run)
    with worker(Milp.library) as process:
        return improve(routes, _PricedProgram(routes, process), Milp.solver)


class _PricedProgram:
    """The program in a worker, as a relaxation whose solution has the least price; column ``k`` is item ``items[k]``,
    and ``x[i]`` the column of item i."""

    def __init__(self, routes: PricedRoutes, process: Worker) -> None:
        self._run, self._worker = routes.run, process
        program = EdgeProgram(Milp.name, routes.cycle, self._run.limits.seed, self._run.heartbeat, routes.open_at)
        others = np.arange(routes.others)
        program.columns("root", others, whole=True)
        self._items: NDArray[np.int64] = np.append(program.moves, routes.cycle.size + others)
        ones = np.ones(len(self._items), dtype=np.int64)
        self._x = Sums(ones, np.argsort(self._items), ones.astype(np.float64))
        price = self._x.over([np.array(routes.priced)])
        program.add(price >= routes.least)
        program.add(price <= routes.most)
        costs = np.isin(self._items, routes.priced).astype(np.float64).tolist()
        process.begin(self._run, program, costs, routes.offer_bound)

    def solve(self) -> EdgeNumbers | None:
        """Return the items of a solution of the least price, None if there is none; `StoppedEarly` at a limit."""
        chosen = self._worker.solve(self._run, Milp.unit)
        return None if chosen is None else self._items[chosen]

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a row for each: two edges of the cut set are used, or one of the other items is chosen."""
        unless = [np.array(row.unless, dtype=np.int64) for row in cut_sets]
        self._worker.add(self._x.over([row.edges for row in cut_sets]) + 2 * self._x.over(unless) >= 2)

    def block(self, chosen: EdgeNumbers) -> None:
        """Add a row: not all of these items."""
        self._worker.add(self._x.over([chosen]) <= len(chosen) - 1)
