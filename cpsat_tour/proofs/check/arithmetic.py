"""Pseudo-Boolean constraints in exact integers, and the rules that derive them: sums, and clauses by hints.

The rules on sums are those of cutting planes for 0/1 variables (Gomory 1958; Cook, Coullard & Turán 1987), as VeriPB
writes them: literal axioms, addition, multiplication by a positive integer, division with rounding up, saturation. They
are defined on the *normal form* ``a1 l1 + a2 l2 + … >= A`` with every ``a > 0``, each ``l`` a literal ``x`` or ``~x = 1
- x``, and no variable twice.

Kept here is the same constraint over variables alone, ``c1 x1 + c2 x2 + … >= b`` with signed ``c``: ``x`` with ``c >
0`` is the literal ``x`` with coefficient ``c``, with ``c < 0`` the literal ``~x`` with coefficient ``-c``, and the
degree of the normal form is ``b`` plus the sum of all ``-c`` with ``c < 0``. So opposite literals cancel by themselves
when constraints are added. A clause is kept as its literals, numbers that are negative for ``~x``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from cpsat_tour.proofs.check.text import MAX_NUMBER, Budget, Wrong, shown, whole

MAX_FRESH = 1 << 20
"""How far above the variables of the formula the number of a fresh variable may lie."""

BYTES, BYTES_PER_TERM = 300, 100
"""Memory of a constraint, and of each of its terms."""

Clause = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """``terms[x]`` summed over the variables ``x`` that are true is at least ``bound``; no coefficient is 0."""

    terms: Mapping[int, int]
    bound: int

    @property
    def degree(self) -> int:
        """The right-hand side of the normal form; at most 0 where every assignment satisfies the constraint."""
        return self.bound - sum(coefficient for coefficient in self.terms.values() if coefficient < 0)

    @property
    def memory(self) -> int:
        """The bytes that the constraint takes."""
        return BYTES + BYTES_PER_TERM * len(self.terms)

    def times(self, factor: int) -> Constraint:
        """The constraint multiplied by a positive integer."""
        return Constraint({variable: factor * c for variable, c in self.terms.items()}, factor * self.bound)

    def saturated(self) -> Constraint:
        """The constraint with no coefficient of the normal form above the degree: no 0/1 assignment is gained or
        lost."""
        degree = self.degree
        if degree <= 0:
            return Constraint({}, degree)
        return _with_degree({variable: max(-degree, min(degree, c)) for variable, c in self.terms.items()}, degree)

    def divided(self, divisor: int) -> Constraint:
        """Coefficients and degree of the normal form divided by a positive integer, all rounded up (towards larger)."""
        terms = {variable: -(-c // divisor) if c > 0 else c // divisor for variable, c in self.terms.items()}
        return _with_degree(terms, -(-self.degree // divisor))

    def __str__(self) -> str:
        terms = "".join(f"+{abs(c)} {'x' if c > 0 else '~x'}{x} " for x, c in sorted(self.terms.items())[:8])
        return f"{terms}{'… ' if len(self.terms) > 8 else ''}>= {self.degree}"


def _with_degree(terms: dict[int, int], degree: int) -> Constraint:
    return Constraint(terms, degree + sum(coefficient for coefficient in terms.values() if coefficient < 0))


def literal(token: str, most: int) -> int:
    """The literal that ``x5`` or ``~x5`` writes, as 5 or -5; no variable may lie above ``most``."""
    name = token.removeprefix("~")
    digits = name[1:]
    if not name.startswith("x") or not digits.isdigit() or digits.startswith("0"):
        raise Wrong(f"{shown(token)} is not a literal: write x5 or ~x5")
    if len(digits) > 10 or int(digits) > most:
        raise Wrong(
            f"the variable of {shown(token)} is not below x{most + 1}: the formula has no such variable, nor "
            "can it be a fresh one"
        )
    return int(digits) if len(name) == len(token) else -int(digits)


def literal_axiom(number: int) -> Constraint:
    """A literal is at least 0."""
    return Constraint({number: 1}, 0) if number > 0 else Constraint({-number: -1}, -1)


def normal_form(tokens: list[str], literals: Callable[[str], int]) -> Constraint:
    """The constraint that tokens such as ``+1 x1 +2 ~x4 >= 2`` write; equal and opposite literals may repeat."""
    if len(tokens) < 2 or len(tokens) % 2 or tokens[-2] != ">=":
        raise Wrong("this is not a constraint: write coefficient, literal, …, >=, degree")
    bound = whole(tokens[-1], "the degree")
    terms: dict[int, int] = {}
    for number, name in zip(tokens[:-2:2], tokens[1:-2:2], strict=True):
        coefficient, variable = whole(number, "a coefficient"), literals(name)
        if variable < 0:
            bound, coefficient, variable = bound - coefficient, -coefficient, -variable
        terms[variable] = terms.get(variable, 0) + coefficient
    return Constraint({variable: coefficient for variable, coefficient in terms.items() if coefficient}, bound)


class _Stack:
    """The stack of a ``pol`` line: sums of their own, each with a number that no absolute value in it is larger
    than."""

    def __init__(self, budget: Budget) -> None:
        self.items: list[tuple[dict[int, int], int, int]] = []
        self._budget = budget

    def push(self, constraint: Constraint, reach: int | None = None) -> None:
        """Put a copy of the constraint on the stack."""
        self._budget.work(1 + len(constraint.terms))
        if reach is None:
            reach = max(map(abs, constraint.terms.values()), default=0) + abs(constraint.bound)
        self._put(dict(constraint.terms), constraint.bound, reach)

    def pop(self, operator: str) -> tuple[Constraint, int]:
        """Take the constraint from the top."""
        terms, bound, reach = self._take(operator)
        return Constraint(terms, bound), reach

    def add(self) -> None:
        """Add up the two at the top, the shorter to the longer."""
        shorter, longer = sorted((self._take("+"), self._take("+")), key=lambda item: len(item[0]))
        terms = longer[0]
        self._budget.work(1 + len(shorter[0]))
        for variable, coefficient in shorter[0].items():
            total = terms.get(variable, 0) + coefficient
            if total:
                terms[variable] = total
            else:
                del terms[variable]
        self._put(terms, longer[1] + shorter[1], longer[2] + shorter[2])

    def _put(self, terms: dict[int, int], bound: int, reach: int) -> None:
        if reach >= MAX_NUMBER:
            raise Wrong(f"the numbers of the sum grow to {MAX_NUMBER} or beyond")
        self._budget.hold(BYTES + BYTES_PER_TERM * len(terms))
        self.items.append((terms, bound, reach))

    def _take(self, operator: str) -> tuple[dict[int, int], int, int]:
        if not self.items:
            raise Wrong(f"{shown(operator)} has too little to work on")
        self._budget.hold(-BYTES - BYTES_PER_TERM * len(self.items[-1][0]))
        return self.items.pop()


def reverse_polish(tokens: Sequence[str], fetch: Callable[[str], Constraint], most: int, budget: Budget) -> Constraint:
    """The constraint that the tokens of a ``pol`` line compute: ids and literals are pushed, ``+ * d s`` work on the
    top of the stack.

    ``fetch`` finds the constraint of an id.
    """
    stack = _Stack(budget)
    pairs = zip_longest(tokens, islice(tokens, 1, None), fillvalue="")
    for token, after in pairs:
        if after in ("*", "d") and token not in ("+", "s", "*", "d"):
            number = whole(token, f"the number before {after}")
            if number < 1:
                raise Wrong(f"the number before {after} is {number}: it must be at least 1")
            top, reach = stack.pop(f"{token} {after}")
            if after == "*":
                stack.push(top.times(number), reach * number)
            else:
                stack.push(top.divided(number))
            next(pairs)
        elif token == "+":
            stack.add()
        elif token == "s":
            stack.push(stack.pop("s")[0].saturated())
        elif token in ("*", "d"):
            raise Wrong(f"{token} needs a number before it")
        else:
            stack.push(literal_axiom(literal(token, most)) if token[0] in "x~" else fetch(token))
    if len(stack.items) != 1:
        raise Wrong(f"the line leaves {len(stack.items)} constraints on the stack: it must leave one")
    return stack.pop("")[0]


def conflict_in_order(clause: Clause, named: Iterable[Constraint | Clause], budget: Budget) -> bool:
    """True if the literals of the clause can't all be false: one of the constraints can't be met then, once each before
    it has made true what it can't do without.

    This is unit propagation in a given order, as in the LRAT format (Cruz-Filipe, Heule, Hunt, Kaufmann &
    Schneider-Kamp 2017): a single pass.
    """
    true = {-number for number in clause}
    for constraint in named:
        if isinstance(constraint, Constraint):
            budget.work(1 + len(constraint.terms))
            if _propagate(constraint, true):
                return True
        else:
            budget.work(1 + len(constraint))
            left = [number for number in constraint if -number not in true]
            if not left:
                return True
            if len(left) == 1:
                true.add(left[0])
    return False


def _propagate(constraint: Constraint, true: set[int]) -> bool:
    """Add the literals that the constraint makes true to those that are; True where it can't be met."""
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
