"""Pseudo-Boolean constraints in exact integers, and the cutting-planes rules on them.

The rules are those of cutting planes for 0/1 variables (Gomory 1958; Cook, Coullard & Turán 1987), as VeriPB writes
them: literal axioms, addition, multiplication by a positive integer, division with rounding up, saturation. They are
defined on the *normal form* ``a1 l1 + a2 l2 + … >= A`` with every ``a > 0``, each ``l`` a literal ``x`` or ``~x = 1 -
x``, and no variable twice.

Kept here is the same constraint over variables alone, ``c1 x1 + c2 x2 + … >= b`` with signed ``c``: ``x`` with ``c >
0`` is the literal ``x`` with coefficient ``c``, with ``c < 0`` the literal ``~x`` with coefficient ``-c``, and the
degree of the normal form is ``b`` plus the sum of all ``-c`` with ``c < 0``. So opposite literals cancel by themselves
when constraints are added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from cpsat_tour.proofs.check.text import MAX_DIGITS, TOO_LARGE, Wrong, shown, whole

MAX_FRESH = 1 << 20
"""How far above the variables of the formula the number of a fresh variable may lie."""

MAX_STACKED = 1 << 23
"""Weight of all constraints together that the stack of one ``pol`` line may hold."""

MAX_DEEP = 1 << 16
"""Constraints on the stack of one ``pol`` line."""

FREE_WORK, WORK_PER_TERM, WORK_PER_TOKEN = 1 << 20, 16, 20
"""Terms that a ``pol`` line may work on: a million, some more for each term of the constraints it names, and for each
of its tokens."""

TOKENS_BETWEEN_BEATS = 1 << 12

BITS_PER_TERM = 256
"""A number of more bits weighs more than a term."""


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
        """The constraint with no coefficient of the normal form above the degree: no 0/1 assignment is gained or
        lost."""
        degree = self.degree
        if degree <= 0:
            return Constraint({}, degree)
        terms = {variable: max(-degree, min(degree, coefficient)) for variable, coefficient in self.terms.items()}
        return _with_degree(terms, degree)

    def divided(self, divisor: int) -> Constraint:
        """Coefficients and degree of the normal form divided by a positive integer, all rounded up (towards larger)."""
        terms = {variable: -(-c // divisor) if c > 0 else c // divisor for variable, c in self.terms.items()}
        return _with_degree(terms, -(-self.degree // divisor))

    @property
    def weight(self) -> int:
        """What the constraint takes of memory, in terms with short numbers; at least 1."""
        return _weight(len(self.terms), max(map(abs, self.terms.values()), default=0))

    @property
    def negated(self) -> Constraint:
        """The constraint that holds exactly where this one does not."""
        return Constraint({variable: -coefficient for variable, coefficient in self.terms.items()}, 1 - self.bound)

    def __str__(self) -> str:
        terms = "".join(f"+{_short(abs(c))} {'x' if c > 0 else '~x'}{x} " for x, c in sorted(self.terms.items())[:8])
        return f"{terms}{'… ' if len(self.terms) > 8 else ''}>= {_short(self.degree)}"


def _short(number: int) -> str:
    digits = str(number)
    return digits if len(digits) <= 20 else f"{digits[:10]}… ({len(digits)} digits)"


def _weight(terms: int, largest: int) -> int:
    return 1 + terms * (1 + largest.bit_length() // BITS_PER_TERM)


def _with_degree(terms: dict[int, int], degree: int) -> Constraint:
    return Constraint(terms, degree + sum(coefficient for coefficient in terms.values() if coefficient < 0))


class _Sum:
    """A constraint on the stack; ``reach`` is at least every absolute value in it, ``saturated`` says that it is known
    to be."""

    __slots__ = ("bound", "reach", "saturated", "terms")

    def __init__(self, constraint: Constraint, saturated: bool = False) -> None:
        self.terms = dict(constraint.terms)
        self.bound = constraint.bound
        self.reach = max(map(abs, self.terms.values()), default=0) + abs(self.bound)
        self.saturated = saturated

    @property
    def weight(self) -> int:
        return _weight(len(self.terms), self.reach)

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
            raise Wrong(f"the numbers of the sum grow beyond {MAX_DIGITS} digits")
        self.reach = reach
        self.saturated = False


class _Stack:
    """The stack of a ``pol`` line, with an eye on how much it holds and how much was worked on: no line may take much
    longer than it is."""

    def __init__(self, tokens: int) -> None:
        self.sums: list[_Sum] = []
        self._weight = 0
        self._work_left = FREE_WORK + WORK_PER_TOKEN * tokens

    def push(self, constraint: Constraint) -> None:
        self._work_left += WORK_PER_TERM * len(constraint.terms)
        self._put(_Sum(constraint))
        if len(self.sums) > MAX_DEEP:
            raise Wrong(f"there are more than {MAX_DEEP} constraints on the stack: add them up earlier")

    def add(self) -> None:
        if len(self.sums) < 2:
            raise Wrong("+ needs two constraints before it")
        lesser, larger = sorted((self._take(), self._take()), key=lambda item: len(item.terms))
        self._work(len(lesser.terms))
        larger.add(lesser)
        self._put(larger)

    def saturate(self) -> None:
        top = self._top("s")
        if not top.saturated:
            self._replace(_Sum(top.constraint().saturated(), saturated=True))

    def multiply(self, factor: int) -> None:
        top = self._top(f"{factor} *")
        if factor > 1:
            self._work(len(top.terms))
            self._take()
            top.multiply(factor)
            self._put(top)

    def divide(self, divisor: int) -> None:
        top = self._top(f"{divisor} d")
        if divisor > 1:
            self._replace(_Sum(top.constraint().divided(divisor)))

    def _top(self, what: str) -> _Sum:
        if not self.sums:
            raise Wrong(f"{shown(what)} has nothing to work on")
        return self.sums[-1]

    def _replace(self, new: _Sum) -> None:
        self._work(len(self._take().terms))
        self._put(new)

    def _take(self) -> _Sum:
        self._weight -= self.sums[-1].weight
        return self.sums.pop()

    def _put(self, new: _Sum) -> None:
        self.sums.append(new)
        self._weight += new.weight
        if self._weight > MAX_STACKED:
            raise Wrong(
                f"the constraints on the stack weigh more than {MAX_STACKED} terms together: add them up earlier"
            )

    def _work(self, terms: int) -> None:
        self._work_left -= terms
        if self._work_left < 0:
            raise Wrong("the line works on its constraints for too long: split it into several lines")


def literal(token: str, most: int) -> int:
    """The literal that ``x5`` or ``~x5`` writes, as ``2 * variable``, plus 1 if negated; no variable may lie above
    ``most``."""
    name = token.removeprefix("~")
    digits = name[1:]
    if not name.startswith("x") or not digits.isdigit() or digits.startswith("0"):
        raise Wrong(f"{shown(token)} is no literal: write x5 or ~x5")
    if len(digits) > 10 or int(digits) > most:
        raise Wrong(
            f"the variable of {shown(token)} is not below x{most + 1}: the formula has no such variable, nor "
            "can it be a fresh one"
        )
    return 2 * int(digits) + (len(name) < len(token))


def literal_axiom(code: int) -> Constraint:
    """A literal is at least 0."""
    return Constraint({code >> 1: -1}, -1) if code & 1 else Constraint({code >> 1: 1}, 0)


def reverse_polish(
    tokens: Sequence[str], fetch: Callable[[str], Constraint], most: int, beat: Callable[[], None] = lambda: None
) -> Constraint:
    """The constraint that the tokens of a ``pol`` line compute: ids and literals are pushed, ``+ * d s`` work on the
    top of the stack.

    ``fetch`` finds the constraint of an id, ``beat`` is called now and then.
    """
    stack = _Stack(len(tokens))
    pairs = zip_longest(tokens, islice(tokens, 1, None), fillvalue="")
    for place, (token, after) in enumerate(pairs):
        if not place % TOKENS_BETWEEN_BEATS:
            beat()
        if after in ("*", "d") and token not in ("+", "s", "*", "d"):
            number = whole(token, f"the number before {after}")
            if number < 1:
                raise Wrong(f"the number before {after} is {number}: it must be at least 1")
            (stack.multiply if after == "*" else stack.divide)(number)
            next(pairs)
        elif token == "+":
            stack.add()
        elif token == "s":
            stack.saturate()
        elif token in ("*", "d"):
            raise Wrong(f"{token} needs a number before it")
        else:
            stack.push(literal_axiom(literal(token, most)) if token[0] in "x~" else fetch(token))
    if len(stack.sums) != 1:
        raise Wrong(f"the line leaves {len(stack.sums)} constraints on the stack: it must leave one")
    return stack.sums[0].constraint()


def identifier(token: str, last: int) -> int:
    """The id that a token writes, ``7`` or, counted back from the last one, ``-1``."""
    if not (token.removeprefix("-").isdigit() and token.isascii()):
        raise Wrong(f"{shown(token)} is neither a constraint's id nor a literal nor one of + * d s")
    if len(token) > 18:
        raise Wrong(f"{shown(token)} is too large for a constraint's id")
    number = int(token)
    return last + 1 + number if token.startswith("-") else number


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
