"""Permutation: a place for each vertex and a vertex for each place, without arcs (Iwama & Miyazaki 1994; Hertel,
Hertel & Urquhart 2007).

``x[v, p]`` says that vertex v is at position p, 0 to n - 1; positions are taken modulo n:

    one of x[v, 0], …, x[v, n - 1], and no two of them        for each vertex v
    one of x[0, p], …, x[n - 1, p], and no two of them        for each position p
    not x[u, p] or not x[v, p + 1]                            for each p and each pair without an arc from u to v
    not x[u, 1] or not x[v, n - 1]                            for u > v, if no direction is set
    x[end, n - 1]                                             between fixed ends
    x[v, p]                                                   for each number p of a vertex v: the root has 0
    x[u, p] => x[v, p + 1] or x[v, p - 1]                     for each other required edge uv (an arc: the first alone)

*As printed* are the first three; that the root is at 0 is one of the eleven choices of Velev & Gao (2009). It knows
nothing of distances and colours.

It is also a QUBO as Lucas (2014) states it: the squares of his sums are the first two, his penalties the third.

Cost, for n vertices and a arcs: n² variables; 2n + n²(n - 1) clauses for the first two, n (n² - n - a) for the third,
less than n² for the others together with n for each required edge. That is 500,000 for 8x8, 33 million for 16x16.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, Run, no_heartbeat, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.registry import Features, Formulated
from cpsat_tour.formats.formula import Clauses, Cnf
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.drivers.sat import SatFormulation, SatSolver
from cpsat_tour.models.eager import MAX_CLAUSES


@dataclass(frozen=True)
class Permutation(SatFormulation, Formulated):
    """The vertices in the order of their positions, of which there are two next to each other only along an arc."""

    takes: ClassVar[Features] = frozenset({"directed", "every", "givens"})

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, one for each model; return the `Refutation` when there are no more."""
        formula, run.work["cut_sets"] = self.formula(run.cycle, run.limits.seed, run.heartbeat), 0
        with SatSolver(self.solver, run) as solver:
            solver.state(formula.clauses)
            while solver.solve():
                true = solver.true_among(formula.variables)
                vertices, positions = np.divmod(true, run.cycle.order)
                yield vertices[np.argsort(positions)][None, :]
                solver.add(-1 - true[None, :])
        return self.claim(run, f"the formula of {self.name}")

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Cnf:
        """Return the formula of a cycle problem, stated while ``heartbeat`` is called; `BadInput` if it is too large
        to be built."""
        n = cycle.order
        if 2 * n**3 > MAX_CLAUSES:
            limit = f"more than {MAX_CLAUSES:,} clauses"
            raise BadInput(f"the formula of {self.name} has {limit} here: choose sat, or another board")
        blocks = [*with_heartbeats(_clauses(Arcs(cycle, seed)), heartbeat)]
        places = np.arange(n * n, dtype=np.int32)
        return Cnf(
            cycle, places, n * n, 0, [], blocks, [], self.name, relaxed=False, arcs=True, places=True, plain=True
        )


def _clauses(arcs: Arcs) -> Iterator[Clauses]:
    """Yield the clauses in blocks, in the order of the constraints above."""
    n, cycle = arcs.order, arcs.cycle
    x = np.arange(1, n * n + 1, dtype=np.int32).reshape(n, n)
    following = np.roll(x, -1, axis=1)  # following[v, p] is x[v, p + 1]
    i, j = np.triu_indices(n, 1)
    for rows in (x, x.T):
        yield rows
        yield np.stack([-rows[:, i].ravel(), -rows[:, j].ravel()], axis=1)
    no_arc = ~np.eye(n, dtype=bool)
    no_arc[arcs.tails, arcs.heads] = False
    u, v = np.nonzero(no_arc)
    yield np.stack([-x[u].ravel(), -following[v].ravel()], axis=1)
    if arcs.direction_free:
        around = arcs.tails[arcs.into_root]
        late, early = (around[k] for k in np.nonzero(around[:, None] > around))
        yield np.stack([-x[late, 1], -x[early, n - 1]], axis=1)
    required = np.flatnonzero(cycle.required)
    if arcs.required is not None:
        yield np.array([[x[arcs.tails[arcs.required], n - 1]]])
        required = required[required != arcs.required % cycle.size]
    yield np.array([[x[v, p]] for v, p in arcs.positions])
    head = cycle.heads[required]
    beside = [following[head]] if cycle.directed else [following[head], np.roll(x, 1, axis=1)[head]]
    yield np.stack([-x[cycle.tails[required]].ravel(), *(other.ravel() for other in beside)], axis=1)
