"""A propagator that also looks whether the edges that are not left out still hang together as a cycle needs it.

Three levels of looking, each with what those before it see:

* *paths*: a chosen path may not close before it is a tour (`Propagator`);
* *components*: the edges not left out connect all vertices; where they don't, the cut set of a component is violated;
* *pairs*: they have no bridge and no cut vertex (Tarjan 1972), and where two of them are a cut both are used.

The look goes over the whole graph at each propagation that left edges out: linear, in Python, and made to compare how
many conflicts it saves, not for speed. Edges that stay out when their level is taken back are forgotten, which makes
it see less and never wrong.
"""

from __future__ import annotations

from itertools import pairwise

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.models.drivers.propagator import Propagator
from cpsat_tour.models.loop.cutsets import cut_set
from cpsat_tour.models.loop.numbering import Numbering
from cpsat_tour.presolve.edge_cuts import find_cut_classes
from cpsat_tour.presolve.forced_edges import Contradiction


class ConnectedPropagator(Propagator):
    """The propagator of paths that cuts off a component and, with ``pairs``, states both edges of a cut of two."""

    def __init__(self, problem: CycleProblem, numbering: Numbering, most: int | None, *, pairs: bool) -> None:
        super().__init__(problem, numbering, most)
        self._pairs = pairs
        self._out: list[int] = []
        self._out_at: list[int] = [0]
        self._seen = 0
        self.on_assignment = self._take_in

    def _take_in(self, literal: int, fixed: int) -> None:
        """Note an assignment; one that leaves an edge out also for the look at the graph."""
        self._pending[literal] = fixed
        if literal < 0:
            self._out.append(-literal)

    def on_new_level(self) -> None:
        """Take in that the solver made a decision."""
        super().on_new_level()
        self._out_at.append(len(self._out))

    def on_backtrack(self, level: int) -> None:
        """Take back the assignments above this decision level."""
        super().on_backtrack(level)
        if len(self._out_at) > level + 1:
            del self._out[self._out_at[level + 1] :]
            del self._out_at[level + 1 :]
        self._seen = min(self._seen, len(self._out))

    def propagate(self) -> list[int]:
        """Return the negated edges that would close a path too early; if there are none, look at the graph."""
        literals = super().propagate()
        if not literals and not self.stopped and not self._clauses and self._seen < len(self._out):
            self._seen = len(self._out)
            self._look()
        return literals

    def _look(self) -> None:
        """Queue the clauses of a component or, of a connected graph, those of its cuts of two edges."""
        edges_at: list[dict[int, int]] = [{} for _ in range(self._order)]
        for variable in {*range(1, self.problem.size + 1)}.difference(self._out):
            u, v = self._tails[variable], self._heads[variable]
            edges_at[u][variable], edges_at[v][variable] = v, u
        component = reached(edges_at, 0)
        if len(component) < self._order:
            shore = min(component, {*range(self._order)} - component, key=len)
            self._queue_cut_set(len(shore), cut_set(self.problem, sorted(shore)))
        elif self._pairs:
            try:
                classes = find_cut_classes(edges_at, str)
            except Contradiction:
                self.cut_sizes.append(self._order)
                self._clauses.append(list(self._out))  # one of the edges left out is needed
                return
            for pair in (pair for found in classes for pair in pairwise(found.edges)):
                if not all(map(self.joined.__getitem__, pair)):
                    shore = reached(edges_at, self._tails[pair[0]], pair)
                    cut = self.numbering.variables[cut_set(self.problem, sorted(shore))]
                    self._clauses += [[edge for edge in cut.tolist() if edge != other] for other in pair]


def reached(edges_at: list[dict[int, int]], start: int, without: tuple[int, ...] = ()) -> set[int]:
    """Return the vertices that are reached from the start, not along these edges."""
    found, waiting = {start}, [start]
    while waiting:
        for edge, end in edges_at[waiting.pop()].items():
            if end not in found and edge not in without:
                found.add(end)
                waiting.append(end)
    return found
