"""What VeriPB reads: the cycle problem that a proof is about, its rows as an OPB formula, and the steps of a proof in
two dialects.

The formula has the rows of the problem, as the checker makes them, and the cut sets that the proof uses, in the order
of their ids: VeriPB (Elffers, Gocht, McCreesh & Nordström 2020) counts an ``=`` as two constraints, ``>=`` first. A
proof is the same list of steps in both dialects. 3.0 ends every statement with a semicolon, parts a witness by a colon
and takes hints; 1.2 shows solutions by ``v`` and ``o``, names the contradiction by ``c`` and has no other end. Grammar:
Gocht & Nordström, *Certifying parity reasoning efficiently using pseudo-Boolean proofs*, 2021, and the overview of the
format that VeriPB comes with.

The cycle problem has its edges numbered from 0. An open tour becomes a cycle through the *apex*, an extra last vertex
joined to every vertex, whose two edges mark the ends. Every edge is a variable, forbidden ones too. This is simpler
than the reduction that solvers use, on purpose: the reader of a proof has less to believe. `proofs.check.rows` says
which rows there are, and why they are true.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import edge_keys, indices_in
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints
from cpsat_tour.core.split_vertices import SplitVertices, undirected
from cpsat_tour.proofs.check.arithmetic import Clause
from cpsat_tour.proofs.check.claim import BestClaim
from cpsat_tour.proofs.check.rows import Row, TrueRows
from cpsat_tour.spaces.symmetry import TWOFOLD, written_name

Vertices = tuple[int, ...]
TourEdges = tuple[int, ...]  # the edges of a tour by their numbers, increasing


class CycleRows:
    """The cycle problem of a Hamilton problem, and the rows that are ``stated`` of it.

    ``source`` is what is asked; ``problem`` is the same, or if that is directed the undirected one on split vertices.
    The ``apex``, if any, is the last vertex. ``tails`` has the lesser end of each edge, ``order`` and ``size`` count
    vertices and edges. ``required`` and ``forbidden`` are edges, increasing; ``undecided`` marks all others.

    `BadInput` where numbers are given, or where no certificate can name the symmetry.
    """

    def __init__(self, source: Problem, best: BestClaim | None = None) -> None:
        if (symmetry := source.symmetry) is not None and written_name(source.graph, symmetry) is None:
            if symmetry.turning != "either":
                raise BadInput(
                    f"no certificate can say how {symmetry.name} is to turn a tour: choose one of "
                    f"{', '.join(TWOFOLD)}, or leave it out"
                )
            source = replace(source, symmetry=replace(symmetry, name="the permutation"))
        if source.timed:
            raise BadInput(f"certificates are for tours without {source.timed}: leave them out, or use solve")
        self.source, self.problem = source, undirected(source)
        self.stated = stated = TrueRows(source, lambda _: None, best, sys.maxsize - 1)
        self.tails, self.heads = np.array(stated.ends, dtype=np.int32).reshape(-1, 2).T.copy()
        self.order, self.size = len(stated.names), len(stated.ends)
        self.apex = None if self.problem.closed else self.order - 1
        self.required = np.array(stated.required, dtype=np.int64) - 1
        self.forbidden = np.array(stated.forbidden, dtype=np.int64) - 1
        self.allowed = np.ones(self.size, dtype=bool)
        self.allowed[self.forbidden] = False
        self.undecided = self.allowed.copy()
        self.undecided[self.required] = False

    @cached_property
    def for_cutting(self) -> CycleProblem:
        """The cycle problem with the same edges, as the cutting-plane loop takes it; merging leaves the ``required``
        edges as they are, so these are all that are decided or that a symmetry ties to others."""
        fixed = ~self.undecided
        for row in self.stated.symmetric:
            fixed[[variable - 1 for variable in (*row.literals, *([row.subtracted] if row.subtracted else []))]] = True
        return CycleProblem(self.problem, self.order, self.tails, self.heads, fixed, self.apex)

    @cached_property
    def incidence(self) -> list[list[int]]:
        """The edges at each vertex, increasing."""
        return [[variable - 1 for variable in variables] for variables in self.stated.incidence]

    def cut_set(self, vertices: Sequence[int]) -> Ints:
        """Return the cut set δ(S), increasing: the edges with exactly one end among the vertices."""
        inside = np.zeros(self.order, dtype=bool)
        inside[list(vertices)] = True
        return np.flatnonzero(inside[self.tails] != inside[self.heads]).astype(np.int32)

    def shore(self, vertices: Sequence[int]) -> Vertices:
        """Return the smaller of a vertex set and its complement, which have the same cut set; of equal ones that with
        the least vertex."""
        inside = {int(vertex) for vertex in vertices}
        other = tuple(vertex for vertex in range(self.order) if vertex not in inside)
        return min(tuple(sorted(inside)), other, key=lambda side: (len(side), side))

    def edges_of(self, tours: Ints) -> Ints:
        """Return the edges of each tour, increasing; a tour is a row of vertices, and an open one's ends are joined to
        the apex."""
        if self.apex is not None:
            tours = np.pad(tours, ((0, 0), (0, 1)), constant_values=self.apex)
        keys = edge_keys(self.order, self.tails, self.heads)
        edges = indices_in(edge_keys(self.order, tours, np.roll(tours, -1, axis=1)), keys)
        return np.sort(edges.astype(np.int32), axis=1)

    def tour(self, cycle: Ints) -> Ints:
        """Return the tour of a cycle, both as vertices in order; it begins and ends where the problem says."""
        if self.source.graph.directed:
            found: Ints = SplitVertices(self.source).tours(cycle[None, :])[0]
            return found
        return self.for_cutting.tour(cycle)

    def name(self, vertex: int) -> str:
        """Return the name of the vertex."""
        return self.stated.names[vertex]

    def edge_name(self, edge: int) -> str:
        """Return the name of the edge: ``a1-b3``."""
        return self.stated.edge_name(edge + 1)


Version = Literal["3.0", "1.2"]
Rule = Literal["pol", "rup", "red", "del", "solx", "soli"]


class Lemma(NamedTuple):
    """A clause and its hints, by number: first the clauses of the formula, from 1 on, then the lemmas before it."""

    clause: Clause
    hints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A rule and what it is applied to; ``clause`` is the clause that the step derives, if a solver was given it.

    ``pol`` has a sum in reverse Polish notation, ``rup`` a constraint and its hints, which only 3.0 writes, ``red`` a
    constraint and a witness, ``del`` ids, ``solx`` and ``soli`` the literals of a solution.
    """

    rule: Rule
    words: tuple[str, ...]
    clause: Clause | None = None


FORMS: Mapping[Version, Mapping[str, str]] = {
    "3.0": {
        "f": "f {} ;",
        "pol": "pol {} ;",
        "rup": "rup {} : {} ;",
        "red": "red {} : {} ;",
        "del": "del id {} ;",
        "solx": "solx {} ;",
        "soli": "soli {} ;",
        "end": "output NONE ;\nconclusion {} : {}{} ;\nend pseudo-Boolean proof ;",
    },
    "1.2": {
        "f": "f {}",
        "pol": "pol {}",
        "rup": "rup {} ;",
        "red": "red {} ; {}",
        "del": "del id {}",
        "solx": "v {}",
        "soli": "o {}",
        "end": "c {1}",
    },
}
"""How each dialect writes the number of ids of the formula, the rules, and the end, which has what was concluded, the
id of the last step, and what follows it."""


def rup(clause: Clause, hints: Iterable[int]) -> ProofStep:
    """Return the step that derives a clause from the constraints with these ids, in the order in which they
    propagate. It is written as a pseudo-Boolean constraint: ``+1 x1 +1 ~x2 >= 1``."""
    return ProofStep("rup", (f"{' '.join(map(term, clause))} >= 1".lstrip(), " ".join(map(str, hints))), clause)


def term(literal: int) -> str:
    """Return a literal with the coefficient 1: ``+1 ~x5``."""
    return f"+1 x{literal}" if literal > 0 else f"+1 ~x{-literal}"


@dataclass(frozen=True, eq=False)
class RowFormula:
    """The rows of a proof: those of the problem and the cut sets of these shores.

    Where tours are ``counted`` the file says that all variables tell them apart.
    """

    cycle: CycleRows
    cut_sets: tuple[Vertices, ...] = ()
    counted: bool = False

    @cached_property
    def rows(self) -> list[Row]:
        """The rows in the order of their ids."""
        return [*self.cycle.stated.rows, *map(self.cycle.stated.cut_row, self.cut_sets)]

    @cached_property
    def row_ids(self) -> list[int]:
        """The id of each row, and the first id after them; of an ``=``, the id of its ``>=`` half, which the ``<=``
        half follows."""
        return list(accumulate((1 + (row.relation == "=") for row in self.rows), initial=1))

    @property
    def ids(self) -> int:
        """The number of ids that the rows take, an ``=`` counted twice."""
        return self.row_ids[-1] - 1

    def opb(self, *, plain: bool = False) -> Iterator[str]:
        """Yield the lines of the OPB file; ``plain``, without what VeriPB 1 does not read: preserved variables, and a
        constant in the objective."""
        yield f"* #variable= {self.cycle.stated.variables} #constraint= {len(self.rows)}"
        if self.counted and not plain:
            yield f"preserved: {' '.join(f'x{number}' for number in range(1, self.cycle.stated.variables + 1))} ;"
        if self.cycle.stated.worth is not None:
            yield self.cycle.stated.worth.objective_line(plain=plain)
        for row in self.rows:
            yield f"* {row.meaning}"
            yield " ".join(row.tokens())
