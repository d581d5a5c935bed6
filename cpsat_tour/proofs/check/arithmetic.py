"""Pseudo-Boolean constraints in exact integers, and the cutting-planes rules on them.

The rules are those of cutting planes for 0/1 variables (Gomory 1958; Cook, Coullard & Turán 1987), as VeriPB writes them: literal axioms,
addition, multiplication by a positive integer, division with rounding up, saturation. They are defined on the *normal form*
``a1 l1 + a2 l2 + … >= A`` with every ``a > 0``, each ``l`` a literal ``x`` or ``~x = 1 - x``, and no variable twice.

Kept here is the same constraint over variables alone, ``c1 x1 + c2 x2 + … >= b`` with signed ``c``: ``x`` with ``c > 0`` is the literal
``x`` with coefficient ``c``, with ``c < 0`` the literal ``~x`` with coefficient ``-c``, and the degree of the normal form is ``b`` plus
the sum of all ``-c`` with ``c < 0``. So opposite literals cancel by themselves when constraints are added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cpsat_tour.proofs.check.text import MOST_DIGITS, TOO_LARGE, Wrong, shown, whole

MOST_FRESH = 1 << 20
"""How far above the variables of the formula the number of a fresh variable may lie."""

MOST_STACKED = 1 << 23
"""Terms of all constraints together that the stack of one ``pol`` line may hold."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """``terms[x]`` summed over the variables ``x`` that are true is at least ``bound``; no coefficient is 0."""

    terms: dict[int, int]
    bound: int

    @property
    def degree(self) -> int:
        """The right-hand side of the normal form; at most 0 where every assignment satisfies the constraint."""
        return self.bound - sum(coefficient for coefficient in self.terms.values() if coefficient < 0)

    def saturated(self) -> Constraint:
        """The constraint with no coefficient of the normal form above the degree: no 0/1 assignment is gained or lost."""
        degree = self.degree
        if degree <= 0:
            return Constraint({}, degree)
        terms = {variable: max(-degree, min(degree, coefficient)) for variable, coefficient in self.terms.items()}
        return _with_degree(terms, degree)

    def divided(self, divisor: int) -> Constraint:
        """Coefficients and degree of the normal form divided by a positive integer, all rounded up (towards larger)."""
        terms = {variable: -(-c // divisor) if c > 0 else c // divisor for variable, c in self.terms.items()}
        return _with_degree(terms, -(-self.degree // divisor))

    def __str__(self) -> str:
        terms = "".join(f"+{_short(abs(c))} {'x' if c > 0 else '~x'}{x} " for x, c in sorted(self.terms.items())[:8])
        return f"{terms}{'… ' if len(self.terms) > 8 else ''}>= {_short(self.degree)}"


def _short(number: int) -> str:
    digits = str(number)
    return digits if len(digits) <= 20 else f"{digits[:10]}… ({len(digits)} digits)"


def _with_degree(terms: dict[int, int], degree: int) -> Constraint:
    return Constraint(terms, degree + sum(coefficient for coefficient in terms.values() if coefficient < 0))


class _Sum:
    """A constraint on the stack; ``reach`` is at least every absolute value in it."""

    __slots__ = ("bound", "reach", "terms")

    def __init__(self, constraint: Constraint) -> None:
        self.terms = dict(constraint.terms)
        self.bound = constraint.bound
        self.reach = max(map(abs, self.terms.values()), default=0) + abs(self.bound)

    def constraint(self) -> Constraint:
        return Constraint(self.terms, self.bound)

    def add(self, other: _Sum) -> None:
        terms = self.terms
        for variable, coefficient in other.terms.items():
            total = terms.get(variable, 0) + coefficient
            if total:
                terms[variable] = total
            else:
                del terms[variable]
        self.bound += other.bound
        self._stretch(self.reach + other.reach)

    def multiply(self, factor: int) -> None:
        self._stretch(self.reach * factor)
        self.terms = {variable: coefficient * factor for variable, coefficient in self.terms.items()}
        self.bound *= factor

    def _stretch(self, reach: int) -> None:
        if reach >= TOO_LARGE:
            raise Wrong(f"the numbers of the sum grow beyond {MOST_DIGITS} digits")
        self.reach = reach


def literal(token: str, most: int) -> int:
    """The literal that ``x5`` or ``~x5`` writes, as ``2 * variable``, plus 1 if negated; no variable may lie above ``most``."""
    name = token.removeprefix("~")
    digits = name[1:]
    if not name.startswith("x") or not digits.isdigit() or digits.startswith("0"):
        raise Wrong(f"{shown(token)} is no literal: write x5 or ~x5")
    if len(digits) > 10 or int(digits) > most:
        raise Wrong(f"the variable of {shown(token)} is not below x{most + 1}: the formula has no such variable, nor can it be a fresh one")
    return 2 * int(digits) + (len(name) < len(token))


def literal_axiom(code: int) -> Constraint:
    """A literal is at least 0."""
    return Constraint({code >> 1: -1}, -1) if code & 1 else Constraint({code >> 1: 1}, 0)


def reverse_polish(tokens: list[str], fetch: Callable[[int], Constraint], most: int) -> Constraint:
    """The constraint that the tokens of a ``pol`` line compute: ids and literals are pushed, ``+ * d s`` work on the top of the stack."""
    stack: list[_Sum] = []
    stacked = 0
    place = 0
    while place < len(tokens):
        token, after = tokens[place], tokens[place + 1] if place + 1 < len(tokens) else ""
        place += 1
        if after in ("*", "d") and token not in ("+", "s", "*", "d"):
            if not stack:
                raise Wrong(f"{token} {after} has nothing to work on")
            number = whole(token, f"the number before {after}")
            if number < 1:
                raise Wrong(f"the number before {after} is {number}: it must be at least 1")
            if after == "*":
                stack[-1].multiply(number)
            else:
                stack[-1] = _Sum(stack[-1].constraint().divided(number))
            place += 1
        elif token == "+":
            if len(stack) < 2:
                raise Wrong("+ needs two constraints before it")
            lesser, larger = sorted((stack.pop(), stack.pop()), key=lambda item: len(item.terms))
            stacked -= len(lesser.terms) + len(larger.terms)
            larger.add(lesser)
            stack.append(larger)
            stacked += len(larger.terms)
        elif token == "s":
            if not stack:
                raise Wrong("s has nothing to work on")
            stacked -= len(stack[-1].terms)
            stack[-1] = _Sum(stack[-1].constraint().saturated())
            stacked += len(stack[-1].terms)
        elif token in ("*", "d"):
            raise Wrong(f"{token} needs a number before it")
        else:
            stack.append(_Sum(literal_axiom(literal(token, most)) if token[0] in "x~" else fetch(identifier(token))))
            stacked += len(stack[-1].terms)
            if stacked > MOST_STACKED:
                raise Wrong(f"the constraints on the stack have more than {MOST_STACKED} terms together: add them up earlier")
    if len(stack) != 1:
        raise Wrong(f"the line leaves {len(stack)} constraints on the stack: it must leave one")
    return stack[0].constraint()


def identifier(token: str) -> int:
    """The id of a constraint."""
    if not token.isdigit():
        raise Wrong(f"{shown(token)} is neither a constraint's id nor a literal nor one of + * d s")
    if len(token) > 18:
        raise Wrong(f"{shown(token)} is too large for a constraint's id")
    return int(token)


def normal_form(tokens: list[str], codes: Callable[[str], int]) -> Constraint:
    """The constraint that tokens such as ``+1 x1 +2 ~x4 >= 2`` write; equal and opposite literals may repeat."""
    if len(tokens) < 2 or len(tokens) % 2 or tokens[-2] != ">=":
        raise Wrong("this is no constraint: write coefficient, literal, …, >=, degree")
    bound = whole(tokens[-1], "the degree")
    terms: dict[int, int] = {}
    for number, name in zip(tokens[:-2:2], tokens[1:-2:2], strict=True):
        coefficient = whole(number, "a coefficient")
        code = codes(name)
        if code & 1:
            bound -= coefficient
            coefficient = -coefficient
        terms[code >> 1] = terms.get(code >> 1, 0) + coefficient
    return Constraint({variable: coefficient for variable, coefficient in terms.items() if coefficient}, bound)
