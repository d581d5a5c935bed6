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
from functools import partial

import numpy as np

from cpsat_tour.backends.best_search import BestSearch, Conclusion, RoutesGoal
from cpsat_tour.models.drivers.linear import LinearRelaxation, Worker, worker
from cpsat_tour.models.drivers.linear_rows import Sums
from cpsat_tour.models.loop.routes import PricedRoutes, improve_in_rounds
from cpsat_tour.models.loop.subtours import CutSet
from cpsat_tour.models.milp import EdgeProgram, Milp


def improve_program(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Solve to the optimum and cut off, round by round, until the best solution needs no cut; return the `Conclusion`
    that nothing is better. `StoppedEarly` at a limit. Work is counted in ``nodes``."""
    with worker(Milp.library) as process:
        return improve_in_rounds(run, partial(_PricedProgram, process), Milp.solver)


class _PricedProgram(LinearRelaxation):
    """The program in a worker, as a relaxation whose solution has the least price. Column ``k`` stands for item
    ``moves[k]`` of the program, and ``used`` has the column of each item."""

    def __init__(self, process: Worker, routes: PricedRoutes) -> None:
        run, others = routes.run, np.arange(routes.others)
        program = EdgeProgram(Milp.name, routes.cycle, run.limits.seed, run.heartbeat, routes.open_at)
        program.columns("root", others, whole=True)
        program.moves = items = np.append(program.moves, routes.cycle.size + others).astype(np.int32)
        ones = np.ones(len(items), dtype=np.int64)
        program.used = Sums(ones, np.argsort(items), ones.astype(np.float64))
        price = program.used.over([np.array(routes.priced, dtype=np.int64)])
        program.add(price >= routes.least)
        program.add(price <= routes.most)
        costs = np.isin(items, routes.priced).astype(np.float64).tolist()
        super().__init__(process, run, program, Milp.unit, costs, routes.offer_bound)

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a row for each: two edges of the cut set are used, or one of the other items is chosen."""
        x, unless = self._program.used, [np.array(row.unless, dtype=np.int64) for row in cut_sets]
        self._worker.add(x.over([row.edges for row in cut_sets]) + 2 * x.over(unless) >= 2)
