"""CP-SAT with cut sets added between solves, for the best tour and the best routes: the 2-factors of `lazy_cpsat`, and
for a tour a sum over pairs of moves as the objective.

    maximize or minimize c + w * sum of both[e, f] over the pairs e, f that count, w = 1 or -1
    both[e, f] => x[e], both[e, f] => x[f]      if the objective is the better the more of them are true
    x[e] and x[f] => both[e, f]                 if it is the better the fewer of them are true
    at most one of x[e] and both[f, g]          in the first case, for each edge e at v and all pairs f, g of other
                                                edges at v

Each round has the best 2-factor that no cut set so far rules out. Its value is a bound, and the first 2-factor that is
a tour is a best tour (rounds of integer programs are those of Miliotis 1976). The cycles of the others are merged,
which often gives a tour, though not the best. Without the rule "at most one" the linear relaxation would take half of
each edge and half of each pair.

The bound is a claim. Against a circuit constraint over arcs with the same Booleans: as fast for turns of 6x6 to 8x9, or
up to twice as fast, and 17 s where that proved nothing in 100 s for crossings of 6x7.

Cost: that of `lazy_cpsat`, one Boolean for each pair, and two clauses or one; with two also an at-most-one for each
edge at each vertex where pairs meet.

For the fewest paths, the fewest closed tours, and the longest of either, the 2-factors have a price instead:

    minimise the sum of x[i] over the items i that have a price, which is within the bounds that are known
    sum of x[e] over the edges e at v = 2               for each vertex v, a loop counted twice
    sum of x[e] over the edges e that leave S + 2 * sum of x[i] over items i >= 2       for each cut, by `loop.routes`

Each round has the best solution that no cut so far rules out. Its value is a bound, and the first that needs no cut is
a best one. The bound is a claim.

Cost, for n vertices and m edges: m Booleans and up to 2n for those with a price, n equations, and the cuts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial

from ortools.sat.python import cp_model

from cpsat_tour.core.runs import with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.best_search import BestSearch, Conclusion, Goal, RoutesGoal, begin_with_a_tour
from cpsat_tour.models.drivers.cpsat import BY_RELAXATION, EdgeModel
from cpsat_tour.models.lazy_cpsat import state_two_factors
from cpsat_tour.models.loop.best import best_by_cutting_planes, tour_separation
from cpsat_tour.models.loop.routes import FewestCycles, FewestPaths, Longest


def improve_two_factors(run: BestSearch[Goal]) -> Conclusion:
    """Find better and better tours by cutting off the best 2-factor, round by round; return the `Conclusion` that no
    tour is better. `StoppedEarly` at a limit."""
    if (none := begin_with_a_tour(run)) is not None:
        return none
    cycle = run.goal.cycle
    model = EdgeModel(cycle, BY_RELAXATION, run)
    model.offer_bound = partial(run.offer_bound, known="claimed")
    state_two_factors(model)
    state_pairs(model, run.goal)
    model.begin_at(cycle.edges_of(run.best))
    return best_by_cutting_planes(model, tour_separation(run), cycle, run)


def state_pairs(model: EdgeModel, goal: Goal) -> None:
    """State the objective of the goal, and what its Booleans for pairs of moves imply."""
    pairs = goal.pair_sum.pairs_in(model.cycle)
    both = [model.new_bool_var("") for _ in with_heartbeats(pairs, model.run.heartbeat)]
    value = goal.pair_sum.constant + goal.pair_sum.weight * cp_model.LinearExpr.sum(both)
    (model.maximize if goal.maximize else model.minimize)(value)
    more_is_better = goal.maximize == (goal.pair_sum.weight > 0)
    for (e, f), both_ef in with_heartbeats([*zip(pairs.tolist(), both, strict=True)], model.run.heartbeat):
        if more_is_better:
            model.add_implication(both_ef, model.x[e])
            model.add_implication(both_ef, model.x[f])
        else:
            model.add_bool_or([~model.x[e], ~model.x[f], both_ef])
    if more_is_better:
        state_rivals(model, pairs, both)


def state_rivals(model: EdgeModel, pairs: Ints, both: Sequence[cp_model.IntVar]) -> None:
    """State for each edge at a vertex that of this edge and the pairs of other edges there at most one is used."""
    cycle, heartbeat = model.cycle, model.run.heartbeat
    ends = [{*of_edge} for of_edge in zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)]
    pairs_at = defaultdict[int, list[tuple[int, int, cp_model.IntVar]]](list)
    for (e, f), both_ef in with_heartbeats([*zip(pairs.tolist(), both, strict=True)], heartbeat):
        for v in ends[e] & ends[f]:
            pairs_at[v].append((e, f, both_ef))
    indptr, incident = cycle.incidence
    for v, here in with_heartbeats([*pairs_at.items()], heartbeat):
        for e in incident[indptr[v] : indptr[v + 1]].tolist():
            model.add_at_most_one(model.x[e], *(both_fg for f, g, both_fg in here if e not in (f, g)))


def improve_routes(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Find better and better routes by cutting off the best solution, round by round; return the `Conclusion` that
    nothing is better. `StoppedEarly` at a limit."""
    routes = (Longest if run.goal.maximize else FewestCycles if run.goal.problem.closed else FewestPaths)(run)
    model = EdgeModel(routes.cycle, BY_RELAXATION, run, routes.open_at)
    model.offer_bound = routes.offer_bound
    state_two_factors(model)
    model.x += [model.new_bool_var("") for _ in range(routes.others)]
    price = model.sum_over(routes.priced)
    model.add_linear_constraint(price, routes.least, routes.most)
    model.minimize(price)
    return best_by_cutting_planes(model, routes.violated, routes.cycle, run)
