"""Replaying a proof in VeriPB's format, one step at a time, in exact integers.

Constraints have ids: the sides of the formula's rows come first, then each derived constraint takes the next one. Kept
are the live constraints alone, so that memory does not grow with the length of the proof. The rules are ``pol``
(`arithmetic`), ``rup`` (with hints by `hints`, without by `propagation`, which needs Numba where there is much of it),
``red`` for definitions of fresh variables (`definitions`), ``del``, and where tours are shown ``solx`` or ``soli``
(`tours`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from cpsat_tour.core.libraries import lacks
from cpsat_tour.proofs.check import kernel
from cpsat_tour.proofs.check.arithmetic import MAX_FRESH, Constraint, identifier, literal, normal_form, reverse_polish
from cpsat_tour.proofs.check.claim import Claim
from cpsat_tour.proofs.check.definitions import Definitions
from cpsat_tour.proofs.check.dialects import FOOTER, Statement, statements
from cpsat_tour.proofs.check.hints import conflict_in_order
from cpsat_tour.proofs.check.propagation import Propagator
from cpsat_tour.proofs.check.rows import ReadFormula, TrueRows
from cpsat_tour.proofs.check.text import Lines, Pulse, Wrong, shown
from cpsat_tour.proofs.check.tours import Tours

MAX_KEPT = 1 << 23
"""Weight of all live constraints that are not clauses, in terms: one short line can sum up two long constraints."""

MAX_LABELS = 1 << 20

MAX_SHORT, MAX_SHORT_ROWS = 64, 1 << 12
"""Terms of a row that is kept as a constraint, and how many rows are."""


def replay(path: Path, cycle: TrueRows, formula: ReadFormula, claim: Claim, pulse: Pulse) -> int:
    """Replay the proof, which must end in a contradiction, after so many tours if they are counted, or the best; the
    number of its steps.

    `Refused` at the first wrong line.
    """
    tours, best = claim.tours, None if claim.best is None else claim.best.sign * claim.best.value
    with Lines(path, pulse) as lines, ExitStack() as announcing:
        found = statements(lines)
        _expect(next(found, None), f"f {len(formula.sides)}")
        shows = None if tours is None and best is None else Tours(cycle)
        proof = LiveProof(formula, claim.method, lines.beat, shows, lambda: announcing.enter_context(_announced(pulse)))
        for statement in found:
            if statement.keyword in ("output", "conclusion"):
                _expect(statement, "output NONE")
                break
            proof.step(statement)
        else:
            raise Wrong("the proof ends without ‘output NONE’")
        conclusion = next(found, None) or Statement("", [])
        what = f"BOUNDS {best}" if best is not None else "UNSAT" if tours is None else f"ENUMERATION_COMPLETE {tours}"
        upper = [] if best is None else [str(best)]
        token, *rest = (conclusion.fields[1].split() if len(conclusion.fields) == 2 else []) or [""]
        if (
            conclusion.keyword != "conclusion"
            or conclusion.fields[0].split() != what.split()
            or not token
            or rest != upper
        ):
            raise Wrong(
                f"this must be ‘conclusion {what} : ’ and the id of the "
                f"contradiction{''.join(f', then {value}' for value in upper)}"
            )
        if shows is not None and best is None and len(shows) != tours:
            raise Wrong(f"the proof has {len(shows)} of the {tours} tours")
        if shows is not None and shows.best != best:
            raise Wrong(f"the best tour that the proof shows is worth {shows.best}, and not {best}")
        contradiction = proof.constraint(token)
        if contradiction.terms or contradiction.degree < 1:
            raise Wrong(f"constraint {shown(token)} is no contradiction, it is ‘{contradiction}’")
        _expect(next(found, None), FOOTER)
        if next(found, None) is not None:
            raise Wrong(f"nothing may follow ‘{FOOTER}’")
    return proof.steps


def _expect(statement: Statement | None, expected: str) -> None:
    if statement is None or str(statement).split() != expected.split() or statement.label:
        raise Wrong(f"this must be ‘{expected}’" + ("" if statement is None else f", and is {shown(str(statement))}"))


class _Codes(dict[str, int]):
    """Literals as written, and their codes, each parsed once."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __missing__(self, token: str) -> int:
        code = self[token] = literal(token, self._most)
        return code


class LiveProof:
    """The live constraints, by id, and the rules that derive more.

    ``_derived`` holds the derived ones, and None for a clause, which the propagator keeps; ``_deleted`` says which of
    the formula's sides are gone. ``beat`` is called in steps that may take long, ``announce`` before functions may have
    to be compiled.
    """

    def __init__(
        self,
        formula: ReadFormula,
        method: str,
        beat: Callable[[], None] = lambda: None,
        tours: Tours | None = None,
        announce: Callable[[], object] = lambda: None,
    ) -> None:
        self.steps = 0
        self._formula = formula
        self._sides = len(formula.sides)
        self._most = formula.variables + MAX_FRESH
        self._codes = _Codes(self._most)
        self._definitions = Definitions(formula.variables)
        self._derived: dict[int, Constraint | None] = {}
        self._deleted: set[int] = set()
        self._labels: dict[str, int] = {}
        self._label_of: dict[int, str] = {}
        self._kept = 0
        self._short_rows: dict[int, Constraint] = {}
        self._propagator: Propagator | None = None
        rules: dict[str, Callable[[list[str]], None]] = {"pol": self._pol, "del": self._delete}
        self._rules = rules if method == "lp" else rules | {"rup": self._rup, "red": self._red}
        if tours is not None:
            keyword, taken = ("solx", tours.excluded) if not tours.ranked else ("soli", tours.surpassed)
            self._rules[keyword] = lambda fields: self._take(taken(_only(fields).split(), self._codes.__getitem__))
        self._method = method
        self._beat = beat
        self._announce = announce

    @property
    def _last(self) -> int:
        """The id of the latest constraint."""
        return self._sides + self.steps

    def step(self, statement: Statement) -> None:
        """Replay one statement."""
        rule = self._rules.get(statement.keyword)
        if rule is None:
            raise Wrong(
                f"{shown(statement.keyword)} is none of the rules of a proof by the method {self._method}: "
                f"{', '.join(self._rules)}"
            )
        before = self.steps
        rule(statement.fields)
        if statement.label:
            if self.steps == before or len(self._labels) >= MAX_LABELS:
                raise Wrong(f"a label is for a derived constraint, and there may be {MAX_LABELS} labels")
            self._forget_label(self._labels.get(statement.label, 0))
            self._labels[statement.label] = self._last
            self._label_of[self._last] = statement.label

    def constraint(self, token: str) -> Constraint:
        """The live constraint with the id or the label that a token writes."""
        number = self._live(token)
        if number <= self._sides:
            return self._short_rows.get(number) or self._row(number)
        found = self._derived[number]
        if found is not None:
            return found
        assert self._propagator is not None
        literals = self._propagator.clause(number) or []
        return Constraint(
            {code >> 1: -1 if code & 1 else 1 for code in literals}, 1 - sum(code & 1 for code in literals)
        )

    def _row(self, number: int) -> Constraint:
        """A side of a row; short ones are kept, for hints name them again and again."""
        constraint = self._formula.constraint(number)
        if len(constraint.terms) <= MAX_SHORT and len(self._short_rows) < MAX_SHORT_ROWS:
            self._short_rows[number] = constraint
        return constraint

    def _live(self, token: str) -> int:
        """The id that a token writes, of a constraint that is there."""
        number = self._labels.get(token)
        if number is None:
            if token.startswith("@"):
                raise Wrong(f"there is no label {shown(token)} so far")
            number = identifier(token, self._last)
        if number < 1 or number > self._last:
            raise Wrong(f"there is no constraint {number}: so far they are 1 to {self._last}")
        if number in self._deleted if number <= self._sides else number not in self._derived:
            raise Wrong(f"constraint {number} was deleted")
        return number

    # --- the rules ---

    def _pol(self, fields: list[str]) -> None:
        constraint = reverse_polish(_only(fields).split(), self.constraint, self._most, self._beat)
        self._definitions.use(constraint.terms)
        self._take(constraint)

    def _rup(self, fields: list[str]) -> None:
        tokens = fields[0].split()
        number = self._last + 1
        clause = self._clause(tokens)
        if len(fields) == 1 and clause is not None:
            if not self._propagation().implies_clause(clause):
                raise Wrong("the clause does not follow by unit propagation from those before it")
            if max(clause, default=0) >> 1 > self._formula.variables:
                self._definitions.use(code >> 1 for code in clause)
            self._propagation().add_clause(number, clause)
            self._derived[number] = None
            self.steps += 1
            return
        constraint = normal_form(tokens, self._codes.__getitem__)
        implied = (
            self._follows_by_hints(constraint, fields[1:])
            if fields[1:]
            else self._propagation().implies(number, constraint)
        )
        if not implied:
            raise Wrong(
                "the constraint does not follow by unit propagation from "
                f"{'its hints' if fields[1:] else 'those before it'}"
            )
        self._definitions.use(constraint.terms)
        self._take(constraint)

    def _follows_by_hints(self, constraint: Constraint, hints: list[str]) -> bool:
        """Whether the constraint follows from those that the hints name; ``~`` is its negation, which is taken first in
        any case."""
        if len(hints) != 1:
            raise Wrong("hints are written ‘rup constraint : 5 6 7’")
        negated = constraint.negated
        return conflict_in_order(
            [negated, *(negated if token == "~" else self.constraint(token) for token in hints[0].split())]
        )

    def _clause(self, tokens: list[str]) -> list[int] | None:
        """The literals of a clause written plainly, coefficients 1 and no variable twice; None for other
        constraints."""
        if (
            tokens[-2:] != [">=", "1"]
            or len(tokens) % 2
            or tokens[:-2:2].count("+1") + tokens[:-2:2].count("1") != len(tokens) // 2 - 1
        ):
            return None
        codes = [self._codes[token] for token in tokens[1:-2:2]]
        return codes if len({code >> 1 for code in codes}) == len(codes) else None

    def _red(self, fields: list[str]) -> None:
        tokens = fields[1].split() if len(fields) == 2 else []
        if len(tokens) != 3 or tokens[1] != "->" or tokens[2] not in ("0", "1"):
            raise Wrong(
                "a definition is written ‘red constraint : x5 -> 1’, with ; in place of : in version 2.0, or "
                "with x5 -> 0"
            )
        constraint = normal_form(fields[0].split(), self._codes.__getitem__)
        code = self._codes[tokens[0]]
        if code & 1:
            raise Wrong(f"the witness must set a variable, and {tokens[0]} is a negated one")
        self._definitions.define(constraint, code >> 1, tokens[2] == "1")
        self._take(constraint)

    def _delete(self, fields: list[str]) -> None:
        tokens = _only(fields).split()
        if tokens[:1] != ["id"] or len(tokens) < 2:
            raise Wrong("a deletion is written ‘del id 5 6 7’")
        for token in tokens[1:]:
            number = self._live(token)
            if number <= self._sides:
                self._deleted.add(number)
            elif (constraint := self._derived.pop(number)) is not None:
                self._kept -= constraint.weight
            if self._propagator is not None:
                self._propagator.remove(number)
            self._forget_label(number)

    def _forget_label(self, number: int) -> None:
        """The label of this constraint, if it has one, is free again."""
        if (label := self._label_of.pop(number, None)) is not None:
            del self._labels[label]

    # --- constraints on their way in ---

    def _take(self, constraint: Constraint) -> None:
        """The constraint is derived: it has the next id."""
        self.steps += 1
        self._derived[self._last] = constraint
        self._kept += constraint.weight
        if self._kept > MAX_KEPT:
            raise Wrong(f"the live constraints weigh more than {MAX_KEPT} terms together: delete some earlier")
        if self._propagator is not None:
            self._propagator.add(self._last, constraint)

    def _propagation(self) -> Propagator:
        """The propagator, with all live constraints."""
        if self._propagator is None:
            self._propagator = Propagator(self._compile)
            for number in range(1, self._sides + 1):
                if number not in self._deleted:
                    self._propagator.add(number, self._formula.constraint(number))
            for number, constraint in self._derived.items():
                if constraint is not None:
                    self._propagator.add(number, constraint)
        return self._propagator

    def _compile(self) -> None:
        """There is so much to propagate that it pays to compile what does it."""
        try:
            self._announce()
            kernel.compile_all()
        except ModuleNotFoundError as fault:
            raise lacks("a proof with so many steps by unit propagation", "numba") from fault


def _only(fields: list[str]) -> str:
    """The only field of a statement."""
    if len(fields) != 1:
        raise Wrong("there must be no ; or : in this step, but for the ; that ends it in version 3.0")
    return fields[0]


def _announced(pulse: Pulse) -> AbstractContextManager[None]:
    """Word of the first compilation goes to whom the pulse tells of progress."""
    from cpsat_tour.core.compiled import announced  # with Numba

    return announced(pulse.listener)
