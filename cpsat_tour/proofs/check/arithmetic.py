"""Pseudo-Boolean constraints in exact integers, and the rules that derive them: sums, clauses by hints, definitions of
fresh variables.

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

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from cpsat_tour.proofs.check.text import MAX_NUMBER, Budget, Wrong, shown, whole

MAX_FRESH = 1 << 20
"""How far above the variables of the formula the number of a fresh variable may lie."""

MAX_STACK = 8
"""Constraints on the stack of a ``pol`` line: an operation takes two."""

Clause = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """``terms[x]`` summed over the variables ``x`` that are true is at least ``bound``; no coefficient is 0."""

    terms: dict[int, int]
    bound: int

    @property
    def degree(self) -> int:
        """The right-hand side of the normal form; at most 0 where every assignment satisfies the constraint."""
        return self.bound - sum(coefficient for coefficient in self.terms.values() if coefficient < 0)

    def plus(self, other: Constraint) -> Constraint:
        """The sum, which takes over the terms of the longer one."""
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
        """The constraint multiplied by a positive integer."""
        return Constraint({variable: factor * c for variable, c in self.terms.items()}, factor * self.bound).small()

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

    def small(self) -> Constraint:
        """The constraint itself; `Wrong` where a number of it is too large."""
        if max(map(abs, self.terms.values()), default=0) >= MAX_NUMBER or abs(self.bound) >= MAX_NUMBER:
            raise Wrong(f"the numbers of the sum grow to {MAX_NUMBER} or beyond")
        return self

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


def reverse_polish(tokens: Sequence[str], fetch: Callable[[str], Constraint], most: int, budget: Budget) -> Constraint:
    """The constraint that the tokens of a ``pol`` line compute: ids and literals are pushed, ``+ * d s`` work on the
    top of the stack.

    ``fetch`` finds the constraint of an id.
    """
    stack: list[Constraint] = []

    def pop(operator: str) -> Constraint:
        if not stack:
            raise Wrong(f"{shown(operator)} has too little to work on")
        return stack.pop()

    pairs = zip_longest(tokens, islice(tokens, 1, None), fillvalue="")
    for token, following in pairs:
        if following in ("*", "d") and token not in ("+", "s", "*", "d"):
            number = whole(token, f"the number before {following}")
            if number < 1:
                raise Wrong(f"the number before {following} is {number}: it must be at least 1")
            top = pop(f"{token} {following}")
            budget.work(1 + len(top.terms))
            stack.append(top.times(number) if following == "*" else top.divided(number))
            next(pairs)
        elif token == "+":
            one, other = pop("+"), pop("+")
            budget.work(1 + min(len(one.terms), len(other.terms)))
            stack.append(one.plus(other))
        elif token == "s":
            top = pop("s")
            budget.work(1 + len(top.terms))
            stack.append(top.saturated())
        elif token in ("*", "d"):
            raise Wrong(f"{token} needs a number before it")
        else:
            found = literal_axiom(literal(token, most)) if token[0] in "x~" else fetch(token)
            budget.work(1 + len(found.terms))
            stack.append(Constraint(dict(found.terms), found.bound))
            if len(stack) > MAX_STACK:
                raise Wrong(f"the line keeps more than {MAX_STACK} constraints on the stack: add them up sooner")
    if len(stack) != 1:
        raise Wrong(f"the line leaves {len(stack)} constraints on the stack: it must leave one")
    return stack[0].small()


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


class Definitions:
    """The fresh variables, and when one may be introduced: the rule for ``red`` lines.

    A proof may not assume anything, but it may give names: ``red <constraint> : x -> 1`` says that the constraint
    defines ``x``. Accepted is the special case of redundancy with a witness (Järvisalo, Heule & Biere 2012 for
    clauses; Gocht & Nordström 2021 for pseudo-Boolean constraints) in which

    1. ``x`` is *fresh*: its number is above the formula's, and it occurs in no step so far but its own
       definitions (``red`` lines with ``x`` as the witness);
    2. the constraint holds whenever ``x`` has the value of the witness, whatever the other variables are;
    3. with each earlier definition of ``x`` by the opposite value: where one of the two fails because of ``x``,
       the other holds without ``x``. For two clauses this says that their resolvent on ``x`` is a tautology.

    *Soundness.* Invariant: every 0/1 solution of the formula extends to one of all constraints derived so far,
    deleted ones included. Take such an extension, and let it falsify the new definition C. By 2, ``x`` has not the
    value of the witness. Give it that value: C holds by 2; earlier definitions by the same value hold by 2; one by
    the opposite value, D, held because of ``x`` or not, and holds now by 3, C without ``x`` being false; no other
    constraint has ``x`` in it by 1. So a contradiction in the end leaves no solution of the formula.

    Condition 3 in numbers: let C without ``x`` be ``b1 l1 + … >= A`` in saturated normal form, and D without ``x``
    be ``c1 k1 + … >= D``. If the first is false, ``b1 ~l1 + … >= b1 + … - A + 1``, and so the left side of D is at
    least the sum of ``min(b, c)`` over the literals opposite in both, less ``A - 1``.

    ``_open`` has the variables that may be defined further, with their definitions; ``_used`` those closed for good.
    """

    def __init__(self, variables: int, budget: Budget) -> None:
        self._variables, self._budget = variables, budget
        self._open: dict[int, list[Constraint]] = {}
        self._used: set[int] = set()

    def use(self, variables: Iterable[int]) -> None:
        """These variables occur in a step that does not define them."""
        for variable in variables:
            if variable > self._variables:
                self._used.add(variable)
                self._open.pop(variable, None)

    def define(self, constraint: Constraint, variable: int, value: bool) -> None:
        """Take the constraint as a definition of the variable, true whenever it has the value; `Wrong` where the rule
        forbids that."""
        if variable <= self._variables:
            raise Wrong(
                f"x{variable} is a variable of the formula: only fresh variables, from x{self._variables + 1} "
                "on, can be defined"
            )
        if variable in self._used:
            raise Wrong(f"x{variable} is not fresh: it occurs in an earlier step that does not define it")
        constraint = constraint.saturated()
        sign = 1 if value else -1
        if sign * constraint.terms.get(variable, 0) < constraint.degree or variable not in constraint.terms:
            raise Wrong(
                f"the constraint does not define x{variable}: it must hold whenever x{variable} is {int(value)}"
            )
        for earlier in self._open.get(variable, ()):
            self._budget.work(1 + len(constraint.terms))
            if earlier.terms[variable] * sign < 0 and not _one_holds(constraint, earlier, variable):
                raise Wrong(
                    f"x{variable} has a definition by the other value, ‘{earlier}’, and both can't be met at "
                    "once in every case"
                )
        self._open.setdefault(variable, []).append(constraint)
        self.use(other for other in constraint.terms if other != variable)


def _one_holds(first: Constraint, second: Constraint, variable: int) -> bool:
    """Condition 3: where the first fails because of the variable, the second holds without it."""
    clash = sum(
        min(abs(coefficient), abs(opposite))
        for term, coefficient in first.terms.items()
        if term != variable and (opposite := second.terms.get(term, 0)) * coefficient < 0
    )
    return clash >= first.degree + second.degree - 1
