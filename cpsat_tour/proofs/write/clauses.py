"""The clauses of a formula's rows, with how a proof derives them, and the clausal proof from them.

At a vertex of small degree ``d``, "exactly two edges are used" needs no auxiliary variables: of any three edges one is
unused, and of any ``d - 1`` one is used. These clauses follow from their row by propagation, so that a proof need not
derive them. The clause of a cut set says that one of its edges is used. At a vertex of large degree, such as the apex,
triples would be too many; there fresh variables are defined, with the clauses that they allow: exactly two of many
literals are true. ``s_i`` says that one of the first ``i`` literals is true, ``t_i`` that one from the ``i``-th on is
(the ladder of Gent & Nightingale 2004, from both ends). Exactly two are true if no literal lies between a true prefix
and a true suffix, and none separates an empty prefix from an empty suffix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from cpsat_tour.core.refutation import RefutationKind
from cpsat_tour.core.run import with_heartbeats
from cpsat_tour.proofs.check.arithmetic import Clause
from cpsat_tour.proofs.check.rows import Row
from cpsat_tour.proofs.write.veripb import CycleRows, Lemma, ProofStep, RowFormula, Rule, TourEdges, Vertices, rup, term

MAX_WITH_TRIPLES = 32
"""Up to this degree (4960 triples) a vertex gets clauses without auxiliary variables."""


@dataclass(frozen=True)
class RowClauses:
    """The clauses of a formula: first those that a row implies by propagation, then those over fresh variables, which
    ``derived`` steps derive.

    ``ids`` has the id of the constraint that implies each clause, a row (of an ``=``, its half) or a step.
    """

    clauses: list[Clause]
    ids: list[int]
    derived: list[ProofStep]
    variables: int


@dataclass(frozen=True, eq=False)
class ClausalProof:
    """The shores of the formula's cut sets, the formula's clauses, and the lemmas, the last of which is the empty
    clause.

    ``tours`` is how many tours the clauses exclude one by one, None if the proof is that there is no tour.
    """

    cut_sets: tuple[Vertices, ...]
    clauses: RowClauses
    lemmas: tuple[Lemma, ...]
    tours: int | None = None

    method: ClassVar[RefutationKind] = "clausal"
    best: ClassVar = None

    def steps(self, formula: RowFormula) -> Iterator[ProofStep]:
        """Yield the steps of the pseudo-Boolean proof from the formula's rows; the last derives the empty clause.

        Rows stay; a lemma is deleted after the last that has it among its hints.
        """
        first = formula.ids + len(self.clauses.derived) + 1
        ids = [*self.clauses.ids, *range(first, first + len(self.lemmas))]
        yield from self.clauses.derived
        for lemma, done in self._with_deletions():
            hints = [ids[hint - 1] for hint in lemma.hints]
            yield rup(lemma.clause, [hint for hint, before in zip(hints, [0, *hints], strict=False) if hint != before])
            if done:
                yield ProofStep("del", (" ".join(str(ids[number - 1]) for number in done),))

    def _with_deletions(self) -> Iterator[tuple[Lemma, list[int]]]:
        """Yield each lemma, and the numbers of the lemmas that no later one needs after it."""
        count = len(self.clauses.clauses)
        last_use: dict[int, int] = {}
        for place, lemma in enumerate(self.lemmas):
            last_use.update((hint, place) for hint in lemma.hints if hint > count)
        for place, lemma in enumerate(self.lemmas[:-1]):
            yield lemma, sorted({hint for hint in lemma.hints if last_use.get(hint) == place})
        yield self.lemmas[-1], []

    @property
    def length(self) -> int:
        """The number of constraints that the proof derives."""
        return len(self.clauses.derived) + len(self.lemmas)

    def drup(self) -> Iterator[str]:
        """Yield the lines of the clausal proof without hints."""
        clauses = [*self.clauses.clauses, *(lemma.clause for lemma in self.lemmas)]
        for lemma, done in self._with_deletions():
            yield " ".join(map(str, (*lemma.clause, 0)))
            yield from (" ".join(map(str, ("d", *clauses[number - 1], 0))) for number in done)

    def lrat(self) -> Iterator[str]:
        """Yield the lines of the clausal proof with hints; clauses are numbered as in the DIMACS file, and on from
        there."""
        first = len(self.clauses.clauses) + 1
        for number, (lemma, done) in enumerate(self._with_deletions(), start=first):
            yield " ".join(map(str, (number, *lemma.clause, 0, *lemma.hints, 0)))
            if done:
                yield " ".join(map(str, (number, "d", *done, 0)))

    def dimacs(self, formula: RowFormula) -> Iterator[str]:
        """Yield the lines of the DIMACS file of the clauses."""
        clauses = self.clauses.clauses
        rows = f"two edges at each vertex, required and forbidden edges, {len(formula.cut_sets)} cut sets"
        yield f"c {rows}: variables 1 to {formula.cycle.size} are the edges"
        yield f"p cnf {self.clauses.variables} {len(clauses)}"
        yield from (" ".join(map(str, (*clause, 0))) for clause in clauses)


def clauses_of(
    formula: RowFormula,
    tick: Callable[[], None] = lambda: None,
    tours: Sequence[TourEdges] = (),
) -> RowClauses:
    """Return the clauses of all rows of the formula, and of the exclusion of these tours.

    ``tick`` is called now and then.
    """
    clauses, ids = list[Clause](), list[int]()
    # If all edges of a tour are used, two at each vertex, no other is: so the clause that shows it says one is not.
    degrees_at_most = range(2, 2 * formula.cycle.order + 1, 2)
    derived = [show_tour("solx", formula.cycle, tour) for tour in with_heartbeats(tours, tick)]
    for shown, tour in enumerate(tours, start=formula.ids + 1):
        derived.append(rup(tuple(-edge - 1 for edge in tour), (*degrees_at_most, shown)))
    fresh = formula.cycle.stated.variables
    for row, number in with_heartbeats(zip(formula.rows, formula.row_ids, strict=False), tick, steps=MAX_WITH_TRIPLES):
        if row.relation == "=" and row.bound == 2 and len(row.literals) > MAX_WITH_TRIPLES:
            last = formula.ids + len(derived)
            derived += prefixes_and_suffixes(list(row.literals), number + 1, fresh, last, tick)
            fresh += 2 * (len(row.literals) - 2)
            continue
        for at_most, clause in row_clauses(row):
            clauses.append(clause)
            ids.append(number + at_most)
    for number, step in enumerate(derived, start=formula.ids + 1):
        if step.clause is not None:
            clauses.append(step.clause)
            ids.append(number)
    return RowClauses(clauses, ids, derived, fresh)


def row_clauses(row: Row) -> Iterator[tuple[bool, Clause]]:
    """Yield pairs of a flag and a clause of the row; the flag is True if the clause follows from the half of an ``=``
    that bounds the sum from above. Of a cut set the one clause says that one of its edges is used."""
    literals, bound = tuple(row.literals), row.bound
    if row.subtracted is not None:
        yield from ((False, (*literals, -row.subtracted)), (True, (-literals[0], row.subtracted)))
    elif row.relation == ">=":
        yield False, literals
    else:
        yield from ((True, tuple(-literal for literal in chosen)) for chosen in combinations(literals, bound + 1))
        yield from ((False, chosen) for chosen in combinations(literals, max(0, len(literals) - bound + 1)))


def show_tour(rule: Rule, cycle: CycleRows, tour: TourEdges) -> ProofStep:
    """Return the step that shows the tour with these edges, by the value of each variable, of edges and of pairs."""
    used = {edge + 1 for edge in tour}
    made = [variable in used for variable in range(1, cycle.size + 1)]
    if cycle.stated.worth is not None:
        made += [used.issuperset(pair) for pair in cycle.stated.worth.pairs]
    return ProofStep(rule, (" ".join(f"{'' if true else '~'}x{number}" for number, true in enumerate(made, start=1)),))


def prefixes_and_suffixes(
    literals: list[int], at_most_row: int, last_variable: int, last_id: int, tick: Callable[[], None] = lambda: None
) -> list[ProofStep]:
    """Return the steps that define the fresh variables and derive that exactly two of the literals are true.

    ``at_most_row`` is the id of the row that says that at most two are; the one before says at least two. The fresh
    variables are numbered from ``last_variable + 1``, the ids of the steps from ``last_id + 1``.
    """
    count = len(literals)
    steps: list[ProofStep] = []
    some_of: dict[tuple[int, int], int] = {(0, 1): literals[0], (count - 1, count): literals[-1]}
    definition: dict[int, int] = {}
    ranges = [(0, stop) for stop in range(2, count)] + [(start, count) for start in range(count - 2, 0, -1)]
    numbered = enumerate(ranges, start=last_variable + 1)
    for number, (start, stop) in with_heartbeats(numbered, tick, steps=count):  # a definition is as long as its range
        within = literals[start:stop]
        some_of[start, stop] = number
        steps.append(ProofStep("red", (f"{term(-number)} {' '.join(map(term, within))} >= 1", f"x{number} -> 0")))
        definition[number] = last_id + len(steps)
        negated = " ".join(term(-literal) for literal in within)
        steps.append(ProofStep("red", (f"+{len(within)} x{number} {negated} >= {len(within)}", f"x{number} -> 1")))
    for start, stop in ranges:
        whole = some_of[start, stop]
        shorter, added = (
            (some_of[0, stop - 1], literals[stop - 1]) if start == 0 else (some_of[start + 1, count], literals[start])
        )
        up, down = definition[whole] + 1, definition[whole]
        of_shorter = [definition[shorter]] if shorter in definition else []
        steps.append(rup((-whole, shorter, added), [*(number + 1 for number in of_shorter), down]))
        steps += [rup((whole, -shorter), [up, *of_shorter]), rup((whole, -added), [up])]
    for place in range(1, count - 1):
        before, after = some_of[0, place], some_of[place + 1, count]
        terms = "".join(f" {definition[variable]} +" for variable in (before, after) if variable in definition)
        steps.append(ProofStep("pol", (f"{at_most_row}{terms}",), (-before, -literals[place], -after)))
    for place in range(count):
        sides = ((0, place), (place + 1, count))
        clause = tuple(some_of[side] for side in sides if side in some_of)
        steps.append(
            rup(clause, (*(definition[variable] + 1 for variable in clause if variable in definition), at_most_row - 1))
        )
    return steps
