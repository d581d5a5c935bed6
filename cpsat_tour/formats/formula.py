"""Formulas for other solvers: the constraints of a formulation, to be counted and written to a file.

`Cnf` is a formula in conjunctive normal form. Its variables are, in this order: the m edges of the cycle problem, the
auxiliary variables of the degree constraints, those of the encoding. It is written as

* DIMACS CNF (Johnson & Trick 1993). There the edges come last, the first of the sweep at the very end, and the variable
  of an edge is true if the edge is *not* used. So a solver that decides the last variable first and makes it true, as
  CaDiCaL and Kissat do, leaves edges out along the sweep, like our own searches;
* WCNF (the MaxSAT evaluations since 2022), the same as hard clauses, and soft ones if there is a goal;
* OPB (the pseudo-Boolean competitions; Roussel & Manquinho 2009). There the degree constraints are equations over the
  edges, without auxiliary variables, and a goal is a sum to be minimised.

The comments of each have all that is needed to read an answer (`formula_map`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.formats.formula_map import FormulaMap

Clauses = NDArray[np.int32]
"""Clauses of one length, a ``(clauses, length)`` array of literals."""

ROWS_AT_A_TIME = 1 << 14


@dataclass(frozen=True)
class Sizes:
    """The size of a formula: its variables, its clauses (constraints, if it is not a CNF), and their literals."""

    variables: int = 0
    clauses: int = 0
    literals: int = 0

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.variables + other.variables, self.clauses + other.clauses, self.literals + other.literals)


class Formula(Protocol):
    """A formula for export."""

    @property
    def forms(self) -> Mapping[str, str]:
        """The names of its file formats by suffix, the usual one first."""

    @property
    def sizes(self) -> Sizes:
        """The size of the formula, counted in its clauses."""

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the formula in the file format of the suffix, and return its size there."""


@runtime_checkable
class MappedFormula(Formula, Protocol):
    """A formula that says which of its variables stand for the edges, so that an answer can be read as a tour."""

    def map(self, suffix: str) -> FormulaMap:
        """Return the map of the variables in the file format of the suffix."""


@runtime_checkable
class RelaxedFormula(MappedFormula, Protocol):
    """A formula whose map says that it is a relaxation, and that takes cut sets."""

    def cut(self, cut_sets: Sequence[Ints]) -> None:
        """Demand edges of each cut set, given by the numbers of its edges."""


@dataclass(frozen=True, eq=False)
class Cnf:
    """A CNF formula of a cycle problem.

    Variable ``v`` up to the number of edges stands for edge ``edges[v - 1]`` of the cycle problem. ``degrees`` are the
    clauses of the degree constraints and required edges, with ``auxiliary`` variables of their own after the edges;
    ``blocks`` are all others. ``backend`` names the formulation; ``relaxed`` is True if not every model is a tour. With
    a ``goal``, in words, as many of the literals ``soft`` as possible are to be true.
    """

    cycle: CycleProblem
    edges: Ints
    variables: int
    auxiliary: int
    degrees: Sequence[Clauses]
    blocks: list[Clauses]
    backend: str
    relaxed: bool
    soft: Clauses = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    goal: str = ""

    forms: ClassVar[Mapping[str, str]] = {"cnf": "DIMACS CNF", "opb": "OPB", "wcnf": "WCNF"}

    @property
    def clauses(self) -> Iterator[Clauses]:
        """All clauses, in blocks of one length each."""
        return iter((*self.degrees, *self.blocks))

    @property
    def sizes(self) -> Sizes:
        """The size as DIMACS."""
        return Sizes(self.variables, sum(map(len, self.clauses)), sum(block.size for block in self.clauses))

    @property
    def opb_sizes(self) -> Sizes:
        """The size of the OPB file, counted in its constraints."""
        cycle, required = self.cycle, int(self.cycle.required.sum())
        literals = 2 * cycle.size + required + sum(block.size for block in self.blocks)
        return Sizes(self.variables - self.auxiliary, cycle.order + required + sum(map(len, self.blocks)), literals)

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the formula as ``cnf``, ``wcnf`` or ``opb``; return its size. `BadInput` if CNF is to say a goal."""
        if suffix == "cnf" and self.goal:
            raise BadInput(f"DIMACS CNF can't ask for the {self.goal}: write a .wcnf or .opb file")
        file.writelines(text.encode() for text in (self.opb() if suffix == "opb" else self.dimacs(suffix)))
        return self.opb_sizes if suffix == "opb" else self.sizes + Sizes(0, len(self.soft), len(self.soft))

    def dimacs(self, suffix: str) -> Iterator[str]:
        """Yield the DIMACS file, or that of the MaxSAT evaluations, in pieces of whole lines."""
        yield from self.map(suffix).comments(suffix)
        if suffix == "cnf":
            yield f"p cnf {self.sizes.variables} {self.sizes.clauses}\n"
        for block in self.clauses:
            yield from _block_texts(self._in_dimacs(block), "%d ", "0", "h " if suffix == "wcnf" else "")
        yield from _block_texts(self._in_dimacs(self.soft[:, None]), "%d ", "0", "1 ")

    def _in_dimacs(self, literals: ArrayLike) -> Clauses:
        """Return literals as the DIMACS file has them: edge variables last, in reverse and negated."""
        variable, m = np.abs(literals), self.cycle.size
        return np.sign(literals) * np.where(variable <= m, variable - self.variables - 1, variable - m)

    def opb(self) -> Iterator[str]:
        """Yield the OPB file in pieces of whole lines."""
        indptr, incident = self.cycle.incidence
        variables = np.empty(self.cycle.size, dtype=np.int32)
        variables[self.edges] = np.arange(1, self.cycle.size + 1, dtype=np.int32)
        required = np.sort(variables[self.cycle.required]).tolist()
        sizes = self.opb_sizes
        yield f"* #variable= {sizes.variables} #constraint= {sizes.clauses}\n"
        yield from self.map("opb").comments("opb")
        if self.goal:
            signs = zip(np.sign(-self.soft).tolist(), (np.abs(self.soft) - self.auxiliary).tolist(), strict=True)
            yield f"min: {' '.join(f'{sign:+d} x{variable}' for sign, variable in signs)} ;\n"
        for vertex in range(self.cycle.order):
            edges = np.sort(variables[incident[indptr[vertex] : indptr[vertex + 1]]]).tolist()
            yield f"{''.join(f'+1 x{edge} ' for edge in edges)}= 2 ;\n"
        for edge in required:
            yield f"+1 x{edge} = 1 ;\n"
        for block in self.blocks:
            beyond = np.abs(block) > self.cycle.size
            shifted = np.where(beyond, block - np.sign(block) * self.auxiliary, block)
            for text in _block_texts(shifted, "+1 x%d ", ">= 1 ;"):
                yield text.replace("x-", "~x")

    def map(self, suffix: str) -> FormulaMap:
        """Return the map of the variables of the file."""
        numbers = range(1, self.cycle.size + 1)
        variables = (
            [f"x{number}" for number in numbers] if suffix == "opb" else list(map(str, self._in_dimacs(numbers)))
        )
        return FormulaMap(self.cycle, variables, self.edges, backend=self.backend, relaxed=self.relaxed, goal=self.goal)

    def cut(self, cut_sets: Sequence[Ints]) -> None:
        """Add a clause for each cut set: one of these edges."""
        variables = np.argsort(self.edges).astype(np.int32) + 1
        self.blocks.extend(variables[edges][None, :] for edges in cut_sets)


def _block_texts(block: Clauses, literal: str, end: str, begin_line: str = "") -> Iterator[str]:
    """Yield texts of some thousands of lines, a line for each row of the block."""
    line = begin_line + literal * block.shape[1] + end + "\n"
    for begin in range(0, len(block), ROWS_AT_A_TIME):
        rows = block[begin : begin + ROWS_AT_A_TIME]
        yield line * len(rows) % tuple(rows.ravel().tolist())
