"""CP-SAT with cut sets added between solves, for the fewest paths, the fewest closed tours, and the longest of either:
the 2-factors of `lazy_cpsat`, with a price.

    minimise the sum of x[i] over the items i that have a price
    sum of x[e] over the edges e at v = 2               for each vertex v, a loop counted twice
    sum of x[e] over the edges e that leave S + 2 * sum of x[i] over items i >= 2       for each cut, by `loop.routes`

Each round has the best solution that no cut so far rules out. Its value is a bound, and the first that needs no cut is
a best one. The bound is a claim.

Cost, for n vertices and m edges: m Booleans and up to 2n for those with a price, n equations, and the cuts.
"""

from __future__ import annotations

from collections.abc import Sequence

from cpsat_tour.backends.best_search import BestSearch, Conclusion, RoutesGoal
from cpsat_tour.formats.describe import plural
from cpsat_tour.models.drivers.cpsat import CpSat
from cpsat_tour.models.lazy_cpsat import TwoFactorModel
from cpsat_tour.models.loop.routes import FewestCycles, FewestPaths, Longest, PricedRoutes
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, cutting_planes


class _PricedModel(TwoFactorModel):
    """The relaxation whose solution has the least price; the Boolean ``x[i]`` says that item i is chosen."""

    def __init__(self, routes: PricedRoutes) -> None:
        super().__init__(routes.cycle, CpSat(linearization=2), routes.run, routes.open_at)
        self.x += [self.model.new_bool_var("") for _ in range(routes.others)]
        self._routes, total = routes, self.sum_over(routes.priced)
        self.model.add_linear_constraint(total, routes.least, routes.most)
        self.model.minimize(total)

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """State for each row that two edges of the cut set are used, or one of the other items is chosen."""
        for row in cut_sets:
            self.model.add(self.sum_over(row.edges.tolist()) + 2 * self.sum_over(row.unless) >= 2)

    def solve(self) -> EdgeNumbers | None:
        """Return the items of a solution of the least price, None if there is none; `StoppedEarly` at a limit."""
        solver = self.options.solver(self.run)
        solver.parameters.cp_model_probing_level = solver.parameters.symmetry_level = 2
        found = self.solve_by(solver)
        if found is not None:
            self._routes.offer_bound(round(solver.objective_value))
        return found


def improve_routes(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Solve to the optimum and cut off, round by round, until the best solution needs no cut; return the `Conclusion`
    that nothing is better. `StoppedEarly` at a limit. Work is counted in ``conflicts`` of all rounds together."""
    routes = (Longest if run.goal.maximize else FewestCycles if run.goal.problem.closed else FewestPaths)(run)
    if run.bound is not None:
        routes.least = max(routes.least, routes.price(run.bound))
    for _ in cutting_planes(_PricedModel(routes), routes.violated, routes.cycle, run):
        if run.value is not None and run.value == run.bound:
            break
    cuts, solution = plural(run.work["cut_sets"], "cut set"), "solution" if run.best is None else "better solution"
    return Conclusion("claimed", f"CP-SAT reports that the degree constraints and {cuts} have no {solution}")
