"""Absolute position: ``x[v, p]`` says that vertex v is at position p from the root (Iwama & Miyazaki 1994; Prestwich
2003).

The root is at position 0; along an arc the position grows by 1, and against it falls by 1; an arc into the root comes
from position n - 1. The root's cycle thus has all n vertices. A position is there only where it can be: no nearer to
the root, on either way, than the vertex is (Zhou 2020), and on a bipartite graph of the right parity. Where the next
position can't be, the arc can't be gone along.

Cost: one variable for each possible position; for each arc one clause for each possible position of its tail, and, if
it doesn't enter the root, of its head; one more for each arc into the root whose tail can't be at n - 1, and one for
the root. On a board of n squares these are about n²/2 variables and 8n² clauses: 50x50 is too much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.backends.protocols import Features
from cpsat_tour.formats.formula import Clauses
from cpsat_tour.models.arcs import ArcFormula, Arcs
from cpsat_tour.models.eager import Eager
from cpsat_tour.models.stated import runs

Numbers = NDArray[np.integer]


@dataclass(frozen=True)
class OneHot(Eager):
    """Absolute position, one variable for each position of each vertex."""

    name: ClassVar[str] = "sat:onehot"
    takes: ClassVar[Features] = Eager.with_givens

    def state(self, formula: ArcFormula) -> None:
        """The root's position, a step along each arc, and the last position before the root."""
        arcs, possible = formula.arcs, PossiblePositions(formula.arcs)
        at = formula.stated.take(int(possible.number.sum())) + np.cumsum(possible.number) - possible.number
        formula.add(at[[arcs.root]])
        if arcs.cycle.positions:
            _only_where_walks_lead(formula, possible, at)
        tails, heads = arcs.tails[arcs.inner], arcs.heads[arcs.inner]
        before, after, both = possible.steps(tails, heads)
        _implied(formula, formula.arc[arcs.inner], at[tails] + before, at[heads] + after, both)
        for ends, skipped in ((tails, before), (heads, after)):
            _impossible(formula, formula.arc[arcs.inner], at[ends], skipped)
            _impossible(
                formula, formula.arc[arcs.inner], at[ends] + skipped + both, possible.number[ends] - skipped - both
            )
        into, tails = formula.arc[arcs.into_root], arcs.tails[arcs.into_root]
        right = (possible.last[tails] == arcs.order - 1) & (possible.number[tails] > 0)
        _impossible(formula, into, at[tails], possible.number[tails] - right)
        formula.add(-into[right], (at + possible.number - 1)[tails[right]])
        formula.add(-into[~right])


def _only_where_walks_lead(formula: ArcFormula, possible: PossiblePositions, at: Numbers) -> None:
    """No vertex is where no walk between two givens leads in time, and a given is in its place."""
    vertex = np.repeat(np.arange(formula.arcs.order), possible.number)
    place = np.arange(len(vertex)) - np.repeat(np.cumsum(possible.number) - possible.number, possible.number)
    leads = formula.arcs.cycle.possible_positions[possible.first[vertex] + possible.step * place, vertex]
    given = leads & np.isin(vertex, [one for one, _ in formula.arcs.positions])
    formula.fix((at[vertex] + place)[~leads | given], leads[~leads | given])


class PossiblePositions:
    """For each vertex the ``first`` and the ``last`` position that distance and parity allow, and the ``number`` of
    them.

    They are ``step`` apart: where the parity is known, every second one is possible.
    """

    def __init__(self, arcs: Arcs) -> None:
        distance = arcs.distances().astype(np.int64)
        self.step = 1 if arcs.parity is None else 2
        self.first, self.last = distance.copy(), np.minimum(arcs.order - distance, arcs.order - 1)
        self.first[arcs.root] = self.last[arcs.root] = 0
        if arcs.parity is not None:
            self.first += (self.first - arcs.parity) % 2
            self.last -= (self.last - arcs.parity) % 2
        self.number = np.maximum(0, (self.last - self.first) // self.step + 1)

    def steps(self, tails: Numbers, heads: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """For each arc how many positions of its tail are before, and how many of its head, those that a step joins;
        and how many it joins."""
        begin = np.maximum(self.first[tails], self.first[heads] - 1)
        end = np.minimum(self.last[tails], self.last[heads] - 1)
        joined = np.maximum(0, (end - begin) // self.step + 1) * (
            (self.first[tails] + 1 - self.first[heads]) % self.step == 0
        )
        some = joined > 0
        return (
            (begin - self.first[tails]) // self.step * some,
            (begin + 1 - self.first[heads]) // self.step * some,
            joined,
        )


def _implied(formula: ArcFormula, arc: Numbers, tail: Numbers, head: Numbers, counts: Numbers) -> None:
    """Along each arc, so many variables from this one of its tail on each are true exactly when those of its head
    are."""

    def both_ways(some: slice) -> Clauses:
        forth = (-arc[some], 0), (-tail[some], -1), (head[some], 1)
        back = (-arc[some], 0), (tail[some], 1), (-head[some], -1)
        return np.concatenate([runs(counts[some], *forth), runs(counts[some], *back)])

    formula.stated.add_in_pieces(2 * counts, 3, both_ways)


def _impossible(formula: ArcFormula, arc: Numbers, end: Numbers, counts: Numbers) -> None:
    """Along each arc, so many variables from this one on are false."""
    formula.stated.add_in_pieces(counts, 2, lambda some: runs(counts[some], (-arc[some], 0), (-end[some], -1)))
