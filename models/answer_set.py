"""An answer-set program with acyclic edges, solved by clingo (Gebser, Kaminski, Kaufmann & Schaub 2014).

    exactly one of go(u, v) over v                   for each vertex u
    exactly one of go(u, v) over u                   for each vertex v
    the arcs go(u, v) form no cycle                  for v other than the root
    go(u, v) or go(v, u)                             for each required edge
    go(end, start)                                   between fixed ends
    not go(root, u) or not go(v, root)               for u > v, if no direction is set

A cycle that misses the root would be one of arcs that don't enter it, so there is one cycle. That arcs form none is
``#edge``, which the solver checks as a graph while it runs (Bomanson, Gebser, Janhunen, Kaufmann & Schaub 2016):
nothing is stated for it. The last rule leaves one of the two directions of a cycle. The arcs are those of `arcs`, less
those that the colours rule out. Gebser et al. have the first three constraints; the last is that of Heule (2021) for
clauses, the others are ours.

Cost, for n vertices and a arcs: a facts and as many atoms to choose; 2n counting rules, one ground rule for each
required edge, one between fixed ends, one for each pair of arcs at the root whose direction is free. Grounding takes
most of the time until a board is large.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import Heartbeat, Run, no_heartbeat, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.core.verify import two_factor_cycles
from cpsat_tour.engines.registry import Features, Formulated, Registered
from cpsat_tour.formats.formula import FormulaMap, Sizes
from cpsat_tour.models.arcs import Arcs


class Program:
    """The answer-set program of a cycle problem, for clingo.

    Its arcs are in the order of the edges that the seed stands for. ``heartbeat`` is called while its text is made.
    """

    rules: ClassVar[str] = """
{ go(U,V) : arc(U,V) } = 1 :- vertex(U).
:- vertex(V), { go(U,V) : arc(U,V) } != 1.
#edge (U,V) : go(U,V), not root(V).
#show go/2.
"""
    """The first three constraints above. The others are stated of each edge, or of the root."""
    forms: ClassVar[Mapping[str, str]] = {"asp": "answer-set program"}

    def __init__(self, name: str, cycle: CycleProblem, seed: int, heartbeat: Heartbeat) -> None:
        self.name, self.cycle, self.heartbeat, self._arcs = name, cycle, heartbeat, Arcs(cycle, seed, colours=True)

    @property
    def sizes(self) -> Sizes:
        """The size of the program: its atoms to choose, ground rules that are constraints, and the atoms in these."""
        arcs = self._arcs
        tails, heads = arcs.tails[~arcs.wrong], arcs.heads[~arcs.wrong]
        out, into = heads[tails == arcs.root], tails[heads == arcs.root]
        pairs = int((out[:, None] > into[None, :]).sum()) if arcs.direction_free else 0
        directed, required = int(arcs.required is not None), int(self.cycle.required.sum())
        return Sizes(
            len(tails),
            2 * self.cycle.order + pairs + directed + required,
            2 * len(tails) + 2 * pairs + directed + 2 * required,
        )

    def map(self, suffix: str) -> FormulaMap:
        """Return the map from the atoms ``go(u,v)`` to the arcs."""
        assert suffix in self.forms
        moves = np.flatnonzero(~self._arcs.wrong)
        names = [f"go({tail},{head})" for tail, head in self._ends(moves)]
        return FormulaMap(self.cycle, names, moves, arcs=True, backend=self.name)

    def write(self, suffix: str, file: BinaryIO) -> Sizes:
        """Write the map and the program to a file, and return the program's size."""
        file.writelines(line.encode() for line in self.map(suffix).comments(suffix))
        file.write(self.text().encode())
        return self.sizes

    def text(self) -> str:
        """Return the facts and the rules as text."""
        arcs, cycle = self._arcs, self.cycle
        order = arcs.along(arcs.edges).ravel()
        along = with_heartbeats(self._ends(order[~arcs.wrong[order]]), self.heartbeat)
        lines = [f"root({arcs.root}).", *(f"vertex({vertex})." for vertex in range(cycle.order))]
        lines += [f"arc({tail},{head})." for tail, head in along]
        lines.append(self.rules.strip())
        lines += [f":- not go({u},{v}), not go({v},{u})." for u, v in self._ends(np.flatnonzero(cycle.required))]
        if arcs.required is not None:
            lines.append(f":- not go({arcs.tails[arcs.required]},{arcs.heads[arcs.required]}).")
        lines += [":- root(R), go(R,U), go(V,R), U > V."] * arcs.direction_free
        return "\n".join([*lines, ""])

    def _ends(self, moves: NDArray[np.integer]) -> Iterator[tuple[int, int]]:
        """Return the tail and the head of each of these arcs."""
        return zip(self._arcs.tails[moves].tolist(), self._arcs.heads[moves].tolist(), strict=True)


@dataclass(frozen=True)
class AnswerSet(Registered, Formulated):
    """An answer-set program; ``configuration`` is one of clingo's own."""

    configuration: Literal["auto", "frumpy", "jumpy", "tweety", "handy", "crafty", "trendy", "many"] = "auto"

    takes: ClassVar[Features] = frozenset({"every"})
    unit: ClassVar[str] = "conflicts"
    program: ClassVar[type[Program]] = Program

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Program:
        """Return the program of the cycle problem; ``heartbeat`` is called while it is written."""
        return self.program(self.name, cycle, seed, heartbeat)

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, one for each answer set, by clingo's own enumeration; return the `Refutation`
        when there are no more."""
        from cpsat_tour.models.drivers.clingo import answer_sets  # a program is written without clingo

        program = self.formula(run.cycle, run.limits.seed, run.heartbeat)
        for symbols in answer_sets(program.text(), self.configuration, run):
            arcs = np.array([[end.number for end in symbol.arguments] for symbol in symbols if symbol.name == "go"])
            yield two_factor_cycles(run.cycle.order, *arcs.T, directed=True)[0][None, :]
        return Refutation("claimed", "clingo reports that the program has no answer set")
