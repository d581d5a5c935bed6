"""Replaying a proof in VeriPB's format 3.0, one step at a time, in exact integers.

Constraints have ids: the sides of the formula's rows come first, then each derived constraint takes the next one. Kept
are the live constraints alone, so that memory does not grow with the length of the proof. The rules are ``pol`` for
sums, ``rup`` for clauses that follow by unit propagation from the constraints that their hints name, in their order
``red`` for definitions of fresh variables (all three in `arithmetic`), ``del``, and where tours are shown ``solx`` or
``soli``. Of the format only this is known: a line is a statement and ends in ``;``; a label such
as ``@here`` may stand before it and is not looked at; a line that begins with ``%`` is a comment. Grammar: Gocht &
Nordström, *Certifying parity reasoning efficiently using pseudo-Boolean proofs*, 2021, and the overview that VeriPB
comes with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path

from cpsat_tour.proofs.check.arithmetic import (
    MAX_FRESH,
    Clause,
    Constraint,
    Definitions,
    conflict_in_order,
    literal,
    normal_form,
    reverse_polish,
)
from cpsat_tour.proofs.check.claim import Claim
from cpsat_tour.proofs.check.rows import Side, TrueRows
from cpsat_tour.proofs.check.text import Budget, Lines, Wrong, ascii_text, lines_of, shown

HEADER, FOOTER = "pseudo-Boolean proof version 3.0", "end pseudo-Boolean proof"

WORK_PER_KEPT_TERM = 4
"""What keeping a term of a sum costs, which may be longer than its line; clauses are as long as theirs."""


def replay(path: Path, cycle: TrueRows, sides: list[Side], claim: Claim, budget: Budget) -> int:
    """Replay the proof, which must end in a contradiction, after so many tours if they are counted, or the best; the
    number of its steps.

    `Refused` at the first wrong line.
    """
    tours = Tours(cycle, budget)
    with lines_of(path, budget) as lines:
        if (header := lines.first()).split() != HEADER.split():
            raise Wrong(f"this must be ‘{HEADER}’, and is {shown(header)}")
        found = statements(lines)
        _expect(next(found, None), f"f {len(sides)}")
        proof = LiveProof(sides, claim, budget, tours)
        for statement in found:
            if statement.split()[0] in ("output", "conclusion"):
                _expect(statement, "output NONE")
                break
            proof.step(statement)
        else:
            raise Wrong("the proof ends without ‘output NONE’")
        _conclude(next(found, ""), proof, claim, tours)
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


def _conclude(statement: str, proof: LiveProof, claim: Claim, tours: Tours) -> None:
    """The conclusion must be what is claimed, and name a contradiction; the tours must have been shown."""
    best = None if claim.best is None else claim.best.sign * claim.best.value
    concluded, value = "conclusion UNSAT :", "" if best is None else f" {best}"
    if claim.tours is not None:
        concluded = f"conclusion ENUMERATION_COMPLETE {claim.tours} :"
    elif best is not None:
        concluded = f"conclusion BOUNDS {best} :"
    number = "".join(statement.split()[len(concluded.split()) :][:1]) or "ID"
    _expect(statement, f"{concluded} {number}{value}")
    if len(tours) != (claim.tours or 0):
        raise Wrong(f"the proof has {len(tours)} of the {claim.tours} tours")
    if tours.best != best:
        raise Wrong(f"the best tour that the proof shows is worth {tours.best}, and not {best}")
    contradiction = proof.constraint(number)
    if contradiction.terms or contradiction.degree < 1:
        raise Wrong(f"constraint {shown(number)} is not a contradiction, it is ‘{contradiction}’")


class Tours:
    """The tours that a proof shows: each where it proves how many there are, the best where it proves that none is
    better.

    ``solx`` names the value of every variable of the formula. Accepted is what is a tour of the problem and was not
    shown before; then a clause says that some variable has another value. So every tour that was not shown still meets
    all constraints, with some values of the fresh variables, and a contradiction in the end leaves none. ``soli`` shows
    the best tour, once; from then on a solution must be better (`worth`).

    ``best`` is what the best is worth, once it was shown.
    """

    def __init__(self, cycle: TrueRows, budget: Budget) -> None:
        self.variables = cycle.variables
        self._cycle, self._budget = cycle, budget
        self._shown: set[bytes] = set()
        self.best: int | None = None

    def __len__(self) -> int:
        return len(self._shown)

    def excluded(self, literals: list[int]) -> Clause:
        """The clause that excludes the tour of these literals; `Wrong` where they are no tour, or one that was shown
        before."""
        key = bytes(self._tour(literals))
        if key in self._shown:
            raise Wrong("this tour was shown before")
        self._shown.add(key)
        return tuple(-number for number in literals)

    def surpassed(self, literals: list[int]) -> Constraint:
        """The constraint that a solution is better than this tour; `Wrong` where it is no tour, or not the first."""
        true, worth = self._tour(literals), self._cycle.worth
        value = None if worth is None else worth.of(true)
        if worth is None or value is None:
            raise Wrong("the variable of a pair of moves must be true where both are made, and false where not")
        if self.best is not None:
            raise Wrong("the best tour was shown before")
        self.best = value
        return worth.better_than(value)

    def _tour(self, literals: list[int]) -> list[bool]:
        """Which variables are true, from 0 on; `Wrong` where these are not the edges of a cycle through all vertices
        that meets the rows."""
        self._budget.work(len(literals) + self.variables)
        if sorted(map(abs, literals)) != list(range(1, self.variables + 1)):
            raise Wrong(
                f"a tour is shown by a literal of each of the variables x1 to x{self.variables}, and of no other"
            )
        true = [False] * (self.variables + 1)
        for number in literals:
            true[abs(number)] = number > 0
        for row in self._cycle.rows:
            if not row.holds(true):
                raise Wrong(f"this is not a tour as the problem asks for it: {row.meaning}")
        length = self._length_of_cycle(true)
        if length != (order := len(self._cycle.incidence)):
            raise Wrong(f"this is not one tour: a cycle comes back after {length} of the {order} vertices")
        return true

    def _length_of_cycle(self, true: list[bool]) -> int:
        """How many edges lead from the first vertex back to it, where each vertex has two."""
        vertex = edge = length = 0
        while length == 0 or vertex != 0:
            edge = next(other for other in self._cycle.incidence[vertex] if true[other] and other != edge)
            vertex = sum(self._cycle.ends[edge - 1]) - vertex
            length += 1
        return length


class LiveProof:
    """The live constraints, by id, and the rules that derive more.

    ``_derived`` holds the derived ones, a clause by its literals; ``_deleted`` says which of the formula's sides are
    gone.
    """

    def __init__(self, sides: list[Side], claim: Claim, budget: Budget, tours: Tours) -> None:
        self.steps = 0
        self._budget = budget
        self._sides = len(sides)
        self._most = tours.variables + MAX_FRESH
        self._literal = lru_cache(1 << 16)(partial(literal, most=self._most))
        self._side = lru_cache(1 << 16)(lambda number: sides[number - 1][0].constraint(at_most=sides[number - 1][1]))
        self._definitions = Definitions(tours.variables, budget)
        self._derived: dict[int, Constraint | Clause] = {}
        self._deleted: set[int] = set()
        self._rules: dict[str, Callable[[str], None]] = {"pol": self._pol, "del": self._delete}
        if claim.method == "clausal":
            self._rules |= {"rup": self._rup, "red": self._red}
        if claim.kind == "count":
            self._rules["solx"] = lambda text: self._take(tours.excluded(list(map(self._literal, text.split()))))
        if claim.kind == "best":
            self._rules["soli"] = lambda text: self._take(tours.surpassed(list(map(self._literal, text.split()))))

    def step(self, statement: str) -> None:
        """Replay one statement."""
        keyword, _, rest = statement.partition(" ")
        if keyword not in self._rules:
            raise Wrong(f"{shown(keyword)} is none of the rules of this proof: {', '.join(self._rules)}")
        self._rules[keyword](rest)

    def constraint(self, token: str) -> Constraint:
        """The live constraint with the id that a token writes."""
        found = self._live(token)
        if isinstance(found, Constraint):
            return found
        terms = {abs(number): 1 if number > 0 else -1 for number in found}
        return Constraint(terms, 1 - sum(number < 0 for number in found))

    def _live(self, token: str) -> Constraint | Clause:
        number = self._id(token)
        return self._side(number) if number <= self._sides else self._derived[number]

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

    # --- the rules ---

    def _pol(self, text: str) -> None:
        constraint = reverse_polish(text.split(), self.constraint, self._most, self._budget)
        self._budget.work(WORK_PER_KEPT_TERM * (2 + len(constraint.terms)))
        self._definitions.use(constraint.terms)
        self._take(constraint)

    def _rup(self, text: str) -> None:
        written, colon, hints = text.partition(":")
        if not colon or ":" in hints:
            raise Wrong("a step by unit propagation names what it follows from: write ‘rup +1 x1 +1 ~x2 >= 1 : 5 6 7’")
        tokens = written.split()
        if len(tokens) % 2 or tokens[-2:] != [">=", "1"] or tokens[:-2:2].count("+1") != len(tokens) // 2 - 1:
            raise Wrong("a step by unit propagation derives a clause: write ‘rup +1 x1 +1 ~x2 >= 1 : 5 6 7’")
        clause = tuple(map(self._literal, tokens[1:-2:2]))
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
        constraint = normal_form(written.split(), self._literal)
        variable = self._literal(tokens[0])
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
                del self._derived[number]

    def _take(self, found: Constraint | Clause) -> None:
        """The constraint is derived: it has the next id."""
        self.steps += 1
        self._derived[self._sides + self.steps] = found
