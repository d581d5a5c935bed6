"""CP-SAT over successors: which vertex follows each one, as textbooks of constraint programming model a circuit.

    s[v] is a neighbour of v
    all different s[v]
    order[root] = 0
    order[s[v]] = order[v] + 1             for each v, where order[root] is read as n

    arc[u, v] => s[u] = v                  only where arcs are needed
    exactly one of arc[u, v] over v        for each vertex u
    exactly one of arc[u, v] over u        for each vertex v
    arc[u, v] or arc[v, u]                 for each required edge

So every vertex follows one other, and the cycle of the root, whose last vertex has order n - 1, has all n vertices.

Successor variables, all different, are those of Laurière 1978 and of constraint programs for the travelling salesman
(Caseau & Laburthe 1997; Pesant, Gendreau, Potvin & Rousseau 1998); an array that is read at a variable place is the
element constraint (Van Hentenryck & Carillon 1988). MiniZinc states ``circuit`` in this way for solvers that lack it,
and adds that the orders are all different. That follows, and is left out.

As printed in MiniZinc's library (Nethercote et al. 2007), there for any graph; differs in a root of least degree, in
numbers from 0, and in domains: a successor is a neighbour, orders are restricted as in `positions`, and an element
constraint lists the orders from the least neighbour to the greatest, on a board those of a few rows. Fixed ends,
required and tied edges and stops are stated over Booleans for the arcs, as in `eager_cpsat`, with the last four lines;
so are all problems with ``arcs``.

Cost, for n vertices and m edges: 2n integers; n elements and one all-different. With arcs, for r required edges: 2m
Booleans, 2n constraints on the arcs at a vertex, and one for each arc and each required edge more. Of a directed graph
there is one arc for each edge.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

from ortools.sat.python.cp_model import Domain

from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import with_heartbeats
from cpsat_tour.engines.registry import Features
from cpsat_tour.models.eager_cpsat import EagerCpSat, EagerModel
from cpsat_tour.models.positions import position_variables


@dataclass(frozen=True)
class Successor(EagerCpSat):
    """The successor of each vertex, and the order in which a walk along the successors meets the vertices.

    ``arcs`` adds a Boolean for each arc, and the sums at each vertex. CP-SAT finds closed 6x6 and 8x8 without them in
    two thirds of the time, but with them closed 24x24 in 5 s, where the textbook's model had no tour in 20 s.
    """

    arcs: bool = False

    takes: ClassVar[Features] = EagerCpSat.takes | {"directed", "givens", "waypoints"}
    colours: ClassVar[bool] = True
    minizinc: ClassVar[str] = "order"

    def has_booleans(self, cycle: CycleProblem) -> bool:
        """Return True if the arcs are asked for, or needed for required or tied edges, or stops."""
        return self.arcs or bool(cycle.required.any() or cycle.orbits is not None or cycle.source.waypoints)

    def state(self, model: EagerModel) -> None:
        """State the successor of each vertex, the order of the walk along them, and the arcs that they stand for."""
        root, n, heartbeat = model.arcs.root, model.arcs.order, model.heartbeat
        neighbours = defaultdict[int, list[int]](list)
        for k in model.arcs.by_variable:
            neighbours[int(model.arcs.tails[k])].append(int(model.arcs.heads[k]))
        follows = {
            u: model.new_int_var_from_domain(Domain.from_values(heads), f"next[{model.arcs.cycle.name(u)}]")
            for u, heads in with_heartbeats(neighbours.items(), heartbeat)
        }
        model.successors = s = [follows[v] for v in range(n)]
        model.add_all_different(s)
        order = position_variables(model)
        read = [*order[:root], order[root] + n, *order[root + 1 :]]
        for v in with_heartbeats(range(n), heartbeat):
            first, last = min(neighbours[v]), max(neighbours[v])
            model.add_element(s[v] - first, read[first : last + 1], order[v] + 1)
        if model.arc:
            for u, v, arc in model.triples():
                model.add(s[u] == v).only_enforce_if(arc)
            model.exactly_one_arc_from_and_to_each_vertex()
