"""A SAT solver with cut sets added between its runs, for the fewest paths, the fewest closed tours, and the longest of
either: the clauses of `lazy`, with a price.

    exactly two of the edges at v       for each vertex v, a loop counted twice, by the clauses of `degree`
    at most k of the items i that have a price      by a totalizer (Bailleux & Boufkhad 2003; PySAT's ``ITotalizer``)
    one of the edges that leave S, or one of items i        for each cut, by `loop.routes`

Each model has a lower price than the best routes so far: k goes down as better ones are found, and so the formula of
the end, which has no model, says that nothing is better. Until then there is no bound, and the end is a claim.

Cost, for p items that have a price: the totalizer has about ``p log p`` variables and ``p^2 / 2`` clauses beside those
of `degree`. Clauses see no parity: that a bipartite graph has no closed tour of one colour more is pigeonholes to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from pysat.card import ITotalizer

from cpsat_tour.backends.best_search import BestSearch, Conclusion, RoutesGoal
from cpsat_tour.models.degree import auxiliary_variables, degree_constraints
from cpsat_tour.models.drivers.sat import IN_ROUNDS, SatRelaxation, SatSolver
from cpsat_tour.models.lazy import Lazy
from cpsat_tour.models.loop.numbering import Numbering
from cpsat_tour.models.loop.routes import PricedRoutes, improve_in_rounds
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers


def improve_models(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Find better and better routes until the clauses have no model; return the `Conclusion` that nothing is better.
    `StoppedEarly` at a limit. Work is counted in ``conflicts``."""
    name = Lazy().solver
    with SatSolver(name, run, IN_ROUNDS[name]) as solver:
        return improve_in_rounds(run, partial(_PricedModels, solver), f"the SAT solver {name}")


class _PricedModels(SatRelaxation):
    """The clauses, as a relaxation whose solutions have a lower price than what was found. ``at_most[k]`` is false only
    if at most k of the priced items are chosen."""

    def __init__(self, solver: SatSolver, routes: PricedRoutes) -> None:
        self._routes, numbering = routes, Numbering(routes.cycle, routes.run.limits.seed)
        super().__init__(solver, numbering.edges)
        first = routes.cycle.size + auxiliary_variables(routes.cycle) + 1
        self._variables = np.append(self._variables, np.arange(first, first + routes.others, dtype=np.int32))
        solver.state(degree_constraints(numbering, routes.open_at))
        priced = self._variables[routes.priced].tolist()
        if routes.least:
            solver.add_each([priced])
        with ITotalizer(priced, min(routes.price_of_better(), len(priced) - 1), first + routes.others) as totalizer:
            self._at_most = list(totalizer.rhs)
            solver.add_each(totalizer.cnf.clauses)

    def solve(self) -> EdgeNumbers | None:
        """Return the items of a model, None if there is none; `StoppedEarly` at a limit."""
        most = self._routes.price_of_better()
        if most < 0:
            return None
        if most < len(self._at_most):
            self._solver.add_each([[-self._at_most[most]]])
        if not self._solver.solve():
            return None
        return np.flatnonzero(np.isin(self._variables, 1 + self._solver.true_among(int(self._variables.max()))))

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add a clause for each row: one of the edges of the cut set, or one of the other items."""
        self._solver.add_each(self._variables[[*row.edges.tolist(), *row.unless]].tolist() for row in cut_sets)
