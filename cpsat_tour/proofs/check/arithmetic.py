"""Certificates read from files that may hold anything at all, within bounds; and pseudo-Boolean constraints in exact
integers with the rules that derive them: sums, clauses by hints, definitions of fresh variables.

Text is read line by line. A function that finds something wrong raises `Wrong`; `lines_of` turns it into `Refused`,
which names the file and the line. Three bounds hold everywhere: one on what is read as a whole (`MAX_BYTES`), one on
numbers (`MAX_NUMBER`), and a `Budget` of work in proportion to the text; memory that grows costs work, too.

The rules on sums are those of cutting planes for 0/1 variables (Gomory 1958; Cook, Coullard & Turán 1987), as VeriPB
has them: literal axioms, addition, multiplication by a positive integer, division with rounding up, saturation. They
are defined on the *normal form* ``a1 l1 + a2 l2 + … >= A`` with every ``a > 0``, each ``l`` a literal ``x`` or ``~x``,
which is ``1 - x``, and no variable twice.

Kept is the same constraint over variables alone, ``c1 x1 + c2 x2 + … >= b`` with signed ``c``: where ``c < 0``, the
normal form has the literal ``~x`` with the coefficient ``-c``, and its degree is ``b`` plus the sum of these ``-c``. So
opposite literals cancel when constraints are added. A clause is kept as its literals, ``-5`` for ``~x5``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice, zip_longest
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from cpsat_tour.core.errors import quoted, reason, shortened
from cpsat_tour.core.runs import Clock, OnEvent, Progress

MAX_BYTES = 1 << 24
"""The most bytes of a line, such as a row of over a million variables, and of ``certificate.json``."""

MAX_NUMBER = 10**18
"""The bound on all numbers of a constraint."""

FREE_WORK, WORK_PER_BYTE = 1 << 22, 5
"""The terms of constraints that the checker may look at: the first number, and the second for each byte, which itself
costs one."""

WORK_PER_KEPT_TERM = 16
"""The work that it costs to keep a term of a sum, which may be longer than its line."""

WORK_BETWEEN_BEATS = 1 << 16

_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


class Wrong(Exception):
    """Raised with a sentence that says what is wrong with the current line."""


@dataclass(frozen=True)
class Fault:
    """The first wrong line of a certificate: the file, the line counted from 1, and a sentence that says what is wrong.

    Of JSON that can be read the sentence names the member, and there is no line.
    """

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line}"
        return f"{self.file}{line}: {shortened(self.reason, 300)}"


class Refused(Exception):
    """Raised when the certificate is not valid; carries the `Fault`."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Budget:
    """The work and the time that the check of a certificate may still take; `StoppedEarly` when the time is over.

    Many times a second the listener hears how many lines were read; it may stop the checker by an exception.
    """

    def __init__(self, on_progress: OnEvent | None = None, clock: Clock | None = None) -> None:
        self.lines = 0
        self._left = FREE_WORK
        self._listener, self._clock = on_progress, clock or Clock(None)
        self._until_beat = 0

    def count_line(self, size: int) -> None:
        """Count a line of ``size`` bytes: add the work that its length allows, and take what reading it costs."""
        self.lines += 1
        self._left += WORK_PER_BYTE * size
        self.spend(size)

    def spend(self, terms: int) -> None:
        """Take the work for this many terms from the budget, and look at the clock now and then; `Wrong` if too little
        is left."""
        self._left -= terms
        if self._left < 0:
            raise Wrong("the proof takes more work than a proof of its length may: split its longest steps up")
        self._until_beat -= terms
        if self._until_beat < 0:
            self._until_beat = WORK_BETWEEN_BEATS
            self._clock.check()
            if self._listener is not None:
                self._listener(Progress({"lines": self.lines}))


@contextmanager
def lines_of(path: Path, budget: Budget) -> Iterator[Iterator[bytes]]:
    """Open a text file and yield an iterator over its lines as bytes, without their ends.

    Blank lines after the first are left out; comments may be in any encoding. `Wrong` and errors of the file system
    become `Refused` at that line. Control characters are refused even in comments: what one reader takes for the end of
    a line another may not.
    """
    number = 1

    def read_lines(file: BinaryIO) -> Iterator[bytes]:
        nonlocal number
        for number in count(1):  # one past the last at the end
            line = file.readline(MAX_BYTES + 1)
            if not line:
                return
            if len(line) > MAX_BYTES:
                raise Wrong(f"the line is longer than {MAX_BYTES} bytes")
            budget.count_line(len(line))
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            if _CONTROL.search(line):
                raise Wrong("the line holds a control character: this is not text")
            if line.strip() or number == 1:
                yield line

    try:
        with path.open("rb") as file:
            yield read_lines(file)
    except (Wrong, OSError) as error:
        wrong = str(error) if isinstance(error, Wrong) else f"the file can't be read: {reason(error)}"
        raise Refused(Fault(path.name, number, wrong)) from error


def expect(expected: str, given: bytes) -> None:
    """Raise `Wrong` unless the given line has the expected words.

    The line is empty at the end of the file.
    """
    if given.split() != expected.encode().split():
        raise Wrong(f"this must be {shortened(repr(expected), 120)}, and is {quoted(given.decode(errors='replace'))}")


def ascii_text(line: bytes) -> str:
    """Return the bytes as text; `Wrong` if they are not ASCII."""
    try:
        return line.decode("ascii")
    except UnicodeDecodeError:
        raise Wrong("the line holds characters beyond ASCII outside a comment") from None


def read_integer(token: str, what: str) -> int:
    """Return the integer that a token of ASCII text writes; `Wrong` if it writes none, or one not smaller than
    `MAX_NUMBER`."""
    if not _WHOLE.fullmatch(token):
        raise Wrong(f"{what} is {quoted(token)}, which is not a whole number of at most 18 digits")
    return int(token)


def read_json(path: Path) -> Any:
    """Return the value in a JSON file; `Refused` at the first line that is wrong.

    Text that readers take differently is wrong too: a member of an object twice, or ``NaN``.
    """
    line = 1
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES} bytes")
        return json.loads(
            content.decode("utf-8"), object_pairs_hook=_dict_without_repeats, parse_constant=_refuse_constant
        )
    except OSError as error:
        wrong = f"the file can't be read: {reason(error)}"
    except UnicodeDecodeError as error:
        line, wrong = content.count(b"\n", 0, error.start) + 1, "the line is not UTF-8 text"
    except json.JSONDecodeError as error:
        line, wrong = error.lineno, f"the line is not JSON: {error.msg}"
    except ValueError as error:
        wrong = f"the file is not JSON as it should be: {error}"
    except RecursionError:
        wrong = "lists and objects are nested too deeply"
    raise Refused(Fault(path.name, line, wrong))


def _dict_without_repeats(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object; `ValueError` if two have one name."""
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("an object has two members of one name")
    return found


def _refuse_constant(word: str) -> NoReturn:
    """Raise `ValueError`: JSON has no NaN and no infinity."""
    raise ValueError(f"{word} is no JSON")


MAX_FRESH = 1 << 20
"""The most by which the number of a fresh variable may exceed the variables of the formula."""

Clause = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """A sum of terms is at least the bound: ``terms[x]`` is the coefficient, not 0, of the variable ``x``."""

    terms: dict[int, int]
    bound: int

    @property
    def degree(self) -> int:
        """The right-hand side of the normal form; if it is at most 0, every assignment satisfies the constraint."""
        return self.bound - sum(coefficient for coefficient in self.terms.values() if coefficient < 0)

    def plus(self, other: Constraint) -> Constraint:
        """Return the sum of two constraints.

        It takes over the dictionary of the longer one, which must not be used again.
        """
        shorter, longer = sorted((self, other), key=lambda constraint: len(constraint.terms))
        terms = longer.terms
        for variable, coefficient in shorter.terms.items():
            total = terms.get(variable, 0) + coefficient
            if total:
                terms[variable] = total
            else:
                del terms[variable]
        return Constraint(terms, longer.bound + shorter.bound)

    def times(self, factor: int) -> Constraint:
        """Return the constraint multiplied by a positive integer."""
        return Constraint({variable: factor * c for variable, c in self.terms.items()}, factor * self.bound).checked()

    def saturated(self) -> Constraint:
        """Return the constraint with each coefficient of its normal form cut down to the degree; the 0/1 solutions are
        the same."""
        degree = self.degree
        if degree <= 0:
            return Constraint({}, degree)
        return _at_least({variable: max(-degree, min(degree, c)) for variable, c in self.terms.items()}, degree)

    def divided(self, divisor: int) -> Constraint:
        """Return the constraint with coefficients and degree of its normal form divided by a positive integer, all
        rounded up."""
        terms = {variable: -(-c // divisor) if c > 0 else c // divisor for variable, c in self.terms.items()}
        return _at_least(terms, -(-self.degree // divisor))

    def checked(self) -> Constraint:
        """Return the constraint itself; `Wrong` if one of its numbers is too large."""
        if max(map(abs, self.terms.values()), default=0) >= MAX_NUMBER or abs(self.bound) >= MAX_NUMBER:
            raise Wrong(f"the numbers of the sum grow to {MAX_NUMBER} or beyond")
        return self

    def __str__(self) -> str:
        terms = "".join(f"+{abs(c)} {'x' if c > 0 else '~x'}{x} " for x, c in sorted(self.terms.items())[:8])
        return f"{terms}{'… ' if len(self.terms) > 8 else ''}>= {self.degree}"


def _at_least(terms: dict[int, int], degree: int) -> Constraint:
    """Return the constraint that a sum of terms over variables is at least ``degree``, in normal form."""
    return Constraint(terms, degree + sum(coefficient for coefficient in terms.values() if coefficient < 0))


def read_literal(token: str, max_variable: int) -> int:
    """Return 5 for ``x5`` and -5 for ``~x5``; `Wrong` for another token, and for a variable above ``max_variable``."""
    name = token.removeprefix("~")
    digits = name[1:]
    if not name.startswith("x") or not digits.isdigit() or digits.startswith("0"):
        raise Wrong(f"{quoted(token)} is not a literal: write x5 or ~x5")
    if len(digits) > 10 or int(digits) > max_variable:
        raise Wrong(f"{quoted(token)} is not below x{max_variable + 1}, as variables of the formula and fresh ones are")
    return int(digits) if len(name) == len(token) else -int(digits)


def literal_axiom(number: int) -> Constraint:
    """Return the constraint that a literal is at least 0."""
    return Constraint({number: 1}, 0) if number > 0 else Constraint({-number: -1}, -1)


def read_constraint(tokens: list[str], literals: Callable[[str], int]) -> Constraint:
    """Return the constraint that tokens such as ``+1 x1 +2 ~x4 >= 2`` write, `Wrong` if none; literals may repeat."""
    if len(tokens) < 2 or len(tokens) % 2 or tokens[-2] != ">=":
        raise Wrong("this is not a constraint: write coefficient, literal, …, >=, degree")
    bound = read_integer(tokens[-1], "the degree")
    terms: dict[int, int] = {}
    for number, name in zip(tokens[:-2:2], tokens[1:-2:2], strict=True):
        coefficient, variable = read_integer(number, "a coefficient"), literals(name)
        if variable < 0:
            bound, coefficient, variable = bound - coefficient, -coefficient, -variable
        terms[variable] = terms.get(variable, 0) + coefficient
    return Constraint({variable: coefficient for variable, coefficient in terms.items() if coefficient}, bound)


def evaluate_sum(
    tokens: Sequence[str], fetch: Callable[[str], Constraint], max_variable: int, budget: Budget
) -> Constraint:
    """Return the constraint that a ``pol`` line computes in reverse Polish notation; `Wrong` if the line computes none.

    Ids, whose constraints ``fetch`` returns, and literals are pushed; ``+ * d s`` work on the top of the stack. Beyond
    two operands it costs what is kept costs.
    """
    stack: list[Constraint] = []

    def pop(operator: str) -> Constraint:
        """Take the last constraint off the stack; `Wrong` if there is none."""
        if not stack:
            raise Wrong(f"{quoted(operator)} has too little to work on")
        return stack.pop()

    pairs = zip_longest(tokens, islice(tokens, 1, None), fillvalue="")
    for token, following in pairs:
        if following in ("*", "d") and token not in ("+", "s", "*", "d"):
            number = read_integer(token, f"the number before {following}")
            if number < 1:
                raise Wrong(f"the number before {following} is {number}: it must be at least 1")
            top = pop(f"{token} {following}")
            budget.spend(1 + len(top.terms))
            stack.append(top.times(number) if following == "*" else top.divided(number))
            next(pairs)
        elif token == "+":
            top, below = pop("+"), pop("+")
            budget.spend(1 + min(len(top.terms), len(below.terms)))
            stack.append(top.plus(below))
        elif token == "s":
            top = pop("s")
            budget.spend(1 + len(top.terms))
            stack.append(top.saturated())
        elif token in ("*", "d"):
            raise Wrong(f"{token} needs a number before it")
        else:
            found = literal_axiom(read_literal(token, max_variable)) if token[0] in "x~" else fetch(token)
            budget.spend((1 + len(found.terms)) * (1 if len(stack) < 2 else WORK_PER_KEPT_TERM))
            stack.append(Constraint(dict(found.terms), found.bound))
    if len(stack) != 1:
        raise Wrong(f"the line leaves {len(stack)} constraints on the stack: it must leave one")
    return stack[0].checked()


def follows_from(clause: Clause, hints: Iterable[Constraint | Clause], budget: Budget) -> bool:
    """Return True if a clause follows from the constraints by unit propagation, each used once, in this order.

    If all its literals are false, one constraint can't be met after those before it have propagated.

    As in the LRAT format (Cruz-Filipe, Heule, Hunt, Kaufmann & Schneider-Kamp 2017).
    """
    true = {-number for number in clause}
    for constraint in hints:
        if isinstance(constraint, Constraint):
            budget.spend(1 + len(constraint.terms))
            if _propagate(constraint, true):
                return True
        else:
            budget.spend(1 + len(constraint))
            left = [number for number in constraint if -number not in true]
            if not left:
                return True
            if len(left) == 1:
                true.add(left[0])
    return False


def _propagate(constraint: Constraint, true: set[int]) -> bool:
    """Add to ``true`` the literals that the constraint makes true; return True if the constraint can't be met."""
    slack = -constraint.bound
    for variable, coefficient in constraint.terms.items():
        if -variable not in true if coefficient > 0 else variable in true:
            slack += coefficient
    if slack < 0:
        return True
    for variable, coefficient in constraint.terms.items():
        if abs(coefficient) > slack and variable not in true and -variable not in true:
            true.add(variable if coefficient > 0 else -variable)
    return False


class Definitions:
    """The rule for ``red`` lines: ``red <constraint> : x -> 1`` makes the constraint a definition of a fresh variable.

    Accepted is the special case of redundancy with a witness (Järvisalo, Heule & Biere 2012 for clauses; Gocht &
    Nordström 2021 for pseudo-Boolean constraints) in which

    1. ``x`` is *fresh*: its number is above the formula's, and it occurs in no step so far but its own
       definitions (``red`` lines with ``x`` as the witness);
    2. the constraint holds whenever ``x`` has the value of the witness, whatever the other variables are;
    3. with each earlier definition of ``x`` by the opposite value: where one of the two fails because of ``x``,
       the other holds without ``x``. For two clauses this says that their resolvent on ``x`` is a tautology.

    *Soundness.* Invariant: every 0/1 solution of the formula extends to one of all constraints derived so far,
    deleted ones included. Take such an extension, and let it falsify the new definition C. By 2, ``x`` does not have
    the value of the witness. Give it that value: C holds by 2; earlier definitions by the same value hold by 2; one
    by the opposite value holds by 3, since C without ``x`` is false; no other constraint has ``x`` in it by 1.

    Condition 3 in numbers: let C without ``x`` be ``b1 l1 + … >= A`` in saturated normal form, and D without ``x``
    be ``c1 k1 + … >= D``. If the first is false, ``b1 ~l1 + … >= b1 + … - A + 1``, and so the left side of D is at
    least the sum of ``min(b, c)`` over the literals opposite in both, less ``A - 1``.

    ``_open`` has the variables that may be defined further, with their definitions; ``_used`` those closed for good.
    """

    def __init__(self, variables: int, budget: Budget) -> None:
        self._variables, self._budget = variables, budget
        self._open: dict[int, list[Constraint]] = {}
        self._used: set[int] = set()

    def mark_used(self, variables: Iterable[int]) -> None:
        """Note that the variables occur in a step, so that they are fresh no more."""
        for variable in variables:
            if variable > self._variables:
                self._used.add(variable)
                self._open.pop(variable, None)

    def define(self, constraint: Constraint, variable: int, value: bool) -> None:
        """Take the constraint as one half of the variable's definition; `Wrong` if the rule forbids that.

        The constraint holds whenever the variable has ``value``.
        """
        if variable <= self._variables:
            raise Wrong(f"x{variable} is a variable of the formula: fresh ones begin with x{self._variables + 1}")
        if variable in self._used:
            raise Wrong(f"x{variable} is not fresh: it occurs in an earlier step that does not define it")
        constraint = constraint.saturated()
        sign = 1 if value else -1
        if sign * constraint.terms.get(variable, 0) < constraint.degree or variable not in constraint.terms:
            raise Wrong(f"this does not define x{variable}: it must hold whenever x{variable} is {int(value)}")
        for earlier in self._open.get(variable, ()):
            self._budget.spend(1 + len(constraint.terms))
            if earlier.terms[variable] * sign < 0 and not _never_both_fail(constraint, earlier, variable):
                raise Wrong(f"x{variable} is defined by the other value, ‘{earlier}’, and the two may conflict")
        self._open.setdefault(variable, []).append(constraint)
        self.mark_used(other for other in constraint.terms if other != variable)


def _never_both_fail(first: Constraint, second: Constraint, variable: int) -> bool:
    """Return True if the two halves of a definition never fail together: where the first needs the variable, the second
    holds without it (condition 3 of the rule)."""
    clash = sum(
        min(abs(coefficient), abs(opposite))
        for term, coefficient in first.terms.items()
        if term != variable and (opposite := second.terms.get(term, 0)) * coefficient < 0
    )
    return clash >= first.degree + second.degree - 1
