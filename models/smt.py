"""Satisfiability modulo theories: a position for each vertex, one more along each arc, in SMT-LIB (Barrett, Fontaine &
Tinelli 2017), by Z3 (de Moura & Bjørner 2008).

    exactly one of arc[u, v] over v        for each vertex u, by the clauses of degree
    exactly one of arc[u, v] over u        for each vertex v
    not arc[u, v] or not arc[v, u]
    required and tied edges, stops, fixed ends, one direction, wrong arcs, as in the frame over arcs (eager)
    arc[u, v] => p[v] - p[u] = 1           for v other than the root
    arc[u, root] => p[u] - p[root] = n - 1
    p[v] - p[root] = k                     for each given number, counted from 0

So the cycle of the root has all n vertices. The last three are differences of integers, for the logic QF_IDL; in QF_BV
positions are bit vectors, of the fewest bits that hold n - 1, and one more is meant modulo a power of two, which is
longer than any cycle that misses the root. All others are clauses over Booleans, as in `lazy_arcs` and `eager`. Bounds
on positions would follow, and are left out: with them closed 12x12 takes as many conflicts.

Z3 checks differences as a graph, and learns from its cycles. Bits are clauses in the end; beyond 6x6 they are slow.

Cost, for n vertices, m edges, and g given numbers but the root's: 2m Booleans, the commanders of `degree` and n
positions; the clauses above, and 2m + g assertions on positions. A directed graph has one arc for each edge.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, ClassVar, Literal

import numpy as np

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, Run, no_heartbeat, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.engines.registry import Features, Formulated
from cpsat_tour.formats.formula import FormulaMap, Sizes
from cpsat_tour.models.arcs import Arcs
from cpsat_tour.models.degree import BATCH
from cpsat_tour.models.lazy_arcs import one_arc_out_of_and_into_each_vertex, rules_of_arcs

THEORIES: Mapping[str, tuple[str, str]] = {
    "QF_IDL": ("Int", "(= (- p_{v} p_{u}) {k})"),
    "QF_BV": ("(_ BitVec {bits})", "(= p_{v} (bvadd p_{u} (_ bv{k} {bits})))"),
}
"""The sort of positions in each logic, and that the position of v is k more than that of u."""


class Script:
    """The SMT-LIB script of a cycle problem: Booleans ``arc_3_4`` and auxiliary ones ``c_5``, positions ``p_3``.

    Booleans are in the order of the edges that the seed stands for.
    """

    forms: ClassVar[Mapping[str, str]] = {"smt2": "SMT-LIB"}

    def __init__(self, cycle: CycleProblem, logic: str, seed: int, heartbeat: Heartbeat) -> None:
        self.cycle, self._arcs = cycle, (arcs := Arcs(cycle, seed, colours=True))
        n, arc, fixed = cycle.order, arcs.arc_variables, [] if arcs.required is None else [arcs.required]
        clauses = [
            *with_heartbeats(chain(one_arc_out_of_and_into_each_vertex(arcs), rules_of_arcs(arcs)), heartbeat, BATCH)
        ]
        clauses += [arc[fixed][:, None], -arc[arcs.opposed], -arc[arcs.wrong][:, None]]
        ends = list(zip(arcs.tails.tolist(), arcs.heads.tolist(), strict=True))
        self._names = [f"arc_{u}_{v}" for u, v in map(ends.__getitem__, arcs.by_variable)]
        last = max(int(np.abs(block).max(initial=0)) for block in clauses)
        booleans = [*self._names, *(f"c_{k}" for k in range(len(ends) + 1, last + 1))]
        literals = ["", *booleans, *(f"(not {name})" for name in reversed(booleans))]  # -1 is the last
        bits, root = max(1, (n - 1).bit_length()), arcs.root
        sort, more = (text.replace("{bits}", str(bits)) for text in THEORIES[logic])
        stated = [
            f"(or {' '.join(map(literals.__getitem__, clause))})" if len(clause) > 1 else literals[clause[0]]
            for clause in with_heartbeats(chain.from_iterable(map(np.ndarray.tolist, clauses)), heartbeat)
        ]
        stated += [
            f"(=> arc_{u}_{v} {more.format(u=root, v=u, k=n - 1) if v == root else more.format(u=u, v=v, k=1)})"
            for u, v in with_heartbeats(ends, heartbeat)
        ]
        stated += [more.format(u=root, v=v, k=k) for v, k in arcs.positions[1:]]
        lines = [
            f"(set-option :produce-models true)\n(set-logic {logic})",
            *(f"(declare-const {name} Bool)" for name in booleans),
            *(f"(declare-const p_{v} {sort})" for v in range(n)),
            *(f"(assert {assertion})" for assertion in stated),
        ]
        self.text = "\n".join([*lines, ""])
        used = sum(block.size for block in clauses) + 3 * len(ends) + 2 * (len(arcs.positions) - 1)
        self.sizes = Sizes(len(booleans) + n, len(stated), used)

    def map(self, suffix: str) -> FormulaMap:
        """Return the map from the Booleans to the arcs."""
        assert suffix in self.forms
        return FormulaMap(self.cycle, self._names, self._arcs.by_variable, arcs=True, backend="smt")

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the map, the script and the question to a file, and return the script's size."""
        file.writelines(line.encode() for line in self.map(suffix).comments(suffix))
        file.write(f"{self.text}(check-sat)\n(get-value ({' '.join(self._names)}))\n".encode())
        return self.sizes


@dataclass(frozen=True)
class Smt(Formulated):
    """Positions along the arcs, in a ``logic``: differences of integers, or bit vectors."""

    logic: Literal["QF_IDL", "QF_BV"] = "QF_IDL"

    takes: ClassVar[Features] = frozenset({"directed", "every", "symmetry", "givens", "waypoints"})
    unit: ClassVar[str] = "conflicts"

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Script:
        """Return the script of the cycle problem, stated while ``heartbeat`` is called."""
        return Script(cycle, self.logic, seed, heartbeat)

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, one for each model of the arcs; return the `Refutation` when there are no
        more."""
        from cpsat_tour.models.drivers.z3 import arcs_of_models  # a script is written without Z3

        script = self.formula(run.cycle, run.limits.seed, run.heartbeat)
        for arcs in arcs_of_models(script.text, run, differences=self.logic == "QF_IDL"):
            yield two_factor_cycles(run.cycle.order, *arcs.T, directed=True)[0][None, :]
        return Refutation("claimed", "Z3 reports that the script is unsatisfiable")
