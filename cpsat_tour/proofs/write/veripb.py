"""What VeriPB reads: the cycle problem that a proof is about, its rows as an OPB formula, and the steps of a proof in
two dialects; and the clauses that follow from the rows, for solvers of clauses, with the clausal proof from them.

The formula has the rows of the problem, as the checker makes them, and the cut sets that the proof uses, in the order
of their ids: VeriPB (Elffers, Gocht, McCreesh & Nordström 2020) counts an ``=`` as two constraints, ``>=`` first. A
proof is the same list of steps in both dialects. 3.0 ends every statement with a semicolon, parts a witness by a colon
and takes hints; 1.2 shows solutions by ``v`` and ``o``, names the contradiction by ``c`` and has no other end. Grammar:
Gocht & Nordström, *Certifying parity reasoning efficiently using pseudo-Boolean proofs*, 2021, and the overview of the
format that VeriPB comes with.

The cycle problem has its edges numbered from 0. An open tour becomes a cycle through the *apex*, an extra last vertex
joined to every vertex, whose two edges mark the ends. Every edge is a variable, forbidden ones too. This is simpler
than the reduction that solvers use, on purpose: the reader of a proof has less to believe. `proofs.check.rows` says
which rows there are, and why they are true.

At a vertex of small degree ``d``, "exactly two edges are used" needs no auxiliary variables: of any three edges one is
unused, and of any ``d - 1`` one is used. These clauses follow from their row by propagation, so that a proof need not
derive them. The clause of a cut set says that one of its edges is used. At a vertex of large degree, such as the apex,
triples would be too many; there fresh variables are defined, with the clauses that they allow: exactly two of many
literals are true. ``s_i`` says that one of the first ``i`` literals is true, ``t_i`` that one from the ``i``-th on is
(the ladder of Gent & Nightingale 2004, from both ends). Exactly two are true if no literal lies between a true prefix
and a true suffix, and none separates an empty prefix from an empty suffix.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, combinations
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import edge_keys, indices_in
from cpsat_tour.core.problem import Problem, RefutationKind
from cpsat_tour.core.reduction import CycleProblem, SplitVertices, undirected
from cpsat_tour.core.runs import Heartbeat, no_heartbeat, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.proofs.check.arithmetic import Clause
from cpsat_tour.proofs.check.claim import BestClaim
from cpsat_tour.proofs.check.rows import Row, TrueRows
from cpsat_tour.spaces.symmetry import TWOFOLD, written_name

Vertices = tuple[int, ...]
TourEdges = tuple[int, ...]  # the edges of a tour by their numbers, increasing

MAX_WITH_TRIPLES = 32
"""The largest degree (4960 triples) at which a vertex gets clauses without auxiliary variables."""


class CycleRows:
    """The cycle problem of a Hamilton problem, and the rows that are ``stated`` of it.

    ``source`` is what is asked; ``problem`` is the same, or if that is directed the undirected one on split vertices.
    The ``apex``, if any, is the last vertex. ``tails`` has the lesser end of each edge, ``order`` and ``size`` count
    vertices and edges. ``required`` and ``forbidden`` are edges, increasing; ``undecided`` marks all others.

    `BadInput` where numbers are given, or where no certificate can name the symmetry.
    """

    def __init__(self, source: Problem, best: BestClaim | None = None, heartbeat: Heartbeat = no_heartbeat) -> None:
        if (symmetry := source.symmetry) is not None and written_name(source.graph, symmetry) is None:
            if symmetry.turning != "either":
                raise BadInput(
                    f"no certificate can say how {symmetry.name} is to turn a tour: choose one of "
                    f"{', '.join(TWOFOLD)}, or leave it out"
                )
            source = replace(source, symmetry=replace(symmetry, name="the permutation"))
        if source.timed:
            raise BadInput(f"certificates are for tours without {source.timed}: leave them out, or use solve")
        self.source, self.problem = source, undirected(source)
        self.stated = stated = TrueRows(source, lambda _: heartbeat(), best, sys.maxsize - 1)
        self.tails, self.heads = np.array(stated.ends, dtype=np.int32).reshape(-1, 2).T.copy()
        self.order, self.size = len(stated.names), len(stated.ends)
        self.apex = None if self.problem.closed else self.order - 1
        self.required = np.array(stated.required, dtype=np.int64) - 1
        self.forbidden = np.array(stated.forbidden, dtype=np.int64) - 1
        self.allowed = np.ones(self.size, dtype=bool)
        self.allowed[self.forbidden] = False
        self.undecided = self.allowed.copy()
        self.undecided[self.required] = False

    @cached_property
    def for_cutting(self) -> CycleProblem:
        """The same cycle problem in the form that the loop of adding cut sets takes.

        Its ``required`` edges are all that are decided or that a symmetry ties to others, since merging leaves these as
        they are.
        """
        fixed = ~self.undecided
        for row in self.stated.symmetric:
            fixed[[variable - 1 for variable in (*row.literals, *(image for image, _ in row.others))]] = True
        return CycleProblem(self.problem, self.order, self.tails, self.heads, fixed, self.apex)

    @cached_property
    def incidence(self) -> list[list[int]]:
        """The edges at each vertex, in increasing order."""
        return [[variable - 1 for variable in variables] for variables in self.stated.incidence]

    def cut_set(self, vertices: Sequence[int]) -> Ints:
        """Return the cut set δ(S) in increasing order: the edges with exactly one end among the vertices."""
        inside = np.zeros(self.order, dtype=bool)
        inside[list(vertices)] = True
        return np.flatnonzero(inside[self.tails] != inside[self.heads]).astype(np.int32)

    def shore(self, vertices: Sequence[int]) -> Vertices:
        """Return the smaller of a vertex set and its complement, which have the same cut set; if they are equally
        large, the one with vertex 0."""
        inside = {int(vertex) for vertex in vertices}
        other = tuple(vertex for vertex in range(self.order) if vertex not in inside)
        return min(tuple(sorted(inside)), other, key=lambda side: (len(side), side))

    def edges_of(self, tours: Ints) -> Ints:
        """Return the edges of each tour in increasing order; a tour is a row of vertices.

        The ends of an open tour are joined to the apex.
        """
        if self.apex is not None:
            tours = np.pad(tours, ((0, 0), (0, 1)), constant_values=self.apex)
        keys = edge_keys(self.order, self.tails, self.heads)
        edges = indices_in(edge_keys(self.order, tours, np.roll(tours, -1, axis=1)), keys)
        return np.sort(edges.astype(np.int32), axis=1)

    def tour(self, cycle: Ints) -> Ints:
        """Return the tour that a cycle stands for; both are vertices in order.

        The tour begins and ends where the problem says.
        """
        if self.source.graph.directed:
            found: Ints = SplitVertices(self.source).tours(cycle[None, :])[0]
            return found
        return self.for_cutting.tour(cycle)

    def name(self, vertex: int) -> str:
        """Return the name of the vertex."""
        return self.stated.names[vertex]

    def edge_name(self, edge: int) -> str:
        """Return the name of the edge, such as ``a1-b3``."""
        return self.stated.edge_name(edge + 1)


Version = Literal["3.0", "1.2"]
Rule = Literal["pol", "rup", "red", "del", "solx", "soli"]


class Lemma(NamedTuple):
    """A clause and its hints, by number: first the clauses of the formula, from 1 on, then the lemmas before it."""

    clause: Clause
    hints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A rule and the words that it is applied to; ``clause`` is the derived clause, if a solver was given it.

    ``pol`` has a sum in reverse Polish notation, ``rup`` a constraint and its hints, which only 3.0 writes, ``red`` a
    constraint and a witness, ``del`` ids, ``solx`` and ``soli`` the literals of a solution.
    """

    rule: Rule
    words: tuple[str, ...]
    clause: Clause | None = None


FORMS: Mapping[Version, Mapping[str, str]] = {
    "3.0": {
        "f": "f {} ;",
        "pol": "pol {} ;",
        "rup": "rup {} : {} ;",
        "red": "red {} : {} ;",
        "del": "del id {} ;",
        "solx": "solx {} ;",
        "soli": "soli {} ;",
        "end": "output NONE ;\nconclusion {} : {}{} ;\nend pseudo-Boolean proof ;",
    },
    "1.2": {
        "f": "f {}",
        "pol": "pol {}",
        "rup": "rup {} ;",
        "red": "red {} ; {}",
        "del": "del id {}",
        "solx": "v {}",
        "soli": "o {}",
        "end": "c {1}",
    },
}
"""The words in which each dialect writes the number of ids of the formula, the rules, and the end with the
conclusion."""


def rup(clause: Clause, hints: Iterable[int]) -> ProofStep:
    """Return the step that derives a clause by unit propagation from the constraints with these ids, in this order.

    It is written as a pseudo-Boolean constraint: ``+1 x1 +1 ~x2 >= 1``.
    """
    return ProofStep("rup", (f"{' '.join(map(term, clause))} >= 1".lstrip(), " ".join(map(str, hints))), clause)


def term(literal: int) -> str:
    """Return a literal as a term with the coefficient 1, such as ``+1 ~x5``."""
    return f"+1 x{literal}" if literal > 0 else f"+1 ~x{-literal}"


@dataclass(frozen=True, eq=False)
class RowFormula:
    """The rows of a proof: those of the problem and the cut sets of these shores.

    Where tours are ``counted`` the file says that all variables tell them apart.
    """

    cycle: CycleRows
    cut_sets: tuple[Vertices, ...] = ()
    counted: bool = False

    @cached_property
    def rows(self) -> list[Row]:
        """The rows in the order of their ids."""
        return [*self.cycle.stated.rows, *map(self.cycle.stated.cut_row, self.cut_sets)]

    @cached_property
    def row_ids(self) -> list[int]:
        """A list of the constraint id of each row, and then the first id after all rows.

        An ``=`` has the id of its ``>=`` half, which the ``<=`` half follows.
        """
        return list(accumulate((1 + (row.relation == "=") for row in self.rows), initial=1))

    @property
    def ids(self) -> int:
        """The number of ids that the rows take, an ``=`` counted twice."""
        return self.row_ids[-1] - 1

    def opb(self, *, plain: bool = False) -> Iterator[str]:
        """Yield the lines of the OPB file; if ``plain``, without what VeriPB 1 can't read: preserved variables, and a
        constant in the objective."""
        yield f"* #variable= {self.cycle.stated.variables} #constraint= {len(self.rows)}"
        if self.counted and not plain:
            yield f"preserved: {' '.join(f'x{number}' for number in range(1, self.cycle.stated.variables + 1))} ;"
        if self.cycle.stated.worth is not None:
            yield self.cycle.stated.worth.objective_line(plain=plain)
        for row in self.rows:
            yield f"* {row.meaning}"
            yield " ".join(row.tokens())


# --- clauses ---


@dataclass(frozen=True)
class RowClauses:
    """The clauses of a formula: those that a row implies by propagation, then those over fresh variables, which the
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
        """Yield each lemma with the numbers of the lemmas that are no longer needed after it."""
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
        """Yield the lines of the clausal proof with hints.

        Clauses are numbered as in the DIMACS file, and on from there.
        """
        first = len(self.clauses.clauses) + 1
        for number, (lemma, done) in enumerate(self._with_deletions(), start=first):
            yield " ".join(map(str, (number, *lemma.clause, 0, *lemma.hints, 0)))
            if done:
                yield " ".join(map(str, (number, "d", *done, 0)))

    def dimacs(self, formula: RowFormula) -> Iterator[str]:
        """Yield the lines of the DIMACS file with the formula's clauses."""
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
    """Return the clauses of all rows of the formula, and those that exclude these tours.

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
    """Yield the clauses of a row, each after a flag, True if it follows from the ``<=`` half of an ``=``.

    A cut set has one clause: one of its edges is used.
    """
    literals, bound = tuple(row.literals), row.bound
    if row.others:
        ((image, _),) = row.others
        yield from ((False, (*literals, -image)), (True, (-literals[0], image)))
    elif row.relation == ">=":
        yield False, literals
    else:
        yield from ((True, tuple(-literal for literal in chosen)) for chosen in combinations(literals, bound + 1))
        yield from ((False, chosen) for chosen in combinations(literals, max(0, len(literals) - bound + 1)))


def show_tour(rule: Rule, cycle: CycleRows, tour: TourEdges) -> ProofStep:
    """Return the step that shows a tour, given by its edges: the value of each variable, of edges, of pairs, and of
    vertices left out."""
    used = {edge + 1 for edge in tour}
    made = [variable in used for variable in range(1, cycle.size + 1)]
    if cycle.stated.worth is not None:
        made += [used.issuperset(pair) for pair in cycle.stated.worth.pairs]
        made += [used.isdisjoint(cycle.stated.incidence[vertex]) for vertex in cycle.stated.left_out]
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
