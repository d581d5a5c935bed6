"""CP-SAT's circuit constraint, for the fewest paths and for the longest path or closed tour: arcs and loops of a price.

    minimise the number of loops, or of arcs out of the hub
    circuit(arc[u, v] for all arcs, loop[v] for each v that may be left out)        longest
    multiple_circuit(arc[u, v] for all arcs)                                        fewest paths
    arc[u, v] or arc[v, u]                              for each required edge

A vertex with its loop is not on the circuit (Laurière 1978; OR-Tools' ``add_circuit``). A path goes from the *hub*, a
vertex more, back to the hub; several circuits through one hub are as many paths (``add_multiple_circuit``, made for
vehicles). The fewest closed tours have no hub, and so are not for this constraint.

Cost: two Booleans for each edge, two for each vertex at the hub, and a loop each. The bound is CP-SAT's claim, and
comes at the end of the search alone.
"""

from __future__ import annotations

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.best_search import BestSearch, Conclusion, RoutesGoal
from cpsat_tour.core.errors import StoppedEarly
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.core.verify import routes_of
from cpsat_tour.models.drivers.cpsat import CpSat, solve

HUB = -1


def improve_circuit(run: BestSearch[RoutesGoal]) -> Conclusion:
    """Solve to the optimum; return the `Conclusion` that nothing is better. `StoppedEarly` at a limit. Work is counted
    in ``conflicts``."""
    model = _CircuitModel(run)
    solver = CpSat(linearization=2).solver(run)
    try:
        if solve(solver, model.model, run):
            run.offer(model.routes(solver))
    except StoppedEarly:
        if solver.response_proto.status.name == "FEASIBLE":
            run.offer(model.routes(solver))
        raise
    better = "" if run.best is None else "better "
    return Conclusion("claimed", f"CP-SAT reports that the circuit constraint has no {better}solution")


class _CircuitModel:
    """The model: ``arcs`` and ``loops`` by their vertices."""

    def __init__(self, run: BestSearch[RoutesGoal]) -> None:
        self.model, self.goal, problem = cp_model.CpModel(), run.goal, run.goal.problem
        graph, vertices = problem.graph.without(problem.forbid), range(problem.graph.order)
        pairs = np.stack([graph.tails, graph.indices], axis=1).tolist()
        if not problem.closed:
            pairs += [pair for vertex in vertices for pair in ((HUB, vertex), (vertex, HUB))]
        self.arcs = {(tail, head): self.model.new_bool_var("") for tail, head in with_heartbeats(pairs, run.heartbeat)}
        self.loops = {vertex: self.model.new_bool_var("") for vertex in sorted(self.goal.optional)}
        hub_first = [(tail + 1, head + 1, arc) for (tail, head), arc in self.arcs.items()]
        hub_first += [(vertex + 1, vertex + 1, loop) for vertex, loop in self.loops.items()]
        at_hub = cp_model.LinearExpr.sum([arc for (tail, _), arc in self.arcs.items() if tail == HUB])
        if problem.closed:
            self.model.add_circuit([(tail - 1, head - 1, arc) for tail, head, arc in hub_first])
            self._state_that_a_closed_tour_is_one()
        else:
            self.model.add_multiple_circuit(hub_first)
        price = at_hub
        if self.goal.maximize:
            price = cp_model.LinearExpr.sum([*self.loops.values()])
            if not problem.closed:
                self.model.add(at_hub == 1)
        self.model.minimize(price)
        if run.bound is not None:
            self.model.add(price >= (graph.order - run.bound if self.goal.maximize else run.bound))
        ends = [] if problem.closed else [(HUB, problem.start), (problem.end, HUB)]
        for tail, head in [*problem.require, *(end for end in ends if None not in end)]:
            either = [(tail, head)] if graph.directed else [(tail, head), (head, tail)]
            self.model.add_bool_or([self.arcs[pair] for pair in either if pair in self.arcs])

    def _state_that_a_closed_tour_is_one(self) -> None:
        """State that not all vertices are left out, none that can't be, and that no edge is walked to and fro."""
        self.model.add_bool_or([*self.arcs.values()])
        left = {tail for tail, _ in self.arcs} & {head for _, head in self.arcs} | {*self.loops}
        if len(left) < self.goal.problem.graph.order:
            self.model.add_bool_or([])  # the circuit constraint passes over a vertex that no arc leaves or enters
        if not self.goal.problem.graph.directed:
            for (tail, head), arc in self.arcs.items():
                if tail < head:
                    self.model.add_at_most_one(arc, self.arcs[head, tail])

    def routes(self, solver: cp_model.CpSolver) -> list[Ints]:
        """Return the routes of a solution."""
        moves = [pair for pair, arc in self.arcs.items() if HUB not in pair and solver.boolean_value(arc)]
        paths, cycles = routes_of(self.goal.problem.graph.order, moves, directed=True)
        left = {vertex for vertex, loop in self.loops.items() if solver.boolean_value(loop)}
        return cycles if self.goal.problem.closed else [path for path in paths if int(path[0]) not in left]
