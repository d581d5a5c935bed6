"""Magic tours by CP-SAT: a position for each vertex, a circuit of the arcs, and the sums of the lines.

Along an arc the position grows by one (Miller, Tucker & Zemlin 1960). Of a closed tour each arc has a second literal,
for the one that closes it; an open one ends and begins at an apex. Positions differ, and their parity alternates with
the colours. A symmetry ties the edges of its orbits; where it can but move a closed tour along itself by half of it,
the positions of a vertex and its image are half a tour apart, and where it reads an open tour backwards they add up to
the last one. A line that half a tour takes to another has as many low numbers as high ones: with a half turn of the
chessboard that finds a semimagic tour in minutes.

Cost, for n vertices and m edges: 2m Booleans, twice as many if closed, 2n more if open; n integers; a linear constraint
for each arc and line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.best_magic import IT_IS_MAGIC, MagicGoal
from cpsat_tour.backends.best_run import BestRun, Settled
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import to_cycle
from cpsat_tour.models.circuit import Circuit
from cpsat_tour.models.drivers.cpsat import SOLVED, limit_met, solve


@dataclass(frozen=True)
class MagicPositions:
    """Positions, a circuit and sums."""

    takes: ClassVar[frozenset[str]] = frozenset({MagicGoal.objective})

    def improve(self, run: BestRun[MagicGoal]) -> Settled:
        """One magic tour. Work: ``conflicts`` (the unit of its limit), ``branches``, ``propagations``."""
        if run.best is not None:
            return IT_IS_MAGIC
        stated = _Stated(run.goal)
        solver = Circuit().solver(run)
        solver.parameters.cp_model_probing_level = solver.parameters.symmetry_level = 2
        status = solve(solver, stated.model, run)
        if status in SOLVED:
            run.found(np.argsort([solver.value(position) for position in stated.position]).tolist())
            return IT_IS_MAGIC
        if status != cp_model.INFEASIBLE:
            raise limit_met(run)
        return Settled("claimed", "CP-SAT reports that the model has no solution")


class _Stated:
    """The model of a goal; ``position`` is 0 for the first vertex of the tour."""

    def __init__(self, goal: MagicGoal) -> None:
        self._goal, self._problem, self._order = goal, goal.problem, goal.problem.graph.order
        self.model = cp_model.CpModel()
        self.position = [self.model.new_int_var(0, self._order - 1, "") for _ in range(self._order)]
        self._one_tour()
        self.model.add_all_different(self.position)
        self._colours_alternate()
        self._mapped_to_itself()
        self._lines_add_up()

    def _one_tour(self) -> None:
        """A circuit along which the position grows, with the ends and the moves that are asked for."""
        model, position, last = self.model, self.position, self._order - 1
        problem, cycle = self._problem, to_cycle(self._problem)
        begins, ends = [[model.new_bool_var("") for _ in position] for _ in range(2)]
        edges, circuit = [], []
        for tail, head in zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True):
            ways = []
            for one, other in ((tail, head), (head, tail)):
                if cycle.apex in (one, other):
                    ways.append(begins[other] if one == cycle.apex else ends[one])
                    circuit.append((one, other, ways[-1]))
                    continue
                ways.append(model.new_bool_var(""))
                circuit.append((one, other, ways[-1]))
                model.add(position[other] == position[one] + 1).only_enforce_if(ways[-1])
                if problem.closed:
                    ways.append(model.new_bool_var(""))
                    circuit.append((one, other, ways[-1]))
                    model.add_implication(ways[-1], ends[one])
                    model.add_implication(ways[-1], begins[other])
            edges.append(ways)
        model.add_circuit(circuit)
        for literals, where, fixed in ((begins, 0, problem.start), (ends, last, problem.end)):
            model.add_exactly_one(literals)
            for vertex, literal in enumerate(literals):
                model.add(position[vertex] == where).only_enforce_if(literal)
                model.add(position[vertex] != where).only_enforce_if(literal.negated())
            if fixed is not None:
                model.add_bool_or([literals[fixed]])
        for edge in np.flatnonzero(cycle.required).tolist():
            model.add_bool_or(edges[edge])
        for one, other in cycle.pairs.tolist():
            model.add(cp_model.LinearExpr.sum(edges[one]) == cp_model.LinearExpr.sum(edges[other]))

    def _colours_alternate(self) -> None:
        colours = self._problem.graph.colours
        if colours is None:
            return
        first = self.model.new_bool_var("")
        for vertex, colour in enumerate(colours.tolist()):
            half = self.model.new_int_var(0, self._order // 2, "")
            self.model.add(self.position[vertex] == 2 * half + (first if colour else 1 - first))

    def _mapped_to_itself(self) -> None:
        """What the symmetry says of positions, and of low ones on lines that it takes to each other."""
        symmetry, model, position = self._problem.symmetry, self.model, self.position
        if symmetry is None or symmetry.is_identity:
            return
        images = symmetry.images
        if not self._problem.closed:
            for vertex, image in enumerate(images.tolist()):
                model.add(position[vertex] + position[image] == self._order - 1)
            return
        if not _moves_along_by_half(self._goal, images):
            return
        half = self._order // 2
        low = [model.new_bool_var("") for _ in position]
        for vertex, image in enumerate(images.tolist()):
            model.add(position[vertex] < half).only_enforce_if(low[vertex])
            model.add(position[image] == position[vertex] + half).only_enforce_if(low[vertex])
            model.add(low[vertex] + low[image] == 1)
        for lines in self._goal.magic.families.values():
            known = {frozenset(line) for line in lines.tolist()}
            for line in lines.tolist():
                if frozenset(images[line].tolist()) in known:
                    model.add(2 * cp_model.LinearExpr.sum([low[vertex] for vertex in line]) == len(line))

    def _lines_add_up(self) -> None:
        magic = self._goal.magic
        for lines in magic.families.values():
            for line in lines.tolist():
                self.model.add(
                    cp_model.LinearExpr.sum([self.position[vertex] for vertex in line])
                    == magic.target(lines) - len(line)
                )


def _moves_along_by_half(goal: MagicGoal, images: Ints) -> bool:
    """Whether the symmetry is its own inverse and leaves no vertex and no edge where it is, so that it can't read a
    cycle backwards."""
    tails, heads = goal.problem.graph.edges()
    everywhere = np.arange(len(images))
    involution = bool((images[images] == everywhere).all()) and not (images == everywhere).any()
    return involution and not (images[tails] == heads).any()
