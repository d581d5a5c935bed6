"""CP-SAT over positions: an integer for each vertex, one more along each arc.

    p[root] = 0
    exactly one of arc[u, v] over v, exactly one of arc[u, v] over u
    arc[u, v] => p[v] = p[u] + 1     for v other than the root
    arc[u, root] => p[u] = n - 1

It is the formulation of Miller, Tucker & Zemlin (1960; `mtz`) with implications instead of a big M. Positions are
restricted by distance and, on a bipartite graph, by parity, as in `onehot`. That they are all different follows.
CP-SAT creates the values of an integer as it needs them, so that this model, unlike `onehot`, grows with the edges.

Cost, for n vertices, m edges of which r are required: 2m Booleans and n integers; 2n constraints on the arcs at a
vertex, one for each arc and each required edge, and one if fixed ends set the direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.models.eager_cpsat import EagerCpSat, EagerModel


@dataclass(frozen=True)
class Positions(EagerCpSat):
    """A position for each vertex.

    The circuit constraint is faster on boards: closed 30x30 takes this two to three times as long, closed 50x50 five
    times or more.
    """

    name: ClassVar[str] = "cpsat:positions"
    takes: ClassVar[Features] = EagerCpSat.takes | {"givens", "waypoints"}
    colours: ClassVar[bool] = True

    def state(self, model: EagerModel) -> None:
        """State the positions along the arcs, the required edges, and the direction if fixed ends or colours set it."""
        arcs, n, heartbeat = model.arcs, model.arcs.order, model.heartbeat
        model.both_directions = arcs.direction_free
        position, all_possible = [], True
        for vertex in with_heartbeats(np.arange(n)[:, None], heartbeat, steps=n):
            possible = np.flatnonzero(arcs.possible_positions(vertex)).tolist()
            all_possible &= bool(possible)
            position.append(model.new_int_var_from_domain(cp_model.Domain.from_values(possible or [0]), ""))
        if not all_possible:
            model.add_bool_or([])
        for ends in (model.tails, model.heads):
            at_each = np.split(np.argsort(ends, kind="stable"), np.cumsum(np.bincount(ends, minlength=n))[:-1])
            for at_vertex in with_heartbeats(at_each, heartbeat):
                model.add_exactly_one(model.literals[arc] for arc in at_vertex.tolist())
        ends_of = zip(model.tails.tolist(), model.heads.tolist(), model.literals, strict=True)
        for tail, head, literal in with_heartbeats(ends_of, heartbeat):
            step = position[tail] == n - 1 if head == arcs.root else position[head] - position[tail] == 1
            model.add(step).only_enforce_if(literal)
        model.state_required_and_tied_edges()
        model.state_sections()
        if arcs.required is not None:
            model.add_bool_or([model.literals[arcs.variables[arcs.required] - 1]])
