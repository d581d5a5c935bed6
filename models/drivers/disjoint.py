"""The loop for disjoint Hamiltonian cycles: 2-factors of several colours by a SAT solver, exchanges of edges between
them, cut sets, and restarts.

Before cutting, edges are exchanged between the colours (`merging`), which finds most decompositions. Since exchanges
keep the parity of the number of cycles, and a solver clings to it, the solver begins anew under a random numbering
after 1, 2, 4, … rounds; the cut sets stay, and as there are finitely many, the search ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random

import numpy as np

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Run
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.formula import Clauses
from cpsat_tour.models.drivers.sat import IN_ROUNDS, SatSolver
from cpsat_tour.models.loop.merging import join_factors
from cpsat_tour.models.loop.numbering import SWEEPS, Numbering
from cpsat_tour.models.loop.subtours import cut_sets

SOLVER = "cadical195"


def find_factors(
    number: int, clauses: Callable[[CycleProblem, int, Ints], Iterable[Clauses]], run: Run
) -> list[Ints] | Refutation:
    """Return disjoint Hamiltonian cycles, each as its vertices in order, or the `Refutation` that there are not this
    number of them; `StoppedEarly` at a limit.

    ``clauses`` states disjoint 2-factors over an array of variables, a row for each edge and a column for each colour;
    a column more is for edges that are left over. ``work`` counts the rounds and the solver's conflicts.
    """
    cycle, rng, cuts, rounds = run.cycle, Random(run.limits.seed), list[Ints](), 1
    tails = np.arange(cycle.order, dtype=np.int32)
    run.work.setdefault("rounds", 0)
    while True:
        ranks = Numbering(cycle, rng.randrange(SWEEPS, 1 << 31)).variables - 1
        width = number + (cycle.size > number * cycle.order)
        variables = np.arange(1, cycle.size * width + 1, dtype=np.int32).reshape(-1, width)[ranks]
        with SatSolver(SOLVER, run, IN_ROUNDS[SOLVER]) as solver:
            solver.state(clauses(cycle, number, variables))
            new = cuts
            for _ in range(rounds):
                solver.add_each(variables[cut, colour].tolist() for cut in new for colour in range(number))
                if not solver.solve():
                    rows = f"{plural(number, 'colour')} at each vertex and {plural(len(cuts), 'cut set')}"
                    return Refutation("claimed", f"the SAT solver {SOLVER} reports that {rows} are unsatisfiable")
                run.work["rounds"] += 1
                chosen = np.isin(variables, solver.true_among(variables.size) + 1)
                cycles = [cycle.cycles(np.flatnonzero(chosen[:, colour])) for colour in range(number)]
                if found := join_factors([*map(_following, cycles)], rng, run.heartbeat, directed=cycle.directed):
                    return [two_factor_cycles(cycle.order, tails, heads, directed=True)[0] for heads in found]
                new = [cut for of_colour in cycles for cut in _cuts(cycle, of_colour)]
                cuts = cuts + new
        rounds *= 2


def _cuts(cycle: CycleProblem, cycles: list[Ints]) -> Iterator[Ints]:
    """Yield sets of edges that every Hamiltonian cycle meets and that these cycles together avoid."""
    for cut in cut_sets(cycle, cycles):
        leaving = np.isin(cycle.tails[cut.edges], cut.shore)
        yield from (cut.edges[leaving], cut.edges[~leaving]) if cycle.directed else (cut.edges,)


def _following(cycles: list[Ints]) -> Ints:
    """Return the vertex that follows each vertex along its cycle."""
    return np.concatenate([np.roll(cycle, -1) for cycle in cycles])[np.argsort(np.concatenate(cycles))]
