"""Checks whether the files of a folder prove that a problem has no tour, exactly so many, or none better.

1. *What is claimed?* ``certificate.json`` names a problem, cut sets, and perhaps a number of tours or the best
   (`claim`).
2. *Is it about that problem?* ``problem.opb`` must have the rows that follow from the problem, and no other (`rows`):
   so every tour satisfies every row.
3. *Does it follow?* ``proof.pbp`` derives a contradiction from the rows, step by step, in exact integers
   (`arithmetic`). Where tours are counted it shows and excludes each of them first; where the best is sought it shows
   that.

The proof is in VeriPB's format 3.0. Constraints have ids: the sides of the formula's rows come first, then each derived
constraint takes the next one. Only live constraints are kept. The rules are ``pol`` for sums, ``rup`` for clauses that
follow by unit propagation from the constraints that their hints name, in this order, ``red`` for definitions of fresh
variables (all three in `arithmetic`), ``del``, and where tours are shown ``solx`` or ``soli``. A line is one statement
and ends in ``;``; a label such as ``@here`` before it is ignored; a line that begins with ``%`` is a comment. Grammar:
Gocht & Nordström, *Certifying parity reasoning efficiently using pseudo-Boolean proofs*, 2021, and the overview that
VeriPB comes with.

The checker uses nothing of the writers, which take the rows from it. It trusts the statement of the problem: graphs,
problems, symmetries and the splitting of directed vertices (`cpsat_tour.core`), boards and other spaces and how they
are read (`cpsat_tour.spaces`); and Python, NumPy and msgspec. docs/proofs.md has the list. Other files are not read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from cpsat_tour.core.errors import BadInput, quoted
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Clock, OnEvent
from cpsat_tour.proofs.check.arithmetic import (
    MAX_FRESH,
    WORK_PER_KEPT_TERM,
    Budget,
    Clause,
    Constraint,
    Definitions,
    Fault,
    Refused,
    Wrong,
    ascii_text,
    evaluate_sum,
    expect,
    follows_from,
    lines_of,
    read_constraint,
    read_literal,
)
from cpsat_tour.proofs.check.claim import CLAIM, Claim, Kind, difference, read_claim, sentence_of
from cpsat_tour.proofs.check.rows import Side, TrueRows, check_variables, read_formula

FORMULA, PROOF = "problem.opb", "proof.pbp"
VARIABLES = "variables.txt"
"""The file that names the edge of each variable; it is checked if it is there."""

WHAT_A_CERTIFICATE_IS = f"a certificate is a folder with {CLAIM}, {FORMULA} and {PROOF}"

ALWAYS_BUILT, BYTES_PER_TERM = 1 << 16, 6
"""Terms of the rows that are made even where ``problem.opb`` is too short for them, to name the missing row; and bytes
of the shortest term in that file, or end of a row."""

KINDS = {
    "none": "that there is no tour",
    "count": "how many tours there are",
    "best": "that no tour is better than one that there is",
    "bound": "that no tour is better than a value",
}


@dataclass(frozen=True)
class Verdict:
    """The checker's verdict on a certificate; true if it is valid. Claim, method and kind are empty if
    ``certificate.json`` makes no claim.

    - ``valid`` (bool): whether it proves its claim.
    - ``claim`` (str): what is to be proved, in words.
    - ``method`` (str): how: ``lp`` or ``clausal``.
    - ``steps`` (int): how many constraints were derived.
    - ``fault`` (a fault, or None): the first wrong line.
    - ``kind`` (str): what is claimed: ``none``, ``count``, ``best`` or ``bound``.
    """

    valid: bool
    claim: str
    method: str
    steps: int
    fault: Fault | None = None
    kind: str = ""

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        found = f"valid, {self.claim}, {self.method}" if self else f"not valid, {self.fault}"
        return f"<Verdict: {found:.100}>"


def check(
    folder: Path,
    on_progress: OnEvent | None = None,
    expected: Problem | None = None,
    *,
    kind: Kind | None = None,
    clock: Clock | None = None,
) -> Verdict:
    """Return the verdict on the certificate in a folder.

    It has to be about the expected problem and of the expected kind if these are given. `BadInput` if a file is
    missing; `StoppedEarly` when the clock runs out.
    """
    _check_files(folder)
    claimed: Claim | None = None
    budget = Budget(on_progress, clock)
    try:
        with lines_of(folder / FORMULA, Budget(clock=clock)) as lines:
            room = sum(len(line) + 1 for line in lines) // BYTES_PER_TERM  # the size of a file may be a lie
        claimed = read_claim(folder / CLAIM, max(ALWAYS_BUILT, room))
        if fault := _unexpected(claimed, expected, kind):
            raise Refused(Fault(CLAIM, None, fault))
        try:
            cycle = TrueRows(claimed.problem, budget.spend, claimed.best, room)
        except (BadInput, Wrong) as wrong:
            raise Refused(Fault(CLAIM, None, str(wrong))) from wrong
        formula = read_formula(folder / FORMULA, cycle, claimed.cut_sets, budget, counted=claimed.tours is not None)
        if (folder / VARIABLES).exists():
            check_variables(folder / VARIABLES, cycle, budget)
        steps = replay(folder / PROOF, cycle, formula, claimed, budget)
    except Refused as refused:
        claim = ("", "", "") if claimed is None else (claimed.sentence, claimed.method, claimed.kind)
        return Verdict(False, claim[0], claim[1], 0, refused.fault, claim[2])
    return Verdict(True, claimed.sentence, claimed.method, steps, kind=claimed.kind)


def _check_files(folder: Path) -> None:
    """Raise `BadInput` if a file of the certificate is missing from the folder, or is no plain file."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder: {WHAT_A_CERTIFICATE_IS}")
    for name in (CLAIM, FORMULA, PROOF, VARIABLES):
        path = folder / name
        if path.is_symlink():  # what it leads to may be anybody's, and faults quote lines
            raise BadInput(f"{path} is a link, and no link is followed: {WHAT_A_CERTIFICATE_IS}")
        if not path.is_file() and (name != VARIABLES or os.path.lexists(path)):
            raise BadInput(f"there is no file {path}: {WHAT_A_CERTIFICATE_IS}")


def _unexpected(claimed: Claim, expected: Problem | None, kind: Kind | None) -> str | None:
    """Return, in words, how the claim differs from the expected problem or kind; None if it does not."""
    if expected is not None and (differs := difference(claimed.problem, expected)) is not None:
        mine, theirs = claimed.sentence, sentence_of(expected, claimed.tours, claimed.best)
        other = f", not about {theirs!r}" if mine != theirs else ""
        return f"this is about {mine!r}{other}: what differs is {differs}"
    if kind is not None and kind != claimed.kind:
        return f"this proves {KINDS[claimed.kind]} ({claimed.sentence!r}), not {KINDS[kind]}"
    return None


# --- the proof ---

HEADER, FOOTER = "pseudo-Boolean proof version 3.0", "end pseudo-Boolean proof"


def replay(path: Path, cycle: TrueRows, sides: list[Side], claim: Claim, budget: Budget) -> int:
    """Replay a proof line by line and return the number of its steps; `Refused` at the first wrong line.

    It must end in a contradiction, and before that show as many tours as are claimed, or the best.
    """
    tours = ShownTours(cycle, budget)
    with lines_of(path, budget) as lines:
        expect(HEADER, next(lines, b""))
        found = read_statements(lines)
        expect(f"f {len(sides)}", next(found, "").encode())
        proof = LiveProof(sides, claim, budget, tours)
        while (statement := next(found, "")).partition(" ")[0] not in ("", "output", "conclusion"):
            proof.step(statement)
        expect("output NONE", statement.encode())
        _check_conclusion(next(found, ""), proof, claim, tours)
        expect(FOOTER, next(found, "").encode())
        if next(found, None) is not None:
            raise Wrong(f"nothing may follow ‘{FOOTER}’")
    return proof.steps


def read_statements(lines: Iterator[bytes]) -> Iterator[str]:
    """Yield the statements of a proof without their labels and final semicolons; `Wrong` for a line that is not a
    statement."""
    for line in lines:
        if line.lstrip().startswith(b"%"):
            continue
        statement, semicolon, rest = ascii_text(line).partition(";")
        if not semicolon or rest.strip():
            raise Wrong("a line must be one statement, and end with ;")
        label, _, after = statement.strip().partition(" ")
        statement = after.strip() if label.startswith("@") else statement.strip()
        if not statement:
            raise Wrong("there is nothing before the ;")
        yield statement


def _check_conclusion(statement: str, proof: LiveProof, claim: Claim, tours: ShownTours) -> None:
    """Raise `Wrong` unless the conclusion states the claim, names a contradiction, and the claimed tours were shown.

    The conclusion of a bound needs the row that a tour is better, too.
    """
    best = None if claim.best is None else claim.best.sign * claim.best.value
    shown = None if claim.kind == "bound" else best
    concluded, value = "conclusion UNSAT :", "" if best is None else f" {'INF' if shown is None else shown}"
    if claim.tours is not None:
        concluded = f"conclusion ENUMERATION_COMPLETE {claim.tours} :"
    elif best is not None:
        concluded = f"conclusion BOUNDS {best} :"
    number = "".join(statement.split()[len(concluded.split()) :][:1]) or "ID"
    expect(f"{concluded} {number}{value}", statement.encode())
    if len(tours.shown) != (claim.tours or 0):
        raise Wrong(f"the proof has {len(tours.shown)} of the {claim.tours} tours")
    if tours.best != shown:
        raise Wrong(f"the best tour that the proof shows is worth {tours.best}, and not {shown}")
    contradiction = proof.constraint(number)
    if tours.worth is not None and best is not None and shown is None:
        contradiction = contradiction.plus(tours.worth.better_than(best))
    if contradiction.terms or contradiction.degree < 1:
        raise Wrong(f"constraint {quoted(number)} is not a contradiction, it is ‘{contradiction}’")


class ShownTours:
    """The tours that a proof shows: all of them in a count, the best one if it proves that none is better.

    ``solx`` gives the value of every variable of the formula. It must be a tour of the problem that was not ``shown``
    before; then a clause says that some variable has another value. So every tour that was not shown still meets all
    constraints, with some values of the fresh variables, and a contradiction in the end leaves none. ``soli`` shows the
    best tour, once; from then on a solution must be better (`rows`). ``best`` is its value.
    """

    def __init__(self, cycle: TrueRows, budget: Budget) -> None:
        self.variables, self.worth = cycle.variables, cycle.worth
        self._cycle, self._budget = cycle, budget
        self.shown: set[bytes] = set()
        self.best: int | None = None

    def exclude(self, literals: list[int]) -> Clause:
        """Note a new tour, given by its literals, and return the clause that excludes it; `Wrong` if they are not a new
        tour."""
        key = bytes(self._tour_values(literals))
        if key in self.shown:
            raise Wrong("this tour was shown before")
        self.shown.add(key)
        return tuple(-number for number in literals)

    def surpass(self, literals: list[int]) -> Constraint:
        """Note the best tour, given by its literals, and return the constraint that a solution is better; `Wrong` if
        one was noted before."""
        values, worth = self._tour_values(literals), self.worth
        value = None if worth is None else worth.value_of(values)
        if worth is None or value is None:
            raise Wrong("the variable of a pair of moves must be true if both are made, and false if not")
        if self.best is not None:
            raise Wrong("the best tour was shown before")
        self.best = value
        return worth.better_than(value)

    def _tour_values(self, literals: list[int]) -> list[bool]:
        """Return the value of each variable that a tour's literals give, entry 0 unused; `Wrong` if the true edges are
        not a tour."""
        self._budget.spend(len(literals) + self.variables)
        if sorted(map(abs, literals)) != list(range(1, self.variables + 1)):
            raise Wrong(f"a tour is shown by a literal of each of the variables x1 to x{self.variables}")
        values = [False] * (self.variables + 1)
        for number in literals:
            values[abs(number)] = number > 0
        for row in self._cycle.rows:
            if not row.holds(values):
                raise Wrong(f"this is not a tour as the problem asks for it: {row.meaning}")
        left_out = self._cycle.left_out
        visited = [vertex for vertex in range(len(self._cycle.incidence)) if not values[left_out.get(vertex, 0)]]
        length, order = self._length_of_cycle(values, visited[0]) if visited else 0, len(visited)
        if length != max(1, order):
            raise Wrong(f"this is not one tour: a cycle comes back after {length} of the {order} vertices")
        return values

    def _length_of_cycle(self, values: list[bool], first: int) -> int:
        """Return the number of edges on the cycle through this vertex, given that each vertex on it has two."""
        vertex, edge, length = first, 0, 0
        while length == 0 or vertex != first:
            edge = next(other for other in self._cycle.incidence[vertex] if values[other] and other != edge)
            vertex = sum(self._cycle.ends[edge - 1]) - vertex
            length += 1
        return length


class LiveProof:
    """The constraints of a proof that are not deleted, by id, and the rules that derive more.

    ``_derived`` holds the derived ones, ``_deleted`` the ids of the formula's sides that are gone.
    """

    def __init__(self, sides: list[Side], claim: Claim, budget: Budget, tours: ShownTours) -> None:
        self.steps = 0
        self._budget = budget
        self._sides = len(sides)
        self._most = tours.variables + MAX_FRESH
        self._literal = lru_cache(1 << 16)(partial(read_literal, max_variable=self._most))
        self._side = lru_cache(1 << 16)(lambda number: sides[number - 1][0].constraint(at_most=sides[number - 1][1]))
        self._definitions = Definitions(tours.variables, budget)
        self._derived: dict[int, Constraint | Clause] = {}
        self._deleted: set[int] = set()
        self._rules: dict[str, Callable[[str], None]] = {"pol": self._derive_sum, "del": self._forget_constraints}
        if claim.method == "clausal":
            self._rules |= {"rup": self._derive_clause, "red": self._derive_definition}
        if claim.kind == "count":
            self._rules["solx"] = lambda text: self._add(tours.exclude(list(map(self._literal, text.split()))))
        if claim.kind == "best":
            self._rules["soli"] = lambda text: self._add(tours.surpass(list(map(self._literal, text.split()))))

    def step(self, statement: str) -> None:
        """Replay one statement; `Wrong` if there is no such rule, or the rule does not allow this step."""
        keyword, _, rest = statement.partition(" ")
        if keyword not in self._rules:
            raise Wrong(f"{quoted(keyword)} is none of the rules of this proof: {', '.join(self._rules)}")
        self._rules[keyword](rest)

    def constraint(self, token: str) -> Constraint:
        """Return the live constraint, or a clause as a constraint, whose id a token writes; `Wrong` if there is
        none."""
        found = self._constraint_or_clause(token)
        if isinstance(found, Constraint):
            return found
        terms = {abs(number): 1 if number > 0 else -1 for number in found}
        return Constraint(terms, 1 - sum(number < 0 for number in found))

    def _constraint_or_clause(self, token: str) -> Constraint | Clause:
        """Return the live constraint or clause whose id a token writes; `Wrong` if there is none."""
        number = self._id(token)
        return self._side(number) if number <= self._sides else self._derived[number]

    def _id(self, token: str) -> int:
        """Return the id that a token writes; `Wrong` if no live constraint has it."""
        if not token.isdigit() or len(token) > 18:
            raise Wrong(f"{quoted(token)} is neither a constraint's id nor a literal nor one of + * d s")
        number, last = int(token), self._sides + self.steps
        if number < 1 or number > last:
            raise Wrong(f"there is no constraint {number}: so far they are 1 to {last}")
        if number in self._deleted if number <= self._sides else number not in self._derived:
            raise Wrong(f"constraint {number} was deleted")
        return number

    # --- the rules ---

    def _derive_sum(self, text: str) -> None:
        """Derive the sum that a line in reverse Polish notation states."""
        constraint = evaluate_sum(text.split(), self.constraint, self._most, self._budget)
        self._budget.spend(WORK_PER_KEPT_TERM * (2 + len(constraint.terms)))
        self._definitions.mark_used(constraint.terms)
        self._add(constraint)

    def _derive_clause(self, text: str) -> None:
        """Derive a clause by unit propagation from the constraints that the line names."""
        written, colon, hints = text.partition(":")
        if not colon or ":" in hints:
            raise Wrong("a step by unit propagation names what it follows from: write ‘rup +1 x1 +1 ~x2 >= 1 : 5 6 7’")
        tokens = written.split()
        if len(tokens) % 2 or tokens[-2:] != [">=", "1"] or tokens[:-2:2].count("+1") != len(tokens) // 2 - 1:
            raise Wrong("a step by unit propagation derives a clause: write ‘rup +1 x1 +1 ~x2 >= 1 : 5 6 7’")
        clause = tuple(map(self._literal, tokens[1:-2:2]))
        if len(set(map(abs, clause))) < len(clause):
            raise Wrong("a variable occurs twice in the clause")
        if not follows_from(clause, map(self._constraint_or_clause, hints.split()), self._budget):
            raise Wrong("the clause does not follow by unit propagation from its hints")
        self._definitions.mark_used(map(abs, clause))
        self._add(clause)

    def _derive_definition(self, text: str) -> None:
        """Derive one half of the definition of a new variable."""
        written, _, witness = text.partition(":")
        tokens = witness.split()
        if len(tokens) != 3 or tokens[1] != "->" or tokens[2] not in ("0", "1"):
            raise Wrong("a definition is written ‘red constraint : x5 -> 1’, or with x5 -> 0")
        constraint = read_constraint(written.split(), self._literal)
        variable = self._literal(tokens[0])
        if variable < 0:
            raise Wrong(f"the witness must set a variable, and {tokens[0]} is a negated one")
        self._definitions.define(constraint, variable, tokens[2] == "1")
        self._add(constraint)

    def _forget_constraints(self, text: str) -> None:
        """Delete the constraints that the line names."""
        tokens = text.split()
        if tokens[:1] != ["id"] or len(tokens) < 2:
            raise Wrong("a deletion is written ‘del id 5 6 7’")
        for token in tokens[1:]:
            number = self._id(token)
            if number <= self._sides:
                self._deleted.add(number)
            else:
                del self._derived[number]

    def _add(self, found: Constraint | Clause) -> None:
        """Add a derived constraint to the live ones, with the next id."""
        self.steps += 1
        self._derived[self._sides + self.steps] = found
