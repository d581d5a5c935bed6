"""A cycle problem over successors, for constraint solvers of any kind: MiniZinc and XCSP3.

    circuit(next)
    next[v] is a neighbour of v
    next[u] = v or next[v] = u     for each required edge uv

and for edges that a symmetry ties together both of these or neither. ``circuit`` (Laurière 1978) is a constraint of
either language: MiniZinc (Nethercote, Stuckey, Becket, Brand, Duck & Tack 2007) has it in its library and hands it on
to solvers that know it, or states it by an order of the vertices; XCSP3 (Boussemart, Lecoutre, Audemard & Piette 2016)
has an element for it. The MiniZinc file asks for the vertex with the fewest successors first: Gecode then finds closed
12x12 in 0.4 s, where by its own order it found no closed 8x8 in 20 s. Vertices count from 1 in
MiniZinc and from 0 in XCSP3. What only positions can say, given numbers and waypoints, is refused.

Size, for n vertices, m edges and r required ones: n variables with 2m values in all (m of m arcs); the circuit, and a
constraint for each of the r and of the tied pairs. In MiniZinc domains are constraints, n more. No domain is empty: a
vertex that can't be left or entered decides a problem without a formula.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.space import Ints
from cpsat_tour.formats.formula import Formula, FormulaMap, Sizes

WORDS = {
    "mzn": {
        "begin": 'include "circuit.mzn";\narray[1..{n}] of var 1..{n}: next;\n',
        "domain": "constraint next[{v}] in {{{values}}};\n",
        "comma": ", ",
        "circuit": "constraint circuit(next);\n",
        "rule": "constraint {rule};\n",
        "follows": "next[{u}] = {v}",
        "either": "({one} \\/ {other})",
        "both or neither": "{one} = {other}",
        "end": "solve :: int_search(next, first_fail, indomain_min, complete) satisfy;\n",
    },
    "xml": {
        "begin": '<instance format="XCSP3" type="CSP">\n  <variables>\n    <array id="next" size="[{n}]">\n',
        "domain": '      <domain for="next[{v}]"> {values} </domain>\n',
        "comma": " ",
        "circuit": "    </array>\n  </variables>\n  <constraints>\n    <circuit> next[] </circuit>\n",
        "rule": "    <intension> {rule} </intension>\n",
        "follows": "eq(next[{u}],{v})",
        "either": "or({one},{other})",
        "both or neither": "iff({one},{other})",
        "end": "  </constraints>\n</instance>\n",
    },
}
"""What is said in either language, in the order of a file."""


@dataclass(frozen=True, eq=False)
class CircuitFormula:
    """A cycle problem that a ``backend`` states as a ``model``, and as a circuit for other solvers."""

    cycle: CycleProblem
    backend: str
    model: Formula

    @property
    def forms(self) -> Mapping[str, str]:
        """The forms of the model, MiniZinc and XCSP3."""
        return {**self.model.forms, "mzn": "MiniZinc", "xml": "XCSP3"}

    @property
    def sizes(self) -> Sizes:
        """The size of the model."""
        return self.model.sizes

    def map(self, suffix: str) -> FormulaMap:
        """Return the map of the values of the successors; `BadInput` if a circuit can't say what is asked."""
        if beyond := self.cycle.source.timed:
            raise BadInput(f"a circuit in MiniZinc or XCSP3 can't say {beyond}: write a .pb file")
        names = [f"next[{tail}]={head}" for tail, head in self._arcs(suffix).tolist()]
        return FormulaMap(self.cycle, names, np.arange(len(names)), arcs=True, backend=self.backend)

    def _arcs(self, suffix: str) -> Ints:
        """Return the arcs, a row each of tail and head as the form counts them; those back along undirected edges
        follow the others."""
        forth = np.stack([self.cycle.tails, self.cycle.heads], axis=1) + np.int32(suffix == "mzn")
        return forth if self.cycle.directed else np.concatenate([forth, forth[:, ::-1]])

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the circuit in MiniZinc, ``mzn``, or XCSP3, ``xml``, or else the model; return the size of the file."""
        if suffix in self.model.forms:
            return self.model.write(suffix, file)
        words, cycle, arcs, first = WORDS[suffix], self.cycle, self._arcs(suffix), int(suffix == "mzn")
        follows = [words["follows"].format(u=tail, v=head) for tail, head in arcs.tolist()]
        if not cycle.directed:
            either = zip(follows[: cycle.size], follows[cycle.size :], strict=True)
            follows = [words["either"].format(one=one, other=other) for one, other in either]
        ends = np.cumsum(np.bincount(arcs[:, 0], minlength=cycle.order + first))[first:-1]
        neighbours = [heads.tolist() for heads in np.split(arcs[np.lexsort(arcs.T[::-1]), 1], ends)]
        values = [words["comma"].join(map(str, domain)) for domain in neighbours]
        domains = [words["domain"].format(v=v, values=domain) for v, domain in enumerate(values, start=first)]
        rules = [follows[edge] for edge in np.flatnonzero(cycle.required)]
        rules += [words["both or neither"].format(one=follows[a], other=follows[b]) for a, b in cycle.tied_pairs]
        lines = [words["begin"].format(n=cycle.order), *domains, words["circuit"]]
        lines += [*(words["rule"].format(rule=rule) for rule in rules), words["end"]]
        file.writelines(line.encode() for line in (*self.map(suffix).comments(suffix), *lines))
        return Sizes(cycle.order, 1 + len(rules) + first * cycle.order, len(arcs))
