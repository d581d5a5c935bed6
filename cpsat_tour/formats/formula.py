"""Formulas for other solvers: the constraints of a formulation, to be counted and written to a file.

`Cnf` is a formula in conjunctive normal form. Its variables are, in this order: the m edges of the cycle problem, the
auxiliary variables of the degree constraints, those of the encoding. It is written as

* DIMACS CNF (Johnson & Trick 1993), whose ``c`` lines have all that `cpsat_tour.interface.decoding` needs to read an
  answer;
* OPB (the pseudo-Boolean competitions; Roussel & Manquinho 2009), with the same in ``*`` lines. There the degree
  constraints are equations over the edges, without auxiliary variables.

A file says if the formula is a relaxation: shorter cycles satisfy it too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.spaces.problem_data import problem_data

Clauses = NDArray[np.int32]
"""Clauses of one length, a ``(clauses, length)`` array of literals."""

TITLE = "cpsat-tour formula"
"""The beginning of the first line of a file."""

RELAXATION = "relaxation"
"""The first word of the line that marks a relaxation."""

SPACE = "\N{NO-BREAK SPACE}"
"""What stands for a space in the name of a vertex."""

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
    """A formula for export; ``forms`` has the names of its file formats by suffix, the usual one first."""

    forms: ClassVar[Mapping[str, str]]

    @property
    def sizes(self) -> Sizes:
        """The size of the formula, counted in its clauses."""

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the formula in the file format of the suffix, and return its size there."""


@dataclass(frozen=True, eq=False)
class Cnf:
    """A CNF formula of a cycle problem.

    Variable ``v`` up to the number of edges stands for edge ``edges[v - 1]`` of the cycle problem. ``degrees`` are the
    clauses of the degree constraints and required edges, with ``auxiliary`` variables of their own after the edges;
    ``blocks`` are all others. ``backend`` names the formulation; ``relaxed`` is True if not every model is a tour.
    """

    cycle: CycleProblem
    edges: Ints
    variables: int
    auxiliary: int
    degrees: Sequence[Clauses]
    blocks: Sequence[Clauses]
    backend: str
    relaxed: bool

    forms: ClassVar[Mapping[str, str]] = {"cnf": "DIMACS CNF", "opb": "OPB"}

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
        """Write the formula as ``cnf`` or ``opb``; return its size."""
        for text in self.dimacs() if suffix == "cnf" else self.opb():
            file.write(text.encode())
        return self.sizes if suffix == "cnf" else self.opb_sizes

    def dimacs(self) -> Iterator[str]:
        """Yield the DIMACS file in pieces of whole lines."""
        for line in self.map_lines():
            yield f"c {line}\n"
        sizes = self.sizes
        yield f"p cnf {sizes.variables} {sizes.clauses}\n"
        for block in self.clauses:
            yield from _block_texts(block, "%d ", "0")

    def opb(self) -> Iterator[str]:
        """Yield the OPB file in pieces of whole lines."""
        indptr, incident = self.cycle.incidence
        variables = np.empty(self.cycle.size, dtype=np.int32)
        variables[self.edges] = np.arange(1, self.cycle.size + 1, dtype=np.int32)
        required = np.sort(variables[self.cycle.required]).tolist()
        sizes = self.opb_sizes
        yield f"* #variable= {sizes.variables} #constraint= {sizes.clauses}\n"
        for line in self.map_lines():
            yield f"* {line}\n"
        for vertex in range(self.cycle.order):
            edges = np.sort(variables[incident[indptr[vertex] : indptr[vertex + 1]]]).tolist()
            yield "".join(f"+1 x{edge} " for edge in edges) + ("= 2 ;\n" if edges else "+0 x1 = 2 ;\n")
        for edge in required:
            yield f"+1 x{edge} = 1 ;\n"
        for block in self.blocks:
            beyond = np.abs(block) > self.cycle.size
            shifted = np.where(beyond, block - np.sign(block) * self.auxiliary, block)
            for text in _block_texts(shifted, "+1 x%d ", ">= 1 ;"):
                yield text.replace("x-", "~x")

    def map_lines(self) -> Iterator[str]:
        """Yield the comments of a file: the problem, and the edge of each variable; all that is needed to read an
        answer."""
        problem = self.cycle.source

        def name(vertex: int) -> str:
            return problem.graph.name(vertex).replace(" ", SPACE)

        yield f"{TITLE}, version 1: {tour_sought(problem)}"
        yield f"backend {self.backend}"
        yield f"problem {json.dumps(problem_data(problem))}"
        if self.relaxed:
            yield f"{RELAXATION}: shorter cycles satisfy this formula too; decode gives the cut sets to append to it"
        for variable, edge in enumerate(self.edges.tolist(), start=1):
            tail, head = int(self.cycle.tails[edge]), int(self.cycle.heads[edge])
            if head == self.cycle.apex:
                yield f"end {variable} {name(tail)}"
            elif edge == self.cycle.edge_between_ends:
                yield f"ends {variable} {name(tail)} {name(head)}"
            else:
                yield f"edge {variable} {name(tail)} {name(head)}"


def _block_texts(block: Clauses, literal: str, end: str) -> Iterator[str]:
    """Yield texts of some thousands of lines, a line for each row of the block."""
    line = literal * block.shape[1] + end + "\n"
    for begin in range(0, len(block), ROWS_AT_A_TIME):
        rows = block[begin : begin + ROWS_AT_A_TIME]
        yield line * len(rows) % tuple(rows.ravel().tolist())
