"""A cycle problem in TSPLIB (Reinelt 1991), for programs that seek Hamiltonian cycles or shortest tours.

* ``.hcp``, TYPE HCP: the edges, and those that a tour must use as fixed edges.
* ``.tsp``, TYPE TSP: a matrix of the weights 0 for an edge and 1 for another pair. With required edges these weigh 0,
  other edges 1, other pairs 2. Of a directed graph TYPE is ATSP, and the weights are those of arcs.

A tour of the weight that a COMMENT names, the least that there may be, is what is sought. The map (`formula`)
stands behind the end of the file, where no program reads on: some take a line of at most 255 characters.

Size: a line for each edge; a matrix has n^2 entries, for at most `MAX_ORDER` vertices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, ClassVar

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.formats.formula import FormulaMap, Sizes

MAX_ORDER = 1 << 13
"""Vertices of the largest matrix: it takes 128 MB."""


@dataclass(frozen=True, eq=False)
class TsplibFormula:
    """A cycle problem as TSPLIB has it; `BadInput` if it has a symmetry, given numbers or waypoints."""

    cycle: CycleProblem

    forms: ClassVar[Mapping[str, str]] = {"hcp": "TSPLIB, Hamiltonian cycle", "tsp": "TSPLIB, weights"}

    def __post_init__(self) -> None:
        source = self.cycle.source
        if beyond := source.timed or ("symmetries" if source.symmetry is not None else ""):
            raise BadInput(f"TSPLIB can't say {beyond}: export a formula, such as .cnf")

    @property
    def sizes(self) -> Sizes:
        """The vertices as variables, the edges as constraints."""
        return Sizes(self.cycle.order, self.cycle.size)

    def map(self, suffix: str) -> FormulaMap:
        """Return the map of the edges ``3-4``, or arcs ``3>4``, by the numbers of their ends."""
        assert suffix in self.forms
        cycle = self.cycle
        ends = zip((cycle.tails + 1).tolist(), (cycle.heads + 1).tolist(), strict=True)
        names = [f"{tail}{'>' if cycle.directed else '-'}{head}" for tail, head in ends]
        return FormulaMap(cycle, names, np.arange(cycle.size), arcs=cycle.directed, backend="tsplib")

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the file of TYPE HCP, ``hcp``, or TSP or ATSP, ``tsp``; return its size."""
        lines = self._edges() if suffix == "hcp" else self._weights()
        file.writelines(line.encode() for line in chain(lines, ["EOF\n"], self.map(suffix).comments(suffix)))
        return self.sizes

    def _header(self, kind: str, comment: str) -> str:
        sought = tour_sought(self.cycle.source)
        return f"NAME : tour\nCOMMENT : a {sought:.150}{comment}\nTYPE : {kind}\nDIMENSION : {self.cycle.order}\n"

    def _edges(self) -> Iterator[str]:
        if self.cycle.directed:
            raise BadInput("a Hamiltonian cycle in TSPLIB is one of an undirected graph: write a .tsp file")
        yield self._header("HCP", "")
        yield "EDGE_DATA_FORMAT : EDGE_LIST\nEDGE_DATA_SECTION\n"
        ends = np.stack([self.cycle.tails, self.cycle.heads], axis=1) + 1
        for section, edges in (("", ends), ("FIXED_EDGES_SECTION\n", ends[self.cycle.required])):
            if len(edges):
                yield section
                yield from (f"{tail} {head}\n" for tail, head in edges.tolist())
                yield "-1\n"

    def _weights(self) -> Iterator[str]:
        cycle, required = self.cycle, int(self.cycle.required.sum())
        if cycle.order > MAX_ORDER:
            raise BadInput(
                f"a matrix of {cycle.order:,} vertices is too large, at most {MAX_ORDER:,}: write a .hcp file"
            )
        least = 1 if required else 0
        weights = np.full((cycle.order, cycle.order), least + 1, dtype=np.uint8)
        for tails, heads in ((cycle.tails, cycle.heads), (cycle.heads, cycle.tails))[: 1 if cycle.directed else 2]:
            weights[tails, heads] = np.where(cycle.required, 0, least)
        kind, best = "ATSP" if cycle.directed else "TSP", least * (cycle.order - required)
        yield self._header(kind, f" has the weight {best}")
        yield "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
        for row in weights:
            yield f"{' '.join(map(str, row.tolist()))}\n"
