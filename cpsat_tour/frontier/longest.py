"""The frontier method for the longest cycle: vertices may be left out, at a price.

It is the search of `search` with one way more to go on: a vertex that may be left out leaves the frontier untouched. A
cycle closes wherever all that can't be left out is on it, and leaves out all that is to come. Of each state the least
*price* is kept, the number of vertices that are left out, and of the states those alone whose price is not too high.
So a cycle that leaves out few vertices of many is found with a few times the states of a tour.

Limits: those of `search`; no beam, for what is left out of one says nothing.
"""

from __future__ import annotations

import numpy as np

from cpsat_tour.core.run import Run
from cpsat_tour.core.space import Flags, Longs
from cpsat_tour.frontier.search import PartsJoin, Sweep, Table, VertexStep
from cpsat_tour.frontier.states import CLOSED, MOST_PLACES, Words
from cpsat_tour.frontier.tree import TreePlan

LEAST_CLOSED = CLOSED - np.uint64(MOST_PLACES)


class LongestSweep(Sweep):
    """One run through the tree for a longest cycle of those that leave out ``most`` vertices at most. ``closed`` is the
    table in which it closes, None if there is none."""

    closed: Table | None = None

    def __init__(self, run: Run, plan: TreePlan, most: int) -> None:
        super().__init__(run, plan, 0)
        self.most = most

    def _derive_table(self, way: VertexStep | PartsJoin) -> Table:
        """Return the table of the states derived in one step or join, and keep it if the longest cycle so far closes in
        it; `TooLarge` or `StoppedEarly` at a limit."""
        found = [self._cheapest(*self._priced(way, *batch)) for batch in self._derived(way)]
        states, prices = self._cheapest(*map(np.concatenate, zip(*found, strict=True)))
        self._take_room(states.nbytes + prices.nbytes)
        if len(states) and states[-1] == CLOSED:
            self.closed, self.most = Table(way.places, states, way, prices), int(prices[-1]) - 1
            states, prices = states[:-1], prices[:-1]
        return Table(way.places, states, way, prices)

    def _cheapest(self, states: Words, prices: Longs) -> tuple[Words, Longs]:
        """Return the states in increasing order, each once, with its least price, but those whose price is too high."""
        cheap = prices <= self.most
        states, prices = states[cheap], prices[cheap]
        order = np.lexsort([prices, states])
        states, prices = states[order], prices[order]
        new = np.ones(len(states), dtype=np.bool_)
        new[1:] = states[1:] != states[:-1]
        return states[new], prices[new]

    def _is_wanted(self, table: Table, wanted: np.uint64, fresh: Words, ways: Longs) -> Flags:
        """Return for each state of a batch whether it is the wanted one of a table, at its least price."""
        assert table.way is not None
        states, prices = self._priced(table.way, fresh, ways)
        return np.asarray((states == wanted) & (prices == table.prices[np.searchsorted(table.states, wanted)]))

    def _priced(self, way: VertexStep | PartsJoin, fresh: Words, ways: Longs) -> tuple[Words, Longs]:
        """Return states as they were derived, with their prices; a cycle that closes pays for all that it leaves out,
        and too much if it may not."""
        closed, prices = fresh >= LEAST_CLOSED, way.prices(ways)
        if closed.any():
            to_come, needed = way.places.to_come(self._plan.swept)
            left = len(self._plan.separators) if needed else to_come
            prices[closed] += left + (CLOSED - fresh[closed]).astype(np.int64)
        return np.where(closed, CLOSED, fresh), prices
