"""The frontier method for the longest path or closed tour of a narrow graph: vertices may be left out, at a price, and
all states are gone through.

It is the search of `frontier.search` with one way more to go on: a vertex that may be left out leaves the frontier
untouched. A cycle closes wherever all that can't be left out is on it, and leaves out all that is to come. Of each
state the least *price* is kept, the number of vertices that are left out, and of the states those alone whose price is
not too high. So a cycle that leaves out few vertices of many is found with a few times the states of a tour.

Limits: those of `frontier.search`; no beam, for what is left out of one says nothing.

The longest cycle that leaves out at most k vertices is sought, of a path through a vertex more
that joins its ends; if there is none, that is a bound, and k is doubled. So no solver has to be believed: the answer is
`exhausted`, as that of the backend ``frontier``.

Cost: states, exponential in the width of the graph, not in its length; a frontier has at most 21 vertices.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np

from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Flags, Longs
from cpsat_tour.core.verify import routes_of
from cpsat_tour.engines.best_search import BestSearch, Conclusion, RoutesGoal
from cpsat_tour.frontier.search import PartsJoin, Sweep, Table, VertexStep, tree_plan
from cpsat_tour.frontier.states import CLOSED, MOST_PLACES, Words
from cpsat_tour.frontier.tree import TreePlan
from cpsat_tour.models.loop.routes import cycle_of_one_route

LEAST_CLOSED = CLOSED - np.uint64(MOST_PLACES)


class LongestSweep(Sweep):
    """A sweep of the tree for the longest cycle that leaves out at most ``most`` vertices.

    ``closed`` is the table in which it closes, None if there is none.
    """

    closed: Table | None = None

    def __init__(self, run: Run, plan: TreePlan, most: int) -> None:
        super().__init__(run, plan, 0)
        self.most = most

    def _derive_table(self, way: VertexStep | PartsJoin) -> Table:
        """Return the table of the states that a step or a join derives; `TooLarge` or `StoppedEarly` at a limit.

        If the longest cycle so far closes in it, it is kept as ``closed``.
        """
        found = [self._cheapest(*self._priced(way, *batch)) for batch in self._derived(way)]
        states, prices = self._cheapest(*map(np.concatenate, zip(*found, strict=True)))
        self._take_room(states.nbytes + prices.nbytes)
        if len(states) and states[-1] == CLOSED:
            self.closed, self.most = Table(way.places, states, way, prices), int(prices[-1]) - 1
            states, prices = states[:-1], prices[:-1]
        return Table(way.places, states, way, prices)

    def _cheapest(self, states: Words, prices: Longs) -> tuple[Words, Longs]:
        """Return the states in increasing order without repeats, each with its least price; states whose price is too
        high are left out."""
        cheap = prices <= self.most
        states, prices = states[cheap], prices[cheap]
        order = np.lexsort([prices, states])
        states, prices = states[order], prices[order]
        new = np.ones(len(states), dtype=np.bool_)
        new[1:] = states[1:] != states[:-1]
        return states[new], prices[new]

    def _is_wanted(self, table: Table, wanted: np.uint64, fresh: Words, ways: Longs) -> Flags:
        """Return a flag for each state in ``fresh``: True if it is the ``wanted`` one of the table, at its least
        price."""
        assert table.way is not None
        states, prices = self._priced(table.way, fresh, ways)
        return np.asarray((states == wanted) & (prices == table.prices[np.searchsorted(table.states, wanted)]))

    def _priced(self, way: VertexStep | PartsJoin, fresh: Words, ways: Longs) -> tuple[Words, Longs]:
        """Return derived states with their prices.

        A cycle that closes pays for all that it leaves out, and too much if it may not leave that out.
        """
        closed, prices = fresh >= LEAST_CLOSED, way.prices(ways)
        if closed.any():
            to_come, needed = way.places.to_come(self._plan.swept)
            left = len(self._plan.separators) if needed else to_come
            prices[closed] += left + (CLOSED - fresh[closed]).astype(np.int64)
        return np.where(closed, CLOSED, fresh), prices


def improve_states(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Find the longest route by sweeps for cycles that leave out few vertices, then more; return the `Conclusion` that
    nothing is better. `StoppedEarly` at a limit.

    Work is counted in ``states``.
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
