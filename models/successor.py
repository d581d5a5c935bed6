"""CP-SAT over successors: which vertex follows each one, as textbooks of constraint programming model a circuit.

    s[v] is a neighbour of v
    all different s[v]
    order[root] = 0
    order[s[v]] = order[v] + 1             for each v, where order[root] is read as n
    arc[u, v] => s[u] = v
    exactly one of arc[u, v] over v        for each vertex u
    exactly one of arc[u, v] over u        for each vertex v
    arc[u, v] or arc[v, u]                 for each required edge

So every vertex follows one other, and the cycle of the root, whose last vertex has order n - 1, has all n vertices.

Successor variables, all different, are those of Laurière 1978 and of constraint programs for the travelling salesman
(Caseau & Laburthe 1997; Pesant, Gendreau, Potvin & Rousseau 1998); an array that is read at a variable place is the
element constraint (Van Hentenryck & Carillon 1988). MiniZinc states ``circuit`` in this way for solvers that lack it,
and adds that the orders are all different. That follows, and is left out: with it closed 14x14 takes CP-SAT thirty
times as long. The orders are restricted as in `positions`.

CP-SAT decides over Booleans, the arcs. Fixed ends, tied edges and stops are stated as in `eager_cpsat`. An element
constraint lists the orders from the least neighbour to the greatest, on a board those of a few rows.

Cost, for n vertices, m edges of which r are required: 2m Booleans and 2n integers; 2n constraints on the arcs at a
vertex, n elements and one all-different, one for each arc and each required edge. Of a directed graph there is one arc
for each edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ortools.sat.python.cp_model import Domain

from cpsat_tour.core.runs import with_heartbeats
from cpsat_tour.engines.registry import Features
from cpsat_tour.models.eager_cpsat import EagerCpSat, EagerModel
from cpsat_tour.models.positions import position_variables


@dataclass(frozen=True)
class Successor(EagerCpSat):
    """The successor of each vertex, and the order in which a walk along the successors meets the vertices."""

    name: ClassVar[str] = "cpsat:successor"
    takes: ClassVar[Features] = EagerCpSat.takes | {"directed", "givens", "waypoints"}
    colours: ClassVar[bool] = True
    minizinc: ClassVar[str] = "order"

    def state(self, model: EagerModel) -> None:
        """State the successor of each vertex, the order of the walk along them, and the arcs that they stand for."""
        root, n, heartbeat = model.arcs.root, model.arcs.order, model.heartbeat
        neighbours = [list[int]() for _ in range(n)]
        for u, v, _ in model.triples():
            neighbours[u].append(v)
        domains = map(Domain.from_values, neighbours)
        s = [model.new_int_var_from_domain(domain, "") for domain in with_heartbeats(domains, heartbeat)]
        model.add_all_different(s)
        order = position_variables(model)
        read = [*order[:root], order[root] + n, *order[root + 1 :]]
        for v in with_heartbeats(range(n), heartbeat):
            first, last = min(neighbours[v]), max(neighbours[v])
            model.add_element(s[v] - first, read[first : last + 1], order[v] + 1)
        for u, v, arc in model.triples():
            model.add(s[u] == v).only_enforce_if(arc)
        model.exactly_one_arc_from_and_to_each_vertex()
