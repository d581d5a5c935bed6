"""Pseudo-Boolean constraints in exact integers, and the rules that derive them: sums, clauses by hints, definitions of
fresh variables.

The rules on sums are those of cutting planes for 0/1 variables (Gomory 1958; Cook, Coullard & Turán 1987), as VeriPB
has them: literal axioms, addition, multiplication by a positive integer, division with rounding up, saturation. They
are defined on the *normal form* ``a1 l1 + a2 l2 + … >= A`` with every ``a > 0``, each ``l`` a literal ``x`` or ``~x``,
which is ``1 - x``, and no variable twice.

Kept is the same constraint over variables alone, ``c1 x1 + c2 x2 + … >= b`` with signed ``c``: where ``c < 0``, the
normal form has the literal ``~x`` with the coefficient ``-c``, and its degree is ``b`` plus the sum of these ``-c``. So
opposite literals cancel when constraints are added. A clause is kept as its literals, ``-5`` for ``~x5``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from cpsat_tour.core.errors import quoted
from cpsat_tour.proofs.check.text import MAX_NUMBER, WORK_PER_KEPT_TERM, Budget, Wrong, read_integer

MAX_FRESH = 1 << 20
"""How far above the variables of the formula the number of a fresh variable may lie."""

Clause = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """The terms add up to at least the bound: ``terms[x]`` is the coefficient, not 0, of the variable ``x``."""

    terms: dict[int, int]
    bound: int

    @property
    def degree(self) -> int:
        """The right-hand side of the normal form; if it is at most 0, every assignment satisfies the constraint."""
        return self.bound - sum(coefficient for coefficient in self.terms.values() if coefficient < 0)

    def plus(self, other: Constraint) -> Constraint:
        """Return the sum of the two, in the dictionary of the longer one, which is lost."""
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
        """Return the constraint with coefficients of the normal form cut down to the degree: the 0/1 solutions are the
        same."""
        degree = self.degree
        if degree <= 0:
            return Constraint({}, degree)
        return _at_least({variable: max(-degree, min(degree, c)) for variable, c in self.terms.items()}, degree)

    def divided(self, divisor: int) -> Constraint:
        """Return the normal form with coefficients and degree divided by a positive integer, all rounded up."""
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
    """Return the constraint that a ``pol`` line computes, or `Wrong`: ids, whose constraints ``fetch`` returns, and
    literals are pushed, ``+ * d s`` work on the top of the stack; beyond two operands it costs what is kept costs."""
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
    """Return True if a clause follows from the constraints by unit propagation, each used once, in this order: if all
    its literals are false, one constraint can't be met after those before it have propagated.

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
    """Add the literals that the constraint makes true to those that are true; return True if it can't be met."""
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
        """Take note that the variables occur in a step that does not define them."""
        for variable in variables:
            if variable > self._variables:
                self._used.add(variable)
                self._open.pop(variable, None)

    def define(self, constraint: Constraint, variable: int, value: bool) -> None:
        """Take the constraint, which holds whenever the variable has the value, as its definition; `Wrong` if the rule
        forbids that."""
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
    """Return True if condition 3 holds: if the first fails because of the variable, the second holds without it."""
    clash = sum(
        min(abs(coefficient), abs(opposite))
        for term, coefficient in first.terms.items()
        if term != variable and (opposite := second.terms.get(term, 0)) * coefficient < 0
    )
    return clash >= first.degree + second.degree - 1
