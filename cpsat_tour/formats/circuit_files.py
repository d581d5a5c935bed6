"""Cycle problems for programs that know Hamiltonian cycles themselves: MiniZinc, XCSP3, and TSPLIB.

**MiniZinc** (Nethercote, Stuckey, Becket, Brand, Duck & Tack 2007) has a model and data apart. There are two models,
a file each:

* ``successor.mzn``: the vertex that follows each one, and ``circuit`` (Laurière 1978), which MiniZinc hands on to
  solvers that know it;
* ``order.mzn``: without it, by all different successors, and the step at which a walk along them comes to each vertex.

A ``.dzn`` file has the data of a problem, the same for both; a ``.mzn`` file has the model and then the data, and is
solved by itself. Vertices count from 1, and their names are for the tour that is printed. The vertex with the fewest
successors is asked for first: by ``successor.mzn`` Gecode then finds closed 12x12 in 0.4 s, where by its own order it
found no closed 8x8 in 20 s; by ``order.mzn`` it finds closed 8x8 in 0.2 s, and no closed 12x12 in 60 s.

**XCSP3** (Boussemart, Lecoutre, Audemard & Piette 2016) has the circuit alone; vertices count from 0. What only
positions can say, given numbers and waypoints, is refused in either.

Size, for n vertices, m edges and r required ones: n variables with 2m values in all (m of m arcs); the circuit, and a
constraint for each of the r and of the tied pairs. In MiniZinc domains are constraints, n more; there `order.mzn` has n
variables and n + 1 constraints more. No domain is empty: a vertex that can't be left or entered decides a problem
without a formula.

**TSPLIB** (Reinelt 1991) is for programs that seek Hamiltonian cycles or shortest tours:

* ``.hcp``, TYPE HCP: the edges, and those that a tour must use as fixed edges.
* ``.tsp``, TYPE TSP: a matrix of the weights 0 for an edge and 1 for another pair. With required edges these weigh 0,
  other edges 1, other pairs 2. Of a directed graph TYPE is ATSP, and the weights are those of arcs.

A tour of the weight that a COMMENT names, the least that there may be, is what is sought. The map (`formula`)
stands behind the end of the file, where no program reads on: some take a line of at most 255 characters.

Size: a line for each edge; a matrix has n^2 entries, for at most `MAX_ORDER` vertices.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints
from cpsat_tour.formats.describe import tour_sought
from cpsat_tour.formats.formula import Formula, FormulaMap, Sizes

XCSP3 = """\
<instance format="XCSP3" type="CSP">
  <variables>
    <array id="next" size="[{n}]">
{domains}    </array>
  </variables>
  <constraints>
    <circuit> next[] </circuit>
{rules}  </constraints>
</instance>
"""


@dataclass(frozen=True, eq=False)
class CircuitFormula:
    """A cycle problem for export in two ways: as the ``model`` of a ``backend``, and over successors, in MiniZinc by
    the model ``minizinc`` (``successor`` or ``order``)."""

    cycle: CycleProblem
    backend: str
    model: Formula
    minizinc: str

    @property
    def forms(self) -> Mapping[str, str]:
        """The file formats of the model, and MiniZinc and XCSP3, by suffix."""
        circuit = {"xml": "XCSP3"} if self.minizinc == "successor" else {}
        return {**self.model.forms, "mzn": "MiniZinc", "dzn": "MiniZinc's data", **circuit}

    @property
    def sizes(self) -> Sizes:
        """The size of the model."""
        return self.model.sizes

    def map(self, suffix: str) -> FormulaMap:
        """Return which values of the successor variables stand for which edges; `BadInput` if a circuit can't say what
        is asked."""
        if beyond := self.cycle.source.timed:
            raise BadInput(f"a circuit in MiniZinc or XCSP3 can't say {beyond}: write a .pb file")
        names = [f"next[{tail}]={head}" for tail, head in self._arcs(suffix).tolist()]
        return FormulaMap(self.cycle, names, np.arange(len(names)), arcs=True, backend=self.backend)

    def _arcs(self, suffix: str) -> Ints:
        """Return the arcs as rows (tail, head) in the numbering of the file format. An undirected edge is two arcs; all
        second ones come at the end."""
        forth = np.stack([self.cycle.tails, self.cycle.heads], axis=1) + np.int32(suffix != "xml")
        return forth if self.cycle.directed else np.concatenate([forth, forth[:, ::-1]])

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the file, over successors for the suffixes ``mzn``, ``dzn`` and ``xml``, else the model; return its
        size."""
        if suffix in self.model.forms:
            return self.model.write(suffix, file)
        cycle, arcs, xml = self.cycle, sorted(self._arcs(suffix).tolist()), suffix == "xml"
        values: dict[int, list[str]] = {tail: [] for tail, _ in arcs}
        for tail, head in arcs:
            values[tail].append(str(head))
        text = self._xcsp3(values) if xml else self._data(values)
        if suffix == "mzn":
            text = f"\n{Path(__file__).with_name(f'{self.minizinc}.mzn').read_text(encoding='utf-8')}\n{text}"
        file.writelines(line.encode() for line in (*self.map(suffix).comments("xml" if xml else "mzn"), text))
        n, rules = cycle.order, 1 + int(cycle.required.sum()) + len(cycle.tied_pairs)
        more = Sizes(n, n + 1) if self.minizinc == "order" else Sizes()
        return Sizes(n, rules + (not xml) * n, len(arcs)) + more

    def _data(self, values: Mapping[int, Sequence[str]]) -> str:
        """Return the assignments of MiniZinc's data; ``values`` are the successors of each vertex."""
        cycle, ends = self.cycle, self._arcs("dzn")[: self.cycle.size]
        neighbours = ",\n  ".join(f"{{{', '.join(heads)}}}" for heads in values.values())
        edges = ("required", 2, ends[cycle.required]), ("tied", 4, ends[cycle.tied_pairs])
        data = {
            "n": cycle.order,
            "root": cycle.degrees.argmin() + 1,
            "directed": json.dumps(cycle.directed),
            "name": json.dumps(list(map(cycle.name, range(cycle.order))), ensure_ascii=False),
            "neighbours": f"[\n  {neighbours}]",
            **{name: f"array2d(1..{len(rows)}, 1..{k}, {rows.ravel().tolist()})" for name, k, rows in edges},
        }
        return "".join(f"{name} = {value};\n" for name, value in data.items())

    def _xcsp3(self, values: Mapping[int, Sequence[str]]) -> str:
        """Return the XCSP3 file; ``values`` are the successors of each vertex."""
        cycle, used = self.cycle, [f"eq(next[{tail}],{head})" for tail, head in self._arcs("xml").tolist()]
        if not cycle.directed:
            used = [f"or({forth},{back})" for forth, back in zip(used[: cycle.size], used[cycle.size :], strict=True)]
        rules = [used[edge] for edge in np.flatnonzero(cycle.required)]
        rules += [f"iff({used[a]},{used[b]})" for a, b in cycle.tied_pairs]
        domains = (f'      <domain for="next[{v}]"> {" ".join(heads)} </domain>\n' for v, heads in values.items())
        intensions = (f"    <intension> {rule} </intension>\n" for rule in rules)
        return XCSP3.format(n=cycle.order, domains="".join(domains), rules="".join(intensions))


MAX_ORDER = 1 << 13
"""The largest number of vertices for which a matrix of weights is written: it takes 128 MB."""


@dataclass(frozen=True, eq=False)
class TsplibFormula:
    """A cycle problem for export to TSPLIB; `BadInput` if it has a symmetry, given numbers or waypoints."""

    cycle: CycleProblem

    forms: ClassVar[Mapping[str, str]] = {"hcp": "TSPLIB, Hamiltonian cycle", "tsp": "TSPLIB, weights"}

    def __post_init__(self) -> None:
        source = self.cycle.source
        if beyond := source.timed or ("symmetries" if source.symmetry is not None else ""):
            raise BadInput(f"TSPLIB can't say {beyond}: export a formula, such as .cnf")

    @property
    def sizes(self) -> Sizes:
        """The size, with vertices counted as variables and edges as constraints."""
        return Sizes(self.cycle.order, self.cycle.size)

    def map(self, suffix: str) -> FormulaMap:
        """Return the edges by the names that they have in the file, such as ``3-4``, or ``3>4`` for an arc."""
        assert suffix in self.forms
        cycle, mark = self.cycle, ">" if self.cycle.directed else "-"
        names = [f"{tail}{mark}{head}" for tail, head in (self._ends() + 1).tolist()]
        return FormulaMap(cycle, names, np.arange(cycle.size), arcs=cycle.directed, backend="tsplib")

    def _ends(self) -> Ints:
        """Return the two ends of each edge, a row each."""
        return np.stack([self.cycle.tails, self.cycle.heads], axis=1)

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the file, of TYPE HCP for the suffix ``hcp``, of TYPE TSP or ATSP for ``tsp``; return its size."""
        kind, comment, lines = self._edges() if suffix == "hcp" else self._weights()
        sought = f"{tour_sought(self.cycle.source):.150}{comment}"
        file.write(f"NAME : tour\nCOMMENT : {sought}\nTYPE : {kind}\nDIMENSION : {self.cycle.order}\n".encode())
        file.writelines(
            line.encode() for part in (lines, ["EOF\n"], self.map(suffix).comments(suffix)) for line in part
        )
        return self.sizes

    def _edges(self) -> tuple[str, str, Iterator[str]]:
        """Return the TYPE, the comment (empty) and the further lines of a file that lists the edges."""
        if self.cycle.directed:
            raise BadInput("a Hamiltonian cycle in TSPLIB is one of an undirected graph: write a .tsp file")
        lines = ["EDGE_DATA_FORMAT : EDGE_LIST\n"]
        for section, edges in (("EDGE_DATA", self._ends()), ("FIXED_EDGES", self._ends()[self.cycle.required])):
            if len(edges) or section == "EDGE_DATA":
                rows = (f"{tail} {head}\n" for tail, head in (edges + 1).tolist())
                lines += [f"{section}_SECTION\n", *rows, "-1\n"]
        return "HCP", "", iter(lines)

    def _weights(self) -> tuple[str, str, Iterator[str]]:
        """Return the TYPE, the comment on a tour's weight and the further lines of a file with a matrix of weights."""
        cycle, required = self.cycle, int(self.cycle.required.sum())
        if cycle.order > MAX_ORDER:
            raise BadInput(
                f"a matrix of {cycle.order:,} vertices is too large, at most {MAX_ORDER:,}: write a .hcp file"
            )
        least = int(required > 0)
        weights = np.full((cycle.order, cycle.order), least + 1, dtype=np.uint8)
        weights[cycle.tails, cycle.heads] = np.where(cycle.required, 0, least)
        if not cycle.directed:
            weights = np.minimum(weights, weights.T)
        rows = (f"{' '.join(map(str, row.tolist()))}\n" for row in weights)
        header = "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
        weight = f" has the weight {least * (cycle.order - required)}"
        return "ATSP" if cycle.directed else "TSP", weight, chain([header], rows)
