"""Disjoint Hamiltonian cycles: colours of the edges, cut sets added between the runs of a SAT solver, and exchanges.

    exactly one of x[e, c] over c        for each edge e; where edges may be left over, one colour more means that
    exactly two of x[e, c] at v          for each vertex v and each colour c
    not x[e, c] or one of x[f, c - 1]    over the edges f before e at vertex 0: colours in order
    one of x[e, c] over e in δ(S)        for each colour c and each shore S that a solution showed

Over the arcs of a directed graph exactly one leaves each vertex, and one enters it; a shore is left and entered.

It is the cutting-plane loop (`subtours`) for all colours at once: a shore that one colour shows holds for each. Before
cutting, edges are exchanged between the colours (`merging`), which finds most decompositions. Since exchanges keep the
parity of the number of cycles, and a solver clings to it, the solver begins anew under a random numbering after 1, 2,
4, … rounds; the cut sets stay, and as there are finitely many, the search ends. That there are no such cycles is the
solver's word.

Cost, for m edges and k colours: k m variables or k + 1, those of `degree` for each colour, and k clauses for each shore
(2 k, if directed).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, product
from random import Random

import numpy as np

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.formula import Clauses
from cpsat_tour.models.degree import clauses_at_vertices, exactly_one, exactly_two
from cpsat_tour.models.drivers.sat import IN_ROUNDS, SatSolver
from cpsat_tour.models.loop.merging import join_factors
from cpsat_tour.models.loop.numbering import SWEEPS, Numbering
from cpsat_tour.models.loop.subtours import cut_sets

SOLVER = "cadical195"


@dataclass(frozen=True)
class DisjointCycles:
    """A search for ``number`` Hamiltonian cycles without a common edge."""

    number: int

    def find(self, run: Run) -> list[Ints] | Refutation:
        """Return the disjoint cycles, each as its vertices in order, or the `Refutation` that there are none;
        `StoppedEarly` at a limit.

        ``work`` counts the rounds and the solver's conflicts.
        """
        cycle, number, rng, cuts = run.cycle, self.number, Random(run.limits.seed), list[Ints]()
        run.work.setdefault("rounds", 0)
        for attempt in count():
            ranks = Numbering(cycle, rng.randrange(SWEEPS, 1 << 31)).variables - 1
            width = number + (cycle.size > number * cycle.order)  # the last colour is for edges that are left over
            variables = np.arange(1, cycle.size * width + 1, dtype=np.int32).reshape(-1, width)[ranks]
            with SatSolver(SOLVER, run, IN_ROUNDS[SOLVER]) as solver:
                solver.state(_clauses(cycle, number, variables))
                solver.add_each(_colours_in_order(cycle, variables[:, :number]))
                new = cuts
                for _ in range(1 << attempt):
                    solver.add_each(variables[cut, colour].tolist() for cut in new for colour in range(number))
                    if not solver.solve():
                        rows = f"{plural(number, 'colour')} at each vertex and {plural(len(cuts), 'cut set')}"
                        return Refutation("claimed", f"the SAT solver {SOLVER} reports that {rows} are unsatisfiable")
                    run.work["rounds"] += 1
                    chosen = np.isin(variables, solver.true_among(variables.size) + 1)
                    cycles = [cycle.cycles(np.flatnonzero(chosen[:, colour])) for colour in range(number)]
                    if found := join_factors([*map(_following, cycles)], rng, run.heartbeat, directed=cycle.directed):
                        tails = np.arange(cycle.order, dtype=np.int32)
                        return [two_factor_cycles(cycle.order, tails, heads, directed=True)[0] for heads in found]
                    new = [cut for of_colour in cycles if len(of_colour) > 1 for cut in _cuts(cycle, of_colour)]
                    cuts = cuts + new
        raise AssertionError("the attempts don't end")


def _clauses(cycle: CycleProblem, number: int, variables: Ints) -> Iterator[Clauses]:
    """Yield the clauses that give each edge one colour, and each vertex two edges (or an arc in and an arc out) of each
    cycle's colour."""
    edges, vertices = np.arange(cycle.size), np.arange(cycle.order)
    of_each = np.repeat(edges, variables.shape[1])
    unused = yield from clauses_at_vertices(exactly_one, of_each, variables.ravel(), variables.size + 1, edges)
    for of_colour in variables.T[:number]:
        if cycle.directed:
            for ends in (cycle.tails, cycle.heads):
                unused = yield from clauses_at_vertices(exactly_one, ends, of_colour, unused, vertices)
        else:
            ends, of_both = np.concatenate([cycle.tails, cycle.heads]), np.tile(of_colour, 2)
            unused = yield from clauses_at_vertices(exactly_two, ends, of_both, unused, vertices)


def _colours_in_order(cycle: CycleProblem, variables: Ints) -> Iterator[list[int]]:
    """Yield the clauses that order the colours at vertex 0, since the cycles may be exchanged."""
    at_vertex = variables[(cycle.tails == 0) | (np.array(not cycle.directed) & (cycle.heads == 0))]
    for place, colour in product(range(len(at_vertex)), range(1, variables.shape[1])):
        yield [-int(at_vertex[place, colour]), *at_vertex[:place, colour - 1].tolist()]


def _cuts(cycle: CycleProblem, cycles: list[Ints]) -> Iterator[Ints]:
    """Yield sets of edges that every Hamiltonian cycle meets and that these cycles together avoid."""
    for shore, cut in zip(cycles, cut_sets(cycle, cycles), strict=False):
        leaving = np.isin(cycle.tails[cut], shore)
        yield from (cut[leaving], cut[~leaving]) if cycle.directed else (cut,)


def _following(cycles: list[Ints]) -> Ints:
    """Return the vertex that follows each vertex along its cycle."""
    following = np.concatenate(cycles)
    following[following.copy()] = np.concatenate([np.roll(cycle, -1) for cycle in cycles])
    return following
