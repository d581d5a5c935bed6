"""The frontier method for the longest path or closed tour of a narrow graph: vertices may be left out, at a price, and
all states are gone through.

It is the search of `frontier.search` with one way more to go on: a vertex that may be left out leaves the frontier
untouched. A cycle closes wherever all that can't be left out is on it, and leaves out all that is to come. Of each
state the least *price* is kept, the number of vertices that are left out, and of the states those alone whose price is
not too high. So a cycle that leaves out few vertices of many is found with a few times the states of a tour.

Limits: those of `frontier.search`; no beam, for what is left out of one says nothing.

The longest cycle that leaves out at most k vertices is sought, of a path through a vertex more that joins its ends; if
there is none, that is a bound, and k is doubled. No solver has to be believed: the answer is `exhausted`.

Cost: states, exponential in the width of the graph, not in its length; a frontier has at most 21 vertices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cpsat_tour.core.graph import Edge
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Flags, Longs
from cpsat_tour.frontier.search import PartsJoin, Sweep, Table, VertexStep, tree_plan
from cpsat_tour.frontier.states import CLOSED, MOST_PLACES, Words
from cpsat_tour.frontier.tree import TreePlan

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
        cheap = np.flatnonzero(prices <= self.most)
        cheap = cheap[np.argsort(prices[cheap], kind="stable")]
        states, first = np.unique(states[cheap], return_index=True)
        return states, prices[cheap[first]]

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


def longest_cycle(
    run: Run, optional: frozenset[int], most: int, at_least_left_out: Callable[[int], None]
) -> list[Edge]:
    """Return the edges of a longest cycle that leaves out at most ``most`` of the optional vertices, an empty list if
    there is none; `TooLarge` or `StoppedEarly` at a limit.

    ``at_least_left_out`` is called with each number of vertices that every cycle was found to leave out, or more. Work
    is counted in ``states``.
    """
    run.work["states"] = 0
    plan, _ = tree_plan(run, MOST_PLACES)
    plan, left = TreePlan(replace(plan.swept, optional=optional), plan.separators), min(1, most)
    while True:
        sweep = LongestSweep(run, plan, left)
        sweep.run()
        if sweep.closed is not None:
            return sweep.edges(sweep.closed)
        if left == most:
            return []
        at_least_left_out(left + 1)
        left = min(2 * left, most)
