"""Linear programs about a cycle problem, and the files in which other programs read them.

* MPS in its free form (IBM's, of the 1960s): all solvers read it; a column at a time.
* LP (CPLEX's): the rows as people write them.
* OPB (the pseudo-Boolean competitions; Roussel & Manquinho 2009), for equations and lower bounds over binary columns.

Nothing is minimised: any solution will do. The comments of a file say which columns are the edges, or arcs
(`formula_map`). A column is called by its letter and its vertices: ``x_a1_b3`` goes from a1 to b3; in OPB it is ``x1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from typing import BinaryIO, ClassVar

import numpy as np

from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.run import Heartbeat
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.formats.formula_map import FormulaMap
from cpsat_tour.models.drivers.linear_rows import Program, Sums

TERMS_PER_LINE = 8
"""Some readers of LP take no more than 255 characters a line."""

_PLAIN = re.compile(r"[A-Za-z0-9.]{1,20}")
"""Names of vertices that can be part of a column's name."""


class CycleProgram(Program):
    """A linear program about a cycle problem, to be solved or written to a file.

    Column ``k`` stands for ``moves[k]``, an edge or, if ``over_arcs``, an arc; columns beyond these are the
    formulation's own. ``used`` has the column of each edge, or the sum of those of its arcs. ``relaxed`` is True if
    shorter cycles satisfy the program too.
    """

    used: Sums

    forms: ClassVar[Mapping[str, str]] = {"lp": "CPLEX LP", "mps": "MPS"}
    over_arcs: ClassVar[bool]
    relaxed: ClassVar[bool]

    def __init__(self, name: str, cycle: CycleProblem, moves: Ints, heartbeat: Heartbeat) -> None:
        super().__init__(name, heartbeat)
        self.cycle, self.moves = cycle, moves

    def map(self, suffix: str) -> FormulaMap:
        """Return the map of the columns in this form."""
        names = self.names(suffix)[: len(self.moves)]
        return FormulaMap(self.cycle, names, self.moves, self.over_arcs, self.name, self.relaxed)

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the program in this form, and return its size."""
        comments, names = "".join(self.map(suffix).comments(suffix)), self.names(suffix)
        for text in {"mps": self._mps, "lp": self._lp, "opb": self._opb}[suffix](comments, names):
            file.write(text.encode())
        return self.sizes

    def names(self, suffix: str) -> list[str]:
        """Return the name of each column in this form; vertices whose names can't stand in it have their numbers."""
        if suffix == "opb":
            return [f"x{column}" for column in range(1, len(self.upper) + 1)]
        called = list(map(self.cycle.name, range(self.cycle.order)))
        if len(set(called)) < len(called) or not all(map(_PLAIN.fullmatch, called)):
            called = list(map(str, range(self.cycle.order)))
        return [
            "_".join([letter, *(called[vertex] for vertex in vertices)])
            for letter, subscripts in self.groups
            for vertices in zip(*(subscript.tolist() for subscript in subscripts), strict=True)
        ]

    def _texts(self, names: list[str], separator: str) -> Iterator[str]:
        """Yield each row as ``+1 x +3 y <= 2``, with a separator after every few terms."""
        for rows in self.rows:
            sums = rows.sums
            terms = [
                f"{weight:+.15g} {names[column]}"
                for weight, column in zip(sums.weights.tolist(), sums.columns.tolist(), strict=True)
            ]
            starts = pairwise(accumulate(sums.lengths.tolist(), initial=0))
            for (begin, end), right in zip(starts, rows.right.tolist(), strict=True):
                lines = range(begin, end, TERMS_PER_LINE)
                left = separator.join(" ".join(terms[line : min(end, line + TERMS_PER_LINE)]) for line in lines)
                yield f"{left or f'+0 {names[0]}'} {rows.sign} {right:.15g}"

    def _lp(self, comments: str, names: list[str]) -> Iterator[str]:
        yield f"{comments}Minimize\n obj: 0 {names[0]}\nSubject To\n"
        for number, row in enumerate(self._texts(names, "\n  "), start=1):
            yield f" r{number}: {row}\n"
        yield "Bounds\n"
        yield from (f" {names[k]} <= {self.upper[k]:.15g}\n" for k in range(self.whole, len(names)))
        yield "Binaries\n"
        yield from (f" {name}\n" for name in names[: self.whole])
        yield "End\n"

    def _opb(self, comments: str, names: list[str]) -> Iterator[str]:
        yield f"* #variable= {self.sizes.variables} #constraint= {self.sizes.clauses}\n{comments}"
        for row in self._texts(names, " "):
            yield f"{row} ;\n"

    def _mps(self, comments: str, names: list[str]) -> Iterator[str]:
        yield f"{comments}NAME cpsat-tour FREE\nROWS\n N obj\n"
        kinds = {"<=": "L", "=": "E", ">=": "G"}
        signs = [kinds[rows.sign] for rows in self.rows for _ in rows.right]
        yield from (f" {sign} r{row}\n" for row, sign in enumerate(signs, start=1))
        lengths, columns, weights = (
            np.concatenate([getattr(rows.sums, part) for rows in self.rows])
            for part in ("lengths", "columns", "weights")
        )
        entries = np.argsort(columns, kind="stable")
        numbers = np.repeat(np.arange(1, len(lengths) + 1), lengths)[entries].tolist()
        yield "COLUMNS\n M1 'MARKER' 'INTORG'\n"
        marked = True
        for column, row, weight in zip(columns[entries].tolist(), numbers, weights[entries].tolist(), strict=True):
            if marked and column >= self.whole:
                marked = False
                yield " M2 'MARKER' 'INTEND'\n"
            yield f" {names[column]} r{row} {weight:.15g}\n"
        yield " M2 'MARKER' 'INTEND'\nRHS\n" if marked else "RHS\n"
        right = np.concatenate([rows.right for rows in self.rows])
        yield from (f" RHS r{row} {number:.15g}\n" for row, number in enumerate(right.tolist(), start=1) if number)
        yield "BOUNDS\n"
        yield from (f" UP BND {name} {most:.15g}\n" for name, most in zip(names, self.upper.tolist(), strict=True))
        yield "ENDATA\n"
