"""Replaying a proof in VeriPB's format 3.0, one step at a time, in exact integers.

Constraints have ids: the sides of the formula's rows come first, then each derived constraint takes the next one. Kept
are the live constraints alone, so that memory does not grow with the length of the proof. The rules are ``pol`` for
sums, ``rup`` for clauses that follow by unit propagation from the constraints that their hints name, in their order
(both in `arithmetic`), ``red`` for definitions of fresh variables (`definitions`), ``del``, and where tours are shown
``solx`` or ``soli`` (`tours`). Of the format only this is known: a line is a statement and ends in ``;``; a label such
as ``@here`` may stand before it and is not looked at; a line that begins with ``%`` is a comment. Grammar: Gocht &
Nordström, *Certifying parity reasoning efficiently using pseudo-Boolean proofs*, 2021, and the overview that VeriPB
comes with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from cpsat_tour.proofs.check.arithmetic import (
    BYTES,
    MAX_FRESH,
    Clause,
    Constraint,
    conflict_in_order,
    literal,
    normal_form,
    reverse_polish,
)
from cpsat_tour.proofs.check.claim import Claim
from cpsat_tour.proofs.check.definitions import Definitions
from cpsat_tour.proofs.check.rows import ReadFormula, TrueRows
from cpsat_tour.proofs.check.text import Budget, Lines, Wrong, ascii_text, shown
from cpsat_tour.proofs.check.tours import Tours

HEADER, FOOTER = "pseudo-Boolean proof version 3.0", "end pseudo-Boolean proof"

BYTES_PER_LITERAL = 8

MAX_CACHED = 1 << 20
"""Terms of all the formula's rows together that are kept as constraints, for hints name them again and again."""


def replay(path: Path, cycle: TrueRows, formula: ReadFormula, claim: Claim, budget: Budget) -> int:
    """Replay the proof, which must end in a contradiction, after so many tours if they are counted, or the best; the
    number of its steps.

    `Refused` at the first wrong line.
    """
    tours = Tours(cycle, budget) if claim.kind != "none" else None
    with Lines(path, budget) as lines:
        if (header := lines.first()).split() != HEADER.split():
            raise Wrong(f"this must be ‘{HEADER}’, and is {shown(header)}")
        found = statements(lines)
        _expect(next(found, None), f"f {len(formula.sides)}")
        proof = LiveProof(formula, claim.method, budget, tours)
        for statement in found:
            if statement.split()[0] in ("output", "conclusion"):
                _expect(statement, "output NONE")
                break
            proof.step(statement)
        else:
            raise Wrong("the proof ends without ‘output NONE’")
        _conclude(next(found, None), proof, claim, tours)
        _expect(next(found, None), FOOTER)
        if next(found, None) is not None:
            raise Wrong(f"nothing may follow ‘{FOOTER}’")
    return proof.steps


def statements(lines: Lines) -> Iterator[str]:
    """The statements of a proof, without labels and the semicolons at their ends."""
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


def _expect(statement: str | None, expected: str) -> None:
    if statement is None or statement.split() != expected.split():
        raise Wrong(f"this must be ‘{expected}’" + ("" if statement is None else f", and is {shown(statement)}"))


def _conclude(statement: str | None, proof: LiveProof, claim: Claim, tours: Tours | None) -> None:
    """The conclusion must be what is claimed, and name a contradiction; the tours must have been shown."""
    what, value = "UNSAT", ""
    if claim.tours is not None:
        what = f"ENUMERATION_COMPLETE {claim.tours}"
    elif claim.best is not None:
        value = f" {claim.best.sign * claim.best.value}"
        what = f"BOUNDS{value}"
    token = (statement or "").removesuffix(value).split()[-1:]
    if statement is None or statement.split() != f"conclusion {what} : {''.join(token)}{value}".split():
        raise Wrong(f"this must be ‘conclusion {what} : ’ and the id of the contradiction{value and f', then{value}'}")
    if tours is not None and claim.tours is not None and len(tours) != claim.tours:
        raise Wrong(f"the proof has {len(tours)} of the {claim.tours} tours")
    if tours is not None and claim.best is not None and tours.best != claim.best.sign * claim.best.value:
        raise Wrong(f"the best tour that the proof shows is worth {tours.best}, and not{value}")
    contradiction = proof.constraint(token[0])
    if contradiction.terms or contradiction.degree < 1:
        raise Wrong(f"constraint {shown(token[0])} is not a contradiction, it is ‘{contradiction}’")


class _Literals(dict[str, int]):
    """Literals as written, and their numbers, each parsed once."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __missing__(self, token: str) -> int:
        number = self[token] = literal(token, self._most)
        return number


class LiveProof:
    """The live constraints, by id, and the rules that derive more.

    ``_derived`` holds the derived ones, a clause by its literals; ``_deleted`` says which of the formula's sides are
    gone.
    """

    def __init__(self, formula: ReadFormula, method: str, budget: Budget, tours: Tours | None = None) -> None:
        self.steps = 0
        self._formula, self._method, self._budget = formula, method, budget
        self._sides = len(formula.sides)
        self._most = formula.variables + MAX_FRESH
        self._literals = _Literals(self._most)
        self._definitions = Definitions(formula.variables, budget)
        self._derived: dict[int, Constraint | Clause] = {}
        self._deleted: set[int] = set()
        self._rows: dict[int, Constraint] = {}
        self._cached = 0
        self._rules: dict[str, Callable[[str], None]] = {"pol": self._pol, "del": self._delete}
        if method == "clausal":
            self._rules |= {"rup": self._rup, "red": self._red}
        if tours is not None:
            keyword, take = ("soli", tours.surpassed) if tours.ranked else ("solx", tours.excluded)
            self._rules[keyword] = lambda text: self._take(take([self._literals[token] for token in text.split()]))

    def step(self, statement: str) -> None:
        """Replay one statement."""
        keyword, _, rest = statement.partition(" ")
        rule = self._rules.get(keyword)
        if rule is None:
            raise Wrong(
                f"{shown(keyword)} is none of the rules of a proof by the method {self._method}: "
                f"{', '.join(self._rules)}"
            )
        rule(rest)

    def constraint(self, token: str) -> Constraint:
        """The live constraint with the id that a token writes."""
        found = self._live(token)
        if isinstance(found, Constraint):
            return found
        terms = {abs(number): 1 if number > 0 else -1 for number in found}
        return Constraint(terms, 1 - sum(number < 0 for number in found))

    def _live(self, token: str) -> Constraint | Clause:
        number = self._id(token)
        return self._row(number) if number <= self._sides else self._derived[number]

    def _id(self, token: str) -> int:
        """The id that a token writes, of a constraint that is there."""
        if not token.isdigit() or len(token) > 18:
            raise Wrong(f"{shown(token)} is neither a constraint's id nor a literal nor one of + * d s")
        number, last = int(token), self._sides + self.steps
        if number < 1 or number > last:
            raise Wrong(f"there is no constraint {number}: so far they are 1 to {last}")
        if number in self._deleted if number <= self._sides else number not in self._derived:
            raise Wrong(f"constraint {number} was deleted")
        return number

    def _row(self, number: int) -> Constraint:
        """A side of a row; when too many are kept, all are forgotten."""
        if (found := self._rows.get(number)) is None:
            found = self._formula.constraint(number)
            self._budget.work(len(found.terms))
            self._cached += len(found.terms)
            if self._cached > MAX_CACHED:
                self._rows, self._cached = {}, len(found.terms)
            self._rows[number] = found
        return found

    # --- the rules ---

    def _pol(self, text: str) -> None:
        constraint = reverse_polish(text.split(), self.constraint, self._most, self._budget)
        self._definitions.use(constraint.terms)
        self._take(constraint)

    def _rup(self, text: str) -> None:
        written, colon, hints = text.partition(":")
        if not colon or ":" in hints:
            raise Wrong("a step by unit propagation names what it follows from: write ‘rup +1 x1 +1 ~x2 >= 1 : 5 6 7’")
        tokens = written.split()
        if len(tokens) % 2 or tokens[-2:] != [">=", "1"] or tokens[:-2:2].count("+1") != len(tokens) // 2 - 1:
            raise Wrong("a step by unit propagation derives a clause: write ‘rup +1 x1 +1 ~x2 >= 1 : 5 6 7’")
        clause = tuple(self._literals[token] for token in tokens[1:-2:2])
        if len(set(map(abs, clause))) < len(clause):
            raise Wrong("a variable occurs twice in the clause")
        if not conflict_in_order(clause, map(self._live, hints.split()), self._budget):
            raise Wrong("the clause does not follow by unit propagation from its hints")
        self._definitions.use(map(abs, clause))
        self._take(clause)

    def _red(self, text: str) -> None:
        written, _, witness = text.partition(":")
        tokens = witness.split()
        if len(tokens) != 3 or tokens[1] != "->" or tokens[2] not in ("0", "1"):
            raise Wrong("a definition is written ‘red constraint : x5 -> 1’, or with x5 -> 0")
        constraint = normal_form(written.split(), self._literals.__getitem__)
        variable = self._literals[tokens[0]]
        if variable < 0:
            raise Wrong(f"the witness must set a variable, and {tokens[0]} is a negated one")
        self._definitions.define(constraint, variable, tokens[2] == "1")
        self._take(constraint)

    def _delete(self, text: str) -> None:
        tokens = text.split()
        if tokens[:1] != ["id"] or len(tokens) < 2:
            raise Wrong("a deletion is written ‘del id 5 6 7’")
        for token in tokens[1:]:
            number = self._id(token)
            if number <= self._sides:
                self._deleted.add(number)
            else:
                self._budget.hold(-_memory(self._derived.pop(number)))

    def _take(self, found: Constraint | Clause) -> None:
        """The constraint is derived: it has the next id."""
        self._budget.hold(_memory(found))
        self.steps += 1
        self._derived[self._sides + self.steps] = found


def _memory(found: Constraint | Clause) -> int:
    return found.memory if isinstance(found, Constraint) else BYTES + BYTES_PER_LITERAL * len(found)
