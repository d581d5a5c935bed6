"""A cycle problem over successors, for constraint solvers of any kind: MiniZinc and XCSP3.

    circuit(next)
    next[v] is a neighbour of v
    next[u] = v or next[v] = u     for each required edge uv

and for edges that a symmetry ties together both of these or neither. ``circuit`` (Laurière 1978) is a constraint of
either language: MiniZinc (Nethercote, Stuckey, Becket, Brand, Duck & Tack 2007) has it in its library and hands it on
to solvers that know it, or states it by an order of the vertices; XCSP3 (Boussemart, Lecoutre, Audemard & Piette 2016)
has an element for it. Vertices count from 1 in MiniZinc and from 0 in XCSP3. What only positions can say, given numbers
and waypoints, is refused.

Size, for n vertices, m edges and r required ones: n variables with 2m values in all (m of m arcs); the circuit, and a
constraint for each of the r and of the tied pairs. In MiniZinc domains are constraints, n more; in XCSP3 a vertex that
nothing follows takes one, since no domain is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Ints
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.formats.formula import Sizes
from cpsat_tour.formats.formula_map import FormulaMap


@dataclass(frozen=True, eq=False)
class CircuitFormula:
    """The circuit of a cycle problem; one with given numbers or waypoints can't be written."""

    cycle: CycleProblem
    backend: str

    forms: ClassVar[Mapping[str, str]] = {"mzn": "MiniZinc", "xml": "XCSP3"}

    @cached_property
    def _arcs(self) -> Ints:
        """The arcs, a row each of tail and head; those back along undirected edges follow the others."""
        forth = np.stack([self.cycle.tails, self.cycle.heads], axis=1)
        return forth if self.cycle.directed else np.concatenate([forth, forth[:, ::-1]])

    @property
    def sizes(self) -> Sizes:
        """The size in MiniZinc."""
        return self._sizes(self.cycle.order)

    def _sizes(self, domains: int) -> Sizes:
        """Return the size with so many constraints that are domains: variables, constraints, values of the domains."""
        pairs = int(self.cycle.required.sum()) + len(self.cycle.tied_pairs)
        return Sizes(self.cycle.order, domains + 1 + pairs, len(self._arcs))

    def map(self, suffix: str) -> FormulaMap:
        """Return the map of the values of the successors; `BadInput` if a circuit can't say what is asked."""
        if beyond := self.cycle.source.timed:
            raise BadInput(f"a circuit in MiniZinc or XCSP3 can't say {beyond}: write a .pb file")
        first = 1 if suffix == "mzn" else 0
        names = [f"next[{tail}]={head}" for tail, head in (self._arcs + first).tolist()]
        return FormulaMap(self.cycle, names, np.arange(len(names)), arcs=True, backend=self.backend)

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the file in MiniZinc, ``mzn``, or XCSP3, ``xml``; return its size."""
        for lines in (self.map(suffix).comments(suffix), self._minizinc() if suffix == "mzn" else self._xcsp()):
            for line in lines:
                file.write(line.encode())
        return self.sizes if suffix == "mzn" else self._sizes(self._domains(0).count([]))

    def _domains(self, first: int) -> list[list[int]]:
        """Return the successors that each vertex may have, counted from ``first``."""
        tails, heads = self._arcs.T
        order = np.lexsort([heads, tails])
        ends = np.cumsum(np.bincount(tails, minlength=self.cycle.order))[:-1]
        return [at_vertex.tolist() for at_vertex in np.split(heads[order] + first, ends)]

    def _uses(self, edges: NDArray[np.integer], first: int, either: str) -> list[str]:
        """Return that each of the edges is used, in words of a form: ``either`` with its ends for ``u`` and ``v``."""
        ends = zip(self.cycle.tails[edges].tolist(), self.cycle.heads[edges].tolist(), strict=True)
        return [either.format(u=tail + first, v=head + first) for tail, head in ends]

    def _minizinc(self) -> Iterator[str]:
        either = "next[{u}] = {v}" if self.cycle.directed else "(next[{u}] = {v} \\/ next[{v}] = {u})"
        yield f'include "circuit.mzn";\narray[1..{self.cycle.order}] of var 1..{self.cycle.order}: next;\n'
        for vertex, domain in enumerate(self._domains(1), start=1):
            yield f"constraint next[{vertex}] in {{{', '.join(map(str, domain))}}};\n"
        yield "constraint circuit(next);\n"
        for used in self._uses(np.flatnonzero(self.cycle.required), 1, either):
            yield f"constraint {used};\n"
        for used, other in zip(*(self._uses(edges, 1, either) for edges in self.cycle.tied_pairs.T), strict=True):
            yield f"constraint {used} = {other};\n"
        yield "solve satisfy;\n"

    def _xcsp(self) -> Iterator[str]:
        either = "eq(next[{u}],{v})" if self.cycle.directed else "or(eq(next[{u}],{v}),eq(next[{v}],{u}))"
        domains = self._domains(0)
        yield '<instance format="XCSP3" type="CSP">\n  <variables>\n'
        yield f'    <array id="next" size="[{self.cycle.order}]">\n'
        for vertex, domain in enumerate(domains):
            yield f'      <domain for="next[{vertex}]"> {" ".join(map(str, domain or [vertex]))} </domain>\n'
        yield "    </array>\n  </variables>\n  <constraints>\n    <circuit> next[] </circuit>\n"
        rules = [f"ne(next[{vertex}],{vertex})" for vertex, domain in enumerate(domains) if not domain]
        rules += self._uses(np.flatnonzero(self.cycle.required), 0, either)
        tied = zip(*(self._uses(edges, 0, either) for edges in self.cycle.tied_pairs.T), strict=True)
        for rule in (*rules, *(f"iff({used},{other})" for used, other in tied)):
            yield f"    <intension> {rule} </intension>\n"
        yield "  </constraints>\n</instance>\n"
