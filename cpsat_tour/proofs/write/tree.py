"""A proof that no tour is better, as a tree of sums: what branch and bound (`subtour_lp`) writes down.

A leaf is a sum of rows with one that says that a tour is better. Each variable cancels but decided edges, and what is
left says that one of these is otherwise, a clause. Two clauses that differ in an edge add up to one without it, so that
the last is empty. *Rivals* are an edge at a vertex and the pairs there without it, of which at most one is used: a pair
takes two edges, so that half of the degree row says that, rounded (Gomory 1958).

In a sum ``r5`` is the row 5, in the order of the formula, then rivals, then cut sets; row 0 says that a tour is better,
``n5`` is the other half of an ``=``, and ``s5`` is the sum 5: ids are known when all cut sets are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from cpsat_tour.core.refutation import RefutationKind
from cpsat_tour.proofs.check.arithmetic import Constraint
from cpsat_tour.proofs.check.worth import BestClaim, Worth
from cpsat_tour.proofs.write.combination import added
from cpsat_tour.proofs.write.veripb import CycleRows, ProofStep, RowFormula, Vertices

Clause = frozenset[int]


@dataclass(frozen=True, eq=False)
class TreeProof:
    """The proof that nothing is better than ``best``: the shores of cut sets, the steps that show the best tour and
    derive the rivals, and the sums, the last of which is a contradiction, or the bound if no tour is shown."""

    cut_sets: tuple[Vertices, ...]
    derived: tuple[ProofStep, ...]
    sums: tuple[str, ...]
    best: BestClaim

    method: ClassVar[RefutationKind] = "lp"
    tours: ClassVar = None

    @property
    def length(self) -> int:
        """The number of constraints that the proof derives."""
        return len(self.derived) + len(self.sums)

    def steps(self, formula: RowFormula) -> Iterator[ProofStep]:
        """Yield the steps of the proof from the formula's rows."""
        yield from self.derived
        stated, first = len(formula.cycle.stated.rows), formula.ids + 1
        last = first + len(self.derived)
        ids = [first, *formula.row_ids[:stated], *range(first + self.best.shown, last), *formula.row_ids[stated:]]
        named = {"r": ids, "n": [number + 1 for number in ids], "s": range(last, last + len(self.sums))}
        for words in self.sums:
            yield ProofStep("pol", (re.sub(r"([rns])(\d+)", lambda name: str(named[name[1]][int(name[2])]), words),))


def sum_of(
    rows: Sequence[Constraint], multipliers: Mapping[int, int], decided: Mapping[int, bool], *, shown: bool = True
) -> tuple[str, Clause] | None:
    """Return the sum with these multipliers, completed and evaluated exactly, and the clause that it says: one of the
    decided variables has another value; None if it says nothing. If no tour is ``shown``, row 0 is left out of the sum,
    which says in its place that no tour is so good."""
    terms = [(f"{'r' if number > 0 else 'n'}{row}", abs(number)) for row, number in multipliers.items() if row or shown]
    total, clause = Constraint({}, 0), set[int]()
    for row, number in multipliers.items():
        total = total.plus(rows[row].times(number))
    gain = total.bound
    for variable, coefficient in total.terms.items():
        kept = decided.get(variable) is (coefficient < 0)
        gain -= coefficient if kept is (coefficient < 0) else 0
        if kept:
            clause.add(variable if coefficient > 0 else -variable)
        else:
            terms.append((f"{'~' * (coefficient > 0)}x{variable}", abs(coefficient)))
    return (f"{added(terms)} {gain if shown else multipliers[0]} d s", frozenset(clause)) if gain > 0 else None


def rivals_of(cycle: CycleRows, worth: Worth) -> dict[tuple[int, int], tuple[ProofStep, Constraint]]:
    """Return by vertex and variable of an edge there the row that at most one is used of it and the pairs there without
    it, and the step that derives it, where the tour is to have many pairs and there are such."""
    ids, rivals = RowFormula(cycle).row_ids, dict[tuple[int, int], tuple[ProofStep, Constraint]]()
    places = {pair: place for place, pair in enumerate(worth.pairs if worth.weight < 0 else ())}
    for vertex, edges in enumerate(cycle.stated.incidence):
        here = [pair for pair in combinations(edges, 2) if pair in places]
        for edge in edges:
            if pairs := [pair for pair in here if edge not in pair]:
                rows = (2 * (places[pair] - len(places)) + side - 1 for pair in pairs for side in (0, 1))
                others = sorted({*edges}.difference([edge], *pairs))
                terms = [str(ids[vertex] + 1), *(str(ids[row]) for row in rows), *(f"x{other}" for other in others)]
                variables = [edge, *(worth.variables[places[pair]] for pair in pairs)]
                step = ProofStep("pol", (f"{added((term, 1) for term in terms)} 2 d",))
                rivals[vertex, edge] = step, Constraint(dict.fromkeys(variables, -1), -1)
    return rivals
