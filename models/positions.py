"""CP-SAT over positions: an integer for each vertex, one more along each arc.

    p[root] = 0
    p[v] = 2 q[v] + parity of v            on a bipartite graph, for an integer q[v]
    exactly one of arc[u, v] over v        for each vertex u
    exactly one of arc[u, v] over u        for each vertex v
    arc[u, v] => p[v] = p[u] + 1           for v other than the root
    arc[u, root] => p[u] = n - 1
    arc[u, v] or arc[v, u]                 for each required edge

So the cycle of the root has n vertices, and that all positions differ follows.

As printed in Miller, Tucker & Zemlin 1960 (`mtz`); differs in implications instead of a big M, in positions that grow
by exactly one, that of the last vertex too, and in those of bipartite graphs.

Fixed ends, tied edges and stops are stated as in `eager_cpsat`. Positions are restricted to those that a vertex can
have (`Arcs.possible_positions`): they are at least as far from 0 and from n as the vertex is from the root. With
parities these are an interval of q[v], so that the model, unlike `onehot`, grows with the edges alone; CP-SAT creates
the values of an integer as it needs them.

Cost, for n vertices, m edges of which r are required: 2m Booleans and n integers; 2n constraints on the arcs at a
vertex, one for each arc and each required edge. Of a directed graph there is one arc for each edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.core.runs import with_heartbeats
from cpsat_tour.engines.registry import Features
from cpsat_tour.models.eager_cpsat import EagerCpSat, EagerModel


@dataclass(frozen=True)
class Positions(EagerCpSat):
    """A position for each vertex.

    The circuit constraint is faster on boards: closed 30x30 takes this two to three times as long, closed 50x50 five
    times or more.
    """

    takes: ClassVar[Features] = EagerCpSat.takes | {"directed", "givens", "waypoints"}
    colours: ClassVar[bool] = True

    def state(self, model: EagerModel) -> None:
        """State one arc from and to each vertex, and that positions grow by one along the arcs."""
        root, n = model.arcs.root, model.arcs.order
        p = position_variables(model)
        model.exactly_one_arc_from_and_to_each_vertex()
        for u, v, arc in model.triples():
            model.add(p[v] == p[u] + 1 if v != root else p[u] == n - 1).only_enforce_if(arc)


def position_variables(model: EagerModel) -> list[cp_model.LinearExpr]:
    """Return a variable p[v] for the position of each vertex, among the positions that it can have.

    It is an integer or, on a bipartite graph, 2 q[v] + parity for an integer q[v]. If no numbers are given its values
    are an interval.
    """
    p = list[cp_model.LinearExpr]()
    step = 1 if model.arcs.parity is None else 2
    for vertex in with_heartbeats(np.arange(model.arcs.order)[:, None], model.heartbeat, steps=model.arcs.order):
        possible = np.flatnonzero(model.arcs.possible_positions(vertex))
        if not len(possible):
            model.add_bool_or([])  # an empty domain is no model
            possible = np.zeros(1, dtype=int)
        q = model.new_int_var_from_domain(cp_model.Domain.from_values((possible // step).tolist()), "")
        p.append(step * q + int(possible[0] % step))
    return p
