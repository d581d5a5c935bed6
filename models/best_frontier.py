"""The frontier method, for the longest path or closed tour of a narrow graph: all states are gone through.

The longest cycle that leaves out at most k vertices is sought (`frontier.longest`), of a path through a vertex more
that joins its ends; if there is none, that is a bound, and k is doubled. So no solver has to be believed: the answer is
`exhausted`, as that of the backend ``frontier``.

Cost: states, exponential in the width of the graph, not in its length; a frontier has at most 21 vertices.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from cpsat_tour.backends.best_search import BestSearch, Conclusion, RoutesGoal
from cpsat_tour.core.run import Run
from cpsat_tour.core.verify import routes_of
from cpsat_tour.frontier.longest import LongestSweep
from cpsat_tour.frontier.search import tree_plan
from cpsat_tour.frontier.states import MOST_PLACES
from cpsat_tour.frontier.tree import TreePlan
from cpsat_tour.models.loop.routes import cycle_of_one_route


def improve_states(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Go through the states of cycles that leave out few vertices, then more, until the longest route is found or there
    is none; return the `Conclusion` that nothing is better. `StoppedEarly` at a limit. Work is counted in ``states``.
    """
    goal, order, cycle = run.goal, run.goal.problem.graph.order, cycle_of_one_route(run.goal.problem)
    inner = Run(run.limits, run.clock, run.hear, cycle=cycle)
    inner.work["states"] = 0
    plan, _ = tree_plan(inner, MOST_PLACES)
    plan, left = TreePlan(replace(plan.swept, optional=goal.optional), plan.separators), 1
    while True:
        most = order - max(run.value or 0, 2 if goal.problem.closed else 1) - 1  # more leave too few for a better one
        left = min(left, most)
        sweep = LongestSweep(inner, plan, left)
        sweep.run()
        if sweep.closed is not None:
            moves = [move for move in sweep.edges(sweep.closed) if max(move) < order]
            run.offer([max(chain(*routes_of(order, moves, directed=False)), key=len)])
        if sweep.closed is not None or left == most:
            return Conclusion("exhausted", f"the frontier method went through all states: {inner.work['states']:,}")
        run.offer_bound(order - left - 1, "exhausted")
        left *= 2
