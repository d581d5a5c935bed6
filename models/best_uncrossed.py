"""The longest uncrossed path or cycle by CP-SAT: a circuit that may leave vertices out, and at most one edge of each set that cross each
other.

The circuit constraint of Laurière (1978) passes over a vertex whose loop is chosen. An open path is a circuit through one more vertex, the
apex, beside its ends. Crossing edges exclude each other; cliques of them are stated as one constraint, for a far better linear relaxation
than that of pairs (they are found greedily). A second method beside the frontier's, for any width. Cost: 2m Booleans for m edges, 3n for
the n vertices of an open path and n for a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from ortools.sat.python import cp_model

from cpsat_tour.backends.best_run import BestRun, Settled
from cpsat_tour.backends.best_uncrossed import LongestUncrossed
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.run import paced
from cpsat_tour.models.best_circuit import optimised

Arc = tuple[int, int]


@dataclass(frozen=True)
class BestUncrossed:
    """The circuit constraint with loops."""

    takes: ClassVar[frozenset[str]] = frozenset({"uncrossed"})

    def improve(self, run: BestRun) -> Settled:
        """Each longer path as CP-SAT finds it. Work: ``conflicts`` (the unit of its limit), ``branches``, ``propagations``."""
        goal = run.goal
        assert isinstance(goal, LongestUncrossed)
        goal.begin(run)
        problem, order = goal.problem, goal.problem.graph.order
        model = cp_model.CpModel()
        edges = list(zip(*(ends.tolist() for ends in problem.graph.edges()), strict=True))
        arcs: dict[Arc, cp_model.IntVar] = {
            move: model.new_bool_var("") for move in paced([*edges, *((b, a) for a, b in edges)], run.heartbeat)
        }
        if not problem.closed:
            for vertex in range(order):
                arcs[order, vertex], arcs[vertex, order] = model.new_bool_var(""), model.new_bool_var("")
            for end, leads in ((problem.start, lambda vertex: (order, vertex)), (problem.end, lambda vertex: (vertex, order))):
                if end is not None:
                    model.add_bool_or([arcs[leads(end)]])
        loops = {vertex: model.new_bool_var("") for vertex in range(order)}
        forced = {vertex for move in (*problem.require, (problem.start,)) for vertex in move if vertex is not None}
        for vertex in forced:
            model.add_bool_or([loops[vertex].negated()])
        model.add_circuit([(*arc, literal) for arc, literal in arcs.items()] + [(vertex, vertex, loop) for vertex, loop in loops.items()])
        for a, b in problem.require:
            model.add_bool_or([arcs[a, b], arcs[b, a]])
        for a, b in problem.forbid:
            model.add_bool_and([arcs[a, b].negated(), arcs[b, a].negated()])
        for clique in cliques(len(edges), goal.pairs):
            model.add_at_most_one(literal for a, b in (edges[edge] for edge in clique) for literal in (arcs[a, b], arcs[b, a]))
        moves = cp_model.LinearExpr.sum([arcs[arc] for a, b in edges for arc in ((a, b), (b, a))])
        if problem.closed:
            model.add(moves >= 3)
            if problem.graph.colours is not None:
                model.add(moves == 2 * model.new_int_var(0, order // 2, ""))
        model.maximize(moves)
        made = set() if run.best is None else set(zip(run.best.tolist(), run.best.tolist()[1:], strict=False))
        for arc, literal in arcs.items():
            if made:
                model.add_hint(literal, arc in made)
        following = list(arcs.items())

        def path(solution: cp_model.CpSolverSolutionCallback) -> Ints:
            steps = dict(arc for arc, literal in following if solution.boolean_value(literal))
            vertex = order if not problem.closed else min(steps)
            course = [vertex]
            while (vertex := steps[vertex]) != course[0]:
                course.append(vertex)
            return goal.oriented(np.array(course if problem.closed else course[1:], dtype=np.int32))

        return optimised(run, model, path)


def cliques(edges: int, pairs: Ints) -> list[list[int]]:
    """Sets of edges that all cross each other, so that each pair is in one; an edge that crosses no other is one by itself."""
    crossing: list[set[int]] = [set() for _ in range(edges)]
    for one, other in pairs.tolist():
        crossing[one].add(other)
        crossing[other].add(one)
    covered: set[Arc] = set()
    found = [[edge] for edge in range(edges) if not crossing[edge]]
    for one, other in pairs.tolist():
        if (one, other) in covered:
            continue
        clique, common = [one, other], crossing[one] & crossing[other]
        while common:
            clique.append(max(common, key=lambda edge: len(common & crossing[edge])))
            common &= crossing[clique[-1]]
        covered.update((min(a, b), max(a, b)) for a in clique for b in clique if a != b)
        found.append(clique)
    return found
