"""CP-SAT over positions: an integer for each vertex, one more along each arc, all different.

The root has position 0, a chosen arc goes from a position to the next one, and into the root from n - 1; each vertex is
left once and entered once. Positions are restricted by distance and, on a bipartite graph, by parity, as in `onehot`.
It is the formulation of Miller, Tucker & Zemlin (1960) with implications instead of a big M. That the positions are all
different follows; ``all_different`` states it all the same. CP-SAT creates the values of an integer as it needs them,
so that this one, unlike `onehot`, grows with the edges.

Cost, for n vertices, m edges of which r are required: 2m Booleans and n integers; 2n constraints on the arcs at a
vertex, one for each arc and each required edge, one if fixed ends set the direction, and one if the positions are
stated to differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.protocols import Features
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Heartbeat, with_heartbeats
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.drivers.arc_model import ArcModel, ModelArcs, required_and_tied_edges
from cpsat_tour.models.numbering import number_edges


@dataclass(frozen=True)
class Positions(ArcModel):
    """A position for each vertex; ``all_different`` says in so many words that they differ.

    The circuit constraint is faster on boards: closed 30x30 takes this two to three times as long, closed 50x50 five
    times or more. Stating that the positions differ costs as much again at 20x20.
    """

    all_different: bool = False

    name: ClassVar[str] = "cpsat:positions"
    takes: ClassVar[Features] = ArcModel.takes | {"givens"}

    def both_ways(self, cycle: CycleProblem) -> bool:
        """Unless fixed ends or colours set the direction."""
        return Arcs(cycle, colours=True).direction_free

    def model(self, cycle: CycleProblem, seed: int, heartbeat: Heartbeat) -> tuple[cp_model.CpModel, ModelArcs]:
        """Positions along the arcs, in the order of the edges that the seed stands for."""
        arcs = Arcs(cycle, colours=True)
        model = cp_model.CpModel()
        edges = number_edges(cycle, seed).edges
        order = np.concatenate([edges, edges + cycle.size])
        tails, heads = arcs.tails[order], arcs.heads[order]
        literals = [model.new_bool_var("") for _ in with_heartbeats(order, heartbeat)]
        position, all_possible = [], True
        for vertex in with_heartbeats(np.arange(cycle.order)[:, None], heartbeat):
            possible = np.flatnonzero(arcs.possible_positions(vertex)).tolist()
            all_possible &= bool(possible)
            position.append(model.new_int_var_from_domain(cp_model.Domain.from_values(possible or [0]), ""))
        if not all_possible:
            model.add_bool_or([])
        for ends in (tails, heads):
            at = np.split(np.argsort(ends, kind="stable"), np.cumsum(np.bincount(ends, minlength=cycle.order))[:-1])
            for some in with_heartbeats(at, heartbeat):
                model.add_exactly_one(literals[arc] for arc in some.tolist())
        for arc, (tail, head) in enumerate(
            with_heartbeats(zip(tails.tolist(), heads.tolist(), strict=True), heartbeat)
        ):
            step = position[tail] == cycle.order - 1 if head == arcs.root else position[head] - position[tail] == 1
            model.add(step).only_enforce_if(literals[arc])
        required_and_tied_edges(model, cycle, literals, edges)
        if arcs.required is not None:
            model.add_bool_or([literals[int(np.flatnonzero(order == arcs.required)[0])]])
        if self.all_different:
            model.add_all_different(position)
        return model, ModelArcs(tails, heads, literals)
