"""Replaying a proof: VeriPB's format, version 2.0, one step at a time, in exact integers.

Constraints have ids: the sides of the formula's rows come first, then each derived constraint takes the next one. Kept are the live
constraints alone, so that memory does not grow with the length of the proof. The rules are ``pol`` (`check_arithmetic`), ``rup``
(`check_propagation`, loaded when the first such step comes; it needs Numba), ``red`` for definitions of fresh variables
(`check_definitions`) and ``del``. Grammar: Gocht & Nordström, *Certifying parity reasoning efficiently using pseudo-Boolean proofs*,
2021, and the documentation of VeriPB; of its rules only those four are known here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.events import OnEvent, Progress
from cpsat_tour.proofs.check.arithmetic import MOST_FRESH, Constraint, identifier, literal, normal_form, reverse_polish
from cpsat_tour.proofs.check.definitions import Definitions
from cpsat_tour.proofs.check.rows import Formula
from cpsat_tour.proofs.check.text import Lines, Wrong, shown

if TYPE_CHECKING:
    from cpsat_tour.proofs.check.propagation import Propagator

HEADER = "pseudo-Boolean proof version 2.0"
FOOTER = "end pseudo-Boolean proof"

MOST_TERMS = 1 << 23
"""Terms of all live constraints derived by ``pol`` together: one short line can sum up two long constraints."""

LINES_BETWEEN_LOOKS_AT_THE_CLOCK = 256

SECONDS_BETWEEN_EVENTS = 0.2


def replay(path: Path, formula: Formula, method: str, on_progress: OnEvent | None) -> int:
    """Replay the proof, which must end in a contradiction; the number of its steps. `Refused` at the first wrong line."""
    with Lines(path) as lines:
        texts = _reported(lines, on_progress)
        _expect(next(texts, None), HEADER)
        _expect(next(texts, None), f"f {len(formula.sides)}")
        proof = Proof(formula, method)
        for text in texts:
            if text.split(None, 1)[0] in ("output", "conclusion"):
                _expect(text, "output NONE")
                break
            proof.step(text)
        else:
            raise Wrong("the proof ends without ‘output NONE’")
        conclusion = (next(texts, None) or "").split()
        if conclusion[:3] != ["conclusion", "UNSAT", ":"] or len(conclusion) != 4:
            raise Wrong("this must be ‘conclusion UNSAT : ’ and the id of the contradiction")
        contradiction = proof.constraint(conclusion[3])
        if contradiction.terms or contradiction.degree < 1:
            raise Wrong(f"constraint {conclusion[3]} is no contradiction, it is ‘{contradiction}’")
        _expect(next(texts, None), FOOTER)
        if next(texts, None) is not None:
            raise Wrong(f"nothing may follow ‘{FOOTER}’")
    return proof.steps


def _expect(text: str | None, expected: str) -> None:
    if text is None or text.split() != expected.split():
        raise Wrong(f"this must be ‘{expected}’" + ("" if text is None else f", and is {shown(text)}"))


def _reported(lines: Lines, on_progress: OnEvent | None) -> Iterator[str]:
    """The lines, with a few events a second on how many there were."""
    last = time.monotonic()
    for count, text in enumerate(lines):
        if on_progress is not None and not count % LINES_BETWEEN_LOOKS_AT_THE_CLOCK and time.monotonic() - last >= SECONDS_BETWEEN_EVENTS:
            last = time.monotonic()
            on_progress(Progress({"lines": lines.number}))
        yield text


class _Codes(dict[str, int]):
    """Literals as written, and their codes, each parsed once."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __missing__(self, token: str) -> int:
        code = self[token] = literal(token, self._most)
        return code


class Proof:
    """The live constraints, by id, and the rules that derive more.

    ``_derived`` holds those derived: a clause that was read as one as its handle in the propagator, all others as they are.
    ``_handles`` says where in the propagator the others are, once there is one; ``_deleted`` which of the formula's sides are gone.
    """

    def __init__(self, formula: Formula, method: str) -> None:
        self.steps = 0
        self._formula = formula
        self._sides = len(formula.sides)
        self._most = formula.variables + MOST_FRESH
        self._codes = _Codes(self._most)
        self._definitions = Definitions(formula.variables)
        self._derived: dict[int, Constraint | int] = {}
        self._handles: dict[int, int] = {}
        self._deleted: set[int] = set()
        self._summed: dict[int, int] = {}
        self._terms = 0
        self._propagator: Propagator | None = None
        rules: dict[str, Callable[[str], None]] = {"pol": self._pol, "del": self._delete}
        self._rules = rules if method == "lp" else rules | {"rup": self._rup, "red": self._red}
        self._method = method

    def step(self, text: str) -> None:
        """Replay one line."""
        keyword, _, rest = text.strip().partition(" ")
        rule = self._rules.get(keyword)
        if rule is None:
            raise Wrong(f"{shown(keyword)} is none of the rules of a proof by the method {self._method}: {', '.join(self._rules)}")
        rule(rest)

    def constraint(self, token: str) -> Constraint:
        """The live constraint with the id that a token writes."""
        return self._fetch(identifier(token))

    def _fetch(self, number: int) -> Constraint:
        self._must_live(number)
        if number <= self._sides:
            return self._formula.constraint(number)
        found = self._derived[number]
        if isinstance(found, Constraint):
            return found
        assert self._propagator is not None
        literals = self._propagator.clause(found)
        return Constraint({code >> 1: -1 if code & 1 else 1 for code in literals}, 1 - sum(code & 1 for code in literals))

    def _must_live(self, number: int) -> None:
        if number < 1 or number > self._sides + self.steps:
            raise Wrong(f"there is no constraint {number}: so far they are 1 to {self._sides + self.steps}")
        if number in self._deleted if number <= self._sides else number not in self._derived:
            raise Wrong(f"constraint {number} was deleted")

    # --- the rules ---

    def _pol(self, rest: str) -> None:
        constraint = reverse_polish(rest.split(), self._fetch, self._most)
        self._terms += len(constraint.terms)
        if self._terms > MOST_TERMS:
            raise Wrong(f"the live sums have more than {MOST_TERMS} terms together")
        self._summed[self._sides + self.steps + 1] = len(constraint.terms)
        self._definitions.use(constraint.terms)
        self._take(constraint)

    def _rup(self, rest: str) -> None:
        tokens = _up_to_semicolon(rest.split())
        if tokens[-2:] == [">=", "1"] and (codes := self._clause(tokens[:-2])) is not None:
            self._rup_clause(codes)
            return
        constraint = normal_form(tokens, self._codes.__getitem__)
        if not self._propagation(max(constraint.terms, default=0)).implies(constraint):
            raise Wrong("the constraint does not follow by unit propagation from those before it")
        self._definitions.use(constraint.terms)
        self._take(constraint)

    def _clause(self, tokens: list[str]) -> list[int] | None:
        """The literals of a clause written plainly, coefficients 1 and no variable twice; None for other constraints."""
        if len(tokens) % 2 or tokens[::2].count("+1") != len(tokens) // 2:
            return None
        codes = [self._codes[token] for token in tokens[1::2]]
        return codes if len({code >> 1 for code in codes}) == len(codes) else None

    def _rup_clause(self, codes: list[int]) -> None:
        highest = max(codes, default=0) >> 1
        propagator = self._propagation(highest)
        if (handle := propagator.learn_clause(codes)) is None:
            raise Wrong("the clause does not follow by unit propagation from the constraints before it")
        if highest > self._formula.variables:
            self._definitions.use(code >> 1 for code in codes)
        self.steps += 1
        self._derived[self._sides + self.steps] = handle

    def _red(self, rest: str) -> None:
        constraint_text, semicolon, witness = rest.partition(";")
        tokens = witness.split()
        if not semicolon or len(tokens) != 3 or tokens[1] != "->" or tokens[2] not in ("0", "1"):
            raise Wrong("a definition is written ‘red constraint ; x5 -> 1’ or ‘red constraint ; x5 -> 0’")
        constraint = normal_form(constraint_text.split(), self._codes.__getitem__)
        code = self._codes[tokens[0]]
        if code & 1:
            raise Wrong(f"the witness must set a variable, and {tokens[0]} is a negated one")
        self._definitions.define(constraint, code >> 1, tokens[2] == "1")
        self._take(constraint)

    def _delete(self, rest: str) -> None:
        tokens = rest.split()
        if tokens[:1] != ["id"] or len(tokens) < 2:
            raise Wrong("a deletion is written ‘del id 5 6 7’")
        for token in tokens[1:]:
            number = identifier(token)
            self._must_live(number)
            if number <= self._sides:
                self._deleted.add(number)
                handle = self._handles.pop(number, None)
            else:
                found = self._derived.pop(number)
                handle = found if isinstance(found, int) else self._handles.pop(number, None)
                self._terms -= self._summed.pop(number, 0)
            if handle is not None and self._propagator is not None:
                self._propagator.remove(handle)

    # --- constraints on their way in ---

    def _take(self, constraint: Constraint) -> None:
        """The constraint is derived: it has the next id."""
        self.steps += 1
        number = self._sides + self.steps
        self._derived[number] = constraint
        if self._propagator is not None:
            self._propagator.reserve_variables(max(constraint.terms, default=0))
            self._hand_over(number, constraint, self._propagator)

    def _hand_over(self, number: int, constraint: Constraint, propagator: Propagator) -> None:
        handle = propagator.add(constraint)
        if handle is not None:
            self._handles[number] = handle

    def _propagation(self, highest: int) -> Propagator:
        """The propagator, with all live constraints and room for variables up to the highest one."""
        if self._propagator is None:
            self._propagator = _new_propagator(self._most_variable())
            for number in range(1, self._sides + self.steps + 1):
                if (number not in self._deleted) if number <= self._sides else (number in self._derived):
                    self._hand_over(number, self._fetch(number), self._propagator)
        self._propagator.reserve_variables(highest)
        return self._propagator

    def _most_variable(self) -> int:
        """The highest variable of any live constraint."""
        derived = (max(constraint.terms, default=0) for constraint in self._derived.values() if isinstance(constraint, Constraint))
        return max(self._formula.variables, max(derived, default=0))


def _new_propagator(variables: int) -> Propagator:
    try:
        from cpsat_tour.proofs.check.propagation import Propagator
    except ImportError as error:
        raise BadInput("this proof has steps by unit propagation, and checking them needs Numba: install cpsat-tour[dfs]") from error
    return Propagator(variables)


def _up_to_semicolon(tokens: list[str]) -> list[str]:
    if tokens[-1:] != [";"]:
        raise Wrong("the constraint must end with ;")
    return tokens[:-1]
