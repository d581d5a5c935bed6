"""The rows of a proof in a fixed order, which is that of their ids, as an OPB formula.

The degree row of each vertex (``= 2``), required edges (``= 1``), ``0 = 1`` where the problem contradicts itself,
forbidden edges (``= 0``); what a symmetry says, how many edges are turned round and ``x - y = 0`` for each edge and its
image; the clauses of pairs of moves, where the best is sought; cut sets (``>= 2``).

Format: OPB of the pseudo-Boolean competitions, in which the VeriPB proof checker (Elffers, Gocht, McCreesh & Nordström
2020) counts an ``=`` as two constraints, ``>=`` first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from cpsat_tour.proofs.write.dialects import Clause, term
from cpsat_tour.proofs.write.goals import GoalRows
from cpsat_tour.proofs.write.rows import CycleRows, Vertices

if TYPE_CHECKING:
    from cpsat_tour.backends.best_goals import PairGoal

Kind = Literal["degree", "required", "contradiction", "forbidden", "kept", "tie", "pair", "cut"]

SINGLE = ("pair", "cut")
"""The kinds of rows that are ``>=``, and so have one id."""


@dataclass(frozen=True)
class FormulaRow:
    """One constraint: the sum of the edges, ``less`` one, is equal to, or at least, the bound; with words on why.

    In place of edges it may have the literals of a ``clause``.
    """

    edges: tuple[int, ...]
    relation: str
    bound: int
    meaning: str
    less: int | None = None
    clause: Clause = ()

    def __str__(self) -> str:
        terms = " ".join(map(term, self.clause or (edge + 1 for edge in self.edges))) or "+0 x1"
        if self.less is not None:
            terms += f" -1 x{self.less + 1}"
        return f"{terms} {self.relation} {self.bound} ;"


@dataclass(frozen=True, eq=False)
class RowFormula:
    """All the rows of a proof: those of the problem and the cut sets that the proof uses, given by their shores.

    Where tours are ``counted`` the file says that all variables tell them apart; where the best is sought, it says what
    is to be least.
    """

    cycle: CycleRows
    cut_sets: tuple[Vertices, ...] = ()
    counted: bool = False
    goal: PairGoal | None = None

    @cached_property
    def worth(self) -> GoalRows | None:
        """The pairs of edges that count."""
        return None if self.goal is None else GoalRows(self.goal, self.cycle.size + 1)

    def rows(self) -> Iterator[FormulaRow]:
        """The rows in the order of their ids."""
        cycle = self.cycle
        name = cycle.edge_name
        for vertex, edges in enumerate(cycle.incidence):
            yield FormulaRow(tuple(edges), "=", 2, f"two edges at {cycle.name(vertex)}")
        for edge in cycle.required.tolist():
            yield FormulaRow((edge,), "=", 1, f"{name(edge)} is required")
        if cycle.contradiction is not None:
            yield FormulaRow((), "=", 1, cycle.contradiction)
        for edge in cycle.forbidden.tolist():
            yield FormulaRow((edge,), "=", 0, f"{name(edge)} is forbidden")
        if cycle.kept is not None:
            meaning = f"{cycle.kept} of the moves that {cycle.symmetry} turns round are made"
            yield FormulaRow(tuple(cycle.turned.tolist()), "=", cycle.kept, meaning)
        for edge, image in cycle.ties.tolist():
            yield FormulaRow((edge,), "=", 0, f"{cycle.symmetry} takes {name(edge)} to {name(image)}", less=image)
        for variable, clause in () if self.worth is None else self.worth.clauses():
            moves = " and ".join(name(abs(literal) - 1) for literal in clause[1:])
            meaning = (
                f"x{variable} is 1 where {moves} are made"
                if clause[0] > 0
                else f"x{variable} is 0 where {moves} is not made"
            )
            yield FormulaRow((), ">=", 1, meaning, clause=clause)
        for shore in self.cut_sets:
            names = " ".join(map(cycle.name, shore))
            yield FormulaRow(tuple(cycle.cut(shore).tolist()), ">=", 2, f"a tour leaves {names} and comes back")

    @cached_property
    def _counts(self) -> dict[Kind, int]:
        """How many rows there are of each kind, in their order."""
        cycle, pairs = self.cycle, 0 if self.worth is None else self.worth.lines
        fixed: dict[Kind, int] = {
            "degree": cycle.order,
            "required": len(cycle.required),
            "contradiction": cycle.contradiction is not None,
        }
        fixed |= {"forbidden": len(cycle.forbidden), "kept": cycle.kept is not None, "tie": len(cycle.ties)}
        return fixed | {"pair": pairs, "cut": len(self.cut_sets)}

    @cached_property
    def _first(self) -> dict[Kind, int]:
        """The id of the first row of each kind."""
        first: dict[Kind, int] = {}
        following = 1
        for kind, count in self._counts.items():
            first[kind] = following
            following += count if kind in SINGLE else 2 * count
        return first

    def id(self, kind: Kind, place: int = 0) -> int:
        """The id of the row at this place among those of its kind; of an ``=``, that of its ``>=`` half, which the
        ``<=`` half follows."""
        return self._first[kind] + (place if kind in SINGLE else 2 * place)

    def edge_id(self, kind: Literal["required", "forbidden"], edge: int) -> int:
        """The same for the row of an edge."""
        return self.id(
            kind, int(np.searchsorted(self.cycle.required if kind == "required" else self.cycle.forbidden, edge))
        )

    @property
    def lines(self) -> int:
        """The number of rows, an ``=`` counted once."""
        return sum(self._counts.values())

    @property
    def ids(self) -> int:
        """The number of ids that the rows take, an ``=`` counted twice."""
        return self._first["cut"] + len(self.cut_sets) - 1

    @property
    def variables(self) -> int:
        """The number of variables; a formula without edges has a dummy one."""
        return max(1, self.cycle.size + (0 if self.worth is None else len(self.worth.pairs)))

    def variable_lines(self) -> Iterator[str]:
        """What each variable stands for: ``x7 = a5-b3``."""
        name = self.cycle.edge_name
        pairs = [] if self.worth is None else [f"{name(one)} and {name(other)}" for one, other in self.worth.pairs]
        return (
            f"x{variable} = {meaning}"
            for variable, meaning in enumerate([*map(name, range(self.cycle.size)), *pairs], start=1)
        )

    def opb(self, *, plain: bool = False) -> Iterator[str]:
        """The lines of the OPB file; those of a plain one have nothing that VeriPB 1 does not read: no preserved
        variables, and no constant in what is to be least."""
        yield f"* #variable= {self.variables} #constraint= {self.lines}"
        if self.counted and not plain:
            yield f"preserved: {' '.join(f'x{variable}' for variable in range(1, self.variables + 1))} ;"
        if self.worth is not None:
            yield self.worth.objective(plain=plain)
        for row in self.rows():
            yield f"* {row.meaning}"
            yield str(row)
