"""The clauses of a formula's rows, each with the way in which a proof derives it.

At a vertex of small degree ``d``: of any three edges one is unused, of any ``d - 1`` one is used. These clauses need no
auxiliary variables and follow from the degree row by propagation, so a proof may use them without a word. A cut set's
clause says that one of its edges is used.

At a vertex of large degree, such as the apex, triples would be too many. There *prefix* and *suffix* variables are
introduced: ``s_i`` says that one of the first ``i`` edges is used, ``t_i`` that one from the ``i``-th on is (the ladder
of Gent & Nightingale 2004, from both ends). Exactly two are used when between a prefix and a suffix never lies a third,
and no edge alone parts an empty prefix from an empty suffix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

from cpsat_tour.core.answer import RefutationKind
from cpsat_tour.proofs.write import totals
from cpsat_tour.proofs.write.dialects import Clause, Lemma, ProofStep, rup, term
from cpsat_tour.proofs.write.formula import RowFormula
from cpsat_tour.proofs.write.rows import Edges, Vertices

if TYPE_CHECKING:
    from cpsat_tour.backends.best_goals import PairGoal

MAX_WITH_TRIPLES = 32
"""Up to this degree (4960 triples) a vertex gets clauses without auxiliary variables."""

VERTICES_BETWEEN_TICKS = TOURS_BETWEEN_TICKS = 256


@dataclass(frozen=True)
class RowClauses:
    """The clauses of a formula: those its rows imply by propagation, and those over fresh variables with the steps that
    derive them.

    ``rows`` has the id of the row behind each plain clause, the half of an ``=`` that implies it.
    """

    plain: tuple[Clause, ...]
    rows: tuple[int, ...]
    derived: tuple[ProofStep, ...]
    variables: int

    def __iter__(self) -> Iterator[Clause]:
        yield from self.plain
        yield from (step.clause for step in self.derived if step.clause is not None)

    def ids(self, last: int) -> list[int]:
        """The id of what implies each clause, where the steps that derive come after this id."""
        return [
            *self.rows,
            *(last + place for place, step in enumerate(self.derived, start=1) if step.clause is not None),
        ]


@dataclass(frozen=True, eq=False)
class BestTour:
    """A goal, and what the tour is worth that nothing is better than."""

    goal: PairGoal
    value: int

    def data(self) -> dict[str, str | bool | int]:
        """What ``certificate.json`` says of it."""
        return {"objective": self.goal.objective, "maximize": self.goal.maximize, "value": self.value}


@dataclass(frozen=True, eq=False)
class ClausalProof:
    """The shores of the formula's cut sets, the formula's clauses, and the lemmas, the last of which is the empty
    clause.

    ``tours`` is their number where the clauses exclude them one by one; ``best`` is what nothing is better than. Both
    are None where it is refuted that there is any tour.
    """

    cut_sets: tuple[Vertices, ...]
    clauses: RowClauses
    lemmas: tuple[Lemma, ...]
    tours: int | None = None
    best: BestTour | None = None

    method: ClassVar[RefutationKind] = "clausal"

    def steps(self, formula: RowFormula) -> Iterator[ProofStep]:
        """The steps of the pseudo-Boolean proof from the formula's rows; the last derives the empty clause.

        Rows stay; a lemma is deleted after the last that has it among its hints.
        """
        ids = self.clauses.ids(formula.ids)
        first = formula.ids + len(self.clauses.derived) + 1
        ids += range(first, first + len(self.lemmas))
        yield from self.clauses.derived
        for lemma, done in self._and_done():
            hints = [ids[hint - 1] for hint in lemma.hints]
            yield rup(lemma.clause, [hint for hint, before in zip(hints, [0, *hints], strict=False) if hint != before])
            if done:
                yield ProofStep("del", (" ".join(str(ids[number - 1]) for number in done),))

    def _and_done(self) -> Iterator[tuple[Lemma, list[int]]]:
        """Each lemma, and the numbers of those that no later one needs."""
        count = sum(1 for _ in self.clauses)
        last_use: dict[int, int] = {}
        for place, lemma in enumerate(self.lemmas):
            last_use.update((hint, place) for hint in lemma.hints if hint > count)
        for place, lemma in enumerate(self.lemmas[:-1]):
            yield lemma, sorted({hint for hint in lemma.hints if last_use.get(hint) == place})
        yield self.lemmas[-1], []

    def length(self, formula: RowFormula) -> int:
        """The id of the last constraint derived."""
        return formula.ids + len(self.clauses.derived) + len(self.lemmas)

    def drup(self) -> Iterator[str]:
        """The lines of the clausal proof without hints."""
        clauses = [*self.clauses, *(lemma.clause for lemma in self.lemmas)]
        for lemma, done in self._and_done():
            yield " ".join(map(str, (*lemma.clause, 0)))
            yield from (" ".join(map(str, ("d", *clauses[number - 1], 0))) for number in done)

    def lrat(self) -> Iterator[str]:
        """The lines of the clausal proof with hints; clauses are numbered as in the DIMACS file, and on from there."""
        count = sum(1 for _ in self.clauses)
        for number, (lemma, done) in enumerate(self._and_done(), start=count + 1):
            yield " ".join(map(str, (number, *lemma.clause, 0, *lemma.hints, 0)))
            if done:
                yield " ".join(map(str, (number, "d", *done, 0)))

    def dimacs(self, formula: RowFormula) -> Iterator[str]:
        """The lines of the DIMACS file of the clauses."""
        clauses = list(self.clauses)
        edges, cuts = formula.cycle.size, len(formula.cut_sets)
        yield (
            f"c two edges at each vertex, required and forbidden edges, {cuts} cut sets: variables 1 to {edges} "
            "are the edges"
        )
        yield f"p cnf {self.clauses.variables} {len(clauses)}"
        yield from (" ".join(map(str, (*clause, 0))) for clause in clauses)


def clauses_of(
    formula: RowFormula, tick: Callable[[], None] = lambda: None, tours: Sequence[Edges] = (), best: Edges | None = None
) -> RowClauses:
    """The clauses of all rows of the formula, cut sets included, and those that exclude these tours, or what is no
    better than the best.

    ``tick`` is called now and then.
    """
    cycle = formula.cycle
    plain: list[Clause] = []
    rows: list[int] = []

    def state(row: int, clauses: Iterable[Clause]) -> None:
        before = len(plain)
        plain.extend(clauses)
        rows.extend([row] * (len(plain) - before))

    derived = list(shown_and_excluded(formula, tours, tick))
    fresh = formula.variables
    if best is not None:
        derived += shown_and_surpassed(formula, best, tick)
        fresh += sum(step.rule == "red" for step in derived) // 2
    twos = [(edges, 2 * vertex + 2) for vertex, edges in enumerate(cycle.incidence)]
    if cycle.kept == 2:
        twos.append((cycle.turned.tolist(), formula.id("kept") + 1))
    for vertex, (edges, at_most_row) in enumerate(twos):
        literals = [edge + 1 for edge in edges]
        if not vertex % VERTICES_BETWEEN_TICKS:
            tick()
        if len(literals) <= MAX_WITH_TRIPLES:
            state(at_most_row, at_most_two(literals))
            state(at_most_row - 1, at_least_two(literals))
        else:
            steps = prefixes_and_suffixes(literals, at_most_row, fresh, formula.ids + len(derived), tick)
            fresh += 2 * (len(literals) - 2)
            derived += steps
    for edge in cycle.required.tolist():
        state(formula.edge_id("required", edge), [(edge + 1,)])
    for edge in cycle.forbidden.tolist():
        state(formula.edge_id("forbidden", edge) + 1, [(-edge - 1,)])
    if cycle.contradiction is not None:
        state(formula.id("contradiction"), [()])
    for row, tied in tied_edges(formula):
        state(row, [tied])
    for place, (_, clause) in enumerate(() if formula.worth is None else formula.worth.clauses()):
        state(formula.id("pair", place), [clause])
    for place in range(len(formula.cut_sets)):
        state(formula.id("cut", place), [cut_clause(formula, place)])
    return RowClauses(tuple(plain), tuple(rows), tuple(derived), fresh)


def tied_edges(formula: RowFormula) -> Iterator[tuple[int, Clause]]:
    """An edge is used where its image is; of those that are turned round none is, or one, where so many are: with the
    rows that say so."""
    cycle = formula.cycle
    for number, (edge, image) in enumerate(cycle.ties.tolist()):
        row = formula.id("tie", number)
        yield from ((row, (edge + 1, -image - 1)), (row + 1, (-edge - 1, image + 1)))
    turned = [edge + 1 for edge in cycle.turned.tolist()]
    if cycle.kept == 0:
        yield from ((formula.id("kept") + 1, (-edge,)) for edge in turned)
    elif cycle.kept == 1:
        yield formula.id("kept"), tuple(turned)
        yield from ((formula.id("kept") + 1, (-one, -other)) for one, other in combinations(turned, 2))


def shown_and_excluded(formula: RowFormula, tours: Sequence[Edges], tick: Callable[[], None]) -> Iterator[ProofStep]:
    """Each tour, of which the checker takes note and says that some variable has another value; then that not all its
    edges are used.

    The second follows from the first by propagation: where all edges of a tour are used, two at each vertex, no other
    is.
    """
    at_most = range(2, 2 * formula.cycle.order + 1, 2)
    for number, tour in enumerate(tours, start=1):
        if not number % TOURS_BETWEEN_TICKS:
            tick()
        used = set(tour)
        literals = (f"x{edge + 1}" if edge in used else f"~x{edge + 1}" for edge in range(formula.variables))
        yield ProofStep("solx", (" ".join(literals),))
    yield from (
        rup(tuple(-edge - 1 for edge in tour), (*at_most, shown))
        for shown, tour in enumerate(tours, start=formula.ids + 1)
    )


def shown_and_surpassed(formula: RowFormula, best: Edges, tick: Callable[[], None]) -> list[ProofStep]:
    """The best tour, after which the checker takes it that a solution is better; and the clauses that say so."""
    worth = formula.worth
    assert worth is not None
    used = set(best)
    true = [*(edge in used for edge in range(formula.cycle.size)), *worth.made(used)]
    literals = " ".join(f"x{number}" if value else f"~x{number}" for number, value in enumerate(true, start=1))
    worse = worth.worse()
    bound = sum(made == (worth.weight > 0) for made in worth.made(used)) - 1
    shown = ProofStep("soli", (literals,))
    return [shown, *totals.at_most(worse, bound, formula.ids + 1, formula.variables, formula.ids + 1, tick)]


def at_most_two(literals: list[int]) -> Iterator[Clause]:
    """Of any three one is false."""
    return ((-one, -two, -three) for one, two, three in combinations(literals, 3))


def at_least_two(literals: list[int]) -> Iterator[Clause]:
    """Of all but one, whichever it is, one is true."""
    if not literals:
        yield ()
    for left_out in literals:
        yield tuple(literal for literal in literals if literal != left_out)


def cut_clause(formula: RowFormula, place: int) -> Clause:
    """One edge of the cut set at this place is used."""
    return tuple(edge + 1 for edge in formula.cycle.cut(formula.cut_sets[place]).tolist())


def prefixes_and_suffixes(
    literals: list[int], at_most_row: int, last_variable: int, last_id: int, tick: Callable[[], None] = lambda: None
) -> list[ProofStep]:
    """The definitions of the fresh variables and the clauses that say that exactly two of the literals are true.

    ``at_most_row`` is the id of the row that says that at most two are, the one before says at least two. The fresh
    variables are numbered from ``last_variable + 1``, the ids of the steps from ``last_id + 1``.
    """
    count = len(literals)
    steps: list[ProofStep] = []
    some_of: dict[tuple[int, int], int] = {(0, 1): literals[0], (count - 1, count): literals[-1]}
    definition: dict[int, int] = {}
    ranges = [(0, stop) for stop in range(2, count)] + [(start, count) for start in range(count - 2, 0, -1)]
    for number, (start, stop) in enumerate(ranges, start=last_variable + 1):
        if not number % VERTICES_BETWEEN_TICKS:
            tick()  # each definition is as long as its range, so that of thousands of literals they take seconds
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
